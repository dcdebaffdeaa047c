/* SPDX-License-Identifier: Apache-2.0 */
/* What grows and shrinks, for test_fault_grown: how it is made, what is done to it, what is inside.
 */
#pragma once

#include "harness/fixture.h"
#include "harness/structures.h"

#include <clade/kma.h>

enum { COUNT = 100, ROOM = 4 * COUNT, STARTED = 60 };

struct grown;

struct grown_op {
    const char *name;
    clade_status (*run)(struct grown *g);
};

/* `content` checks the object and writes what is inside to g->now. */
struct grown_kind {
    const char *name;
    clade_status (*make)(struct grown *g, void **object);
    void (*destroy)(struct grown *g, void **object);
    clade_status (*load)(struct grown *g, void **object); /* NULL: no files */
    void (*refill)(struct grown *g);                      /* to what each operation starts from */
    void (*content)(struct grown *g);
    struct grown_op ops[12];
};

struct content {
    uint64_t count;
    uint32_t keys[ROOM], values[ROOM];
};

struct grown {
    struct fixture *f;
    const struct grown_kind *kind;
    const struct grown_op *op;
    void *object;
    clade_kma *kma; /* the array list's */
    char *path;
    cl_mem device; /* `keys` */
    uint32_t keys[COUNT], values[COUNT], ops[COUNT], out[ROOM], nodes[COUNT];
    int32_t statuses[COUNT];
    struct content before, after, now;
    clade_status status;
    size_t faults, late;
};

/* tests/W/grown.c has W_grown. */
#define DECLARE_GROWN(structure) extern const struct grown_kind structure##_grown;
CLADE_GROWN(DECLARE_GROWN)

#define KEYS(g)   clade_host((g)->keys)
#define VALUES(g) clade_host((g)->values)
#define OUT(g)    clade_host((g)->out)
#define NODES(g)  clade_host((g)->nodes)
#define DEVICE(g) clade_device((g)->device, 0)
#define NONE      clade_no_array()

/* An operation that is one call. */
#define GROWN_CALL(name, call)                \
    static clade_status name(struct grown *g) \
    {                                         \
        return call;                          \
    }
/* What all of them have. */
#define GROWN_USUAL(W)                                        \
    static void W##_destroy(struct grown *g, void **object)   \
    {                                                         \
        clade_##W *it = *object;                              \
        (void)g;                                              \
        clade_##W##_destroy(&it);                             \
        *object = NULL;                                       \
    }                                                         \
    GROWN_CALL(W##_check, clade_##W##_check(g->object))       \
    GROWN_CALL(W##_clear, clade_##W##_clear(g->object, NULL)) \
    GROWN_CALL(W##_size, clade_##W##_size(g->object, &(uint64_t) { 0 }))
#define GROWN_FILES(W)                                                             \
    static clade_status W##_load(struct grown *g, void **object)                   \
    {                                                                              \
        clade_##W *it = NULL;                                                      \
        const clade_status status = clade_##W##_load(&it, g->f->context, g->path); \
        *object = it;                                                              \
        return status;                                                             \
    }                                                                              \
    GROWN_CALL(W##_save, clade_##W##_save(g->object, g->path))
