/* SPDX-License-Identifier: Apache-2.0 */
/* meet.clh: groups that do rounds together, each with a payload in every round. It is written
 * plainly before the meeting and read plainly by all after it. A wait that is given up ends the
 * rounds; then the last one was still done by all. */
#include "relacy/device.h"

#include <math.h>

#include "paths/vectors.h"

static uint wait_looks;
#define CLADE_PATHS_WAIT   wait_looks
#define CLADE_PATHS_BUFFER 1u
#define CLADE_PATHS_OWN    1u

#include "clade/paths/meet.clh"

enum { GROUPS = 3, ROUNDS = 4 };

static struct {
    clade_atomic_u32 words[CLADE_PATHS_SHARED_WORDS];
    uint payload[ROUNDS][GROUPS];
} object;

/* Each group's own. */
static clade_paths_gathered gathered[GROUPS];
static uint groups, shares[GROUPS], passed[GROUPS];

void weak_setup(void)
{
    for (uint i = 0; i < CLADE_PATHS_SHARED_WORDS; i++)
        object.words[i] = 0;
    for (uint turn = 0; turn < 3; turn++)
        for (uint i = 0; i < CLADE_PATHS_MEETING_WORDS; i++)
            object.words[CLADE_PATHS_MEETINGS + turn * CLADE_PATHS_MEETING_WORDS + i] =
                cladei_paths_first_of(i);
    weak_share(&object, sizeof object, "meetings");
}

static void begin(uint members, uint looks)
{
    groups = members;
    wait_looks = looks;
    for (uint i = 0; i < GROUPS; i++)
        shares[i] = passed[i] = 0;
}

static uint near_of(const cladei_paths_all *all)
{
    return clade_load_relaxed(cladei_paths_meeting(all, all->turn) + CLADE_PATHS_ADDED +
                              CLADE_PATHS_ADDED_NEAR);
}

/* A round: each group adds its number plus 1 to a sum, and its bucket to a least one. */
static bool take_part(clade_paths_gathered *g, const cladei_paths_all *all)
{
    clade_global_word meeting = cladei_paths_meeting(all, all->turn);
    object.payload[all->turn][all->member] = 100u * all->turn + all->member;
    clade_add_relaxed(meeting + CLADE_PATHS_ADDED + CLADE_PATHS_ADDED_NEAR, all->member + 1u);
    g->lost = g->target = CLADE_PATHS_NONE;
    g->far = 10u * all->turn + all->member;
    shares[all->member]++;
    return cladei_paths_meet_wg(g, all, true);
}

static void go(uint me, uint rounds)
{
    cladei_paths_all all = { object.words, me, groups, 0 };
    bool goes_on = true;
    while (goes_on && all.turn < rounds) {
        goes_on = take_part(&gathered[me], &all);
        if (!goes_on)
            break;
        passed[me]++;
        WEAK_CHECK(near_of(&all) == groups * (groups + 1u) / 2u);
        WEAK_CHECK(clade_load_relaxed(cladei_paths_meeting(&all, all.turn) +
                                      CLADE_PATHS_LEAST_FAR) == 10u * all.turn);
        for (uint i = 0; i < groups; i++)
            WEAK_CHECK(object.payload[all.turn][i] == 100u * all.turn + i);
        all.turn++;
    }
}

/* All groups did the same rounds, and the last one's sums are whole. */
static const char *end(void)
{
    const cladei_paths_all all = { object.words, 0, groups, shares[0] - 1u };
    for (uint i = 1; i < groups; i++)
        if (passed[i] != passed[0] || shares[i] != shares[0])
            return "groups do not agree on how a meeting ended";
    return near_of(&all) == groups * (groups + 1u) / 2u ? NULL : "a sum is not whole";
}

static void begin_two(void)
{
    begin(2, 6);
}

static void begin_two_in_haste(void)
{
    begin(2, 0);
}

static void begin_three(void)
{
    begin(3, 4);
}

static void four_rounds(uint me)
{
    go(me, ROUNDS);
}

static void two_rounds(uint me)
{
    go(me, 2);
}

const weak_world weak_worlds[] = {
    { "meet: two groups, four meetings", 2, begin_two, four_rounds, end, 6000, 0 },
    { "meet: two groups that do not wait", 2, begin_two_in_haste, four_rounds, end, 6000, 0 },
    { "meet: three groups, two meetings", 3, begin_three, two_rounds, end, 6000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "cladei_paths_arrive_wi", "add_acq_rel" },
    { "cladei_paths_arrive_wi", "load_acquire" },
    { "cladei_paths_arrive_wi", "cas_acquire" },
    { 0 },
};
