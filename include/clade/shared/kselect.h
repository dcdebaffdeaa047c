/* SPDX-License-Identifier: Apache-2.0 */
/* Selection: what host and device share. */
#pragma once

#include "clade/shared/types.h"

/* The most members of the cut's bin that are collected and compared with each other. With more, the
 * next digit narrows the bin. */
#define CLADE_KSELECT_COLLECT 1024u

/* The cut: how far the search for a row's k-th key has come. A bin is the set of words with the
 * same leading bits. All keys before the cut's bin are selected, `need` of the bin's `count`
 * members are, and no key after the bin is. */
typedef struct clade_kselect_cut {
    clade_u32 prefix; /* the bin's leading bits, the others 0 */
    clade_u32 shift;  /* how many trailing bits were not looked at yet; 32: no bit was */
    clade_u32 need;   /* 1 .. count */
    clade_u32 count;
} clade_kselect_cut;

/* A row that several groups share. Between kernels all is constant but the two counters. Items
 * raise these by relaxed adds, to claim places of the output. */
typedef struct clade_kselect_row {
    clade_kselect_cut cut;
    clade_atomic_u32 before;  /* keys before the bin that have a place */
    clade_atomic_u32 members; /* members that have a place */
    clade_u32 reserved0;
    clade_u32 reserved1;
} clade_kselect_row;

#define CLADE_KSELECT_LAYOUT(X)  \
    X(clade_kselect_cut, prefix) \
    X(clade_kselect_cut, shift)  \
    X(clade_kselect_cut, need)   \
    X(clade_kselect_cut, count)  \
    X(clade_kselect_row, cut)    \
    X(clade_kselect_row, before) \
    X(clade_kselect_row, members)

CLADE_STATIC_ASSERT(kselect_cut_size, sizeof(clade_kselect_cut) == 16);
CLADE_STATIC_ASSERT(kselect_row_size, sizeof(clade_kselect_row) == 32);
