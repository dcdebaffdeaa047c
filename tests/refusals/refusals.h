/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of test_refusals share. */
#pragma once

#include "harness/fixture.h"

#define NONE clade_no_array()

/* Capacities around the numbers that pools, words and batches are made of. */
extern const uint32_t refusals_capacities[];
size_t refusals_capacity_count(void);

/* What became of the inserts of a launch. */
struct tally {
    uint32_t taken, full, other;
};

/* A kernel of tests/cl/FILE, with the object, the allocator if there is one, and a tally as its
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

/* refusals_lists.c */
void lists_take_what_fits(void **state);
void unordered_lists_take_what_fits(void **state);
void lists_in_an_allocator_take_what_fits(void **state);
void dlists_take_what_fits(void **state);
void semilists_take_what_fits(void **state);
void array_lists_take_what_fits(void **state);
void many_groups_fill_an_array_list(void **state);
void large_segments_fit(void **state);
