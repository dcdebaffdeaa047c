/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap's kernels with a HOST bridge, an item a group: builds and merges where some heaps are
 * full and some were cut in the middle of a call, or (-DRESIDENT=1) the kernel that stays, whose
 * groups have a slot each. */
#include "host/device.h"

#include "harness/end_after.h"

#define CLADE_ADHEAP_ARITY       8
#define CLADE_ADHEAP_KEY         CLADE_U32
#define CLADE_ADHEAP_BRIDGE_MODE 5
#define CLADE_ADHEAP_VALUES      1
/* Groups of one item: local memory is the thread's. */
#undef __kernel
#define __kernel static
#ifdef RESIDENT /* each includes the template */
#include "kernels/adheap_resident.cl"
#else
#include "kernels/adheap.cl"
#endif
#undef min
#undef max

#include "edges/edge.h"

enum { HEAPS = 4, CAPACITY = 20, BUILT = 13, MORE = 10, SLOTS = 3, PATIENCE = 40, CUT = 2 };

static struct {
    union {
        clade_adheap_head head;
        uint words[2048];
    };
    uint slots[SLOTS][CLADE_ADHEAP_SLOT_WORDS];
} memory;
static uint keys[HEAPS * CAPACITY], values[HEAPS * CAPACITY];

static void as_group(uint group, uint groups)
{
    shim_self = (struct shim_item) {
        .local_size = 1, .global_id = group, .group_id = group, .groups = groups
    };
}

static clade_adheap_one heap_at(uint heap)
{
    as_group(0, 1);
    return clade_adheap_open_wi(&memory.head, heap, NULL);
}

static void make_heaps(void)
{
    const uint stride = (CLADE_ADHEAP_ROOT + CAPACITY + 63) / 64 * 64;
    memset(&memory, 0, sizeof memory);
    memory.head =
        (clade_adheap_head) { .heaps = HEAPS,
                              .arity = 8,
                              .capacity = CAPACITY,
                              .stride = stride,
                              .values = 1,
                              .calls = (uint)(sizeof memory.words / 4 / CLADE_ADHEAP_WIDTH),
                              .slots = SLOTS,
                              .patience = PATIENCE };
    memory.head.object.shape = CLADE_ADHEAP_OWN_SHAPE;
    for (uint i = 0; i < HEAPS * CAPACITY; i++) {
        keys[i] = (i * 7919u + 5u) % 1000u;
        values[i] = keys[i] ^ 0xabcd0000u;
    }
}

/* Size, order, and the sum of what was put in. */
static void check_heap(uint heap, uint size, uint sum)
{
    const clade_adheap_one h = heap_at(heap);
    uint found = 0;
    expect(h.head[CLADE_ADHEAP_SIZE] == size, "size", heap, h.head[CLADE_ADHEAP_SIZE]);
    for (uint i = 0; i < size; i++) {
        expect(i == 0 || h.words[(i - 1) / 8] <= h.words[i], "order", heap, i);
        expect(h.values[i] == (clade_adheap_decode_wi(h.words[i]) ^ 0xabcd0000u), "a value", heap,
               i);
        found += clade_adheap_decode_wi(h.words[i]);
    }
    expect(found == sum, "keys", heap, found);
}

static uint sum_of(uint from, uint count)
{
    uint sum = 0;
    for (uint i = 0; i < count; i++)
        sum += keys[from + i];
    return sum;
}

#ifndef RESIDENT
static int statuses[HEAPS * MORE];

#define FOR_GROUPS(groups, call)                 \
    do {                                         \
        for (uint g_ = 0; g_ < (groups); g_++) { \
            as_group(g_, (groups));              \
            call;                                \
        }                                        \
    } while (0)

static int by_key(const void *a, const void *b)
{
    const uint x = *(const uint *)a, y = *(const uint *)b;
    return x < y ? -1 : x > y;
}

