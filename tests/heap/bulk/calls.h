/* SPDX-License-Identifier: Apache-2.0 */
/* Bulk inserts and pops of the front engine, and what each must hold to, whatever the keys: a
 * ticket, the heap's own check, one writer for each place, and a heap as it began where it does not
 * go. */
#pragma once

#include "heap/bulk/keys.h"

/* Of a heap as it begins: its head, the root, the nil leaf, the root's sixteen, and the next one.
 */
enum { ROOT_LEAVES = (2 + CLADE_FRONT_FAN) * CLADE_FRONT_LINE };
static uint kept[CLADE_FRONT_HEAD_WORDS + CLADE_FRONT_FAN + ROOT_LEAVES];

static void read_begin(uint *to)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    memcpy(to, job.heap, CLADE_FRONT_HEAD_WORDS * sizeof *to);
    memcpy(to += CLADE_FRONT_HEAD_WORDS, (uint *)h.entries, CLADE_FRONT_FAN * sizeof *to);
    memcpy(to + CLADE_FRONT_FAN, (uint *)h.leaves, ROOT_LEAVES * sizeof *to);
}

static void keep_empty(void)
{
    read_begin(kept);
}

static bool is_as_kept(void)
{
    static uint now[sizeof kept / sizeof kept[0]];
    read_begin(now);
    return memcmp(kept, now, sizeof kept - CLADE_FRONT_LINE * sizeof *kept) == 0;
}

/* Whether the device went the bulk way. */
static bool insert(uint kind, uint count)
{
    job.count = count;
    job.rows = CLADE_BULK_SEGMENTS_MAX(count, CLADE_HEAP_LEAF);
    job.tiles = CLADE_BULK_TILES_MAX(count, CLADE_HEAP_LEAF, CLADEI_BULK_TILE);
    job.plan =
        room(4u * (CLADE_BULK_PLAN_WORDS + 2u * job.rows * CLADE_BULK_S_WORDS + 2u * job.tiles));
    job.keys = room((FIRST + count) * sizeof(image));
    job.values = room((FIRST - 1 + count) * sizeof(uint));
    job.other = room(count * sizeof(image));
    job.other_values = room(count * sizeof(uint));
    for (uint i = 0; i < count; i++) {
        job.keys[FIRST + i] = CLADEI_BULK_DECODE(key_of(kind, i));
        job.values[FIRST - 1 + i] = i;
    }
    launch(build_begin);
    keep_empty();
    for (job.level = 0; job.level < LEVELS; job.level++) {
        launch(build_count);
        launch(build_plan);
        launch(build_move);
    }
    launch(build_end);
    const bool goes = clade_load_relaxed(job.plan + CLADE_BULK_STATE) == CLADE_BULK_GOES;
    expect((head()->ticket == CLADE_BULK_NO_MORE) == goes, "a ticket", kind, count);
    expect(goes || is_as_kept(), "what began empty is not", kind, count);
    free(job.plan);
    free(job.other);
    free(job.other_values);
    free(job.keys);
    free(job.values);
    return goes;
}

/* How many keys all pops took, beyond 2^32 from the begin on. */
static const ulong popped_before = 0x5ffffff00ul;
static ulong popped;

static clade_front_words epoch(uint at)
{
    const uint tag = job.heap[CLADE_FRONT_W_WORD] >> CLADE_FRONT_TAG_SHIFT;
    return cladei_bulk_epoch(cladei_bulk_open(job.heap), tag + at);
}

static void begin_heap(void)
{
    job.heap = host_front_new(CAPACITY, CLADE_HEAP_BATCH, CLADE_HEAP_LEAF);
    clade_store_relaxed(epoch(0) + CLADE_FRONT_E_RANK, (uint)popped_before);
    clade_store_relaxed(epoch(0) + CLADE_FRONT_E_RANK + 1, (uint)(popped_before >> 32));
    popped = popped_before;
}

