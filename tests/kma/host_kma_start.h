/* SPDX-License-Identifier: Apache-2.0 */
/* What clade_kma_clear() does, by host threads. Include it behind kernels/kma.cl. */
#pragma once

#include "kma/host_kma.h"

/* One item's share of what lies ready, if others do the rest. */
static inline void host_kma_make_ready(__global clade_kma_head *kma, size_t first, size_t step)
{
    const struct shim_item self = shim_self;
    for (size_t i = first; i < (size_t)kma->ready_classes << kma->part_bits; i += step) {
        shim_self.global_id = i;
        clade_kma_make_ready(kma);
    }
    shim_self = self;
}

static inline void host_kma_start(__global clade_kma_head *kma)
{
    host_kma_clear((void *)kma);
    host_kma_make_ready(kma, 0, 1);
}

/* The same as launches: all of it by one item, or the words by one and what lies ready by many. */
static inline void run_start(void *argument, void *local)
{
    (void)local;
    host_kma_start(argument);
}

static inline void run_clear(void *argument, void *local)
{
    (void)local;
    host_kma_clear(argument);
}

static inline void run_make_ready(void *argument, void *local)
{
    (void)local;
    host_kma_make_ready(argument, get_global_id(0), get_global_size(0));
}
