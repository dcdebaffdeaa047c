/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench rbtree`: every operation on trees of growing size, with leaves of one key and of the
 * default, beside std::map; and the seed's experiment. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/rbtree.h"

/* Keys that std::map is still measured with. */
enum { MAP_MOST = 1 << 20, SEED_NODES = 200000 };

static uint32_t most_keys(const struct bench *bench)
{
    if (bench_is_quick(bench))
        return 1u << 12;
    return clade_context_caps(bench_context(bench))->is_cpu ? 1u << 20 : 1u << 26;
}

static bool add_map(struct bench_rbtree_load *l, const struct baseline_map32_kind *kind)
{
    struct bench_times times;
    if (kind->missing) {
        bench_none(l->bench, kind->name, kind->missing);
    } else if (l->leaf_capacity == 1) {
        bench_none(l->bench, kind->name, "as above"); /* it has no leaves */
    } else if (!bench_rbtree_map_has(l, kind)) {
        bench_none(l->bench, kind->name, "not at once");
    } else if ((uint64_t)l->held + l->n > 2 * MAP_MOST) {
        bench_none(l->bench, kind->name, "too long");
    } else {
        if (!bench_rbtree_measure_map(l, kind, &times))
            return false;
        bench_ms(l->bench, kind->name, &times);
    }
    return true;
}

/* "clade", "M/s" and the host's maps of one operation. */
static bool add_cells(struct bench_rbtree_load *l, uint64_t operations)
{
    struct bench_times times;
    if (!bench_rbtree_measure(l, &times))
        return false;
    bench_ms(l->bench, "clade", &times);
    bench_value(l->bench, "M/s", (double)operations / times.median * 1e-3);
    if (!add_map(l, &baseline_map32_std) || !add_map(l, &baseline_map32_tbb))
        return false;
    bench_row_end(l->bench);
    return true;
}

static bool add_row(struct bench_rbtree_load *l, int op)
{
    l->op = (enum bench_rbtree_op)op;
    bench_text(l->bench, "operation (ranges: keys / length)", bench_rbtree_names[op]);
    bench_text(l->bench, "leaf", l->leaf_capacity == 1 ? "1" : "default");
    bench_count(l->bench, "keys", l->n);
    return add_cells(l, bench_rbtree_operations(l));
}

static bool add_rows(struct bench *bench, uint32_t n, uint32_t leaf_capacity)
{
    struct bench_rbtree_load l;
    bool fine = bench_rbtree_open(&l, bench, n, n, leaf_capacity, BENCH_RB_RANDOM);
    for (int op = 0; fine && op < BENCH_RB_OPS && !bench_is_over(bench); op++)
        fine = add_row(&l, op);
    bench_rbtree_close(&l);
    return fine;
}

/* Shares of as many keys come into a tree of 200,000. */
static bool add_seed_rows(struct bench *bench, uint32_t leaf_capacity)
{
    static const uint32_t shares[] = { 1, 2, 5, 8, 10, 12, 15, 20, 30, 50, 75, 100 };
    const uint32_t nodes = bench_is_quick(bench) ? SEED_NODES / 50 : SEED_NODES;
    const size_t step = bench_is_quick(bench) ? 4 : 1;
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof shares / sizeof shares[0]; i += step) {
        struct bench_rbtree_load l;
        fine = bench_rbtree_open(&l, bench, nodes / 100 * shares[i], nodes, leaf_capacity,
                                 BENCH_RB_RANDOM);
        l.op = BENCH_RB_INSERT_INTO;
        bench_text(bench, "into", "a random tree");
        bench_text(bench, "leaf", leaf_capacity == 1 ? "1" : "default");
        bench_count(bench, "inserted, %", shares[i]);
        bench_count(bench, "nodes", nodes);
        fine = fine && add_cells(&l, l.n);
        bench_rbtree_close(&l);
    }
    return fine;
}

static bool add_order_rows(struct bench *bench, uint32_t n, int order)
{
    static const char *const names[BENCH_RB_ORDERS] = { "random", "clustered", "beyond all" };
    static const enum bench_rbtree_op ops[] = { BENCH_RB_INSERT_INTO, BENCH_RB_GROUPS_INTO,
                                                BENCH_RB_BULK_INTO, BENCH_RB_FIND, BENCH_RB_ERASE };
    struct bench_rbtree_load l;
    bool fine = bench_rbtree_open(&l, bench, n, n, 0, (enum bench_rbtree_order)order);
    for (size_t i = 0; fine && i < sizeof ops / sizeof ops[0] && !bench_is_over(bench); i++) {
        l.op = ops[i];
        bench_text(bench, "what is done with the keys", bench_rbtree_names[l.op]);
        bench_text(bench, "order", names[order]);
        bench_count(bench, "keys", n);
        fine = add_cells(&l, n);
    }
    bench_rbtree_close(&l);
    return fine;
}

/* Whether an order of the keys costs: the same operations on keys that lie otherwise. */
static bool add_orders(struct bench *bench, uint32_t most)
{
    const uint32_t step = 16, least = most > 1u << 20 ? 1u << 20 : 1u << 12;
    bool fine = true;
    if (!bench_wants(bench, "orders"))
        return true;
    bench_table(bench, "orders", "keys and values of 32 bits, n keys into n others, as they lie");
    for (uint32_t n = least; fine && n <= most && !bench_is_over(bench); n *= step)
        for (int order = 0; fine && order < BENCH_RB_ORDERS && !bench_is_over(bench); order++)
            fine = add_order_rows(bench, n, order);
    return fine;
}

static bool add_seed(struct bench *bench)
{
    bool fine = true;
    if (!bench_wants(bench, "seed"))
        return true;
    bench_table(bench, "seed", "a share of 200,000 nodes inserted into 200,000");
    for (uint32_t leaf = 0; fine && leaf < 2 && !bench_is_over(bench); leaf++)
        fine = add_seed_rows(bench, leaf);
    return fine;
}

static bool add_operations(struct bench *bench, uint32_t most)
{
    const uint32_t step = bench_is_quick(bench) ? 2 : 4;
    bool fine = true;
    if (!bench_wants(bench, "operations"))
        return true;
    bench_table(bench, "operations",
                "keys and values of 32 bits, random, the tree as large as the load");
    for (uint32_t n = 1u << 10; fine && n <= most && !bench_is_over(bench); n *= step)
        for (uint32_t leaf = 0; fine && leaf < 2 && !bench_is_over(bench); leaf++)
            if (leaf != 1 ||
                4ull * n < CLADE_RBTREE_LEAVES_MAX) /* a leaf a key: no pool has more */
                fine = add_rows(bench, n, leaf);
    return fine;
}

static bool run_suite(struct bench *bench)
{
    const uint32_t most = most_keys(bench);
    return add_seed(bench) && add_operations(bench, most) && add_orders(bench, most) &&
           bench_rbtree_shaped(bench);
}

const struct bench_suite rbtree_suite = {
    .name = "rbtree",
    .summary = "the red-black tree: every operation, beside std::map",
    .run = run_suite,
    .quick = { 200, 1 },
    .cpu = { 430, 70 },
    .gpu = { 560, 35 },
    .tables = "seed operations orders distributions sizes",
};
