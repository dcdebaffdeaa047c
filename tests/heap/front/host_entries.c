/* SPDX-License-Identifier: Apache-2.0 */
/* A leaf of the heap's front engine has several entries of a directory, which are written one after
 * the other. Somebody else comes after the first of them: the front's owner takes over the leaf
 * that it refers to; or keys come to it until it is full and moves on. What the later entries say
 * must be what the trie has then, and nothing of the past: keys come out in order, and the
 * library's check finds the trie whole. */
#define CLADE_SPIN_LIMIT      1000u /* who comes between may wait for who was interrupted */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include "clade/atomic.clh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *armed;   /* the function that writes entries, after the first of which */
static uint half_made;      /* of several entries, to which that one refers then */
static void (*comes)(void); /* somebody else does this */

static clade_u32 exchanged(const char *where, clade_global_word word, clade_u32 value)
{
    const clade_u32 was = clade_exchange_acq_rel(word, value);
    if (armed && strcmp(where, armed) == 0) {
        armed = NULL;
        half_made = value >> 1;
        comes();
    }
    return was;
}
#define clade_exchange_acq_rel(word, value) exchanged(__func__, word, value)

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"
#include "heap/front/host_units.h"

enum { CAPACITY = 4096, MANY = 1 << 16 };

static void *heap;
static uint wrong, inside, next_id;
static uint keys[MANY];        /* by value */
static unsigned char in[MANY]; /* by value: it is inside */
static clade_heap_scratch *mine, *others;

static void expect(bool good, const char *what)
{
    if (good || wrong++ >= 8)
        return;
    fprintf(stderr, "%s\n", what);
}

static uint least_inside(void)
{
    uint least = 0xffffffffu;
    for (uint id = 0; id < next_id; id++)
        if (in[id] && keys[id] < least)
            least = keys[id];
    return least;
}

/* `n` keys from `first` on, each `step` after the one before. */
static clade_i32 insert(__local clade_heap_scratch *s, uint first, uint step, uint n)
{
    for (uint i = 0; i < n; i++) {
        keys[next_id + i] = first + i * step;
        in[next_id + i] = 1;
        clade_heap_set_wi(s, i, (int)(first + i * step), next_id + i);
    }
    next_id += n;
    inside += n;
    const clade_i32 status = clade_heap_insert_wg(heap, s, n);
    for (uint i = clade_heap_taken_wi(s); i < n; i++) {
        in[clade_heap_value_wi(s, i - clade_heap_taken_wi(s))] = 0;
        inside--;
    }
    return status;
}

static clade_i32 pop(__local clade_heap_scratch *s, uint n, uint *got)
{
    const clade_i32 status = clade_heap_pop_wg(heap, s, n, got);
    for (uint i = 0; i < *got; i++) {
        const uint key = (uint)clade_heap_key_wi(s, i), id = clade_heap_value_wi(s, i);
        expect(key == least_inside(), "not the least key came");
        expect(id < next_id && in[id] && keys[id] == key, "a key that was not inside");
        in[id % MANY] = 0;
    }
    inside -= *got;
    return status;
}

static void make_heap(void)
{
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    memset(in, 0, sizeof in);
    inside = next_id = 0;
}

/* A leaf with the heap's first keys, that has 8 entries of a directory: the first half of the
 * root's first entry. Others are far away: so many that a leaf is split in two. The leaf has
 * `count` keys from `first` on. */
static void begin(uint first, uint step, uint count)
{
    make_heap();
    for (uint i = 0; i < 3200; i += BATCH)
        expect(insert(mine, 0x80000000u + i * 0x000a0000u, 0x000a0000u, BATCH) == CLADE_OK,
               "an insert is refused");
    for (uint i = 0; i <= LEAF; i += BATCH) /* the root's first entry becomes a directory */
        expect(insert(mine, 0x08000000u + i * 0x1000u, 0x1000u, BATCH) == CLADE_OK,
               "an insert is refused");
    for (uint i = 0; i < count; i += BATCH)
        expect(insert(mine, first + i * step, step, min(count - i, (uint)BATCH)) == CLADE_OK,
               "an insert is refused");
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    clade_front_words l = clade_heap_front_leaf(h, clade_heap_front_walk_wi(h, first).ref >> 1);
    expect(clade_load_relaxed(l + CLADE_FRONT_L_SHIFT) == 27 &&
               clade_load_relaxed(l + CLADE_FRONT_L_COUNT) == count,
           "the leaf is not as it was to be: this test sees nothing");
}

