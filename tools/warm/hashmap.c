/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the hash map. */
#include "warm/warm.h"

static clade_status use_hashmap(clade_context *context, uint32_t value)
{
    const uint32_t keys[WARM_KEYS] = { 3, 1, 2 };
    uint32_t values[WARM_KEYS] = { 1, 1, 1 };
    uint64_t got;
    const clade_array has_values = value != CLADE_NONE ? clade_host(values) : clade_no_array();
    clade_hashmap *map = NULL;
    clade_status status = clade_hashmap_create(
        &map, context, &(clade_hashmap_params) { .capacity = 1000, .value = value });
    if (status == CLADE_OK)
        status = clade_hashmap_insert(map, clade_host(keys), has_values, WARM_KEYS,
                                      clade_no_array(), NULL);
    if (status == CLADE_OK && value != CLADE_NONE)
        status = clade_hashmap_update(map, clade_host(keys), clade_host(values), CLADE_HASHMAP_PLUS,
                                      WARM_KEYS, clade_no_array(), NULL);
    if (status == CLADE_OK)
        status = clade_hashmap_find(map, clade_host(keys), has_values, WARM_KEYS, clade_no_array(),
                                    NULL);
    if (status == CLADE_OK)
        status = clade_hashmap_read(map, clade_no_array(), has_values, WARM_KEYS, &got, NULL);
    if (status == CLADE_OK)
        status = clade_hashmap_erase(map, clade_host(keys), clade_no_array(), WARM_KEYS,
                                     clade_no_array(), NULL);
    clade_hashmap_destroy(&map);
    return status;
}

/* A set, which it is when nothing is said; and what counts. */
clade_status warm_hashmap(clade_context *context)
{
    const clade_status status = use_hashmap(context, CLADE_NONE);
    return status == CLADE_OK ? use_hashmap(context, CLADE_U32) : status;
}
