/* SPDX-License-Identifier: Apache-2.0 */
/* Between any two accesses of an operation of a list to memory that others change, other items do
 * up to three, and between any two accesses of the last of these again others, in three layers
 * (edges/beside.h). And where one in the second layer does not find its key, there was a moment of
 * its time without it. Ordered lists (-DORDERED), with shortcuts, some of them to erased nodes;
 * unordered ones, with an index and without. */
#define CLADE_SPIN_LIMIT 8u
#include "host/device.h"

#define STEPS_ARE_ACCESSES
#include "edges/steps.h"

#define CLADE_LIST       edge
#define CLADE_LIST_VALUE 32
#include "clade/list.clh"
#undef min
#undef max

enum { CAPACITY = 16, KEYS = 4 };
/* Unordered: the values in their order. Ordered: each key's value, 0 where it is not there. */
struct content {
    uint length, of[CAPACITY];
};
#define BESIDE_WATCH
#include "edges/beside.h"

#ifdef ORDERED
enum { IS_UNORDERED = 0 };
enum { INSERT, PUT, ERASE, FIND };
#else
enum { IS_UNORDERED = 1 };
enum { FRONT, AFTER, ERASE, FIND }; /* the value that comes, behind the one that is the key */
#endif
enum { SLOTS = 32, WORDS = 4, ROW = 3 };

static struct {
    clade_list_head head;
    uint cells[CAPACITY * WORDS];
    uint free[CAPACITY];
    uint index[SLOTS]; /* or shortcuts of two words */
} memory;

static struct result do_op(struct op op)
{
    struct result got = { 0, 0 };
#ifdef ORDERED
    if (op.kind == INSERT)
        got.status = edge_insert_wi(&memory.head, op.key, op.value);
    else if (op.kind == PUT)
        got.status = edge_put_wi(&memory.head, op.key, op.value);
    else if (op.kind == ERASE)
        got.status = edge_erase_wi(&memory.head, op.key, &got.value);
    else
        got.status = edge_find_wi(&memory.head, op.key, &got.value);
    if (got.status < 0)
        got.value = 0;
#else
    if (op.kind == FRONT)
        got.status = edge_insert_front_wi(&memory.head, op.value);
    else if (op.kind == AFTER)
        got.status = edge_insert_after_wi(&memory.head, op.key, op.value);
    else if (op.kind == ERASE)
        got.status = edge_erase_value_wi(&memory.head, op.key);
    else
        got.status = edge_contains_value_wi(&memory.head, op.key);
#endif
    return got;
}

/* What the model says. Where several nodes hold a value, `which` of them is meant. False: there are
 * no more. */
static bool on_model(struct content *it, struct op op, uint which, struct result *want)
{
    *want = (struct result) { CLADE_OK, 0 };
#ifdef ORDERED
    const uint there = it->of[op.key];
    if (op.kind == INSERT || op.kind == PUT) {
        want->status = there != 0 ? CLADE_LIST_PRESENT : CLADE_OK;
        it->of[op.key] = there != 0 && op.kind == INSERT ? there : op.value;
    } else {
        *want = (struct result) { there != 0 ? CLADE_OK : CLADE_E_NOT_FOUND, there };
        it->of[op.key] = op.kind == ERASE ? 0 : there;
    }
    return which == 0;
#else
    uint at = 0, met = 0;
    while (op.kind != FRONT && at < it->length && (it->of[at] != op.key || met++ < which))
        at++;
    if (op.kind != FRONT && at == it->length) {
        want->status = CLADE_E_NOT_FOUND;
        return which == 0;
    }
    if (op.kind == ERASE) {
        it->length--;
        memmove(it->of + at, it->of + at + 1, (it->length - at) * sizeof *it->of);
    } else if (op.kind != FIND) {
        at += op.kind == AFTER;
        memmove(it->of + at + 1, it->of + at, (it->length++ - at) * sizeof *it->of);
        it->of[at] = op.value;
    }
    return op.kind != FRONT || which == 0;
#endif
}

static uint *cell(clade_ref node)
{
    return &memory.cells[(node - 1) * WORDS];
}

/* The key that an operation of layer 1 looks for. */
static uint watched;
static bool is_watched, was_absent;

static void watch(void)
{
    uint hops = 0;
    if (!is_watched || was_absent)
        return;
    for (clade_ref node = memory.head.first >> CLADE_LIST_REF_SHIFT;
         node != CLADE_NIL && hops++ < CAPACITY; node = cell(node)[0] >> CLADE_LIST_REF_SHIFT)
        if (!(cell(node)[0] & CLADE_LIST_MARKS) && cell(node)[1] == watched)
            return;
    was_absent = true;
}

static void begin_watch(struct op op)
{
    is_watched = true;
    watched = op.key;
    was_absent = false;
}

