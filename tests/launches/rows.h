/* SPDX-License-Identifier: Apache-2.0 */
/* What tests/W/launches.c is written with: kinds of object, and a row for each call that takes a
 * launch. A public function that takes one and has no row fails the test. */
#pragma once

#include "launches/launches.h"

#define O         w->object
#define NONE      clade_no_array()
#define A(slot)   world_at(w, slot)
#define BIT(slot) (1u << (slot))
#define N         w->count
/* Of each of `parts`: a call with a count of 64 bits, and one of 32. What is far too much is so for
 * each. */
#define N_ROWS(parts) (w->count > COUNT ? w->count : w->count / (parts))
#define N_EACH(parts) ((uint32_t)N_ROWS(parts))

/* What fill() puts in: FILLED keys 3, 6, 9 ... */
void world_keys(uint32_t *keys);
/* An array of the world, in host or in device memory. */
clade_array world_at(struct world *w, int slot);

#define KIND_DESTROY(kind, type)                \
    static void kind##_destroy(struct world *w) \
    {                                           \
        type *it = w->object;                   \
        type##_destroy(&it);                    \
    }
#define KIND_CLEAR(kind, call)                \
    static void kind##_clear(struct world *w) \
    {                                         \
        assert_ok(call);                      \
    }
#define KIND_MEM(kind, type)                              \
    static void kind##_mems(struct world *w, cl_mem *out) \
    {                                                     \
        out[0] = type##_mem(w->object);                   \
    }
/* `made` is of the type. */
#define KIND_CREATE(kind, type, ...)                                               \
    static clade_status kind##_create(struct world *w)                             \
    {                                                                              \
        type *made = NULL;                                                         \
        clade_status status =                                                      \
            type##_create(&made, w->f->context, &(type##_params) { __VA_ARGS__ }); \
        w->object = made;                                                          \
        return status;                                                             \
    }
#define KIND(which) KIND_OF(which, false)
#define KIND_OF(which, is_shared)                                                             \
    static const struct kind which##_kind = { #which,        which##_create, which##_destroy, \
                                              which##_clear, which##_fill,   which##_mems,    \
                                              which##_drain, is_shared }

/* Of ROWS(ROW), lines ROW(kind, name, function, blocks, loose, the call): W_rows[]. `name` says a
 * function's row from another. */
#define LAUNCH_ROWS(structure, ROWS) \
    ROWS(AS_FUNCTION)                \
    const struct row structure##_rows[] = { ROWS(AS_ROW) { 0 } };
#define AS_FUNCTION(kind, name, function, blocks, loose, arguments)                       \
    static clade_status call_##kind##_##name(struct world *w, const clade_launch *launch) \
    {                                                                                     \
        return function arguments;                                                        \
    }
#define AS_ROW(kind, name, function, blocks, loose, arguments) \
    { #function, &kind##_kind, call_##kind##_##name, blocks, loose, #arguments },
