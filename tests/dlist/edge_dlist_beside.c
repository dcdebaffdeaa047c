/* SPDX-License-Identifier: Apache-2.0 */
/* Between any two accesses of an operation of the doubly linked list to memory that others change,
 * other items do up to three, and between any two accesses of the last of these again others, in
 * three layers (edges/beside.h). Lists with stale hints and with nodes that are erased and still
 * linked. Who does not find its node has seen it erased, who finds it began while it was there, and
 * neighbours of it in the second layer were its neighbours at some moment of the call. Who steps
 * from an erased node passes over none that was there all the time. Then all with so few steps that
 * operations give up: nothing of them took effect. */
#include "host/device.h"

static uint spin_limit;
#undef CLADE_SPIN_LIMIT
#define CLADE_SPIN_LIMIT spin_limit
#define STEPS_ARE_ACCESSES
#include "edges/steps.h"

#include "clade/dlist.clh"
#undef min
#undef max

enum { CAPACITY = 16, NODES = 3 };
/* Nodes in their order, erased ones, too; each is named by its value. */
struct content {
    uint length, of[CAPACITY], is_erased[CAPACITY];
};
#define BESIDE_WATCH
#include "edges/beside.h"

/* The key is the node, 0 the end; the value is what comes. */
enum { AFTER, BEFORE, ERASE, NEXT, PREV, GET, KINDS };

static struct {
    clade_dlist_head head;
    uint cells[CAPACITY * CLADE_DLIST_CELL];
    uint free[CAPACITY];
    uint lost_by[2]; /* inserts; others */
} memory;
static clade_ref ref_of[NODES + 1];

static uint *cell(clade_ref node)
{
    return &memory.cells[(node - 1) * CLADE_DLIST_CELL];
}

/* Its low half says which node it is; the high half is the other way about. */
static ulong value_of(uint name)
{
    return (ulong)~name << 32 | name;
}

static uint name_of(clade_ref node)
{
    if (node == CLADE_NIL)
        return 0;
    const uint *const words = cell(node) + CLADE_DLIST_WORD_VALUE;
    expect(node <= CAPACITY && words[1] == ~words[0], "no node's value", node, words[0]);
    return words[0];
}

static bool is_erased_now(clade_ref node)
{
    return node != CLADE_NIL && cell(node)[CLADE_DLIST_WORD_NEXT] & CLADE_DLIST_ERASED;
}

static uint link_of(clade_ref node)
{
    return node == CLADE_NIL ? memory.head.first : cell(node)[CLADE_DLIST_WORD_NEXT];
}

/* The next one that is in the list. */
static clade_ref after(clade_ref node)
{
    for (uint hops = 0; hops <= CAPACITY; hops++) {
        node = link_of(node) >> CLADE_DLIST_REF_SHIFT;
        if (!is_erased_now(node))
            break;
    }
    return node;
}

static clade_ref before(clade_ref node)
{
    clade_ref at = CLADE_NIL;
    for (uint hops = 0; hops <= CAPACITY && after(at) != node; hops++)
        at = after(at);
    return at;
}

/* Who stands behind a node's place, or before it, as bits; nil: all. */
static uint all_from(clade_ref node, bool is_back)
{
    uint all = 0;
    clade_ref at = is_back && node != CLADE_NIL ? after(node) : node;
    while ((at = is_back ? before(at) : after(at)) != CLADE_NIL)
        all |= at == node ? 0 : 1u << at;
    return all;
}

/* A walk on from there meets all of them that are still in the list: none is on the other side. */
static bool meets(clade_ref node, bool is_back, uint all)
{
    return (all_from(node, !is_back) & all) == 0;
}

