/* SPDX-License-Identifier: Apache-2.0 */
#define CLADE_HASHMAP sums
#include "clade/hashmap.clh"

/* One work-item for each pair of numbers from 1 to SIDE. */
__kernel void taxi(__global clade_hashmap_head *map, __global uint *twice, __global uint *failed)
{
    const uint item = (uint)get_global_id(0), a = item / SIDE + 1, b = item % SIDE + 1;
    const uint sum = a * a * a + b * b * b;
    uint other;
    if (item >= SIDE * SIDE || a >= b)
        return;

    /* Whoever comes first with a sum notes its own pair. */
    int status = sums_insert_wi(map, sum, a * 100 + b);

    /* The others read whose pair is there. */
    if (status == CLADE_HASHMAP_PRESENT) {
        status = sums_find_wi(map, sum, &other);
        twice[item * 3] = sum;
        twice[item * 3 + 1] = min(a * 100 + b, other);
        twice[item * 3 + 2] = max(a * 100 + b, other);
    }
    if (status < 0)
        *failed = 1;
}
