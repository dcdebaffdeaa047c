/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch of the front engine's bulk calls: what cl/kernels/heap_front_take.cl and lib/heap/bulk.c agree on.
 * It lives beside the heap's buffer, and nothing in it lasts longer than a call. */
#pragma once

#include "clade/shared/heap_front.h"

/* What became of a call, in word CLADE_BULK_STATE. */
#define CLADE_BULK_ORDINARY 0u /* the engine's own operations do it */
#define CLADE_BULK_GOES     1u

/* Words of a pop's scratch, before its lists: one word a leaf each, then one a directory, then a
 * leaf's keys and values. */
#define CLADE_BULK_STATE 0u
#define CLADE_BULK_FRONT 1u  /* keys of the front */
#define CLADE_BULK_TAG   2u  /* of the front's epoch */
#define CLADE_BULK_UNITS 32u /* leaves that are listed */
#define CLADE_BULK_SPLIT 33u /* the leaf of which some keys stay, */
#define CLADE_BULK_GONE  34u /* and how many do not */
#define CLADE_BULK_WORDS 64u
enum { CLADE_BULK_L_UNIT, CLADE_BULK_L_BEFORE, CLADE_BULK_L_TOTAL, CLADE_BULK_L_START, CLADE_BULK_L_LIST, CLADE_BULK_LISTS };
#define CLADE_BULK_SUMS_AT(leaves) (CLADE_BULK_WORDS + CLADE_BULK_LISTS * ((leaves) + ((leaves) & 1u)))
#define CLADE_BULK_KEPT_AT(leaves, dirs) (CLADE_BULK_SUMS_AT(leaves) + (dirs) + ((dirs) & 1u))
#define CLADE_BULK_TAKE_WORDS(leaves, dirs, leaf) (CLADE_BULK_KEPT_AT(leaves, dirs) + 4u * (leaf))

/* An insert's plan: some words, then, for this level's segments and the next one's, by turns, their words,
 * their digits' counts or places, which digits go to leaves, and each tile's segment. */
#define CLADE_BULK_BLOCKS     32u /* units taken, by pool: 32 33 34 */
#define CLADE_BULK_ENTRIES    40u /* 16: the root's */
#define CLADE_BULK_LEVEL      64u /* of each level, 4 words: */
#define CLADE_BULK_SEGMENTS   0u  /* how many */
#define CLADE_BULK_TILES      1u  /* how many, of all of them */
#define CLADE_BULK_PLACED     2u  /* keys of theirs that have a place */
#define CLADE_BULK_LEVELS     9u /* of 64 bits, and one that stays empty */
#define CLADE_BULK_PLAN_WORDS 128u
#define CLADE_BULK_DIGITS     256u
#define CLADE_BULK_S_START    0u /* words of a segment: its first key's place, */
#define CLADE_BULK_S_COUNT    1u /* its keys, */
#define CLADE_BULK_S_TILE     2u /* its first tile, */
#define CLADE_BULK_S_UP       3u /* the entry that is its, */
#define CLADE_BULK_S_LOW      4u /* 2 words: its range's first key, */
#define CLADE_BULK_S_LEAF     8u /* 8 words: a bit for each digit whose keys go to leaves, */
#define CLADE_BULK_S_DIGITS   16u /* and a word for each digit */
#define CLADE_BULK_S_WORDS    (CLADE_BULK_S_DIGITS + CLADE_BULK_DIGITS)
/* A segment has more keys than a leaf; but for its last, a tile is full. */
#define CLADE_BULK_SEGMENTS_MAX(count, leaf) ((count) / (leaf) + 1u)
#define CLADE_BULK_TILES_MAX(count, leaf, tile) ((count) / (tile) + CLADE_BULK_SEGMENTS_MAX(count, leaf) + 1u)

/* What tells the engine's own kernel that nothing is left to do: a ticket beyond all batches. */
#define CLADE_BULK_NO_MORE 0x80000000u

CLADE_STATIC_ASSERT(bulk_levels, CLADE_BULK_LEVEL + 4 * CLADE_BULK_LEVELS <= CLADE_BULK_PLAN_WORDS);
