/* SPDX-License-Identifier: Apache-2.0 */
#include "lin/util.h"

#include <stdlib.h>

static int by_ticket(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool cladei_lin_times(lin_times *times, const lin_op *ops, size_t n)
{
    size_t k = 0, m = 0;
    times->t = malloc((2 * n + 1) * sizeof *times->t);
    if (!times->t)
        return false;
    for (size_t i = 0; i < n; i++) {
        times->t[k++] = ops[i].inv;
        times->t[k++] = ops[i].res;
    }
    times->t[k++] = LIN_PENDING;
    qsort(times->t, k, sizeof *times->t, by_ticket);
    for (size_t i = 0; i < k; i++)
        if (i == 0 || times->t[i] != times->t[m - 1])
            times->t[m++] = times->t[i];
    times->n = m;
    return true;
}

uint32_t cladei_lin_rank(const lin_times *times, uint64_t ticket)
{
    size_t lo = 0, hi = times->n - 1;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (times->t[mid] < ticket)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (uint32_t)lo;
}

enum { DIGIT = 11, BUCKETS = 1 << DIGIT };

/* One pass over digit `shift` of the key, or of the id. */
static void pass(const lin_item *from, lin_item *to, size_t n, bool by_id, unsigned shift)
{
    size_t starts[BUCKETS] = { 0 }, sum = 0;
    for (size_t i = 0; i < n; i++)
        starts[(by_id ? from[i].id : from[i].key) >> shift & (BUCKETS - 1)]++;
    for (size_t b = 0; b < BUCKETS; b++) {
        const size_t count = starts[b];
        starts[b] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[(by_id ? from[i].id : from[i].key) >> shift & (BUCKETS - 1)]++] = from[i];
}

bool cladei_lin_sort(lin_item **items, size_t n)
{
    uint64_t key = 0, id = 0; /* bits in which some items differ */
    lin_item *from = *items, *to = malloc((n + 1) * sizeof *to);
    if (!to)
        return false;
    for (size_t i = 1; i < n; i++) {
        key |= from[i].key ^ from[0].key;
        id |= from[i].id ^ from[0].id;
    }
    for (int by_id = 1; by_id >= 0; by_id--)
        for (unsigned shift = 0; shift < 64; shift += DIGIT)
            if ((by_id ? id : key) >> shift & (BUCKETS - 1)) {
                lin_item *sorted = to;
                pass(from, to, n, by_id, shift);
                to = from;
                from = sorted;
            }
    free(to);
    *items = from;
    return true;
}

bool cladei_lin_cover(lin_cover *cover, const lin_times *times)
{
    cover->points = (uint32_t)(2 * times->n);
    cover->next = malloc((cover->points + 1) * sizeof *cover->next);
    if (!cover->next)
        return false;
    for (uint32_t i = 0; i <= cover->points; i++)
        cover->next[i] = i;
    return true;
}

static uint32_t find(lin_cover *cover, uint32_t point)
{
    uint32_t root = point;
    while (cover->next[root] != root)
        root = cover->next[root];
    while (cover->next[point] != root) {
        uint32_t up = cover->next[point];
        cover->next[point] = root;
        point = up;
    }
    return root;
}

void cladei_lin_cover_between(lin_cover *cover, uint32_t b, uint32_t c)
{
    if (b >= c)
        return;
    for (uint32_t p = find(cover, 2 * b + 1); p < 2 * c; p = find(cover, p))
        cover->next[p] = p + 1;
}

bool cladei_lin_free(lin_cover *cover, uint32_t lo, uint32_t hi)
{
    return lo <= hi && find(cover, 2 * lo) <= 2 * hi;
}

lin_verdict cladei_lin_bad(lin_report *report, const char *why, size_t op, size_t other)
{
    if (report)
        *report = (lin_report) { why, op, other };
    return LIN_BAD;
}
