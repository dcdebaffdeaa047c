/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list's kernels by groups of one item and of several (-DGROUP=), on lanes,
 * launched as the host does: calls over arrays with each argument given and left out, counts around
 * a group's size, many at the end, more than there is room for; then reclaiming. The targets of a
 * call differ, so that its order does not matter, and a model knows each status, value, link and
 * free cell. */
#include "host/device.h"

#undef __kernel
#define __kernel static
#include "kernels/dlist.cl"

#include "edges/kernels.h"

enum { CAPACITY = 300, FIRST = 6, GUARD = 0x5a5a5a5a };

static clade_dlist_head *list;
static VALUE held[CAPACITY];         /* the model: values from the front on */
static clade_ref at[CAPACITY], gone; /* their refs, as the links say; one that was erased */
static uint length;
static struct call {
    uint op, given, *ops, *targets, *nodes;
    VALUE *values;
    int *statuses;
    ulong count;
} call;
static uint frees;

AS_KERNEL(clear, clade_dlist_clear(list))
AS_KERNEL(shorten, clade_dlist_shorten(list))
AS_KERNEL(relink, clade_dlist_relink(list))
AS_KERNEL(sweep, clade_dlist_sweep(list, frees))
AS_KERNEL(apply, clade_dlist_apply(list, call.op, call.given, call.ops, FIRST, call.targets,
                                   FIRST - 1, call.values, FIRST - 2, call.nodes, FIRST - 3,
                                   call.statuses, FIRST - 4, call.count))
AS_KERNEL(append_fill, clade_dlist_append_fill(list, call.values, FIRST - 2, call.nodes, FIRST - 3,
                                               call.statuses, FIRST - 4, call.given, call.count))
AS_KERNEL(append_link, clade_dlist_append_link(list, call.count))

/* At least as many items as stripes. */
static void launch_all(void (*kernel)(void *, void *), ulong items)
{
    launch(kernel, items > CLADE_CELLS_STRIPES ? items : CLADE_CELLS_STRIPES);
}

static uint *word(uint i)
{
    return (uint *)list + i;
}

/* Head, cells and the free array, a guarded word behind both. */
static void make(uint capacity)
{
    const uint head_words = sizeof *list / 4;
    list = room((head_words + capacity * (CLADE_DLIST_CELL + 1ul) + 2u) * 4);
    list->object.first_error = list->object.first_error_item = 0;
    list->object.shape = CLADE_DLIST_SHAPE;
    list->capacity = capacity;
    list->nodes_at = head_words;
    list->free_at = head_words + capacity * CLADE_DLIST_CELL + 1u;
    launch_all(clear, capacity);
    length = gone = 0;
    for (uint i = 0; i < capacity; i++)
        expect(*clade_dlist_link(list, i + 1u) == CLADE_DLIST_CELL_FREE &&
                   *clade_dlist_back(list, i + 1u) == CLADE_NIL &&
                   *word(list->free_at + i) == i + 1u,
               "a cell of a new list", i, 0);
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        expect(list->stripes[i].taken == 0 && list->stripes[i].insert_collisions == 0 &&
                   list->stripes[i].erase_collisions == 0,
               "a stripe of a new list", i, list->stripes[i].taken);
    expect(list->free_count == capacity && list->live == 0 && list->planted == CLADE_NIL &&
               list->last == CLADE_NIL && list->first == 0,
           "a new list", capacity, 0);
}

static ulong value_in(clade_ref node)
{
    const uint *words = (const uint *)clade_dlist_word(list, node, CLADE_DLIST_WORD_VALUE);
    return words[0] | (ulong)words[1] << 32;
}

