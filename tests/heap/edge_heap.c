/* SPDX-License-Identifier: Apache-2.0 */
/* The tree engines' counters by one group: nobody is in its way, so nothing is tried twice; and
 * where a lock is held by somebody who does not come back, each try is counted, nothing is done,
 * and afterwards all is as it was. A pop waits for an insert a bounded number of times.
 * -DENGINE: 1 or 2. */
#define CLADE_HEAP_BATCH      4
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_ENGINE     ENGINE
#define CLADE_HEAP_REGIONS    5
#define CLADE_GROUP_SCALAR    1
#define CLADE_LOCAL_BYTES     32768
#define CLADE_SPIN_LIMIT      1000u
#include "host/device.h"

#include "clade/atomic.clh"

static void come_late(const volatile void *word, uint salt);
static uint look(clade_global_word word);
#define CLADE_SCHEDULE_HOOK(where, word, salt) come_late((word), (salt))
#define clade_load_relaxed(word)               look((clade_global_word)(word))
#include "clade/heap.clh"
#undef clade_load_relaxed
#undef min
#undef max

#include "edges/edge.h"
#include "heap/heap_memory.h"

enum { BATCH = 4, CAPACITY = 400, LIMIT = CLADE_SPIN_LIMIT };

static clade_heap_head *heap;
static clade_heap_node *nodes;
static uint inserts, pops, refused, inside;

/* A node that is promised to an insert, or 0; whether that insert comes just after a pop's last try
 * there, and does not bring its keys; whether it came; and loads of the node's state. */
static uint promised, comes, came, looks;

static void come_late(const volatile void *word, uint salt)
{
    if (promised == 0 || word != &nodes[promised].state || comes == 0 ||
        salt != promised + LIMIT - 1u || nodes[promised].state != CLADE_HEAP_MARKED)
        return;
    nodes[promised].state = CLADE_HEAP_INUSE;
    came++;
}

/* A load. A wait without a bound ends the program. An insert that hands its keys over does so after
 * some looks. */
enum { STAYS_AWAY, COMES, HANDS_OVER };
static uint look(clade_global_word word)
{
    if (promised != 0 && word == &nodes[promised].state && ++looks > 2u * CLADE_HEAP_LATE) {
        printf("a pop's wait for an insert has no bound\n");
        exit(1);
    }
    if (promised != 0 && word == &nodes[promised].state && comes == HANDS_OVER && looks == 3)
        nodes[promised].state = CLADE_HEAP_HANDED;
    return clade_load_relaxed(word);
}

static void make(void)
{
    heap = heap_memory_new(CAPACITY, BATCH, ENGINE);
    nodes = (clade_heap_node *)((char *)heap + CLADE_HEAP_NODES_AT);
    inserts = pops = refused = inside = 0;
}

static void insert(__local clade_heap_scratch *s, uint n, clade_i32 wanted)
{
    static uint next;
    for (uint i = 0; i < n; i++)
        clade_heap_set_wi(s, i, next++ * 0x9e3779b1u, 0u);
    const clade_i32 status = clade_heap_insert_wg(heap, s, n);
    expect(status == wanted && clade_heap_taken_wi(s) == (wanted == CLADE_OK ? n : 0u),
           "an insert's status", (uint)status, (uint)wanted);
    inserts += wanted == CLADE_OK;
    refused += wanted != CLADE_OK;
    inside += wanted == CLADE_OK ? n : 0u;
}

static void take(__local clade_heap_scratch *s, uint n, clade_i32 wanted)
{
    uint got = 99;
    const clade_i32 status = clade_heap_pop_wg(heap, s, n, &got);
    expect(status == wanted && got == (wanted == CLADE_OK ? n : 0u), "a pop's status", (uint)status,
           (uint)wanted);
    pops += wanted == CLADE_OK;
    inside -= got;
}

