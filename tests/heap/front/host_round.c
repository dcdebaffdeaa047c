/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's rounds, a step alone: what an owner writes when it opens one is its plan, word
 * for word; members that wait still are joined, and each that is gone breaks the round and takes
 * its part off it. */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

enum { CAPACITY = 1 << 14, MEMBERS = 5, RUNS = 7, WORD = 0x1357, LEFT = 11 };

static uint wrong;

static void expect(bool good, const char *what, uint at)
{
    if (!good && wrong++ < 8)
        fprintf(stderr, "%s %u\n", what, at);
}

/* So many members, of which those in the mask `gone` wait no more. */
static void open_round(clade_heap_front_heap h, __local clade_heap_scratch *s, uint members,
                       uint gone)
{
    clade_front_words plan = h.head + CLADE_FRONT_W_PLAN;
    uint lost = 0;
    s->front.round = 40 + gone;
    s->front.pieces = 3;
    s->front.keys = 100;
    s->now.round.members = members;
    s->now.round.runs = RUNS;
    s->now.round.from = 21;
    s->now.round.old = 22;
    s->now.round.sum = 23;
    s->now.round.extra = 24;
    s->now.round.me = 99;
    for (uint r = 0; r < RUNS; r++)
        s->now.round.run[r] = 300 + r;
    for (uint m = 0; m < members; m++) {
        s->now.round.member[m] = (clade_front_member) { .keys = 50 + m, .run = 60 + m,
                                                        .spare = 70 + m, .slot = members - m };
        clade_store_relaxed(clade_heap_front_slot(h, members - m),
                            gone >> m & 1u ? CLADE_FRONT_SLOT_GONE : CLADE_FRONT_SLOT_CLAIMED);
        lost += m > 0 ? gone >> m & 1u : 0;
    }
    clade_heap_front_open_round_wg(h, s, WORD, LEFT);
    const uint number = 41 + gone;
    const uint words[] = { number, members, WORD, 3, 100 - LEFT, LEFT, 21, 22, 23, RUNS };
    for (uint i = 0; i < sizeof words / sizeof *words; i++)
        expect(clade_load_relaxed(plan + i) == words[i], "a word of the plan", i);
    for (uint r = 0; r < RUNS; r++)
        expect(clade_load_relaxed(plan + CLADE_FRONT_P_OUTS + 1 + r) == 300 + r, "a run", r);
    expect(clade_load_relaxed(plan + CLADE_FRONT_P_EXTRA) == 24, "runs of no member", 24);
    for (uint m = 0; m < members; m++) {
        const clade_front_member member = clade_heap_front_read_member_wi(plan, m);
        const uint state = clade_load_relaxed(clade_heap_front_slot(h, members - m));
        expect(member.keys == 50 + m && member.run == 60 + m && member.spare == 70 + m &&
                   member.slot == members - m,
               "a member", m);
        expect(state == (gone >> m & 1u ? CLADE_FRONT_SLOT_GONE
                         : m > 0        ? CLADE_FRONT_SLOT_JOINED
                                        : CLADE_FRONT_SLOT_CLAIMED), /* the owner's own */
               "a member's slot", m);
    }
    expect(s->now.round.number == number && s->now.round.me == 0, "the owner's number", number);
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_ROUND) ==
               (number << 2 | (lost ? CLADE_FRONT_ROUND_BROKEN : CLADE_FRONT_ROUND_OPEN)),
           "open, or broken", gone);
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_ROUND_LEFT) == members + 1 - lost,
           "parts that are left", gone);
}

static void rounds(void *argument, void *local)
{
    void *heap = host_front_new(CAPACITY, 16, 256);
    (void)argument;
    if (!heap)
        exit(1);
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    for (uint members = 1; members <= MEMBERS; members++)
        for (uint gone = 0; gone < 1u << members; gone += 2) /* the first is the owner's */
            open_round(h, local, members, gone);
    free(heap);
}

int main(void)
{
    alarm(100);
    host_front_value_type = CLADE_U32;
    shim_launch(rounds, NULL, 1, 1, sizeof(clade_heap_scratch));
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
