/* SPDX-License-Identifier: Apache-2.0 */
/* Long rows that several groups of one item share (clade/kselect/parts.clh), by their kernel: rows
 * that lie in order, or nearly, and rows whose range is guessed well, or badly in each way. Some
 * have more parts than tiles. The counters of a row are 0 again after each launch, which the next
 * one relies on. What is selected is compared with a sort, and how often the row is read with what
 * such a row costs. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CLADE_KSELECT_KEY
#define CLADE_KSELECT_KEY CLADE_U32
#endif
#ifndef CLADE_KSELECT_INDICES
#define CLADE_KSELECT_INDICES 1
#endif
static unsigned long reads;
#define CLADE_KSELECT_SOURCE         const clade_kselect_raw *
#define CLADE_KSELECT_WORD(row, at)  (reads++, clade_kselect_encode_wi((row)[at]))
#define CLADE_KSELECT_GROUP          1
#define CLADE_KSELECT_ITEMS          4
#define CLADE_KSELECT_LIKELY         1
#define CLADE_KSELECT_LIKELY_SAMPLES 64u
#define CLADE_KSELECT_LIKELY_SHARE   2u
#define CLADE_KSELECT_LIKELY_TIED    2u
#define CLADE_KSELECT_LIKELY_EQUAL   3u
#define CLADE_KSELECT_LIKELY_SQUARE  4u
#define CLADE_KSELECT_RANKED         380
#define CLADE_KSELECT_MANY           100u
#define CLADE_KSELECT_CLAIMED        5u
#undef __kernel
#define __kernel static
#include "kernels/kselect_parts.cl"
#undef min
#undef max

#include "edges/edge.h"

typedef clade_kselect_raw raw;
typedef clade_kselect_word word;
enum { ROWS = 2, FIRST = 3, MOST = 1003, PARTS = 7 };
enum {
    ANY,
    CLUSTERED,
    FEW,
    ASCENDING,
    DESCENDING,
    EQUAL,
    NEARLY_ASCENDING, /* but for one word somewhere */
    NEARLY_DESCENDING,
    LAST_FALLS, /* but for the last two */
    LAST_RISES,
    SAMPLED_LOW, /* what samples see comes before all else */
    SAMPLED_HIGH,
    CROWDED, /* many words lie between two samples */
    HIDDEN,  /* and in the first part alone, where no sample is */
    SEEMING, /* what tells whether it may lie in order ascends, and samples come before all else */
    KINDS
};
static const char *const names[] = { "any",
                                     "clustered",
                                     "few",
                                     "ascending",
                                     "descending",
                                     "equal",
                                     "nearly ascending",
                                     "nearly descending",
                                     "ascending but for the last",
                                     "descending but for the last",
                                     "samples before all",
                                     "samples behind all",
                                     "crowded",
                                     "crowded where no sample is",
                                     "seemingly ascending, samples before all" };

static raw keys[FIRST + ROWS * MOST], out[FIRST + ROWS * MOST + 1];
static uint indices[FIRST + ROWS * MOST + 1], length, k, count, stride;
static clade_kselect_part parts[ROWS * PARTS];
static clade_kselect_meeting meetings[ROWS];
static uint *collected; /* as large as the host makes it */
static const raw unused = (raw)0x5a5a5a5a5a5a5a5au;

/* Words that are as far apart as keys of 16 bits can be, and no NaN's at an end of all. */
static raw key_of(uint value)
{
    return clade_kselect_decode_wi((word)value << (CLADE_KSELECT_BITS - 32u) | value % 3u);
}

static uint any(void)
{
    return draw(1u << 16) << 16 | draw(1u << 16);
}

static uint value_of(uint kind, uint i)
{
    static uint base;
    base = i % 32 == 0 ? any() : base;
    switch (kind) {
    case CLUSTERED:
        return base + (i % 32u << 16);
    case FEW:
        return draw(4) << 30;
    case ASCENDING:
    case NEARLY_ASCENDING:
    case LAST_FALLS:
        return (0x2000u + i / 3u) << 16;
    case DESCENDING:
    case NEARLY_DESCENDING:
    case LAST_RISES:
        return (0x4000u - i / 2u) << 16;
    case EQUAL:
        return 7u << 20;
    case CROWDED:
        return i % 8u ? 0x5a000000u + (draw(256) << 16) : any();
    case SAMPLED_LOW:
    case SAMPLED_HIGH:
    case SEEMING:
        return 0x40000000u | any() >> 1;
    default:
        return any();
    }
}

/* All samples, whatever their number. */
static void fill_samples(raw *row, uint kind)
{
    for (uint samples = 32; samples <= 128; samples *= 2)
        for (uint i = 0; i < samples && samples <= length; i++)
            row[clade_kselect_sample_at_wi(i, samples, length)] = key_of(
                (kind == SAMPLED_HIGH ? 0xd0000000u : 0x20000000u) + ((i * 37u % samples) << 16));
}

/* No sample lies at these places. */
static void hide(raw *row)
{
    const uint samples = clade_kselect_likely_samples_wi(length);
    for (uint i = 0; i < length * 60u / 100u; i++) {
        bool is_sample = false;
        for (uint count_ = samples / CLADE_KSELECT_LIKELY_TIED; count_ <= samples; count_ *= 2)
            for (uint j = 0; j < count_; j++)
                is_sample |= clade_kselect_sample_at_wi(j, count_, length) == i;
        if (!is_sample)
            row[i] = key_of(0x80000000u + (i << 16));
    }
}

