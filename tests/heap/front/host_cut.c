/* SPDX-License-Identifier: Apache-2.0 */
/* A batch is cut by the pieces of the front engine's front, and woven into it where no key falls
 * between two of a piece: fronts of all lengths, one piece or two words of bits more or fewer, each
 * compared with what a model makes of it. */
#define CLADE_HEAP_BATCH      128
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

enum { CAPACITY = 1 << 14, BATCH = 128, LEAF = 256, PIECES = CLADE_FRONT_PIECES, GAP = 10 };
enum { RUN = 400, OWN = 7, BLOCK = LEAF / CLADE_FRONT_BLOCKS }; /* the pieces' runs, the batch's */

static clade_heap_front_heap h;
static clade_heap_scratch *s;
static uint wrong, random_state = 1, woven, dense, divided;

static void expect(bool good, const char *what, uint at)
{
    if (!good && wrong++ < 8)
        fprintf(stderr, "%s %u\n", what, at);
}

static uint draw(uint n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

/* Piece p has keys from p * GAP + 3 to p * GAP + 6, and its last ones are that. */
static uint key_of(uint p, uint i, uint length)
{
    return p * GAP + (length == 1 || i + 1 == length ? 6 : 3);
}

static void make_front(uint pieces)
{
    memset(&s->list, 0x5a, sizeof s->list);
    s->list.pieces = pieces;
    s->list.total = 0;
    for (uint p = 0; p < pieces; p++) {
        const uint start = p % 5, length = draw(3) ? 1 + draw(5) : LEAF - start - draw(8);
        s->list.run[p] = RUN + p;
        s->list.start[p] = start;
        s->list.end[p] = s->list.total += length;
        for (uint b = 0; b < CLADE_FRONT_BLOCKS; b++)
            clade_store_relaxed(clade_heap_front_leaf(h, RUN + p) + CLADE_FRONT_L_BLOCK + b,
                                1 + p * CLADE_FRONT_BLOCKS + b);
        const size_t at = (size_t)(1 + p * CLADE_FRONT_BLOCKS) * BLOCK + start;
        for (uint i = 0; i < length; i++)
            h.keys[at + i] = key_of(p, i, length);
    }
}

/* Keys that fall between pieces, into so few gaps that the next list has room for them; or
 * anywhere.
 */
static void fill_batch(uint count, uint pieces, bool into)
{
    const uint room = pieces < PIECES ? PIECES - pieces : 1;
    const uint gaps = into ? 1 + draw(4) : room > pieces ? pieces + 1 : room;
    for (uint i = 0; i < count; i++) {
        const uint gap = (draw(gaps) * 7919 + pieces) % (pieces + 1);
        const uint key = gap * GAP + (into ? 3 + draw(5) : draw(2) ? draw(3) : 6 + draw(4));
        uint at = i;
        for (; at > 0 && s->keys[at - 1] > key; at--)
            s->keys[at] = s->keys[at - 1];
        s->keys[at] = key;
    }
}

static uint below(uint key, uint count)
{
    uint n = 0;
    while (n < count && s->keys[n] < key)
        n++;
    return n;
}

/* The next list, if the batch's run lies in the gaps. */
static void expect_woven(const clade_front_list *list, uint count)
{
    uint at = 0, end = 0, from = 0;
    for (uint p = 0; p <= list->pieces; p++) {
        const uint to = p < list->pieces ? s->now.cut.from[p] : count;
        if (to > from) {
            end += to - from;
            expect(s->next.run[at] == OWN && s->next.start[at] == from && s->next.end[at] == end,
                   "a gap's keys", at);
            at++;
        }
        from = to;
        if (p == list->pieces)
            break;
        end += list->end[p] - (p > 0 ? list->end[p - 1] : 0);
        expect(s->next.run[at] == list->run[p] && s->next.start[at] == list->start[p] &&
                   s->next.end[at] == end,
               "a piece that stays", at);
        at++;
    }
    expect(s->next.pieces == at && s->next.total == list->total + count, "a list that is woven",
           at);
    expect(s->batch.left == count, "keys of the batch's run", s->batch.left);
}

static void cut(uint pieces, uint count, bool into)
{
    uint expected_pieces = pieces, expected_dense = 0, before = 0;
    make_front(pieces);
    fill_batch(count, pieces, into);
    memset(&s->now, 0xff, sizeof s->now);
    memset(&s->next, 0x5a, sizeof s->next);
    s->batch.run = OWN;
    s->batch.left = 99;
    clade_heap_front_cut_wg(h, s, count);
    for (uint p = 0; p < pieces; p++) {
        const uint length = s->list.end[p] - (p > 0 ? s->list.end[p - 1] : 0);
        const uint from = below(key_of(p, 0, length), count);
        const uint to = below(key_of(p, length - 1, length), count);
        expect(s->now.cut.from[p] == from && s->now.cut.to[p] == to, "where a piece cuts", p);
        expected_pieces += from > before;
        expected_dense += to > from;
        const bool is_long = to > from && to - from + length > LEAF; /* it is taken in halves */
        expected_pieces += is_long;
        divided += is_long;
        before = to;
    }
    expected_pieces += count > before;
    expect(s->now.cut.from[pieces] == count, "where the front ends", pieces);
    expect(clade_load_local(&s->now.cut.pieces) == expected_pieces, "pieces there will be", pieces);
    expect(clade_load_local(&s->now.cut.dense) == expected_dense, "pieces to merge", pieces);
    expect(s->next.pieces == 0 && s->next.total == 0, "the next list's begin", pieces);
    dense += expected_dense > 0;
    if (expected_dense > 0 || expected_pieces > PIECES)
        return;
    clade_heap_front_weave_wg(s, count);
    expect_woven(&s->list, count);
    woven++;
}

static void cuts(void *argument, void *local)
{
    (void)argument;
    s = local;
    h = clade_heap_front_open_wi(host_front_new(CAPACITY, BATCH, LEAF));
    for (uint pieces = 0; pieces <= PIECES; pieces++)
        for (uint t = 0; t < 8; t++)
            cut(pieces, 1 + draw(t % 2u ? BATCH : 9), t < 4);
    expect(woven > 500 && dense > 100 && divided > 30, "batches that are woven, or not", woven);
    free((void *)h.head);
}

int main(void)
{
    alarm(100);
    shim_launch(cuts, NULL, 1, 1, sizeof(clade_heap_scratch));
    printf("%u woven, %u to merge, %u divided, %u wrong\n", woven, dense, divided, wrong);
    return wrong != 0;
}
