/* SPDX-License-Identifier: Apache-2.0 */
/* What tests/W/abi.c is written with: what programs count on, whatever release they were made with.
 *
 * SIZE and AT pin size and fields of every public struct where pointers and long have 64 bits.
 * Never change or remove a line, only add. A new field takes reserved words, so it adds a line and
 * leaves the size as it is (docs/guide/packaging.md). */
#pragma once

#include <stddef.h>

#include "harness/fixture.h"
#include "harness/structures.h"

#ifdef __LP64__
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has another size")
#define AT(type, field, bytes) \
    _Static_assert(offsetof(type, field) == (bytes), #type "." #field " lies elsewhere")
#else
#define SIZE(type, bytes)      _Static_assert(1, "")
#define AT(type, field, bytes) _Static_assert(1, "")
#endif

/* Each reserved word alone, with a value in it: the call is refused, with a sentence that names the
 * struct; zeroed again, nothing is left of it. */
#define REFUSES(type, given, call)                                                        \
    do {                                                                                  \
        for (size_t w = 0; w < sizeof(given).reserved / sizeof(given).reserved[0]; w++) { \
            (given).reserved[w] = w % 2 ? 1 : (uint64_t)1 << 63;                          \
            assert_fails(call, CLADE_E_ARG);                                              \
            assert_message(#type);                                                        \
            assert_message("newer header");                                               \
            (given).reserved[w] = 0;                                                      \
        }                                                                                 \
    } while (0)

#define CREATE_REFUSES(kind, ...)                                                                  \
    do {                                                                                           \
        clade_##kind *made = NULL;                                                                 \
        clade_##kind##_params params = { __VA_ARGS__ };                                            \
        REFUSES(clade_##kind##_params, params, clade_##kind##_create(&made, f->context, &params)); \
        assert_null(made);                                                                         \
        assert_ok(clade_##kind##_create(&made, f->context, &params));                              \
        clade_##kind##_destroy(&made);                                                             \
    } while (0)

/* What a call fills has zeros in its reserved words. */
#define ASSERT_ZEROED(given)                                                            \
    do {                                                                                \
        for (size_t w = 0; w < sizeof(given).reserved / sizeof(given).reserved[0]; w++) \
            assert_int_equal((given).reserved[w], 0);                                   \
    } while (0)

#define STATS_ARE_ZEROED(kind, object)                          \
    do {                                                        \
        clade_##kind##_stats stats;                             \
        memset(&stats, 0xff, sizeof stats);                     \
        assert_ok(clade_##kind##_stats_read((object), &stats)); \
        ASSERT_ZEROED(stats);                                   \
    } while (0)
#define CREATED_STATS_ARE_ZEROED(kind, ...)                                                      \
    do {                                                                                         \
        clade_##kind *made;                                                                      \
        assert_ok(                                                                               \
            clade_##kind##_create(&made, f->context, &(clade_##kind##_params) { __VA_ARGS__ })); \
        STATS_ARE_ZEROED(kind, made);                                                            \
        clade_##kind##_destroy(&made);                                                           \
    } while (0)

/* Where the host puts the fields of a buffer's head, in the order of CLADE_..._LAYOUT(). */
struct layout {
    const char *macro; /* ... */
    const uint32_t *places;
    size_t count;
};
#define PLACE(type, field) offsetof(type, field),
/* `places` is an array { CLADE_..._LAYOUT(PLACE) }. */
#define LAYOUT(macro)                                  \
    {                                                  \
#macro, places, sizeof places / sizeof *places \
    }

/* Two objects that no program may confuse have two words, and the structure's bits are its own. */
typedef void meet_shape(uint32_t shape);

struct abi {
    const char *name;
    void (*structs)(struct fixture *f); /* reserved words; no object has no buffer, no options */
    void (*shapes)(meet_shape *meet);   /* every shape that an object may have; NULL: none */
    struct layout layout;               /* of clade/shared/W.h */
};
#define DECLARE_ABI(structure) extern const struct abi structure##_abi;
CLADE_ABI(DECLARE_ABI)
