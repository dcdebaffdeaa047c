/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list's kernels by groups of one item and of several (-DGROUP=), on lanes,
 * launched as the host does: calls over arrays with each argument given and left out, many appended
 * at once, refused for want of places and of blocks and taken back, by calls and by groups; then
 * reclaiming, clearing and reading. The keys of a call differ, so that its order does not matter: a
 * model knows each node, link, place and block. */
static void look_at_links(void);
#define CLADE_SCHEDULE_HOOK(where, word, salt) look_at_links()
#include "host/device.h"

static uint take_node(void *kma);
static void give_node(void *kma, uint ref);
#define CLADE_SEMILIST_MALLOC(kma)    take_node(kma)
#define CLADE_SEMILIST_FREE(kma, ref) give_node((kma), (ref))
#undef __kernel
#define __kernel static
#include "kernels/semilist.cl"

#include "clade/semilist/work_group.clh"

#include "edges/kernels.h"

enum { CAPACITY = 70, BLOCKS = CAPACITY + 5, FIRST = 7, GUARD = 0x5a5a5a5a };
enum { OPS = 1, KEYS = 2, VALUES = 4, NODES = 8, STATUSES = 16 };

/* Refs count 16 bytes from the allocator's head on, as the real one's do. */
static struct memory {
    union {
        clade_kma_head head;
        char room[(sizeof(clade_kma_head) + 15) / 16 * 16];
    } kma;
    clade_semilist_node nodes[BLOCKS];
} * memory;
static clade_semilist_head *list;
static clade_atomic_u32 is_held[BLOCKS], held; /* taken and not given back */
static clade_atomic_u32 given_wrongly;         /* a ref */
static uint blocks;                            /* that there are */
#define FAR 0x80000000u /* a block that no link can name: the last one of 32 GiB */
enum { NOT_FAR, IS_FAR, IS_TAKEN };
static clade_atomic_u32 far; /* IS_FAR: the next block that is taken */
/* The model, by place. */
static uint keys[CAPACITY], values[CAPACITY], is_live[CAPACITY], count_all, live, fresh_key;
static clade_ref refs[CAPACITY];
static struct call {
    uint op, given, turn, groups, from, *ops, *keys, *values, *nodes;
    int *statuses;
    ulong count;
    clade_semilist_record *records;
} call;
static uint turns;
static bool are_groups; /* append */

AS_KERNEL(apply_all,
          clade_semilist_apply(list, &memory->kma.head, call.op, call.given, call.ops, FIRST,
                               call.keys, FIRST - 1, call.values, FIRST - 2, call.nodes, FIRST - 3,
                               call.statuses, FIRST - 4, call.count))
AS_KERNEL(append_fill,
          clade_semilist_append_fill(list, &memory->kma.head, call.turn, call.given, call.keys,
                                     FIRST - 1, call.values, FIRST - 2, call.count))
AS_KERNEL(append_link, clade_semilist_append_link(list, &memory->kma.head, call.turn, call.given,
                                                  call.nodes, FIRST - 3, call.count))
AS_KERNEL(sum_live, clade_semilist_sum(list, &memory->kma.head, scratch))
AS_KERNEL(scan, clade_semilist_scan(list, call.groups, scratch))
AS_KERNEL(move, clade_semilist_move(list, &memory->kma.head, scratch))
AS_KERNEL(reclaimed, clade_semilist_reclaimed(list, &memory->kma.head))
AS_KERNEL(gather,
          clade_semilist_gather(list, &memory->kma.head, call.records, call.from, (uint)call.count))

/* When a chain is about to be linked to the list, all of it is linked but its last node; so is the
 * list. Only groups come here one after the other. */
static void look_at_links(void)
{
    uint ends = 0;
    for (uint i = 0; i < BLOCKS && are_groups; i++)
        ends += clade_load_relaxed(&is_held[i]) != 0u &&
                memory->nodes[i].link >> CLADE_SEMILIST_REF_SHIFT == CLADE_NIL;
    expect(ends <= 2, "nodes that lead nowhere", ends, 0);
}