static void check_heap(const char *when, uint kind, uint keys)
{
    const uint *e = (const uint *)epoch(0);
    const ulong rank = e[CLADE_FRONT_E_RANK] | (ulong)e[CLADE_FRONT_E_RANK + 1] << 32;
    const uint left = job.heap[CLADE_FRONT_W_WORD] & CLADE_FRONT_LEFT_MASK;
    expect(rank + e[CLADE_FRONT_E_COUNT] - left == popped, "keys that were popped, from",
           (uint)rank, (uint)popped);
    const char *broken = host_front_check(job.heap, CAPACITY, CLADE_HEAP_LEAF, keys);
    expect(job.heap[CLADE_FRONT_W_SIZE] == keys, "the size", job.heap[CLADE_FRONT_W_SIZE], keys);
    if (broken) {
        printf("%s: %s\n", when, broken);
        expect(0, when, kind, keys);
    }
}

/* How many leaves a build has made, all in a row from the first one on; 0: not known. */
static uint leaves_made;

/* What a front's descriptor has beyond its pieces is of long ago. */
static void spoil_pieces(void)
{
    uint *e = (uint *)epoch(0);
    for (uint w = 3u * e[CLADE_FRONT_E_PIECES]; w < 3u * CLADE_FRONT_PIECES; w++)
        e[CLADE_FRONT_E_PIECE + w] = GUARD;
}

/* Each group of a pop writes to arrays of its own: each place is one group's. */
static void open_pop(uint n)
{
    for (uint g = 0; g < GROUPS; g++) {
        job.keys_of[g] = job.keys ? room((FIRST + n) * sizeof(image)) : NULL;
        job.values_of[g] = job.keys ? room((FIRST - 1 + n) * sizeof(uint)) : NULL;
    }
}

static void close_pop(uint n)
{
    for (uint i = 0; i < n && job.keys; i++) {
        uint writers = 0;
        for (uint g = 0; g < GROUPS; g++) {
            if (job.values_of[g][FIRST - 1 + i] == GUARD)
                continue;
            job.keys[FIRST + i] = job.keys_of[g][FIRST + i];
            job.values[FIRST - 1 + i] = job.values_of[g][FIRST - 1 + i];
            writers++;
        }
        expect(writers == 1, "groups that write a key", i, writers);
    }
    for (uint g = 0; g < GROUPS; g++) {
        expect(!job.keys || ((uint)job.keys_of[g][FIRST - 1] == GUARD &&
                             job.values_of[g][FIRST - 2] == GUARD),
               "before what goes", g, n);
        free(job.keys_of[g]);
        free(job.values_of[g]);
    }
}

/* The first pop after a build, as if the heap had no leaf but those: each of them is looked at.
 * With none left all the leaves there are become free. */
static bool begin_pop(ulong wanted)
{
    const uint size = job.heap[CLADE_FRONT_W_SIZE];
    uint *leaves = job.heap + CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES;
    const uint leaves_before = *leaves;
    if (leaves_made > 0 && wanted < size)
        *leaves = 1 + CLADE_FRONT_FAN + leaves_made;
    leaves_made = 0;
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    job.wanted = wanted;
    job.control = room(4ull * CLADE_BULK_TAKE_WORDS(h.leaf_count, h.dir_count, CLADE_HEAP_LEAF));
    const uint n = wanted < size ? (uint)wanted : size;
    if (job.keys)
        spoil_pieces();
    open_pop(n);
    launch(take_begin);
    launch(take_count);
    launch(take_place);
    launch(take_move);
    launch(take_end);
    *leaves = leaves_before;
    const bool goes = clade_load_relaxed(job.control + CLADE_BULK_STATE) == CLADE_BULK_GOES;
    expect((head()->ticket == CLADE_BULK_NO_MORE) == goes, "a pop's ticket", (uint)wanted, goes);
    popped += goes ? n : 0u;
    close_pop(goes ? n : 0u);
    free(job.control);
    return goes;
}

static uint front_left(void)
{
    return job.heap[CLADE_FRONT_W_WORD] & CLADE_FRONT_LEFT_MASK;
}

/* The leaf of the trie's first keys. */
static uint first_leaf(void)
{
    const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
    const uint *entries = (const uint *)h.entries;
    uint ref = CLADE_FRONT_DRAINED;
    for (uint entry = 0; ref == CLADE_FRONT_DRAINED || (ref & 1u) != 0; entry++) {
        ref = entries[entry];
        if (ref != CLADE_FRONT_DRAINED && (ref & 1u) != 0)
            entry = ref / 2u * CLADE_FRONT_FAN - 1u;
    }
    return ref / 2u;
}

static uint keys_of_first_leaf(void)
{
    return cladei_bulk_count(cladei_bulk_open(job.heap), first_leaf());
}
