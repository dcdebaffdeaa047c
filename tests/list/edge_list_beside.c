/* SPDX-License-Identifier: Apache-2.0 */
/* Between any two accesses of an operation of a list to memory that others change, other items do
 * up to three, and between any two accesses of the last of these again others, in three layers
 * (edges/beside.h). And where one in the second layer does not find its key, there was a moment of
 * its time without it. Ordered lists (-DORDERED), with shortcuts, some of them to erased nodes;
 * unordered ones, with an index and without. Each compare-and-swap that was lost is counted. With a
 * try or none operations give up: nothing of them took effect. */
#include "host/device.h"

static bool is_index(const volatile void *word);
static uint spin_limit;
#undef CLADE_SPIN_LIMIT
#define CLADE_SPIN_LIMIT    spin_limit
#define STEPS_UNCOUNTED(at) is_index(at)
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
    uint lost_by[2];   /* inserts and puts; erasures */
} memory;

static bool is_index(const volatile void *word)
{
    return word >= (void *)memory.index && word < (void *)(memory.index + SLOTS);
}

/* What an operation tells of compare-and-swaps that it lost: all but that of an ordered list's
 * unlinking, which comes last. */
static void check_collisions(struct op op, struct result got, uint collisions)
{
#ifdef ORDERED
    const bool unlinks = (op.kind == PUT && got.status == CLADE_LIST_PRESENT) ||
                         (op.kind == ERASE && got.status == CLADE_OK);
#else
    const bool unlinks = false;
#endif
    expect(op.kind == FIND || collisions + (unlinks ? last_lost : 0) == lost, "collisions",
           op.kind << 16 | collisions, lost);
    memory.lost_by[op.kind == ERASE] += op.kind == FIND ? 0 : collisions;
}

static struct result do_op(struct op op)
{
    struct result got = { 0, 0 };
    uint collisions = 77;
#ifdef ORDERED
    if (op.kind == INSERT)
        got.status = edge_insert_counted_wi(&memory.head, op.key, op.value, &collisions);
    else if (op.kind == PUT)
        got.status = edge_put_counted_wi(&memory.head, op.key, op.value, &collisions);
    else if (op.kind == ERASE)
        got.status = edge_erase_counted_wi(&memory.head, op.key, &got.value, &collisions);
    else
        got.status = edge_find_wi(&memory.head, op.key, &got.value);
    if (got.status < 0)
        got.value = 0;
#else
    if (op.kind == FRONT)
        got.status = edge_insert_front_counted_wi(&memory.head, op.value, &collisions);
    else if (op.kind == AFTER)
        got.status = edge_insert_after_counted_wi(&memory.head, op.key, op.value, &collisions);
    else if (op.kind == ERASE)
        got.status = edge_erase_value_counted_wi(&memory.head, op.key, &collisions);
    else
        got.status = edge_contains_value_wi(&memory.head, op.key);
#endif
    check_collisions(op, got, collisions);
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

/* The list's own counts are those that its operations told. */
static void check_counts(void)
{
    uint inserts = 0, erasures = 0;
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++) {
        inserts += memory.head.stripes[i].insert_collisions;
        erasures += memory.head.stripes[i].erase_collisions;
    }
    expect(inserts == memory.lost_by[0] && erasures == memory.lost_by[1], "counts of collisions",
           inserts << 16 | memory.lost_by[0], erasures << 16 | memory.lost_by[1]);
}

/* Whether the list holds just this. */
static bool holds(const struct content *it)
{
    uint at = 0, hops = 0;
    check_counts();
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
    spin_limit = 8;
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

/* All operations, with all rows of up to three others in between. */
static void meet_all_rows(uint longest, uint label)
{
    const struct op ops[] = { OPS(200) };
    const struct op others[ROW][ALL] = { { OPS(301) }, { OPS(302) }, { OPS(303) } };
    for (uint which = 0; which < ALL; which++)
        for (uint count = 1; count <= longest; count++)
            meet_rows(ops[which], others[0], ALL, count < ROW ? OTHERS : FEW, count, label);
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

static void meet_all_layers(uint label)
{
    for (uint i = 0; i < COUNT_OF(looks); i++)
        for (uint first = 0; first < COUNT_OF(still); first++)
            meet_layers(&(struct layers) { still[first],
                                           { again, looks[i] },
                                           third_does,
                                           fourth_does,
                                           { pair[0], pair[1] } },
                        label);
}

int main(void)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    plan_none();
    for (uint kind = 0; kind < COUNT_OF(kinds_of_state); kind++)
        for (uint state = 0; state < STATES; state++) {
            const uint label = state << 8 | kinds_of_state[kind];
            make(kinds_of_state[kind], state);
            meet_all_rows(ROW, label);
            if (state == IN_LAYERS)
                meet_all_layers(label);
        }
    expect(undisturbed == runs, "busy, though others are fewer than tries", runs - undisturbed,
           runs);
    const uint quiet = runs;
    for (uint limit = 0; limit < 2; limit++)
        for (uint kind = 0; kind < COUNT_OF(kinds_of_state); kind++)
            for (uint state = 0; state < STATES; state++) {
                make(kinds_of_state[kind], state);
                spin_limit = limit;
                meet_all_rows(1, state << 8 | kinds_of_state[kind]);
            }
    const uint hasty = runs - quiet, busy = runs - undisturbed;
    expect(busy > hasty / 8 && busy < hasty, "how often somebody gave up", busy, hasty);
    printf("%s list beside others: %u runs, in %u somebody was busy, %u wrong\n",
           IS_UNORDERED ? "unordered" : "ordered", runs, busy, wrong);
    return wrong != 0;
}
