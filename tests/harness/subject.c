/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/subject_inside.h"

#include <clade/heap.h>
#include <clade/list.h>

void subject_mix(struct subject *s, uint64_t bits)
{
    s->digest = (s->digest ^ bits) * 0x9e3779b97f4a7c15u;
    s->digest ^= s->digest >> 29;
}

void subject_mix_words(struct subject *s, const void *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        subject_mix(s, ((const uint32_t *)words)[i]);
}

/* --- the heap, both engines ------------------------------------------------------------------- */

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

static clade_status heap_create_down(struct subject *s)
{
    return heap_create(s, CLADE_HEAP_TOP_DOWN);
}

static clade_status heap_create_up(struct subject *s)
{
    return heap_create(s, CLADE_HEAP_BOTTOM_UP);
}

static void heap_destroy(struct subject *s)
{
    clade_heap *heap = s->object;
    clade_heap_destroy(&heap);
}

static clade_status heap_load(struct subject *s)
{
    clade_heap *heap = NULL;
    clade_status status = clade_heap_load(&heap, s->context, s->path);
    s->object = heap;
    return status;
}

static clade_status heap_check(struct subject *s)
{
    return clade_heap_check(s->object);
}

static cl_mem heap_mem(struct subject *s)
{
    return clade_heap_mem(s->object);
}

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

static clade_status heap_insert(struct subject *s)
{
    return clade_heap_insert(s->object, MORE(s), VALUE(s), HALF, NULL);
}

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

static clade_status heap_clear(struct subject *s)
{
    return clade_heap_clear(s->object, NULL);
}

static clade_status heap_size(struct subject *s)
{
    uint64_t size;
    return clade_heap_size(s->object, &size);
}

static clade_status heap_peek(struct subject *s)
{
    return clade_heap_peek(s->object, s->out, s->found);
}

static clade_status heap_stats(struct subject *s)
{
    clade_heap_stats stats;
    return clade_heap_stats_read(s->object, &stats);
}

static clade_status heap_save(struct subject *s)
{
    return clade_heap_save(s->object, s->path);
}

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

/* --- the list --------------------------------------------------------------------------------- */

static clade_status list_create(struct subject *s)
{
    clade_list *list = NULL;
    clade_status status = clade_list_create(
        &list, s->context, &(clade_list_params) { .capacity = 300, .value = CLADE_U32 });
    s->object = list;
    return status;
}

static void list_destroy(struct subject *s)
{
    clade_list *list = s->object;
    clade_list_destroy(&list);
}

static clade_status list_load(struct subject *s)
{
    clade_list *list = NULL;
    clade_status status = clade_list_load(&list, s->context, s->path);
    s->object = list;
    return status;
}

static clade_status list_check(struct subject *s)
{
    return clade_list_check(s->object);
}

static cl_mem list_mem(struct subject *s)
{
    return clade_list_mem(s->object);
}

static void list_fill(struct subject *s)
{
    assert_ok(clade_list_insert(s->object, KEYS(s), VALUE(s), HALF, NONE, NULL));
}

static void list_drain(struct subject *s)
{
    uint64_t n = 0;
    assert_ok(clade_list_read(s->object, s->out, s->found, NULL, SUBJECT_KEYS, &n));
    assert_in_range(n, 0, SUBJECT_KEYS);
    subject_mix_words(s, s->out, n);
    subject_mix_words(s, s->found, n);
}

static clade_status list_insert(struct subject *s)
{
    return clade_list_insert(s->object, MORE(s), VALUE(s), HALF, STATUS(s), NULL);
}

static clade_status list_insert_device(struct subject *s)
{
    clade_array keys = clade_device(s->device_keys, HALF * sizeof(uint32_t));
    return clade_list_insert(s->object, keys, clade_device(s->device_keys, 0), HALF, NONE, NULL);
}

static clade_status list_erase(struct subject *s)
{
    return clade_list_erase(s->object, KEYS(s), 30, STATUS(s), NULL);
}

