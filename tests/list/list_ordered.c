/* SPDX-License-Identifier: Apache-2.0 */
/* The ordered list: against an array that says of each key whether it is there, with which value.
 */
#include "list/test_list.h"

struct model {
    uint32_t key_count;
    uint8_t *there;
    uint32_t *value;
};

static uint64_t widen(uint32_t key, uint32_t key_type)
{
    /* 64-bit keys whose halves both matter, in the same order as the plain ones. */
    return key_type == CLADE_U64 ? (uint64_t)(key / 3) << 32 | (key % 3) * 0x7fffffffu : key;
}

static int32_t model_apply(struct model *m, uint32_t op, uint32_t key, uint32_t *value)
{
    const bool was = m->there[key];
    switch (op) {
    case CLADE_LIST_INSERT:
        if (was)
            return CLADE_LIST_PRESENT;
        m->there[key] = 1;
        m->value[key] = *value;
        return CLADE_OK;
    case CLADE_LIST_PUT:
        m->there[key] = 1;
        m->value[key] = *value;
        return was ? CLADE_LIST_PRESENT : CLADE_OK;
    case CLADE_LIST_CONTAINS: /* its operand stays as it was */
        return was ? CLADE_OK : CLADE_E_NOT_FOUND;
    case CLADE_LIST_ERASE:
        m->there[key] = 0; /* fall through */
    default:
        if (was)
            *value = m->value[key];
        return was ? CLADE_OK : CLADE_E_NOT_FOUND;
    }
}

static void compare_contents(clade_list *list, const struct model *m, const clade_list_params *p)
{
    const size_t room = m->key_count, key_bytes = CLADE_TYPE_BYTES(p->key);
    char *keys = calloc(room, key_bytes);
    uint32_t *values = calloc(room, sizeof *values);
    uint64_t count, at = 0;
    assert_ok(clade_list_read(list, keys, p->value ? values : NULL, NULL, room, &count));
    for (uint32_t key = 0; key < m->key_count; key++) {
        uint64_t got = 0, wanted = widen(key, p->key);
        if (!m->there[key])
            continue;
        assert_true(at < count);
        memcpy(&got, keys + at * key_bytes, key_bytes);
        assert_true(got == wanted);
        if (p->value)
            assert_int_equal(values[at], m->value[key]);
        at++;
    }
    assert_int_equal(at, count);
    free(values);
    free(keys);
}

/* One batch: each key at most once, so that the outcome does not depend on the order. */
static void mixed_batch(clade_list *list, struct model *m, const clade_list_params *p,
                        struct random *random, uint32_t count, uint32_t *deck)
{
    const size_t key_bytes = CLADE_TYPE_BYTES(p->key);
    uint32_t *ops = calloc(count, 4), *values = calloc(count, 4), *before = calloc(count, 4);
    char *keys = calloc(count, key_bytes);
    int32_t *statuses = calloc(count, 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pick = i + (uint32_t)random_below(random, m->key_count - i), swap = deck[i];
        deck[i] = deck[pick];
        deck[pick] = swap;
        uint64_t key = widen(deck[i], p->key);
        memcpy(keys + i * key_bytes, &key, key_bytes);
        ops[i] = (uint32_t)random_below(random, p->value ? 5 : 4);
        values[i] = before[i] = (uint32_t)random_next(random);
    }
    assert_ok(clade_list_apply(list, clade_host(ops), clade_host(keys),
                               p->value ? clade_host(values) : clade_no_array(), count,
                               clade_host(statuses), NULL));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = before[i];
        assert_int_equal(statuses[i], model_apply(m, ops[i], deck[i], &value));
        if (p->value)
            assert_int_equal(values[i], value);
    }
    free(statuses);
    free(keys);
    free(before);
    free(values);
    free(ops);
}

