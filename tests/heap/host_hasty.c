/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's tree engines where every wait gives up after a few looks, so that a repair is due
 * every now and then. Meanwhile each batch that a pop gets is in order, and each key that was taken
 * in comes out once. What is left has its invariants; or, with a repair due, all keys that it
 * counts.
 *
 * Built once for each engine and kind of team: -DCLADE_HEAP_ENGINE, -DCLADE_GROUP_SCALAR,
 * -DCLADE_HEAP_REGIONS. */
static unsigned patience; /* looks of a wait; a world's own, and many for the end */
#define CLADE_SPIN_LIMIT      patience
#define CLADE_HEAP_PATIENCE   2u
#define CLADE_HEAP_BATCH      4
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     32768
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/end_after.h"
#include "harness/run_for.h"
#include "heap/hasty.h"

enum { BATCH = CLADE_HEAP_BATCH, ENGINE = CLADE_HEAP_ENGINE }; /* the header undefines them */

#include "clade/heap.clh"

#include "heap/heap_memory.h"
#include "lin/gen.h"

enum { IDS = 1 << 17, TRIES = 3, HANGS_AFTER = 60, MUCH = 10000000 };

static clade_heap_head *heap;
static uint steps, span, begun, inserts; /* inserts: of 100 operations */
static unsigned char in[IDS], out[IDS]; /* of each value: whether it is in, how often it came out */
static uint key_of[IDS];
static _Atomic uint next_id, full, busy, repairs;

/* All items; the first one notes. Keys of a batch that stays out are no more. */
static void insert(__local clade_heap_scratch *s, uint n)
{
    const bool first = get_local_id(0) == 0;
    const uint id = first ? atomic_fetch_add_explicit(&next_id, n, memory_order_relaxed, 0) : 0;
    clade_i32 status = CLADE_E_BUSY;
    for (uint i = 0; i < n && first; i++) {
        key_of[id + i] = next_random() % span;
        clade_heap_set_wi(s, i, key_of[id + i], id + i);
        in[id + i] = 1;
    }
    for (uint t = 0; t < TRIES && status == CLADE_E_BUSY; t++)
        status = clade_heap_insert_wg(heap, s, n);
    if (!first)
        return;
    full += status == CLADE_E_FULL;
    busy += status == CLADE_E_BUSY;
    for (uint i = 0; i < n && status != CLADE_OK; i++)
        in[clade_heap_value_wi(s, i)] = 0;
}

static uint take(__local clade_heap_scratch *s, uint n, clade_i32 *status)
{
    uint got = 0;
    *status = clade_heap_pop_wg(heap, s, n, &got);
    if (get_local_id(0) != 0)
        return got;
    expect(*status == CLADE_OK || got == 0, "a pop that was refused took keys");
    for (uint i = 0; i < got; i++) {
        const uint id = clade_heap_value_wi(s, i), key = clade_heap_key_wi(s, i);
        expect(i == 0 || key >= clade_heap_key_wi(s, i - 1), "a batch is out of order");
        expect(id < next_id && key == key_of[id], "a key has another's value");
        expect(__atomic_add_fetch(&out[id % IDS], 1, __ATOMIC_RELAXED) == 1, "a key came twice");
    }
    return got;
}

static void come_and_go(void *argument, void *local)
{
    uint common = begun * 31u + (uint)get_group_id(0) * 977u + span;
    (void)argument;
    random_state = common + (uint)get_local_id(0);
    for (uint t = 0; t < steps; t++) {
        common = common * 1664525u + 1013904223u; /* the same in all items */
        const uint choice = common >> 8, n = 1 + choice / 300 % BATCH;
        clade_i32 status = CLADE_OK;
        if (choice % 100 < inserts)
            insert(local, choice / 100 % 3 == 0 ? n : BATCH);
        else
            take(local, n, &status);
        busy += status != CLADE_OK && get_local_id(0) == 0;
    }
}

/* With patience, in order. */
static void drain(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    clade_i32 status;
    uint last = 0;
    (void)argument;
    for (uint got = 1; got > 0;) {
        got = take(s, BATCH, &status);
        expect(status == CLADE_OK, "a heap at rest is busy");
        for (uint i = 0; i < got && get_local_id(0) == 0; i++) {
            expect(clade_heap_key_wi(s, i) >= last, "a heap at rest is out of order");
            last = clade_heap_key_wi(s, i);
        }
    }
}

