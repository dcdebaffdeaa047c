/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the doubly linked list. */
#include "warm/warm.h"

clade_status warm_dlist(clade_context *context)
{
    const uint32_t values[WARM_KEYS] = { 3, 1, 2 };
    clade_dlist *list = NULL;
    clade_status status =
        clade_dlist_create(&list, context, &(clade_dlist_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_dlist_append(list, clade_host(values), clade_no_array(), WARM_KEYS,
                                    clade_no_array(), NULL);
    clade_dlist_destroy(&list);
    return status;
}