static void end_watch(struct op op, struct result got)
{
    watch();
    is_watched = false;
    expect(got.status != CLADE_E_NOT_FOUND || was_absent, "not found, though always there", op.kind,
           (uint)steps[1]);
}

/* Whether the list holds just this. */
static bool holds(const struct content *it)
{
    uint at = 0, hops = 0;
    for (clade_ref node = memory.head.first >> CLADE_LIST_REF_SHIFT; node != CLADE_NIL;
         node = cell(node)[0] >> CLADE_LIST_REF_SHIFT) {
        if (hops++ == CAPACITY)
            return false;
        if (cell(node)[0] & CLADE_LIST_ERASED)
            continue;
        if (cell(node)[0] & CLADE_LIST_PENDING)
            return false;
#ifdef ORDERED
        while (at < KEYS && it->of[at] == 0)
            at++;
        if (at == KEYS || cell(node)[1] != at || cell(node)[2] != it->of[at++])
            return false;
#else
        if (at == it->length || cell(node)[1] != it->of[at++])
            return false;
#endif
    }
#ifdef ORDERED
    while (at < KEYS && it->of[at] == 0)
        at++;
    for (uint i = 0; i < memory.head.hint_count; i++) {
        const clade_ref node = memory.index[2 * i + 1];
        if (node != CLADE_NIL && cell(node)[1] > memory.index[2 * i])
            return false;
    }
    return at == KEYS;
#else
    return at == it->length;
#endif
}

/* Of several nodes with a value the model takes the one that the list took. */
static void do_both(struct op op, struct content *content)
{
    const struct content before = *content;
    struct result want;
    (void)do_op(op);
    for (uint which = 0; on_model(content, op, which, &want) && !holds(content); which++)
        *content = before;
}

enum { STATES = 7, IN_LAYERS = 1 };
#ifdef ORDERED
static const uint kinds_of_state[] = { 1 };
/* Keys that come, as bits, then those that get shortcuts, and those that go. */
static const uint states[STATES][3] = { { 0, 0, 0 },  { 2, 0, 0 },   { 7, 2, 0 }, { 15, 3, 1 },
                                        { 15, 7, 6 }, { 13, 13, 5 }, { 4, 0, 0 } };
#else
static const uint kinds_of_state[] = { 0, SLOTS }; /* slots of the index */
/* Values in front of each other, 0 the end; then how often 1 is erased. */
static const uint states[STATES][4] = { { 0, 0, 0, 0 }, { 2, 0, 0, 0 }, { 1, 1, 0, 0 },
                                        { 1, 2, 0, 0 }, { 2, 1, 1, 1 }, { 1, 2, 1, 1 },
                                        { 1, 0, 0, 0 } };
#endif

static void make(uint slots, uint state)
{
    struct content content = { 0 };
    const uint *of = states[state];
    memset(&memory, 0, sizeof memory);
    memory.head.object.shape = CLADE_LIST_SHAPE(IS_UNORDERED, 1, 1, 0);
    memory.head.capacity = CAPACITY;
    memory.head.nodes_at = offsetof(__typeof__(memory), cells) / 4;
    memory.head.free_at = offsetof(__typeof__(memory), free) / 4;
    memory.head.index_at = memory.head.hints_at = offsetof(__typeof__(memory), index) / 4;
    memory.head.index_size = slots;
    memory.head.free_count = CAPACITY;
    for (uint i = 0; i < CAPACITY; i++) {
        memory.cells[i * WORDS] = CLADE_LIST_CELL_FREE;
        memory.free[i] = CAPACITY - i;
    }
#ifdef ORDERED
    for (uint key = 0; key < KEYS; key++)
        if (of[0] >> key & 1u)
            do_both((struct op) { INSERT, key, 100 + key, 0 }, &content);
    for (clade_ref node = memory.head.first >> CLADE_LIST_REF_SHIFT; node != CLADE_NIL;
         node = cell(node)[0] >> CLADE_LIST_REF_SHIFT)
        if (of[1] >> cell(node)[1] & 1u) {
            memory.index[2 * memory.head.hint_count] = cell(node)[1];
            memory.index[2 * memory.head.hint_count++ + 1] = node;
        }
    for (uint key = 0; key < KEYS; key++)
        if (of[2] >> key & 1u)
            do_both((struct op) { ERASE, key, 0, 0 }, &content);
#else
    for (uint i = 0; i < 3 && of[i] != 0; i++)
        do_both((struct op) { FRONT, 0, of[i], 0 }, &content);
    if (of[3] != 0)
        do_both((struct op) { ERASE, 1, 0, 0 }, &content);
#endif
    begin_with(&memory, sizeof memory, &content);
}