/* The scratch memory is the caller's again at once. */
static void append_one(uint i, uint *scratch)
{
    call.statuses[FIRST - 4 + i] = clade_semilist_append_wg(
        list, &memory->kma.head, call.ops[FIRST + i], call.keys[FIRST - 1 + i],
        call.values[FIRST - 2 + i], &call.nodes[FIRST - 3 + i], scratch);
    for (uint word = 0; word < CLADE_SEMILIST_SCRATCH(GROUP); word++)
        if (word % GROUP == i % GROUP)
            scratch[word] = GUARD;
}
AS_KERNEL(append_groups, append_one((uint)get_global_id(0), scratch))

static uint first_ref(void)
{
    return (uint)(offsetof(struct memory, nodes) / 16) + 1u;
}

/* In an order that is not that of the memory. */
static uint take_node(void *kma)
{
    uint were = clade_load_relaxed(&held), i = 0;
    (void)kma;
    if (clade_cas_relaxed(&far, IS_FAR, IS_TAKEN) == IS_FAR)
        return FAR;
    for (uint seen; were < blocks; were = seen)
        if ((seen = clade_cas_relaxed(&held, were, were + 1u)) == were)
            break;
    if (were >= blocks)
        return CLADE_NIL;
    do
        i = (i + 31u) % BLOCKS;
    while (clade_cas_relaxed(&is_held[i], 0u, 1u) != 0u);
    return first_ref() + i;
}

static void give_node(void *kma, uint ref)
{
    const uint i = ref - first_ref();
    (void)kma;
    if (ref == CLADE_NIL || (ref == FAR && clade_cas_relaxed(&far, IS_TAKEN, NOT_FAR) == IS_TAKEN))
        return;
    if (i >= BLOCKS || clade_cas_relaxed(&is_held[i], 1u, 0u) != 1u)
        clade_store_relaxed(&given_wrongly, ref);
    else
        clade_sub_relaxed(&held, 1u);
}

static uint sums(void)
{
    return (CAPACITY + GROUP - 1) / GROUP;
}

static void make(uint blocks_there)
{
    const uint head_words = sizeof *list / 4;
    memory = room(sizeof *memory);
    memory->kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
    memory->kma.head.object.bytes_low = sizeof *memory;
    memory->kma.head.object.bytes_high = 0;
    list = room((head_words + 2ul * CAPACITY + 2u + sums()) * 4);
    list->object.shape = CLADE_SEMILIST_SHAPE;
    list->object.first_error = list->object.first_error_item = 0;
    list->capacity = CAPACITY;
    list->places_at = head_words;
    list->other_at = head_words + CAPACITY + 1u;
    list->sums_at = head_words + 2u * CAPACITY + 2u;
    list->short_of = turns = list->first = list->tail = list->begun = list->done = 0;
    memset(is_held, 0, sizeof is_held);
    blocks = blocks_there;
    held = count_all = live = 0;
}

static uint link_in(clade_ref node)
{
    return *cladei_semilist_link(list, &memory->kma.head, node);
}

