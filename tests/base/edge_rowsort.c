/* SPDX-License-Identifier: Apache-2.0 */
/* Rows sorted by one item, as groups of one do it: few elements by insertion, more by digits, in
 * memory that has not a word more than is asked for. With indices equal words come in their order,
 * whatever the order is in which they were. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>

#define upsample(high, low) ((ulong)(high) << 32 | (low))
#include "clade/base/rowsort.clh"
#undef min
#undef max

static uint random_state;

static uint draw(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 4;
}

/* A word of as many bits as those here; wide ones differ in both halves. */
static clade_rowsort_key widen(uint word)
{
    return CLADE_ROWSORT_WIDE ? (clade_rowsort_key)((ulong)word << 20 | word % 1048576u) : word;
}

static uint narrow(clade_rowsort_key word)
{
    return CLADE_ROWSORT_WIDE ? (uint)((ulong)word >> 20) : (uint)word;
}

/* Indices as they are, backwards, or in some order; each comes once. */
static uint wrong_in(uint count, uint kind, uint order)
{
    const size_t bytes = count * sizeof(clade_rowsort_element);
    clade_rowsort_element *a = malloc(bytes), *b = malloc(bytes);
    uint *bins = malloc(CLADE_ROWSORT_BINS * sizeof *bins), wrong = 0, sums[2] = { 0, 0 };
    for (uint i = 0; i < count; i++) {
        const uint word = kind == 0   ? draw() * 16u + draw() % 16u
                          : kind == 1 ? 0xffffffffu - draw() % 3u
                          : kind == 2 ? (draw() % 5u) << 11 | (draw() % 3u) << 22 /* digits' ends */
                                      : count - i;
        const uint index = order == 0   ? i
                           : order == 1 ? count - 1u - i
                                        : (uint)((ulong)i * 7919u % count); /* a prime */
        a[i] = clade_rowsort_pack(widen(word), index << 11 | index >> 11);
        sums[0] += word * (clade_rowsort_index(a[i]) + 1u);
    }
    const clade_rowsort_element *sorted = clade_rowsort_wi(a, b, count, bins);
    for (uint i = 0; i < count; i++) {
        wrong += i > 0 && clade_rowsort_le(sorted[i], sorted[i - 1]);
        sums[1] += narrow(clade_rowsort_word(sorted[i])) * (clade_rowsort_index(sorted[i]) + 1u);
    }
    free(a);
    free(b);
    free(bins);
    return wrong + (sums[0] != sums[1]);
}

int main(void)
{
    uint wrong = 0;
    random_state = shim_seed();
    for (uint kind = 0; kind < 4; kind++)
        for (uint count = 1; count < 5000; count += count < 70 ? 1 : count / 3)
            for (uint order = 0; order < 3; order++)
                wrong += wrong_in(count, kind, order);
    printf("rows: %u wrong\n", wrong);
    return wrong != 0;
}
