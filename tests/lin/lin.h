/* SPDX-License-Identifier: Apache-2.0 */
/* Linearizability checkers for recorded histories.
 *
 * A history is an array of operations in any order, each with the tickets of its invocation and its
 * response. A precedes B when A.res < B.inv; equal tickets count as overlapping. The theorems
 * behind the fast checkers, with proofs, are in docs/inside/linearizability.md. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIN_PENDING \
    UINT64_MAX /* `res` of an operation that has not returned; its result is not read */

typedef enum lin_verdict {
    LIN_OK = 0,        /* linearizable, decided */
    LIN_PLAUSIBLE = 1, /* every necessary condition that was checked holds; not decided */
    LIN_BAD = -1,      /* not linearizable, decided; the report says why */
    LIN_INPUT = -2,    /* not a history this checker takes (values not distinct, wrong kind) */
    LIN_NOMEM = -3,
} lin_verdict;

typedef enum lin_kind {
    LIN_INSERT,   /* pq, fifo, set; set: `ok` = it was absent */
    LIN_DELETE,   /* pq: delete-min of `asked`; fifo: dequeue; set: remove, `ok` = it was there */
    LIN_CONTAINS, /* set: `ok` = it was there */
    LIN_PUT,      /* map: key := id */
    LIN_GET,      /* map: `ok` = found, then id is the value */
} lin_kind;

/* A value: `key` orders priority queues and names the entry of sets and maps; `id` makes values
 * distinct where that is asked for (equal keys are fine, equal pairs are not). */
typedef struct lin_value {
    uint64_t key;
    uint64_t id;
} lin_value;

typedef struct lin_op {
    uint64_t inv;
    uint64_t res;
    uint32_t thread; /* for the reader of a report only */
    lin_kind kind;
    uint32_t asked; /* pq delete: how many were asked for, at least 1 */
    uint32_t count; /* values; pq and fifo delete: 0 = found empty; set and map: 1 */
    bool ok;
    const lin_value *values; /* borrowed */
} lin_op;

/* Why a history was refused. Indices are into the history; SIZE_MAX where there is none. */
typedef struct lin_report {
    const char *why;
    size_t op;
    size_t other;
} lin_report;

enum {
    LIN_ATOMIC_INSERT = 1, /* an insert batch takes effect at one point (else: k single inserts) */
};

/**
 * Priority queue, smallest first.
 *
 * Inserts of any count; a delete returns, at one point, the min(asked, size) smallest, in order;
 * with equal keys any of them may go first. A result shorter than asked says that nothing was left.
 * Decided (OK or BAD) when no delete returned more than one value or was short of a non-empty
 * result, no insert batch of more than one value is to be atomic, and no delete is pending. Else OK
 * is never said: BAD is certain, PLAUSIBLE means that the necessary conditions P1 to P4 of
 * docs/inside/linearizability.md hold. O(n log n), with batches O(n (log n + overlap)).
 */
lin_verdict lin_pq(const lin_op *ops, size_t n, unsigned flags, lin_report *report);

/** Set of keys: LIN_INSERT, LIN_DELETE, LIN_CONTAINS, any repetition. Decided. O(n log n). */
lin_verdict lin_set(const lin_op *ops, size_t n, lin_report *report);

/** Map of registers: LIN_PUT with values distinct per key, LIN_GET. Decided. O(n log n). */
lin_verdict lin_map(const lin_op *ops, size_t n, lin_report *report);

/**
 * FIFO queue of distinct values, one value an operation. Decided unless a dequeue is pending
 * (then OK or PLAUSIBLE, and BAD is certain). O(n log n).
 */
lin_verdict lin_fifo(const lin_op *ops, size_t n, lin_report *report);

enum { LIN_EXACT_OPS = 64, LIN_EXACT_VALUES = 32, LIN_STATE_BYTES = 528 };

/** A sequential model for lin_exact(): `state` is a block of `bytes`, at first all zero. */
typedef struct lin_spec {
    size_t bytes;
    /** Do `op` in `state`; false if its result is not what the model gives. A pending operation's
     *  result is unknown: do what the model does. */
    bool (*apply)(void *state, const lin_op *op);
} lin_spec;

extern const lin_spec lin_spec_pq;   /* batches atomic as given; LIN_EXACT_VALUES inside at most */
extern const lin_spec lin_spec_set;  /* keys below 64 */
extern const lin_spec lin_spec_map;  /* keys below 32 */
extern const lin_spec lin_spec_fifo; /* LIN_EXACT_VALUES inside at most */

/**
 * Any structure, at most LIN_EXACT_OPS operations: depth-first search over all linearizations,
 * each pair (operations done, state) visited once. Decided; exponential in the overlap at worst.
 */
lin_verdict lin_exact(const lin_op *ops, size_t n, const lin_spec *spec);
