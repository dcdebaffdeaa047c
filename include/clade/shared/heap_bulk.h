/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch of the front engine's bulk calls: what cl/heap_front_take.cl and lib/heap_bulk.c agree on.
 * It lives beside the heap's buffer, and nothing in it lasts longer than a call. */
#pragma once

#include "clade/shared/heap_front.h"

/* What became of a call, in word CLADE_BULK_STATE. */
#define CLADE_BULK_ORDINARY 0u /* the engine's own operations do it */
#define CLADE_BULK_GOES     1u

/* Words of a delete's scratch, before its lists: one word a leaf each, then one a directory, then a
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

/* What tells the engine's own kernel that nothing is left to do: a ticket beyond all batches. */
#define CLADE_BULK_NO_MORE 0x80000000u
