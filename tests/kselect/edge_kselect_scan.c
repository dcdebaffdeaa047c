/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that selects by one look, on lanes, or by one item a group as on CPUs (no LANES): rows
 * of every length, more of them than sub-groups run at once, heaps of exactly the local memory that
 * the host gives. Compared with a sort. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef __kernel
#define __kernel static
#include "kernels/kselect_scan.cl"
#undef min
#undef max

#include "edges/edge.h"

#ifdef LANES
enum { GROUP = 8, SUBGROUPS = GROUP / LANES };
#else
enum { GROUP = 1, SUBGROUPS = 1 };
#endif
enum { GROUPS = 2, ROWS = 7, LONGEST = 90, FIRST = 3, KINDS = 5 };

static struct job {
    uint *keys; /* of exactly these: a key behind them is a fault */
    uint out[FIRST + ROWS * LONGEST + 1], indices[FIRST + ROWS * LONGEST + 1];
    uint length, k, stride;
} job;

static void select_rows(void *argument, void *local)
{
    (void)argument;
    clade_kselect_scan_rows(job.keys, FIRST, job.out, FIRST, job.indices, FIRST - 1u, job.stride,
                            job.length, job.k, ROWS, local);
}

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void check_row(uint row)
{
    const uint *from = job.keys + FIRST + row * job.length;
    const uint *out = job.out + FIRST + row * job.stride;
    const uint *indices = job.indices + FIRST - 1 + row * job.stride;
    int sorted[LONGEST], got[LONGEST];
    unsigned char seen[LONGEST] = { 0 };
    memcpy(sorted, from, job.length * sizeof *sorted);
    memcpy(got, out, job.k * sizeof *got);
    qsort(sorted, job.length, sizeof *sorted, compare);
    qsort(got, job.k, sizeof *got, compare);
    for (uint i = 0; i < job.k; i++) {
        expect(got[i] == sorted[i], "a key", job.length, job.k);
        expect(indices[i] < job.length && from[indices[i]] == out[i] && seen[indices[i]]++ == 0,
               "an index", job.length, job.k);
    }
    for (uint i = job.k; i < job.stride; i++)
        expect(out[i] == 0x5a5a5a5a && indices[i] == 0x5a5a5a5a, "behind a row", job.length, job.k);
}

static void run(uint length, uint k, uint kinds)
{
    job.length = length;
    job.k = k;
    job.stride = k + length % 2u;
    job.keys = malloc((FIRST + ROWS * length) * sizeof *job.keys);
    if (!job.keys)
        exit(1);
    for (uint i = 0; i < FIRST + ROWS * length; i++) { /* falling, rising, few and many different */
        const uint any = i * 2654435761u;
        job.keys[i] = kinds == 0   ? 5000u - i
                      : kinds == 1 ? i
                      : kinds == 2 ? any >> 30
                      : kinds == 3 ? any
                                   : 5000u - 2u * i + (any >> 28); /* mostly falling */
    }
    memset(job.out, 0x5a, sizeof job.out);
    memset(job.indices, 0x5a, sizeof job.indices);
    shim_launch(select_rows, NULL, GROUPS, GROUP, SUBGROUPS * k * 2u * sizeof(uint));
    for (uint row = 0; row < ROWS; row++)
        check_row(row);
    expect(job.out[FIRST + ROWS * job.stride] == 0x5a5a5a5a, "behind all rows", length, k);
    free(job.keys);
}

int main(void)
{
    for (uint length = 1; length <= LONGEST; length += length < 12 ? 1 : 13)
        for (uint k = 1; k <= length; k += k < 4 ? 1 : 10)
            for (uint kinds = 0; kinds < KINDS; kinds++)
                run(length, k, kinds);
    printf("selection by one look: %u wrong\n", wrong);
    return wrong != 0;
}
