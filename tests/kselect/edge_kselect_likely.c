/* SPDX-License-Identifier: Apache-2.0 */
/* Selection from long rows whose k-th key is guessed from samples (clade/kselect/likely.clh): what
 * is selected, and how often the row is read. Rows that are like their samples are read twice at
 * most; samples that mislead cost one reading more than the search by pivots takes, and many equal
 * keys a few reads. And members of which none that is a pivot is near the k-th one: there middles
 * end the search. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long reads;

#define CLADE_KSELECT_SOURCE        const clade_u32 *
#define CLADE_KSELECT_WORD(row, at) (reads++, (row)[at])
#define CLADE_KSELECT_GROUP         1
#define CLADE_KSELECT_ITEMS         128
#define CLADE_KSELECT_KEY           CLADE_U32
#define CLADE_KSELECT_INDICES       1
#define CLADE_KSELECT_RANKED        16384
#define CLADE_KSELECT_LIKELY        1
#include "clade/kselect.clh"

enum { LONGEST = 100003, SAMPLES = 1024 };
enum {
    ASCENDING,
    DESCENDING,
    RANDOM,
    ZIPF,
    CLUSTERED,
    TEETH,
    SAW,
    TIED,
    ONE_OTHER,
    MISLED,
    CROWDED,
    KINDS
};
static const char *const names[] = { "ascending", "descending", "random", "Zipf",
                                     "clustered", "teeth",      "saw",    "tied",
                                     "one other", "misled",     "crowded" };

static uint row[LONGEST], sorted[LONGEST], keys[LONGEST + 1], indices[LONGEST + 1], length, state;
static bool taken[LONGEST];
static clade_kselect_local local_memory;

static uint any(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8 ^ state << 13;
}

static uint key_of(uint kind, uint i)
{
    static uint base;
    const uint next = any();
    base = i % 256 == 0 ? next : base;
    switch (kind) {
    case ASCENDING:
        return i / 3;
    case DESCENDING:
        return (LONGEST - i) / 3;
    case ZIPF:
        return (1u << next % 24) + (any() & ((1u << next % 24) - 1u));
    case CLUSTERED:
        return base + i % 256;
    case TEETH:
        return i / 97 * 97 + 96 - i % 97;
    case SAW:
        return i % 390;
    case TIED:
        return next % 10;
    case ONE_OTHER:
        return i == 777 ? 5 : 77;
    case CROWDED: /* a range between two samples has half of the row */
        return i % 2 ? 0x5a000000u + (next >> 20) : next;
    default:
        return next;
    }
}

static int by_value(const void *a, const void *b)
{
    const uint x = *(const uint *)a, y = *(const uint *)b;
    return (x > y) - (x < y);
}

static void fill(uint kind)
{
    state = shim_seed() + kind;
    for (uint i = 0; i < length; i++)
        row[i] = key_of(kind, i);
    for (uint i = 0; kind == MISLED && i < SAMPLES; i++) /* before all others */
        row[clade_kselect_sample_at_wi(i, SAMPLES, length)] = i * 37u % SAMPLES;
    memcpy(sorted, row, length * sizeof *row);
    qsort(sorted, length, sizeof *sorted, by_value);
}

/* How often the row may be read: whether it lies in order, samples, tiles that are looked at and
 * divided; and the search by pivots. */
static uint most_reads(uint kind)
{
    const bool is_searched = kind == SAW || kind == TIED || kind == ONE_OTHER || kind == CROWDED;
    const bool is_in_order = kind == ASCENDING || kind == DESCENDING; /* each key beside the next */
    return kind == MISLED ? 20 : is_searched || kind == ZIPF ? 12 : is_in_order ? 3 : 2;
}

