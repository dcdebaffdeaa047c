/* SPDX-License-Identifier: Apache-2.0 */
/* Pops and inserts of the tree engines that find a node held, or its keys handed over, by somebody
 * who is not there, or have a pop wait for what they bring: by groups of several items, of which
 * each takes another node. */
#pragma once

#include "heap/kernels_refused.h"

static clade_heap_node *node_at(uint node)
{
    return (clade_heap_node *)((char *)heap + CLADE_HEAP_NODES_AT) + node;
}

/* A pop that gives the heap's lock back has the last node's keys: another one's insert may have the
 * node by then, and write there. */
static void spoil_before(const volatile void *word)
{
    static uint count;
    clade_heap_image *keys = (void *)((char *)heap + CLADE_HEAP_KEYS_AT(NODES));
    const uint left = head()->count;
    if (word != &head()->lock)
        return;
    if (left + 1u == count && node_at(count)->state == CLADE_HEAP_EMPTY)
        memset(keys + (size_t)count * BATCH, 0x5a, BATCH * sizeof *keys);
    count = left;
}

/* Whether the items of a group take children and last node beside each other. */
#define HELD_TEAM (GROUP >= 3 && !CLADE_GROUP_SCALAR)

/* Nodes of which root and three levels are full: the next one has a parent below the root's child.
 */
enum { FULL_NODES = CAPACITY / BATCH > 13 ? 12 : 10 };

/* A pop of root and last node finds `node` in `state`, for ever, and the last node `last`. It gives
 * up, and gives all back. `repair`: what it says that is due; `after`: the last node's state. */
static void pop_beside(uint node, uint state, uint last, uint repair, uint after)
{
    const size_t bytes = bytes_of_content();
    const uint count = head()->count;
    const bool has_below = count > 4; /* somebody has a node below the children for long */
    char *as_was = room(bytes);
    node_at(count)->state = last;
    node_at(node)->state = state;
    if (has_below)
        node_at(4)->state = CLADE_HEAP_INUSE;
    memcpy(as_was, heap, bytes);
    ((clade_heap_node *)(as_was + CLADE_HEAP_NODES_AT))[count].state =
        node == count ? state : after;
    give_room(BATCH);
    job.is_pop = 1;
    head()->object.first_error = 0;
    launch_call();
    expect((clade_i32)head()->verdict == CLADE_E_BUSY && job.got[1] == 0, "a pop beside a node",
           head()->verdict, node);
    expect(head()->repair == repair, "the repair that is due", head()->repair, node);
    expect(head()->lock == CLADE_HEAP_FREE && head()->count == count, "the heap's lock", node,
           state);
    expect(memcmp(as_was + CLADE_HEAP_NODES_AT, (char *)heap + CLADE_HEAP_NODES_AT,
                  bytes - CLADE_HEAP_NODES_AT) == 0,
           "a pop that gave up changed the heap", node, state);
    node_at(node)->state = node_at(count)->state = CLADE_HEAP_AVAIL;
    if (has_below)
        node_at(4)->state = CLADE_HEAP_AVAIL;
    head()->repair = head()->retries[0] = head()->object.first_error = 0;
    free(as_was);
    take_room();
    check_heap("after a pop that gave up");
}

static void pops_beside(void)
{
    enum { AVAIL = CLADE_HEAP_AVAIL, INUSE = CLADE_HEAP_INUSE, HANDED = CLADE_HEAP_HANDED };
    insert(0, BATCH);
    pop_beside(1, INUSE, INUSE, 0, INUSE); /* of the only node */
    pop(CAPACITY);
    insert(0, FULL_NODES * BATCH);
    const uint last = head()->count;
    pop_beside(1, INUSE, AVAIL, 0, AVAIL);
    pop_beside(last, INUSE, AVAIL, 0, INUSE);
    pop_beside(last, CLADE_HEAP_TARGET, AVAIL, 0, CLADE_HEAP_TARGET);
    for (uint child = 2; child < 4; child++) {
        pop_beside(child, INUSE, AVAIL, HELD_TEAM ? CLADE_HEAP_REPAIR_SIFT : 0, AVAIL);
        pop_beside(child, INUSE, HANDED, HELD_TEAM ? CLADE_HEAP_REPAIR_HANDED : 0,
                   HELD_TEAM ? AVAIL : HANDED);
    }
    pop(CAPACITY);
}

#define SWAP_SLOTS(slots)                                                                          \
    do {                                                                                           \
        for (uint i = 0; i < BATCH; i++)                                                           \
            both[i] = i < root ? (slots)[2 * BATCH - root + i] : (slots)[last * BATCH + i - root]; \
        for (uint i = 0; i < root; i++)                                                            \
            (slots)[2 * BATCH - root + i] = (slots)[last * BATCH + BATCH - root + i];              \
        for (uint i = 0; i < BATCH; i++)                                                           \
            (slots)[last * BATCH + i] = both[i];                                                   \
    } while (0)

