/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine: a leaf is sorted ahead while keys come. One insert has slots there and
 * stores nothing yet. Another one takes the slots behind those, and is done, between the sorter's
 * looks at how many slots were reserved and at how many are stored. These numbers are equal then,
 * though slots before the last are not stored: what lies there would be sorted among the keys, and
 * the first insert would store over one of them. */
#define CLADE_SPIN_LIMIT      1000u /* a bug may wait for ever */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE VALUE
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include "clade/atomic.clh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* At the schedule point at which its slots are reserved the first insert is interrupted. */
static void meet(const char *where);
#define CLADE_SCHEDULE_HOOK(where, word, salt) meet(where)

/* And the sorter is, before it looks at what is stored. */
static void look(const char *where, clade_global_word word);
static clade_u32 looked(const char *where, clade_global_word word)
{
    look(where, word);
    return clade_load_acquire(word);
}
#define clade_load_acquire(word) looked(__func__, word)

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

enum { CAPACITY = 4096, MOST = 1000 };
/* Above what a new heap's blocks hold: that would become the leaf's first key. */
#define FIRST 0xf0000000u

static void *heap;
static clade_heap_scratch *first, *sorter, *second;
static uint wrong, inside, late;
static bool meets, looks;
static unsigned char out[MOST];

static void expect(bool good, const char *what)
{
    if (good || wrong++ >= 8)
        return;
    fprintf(stderr, "%s\n", what);
}

/* The first key comes last, and so on. */
static void insert(__local clade_heap_scratch *s, uint n)
{
    for (uint i = 0; i < n; i++)
        clade_heap_set_bits_wi(s, i, FIRST + MOST - (inside + i), inside + i);
    inside += n;
    expect(clade_heap_insert_wg(heap, s, n) == CLADE_OK, "an insert is refused");
}

/* A group that waits sorts the leaf, which was looked up. */
static void meet(const char *where)
{
    if (!meets || strcmp(where, "clade_heap_front_append_wg") != 0)
        return;
    meets = false;
    looks = true;
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint epoch = clade_front_enter_wi(h.head);
    for (uint t = 0; t < 4; t++)
        (void)clade_heap_front_help_wg(h, sorter, t);
    clade_front_leave_wi(h.head, epoch);
}

static void look(const char *where, clade_global_word word)
{
    if (!looks || strcmp(where, "clade_heap_front_lock_unsorted_wi") != 0)
        return;
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint leaf = clade_heap_front_walk_wi(h, FIRST).ref >> 1;
    if (word != clade_heap_front_leaf(h, leaf) + CLADE_FRONT_L_DONE)
        return;
    looks = false;
    insert(second, late);
}

/* `before` keys are sorted already, or none; both inserts bring `n`. */
static void scene(uint before, uint n)
{
    uint got = 1, last = 0, all = 0;
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    memset(out, 0, sizeof out);
    inside = 0;
    late = n;
    for (uint i = 0; i < before; i += BATCH)
        insert(first, BATCH);
    meets = true;
    insert(first, n);
    expect(!meets && !looks, "nobody came between: this test sees nothing");
    const char *said = host_front_check(heap, CAPACITY, LEAF, inside);
    expect(!said, said);
    for (uint t = 0; t < MOST && got > 0; t++) {
        expect(clade_heap_pop_wg(heap, first, BATCH, &got) == CLADE_OK, "a pop gave up");
        for (uint i = 0; i < got; i++, all++) {
            const uint key = (uint)clade_heap_key_bits_wi(first, i);
            const uint id = FIRST + MOST - key;
            expect(key >= last, "keys are out of order");
            expect(id < inside && out[id % MOST]++ == 0, "a key that was not inside");
            expect(VALUE == CLADE_NONE || clade_heap_value_bits_wi(first, i) == id,
                   "another key's value");
            last = key;
        }
    }
    expect(all == inside, "not as many keys came out as went in");
    said = host_front_check(heap, CAPACITY, LEAF, 0);
    expect(!said, said);
    free(heap);
}

static void scenes(void *argument, void *local)
{
    (void)argument;
    first = local;
    sorter = calloc(1, sizeof *sorter);
    second = calloc(1, sizeof *second);
    if (!sorter || !second)
        exit(1);
    for (uint before = 0; before <= 3 * BATCH; before += BATCH)
        for (uint n = 1; n <= BATCH; n += 5)
            scene(before, n);
    free(sorter);
    free(second);
}

int main(void)
{
    alarm(100);
    host_front_value_type = VALUE;
    shim_launch(scenes, NULL, 1, 1, sizeof(clade_heap_scratch));
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
