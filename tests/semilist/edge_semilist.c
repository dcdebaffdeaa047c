/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list by one item: every status, ref, place and count against a model; who
 * searches takes erased nodes out of the chain; capacity fits and no more, of places and of
 * blocks. And links that run in a circle: every operation ends. */
#include "host/device.h"

static uint take_node(void *kma);
static void give_node(void *kma, uint ref);
#define CLADE_SEMILIST_MALLOC(kma)    take_node(kma)
#define CLADE_SEMILIST_FREE(kma, ref) give_node((kma), (ref))
#define CLADE_SEMILIST_COUNT_TRIES    8u
#include "clade/semilist.clh"
#undef min
#undef max

#include "edges/edge.h"

enum { CAPACITY = 20, BLOCKS = CAPACITY + 4, LATE = 6 };

/* Refs count 16 bytes from the allocator's head on, as the real one's do. */
struct memory {
    union {
        clade_kma_head head;
        char room[(sizeof(clade_kma_head) + 15) / 16 * 16];
    } kma;
    clade_semilist_node nodes[BLOCKS];
    clade_semilist_head list;
    clade_atomic_u32 places[CAPACITY];
};

static struct memory memory;
static uint blocks, held; /* that may be had; that were had and not given back */
static uint keys[CAPACITY], values[CAPACITY], is_live[CAPACITY], count, live;
static clade_ref refs[CAPACITY]; /* by place */
static clade_ref far;            /* what the allocator has next, if it is not nil; and got back */

/* The next one that is not in the list: what is given back was never linked. */
static uint take_node(void *kma)
{
    (void)kma;
    if (far != CLADE_NIL)
        return far;
    held += count < blocks;
    return count < blocks ? (uint)(offsetof(struct memory, nodes) / 16) + count + 1u : CLADE_NIL;
}

static void give_node(void *kma, uint ref)
{
    (void)kma;
    if (ref == far)
        far = CLADE_NIL;
    else
        held -= ref != CLADE_NIL;
}

static void make_empty(void)
{
    memset(&memory, 0, sizeof memory);
    memset(memory.nodes, 0xa5, sizeof memory.nodes);
    memory.kma.head.object.bytes_low = sizeof memory.kma + sizeof memory.nodes;
    memory.kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
    memory.list.object.shape = CLADE_SEMILIST_SHAPE;
    memory.list.capacity = CAPACITY;
    memory.list.places_at = (offsetof(struct memory, places) - offsetof(struct memory, list)) / 4;
    blocks = draw(3) ? BLOCKS : draw(CAPACITY + 2);
    count = live = held = 0;
}

static uint first_with(uint key)
{
    uint i = 0;
    while (i < count && !(is_live[i] && keys[i] == key))
        i++;
    return i;
}

/* The chain holds every live node, in order; between `from` and `to` no other but the last one. */
static void check_chain(uint searched)
{
    uint hops = 0, at = 0, met = 0;
    for (clade_ref ref = memory.list.first >> CLADE_SEMILIST_REF_SHIFT;
         ref != CLADE_NIL && hops <= count; hops++) {
        while (at < count && refs[at] != ref)
            at++;
        if (at == count) {
            expect(0, "a node that is none, or out of order", ref, hops);
            return;
        }
        const uint link = cladei_semilist_node(&memory.kma.head, ref)->link;
        expect(is_live[at] == !(link & CLADE_SEMILIST_ERASED), "a mark", at, link);
        expect(is_live[at] || at >= searched || at == count - 1,
               "an erased node was passed and left", at, searched);
        expect(cladei_semilist_node(&memory.kma.head, ref)->place == at, "a place", at, 0);
        met += is_live[at];
        ref = link >> CLADE_SEMILIST_REF_SHIFT;
    }
    expect(met == live && memory.list.tail == count, "live nodes in the chain, tail", met,
           memory.list.tail);
    expect(held == count, "blocks that are held", held, count);
    expect(memory.list.begun == memory.list.done, "erasures under way", memory.list.begun,
           memory.list.done);
    for (uint i = 0; i < count; i++)
        expect(memory.places[i] == refs[i], "the place's ref", i, memory.places[i]);
}

static void do_append(void)
{
    const uint key = draw(6), value = draw(1u << 30);
    clade_ref node = 77;
    const int status = clade_semilist_append_wi(&memory.list, &memory.kma.head, key, value, &node);
    const int wanted = count < CAPACITY && count < blocks ? CLADE_OK : CLADE_E_FULL;
    expect(status == wanted && (status == CLADE_OK) == (node != CLADE_NIL), "append", count,
           (uint)status);
    if (status != CLADE_OK || wanted != CLADE_OK)
        return;
    keys[count] = key;
    values[count] = value;
    is_live[count] = 1;
    refs[count++] = node;
    live++;
}

static void gone(uint at)
{
    is_live[at] = 0;
    live--;
}

static void do_search(uint is_erasure)
{
    const uint key = draw(7), at = first_with(key);
    uint value = 99;
    clade_ref node = 99;
    const int status =
        is_erasure ? clade_semilist_erase_wi(&memory.list, &memory.kma.head, key, &value, &node)
                   : clade_semilist_find_wi(&memory.list, &memory.kma.head, key, &value, &node);
    expect(status == (at < count ? CLADE_OK : CLADE_E_NOT_FOUND), "search", key, (uint)status);
    expect(at < count ? node == refs[at] && value == values[at] : node == CLADE_NIL && value == 0,
           "what was found", key, node);
    if (at < count && is_erasure)
        gone(at);
    check_chain(at);
}

