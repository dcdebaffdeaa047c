/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the selection. */
#include "warm/warm.h"

clade_status warm_kselect(clade_context *context)
{
    const int keys[WARM_KEYS] = { 3, 1, 2 };
    int least[WARM_KEYS];
    clade_kselect *select = NULL;
    clade_status status = clade_kselect_create(
        &select, context, &(clade_kselect_params) { .length = WARM_KEYS, .k = 2 });
    if (status == CLADE_OK)
        status = clade_kselect_run(select, clade_host(keys), clade_host(least), clade_no_array(), 1,
                                   NULL);
    clade_kselect_destroy(&select);
    return status;
}
