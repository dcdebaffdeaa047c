/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/subject_inside.h"

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

#define LINE(structure) structure##_subjects,
const struct subject_kind *const *const subjects[] = { CLADE_SUBJECT(LINE) };
const size_t subject_count = sizeof subjects / sizeof subjects[0];

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