static void expect_counts(uint retries, const char *when)
{
    expect(heap->retries[0] == retries && heap->retries[1] == 0, when, heap->retries[0], retries);
    expect(heap->inserts[0] == inserts && heap->inserts[1] == 0, "inserts", heap->inserts[0],
           inserts);
    expect(heap->pops[0] == pops && heap->pops[1] == 0, "pops", heap->pops[0], pops);
    expect(heap->refused[0] == refused && heap->refused[1] == 0, "refused", heap->refused[0],
           refused);
    expect(heap->cooperations[0] == 0, "cooperations", heap->cooperations[0], 0);
    expect(heap->repair == 0, "a repair is due", heap->repair, 0);
    expect(clade_heap_size_hint_wi(heap) == inside, "the size", (uint)clade_heap_size_hint_wi(heap),
           inside);
}

static void alone(__local clade_heap_scratch *s)
{
    for (uint i = 0; i < 90; i++)
        insert(s, i % 3 == 0 ? BATCH : 1u + i % BATCH, CLADE_OK);
    for (uint i = 0; i < 40; i++)
        take(s, 1u + i % BATCH, CLADE_OK);
    expect_counts(0, "nobody is in its way, and it tried again");
}

/* `word` is held by somebody else; so many tries are made by an operation of n keys. */
static void held(__local clade_heap_scratch *s, clade_atomic_u32 *word, uint value, bool is_insert,
                 uint n, uint tries, const char *when)
{
    const uint free_ = *word, before = heap->retries[0];
    *word = value;
    if (is_insert)
        insert(s, n, CLADE_E_BUSY);
    else
        take(s, n, CLADE_E_BUSY);
    expect_counts(before + tries, when);
    *word = free_;
    expect_counts(before + tries, when);
}

static const uint *slot(uint node)
{
    return (const uint *)((const char *)heap + CLADE_HEAP_KEYS_AT(heap->nodes)) + node * BATCH;
}

/* In the middle of a pop a child of node 2, or of node 3, is held by somebody else: nodes `first`
 * and the next one. The pop ends where it is, tells that order is lost, and touches neither that
 * child nor the other one, which it has given back. */
static void held_below(__local clade_heap_scratch *s, uint first)
{
    uint before[8 * BATCH];
    make();
    for (uint i = 0; i < 60; i++)
        insert(s, BATCH, CLADE_OK);
    for (uint v = first; v < first + 2; v++)
        nodes[v].state = CLADE_HEAP_INUSE;
    memcpy(before, slot(0), sizeof before);
    take(s, BATCH, CLADE_OK);
    expect(heap->repair == CLADE_HEAP_REPAIR_SIFT, "a repair is not due", heap->repair, first);
    for (uint v = 1; v < 8; v++) {
        const bool is_held = v >= first && v < first + 2;
        expect(nodes[v].state == (is_held ? CLADE_HEAP_INUSE : CLADE_HEAP_AVAIL), "a node's state",
               v, (uint)nodes[v].state);
        expect(v < 4 || memcmp(slot(v), before + v * BATCH, BATCH * sizeof(uint)) == 0,
               "keys of a child that is held, or that was given back", v, first);
    }
    free(heap);
}

/* A pop finds its last node promised to an insert. It marks the node, and the insert does not come;
 * or it comes when the pop wants to withdraw the mark, and brings nothing. Then the pop looks a
 * bounded number of times, and tells that the keys will lie in a node that nobody takes. In both
 * cases no key moves, and all locks are given back. */
static void marked(__local clade_heap_scratch *s, uint insert_comes)
{
    make();
    for (uint i = 0; i < 60; i++)
        insert(s, BATCH, CLADE_OK);
    const uint last = heap->count;
    const size_t bytes = (last + 1u) * BATCH * sizeof(uint);
    uint *before = malloc(bytes);
    if (!before)
        abort();
    memcpy(before, slot(0), bytes);
    nodes[last].state = CLADE_HEAP_TARGET;
    promised = last, comes = insert_comes, came = looks = 0;
    take(s, BATCH, CLADE_E_BUSY);
    promised = 0;
    expect(came == insert_comes, "the insert came", came, insert_comes);
    expect(looks == (came ? CLADE_HEAP_LATE : 0u), "looks for an insert's keys", looks, came);
    expect(heap->repair == (came ? CLADE_HEAP_REPAIR_HANDED : 0u), "a repair after a mark",
           heap->repair, came);
    expect(heap->lock == CLADE_HEAP_FREE, "the heap's lock", heap->lock, came);
    expect(heap->count == last, "nodes", heap->count, last);
    for (uint v = 1; v <= last; v++)
        expect(nodes[v].state == (v < last ? CLADE_HEAP_AVAIL
                                  : came   ? CLADE_HEAP_INUSE
                                           : CLADE_HEAP_TARGET),
               "a node's state after a mark", v, (uint)nodes[v].state);
    expect(memcmp(slot(0), before, bytes) == 0, "keys moved", last, came);
    free(before);
    free(heap);
}

