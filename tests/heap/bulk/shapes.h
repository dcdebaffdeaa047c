/* SPDX-License-Identifier: Apache-2.0 */
/* Pops of heaps of certain shapes: leaf by leaf, a chain in any order, beside records of long ago,
 * and fronts of two pieces. */
#pragma once

#include "heap/bulk/popped.h"

/* Pops that end where a leaf ends, so that the next one becomes the front as a whole; that leave
 * one key in the front; and of that one. */
static void pop_by_leaves(void)
{
    image *sorted = sorted_keys(0, 900);
    begin_call();
    expect(insert(0, 900), "an insert before pops by leaves", 0, 0);
    begin_popping(0, sorted, 900);
    pop_next(keys_of_first_leaf());
    expect(front_left() > 1, "a leaf that became the front", front_left(), 0);
    pop_next(front_left() + keys_of_first_leaf() - 1u);
    expect(front_left() == 1, "keys of the front", front_left(), 1);
    pop_next(1);
    pop_next(900);
    free(popping.seen);
    free(sorted);
}

static void move_leaf(uint from, uint to)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    memcpy((uint *)cladei_bulk_leaf(h, to), (uint *)cladei_bulk_leaf(h, from),
           CLADE_FRONT_LINE * sizeof(uint));
}

/* The leaf of the trie that chains others. */
static uint chaining_leaf(void)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    for (uint leaf = 1; leaf < h.leaf_count; leaf++) {
        const uint *line = (const uint *)cladei_bulk_leaf(h, leaf);
        if (line[CLADE_FRONT_L_CHAIN] != 0 && line[CLADE_FRONT_L_COUNT] <= CLADE_HEAP_LEAF)
            return leaf;
    }
    expect(0, "no leaf chains others", 0, 0);
    exit(1);
}

/* A chain's leaves lie in any order, and may be the first leaf or the last one. */
static void pop_a_chain(void)
{
    enum { CHAINED = 5, COUNT = CHAINED * CLADE_HEAP_LEAF + 10 };
    image *sorted = sorted_keys(1, COUNT);
    begin_call();
    expect(insert(1, COUNT), "an insert of a chain", 0, 0);
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    const uint owner = chaining_leaf(), last = h.leaf_count - 1u;
    const uint from = ((const uint *)cladei_bulk_leaf(h, owner))[CLADE_FRONT_L_CHAIN];
    const uint chain[] = { owner, from + 4, 1, from + 2, last, from, 0 };
    move_leaf(from + 3, 1);
    move_leaf(from + 1, last);
    for (uint i = 0; i <= CHAINED; i++)
        clade_store_relaxed(cladei_bulk_leaf(h, chain[i]) + CLADE_FRONT_L_CHAIN, chain[i + 1]);
    begin_popping(1, sorted, COUNT);
    pop_next(COUNT);
    free(popping.seen);
    free(sorted);
}

/* What records of units say that nobody has is of long ago: a leaf of a directory that there never
 * was, and one of two directories that each say that they are the other's. */
static void pop_beside_old_records(void)
{
    image *sorted = sorted_keys(0, 900);
    begin_call();
    expect(insert(0, 900), "an insert beside old records", 0, 0);
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    const uint leaf = h.leaf_count - 1u, dir[] = { h.dir_count - 1u, h.dir_count - 2u };
    clade_store_relaxed(cladei_bulk_leaf(h, leaf) + CLADE_FRONT_L_UP, dir[0] * CLADE_FRONT_FAN);
    clade_store_relaxed(h.entries + dir[0] * CLADE_FRONT_FAN, leaf << 1);
    for (uint i = 0; i < 2; i++) {
        const uint up = dir[1 - i] * CLADE_FRONT_FAN + 1u;
        clade_store_relaxed(h.dirs + dir[i] * CLADE_FRONT_D_WORDS + CLADE_FRONT_D_UP, up);
        clade_store_relaxed(h.entries + up, dir[i] << 1 | 1u);
    }
    clade_store_relaxed(cladei_bulk_leaf(h, leaf - 1u) + CLADE_FRONT_L_UP, 0x40000000u);
    begin_popping(0, sorted, 900);
    pop_next(300);
    pop_next(900);
    free(popping.seen);
    free(sorted);
}

/* The front's first piece was handed out to its last key, and its run is free again: a pop of all
 * that the front has left neither frees it once more nor looks at its blocks, which are anybody's.
 */
static void pop_after_a_piece(void)
{
    enum { GONE = 70, RUN = 200 }; /* a unit that nothing was made of */
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    uint *run = (uint *)cladei_bulk_leaf(h, RUN);
    begin_call();
    expect(insert(0, 900), "an insert before a piece", 0, 0);
    job.keys = room((FIRST + 900) * sizeof(image));
    job.values = room((FIRST - 1 + 900) * sizeof(uint));
    begin_call();
    expect(begin_pop(100), "a pop before a piece", 0, 0);
    uint *e = (uint *)epoch(0), *piece = e + CLADE_FRONT_E_PIECE;
    memset(run, 0, CLADE_FRONT_LINE * sizeof *run);
    memset(run + CLADE_FRONT_L_BLOCK, 0x5a, CLADE_FRONT_BLOCKS * sizeof *run); /* of no heap */
    expect(e[CLADE_FRONT_E_PIECES] == 1, "pieces of a front", e[CLADE_FRONT_E_PIECES], 1);
    const uint first[] = { RUN, 0, GONE, piece[0], piece[1], piece[2] + GONE };
    memcpy(piece, first, sizeof first);
    e[CLADE_FRONT_E_PIECES] = 2;
    e[CLADE_FRONT_E_COUNT] += GONE;
    e[CLADE_FRONT_E_COPIED] += GONE;
    popped += GONE;
    check_heap("before a pop behind a piece", 0, 800);
    begin_call();
    expect(begin_pop(700), "a pop behind a piece", 0, 0);
    check_heap("after a pop behind a piece", 0, 100);
    free(job.keys);
    free(job.values);
}

/* A front of two pieces, of which the first was handed out in part. */
static void pop_pieces(void)
{
    enum { PART = 10, OUT = 4 };
    image *sorted = sorted_keys(0, 900);
    begin_call();
    expect(insert(0, 900), "an insert before pieces", 0, 0);
    begin_popping(0, sorted, 900);
    pop_next(keys_of_first_leaf());
    uint *e = (uint *)epoch(0), *piece = e + CLADE_FRONT_E_PIECE;
    uint *run = (uint *)cladei_bulk_leaf(cladei_bulk_open(job.heap), piece[0]);
    expect(e[CLADE_FRONT_E_PIECES] == 1 && piece[2] > PART, "a front for two pieces", piece[2], 0);
    const uint two[] = { piece[0], piece[1], PART, piece[0], piece[1] + PART, piece[2] };
    memcpy(piece, two, sizeof two);
    e[CLADE_FRONT_E_PIECES] = 2;
    e[CLADE_FRONT_E_COPIED] += OUT;
    run[CLADE_FRONT_L_LEFT] -= OUT;
    job.heap[CLADE_FRONT_W_WORD] -= OUT;
    job.heap[CLADE_FRONT_W_SIZE] -= OUT;
    popped += OUT;
    popping.gone += OUT;
    pop_next(700);
    pop_next(900);
    free(popping.seen);
    free(sorted);
}
