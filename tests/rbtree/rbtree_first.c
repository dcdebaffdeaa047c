/* SPDX-License-Identifier: Apache-2.0 */
/* clade_rbtree: the first keys of a tree, which the host puts in by itself. They are read from the
 * tree's memory, so that every type of key and value, and every size of leaves, is looked at
 * without a kernel; one tree goes on with kernels. */
#include <stdlib.h>
#include <string.h>

#include "rbtree/rbtree.h" /* the library's: whether a kernel was built */
#include "rbtree/test_rbtree.h"

enum { MOST = 700 };

struct entry {
    uint64_t image, value;
};

struct world {
    struct fixture *f;
    struct random random;
    clade_rbtree *tree;
    uint32_t key_bytes, value_bytes, count;
    unsigned char keys[8 * MOST], values[8 * MOST];
    int32_t statuses[MOST];
    struct entry inside[MOST]; /* what should be there */
    uint32_t size;
};

static uint64_t number_at(const unsigned char *array, uint32_t i, uint32_t bytes)
{
    uint64_t number = 0;
    memcpy(&number, array + (size_t)i * bytes, bytes);
    return number;
}

/* Keys of both signs, the least and the greatest one, and equal ones. */
static void draw(struct world *w)
{
    const uint32_t different = 1 + (uint32_t)random_below(&w->random, 2 * w->count);
    for (uint32_t i = 0; i < w->count; i++) {
        const uint64_t number = random_below(&w->random, different),
                       value = random_next(&w->random);
        const uint64_t key = number == 0   ? 0
                             : number == 1 ? UINT64_MAX
                             : number == 2 ? (uint64_t)1 << (8 * w->key_bytes - 1)
                                           : number * 0x9e3779b97f4a7c15u;
        memcpy(w->keys + (size_t)i * w->key_bytes, &key, w->key_bytes);
        memcpy(w->values + (size_t)i * w->value_bytes, &value, w->value_bytes);
    }
}

static uint64_t image_at(const struct world *w, uint32_t i)
{
    const uint64_t key = number_at(w->keys, i, w->key_bytes);
    const uint32_t type = w->tree->params.key;
    return type == CLADE_I32   ? key ^ 0x80000000u
           : type == CLADE_I64 ? key ^ 0x8000000000000000u
                               : key;
}

/* One item after the other; each item's status is as told. */
static void expect_statuses(struct world *w, bool puts, bool told)
{
    w->size = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const uint64_t image = image_at(w, i), value = number_at(w->values, i, w->value_bytes);
        uint32_t at = 0;
        while (at < w->size && w->inside[at].image != image)
            at++;
        const bool is_new = at == w->size;
        if (told)
            assert_int_equal(w->statuses[i], is_new ? CLADE_OK : CLADE_RBTREE_PRESENT);
        if (is_new)
            w->size++;
        if (is_new || puts)
            w->inside[at] = (struct entry) { image, value };
    }
}

static int by_image(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return (a->image > b->image) - (a->image < b->image);
}

/* The leaves of a tree whose leaves were never split lie in order. */
static void expect_inside(struct world *w)
{
    const uint32_t key = w->key_bytes, value = w->value_bytes;
    const uint32_t capacity = w->tree->params.leaf_capacity;
    const size_t leaf_bytes = CLADE_RBTREE_LEAF_BYTES(key, value, capacity);
    clade_rbtree_head head;
    uint32_t at = 0;
    qsort(w->inside, w->size, sizeof *w->inside, by_image);
    fixture_read(w->f, clade_rbtree_mem(w->tree), 0, &head, sizeof head);
    unsigned char *leaves = test_calloc(head.leaves_used, leaf_bytes);
    fixture_read(w->f, clade_rbtree_mem(w->tree), (size_t)w->tree->leaves_at, leaves,
                 head.leaves_used * leaf_bytes);
    for (uint32_t l = 0; l < head.leaves_used; l++) {
        const unsigned char *leaf = leaves + l * leaf_bytes;
        const uint32_t there = CLADE_RBTREE_COUNT((uint32_t)number_at(leaf, 1, 4));
        for (uint32_t i = 0; i < there; i++, at++) {
            assert_true(at < w->size);
            assert_true(number_at(leaf + CLADE_RBTREE_LEAF_HEAD_BYTES(key), i, key) ==
                        w->inside[at].image);
            assert_true(number_at(leaf + CLADE_RBTREE_VALUES_AT(key, value, capacity), i, value) ==
                        w->inside[at].value);
        }
    }
    assert_int_equal(at, w->size);
    test_free(leaves);
}

