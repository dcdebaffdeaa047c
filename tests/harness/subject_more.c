/* SPDX-License-Identifier: Apache-2.0 */
/* A part of subject.c: red-black tree, ad-heap, k-selection. */
#include "harness/subject_inside.h"

#include <clade/adheap.h>
#include <clade/kselect.h>
#include <clade/rbtree.h>

enum { HEAPS = 4, EACH = HALF / HEAPS };

/* --- the red-black tree ----------------------------------------------------------------------- */

static clade_status rbtree_create_path(struct subject *s, uint32_t path)
{
    clade_rbtree *tree = NULL;
    clade_status status = clade_rbtree_create(
        &tree, s->context,
        &(clade_rbtree_params) {
            .capacity = 300, .value = CLADE_U32, .leaf_capacity = 4, .path = path });
    s->object = tree;
    return status;
}

static clade_status rbtree_create(struct subject *s)
{
    return rbtree_create_path(s, CLADE_RBTREE_CONCURRENT);
}

static clade_status rbtree_create_bulk(struct subject *s)
{
    return rbtree_create_path(s, CLADE_RBTREE_BULK);
}

static void rbtree_destroy(struct subject *s)
{
    clade_rbtree *tree = s->object;
    clade_rbtree_destroy(&tree);
}

static clade_status rbtree_load(struct subject *s)
{
    clade_rbtree *tree = NULL;
    clade_status status = clade_rbtree_load(&tree, s->context, s->path);
    s->object = tree;
    return status;
}

static clade_status rbtree_check(struct subject *s)
{
    return clade_rbtree_check(s->object);
}

static cl_mem rbtree_mem(struct subject *s)
{
    return clade_rbtree_mem(s->object);
}

static void rbtree_fill(struct subject *s)
{
    assert_ok(clade_rbtree_insert(s->object, KEYS(s), VALUE(s), HALF, NONE, NULL));
}

static void rbtree_drain(struct subject *s)
{
    uint64_t got = 0;
    assert_ok(clade_rbtree_read(s->object, OUT(s), FOUND(s), SUBJECT_KEYS, &got, NULL));
    subject_mix_words(s, s->out, got);
    subject_mix_words(s, s->found, got);
}

static clade_status rbtree_insert(struct subject *s)
{
    return clade_rbtree_insert(s->object, MORE(s), VALUE(s), HALF, STATUS(s), NULL);
}

static clade_status rbtree_erase(struct subject *s)
{
    return clade_rbtree_erase(s->object, KEYS(s), NONE, 30, STATUS(s), NULL);
}

static clade_status rbtree_find(struct subject *s)
{
    clade_status status = clade_rbtree_find(s->object, KEYS(s), OUT(s), HALF, STATUS(s), NULL);
    if (status == CLADE_OK)
        subject_mix_words(s, s->out, HALF);
    return status;
}

static clade_status rbtree_build(struct subject *s)
{
    return clade_rbtree_build(s->object, MORE(s), VALUE(s), 0, HALF, NULL);
}

static clade_status rbtree_read(struct subject *s)
{
    uint64_t got;
    return clade_rbtree_read(s->object, OUT(s), FOUND(s), SUBJECT_KEYS, &got, NULL);
}

static clade_status rbtree_size(struct subject *s)
{
    uint64_t size;
    return clade_rbtree_size(s->object, &size);
}

static clade_status rbtree_clear(struct subject *s)
{
    return clade_rbtree_clear(s->object, NULL);
}

static clade_status rbtree_reclaim(struct subject *s)
{
    return clade_rbtree_reclaim(s->object, NULL);
}

static clade_status rbtree_rank(struct subject *s)
{
    clade_status status = clade_rbtree_rank(s->object, MORE(s), OUT(s), HALF, NULL);
    if (status == CLADE_OK)
        subject_mix_words(s, s->out, HALF);
    return status;
}

