/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the array list. */
#include "warm/warm.h"

clade_status warm_arraylist(clade_context *context)
{
    uint32_t values[WARM_KEYS] = { 3, 1, 2 };
    const clade_arraylist_params params = { .capacity = 1000, .element_bytes = 4 };
    clade_arraylist *list = NULL;
    clade_status status = clade_arraylist_create(&list, context, &params);
    if (status == CLADE_OK)
        status = clade_arraylist_append(list, clade_host(values), WARM_KEYS, NULL);
    if (status == CLADE_OK)
        status = clade_arraylist_read(list, 0, clade_host(values), WARM_KEYS, NULL);
    clade_arraylist_destroy(&list);
    return status;
}
