/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map as a subject of tests/harness/subject.h. */
#include "harness/subject_inside.h"

#include <clade/hashmap.h>

static clade_status hashmap_create_form(struct subject *s, uint32_t form)
{
    clade_hashmap *map = NULL;
    clade_status status = clade_hashmap_create(
        &map, s->context,
        &(clade_hashmap_params) { .capacity = 300, .value = CLADE_U32, .form = form });
    s->object = map;
    return status;
}

static clade_status hashmap_create(struct subject *s)
{
    return hashmap_create_form(s, CLADE_HASHMAP_AUTO);
}

static clade_status hashmap_create_tagged(struct subject *s)
{
    return hashmap_create_form(s, CLADE_HASHMAP_TAGGED);
}

static void hashmap_destroy(struct subject *s)
{
    clade_hashmap *map = s->object;
    clade_hashmap_destroy(&map);
}

static clade_status hashmap_load(struct subject *s)
{
    clade_hashmap *map = NULL;
    clade_status status = clade_hashmap_load(&map, s->context, s->path);
    s->object = map;
    return status;
}

static clade_status hashmap_check(struct subject *s)
{
    return clade_hashmap_check(s->object);
}

static cl_mem hashmap_mem(struct subject *s)
{
    return clade_hashmap_mem(s->object);
}

static void hashmap_fill(struct subject *s)
{
    assert_ok(clade_hashmap_insert(s->object, KEYS(s), VALUE(s), HALF, NONE, NULL));
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A map gives its entries in no order. */
static void hashmap_drain(struct subject *s)
{
    uint64_t got = 0, entries[SUBJECT_KEYS];
    assert_ok(clade_hashmap_read(s->object, OUT(s), FOUND(s), SUBJECT_KEYS, &got, NULL));
    for (uint64_t i = 0; i < got; i++)
        entries[i] = (uint64_t)s->out[i] << 32 | s->found[i];
    qsort(entries, (size_t)got, sizeof *entries, by_number);
    subject_mix_words(s, entries, 2 * got);
}

static clade_status hashmap_insert(struct subject *s)
{
    return clade_hashmap_insert(s->object, MORE(s), VALUE(s), HALF, STATUS(s), NULL);
}

/* Half of the keys are there, and get other values. */
static clade_status hashmap_put(struct subject *s)
{
    return clade_hashmap_put(s->object, clade_host(s->keys + HALF / 2),
                             clade_host(s->values + HALF), HALF, STATUS(s), NULL);
}

static clade_status hashmap_update(struct subject *s)
{
    return clade_hashmap_update(s->object, clade_host(s->keys + HALF / 2), VALUE(s),
                                CLADE_HASHMAP_PLUS, HALF, STATUS(s), NULL);
}

static clade_status hashmap_erase(struct subject *s)
{
    return clade_hashmap_erase(s->object, KEYS(s), NONE, 30, STATUS(s), NULL);
}

static clade_status hashmap_find(struct subject *s)
{
    clade_status status = clade_hashmap_find(s->object, KEYS(s), OUT(s), HALF, STATUS(s), NULL);
    if (status == CLADE_OK)
        subject_mix_words(s, s->out, HALF);
    return status;
}

static clade_status hashmap_read(struct subject *s)
{
    uint64_t got;
    return clade_hashmap_read(s->object, OUT(s), FOUND(s), SUBJECT_KEYS, &got, NULL);
}

static clade_status hashmap_size(struct subject *s)
{
    uint64_t size;
    return clade_hashmap_size(s->object, &size);
}

static clade_status hashmap_stats(struct subject *s)
{
    return clade_hashmap_stats_read(s->object, &(clade_hashmap_stats) { 0 });
}

static clade_status hashmap_clear(struct subject *s)
{
    return clade_hashmap_clear(s->object, NULL);
}

/* To the same capacity: the buffer is another one, of the same size. */
static clade_status hashmap_grow(struct subject *s)
{
    return clade_hashmap_grow(s->object, 300, NULL);
}

static clade_status hashmap_save(struct subject *s)
{
    return clade_hashmap_save(s->object, s->path);
}

static const struct subject_kind hashmap_kind = {
    "hash map",
    hashmap_create,
    hashmap_destroy,
    hashmap_load,
    hashmap_check,
    hashmap_mem,
    hashmap_fill,
    hashmap_drain,
    { { "insert", hashmap_insert, SUBJECT_CHANGES },
      { "put", hashmap_put, SUBJECT_CHANGES },
      { "update", hashmap_update, SUBJECT_CHANGES },
      { "erase", hashmap_erase, SUBJECT_CHANGES },
      { "find", hashmap_find, SUBJECT_LOOKS },
      { "read", hashmap_read, SUBJECT_LOOKS },
      { "size", hashmap_size, SUBJECT_LOOKS },
      { "stats", hashmap_stats, SUBJECT_LOOKS },
      { "clear", hashmap_clear, SUBJECT_CHANGES },
      { "grow", hashmap_grow, SUBJECT_REBUILDS },
      { "check", hashmap_check, SUBJECT_LOOKS },
      { "save", hashmap_save, SUBJECT_LOOKS } },
};

static const struct subject_kind hashmap_tagged_kind = {
    "hash map, tagged",
    hashmap_create_tagged,
    hashmap_destroy,
    NULL,
    hashmap_check,
    hashmap_mem,
    hashmap_fill,
    hashmap_drain,
    { { "insert", hashmap_insert, SUBJECT_CHANGES },
      { "put", hashmap_put, SUBJECT_CHANGES },
      { "erase", hashmap_erase, SUBJECT_CHANGES } },
};

const struct subject_kind *const hashmap_subjects[] = { &hashmap_kind, &hashmap_tagged_kind, NULL };
