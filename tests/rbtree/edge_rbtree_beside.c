/* SPDX-License-Identifier: Apache-2.0 */
/* Between any two accesses of an operation of the tree to memory that others change, another item
 * does one or two, from their begin to their end (edges/beside.h): splits beside splits, clean-ups,
 * removals of leaves and searches. Whoever meets a lock gives up after few tries. After each run
 * all of the library's check holds: each node is in the tree or free, no lock is left, and paths
 * are balanced but where it was said that they are not. */
#define CLADE_RBTREE_TRIES         6u
#define CLADE_RBTREE_BALANCE_TRIES 6u
#define CLADE_RBTREE_MERGE_TRIES   4u
#define CLADE_RBTREE_CHAIN         2u
#include "host/device.h"

#define STEPS_ARE_ACCESSES
#include "edges/steps.h"
#include "rbtree/words.h"
#define clade_load_shared4(at) (come_by(), clade_load_shared4(at))

#define CLADE_RBTREE_LEAF_CAPACITY LEAF_CAPACITY
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#ifdef RANKED
#define CLADE_RBTREE_RANKED 1
#endif
#include "clade/rbtree.clh"
#undef min
#undef max

enum { KEYS = 23 };
/* By key, 0 where it is not there. */
struct content {
    uint of[KEYS];
};
#include "edges/beside.h"
#include "rbtree/rbtree_memory.h"

/* Keys of the tree lie apart. LOWER and FLOOR give the value of what they find. */
enum { INSERT, ERASE, PUT, FIND, LOWER, FLOOR, KINDS };
enum { LEAVES = 32, STEP = 10, BYTES = 1 << 14 };

static _Alignas(128) union {
    clade_rbtree_head tree;
    char all[BYTES];
} memory;

/* Those who come are other items. */
static struct result do_op(struct op op)
{
    clade_rbtree_head *const tree = &memory.tree;
    const size_t kept = shim_self.global_id;
    struct result got = { 0, 0 };
    uint key = op.key * STEP;
    shim_self.global_id = layer == 0 ? 0 : 1;
    if (op.kind == INSERT)
        got.status = clade_rbtree_insert_wi(tree, key, op.value);
    else if (op.kind == PUT)
        got.status = clade_rbtree_put_wi(tree, key, op.value);
    else if (op.kind == ERASE)
        got.status = clade_rbtree_erase_wi(tree, key, &got.value);
    else if (op.kind == FIND)
        got.status = clade_rbtree_find_wi(tree, key, &got.value);
    else if (op.kind == LOWER)
        got.status = clade_rbtree_lower_bound_wi(tree, &key, &got.value);
    else
        got.status = clade_rbtree_floor_wi(tree, &key, &got.value);
    if (got.status < 0)
        got.value = 0;
    shim_self.global_id = kept;
    return got;
}

static bool on_model(struct content *it, struct op op, uint which, struct result *want)
{
    uint at = op.key;
    *want = (struct result) { CLADE_OK, 0 };
    if (op.kind == INSERT || op.kind == PUT) {
        want->status = it->of[at] ? CLADE_RBTREE_PRESENT : CLADE_OK;
        it->of[at] = it->of[at] && op.kind == INSERT ? it->of[at] : op.value;
        return which == 0;
    }
    while (op.kind == LOWER && at + 1 < KEYS && it->of[at] == 0)
        at++;
    while (op.kind == FLOOR && at > 0 && it->of[at] == 0)
        at--;
    want->value = it->of[at];
    want->status = it->of[at] ? CLADE_OK : CLADE_E_NOT_FOUND;
    it->of[at] = op.kind == ERASE ? 0 : it->of[at];
    return which == 0;
}

static uint counted(uint counter)
{
    uint sum = 0;
    for (uint shard = 0; shard < CLADE_RBTREE_COUNTER_SHARDS; shard++)
        sum += memory.tree.counters[shard * CLADE_RBTREE_COUNTERS + counter];
    return sum;
}

/* What is so whatever the order was. */
static void check_tree(void)
{
    uint64_t keys = 0;
    uint busy = 0;
    const char *const said = rbtree_memory_check(&memory, LEAVES, LEAF_CAPACITY, &keys);
    if (said && wrong < 8)
        printf("  %s\n", said);
    expect(!said, "no sound tree", calls[0].op.kind, calls[0].op.key);
    for (uint c = 0; c < call_count; c++)
        busy += calls[c].got.status == CLADE_E_BUSY;
    expect(calls[0].got.status != CLADE_E_BUSY, "given up, though others were few",
           calls[0].op.kind, call_count);
    expect(counted(CLADE_RBTREE_BUSY) == busy, "counted as given up", counted(CLADE_RBTREE_BUSY),
           busy);
    expect(counted(CLADE_RBTREE_FULL) == 0 && memory.tree.leaked == 0, "full, or lost",
           memory.tree.leaked, 0);
}