/* The links lead over the model's values; erased nodes between them are passed. */
static void check_content(const char *when)
{
    uint n = 0, link = list->first;
    for (uint hops = 0; hops <= list->capacity && link >> CLADE_DLIST_REF_SHIFT != CLADE_NIL;
         hops++) {
        const clade_ref node = link >> CLADE_DLIST_REF_SHIFT;
        if (node > list->capacity) {
            expect(0, when, hops, node);
            return;
        }
        link = *clade_dlist_link(list, node);
        if (link & CLADE_DLIST_ERASED)
            continue;
        expect(n < length && value_in(node) == held[n], when, n, (uint)value_in(node));
        if (n < length)
            at[n++] = node;
    }
    expect(n == length, when, n, length);
    expect(*word(list->free_at - 1u) == GUARD && *word(list->free_at + list->capacity) == GUARD &&
               list->reserved0[0] == GUARD,
           "written between arrays", 0, 0);
}

/* What a reclaim leaves: exact links both ways, each other cell free and listed once. */
static void check_settled(void)
{
    uchar seen[CAPACITY + 1] = { 0 };
    clade_ref before = CLADE_NIL;
    for (uint i = 0; i <= length; i++) {
        const clade_ref node = i < length ? at[i] : CLADE_NIL;
        expect(*clade_dlist_link(list, before) == node << CLADE_DLIST_REF_SHIFT, "a link", i,
               before);
        expect(*clade_dlist_back(list, node) == before, "a hint", i, node);
        seen[before = node] = 1;
    }
    expect(list->live == length && list->free_count == list->capacity - length &&
               list->planted == CLADE_NIL,
           "counts after a reclaim", list->live, list->free_count);
    for (uint i = 0; i < list->free_count && i < list->capacity; i++) {
        const clade_ref cell = *word(list->free_at + i);
        expect(cell >= 1 && cell <= list->capacity && !seen[cell % (CAPACITY + 1)] &&
                   *clade_dlist_link(list, cell % (CAPACITY + 1)) == CLADE_DLIST_CELL_FREE,
               "a free cell", i, cell);
        seen[cell % (CAPACITY + 1)] = 1;
    }
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        expect(list->stripes[i].taken == 0, "a stripe that dealt out", i, list->stripes[i].taken);
}

static void reclaim(uint shortens)
{
    for (; shortens > 0; shortens--)
        launch(shorten, list->capacity);
    list->planted = 7; /* a planted bug's */
    launch_all(relink, list->capacity + 1u);
    frees = 1;
    launch(sweep, list->capacity);
    check_content("after a reclaim");
    check_settled();
    gone = 0;
    /* A count alone. */
    list->live = frees = 0;
    launch(sweep, list->capacity);
    check_settled();
}

static void open_call(uint op, uint given, uint count)
{
    call = (struct call) { .op = op, .given = given, .count = count };
    call.ops = room(4ul * (FIRST + (given & 1u ? count : 0)));
    call.targets = room(4ul * (FIRST - 1 + count));
    call.values = room(sizeof(VALUE) * (FIRST - 2ul + (given & 2u ? count : 0)));
    call.nodes = room(4ul * (FIRST - 3 + (given & 4u ? count : 0)));
    call.statuses = room(4ul * (FIRST - 4 + (given & 8u ? count : 0)));
    for (uint i = 0; i < count && given & 2u; i++)
        call.values[FIRST - 2 + i] = (VALUE)(((ulong)draw(1u << 20) << 36) + draw(1u << 24));
}

static void close_call(uint bad, int status)
{
    const bool is_noted = !(call.given & 8u) && bad < call.count;
    expect((int)list->object.first_error == (is_noted ? status : 0) &&
               (is_noted ? GROUP > 1 || list->object.first_error_item == bad
                         : list->object.first_error_item == 0),
           "the first error", list->object.first_error, list->object.first_error_item);
    list->object.first_error = list->object.first_error_item = 0;
    expect(call.ops[FIRST - 1] == GUARD && call.targets[FIRST - 2] == GUARD &&
               (uint)call.values[FIRST - 3] == GUARD && call.nodes[FIRST - 4] == GUARD &&
               call.statuses[FIRST - 5] == GUARD,
           "before an array", (uint)call.count, call.given);
    free(call.ops);
    free(call.targets);
    free(call.values);
    free(call.nodes);
    free(call.statuses);
}

