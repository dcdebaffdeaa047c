/* SPDX-License-Identifier: Apache-2.0 */
/* clade_rbtree with keys and values of all types, against a sequential map. */
#include "rbtree/test_rbtree.h"

/* Each key type, each width of value, each leaf head, small leaves: not all combinations, because
 * each is a program to compile. */
static const struct {
    uint32_t key, value, leaf_capacity, path, ranked;
} types[] = {
    { CLADE_I32, CLADE_NONE, 0, CLADE_RBTREE_BULK, 0 },
    { CLADE_U64, CLADE_U64, 0, CLADE_RBTREE_CONCURRENT, 1 },
    { CLADE_I64, CLADE_F32, 0, CLADE_RBTREE_AUTO, 0 },
    { CLADE_U32, CLADE_F64, 3, CLADE_RBTREE_CONCURRENT, 1 },
};

/* Keys of any type: place p of the universe is the type's minimum + p * step, so the first and the
 * last place are the type's ends. */
struct typed {
    uint32_t key, value, universe;
    clade_rbtree *tree;
    struct model model;
    struct random random;
};

static void put_key(const struct typed *t, void *keys, size_t i, uint32_t place)
{
    if (CLADE_TYPE_BYTES(t->key) == 8) {
        uint64_t key = place + 1 == t->universe ? UINT64_MAX : place * (UINT64_MAX / t->universe);
        ((uint64_t *)keys)[i] = t->key == CLADE_I64 ? key ^ 1ull << 63 : key;
    } else {
        uint32_t key = place + 1 == t->universe ? UINT32_MAX : place * (UINT32_MAX / t->universe);
        ((uint32_t *)keys)[i] = t->key == CLADE_I32 ? key ^ 1u << 31 : key;
    }
}

static bool same_key(const struct typed *t, const void *keys, size_t i, uint32_t place)
{
    uint64_t wanted = 0;
    put_key(t, &wanted, 0, place);
    return memcmp((const char *)keys + i * CLADE_TYPE_BYTES(t->key), &wanted,
                  CLADE_TYPE_BYTES(t->key)) == 0;
}

static void put_value(const struct typed *t, void *values, size_t i, uint64_t value)
{
    if (CLADE_TYPE_BYTES(t->value) == 8)
        ((uint64_t *)values)[i] = value;
    else
        ((uint32_t *)values)[i] = (uint32_t)value;
}

static uint64_t get_value(const struct typed *t, const void *values, size_t i)
{
    return CLADE_TYPE_BYTES(t->value) == 8 ? ((const uint64_t *)values)[i]
                                           : ((const uint32_t *)values)[i];
}

static clade_array values_of(const struct typed *t, const void *values)
{
    return t->value == CLADE_NONE ? clade_no_array() : clade_host(values);
}

enum { BATCH = 200 };

/* A batch of different places: inserts, puts or erases, every status and value compared. */
static void random_batch(struct typed *t)
{
    uint64_t keys[BATCH], values[BATCH], before[BATCH];
    uint32_t places[BATCH];
    int32_t statuses[BATCH];
    const uint32_t what = (uint32_t)random_below(&t->random, 3);
    const uint32_t first = (uint32_t)random_below(&t->random, t->universe);
    for (uint32_t i = 0; i < BATCH; i++) {
        places[i] = (first + i * 7919u) % t->universe; /* different: the universe is prime to it */
        put_key(t, keys, i, places[i]);
        before[i] = CLADE_TYPE_BYTES(t->value) == 8 ? random_next(&t->random)
                                                    : (uint32_t)random_next(&t->random);
        put_value(t, values, i, what < 2 ? before[i] : 0);
    }
    if (what == 0)
        assert_ok(clade_rbtree_insert(t->tree, clade_host(keys), values_of(t, values), BATCH,
                                      clade_host(statuses), NULL));
    else if (what == 1)
        assert_ok(clade_rbtree_put(t->tree, clade_host(keys), values_of(t, values), BATCH,
                                   clade_host(statuses), NULL));
    else
        assert_ok(clade_rbtree_erase(t->tree, clade_host(keys), values_of(t, values), BATCH,
                                     clade_host(statuses), NULL));
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint64_t old = t->model.values[places[i]];
        const bool there = what == 0   ? model_insert(&t->model, places[i], before[i])
                           : what == 1 ? model_put(&t->model, places[i], before[i])
                                       : model_erase(&t->model, places[i]);
        const int wanted = what < 2 ? (there ? CLADE_RBTREE_PRESENT : CLADE_OK)
                                    : (there ? CLADE_OK : CLADE_E_NOT_FOUND);
        assert_int_equal(statuses[i], wanted);
        if (what == 2 && there && t->value != CLADE_NONE)
            assert_int_equal(get_value(t, values, i), old);
    }
}

