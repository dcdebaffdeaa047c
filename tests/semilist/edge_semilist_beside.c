/* SPDX-License-Identifier: Apache-2.0 */
/* Between any two steps of an operation of the semi-linked list another item does one, from its
 * begin to its end: all kinds of both, in lists that are empty, full, and with erased nodes in the
 * chain. Both results, and each place's key, value and mark, are those of one order or of the
 * other. What was in another one's way did nothing. */
#include "host/device.h"

#include "edges/steps.h"

static uint take_node(void *kma);
static void give_node(void *kma, uint ref);
#define CLADE_SEMILIST_MALLOC(kma)    take_node(kma)
#define CLADE_SEMILIST_FREE(kma, ref) give_node((kma), (ref))
#define CLADE_SEMILIST_COUNT_TRIES    8u
#include "clade/semilist.clh"
#undef min
#undef max

enum { CAPACITY = 6, BLOCKS = CAPACITY + 2 };
/* By place. */
struct content {
    uint count, key[CAPACITY], value[CAPACITY], is_live[CAPACITY];
};
#include "edges/beside.h"

enum {
    APPEND,
    FIND,
    HAS,
    ERASE,
    ERASE_AT,
    COUNT,
    KINDS
}; /* a key is a place in those at a place */

/* Refs count 16 bytes from the allocator's head on, as the real one's do. */
static struct memory {
    union {
        clade_kma_head head;
        char room[(sizeof(clade_kma_head) + 15) / 16 * 16];
    } kma;
    clade_semilist_node nodes[BLOCKS];
    clade_semilist_head list;
    clade_atomic_u32 places[CAPACITY];
    bool is_held[BLOCKS];
} memory;

static uint take_node(void *kma)
{
    (void)kma;
    for (uint i = 0; i < BLOCKS; i++)
        if (!memory.is_held[i]) {
            memory.is_held[i] = true;
            return (uint)(offsetof(struct memory, nodes) / 16) + i + 1u;
        }
    return CLADE_NIL;
}

static void give_node(void *kma, uint ref)
{
    (void)kma;
    if (ref != CLADE_NIL)
        memory.is_held[ref - 1u - offsetof(struct memory, nodes) / 16] = false;
}

static struct result do_op(struct op op)
{
    struct result got = { 0, 0 };
    clade_ref node = CLADE_NIL;
    const clade_ref at = op.key < CAPACITY ? memory.places[op.key] : CLADE_NIL;
    clade_semilist_head *const list = &memory.list;
    clade_kma_head *const kma = &memory.kma.head;
    if (op.kind == APPEND)
        got.status = clade_semilist_append_wi(list, kma, op.key, op.value, &node);
    else if (op.kind == FIND)
        got.status = clade_semilist_find_wi(list, kma, op.key, &got.value, &node);
    else if (op.kind == HAS)
        got.value = clade_semilist_has_wi(list, kma, at);
    else if (op.kind == ERASE)
        got.status = clade_semilist_erase_wi(list, kma, op.key, &got.value, &node);
    else if (op.kind == ERASE_AT)
        got.status = clade_semilist_erase_at_wi(list, kma, at);
    else
        got.status = clade_semilist_count_wi(list, kma, &got.value);
    return got;
}

static bool on_model(struct content *it, struct op op, uint which, struct result *want)
{
    uint at = 0, live = 0;
    *want = (struct result) { CLADE_OK, 0 };
    for (uint i = 0; i < it->count; i++)
        live += it->is_live[i];
    while (at < it->count && !(it->is_live[at] && it->key[at] == op.key))
        at++;
    if (op.kind == HAS || op.kind == ERASE_AT)
        at = op.key;
    const bool is_there = at < it->count && it->is_live[at];
    if (op.kind == COUNT) {
        want->value = live;
    } else if (op.kind == HAS) {
        want->value = at < it->count; /* erased ones, too */
    } else if (op.kind == APPEND && it->count == CAPACITY) {
        want->status = CLADE_E_FULL;
    } else if (op.kind == APPEND) {
        it->key[it->count] = op.key;
        it->value[it->count] = op.value;
        it->is_live[it->count++] = 1;
    } else if (!is_there) {
        want->status = CLADE_E_NOT_FOUND;
    } else {
        want->value = op.kind == ERASE_AT ? 0 : it->value[at];
        it->is_live[at] = op.kind == FIND;
    }
    return which == 0;
}