/* Each live node is in the chain, in the order of the places. */
static void check(const char *when)
{
    uint at = 0, met = 0;
    clade_ref node = list->first >> CLADE_SEMILIST_REF_SHIFT;
    for (uint hops = 0; node != CLADE_NIL && hops <= CAPACITY; hops++) {
        while (at < count_all && refs[at] != node)
            at++;
        if (at == count_all) {
            expect(0, when, hops, node);
            return;
        }
        const clade_semilist_node *it = cladei_semilist_node(&memory->kma.head, node);
        expect(is_live[at] == !(it->link & CLADE_SEMILIST_ERASED), "a mark", at, it->link);
        expect(it->place == at && it->key_ == keys[at] && it->value_ == values[at], "a node", at,
               it->place);
        met += is_live[at];
        node = it->link >> CLADE_SEMILIST_REF_SHIFT;
    }
    expect(met == live && list->tail == count_all && !(list->first & CLADE_SEMILIST_ERASED), when,
           met, list->tail);
    expect(held == count_all && given_wrongly == 0, "blocks that are held", held, given_wrongly);
    expect(list->begun == count_all - live && list->done == count_all - live, "erasures",
           list->begun, list->done);
    for (uint i = 0; i < count_all; i++)
        expect(*cladei_semilist_place(list, i) == refs[i], "a place's ref", i, refs[i]);
    const uint *words = (const uint *)list, end = sizeof *list / 4 + CAPACITY;
    expect(words[end] == GUARD && words[end + CAPACITY + 1u] == GUARD &&
               list->reserved0[0] == GUARD,
           "written between arrays", words[end], words[end + CAPACITY + 1u]);
}

static void open_call(uint op, uint given, uint count)
{
    call = (struct call) { .op = given & OPS ? 99u : op, .given = given, .count = count };
    call.ops = room(4ul * (FIRST + (given & OPS ? count : 0)));
    call.keys = room(4ul * (FIRST - 1 + (given & KEYS ? count : 0)));
    call.values = room(4ul * (FIRST - 2 + (given & VALUES ? count : 0)));
    call.nodes = room(4ul * (FIRST - 3 + (given & NODES ? count : 0)));
    call.statuses = room(4ul * (FIRST - 4 + (given & STATUSES ? count : 0)));
    for (uint i = 0; i < count; i++) {
        if (given & OPS)
            call.ops[FIRST + i] = op;
        if (given & KEYS)
            call.keys[FIRST - 1 + i] = fresh_key++;
        if (given & VALUES)
            call.values[FIRST - 2 + i] = draw(1u << 24);
    }
}

static void close_call(uint bad, int error)
{
    const bool is_noted = bad < call.count;
    expect((int)list->object.first_error == (is_noted ? error : 0) &&
               (!is_noted || GROUP > 1 || list->object.first_error_item == bad),
           "the first error", list->object.first_error, list->object.first_error_item);
    list->object.first_error = list->object.first_error_item = 0;
    expect(call.ops[FIRST - 1] == GUARD && call.keys[FIRST - 2] == GUARD &&
               call.values[FIRST - 3] == GUARD && call.nodes[FIRST - 4] == GUARD &&
               call.statuses[FIRST - 5] == GUARD,
           "before an array", (uint)call.count, call.given);
    free(call.ops);
    free(call.keys);
    free(call.values);
    free(call.nodes);
    free(call.statuses);
}

static void expect_told(uint i, int status, clade_ref node, const char *what)
{
    if (call.given & STATUSES)
        expect(call.statuses[FIRST - 4 + i] == status, what, i, (uint)call.statuses[FIRST - 4 + i]);
    if (call.given & NODES)
        expect(call.nodes[FIRST - 3 + i] == node, what, i, call.nodes[FIRST - 3 + i]);
}

static void came(clade_ref node, uint key, uint value)
{
    refs[count_all] = node;
    keys[count_all] = key;
    values[count_all] = value;
    is_live[count_all++] = 1;
    live++;
}

static uint place_with(uint key)
{
    uint i = 0;
    while (i < count_all && !(is_live[i] && keys[i] == key))
        i++;
    return i;
}

