/* SPDX-License-Identifier: Apache-2.0 */
/* Between any two accesses of an append to an array list others append up to two times, one element
 * or several in a row (edges/beside.h). Allocators that have all blocks, some, or one that no
 * segment's word can name. Each index is given once, a segment is asked for once and has its size,
 * and no block is lost. Who meets one that is being made gives up. */
#define CLADE_ARRAYLIST_TRIES 6u
#include "host/device.h"

#define STEPS_ARE_ACCESSES
#include "edges/steps.h"

static uint take_block(void *kma, ulong bytes);
static void give_block(void *kma, uint ref);
#define CLADE_ARRAYLIST_MALLOC(kma, bytes) take_block((kma), (bytes))
#define CLADE_ARRAYLIST_FREE(kma, ref)     give_block((kma), (ref))
#include "clade/arraylist.clh"
#undef min
#undef max

enum { CAPACITY = 13, SEGMENTS = 4, WORDS = 3, SHIFT = 1 };
struct content {
    uint count;
};
#define BESIDE_WATCH
#define REFUSED 0xffffffffu
#include "edges/beside.h"

/* A key is how many come. */
enum { APPEND, TAKE, SIZE };

static struct {
    union {
        clade_kma_head head;
        char room[(sizeof(clade_kma_head) + 15) / 16 * 16];
    } kma;
    clade_arraylist_head list;
    uint blocks, taken, far; /* blocks that there are; one whose ref is MAKING comes next */
} memory;

static bool begin_far;        /* this run began with such a one */
static uint asks, steps_left; /* for blocks; until who makes a segment gives up, or 0 */

/* The block of a segment is known by its size, but for the first two. */
static uint take_block(void *kma, ulong bytes)
{
    (void)kma;
    asks++;
    const ulong elements = memory.taken < 2 ? 1u << SHIFT : 1u << (SHIFT + memory.taken - 1u);
    expect(bytes == elements * WORDS * 4u || memory.taken >= memory.blocks, "a segment's size",
           memory.taken, (uint)bytes);
    if (memory.far == 1) {
        memory.far = 2;
        return CLADE_ARRAYLIST_MAKING;
    }
    return memory.taken < memory.blocks ? 1000u + memory.taken++ : CLADE_NIL;
}

static void give_block(void *kma, uint ref)
{
    (void)kma;
    expect(ref == CLADE_ARRAYLIST_MAKING && memory.far == 2, "a block given back", ref, memory.far);
    memory.far = 0;
}

static struct result do_op(struct op op)
{
    struct result got = { 0, 77 };
    if (op.kind == APPEND)
        got.status = clade_arraylist_append_wi(&memory.list, &memory.kma.head, &got.value);
    else if (op.kind == TAKE)
        got.status = cladei_arraylist_take_wi(&memory.list, &memory.kma.head, op.key, &got.value);
    else
        got.value = clade_arraylist_size_wi(&memory.list);
    expect(got.status == CLADE_OK || got.value == REFUSED, "an index of who got none", op.kind,
           got.value);
    return got;
}

/* The segment of an index. */
static uint segment_of(uint index)
{
    uint segment = 0;
    while (segment + 1 < SEGMENTS && index >= clade_arraylist_first(SHIFT, segment + 1))
        segment++;
    return segment;
}

/* Whoever was given a block that has no name was refused. */
static bool on_model(struct content *it, struct op op, uint which, struct result *want)
{
    const bool fits =
        op.key <= CAPACITY - it->count && segment_of(it->count + op.key - 1u) < memory.blocks;
    *want = (struct result) { CLADE_OK, it->count };
    if (op.kind == SIZE)
        return which == 0;
    if (fits && which == 0)
        it->count += op.key;
    else
        *want = (struct result) { CLADE_E_FULL, REFUSED };
    return which == 0 || (which == 1 && fits && memory.far == 0 && begin_far);
}

