/* SPDX-License-Identifier: Apache-2.0 */
/* Node numbers of d-ary heaps near the greatest capacity, 2^30 keys: which level a node is on,
 * where that level ends, and the children that a walk looks at. One arity a program (-DARITY). */
#include "host/device.h"

#include <stdio.h>

#include "harness/end_after.h"

#define CLADE_ADHEAP_ARITY ARITY
#define CLADE_ADHEAP_KEY   CLADE_U32
#include "clade/adheap.clh"
#include "clade/adheap/work_group.clh"

enum { HANGS_AFTER = 20 };

static int wrong_level(uint node)
{
    uint64_t first = 0, end = 1;
    uint got_end = 0;
    while (end <= node) {
        first = end;
        end = end * ARITY + 1u;
    }
    if (end > UINT32_MAX)
        end = UINT32_MAX;
    const uint got = clade_adheap_level_wi(node, &got_end);
    if (got == first && got_end == end)
        return 0;
    printf("node %u: level %u .. %u, not %llu .. %llu\n", node, got, got_end,
           (unsigned long long)first, (unsigned long long)end);
    return 1;
}

/* The first child of the deepest parent, and one behind the last, as the walk computes them. */
static int wrong_children(uint size)
{
    const uint parents = (size - 1u + CLADE_ADHEAP_ARITY - 1u) / CLADE_ADHEAP_ARITY;
    const uint64_t first = (uint64_t)ARITY * (parents - 1u) + 1u;
    return first >= size || first + ARITY > UINT32_MAX;
}

int main(void)
{
    const uint most = 1u << 30;
    int wrong = 0;
    end_after(HANGS_AFTER); /* a level that wraps to itself is looked for without end */
    for (uint64_t end = 1; end <= most; end = end * ARITY + 1u)
        for (uint64_t node = end - 1; node <= end + 1 && node < most; node++)
            wrong += wrong_level((uint)node);
    wrong += wrong_level(most - 1u) + wrong_level(most / 2u);
    for (uint size = 2; size <= 3 * ARITY; size++)
        wrong += wrong_children(size) + wrong_children(most - size);
    wrong += wrong_children(most);
    printf("ad-heap, arity %d: %d wrong\n", ARITY, wrong);
    return wrong != 0;
}
