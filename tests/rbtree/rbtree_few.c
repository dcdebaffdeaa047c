/* SPDX-License-Identifier: Apache-2.0 */
/* clade_rbtree: batches of few different keys, which a CPU looks over before it sorts them. Of
 * equal keys an insert takes the first one's value and a put the last one's; an erase gives the
 * value to the first. One of them is OK, and no more than the tree has room for. */
#include <string.h>

#include "rbtree/test_rbtree.h"

struct few {
    clade_rbtree *tree;
    bool is_wide;
    uint32_t count, different;
    uint32_t *numbers; /* of each item its key's */
    uint32_t *first, *last;
    void *keys;
    uint32_t *values, *back;
    int32_t *statuses;
    bool *there;
    uint32_t *inside; /* the value of each key that is there */
};

static void put_key(struct few *f, uint32_t i, uint32_t number)
{
    const uint64_t key = (number + 1ull) * 0x9e3779b97f4a7c15u; /* of both signs */
    if (f->is_wide)
        memcpy((char *)f->keys + 8ull * i, &key, 8);
    else
        ((uint32_t *)f->keys)[i] = (number + 1u) * 0x9e3779b1u;
}

/* Keys in runs now and then, as if drawn else; each comes in the first stretch, or only far back.
 */
static void draw(struct few *f, struct random *random)
{
    uint32_t number = 0;
    for (uint32_t k = 0; k < f->different; k++)
        f->first[k] = f->last[k] = UINT32_MAX;
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t any = (uint32_t)random_next(random);
        if (i / 512 % 3 != 1)
            number = any % f->different;
        if (number == f->different - 1 && i < f->count - f->count / 8)
            number = 0; /* the last one is seldom */
        f->numbers[i] = number;
        put_key(f, i, number);
        f->values[i] = any;
        f->first[number] = f->first[number] == UINT32_MAX ? i : f->first[number];
        f->last[number] = i;
    }
}

static void open_few(struct few *f, struct fixture *fixture, clade_rbtree_params params,
                     uint32_t count, uint32_t different)
{
    *f = (struct few) { .count = count,
                        .different = different,
                        .is_wide = params.key == CLADE_I64,
                        .numbers = test_calloc(count, 4),
                        .first = test_calloc(different, 4),
                        .last = test_calloc(different, 4),
                        .keys = test_calloc(count, 8),
                        .values = test_calloc(count, 4),
                        .back = test_calloc(count, 4),
                        .statuses = test_calloc(count, 4),
                        .there = test_calloc(different, sizeof(bool)),
                        .inside = test_calloc(different, 4) };
    f->tree = open_tree(fixture, params);
}

static void close_few(struct few *f)
{
    clade_rbtree_destroy(&f->tree);
    test_free(f->numbers);
    test_free(f->first);
    test_free(f->last);
    test_free(f->keys);
    test_free(f->values);
    test_free(f->back);
    test_free(f->statuses);
    test_free(f->there);
    test_free(f->inside);
}

static void find_all(struct few *f)
{
    uint64_t size = 0, wanted = 0;
    for (uint32_t k = 0; k < f->different; k++)
        wanted += f->there[k];
    assert_ok(clade_rbtree_size(f->tree, &size));
    assert_int_equal(size, wanted);
    memset(f->back, 0x77, 4ull * f->count);
    assert_ok(clade_rbtree_find(f->tree, clade_host(f->keys), clade_host(f->back), f->count,
                                clade_host(f->statuses), NULL));
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t k = f->numbers[i];
        assert_int_equal(f->statuses[i], f->there[k] ? CLADE_OK : CLADE_E_NOT_FOUND);
        assert_int_equal(f->back[i], f->there[k] ? f->inside[k] : 0x77777777u);
    }
    assert_ok(clade_rbtree_check(f->tree));
}

/* One of the equal items is OK, the others PRESENT. */
static void insert(struct few *f, bool is_put, bool tells)
{
    uint32_t done = 0, wanted = 0;
    for (uint32_t i = 0; i < f->count; i++)
        f->statuses[i] = 99;
    assert_ok((is_put ? clade_rbtree_put : clade_rbtree_insert)(
        f->tree, clade_host(f->keys), clade_host(f->values), f->count,
        tells ? clade_host(f->statuses) : clade_no_array(), NULL));
    for (uint32_t i = 0; tells && i < f->count; i++) {
        const uint32_t k = f->numbers[i];
        const bool is_done = f->statuses[i] == CLADE_OK;
        assert_true(is_done || f->statuses[i] == CLADE_RBTREE_PRESENT);
        assert_true(!is_done || !f->there[k]);
        assert_true(is_put || is_done == (!f->there[k] && i == f->first[k]));
        done += is_done;
    }
    for (uint32_t k = 0; k < f->different; k++) {
        if (f->first[k] == UINT32_MAX)
            continue;
        wanted += !f->there[k];
        if (is_put || !f->there[k])
            f->inside[k] = f->values[is_put ? f->last[k] : f->first[k]];
        f->there[k] = true;
    }
    assert_true(!tells || done == wanted);
    find_all(f);
}

