/* SPDX-License-Identifier: Apache-2.0 */
/* Debug mode on the host: looking through guarded blocks. */
#include "kma_internal.h"

clade_status cladei_kma_check_guards(const clade_kma *kma, const struct cladei_kma_image *image)
{
    (void)kma;
    (void)image;
    return CLADE_OK;
}

uint64_t cladei_kma_requested(const clade_kma *kma, const struct cladei_kma_image *image)
{
    (void)kma;
    (void)image;
    return 0;
}