static void do_erase(void)
{
    const uint at = count ? draw(count) : 0;
    const clade_ref node = count && draw(8) ? refs[at] : CLADE_NIL;
    const int status = clade_semilist_erase_at_wi(&memory.list, &memory.kma.head, node);
    const uint was = node != CLADE_NIL && is_live[at];
    expect(status == (was ? CLADE_OK : CLADE_E_NOT_FOUND), "erase", node, (uint)status);
    if (was)
        gone(at);
}

static void do_look(void)
{
    uint n = 0;
    expect(clade_semilist_count_wi(&memory.list, &memory.kma.head, &n) == CLADE_OK && n == live,
           "count", n, live);
    const uint at = draw(count + 1); /* count: from the start */
    uint next = at == count ? 0 : at + 1;
    while (next < count && !is_live[next])
        next++;
    const clade_ref got =
        clade_semilist_next_wi(&memory.list, &memory.kma.head, at == count ? CLADE_NIL : refs[at]);
    expect(got == (next < count ? refs[next] : CLADE_NIL), "next", at, got);
    for (uint i = 0; i < count; i++)
        expect(clade_semilist_has_wi(&memory.list, &memory.kma.head, refs[i]), "has", i, 0);
    const clade_ref others[] = { CLADE_NIL,
                                 (clade_ref)(offsetof(struct memory, nodes) / 16) + count + 1u,
                                 0xffffffffu, memory.kma.head.object.bytes_low / 16u + 1u };
    for (uint i = 0; i < 4; i++)
        if (i != 1 || count < BLOCKS)
            expect(!clade_semilist_has_wi(&memory.list, &memory.kma.head, others[i]),
                   "has what it has not", i, others[i]);
}

/* Nodes 0 and 1 lead to each other, erased or not. */
static void check_circle(uint mark)
{
    uint value, n;
    clade_ref node;
    make_empty();
    blocks = BLOCKS;
    for (uint i = 0; i < 4; i++)
        do_append();
    clade_store_relaxed(cladei_semilist_link(&memory.list, &memory.kma.head, refs[0]),
                        refs[1] << CLADE_SEMILIST_REF_SHIFT | mark);
    clade_store_relaxed(cladei_semilist_link(&memory.list, &memory.kma.head, refs[1]),
                        refs[0] << CLADE_SEMILIST_REF_SHIFT | mark);
    expect(clade_semilist_find_wi(&memory.list, &memory.kma.head, 50, &value, &node) ==
               CLADE_E_BUSY,
           "a circle ends", mark, 0);
    expect(clade_semilist_erase_wi(&memory.list, &memory.kma.head, 50, &value, &node) ==
               CLADE_E_BUSY,
           "a circle ends", mark, 1);
    if (mark)
        expect(clade_semilist_next_wi(&memory.list, &memory.kma.head, refs[0]) == CLADE_NIL,
               "a circle ends", mark, 2);
    memory.list.tail = 0; /* so that the end is looked for from the first node on */
    expect(clade_semilist_count_wi(&memory.list, &memory.kma.head, &n) == CLADE_E_BUSY,
           "a circle ends", mark, 3);
    count = 4;
    expect(clade_semilist_append_wi(&memory.list, &memory.kma.head, 1, 1, &node) == CLADE_E_BUSY,
           "a circle ends", mark, 4);
}

/* A block beyond what a link can name is given back: it is as if there were none. */
static void check_far(clade_ref ref)
{
    clade_ref node = 77;
    make_empty();
    far = ref;
    expect(clade_semilist_append_wi(&memory.list, &memory.kma.head, 1, 1, &node) == CLADE_E_FULL &&
               node == CLADE_NIL,
           "a block too far", ref, node);
    expect(far == CLADE_NIL, "a block that was kept", ref, far);
    far = CLADE_NIL;
    check_chain(0);
}

/* Erasures that began and did not end: the number is not known. */
static void check_count(void)
{
    uint n = 55;
    make_empty();
    blocks = BLOCKS;
    do_append();
    memory.list.begun = 1;
    expect(clade_semilist_count_wi(&memory.list, &memory.kma.head, &n) == CLADE_E_BUSY && n == 0,
           "count beside an erasure", n, 0);
}

/* Who appended the last nodes has not told it yet: the end is found all the same, and how many
 * places are before it, whichever of those nodes are erased and out of the chain. */
static void check_late_tail(uint told, uint erased)
{
    uint n = 0;
    make_empty();
    blocks = BLOCKS;
    for (uint i = 0; i < LATE; i++)
        do_append();
    for (uint i = 0; i < LATE; i++)
        if (erased >> i & 1u) {
            clade_semilist_erase_at_wi(&memory.list, &memory.kma.head, refs[i]);
            gone(i);
        }
    clade_semilist_find_wi(&memory.list, &memory.kma.head, 50, &n, &n); /* takes them out */
    memory.list.tail = told;
    expect(clade_semilist_count_wi(&memory.list, &memory.kma.head, &n) == CLADE_OK && n == live,
           "count past the tail", told, n);
    do_append();
    check_chain(0);
}

int main(void)
{
    random_state = shim_seed();
    for (uint round = 0; round < 300; round++) {
        make_empty();
        for (uint op = 0; op < 60; op++) {
            const uint kind = draw(8);
            if (kind < 4)
                do_append();
            else if (kind == 4)
                do_erase();
            else
                do_search(kind == 5);
            do_look();
            check_chain(0);
        }
    }
    check_count();
    check_far(0x80000000u);
    check_far(0xffffffffu);
    for (uint told = 0; told <= LATE; told++)
        for (uint erased = 0; erased < 1u << LATE; erased++)
            check_late_tail(told, erased);
    check_circle(0);
    check_circle(CLADE_SEMILIST_ERASED);
    printf("semi-linked list: %u wrong\n", wrong);
    return wrong != 0;
}