/* The insert comes as late, and hands its keys over while the pop looks: then the pop goes on. It
 * gets the root's keys, since all others come after them. */
static void handed(__local clade_heap_scratch *s)
{
    uint first[BATCH], got = 0;
    make();
    for (uint i = 0; i < 60; i++)
        insert(s, BATCH, CLADE_OK);
    const uint last = heap->count;
    memcpy(first, slot(1), sizeof first);
    nodes[last].state = CLADE_HEAP_TARGET;
    promised = last, comes = HANDS_OVER, came = looks = 0;
    const clade_i32 status = clade_heap_pop_wg(heap, s, BATCH, &got);
    promised = 0;
    expect(status == CLADE_OK && got == BATCH && came == 1, "a pop of keys handed over late",
           (uint)status, got);
    for (uint i = 0; i < BATCH; i++)
        expect(clade_heap_key_wi(s, i) == first[i], "a key of the root", i,
               clade_heap_key_wi(s, i));
    expect(heap->cooperations[0] == 1 && heap->repair == 0 && heap->lock == CLADE_HEAP_FREE,
           "cooperations", heap->cooperations[0], heap->repair);
    expect(heap->count == last - 1, "nodes", heap->count, last);
    for (uint v = 1; v <= last; v++)
        expect(nodes[v].state == (v < last ? CLADE_HEAP_AVAIL : CLADE_HEAP_EMPTY),
               "a node's state after a late hand-over", v, (uint)nodes[v].state);
    free(heap);
}

static void run(void *argument, void *local)
{
    (void)argument;
    alone(local);
    held(local, &heap->lock, CLADE_HEAP_HELD, true, 2, LIMIT,
         "the heap's lock is held: tries of an insert");
    held(local, &heap->lock, CLADE_HEAP_HELD, false, 2, LIMIT,
         "the heap's lock is held: tries of a pop");
    /* Batches that stay in root and buffer, and ones that give a node. */
    while (heap->buffer != 0)
        insert(local, BATCH - heap->buffer, CLADE_OK);
    held(local, &nodes[1].state, CLADE_HEAP_INUSE, true, 1, LIMIT,
         "the root is held: tries of an insert");
    held(local, &nodes[1].state, CLADE_HEAP_INUSE, false, 1, LIMIT,
         "the root is held: tries of a pop");
    held(local, &nodes[2].state, CLADE_HEAP_INUSE, false, BATCH, LIMIT,
         "a child is held: tries of a pop");
    held(local, &nodes[heap->count].state, CLADE_HEAP_INUSE, false, BATCH, LIMIT - 1u,
         "the last node is held: tries of a pop");
    while (inside > 0)
        take(local, inside < BATCH ? inside : BATCH, CLADE_OK);
    expect(heap->count == 0 && heap->buffer == 0 && heap->lock == CLADE_HEAP_FREE, "at rest, empty",
           heap->count, 0);
}

static void run_held_below(void *argument, void *local)
{
    (void)argument;
    held_below(local, 4);
    held_below(local, 6);
    marked(local, STAYS_AWAY);
    marked(local, COMES);
    handed(local);
}

int main(void)
{
    make();
    shim_launch(run, NULL, 1, 1, sizeof(clade_heap_scratch));
    free(heap);
    shim_launch(run_held_below, NULL, 1, 1, sizeof(clade_heap_scratch));
    printf("heap, engine %d: %u wrong\n", ENGINE, wrong);
    return wrong != 0;
}
