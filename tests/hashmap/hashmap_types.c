/* SPDX-License-Identifier: Apache-2.0 */
/* clade_hashmap with keys and values of all types, in both forms, against a sequential map. */
#include "hashmap/test_hashmap.h"

/* Each key type, each width of value, each form: not all combinations, because each is five
 * programs to compile. Of them the first five at the small size: each width, and each form. */
static const struct {
    uint32_t key, value, form;
} types[] = {
    { CLADE_U32, CLADE_U32, CLADE_HASHMAP_AUTO },    { CLADE_I64, CLADE_NONE, CLADE_HASHMAP_AUTO },
    { CLADE_I32, CLADE_I32, CLADE_HASHMAP_TAGGED },  { CLADE_U64, CLADE_U64, CLADE_HASHMAP_AUTO },
    { CLADE_U32, CLADE_NONE, CLADE_HASHMAP_TAGGED }, { CLADE_U32, CLADE_NONE, CLADE_HASHMAP_AUTO },
    { CLADE_I64, CLADE_U32, CLADE_HASHMAP_AUTO },    { CLADE_I32, CLADE_I64, CLADE_HASHMAP_AUTO },
    { CLADE_U64, CLADE_NONE, CLADE_HASHMAP_TAGGED },
};

enum { UNIVERSE = 96, BATCH = 48, CAPACITY = 80 };

/* Keys by their place: the ends of the type, numbers that a map may use as marks, and others. */
static uint64_t key_of(uint32_t type, uint32_t place)
{
    const uint64_t top = CLADE_TYPE_BYTES(type) == 8 ? UINT64_MAX : UINT32_MAX;
    if (place < 8)
        return place;
    if (place < 16)
        return top - (place - 8);
    if (place == 16)
        return top / 2;
    if (place == 17)
        return top / 2 + 1;
    return (place * 0x9e3779b97f4a7c15u) & top;
}

struct typed {
    struct fixture *f;
    uint32_t key, value;
    clade_hashmap *map;
    struct random random;
    bool is_there[UNIVERSE];
    uint64_t values[UNIVERSE];
    uint32_t places[BATCH]; /* of the batch, no two the same */
    unsigned char keys[8 * BATCH], given[8 * BATCH], got[8 * BATCH];
    int32_t statuses[BATCH];
};

static void put_number(uint32_t type, void *array, size_t i, uint64_t number)
{
    if (CLADE_TYPE_BYTES(type) == 8)
        memcpy((unsigned char *)array + 8 * i, &number, 8);
    else if (CLADE_TYPE_BYTES(type) == 4)
        memcpy((unsigned char *)array + 4 * i, &number, 4);
}

static uint64_t get_number(uint32_t type, const void *array, size_t i)
{
    uint64_t number = 0;
    const uint32_t bytes = CLADE_TYPE_BYTES(type);
    memcpy(&number, (const unsigned char *)array + bytes * i, bytes);
    return number;
}

static clade_array values_of(const struct typed *t, const void *values)
{
    return t->value == CLADE_NONE ? NONE : clade_host(values);
}

/* A batch of different keys, with values. */
static void draw_batch(struct typed *t)
{
    uint32_t all[UNIVERSE];
    for (uint32_t i = 0; i < UNIVERSE; i++)
        all[i] = i;
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint32_t j = i + (uint32_t)random_below(&t->random, UNIVERSE - i), place = all[j];
        all[j] = all[i];
        t->places[i] = place;
        put_number(t->key, t->keys, i, key_of(t->key, place));
        put_number(t->value, t->given, i, random_next(&t->random) >> 1);
        put_number(t->value, t->got, i, 0x5555555555555555u);
    }
}

static uint64_t model_size(const struct typed *t)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < UNIVERSE; i++)
        size += t->is_there[i];
    return size;
}

static void insert_or_put(struct typed *t, bool is_put)
{
    clade_status (*call)(clade_hashmap *, clade_array, clade_array, uint64_t, clade_array,
                         const clade_launch *) = is_put ? clade_hashmap_put : clade_hashmap_insert;
    assert_ok(call(t->map, clade_host(t->keys), values_of(t, t->given), BATCH,
                   clade_host(t->statuses), NULL));
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint32_t place = t->places[i];
        const uint64_t value = t->value ? get_number(t->value, t->given, i) : 0;
        if (t->statuses[i] == CLADE_E_FULL) {
            assert_false(t->is_there[place]);
            assert_in_range(model_size(t), CAPACITY, UNIVERSE);
            continue;
        }
        assert_int_equal(t->statuses[i], t->is_there[place] ? CLADE_HASHMAP_PRESENT : CLADE_OK);
        if (is_put || !t->is_there[place])
            t->values[place] = value;
        t->is_there[place] = true;
    }
}