static bool holds(const struct content *it)
{
    for (uint key = 0; key < KEYS; key++) {
        const struct result seen = do_op((struct op) { FIND, key, 0, 0 });
        if (seen.value != it->of[key] || (seen.status == CLADE_OK) != (it->of[key] != 0))
            return false;
    }
    check_tree();
    return true;
}

/* The keys that come, in their order, and how far apart they are; then those that go, as bits. */
struct state {
    uint count, stride, apart, gone;
};
static const struct state states[] = { { 0, 1, 1, 0 },    { 1, 1, 1, 0 },      { 2, 1, 1, 0 },
                                       { 4, 1, 1, 0 },    { 5, 1, 1, 0 },      { 7, 6, 1, 0 },
                                       { 8, 7, 1, 0 },    { 9, 4, 1, 0 },      { 10, 3, 1, 0x124 },
                                       { 8, 5, 1, 0xaa }, { 10, 1, 1, 0x3f0 }, { 10, 7, 1, 0x7e } };
enum { STATES = sizeof states / sizeof *states };
/* Trees in which a key between others, or after them, brings about a rotation on each side, outer
 * and inner, beside a child that is a router. */
static const struct state about_to_turn[] = {
    { 8, 1, 2, 0 }, { 8, 7, 2, 0 }, { 11, 2, 2, 0 }, { 11, 7, 2, 0 }
};
static const uint turned_by[] = { 15, 1, 9, 7 };

static void make(const struct state *state)
{
    struct content content = { { 0 } };
    memset(&memory, 0, sizeof memory);
    rbtree_memory_make(&memory, LEAVES, LEAF_CAPACITY);
    for (uint i = 0; i < state->count; i++) {
        const uint key = i * state->stride % state->count * state->apart;
        (void)do_op((struct op) { INSERT, key, 100 + key, 0 });
        content.of[key] = 100 + key;
    }
    for (uint key = 0; key < state->count; key++)
        if (state->gone >> key & 1u) {
            (void)do_op((struct op) { ERASE, key, 0, 0 });
            content.of[key] = 0;
        }
    begin_with(&memory, rbtree_memory_bytes(LEAVES, LEAF_CAPACITY), &content);
}

/* All kinds at some keys, beside changes of the same key and of those next to it. */
static void meet_all(const struct state *state, uint label)
{
    const uint own[] = { 0, state->count / 2, state->count };
    for (uint i = 0; i < 3; i++)
        for (uint kind = 0; kind < KINDS; kind++)
            for (uint other = 0; other < 8; other++) {
                struct visit *const visit = &plan[0][0];
                const uint key = own[i], near = key + other / 2 % 4 - (key > 0);
                const struct op comes = { other % 2, near < KEYS ? near : 0, 300 + other, 0 };
                *visit = (struct visit) { 0, 1, { comes } };
                if (other >= 6) { /* two, which end as it began */
                    visit->count = 2;
                    visit->ops[0] = (struct op) { 1 - comes.kind, key, 400, 0 };
                    visit->ops[1] = (struct op) { comes.kind, key, 401, 0 };
                }
                meet((struct op) { kind, key, 200, 0 }, label);
            }
}

/* A rotation, while a key comes or goes anywhere. */
static void meet_rotation(uint which)
{
    const struct op turns = { INSERT, turned_by[which], 200, 0 };
    for (uint key = 0; key < 2 * about_to_turn[which].count; key++) {
        const struct op comes = { key % 2 ? INSERT : ERASE, key, 300, 0 };
        plan[0][0] = (struct visit) { 0, 1, { comes } };
        meet(turns, which << 8 | 1u);
    }
}

int main(void)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    plan_none();
    for (uint state = 0; state < STATES; state++) {
        make(&states[state]);
        meet_all(&states[state], state << 8);
    }
    for (uint which = 0; which < 4; which++) {
        make(&about_to_turn[which]);
        const uint before = counted(CLADE_RBTREE_ROTATIONS);
        (void)do_op((struct op) { INSERT, turned_by[which], 200, 0 });
        expect(counted(CLADE_RBTREE_ROTATIONS) > before, "no rotation: this sees nothing", which,
               0);
        meet_rotation(which);
    }
    expect(undisturbed < runs && undisturbed > runs / 2, "how often nobody gave up", undisturbed,
           runs);
    printf("tree beside another item: %u runs, in %u nobody gave up, %u wrong\n", runs, undisturbed,
           wrong);
    return wrong != 0;
}
