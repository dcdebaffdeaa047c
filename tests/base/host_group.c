/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcast, reductions and scans by groups of threads, against sums of their own. Between the
 * calls there is no barrier: each item reads the local memory before one and writes to it after
 * one, which a barrier at a function's begin and at its end makes right. Then sorts and merges, by
 * all items and by one of them, of arrays of exactly their keys. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>

#define CLADE_GROUP_SCALAR 0
#include "clade/group.clh"

/* Once more, in the form of CPUs. */
#undef CLADE_GROUP_SCALAR
#undef CLADE_TEAM_IS_MINE
#define CLADE_GROUP_SCALAR 1
#define CLADE_TEAM_IS_MINE (get_local_id(0) == 0)
#define CLADE_SORT         alone_u64
#define CLADE_SORT_KEY     ulong
#include "clade/base/sort.clh"
#define CLADE_SORT       alone_u32_u32
#define CLADE_SORT_KEY   uint
#define CLADE_SORT_VALUE uint
#include "clade/base/sort.clh"
#undef min
#undef max

enum { ROUNDS = 40, SIZE_MOST = 9 };

static uint wrong[SIZE_MOST];

static uint value_of(uint round, uint item)
{
    const uint x = (round * 40503u + item * 77u + 1u) * 2654435761u;
    /* Small ones, such as wrap, and some of which every second is 0. */
    return round % 3u == 0u ? x >> 20 : round % 3u == 1u ? x : (x >> 20) * (item & 1u);
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
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0),
               next = (lid + 1u) % size;
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

enum { KINDS = 4, LAST = 0xffffu };

/* Keys and values of one launch, n each. */
static struct {
    uint n;
    uint *keys, *values, *spare_keys, *spare_values, *a, *a_values, *b, *b_values;
    ulong *wide, *wide_spare, *wide_a, *wide_b;
} job;

/* Of many values, of few, in order already, and of the least and the greatest. */
static uint key_at(uint kind, uint i)
{
    const uint x = (i + 1u + kind) * 2654435761u;
    return kind == 0 ? x : kind == 1 ? x >> 30 : kind == 2 ? i / 2u : 0u - (x >> 31);
}

/* Ascending, from a place of its own on; equal ones in both arrays. */
static uint in_order(uint kind, uint i, uint from)
{
    const uint x = kind == 0 ? 2u * i + from : kind == 1 ? i / 3u : kind == 2 ? i + 5u * from : 0u;
    return x + (kind == 3 && i > 4u ? 0xffffffffu : 0u);
}

static ulong wide_of(uint key_)
{
    return (ulong)key_ << 32 | (key_ ^ 0xffu);
}

static uint is_sorted(uint kind)
{
    ulong seen = 0, model[64];
    for (uint i = 0; i < job.n; i++) { /* by insertion */
        uint at = i;
        for (; at > 0 && model[at - 1] > key_at(kind, i); at--)
            model[at] = model[at - 1];
        model[at] = key_at(kind, i);
    }
    for (uint i = 0; i < job.n; i++) {
        const uint from = job.values[i];
        if (job.keys[i] != model[i] || job.wide[i] != wide_of((uint)model[i]) || from >= job.n ||
            (seen >> from & 1u) != 0 || key_at(kind, from) != model[i])
            return 0;
        seen |= 1ul << from;
    }
    return 1;
}

/* The keys of a before equal ones of b. */
static uint is_merged(uint kind, uint na, uint nb)
{
    uint i = 0, j = 0;
    for (uint at = 0; at < na + nb; at++) {
        const uint a = in_order(kind, i, 0), b = in_order(kind, j, 1);
        const uint from_b = i == na || (j < nb && b < a);
        if (job.keys[at] != (from_b ? b : a) || job.values[at] != (from_b ? LAST - j : i) ||
            job.wide[at] != wide_of(from_b ? b : a))
            return 0;
        i += 1u - from_b;
        j += from_b;
    }
    return 1;
}