/* Ranks of all keys, and what has each rank, and one more. */
static void compare_ranks(struct typed *t)
{
    const uint32_t n = t->universe;
    void *keys = test_calloc(n + 1, 8), *found = test_calloc(n + 1, 8),
         *values = test_calloc(n + 1, 8);
    uint32_t *ranks = test_calloc(n + 1, 4), less = 0;
    int32_t *statuses = test_calloc(n + 1, 4);
    for (uint32_t i = 0; i < n; i++)
        put_key(t, keys, i, i);
    assert_ok(clade_rbtree_rank(t->tree, clade_host(keys), clade_host(ranks), n, NULL));
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(ranks[i], less);
        less += t->model.present[i] != 0;
    }
    for (uint32_t i = 0; i <= n; i++)
        ranks[i] = n - i;
    assert_ok(clade_rbtree_select(t->tree, clade_host(ranks), clade_host(found),
                                  values_of(t, values), n + 1, clade_host(statuses), NULL));
    for (uint32_t i = 0, rank = 0; i < n; i++) {
        if (!t->model.present[i])
            continue;
        const uint32_t at = n - rank++;
        assert_int_equal(statuses[at], CLADE_OK);
        assert_true(same_key(t, found, at, i));
        if (t->value != CLADE_NONE)
            assert_int_equal(get_value(t, values, at), t->model.values[i]);
    }
    for (uint32_t rank = less; rank <= n; rank++)
        assert_int_equal(statuses[n - rank], CLADE_E_NOT_FOUND);
    test_free(keys);
    test_free(found);
    test_free(values);
    test_free(ranks);
    test_free(statuses);
}

static void compare_searches(struct typed *t)
{
    const uint32_t n = t->universe;
    void *keys = test_calloc(n, 8), *found = test_calloc(n, 8), *values = test_calloc(n, 8);
    int32_t *statuses = test_calloc(n, 4);
    for (uint32_t i = 0; i < n; i++)
        put_key(t, keys, i, i);
    assert_ok(clade_rbtree_find(t->tree, clade_host(keys), values_of(t, values), n,
                                clade_host(statuses), NULL));
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(statuses[i], t->model.present[i] ? CLADE_OK : CLADE_E_NOT_FOUND);
        if (t->model.present[i] && t->value != CLADE_NONE)
            assert_int_equal(get_value(t, values, i), t->model.values[i]);
    }
    for (uint32_t what = 0; what < 4; what++) {
        assert_ok(clade_rbtree_seek(t->tree, clade_host(keys), what, clade_host(found),
                                    values_of(t, values), n, clade_host(statuses), NULL));
        for (uint32_t i = 0; i < n; i++) {
            uint32_t place = 0;
            const bool there = what < 2 ? model_up(&t->model, (int64_t)i + (what == 1), &place)
                                        : model_down(&t->model, (int64_t)i - (what == 3), &place);
            assert_int_equal(statuses[i], there ? CLADE_OK : CLADE_E_NOT_FOUND);
            if (there) {
                assert_true(same_key(t, found, i, place));
                if (t->value != CLADE_NONE)
                    assert_int_equal(get_value(t, values, i), t->model.values[place]);
            }
        }
    }
    test_free(keys);
    test_free(found);
    test_free(values);
    test_free(statuses);
}

