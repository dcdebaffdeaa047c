/* SPDX-License-Identifier: Apache-2.0 */
/* Radix sort and scans over several tiles, of which the last is not full, by groups of one item and
 * of several (RADIX_GROUP): each pass is a stable sort by one digit, and what lies behind the
 * arrays stays. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef RADIX_TILE
#define RADIX_TILE 16
#endif
#define CLADEI_RADIX_GROUP RADIX_GROUP
#define CLADEI_RADIX_TILE  RADIX_TILE
#ifndef RADIX_BITS
#define RADIX_BITS 2
#endif
#define CLADEI_RADIX_BITS RADIX_BITS
#ifdef OF_TREE /* by the tree's kernels, with local memory of their own */
#include "rbtree/words.h"
#define CLADE_RBTREE_KEY_TYPE CLADE_I64
#undef __kernel
#define __kernel static
#include "kernels/rbtree_bulk.cl"
#else
typedef ulong cladei_radix_key;
#define CLADEI_RADIX_FLIP 0x8000000000000001ul
#include "clade/base/radix.clh"
#endif
#undef min
#undef max

#include "edges/edge.h"

enum {
    MOST = (RADIX_TILE > 16 ? 3 : 4) * RADIX_TILE + 11,
    TILES = MOST / RADIX_TILE + 1,
    DIGITS = 1 << RADIX_BITS,
    FIRST = 3, /* elements before the keys */
    GUARD = 0x5aa5
};

static struct job {
    cladei_radix_key *before, *keys, to_keys[MOST + 1]; /* `before`, then the keys, and no more */
    uint *items, to_items[MOST + 1];
    uint histogram[DIGITS * TILES + 1], starts[DIGITS * TILES];
    union {
        struct {
            uint data[MOST + 1], sums[TILES + 1];
        };
        uint both[MOST + TILES + 2];
    };
    uint count, tiles, shift, is_first, is_max, is_upper;
} job;

#if RADIX_GROUP == 1
typedef uint counts_type;
enum { LOCAL_BYTES = DIGITS * sizeof(uint) };
#else
typedef clade_atomic_u32 counts_type;
enum {
    LOCAL_BYTES =
        sizeof(cladei_radix_local) > 64 * DIGITS ? sizeof(cladei_radix_local) : 64 * DIGITS
};
#endif

static void spoil(void *local)
{
    if (get_local_id(0) == 0)
        memset(local, 0xcd, LOCAL_BYTES);
    barrier(CLK_LOCAL_MEM_FENCE);
}

#ifdef OF_TREE
static void count_tile(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_rbtree_sort_count(job.before, FIRST, job.count, job.shift, job.histogram, job.tiles,
                            job.is_first);
}

static void move_tile(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_rbtree_sort_move(job.before, FIRST, job.items, job.to_keys, job.to_items, job.count,
                           job.shift, job.starts, job.tiles, job.is_first);
}

/* A scan, or one of its upper level's, whose sums are behind its data. */
static void scan_tile(void *argument, void *local)
{
    (void)argument;
    (void)local;
    if (job.is_upper)
        clade_rbtree_scan_sums(job.both, 0, job.count, MOST + 1, job.is_max);
    else
        clade_rbtree_scan_tiles(job.data, job.count, job.both, MOST + 1, job.is_max);
}
#else
static void count_tile(void *argument, void *local)
{
    (void)argument;
    spoil(local);
    cladei_radix_count_tile(job.keys, job.count, job.shift, job.histogram, job.tiles, job.is_first,
                            (counts_type *)local);
}

static void move_tile(void *argument, void *local)
{
    (void)argument;
    spoil(local);
    cladei_radix_move_tile(job.keys, job.items, job.to_keys, job.to_items, job.count, job.shift,
                           job.starts, job.tiles, job.is_first, local);
}

static void scan_tile(void *argument, void *local)
{
    (void)argument;
    spoil(local);
    cladei_radix_scan_tile(job.data, job.count, job.sums, local, job.is_max);
}
#endif

static uint digit_of(cladei_radix_key key)
{
    return (uint)(key >> job.shift) % DIGITS;
}

static cladei_radix_key image_of(cladei_radix_key key)
{
    return job.is_first ? key ^ (cladei_radix_key)CLADEI_RADIX_FLIP : key;
}

