/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap's kernels by groups of as many sub-groups as have a path in local memory, on lanes, a
 * heap each in turns, or a group a heap: every status, value and size against a model of each heap.
 * -DKEEP=1: k-sets, fed by whichever way costs less (kernels/adheap_select.cl), with values of
 * their own or with numbers; which way it was, and what each group selected. With a HOST bridge a
 * heap whose log waits is refused. */
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
    ROUNDS = KEEP ? 30 : 12,
    LIMIT = 3, /* of a feed: how many keys may sink */
    NUMBERS = 4096
};
enum { STRIDE = (CLADE_ADHEAP_ROOT + CAPACITY + 63) / 64 * 64 };

static struct {
    clade_adheap_head head;
    uint words[CLADE_ADHEAP_HEAD_WORDS + 2 * HEAPS * STRIDE];
} * memory;
static struct {
    uint before[4]; /* arrays of the host's begin anywhere in their buffers */
    uint sizes[HEAPS], nodes[HEAPS * MOST];
    int statuses[HEAPS * MOST];
    uint each, flag, sorted, first_value;
    uint before_scratch[GROUPS * 2 * CAPACITY], scratch[GROUPS * 2 * CAPACITY];
} job;
static uint *job_keys, *job_values; /* `each` of every heap, and no word more */
#if KEEP
static uint fed[ROUNDS][HEAPS][MOST]; /* by a value that is a number: the key */
#endif
static uint model[HEAPS][CAPACITY + MOST], count[HEAPS]; /* keys, in order */

enum { CLEAR, INSERT, POP, UPDATE, FEED, BUILD, MERGE, SIZES, SIFT, PICK };
static uint kernel_now_;

/* Each sub-group has a path of its own in its group's. */
static void check_path(void)
{
    static uint paths[CLADE_ADHEAP_GROUP_PATH_WORDS];
    expect(clade_adheap_path_wi(paths) == &paths[clade_sg_index() * CLADE_ADHEAP_PATH_WORDS],
           "a path", clade_sg_index(), 0);
}

