/* SPDX-License-Identifier: Apache-2.0 */
/* 0/1 knapsack on a device: the search behind `clade knapsack`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <clade/clade.h>

#include "search/knapsack_core.h"

struct knapsack_progress {
    uint64_t best, bound, explored, open;
};

/* Zero fields are defaults. */
struct knapsack_params {
    uint32_t engine;          /* of the heap */
    bool no_dominance;        /* keep nodes that are no better than another of the same kind */
    bool no_gc;               /* keep dead nodes when the heap is nearly full */
    bool wide;                /* 64-bit keys, also where 32 bits do */
    uint32_t batch;           /* nodes that a group makes at most; default: what suits the device */
    uint32_t groups;          /* most work-groups at once; default: what suits */
    uint64_t heap;            /* the heap's capacity in nodes; default: 2^22 */
    double limit_ms;          /* stop after this time; 0: never */
    const volatile int *stop; /* stop when it becomes non-zero; may be NULL */
    void (*progress)(void *user, const struct knapsack_progress *progress); /* may be NULL */
    void *progress_user;
};

struct knapsack_result {
    uint64_t best, bound; /* equal unless stopped */
    uint64_t explored;    /* nodes expanded */
    uint64_t dead;        /* nodes taken from the heap after a better solution was found */
    uint64_t spilled, moved, collections, collected; /* as in struct frontier */
    double time_ms;                                  /* of the search alone */
    bool stopped;                                    /* before the optimum was proven */
    char error[1200];
};

/* Search for the optimum. False on failure: result->error says why. */
bool knapsack_solve(struct knapsack_result *result, clade_context *context,
                    const struct knapsack_core *core, const struct knapsack_params *params);
