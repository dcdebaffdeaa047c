/* SPDX-License-Identifier: Apache-2.0 */
/* What the best-first searches on the device share (`clade knapsack`, `clade astar`): how large
 * they are, their kernel and its arguments, and the loop that launches it until nothing is open. */
#pragma once

#include "search/frontier.h"

struct bestfirst {
    clade_context *context;
    cl_command_queue queue;
    char *error; /* the search's result has it: why a call failed */
    size_t error_size;
    struct frontier frontier;
    clade_program *program;
    cl_kernel expand;
    cl_uint arguments; /* of the kernel but for the last, its rounds */
    size_t group_size, groups;
    cl_uint batch, rounds;
};

/* The three say whether a call was fine, and write the error when not. */
bool bestfirst_cl(struct bestfirst *b, const char *call, cl_int code);
bool bestfirst_clade(struct bestfirst *b, clade_status status);
bool bestfirst_frontier(struct bestfirst *b, bool fine);

/* Sizes for the device; `groups` and `batch` of 0: what suits, on GPUs `gpu_groups`. */
void bestfirst_choose(struct bestfirst *b, uint32_t groups, uint32_t gpu_groups, uint32_t batch);
/* The frontier (its batch and groups are the search's), and the kernel. */
bool bestfirst_open(struct bestfirst *b, struct frontier_params params);
bool bestfirst_build(struct bestfirst *b, const char *file, const char *options,
                     const char *kernel);
/* The kernel takes the heap, buffers of its own, the frontier's, words, and how many rounds. */
bool bestfirst_set(struct bestfirst *b, const cl_mem *mems, size_t mem_count, const cl_uint *words,
                   size_t word_count);
bool bestfirst_launch(struct bestfirst *b, size_t groups, cl_uint rounds);
/* `mems` as well; those that are NULL are passed over. */
void bestfirst_close(struct bestfirst *b, const cl_mem *mems, size_t count);

bool bestfirst_buffer(struct bestfirst *b, cl_mem *mem, size_t bytes);
bool bestfirst_read(struct bestfirst *b, cl_mem mem, size_t offset, void *to, size_t bytes);
bool bestfirst_write(struct bestfirst *b, cl_mem mem, size_t offset, const void *from,
                     size_t bytes);
bool bestfirst_fill(struct bestfirst *b, cl_mem mem, cl_uint word, size_t bytes);

/* The loop's view of a search. */
struct bestfirst_steps {
    void *user;
    bool (*look)(void *user, size_t groups); /* wait for a launch, settle; false: it failed */
    uint64_t (*taken)(void *user);           /* entries so far */
    bool (*stops)(void *user);               /* it has been long enough; or NULL */
    cl_uint take;                            /* entries that a group takes at once */
};

/* Launch until nothing is open after a launch: then no group holds an entry either. */
bool bestfirst_run(struct bestfirst *b, const struct bestfirst_steps *steps);
