/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator for lists whose nodes are blocks: it knows what is held, and may refuse. Without
 * KMA_NODES there is none. */
#pragma once

#include "edges/kernels.h"

#if KMA_NODES
/* Blocks of a unit each, behind the head and a unit that is nobody's. */
enum { HEAD_UNITS = sizeof(clade_kma_head) / CLADE_KMA_UNIT_BYTES + 2, BLOCKS = CAPACITY + 9 };
static clade_kma_head *kma;
static uchar is_held[BLOCKS];
static uint held, held_most, asked, refuse_every;

static void make_allocator(void)
{
    const size_t bytes = (HEAD_UNITS + BLOCKS) * CLADE_KMA_UNIT_BYTES;
    kma = room(bytes);
    kma->object.shape = CLADE_KMA_OBJECT_SHAPE(0);
    kma->object.bytes_low = (uint)bytes;
    kma->object.bytes_high = 0;
    held_most = BLOCKS;
}

static uint take_block(void *from, uint bytes)
{
    uint block = draw(BLOCKS);
    expect(from == kma && bytes == CELL * 4u, "a block is asked for", bytes, CELL);
    if (held == held_most || (refuse_every && ++asked % refuse_every == 0))
        return CLADE_NIL;
    while (is_held[block])
        block = (block + 1u) % BLOCKS;
    is_held[block] = 1;
    held++;
    return HEAD_UNITS + block + 1u;
}

static void give_block(void *to, uint ref)
{
    const uint block = ref - HEAD_UNITS - 1u;
    if (ref == CLADE_NIL)
        return;
    expect(to == kma && block < BLOCKS && is_held[block], "a block that is given back", ref, 0);
    if (block >= BLOCKS || !is_held[block])
        return;
    memset((char *)kma + (ref - 1u) * CLADE_KMA_UNIT_BYTES, 0xa5, CLADE_KMA_UNIT_BYTES);
    is_held[block] = 0;
    held--;
}

/* A unit has four words, and a cell may have fewer. */
static void check_blocks(uint wanted)
{
    expect(held == wanted, "blocks that are held", held, wanted);
    for (uint block = 0; block < BLOCKS; block++) {
        const uint *unit = (const uint *)((char *)kma + (HEAD_UNITS + block) * 16u);
        for (uint w = CELL; w < 4 && is_held[block]; w++)
            expect(unit[w] == GUARD || unit[w] == 0xa5a5a5a5, "written behind a block", block, w);
    }
}
#else
static uint *const kma = NULL;
#endif