static void expect_told(uint i, int status, clade_ref node, const char *what)
{
    if (call.given & 8u)
        expect(call.statuses[FIRST - 4 + i] == status, what, i, (uint)call.statuses[FIRST - 4 + i]);
    if (call.given & 4u)
        expect(call.nodes[FIRST - 3 + i] == node, what, i, call.nodes[FIRST - 3 + i]);
}

static void put_in(uint place, VALUE value)
{
    memmove(held + place + 1, held + place, (length - place) * sizeof *held);
    memmove(at + place + 1, at + place, (length - place) * sizeof *at);
    held[place] = value;
    at[place] = CLADE_NIL; /* as the links will say */
    length++;
}

static void take_out(uint place)
{
    length--;
    memmove(held + place, held + place + 1, (length - place) * sizeof *held);
    memmove(at + place, at + place + 1, (length - place) * sizeof *at);
}

static uint place_of(clade_ref node)
{
    uint i = 0;
    while (i < length && at[i] != node)
        i++;
    return i;
}

/* Cells that nobody took since the last reclaim. */
static uint cells_left(void)
{
    uint left = list->free_count;
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        left -= list->stripes[i].taken;
    return left;
}

/* Changes at `count` nodes that differ, `op` or, with given bit 0, by turns; at each seventh place
 * a ref that cannot be. Of a list with room. */
static void call_changes(uint op, uint given, uint count)
{
    clade_ref targets[CAPACITY];
    uint n = 0, bad = CAPACITY, fresh[CAPACITY];
    int wanted[CAPACITY];
    VALUE kept[CAPACITY];
    if (cells_left() < count)
        reclaim(draw(2));
    for (uint i = draw(2); i < length && n < count; i += 1 + draw(3))
        targets[n++] = at[i];
    open_call(given & 1u ? 77u : op, given, count = n);
    for (uint i = 0; i < count; i++) {
        const uint what = given & 1u ? (op + i) % 3u : op, place = place_of(targets[i]);
        const VALUE value = given & 2u ? call.values[FIRST - 2 + i] : 0;
        const bool is_wrong = i % 7u == 6u;
        kept[i] = given & 2u ? value : 0;
        if (given & 1u)
            call.ops[FIRST + i] = is_wrong && i % 2u ? CLADE_DLIST_OP_COUNT + draw(2) : what;
        call.targets[FIRST - 1 + i] =
            is_wrong ? (gone && draw(2) ? gone : list->capacity + 1u) : targets[i];
        wanted[i] = !is_wrong ? CLADE_OK
                    : call.targets[FIRST - 1 + i] == gone && !(given & 1u && i % 2u)
                        ? CLADE_E_NOT_FOUND
                        : CLADE_E_ARG;
        if (wanted[i] == CLADE_E_ARG && bad == CAPACITY)
            bad = i;
        fresh[i] = what <= CLADE_DLIST_INSERT_BEFORE && !is_wrong;
        if (is_wrong)
            continue;
        if (what == CLADE_DLIST_ERASE) {
            kept[i] = held[place];
            take_out(place);
        } else {
            put_in(place + (what == CLADE_DLIST_INSERT_AFTER), value);
        }
    }
    launch(apply, count);
    check_content("after changes");
    for (uint i = 0; i < count; i++) {
        clade_ref node = CLADE_NIL;
        if (fresh[i] && call.given & 4u) { /* a node with that value, right beside its target */
            node = call.nodes[FIRST - 3 + i];
            const uint place = place_of(node);
            const uint what = given & 1u ? (op + i) % 3u : op;
            expect(place < length && held[place] == kept[i] &&
                       place_of(targets[i]) ==
                           (what == CLADE_DLIST_INSERT_AFTER ? place - 1u : place + 1u),
                   "a new node's ref", i, node);
        }
        expect_told(i, wanted[i], node, "a change");
        if (given & 2u)
            expect(call.values[FIRST - 2 + i] == kept[i], "a value", i,
                   (uint)call.values[FIRST - 2 + i]);
        if (wanted[i] == CLADE_OK && !fresh[i])
            gone = targets[i];
    }
    close_call(bad, CLADE_E_ARG);
}

