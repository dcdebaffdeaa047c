/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `clade bench rbtree`. */
#pragma once

#include "baseline/map.h"
#include "bench/bench.h"

/* What is measured; docs/guide/bench.md says what each is. */
enum bench_rbtree_op {
    BENCH_RB_INSERT,      /* n keys into an empty tree, in a kernel, one a work-item */
    BENCH_RB_INSERT_INTO, /* n keys into n others */
    BENCH_RB_FIND,        /* n keys that are there, of 2 n; nobody writes */
    BENCH_RB_FIND_MISS,   /* n that are not */
    BENCH_RB_FIND_BESIDE, /* n that are there, by what runs beside writers */
    BENCH_RB_RANGE_8,
    BENCH_RB_RANGE_32,
    BENCH_RB_MIX_ERASE,   /* n / 2 keys erased while n / 2 others are found */
    BENCH_RB_MIX_INSERT,  /* n / 2 keys inserted while n / 2 others are found */
    BENCH_RB_ERASE,       /* n keys of 2 n */
    BENCH_RB_ASCENDING,   /* n ascending keys into an empty tree, groups at a time (_wg) */
    BENCH_RB_GROUPS,      /* n random ones */
    BENCH_RB_GROUPS_INTO, /* n keys into n others, groups at a time */
    BENCH_RB_BULK,        /* n keys into an empty tree, sorted and built */
    BENCH_RB_BULK_INTO,
    BENCH_RB_BULK_ERASE,
    BENCH_RB_OPS
};

/* How the keys lie that are inside and that come. */
enum bench_rbtree_order {
    BENCH_RB_RANDOM,
    BENCH_RB_CLUSTERED, /* 256 in a row, the rows anywhere */
    BENCH_RB_BEYOND,    /* ascending, all greater than the random ones inside */
    BENCH_RB_ORDERS
};

struct bench_rbtree_load {
    struct bench *bench;
    enum bench_rbtree_op op;
    enum bench_rbtree_order order;
    uint32_t n;             /* operations */
    uint32_t held;          /* keys inside before, where the operation wants any */
    uint32_t leaf_capacity; /* 0: the default */
    uint32_t *keys;         /* held + 2 n different ones: inside; that come; that never do */
    uint32_t *lasts;        /* ranges: the 32 greatest keys inside */
    int32_t *statuses;
    uint32_t *out;
    cl_mem keys_mem, ordered_mem, values_mem, statuses_mem, ends_mem, range_mem, wrong_mem;
    clade_rbtree *tree;
    clade_program *program;
    cl_kernel mix, find;
    const struct baseline_map32_kind *kind;
    struct baseline_map32 *map;
};

extern const char *const bench_rbtree_names[BENCH_RB_OPS];

/* Tables `distributions` and `sizes`. */
bool bench_rbtree_shaped(struct bench *bench);

bool bench_rbtree_open(struct bench_rbtree_load *load, struct bench *bench, uint32_t n,
                       uint32_t held, uint32_t leaf_capacity, enum bench_rbtree_order order);
void bench_rbtree_close(struct bench_rbtree_load *load);
/* How many load->op is: n, or as many ranges as give n entries. */
uint64_t bench_rbtree_operations(const struct bench_rbtree_load *load);
/* Measure load->op on the device; false: it could not be done. */
bool bench_rbtree_measure(struct bench_rbtree_load *load, struct bench_times *times);
/* Whether a map of the host can do load->op; and the same with it. */
bool bench_rbtree_map_has(const struct bench_rbtree_load *load,
                          const struct baseline_map32_kind *kind);
bool bench_rbtree_measure_map(struct bench_rbtree_load *load,
                              const struct baseline_map32_kind *kind, struct bench_times *times);
