/* SPDX-License-Identifier: Apache-2.0 */
/* Loads for the heap's front engine: its device functions behind a kernel, without the heap's host
 * API and with small leaves, so that few keys reach every part of it. */
#pragma once

#include "harness/fixture.h"

#include "heap/front/front.h"

struct shape {
    uint32_t key_bits, value_bits, batch, leaf, items;
    const char *options;
};

/* One heap with its kernels. */
struct front {
    struct fixture *f;
    struct shape shape;
    struct cladei_front plan;
    struct cladei_object object;
    clade_program *program;
    cl_kernel work;
};

struct record {
    cl_uint kind;
    cl_int status;
    cl_uint taken, at;
};

/* Keys are kept as 64-bit numbers here; values are a function of a key's place in the input. */
struct keys {
    uint64_t *key, *value;
    size_t count;
};

/* As tests/heap/front/heap_front.cl has them. */
enum { BY_TURNS, BY_HALVES, INSERT, POP };

/* The arrays of one launch. */
struct work {
    cl_mem keys, values, got, got_values, noted;
    size_t batches;
};

struct pair {
    uint64_t key, value;
};

enum { RANDOM, ASCENDING, DESCENDING, EQUAL, FEW, NARROW, ENDS, PATTERNS };

struct keys keys_new(size_t count);
void keys_free(struct keys *k);
void front_open(struct front *t, struct fixture *f, struct shape shape, uint64_t capacity);
void front_close(struct front *t);
void work_open(struct work *w, struct front *t, const struct keys *in, size_t count, uint32_t step);
void work_close(struct work *w);
/* Launch it; the records, two for each batch, are the caller's to free. */
struct record *work_run(struct work *w, struct front *t, size_t count, uint32_t step, cl_uint mode,
                        size_t groups);
/* Insert all of `in`; every batch must answer `wanted`, or anything when it is 1. Answers the
 * number of keys taken. */
size_t front_insert(struct front *t, const struct keys *in, uint32_t step, size_t groups,
                    int wanted);
/* The keys that the launch's pops got, after those in `out`. */
void work_collect(struct work *w, struct front *t, const struct record *records, struct keys *out,
                  size_t count);
/* Pop `count` keys; what comes is packed into `out` in the order of the batches. */
void front_pop(struct front *t, struct keys *out, size_t count, uint32_t step, size_t groups);
struct pair *keys_sorted(const struct keys *k, bool values);
/* The same keys, each with its value, whatever their order. */
void assert_same_keys(const struct keys *a, const struct keys *b, bool values);
void front_assert(struct front *t, size_t keys);
struct keys keys_of(struct shape shape, size_t count, int pattern, struct random *random);
