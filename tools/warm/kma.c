/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the allocator. */
#include "warm/warm.h"

clade_status warm_kma(clade_context *context)
{
    uint32_t refs[WARM_KEYS];
    clade_kma *kma = NULL;
    clade_status status = clade_kma_create(&kma, context, &(clade_kma_params) { .bytes = 1 << 20 });
    if (status == CLADE_OK)
        status = clade_kma_malloc(kma, clade_no_array(), 64, clade_host(refs), WARM_KEYS, NULL);
    if (status == CLADE_OK)
        status = clade_kma_free(kma, clade_host(refs), WARM_KEYS, NULL);
    clade_kma_destroy(&kma);
    return status;
}
