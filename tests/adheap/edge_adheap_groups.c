/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap's kernels by groups of as many sub-groups as have a path in local memory, on lanes, a
 * heap each in turns, or a group a heap: every status, value and size against a model of each heap.
 * -DKEEP=1: k-sets, fed by whichever way costs less (kernels/adheap_select.cl). */
#include "host/device.h"

#include "harness/end_after.h"

#ifndef KEEP
#define KEEP 0
#endif
#define CLADE_ADHEAP_ARITY       8
#define CLADE_ADHEAP_KEY         CLADE_U32
#define CLADE_ADHEAP_BRIDGE_MODE BRIDGE
#define CLADE_ADHEAP_VALUES      1
#define CLADE_ADHEAP_KEEP        KEEP
#define CLADE_KSELECT_GROUP      GROUP
#define CLADE_KSELECT_ITEMS      2
#define CLADE_KSELECT_DIGIT      4
#define CLADE_KSELECT_RANKED     5
#undef __kernel
#define __kernel static __attribute__((unused))
#if KEEP /* each includes the template */
#include "kernels/adheap_select.cl"
#else
#include "kernels/adheap.cl"
#endif
#undef min
#undef max

#include "edges/edge.h"

enum {
    HEAPS = 2 * GROUP / LANES + 3,
    CAPACITY = 37,
    MOST = 60,
    GROUPS = 2,
    ROUNDS = KEEP ? 30 : 12
};
enum { STRIDE = (CLADE_ADHEAP_ROOT + CAPACITY + 63) / 64 * 64 };

static struct {
    clade_adheap_head head;
    uint words[CLADE_ADHEAP_HEAD_WORDS + 2 * HEAPS * STRIDE];
} * memory;
static struct {
    uint before[4]; /* arrays of the host's begin anywhere in their buffers */
    uint keys[HEAPS * MOST], values[HEAPS * MOST], sizes[HEAPS], nodes[HEAPS * MOST];
    int statuses[HEAPS * MOST];
    uint each, flag, sorted, first_value;
    uint scratch[GROUPS * 2 * CAPACITY];
} job;
static uint model[HEAPS][CAPACITY + MOST], count[HEAPS]; /* keys, in order */

enum { CLEAR, INSERT, POP, UPDATE, BUILD, MERGE, SIZES, SIFT, PICK };
static uint kernel_now_;

static void call(void *argument, void *local)
{
    clade_adheap_head *object = &memory->head;
    (void)argument;
    (void)local;
    switch (kernel_now_) {
#if !KEEP
    case SIZES:
        clade_adheap_sizes(object, job.sizes - 1, 1);
        break;
    case CLEAR:
        clade_adheap_clear(object);
        break;
    case INSERT:
        clade_adheap_insert(object, job.keys - 2, 2, job.values - 3, 3, job.statuses - 1, 1,
                            job.each);
        break;
    case POP:
        clade_adheap_pop(object, job.keys - 2, 2, job.values - 3, 3, job.statuses - 1, 1, job.each,
                         job.flag);
        break;
    case UPDATE:
        clade_adheap_update(object, job.nodes - 1, 1, job.keys - 2, 2, job.values - 3, 3,
                            job.statuses - 1, 1, job.each);
        break;
    case BUILD:
        clade_adheap_build(object, job.keys - 2, 2, job.values - 3, 3, job.each);
        break;
    case MERGE:
        clade_adheap_merge(object, job.keys - 2, 2, job.values - 3, 3, job.statuses - 1, 1,
                           job.each);
        break;
#else
    case SIFT:
        clade_adheap_sift(object, job.keys - 2, 2, job.values - 3, 3, job.each, job.flag,
                          job.first_value, job.sorted, 3);
        break;
    case PICK:
        clade_adheap_pick(object, job.keys - 2, 2, job.values - 3, 3, job.each, job.flag,
                          job.first_value, job.scratch);
        break;
#endif
    }
}

static void launch(uint kernel)
{
    kernel_now_ = kernel;
    shim_launch(call, NULL, GROUPS, GROUP, 1);
}

/* A value says its key, unless the device made it. */
static uint value_of(uint key)
{
    return key ^ 0xabcd0000u;
}

static int by_key(const void *a, const void *b)
{
    const uint x = *(const uint *)a, y = *(const uint *)b;
    return x < y ? -1 : x > y;
}

static void draw_keys(uint each)
{
    job.each = each;
    for (uint i = 0; i < HEAPS * each; i++) {
        job.keys[i] = draw(draw(2) ? 50u : 100000u);
        job.values[i] = value_of(job.keys[i]);
        job.statuses[i] = 99;
    }
}

static void put(uint heap, uint key)
{
    model[heap][count[heap]++] = key;
    qsort(model[heap], count[heap], sizeof(uint), by_key);
}

/* Heap order, the model's keys, and their values. */
static void check(const char *what)
{
    if (!KEEP)
        launch(SIZES);
    for (uint heap = 0; heap < HEAPS; heap++) {
        shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
        const clade_adheap_one h = clade_adheap_open_wi(&memory->head, heap, NULL);
        const uint size = KEEP ? clade_adheap_size_wi(&h) : job.sizes[heap];
        uint keys[CAPACITY] = { 0 };
        expect(size == count[heap], what, heap, size);
        for (uint i = 0; i < size && i < CAPACITY; i++) {
            keys[i] = clade_adheap_decode_wi(h.words[i]);
            expect(i == 0 || h.words[(i - 1) / 8] <= h.words[i], "order", heap, i);
            expect(h.values[i] == value_of(keys[i]), "a value", heap, i);
        }
        qsort(keys, size < CAPACITY ? size : CAPACITY, sizeof *keys, by_key);
        expect(size > CAPACITY || memcmp(keys, model[heap], size * sizeof *keys) == 0, what, heap,
               size);
    }
}