/* One by one: the order of items that go on at once is what the places say. */
static void appends(uint given, uint count)
{
    const uint before = count_all;
    open_call(CLADE_SEMILIST_APPEND, given |= KEYS, count);
    launch(apply_all, count);
    while (count_all < list->tail && count_all < CAPACITY) {
        const clade_ref node = *cladei_semilist_place(list, count_all);
        const uint key = cladei_semilist_node(&memory->kma.head, node)->key_,
                   i = key - (fresh_key - count);
        expect(i < count, "a key that nobody appended", key, i);
        came(node, key, given & VALUES && i < count ? call.values[FIRST - 2 + i] : 0);
    }
    check("after appends");
    const uint room_left =
        CAPACITY - before < blocks - before ? CAPACITY - before : blocks - before;
    expect(count_all - before == (count < room_left ? count : room_left), "how many came",
           count_all - before, count);
    uint bad = CAPACITY * 2;
    for (uint i = 0; i < count; i++) {
        const uint place = place_with(fresh_key - count + i);
        expect_told(i, place < count_all ? CLADE_OK : CLADE_E_FULL,
                    place < count_all ? refs[place] : CLADE_NIL, "an append");
        if (place == count_all && bad > i)
            bad = i;
    }
    close_call(given & STATUSES ? CAPACITY * 2 : bad, CLADE_E_FULL);
}

/* Finds or erases keys that differ, each third one absent; in an order that is not the list's. */
static void searches(uint op, uint given, uint count)
{
    uint wanted[CAPACITY], was[CAPACITY], n = 0;
    for (uint i = 0; i < count_all && n < count; i++)
        if (is_live[(i * 37u + 11u) % count_all] && count_all % 37u)
            wanted[n++] = (i * 37u + 11u) % count_all;
    open_call(op, given |= KEYS, count = n);
    for (uint i = 0; i < count; i++) {
        if (i % 3u != 2u)
            call.keys[FIRST - 1 + i] = keys[wanted[i]];
        was[i] = given & VALUES ? call.values[FIRST - 2 + i] : 0;
    }
    launch(apply_all, count);
    for (uint i = 0; i < count; i++) {
        const bool there = i % 3u != 2u;
        expect_told(i, there ? CLADE_OK : CLADE_E_NOT_FOUND, there ? refs[wanted[i]] : CLADE_NIL,
                    "a search");
        if (given & VALUES)
            expect(call.values[FIRST - 2 + i] == (there ? values[wanted[i]] : 0), "a value found",
                   i, was[i]);
        if (there && op == CLADE_SEMILIST_ERASE) {
            is_live[wanted[i]] = 0;
            live--;
        }
    }
    check("after searches");
    close_call(CAPACITY * 2, 0);
}

/* By their refs; such as are erased, such as are none, and operations that are none. */
static void erases_at(uint given, uint count)
{
    clade_ref targets[CAPACITY];
    uint n = 0, bad = CAPACITY * 2;
    for (uint i = draw(2); i < count_all && n < count; i += 1 + draw(2))
        targets[n++] = refs[i];
    open_call(CLADE_SEMILIST_ERASE_AT, given |= NODES, count = n);
    for (uint i = 0; i < count; i++) {
        call.nodes[FIRST - 3 + i] = targets[i] =
            i % 5u == 4u ? (draw(2) ? CLADE_NIL : 0x7fffffffu) : targets[i];
        if (given & OPS && i % 7u == 5u) {
            call.ops[FIRST + i] = CLADE_SEMILIST_ERASE_AT + 1u + draw(2);
            bad = bad < i ? bad : i;
        }
    }
    launch(apply_all, count);
    for (uint i = 0; i < count; i++) {
        uint at = 0;
        while (at < count_all && refs[at] != targets[i])
            at++;
        if (given & OPS && i % 7u == 5u) {
            expect_told(i, CLADE_E_ARG, CLADE_NIL, "no operation");
            continue;
        }
        const bool there = at < count_all && is_live[at];
        expect_told(i, there ? CLADE_OK : CLADE_E_NOT_FOUND, targets[i], "an erasure");
        if (there) {
            is_live[at] = 0;
            live--;
        }
    }
    check("after erasures");
    close_call(given & STATUSES ? CAPACITY * 2 : bad, CLADE_E_ARG);
}

