/* SPDX-License-Identifier: Apache-2.0 */
/* The open entries of a best-first search: a clade max-heap on the device, what did not fit in it
 * on the host. The kernels' side is cl/tools/frontier.clh.
 *
 * Between launches frontier_settle() fetches what groups spilled; when the heap is nearly full it
 * collects dead entries and moves the least promising half out; when it runs low it fetches the
 * most promising of those outside. So the heap's size bounds speed, not what can be searched. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clade/clade.h>

struct frontier_params {
    bool wide;      /* keys and values of 64 bits, else 32 */
    bool keep_dead; /* do not collect */
    uint32_t batch; /* of the heap */
    uint32_t
        engine;        /* of the heap; CLADE_HEAP_AUTO: CLADE_HEAP_TOP_DOWN, since a search has few
                        * open entries, and what comes belongs among the first (docs/guide/knapsack.md) */
    uint64_t capacity; /* of the heap, in entries; raised to 8 batches a group where it is less */
    size_t groups;     /* most work-groups of a launch */
};

struct frontier_run;

struct frontier {
    clade_context *context;
    clade_heap *heap;
    cl_mem spill_key, spill_value, spill_count; /* arguments of the kernels */
    uint64_t capacity;
    uint32_t batch;
    size_t groups;
    size_t width; /* bytes of a key, and of a value */
    bool keep_dead;

    /* As of the last frontier_settle(). */
    uint64_t size;   /* in the heap */
    uint64_t stored; /* outside */
    uint64_t top;    /* the greatest key, when there are any */

    uint64_t spilled;     /* entries that found the heap full, so far */
    uint64_t moved;       /* entries moved out to make room */
    uint64_t collections; /* times dead entries were looked for */
    uint64_t collected;   /* dead entries found */

    struct frontier_run *runs;
    char options[640]; /* compiler options of the kernels */
    char error[1200];  /* why a call failed */
};

/* All return false on failure, with frontier->error set. Failed or not, frontier_destroy() frees.
 */
bool frontier_create(struct frontier *frontier, clade_context *context,
                     const struct frontier_params *params);
void frontier_destroy(struct frontier *frontier);

/* Put one entry into the heap. */
bool frontier_put(struct frontier *frontier, uint64_t key, uint64_t value);

/* Forget all entries. */
bool frontier_clear(struct frontier *frontier);

/* After a launch of `groups` groups: put things in order, and count. Entries with keys below
 * `floor` are dead. When size and stored are both 0 afterwards, the search is at its end. */
bool frontier_settle(struct frontier *frontier, size_t groups, uint64_t floor);