/* Another item looks at the results each time. Between a call and what is before and after it there
 * is no barrier. */
static void sort_and_merge(void *argument, void *local)
{
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0), n = job.n;
    uint bad = 0;
    (void)argument, (void)local;
    for (uint round = 0; round < 2u * KINDS; round++) {
        const uint kind = round % KINDS, alone = round / KINDS;
        const uint na = (kind + n) % KINDS * n / 3u, nb = n - na;
        uint *const a = job.a + nb, *const b = job.b + na; /* the last ones of their memory */
        uint *const a_values = job.a_values + nb, *const b_values = job.b_values + na;
        ulong *const wide_a = job.wide_a + nb, *const wide_b = job.wide_b + na;
        for (uint i = lid; i < n; i += size) {
            job.keys[i] = key_at(kind, job.values[i] = i);
            job.wide[i] = wide_of(key_at(kind, i));
        }
        (alone ? alone_u32_u32_sort_wg : clade_u32_u32_sort_wg)(job.keys, job.values, n,
                                                                job.spare_keys, job.spare_values);
        (alone ? alone_u64_sort_wg : clade_u64_sort_wg)(job.wide, 0, n, job.wide_spare, 0);
        if (lid == round % size)
            bad += !is_sorted(kind);
        for (uint i = lid; i < na; i += size) {
            a[i] = in_order(kind, a_values[i] = i, 0);
            wide_a[i] = wide_of(a[i]);
        }
        for (uint i = lid; i < nb; i += size) {
            b[i] = in_order(kind, i, 1);
            b_values[i] = LAST - i;
            wide_b[i] = wide_of(b[i]);
        }
        (alone ? alone_u32_u32_merge_wg : clade_u32_u32_merge_wg)(a, a_values, na, b, b_values, nb,
                                                                  job.keys, job.values);
        (alone ? alone_u64_merge_wg : clade_u64_merge_wg)(wide_a, 0, na, wide_b, 0, nb, job.wide,
                                                          0);
        if (lid == round % size)
            bad += !is_merged(kind, na, nb);
        clade_barrier_local();
    }
    wrong[lid] += bad;
}

static void *room(size_t bytes)
{
    void *const made = malloc(bytes);
    if (!made && bytes > 0)
        exit(1);
    return made;
}

static void sorts_of(uint size, uint n)
{
    uint *narrow[8];
    ulong *wide[4];
    for (uint i = 0; i < 8; i++)
        narrow[i] = room(n * sizeof(uint));
    for (uint i = 0; i < 4; i++)
        wide[i] = room(n * sizeof(ulong));
    job.n = n;
    job.keys = narrow[0], job.values = narrow[1];
    job.spare_keys = narrow[2], job.spare_values = narrow[3];
    job.a = narrow[4], job.a_values = narrow[5], job.b = narrow[6], job.b_values = narrow[7];
    job.wide = wide[0], job.wide_spare = wide[1], job.wide_a = wide[2], job.wide_b = wide[3];
    shim_launch(sort_and_merge, NULL, 1, size, 0);
    for (uint i = 0; i < 8; i++)
        free(narrow[i]);
    for (uint i = 0; i < 4; i++)
        free(wide[i]);
}

int main(void)
{
    static const uint sizes[] = { 1, 3, 4 }, counts[] = { 0, 1, 2, 3, 8, 9, 16, 23, 41 };
    uint all = 0;
    for (uint size = 1; size <= SIZE_MOST; size++)
        shim_launch(item, NULL, 1, size, 2u * size * sizeof(uint));
    for (uint i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint j = 0; j < sizeof counts / sizeof *counts; j++)
            sorts_of(sizes[i], counts[j]);
    for (uint i = 0; i < SIZE_MOST; i++)
        all += wrong[i];
    printf("groups: %u wrong\n", all);
    return all != 0;
}
