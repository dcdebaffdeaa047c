/* SPDX-License-Identifier: Apache-2.0 */
/* How the front engine's bulk insert moves keys by groups: tiles, of which the last is not full, to
 * the places of their digits, in leaves or beside them; each key with its value, once, and nothing
 * is written elsewhere. Local memory is exactly a mover. -DGROUP: items a group, or 1. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLADE_HEAP_KEY_TYPE CLADE_I32
#ifndef VALUES /* whether keys have values */
#define VALUES 1
#endif
#ifndef TILE
#define TILE 32
#endif
#define CLADE_HEAP_VALUE_TYPE (VALUES ? CLADE_U32 : CLADE_NONE)
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_BATCH      16
#define CLADEI_BULK_GROUP     GROUP
#define CLADEI_BULK_TILE      TILE
#include "clade/heap/bulk/mover.clh"
#undef min
#undef max

#include "edges/edge.h"

enum { MOST = 100, FIRST = 2, FREE = 0x5a5a5a5a };

static struct job {
    uint keys[FIRST + MOST], values[FIRST + 1 + MOST];
    clade_atomic_u32 segment[CLADE_BULK_S_WORDS];
    uint *leaf_keys, *leaf_values, *to, *values_to; /* of exactly `count` */
    uint count, raw, shift;
} job;

static uint key_of(uint kind, uint i)
{
    const uint x = (i + 1u) * 2654435761u;
    return kind == 0   ? x
           : kind == 1 ? 0x80000007u
           : kind == 2 ? (i % 3u) << 8 | i
                       : x >> 20 | 1u << 31;
}

static uint image(uint i)
{
    return job.keys[FIRST + i] ^ (job.raw ? 0x80000000u : 0u);
}

static uint digit(uint word)
{
    return word >> job.shift & 255u;
}

static void move(void *argument, void *local)
{
    cladei_bulk_heap h;
    (void)argument;
    memset(&h, 0, sizeof h);
    h.keys = job.leaf_keys;
    h.values = job.leaf_values;
    for (uint at = 0; at < job.count; at += CLADEI_BULK_TILE) {
        const uint left = job.count - at;
        const cladei_bulk_stream m = { .keys = job.keys,
                                       .values = job.values,
                                       .first = FIRST,
                                       .values_first = FIRST + 1,
                                       .to = job.to,
                                       .values_to = job.values_to,
                                       .raw = job.raw,
                                       .shift = job.shift,
                                       .at = at,
                                       .count = left < CLADEI_BULK_TILE ? left : CLADEI_BULK_TILE };
        cladei_bulk_move_tile(h, m, job.segment, local);
    }
}

static uint *filled(uint count)
{
    uint *words = malloc(count * sizeof *words);
    if (!words)
        exit(1);
    memset(words, 0x5a, count * sizeof *words);
    return words;
}

static bool is_leafy(uint d, uint leaves)
{
    return leaves == 0 ? false : leaves == 1 ? true : (d * 5u >> 2) % 2u == 0;
}

/* Which of the keys it is that was not seen before. */
static uint find(uint key, const uint *seen)
{
    uint i = 0;
    while (i < job.count && (image(i) != key || seen[i] != 0))
        i++;
    return i;
}

static void check(uint kind, uint leaves, const uint *starts, const uint *counts)
{
    uint seen[MOST] = { 0 };
    for (uint d = 0; d < CLADE_BULK_DIGITS; d++) {
        const bool leafy = is_leafy(d, leaves);
        const uint *keys = leafy ? job.leaf_keys : job.to, *others = leafy ? job.to : job.leaf_keys;
        const uint *values = leafy ? job.leaf_values : job.values_to;
        expect(clade_load_relaxed(&job.segment[CLADE_BULK_S_DIGITS + d]) == starts[d] + counts[d],
               "a digit's end", kind, d);
        for (uint p = starts[d]; p < starts[d] + counts[d]; p++) {
            const uint value = VALUES ? values[p] : find(keys[p], seen);
            expect(digit(keys[p]) == d && value < job.count && image(value) == keys[p] &&
                       seen[value]++ == 0,
                   "a key or its value", kind, p);
            expect(VALUES || values[p] == FREE, "a value that nobody has", kind, p);
            expect(others[p] == FREE && (leafy ? job.values_to : job.leaf_values)[p] == FREE,
                   "the other array", kind, p);
        }
    }
}

static void run(uint kind, uint count, uint leaves, uint raw, uint shift)
{
    uint starts[CLADE_BULK_DIGITS] = { 0 }, counts[CLADE_BULK_DIGITS] = { 0 }, before = 0;
    job.count = count;
    job.raw = raw;
    job.shift = shift;
    for (uint i = 0; i < MOST; i++) {
        job.keys[FIRST + i] = key_of(kind, i);
        job.values[FIRST + 1 + i] = i;
    }
    for (uint i = 0; i < count; i++)
        counts[digit(image(i))]++;
    memset(job.segment, 0, sizeof job.segment);
    for (uint d = 0; d < CLADE_BULK_DIGITS; d++) {
        starts[d] = before;
        before += counts[d];
        clade_store_relaxed(&job.segment[CLADE_BULK_S_DIGITS + d], starts[d]);
        if (is_leafy(d, leaves))
            clade_or_relaxed(&job.segment[CLADE_BULK_S_LEAF + d / 32u], 1u << d % 32u);
    }
    job.leaf_keys = filled(count);
    job.leaf_values = filled(count);
    job.to = filled(count);
    job.values_to = filled(count);
    shim_launch(move, NULL, 1, GROUP, sizeof(cladei_bulk_mover));
    check(kind, leaves, starts, counts);
    free(job.leaf_keys);
    free(job.leaf_values);
    free(job.to);
    free(job.values_to);
}

int main(void)
{
    for (uint kind = 0; kind < 4; kind++)
        for (uint count = 1; count <= MOST; count += count % 32u < 2 || count % 32u == 31u ? 1 : 6)
            for (uint leaves = 0; leaves < 3; leaves++)
                for (uint raw = 0; raw < 2; raw++)
                    run(kind, count, leaves, raw, count % 2u ? 24u : 8u);
    printf("moved by digits: %u wrong\n", wrong);
    return wrong != 0;
}
