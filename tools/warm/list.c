/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the list. */
#include "warm/warm.h"

clade_status warm_list(clade_context *context)
{
    const uint32_t keys[WARM_KEYS] = { 3, 1, 2 };
    clade_list *list = NULL;
    clade_status status =
        clade_list_create(&list, context, &(clade_list_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_list_insert(list, clade_host(keys), clade_no_array(), WARM_KEYS,
                                   clade_no_array(), NULL);
    clade_list_destroy(&list);
    return status;
}
