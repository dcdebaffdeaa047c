/* SPDX-License-Identifier: Apache-2.0 */
/* The loads of `clade profile`: allocator, heaps, tree, selection. */
#include "profiler/profile.h"

/* Queries of a range, and entries of each. */
enum { RANGE_SHARE = 32, RANGE_LIMIT = 8, ROW = 8192, ADHEAP_ROW = 1024 };

static clade_array array(cl_mem mem)
{
    return clade_device(mem, 0);
}

static uint32_t rows(const struct profile_data *d, uint32_t length)
{
    return d->n > length ? d->n / length : 1;
}

/* --- kma -------------------------------------------------------------------------------------- */

static clade_status kma_make(struct profile_data *d)
{
    const uint64_t most = clade_context_caps(d->context)->alloc_bytes_max;
    const uint64_t wanted = (uint64_t)d->n * 1024 + (8u << 20);
    const clade_kma_params params = { .bytes = wanted < most ? wanted : most };
    return clade_kma_create(&d->kma, d->context, &params);
}

static void kma_destroy(struct profile_data *d)
{
    clade_kma_destroy(&d->kma);
}

static clade_status kma_check(struct profile_data *d)
{
    return clade_kma_check(d->kma, NULL, 0);
}

static clade_status kma_small(struct profile_data *d)
{
    return clade_kma_malloc(d->kma, clade_no_array(), 64, array(d->nodes), d->n, NULL);
}

static clade_status kma_large(struct profile_data *d)
{
    return clade_kma_malloc(d->kma, clade_no_array(), 512, array(d->nodes), d->n, NULL);
}

static clade_status kma_free(struct profile_data *d)
{
    return clade_kma_free(d->kma, array(d->nodes), d->n, NULL);
}

static clade_status kma_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_kma_stats s;
    const clade_status status = clade_kma_stats_read(d->kma, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .others = { s.superblocks_created,
                                                        s.superblocks_returned, s.refused } };
    return status;
}

/* --- heap ------------------------------------------------------------------------------------- */

static clade_status heap_make(struct profile_data *d, uint32_t engine)
{
    const clade_heap_params params = { .capacity = 2ull * d->n, .engine = engine };
    return clade_heap_create(&d->heap, d->context, &params);
}

static clade_status heap_make_down(struct profile_data *d)
{
    return heap_make(d, CLADE_HEAP_TOP_DOWN);
}

static clade_status heap_make_up(struct profile_data *d)
{
    return heap_make(d, CLADE_HEAP_BOTTOM_UP);
}

static clade_status heap_make_front(struct profile_data *d)
{
    return heap_make(d, CLADE_HEAP_FRONT);
}

static void heap_destroy(struct profile_data *d)
{
    clade_heap_destroy(&d->heap);
}

static clade_status heap_check(struct profile_data *d)
{
    return clade_heap_check(d->heap);
}

static clade_status heap_insert(struct profile_data *d)
{
    return clade_heap_insert(d->heap, array(d->keys), clade_no_array(), d->n, NULL);
}

static clade_status heap_insert_more(struct profile_data *d)
{
    return clade_heap_insert(d->heap, array(d->more), clade_no_array(), d->n, NULL);
}

static clade_status heap_pop(struct profile_data *d)
{
    return clade_heap_pop(d->heap, array(d->out), clade_no_array(), d->n, array(d->nodes), NULL);
}

static clade_status heap_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_heap_stats s;
    const clade_status status = clade_heap_stats_read(d->heap, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .operations = s.inserts + s.pops,
                                            .retries = s.lock_retries,
                                            .others = { s.cooperations, s.refused } };
    return status;
}

/* --- rbtree ----------------------------------------------------------------------------------- */

static clade_status tree_make_by(struct profile_data *d, uint32_t path)
{
    const clade_rbtree_params params = { .capacity = 2ull * d->n,
                                         .value = CLADE_U32,
                                         .path = path };
    return clade_rbtree_create(&d->tree, d->context, &params);
}

static clade_status tree_make(struct profile_data *d)
{
    return tree_make_by(d, CLADE_RBTREE_CONCURRENT);
}

static clade_status tree_make_bulk(struct profile_data *d)
{
    return tree_make_by(d, CLADE_RBTREE_BULK);
}

static void tree_destroy(struct profile_data *d)
{
    clade_rbtree_destroy(&d->tree);
}

static clade_status tree_check(struct profile_data *d)
{
    return clade_rbtree_check(d->tree);
}

static clade_status tree_insert_of(struct profile_data *d, cl_mem keys)
{
    return clade_rbtree_insert(d->tree, array(keys), array(keys), d->n, array(d->statuses), NULL);
}

static clade_status tree_insert(struct profile_data *d)
{
    return tree_insert_of(d, d->keys);
}

static clade_status tree_insert_more(struct profile_data *d)
{
    return tree_insert_of(d, d->more);
}

static clade_status tree_find(struct profile_data *d)
{
    return clade_rbtree_find(d->tree, array(d->keys), array(d->out), d->n, array(d->statuses),
                             NULL);
}

static clade_status tree_range(struct profile_data *d)
{
    return clade_rbtree_range(d->tree, array(d->keys), array(d->ops), RANGE_LIMIT, array(d->out),
                              array(d->nodes), array(d->statuses), d->n / RANGE_SHARE, NULL);
}

static clade_status tree_erase(struct profile_data *d)
{
    return clade_rbtree_erase(d->tree, array(d->keys), clade_no_array(), d->n, array(d->statuses),
                              NULL);
}

static clade_status tree_reclaim(struct profile_data *d)
{
    return clade_rbtree_reclaim(d->tree, NULL);
}