static void build_and_merge(uint groups)
{
    uint sums[HEAPS], sizes[HEAPS];
    make_heaps();
    for (uint heap = 0; heap < HEAPS; heap++) {
        heap_at(heap).head[CLADE_ADHEAP_CUT] = 1;
        heap_at(heap).head[CLADE_ADHEAP_BRIDGE] = 3;
    }
    FOR_GROUPS(groups, clade_adheap_build(&memory.head, keys, 0, values, 0, BUILT));
    for (uint heap = 0; heap < HEAPS; heap++) {
        check_heap(heap, BUILT, sums[heap] = sum_of(heap * BUILT, BUILT));
        expect(heap_at(heap).head[CLADE_ADHEAP_CUT] == 0 &&
                   heap_at(heap).head[CLADE_ADHEAP_BRIDGE] == 0,
               "built anew", heap, 0);
    }
    heap_at(CUT).head[CLADE_ADHEAP_CUT] = 1;
    for (uint heap = 0; heap < HEAPS; heap++)
        qsort(keys + heap * MORE, MORE, sizeof *keys, by_key);
    for (uint i = 0; i < HEAPS * MORE; i++) {
        values[i] = keys[i] ^ 0xabcd0000u;
        statuses[i] = 99;
    }
    FOR_GROUPS(groups, clade_adheap_merge(&memory.head, keys, 0, values, 0, statuses, 0, MORE));
    for (uint heap = 0; heap < HEAPS; heap++) {
        const uint fit = heap == CUT ? 0 : CAPACITY - BUILT;
        for (uint i = 0; i < MORE; i++)
            expect(statuses[heap * MORE + i] == (heap == CUT ? CLADE_E_BUSY
                                                 : i < fit   ? CLADE_OK
                                                             : CLADE_E_FULL),
                   "a key's status", heap, i);
        check_heap(heap, BUILT + fit, sums[heap] + sum_of(heap * MORE, fit));
    }
    expect(memory.head.object.first_error != 0 && memory.head.object.first_error_item == CUT,
           "the heap that was refused", memory.head.object.first_error,
           memory.head.object.first_error_item);
    for (uint heap = 0; heap < HEAPS; heap++)
        heap_at(heap).head[CLADE_ADHEAP_CUT] = heap > 0;
    memory.head.object.first_error = 0;
    as_group(CUT, HEAPS); /* its own turn alone */
    clade_adheap_pop(&memory.head, keys, 0, values, 0, statuses, 0, 1, 0);
    expect(statuses[CUT] == CLADE_E_BUSY && memory.head.object.first_error == (uint)CLADE_E_BUSY &&
               memory.head.object.first_error_item == CUT,
           "a pop that is refused", memory.head.object.first_error,
           memory.head.object.first_error_item);
    FOR_GROUPS(groups, clade_adheap_sizes(&memory.head, sizes, 0));
    for (uint heap = 0; heap < HEAPS; heap++)
        expect(sizes[heap] == (heap == CUT ? BUILT : CAPACITY), "the size that is told", heap,
               sizes[heap]);
}

#else
/* The last group's kernel answers a call, is told to stop or goes by itself; the others' slots
 * stay. */
static void stay(void)
{
    make_heaps();
    const clade_adheap_one h = heap_at(1);
    for (uint i = 0; i < BUILT; i++)
        clade_adheap_insert_sg(&h, keys[BUILT + i], values[BUILT + i]);
    for (uint way = 0; way < 3; way++) {
        uint *const slot = memory.slots[SLOTS - 1];
        for (uint i = 0; i < SLOTS; i++)
            memory.slots[i][CLADE_ADHEAP_SLOT_DOOR] = CLADE_ADHEAP_GONE;
        slot[CLADE_ADHEAP_SLOT_ALONE] = 0;
        slot[CLADE_ADHEAP_SLOT_DOOR] = way == 0   ? CLADE_ADHEAP_STOP
                                       : way == 1 ? CLADE_ADHEAP_READY
                                                  : CLADE_ADHEAP_CALLED;
        slot[CLADE_ADHEAP_SLOT_WHERE] = 1;
        slot[CLADE_ADHEAP_SLOT_WHAT] = CLADE_ADHEAP_CALL_POP;
        as_group(SLOTS - 1, SLOTS);
        clade_adheap_resident(&memory.head);
        expect(slot[CLADE_ADHEAP_SLOT_DOOR] == (way == 2 ? CLADE_ADHEAP_LEFT : CLADE_ADHEAP_GONE),
               "the door", way, slot[CLADE_ADHEAP_SLOT_DOOR]);
        for (uint i = 0; i + 1u < SLOTS; i++)
            expect(memory.slots[i][CLADE_ADHEAP_SLOT_DOOR] == CLADE_ADHEAP_GONE &&
                       memory.slots[i][CLADE_ADHEAP_SLOT_STATE] == CLADE_ADHEAP_IDLE,
                   "another group's slot", way, i);
        if (way == 2) {
            uint least = keys[BUILT];
            for (uint i = 0; i < BUILT; i++)
                least = keys[BUILT + i] < least ? keys[BUILT + i] : least;
            expect(slot[CLADE_ADHEAP_SLOT_STATUS] == CLADE_OK &&
                       slot[CLADE_ADHEAP_SLOT_KEY] == least &&
                       slot[CLADE_ADHEAP_SLOT_VALUE] == (least ^ 0xabcd0000u),
                   "the answer", slot[CLADE_ADHEAP_SLOT_KEY], least);
            expect(slot[CLADE_ADHEAP_SLOT_ALONE] == 1, "nobody came to write the log back", 0, 0);
            check_heap(1, BUILT - 1, sum_of(BUILT, BUILT) - least);
        }
    }
}

