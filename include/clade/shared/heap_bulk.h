/* SPDX-License-Identifier: Apache-2.0 */
/* The scratch of the front engine's bulk calls, which insert or pop many keys in one step.
 * cl/kernels/heap_front_build.cl, cl/kernels/heap_front_take.cl and lib/heap/bulk.c share it. It
 * lies beside the heap's buffer, and nothing in it is kept after a call. */
#pragma once

#include "clade/shared/heap_front.h"

/* Who does a call: the values of word CLADE_BULK_STATE. */
#define CLADE_BULK_ORDINARY 0u /* the engine's ordinary operations */
#define CLADE_BULK_GOES     1u /* the bulk kernels */

/* Words at the start of a pop's scratch. Then come its lists, which have a word for each leaf, then
 * a word for each directory, then the keys and values of one leaf. */
#define CLADE_BULK_STATE 0u
#define CLADE_BULK_FRONT 1u  /* keys of the front */
#define CLADE_BULK_TAG   2u  /* of the front's epoch */
#define CLADE_BULK_UNITS 32u /* leaves that are listed */
#define CLADE_BULK_SPLIT 33u /* the leaf of which some keys stay */
#define CLADE_BULK_GONE  34u /* how many of its keys go */
#define CLADE_BULK_WORDS 64u
enum { CLADE_BULK_L_UNIT, CLADE_BULK_L_BEFORE, CLADE_BULK_L_TOTAL, CLADE_BULK_L_START, CLADE_BULK_L_LIST, CLADE_BULK_LISTS };
#define CLADE_BULK_SUMS_AT(leaves) (CLADE_BULK_WORDS + CLADE_BULK_LISTS * ((leaves) + ((leaves) & 1u)))
#define CLADE_BULK_KEPT_AT(leaves, dirs) (CLADE_BULK_SUMS_AT(leaves) + (dirs) + ((dirs) & 1u))
#define CLADE_BULK_TAKE_WORDS(leaves, dirs, leaf) (CLADE_BULK_KEPT_AT(leaves, dirs) + 4u * (leaf))

/* A pop's groups sort leaves by bins in local memory. Bytes of that memory; the device's compiler
 * compares this with the struct (cl/clade/heap/bulk/sorter.clh). Items scan 16 bins in a row: these
 * lie apart, so that they meet in no bank of local memory. */
#define CLADE_BULK_BIN(b) ((b) + ((b) >> 4))
#define CLADE_BULK_SORTER_BYTES(key_bytes, value_bytes, leaf, group, bins) \
    (((leaf) + 2u * (group)) * (key_bytes) + 4u * (CLADE_BULK_BIN(bins) + 2u * (group) + CLADE_FRONT_BLOCKS + 1u) + ((value_bytes) ? 2u * (leaf) : 0u))
/* The same for an insert's groups, which bring a tile's keys into order, then its values:
 * cl/clade/heap/bulk/mover.clh. One digit more than there are is that of places beyond the end. */
#define CLADE_BULK_MOVER_BYTES(widest_bytes, tile, group) ((widest_bytes) * (tile) + 4u * (4u * CLADE_BULK_DIGITS + 2u + 2u * (group)))

/* An insert's plan begins with these words. The rest is there twice, for the segments of this level
 * and of the next one, by turns: words of each segment, the counts or places of its digits, which
 * digits go to leaves, and the segment of each tile. */
#define CLADE_BULK_BLOCKS     32u /* words 32 33 34: units taken from each pool */
#define CLADE_BULK_ENTRIES    40u /* 16 words: the entries of the root */
#define CLADE_BULK_LEVEL      64u /* 4 words for each level, the next three among them */
#define CLADE_BULK_SEGMENTS   0u  /* how many segments */
#define CLADE_BULK_TILES      1u  /* how many tiles all of them have */
#define CLADE_BULK_PLACED     2u  /* how many of their keys have a place */
#define CLADE_BULK_LEVELS     9u /* levels of 64 bits, and one that stays empty */
#define CLADE_BULK_PLAN_WORDS 128u
#define CLADE_BULK_DIGITS     256u
#define CLADE_BULK_S_START    0u /* words of a segment: the place of its first key */
#define CLADE_BULK_S_COUNT    1u /* how many keys it has */
#define CLADE_BULK_S_TILE     2u /* its first tile */
#define CLADE_BULK_S_UP       3u /* the entry that refers to it */
#define CLADE_BULK_S_LOW      4u /* 2 words: the first key of its range */
#define CLADE_BULK_S_LEAF     8u /* 8 words: a bit for each digit whose keys go to leaves */
#define CLADE_BULK_S_DIGITS   16u /* a word for each digit */
#define CLADE_BULK_S_WORDS    (CLADE_BULK_S_DIGITS + CLADE_BULK_DIGITS)
/* All groups at once add to the digits of the first level's one segment. So it has this many sets of
 * them, each in a row of its own, if there are as many rows; tiles have them by turns. */
#define CLADE_BULK_SETS 8u
/* A segment has more keys than a leaf. All its tiles but the last are full. */
#define CLADE_BULK_SEGMENTS_MAX(count, leaf) ((count) / (leaf) + 1u)
#define CLADE_BULK_TILES_MAX(count, leaf, tile) ((count) / (tile) + CLADE_BULK_SEGMENTS_MAX(count, leaf) + 1u)

/* A ticket after all batches: it tells the engine's own kernel that nothing is left to do. */
#define CLADE_BULK_NO_MORE 0x80000000u

CLADE_STATIC_ASSERT(bulk_levels, CLADE_BULK_LEVEL + 4 * CLADE_BULK_LEVELS <= CLADE_BULK_PLAN_WORDS);
