/* SPDX-License-Identifier: Apache-2.0 */
/* Litmus tests: does this device, with this driver, keep the orders that atomic.clh promises?
 * Launched by `clade selftest`.
 *
 * Instance i of a test has two words of its own, x and y. One work-item plays the first role in
 * instance i and the second in instance i ^ flip, so that the two roles of an instance run in
 * different work-groups at about the same time, and nobody waits. With `ordered` the operations
 * are those that clade's structures use; without, the same accesses with the order left out: that
 * a device shows weak outcomes there, and only there, says that the test can see them. */

#include "clade/atomic.clh"

/* Message passing: x is the message, y the flag. Weak: flag seen, message not.
 * counts[0]: instances that saw the flag; counts[1]: weak ones. */
__kernel void clade_litmus_message(__global clade_atomic_u32 *x, __global clade_atomic_u32 *y,
                                   __global clade_atomic_u32 *counts, uint stride, uint flip,
                                   uint ordered)
{
    uint i = (uint)get_global_id(0), j = i ^ flip;
    clade_store_relaxed(&x[i * stride], 1u);
    if (ordered)
        clade_store_release(&y[i * stride], 1u);
    else
        clade_store_relaxed(&y[i * stride], 1u);
    uint flag, message;
    if (ordered)
        flag = clade_load_acquire(&y[j * stride]);
    else
        flag = clade_load_relaxed(&y[j * stride]);
    message = clade_load_relaxed(&x[j * stride]);
    if (flag)
        clade_add_relaxed(&counts[0], 1u);
    if (flag && !message)
        clade_add_relaxed(&counts[1], 1u);
}

/* Store buffering: each role stores its word and reads the other's. Weak: neither saw the other.
 * What was read goes to seen[2 * i] and seen[2 * i + 1]. */
__kernel void clade_litmus_buffering(__global clade_atomic_u32 *x, __global clade_atomic_u32 *y,
                                     __global uint *seen, uint stride, uint flip, uint ordered)
{
    uint i = (uint)get_global_id(0), j = i ^ flip;
    clade_store_relaxed(&x[i * stride], 1u);
    if (ordered)
        clade_fence_seq_cst();
    seen[2 * i] = clade_load_relaxed(&y[i * stride]);
    clade_store_relaxed(&y[j * stride], 1u);
    if (ordered)
        clade_fence_seq_cst();
    seen[2 * j + 1] = clade_load_relaxed(&x[j * stride]);
}

/* Load buffering: each role reads the other's word and then stores its own. Weak: both saw the
 * other's later store. */
__kernel void clade_litmus_load(__global clade_atomic_u32 *x, __global clade_atomic_u32 *y,
                                __global uint *seen, uint stride, uint flip, uint ordered)
{
    uint i = (uint)get_global_id(0), j = i ^ flip;
    uint first = ordered ? clade_load_acquire(&y[i * stride]) : clade_load_relaxed(&y[i * stride]);
    if (ordered)
        clade_store_release(&x[i * stride], 1u);
    else
        clade_store_relaxed(&x[i * stride], 1u);
    seen[2 * i] = first;
    uint second = ordered ? clade_load_acquire(&x[j * stride]) : clade_load_relaxed(&x[j * stride]);
    if (ordered)
        clade_store_release(&y[j * stride], 1u);
    else
        clade_store_relaxed(&y[j * stride], 1u);
    seen[2 * j + 1] = second;
}

/* Lock hand-over: every group takes one lock `rounds` times and each item adds 1 to its own plain
 * cell. words[0] is the lock, words[1] counts rounds given up, words[2] rounds done.
 * The wait is for a holder that has started, and bounded. */
__kernel void clade_litmus_lock(__global clade_atomic_u32 *words, volatile __global uint *cells,
                                uint rounds, uint ordered)
{
    __local uint held;
    uint lid = (uint)get_local_id(0);
    for (uint round = 0; round < rounds; round++) {
        if (lid == 0) {
            held = 0;
            for (uint tries = 0; tries < CLADE_SPIN_LIMIT && !held; tries++)
                held =
                    clade_load_relaxed(&words[0]) == 0 && clade_cas_relaxed(&words[0], 0u, 1u) == 0;
            if (ordered)
                clade_fence_acquire();
        }
        clade_barrier();
        uint mine = held;
        if (mine) {
            if (ordered)
                clade_fence_acquire();
            cells[lid] = cells[lid] + 1u;
            if (ordered)
                clade_fence_release();
        }
        clade_barrier();
        if (lid == 0) {
            clade_add_relaxed(&words[mine ? 2 : 1], 1u);
            if (mine && ordered)
                clade_store_release(&words[0], 0u);
            else if (mine)
                clade_store_relaxed(&words[0], 0u);
        }
        clade_barrier();
    }
}
