/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a dialect compiles and computes: launched by lib/device/caps.c with one work-item. */

#include "clade/atomic.clh"

__kernel void clade_probe(__global clade_atomic_u32 *words)
{
    clade_store_release(&words[0], 7u);
    clade_fence();
    clade_u32 seen = clade_cas_acq_rel(&words[1], 0u, 5u);
    clade_u32 again = clade_cas_relaxed(&words[1], 0u, 9u);
    clade_store_relaxed(&words[2], seen + again);
    clade_add_acquire(&words[3], clade_load_acquire(&words[0]));
    clade_add_release(&words[3], clade_load_relaxed(&words[1]));
    clade_fence_seq_cst();
}
