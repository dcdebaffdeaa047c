/* SPDX-License-Identifier: Apache-2.0 */
/* The priority queue checker's view of a history. */
#pragma once

#include "lin/util.h"

#define PQ_NONE UINT32_MAX

typedef struct pq_value {
    uint64_t key;
    uint32_t ins, del; /* operations; del PQ_NONE: never returned */
    uint32_t b, c;     /* ranks: certainly inside strictly between b and c */
} pq_value;

typedef struct pq_batch {
    uint64_t last; /* no key below this may be left inside */
    uint32_t op;
    bool is_short; /* nothing at all may be left inside */
} pq_batch;

typedef struct pq_history {
    const lin_op *ops;
    size_t n;
    unsigned flags;
    lin_times times;
    uint32_t *inv, *res; /* ranks, per operation */
    pq_value *values;    /* by key */
    size_t value_count;
    pq_batch *batches; /* deletes that returned, by last key, short ones at the end */
    size_t batch_count;
    uint32_t *earliest;     /* per operation: rank before which it cannot take effect */
    uint64_t first_pending; /* first invocation of a delete that did not return */
    bool order;             /* some delete returned several values or came back short */
    bool decided;           /* P1 to P3 are sufficient for this history */
} pq_history;

/* P4: the orders that the results force on the deletes have no cycle. */
lin_verdict cladei_pq_order(pq_history *h, lin_report *report);
