/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap's kernels with a HOST bridge, an item a group: builds and merges where some heaps are
 * full and some were cut in the middle of a call, or (-DRESIDENT=1) the kernel that stays, whose
 * groups have a slot each, with keys of 64 bits. */
#include "host/device.h"

#include "harness/end_after.h"

#define CLADE_ADHEAP_ARITY 8
#ifdef RESIDENT
#define CLADE_ADHEAP_KEY CLADE_U64
#else
#define CLADE_ADHEAP_KEY CLADE_U32
#endif
#define CLADE_ADHEAP_BRIDGE_MODE 5
#define CLADE_ADHEAP_VALUES      1
/* Groups of one item: local memory is the thread's. */
#undef __kernel
#define __kernel static
#ifdef RESIDENT /* each includes the template */
#include "clade/atomic.clh"
static clade_u32 look(clade_global_word word);
#define clade_load_relaxed_host(word) look(word)
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
typedef clade_adheap_word key;
static key keys[HEAPS * CAPACITY];
static uint values[HEAPS * CAPACITY];

/* A key for each number, in the same order. A wide one has bits in both of its words. */
static key key_of(uint number)
{
    return CLADE_ADHEAP_WIDE ? (key)((ulong)number << 31 | number) : number;
}

static uint value_of(key key_)
{
    return (uint)key_ ^ 0xabcd0000u;
}

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
        keys[i] = key_of((i * 7919u + 5u) % 1000u);
        values[i] = value_of(keys[i]);
    }
}

/* Size, order, and the sum of what was put in. */
static void check_heap(uint heap, uint size, key sum)
{
    const clade_adheap_one h = heap_at(heap);
    key found = 0;
    expect(h.head[CLADE_ADHEAP_SIZE] == size, "size", heap, h.head[CLADE_ADHEAP_SIZE]);
    for (uint i = 0; i < size; i++) {
        expect(i == 0 || h.words[(i - 1) / 8] <= h.words[i], "order", heap, i);
        expect(h.values[i] == value_of(clade_adheap_decode_wi(h.words[i])), "a value", heap, i);
        found += clade_adheap_decode_wi(h.words[i]);
    }
    expect(found == sum, "keys", heap, (uint)found);
}

static key sum_of(uint from, uint count)
{
    key sum = 0;
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
    const key x = *(const key *)a, y = *(const key *)b;
    return x < y ? -1 : x > y;
}

static void build_and_merge(uint groups)
{
    key sums[HEAPS];
    uint sizes[HEAPS];
    make_heaps();
    for (uint built = 1; built <= BUILT; built += BUILT - 1u) { /* without a walk, and with some */
        for (uint heap = 0; heap < HEAPS; heap++) {
            heap_at(heap).head[CLADE_ADHEAP_CUT] = 1;
            heap_at(heap).head[CLADE_ADHEAP_BRIDGE] = 3;
        }
        FOR_GROUPS(groups, clade_adheap_build(&memory.head, keys, 0, values, 0, built));
        for (uint heap = 0; heap < HEAPS; heap++) {
            check_heap(heap, built, sums[heap] = sum_of(heap * built, built));
            expect(heap_at(heap).head[CLADE_ADHEAP_CUT] == 0 &&
                       heap_at(heap).head[CLADE_ADHEAP_BRIDGE] == 0,
                   "built anew", heap, 0);
        }
    }
    heap_at(CUT).head[CLADE_ADHEAP_CUT] = 1;
    for (uint heap = 0; heap < HEAPS; heap++)
        qsort(keys + heap * MORE, MORE, sizeof *keys, by_key);
    for (uint i = 0; i < HEAPS * MORE; i++) {
        values[i] = value_of(keys[i]);
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
static key key_in(const uint *slot)
{
    return (key)((ulong)slot[CLADE_ADHEAP_SLOT_KEY + 1] << 32 | slot[CLADE_ADHEAP_SLOT_KEY]);
}

/* Looks at the door since a launch. At the one with this number the host calls; or, with
 * `takes_back`, it has called, and takes the call back before the kernel can begin. */
static uint looks, call_at, takes_back;

static clade_u32 look(clade_global_word word)
{
    uint *const door = memory.slots[SLOTS - 1] + CLADE_ADHEAP_SLOT_DOOR;
    if (word != (clade_global_word)door)
        return (clade_load_relaxed_host)(word);
    looks++;
    if (call_at != 0 && looks == call_at) {
        if (takes_back)
            return CLADE_ADHEAP_CALLED;
        *door = CLADE_ADHEAP_CALLED;
    } else if (call_at != 0 && looks == call_at + 1u && !takes_back) {
        expect(*door == CLADE_ADHEAP_ANSWERED, "the door after an answer", looks, *door);
        *door = CLADE_ADHEAP_READY;
    }
    return (clade_load_relaxed_host)(word);
}

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
            key least = keys[BUILT];
            for (uint i = 0; i < BUILT; i++)
                least = keys[BUILT + i] < least ? keys[BUILT + i] : least;
            expect(slot[CLADE_ADHEAP_SLOT_STATUS] == CLADE_OK && key_in(slot) == least &&
                       slot[CLADE_ADHEAP_SLOT_VALUE] == value_of(least),
                   "the answer", slot[CLADE_ADHEAP_SLOT_KEY], (uint)least);
            expect(slot[CLADE_ADHEAP_SLOT_ALONE] == 1, "nobody came to write the log back", 0, 0);
            check_heap(1, BUILT - 1, sum_of(BUILT, BUILT) - least);
        }
    }
}