static clade_status list_find(struct subject *s)
{
    clade_status status = clade_list_find(s->object, KEYS(s), OUT(s), HALF, STATUS(s), NULL);
    if (status == CLADE_OK)
        subject_mix_words(s, s->out, HALF);
    return status;
}

static clade_status list_clear(struct subject *s)
{
    return clade_list_clear(s->object, NULL);
}

static clade_status list_size(struct subject *s)
{
    uint64_t size;
    return clade_list_size(s->object, &size);
}

static clade_status list_reclaim(struct subject *s)
{
    return clade_list_reclaim(s->object, NULL);
}

static clade_status list_read(struct subject *s)
{
    uint64_t n;
    return clade_list_read(s->object, s->out, s->found, NULL, SUBJECT_KEYS, &n);
}

static clade_status list_save(struct subject *s)
{
    return clade_list_save(s->object, s->path);
}

static const struct subject_kind list_kind = {
    "list",
    list_create,
    list_destroy,
    list_load,
    list_check,
    list_mem,
    list_fill,
    list_drain,
    { { "insert", list_insert, SUBJECT_CHANGES },
      { "insert (device)", list_insert_device, SUBJECT_CHANGES },
      { "erase", list_erase, SUBJECT_CHANGES },
      { "get", list_find, SUBJECT_LOOKS },
      { "clear", list_clear, SUBJECT_CHANGES },
      { "size", list_size, SUBJECT_LOOKS },
      { "reclaim", list_reclaim, SUBJECT_LOOKS },
      { "read", list_read, SUBJECT_LOOKS },
      { "check", list_check, SUBJECT_LOOKS },
      { "save", list_save, SUBJECT_LOOKS } },
};

const struct subject_kind *const subject_kinds[] = {
    &heap_down_kind, &heap_up_kind,    &list_kind,           &subject_rbtree,
    &subject_adheap, &subject_kselect, &subject_rbtree_bulk,
};
const size_t subject_kind_count = sizeof subject_kinds / sizeof subject_kinds[0];

/* --- for all ---------------------------------------------------------------------------------- */

void subject_open(struct subject *s, const struct subject_kind *kind, struct fixture *f,
                  clade_context *context, char *path)
{
    struct random random = random_from(f->seed);
    *s = (struct subject) {
        .kind = kind, .f = f, .context = context ? context : f->context, .path = path
    };
    /* Distinct keys: an odd multiple of the index, in 20 bits. */
    const uint32_t step = (uint32_t)random_next(&random) | 1u;
    for (uint32_t i = 0; i < SUBJECT_KEYS; i++) {
        s->keys[i] = ((i + 1) * step & 0xfffffu) + 1;
        s->values[i] = (uint32_t)random_next(&random);
    }
    struct fixture where = { .context = s->context };
    s->device_keys = fixture_buffer(&where, sizeof s->keys, s->keys);
    assert_ok(kind->create(s));
}

void subject_close(struct subject *s)
{
    s->kind->destroy(s);
    s->object = NULL;
    clReleaseMemObject(s->device_keys);
}

void *subject_bytes(struct subject *s, size_t *size)
{
    cl_mem mem = s->kind->mem(s);
    struct fixture where = { .context = s->context };
    assert_int_equal(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof *size, size, NULL), CL_SUCCESS);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    fixture_read(&where, mem, 0, bytes, *size);
    return bytes;
}

void subject_restore(struct subject *s, const void *bytes, size_t size)
{
    struct fixture where = { .context = s->context };
    fixture_write(&where, s->kind->mem(s), 0, bytes, size);
}

uint64_t subject_content(struct subject *s, struct subject *twin)
{
    twin->digest = 0;
    if (s->kind->mem) {
        size_t size;
        void *bytes = subject_bytes(s, &size);
        subject_restore(twin, bytes, size);
        free(bytes);
        assert_ok(s->kind->check(twin));
    }
    s->kind->drain(twin);
    return twin->digest;
}