static void insert_first(struct world *w, bool puts, bool told)
{
    uint64_t size;
    const clade_array values = w->value_bytes ? clade_host(w->values) : clade_no_array();
    const clade_array statuses = told ? clade_host(w->statuses) : clade_no_array();
    draw(w);
    assert_ok(
        puts ? clade_rbtree_put(w->tree, clade_host(w->keys), values, w->count, statuses, NULL)
             : clade_rbtree_insert(w->tree, clade_host(w->keys), values, w->count, statuses, NULL));
    assert_null(w->tree->kernels[RBT_INSERT]);
    expect_statuses(w, puts, told);
    assert_ok(clade_rbtree_check(w->tree));
    assert_ok(clade_rbtree_size(w->tree, &size));
    assert_int_equal(size, w->size);
    expect_inside(w);
}

static void open_world(struct world *w, struct fixture *f, clade_rbtree_params params)
{
    *w = (struct world) { .f = f,
                          .random = random_from(f->seed + params.key + 8 * params.value),
                          .key_bytes = CLADE_TYPE_BYTES(params.key),
                          .value_bytes = CLADE_TYPE_BYTES(params.value) };
    params.capacity = MOST;
    w->tree = open_tree(f, params);
}

void first_keys_of_all_types(void **state)
{
    static const uint32_t keys[] = { CLADE_U32, CLADE_I32, CLADE_U64, CLADE_I64 };
    static const uint32_t values[] = { CLADE_NONE, CLADE_U32, CLADE_U64 };
    static const uint32_t leaves[] = { 0, 1, 2, 5 };
    struct world *w = test_calloc(1, sizeof *w);
    for (uint32_t how = 0; how < 4 * 3 * 4; how++) {
        open_world(w, *state,
                   (clade_rbtree_params) { .key = keys[how % 4],
                                           .value = values[how / 4 % 3],
                                           .leaf_capacity = leaves[how / 12] });
        for (uint32_t round = 0; round < 6; round++) {
            static const uint32_t counts[] = { 1, 2, 3, 20, 150, MOST };
            w->count = counts[round];
            insert_first(w, round % 2, round % 3 != 0);
            assert_ok(clade_rbtree_clear(w->tree, NULL));
        }
        clade_rbtree_destroy(&w->tree);
    }
    test_free(w);
}

/* The same tree goes on by kernels: what is inside is found, and more keys come. */
void first_keys_and_further_ones(void **state)
{
    struct fixture *f = *state;
    struct world *w = test_calloc(1, sizeof *w);
    static int64_t more[100], found[MOST];
    uint64_t size;
    open_world(w, f, (clade_rbtree_params) { .key = CLADE_I64, .value = CLADE_U64 });
    w->count = 150;
    insert_first(w, true, true);
    assert_ok(clade_rbtree_find(w->tree, clade_host(w->keys), clade_host(found), w->count,
                                clade_host(w->statuses), NULL));
    for (uint32_t i = 0; i < w->count; i++) {
        const struct entry key = { image_at(w, i), 0 };
        const struct entry *inside = bsearch(&key, w->inside, w->size, sizeof *w->inside, by_image);
        assert_int_equal(w->statuses[i], CLADE_OK);
        assert_true((uint64_t)found[i] == inside->value);
    }
    for (int i = 0; i < 100; i++)
        more[i] = i * 1000 + 17;
    assert_ok(clade_rbtree_insert(w->tree, clade_host(more), clade_host(more), 100,
                                  clade_no_array(), NULL));
    assert_non_null(w->tree->kernels[RBT_INSERT]);
    assert_ok(clade_rbtree_check(w->tree));
    assert_ok(clade_rbtree_size(w->tree, &size));
    assert_int_equal(size, w->size + 100);
    clade_rbtree_destroy(&w->tree);
    test_free(w);
}

/* Their index is a kernel's. */
void ranked_trees_begin_with_kernels(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys[5] = { 7, 3, 5, 3, 9 };
    clade_rbtree *tree =
        open_tree(f, (clade_rbtree_params) { .capacity = MOST, .leaf_capacity = 2, .ranked = 1 });
    assert_ok(
        clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), 5, clade_no_array(), NULL));
    assert_ok(clade_rbtree_check(tree));
    assert_int_equal(stats_of(tree).size, 4);
    clade_rbtree_destroy(&tree);
}
