/* SPDX-License-Identifier: Apache-2.0 */
/* The list as a subject of tests/harness/subject.h. */
#include "harness/subject_inside.h"

#include <clade/list.h>

static clade_status list_create(struct subject *s)
{
    clade_list *list = NULL;
    clade_status status = clade_list_create(
        &list, s->context, &(clade_list_params) { .capacity = 300, .value = CLADE_U32 });
    s->object = list;
    return status;
}

SUBJECT_USUAL(list)

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

SUBJECT_CALL(list_insert, clade_list_insert(s->object, MORE(s), VALUE(s), HALF, STATUS(s), NULL))

static clade_status list_insert_device(struct subject *s)
{
    clade_array keys = clade_device(s->device_keys, HALF * sizeof(uint32_t));
    return clade_list_insert(s->object, keys, clade_device(s->device_keys, 0), HALF, NONE, NULL);
}

/* Half of the keys are there, and get other values. */
SUBJECT_CALL(list_put, clade_list_put(s->object, clade_host(s->keys + HALF / 2),
                                      clade_host(s->values + HALF), HALF, STATUS(s), NULL))
SUBJECT_CALL(list_erase, clade_list_erase(s->object, KEYS(s), 30, STATUS(s), NULL))

static clade_status list_find(struct subject *s)
{
    clade_status status = clade_list_find(s->object, KEYS(s), OUT(s), HALF, STATUS(s), NULL);
    if (status == CLADE_OK)
        subject_mix_words(s, s->out, HALF);
    return status;
}

SUBJECT_CALL(list_clear, clade_list_clear(s->object, NULL))
SUBJECT_CALL(list_size, clade_list_size(s->object, &(uint64_t) { 0 }))
SUBJECT_CALL(list_reclaim, clade_list_reclaim(s->object, NULL))
SUBJECT_CALL(list_read,
             clade_list_read(s->object, s->out, s->found, NULL, SUBJECT_KEYS, &(uint64_t) { 0 }))

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
      { "put", list_put, SUBJECT_CHANGES },
      { "erase", list_erase, SUBJECT_CHANGES },
      { "get", list_find, SUBJECT_LOOKS },
      { "clear", list_clear, SUBJECT_CHANGES },
      { "size", list_size, SUBJECT_LOOKS },
      { "reclaim", list_reclaim, SUBJECT_LOOKS },
      { "read", list_read, SUBJECT_LOOKS },
      { "check", list_check, SUBJECT_LOOKS },
      { "save", list_save, SUBJECT_LOOKS } },
};

const struct subject_kind *const list_subjects[] = { &list_kind, NULL };