static void fill(uint kind)
{
    for (uint i = 0; i < FIRST + ROWS * length; i++)
        keys[i] = key_of(value_of(kind, i < FIRST ? 0 : (i - FIRST) % length));
    for (uint r = 0; r < ROWS; r++) {
        raw *row = keys + FIRST + r * length;
        if (kind == SAMPLED_LOW || kind == SAMPLED_HIGH || kind == SEEMING)
            fill_samples(row, kind);
        for (uint i = 0; kind == SEEMING && i <= CLADE_KSELECT_STEPS; i++)
            row[i * (length - 1u) / CLADE_KSELECT_STEPS] = key_of(0x40000000u + (i << 24));
        if (kind == NEARLY_ASCENDING || kind == NEARLY_DESCENDING)
            row[draw(length)] = row[draw(length)];
        if (kind == LAST_FALLS || kind == LAST_RISES)
            row[length - 2u] = key_of((kind == LAST_FALLS ? 0x5000u : 0x1000u) << 16);
        if (kind == HIDDEN)
            hide(row);
    }
}

struct element {
    word key;
    uint at;
};

static int compare(const void *a, const void *b)
{
    const struct element *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key)
                            : (p->at > q->at) - (p->at < q->at);
}

static void check_row(uint r, uint kind)
{
    static struct element sorted[MOST], got[MOST];
    static unsigned char seen[MOST];
    const raw *row = keys + FIRST + r * length, *to = out + FIRST + r * stride;
    const uint *ats = indices + FIRST - 1 + r * stride;
    for (uint i = 0; i < length; i++)
        sorted[i] = (struct element) { clade_kselect_encode_wi(row[i]), i };
    qsort(sorted, length, sizeof *sorted, compare);
    memset(seen, 0, sizeof seen);
    for (uint i = 0; i < k; i++) {
        got[i] = (struct element) { clade_kselect_encode_wi(to[i]), 0 };
        if (!CLADE_KSELECT_INDICES)
            continue;
        got[i].at = ats[i];
        expect(ats[i] < length && seen[ats[i] % length]++ == 0 && row[ats[i] % length] == to[i],
               "an index", kind, i);
    }
    qsort(got, k, sizeof *got, compare);
    for (uint i = 0; i < k; i++) {
        expect(got[i].key == sorted[i].key, names[kind], k, i);
        expect(!CLADE_KSELECT_LOWEST || got[i].at == sorted[i].at, "a tie", kind, i);
    }
    for (uint i = k; i < stride; i++)
        expect(to[i] == unused && ats[i] == 0x5a5a5a5au, "behind a row", kind, i);
}

static void kernel(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_kselect_parts(keys, FIRST, parts, meetings, collected, out, FIRST, indices, FIRST - 1,
                        stride, length, k, count);
}

static double looks[KINDS], rows[KINDS]; /* all reads of a kind's rows, and all their keys */

static void run(uint kind)
{
    const size_t words = ROWS * count * (CLADE_KSELECT_BITS / 32u + 1u) * CLADE_KSELECT_RANKED;
    collected = malloc(words * sizeof *collected);
    if (!collected)
        exit(1);
    memset(collected, 0x5a, words * sizeof *collected);
    memset(out, 0x5a, sizeof out);
    memset(indices, 0x5a, sizeof indices);
    memset(parts, 0x5a, sizeof parts);
    reads = 0;
    shim_launch(kernel, NULL, ROWS * count, 1, 1);
    looks[kind] += reads;
    rows[kind] += ROWS * length;
    free(collected);
    for (uint r = 0; r < ROWS; r++) {
        check_row(r, kind);
        expect(meetings[r].before == 0u && meetings[r].done == 0u, "a counter stays", kind, r);
    }
    for (uint i = FIRST + ROWS * stride; i < sizeof out / sizeof out[0]; i++)
        expect(out[i] == unused, "behind all", kind, i);
    expect(out[FIRST - 1] == unused && indices[FIRST - 2] == 0x5a5a5a5au, "before all", kind, k);
}

/* At most so many of 100, by kind: comparisons of neighbours and the results' own reads where rows
 * lie in order; counts, ends of tiles, tiles that are divided, and samples of each part where a
 * range is right, also of the last group alone; and the search by pivots where it is not. Which
 * guesses are bad is by chance: these are for the usual seed, and with others a third more may be
 * read. */
static void check_looks(void)
{
    const uint share = shim_seed() == 1u ? 3u : 4u;
    static const uint most[] = { 415, 430, 420, 272, CLADE_KSELECT_LOWEST ? 450 : 272,
                                 272, 600, 660, 630, 640,
                                 860, 830, 500, 999, 800 };
    for (uint kind = 0; kind < KINDS; kind++) {
        const uint read = (uint)(100. * looks[kind] / rows[kind]);
        expect(read <= most[kind] * share / 3u, names[kind], read, most[kind]);
    }
}

int main(void)
{
    static const uint lengths[] = { 2, 17, 130, 511, MOST };
    random_state = shim_seed();
    for (uint i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (uint kind = 0; kind < KINDS; kind++) {
            length = lengths[i];
            fill(kind);
            const uint ks[] = { 1, length / 10 + 1, length / 2, length - length / 3, length - 1 };
            for (uint j = 0; j < sizeof ks / sizeof ks[0]; j++) {
                k = ks[j];
                stride = k + j % 2u;
                count = 2u;
                run(kind);
                count = 3u + (i + j + kind) % (PARTS - 2u);
                run(kind);
            }
        }
    check_looks();
    printf("rows in parts: %u wrong\n", wrong);
    return wrong != 0;
}
