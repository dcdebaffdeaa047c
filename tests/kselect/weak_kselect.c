/* SPDX-License-Identifier: Apache-2.0 */
/* kselect/parts.clh: groups that share a row. Each writes its part plainly, and the last one reads
 * them all: members of a range, a range that is wrong, so the last one writes all results again,
 * and a row that lies in order. */
#include "relacy/device.h"

#include <string.h>

#define CLADE_KSELECT_GROUP          1
#define CLADE_KSELECT_ITEMS          2
#define CLADE_KSELECT_KEY            CLADE_U32
#define CLADE_KSELECT_INDICES        1
#define CLADE_KSELECT_RANKED         64
#define CLADE_KSELECT_LIKELY         1
#define CLADE_KSELECT_LIKELY_SAMPLES 4u
#define CLADE_KSELECT_LIKELY_SHARE   2u
#define CLADE_KSELECT_LIKELY_TIED    2u
#define CLADE_KSELECT_LIKELY_EQUAL   3u
#define CLADE_KSELECT_LIKELY_SQUARE  1u
#define CLADE_KSELECT_CLAIMED        1u
#define CLADE_KSELECT_SOURCE         const clade_u32 *
#define CLADE_KSELECT_WORD(row, at)  ((row)[at])
#include "clade/kselect.clh"
#include "clade/kselect/parts.clh"

enum { GROUPS = 3, LENGTH = 40, K = 20 };

/* What the parts are to have: members that are the right ones, or not; no members, for they lie in
 * order; or one that does not. */
enum { RIGHT, WRONG, IN_ORDER, NOT_QUITE };

static struct {
    clade_kselect_meeting meeting;
    clade_kselect_part parts[GROUPS];
    uint collected[GROUPS * CLADE_KSELECT_PART_WORDS];
    uint keys[K], indices[K];
} object;

static uint row[LENGTH], found;
static clade_kselect_local local_memory[GROUPS]; /* each group's own */

void weak_setup(void)
{
    weak_share(&object, sizeof object, "what the groups share");
}

static void thread(uint me)
{
    const clade_kselect_parted to = { object.parts, &object.meeting, object.collected, GROUPS };
    const clade_kselect_out out = { object.keys, object.indices };
    clade_kselect_part_wi(&local_memory[me], row, LENGTH, K, me, to, out);
}

static const char *parts_are(void)
{
    ulong members = 0;
    uint left = 0;
    for (uint i = 0; i < GROUPS; i++) {
        left += object.parts[i].members == CLADE_KSELECT_LEFT;
        members += object.parts[i].members;
    }
    return found == RIGHT       ? (left == 0 && members > 0 ? NULL : "the members are not right")
           : found == WRONG     ? (left > 0 || members < K / 2u ? NULL : "the range is not wrong")
           : found == NOT_QUITE ? (left == 1 ? NULL : "not one part is out of order")
                                : (members == 0 ? NULL : "the row is not in order");
}

/* The keys are all different, so each result is one of the K least, and none comes twice. */
static const char *end(void)
{
    for (uint i = 0; i < K; i++) {
        uint before = 0;
        if (object.indices[i] >= LENGTH || row[object.indices[i]] != object.keys[i])
            return "a result is no key";
        for (uint j = 0; j < LENGTH; j++)
            before += row[j] < object.keys[i];
        if (before >= K)
            return "a result is not among the first";
        for (uint j = 0; j < i; j++)
            if (object.keys[j] == object.keys[i])
                return "a result comes twice";
    }
    if (object.meeting.before != 0 || object.meeting.done != 0)
        return "a counter stays";
    return parts_are();
}

/* Numbers below LENGTH in some order. */
static void begin_members(void)
{
    found = RIGHT;
    for (uint i = 0; i < LENGTH; i++)
        row[i] = i * 7u % LENGTH;
    memset(local_memory, 0x5a, sizeof local_memory);
}

/* All samples come before all else. */
static void begin_misled(void)
{
    begin_members();
    found = WRONG;
    for (uint i = 0; i < LENGTH; i++)
        row[i] += 100u;
    for (uint count = 8; count <= 16; count *= 2)
        for (uint i = 0; i < count; i++)
            row[clade_kselect_sample_at_wi(i, count, LENGTH)] = count * 2u + i;
}

static void begin_ordered(void)
{
    found = IN_ORDER;
    for (uint i = 0; i < LENGTH; i++)
        row[i] = LENGTH - i;
}

/* In order but for a part. */
static void begin_nearly_ordered(void)
{
    begin_ordered();
    found = NOT_QUITE;
    row[7] = row[8] - 1u;
    row[8] = LENGTH - 7u;
}

const weak_world weak_worlds[] = {
    { "kselect: members of three parts", GROUPS, begin_members, thread, end, 4000, 0 },
    { "kselect: a range that is wrong", GROUPS, begin_misled, thread, end, 4000, 0 },
    { "kselect: a row in order", GROUPS, begin_ordered, thread, end, 2000, 0 },
    { "kselect: a row nearly in order", GROUPS, begin_nearly_ordered, thread, end, 2000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "clade_kselect_hand_over_wi", "add_acq_rel" },
    { 0 },
};