static clade_status tree_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_rbtree_stats s;
    const clade_status status = clade_rbtree_stats_read(d->tree, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .retries = s.retries,
                                            .others = { s.splits, s.rotations, s.merges, s.busy } };
    return status;
}

/* --- adheap ----------------------------------------------------------------------------------- */

static clade_status adheap_make(struct profile_data *d)
{
    const clade_adheap_params params = {
        .heaps = rows(d, ADHEAP_ROW), .capacity = ADHEAP_ROW, .keep = 1, .count = 1
    };
    return clade_adheap_create(&d->adheap, d->context, &params);
}

static void adheap_destroy(struct profile_data *d)
{
    clade_adheap_destroy(&d->adheap);
}

static clade_status adheap_check(struct profile_data *d)
{
    return clade_adheap_check(d->adheap);
}

static uint32_t adheap_each(const struct profile_data *d)
{
    return d->n / rows(d, ADHEAP_ROW) < ADHEAP_ROW ? d->n : ADHEAP_ROW;
}

static clade_status adheap_insert(struct profile_data *d)
{
    return clade_adheap_insert(d->adheap, array(d->keys), clade_no_array(), adheap_each(d),
                               array(d->statuses), NULL);
}

static clade_status adheap_feed(struct profile_data *d)
{
    return clade_adheap_feed(d->adheap, array(d->more), clade_no_array(), 0, adheap_each(d), NULL);
}

static clade_status adheap_pop(struct profile_data *d)
{
    return clade_adheap_pop(d->adheap, array(d->out), clade_no_array(), adheap_each(d),
                            array(d->statuses), NULL);
}

static clade_status adheap_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_adheap_stats s;
    const clade_status status = clade_adheap_stats_read(d->adheap, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .others = { s.walks, s.moves, s.plain, s.bridged } };
    return status;
}

/* --- kselect ---------------------------------------------------------------------------------- */

static clade_status kselect_make_one(clade_kselect **out, struct profile_data *d, uint32_t output)
{
    const uint64_t length = d->n < ROW ? d->n : ROW;
    const clade_kselect_params params = { .length = length,
                                          .k = length / 10 + 1,
                                          .output = output };
    return clade_kselect_create(out, d->context, &params);
}

static clade_status kselect_make(struct profile_data *d)
{
    const clade_status status = kselect_make_one(&d->kselect[0], d, CLADE_KSELECT_ANY);
    return status != CLADE_OK ? status : kselect_make_one(&d->kselect[1], d, CLADE_KSELECT_SORTED);
}

static void kselect_destroy(struct profile_data *d)
{
    clade_kselect_destroy(&d->kselect[0]);
    clade_kselect_destroy(&d->kselect[1]);
}

static clade_status kselect_any(struct profile_data *d)
{
    return clade_kselect_run(d->kselect[0], array(d->keys), array(d->out), clade_no_array(),
                             rows(d, ROW), NULL);
}

static clade_status kselect_sorted(struct profile_data *d)
{
    return clade_kselect_run(d->kselect[1], array(d->keys), array(d->out), clade_no_array(),
                             rows(d, ROW), NULL);
}

/* --- the table -------------------------------------------------------------------------------- */

#define HEAP_LOAD(name, make)                                                             \
    {                                                                                     \
        name, make, heap_destroy, heap_check, heap_count, "failed tries to take a lock",  \
            { "taken from an insert", "refused" },                                        \
        {                                                                                 \
            { "insert", heap_insert, 1 }, { "insert into as many", heap_insert_more, 1 }, \
                { "pop half", heap_pop, 1 }, { "pop the rest", heap_pop, 1 },             \
        }                                                                                 \
    }

const struct profile_load profile_loads[] = {
    { "kma",
      kma_make,
      kma_destroy,
      kma_check,
      kma_count,
      NULL,
      { "superblocks made", "superblocks returned", "refused" },
      { { "malloc 64 B", kma_small, 1 },
        { "free 64 B", kma_free, 1 },
        { "malloc 512 B", kma_large, 1 },
        { "free 512 B", kma_free, 1 } } },
    HEAP_LOAD("heap", heap_make_down),
    HEAP_LOAD("heap-up", heap_make_up),
    HEAP_LOAD("heap-front", heap_make_front),
    { "rbtree",
      tree_make,
      tree_destroy,
      tree_check,
      tree_count,
      "tries of an operation beyond its first",
      { "leaves split", "rotations", "leaves merged", "gave up" },
      { { "insert", tree_insert, 1 },
        { "insert into as many", tree_insert_more, 1 },
        { "find", tree_find, 1 },
        { "range of 8", tree_range, RANGE_SHARE },
        { "erase half", tree_erase, 1 },
        { "reclaim", tree_reclaim, 1 } } },
    { "rbtree-bulk",
      tree_make_bulk,
      tree_destroy,
      tree_check,
      tree_count,
      "tries of an operation beyond its first",
      { "leaves split", "rotations", "leaves merged", "gave up" },
      { { "insert", tree_insert, 1 },
        { "insert into as many", tree_insert_more, 1 },
        { "erase half", tree_erase, 1 } } },
    { "adheap",
      adheap_make,
      adheap_destroy,
      adheap_check,
      adheap_count,
      NULL,
      { "walks", "keys moved", "lines, plain", "lines, bridged" },
      { { "insert", adheap_insert, 1 },
        { "feed as many", adheap_feed, 1 },
        { "pop", adheap_pop, 1 } } },
    { "kselect",
      kselect_make,
      kselect_destroy,
      NULL,
      NULL,
      NULL,
      { NULL },
      { { "a tenth, any order", kselect_any, 1 }, { "a tenth, sorted", kselect_sorted, 1 } } },
};

const size_t profile_load_count = sizeof profile_loads / sizeof profile_loads[0];
