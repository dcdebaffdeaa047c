/* SPDX-License-Identifier: Apache-2.0 */
/* Selection: what host and device share. */
#pragma once

#include "clade/shared/types.h"

/* The most members of the cut's bin that are collected and compared with each other. With more, the
 * next digit narrows the bin. */
#define CLADE_KSELECT_COLLECT 1024u

/* A row that several groups share: the cut, which is how far the search for the row's k-th key has
 * come (cl/clade/kselect/cut.clh says what its words mean), and two counters. Between kernels all
 * is constant but the counters. Items raise these by relaxed adds, to claim places of the output.
 */
typedef struct clade_kselect_row {
    clade_u64 prefix;
    clade_u32 shift;
    clade_u32 need;
    clade_u32 count;
    clade_u32 at;
    clade_u32 at_shift;
    clade_atomic_u32 before;  /* keys before the bin that have a place */
    clade_atomic_u32 members; /* members that have a place */
    clade_u32 reserved0;
} clade_kselect_row;

/* A part of a long row that several groups of one item share (cl/clade/kselect/parts.clh). Its
 * group writes it before it adds to `done`, and the last group reads it. */
typedef struct clade_kselect_part {
    clade_u32 members; /* 0xffffffff: the part was given up */
} clade_kselect_part;

/* Where the groups of such a row meet. Both counters are 0 before a launch, and the last group
 * makes them 0 again. A relaxed add of `before` claims places of the output. An add of `done`,
 * which acquires and releases, hands a part over. */
typedef struct clade_kselect_meeting {
    clade_atomic_u32 before; /* words before the range that have a place */
    clade_atomic_u32 done;   /* groups that are done with their part */
} clade_kselect_meeting;

/* Where a row begins in its array, how many keys it has, and how many of them are selected: for
 * rows that differ (clade_kselect_run_each()). */
typedef struct clade_kselect_span {
    clade_u64 first;
    clade_u32 length;
    clade_u32 k; /* 0 .. length */
} clade_kselect_span;

/* Which of its arrays a call for such rows was given. */
#define CLADE_KSELECT_GIVEN_OFFSETS  1u
#define CLADE_KSELECT_GIVEN_KS       2u
#define CLADE_KSELECT_GIVEN_STATUSES 4u

#define CLADE_KSELECT_LAYOUT(X)      \
    X(clade_kselect_row, prefix)     \
    X(clade_kselect_row, shift)      \
    X(clade_kselect_row, need)       \
    X(clade_kselect_row, count)      \
    X(clade_kselect_row, at)         \
    X(clade_kselect_row, at_shift)   \
    X(clade_kselect_row, before)     \
    X(clade_kselect_row, members)    \
    X(clade_kselect_part, members)   \
    X(clade_kselect_meeting, before) \
    X(clade_kselect_meeting, done)   \
    X(clade_kselect_span, first)     \
    X(clade_kselect_span, length)    \
    X(clade_kselect_span, k)

CLADE_STATIC_ASSERT(kselect_row_size, sizeof(clade_kselect_row) == 40);
CLADE_STATIC_ASSERT(kselect_part_size, sizeof(clade_kselect_part) == 4);
CLADE_STATIC_ASSERT(kselect_meeting_size, sizeof(clade_kselect_meeting) == 8);
CLADE_STATIC_ASSERT(kselect_span_size, sizeof(clade_kselect_span) == 16);
