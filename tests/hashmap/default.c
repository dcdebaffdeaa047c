/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

static void hashmap(void **state)
{
    struct fixture *f = *state;
    clade_hashmap *map;
    uint32_t out[ITEMS];
    uint64_t size;
    struct built built =
        default_build(f, "hashmap",
                      "__kernel void k(__global clade_hashmap_head *map, __global uint *out)\n"
                      "{\n"
                      "    const uint item = (uint)get_global_id(0);\n"
                      "    out[item] = (uint)clade_hashmap_insert_wi(map, item, 0);\n"
                      "}");
    assert_ok(
        clade_hashmap_create(&map, f->context, &(clade_hashmap_params) { .capacity = CAPACITY }));
    default_run(f, &built, clade_hashmap_mem(map), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_hashmap_check(map));
    assert_ok(clade_hashmap_size(map, &size));
    assert_int_equal(size, ITEMS);
    clade_hashmap_destroy(&map);
    default_end(&built);
}

const struct CMUnitTest hashmap_default = cmocka_unit_test(hashmap);