#if !KEEP
static void insert(uint each)
{
    draw_keys(each);
    launch(INSERT);
    for (uint heap = 0; heap < HEAPS; heap++)
        for (uint i = 0; i < each; i++) {
            const bool fits = count[heap] < CAPACITY;
            expect(job.statuses[heap * each + i] == (fits ? CLADE_OK : CLADE_E_FULL), "insert",
                   heap, i);
            if (fits)
                put(heap, job.keys[heap * each + i]);
        }
    check("after inserts");
}

static void pop(uint each, uint peek)
{
    draw_keys(each);
    memset(job.keys, 0x5a, sizeof job.keys);
    job.flag = peek;
    launch(POP);
    for (uint heap = 0; heap < HEAPS; heap++)
        for (uint i = 0; i < each; i++) {
            const uint at = heap * each + i, is_there = count[heap] > 0;
            expect(job.statuses[at] == (is_there ? CLADE_OK : CLADE_E_NOT_FOUND), "pop", heap, i);
            expect(job.keys[at] == (is_there ? model[heap][0] : 0x5a5a5a5au), "a key", heap, i);
            expect(!is_there || job.values[at] == value_of(job.keys[at]), "its value", heap, i);
            if (is_there && !peek)
                memmove(model[heap], model[heap] + 1, --count[heap] * sizeof(uint));
        }
    check("after pops");
}

/* Nodes inside get other keys, or those outside are refused; one a heap, so that a node is known.
 */
static void update(void)
{
    draw_keys(1);
    for (uint heap = 0; heap < HEAPS; heap++)
        job.nodes[heap] = draw(CAPACITY);
    for (uint heap = 0; heap < HEAPS; heap++) {
        shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
        const clade_adheap_one h = clade_adheap_open_wi(&memory->head, heap, NULL);
        const uint node = job.nodes[heap], old = clade_adheap_decode_wi(h.words[node]);
        uint at = 0;
        if (node >= count[heap])
            continue;
        while (model[heap][at] != old)
            at++;
        model[heap][at] = job.keys[heap];
        qsort(model[heap], count[heap], sizeof(uint), by_key);
    }
    launch(UPDATE);
    for (uint heap = 0; heap < HEAPS; heap++)
        expect((job.statuses[heap] == CLADE_OK) == (job.nodes[heap] < count[heap]), "update", heap,
               (uint)job.statuses[heap]);
    check("after updates");
}

static void build_and_merge(uint built, uint more)
{
    draw_keys(built);
    launch(BUILD);
    for (uint heap = 0; heap < HEAPS; heap++) {
        count[heap] = 0;
        for (uint i = 0; i < built; i++)
            put(heap, job.keys[heap * built + i]);
    }
    check("built");
    draw_keys(more);
    launch(MERGE);
    for (uint heap = 0; heap < HEAPS; heap++)
        for (uint i = 0; i < more; i++) {
            const bool fits = count[heap] < CAPACITY;
            expect(job.statuses[heap * more + i] == (fits ? CLADE_OK : CLADE_E_FULL), "merge", heap,
                   i);
            if (fits)
                put(heap, job.keys[heap * more + i]);
        }
    check("merged");
}

#else
/* The first keys of what is there and what is fed: few sink, many are selected. */
static void feed(uint each, uint sorted)
{
    draw_keys(each);
    job.flag = 1;
    job.sorted = sorted;
    for (uint heap = 0; sorted && heap < HEAPS; heap++)
        qsort(job.keys + heap * each, each, sizeof(uint), by_key);
    for (uint i = 0; i < HEAPS * each; i++)
        job.values[i] = value_of(job.keys[i]);
    launch(SIFT);
    launch(PICK);
    for (uint heap = 0; heap < HEAPS; heap++) {
        for (uint i = 0; i < each; i++)
            put(heap, job.keys[heap * each + i]);
        count[heap] = count[heap] < CAPACITY ? count[heap] : CAPACITY;
    }
    check("fed");
}
#endif

static void make_heaps(void)
{
    memory = calloc(1, sizeof *memory);
    if (!memory)
        exit(1);
    memset(memory, 0x77, sizeof *memory);
    memset(&memory->head, 0, sizeof memory->head);
    memory->head.heaps = HEAPS;
    memory->head.arity = 8;
    memory->head.capacity = CAPACITY;
    memory->head.stride = STRIDE;
    memory->head.values = 1;
    memory->head.object.shape = CLADE_ADHEAP_OWN_SHAPE;
#if KEEP
    for (uint heap = 0; heap < HEAPS; heap++)
        memset(clade_adheap_open_wi(&memory->head, heap, NULL).head, 0,
               CLADE_ADHEAP_ROOT * sizeof(uint));
#else
    launch(CLEAR);
#endif
    check("cleared");
}

int main(void)
{
    end_after(100);
    random_state = shim_seed();
    make_heaps();
    for (uint round = 0; round < ROUNDS; round++) {
#if KEEP
        feed(round % 3u ? 1 + draw(MOST) : 1 + draw(3), draw(2));
#else
        insert(round < 2 ? 1 : 1 + draw(18));
        pop(1 + draw(3), 1);
        pop(1 + draw(14), 0);
        update();
        if (round % 4u == 3u)
            build_and_merge(1 + draw(CAPACITY), 1 + draw(20));
#endif
    }
    free(memory);
    printf("the ad-heap by groups: %u wrong\n", wrong);
    return wrong != 0;
}