static uint select_k(uint kind, uint k)
{
    const clade_kselect_out out = { keys, indices };
    uint wrong = 0;
    memset(&local_memory, 0xff, sizeof local_memory);
    memset(taken, 0, sizeof taken);
    keys[k] = indices[k] = 0xa5a5a5a5u;
    reads = 0;
    clade_kselect_wg(&local_memory, row, length, k, out);
    const unsigned long looks = (reads - reads % length) / length;
    for (uint i = 0; i < k; i++) {
        wrong += indices[i] >= length || taken[indices[i]] || row[indices[i]] != keys[i];
        taken[indices[i] % length] = true;
    }
    qsort(keys, k, sizeof *keys, by_value);
    wrong += memcmp(keys, sorted, k * sizeof *keys) != 0;
    wrong += keys[k] != 0xa5a5a5a5u || indices[k] != 0xa5a5a5a5u;
    if (wrong || looks > most_reads(kind))
        printf("%s, %u of %u: %u wrong, read %lu times\n", names[kind], k, length, wrong, looks);
    return wrong + (looks > most_reads(kind));
}

/* How many members lie in first .. first + span. */
static uint members_in(uint count, uint first, uint span)
{
    uint in = 0;
    for (uint i = 0; i < count; i++)
        in += local_memory.word[i] - first <= span;
    return in;
}

/* Each 32nd member is a pivot, and the others lie between two of these. */
static uint finish_between_pivots(void)
{
    enum { MEMBERS = 32 * CLADE_KSELECT_ITEMS, NEAR = MEMBERS / 32 * 31 };
    const uint needs[] = { 1, 64, 65, 1000, 64 + NEAR / 2, 64 + NEAR, 65 + NEAR, MEMBERS - 1 };
    uint wrong = 0;
    for (uint j = 0; j < sizeof needs / sizeof needs[0]; j++) {
        state = shim_seed();
        for (uint i = 0; i < MEMBERS; i++)
            local_memory.word[i] =
                i % 32 ? 0x70000000u + any() % 5000u : (i % 64 ? i << 14 : 0xf0000000u - i);
        const clade_kselect_range all = { 0, CLADE_KSELECT_LAST, needs[j], MEMBERS };
        const clade_kselect_range end = clade_kselect_finish_wi(&local_memory, all);
        const uint before = end.first > 0 ? members_in(MEMBERS, 0, end.first - 1) : 0;
        wrong += clade_kselect_is_open_wi(end) || end.need < 1 || end.need > end.count ||
                 before + end.need != needs[j] ||
                 members_in(MEMBERS, end.first, end.span) != end.count;
    }
    if (wrong)
        printf("members between pivots: %u wrong\n", wrong);
    return wrong;
}

/* A range that a sample misjudged: the k-th key comes before it. It has members enough when a tile
 * is met that is all before it. */
static uint refuse_a_range_behind(void)
{
    enum { ROW = 2 * CLADE_KSELECT_TILE };
    const clade_kselect_out out = { keys, indices };
    const clade_kselect_range range = { 1000, 99, 0, 0 };
    uint wrong = 0, words[CLADE_KSELECT_ITEMS];
    for (uint k = 1; k <= CLADE_KSELECT_TILE; k++) {
        for (uint i = 0; i < ROW; i++)
            row[i] = i < CLADE_KSELECT_TILE ? 1000 + i % 100 : 7;
        memset(&local_memory, 0xff, sizeof local_memory);
        wrong += clade_kselect_take_open_wi(&local_memory, words, row, ROW, k, range, out) != 0;
    }
    if (wrong)
        printf("ranges behind the k-th key: %u taken\n", wrong);
    return wrong;
}

int main(void)
{
    static const uint lengths[] = { 1u << 16, LONGEST };
    uint wrong = finish_between_pivots() + refuse_a_range_behind();
    for (uint i = 0; i < 2; i++)
        for (uint kind = 0; kind < (i == 0 ? KINDS : TEETH); kind++) {
            length = lengths[i];
            fill(kind);
            const uint ks[] = { 700, length / 10, length / 2, length - length / 3, length - 5 };
            for (uint j = 0; j < sizeof ks / sizeof ks[0]; j++)
                wrong += select_k(kind, ks[j]);
        }
    printf("rows with a likely range: %u wrong\n", wrong);
    return wrong != 0;
}