static void run(void (*kernel)(void *, void *))
{
    shim_launch(kernel, NULL, job.tiles, RADIX_GROUP, LOCAL_BYTES);
}

/* is_first: keys become images, and items are not read. */
static void sort_by_a_digit(uint count, uint shift, uint is_first)
{
    uint before = 0;
    memset(&job, 0x77, sizeof job);
    job.before = malloc((FIRST + count) * sizeof *job.before);
    job.items = malloc(count * sizeof *job.items);
    if (!job.before || !job.items)
        exit(1);
    memset(job.before, 0x77, FIRST * sizeof *job.before);
    job.keys = job.before + FIRST;
    job.is_first = is_first;
    job.count = count;
    job.tiles = (count + RADIX_TILE - 1) / RADIX_TILE;
    job.shift = shift;
    for (uint i = 0; i < count; i++) {
        job.keys[i] = (cladei_radix_key)draw(4) << 62 | (cladei_radix_key)draw(1u << 16) << 32 |
                      draw(1u << 16);
        job.items[i] = is_first ? GUARD : i;
    }
    job.histogram[DIGITS * job.tiles] = GUARD;
    run(count_tile);
    expect(job.histogram[DIGITS * job.tiles] == GUARD, "behind the histogram", count, shift);
    for (uint d = 0; d < DIGITS; d++)
        for (uint tile = 0; tile < job.tiles; tile++) {
            uint here = 0;
            for (uint i = tile * RADIX_TILE; i < count && i < (tile + 1) * RADIX_TILE; i++)
                here += digit_of(image_of(job.keys[i])) == d;
            expect(job.histogram[d * job.tiles + tile] == here, "how often a digit comes",
                   job.histogram[d * job.tiles + tile], here);
            job.starts[d * job.tiles + tile] = before;
            before += here;
        }
    job.to_keys[count] = GUARD;
    job.to_items[count] = GUARD;
    run(move_tile);
    expect(job.to_keys[count] == GUARD && job.to_items[count] == GUARD, "behind the keys", count,
           shift);
    for (uint i = 0; i < count; i++) {
        const uint item = job.to_items[i];
        expect(item < count && job.to_keys[i] == image_of(job.keys[item]), "another's key", i,
               item);
        expect(i == 0 || digit_of(job.to_keys[i - 1]) < digit_of(job.to_keys[i]) ||
                   (digit_of(job.to_keys[i - 1]) == digit_of(job.to_keys[i]) &&
                    job.to_items[i - 1] < item),
               "not sorted, or not stably", count, i);
    }
    free(job.before);
    free(job.items);
}

static void scan(uint count, uint is_max)
{
    uint given[MOST], total = 0;
    memset(&job, 0x77, sizeof job);
    job.count = count;
    job.tiles = (count + RADIX_TILE - 1) / RADIX_TILE;
    job.is_max = is_max;
    job.is_upper = count % 2u;
    for (uint i = 0; i < count; i++)
        given[i] = job.data[i] = draw(1000);
    job.data[count] = GUARD;
    job.sums[job.tiles] = GUARD;
    run(scan_tile);
    expect(job.data[count] == GUARD && job.sums[job.tiles] == GUARD, "behind the sums", count,
           is_max);
    for (uint i = 0; i < count; i++) {
        const uint old = i % RADIX_TILE == 0 ? 0 : total;
        total = is_max ? (old > given[i] ? old : given[i]) : old + given[i];
        expect(job.data[i] == (is_max ? total : old), is_max ? "a maximum" : "a sum", i,
               job.data[i]);
        if (i % RADIX_TILE == RADIX_TILE - 1 || i + 1 == count)
            expect(job.sums[i / RADIX_TILE] == total, "a tile's own", i / RADIX_TILE,
                   job.sums[i / RADIX_TILE]);
    }
}

int main(void)
{
    random_state = shim_seed();
    for (uint count = 1; count <= MOST;
         count += (count < 35 ? 1 : 10) * (RADIX_TILE > 16 ? 9 : 1)) {
        sort_by_a_digit(count, 0, 0);
        sort_by_a_digit(count, 34, 0);
        sort_by_a_digit(count, 0, 1);
        sort_by_a_digit(count, 62, 1);
        scan(count, 0);
        scan(count, 1);
    }
    printf("radix sort by groups of %d: %u wrong\n", RADIX_GROUP, wrong);
    return wrong != 0;
}
