/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that were inserted come out in order, in some calls, each with its value; and what a pop
 * leaves is a front as it should be. */
#pragma once

#include "heap/bulk/calls.h"

/* The leaf of which a pop left some keys is the front: a leaf of the trie is frozen, one that was
 * chained stays as it was. */
static void check_front(void)
{
    const uint left = front_left(), *e = (const uint *)epoch(0);
    if (left == 0)
        return;
    const uint *piece = e + CLADE_FRONT_E_PIECE;
    const uint *run = (const uint *)cladei_bulk_leaf(cladei_bulk_open(job.heap), piece[0]);
    const uint count = run[CLADE_FRONT_L_COUNT], n = count & CLADE_FRONT_COUNT_MASK;
    expect(e[CLADE_FRONT_E_PIECES] == 1 && piece[1] + left == n, "a front's piece", piece[1], n);
    expect(run[CLADE_FRONT_L_SORTED] == n && run[CLADE_FRONT_L_LEFT] == left, "a front's run",
           run[CLADE_FRONT_L_SORTED], run[CLADE_FRONT_L_LEFT]);
    expect(count == (n | CLADE_FRONT_SPLIT) ||
               (count == (n | CLADE_FRONT_FROZEN) && run[CLADE_FRONT_L_CHAIN] == 0),
           "the leaf that was divided", count, run[CLADE_FRONT_L_CHAIN]);
}

/* Keys of a kind that are popped in some calls. */
static struct {
    const image *sorted;
    unsigned char *seen; /* values */
    uint kind, count, gone;
} popping;

static void begin_popping(uint kind, const image *sorted, uint count)
{
    popping.sorted = sorted;
    popping.seen = room(count);
    memset(popping.seen, 0, count);
    popping.kind = kind;
    popping.count = count;
    popping.gone = 0;
}

static void pop_next(uint wanted)
{
    const uint kind = popping.kind, left = popping.count - popping.gone;
    const uint n = wanted < left ? wanted : left;
    const image *sorted = popping.sorted + popping.gone;
    const uint pops = head()->pops[0];
    uint *ring = job.heap + CLADE_FRONT_W_RING_HEAD;
    const uint *tail = job.heap + CLADE_FRONT_W_RING_TAIL;
    job.keys = room((FIRST + n) * sizeof(image));
    job.values = room((FIRST - 1 + n) * sizeof(uint));
    *ring = *tail - 3u; /* leaves that were looked up ahead */
    begin_call();
    if (!begin_pop(wanted)) {
        expect(0, "a pop does not go the bulk way", kind, popping.gone);
        exit(1);
    }
    for (uint i = 0; i < n; i++) {
        const uint value = job.values[FIRST - 1 + i];
        expect(CLADEI_BULK_ENCODE(job.keys[FIRST + i]) == sorted[i], "a key", kind,
               popping.gone + i);
        expect(value < popping.count && key_of(kind, value) == sorted[i] && !popping.seen[value]++,
               "a value", kind, popping.gone + i);
    }
    expect(*ring == *tail, "leaves that were looked up before a pop", *ring, *tail);
    expect(head()->pops[0] - pops == (n + CLADE_HEAP_BATCH - 1u) / CLADE_HEAP_BATCH,
           "pops that are counted", kind, n);
    free(job.keys);
    free(job.values);
    popping.gone += n;
    check_heap("after a pop", kind, popping.count - popping.gone);
    check_front();
}

/* All in some calls: from a key on, in the middle of leaves and chains, more than there are. */
static void pop_all(uint kind, const image *sorted, uint count, uint step)
{
    begin_popping(kind, sorted, count);
    for (uint turn = 0; popping.gone < count; turn++) {
        const uint usual = turn == 3 ? count - popping.gone + 5u : step + 37u * turn;
        /* Fewer than the front has go the ordinary way. */
        pop_next(usual > front_left() ? usual : front_left());
    }
    free(popping.seen);
}