#ifdef ORDERED
#define OPS(v)                                                                         \
    { INSERT, 1, (v), 0 }, { PUT, 1, (v), 0 }, { ERASE, 1, 0, 0 }, { ERASE, 2, 0, 0 }, \
        { PUT, 2, (v), 0 },                                                            \
    {                                                                                  \
        FIND, 1, 0, 0                                                                  \
    }
#else
#define OPS(v)                                                                      \
    { FRONT, 0, 1, 0 }, { AFTER, 1, 2, 0 }, { ERASE, 1, 0, 0 }, { ERASE, 2, 0, 0 }, \
        { FRONT, 0, 2, 0 },                                                         \
    {                                                                               \
        FIND, 1, 0, 0                                                               \
    }
#endif
enum { FEW = 3, OTHERS = 5, ALL = 6 };

static uint rows(uint kinds, uint count)
{
    return count == 0 ? 1 : kinds * rows(kinds, count - 1);
}

/* All operations, with all rows of up to three others in between. */
static void meet_rows(uint label)
{
    const struct op ops[] = { OPS(200) };
    const struct op others[ROW][ALL] = { { OPS(301) }, { OPS(302) }, { OPS(303) } };
    for (uint which = 0; which < ALL; which++)
        for (uint count = 1; count <= ROW; count++) {
            const uint kinds = count < ROW ? OTHERS : FEW;
            for (uint row = 0; row < rows(kinds, count); row++) {
                struct visit *visit = &plan[0][0];
                visit->count = count;
                for (uint i = 0, rest = row; i < count; i++, rest /= kinds)
                    visit->ops[i] = others[i][rest % kinds];
                meet(ops[which], label);
            }
        }
}

#ifdef ORDERED
static const struct op still[] = { { PUT, 1, 200, 0 }, { ERASE, 1, 0, 0 } },
                       again = { PUT, 1, 300, 0 };
static const struct op looks[] = { { FIND, 1, 0, 0 }, { ERASE, 1, 0, 0 }, { PUT, 1, 301, 0 } };
static const struct op third_does = { ERASE, 1, 0, 0 }, fourth_does = { PUT, 1, 302, 0 };
static const struct op pair[] = { { PUT, 1, 303, 0 }, { ERASE, 1, 0, 0 } };
#else
static const struct op still[] = { { AFTER, 2, 1, 0 } }, again = { FRONT, 0, 1, 0 };
static const struct op looks[] = { { FIND, 1, 0, 0 }, { ERASE, 1, 0, 0 }, { AFTER, 1, 3, 0 } };
static const struct op third_does = { ERASE, 1, 0, 0 }, fourth_does = { AFTER, 2, 3, 0 };
static const struct op pair[] = { { FRONT, 0, 1, 0 }, { ERASE, 1, 0, 0 } };
#endif
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* One stands still in an insert or an erasure. Another one works meanwhile; a third one comes in
 * between, and stands still while a fourth one does something. Later in the second one's work there
 * are two more. Every place of all four. */
static void meet_layers(uint label, struct op first)
{
    struct visit *const second = &plan[0][0], *const third = &plan[1][0], *const fourth = plan[2],
                        *const later = &plan[1][1];
    bool any = true;
    for (second->at = 0; any; second->at++) {
        any = false;
        for (third->at = 0;; third->at++) {
            bool is_third = false;
            for (fourth->at = 0;; fourth->at++) {
                for (later->at = third->at; run(first, 7, label); later->at++)
                    ;
                if (later->at == third->at)
                    break;
                is_third = any = true;
            }
            if (!is_third)
                break;
        }
    }
}

static void meet_all_layers(uint label)
{
    for (uint i = 0; i < COUNT_OF(looks); i++) {
        plan[0][0] = (struct visit) { 0, 2, { again, looks[i] } };
        plan[1][0] = (struct visit) { 0, 1, { third_does } };
        plan[1][1] = (struct visit) { 0, 2, { pair[0], pair[1] } };
        plan[2][0] = (struct visit) { 0, 1, { fourth_does } };
        for (uint first = 0; first < COUNT_OF(still); first++)
            meet_layers(label, still[first]);
    }
    plan_none();
}

int main(void)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    plan_none();
    for (uint kind = 0; kind < COUNT_OF(kinds_of_state); kind++)
        for (uint state = 0; state < STATES; state++) {
            const uint label = state << 8 | kinds_of_state[kind];
            make(kinds_of_state[kind], state);
            meet_rows(label);
            if (state == IN_LAYERS)
                meet_all_layers(label);
        }
    expect(undisturbed == runs, "busy, though others are fewer than tries", runs - undisturbed,
           runs);
    printf("%s list beside others: %u runs, in %u somebody was busy, %u wrong\n",
           IS_UNORDERED ? "unordered" : "ordered", runs, runs - undisturbed, wrong);
    return wrong != 0;
}