/* The last node's keys were handed over by an insert that began at the bottom, and has not been at
 * the root: that has greater ones. */
static void as_if_from_below(uint last, uint root)
{
    clade_heap_image *keys = (void *)((char *)heap + CLADE_HEAP_KEYS_AT(NODES));
    {
        clade_heap_image both[BATCH];
        SWAP_SLOTS(keys);
    }
    if (HAS_VALUES) {
        clade_heap_stored *values =
            (void *)((char *)heap + CLADE_HEAP_VALUES_AT(NODES, BATCH, KEY_BYTES));
        clade_heap_stored both[BATCH];
        SWAP_SLOTS(values);
    }
    for (uint node = 1; node <= last; node += last - 1) {
        node_at(node)->last[0] = (uint)keys[node * BATCH + BATCH - 1];
        node_at(node)->last[1] = (uint)((ulong)keys[node * BATCH + BATCH - 1] >> 32);
    }
}

/* A pop takes what an insert has handed over; `few`: of the root some keys are gone already, and
 * the buffer has some. It counts that once, over the word's end. */
static void pop_handed(uint few)
{
    insert(0, FULL_NODES * BATCH + few);
    if (few)
        pop(few - 1);
    const uint last = head()->count;
    if (ENGINE == CLADE_HEAP_BOTTOM_UP)
        as_if_from_below(last, head()->root);
    node_at(last)->state = CLADE_HEAP_HANDED;
    head()->cooperations[0] = 0xffffffffu;
    head()->cooperations[1] = 0;
    pop(BATCH);
    expect(head()->cooperations[1] == 1, "a pop of what was handed over", few, 0);
    pop(CAPACITY);
}

/* --- inserts ---------------------------------------------------------------------------------- */

/* A node that a pop marks as soon as it is promised, or 0; whether it withdraws the mark when the
 * insert has seen it. */
static uint marked, withdraws;
/* Keys that a pop takes from the root as soon as nobody has the heap's lock. */
static uint taken_beside;

static void mark_at(const volatile void *word)
{
    if (taken_beside != 0 && word == &node_at(1)->state && head()->lock == CLADE_HEAP_FREE) {
        head()->root -= taken_beside;
        taken_beside = 0;
    }
    if (marked == 0 || word != &node_at(marked)->state ||
        node_at(marked)->state != CLADE_HEAP_TARGET)
        return;
    node_at(marked)->state = CLADE_HEAP_MARKED;
    marked = 0;
}

static uint cas_after(clade_global_word word, uint was, uint value)
{
    if (withdraws && was == CLADE_HEAP_MARKED && value == CLADE_HEAP_INUSE) {
        clade_store_relaxed(word, CLADE_HEAP_TARGET);
        withdraws = 0;
    }
    return (clade_cas_relaxed)(word, was, value);
}

/* All keys are inside, wherever. */
static void expect_keys(const char *what, uint at)
{
    const clade_heap_image *images = (const void *)((const char *)heap + CLADE_HEAP_KEYS_AT(NODES));
    clade_heap_image *is = room(size * KEY_BYTES);
    uint n = 0;
    for (uint i = 0; i < head()->buffer && n < size; i++)
        is[n++] = clade_heap_decode(images[i]);
    for (uint node = 1; node <= head()->count; node++)
        for (uint i = node == 1 ? BATCH - head()->root : 0; i < BATCH && n < size; i++)
            is[n++] = clade_heap_decode(images[node * BATCH + i]);
    qsort(is, n, sizeof *is, compare);
    expect(n == size && memcmp(is, inside, n * KEY_BYTES) == 0, what, n, at);
    free(is);
}

enum comes { NOBODY, POP, POP_GIVES_UP };

/* An insert of n keys into a heap of whole nodes but for `few` keys of the buffer, while somebody
 * has `held` in `state`; a pop comes to wait for what it brings, and may give up. It is in, and its
 * last node becomes `after`; or it is refused, which changes nothing. Where a node is held the new
 * keys come after all others, so they go as far down as they can. */