static uint64_t updated(const struct typed *t, uint32_t what, uint64_t a, uint64_t b)
{
    const bool is_wide = CLADE_TYPE_BYTES(t->value) == 8;
    const bool is_signed = t->value == CLADE_I32 || t->value == CLADE_I64;
    const bool is_less = is_signed && is_wide ? (int64_t)b < (int64_t)a
                         : is_signed          ? (int32_t)b < (int32_t)a
                                              : b < a;
    if (what == CLADE_HASHMAP_PLUS)
        return is_wide ? a + b : (uint32_t)(a + b);
    return (what == CLADE_HASHMAP_MIN) == is_less ? b : a;
}

static void update(struct typed *t)
{
    const uint32_t what = (uint32_t)random_below(&t->random, 3);
    if (t->value == CLADE_NONE)
        return;
    for (uint32_t i = 0; i < BATCH; i++)
        put_number(t->value, t->given, i, random_next(&t->random));
    assert_ok(clade_hashmap_update(t->map, clade_host(t->keys), clade_host(t->given), what, BATCH,
                                   clade_host(t->statuses), NULL));
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint32_t place = t->places[i];
        const uint64_t operand = get_number(t->value, t->given, i);
        if (t->statuses[i] == CLADE_E_FULL)
            continue;
        assert_int_equal(t->statuses[i], t->is_there[place] ? CLADE_HASHMAP_PRESENT : CLADE_OK);
        t->values[place] =
            t->is_there[place] ? updated(t, what, t->values[place], operand) : operand;
        t->is_there[place] = true;
    }
}

static void look(struct typed *t, bool is_erase)
{
    clade_status (*call)(clade_hashmap *, clade_array, clade_array, uint64_t, clade_array,
                         const clade_launch *) =
        is_erase ? clade_hashmap_erase : clade_hashmap_find;
    assert_ok(call(t->map, clade_host(t->keys), values_of(t, t->got), BATCH,
                   clade_host(t->statuses), NULL));
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint32_t place = t->places[i];
        assert_int_equal(t->statuses[i], t->is_there[place] ? CLADE_OK : CLADE_E_NOT_FOUND);
        if (t->value)
            assert_true(get_number(t->value, t->got, i) == (t->is_there[place] ? t->values[place]
                                                            : CLADE_TYPE_BYTES(t->value) == 8
                                                                ? 0x5555555555555555u
                                                                : 0x55555555u));
        if (is_erase)
            t->is_there[place] = false;
    }
}

static void expect_untouched(uint32_t type, const unsigned char *array, uint64_t first)
{
    for (size_t i = (size_t)first * CLADE_TYPE_BYTES(type); i < 8 * UNIVERSE; i++)
        assert_int_equal(array[i], 0x55);
}

/* All of it, and each once. The room beyond stays as it was. */
static void read_all(struct typed *t)
{
    unsigned char keys[8 * UNIVERSE], values[8 * UNIVERSE];
    uint64_t got = 0;
    uint32_t met = 0;
    memset(keys, 0x55, sizeof keys);
    memset(values, 0x55, sizeof values);
    assert_ok(
        clade_hashmap_read(t->map, clade_host(keys), values_of(t, values), UNIVERSE, &got, NULL));
    assert_int_equal(got, model_size(t));
    for (uint32_t i = 0; i < got; i++)
        for (uint32_t place = 0; place < UNIVERSE; place++)
            if (get_number(t->key, keys, i) == key_of(t->key, place)) {
                assert_true(t->is_there[place]);
                if (t->value)
                    assert_true(get_number(t->value, values, i) == t->values[place]);
                met++;
            }
    assert_int_equal(met, got);
    expect_untouched(t->key, keys, got);
    expect_untouched(t->value, values, got);
}

static void as_the_model(struct typed *t, uint32_t rounds)
{
    for (uint32_t round = 0; round < rounds; round++) {
        draw_batch(t);
        switch (random_below(&t->random, 6)) {
        case 0:
        case 1:
            insert_or_put(t, false);
            break;
        case 2:
            insert_or_put(t, true);
            break;
        case 3:
            update(t);
            break;
        case 4:
            look(t, true);
            break;
        default:
            look(t, false);
            break;
        }
        if (round % 8 == 0) {
            assert_ok(clade_hashmap_check(t->map));
            read_all(t);
        }
    }
    assert_ok(clade_hashmap_check(t->map));
    read_all(t);
    assert_int_equal(size_of_map(t->map), model_size(t));
}

void all_types_and_forms_as_the_model(void **state)
{
    struct fixture *f = *state;
    const size_t count = sizeof types / sizeof types[0];
    for (size_t i = 0; i < fixture_scaled(5, count, count); i++) {
        struct typed t = {
            .f = f, .key = types[i].key, .value = types[i].value, .random = random_from(f->seed + i)
        };
        t.map = open_map(f, (clade_hashmap_params) { .capacity = CAPACITY,
                                                     .key = t.key,
                                                     .value = t.value,
                                                     .form = types[i].form,
                                                     .seed = (uint32_t)f->seed });
        as_the_model(&t, (uint32_t)fixture_scaled(12, 120, 1000));
        clade_hashmap_destroy(&t.map);
    }
}
