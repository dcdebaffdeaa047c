/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the selection. */
#include "warm/warm.h"

enum { LONGEST = 1000 };

static clade_status use_kselect(clade_context *context, uint64_t length, uint64_t k)
{
    int keys[LONGEST] = { 3, 1, 2 }, least[LONGEST];
    clade_kselect *select = NULL;
    clade_status status = clade_kselect_create(
        &select, context, &(clade_kselect_params) { .length = length, .k = k });
    if (status == CLADE_OK)
        status = clade_kselect_run(select, clade_host(keys), clade_host(least), clade_no_array(), 1,
                                   NULL);
    clade_kselect_destroy(&select);
    return status;
}

/* Rows that are ranked whole, and longer ones; a tenth of these, which is too many for a scan. */
clade_status warm_kselect(clade_context *context)
{
    const clade_status status = use_kselect(context, WARM_KEYS, 2);
    return status == CLADE_OK ? use_kselect(context, LONGEST, LONGEST / 10) : status;
}