/* The kernel goes after so many looks in vain, which begin anew after a call; and where a call that
 * was taken back is what the last of them sees. */
static void wait_for_calls(void)
{
    uint *const slot = memory.slots[SLOTS - 1];
    make_heaps();
    slot[CLADE_ADHEAP_SLOT_WHAT] = CLADE_ADHEAP_CALL_PEEK;
    for (takes_back = 0; takes_back < 2; takes_back++)
        for (call_at = 0; call_at <= PATIENCE; call_at++) {
            const uint from = takes_back && call_at < PATIENCE ? 0 : call_at;
            slot[CLADE_ADHEAP_SLOT_DOOR] = CLADE_ADHEAP_READY;
            looks = 0;
            as_group(SLOTS - 1, SLOTS);
            clade_adheap_resident(&memory.head);
            expect(looks == from + PATIENCE, "looks of a kernel that nobody calls", call_at, looks);
            expect(slot[CLADE_ADHEAP_SLOT_DOOR] == CLADE_ADHEAP_GONE, "the door in the end",
                   call_at, slot[CLADE_ADHEAP_SLOT_DOOR]);
        }
    call_at = takes_back = 0;
}

/* The last group's kernel answers one call and goes. */
static uint *answer_call(uint heap, uint what, uint node, uint number)
{
    uint *const slot = memory.slots[SLOTS - 1];
    slot[CLADE_ADHEAP_SLOT_ALONE] = 1;
    slot[CLADE_ADHEAP_SLOT_WHERE] = heap;
    slot[CLADE_ADHEAP_SLOT_WHAT] = what;
    slot[CLADE_ADHEAP_SLOT_NODE] = node;
    slot[CLADE_ADHEAP_SLOT_KEY] = (uint)key_of(number);
    slot[CLADE_ADHEAP_SLOT_KEY + 1] = (uint)((ulong)key_of(number) >> 32);
    slot[CLADE_ADHEAP_SLOT_VALUE] = value_of(key_of(number));
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
    check_heap(HEAP, 2, key_of(FIRST) + key_of(LESS));
    slot = answer_call(HEAP, CLADE_ADHEAP_CALL_UPDATE, 1, LEAST);
    expect(slot[CLADE_ADHEAP_SLOT_STATUS] == CLADE_OK, "an update", slot[CLADE_ADHEAP_SLOT_STATUS],
           0);
    check_heap(HEAP, 2, key_of(LESS) + key_of(LEAST));
    slot = answer_call(HEAP, CLADE_ADHEAP_CALL_PEEK, 0, GIVEN);
    expect(slot[CLADE_ADHEAP_SLOT_STATUS] == CLADE_OK && key_in(slot) == key_of(LEAST) &&
               slot[CLADE_ADHEAP_SLOT_VALUE] == value_of(key_of(LEAST)),
           "what a peek tells", slot[CLADE_ADHEAP_SLOT_KEY], LEAST);
    check_heap(HEAP, 2, key_of(LESS) + key_of(LEAST));
}

#endif

int main(void)
{
    end_after(60);
#ifdef RESIDENT
    stay();
    other_calls();
    wait_for_calls();
#else
    for (uint groups = 1; groups <= HEAPS + 1; groups++)
        build_and_merge(groups);
#endif
    printf("the ad-heap's kernels: %u wrong\n", wrong);
    return wrong != 0;
}