static void compare_ranges_and_read(struct typed *t)
{
    enum { QUERIES = 100, LIMIT = 20 }; /* more than one group's */
    uint64_t lows[QUERIES], highs[QUERIES];
    uint32_t from[QUERIES], to[QUERIES], counts[QUERIES];
    const size_t room = t->universe + QUERIES * LIMIT;
    void *keys = test_calloc(room, 8), *values = test_calloc(room, 8);
    for (uint32_t i = 0; i < QUERIES; i++) {
        from[i] = (uint32_t)random_below(&t->random, t->universe);
        to[i] = i == 0 ? t->universe - 1 : (uint32_t)random_below(&t->random, t->universe);
        put_key(t, lows, i, from[i]);
        put_key(t, highs, i, to[i]);
    }
    assert_ok(clade_rbtree_range(t->tree, clade_host(lows), clade_host(highs), LIMIT,
                                 clade_host(keys), values_of(t, values), clade_host(counts),
                                 QUERIES, NULL));
    for (uint32_t i = 0; i < QUERIES; i++) {
        uint32_t k = 0;
        for (uint32_t place = from[i]; place <= to[i] && k < LIMIT; place++)
            if (t->model.present[place]) {
                assert_true(k < counts[i] && same_key(t, keys, i * LIMIT + k, place));
                if (t->value != CLADE_NONE)
                    assert_int_equal(get_value(t, values, i * LIMIT + k), t->model.values[place]);
                k++;
            }
        assert_int_equal(counts[i], k);
    }
    assert_ok(clade_rbtree_range_down(t->tree, clade_host(lows), clade_host(highs), LIMIT,
                                      clade_host(keys), values_of(t, values), clade_host(counts),
                                      QUERIES, NULL));
    for (uint32_t i = 0; i < QUERIES; i++) {
        uint32_t k = 0;
        for (uint32_t place = to[i] + 1; place-- > from[i] && k < LIMIT;)
            if (t->model.present[place]) {
                assert_true(k < counts[i] && same_key(t, keys, i * LIMIT + k, place));
                if (t->value != CLADE_NONE)
                    assert_int_equal(get_value(t, values, i * LIMIT + k), t->model.values[place]);
                k++;
            }
        assert_int_equal(counts[i], k);
    }
    uint64_t got = 0;
    assert_ok(clade_rbtree_read(t->tree, clade_host(keys), values_of(t, values), t->universe, &got,
                                NULL));
    assert_int_equal(got, t->model.size);
    for (uint32_t place = 0, k = 0; place < t->universe; place++)
        if (t->model.present[place]) {
            assert_true(same_key(t, keys, k, place));
            if (t->value != CLADE_NONE)
                assert_int_equal(get_value(t, values, k), t->model.values[place]);
            k++;
        }
    test_free(keys);
    test_free(values);
}

void all_types_as_the_model(void **state)
{
    struct fixture *f = *state;
    const size_t kinds = fixture_is_small() ? 2 : sizeof types / sizeof types[0]; /* programs */
    for (size_t k = 0; k < kinds; k++) {
        struct typed t = { .key = types[k].key,
                           .value = types[k].value,
                           .universe = fixture_is_small() ? 211 : 997,
                           .random = random_from(f->seed + k) };
        t.tree = open_tree(f, (clade_rbtree_params) { .capacity = t.universe,
                                                      .key = t.key,
                                                      .value = t.value,
                                                      .path = types[k].path,
                                                      .ranked = types[k].ranked,
                                                      .leaf_capacity = types[k].leaf_capacity });
        model_open(&t.model, t.universe);
        const size_t batches = fixture_scaled(4, 12, 100);
        for (size_t round = 0; round < batches; round++) {
            random_batch(&t);
            assert_int_equal(stats_of(t.tree).size, t.model.size);
        }
        compare_searches(&t);
        compare_ranks(&t);
        compare_ranges_and_read(&t);
        model_close(&t.model);
        clade_rbtree_destroy(&t.tree);
    }
}