static struct result do_op(struct op op)
{
    struct result got = { 0, 0 };
    clade_dlist_head *const list = &memory.head;
    const clade_ref target = ref_of[op.key];
    const bool was_erased = is_erased_now(target);
    const bool is_step = (op.kind == NEXT || op.kind == PREV) && target != CLADE_NIL;
    const uint ahead = is_step ? all_from(target, op.kind == PREV) : 0;
    clade_ref node = CLADE_NIL;
    ulong value = 0;
    if (op.kind == AFTER)
        got.status = clade_dlist_insert_after_wi(list, target, value_of(op.value), &node);
    else if (op.kind == BEFORE)
        got.status = clade_dlist_insert_before_wi(list, target, value_of(op.value), &node);
    else if (op.kind == ERASE)
        got.status = clade_dlist_erase_wi(list, target, &value);
    else if (op.kind == NEXT)
        got.status = clade_dlist_next_wi(list, target, &node);
    else if (op.kind == PREV)
        got.status = clade_dlist_prev_wi(list, target, &node);
    else
        got.status = clade_dlist_get_wi(list, target, &value);
    expect(got.status != CLADE_E_NOT_FOUND || is_erased_now(target), "not found, and there",
           op.kind, op.key);
    expect(got.status == CLADE_E_NOT_FOUND || got.status == CLADE_E_BUSY || !was_erased,
           "found, and gone", op.kind, op.key);
    expect(!is_step || got.status != CLADE_E_NOT_FOUND || meets(node, op.kind == PREV, ahead),
           "past who was there all the time", op.kind, node);
    memory.lost_by[op.kind == AFTER || op.kind == BEFORE ? 0 : 1] += lost;
    if (op.kind == AFTER || op.kind == BEFORE)
        expect((node != CLADE_NIL) == (got.status == CLADE_OK) &&
                   name_of(node) == (node == CLADE_NIL ? 0 : op.value),
               "the new node", op.kind, node);
    if (got.status == CLADE_OK && (op.kind == ERASE || op.kind == GET))
        expect(value == value_of((uint)value), "a value", op.kind, (uint)(value >> 32));
    if (got.status == CLADE_OK)
        got.value = op.kind == NEXT || op.kind == PREV ? name_of(node) : (uint)value;
    return got;
}

/* One that was erased meanwhile still has its place: what comes before it may come there. */
static bool on_model(struct content *it, struct op op, uint which, struct result *want)
{
    uint at = 0, other;
    *want = (struct result) { CLADE_OK, 0 };
    while (at < it->length && it->of[at] != op.key)
        at++;
    if (op.key == 0)
        at = op.kind == BEFORE || op.kind == PREV ? it->length : (uint)-1;
    const bool is_there = op.key == 0 || !it->is_erased[at];
    if (!is_there && which == 0) {
        want->status = CLADE_E_NOT_FOUND;
    } else if (!is_there) {
        if (which > 1 || op.kind != BEFORE || !stands(ERASE, op.key))
            return false;
    } else if (op.kind == ERASE) {
        it->is_erased[at] = 1;
        want->value = op.key;
    } else if (op.kind == GET) {
        want->value = op.key;
    } else if (op.kind == NEXT) {
        for (other = at + 1; other < it->length && it->is_erased[other]; other++)
            ;
        want->value = other < it->length ? it->of[other] : 0;
    } else if (op.kind == PREV) {
        for (other = at; other > 0 && it->is_erased[other - 1]; other--)
            ;
        want->value = other > 0 ? it->of[other - 1] : 0;
    }
    if (want->status == CLADE_OK && (op.kind == AFTER || op.kind == BEFORE)) {
        at += op.kind == AFTER;
        memmove(it->of + at + 1, it->of + at, (it->length - at) * sizeof *it->of);
        memmove(it->is_erased + at + 1, it->is_erased + at,
                (it->length++ - at) * sizeof *it->is_erased);
        it->of[at] = op.value;
        it->is_erased[at] = 0;
    }
    return which == 0 || !is_there;
}

/* Neighbours of a node while an operation in the second layer looks for them. */
static struct op looks_for;
static bool is_watched;
static uint neighbours, neighbour[256];

/* How many accesses come before nodes 2 and 3 go (let_go); less than 0: they stay. */
static int go_at = -1;
static void let_go(void);

static void watch(void)
{
    if (go_at >= 0 && go_at-- == 0)
        let_go();
    if (!is_watched || is_erased_now(ref_of[looks_for.key]) || neighbours == 256)
        return;
    const clade_ref node = ref_of[looks_for.key];
    neighbour[neighbours++] = name_of(looks_for.kind == NEXT ? after(node) : before(node));
}

static void begin_watch(struct op op)
{
    is_watched = op.kind == NEXT || op.kind == PREV;
    looks_for = op;
    neighbours = 0;
}

static void end_watch(struct op op, struct result got)
{
    bool was = false;
    watch();
    for (uint i = 0; i < neighbours; i++)
        was |= neighbour[i] == got.value;
    expect(!is_watched || got.status != CLADE_OK || was, "a neighbour that never was", op.kind,
           got.value);
    is_watched = false;
}

static uint place_in(const struct content *it, uint name)
{
    uint at = 0;
    while (at < it->length && it->of[at] != name)
        at++;
    return at;
}

