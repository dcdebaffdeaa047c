/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the semi-linked list. */
#include "warm/warm.h"

clade_status warm_semilist(clade_context *context)
{
    const uint32_t keys[WARM_KEYS] = { 3, 1, 2 };
    clade_semilist *list = NULL;
    clade_status status =
        clade_semilist_create(&list, context, &(clade_semilist_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_no_array(),
                                       WARM_KEYS, NULL);
    if (status == CLADE_OK)
        status = clade_semilist_check(list);
    clade_semilist_destroy(&list);
    return status;
}
