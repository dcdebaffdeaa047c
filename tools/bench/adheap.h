/* SPDX-License-Identifier: Apache-2.0 */
/* The suite `adheap`, in four files: the paper's experiment (adheap.c), selection
 * (select.c), feeds (adheap_feed.c), and the host as the latency unit
 * (adheap_host.c). */
#pragma once

#include "bench/bench.h"

/* Rows of random 32-bit keys, and what both files do with them. */
struct bench_rows {
    struct bench *bench;
    uint64_t total; /* keys */
    uint32_t *host;
    cl_mem keys;
    uint32_t length, k; /* of a row now: k = length / 10 */
};

bool bench_select(struct bench *bench);
bool bench_adheap_feed(struct bench *bench);
bool bench_adheap_host(struct bench *bench);

bool bench_rows_open(struct bench_rows *rows, struct bench *bench, uint64_t total);
void bench_rows_close(struct bench_rows *rows);
/* Words between the k-sets of an object; and the k-sets of `count` rows, `stride` words apart. */
size_t bench_set_stride(uint32_t k);
bool bench_sets_read(struct bench *bench, const clade_adheap *sets, uint32_t k, uint32_t row,
                     uint32_t count, uint32_t *keys);
