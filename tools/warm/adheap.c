/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the ad-heap. */
#include "warm/warm.h"

clade_status warm_adheap(clade_context *context)
{
    const int keys[WARM_KEYS] = { 3, 1, 2 };
    const clade_adheap_params params = { .heaps = 1, .capacity = 1000 };
    clade_adheap *heaps = NULL;
    clade_status status = clade_adheap_create(&heaps, context, &params);
    if (status == CLADE_OK)
        status = clade_adheap_insert(heaps, clade_host(keys), clade_no_array(), WARM_KEYS,
                                     clade_no_array(), NULL);
    clade_adheap_destroy(&heaps);
    return status;
}
