/* SPDX-License-Identifier: Apache-2.0 */
/* What tests/W/full.c is written with: a structure is filled until it refuses. */
#pragma once

#include "harness/fixture.h"
#include "harness/structures.h"

#define NONE clade_no_array()

/* Capacities around the numbers that pools, words and batches are made of. */
extern const uint32_t refusals_capacities[];
size_t refusals_capacity_count(void);

/* What became of the inserts of a launch. */
struct tally {
    uint32_t taken, full, other;
};

/* A kernel of tests/FILE, with the object, the allocator if there is one, and a tally as its
 * first arguments. */
struct filler {
    struct fixture *f;
    cl_kernel kernel;
    cl_mem tally;
    cl_uint next; /* the number of its next argument */
};
struct filler filler_open(struct fixture *f, const char *file, const char *options,
                          const char *name, cl_mem object, cl_mem kma);
void filler_word(struct filler *filler, uint32_t word);
void filler_local(struct filler *filler, size_t words);
struct tally filler_run(struct filler *filler, size_t groups, size_t group);
void filler_close(struct filler *filler);

/* Keys from here on are new. */
struct keys {
    uint32_t *keys, *others;
    int32_t *statuses;
    uint32_t room, next;
};
struct keys open_keys(uint32_t room);
void close_keys(struct keys *k);
/* `count` new keys, in an order that is none. */
void new_keys(struct keys *k, uint32_t count);
/* Of `count` statuses `wanted` are OK, the others FULL; the keys that were taken move to the front.
 */
void expect_taken(struct keys *k, uint32_t count, uint64_t wanted);

/* tests/W/full.c has W_full[], ended by a test without a name. */
#define DECLARE_FULL(structure) extern const struct CMUnitTest structure##_full[];
CLADE_FULL(DECLARE_FULL)
