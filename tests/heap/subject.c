/* SPDX-License-Identifier: Apache-2.0 */
/* The heap, both engines, as a subject of tests/harness/subject.h. */
#include "harness/subject_inside.h"

#include <clade/heap.h>

static clade_status heap_create(struct subject *s, uint32_t engine)
{
    clade_heap *heap = NULL;
    clade_status status = clade_heap_create(
        &heap, s->context,
        &(clade_heap_params) {
            .capacity = 1000, .key = CLADE_U32, .value = CLADE_U32, .batch = 4, .engine = engine });
    s->object = heap;
    return status;
}

SUBJECT_CALL(heap_create_down, heap_create(s, CLADE_HEAP_TOP_DOWN))
SUBJECT_CALL(heap_create_up, heap_create(s, CLADE_HEAP_BOTTOM_UP))
SUBJECT_USUAL(heap)

static void heap_fill(struct subject *s)
{
    assert_ok(clade_heap_insert(s->object, KEYS(s), VALUE(s), HALF, NULL));
}

/* Keys are distinct, so their order is the heap's. */
static void heap_drain(struct subject *s)
{
    uint64_t size, got = 0;
    assert_ok(clade_heap_size(s->object, &size));
    assert_in_range(size, 0, SUBJECT_KEYS);
    assert_ok(clade_heap_pop(s->object, OUT(s), FOUND(s), size, clade_host(&got), NULL));
    assert_int_equal(got, size);
    subject_mix_words(s, s->out, size);
    subject_mix_words(s, s->found, size);
}

SUBJECT_CALL(heap_insert, clade_heap_insert(s->object, MORE(s), VALUE(s), HALF, NULL))

static clade_status heap_insert_device(struct subject *s)
{
    clade_array keys = clade_device(s->device_keys, HALF * sizeof(uint32_t));
    return clade_heap_insert(s->object, keys, clade_device(s->device_keys, 0), HALF, NULL);
}

static clade_status heap_pop(struct subject *s)
{
    uint64_t got = 0;
    clade_status status = clade_heap_pop(s->object, OUT(s), FOUND(s), 30, clade_host(&got), NULL);
    if (status == CLADE_OK)
        subject_mix_words(s, s->out, got);
    return status;
}

SUBJECT_CALL(heap_clear, clade_heap_clear(s->object, NULL))
SUBJECT_CALL(heap_size, clade_heap_size(s->object, &(uint64_t) { 0 }))
SUBJECT_CALL(heap_peek, clade_heap_peek(s->object, s->out, s->found))
SUBJECT_CALL(heap_stats, clade_heap_stats_read(s->object, &(clade_heap_stats) { 0 }))

#define HEAP_OPS                                                                            \
    {                                                                                       \
        { "insert", heap_insert, SUBJECT_CHANGES },                                         \
            { "insert (device)", heap_insert_device, SUBJECT_CHANGES },                     \
            { "pop", heap_pop, SUBJECT_CHANGES }, { "clear", heap_clear, SUBJECT_CHANGES }, \
            { "size", heap_size, SUBJECT_LOOKS }, { "peek", heap_peek, SUBJECT_LOOKS },     \
            { "stats", heap_stats, SUBJECT_LOOKS }, { "check", heap_check, SUBJECT_LOOKS }, \
            { "save", heap_save, SUBJECT_LOOKS },                                           \
    }

static const struct subject_kind heap_down_kind = {
    "heap, top-down", heap_create_down, heap_destroy, heap_load, heap_check,
    heap_mem,         heap_fill,        heap_drain,   HEAP_OPS,
};
static const struct subject_kind heap_up_kind = {
    "heap, bottom-up", heap_create_up, heap_destroy, heap_load, heap_check,
    heap_mem,          heap_fill,      heap_drain,   HEAP_OPS,
};

const struct subject_kind *const heap_subjects[] = { &heap_down_kind, &heap_up_kind, NULL };
