/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves of the front engine that have several entries of a directory, made by a group of several
 * items (-DGROUP=), on lanes: by a split, in place of a leaf without a block, and from a front that
 * has grown too long. The items write the entries, and one of them says that the leaf is open. By
 * then all entries refer to it. Who makes a leaf of one entry says nothing: its lock was free
 * before, and may be another's. Where there is no other leaf, the full one is left as it was. */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#define CLADE_SPIN_LIMIT      100u
#include "host/device.h"

#include "clade/atomic.clh"

#include <string.h>

static void stored(const char *where, clade_global_word word);
static void stored_release(const char *where, clade_global_word word, clade_u32 value)
{
    stored(where, word);
    clade_store_release(word, value);
}
#define clade_store_release(word, value) stored_release(__func__, word, value)

#include "harness/end_after.h"
#include "heap/front/edge_front.h"
#include "heap/front/host_units.h"

enum { BATCH = 16, LEAF = 256, CAPACITY = 4096, ELSEWHERE = 3200, TURNS = 6 };

static void *heap;
static uint turn, opened;

LANES_UNSEEN static void stored(const char *where, clade_global_word word)
{
    if (strcmp(where, "clade_heap_front_opened_wi") != 0)
        return;
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint leaf = (uint)(word - h.leaves) / CLADE_FRONT_LINE;
    clade_front_words l = clade_heap_front_leaf(h, leaf);
    const uint entries = 1u << clade_load_relaxed(l + CLADE_FRONT_L_SHIFT) % CLADE_FRONT_BITS;
    const uint up = clade_load_relaxed(l + CLADE_FRONT_L_UP);
    expect(entries > 1, "a leaf of one entry is opened", leaf, turn);
    for (uint e = 0; e < entries; e++)
        expect(clade_load_relaxed(h.entries + up + e) == leaf << 1,
               "a leaf is open, and an entry does not refer to it yet", e, turn);
    opened++;
}

/* --- calls ------------------------------------------------------------------------------------ */

static struct call {
    uint keys[BATCH], n, got;
    clade_i32 status;
    bool inserts;
} call;

static void perform(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    const uint me = (uint)get_local_id(0);
    uint got = 0;
    clade_i32 status;
    (void)argument;
    if (call.inserts) {
        for (uint i = me; i < call.n; i += (uint)get_local_size(0))
            clade_heap_set_bits_wi(s, i, call.keys[i], call.keys[i]);
        status = clade_heap_insert_wg(heap, s, call.n);
    } else {
        status = clade_heap_pop_wg(heap, s, call.n, &got);
    }
    barrier(0);
    if (me != 0)
        return;
    call.status = status;
    call.got = got;
}

static clade_i32 make(bool inserts, uint n)
{
    call.inserts = inserts;
    call.n = n;
    shim_launch(perform, NULL, 1, GROUP, sizeof(clade_heap_scratch));
    return call.status;
}

static clade_i32 insert(uint first, uint step)
{
    for (uint i = 0; i < BATCH; i++)
        call.keys[i] = first + i * step;
    return make(true, BATCH);
}

static void insert_many(uint first, uint step, uint count)
{
    for (uint i = 0; i < count; i += BATCH)
        expect(insert(first + i * step, step) == CLADE_OK, "an insert is refused", first, turn);
}

/* --- scenes ----------------------------------------------------------------------------------- */

static void begin(void)
{
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    opened = 0;
}

static void check(uint keys)
{
    const char *said = host_front_check(heap, CAPACITY, LEAF, keys);
    expect(!said, said ? said : "", turn, keys);
    free(heap);
}

static void end(uint keys)
{
    expect(opened > 0, "no leaf was opened: this test sees nothing", turn, keys);
    check(keys);
}

/* The root's first entry becomes a directory, of leaves of 8 entries. So many keys are elsewhere
 * that a leaf is split in few only: each still has several. */
static void make_leaves(void)
{
    begin();
    insert_many(0x80000000u, 0x000a0000u, ELSEWHERE);
    insert_many(0x08000000u, 0x1000u, LEAF + BATCH);
    opened = 0;
}

/* One of them is split. */
static void splits(void)
{
    make_leaves();
    insert_many(0x04000000u, 0x100u, LEAF);
    insert_many(0x05000000u, 0x100u, BATCH);
    end(ELSEWHERE + 2 * (LEAF + BATCH));
}

/* The leaf of 8 entries ends before its first slot, as there was no block. */
static void replaces(void)
{
    make_leaves();
    const host_units hidden = host_units_hide(heap, CLADE_FRONT_POOL_BLOCKS, 0);
    expect(insert(0x100u, 1u) == CLADE_E_FULL, "an insert without a block", turn, 0);
    host_units_show(heap, CLADE_FRONT_POOL_BLOCKS, hidden);
    insert_many(0x100u, 1u, BATCH);
    end(ELSEWHERE + LEAF + 2 * BATCH);
}

/* A leaf of one single key is full, and there is no other: who comes is refused, and leaves nothing
 * behind. */
static void chains(void)
{
    uint keys = LEAF;
    begin();
    insert_many(0x80000000u, 0x000a0000u, LEAF);
    for (uint i = 0; i < LEAF + BATCH; i += BATCH, keys += BATCH)
        expect(insert(0x100u, 0u) == CLADE_OK, "an insert of equal keys", turn, i);
    const host_units hidden = host_units_hide(heap, CLADE_FRONT_POOL_LEAVES, 0);
    while (insert(0x100u, 0u) == CLADE_OK && keys < CAPACITY)
        keys += BATCH;
    expect(call.status == CLADE_E_FULL, "a full leaf that nothing can follow", turn,
           (uint)-call.status);
    expect(insert(0x100u, 0u) == CLADE_E_FULL, "the same once more", turn, (uint)-call.status);
    host_units_show(heap, CLADE_FRONT_POOL_LEAVES, hidden);
    insert_many(0x100u, 0u, BATCH);
    check(keys + BATCH);
}

/* A front that only grows is given back to leaves. */
static void spills(void)
{
    uint keys = BATCH - 1;
    begin();
    insert_many(0x78000000u, 1u, BATCH);
    expect(make(false, 1) == CLADE_OK && call.got == 1, "a pop", turn, 0);
    for (uint i = 0; opened == 0 && i < 100u; i++, keys += BATCH)
        insert_many(i * 0x2000u, 0x00400000u, BATCH);
    end(keys);
}

int main(void)
{
    end_after(100);
    for (turn = 0; turn < TURNS && wrong == 0; turn++) {
        splits();
        replaces();
        chains();
        spills();
    }
    printf("%u turns; %u wrong\n", turn, wrong);
    return wrong != 0;
}