void mixed_batches(struct fixture *f, clade_list_params p, uint32_t keys, uint32_t batch,
                   uint32_t batches)
{
    struct random random = random_from(f->seed);
    struct model m = { keys, calloc(keys, 1), calloc(keys, 4) };
    uint32_t *deck = calloc(keys, sizeof *deck);
    for (uint32_t i = 0; i < keys; i++)
        deck[i] = i;
    clade_list *list = open_list(f, p);
    for (uint32_t i = 0; i < batches; i++) {
        mixed_batch(list, &m, &p, &random, 1 + (uint32_t)random_below(&random, batch), deck);
        compare_contents(list, &m, &p);
        assert_ok(clade_list_check(list));
        if (i % 3 == 2)
            assert_ok(clade_list_reclaim(list, NULL));
    }
    close_list(list);
    free(deck);
    free(m.value);
    free(m.there);
}

void an_ordered_list_is_a_set(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys = (uint32_t)fixture_scaled(100, 10000, 200000);
    mixed_batches(f, (clade_list_params) { .capacity = 3 * keys, .key = CLADE_U32 }, keys, keys / 2,
                  8);
}

void an_ordered_list_with_values_is_a_map(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys = (uint32_t)fixture_scaled(100, 10000, 200000);
    mixed_batches(
        f, (clade_list_params) { .capacity = 3 * keys, .key = CLADE_U64, .value = CLADE_U32 }, keys,
        keys / 2, 8);
}

void walking_from_the_head_does_the_same(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys = (uint32_t)fixture_scaled(60, 500, 2000);
    mixed_batches(
        f,
        (clade_list_params) {
            .capacity = 3 * keys, .key = CLADE_U32, .value = CLADE_U32, .find = CLADE_LIST_WALK },
        keys, keys / 2, 8);
}

/* Ascending keys all go to one place of the list; erasing all leaves one run of erased nodes. */
void ascending_keys_and_erasing_all_are_no_cliff(void **state)
{
    struct fixture *f = *state;
    const uint32_t n =
        (uint32_t)fixture_scaled(fixture_is_interpreted(f) ? 200 : 600, 50000, 1000000);
    uint32_t *keys = calloc(n, sizeof *keys);
    int32_t *statuses = calloc(n, sizeof *statuses);
    clade_list *list = open_list(f, (clade_list_params) { .capacity = n });
    for (uint32_t i = 0; i < n; i++)
        keys[i] = i * 2 + 1;
    for (int round = 0; round < 2; round++) {
        assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(), n,
                                    clade_host(statuses), NULL));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_int_equal(size_of(list), n);
        assert_ok(clade_list_contains(list, clade_host(keys), n, clade_host(statuses), NULL));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_ok(clade_list_erase(list, clade_host(keys), n, clade_host(statuses), NULL));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_int_equal(size_of(list), 0);
        assert_ok(clade_list_check(list));
    }
    close_list(list);
    free(statuses);
    free(keys);
}

/* Many items ask for the same few keys at once: of each key, inserts that took effect and erasures
 * that did can differ by one. */
void equal_keys_in_one_batch_take_effect_once(void **state)
{
    struct fixture *f = *state;
    enum { KEYS = 5 };
    const uint32_t n = (uint32_t)fixture_scaled(500, 20000, 200000);
    uint32_t *keys = calloc(n, 4), *ops = calloc(n, 4);
    int32_t *statuses = calloc(n, 4);
    int balance[KEYS] = { 0 };
    struct random random = random_from(f->seed + 1);
    clade_list *list = open_list(f, (clade_list_params) { .capacity = n });
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (uint32_t)random_below(&random, KEYS);
        ops[i] = random_below(&random, 2) ? CLADE_LIST_INSERT : CLADE_LIST_ERASE;
    }
    assert_ok(clade_list_apply(list, clade_host(ops), clade_host(keys), clade_no_array(), n,
                               clade_host(statuses), NULL));
    for (uint32_t i = 0; i < n; i++)
        if (statuses[i] == CLADE_OK)
            balance[keys[i]] += ops[i] == CLADE_LIST_INSERT ? 1 : -1;
    uint64_t live = 0;
    for (uint32_t key = 0; key < KEYS; key++) {
        assert_in_range(balance[key], 0, 1);
        live += (uint64_t)balance[key];
    }
    assert_int_equal(size_of(list), live);
    close_list(list);
    free(statuses);
    free(ops);
    free(keys);
}
