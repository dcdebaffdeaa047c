/* SPDX-License-Identifier: Apache-2.0 */
/* What the checkers share: time as small numbers, and a line that is covered bit by bit. */
#pragma once

#include "lin/lin.h"

/* All tickets of a history, sorted; a ticket's rank r stands at point 2r, the gap behind it at 2r
 * + 1. LIN_PENDING ranks above all. */
typedef struct lin_times {
    uint64_t *t;
    size_t n;
} lin_times;

bool cladei_lin_times(lin_times *times, const lin_op *ops, size_t n);
uint32_t cladei_lin_rank(const lin_times *times, uint64_t ticket);

/* A value in an operation, to be sorted. */
typedef struct lin_item {
    uint64_t key, id;
    uint32_t op;
    uint32_t mark; /* the caller's */
} lin_item;

/* By key, then id; items that are equal in both stay in order. *items is another array afterwards;
 * false when memory is out. By digits, not by comparing: 40 million take seconds, not a minute. */
bool cladei_lin_sort(lin_item **items, size_t n);

/* Points 0 .. 2n of a line, each free or covered. next[] leads to the next free point. */
typedef struct lin_cover {
    uint32_t *next;
    uint32_t points;
} lin_cover;

bool cladei_lin_cover(lin_cover *cover, const lin_times *times);
/* Cover what lies strictly between ranks b and c. */
void cladei_lin_cover_between(lin_cover *cover, uint32_t b, uint32_t c);
/* Is a point from rank lo to rank hi, both included, free? */
bool cladei_lin_free(lin_cover *cover, uint32_t lo, uint32_t hi);

lin_verdict cladei_lin_bad(lin_report *report, const char *why, size_t op, size_t other);
