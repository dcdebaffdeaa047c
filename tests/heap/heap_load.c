/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/heap_load.h"

#include "harness/fixture.h"

const clade_heap_params heap_shapes[HEAP_SHAPES] = {
    { .key = CLADE_I32, .batch = 64, .engine = CLADE_HEAP_TOP_DOWN },
    { .key = CLADE_I32, .batch = 64, .engine = CLADE_HEAP_BOTTOM_UP },
    { .key = CLADE_U32,
      .value = CLADE_U32,
      .batch = 7,
      .order = CLADE_MAX,
      .engine = CLADE_HEAP_TOP_DOWN },
    { .key = CLADE_F32, .value = CLADE_U64, .batch = 7, .engine = CLADE_HEAP_BOTTOM_UP },
    { .key = CLADE_I64, .value = CLADE_U32, .batch = 4, .engine = CLADE_HEAP_BOTTOM_UP },
    { .key = CLADE_U64, .batch = 4, .order = CLADE_MAX, .engine = CLADE_HEAP_TOP_DOWN },
    { .key = CLADE_F64,
      .value = CLADE_F32,
      .batch = 64,
      .order = CLADE_MAX,
      .engine = CLADE_HEAP_TOP_DOWN },
    { .key = CLADE_U32, .value = CLADE_U32, .batch = 1024, .engine = CLADE_HEAP_BOTTOM_UP },
};

uint64_t bits_at(const void *array, uint32_t type, size_t i)
{
    uint64_t bits = 0;
    size_t bytes = CLADE_TYPE_BYTES(type);
    memcpy(&bits, (const char *)array + i * bytes, bytes);
    return bits;
}

void put_bits(void *array, uint32_t type, size_t i, uint64_t bits)
{
    size_t bytes = CLADE_TYPE_BYTES(type);
    memcpy((char *)array + i * bytes, &bits, bytes);
}

/* Bit patterns where an order is easily got wrong: least, greatest, zeros, infinities. */
static uint64_t special_bits(uint32_t type, uint64_t pick)
{
    static const uint64_t u32[] = { 0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff };
    static const uint64_t f32[] = { 0, 0x80000000, 0x7f800000, 0xff800000,
                                    1, 0x80000001, 0x7f7fffff, 0xff7fffff };
    static const uint64_t u64[] = {
        0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x100000000, 0xffffffff
    };
    static const uint64_t f64[] = { 0, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000,
                                    1, 0x7fefffffffffffff, 0xffefffffffffffff };
    switch (type) {
    case CLADE_F32:
        return f32[pick % 8];
    case CLADE_F64:
        return f64[pick % 7];
    case CLADE_I64:
    case CLADE_U64:
        return u64[pick % 7];
    default:
        return u32[pick % 6];
    }
}

static uint64_t random_bits(struct load *load)
{
    uint32_t type = load->params.key;
    uint64_t bits, mask = CLADE_TYPE_BYTES(type) == 8 ? UINT64_MAX : UINT32_MAX;
    if (load->distinct > 0)
        return random_below(&load->random, load->distinct);
    if (random_below(&load->random, 8) == 0)
        return special_bits(type, random_next(&load->random));
    do
        bits = random_next(&load->random) & mask;
    while (model_heap_is_nan(type, bits));
    return bits;
}

void load_open(struct load *load, struct fixture *f, clade_heap_params params, size_t room)
{
    *load = (struct load) { .random = random_from(f->seed), .room = room };
    assert_ok(clade_heap_create(&load->heap, f->context, &params));
    load->params = *clade_heap_params_of(load->heap);
    load->keys = malloc(room * 8);
    load->state = calloc(room, 1);
    assert_true(load->keys && load->state);
}

void load_close(struct load *load)
{
    clade_heap_destroy(&load->heap);
    assert_null(load->heap);
    model_heap_free(&load->model);
    free(load->keys);
    free(load->state);
}