/* Operations on nodes, and no array of nodes. */
static void erases_at_nothing(void)
{
    open_call(CLADE_SEMILIST_ERASE_AT, OPS | STATUSES, 5);
    launch(apply_all, 5);
    for (uint i = 0; i < 5; i++)
        expect_told(i, CLADE_E_NOT_FOUND, CLADE_NIL, "an erasure of nothing");
    check("after erasures of nothing");
    close_call(CAPACITY * 2, 0);
}

/* Many by two launches. `is_left`: the host takes them back. */
static void call_append(uint given, uint count, bool is_left)
{
    const bool fits = count <= CAPACITY - count_all && count <= blocks - held;
    if (count == 0) /* the host launches nothing */
        return;
    open_call(0, given |= KEYS, count);
    call.turn = ++turns;
    launch(append_fill, count);
    expect(list->tail == count_all && list->base == count_all, "between the launches", list->tail,
           list->base);
    expect((list->short_of == turns) == !fits, "whether all have room", list->short_of, turns);
    if (is_left)
        call.turn = 0;
    launch(append_link, count);
    for (uint i = 0; i < count && fits && !is_left; i++)
        came(*cladei_semilist_place(list, count_all), call.keys[FIRST - 1 + i],
             given & VALUES ? call.values[FIRST - 2 + i] : 0);
    check("many at the end");
    for (uint i = 0; i < count && given & NODES; i++)
        expect(call.nodes[FIRST - 3 + i] ==
                   (fits && !is_left ? refs[count_all - count + i] : CLADE_NIL),
               "an appended node", i, call.nodes[FIRST - 3 + i]);
    close_call(fits || is_left ? CAPACITY * 2 : 0, CLADE_E_FULL);
}

/* One of them gets a block that no link can name: all are refused, and all blocks given back. */
static void call_append_far(uint given, uint count, bool is_left)
{
    if (count == 0 || count > CAPACITY - count_all || count > blocks - held)
        return;
    open_call(0, given |= KEYS, count);
    call.turn = ++turns;
    clade_store_relaxed(&far, IS_FAR);
    launch(append_fill, count);
    expect(list->short_of == turns, "a block too far", list->short_of, turns);
    if (is_left)
        call.turn = 0;
    launch(append_link, count);
    expect(far == NOT_FAR, "a block too far that was kept", far, count);
    check("after a block too far");
    for (uint i = 0; i < count && given & NODES; i++)
        expect(call.nodes[FIRST - 3 + i] == CLADE_NIL, "a node of a refused append", i,
               call.nodes[FIRST - 3 + i]);
    close_call(is_left ? CAPACITY * 2 : 0, CLADE_E_FULL);
}

static bool wants(uint i)
{
    return call.ops[FIRST + i] != 0;
}

/* `*is_far`: the first block that the group takes is one that no link can name. */
static void expect_group(uint from, bool *is_far)
{
    const uint places_left = CAPACITY - count_all, blocks_left = blocks - count_all;
    uint wanted = 0, came_in = 0;
    for (uint i = from; i < from + GROUP; i++)
        wanted += wants(i);
    if (*is_far && wanted > 0) {
        wanted--;
        *is_far = false;
    }
    const uint made = wanted < blocks_left ? wanted : blocks_left;
    for (uint i = from; i < from + GROUP; i++) {
        const int status = call.statuses[FIRST - 4 + i];
        const clade_ref node = call.nodes[FIRST - 3 + i];
        expect(wants(i) ? (status == CLADE_OK) == (node != CLADE_NIL) &&
                              (status == CLADE_OK || status == CLADE_E_FULL)
                        : status == CLADE_OK && node == CLADE_NIL,
               "an item of a group", (uint)status, node);
        if (node == CLADE_NIL)
            continue;
        came(node, call.keys[FIRST - 1 + i], call.values[FIRST - 2 + i]);
        came_in++;
    }
    expect(came_in == (made <= places_left ? made : 0), "how many of a group came", came_in, made);
}

/* By groups, one after the other. Each appends a node of all its items that want one and get a
 * block; where there is no place for all of these, they give the blocks back. */
