/* SPDX-License-Identifier: Apache-2.0 */
/* How often the search by comparisons looks at a row whose samples are unlike its other keys: as
 * many as clade/kselect/compare.clh says at most, and the range has the k-th key. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long reads;

#define CLADE_KSELECT_SOURCE        const clade_u32 *
#define CLADE_KSELECT_WORD(row, at) (reads++, (row)[at])
#define CLADE_KSELECT_GROUP         1
#define CLADE_KSELECT_KEY           CLADE_U32
#include "clade/kselect.clh"

enum { ENOUGH = 256, BITS = 8 };
/* Rows of so many keys have so many samples: half of the most there are, and all of them. */
static const uint lengths[] = { 1u << 15, 1u << 19 }, numbers[] = { 128, CLADE_KSELECT_HINTS };
static uint length, samples;
/* Guesses before the samples are halved, for each halving of them one look more; then for each bit
 * in which the other keys differ two. A look at least tells that no sample is left. */
static uint most(void)
{
    return CLADE_KSELECT_MISSES + 1u + (31u - clz(samples)) + 2u * BITS + 2u;
}

/* Samples lie before all other keys, or behind them, and those are neighbours. */
static void fill(uint *row, uint is_behind)
{
    uint state = shim_seed();
    for (uint i = 0; i < length; i++) {
        state = state * 1664525u + 1013904223u;
        row[i] = 0x5a000000u + (state >> (32 - BITS));
    }
    for (uint i = 0; i < samples; i++)
        row[clade_kselect_sample_at_wi(i, samples, length)] =
            (is_behind ? 0xff000000u : 0u) + i * 37u % samples * 1000u;
}

static uint look_for(const uint *row, uint k)
{
    reads = 0;
    const clade_kselect_range range = clade_kselect_search_wi(row, length, k, ENOUGH);
    const uint looks = (uint)((reads - samples) / length);
    uint before = 0, members = 0;
    for (uint i = 0; i < length; i++) {
        before += row[i] < range.first;
        members += row[i] - range.first <= range.span;
    }
    const uint is_right = reads % length == samples && before + range.need == k &&
                          members == range.count && range.need <= members &&
                          !(members > ENOUGH && range.span > 0 && range.need < members);
    if (!is_right || looks > most())
        printf("k %u: %u looks of at most %u, from %u on %u words, %u of them\n", k, looks, most(),
               range.first, range.span + 1, range.need);
    return looks > most() || !is_right;
}

static uint look_at_row(uint *row, uint is_behind)
{
    uint wrong = 0;
    fill(row, is_behind);
    for (uint k = 100; k < 1000; k += length < 1u << 19 ? 100 : 450)
        wrong += look_for(row, k);
    for (uint i = 1; i < 4; i++)
        wrong += look_for(row, length / 4 * i);
    return wrong + look_for(row, length - 200);
}

int main(void)
{
    uint wrong = 0;
    for (uint i = 0; i < 2; i++) {
        length = lengths[i];
        samples = numbers[i];
        uint *row = malloc(length * sizeof *row);
        for (uint is_behind = 0; row && is_behind < 2; is_behind++)
            wrong += look_at_row(row, is_behind);
        wrong += !row;
        free(row);
    }
    printf("looks at a row: %u wrong\n", wrong);
    return wrong != 0;
}