static void erase(struct few *f, bool tells)
{
    for (uint32_t i = 0; i < f->count; i++)
        f->statuses[i] = 99;
    memset(f->back, 0x77, 4ull * f->count);
    assert_ok(clade_rbtree_erase(f->tree, clade_host(f->keys), clade_host(f->back), f->count,
                                 tells ? clade_host(f->statuses) : clade_no_array(), NULL));
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t k = f->numbers[i];
        const bool hit = f->there[k] && i == f->first[k];
        assert_true(!tells || f->statuses[i] == (hit ? CLADE_OK : CLADE_E_NOT_FOUND));
        assert_int_equal(f->back[i], hit ? f->inside[k] : 0x77777777u);
    }
    for (uint32_t k = 0; k < f->different; k++)
        f->there[k] = f->there[k] && f->first[k] == UINT32_MAX;
    find_all(f);
}

static void all_calls(struct few *f, struct random *random)
{
    draw(f, random);
    insert(f, false, true);
    draw(f, random);
    insert(f, false, false); /* all are there */
    insert(f, true, true);
    erase(f, true);
    erase(f, false);
    draw(f, random);
    insert(f, true, true);
    erase(f, false);
}

/* Every number around those at which the way changes: keys of a batch, and different ones. */
void few_keys_in_large_batches(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        uint32_t count, different, key, path;
    } cases[] = {
        { 8192, 3, CLADE_U32, CLADE_RBTREE_AUTO },    { 8191, 3, CLADE_I64, CLADE_RBTREE_BULK },
        { 8193, 1, CLADE_I64, CLADE_RBTREE_BULK },    { 20011, 156, CLADE_U32, CLADE_RBTREE_AUTO },
        { 70000, 511, CLADE_I64, CLADE_RBTREE_AUTO }, { 70001, 512, CLADE_U32, CLADE_RBTREE_BULK },
        { 70001, 600, CLADE_I64, CLADE_RBTREE_AUTO }, { 100003, 40, CLADE_U32, CLADE_RBTREE_BULK },
    };
    struct random random = random_from(fixture->seed);
    const size_t most = fixture_is_interpreted(fixture) ? 1
                        : fixture_is_small()            ? 3
                                                        : sizeof cases / sizeof cases[0];
    for (size_t c = 0; c < most; c++) {
        struct few f;
        open_few(
            &f, fixture,
            (clade_rbtree_params) {
                .capacity = 2000, .key = cases[c].key, .value = CLADE_U32, .path = cases[c].path },
            cases[c].count, cases[c].different);
        all_calls(&f, &random);
        close_few(&f);
    }
}

/* What there is no room for is told to all of its items, and what is in, too. */
void few_keys_beyond_the_room(void **state)
{
    struct fixture *fixture = *state;
    struct random random = random_from(fixture->seed);
    struct few f;
    uint64_t size = 0, done = 0, refused = 0;
    if (fixture_is_interpreted(fixture))
        return;
    open_few(&f, fixture,
             (clade_rbtree_params) { .capacity = 1,
                                     .key = CLADE_I64,
                                     .value = CLADE_U32,
                                     .leaf_capacity = 1,
                                     .path = CLADE_RBTREE_BULK },
             70000, 60);
    draw(&f, &random);
    assert_ok(clade_rbtree_insert(f.tree, clade_host(f.keys), clade_host(f.values), f.count,
                                  clade_host(f.statuses), NULL));
    memcpy(f.back, f.statuses, 4ull * f.count);
    assert_ok(clade_rbtree_find(f.tree, clade_host(f.keys), clade_no_array(), f.count,
                                clade_host(f.statuses), NULL));
    for (uint32_t i = 0; i < f.count; i++) {
        const int32_t told = (int32_t)f.back[i];
        assert_true(told == CLADE_OK || told == CLADE_RBTREE_PRESENT || told == CLADE_E_FULL);
        assert_true((told == CLADE_E_FULL) == (f.statuses[i] == CLADE_E_NOT_FOUND));
        done += told == CLADE_OK;
        refused += told == CLADE_E_FULL;
    }
    assert_ok(clade_rbtree_size(f.tree, &size));
    assert_int_equal(size, done);
    assert_true(refused > 0);
    assert_ok(clade_rbtree_check(f.tree));
    close_few(&f);
}