static void insert_beside(uint few, uint n, uint held_, uint state, enum comes comes, uint repair,
                          uint after)
{
    free(heap);
    make();
    insert(0, FULL_NODES * BATCH + few);
    const uint last = head()->count + 1, inside_ = size, low = head()->inserted[0];
    const bool is_in = after != CLADE_HEAP_EMPTY;
    /* Who climbs takes no lock but its parent's, and the root may be held by the pop. */
    const bool climbs = ENGINE == CLADE_HEAP_BOTTOM_UP && n == BATCH && held_ != 0;
    if (held_ != 0)
        node_at(held_)->state = state;
    if (climbs)
        node_at(1)->state = CLADE_HEAP_INUSE;
    marked = comes != NOBODY ? last : 0;
    withdraws = comes == POP_GIVES_UP;
    give_room(n);
    job.is_pop = 0;
    for (uint i = 0; i < n; i++) {
        job.keys[FIRST + i] = inside[held_ != 0 ? inside_ - 1 : i];
        inside[size++] = job.keys[FIRST + i];
    }
    size = is_in ? size : inside_;
    qsort(inside, size, sizeof *inside, compare);
    launch_call();
    expect((clade_i32)head()->verdict == (is_in ? CLADE_OK : CLADE_E_BUSY),
           "an insert beside others", head()->verdict, held_);
    expect(marked == 0 && withdraws == 0, "nobody came: this test sees nothing", last, held_);
    expect(head()->repair == repair, "the repair that an insert says is due", head()->repair,
           held_);
    expect(head()->lock == CLADE_HEAP_FREE && head()->count == last - !is_in, "nodes",
           head()->count, last);
    expect(head()->inserted[0] - low == (is_in ? n : 0), "keys that came", head()->inserted[0],
           low);
    for (uint node = 1; node <= last; node++)
        expect(node_at(node)->state == (node == last          ? after
                                        : node == held_       ? state
                                        : climbs && node == 1 ? CLADE_HEAP_INUSE
                                                              : CLADE_HEAP_AVAIL),
               "a node's state beside an insert", node, node_at(node)->state);
    if (!is_in) /* each try for a lock, or each look for a parent but the first one */
        expect(head()->retries[0] == CLADE_HEAP_TRIES * (CLADE_SPIN_LIMIT - (held_ != 1)),
               "tries of an insert", head()->retries[0], held_);
    expect_keys("keys beside an insert", held_);
    take_room();
}

/* An insert from below comes to a root of which a pop took some keys since the insert had the
 * heap's lock. */
static void root_shrinks(void)
{
    insert(0, 3 * BATCH);
    size -= 2;
    memmove(inside, inside + 2, size * sizeof *inside);
    head()->popped[0] += 2;
    taken_beside = 2;
    insert(ORDER == CLADE_MIN ? 4 : 3, BATCH); /* before all others */
    expect(taken_beside == 0, "no pop came: this test sees nothing", 0, 0);
    pop(CAPACITY);
}

static void inserts_beside(void)
{
    enum { INUSE = CLADE_HEAP_INUSE, HANDED = CLADE_HEAP_HANDED, AVAIL = CLADE_HEAP_AVAIL };
    enum { LAST = FULL_NODES + 1, FEW = 3 };
    const uint parent = cladei_heap_parent(LAST), climbs = ENGINE == CLADE_HEAP_BOTTOM_UP;
    const uint above = cladei_heap_parent(parent);
    insert_beside(0, BATCH, 0, 0, NOBODY, 0, AVAIL);
    insert_beside(FEW, BATCH - 1, 0, 0, NOBODY, 0, AVAIL);
    insert_beside(FEW, BATCH - 1, 0, 0, POP, 0, HANDED);
    insert_beside(FEW, BATCH - 1, 0, 0, POP_GIVES_UP, 0, AVAIL);
    if (climbs) {
        insert_beside(0, BATCH, parent, CLADE_HEAP_TARGET, POP_GIVES_UP, CLADE_HEAP_REPAIR_CLIMB,
                      AVAIL);
        insert_beside(0, BATCH, parent, INUSE, POP_GIVES_UP, CLADE_HEAP_REPAIR_CLIMB, AVAIL);
        insert_beside(0, BATCH, parent, CLADE_HEAP_TARGET, POP, 0, HANDED);
        insert_beside(0, BATCH, parent, CLADE_HEAP_TARGET, NOBODY, CLADE_HEAP_REPAIR_CLIMB, AVAIL);
        insert_beside(FEW, BATCH - 1, parent, CLADE_HEAP_TARGET, NOBODY, 0, CLADE_HEAP_EMPTY);
        insert_beside(0, BATCH, parent, INUSE, POP, 0, HANDED);
        insert_beside(0, BATCH, parent, INUSE, NOBODY, CLADE_HEAP_REPAIR_CLIMB, AVAIL);
        insert_beside(FEW, BATCH - 1, above, INUSE, NOBODY, CLADE_HEAP_REPAIR_WALK, AVAIL);
    } else {
        insert_beside(0, BATCH, 0, 0, POP_GIVES_UP, 0, AVAIL);
        insert_beside(0, BATCH, 0, 0, POP, 0, HANDED);
        insert_beside(0, BATCH, above, INUSE, POP, 0, HANDED);
        insert_beside(0, BATCH, above, INUSE, NOBODY, CLADE_HEAP_REPAIR_WALK, AVAIL);
        insert_beside(0, BATCH, parent, INUSE, NOBODY, CLADE_HEAP_REPAIR_WALK, AVAIL);
        insert_beside(FEW, BATCH - 1, parent, INUSE, NOBODY, CLADE_HEAP_REPAIR_WALK, AVAIL);
    }
    insert_beside(FEW, BATCH - 1, 1, INUSE, NOBODY, 0, CLADE_HEAP_EMPTY);
    insert_beside(FEW, 1, 1, INUSE, NOBODY, 0, CLADE_HEAP_EMPTY);
    free(heap);
    make();
}