/* The last group's kernel answers one call and goes. */
static uint *answer_call(uint heap, uint what, uint node, uint key)
{
    uint *const slot = memory.slots[SLOTS - 1];
    slot[CLADE_ADHEAP_SLOT_ALONE] = 1;
    slot[CLADE_ADHEAP_SLOT_WHERE] = heap;
    slot[CLADE_ADHEAP_SLOT_WHAT] = what;
    slot[CLADE_ADHEAP_SLOT_NODE] = node;
    slot[CLADE_ADHEAP_SLOT_KEY] = key;
    slot[CLADE_ADHEAP_SLOT_VALUE] = key ^ 0xabcd0000u;
    slot[CLADE_ADHEAP_SLOT_STATUS] = 99;
    slot[CLADE_ADHEAP_SLOT_DOOR] = CLADE_ADHEAP_CALLED;
    as_group(SLOTS - 1, SLOTS);
    clade_adheap_resident(&memory.head);
    expect(slot[CLADE_ADHEAP_SLOT_DOOR] == CLADE_ADHEAP_LEFT, "the door after a call", what,
           slot[CLADE_ADHEAP_SLOT_DOOR]);
    return slot;
}

/* Each kind of call but a pop, on a heap that is empty at first. */
static void other_calls(void)
{
    enum { HEAP = 2, FIRST = 500, LESS = 300, LEAST = 100, GIVEN = 7 };
    make_heaps();
    const uint *slot = answer_call(HEAP, CLADE_ADHEAP_CALL_PEEK, 0, GIVEN);
    expect(slot[CLADE_ADHEAP_SLOT_STATUS] == (uint)CLADE_E_NOT_FOUND, "a peek at an empty heap",
           slot[CLADE_ADHEAP_SLOT_STATUS], 0);
    slot = answer_call(HEAP, CLADE_ADHEAP_CALL_UPDATE, 0, GIVEN);
    expect(slot[CLADE_ADHEAP_SLOT_STATUS] == (uint)CLADE_E_NOT_FOUND, "an update of no node",
           slot[CLADE_ADHEAP_SLOT_STATUS], 0);
    check_heap(HEAP, 0, 0);
    static const uint inserted[] = { FIRST, LESS };
    for (uint i = 0; i < 2; i++) {
        slot = answer_call(HEAP, CLADE_ADHEAP_CALL_INSERT, 0, inserted[i]);
        expect(slot[CLADE_ADHEAP_SLOT_STATUS] == CLADE_OK, "an insert", i,
               slot[CLADE_ADHEAP_SLOT_STATUS]);
    }
    check_heap(HEAP, 2, FIRST + LESS);
    slot = answer_call(HEAP, CLADE_ADHEAP_CALL_UPDATE, 1, LEAST);
    expect(slot[CLADE_ADHEAP_SLOT_STATUS] == CLADE_OK, "an update", slot[CLADE_ADHEAP_SLOT_STATUS],
           0);
    check_heap(HEAP, 2, LESS + LEAST);
    slot = answer_call(HEAP, CLADE_ADHEAP_CALL_PEEK, 0, GIVEN);
    expect(slot[CLADE_ADHEAP_SLOT_STATUS] == CLADE_OK && slot[CLADE_ADHEAP_SLOT_KEY] == LEAST &&
               slot[CLADE_ADHEAP_SLOT_VALUE] == (LEAST ^ 0xabcd0000u),
           "what a peek tells", slot[CLADE_ADHEAP_SLOT_KEY], LEAST);
    check_heap(HEAP, 2, LESS + LEAST);
}

#endif

int main(void)
{
    end_after(60);
#ifdef RESIDENT
    stay();
    other_calls();
#else
    for (uint groups = 1; groups <= HEAPS + 1; groups++)
        build_and_merge(groups);
#endif
    printf("the ad-heap's kernels: %u wrong\n", wrong);
    return wrong != 0;
}
