/* SPDX-License-Identifier: Apache-2.0 */
/* One run of cl/tools/bench_heap.cl: groups that insert and pop in one kernel. */
#pragma once

#include "bench/heap.h"

/* What the groups do: as in cl/tools/bench_heap.cl. */
enum bench_heap_mode {
    BENCH_HALVES, /* even groups insert, odd ones pop */
    BENCH_PAIRS,  /* every group does both by turns */
    BENCH_FILLS   /* each has a heap of its own: fills it, empties it */
};

/* What is asked for; zero: what suits. */
struct bench_heap_load {
    uint64_t initial; /* keys inside before; of BENCH_FILLS none */
    uint32_t count;   /* operations of either kind; of BENCH_FILLS in each heap */
    uint32_t batch;   /* keys of one, or the most of them */
    bool varies;      /* 1 .. batch keys each */
    enum bench_heap_mode mode;
    uint32_t rounds; /* of BENCH_FILLS: how often each heap is filled */
    uint32_t heaps;  /* of BENCH_FILLS, as many groups */
    uint32_t groups;
    uint32_t k; /* the heap's `batch` */
};

/* Measure it on an engine. *keys receives how many keys go in during a run, those of all rounds. */
bool bench_heap_work(struct bench *bench, const struct bench_heap_load *asked, uint32_t engine,
                     struct bench_times *times, uint64_t *keys);
