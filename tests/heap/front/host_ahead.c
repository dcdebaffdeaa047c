/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine after an owner that gave up: leaves are frozen ahead of the bound, more than the
 * front's list has room for. Inserts that come to own the front take over as many as fit, and no more. */
#define CLADE_HEAP_BATCH       64
#define CLADE_HEAP_LEAF        256
#define CLADE_HEAP_KEY_TYPE    CLADE_U32
#define CLADE_HEAP_VALUE_TYPE  CLADE_U32
#define CLADE_LOCAL_BYTES      65536
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

enum { CAPACITY = 1 << 17, LEAVES = 256, EACH = 160, STEP = 1 << 24 };

static void *heap;
static uint wrong, inside;

static void expect(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", what);
    wrong++;
}

static uint word(uint at)
{
    return clade_load_relaxed((clade_front_words)heap + at);
}

static clade_i32 insert(__local clade_heap_scratch *s, uint first, uint step, uint n)
{
    for (uint i = 0; i < n; i++)
        clade_heap_set_wi(s, i, first + i * step, 0u);
    const clade_i32 status = clade_heap_insert_wg(heap, s, n);
    inside += clade_heap_taken_wi(s);
    return status;
}

/* What an owner does whose wait for one leaf's keys runs out after it has frozen those behind it. */
static void give_up(uint from, uint to)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    for (uint key = from;; key = key / STEP * STEP + STEP) {
        const uint leaf = clade_heap_front_walk_wi(h, key).ref >> 1;
        clade_or_acq_rel(clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_COUNT, CLADE_FRONT_FROZEN);
        if (key / STEP >= to)
            break;
    }
    clade_heap_front_set_ahead_wi(h, to * STEP + (STEP - 1u));
}

static void run(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    uint got, last = 0;
    (void)argument;
    /* Leaves of a 256th of the keys each. */
    for (uint l = 0; l < LEAVES; l++)
        for (uint i = 0; i < EACH; i += 32)
            expect(insert(s, l * STEP + i * 4096u, 4096u, 32) == CLADE_OK, "an insert is refused");
    expect(clade_heap_pop_wg(heap, s, 8, &got) == CLADE_OK && got == 8, "a pop gave up");
    inside -= got;
    const uint bound = word(CLADE_FRONT_W_BOUND);
    printf("the bound is %08x\n", bound);
    expect(bound / STEP + 200 < LEAVES, "the front has nearly all: this test sees nothing");
    give_up(bound + 1u, bound / STEP + 200);
    /* Keys below the bound: whoever brings them owns the front, and catches up. */
    for (uint i = 0; i < 6; i++) {
        const clade_i32 status = insert(s, 9 * 4096u + 1u + i * 8u, 1u, 4);
        expect(status == CLADE_OK || status == CLADE_E_BUSY, "neither in nor told to come again");
        const uint tag = word(CLADE_FRONT_W_WORD) >> CLADE_FRONT_TAG_SHIFT;
        clade_front_words e = clade_front_at(heap, CLADE_FRONT_C_EPOCHS) + tag * CLADE_FRONT_E_WORDS;
        expect(clade_load_relaxed(e + CLADE_FRONT_E_PIECES) <= CLADE_FRONT_PIECES,
               "the front has more pieces than there is room for");
    }
    expect(word(CLADE_FRONT_W_IS_AHEAD) != 0, "all were taken over: this test sees nothing");
    for (got = 1; got > 0 && wrong == 0;) {
        expect(clade_heap_pop_wg(heap, s, BATCH, &got) == CLADE_OK, "a pop gave up");
        for (uint i = 0; i < got; i++) {
            expect(clade_heap_key_wi(s, i) >= last, "keys are out of order");
            last = clade_heap_key_wi(s, i);
        }
        inside -= got;
    }
    expect(inside == 0, "not as many keys came out as went in");
}

int main(void)
{
    alarm(100);
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    shim_launch(run, NULL, 1, 1, sizeof(clade_heap_scratch));
    const char *said = host_front_check(heap, CAPACITY, LEAF, 0);
    expect(!said, said);
    free(heap);
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
