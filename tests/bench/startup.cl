/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest kernel of a user: what a start-up is timed with (tests/bench/bench_startup.c). */

#include "clade/atomic.clh"

__kernel void count(__global clade_atomic_u32 *sum)
{
    clade_add_relaxed(sum, 1u);
}
