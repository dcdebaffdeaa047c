/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcast, reductions and scans by groups of threads, against sums of their own. Between the calls
 * there is no barrier: each item reads the local memory before one and writes to it after one, which
 * a barrier at a function's begin and at its end makes right. */
#include "host/device.h"

#include <stdio.h>

#include "clade/group.clh"
#undef min
#undef max

enum { ROUNDS = 40, SIZE_MOST = 9 };

static uint wrong[SIZE_MOST];

static uint value_of(uint round, uint item)
{
    const uint x = (round * 40503u + item * 77u + 1u) * 2654435761u;
    return round % 3u == 0u ? x >> 20 : x; /* small ones, and such as wrap */
}

/* What the functions must answer, by one item alone. */
struct answers {
    uint add, min, max, before, total, before_up, total_up;
};

static struct answers answers_of(uint round, uint item, uint size)
{
    struct answers a = { 0, 0xffffffffu, 0, 0, 0, 0, 0 };
    ulong before = 0, all = 0;
    for (uint i = 0; i < size; i++) {
        const uint value = value_of(round, i);
        a.min = value < a.min ? value : a.min;
        a.max = value > a.max ? value : a.max;
        before += i < item ? value : 0u;
        all += value;
    }
    a.add = a.total = (uint)all;
    a.before = (uint)before;
    a.before_up = before > 0xffffffffu ? 0xffffffffu : (uint)before;
    a.total_up = all > 0xffffffffu ? 0xffffffffu : (uint)all;
    return a;
}

static void item(void *argument, void *local)
{
    uint *const words = local;
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0), next = (lid + 1u) % size;
    uint seen = 0, bad = 0;
    (void)argument;
    for (uint round = 0; round < ROUNDS; round++) {
        const uint value = value_of(round, lid), from = round % size;
        const struct answers wanted = answers_of(round, lid, size);
        uint total = 0;
#define READ_THEM  seen += words[next] + words[size + next] + words[0]
#define WRITE_THEM words[lid] = words[size + lid] = seen
        READ_THEM;
        bad += clade_broadcast_wg(value, from, words) != value_of(round, from);
        WRITE_THEM;
        clade_barrier_local();
        READ_THEM;
        bad += clade_reduce_add_wg(value, words) != wanted.add;
        WRITE_THEM;
        clade_barrier_local();
        READ_THEM;
        bad += clade_reduce_min_wg(value, words) != wanted.min;
        WRITE_THEM;
        clade_barrier_local();
        READ_THEM;
        bad += clade_reduce_max_wg(value, words) != wanted.max;
        WRITE_THEM;
        clade_barrier_local();
        READ_THEM;
        bad += clade_scan_wg(value, words, &total) != wanted.before;
        WRITE_THEM;
        bad += total != wanted.total;
        clade_barrier_local();
        READ_THEM;
        bad += clade_scan_up_wg(value, words, &total) != wanted.before_up;
        WRITE_THEM;
        bad += total != wanted.total_up;
        clade_barrier_local();
    }
    wrong[lid] += bad;
}

int main(void)
{
    uint all = 0;
    for (uint size = 1; size <= SIZE_MOST; size++)
        shim_launch(item, NULL, 1, size, 2u * size * sizeof(uint));
    for (uint i = 0; i < SIZE_MOST; i++)
        all += wrong[i];
    printf("groups: %u wrong\n", all);
    return all != 0;
}
