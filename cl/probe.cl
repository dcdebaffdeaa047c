/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a dialect compiles and computes: launched by lib/caps.c with one work-item. */

#include "clade/atomic.clh"
#include "clade/sub.clh"

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
    /* One item: each is the identity, where the device has it. Not there: this does not compile. */
    clade_u32 set = clade_sub_match(clade_sub_active(), seen);
    clade_u32 same = clade_sub_shuffle(set, clade_sub_or(set, seen), clade_sub_first(set));
    clade_add_relaxed(&words[2], same - seen);
}
