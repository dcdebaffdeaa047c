/* SPDX-License-Identifier: Apache-2.0 */
/* Histories made up by a seeded scheduler that runs operations of several threads against a model:
 * each takes effect somewhere between its tickets, so the history is linearizable until mutated. */
#pragma once

#include "lin/lin.h"

typedef enum gen_what { GEN_PQ, GEN_PQ_BATCH, GEN_PQ_ATOMIC, GEN_SET, GEN_MAP, GEN_FIFO } gen_what;

typedef struct gen_params {
    gen_what what;
    size_t ops;
    unsigned threads; /* at most 64 */
    unsigned keys;    /* keys are below this; 0: any */
    unsigned batch;   /* batches of 1 .. batch values, GEN_PQ_BATCH and GEN_PQ_ATOMIC */
    unsigned inserts; /* per cent of the operations, pq and fifo */
    unsigned pending; /* per cent of the threads that stop in the middle of their last operation */
    bool pending_deletes;
} gen_params;

typedef struct gen_history {
    lin_op *ops;
    size_t n;
    lin_value *values;
} gen_history;

uint64_t gen_random(uint64_t *seed);
uint32_t gen_below(uint64_t *seed, uint32_t n);

bool gen_make(gen_history *history, const gen_params *params, uint64_t *seed);
/** Change one thing: a result, a pair of results, or the order of two neighbouring tickets. */
void gen_mutate(gen_history *history, uint64_t *seed);
/** Insert batches as single inserts; false if that gives more than `max` operations. */
bool gen_split(const gen_history *history, lin_op *ops, size_t *n, size_t max);
void gen_free(gen_history *history);
