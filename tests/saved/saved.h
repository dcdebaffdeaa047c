/* SPDX-License-Identifier: Apache-2.0 */
/* What tests/W/saved.c is written with: small objects that are saved, and what a file of theirs
 * must not say. tests/saved/test_saved.c asks the same of all. */
#pragma once

#include "harness/fixture.h"
#include "harness/structures.h"

/* A word of the file's parameters, in the order of the structure's struct saved_params, that
 * becomes another. */
struct saved_word {
    const char *what;
    uint32_t word, value;
};

struct saved {
    const char *name;
    uint32_t params_bytes; /* as they are for ever: a public struct may grow, this does not */
    uint32_t shape;        /* in the head that is saved; 0: it is not saved with a head */
    void (*save)(clade_context *context, const char *path);
    clade_status (*load)(clade_context *context, const char *path);
    /* Each alone makes parameters that no object has. Ended by one of no name. May be NULL. */
    const struct saved_word *impossible;
    /* With this they are those of an object that is far larger than the file; `what`: a part of the
     * message. No name: the file is as small as its content whatever the object. */
    struct saved_word large;
};
/* tests/W/saved.c has W_saved[], ended by one of no name: the same structure in different shapes.
 */
#define DECLARE_SAVED(structure) extern const struct saved structure##_saved[];
CLADE_SAVED(DECLARE_SAVED)

#define SAVES(name, W, ...)                                                                     \
    static void name(clade_context *context, const char *path)                                  \
    {                                                                                           \
        clade_##W *object = NULL;                                                               \
        assert_ok(clade_##W##_create(&object, context, &(clade_##W##_params) { __VA_ARGS__ })); \
        assert_ok(clade_##W##_save(object, path));                                              \
        clade_##W##_destroy(&object);                                                           \
    }
/* A place for the result that is not NULL becomes NULL when loading fails. No object is not saved.
 */
#define LOADS(W)                                                              \
    static clade_status load(clade_context *context, const char *path)        \
    {                                                                         \
        clade_##W *object = (clade_##W *)(void *)&context;                    \
        assert_int_equal(clade_##W##_save(NULL, "/nowhere/x"), CLADE_E_ARG);  \
        assert_int_equal(clade_##W##_load(NULL, context, path), CLADE_E_ARG); \
        const clade_status status = clade_##W##_load(&object, context, path); \
        if (status != CLADE_OK)                                               \
            assert_null(object);                                              \
        clade_##W##_destroy(&object);                                         \
        return status;                                                        \
    }

/* Parameters in memory that was full of one byte: the gaps between their fields still are. Fields
 * are set one by one. */
enum { SAVED_MARK = 0xca };
#define MARKED(type, name)                     \
    type name;                                 \
    memset(&(name), SAVED_MARK, sizeof(name)); \
    memset((name).reserved, 0, sizeof(name).reserved)