size_t load_draw(struct load *load, void *keys, void *values, size_t n)
{
    size_t first = load->ids;
    assert_true(first + n <= load->room);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = random_bits(load);
        put_bits(load->keys, CLADE_U64, first + i, bits);
        put_bits(keys, load->params.key, i, bits);
        if (values)
            put_bits(values, load->params.value, i, first + i);
    }
    load->ids += n;
    return first;
}

void *room_for(uint32_t type, size_t n)
{
    void *array = type == CLADE_NONE ? NULL : malloc((n + 1) * CLADE_TYPE_BYTES(type));
    assert_true(array || type == CLADE_NONE);
    return array;
}

void load_accept(struct load *load, size_t first, size_t n)
{
    for (size_t id = first; id < first + n; id++) {
        load->state[id] = 1;
        model_heap_push(&load->model, model_heap_order(load->params.key, load->params.order,
                                                       bits_at(load->keys, CLADE_U64, id)));
    }
}

clade_array maybe(const void *array)
{
    return array ? clade_host(array) : clade_no_array();
}

/* Keys come in the model's order; values are ids of such keys that were inside. */
static void expect_popped(struct load *load, const void *keys, const void *values, size_t n)
{
    const clade_heap_params *p = &load->params;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = bits_at(keys, p->key, i);
        assert_int_equal(model_heap_order(p->key, p->order, bits), model_heap_pop(&load->model));
        if (values) {
            uint64_t id = bits_at(values, p->value, i);
            assert_true(id < load->ids);
            assert_int_equal(load->state[id], 1);
            assert_int_equal(bits_at(load->keys, CLADE_U64, id), bits);
            load->state[id] = 2;
        }
    }
}

void load_insert_pattern(struct load *load, load_bits *bits_of, int pattern, size_t n)
{
    void *keys = room_for(load->params.key, n);
    void *values = room_for(load->params.value, n);
    const size_t first = load_draw(load, keys, values, n);
    for (size_t i = 0; bits_of && i < n; i++) {
        const uint64_t bits = bits_of(load, pattern, i, n);
        put_bits(load->keys, CLADE_U64, first + i, bits);
        put_bits(keys, load->params.key, i, bits);
    }
    assert_ok(clade_heap_insert(load->heap, clade_host(keys), maybe(values), n, NULL));
    load_accept(load, first, n);
    free(keys);
    free(values);
}

void load_insert(struct load *load, size_t n)
{
    load_insert_pattern(load, NULL, 0, n);
}

void load_pop(struct load *load, size_t n)
{
    void *keys = room_for(load->params.key, n);
    void *values = room_for(load->params.value, n);
    uint64_t got = UINT64_MAX, expected = n < load->model.count ? n : load->model.count;
    assert_ok(
        clade_heap_pop(load->heap, clade_host(keys), maybe(values), n, clade_host(&got), NULL));
    assert_int_equal(got, expected);
    expect_popped(load, keys, values, (size_t)got);
    free(keys);
    free(values);
}

/* The first key is the model's, and its value, an id, is one that has this key and is inside. */
static void expect_first(struct load *load)
{
    const uint32_t type = load->params.key;
    uint64_t key = 0, id = 0;
    const clade_status status = clade_heap_peek(load->heap, &key, &id);
    assert_int_equal(status, load->model.count > 0 ? CLADE_OK : CLADE_E_NOT_FOUND);
    if (status != CLADE_OK)
        return;
    const uint64_t bits = bits_at(&key, type, 0);
    assert_int_equal(model_heap_order(type, load->params.order, bits), load->model.orders[0]);
    if (load->params.value == CLADE_NONE)
        return;
    id = bits_at(&id, load->params.value, 0);
    assert_true(id < load->ids && load->state[id] == 1);
    assert_int_equal(bits_at(load->keys, CLADE_U64, id), bits);
}

void load_expect_sound(struct load *load)
{
    uint64_t size;
    assert_ok(clade_heap_check(load->heap));
    assert_ok(clade_heap_size(load->heap, &size));
    assert_int_equal(size, load->model.count);
    expect_first(load);
}
