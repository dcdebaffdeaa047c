/* SPDX-License-Identifier: Apache-2.0 */
/* Node numbers of d-ary heaps near the greatest capacity, 2^30 keys: which level a node is on,
 * where that level ends, and the children that a walk looks at; how many lines these lie in, and
 * what is counted of the longest walk. One arity a program (-DARITY), with keys of either width. */
#include "host/device.h"

#include <stdio.h>

#include "harness/end_after.h"

#define CLADE_ADHEAP_ARITY ARITY
#define CLADE_ADHEAP_COUNT 1
#if ARITY == 8 || ARITY == 32
#define CLADE_ADHEAP_KEY CLADE_U64
#else
#define CLADE_ADHEAP_KEY CLADE_U32
#endif
#include "clade/adheap.clh"
#include "clade/adheap/work_group.clh"

enum { HANGS_AFTER = 20, MOST_MOVES = 10 /* with 8 children and 2^30 keys */ };

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

/* The lines of a parent's children, of all of them or of the first few, word by word. */
static int wrong_lines(uint parent)
{
    const uint words = CLADE_ADHEAP_WIDE ? 2 : 1, first = ARITY * parent + 1u;
    uint lines = 0, last = UINT32_MAX;
    int wrong = 0;
    for (uint child = first; child < first + ARITY; child++) {
        for (uint at = 0; at < words; at++) {
            const uint line = ((CLADE_ADHEAP_ROOT + child) * words + at) / CLADE_ADHEAP_WIDTH;
            lines += line != last;
            last = line;
        }
        wrong += clade_adheap_lines_wi(first, child + 1u) != lines;
    }
    return wrong + (clade_adheap_lines_wi(first, first + 3u * ARITY) != lines);
}

/* A dump of as many levels as there are fits into one line. */
static int wrong_counts(uint moves)
{
    enum { FIRST = CLADE_ADHEAP_WALKS, LAST = CLADE_ADHEAP_SCATTERED };
    uint head[LAST + 1] = { 0 };
    const clade_adheap_one heap = { .head = head };
    const uint sums[LAST - FIRST + 1] = { 1, 3, moves, 7 + moves, 7 + 1, moves + 1u };
    int wrong = 0;
    clade_adheap_count_wi(&heap, 3, 7, moves);
    for (uint i = FIRST; i <= LAST; i++)
        wrong += head[i] != sums[i - FIRST];
    return wrong;
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
    for (uint parent = 0; parent < 3 * ARITY; parent++)
        wrong += wrong_lines(parent);
    for (uint moves = 0; moves <= MOST_MOVES; moves++)
        wrong += wrong_counts(moves);
    wrong += clade_adheap_value_wi(NULL, 1) != 0; /* no values are kept */
    printf("ad-heap, arity %d: %d wrong\n", ARITY, wrong);
    return wrong != 0;
}
