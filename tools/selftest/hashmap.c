/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map's part of `clade selftest`. */
#include <stdlib.h>

#include "selftest/selftest.h"

enum { KEYS = 4096 };

/* As many keys as fit, which are counted twice; half of them go, and others come. */
static bool run_map(clade_hashmap *map, uint32_t *keys, uint32_t *values)
{
    const clade_array none = clade_no_array();
    uint64_t size = 0;
    for (uint32_t i = 0; i < 2 * KEYS; i++)
        keys[i] = i * 2654435761u;
    for (int turn = 0; turn < 2; turn++)
        if (!selftest_fine("hashmap", clade_hashmap_update(map, clade_host(keys), clade_host(keys),
                                                           CLADE_HASHMAP_PLUS, KEYS, none, NULL)))
            return false;
    if (!selftest_fine("hashmap",
                       clade_hashmap_erase(map, clade_host(keys), none, KEYS / 2, none, NULL)) ||
        !selftest_fine("hashmap",
                       clade_hashmap_insert(map, clade_host(keys + KEYS), clade_host(keys + KEYS),
                                            KEYS / 2, none, NULL)) ||
        !selftest_fine("hashmap", clade_hashmap_check(map)) ||
        !selftest_fine("hashmap", clade_hashmap_size(map, &size)) || size != KEYS ||
        !selftest_fine("hashmap", clade_hashmap_find(map, clade_host(keys), clade_host(values),
                                                     2 * KEYS, none, NULL)))
        return false;
    for (uint32_t i = KEYS / 2; i < KEYS + KEYS / 2; i++)
        if (values[i] != (i < KEYS ? 2 * keys[i] : keys[i]))
            return false;
    return true;
}

bool selftest_hashmap(clade_context *context)
{
    uint32_t *keys = calloc(2 * KEYS, 4), *values = calloc(2 * KEYS, 4);
    clade_hashmap *map = NULL;
    bool right = keys && values &&
                 selftest_fine("hashmap",
                               clade_hashmap_create(&map, context,
                                                    &(clade_hashmap_params) {
                                                        .capacity = KEYS, .value = CLADE_U32 })) &&
                 run_map(map, keys, values);
    clade_hashmap_destroy(&map);
    free(keys);
    free(values);
    return right;
}
