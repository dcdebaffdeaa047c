/* SPDX-License-Identifier: Apache-2.0 */
/* Ad-heap: what its files share. */
#pragma once

#include "clade/adheap.h"
#include "internal.h"

enum {
    ADHEAP_CLEAR,
    ADHEAP_INSERT,
    ADHEAP_DELETE,
    ADHEAP_UPDATE,
    ADHEAP_FEED,
    ADHEAP_BUILD,
    ADHEAP_SIZES,
    ADHEAP_KERNELS
};

struct clade_adheap {
    struct cladei_object object;
    clade_adheap_params params;
    clade_adheap_head head; /* constant after creation but for the object's error words */
    uint32_t group, groups, build_groups;
    cl_kernel kernels[ADHEAP_KERNELS];
};