/* Looks, where nobody changes anything: neighbours and values of all nodes. */
static void call_looks(uint op, uint given)
{
    open_call(op, given, length + 1u);
    const ulong before = given & 2u && length ? call.values[FIRST - 2] : 0;
    for (uint i = 0; i <= length; i++) {
        if (given & 1u)
            call.ops[FIRST + i] = op;
        call.targets[FIRST - 1 + i] = i < length ? at[i] : CLADE_NIL;
    }
    call.op = given & 1u ? 0u : op;
    launch(apply, length + 1u);
    for (uint i = 0; i <= length; i++) {
        const clade_ref next = i + 1u < length         ? at[i + 1u]
                               : i < length || !length ? CLADE_NIL
                                                       : at[0];
        const clade_ref prev = i > 0 && length ? at[i - 1u] : CLADE_NIL;
        const clade_ref node = op == CLADE_DLIST_NEXT   ? next
                               : op == CLADE_DLIST_PREV ? prev
                                                        : CLADE_NIL;
        expect_told(i, op == CLADE_DLIST_GET && i == length ? CLADE_E_ARG : CLADE_OK, node,
                    "a look");
        if (given & 2u && op == CLADE_DLIST_GET && i < length)
            expect(call.values[FIRST - 2 + i] == held[i], "a value looked at", i, (uint)held[i]);
    }
    if (given & 2u && op != CLADE_DLIST_GET && length)
        expect(call.values[FIRST - 2] == before, "a value that nobody gave", 0, 0);
    close_call(op == CLADE_DLIST_GET ? length : CAPACITY + 1u, CLADE_E_ARG);
}

/* Many at the end; `is_left`: the second launch never comes, and nothing is in. */
static void call_append(uint given, uint count, bool is_left)
{
    const ulong items = count > CLADE_CELLS_STRIPES ? count : CLADE_CELLS_STRIPES;
    reclaim(1);
    const uint fits = count < list->free_count ? count : list->free_count;
    open_call(0, given | 3u, count); /* what an append does not have is not looked at */
    launch(append_fill, items);
    check_content("between the launches");
    if (!is_left)
        launch(append_link, items);
    for (uint i = 0; i < fits && !is_left; i++)
        put_in(length, call.values[FIRST - 2 + i]);
    check_content("many at the end");
    for (uint i = 0; i < count; i++)
        expect_told(i, i < fits ? CLADE_OK : CLADE_E_FULL,
                    i >= fits    ? CLADE_NIL
                    : !is_left   ? at[length - fits + i]
                    : given & 4u ? call.nodes[FIRST - 3 + i]
                                 : 0,
                    "an append");
    if (fits > 0 && !is_left)
        expect(list->last == at[length - 1u], "the last node", list->last, fits);
    close_call(fits, CLADE_E_FULL);
    uint taken = 0;
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        taken += list->stripes[i].taken;
    expect(taken == fits, "cells that were taken", taken, fits);
    if (!is_left && length < list->capacity &&
        length > 0) { /* what is taken next is another cell */
        open_call(CLADE_DLIST_INSERT_AFTER, 14u, 1);
        call.targets[FIRST - 1] = at[length - 1u];
        put_in(length, call.values[FIRST - 2]);
        launch(apply, 1);
        check_content("one more");
        expect_told(0, CLADE_OK, at[length - 1u], "one more");
        close_call(1, 0);
    }
}

/* Inserts into a full list: not one. */
static void call_full(void)
{
    call_append(8u, list->capacity - length, false);
    open_call(CLADE_DLIST_INSERT_BEFORE, 0u, 1);
    call.targets[FIRST - 1] = CLADE_NIL;
    launch(apply, 1);
    check_content("one too many");
    close_call(0, CLADE_E_FULL);
}

/* All erased, from the front on, so that each node leads to the next: shortening leads each past
 * SKIP_HOPS others, where it is known in which order items look. */
