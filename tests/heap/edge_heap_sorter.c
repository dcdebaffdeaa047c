/* SPDX-License-Identifier: Apache-2.0 */
/* How the front engine's bulk pop puts a leaf's keys in order, by groups: few and many keys, bins
 * that are crowded, keys that all share; every key and value goes to the caller or is kept, by its
 * rank, and nothing else is written. Local memory is exactly a sorter. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_BATCH      16
#define CLADEI_BULK_GROUP     GROUP
#define CLADEI_BULK_CROWD     6u
#ifndef CLADEI_BULK_BINS
#define CLADEI_BULK_BINS 128
#endif
#undef __kernel
#define __kernel static
#include "kernels/heap_front_take.cl"
#undef min
#undef max

#include "edges/edge.h"

enum { LEAF = CLADE_HEAP_LEAF, BLOCKS = 2 * CLADE_FRONT_BLOCKS, TO = 3 };
enum { BLOCK = LEAF / CLADE_FRONT_BLOCKS, KINDS = 7, FREE = 0x5a5a5a5a };

static struct job {
    uint keys[BLOCKS * BLOCK], values[BLOCKS * BLOCK]; /* the heap's, in blocks */
    uint block[CLADE_FRONT_BLOCKS];                    /* the leaf's, in any order */
    uint out[TO + LEAF + 1], out_values[TO + LEAF + 1], kept[LEAF + 1], kept_values[LEAF + 1];
    uint n, gone;
} job;

static uint key_of(uint kind, uint i)
{
    const uint x = (i + 1u) * 2654435761u ^ kind * 0x85ebca6bu;
    return kind == 0   ? x
           : kind == 1 ? 77u
           : kind == 2 ? x >> 24 /* shared bins of one key each */
           : kind == 3 ? 0xffffffffu - i
           : kind == 4 ? (i % 3u == 0 ? x : 0x40000000u + i) /* crowded, different ones */
           : kind == 5 ? 0x10000000u + (x >> 30)             /* crowded with ties */
                       : (i % 2u ? 0xffffffffu : 0u);
}

static void sort_leaf(void *argument, void *local)
{
    __local cladei_bulk_sorter *s = local;
    cladei_bulk_heap h;
    cladei_bulk_lists l;
    (void)argument;
    memset(&h, 0, sizeof h);
    memset(&l, 0, sizeof l);
    h.keys = job.keys;
    h.values = job.values;
    l.kept = job.kept;
    l.kept_values = job.kept_values;
    CLADEI_BULK_EACH(b, CLADE_FRONT_BLOCKS)
    s->block[b] = job.block[b];
    cladei_bulk_sync();
    for (uint turn = 0; turn < 2; turn++) { /* the next leaf meets what the first one left */
        cladei_bulk_sort_leaf(h, l, s, job.n, 0u, 32u, job.gone, TO, job.out, job.out_values, TO);
        cladei_bulk_sync();
    }
}

static int compare(const void *a, const void *b)
{
    const uint x = *(const uint *)a, y = *(const uint *)b;
    return (x > y) - (x < y);
}

static void run(uint kind, uint n, uint gone)
{
    uint sorted[LEAF], count[LEAF] = { 0 };
    job.n = n;
    job.gone = gone;
    memset(job.keys, 0x5a, sizeof job.keys);
    memset(job.out, 0x5a, sizeof job.out);
    memset(job.out_values, 0x5a, sizeof job.out_values);
    memset(job.kept, 0x5a, sizeof job.kept);
    memset(job.kept_values, 0x5a, sizeof job.kept_values);
    for (uint b = 0; b < CLADE_FRONT_BLOCKS; b++)
        job.block[b] = (b * 7u + 5u) % BLOCKS;
    for (uint i = 0; i < n; i++) {
        const uint at = job.block[i / BLOCK] * BLOCK + i % BLOCK;
        sorted[i] = job.keys[at] = key_of(kind, i);
        job.values[at] = i;
    }
    qsort(sorted, n, sizeof *sorted, compare);
    shim_launch(sort_leaf, NULL, 1, GROUP, sizeof(cladei_bulk_sorter));
    for (uint rank = 0; rank < LEAF; rank++) {
        const bool goes = rank < gone && rank < n, stays = rank >= gone && rank < n;
        const uint key = goes ? job.out[TO + rank] : job.kept[rank];
        const uint value = goes ? job.out_values[TO + rank] : job.kept_values[rank];
        if (rank < n)
            expect(key == sorted[rank] && value < n && key_of(kind, value) == key &&
                       count[value]++ == 0,
                   "a key or its value", kind, rank);
        expect(goes || (job.out[TO + rank] == FREE && job.out_values[TO + rank] == FREE),
               "beyond what goes", kind, rank);
        expect(stays || (job.kept[rank] == FREE && job.kept_values[rank] == FREE),
               "beyond what is kept", kind, rank);
    }
    expect(job.out[0] == FREE && job.out[TO - 1] == FREE && job.out[TO + LEAF] == FREE &&
               job.kept[LEAF] == FREE,
           "beside the arrays", kind, n);
}

int main(void)
{
    for (uint kind = 0; kind < KINDS; kind++)
        for (uint n = 1; n <= LEAF; n += n < 18 ? 1 : 34)
            for (uint third = 0; third < 4; third++)
                run(kind, n, third * n / 3u);
    printf("a leaf's order: %u wrong\n", wrong);
    return wrong != 0;
}
