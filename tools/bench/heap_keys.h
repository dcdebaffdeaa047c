/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that go through heaps and queues as whole arrays: what `clade bench heap` measures, and how
 * it finds that all came out, in order. */
#pragma once

#include "baseline/queue.h"
#include "bench/heap.h"

struct heap_keys {
    struct bench *bench;
    uint64_t n;
    uint32_t words; /* of 32 bits a key */
    int32_t *in, *out;
    struct bench_sums sums;
    cl_mem in_mem, out_mem, got_mem, value_mem;
    clade_heap *heap;
    const struct baseline_queue_kind *kind;
    struct baseline_queue *queue;
    double ms;      /* of a heap's columns so far */
    unsigned parts; /* that were measured */
};

/* n keys of `words` words; of two, random ones alone. To be closed after a failure, too. */
bool heap_keys_open(struct heap_keys *l, struct bench *bench, uint64_t n, uint32_t words,
                    enum bench_shape shape);
/* What stands beside the keys when they have values: 32 bits. */
bool heap_keys_open_values(struct heap_keys *l);
void heap_keys_close(struct heap_keys *l);

/* The rest are parts of tasks (struct bench_task), whose data is a struct heap_keys. Its heap of
 * the keys' capacity: */
bool heap_keys_make_heap(struct heap_keys *l, clade_heap_params params);
bool heap_keys_clear(void *data);
bool heap_keys_insert(void *data);
bool heap_keys_fill(void *data);
bool heap_keys_pop(void *data);
bool heap_keys_insert_and_pop(void *data);
/* The size; and that all are out, in order. */
bool heap_keys_check_insert(void *data);
bool heap_keys_check_pop(void *data);

/* Its queue on the host. After a push nothing is compared: what is popped is. */
bool heap_keys_clear_queue(void *data);
bool heap_keys_push(void *data);
bool heap_keys_fill_queue(void *data);
bool heap_keys_pop_queue(void *data);
bool heap_keys_check_push(void *data);
bool heap_keys_check_queue(void *data);
