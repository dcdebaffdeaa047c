/* SPDX-License-Identifier: Apache-2.0 */
/* Multiply numbers and count them. */

#include "clade/atomic.clh"

__kernel void scale(__global float *numbers, float factor, __global clade_atomic_u32 *count)
{
    size_t i = get_global_id(0);
    numbers[i] *= factor;
    clade_add_relaxed(count, 1u);
}