/* `count` nodes came, and those of `gone` were erased. */
static void fill(uint count, uint gone)
{
    struct content content = { 0 };
    struct result want;
    memset(&memory, 0, sizeof memory);
    memory.kma.head.object.bytes_low = sizeof memory.kma + sizeof memory.nodes;
    memory.kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
    memory.list.object.shape = CLADE_SEMILIST_SHAPE;
    memory.list.capacity = CAPACITY;
    memory.list.places_at = (offsetof(struct memory, places) - offsetof(struct memory, list)) / 4;
    for (uint i = 0; i < count; i++) {
        const struct op come = { APPEND, i / 2, 100 + i, 0 };
        (void)do_op(come);
        (void)on_model(&content, come, 0, &want);
    }
    for (uint i = 0; i < count; i++)
        if (gone >> i & 1u) {
            (void)do_op((struct op) { ERASE_AT, i, 0, 0 });
            content.is_live[i] = 0;
        }
    begin_with(&memory, sizeof memory, &content);
}

/* Whether the list holds just this: by its places, along its links, and of blocks no others. */
static bool holds(const struct content *it)
{
    uint at = 0, met = 0, live = 0, kept = 0, hops = 0;
    expect(calls[0].got.status != CLADE_E_BUSY, "busy, though the other one was there once",
           calls[0].op.kind, calls[1].op.kind);
    for (uint i = 0; i < it->count; i++) {
        if (memory.places[i] == CLADE_NIL)
            return false;
        const clade_semilist_node *node = cladei_semilist_node(&memory.kma.head, memory.places[i]);
        if (node->key_ != it->key[i] || node->value_ != it->value[i] || node->place != i ||
            (node->link & CLADE_SEMILIST_ERASED ? 0u : 1u) != it->is_live[i])
            return false;
        live += it->is_live[i];
    }
    for (clade_ref ref = memory.list.first >> CLADE_SEMILIST_REF_SHIFT;
         ref != CLADE_NIL && hops++ <= CAPACITY;
         ref = cladei_semilist_node(&memory.kma.head, ref)->link >> CLADE_SEMILIST_REF_SHIFT) {
        while (at < it->count && memory.places[at] != ref)
            at++;
        if (at == it->count)
            return false;
        met += it->is_live[at];
    }
    for (uint i = 0; i < BLOCKS; i++)
        kept += memory.is_held[i];
    return met == live && kept == it->count && memory.list.tail == it->count &&
           memory.list.begun == memory.list.done && memory.list.done == it->count - live;
}

/* Refs that are no node's, though what lies there has a place: of a block that nobody has, and
 * beyond the memory. */
static void ask_for_others(void)
{
    const uint first = (uint)(offsetof(struct memory, nodes) / 16) + 1u;
    fill(4, 0);
    for (uint i = 0; i < BLOCKS; i++) {
        if (i >= 4)
            memory.nodes[i].place = i % 6u;
        expect(clade_semilist_has_wi(&memory.list, &memory.kma.head, first + i) == (i < 4),
               "a ref of a block", i, memory.nodes[i].place);
    }
    expect(clade_semilist_has_wi(&memory.list, &memory.kma.head, CLADE_NIL) == 0, "nil", 0, 0);
    expect(clade_semilist_has_wi(&memory.list, &memory.kma.head, first + BLOCKS) == 0, "beyond", 0,
           0);
}

int main(void)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    plan_none();
    plan[0][0].count = 1;
    for (uint count = 0; count <= CAPACITY; count++)
        for (uint gone = 0; gone < 1u << count; gone++) {
            fill(count, gone);
            for (uint i = 0; i < KINDS * 4; i++)
                for (uint k = 0; k < KINDS * 4; k++) {
                    plan[0][0].ops[0] = (struct op) { k % KINDS, k / KINDS, 2000 + k, 0 };
                    meet((struct op) { i % KINDS, i / KINDS, 1000 + i, 0 }, count);
                }
        }
    ask_for_others();
    expect(undisturbed > runs / 2, "how often both went on", undisturbed, runs);
    printf("semi-linked list beside another item: %u runs, in %u both went on, %u wrong\n", runs,
           undisturbed, wrong);
    return wrong != 0;
}
