/* SPDX-License-Identifier: Apache-2.0 */
/* What branch and bound starts from: the items that are in doubt, in order of efficiency. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "search/knapsack_file.h"

/* Of every solution better than `found`, all but these items are known. Items come in falling
 * order of profit a unit of weight, have 1 <= profit and 1 <= weight <= capacity. */
struct knapsack_core {
    uint32_t items;    /* 0: `found` is the optimum */
    uint64_t capacity; /* what the known items leave */
    uint64_t known;    /* profit of the items that are taken for certain */
    uint64_t found;    /* profit of a solution: the search begins there */
    uint64_t bound;    /* no solution is better; at least `found` */
    uint64_t *weight;  /* weight of the items before item i, i = 0 .. items */
    uint64_t *profit;  /* likewise */
    uint32_t *lighter; /* the next item that is lighter than item i; `items` when there is none */
};

/* `plain`: no item is decided in advance. false: memory is out. Free it with
 * knapsack_core_free(). */
bool knapsack_core_create(struct knapsack_core *core, const struct knapsack *knapsack, bool plain);
void knapsack_core_free(struct knapsack_core *core);

/* What items `first` .. can bring into `room` when the last may be cut, rounded down. `*next`: the
 * first item that does not fit; `*whole`: the profit of those before it. */
uint64_t knapsack_core_fill(const struct knapsack_core *core, uint32_t first, uint64_t room,
                            uint32_t *next, uint64_t *whole);

/* --- the same search on the host, and the proof ---------------------------------------------- */

struct knapsack_host_result {
    uint64_t best, explored;
    double time_ms;
    bool memory_out; /* nothing else is valid then */
    bool stopped;    /* by `*stop`: `best` may not be the optimum */
};

/* Best first with a binary heap in memory, one node after the other. `dominance`: as on the
 * device. `*stop` may become non-zero at any time. */
struct knapsack_host_result knapsack_host_solve(const struct knapsack_core *core, bool dominance,
                                                const volatile int *stop);

/* The most work and memory that knapsack_prove() takes on. */
#define KNAPSACK_PROOF_STEPS ((uint64_t)1 << 36)
#define KNAPSACK_PROOF_BYTES ((uint64_t)1 << 30)

/* The optimum by dynamic programming over capacities, all items, nothing decided in advance.
 * On failure `why` has a sentence. */
bool knapsack_prove(const struct knapsack *knapsack, uint64_t *optimum, char *why, size_t room);
/* Whether knapsack_prove() takes it on; `why` says why not. */
bool knapsack_provable(const struct knapsack *knapsack, char *why, size_t room);
