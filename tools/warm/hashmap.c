/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the hash map. */
#include "warm/warm.h"

clade_status warm_hashmap(clade_context *context)
{
    const uint32_t keys[WARM_KEYS] = { 3, 1, 2 };
    clade_hashmap *map = NULL;
    clade_status status =
        clade_hashmap_create(&map, context, &(clade_hashmap_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_hashmap_insert(map, clade_host(keys), clade_no_array(), WARM_KEYS,
                                      clade_no_array(), NULL);
    clade_hashmap_destroy(&map);
    return status;
}
