/* SPDX-License-Identifier: Apache-2.0 */
/* clade_hashmap: updates of values that are floats. */
#include "hashmap/test_hashmap.h"

#include <string.h>

/* A value as the map takes it, of 4 or 8 bytes. */
static void put_value(void *to, uint32_t type, double x)
{
    const float narrow = (float)x;
    if (type == CLADE_F32)
        memcpy(to, &narrow, sizeof narrow);
    else
        memcpy(to, &x, sizeof x);
}

static double value_at(const void *from, uint32_t type)
{
    float narrow;
    double x;
    memcpy(&narrow, from, sizeof narrow);
    if (type == CLADE_F32)
        return (double)narrow;
    memcpy(&x, from, sizeof x);
    return x;
}

/* The first operand is inserted; the second one changes it. */
static void update_twice(clade_hashmap *map, uint32_t type, uint32_t what, double first,
                         double second, double expected)
{
    const uint32_t key = 7;
    uint64_t value;
    assert_ok(clade_hashmap_clear(map, NULL));
    put_value(&value, type, first);
    assert_ok(clade_hashmap_update(map, clade_host(&key), clade_host(&value), what, 1, NONE, NULL));
    put_value(&value, type, second);
    assert_ok(clade_hashmap_update(map, clade_host(&key), clade_host(&value), what, 1, NONE, NULL));
    assert_ok(clade_hashmap_find(map, clade_host(&key), clade_host(&value), 1, NONE, NULL));
    assert_true(value_at(&value, type) == expected);
}

void floats_are_added_and_compared(void **state)
{
    struct fixture *f = *state;
    for (uint32_t type = CLADE_F32; type != 0; type = type == CLADE_F32 ? CLADE_F64 : 0) {
        if (type == CLADE_F64 && !f->caps->fp64)
            continue;
        clade_hashmap *map = open_map(f, (clade_hashmap_params) { .capacity = 8, .value = type });
        for (int turn = 0; turn < 2; turn++) {
            const double a = turn ? 2.5 : -3.25, b = turn ? -3.25 : 2.5;
            update_twice(map, type, CLADE_HASHMAP_PLUS, a, b, -0.75);
            update_twice(map, type, CLADE_HASHMAP_MIN, a, b, -3.25);
            update_twice(map, type, CLADE_HASHMAP_MAX, a, b, 2.5);
        }
        clade_hashmap_destroy(&map);
    }
}
