/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch of the tree engines' bulk calls: what cl/kernels/heap_sorted.cl and lib/heap/sorted.c agree
 * on. Nothing in it lasts longer than a call. */
#pragma once

#include "clade/shared/heap.h"

/* Words of the plan. */
#define CLADE_SORTED_COUNT    0u /* keys that are sorted; 0: the engine's own operations do the call */
#define CLADE_SORTED_TAKEN    1u /* how many of them, from the first on, leave the heap */
#define CLADE_SORTED_NODES    2u /* the heap's nodes before the call */
#define CLADE_SORTED_UNSORTED 3u /* not 0: some key comes after a greater one */
#define CLADE_SORTED_FROM     4u /* the side, 0 or 1, on which the keys lie before a pass, */
#define CLADE_SORTED_TO       5u /* and after it: the same when the pass has nothing to do; or RAW */
#define CLADE_SORTED_IN_ORDER 6u /* not 0: only if nothing is UNSORTED does the call go this way */
#define CLADE_SORTED_HANDS_ON 7u /* not 0: the keys are sorted, and the engine's kernel inserts them */
#define CLADE_SORTED_RUNS     8u /* not 0: keys are moved by so many runs, and not by digits */
#define CLADE_SORTED_RUNS_AT  9u /* where these begin in the list of runs */
/* TO: the caller's keys are in order, and the engine's kernel takes them from where they are. */
#define CLADE_SORTED_RAW      2u
/* Then for each tile how many of its keys have each digit, and where these go. Before that, the first
 * word of a tile has how many of its keys are less than the one before. */
#define CLADE_SORTED_COUNTS   16u
#define CLADE_SORTED_BITS     11u /* of a digit */
#define CLADE_SORTED_DIGITS   (1u << CLADE_SORTED_BITS)
#define CLADE_SORTED_PASSES(key_bytes) ((8u * (key_bytes) + CLADE_SORTED_BITS - 1u) / CLADE_SORTED_BITS)
#define CLADE_SORTED_PLAN_WORDS(tiles) (CLADE_SORTED_COUNTS + (tiles) * CLADE_SORTED_DIGITS)

/* A run is a row of keys that ascends. Its list has room for twice as many as are sorted: keys with
 * shorter runs than RUN_LEAST, on average, are sorted by digits. */
#ifndef CLADE_SORTED_RUN_LEAST
#define CLADE_SORTED_RUN_LEAST 64u
#endif
#define CLADE_SORTED_RUNS_MOST(count) ((count) / CLADE_SORTED_RUN_LEAST)
typedef struct {
    clade_u64 first;       /* its least key */
    clade_u32 start, end;  /* where its keys are, */
    clade_u32 place, runs; /* where they go; of how many runs' chain it is the first one */
} cladei_sorted_run;

/* A pop goes this way if it takes this part of the heap or more. PART is for a heap whose keys have
 * to be sorted, PART_LEAST for one whose keys are in order from node to node, as after calls like
 * these. Measured on PoCL 3.1 with 1M keys: docs/structures/heap.md. */
#define CLADE_SORTED_PART       4u
#define CLADE_SORTED_PART_LEAST 16u

/* A call's ticket when its engine's own operations have nothing to do. */
#define CLADE_SORTED_NO_MORE 0x80000000u