static clade_status rbtree_select(struct subject *s)
{
    uint32_t ranks[HALF];
    for (uint32_t i = 0; i < HALF; i++)
        ranks[i] = (i * 5) % SUBJECT_KEYS;
    memset(s->found, 0, sizeof s->found);
    clade_status status =
        clade_rbtree_select(s->object, clade_host(ranks), OUT(s), FOUND(s), HALF, STATUS(s), NULL);
    if (status == CLADE_OK) {
        subject_mix_words(s, s->out, HALF);
        subject_mix_words(s, s->found, HALF);
        subject_mix_words(s, s->statuses, HALF);
    }
    return status;
}

static clade_status rbtree_save(struct subject *s)
{
    return clade_rbtree_save(s->object, s->path);
}

const struct subject_kind subject_rbtree = {
    "red-black tree",
    rbtree_create,
    rbtree_destroy,
    rbtree_load,
    rbtree_check,
    rbtree_mem,
    rbtree_fill,
    rbtree_drain,
    { { "insert", rbtree_insert, SUBJECT_CHANGES },
      { "erase", rbtree_erase, SUBJECT_CHANGES },
      { "find", rbtree_find, SUBJECT_LOOKS },
      { "build", rbtree_build, SUBJECT_CHANGES | SUBJECT_REBUILDS },
      { "read", rbtree_read, SUBJECT_LOOKS },
      { "size", rbtree_size, SUBJECT_LOOKS },
      { "clear", rbtree_clear, SUBJECT_CHANGES | SUBJECT_REBUILDS },
      { "reclaim", rbtree_reclaim, SUBJECT_REBUILDS },
      { "rank", rbtree_rank, SUBJECT_LOOKS },
      { "select", rbtree_select, SUBJECT_LOOKS },
      { "check", rbtree_check, SUBJECT_LOOKS },
      { "save", rbtree_save, SUBJECT_LOOKS } },
};

/* Half of the keys are there, and get other values. */
static clade_status rbtree_assign(struct subject *s)
{
    return clade_rbtree_put(s->object, clade_host(s->keys + HALF / 2), clade_host(s->values + HALF),
                            HALF, STATUS(s), NULL);
}

/* The tree that is made anew for every batch. */
const struct subject_kind subject_rbtree_bulk = {
    "red-black tree, in bulk",
    rbtree_create_bulk,
    rbtree_destroy,
    NULL,
    rbtree_check,
    rbtree_mem,
    rbtree_fill,
    rbtree_drain,
    { { "insert", rbtree_insert, SUBJECT_CHANGES | SUBJECT_REBUILDS },
      { "assign", rbtree_assign, SUBJECT_CHANGES | SUBJECT_REBUILDS },
      { "erase", rbtree_erase, SUBJECT_CHANGES | SUBJECT_REBUILDS } },
};

/* --- the ad-heap ------------------------------------------------------------------------------ */

static clade_status adheap_create(struct subject *s)
{
    clade_adheap *heaps = NULL;
    clade_status status = clade_adheap_create(
        &heaps, s->context,
        &(clade_adheap_params) {
            .heaps = HEAPS, .capacity = 2 * EACH, .arity = 8, .key = CLADE_U32, .values = 1 });
    s->object = heaps;
    return status;
}

static void adheap_destroy(struct subject *s)
{
    clade_adheap *heaps = s->object;
    clade_adheap_destroy(&heaps);
}

static clade_status adheap_load(struct subject *s)
{
    clade_adheap *heaps = NULL;
    clade_status status = clade_adheap_load(&heaps, s->context, s->path);
    s->object = heaps;
    return status;
}

static clade_status adheap_check(struct subject *s)
{
    return clade_adheap_check(s->object);
}

static cl_mem adheap_mem(struct subject *s)
{
    return clade_adheap_mem(s->object);
}

static void adheap_fill(struct subject *s)
{
    assert_ok(clade_adheap_insert(s->object, KEYS(s), VALUE(s), EACH, NONE, NULL));
}

static void adheap_drain(struct subject *s)
{
    uint32_t sizes[HEAPS] = { 0 };
    assert_ok(clade_adheap_sizes(s->object, clade_host(sizes), NULL));
    subject_mix_words(s, sizes, HEAPS);
    assert_ok(clade_adheap_pop(s->object, OUT(s), FOUND(s), 2 * EACH, NONE, NULL));
    for (size_t i = 0; i < HEAPS; i++) {
        subject_mix_words(s, s->out + i * 2 * EACH, sizes[i]);
        subject_mix_words(s, s->found + i * 2 * EACH, sizes[i]);
    }
}