/* Whether a hint leads to what stands before, past who is erased. */
static bool is_hint(const struct content *it, clade_ref node, uint place)
{
    clade_ref at = node;
    uint hops = 0;
    do
        at = at == CLADE_NIL ? memory.head.last : cell(at)[CLADE_DLIST_WORD_PREV];
    while (is_erased_now(at) && hops++ < CAPACITY);
    return at == CLADE_NIL || (!is_erased_now(at) && place_in(it, name_of(at)) < place);
}

/* Each operation counts what it lost, as an insert or not. */
static void check_collisions(void)
{
    uint inserts = 0, others = 0;
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++) {
        inserts += memory.head.stripes[i].insert_collisions;
        others += memory.head.stripes[i].erase_collisions;
    }
    expect(inserts == memory.lost_by[0] && others == memory.lost_by[1], "collisions",
           inserts << 16 | memory.lost_by[0], others << 16 | memory.lost_by[1]);
}

/* Whether the list holds just this: along its links, by its hints, and for who goes back. */
static bool holds(const struct content *it)
{
    clade_ref node = CLADE_NIL;
    for (uint i = 0; i < it->length; i++)
        if (!it->is_erased[i]) {
            node = after(node);
            if (node == CLADE_NIL || name_of(node) != it->of[i] || !is_hint(it, node, i))
                return false;
        }
    if (after(node) != CLADE_NIL || !is_hint(it, CLADE_NIL, it->length))
        return false;
    check_collisions();
    const uint kept = spin_limit;
    uint at = it->length;
    bool is_right = true;
    spin_limit = 100;
    node = CLADE_NIL;
    do {
        for (; at > 0 && it->is_erased[at - 1]; at--)
            ;
        is_right = clade_dlist_prev_wi(&memory.head, node, &node) == CLADE_OK &&
                   name_of(node) == (at > 0 ? it->of[at - 1] : 0);
    } while (is_right && at-- > 0);
    spin_limit = kept;
    return is_right;
}

/* Nodes that come, 0 the end; those that go, as bits; those of these that are only marked. Whether
 * hints lead to the end alone. */
struct state {
    uint count, gone, marked, is_stale;
};
static const struct state states[] = { { 0, 0, 0, 0 }, { 1, 0, 0, 0 }, { 2, 0, 0, 0 },
                                       { 3, 0, 0, 1 }, { 3, 4, 4, 0 }, { 3, 2, 2, 1 },
                                       { 3, 4, 0, 0 }, { 3, 6, 6, 0 } };
enum { STATES = sizeof states / sizeof *states, IN_LAYERS = 3 };

static void make(const struct state *state)
{
    struct content content = { 0 };
    memset(&memory, 0, sizeof memory);
    memory.head.object.shape = CLADE_DLIST_SHAPE;
    memory.head.capacity = memory.head.free_count = CAPACITY;
    memory.head.nodes_at = offsetof(__typeof__(memory), cells) / 4;
    memory.head.free_at = offsetof(__typeof__(memory), free) / 4;
    for (uint i = 0; i < CAPACITY; i++) {
        cell(i + 1)[CLADE_DLIST_WORD_NEXT] = CLADE_DLIST_CELL_FREE;
        memory.free[i] = CAPACITY - i;
    }
    spin_limit = 100;
    for (uint name = 1; name <= NODES; name++) {
        ulong value;
        if (name <= state->count)
            clade_dlist_insert_before_wi(&memory.head, CLADE_NIL, value_of(name), &ref_of[name]);
        else /* one that was and is not */
            ref_of[name] = ref_of[name - 1];
        content.of[name - 1] = name;
        content.is_erased[name - 1] = state->gone >> name & 1u;
        if (content.is_erased[name - 1] && !(state->marked >> name & 1u))
            clade_dlist_erase_wi(&memory.head, ref_of[name], &value);
    }
    content.length = state->count;
    for (uint name = 1; name <= state->count; name++) {
        cell(ref_of[name])[CLADE_DLIST_WORD_NEXT] |= state->marked >> name & 1u;
        if (state->is_stale)
            cell(ref_of[name])[CLADE_DLIST_WORD_PREV] = memory.head.last = CLADE_NIL;
    }
    begin_with(&memory, sizeof memory, &content);
}

/* Four at work could leave this: node 3 is marked, then node 2, and who had seen node 3 before that
 * leads node 1 past node 2, up to node 3. */
static void let_go(void)
{
    cell(ref_of[3])[CLADE_DLIST_WORD_NEXT] |= CLADE_DLIST_ERASED;
    cell(ref_of[2])[CLADE_DLIST_WORD_NEXT] |= CLADE_DLIST_ERASED;
    cell(ref_of[1])[CLADE_DLIST_WORD_NEXT] = ref_of[3] << CLADE_DLIST_REF_SHIFT;
}

