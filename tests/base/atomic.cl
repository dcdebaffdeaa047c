/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of tests/base/test_atomic.c. */
#include "clade/atomic.clh"

/* Every read-modify-write once: what each returned, and what it left. */
__kernel void operations(__global clade_atomic_u32 *w, __global uint *out)
{
    out[0] = clade_exchange_acq_rel(&w[0], 5u);
    out[1] = clade_add_release(&w[0], 7u);
    out[2] = clade_sub_acquire(&w[0], 2u);
    out[3] = clade_and_relaxed(&w[0], 6u);
    out[4] = clade_or_acq_rel(&w[0], 0xf0000001u);
    out[5] = clade_max_relaxed(&w[0], 3u);
    out[6] = clade_min_relaxed(&w[0], 9u);
    out[7] = clade_cas_acq_rel(&w[0], 9u, 11u);
    out[8] = clade_cas_relaxed(&w[0], 9u, 12u);
    clade_store_release(&w[1], clade_load_acquire(&w[0]));
    out[9] = clade_load_relaxed(&w[1]);
}

/* One item of a group fences around an atomic in a loop that the others skip. On a device whose
 * fence is a barrier the others get past the next barrier before it. */
__kernel void divergent_fence(__global clade_atomic_u32 *w, __global uint *out, uint n)
{
    __local uint word;
    uint lid = (uint)get_local_id(0);
    if (lid == 0)
        word = 1;
    clade_barrier();
    for (uint i = lid; i < n; i += (uint)get_local_size(0)) {
        clade_exchange_acq_rel(&w[0], 1u);
        word = 2;
    }
    clade_barrier();
    out[get_global_id(0)] = word;
}

/* The same with a constant bound. LLVM turns the loop into one that item 0 alone enters and that
 * goes on while get_local_size(0) is 0: a condition that is the same for all items. PoCL 3.1 then
 * takes the loop for one that all items run together, and with optimization from groups of 4 on
 * the items read `word` before it is 2. So device code takes loop bounds from variables. */
__kernel void constant_bound(__global clade_atomic_u32 *w, __global uint *out)
{
    __local uint word;
    uint lid = (uint)get_local_id(0);
    if (lid == 0)
        word = 1;
    clade_barrier();
    for (uint i = lid; i < 1; i += (uint)get_local_size(0)) {
        clade_exchange_acq_rel(&w[0], 1u);
        word = 2;
    }
    clade_barrier();
    out[get_global_id(0)] = word;
}

/* Branches that end in conditions of their own, then a barrier, in a loop. Without clade_branches_end()
 * PoCL 5.0 stops here while it compiles: "region_entry_barrier != NULL". */
__kernel void branches(__global clade_atomic_u32 *w, __global uint *out, uint rounds)
{
    const uint lid = (uint)get_local_id(0), item = (uint)get_global_id(0);
    uint seen = 0;
    for (uint round = 0; round < rounds; round++) {
        if (lid % 2 == 0) {
            if (lid % 3 == 0)
                clade_add_relaxed(&w[0], 1u);
        } else {
            if (lid % 3 == 0)
                clade_add_relaxed(&w[1], 1u);
        }
        clade_branches_end();
        clade_barrier();
        seen += clade_load_relaxed(&w[0]) + clade_load_relaxed(&w[1]);
        clade_barrier();
    }
    out[item] = seen;
}

/* Counting by all items, in global and in local memory. */
__kernel void count(__global clade_atomic_u32 *w)
{
    __local clade_atomic_u32 sum;
    if (get_local_id(0) == 0)
        clade_store_local(&sum, 0u);
    clade_barrier();
    clade_add_relaxed(&w[0], 1u);
    clade_add_local(&sum, 2u);
    clade_barrier();
    if (get_local_id(0) == 0)
        clade_add_relaxed(&w[1], clade_load_local(&sum));
}

/* How far a loop gets; the sum keeps the compiler from counting in its head. */
__kernel void loop(__global uint *out, uint n)
{
    uint x = out[1], done = 0;
    for (uint i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        done += x != 12345u;
    }
    out[0] = done;
}