static clade_status adheap_insert(struct subject *s)
{
    return clade_adheap_insert(s->object, MORE(s), VALUE(s), EACH, STATUS(s), NULL);
}

static clade_status adheap_pop(struct subject *s)
{
    clade_status status = clade_adheap_pop(s->object, OUT(s), FOUND(s), EACH - 2, STATUS(s), NULL);
    if (status == CLADE_OK)
        subject_mix_words(s, s->out, HEAPS * (EACH - 2));
    return status;
}

static clade_status adheap_update(struct subject *s)
{
    uint32_t nodes[HEAPS] = { 0, 1, 2, 3 };
    return clade_adheap_update(s->object, clade_host(nodes), MORE(s), VALUE(s), 1, STATUS(s), NULL);
}

static clade_status adheap_build(struct subject *s)
{
    return clade_adheap_build(s->object, MORE(s), VALUE(s), EACH, NULL);
}

static clade_status adheap_feed(struct subject *s)
{
    return clade_adheap_feed(s->object, MORE(s), VALUE(s), 0, EACH, NULL);
}

static clade_status adheap_peek(struct subject *s)
{
    return clade_adheap_peek(s->object, OUT(s), FOUND(s), NONE, NULL);
}

static clade_status adheap_clear(struct subject *s)
{
    return clade_adheap_clear(s->object, NULL);
}

static clade_status adheap_stats(struct subject *s)
{
    clade_adheap_stats stats;
    return clade_adheap_stats_read(s->object, &stats);
}

static clade_status adheap_save(struct subject *s)
{
    return clade_adheap_save(s->object, s->path);
}

const struct subject_kind subject_adheap = {
    "ad-heap",
    adheap_create,
    adheap_destroy,
    adheap_load,
    adheap_check,
    adheap_mem,
    adheap_fill,
    adheap_drain,
    { { "insert", adheap_insert, SUBJECT_CHANGES },
      { "pop", adheap_pop, SUBJECT_CHANGES },
      { "update", adheap_update, SUBJECT_CHANGES },
      { "build", adheap_build, SUBJECT_CHANGES },
      { "feed", adheap_feed, SUBJECT_CHANGES },
      { "peek", adheap_peek, SUBJECT_LOOKS },
      { "clear", adheap_clear, SUBJECT_CHANGES },
      { "stats", adheap_stats, SUBJECT_LOOKS },
      { "check", adheap_check, SUBJECT_LOOKS },
      { "save", adheap_save, SUBJECT_LOOKS } },
};

/* --- k-selection: no content, the results are all --------------------------------------------- */

static clade_status kselect_create(struct subject *s)
{
    clade_kselect *selector = NULL;
    clade_status status =
        clade_kselect_create(&selector, s->context,
                             &(clade_kselect_params) { .length = EACH,
                                                       .k = 3,
                                                       .key = CLADE_U32,
                                                       .output = CLADE_KSELECT_SORTED,
                                                       .indices = 1 });
    s->object = selector;
    return status;
}

static void kselect_destroy(struct subject *s)
{
    clade_kselect *selector = s->object;
    clade_kselect_destroy(&selector);
}

static void kselect_fill(struct subject *s)
{
    (void)s;
}

static clade_status kselect_run(struct subject *s)
{
    clade_status status = clade_kselect_run(s->object, KEYS(s), OUT(s), FOUND(s), 2 * HEAPS, NULL);
    if (status == CLADE_OK) {
        subject_mix_words(s, s->out, 2 * HEAPS * 3);
        subject_mix_words(s, s->found, 2 * HEAPS * 3);
    }
    return status;
}

static void kselect_drain(struct subject *s)
{
    assert_ok(kselect_run(s));
}

const struct subject_kind subject_kselect = {
    .name = "k-selection",
    .create = kselect_create,
    .destroy = kselect_destroy,
    .fill = kselect_fill,
    .drain = kselect_drain,
    .ops = { { "run", kselect_run, SUBJECT_LOOKS } },
};