static void append_by_groups(uint groups, uint wanting_in_4)
{
    bool is_far = draw(3) == 0;
    open_call(0, 31u, groups * GROUP);
    for (uint i = 0; i < groups * GROUP; i++)
        call.ops[FIRST + i] = draw(4) < wanting_in_4 ? 1u + draw(3) : 0u;
    are_groups = true;
    clade_store_relaxed(&far, is_far ? IS_FAR : NOT_FAR);
    launch_with(append_groups, groups * GROUP, CLADE_SEMILIST_SCRATCH(GROUP) * 4ul);
    are_groups = false;
    for (uint g = 0; g < groups; g++)
        expect_group(g * GROUP, &is_far);
    expect(far == (is_far ? IS_FAR : NOT_FAR), "a block too far that a group kept", far, is_far);
    clade_store_relaxed(&far, NOT_FAR);
    check("after appends by groups");
    close_call(CAPACITY * 2, 0);
}

/* On what is no such list nothing is taken and nothing written. */
static void append_to_another(void)
{
    open_call(0, 31u, GROUP);
    for (uint i = 0; i < GROUP; i++)
        call.ops[FIRST + i] = i % 2u == 0u;
    list->object.shape ^= 1u;
    launch_with(append_groups, GROUP, CLADE_SEMILIST_SCRATCH(GROUP) * 4ul);
    list->object.shape ^= 1u;
    for (uint i = 0; i < GROUP; i++)
        expect_told(i, i % 2u == 0u ? CLADE_E_ARG : CLADE_OK, CLADE_NIL, "in no such list");
    check("after appends to another");
    close_call(CAPACITY * 2, 0);
}

/* `all`: nothing is kept. */
static void reclaim(bool all)
{
    const uint places = list->places_at, other = list->other_at;
    uint n = 0;
    call.groups = all ? 0 : sums();
    if (!all)
        launch_with(sum_live, CAPACITY, GROUP * 4);
    launch_with(scan, GROUP, 2 * GROUP * 4);
    expect(list->total == (all ? 0 : live) && list->base == count_all && list->places_at == places,
           "what a scan found", list->total, live);
    if (!all)
        launch_with(move, CAPACITY, 2 * GROUP * 4);
    launch(reclaimed, CAPACITY);
    for (uint i = 0; i < count_all && !all; i++)
        if (is_live[i]) {
            keys[n] = keys[i];
            values[n] = values[i];
            refs[n] = refs[i];
            is_live[n++] = 1;
        }
    count_all = live = n;
    expect(list->places_at == other && list->other_at == places, "the arrays' turns",
           list->places_at, other);
    check("after a reclaim");
    for (uint i = 0; i < n; i++)
        expect(link_in(refs[i]) >> CLADE_SEMILIST_REF_SHIFT ==
                   (i + 1u < n ? refs[i + 1u] : CLADE_NIL),
               "a link", i, n);
    if (n == 0)
        expect(list->first == 0, "a link to the first of none", list->first, 0);
}

/* What the host reads; a ref that leads nowhere, and such a link, are followed nowhere. */
static void read_all(uint from, uint count)
{
    call.from = from;
    call.count = count;
    call.records = room(count * sizeof *call.records);
    const uint bad = count > 3 ? from + 2 : CAPACITY, odd = count > 3 ? from + 1 : CAPACITY;
    const uint link = odd < CAPACITY ? link_in(refs[odd]) : 0;
    if (odd < CAPACITY) {
        *cladei_semilist_place(list, bad) = 0x7ffffff0u;
        *cladei_semilist_link(list, &memory->kma.head, refs[odd]) = 0xfffffff0u;
    }
    launch(gather, count);
    for (uint i = 0; i < count; i++) {
        const clade_semilist_record *it = &call.records[i];
        const uint place = from + i;
        if (place == bad) {
            expect(it->ref == 0x7ffffff0u && it->link == 0 && it->key_ == 0 && it->value_ == 0 &&
                       it->place == 0xffffffffu && it->next_place == 0xffffffffu,
                   "a ref that leads nowhere", i, it->place);
            continue;
        }
        const clade_ref next = link_in(refs[place]) >> CLADE_SEMILIST_REF_SHIFT;
        const uint next_place = next == CLADE_NIL || place == odd
                                    ? 0xffffffffu
                                    : cladei_semilist_node(&memory->kma.head, next)->place;
        expect(it->ref == refs[place] && it->link == link_in(refs[place]) &&
                   it->key_ == keys[place] && it->value_ == values[place] && it->place == place &&
                   it->next_place == next_place,
               "a record", i, it->next_place);
    }
    if (odd < CAPACITY) {
        *cladei_semilist_place(list, bad) = refs[bad];
        *cladei_semilist_link(list, &memory->kma.head, refs[odd]) = link;
    }
    free(call.records);
}

