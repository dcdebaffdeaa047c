/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the semi-linked list. */
#include "warm/warm.h"

/* What places hold is copied from a short list; a kernel asks those of a long one. */
enum { MANY = 20000 };

clade_status warm_semilist(clade_context *context)
{
    static const uint32_t keys[MANY];
    clade_semilist *list = NULL;
    clade_status status =
        clade_semilist_create(&list, context, &(clade_semilist_params) { .capacity = MANY });
    if (status == CLADE_OK)
        status = clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_no_array(),
                                       MANY, NULL);
    if (status == CLADE_OK)
        status = clade_semilist_reclaim(list, NULL);
    if (status == CLADE_OK)
        status = clade_semilist_check(list);
    clade_semilist_destroy(&list);
    return status;
}
