/* SPDX-License-Identifier: Apache-2.0 */
/* What the subjects share (tests/W/subject.c). */
#pragma once

#include "harness/subject.h"

enum { HALF = SUBJECT_KEYS / 2 };

#define NONE      clade_no_array()
#define KEYS(s)   clade_host((s)->keys)
#define MORE(s)   clade_host((s)->keys + HALF) /* keys that fill() did not use */
#define VALUE(s)  clade_host((s)->values)
#define OUT(s)    clade_host((s)->out)
#define FOUND(s)  clade_host((s)->found)
#define STATUS(s) clade_host((s)->statuses)

void subject_mix_words(struct subject *s, const void *words, size_t n);

/* An operation that is one call. */
#define SUBJECT_CALL(name, call)                \
    static clade_status name(struct subject *s) \
    {                                           \
        return call;                            \
    }
/* What all structures have. */
#define SUBJECT_DESTROY(W)                     \
    static void W##_destroy(struct subject *s) \
    {                                          \
        clade_##W *object = s->object;         \
        clade_##W##_destroy(&object);          \
    }
#define SUBJECT_USUAL(W)                                                            \
    SUBJECT_DESTROY(W)                                                              \
    static clade_status W##_load(struct subject *s)                                 \
    {                                                                               \
        clade_##W *object = NULL;                                                   \
        const clade_status status = clade_##W##_load(&object, s->context, s->path); \
        s->object = object;                                                         \
        return status;                                                              \
    }                                                                               \
    static cl_mem W##_mem(struct subject *s)                                        \
    {                                                                               \
        return clade_##W##_mem(s->object);                                          \
    }                                                                               \
    SUBJECT_CALL(W##_check, clade_##W##_check(s->object))                           \
    SUBJECT_CALL(W##_save, clade_##W##_save(s->object, s->path))
