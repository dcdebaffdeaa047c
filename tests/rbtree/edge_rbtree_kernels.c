/* SPDX-License-Identifier: Apache-2.0 */
/* The tree's kernels that have an item for each element: items beyond the last one leave what lies
 * behind the arrays, and scans of one, two and three levels are sums, or maxima, of all before. */
#include "host/device.h"

#include "rbtree/words.h"

#define CLADE_RBTREE_KEY_TYPE   CLADE_I32
#define CLADE_RBTREE_VALUE_TYPE CLADE_U32
#define CLADEI_RADIX_GROUP      1
#define CLADEI_RADIX_TILE       4
#define CLADEI_RADIX_BITS       2
#undef __kernel
#define __kernel static __attribute__((unused))
#ifdef AMEND
#define CLADE_PART 1
#include "kernels/rbtree.cl"
#else
#include "kernels/rbtree_bulk.cl"
#endif
#undef min
#undef max

#include "edges/edge.h"

enum { MOST = 40, FIRST = 2, GUARD = 0x5aa5 };

static void as_item(size_t item)
{
    shim_self =
        (struct shim_item) { .local_size = 1, .global_id = item, .group_id = item, .groups = MOST };
}

#ifdef AMEND
/* A second way's status replaces a first one that asks for it, and no other. */
static void amend(uint count)
{
    static const int kinds[] = { CLADE_OK, CLADE_E_FULL, CLADE_E_BUSY, CLADE_E_NOT_FOUND };
    int statuses[FIRST + MOST + 3], second[MOST + 3];
    for (uint i = 0; i < FIRST + MOST + 3; i++)
        statuses[i] = kinds[i % 4];
    for (uint i = 0; i < MOST + 3; i++)
        second[i] = 1000 + (int)i;
    for (uint i = 0; i < count + 3; i++) {
        as_item(i);
        clade_rbtree_amend(statuses, FIRST, second, count);
    }
    for (uint i = 0; i < FIRST + MOST + 3; i++) {
        const bool replaced = i >= FIRST && i < FIRST + count && (i % 4 == 1 || i % 4 == 2);
        const int wanted = replaced ? 1000 + (int)(i - FIRST) : kinds[i % 4];
        expect(statuses[i] == wanted, "a status", count, i);
    }
}

static void run(uint count)
{
    amend(count);
}
#else
/* The host's way: tiles, sums of tiles, sums of those, and back. */
static void scan(uint *data, uint count, uint *sums, uint first_sum, uint is_max)
{
    const uint tiles = (count + CLADEI_RADIX_TILE - 1) / CLADEI_RADIX_TILE;
    const uint next = first_sum + tiles;
    for (uint tile = 0; tile < tiles; tile++) {
        as_item(tile);
        if (data == sums)
            clade_rbtree_scan_sums(sums, first_sum - count, count, first_sum, is_max);
        else
            clade_rbtree_scan_tiles(data, count, sums, first_sum, is_max);
    }
    if (tiles <= 1)
        return;
    scan(sums, tiles, sums, next, is_max);
    for (uint i = 0; i < count + 3; i++) {
        as_item(i);
        clade_rbtree_scan_spread(data, data == sums ? first_sum - count : 0, count, sums, first_sum,
                                 is_max);
    }
}

static void scans(uint count, uint is_max)
{
    uint given[MOST], data[MOST + 3], sums[MOST], one[MOST + 3], before = 0;
    for (uint i = 0; i < MOST; i++)
        data[i] = given[i] = (i * 7919u + 3u) % 50u;
    for (uint i = count; i < MOST + 3; i++)
        data[i] = GUARD;
    memset(sums, 0, sizeof sums);
    scan(data, count, sums, 0, is_max);
    for (uint i = 0; i < count; i++) { /* sums of those before, maxima with its own */
        if (is_max)
            before = given[i] > before ? given[i] : before;
        expect(data[i] == before, is_max ? "a maximum" : "a sum", count, i);
        if (!is_max)
            before += given[i];
    }
    for (uint i = count; i < MOST + 3; i++)
        expect(data[i] == GUARD, "behind a scan", count, i);
    /* Sums that are there already are spread, and nothing behind them. */
    for (uint i = 0; i < MOST + 3; i++)
        one[i] = GUARD;
    for (uint i = 0; i < count; i++)
        one[i] = 1;
    for (uint i = 0; i < MOST; i++)
        sums[i] = 100 * (i + 1);
    for (uint i = 0; i < count + 3; i++) {
        as_item(i);
        clade_rbtree_scan_spread(one, 0, count, sums, 0, 0);
    }
    for (uint i = 0; i < MOST + 3; i++)
        expect(one[i] == (i < count ? 1 + 100 * (i / CLADEI_RADIX_TILE + 1) : GUARD), "spread",
               count, i);
}

/* Keys as words that sort as they do, and back. */
static void keys(uint count)
{
    int given[FIRST + MOST], back[FIRST + MOST + 3];
    uint images[MOST + 3], items[MOST + 3];
    clade_atomic_u32 unsorted;
    for (uint i = 0; i < FIRST + MOST; i++)
        given[i] = (int)(i * 2654435761u);
    for (uint i = 0; i < MOST + 3; i++)
        images[i] = items[i] = GUARD;
    for (uint i = 0; i < FIRST + MOST + 3; i++)
        back[i] = GUARD;
    for (uint i = 0; i < count + 3; i++) {
        as_item(i);
        clade_rbtree_images(given, FIRST, count, images, items);
        clade_rbtree_user_keys(images, count, back, FIRST);
    }
    for (uint i = 0; i < MOST + 3; i++) {
        const uint image = i < count ? (uint)given[FIRST + i] ^ 0x80000000u : GUARD;
        expect(images[i] == image && items[i] == (i < count ? i : GUARD), "an image", count, i);
    }
    for (uint i = 0; i < FIRST + MOST + 3; i++)
        expect(back[i] == (i >= FIRST && i < FIRST + count ? given[i] : GUARD), "a key", count, i);
    for (uint down = 0; down <= count; down++) { /* after all up to `count`: not looked at */
        for (uint i = 0; i < MOST + 3; i++)
            images[i] = i < down ? i : i - down;
        clade_store_relaxed(&unsorted, 0);
        for (uint i = 0; i < count + 3; i++) {
            as_item(i);
            clade_rbtree_unsorted(images, count, &unsorted);
        }
        /* images[down] is 0, and what is before it is down - 1. */
        expect(clade_load_relaxed(&unsorted) == (down >= count ? 0u
                                                 : down == 1   ? 2u
                                                               : down > 1),
               "unsorted", count, down);
    }
}

static void run(uint count)
{
    scans(count, 0);
    scans(count, 1);
    keys(count);
}
#endif

int main(void)
{
    for (uint count = 1; count <= MOST; count++)
        run(count);
    printf("the tree's kernels: %u wrong\n", wrong);
    return wrong != 0;
}
