/* SPDX-License-Identifier: Apache-2.0 */
/* Which units of a pool are free after a bulk call: each word. */
#pragma once

#include "heap/bulk/launch.h"

static struct {
    uint *head; /* of a heap that has nothing but this pool */
    uint low, used;
} freed;

static void free_pool(void *argument, void *local)
{
    cladei_bulk_heap h;
    (void)argument;
    (void)local;
    memset(&h, 0, sizeof h);
    h.head = (clade_front_words)freed.head;
    cladei_bulk_free_pool(h, CLADE_FRONT_POOL_LEAVES, freed.low, freed.used);
}

/* Units 1 .. low and those after `used` are free, and no others: each word of a pool. */
static void check_pool(uint sum_count, uint units, uint low, uint used)
{
    const uint words = 32u * sum_count, sum_lines = sum_count / CLADE_FRONT_LINE + 1;
    const uint at_bits = 60, at_sums = at_bits + sum_count + 1, lines = at_sums + sum_lines + 1;
    uint *head_ = freed.head = room((size_t)lines * CLADE_FRONT_LINE * sizeof(uint));
    uint *expected = room((size_t)lines * CLADE_FRONT_LINE * sizeof(uint));
    head_[CLADE_FRONT_C_BITS + CLADE_FRONT_POOL_LEAVES] = at_bits;
    head_[CLADE_FRONT_C_SUMS + CLADE_FRONT_POOL_LEAVES] = at_sums;
    head_[CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES] = units;
    head_[CLADE_FRONT_C_SUM_COUNT + CLADE_FRONT_POOL_LEAVES] = sum_count;
    memcpy(expected, head_, (size_t)lines * CLADE_FRONT_LINE * sizeof(uint));
    uint *bits = expected + at_bits * CLADE_FRONT_LINE,
         *sums = expected + at_sums * CLADE_FRONT_LINE;
    uint *free_ = expected + CLADE_FRONT_W_FREE + CLADE_FRONT_POOL_LEAVES * CLADE_FRONT_LINE;
    memset(bits, 0, words * sizeof *bits);
    memset(sums, 0, sum_count * sizeof *sums);
    *free_ = 0;
    for (uint u = 1; u < units; u++)
        if (u <= low || u > used) {
            bits[u / 32] |= 1u << u % 32;
            sums[u / 1024] |= 1u << u / 32 % 32;
            ++*free_;
        }
    freed.low = low;
    freed.used = used;
    launch(free_pool);
    for (uint w = 0; w < lines * CLADE_FRONT_LINE; w++)
        expect(head_[w] == expected[w], "a word of a pool", units, w);
    free(head_);
    free(expected);
}

static void pools(void)
{
    static const uint units[] = { 33, 63, 64, 65, 1000, 1023, 1024 };
    for (uint i = 0; i < sizeof units / sizeof units[0]; i++) {
        check_pool(1, units[i], 0, 0);
        check_pool(1, units[i], 16, 16);
        check_pool(1, units[i], 0, units[i] - 1u);
        check_pool(1, units[i], 16, units[i] - 1u);
        check_pool(1, units[i], 31, units[i] - 2u);
        check_pool(1, units[i], 3, 31);
        check_pool(1, units[i], 3, 32);
    }
    check_pool(2, 1025, 16, 1000);
    check_pool(2, 2047, 0, 1023);
    check_pool(33, 32 * 1024 + 7, 16, 700);
    check_pool(33, 33 * 1024, 16, 33 * 1024 - 40);
}