/* Inserts and pops all over, so that units are used again; then all comes out. */
static void end(const char *scene)
{
    uint got = 1, random = 1;
    expect(!armed, "nobody came between: this test sees nothing");
    const char *said = host_front_check(heap, CAPACITY, LEAF, inside);
    expect(!said, said);
    for (uint t = 0; t < 600; t++) {
        random = random * 1664525u + 1013904223u;
        if (inside + BATCH < CAPACITY && (random >> 30 || inside < 3000))
            expect(insert(mine, random >> (random >> 16 & 7u), random >> 8 & 0xfffu, BATCH) ==
                       CLADE_OK,
                   "an insert gave up");
        else
            expect(pop(mine, BATCH, &got) == CLADE_OK, "a pop gave up");
    }
    said = host_front_check(heap, CAPACITY, LEAF, inside);
    expect(!said, said);
    for (got = 1; got > 0;)
        expect(pop(mine, BATCH, &got) == CLADE_OK, "a pop gave up");
    expect(inside == 0, "a key was lost");
    said = host_front_check(heap, CAPACITY, LEAF, 0);
    expect(!said, said);
    printf("%s: %u wrong\n", scene, wrong);
    free(heap);
}

/* --- scenes ---------------------------------------------------------------------------------- */

/* The owner takes over what it can; then it waits in vain for who was interrupted. */
static void own(void)
{
    uint got = 0;
    const clade_i32 status = pop(others, BATCH, &got);
    expect(status == CLADE_OK || (status == CLADE_E_BUSY && got == 0), "a pop is refused");
}

/* The same, of leaves that were looked up after the first entry was written. */
static void look_and_own(void)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint epoch = clade_front_enter_wi(h.head);
    clade_store_relaxed(h.head + CLADE_FRONT_W_RING_STALE, 1u);
    (void)clade_heap_front_help_wg(h, others, 0u);
    clade_front_leave_wi(h.head, epoch);
    expect(clade_load_relaxed(h.ring) == half_made,
           "the leaf was not looked up: this test sees nothing");
    own();
}

/* Keys come to the leaf that the first entry refers to, more than it has room for. */
static void fill(void)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint first = clade_load_relaxed(clade_heap_front_leaf(h, half_made) + CLADE_FRONT_L_LOW);
    for (uint i = 0; i <= LEAF; i += BATCH)
        (void)insert(others, first + i, 1u, BATCH);
}

static void meet(const char *where, void (*what)(void))
{
    armed = where;
    comes = what;
}

/* A leaf of 8 entries is split in two. The first half, of 4, has no keys, or few. */
static void own_beside_split(uint few, void (*what)(void))
{
    begin(0x04000000u, 0x100u, LEAF - few);
    if (few)
        expect(insert(mine, 0x100u, 1u, few) == CLADE_OK, "an insert is refused");
    meet("clade_heap_front_split_publish_wg", what);
    expect(insert(mine, 0x05000000u, 0x100u, BATCH) == CLADE_OK, "an insert gave up");
    end("an owner beside a split");
}

/* The first half has all of them, and is full at once. */
static void split_beside_split(void)
{
    begin(0x100u, 1u, LEAF);
    meet("clade_heap_front_split_publish_wg", fill);
    expect(insert(mine, 0x05000000u, 0x100u, BATCH) == CLADE_OK, "an insert gave up");
    end("a split beside a split");
}

/* The leaf ends before its first slot, as there was no block; another takes its place. */
static void own_beside_replace(void)
{
    begin(0x100u, 1u, 0u);
    const host_units hidden = host_units_hide(heap, CLADE_FRONT_POOL_BLOCKS, 0);
    expect(insert(mine, 0x100u, 1u, BATCH) == CLADE_E_FULL, "an insert without a block");
    host_units_show(heap, CLADE_FRONT_POOL_BLOCKS, hidden);
    meet("clade_heap_front_replace_wg", own);
    expect(insert(mine, 0x100u, 1u, BATCH) == CLADE_OK, "an insert gave up");
    end("an owner beside a leaf that is replaced");
}

/* A front that only grows is given back to leaves, each of several entries. */
static void split_beside_spill(void)
{
    uint got;
    make_heap();
    expect(insert(mine, 0x78000000u, 1u, BATCH) == CLADE_OK, "an insert is refused");
    expect(pop(mine, 1u, &got) == CLADE_OK, "a pop gave up");
    meet("clade_heap_front_open_entry_wg", fill);
    for (uint i = 0; armed && i < 100u; i++)
        expect(insert(mine, i * 0x2000u, 0x00400000u, BATCH) == CLADE_OK, "an insert gave up");
    end("a split beside a spill");
}

static void scenes(void *argument, void *local)
{
    (void)argument;
    mine = local;
    others = calloc(1, sizeof *others);
    if (!others)
        exit(1);
    own_beside_split(0, own);
    own_beside_split(3, own);
    own_beside_split(0, look_and_own);
    split_beside_split();
    own_beside_replace();
    split_beside_spill();
    free(others);
}

int main(void)
{
    alarm(100);
    shim_launch(scenes, NULL, 1, 1, sizeof(clade_heap_scratch));
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