static void call(void *argument, void *local)
{
    clade_adheap_head *object = &memory->head;
    (void)argument;
    (void)local;
    check_path();
    switch (kernel_now_) {
#if !KEEP
    case SIZES:
        clade_adheap_sizes(object, job.sizes - 1, 1);
        break;
    case CLEAR:
        clade_adheap_clear(object);
        break;
    case INSERT:
        clade_adheap_insert(object, job_keys - 2, 2, job_values - 3, 3, job.statuses - 1, 1,
                            job.each);
        break;
    case POP:
        clade_adheap_pop(object, job_keys - 2, 2, job_values - 3, 3, job.statuses - 1, 1, job.each,
                         job.flag);
        break;
    case UPDATE:
        clade_adheap_update(object, job.nodes - 1, 1, job_keys - 2, 2, job_values - 3, 3,
                            job.statuses - 1, 1, job.each);
        break;
    case FEED:
        clade_adheap_feed(object, job_keys - 2, 2, job_values - 3, 3, job.each, job.flag,
                          job.first_value, job.sorted);
        break;
    case BUILD:
        clade_adheap_build(object, job_keys - 2, 2, job_values - 3, 3, job.each);
        break;
    case MERGE:
        clade_adheap_merge(object, job_keys - 2, 2, job_values - 3, 3, job.statuses - 1, 1,
                           job.each);
        break;
#else
    case SIFT:
        clade_adheap_sift(object, job_keys - 2, 2, job_values - 3, 3, job.each, job.flag,
                          job.first_value, job.sorted, LIMIT);
        break;
    case PICK:
        clade_adheap_pick(object, job_keys - 2, 2, job_values - 3, 3, job.each, job.flag,
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

/* A value says its key. */
static uint value_of(uint key)
{
    return key ^ 0xabcd0000u;
}

/* Or it is a number, which says the feed and the key's place in it. */
static bool is_value(uint heap, uint key, uint value)
{
#if KEEP
    const uint round = value / NUMBERS - 1u, at = value % NUMBERS;
    if (round < ROUNDS)
        return at < MOST && fed[round][heap][at] == key;
#endif
    (void)heap;
    return value == value_of(key);
}

static int by_key(const void *a, const void *b)
{
    const uint x = *(const uint *)a, y = *(const uint *)b;
    return x < y ? -1 : x > y;
}

static void draw_keys(uint each)
{
    job.each = each;
    free(job_keys);
    free(job_values);
    job_keys = malloc(HEAPS * each * sizeof *job_keys);
    job_values = malloc(HEAPS * each * sizeof *job_values);
    if (!job_keys || !job_values)
        exit(1);
    for (uint i = 0; i < HEAPS * each; i++) {
        job_keys[i] = draw(8) == 0 ? 0xffffffffu : draw(draw(2) ? 50u : 100000u);
        job_values[i] = value_of(job_keys[i]);
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
            expect(is_value(heap, keys[i], h.values[i]), "a value", heap, i);
        }
        for (uint i = CAPACITY; i < STRIDE - CLADE_ADHEAP_ROOT; i++)
            expect(h.words[i] == 0x77777777u && h.values[i] == 0x77777777u, "behind a heap", heap,
                   i);
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
                put(heap, job_keys[heap * each + i]);
        }
    check("after inserts");
}

static void pop(uint each, uint peek)
{
    draw_keys(each);
    memset(job_keys, 0x5a, HEAPS * each * sizeof *job_keys);
    job.flag = peek;
    launch(POP);
    for (uint heap = 0; heap < HEAPS; heap++)
        for (uint i = 0; i < each; i++) {
            const uint at = heap * each + i, is_there = count[heap] > 0;
            expect(job.statuses[at] == (is_there ? CLADE_OK : CLADE_E_NOT_FOUND), "pop", heap, i);
            expect(job_keys[at] == (is_there ? model[heap][0] : 0x5a5a5a5au), "a key", heap, i);
            expect(!is_there || job_values[at] == value_of(job_keys[at]), "its value", heap, i);
            if (is_there && !peek)
                memmove(model[heap], model[heap] + 1, --count[heap] * sizeof(uint));
        }
    check("after pops");
}

/* Of three nodes of a heap one gets another key, if it is inside; those outside are refused. */
static void update(void)
{
    enum { EACH = 3 };
    uint changed[HEAPS];
    draw_keys(EACH);
    for (uint heap = 0; heap < HEAPS; heap++) {
        shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
        const clade_adheap_one h = clade_adheap_open_wi(&memory->head, heap, NULL);
        uint at = 0;
        for (uint i = 0; i < EACH; i++)
            job.nodes[heap * EACH + i] = CAPACITY + draw(3);
        changed[heap] = heap * EACH + draw(EACH);
        const uint node = job.nodes[changed[heap]] = draw(CAPACITY);
        if (node >= count[heap])
            continue;
        const uint old = clade_adheap_decode_wi(h.words[node]);
        while (model[heap][at] != old)
            at++;
        model[heap][at] = job_keys[changed[heap]];
        qsort(model[heap], count[heap], sizeof(uint), by_key);
    }
    launch(UPDATE);
    for (uint i = 0; i < HEAPS * EACH; i++)
        expect(job.statuses[i] == (job.nodes[i] < count[i / EACH] ? CLADE_OK : CLADE_E_NOT_FOUND),
               "update", i, (uint)job.statuses[i]);
    check("after updates");
}

/* Keys in any order: what has room, then each that is greater than the root in its place. */
static void feed(uint each)
{
    draw_keys(each);
    job.flag = 1;
    job.first_value = 7;
    job.sorted = 0;
    launch(FEED);
    for (uint heap = 0; heap < HEAPS; heap++)
        for (uint i = 0; i < each; i++) {
            const uint key = job_keys[heap * each + i];
            if (count[heap] < CAPACITY) {
                put(heap, key);
            } else if (key > model[heap][0]) {
                model[heap][0] = key;
                qsort(model[heap], count[heap], sizeof(uint), by_key);
            }
        }
    check("after a feed");
}

static uint walks_in(uint heap)
{
    return ((uint *)&memory->head)[CLADE_ADHEAP_HEAD_WORDS + heap * STRIDE + CLADE_ADHEAP_WALKS];
}

static void build_and_merge(uint built, uint more)
{
    uint walks[HEAPS];
    draw_keys(built);
    for (uint heap = 0; heap < HEAPS; heap++)
        walks[heap] = walks_in(heap) + (built > 1 ? (built - 2) / CLADE_ADHEAP_ARITY + 1 : 0);
    launch(BUILD);
    for (uint heap = 0; heap < HEAPS; heap++) {
        expect(!CLADE_ADHEAP_COUNT || walks_in(heap) == walks[heap], "a walk for each parent", heap,
               walks_in(heap));
        count[heap] = 0;
        for (uint i = 0; i < built; i++)
            put(heap, job_keys[heap * built + i]);
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
                put(heap, job_keys[heap * more + i]);
        }
    check("merged");
}

#else
static clade_adheap_one heap_at(uint heap)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    return clade_adheap_open_wi(&memory->head, heap, NULL);
}

/* Whether more keys may sink than should: of a full heap those before its last one, else all. */
static bool is_picked(uint heap, uint each)
{
    uint many = 0;
    for (uint i = 0; i < each; i++)
        many += count[heap] < CAPACITY || job_keys[heap * each + i] < model[heap][CAPACITY - 1];
    return many > LIMIT;
}

/* Each group's own part of the scratch holds what it selected last; nobody wrote before it. */
static void check_scratch(void)
{
    for (uint i = 0; i < sizeof job.before_scratch / sizeof(uint); i++)
        expect(job.before_scratch[i] == 0x5a5a5a5au, "before the scratch", i, 0);
    for (uint group = 0; group < GROUPS; group++) {
        const uint *part = job.scratch + 2 * CAPACITY * group;
        uint last = HEAPS, size = 0, sum = 0;
        for (uint heap = group; heap < HEAPS; heap += GROUPS)
            last = heap_at(heap).head[CLADE_ADHEAP_PICK] != 0 ? heap : last;
        if (last < HEAPS) {
            const clade_adheap_one h = heap_at(last);
            size = clade_adheap_size_wi(&h);
            for (uint i = 0; i < size; i++)
                sum += ~part[i] - h.words[i];
        }
        expect(sum == 0, "the scratch", group, sum);
        for (uint i = size; i < CAPACITY; i++)
            expect(last < HEAPS || part[i] == 0x5a5a5a5au, "a group that selects nothing", group,
                   i);
    }
}

/* The first keys of what is there and what is fed: few sink, many are selected. */
static void feed(uint round, uint each, uint sorted)
{
    bool picked[HEAPS];
    const uint cut = BRIDGE == 5 && round % 4u == 3u ? round % HEAPS : HEAPS;
    draw_keys(each);
    job.flag = draw(2);
    job.first_value = job.flag ? 0 : NUMBERS * (round + 1u);
    job.sorted = sorted;
    for (uint heap = 0; heap < HEAPS; heap++) {
        if (sorted)
            qsort(job_keys + heap * each, each, sizeof(uint), by_key);
        for (uint i = 0; i < each; i++)
            fed[round][heap][i] = job_keys[heap * each + i];
        picked[heap] = heap != cut && is_picked(heap, each);
    }
    for (uint i = 0; i < HEAPS * each; i++)
        job_values[i] = job.flag ? value_of(job_keys[i]) : 0;
    memset(job.before_scratch, 0x5a, sizeof job.before_scratch);
    memset(job.scratch, 0x5a, sizeof job.scratch);
    memory->head.object.first_error = 0;
    memory->head.object.first_error_item = HEAPS;
    if (cut < HEAPS)
        heap_at(cut).head[CLADE_ADHEAP_CUT] = 1;
    launch(SIFT);
    launch(PICK);
    for (uint heap = 0; heap < HEAPS; heap++) {
        expect((heap_at(heap).head[CLADE_ADHEAP_PICK] != 0) == picked[heap], "which way", heap,
               each);
        for (uint i = 0; i < each && heap != cut; i++)
            put(heap, job_keys[heap * each + i]);
        count[heap] = count[heap] < CAPACITY ? count[heap] : CAPACITY;
    }
    expect(memory->head.object.first_error == (cut < HEAPS ? (uint)CLADE_E_BUSY : 0) &&
               memory->head.object.first_error_item == cut,
           "the heap that was refused", cut, memory->head.object.first_error);
    if (cut < HEAPS)
        heap_at(cut).head[CLADE_ADHEAP_CUT] = 0;
    check("fed");
    check_scratch();
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
        feed(round, 1 + draw(round < 8 || round % 3u == 0 ? 8 : MOST), draw(2));
#else
        insert(round < 2 ? 1 : 1 + draw(18));
        pop(1 + draw(3), 1);
        pop(1 + draw(14), 0);
        update();
        if (round % 4u == 2u)
            feed(1 + draw(MOST));
        if (round % 4u == 3u)
            build_and_merge(1 + draw(CAPACITY), 1 + draw(20));
#endif
    }
    free(memory);
    free(job_keys);
    free(job_values);
    printf("the ad-heap by groups: %u wrong\n", wrong);
    return wrong != 0;
}
