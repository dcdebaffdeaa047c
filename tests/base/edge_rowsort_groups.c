/* SPDX-License-Identifier: Apache-2.0 */
/* Rows sorted by groups, on lanes, as GPUs do it: blocks by each item's network, and by merges
 * in local memory of exactly a block; and the merge of two sorted arrays, of every pair of lengths,
 * which each item begins in the middle. With indices equal words keep their order. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define upsample(high, low) ((ulong)(high) << 32 | (low))
#define CLADE_ROWSORT_GROUP 8
#include "clade/base/rowsort.clh"
#undef min
#undef max

#include "edges/edge.h"

enum { GROUP = CLADE_ROWSORT_GROUP, SHARE = 8, BLOCK = GROUP * SHARE };
typedef clade_rowsort_element element;

static struct job {
    element in[BLOCK], out[BLOCK];
    element *a, *b; /* sorted, of exactly these: an element behind is a fault */
    uint a_count, b_count;
} job;

static clade_rowsort_key widen(uint word)
{
    return CLADE_ROWSORT_WIDE ? (clade_rowsort_key)((ulong)word << 20 | word % 1048576u) : word;
}

static uint word_of(uint kind, uint i)
{
    const uint x = (i * 2654435761u) ^ kind * 0x9e3779b1u;
    return kind % 5u == 0   ? x
           : kind % 5u == 1 ? x >> 30
           : kind % 5u == 2 ? i
           : kind % 5u == 3 ? BLOCK - i
                            : 0xffffffffu - (x >> 31);
}

/* No element is before one that is less; a total order, for indices differ. */
static int compare(const void *a, const void *b)
{
    const element x = *(const element *)a, y = *(const element *)b;
    return !clade_rowsort_le(x, y) ? 1 : clade_rowsort_le(y, x) ? 0 : -1;
}

static bool is_same(element x, element y)
{
    return clade_rowsort_le(x, y) && clade_rowsort_le(y, x);
}

static void sort_block(void *argument, void *local)
{
    const uint lid = (uint)get_local_id(0);
    element e[SHARE];
    (void)argument;
    for (uint r = 0; r < SHARE; r++)
        e[r] = job.in[lid * SHARE + r];
    clade_rowsort_block_wg(e, local);
    for (uint r = 0; r < SHARE; r++)
        job.out[lid * SHARE + r] = e[r];
}

/* The arrays lie in local memory of exactly these. */
static void merge_two(void *argument, void *local)
{
    const uint lid = (uint)get_local_id(0), place = lid * SHARE;
    element e[SHARE], *block = local;
    (void)argument;
    for (uint i = lid; i < job.a_count + job.b_count; i += GROUP)
        block[CLADE_ROWSORT_PLACE(i)] = i < job.a_count ? job.a[i] : job.b[i - job.a_count];
    clade_barrier_local();
    clade_rowsort_merge_wi(e, block, 0, job.a_count, job.a_count, job.b_count, place);
    for (uint r = 0; r < SHARE; r++)
        job.out[place + r] = e[r];
}

static void blocks(uint kind, uint count)
{
    element sorted[BLOCK];
    for (uint i = 0; i < BLOCK; i++)
        job.in[i] = i < count ? clade_rowsort_pack(widen(word_of(kind, i)), i) : clade_rowsort_pad();
    memcpy(sorted, job.in, sizeof sorted);
    qsort(sorted, BLOCK, sizeof *sorted, compare);
    shim_launch(sort_block, NULL, 1, GROUP, CLADE_ROWSORT_ROOM * sizeof(element));
    for (uint i = 0; i < BLOCK; i++)
        expect(is_same(job.out[i], sorted[i]), "a block's element", kind, i);
}

static element *made(uint kind, uint count, uint first)
{
    element *all = malloc(count ? count * sizeof *all : 1);
    if (!all)
        exit(1);
    for (uint i = 0; i < count; i++)
        all[i] = clade_rowsort_pack(widen(word_of(kind, first + i)), first + i);
    qsort(all, count, sizeof *all, compare);
    return all;
}

/* Elements of `a` come first among equal words: their indices are less. */
static void merges(uint kind, uint a_count, uint b_count)
{
    element wanted[BLOCK];
    const uint count = a_count + b_count;
    job.a_count = a_count;
    job.b_count = b_count;
    job.a = made(kind, a_count, 0);
    job.b = made(kind, b_count, a_count);
    memcpy(wanted, job.a, a_count * sizeof *wanted);
    memcpy(wanted + a_count, job.b, b_count * sizeof *wanted);
    qsort(wanted, count, sizeof *wanted, compare);
    shim_launch(merge_two, NULL, 1, GROUP, CLADE_ROWSORT_PLACE(count) * sizeof(element) + 1);
    for (uint i = 0; i < BLOCK; i++)
        expect(is_same(job.out[i], i < count ? wanted[i] : clade_rowsort_pad()), "a merged element",
               a_count, b_count);
    for (uint place = 0; place <= count; place++) {
        const uint from_a =
            clade_rowsort_split_wi(job.a, a_count, job.b, b_count, place);
        uint before = 0;
        for (uint i = 0; i < place; i++)
            for (uint j = 0; j < a_count; j++)
                before += is_same(wanted[i], job.a[j]);
        expect(!CLADE_ROWSORT_INDICES || from_a == before, "a split", place, from_a);
    }
    free(job.a);
    free(job.b);
}

int main(void)
{
    for (uint kind = 0; kind < 5; kind++) {
        for (uint count = 0; count <= BLOCK; count += count < 10 ? 1 : 9)
            blocks(kind, count);
        for (uint a_count = 0; a_count <= BLOCK; a_count += a_count < 3 ? 1 : 7)
            for (uint b_count = 0; a_count + b_count <= BLOCK; b_count += b_count < 3 ? 1 : 13)
                merges(kind, a_count, b_count);
    }
    printf("rows by groups: %u wrong\n", wrong);
    return wrong != 0;
}
