/* SPDX-License-Identifier: Apache-2.0 */
/* `clade count`: the most frequent tokens. */
#include "apps/count.h"

/* Whether a comes before b: more often, or as often and earlier in the alphabet. */
static int compare(const struct count_text *text, struct count_entry a, struct count_entry b)
{
    if (a.count != b.count)
        return a.count > b.count ? -1 : 1;
    return count_text_compare(text, a.place, b.place);
}

/* The heap's root is the last one in the order. */
static void sink(const struct count_text *text, struct count_entry *heap, uint64_t n, uint64_t at)
{
    for (uint64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && compare(text, heap[child + 1], heap[child]) > 0)
            child++;
        if (compare(text, heap[child], heap[at]) <= 0)
            return;
        const struct count_entry entry = heap[at];
        heap[at] = heap[child];
        heap[child] = entry;
    }
}

uint64_t count_sort(const struct count_text *text, struct count_result *result, uint64_t most)
{
    struct count_entry *const e = result->entries;
    const uint64_t n = most < result->distinct ? most : result->distinct;
    for (uint64_t i = n / 2; i-- > 0;)
        sink(text, e, n, i);
    for (uint64_t i = n; n > 0 && i < result->distinct; i++)
        if (e[i].count >= e[0].count && compare(text, e[i], e[0]) < 0) {
            const struct count_entry last = e[0];
            e[0] = e[i];
            e[i] = last;
            sink(text, e, n, 0);
        }
    for (uint64_t i = n; i-- > 1;) {
        const struct count_entry last = e[0];
        e[0] = e[i];
        e[i] = last;
        sink(text, e, i, 0);
    }
    return n;
}
