/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine when no block is left for one key that is inside very often: what is
 * refused takes no leaves with it, and the first key is found though the leaf that is open has
 * none. And a leaf by itself, with a few blocks left: it ends where they do, and no other word of
 * any leaf changes. */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"
#include "heap/front/host_units.h"

enum { CAPACITY = 16384, KEY = 77 };

static void *heap;
static uint wrong, accepted, refused;

static void expect(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", what);
    wrong++;
}

static uint leaves_left(void)
{
    return clade_load_relaxed((clade_front_words)heap + CLADE_FRONT_W_FREE +
                              CLADE_FRONT_POOL_LEAVES * CLADE_FRONT_LINE);
}

static uint insert(__local clade_heap_scratch *s, clade_i32 *status)
{
    for (uint i = 0; i < BATCH; i++)
        clade_heap_set_wi(s, i, KEY, i);
    *status = clade_heap_insert_wg(heap, s, BATCH);
    accepted += *status == CLADE_OK;
    refused += *status != CLADE_OK;
    return clade_heap_taken_wi(s);
}

static uint drain(__local clade_heap_scratch *s)
{
    uint got = 1, all = 0;
    for (; got > 0; all += got)
        expect(clade_heap_pop_wg(heap, s, BATCH, &got) == CLADE_OK, "a pop gave up");
    return all;
}

/* *argument: how many keys there are before memory ends. */
static void run(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    const uint before = *(const uint *)argument;
    clade_i32 status;
    uint inside = 0;
    while (inside < before)
        inside += insert(s, &status);
    const host_units hidden = host_units_hide(heap, CLADE_FRONT_POOL_BLOCKS, 0);
    uint taken = BATCH;
    for (uint t = 0; t < 100 && taken == BATCH; t++) {
        taken = insert(s, &status);
        inside += taken;
    }
    expect(taken < BATCH && status == CLADE_E_FULL, "an insert without memory is not refused");
    const uint leaves = leaves_left();
    for (uint t = 0; t < 20; t++)
        inside += insert(s, &status);
    printf("%u keys: %u leaves are free, then %u\n", inside, leaves, leaves_left());
    expect(leaves_left() >= leaves && leaves > 1000, "inserts that were refused took leaves");
    expect(clade_load_relaxed((clade_front_words)heap + CLADE_FRONT_S_REFUSED) == refused,
           "the count of what was refused is another");
    expect(clade_load_relaxed((clade_front_words)heap + CLADE_FRONT_S_INSERTS) == accepted,
           "the count of what was inserted is another");
    expect(clade_heap_first_wg(heap, s) && clade_heap_key_wi(s, 0) == KEY,
           "the first key is another");
    host_units_show(heap, CLADE_FRONT_POOL_BLOCKS, hidden);
    expect(clade_heap_first_wg(heap, s) && clade_heap_key_wi(s, 0) == KEY,
           "the first key is another");
    expect(insert(s, &status) == BATCH && status == CLADE_OK,
           "memory is there again, and is not used");
    expect(drain(s) == inside + BATCH, "not as many keys came out as went in");
}

/* A leaf is to have blocks 0 to b, and `units` are left. */
static void end_leaf(uint units, uint b)
{
    enum { BLOCK = LEAF / CLADE_FRONT_BLOCKS };
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint leaf = clade_heap_front_walk_wi(h, KEY).ref >> 1;
    clade_front_words l = clade_heap_front_leaf(h, leaf), all = clade_heap_front_leaf(h, 0);
    const size_t bytes =
        sizeof(uint) * CLADE_FRONT_LINE *
        clade_front_constant(h.head, CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES);
    const host_units hidden = host_units_hide(heap, CLADE_FRONT_POOL_BLOCKS, units);
    uint *expected = malloc(bytes);
    if (!expected)
        exit(1);
    memcpy(expected, (void *)all, bytes);
    const uint got = clade_heap_front_ensure_wi(h, leaf, b);
    uint *line = expected + leaf * CLADE_FRONT_LINE;
    for (uint i = 0; i <= b; i++) {
        const uint block = clade_load_relaxed(l + CLADE_FRONT_L_BLOCK + i);
        expect(i < units ? block != 0 && block != CLADE_FRONT_VOID : block == CLADE_FRONT_VOID,
               "a block of a leaf that ends");
        for (uint k = 0; k < i && i < units; k++)
            expect(block != line[CLADE_FRONT_L_BLOCK + k], "a block twice");
        line[CLADE_FRONT_L_BLOCK + i] = block;
    }
    expect(got == line[CLADE_FRONT_L_BLOCK + b], "the block that was wanted");
    if (b >= units)
        line[CLADE_FRONT_L_LIMIT] = units * BLOCK;
    expect(memcmp(expected, (void *)all, bytes) == 0, "a leaf that ends, and no other word");
    free(hidden.list);
    free(expected);
    free(heap);
}

static void end_leaves(void *argument, void *local)
{
    (void)argument, (void)local;
    for (uint units = 0; units < 4; units++)
        for (uint b = 0; b < 6; b++)
            end_leaf(units, b);
}

int main(void)
{
    static const uint before[] = { 16, 200, 256, 272, 512, 520, 2000 };
    alarm(100);
    for (uint i = 0; i < sizeof before / sizeof before[0]; i++) {
        heap = host_front_new(CAPACITY, BATCH, LEAF);
        accepted = refused = 0;
        shim_launch(run, (void *)&before[i], 1, 1, sizeof(clade_heap_scratch));
        const char *said = host_front_check(heap, CAPACITY, LEAF, 0);
        expect(!said, said);
        free(heap);
    }
    shim_launch(end_leaves, NULL, 1, 1, sizeof(clade_heap_scratch));
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