/* Node 1 never was right before node 3, as long as that was in the list. */
static void look_back_while_they_go(bool is_stale)
{
    const struct state state = { 3, 0, 0, is_stale };
    int status, at = 0;
    bool went;
    do {
        clade_ref node;
        make(&state);
        go_at = at++;
        status = clade_dlist_prev_wi(&memory.head, ref_of[3], &node);
        went = go_at < 0;
        go_at = -1;
        expect(name_of(node) == (status == CLADE_OK ? 2 : 1), "before one that goes", (uint)at,
               node);
        expect(status == CLADE_OK || (went && status == CLADE_E_NOT_FOUND), "one that goes",
               (uint)at, (uint)status);
    } while (went);
    expect(at > 4 && status == CLADE_OK, "nobody went", (uint)at, (uint)status);
}

/* Those that come often stand first. */
#define OPS(v)                                                                             \
    { ERASE, 1, 0, 0 }, { BEFORE, 2, (v), 0 }, { ERASE, 2, 0, 0 }, { AFTER, 1, (v), 0 },   \
        { BEFORE, 0, (v), 0 }, { PREV, 2, 0, 0 }, { NEXT, 1, 0, 0 }, { AFTER, 0, (v), 0 }, \
        { PREV, 0, 0, 0 }, { NEXT, 0, 0, 0 }, { PREV, 3, 0, 0 }, { BEFORE, 3, (v), 0 },    \
        { ERASE, 3, 0, 0 },                                                                \
    {                                                                                      \
        GET, 1, 0, 0                                                                       \
    }
enum { ROW = 3, FEW = 3, OTHERS = 6, ALL = 14 };

/* All operations on nodes that there are, with all rows of up to three others in between. */
static void meet_all_rows(uint count, uint longest, uint label)
{
    const struct op ops[] = { OPS(200) };
    const struct op others[ROW][ALL] = { { OPS(301) }, { OPS(302) }, { OPS(303) } };
    struct op there[ROW][ALL];
    uint n = 0;
    for (uint k = 0; k < ALL; k++)
        if (ops[k].key <= count) {
            for (uint i = 0; i < ROW; i++)
                there[i][n] = others[i][k];
            n++;
        }
    for (uint which = 0; which < ALL; which++)
        for (uint length = 1; length <= longest && ops[which].key <= count; length++) {
            const uint kinds = length < ROW ? OTHERS : FEW;
            meet_rows(ops[which], there[0], ALL, kinds < n ? kinds : n, length, label);
        }
}

/* One stands still in an insert or an erasure, while another one looks for neighbours. */
static void meet_all_layers(uint label)
{
    static const struct op pairs[][2] = { { { BEFORE, 3, 200, 0 }, { PREV, 3, 0, 0 } },
                                          { { ERASE, 2, 0, 0 }, { NEXT, 1, 0, 0 } } };
    for (uint i = 0; i < sizeof pairs / sizeof *pairs; i++)
        meet_layers(&(struct layers) { pairs[i][0],
                                       { { AFTER, 1, 300, 0 }, pairs[i][1] },
                                       { BEFORE, 3, 301, 0 },
                                       { ERASE, 2, 0, 0 },
                                       { { AFTER, 1, 302, 0 }, { ERASE, 1, 0, 0 } } },
                    label);
}

int main(void)
{
    static const uint few[] = { 0, 1, 2, 3 };
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    plan_none();
    for (uint state = 0; state < STATES; state++) {
        make(&states[state]);
        meet_all_rows(states[state].count, ROW, state << 8);
        if (state == IN_LAYERS)
            meet_all_layers(state << 8);
    }
    look_back_while_they_go(false);
    look_back_while_they_go(true);
    expect(undisturbed == runs, "busy, though there are steps enough", runs - undisturbed, runs);
    const uint quiet = runs;
    for (uint i = 0; i < sizeof few / sizeof *few; i++)
        for (uint state = 0; state < STATES; state++) {
            make(&states[state]);
            spin_limit = few[i];
            meet_all_rows(states[state].count, 1, state << 8 | few[i]);
        }
    const uint hasty = runs - quiet, busy = runs - undisturbed;
    expect(busy > hasty / 4 && busy < hasty, "how often somebody gave up", busy, hasty);
    printf("doubly linked list beside others: %u runs, in %u somebody was busy, %u wrong\n", runs,
           busy, wrong);
    return wrong != 0;
}
