/* SPDX-License-Identifier: Apache-2.0 */
/* Histories of priority queues recorded by tests/lin/cl/history.clh: planned, judged, printed.
 *
 * A world is a history that starts and ends with an empty queue, in three parts: one group fills,
 * several groups do random operations at once, one group empties. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lin/cl/history.h"
#include "lin/lin.h"

struct history_shape {
    uint32_t batch;    /* most values of an operation */
    uint32_t keys;     /* keys are below this */
    uint32_t prefill;  /* inserts of the first part */
    uint32_t groups;   /* of the second part */
    uint32_t each;     /* operations of a group there */
    uint32_t drain;    /* pops of the last part */
    uint32_t inserts;  /* per cent of the second part's operations */
    uint32_t capacity; /* values inserted in all, or 0 for any number: lin_exact() has a limit */
    uint32_t singles;  /* 1: an insert is as many single ones, each with a point of its own */
};

struct history {
    struct history_shape shape;
    size_t n;
    history_op *ops;
    uint32_t *keys, *ids; /* `batch` an operation */
};

/* How many operations a world of this shape has. */
size_t history_ops(const struct history_shape *shape);
/* Fill in the arguments of the world that starts at `ops`; ids are first_id and up. */
void history_plan(const struct history *world, uint32_t first_id, uint64_t *seed);
/* The part of `all` that is world number `index`: nothing is copied. */
struct history history_world(const struct history *all, size_t index);

bool history_alloc(struct history *all, const struct history_shape *shape, size_t worlds);
void history_free(struct history *all);

struct history_verdict {
    lin_verdict fast;
    lin_verdict exact; /* LIN_INPUT where it was not asked for */
    size_t refused;    /* operations that returned a status: they took no effect */
    lin_report report;
};
/* `exact`: also by search, for small worlds. BAD of either means that the queue is wrong. */
struct history_verdict history_judge(const struct history *world, bool exact);
/* Without tickets: each value that went in came out, once, and each batch ascends. NULL, or what
 * is wrong. */
const char *history_conserved(const struct history *world);
/* Small worlds: at no time there were certainly more than `capacity` values inside; each refusal
 * was for want of room, and there may indeed have been none. NULL, or what is wrong. */
const char *history_capacity(const struct history *world, uint64_t capacity);
void history_print(const struct history *world);
