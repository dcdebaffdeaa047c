/* SPDX-License-Identifier: Apache-2.0 */
/* An insert of the heap's front engine that looked at its leaf while that was open, and adds to its
 * count when an owner has frozen it and given up. The slots that it asked for are none: the owners
 * after that one do not wait for their keys. */
#define CLADE_SPIN_LIMIT      1000u /* a bug may wait for ever */
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

static void freeze_at(const char *where);
#define CLADE_SCHEDULE_HOOK(where, word, salt) freeze_at(where)

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

enum { CAPACITY = 4096, FIRST = 10, LATE = 5 };

static void *heap;
static bool frozen, armed;
static uint wrong;

static void expect(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", what);
    wrong++;
}

/* What an owner does that gives up after it has frozen the first leaf. */
static void freeze_at(const char *where)
{
    if (!armed || frozen || strcmp(where, "clade_heap_front_reserve_in_wi") != 0)
        return;
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint leaf = clade_heap_front_walk_wi(h, 0).ref >> 1;
    frozen = true;
    clade_or_acq_rel(clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_COUNT, CLADE_FRONT_FROZEN);
    clade_heap_front_set_ahead_wi(h, 0x0fffffffu);
}

static clade_i32 insert(__local clade_heap_scratch *s, uint first, uint n)
{
    for (uint i = 0; i < n; i++)
        clade_heap_set_wi(s, i, first + i, 0u);
    const clade_i32 status = clade_heap_insert_wg(heap, s, n);
    expect(status == CLADE_OK && clade_heap_taken_wi(s) == n, "an insert gave up");
    return status;
}

static void run(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    uint got = 0;
    (void)argument;
    insert(s, 100, FIRST);
    armed = true;
    insert(s, 50, LATE);
    expect(frozen, "the insert does not look before it adds: this test sees nothing");
    expect(clade_heap_pop_wg(heap, s, BATCH, &got) == CLADE_OK, "a pop gave up");
    expect(got == FIRST + LATE, "not as many keys came out as went in");
    for (uint i = 0; i < got; i++)
        expect(clade_heap_key_wi(s, i) == (i < LATE ? 50 + i : 100 + i - LATE), "another key came");
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