/* Segments are there up to the last element's, and no block is anywhere else. */
static bool holds(const struct content *it)
{
    uint there = 0;
    for (uint i = 0; i < CLADE_ARRAYLIST_SEGMENTS; i++) {
        const uint ref = memory.list.segments[i];
        expect(ref == CLADE_NIL || ref == 1000u + i, "a segment's block", i, ref);
        there += ref != CLADE_NIL;
    }
    expect(there == memory.taken && memory.far != 2, "blocks", there, memory.taken);
    expect(calls[0].got.status != CLADE_E_BUSY, "busy, though others were few", calls[0].op.kind,
           call_count);
    return memory.list.size == it->count &&
           (it->count == 0 || memory.list.segments[segment_of(it->count - 1u)] != CLADE_NIL);
}

static void make(uint count, uint blocks, uint is_far)
{
    const struct content content = { count };
    memset(&memory, 0, sizeof memory);
    memory.kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
    memory.list.object.shape = CLADE_ARRAYLIST_SHAPE;
    memory.list.words = WORDS;
    memory.list.shift = SHIFT;
    memory.list.capacity = CAPACITY;
    memory.blocks = SEGMENTS;
    begin_far = false;
    for (uint i = 0; i < count; i++)
        expect(do_op((struct op) { APPEND, 1, 0, 0 }).value == i, "an index", i, 0);
    memory.blocks = blocks > memory.taken ? blocks : memory.taken;
    memory.far = is_far;
    begin_far = is_far != 0;
    begin_with(&memory, sizeof memory, &content);
}

static void watch(void)
{
    if (steps_left > 0 && --steps_left == 0)
        memory.list.segments[1] = CLADE_NIL;
}

static void begin_watch(struct op op)
{
    (void)op;
}

static void end_watch(struct op op, struct result got)
{
    (void)op, (void)got;
}

/* Another one is making the second segment, and gives up at some step of an append. Who met it is
 * refused without asking for a block; who did not asks. */
static void makers_give_up(void)
{
    uint refused = 0;
    for (uint at = 1; at < 10; at++) {
        make(1u << SHIFT, SEGMENTS, 0);
        memory.list.segments[1] = CLADE_ARRAYLIST_MAKING;
        asks = 0;
        steps_left = at;
        const int status = do_op((struct op) { APPEND, 1, 0, 0 }).status;
        expect(refused == 0 ? status == CLADE_OK || status == CLADE_E_FULL : status == CLADE_E_FULL,
               "beside a maker that gives up", at, (uint)status);
        expect(asks == (status == CLADE_OK), "asked for a block", at, asks);
        refused += status == CLADE_E_FULL;
    }
    expect(refused > 5, "refused by a maker", refused, 0);
    steps_left = 0;
}

static const struct op ops[] = {
    { APPEND, 1, 0, 0 }, { TAKE, 3, 0, 0 }, { TAKE, 7, 0, 0 }, { SIZE, 0, 0, 0 }
};
enum { OPS = sizeof ops / sizeof *ops, OTHERS = OPS - 1 };

int main(void)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    plan_none();
    makers_give_up();
    for (uint count = 0; count <= CAPACITY; count++)
        for (uint blocks = 0; blocks <= SEGMENTS; blocks++)
            for (uint is_far = 0; is_far < 2; is_far++) {
                make(count, blocks, is_far);
                for (uint i = 0; i < OPS; i++)
                    for (uint others = 1; others <= 2; others++)
                        for (uint row = 0; row < (others == 1 ? OTHERS : OTHERS * OTHERS); row++) {
                            plan[0][0] = (struct visit) {
                                0, others, { ops[row % OTHERS], ops[row / OTHERS] }
                            };
                            meet(ops[i], count << 8 | blocks);
                        }
            }
    expect(undisturbed < runs && undisturbed > runs / 2, "how often nobody gave up", undisturbed,
           runs);
    printf("array list beside others: %u runs, in %u nobody gave up, %u wrong\n", runs, undisturbed,
           wrong);
    return wrong != 0;
}
