/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree as a subject of tests/harness/subject.h. */
#include "harness/subject_inside.h"

#include <clade/rbtree.h>

static clade_status rbtree_create_path(struct subject *s, uint32_t path, uint32_t ranked)
{
    clade_rbtree *tree = NULL;
    clade_status status = clade_rbtree_create(&tree, s->context,
                                              &(clade_rbtree_params) { .capacity = 300,
                                                                       .value = CLADE_U32,
                                                                       .leaf_capacity = 4,
                                                                       .path = path,
                                                                       .ranked = ranked });
    s->object = tree;
    return status;
}

SUBJECT_CALL(rbtree_create, rbtree_create_path(s, CLADE_RBTREE_CONCURRENT, 0))
SUBJECT_CALL(rbtree_create_bulk, rbtree_create_path(s, CLADE_RBTREE_BULK, 0))
SUBJECT_CALL(rbtree_create_ranked, rbtree_create_path(s, CLADE_RBTREE_CONCURRENT, 1))
SUBJECT_USUAL(rbtree)

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

SUBJECT_CALL(rbtree_insert,
             clade_rbtree_insert(s->object, MORE(s), VALUE(s), HALF, STATUS(s), NULL))
SUBJECT_CALL(rbtree_erase, clade_rbtree_erase(s->object, KEYS(s), NONE, 30, STATUS(s), NULL))

static clade_status rbtree_find(struct subject *s)
{
    clade_status status = clade_rbtree_find(s->object, KEYS(s), OUT(s), HALF, STATUS(s), NULL);
    if (status == CLADE_OK)
        subject_mix_words(s, s->out, HALF);
    return status;
}

/* The keys between are looked for. */
static clade_status rbtree_seek(struct subject *s)
{
    memset(s->out, 0, sizeof s->out);
    memset(s->found, 0, sizeof s->found);
    clade_status status = clade_rbtree_seek(s->object, MORE(s), CLADE_RBTREE_NEXT, OUT(s), FOUND(s),
                                            HALF, STATUS(s), NULL);
    if (status == CLADE_OK) {
        subject_mix_words(s, s->out, HALF);
        subject_mix_words(s, s->found, HALF);
        subject_mix_words(s, s->statuses, HALF);
    }
    return status;
}

/* Some queries end before they begin. */
static clade_status rbtree_range_of(struct subject *s, bool down)
{
    enum { LIMIT = 4, QUERIES = HALF / LIMIT };
    memset(s->out, 0, sizeof s->out);
    memset(s->found, 0, sizeof s->found);
    clade_status status = (down ? clade_rbtree_range_down : clade_rbtree_range)(
        s->object, KEYS(s), MORE(s), LIMIT, OUT(s), FOUND(s), STATUS(s), QUERIES, NULL);
    for (uint32_t i = 0; status == CLADE_OK && i < QUERIES; i++) {
        const uint32_t count = (uint32_t)s->statuses[i];
        assert_true(count <= LIMIT);
        subject_mix(s, count);
        subject_mix_words(s, s->out + i * LIMIT, count);
        subject_mix_words(s, s->found + i * LIMIT, count);
    }
    return status;
}

SUBJECT_CALL(rbtree_range, rbtree_range_of(s, false))
SUBJECT_CALL(rbtree_range_down, rbtree_range_of(s, true))
SUBJECT_CALL(rbtree_build, clade_rbtree_build(s->object, MORE(s), VALUE(s), 0, HALF, NULL))
SUBJECT_CALL(rbtree_build_none, clade_rbtree_build(s->object, MORE(s), VALUE(s), 0, 0, NULL))
SUBJECT_CALL(rbtree_read,
             clade_rbtree_read(s->object, OUT(s), FOUND(s), SUBJECT_KEYS, &(uint64_t) { 0 }, NULL))
SUBJECT_CALL(rbtree_size, clade_rbtree_size(s->object, &(uint64_t) { 0 }))
SUBJECT_CALL(rbtree_clear, clade_rbtree_clear(s->object, NULL))
SUBJECT_CALL(rbtree_reclaim, clade_rbtree_reclaim(s->object, NULL))

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

static const struct subject_kind rbtree_kind = {
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
      { "seek", rbtree_seek, SUBJECT_LOOKS },
      { "range", rbtree_range, SUBJECT_LOOKS },
      { "range_down", rbtree_range_down, SUBJECT_LOOKS },
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
SUBJECT_CALL(rbtree_assign, clade_rbtree_put(s->object, clade_host(s->keys + HALF / 2),
                                             clade_host(s->values + HALF), HALF, STATUS(s), NULL))

/* The tree that is made anew for every batch. */
static const struct subject_kind rbtree_bulk_kind = {
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
      { "erase", rbtree_erase, SUBJECT_CHANGES | SUBJECT_REBUILDS },
      { "build of none", rbtree_build_none, SUBJECT_CHANGES | SUBJECT_REBUILDS } },
};

/* Its index goes with it. */
static const struct subject_kind rbtree_ranked_kind = {
    "red-black tree, ranked",
    rbtree_create_ranked,
    rbtree_destroy,
    rbtree_load,
    rbtree_check,
    rbtree_mem,
    rbtree_fill,
    rbtree_drain,
    { { "insert", rbtree_insert, SUBJECT_CHANGES },
      { "build", rbtree_build, SUBJECT_CHANGES | SUBJECT_REBUILDS },
      { "clear", rbtree_clear, SUBJECT_CHANGES | SUBJECT_REBUILDS },
      { "rank", rbtree_rank, SUBJECT_LOOKS },
      { "select", rbtree_select, SUBJECT_LOOKS },
      { "save", rbtree_save, SUBJECT_LOOKS } },
};

const struct subject_kind *const rbtree_subjects[] = { &rbtree_kind, &rbtree_bulk_kind,
                                                       &rbtree_ranked_kind, NULL };