/* --- what the host does ---------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const ulong x = *(const ulong *)a, y = *(const ulong *)b;
    return x < y ? -1 : x > y;
}

/* Sorted entries are a heap: nodes in the order of their numbers, then the buffer. */
static const char *repair(clade_heap_node *nodes, uint *keys, uint *values, ulong size)
{
    ulong *all = malloc((size + 1) * sizeof *all), n = 0;
    for (uint i = 0; i < heap->buffer; i++)
        all[n++] = (ulong)keys[i] << 32 | values[i];
    for (ulong i = 2 * BATCH - heap->root; i < (heap->count + 1ul) * BATCH; i++)
        all[n++] = (ulong)keys[i] << 32 | values[i];
    qsort(all, n, sizeof *all, by_key);
    heap->count = (uint)(n / BATCH);
    heap->root = heap->count ? BATCH : 0;
    heap->buffer = (uint)(n % BATCH);
    heap->repair = 0;
    for (uint v = 1; v <= heap->nodes; v++)
        nodes[v].state = v <= heap->count ? CLADE_HEAP_AVAIL : CLADE_HEAP_EMPTY;
    for (ulong i = 0; i < n; i++) {
        const ulong v = i / BATCH + 1, at = v <= heap->count ? v * BATCH + i % BATCH : i % BATCH;
        keys[at] = (uint)(all[i] >> 32);
        values[at] = (uint)all[i];
        if (v <= heap->count)
            nodes[v].last[0] = keys[at];
    }
    free(all);
    return n == size ? NULL : "a heap in need of repair has other keys than it counts";
}

static const char *judge(void)
{
    char *const base = (char *)heap;
    clade_heap_node *nodes = (clade_heap_node *)(base + CLADE_HEAP_NODES_AT);
    uint *keys = (uint *)(base + CLADE_HEAP_KEYS_AT(heap->nodes));
    uint *values = (uint *)(base + CLADE_HEAP_VALUES_AT(heap->nodes, BATCH, 4));
    const ulong size = cladei_heap_size(heap->count, heap->root, heap->buffer, BATCH);
    if (heap->lock != CLADE_HEAP_FREE)
        return "the heap lock is held";
    if (size != heap->inserted[0] - heap->popped[0])
        return "as many keys are not inside as came and did not leave";
    if (heap->repair != 0) {
        repairs++;
        return repair(nodes, keys, values, size);
    }
    for (uint v = 1; v <= heap->nodes; v++)
        if (nodes[v].state != (v <= heap->count ? CLADE_HEAP_AVAIL : CLADE_HEAP_EMPTY))
            return "a node is in another state than it must be at rest";
    for (uint v = 1; v <= heap->count; v++)
        if (nodes[v].last[0] != keys[v * BATCH + BATCH - 1] ||
            (v > 1 && keys[cladei_heap_parent(v) * BATCH + BATCH - 1] > keys[v * BATCH]))
            return "a node is out of order, or does not know its last key";
    return NULL;
}

static const char *world(uint64_t seed)
{
    static const uint spans[] = { 6, 1000, 0xffffffff }, looks[] = { 1, 3, 20, 200 };
    const uint groups = 2 + gen_below(&seed, 5), rounds = 1 + gen_below(&seed, 4);
    const uint items = CLADE_GROUP_SCALAR ? 1 : 1 + gen_below(&seed, 4);
    const uint few = looks[gen_below(&seed, 4)];
    const char *said = NULL;
    slow = gen_below(&seed, 0xffffffff);
    span = spans[gen_below(&seed, 3)];
    steps = 1 + gen_below(&seed, 200);
    inserts = 45 + gen_below(&seed, 40);
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    next_id = 0;
    wrong = NULL;
    heap = heap_memory_new(gen_below(&seed, 2) ? 37 : 4000, BATCH, ENGINE);
    for (uint r = 0; r < rounds && !said; r++) {
        begun = (uint)seed + next_id;
        patience = few;
        shim_launch(come_and_go, NULL, groups, items, sizeof(clade_heap_scratch));
        said = judge();
    }
    patience = MUCH;
    if (!said) {
        shim_launch(drain, NULL, 1, items, sizeof(clade_heap_scratch));
        said = judge();
    }
    said = wrong ? wrong : said;
    for (uint id = 0; id < next_id && !said; id++)
        if (in[id] != out[id])
            said = in[id] ? "a key was lost" : "a key that was refused came out";
    free(heap);
    return said;
}

int main(int count, char **arguments)
{
    const double seconds = run_for_seconds(count, arguments, 4);
    uint64_t seed = shim_seed();
    const char *said = NULL;
    uint worlds = 0;
    do {
        end_after(HANGS_AFTER);
        said = world(seed);
        if (said)
            fprintf(stderr, "%s: CLADE_TEST_SEED=%u\n", said, (uint)seed);
        seed++;
        worlds++;
    } while (!said && run_for_used() < seconds);
    printf("%u worlds, %u inserts refused, %u waits gave up, %u repairs: %s\n", worlds, full, busy,
           repairs, said ? "WRONG" : "fine");
    return said != NULL;
}