static void all(uint blocks_there)
{
    static const uint counts[] = { 1, GROUP - 1, GROUP, GROUP + 1, 20 };
    make(blocks_there);
    reclaim(false);
    call_append(NODES, CAPACITY + 1u, false);
    searches(CLADE_SEMILIST_FIND, KEYS, 0);
    for (uint round = 0; round < 10; round++) {
        const uint count = counts[round % 5u];
        call_append(draw(4) * 4u, count, round == 4);
        call_append_far(draw(4) * 4u, count, round == 7);
        if (round % 2u)
            appends(draw(32), count + 1u);
        searches(CLADE_SEMILIST_FIND, draw(32), count);
        if (count_all > 0) {
            const uint from = draw(count_all);
            read_all(from, 1u + draw(count_all - from));
        }
        searches(CLADE_SEMILIST_ERASE, draw(32), count / 2u);
        erases_at(draw(32), count);
        if (round % 3u == 2u)
            reclaim(false);
    }
    erases_at_nothing();
    appends(STATUSES | NODES, CAPACITY + 2u);
    appends(0, 3);
    call_append(NODES, 2, false);
    call_append(NODES, 1, false);
    if (blocks < CAPACITY) /* as many as there are places, but no block */
        call_append(NODES, CAPACITY - count_all, false);
    reclaim(false);
    searches(CLADE_SEMILIST_FIND, 31u, CAPACITY);
    searches(CLADE_SEMILIST_ERASE, 31u, CAPACITY / 2u);
    reclaim(false);
    if (held < blocks)
        call_append(VALUES | NODES, (blocks < CAPACITY ? blocks : CAPACITY) - held, false);
    call_append(NODES, CAPACITY + 1u, false);
    reclaim(true);
    call_append(NODES, 5, false);
    erases_at(STATUSES, 5);
    erases_at(STATUSES, 5);
    reclaim(false);
    expect(held == live, "blocks at the end", held, live);
    free(list);
    free(memory);
}

/* Until there is no place, or no block. */
static void all_by_groups(uint blocks_there)
{
    make(blocks_there);
    append_to_another();
    for (uint wanting = 0; wanting <= 4; wanting++)
        append_by_groups(1, wanting);
    for (uint tries = 0; tries < 4 * CAPACITY / GROUP && count_all < CAPACITY && held < blocks;
         tries++)
        append_by_groups(1 + draw(2), 1 + draw(4));
    append_by_groups(2, 4);
    append_by_groups(1, 0);
    append_to_another();
    searches(CLADE_SEMILIST_ERASE, 31u, CAPACITY / 2u);
    reclaim(false);
    append_by_groups(2, 3);
    free(list);
    free(memory);
}

int main(void)
{
    setbuf(stdout, NULL);
    random_state = shim_seed();
    all(BLOCKS);
    all(CAPACITY - 9);
    all_by_groups(BLOCKS);
    all_by_groups(CAPACITY - 9);
    printf("the semi-linked list's kernels: %u wrong\n", wrong);
    return wrong != 0;
}