static void long_run(void)
{
    uint links[CAPACITY + 1];
    call_append(0u, list->capacity - length, false);
    reclaim(0);
    open_call(CLADE_DLIST_ERASE, 0u, length);
    memcpy(call.targets + FIRST - 1, at, length * sizeof *at);
    const clade_ref end = at[0]; /* the last cell is not the run's end */
    at[0] = at[length - 1u];
    at[length - 1u] = end;
    *clade_dlist_link(list, CLADE_NIL) = at[0] << CLADE_DLIST_REF_SHIFT;
    for (uint i = 0; i < length; i++) /* as if nobody had helped */
        *clade_dlist_link(list, at[i]) =
            (i + 1u < length ? at[i + 1u] : 0u) << CLADE_DLIST_REF_SHIFT | CLADE_DLIST_ERASED;
    length = 0;
    for (uint i = 1; i <= list->capacity; i++)
        links[i] = *clade_dlist_link(list, i);
    for (uint i = 1; i <= list->capacity; i++)
        for (uint hops = 0, next = links[i] >> 1; hops < CLADE_DLIST_SKIP_HOPS && next; hops++) {
            links[i] = links[next];
            next = links[i] >> 1;
        }
    launch(shorten, list->capacity);
    for (uint i = 1; i <= list->capacity && GROUP == 1; i++)
        expect(*clade_dlist_link(list, i) == links[i], "a link that was led on", i,
               *clade_dlist_link(list, i));
    close_call(CAPACITY + 1, 0);
    reclaim(2);
}

/* Runs of erased nodes between live ones, which nobody has led past yet: of seven nodes `live`
 * stay. The word behind the cells looks like the link of an erased node, too, and is nobody's. */
static void runs_between(uint live, bool shortens)
{
    uint *const behind = word(list->free_at - 1u);
    call_append(0u, list->capacity - length, false);
    reclaim(0);
    const uint guard = at[0] << CLADE_DLIST_REF_SHIFT | CLADE_DLIST_ERASED;
    for (uint i = length; i-- > 0;)
        if (draw(7) >= live) {
            *clade_dlist_link(list, at[i]) |= CLADE_DLIST_ERASED;
            take_out(i);
        }
    *behind = guard;
    if (shortens)
        launch(shorten, list->capacity);
    expect(*behind == guard, "behind the cells", *behind, guard);
    *behind = GUARD;
    check_content("with erased nodes in the chain");
    reclaim(0);
}

static void all(uint capacity)
{
    static const uint counts[] = { 0, 1, GROUP - 1, GROUP, GROUP + 1, 20 };
    make(capacity);
    call_looks(CLADE_DLIST_NEXT, 14u);
    for (uint round = 0; round < 12; round++) {
        const uint count = counts[round % 6u];
        call_append(round % 2u ? 12u : 0u, count + 2u * GROUP, round == 5);
        for (uint op = 0; op < 3u && length + 3u * count + 7u < capacity; op++) {
            call_changes(op, draw(8) << 1, count);
            call_changes(op, 15u, count);
            call_changes(op, 1u + 2u * draw(2), 7);
        }
        reclaim(draw(3));
        for (uint op = CLADE_DLIST_NEXT; op <= CLADE_DLIST_GET; op++)
            call_looks(op, round % 2u ? 15u : draw(8) << 1);
    }
    call_full();
    reclaim(0);
    call_append(4u, 5, false);
    while (length > 0)
        call_changes(CLADE_DLIST_ERASE, 10u, length > 60u ? 60u : length);
    call_append(8u, 1, false);
    call_append(0u, capacity + 3u, true);
    call_append(0u, capacity + 3u, false);
    launch_all(clear, capacity);
    length = gone = 0;
    check_content("after clearing");
    check_settled();
    free(list);
}

int main(void)
{
    setbuf(stdout, NULL);
    random_state = shim_seed();
    all(150);
    all(97);
    make(CAPACITY);
    for (uint live = 0; live < 4; live++) {
        runs_between(live, false);
        runs_between(live, true);
    }
    long_run();
    free(list);
    make(1);
    free(list);
    printf("the doubly linked list's kernels: %u wrong\n", wrong);
    return wrong != 0;
}
