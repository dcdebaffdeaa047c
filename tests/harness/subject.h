/* SPDX-License-Identifier: Apache-2.0 */
/* Every structure behind one small face, for tests that treat all of them alike: test_fault.c (the
 * n-th call fails) and test_compilers.c (two builds do the same). A structure that has a
 * file tests/W/subject.c is one: W_subjects[], with NULL at the end. */
#pragma once

#include "harness/fixture.h"
#include "harness/structures.h"

enum { SUBJECT_OPS = 16 };

struct subject;

/* What an operation does to the content when it succeeds; the last: it rebuilds the object in place
 * in several launches, and when all calls fail from one on, the next call puts back what it was. */
enum { SUBJECT_LOOKS, SUBJECT_CHANGES = 1, SUBJECT_REBUILDS = 2 };

struct subject_op {
    const char *name;
    clade_status (*run)(struct subject *s);
    unsigned effect; /* SUBJECT_* */
};

/* What a structure can do. `mix` takes 64 bits into s->digest (subject_mix). */
struct subject_kind {
    const char *name;
    clade_status (*create)(struct subject *s);
    void (*destroy)(struct subject *s);
    clade_status (*load)(struct subject *s); /* from s->path, into s->object; NULL: no files */
    clade_status (*check)(struct subject *s);
    cl_mem (*mem)(struct subject *s);
    void (*fill)(struct subject *s);  /* a content that the operations work on; must succeed */
    void (*drain)(struct subject *s); /* all of the content into the digest, which may empty it */
    struct subject_op ops[SUBJECT_OPS];
};

enum { SUBJECT_KEYS = 96 };

struct subject {
    const struct subject_kind *kind;
    struct fixture *f;
    clade_context *context;
    void *object;
    char *path;
    uint64_t digest;
    uint32_t keys[SUBJECT_KEYS], values[SUBJECT_KEYS], out[SUBJECT_KEYS], found[SUBJECT_KEYS];
    int32_t statuses[SUBJECT_KEYS];
    cl_mem device_keys; /* `keys` in a buffer */
};

#define SUBJECT_DECLARE(structure) extern const struct subject_kind *const structure##_subjects[];
CLADE_SUBJECT(SUBJECT_DECLARE)
/* All of these arrays. */
extern const struct subject_kind *const *const subjects[];
extern const size_t subject_count;

/* An object of this kind in the context (NULL: the fixture's), with keys planned, and empty. */
void subject_open(struct subject *s, const struct subject_kind *kind, struct fixture *f,
                  clade_context *context, char *path);
void subject_close(struct subject *s);
void subject_mix(struct subject *s, uint64_t bits);
/* The content as a number: `s` is copied into `twin`, an object of the same kind, which is checked
 * and drained. */
uint64_t subject_content(struct subject *s, struct subject *twin);
/* All bytes of the object, and back. */
void *subject_bytes(struct subject *s, size_t *size);
void subject_restore(struct subject *s, const void *bytes, size_t size);
