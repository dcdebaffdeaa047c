/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels behind the heap's calls over arrays by groups of one item and of several (-DGROUP=),
 * on lanes, launched as the host does, for each engine (-DENGINE=). A model knows what is inside:
 * after each call every key that came out is the next one, with its value, all counters are the
 * model's, and the heap holds what it must. Counts lie around a batch. A call that is refused at
 * its begin, by a NaN, by a full heap or by a lock that does not come back leaves the heap as it
 * was, and says so. Arrays are of exactly the size that is used. -DSTEP=1: one kernel in place of
 * all, as on a CPU. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KEY
#define KEY CLADE_U32
#endif
#ifndef VALUE
#define VALUE CLADE_U32
#endif
#ifndef ORDER
#define ORDER CLADE_MIN
#endif
#define CLADE_HEAP_KEY_TYPE   KEY
#define CLADE_HEAP_VALUE_TYPE VALUE
#define CLADE_HEAP_ORDER      ORDER
#define CLADE_HEAP_ENGINE     ENGINE
#define CLADE_LOCAL_BYTES     32768
#define CLADE_HEAP_LEAF       256
#ifndef SIZE
#define SIZE 8
#endif
#define CLADE_HEAP_BATCH SIZE
#ifdef STEP
#define CLADE_HEAP_PART 4
#endif
#undef __kernel
#define __kernel static
#include "kernels/heap.cl"
#undef min
#undef max

#include "edges/edge.h"
#if ENGINE == 3
#include "heap/front/host_front.h"
#endif

enum {
    BATCH = SIZE,
    LEAF = 256,
    CAPACITY = ENGINE == 3 ? 3000 : 500,
    NODES = (CAPACITY - 1) / BATCH + 1,
    GROUPS = 3,
    FIRST = 3,  /* where keys begin; values one before */
    LEAST = 41, /* popped before the first call, high word included */
    GUARD = 0x5a5a5a5a,
    MOST = 60000,
    HAS_VALUES = VALUE != CLADE_NONE,
    KEY_BYTES = sizeof(clade_heap_image),
    VALUE_BYTES = sizeof(clade_heap_stored)
};

static uint *heap;
static struct job {
    clade_heap_image *keys;
    clade_heap_stored *values;
    ulong got[2], count;
    uint is_pop, step, heaps;
} job;

/* What is inside: keys in order, and of each number's key where it is. */
static clade_heap_image inside[MOST], key_by_number[MOST];
static uint size, numbers; /* of those that came since the heap was made */
static uchar is_inside[MOST];
static uint inserts, pops, refused;

static clade_heap_head *head(void)
{
    return (clade_heap_head *)heap;
}

static void *room(size_t bytes)
{
    void *memory = malloc(bytes + (bytes == 0));
    if (!memory)
        exit(1);
    memset(memory, 0x5a, bytes);
    return memory;
}

/* A value is as wide as it may be: its number in its low and, turned, in its high bits. */
static clade_heap_stored value_of(uint number)
{
    return (clade_heap_stored)((ulong)~number << 32 | number);
}

static int before(clade_heap_image a, clade_heap_image b)
{
    if (KEY == CLADE_F32)
        return ORDER == CLADE_MIN ? as_float((uint)a) < as_float((uint)b)
                                  : as_float((uint)a) > as_float((uint)b);
    return ORDER == CLADE_MIN ? a < b : a > b;
}

static int compare(const void *a, const void *b)
{
    const clade_heap_image x = *(const clade_heap_image *)a, y = *(const clade_heap_image *)b;
    return before(y, x) - before(x, y);
}

/* --- launches --------------------------------------------------------------------------------- */

#ifdef STEP
static void step(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_step(heap, job.keys, FIRST, job.values, FIRST - 1, job.count, job.got, 1, job.step);
}

static void launch_step(uint what, size_t groups)
{
    job.step = what | (job.is_pop ? CLADE_HEAP_STEP_POP : 0u);
    shim_launch(step, NULL, groups, GROUP, 1);
}

static void launch_begin(void)
{
    launch_step(CLADE_HEAP_STEP_OPEN, 1);
}

static void launch_end(void)
{
    launch_step(CLADE_HEAP_STEP_CLOSE, 1);
}

static void launch_work(size_t groups)
{
    launch_step(CLADE_HEAP_STEP_WORK, groups);
}
#else
static void begin(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_begin(heap, job.is_pop ? 0 : job.count);
}

static void end(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_end(heap, job.got, 1, job.is_pop);
}

static void work(void *argument, void *local)
{
    (void)argument;
    (void)local;
    if (job.is_pop)
        clade_heap_pop(heap, job.keys, FIRST, job.values, FIRST - 1, job.count);
    else
        clade_heap_insert(heap, job.keys, FIRST, job.values, FIRST - 1, job.count);
}

static void scan(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_scan(heap, job.keys, FIRST, job.count);
}

static void launch_begin(void)
{
    shim_launch(begin, NULL, 1, 1, 1);
}

static void launch_end(void)
{
    shim_launch(end, NULL, 1, 1, 1);
}

static void launch_work(size_t groups)
{
    if (!job.is_pop && KEY == CLADE_F32)
        shim_launch(scan, NULL, 2, GROUP, 1);
    shim_launch(work, NULL, groups, GROUP, 1);
}
#endif

/* As the host launches a call; 64 launches at most where groups take few batches in each. */
static void launch_call(void)
{
    const ulong batches = job.count / BATCH + 1;
    const size_t groups = batches < GROUPS ? (size_t)batches : GROUPS;
    launch_begin();
    for (ulong left = batches, done = 0; job.count > 0 && left > 0; left -= done) {
        launch_work(groups);
        done = CLADE_HEAP_ROUNDS < left ? groups * CLADE_HEAP_ROUNDS : left;
        done = done < left ? done : left;
    }
    launch_end();
}

/* One group after the other takes batches of a call, until none is left or, of a pop, one gets
 * fewer than it asked for: how many batches that makes, and how often a group asked for one. */
static uint batches_of(uint count, uint there, bool is_pop, uint *asked)
{
    const ulong all = count / BATCH + 1;
    const ulong groups = all < GROUPS ? all : GROUPS;
    uint batches = 0;
    *asked = 0;
    for (ulong left = all, done = 0; count > 0 && left > 0; left -= done) {
        for (ulong group = 0; group < groups; group++) {
            bool goes = true;
            for (uint round = 0; round < CLADE_HEAP_ROUNDS && goes; round++) {
                const uint at = (*asked)++ * BATCH, n = at < count ? count - at : 0;
                const uint wanted = n < BATCH ? n : BATCH, got = wanted < there ? wanted : there;
                batches += wanted > 0;
                goes = at < count && (!is_pop || got == wanted);
                there -= is_pop ? got : 0;
            }
        }
        done = CLADE_HEAP_ROUNDS < left ? groups * CLADE_HEAP_ROUNDS : left;
        done = done < left ? done : left;
    }
    return batches;
}

/* --- a heap ----------------------------------------------------------------------------------- */

static size_t bytes_of_content(void)
{
#if ENGINE == 3
    return host_front_bytes(CAPACITY, LEAF);
#else
    return CLADE_HEAP_VALUES_AT(NODES, BATCH, KEY_BYTES) +
           (HAS_VALUES ? CLADE_HEAP_SLOTS_BYTES(NODES, BATCH, VALUE_BYTES) : 0);
#endif
}

static void empty(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_empty(heap, job.heaps);
}

static void make(void)
{
#if ENGINE == 3
    host_front_key_type = KEY;
    host_front_value_type = VALUE;
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    head()->capacity[0] = CAPACITY;
#else
    const size_t bytes = bytes_of_content();
    heap = room(bytes);
    memset(heap, 0, sizeof(clade_heap_head));
    head()->nodes = NODES;
    head()->capacity[0] = CAPACITY;
    head()->object.shape = CLADE_HEAP_SHAPE(KEY, VALUE, ORDER, ENGINE, BATCH, 0);
    memset((char *)heap + offsetof(clade_heap_head, lock), 0x77,
           CLADE_HEAP_NODES_AT - offsetof(clade_heap_head, lock));
    job.heaps = 1;
    head()->object.first_error = head()->object.first_error_item = 9;
    shim_launch(empty, NULL, 2, GROUP, 1);
    expect(head()->object.first_error == 0 && head()->object.first_error_item == 0,
           "an empty heap knows an error", 0, 0);
    /* As after a long life: a count whose low word is about to wrap. */
    head()->popped[0] = head()->inserted[0] = 0u - LEAST;
    head()->popped[1] = head()->inserted[1] = 6;
#endif
    size = numbers = inserts = pops = refused = 0;
    memset(is_inside, 0, sizeof is_inside);
}

/* The invariants of clade_heap_check(), of a heap at rest. */
static void check_heap(const char *when)
{
#if ENGINE == 3
    const char *broken = host_front_check(heap, CAPACITY, LEAF, size);
    expect(!broken, broken ? broken : "", size, 0);
    expect(head()->inserts[0] == inserts && head()->pops[0] == pops &&
               head()->refused[0] == refused,
           when, head()->inserts[0] << 16 | head()->pops[0], inserts << 16 | pops);
#else
    const clade_heap_node *nodes = (const void *)((const char *)heap + CLADE_HEAP_NODES_AT);
    const clade_heap_image *images = (const void *)((const char *)heap + CLADE_HEAP_KEYS_AT(NODES));
    const uint count = head()->count;
    expect(head()->lock == CLADE_HEAP_FREE && head()->repair == 0, when, head()->lock, 0);
    expect(cladei_heap_size(count, head()->root, head()->buffer, BATCH) == size, "the size",
           head()->count, size);
    expect(head()->buffer < BATCH && count <= NODES, "the buffer", head()->buffer, count);
    expect(head()->inserts[0] == inserts && head()->pops[0] == pops &&
               head()->refused[0] == refused,
           "what was counted", head()->inserts[0] << 16 | head()->pops[0], inserts << 16 | pops);
    expect((uint)(head()->inserted[0] - head()->popped[0]) == size &&
               head()->popped[1] == 6u + (head()->popped[0] < 0u - LEAST),
           "what came and went", head()->inserted[0], head()->popped[0]);
    expect(head()->retries[0] == 0 && head()->cooperations[0] == 0, "tries of somebody alone",
           head()->retries[0], 0);
    for (uint node = 1; node <= NODES; node++) {
        const clade_heap_image *keys = images + node * BATCH;
        const uint from = node == 1 ? BATCH - head()->root : 0;
        expect(nodes[node].state == (node <= count ? CLADE_HEAP_AVAIL : CLADE_HEAP_EMPTY),
               "a node's state", node, nodes[node].state);
        if (node > count)
            continue;
        for (uint i = from + 1; i < BATCH; i++)
            expect(keys[i - 1] <= keys[i], "keys of a node", node, i);
        expect(((ulong)nodes[node].last[1] << 32 | nodes[node].last[0]) == keys[BATCH - 1],
               "a node's last key", node, 0);
        if (node > 1)
            expect(images[cladei_heap_parent(node) * BATCH + BATCH - 1] <= keys[0],
                   "a node before its parent", node, 0);
    }
    for (uint i = 1; i < head()->buffer; i++)
        expect(images[i - 1] <= images[i], "keys of the buffer", i, 0);
#endif
}

/* --- calls ------------------------------------------------------------------------------------ */

static void give_room(uint count)
{
    job.count = count;
    job.keys = room((FIRST + count) * KEY_BYTES);
    job.values = room((FIRST - 1 + (HAS_VALUES ? count : 0)) * VALUE_BYTES);
    job.got[0] = job.got[1] = 77;
}

static void take_room(void)
{
    expect((uint)job.keys[FIRST - 1] == GUARD && (uint)job.values[FIRST - 2] == GUARD,
           "before the array", (uint)job.count, 0);
    expect(job.got[0] == 77, "before the count", 0, 0);
    free(job.keys);
    free(job.values);
}

static clade_heap_image key_of(uint kind, uint i)
{
    const uint x = (i + 1u) * 2654435761u ^ (i >> 4) * 0x85ebca6bu;
    const uint key = kind == 0 ? x : kind == 1 ? 77u : kind == 2 ? x >> 27 : kind == 3 ? ~i : i;
    if (KEY_BYTES == 8) /* what differs is in the low word, in the high one, or in both */
        return (clade_heap_image)((ulong)key << (8 * (i % 5)));
    return KEY == CLADE_F32 ? as_uint((float)(int)(key >> 4) - 1e8f) : key;
}

static void insert(uint kind, uint count)
{
    give_room(count);
    job.is_pop = 0;
    const uint words = (uint)(head()->object.first_error != 0);
    for (uint i = 0; i < count; i++) {
        const clade_heap_image key = key_of(kind, numbers);
        job.keys[FIRST + i] = key;
        if (HAS_VALUES)
            job.values[FIRST - 1 + i] = value_of(numbers);
        key_by_number[numbers] = key;
        is_inside[numbers++] = 1;
        inside[size++] = key;
    }
    uint asked;
    inserts += batches_of(count, 0, false, &asked);
    qsort(inside, size, sizeof *inside, compare);
    launch_call();
    expect(head()->verdict == CLADE_OK && head()->nan == CLADE_HEAP_NO_NAN &&
               (head()->object.first_error != 0) == words,
           "an insert", head()->verdict, count);
    expect(head()->ticket == asked, "batches that were asked for", head()->ticket, asked);
    expect(job.got[1] == 77, "an insert says what it got", count, 0);
    take_room();
    check_heap("after an insert");
}

static void pop(uint count)
{
    const uint n = count < size ? count : size, told = head()->object.first_error;
    give_room(count);
    job.is_pop = 1;
    uint asked;
    pops += batches_of(count, size, true, &asked);
    launch_call();
    expect(head()->ticket == asked, "batches that a pop asked for", head()->ticket, asked);
    expect(job.got[1] == n && head()->verdict == CLADE_OK && head()->object.first_error == told,
           "a pop got", (uint)job.got[1], n);
    for (uint i = 0; i < n; i++) {
        expect(job.keys[FIRST + i] == inside[i], "a key", i, (uint)job.keys[FIRST + i]);
        const uint value = HAS_VALUES ? (uint)job.values[FIRST - 1 + i] : 0;
        if (HAS_VALUES) {
            expect(job.values[FIRST - 1 + i] == value_of(value) && value < numbers &&
                       is_inside[value] && key_by_number[value] == inside[i],
                   "a value", i, value);
            is_inside[value < numbers ? value : 0] = 0;
        }
    }
    for (uint i = n; i < count; i++)
        expect((uint)job.keys[FIRST + i] == GUARD, "written behind what it got", i, n);
    size -= n;
    memmove(inside, inside + n, size * sizeof *inside);
    take_room();
    check_heap("after a pop");
}

static void in_and_out(uint kind)
{
    static const uint counts[] = { 0, 1, BATCH - 1, BATCH, BATCH + 1, 3 * BATCH, 5 * BATCH + 3 };
    for (uint i = 0; i < 7; i++)
        for (uint j = 0; j < 7; j++) {
            insert(kind, counts[i]);
            if (size + counts[6] > CAPACITY || draw(3) == 0)
                pop(size > 40 ? size - draw(40) : size);
            pop(counts[j]);
        }
    if (size > 1)
        pop(size - 1);
    pop(size);
    pop(1);
    insert(kind, 1);
    pop(5);
}

/* Exactly what fits, in one call and in two. */
static void to_the_brim(void)
{
    insert(0, CAPACITY - 1);
    insert(0, 1);
    pop(3);
    insert(0, 3);
    pop(CAPACITY);
}

/* --- what is refused -------------------------------------------------------------------------- */

/* The call says `status` and the number of the first that could not be done; nothing else is other
 * than before. */
static void refuse(const char *what, uint is_pop, uint count, clade_i32 status, uint item,
                   uint spoil)
{
    const size_t bytes = bytes_of_content();
    char *as_was = room(bytes);
    give_room(count);
    job.is_pop = is_pop;
    for (uint i = 0; i < count; i++)
        job.keys[FIRST + i] = i == spoil || i == spoil + 2 ? 0xffc00000u : key_of(0, i);
    if (spoil < count)
        job.keys[FIRST + spoil] = 0x7f800001u;
    head()->object.first_error = head()->object.first_error_item = 0;
    memcpy(as_was, heap, bytes);
    launch_call();
    refused += !is_pop;
    expect((clade_i32)head()->object.first_error == status &&
               head()->object.first_error_item == item,
           what, head()->object.first_error, head()->object.first_error_item);
    expect(head()->refused[0] == refused, "refusals that are counted", head()->refused[0], refused);
    expect((spoil < count || (clade_i32)head()->verdict == status) &&
               head()->nan == (spoil < count ? spoil : CLADE_HEAP_NO_NAN),
           "the verdict", head()->verdict, head()->nan);
    expect(job.got[1] == (is_pop ? 0 : 77), "a refused call got", (uint)job.got[1], is_pop);
#if ENGINE != 3
    expect(memcmp(as_was + CLADE_HEAP_NODES_AT, (char *)heap + CLADE_HEAP_NODES_AT,
                  bytes - CLADE_HEAP_NODES_AT) == 0,
           "a refused call changed the heap", is_pop, count);
#endif
    for (uint i = 0; i < count && is_pop; i++)
        expect(job.keys[FIRST + i] == (i == spoil || i == spoil + 2 ? 0xffc00000u : key_of(0, i)),
               "a refused call wrote a key", i, 0);
    head()->object.first_error = 0;
    free(as_was);
    take_room();
}

static void refusals(void)
{
    insert(0, CAPACITY - 5);
    refuse("more than fits", 0, 6, CLADE_E_FULL, 0, 999);
    refuse("far more than fits", 0, 5 * BATCH, CLADE_E_FULL, 0, 999);
    insert(0, 4);
    pop(3 * BATCH); /* some of the batches would fit */
    refuse("of several batches the last does not fit", 0, 3 * BATCH + 2, CLADE_E_FULL, 0, 999);
    head()->repair = CLADE_HEAP_REPAIR_WALK;
    refuse("an insert while a repair is due", 0, 1, CLADE_E_BUSY, 0, 999);
    refuse("a pop while a repair is due", 1, BATCH + 1, CLADE_E_BUSY, 0, 999);
    head()->repair = 0;
    pop(2);
#if !defined(STEP)
    if (KEY == CLADE_F32) {
        pop(40);
        refuse("a NaN", 0, 5, CLADE_E_ARG, 3, 3);
        refuse("the first is a NaN", 0, 3 * BATCH + 1, CLADE_E_ARG, 0, 0);
        refuse("the last is a NaN", 0, 4 * GROUP + 1, CLADE_E_ARG, 4 * GROUP, 4 * GROUP);
    }
#endif
    check_heap("after refusals");
    pop(CAPACITY);
}

/* A heap of another shape: the call says so, and changes nothing. Its items do not meet inside of
 * an operation then. */
static void foreign(void)
{
    give_room(3 * BATCH);
    job.is_pop = 0;
    memset(job.keys + FIRST, 0, 3ul * BATCH * KEY_BYTES);
    head()->object.shape++;
    head()->object.first_error = head()->object.first_error_item = 0;
    launch_begin();
    launch_work(2);
    expect((clade_i32)head()->verdict == CLADE_E_ARG && head()->ticket == 1 &&
               (clade_i32)head()->object.first_error == CLADE_E_ARG &&
               head()->object.first_error_item == 0,
           "a heap of another shape", head()->verdict, head()->ticket);
    head()->object.shape--;
    head()->object.first_error = 0;
    take_room();
    insert(0, 3);
    pop(3);
}

#if ENGINE != 3
/* A lock that does not come back: so many tries, and the call ends without a change. */
static void held(uint is_pop)
{
    insert(0, 9);
    const uint tries = head()->retries[0];
    head()->lock = CLADE_HEAP_HELD;
    give_room(2 * BATCH);
    job.is_pop = is_pop;
    memset(job.keys + FIRST, 0, 2 * BATCH * sizeof(uint));
    launch_call();
    expect((clade_i32)head()->verdict == CLADE_E_BUSY &&
               (clade_i32)head()->object.first_error == CLADE_E_BUSY &&
               head()->object.first_error_item == 0,
           "a lock is held", head()->verdict, head()->object.first_error_item);
    expect(head()->retries[0] - tries == CLADE_HEAP_TRIES * CLADE_SPIN_LIMIT, "tries",
           head()->retries[0] - tries, CLADE_HEAP_TRIES * CLADE_SPIN_LIMIT);
    expect(head()->ticket == 1, "batches of a call that gives up", head()->ticket, 1);
    head()->lock = CLADE_HEAP_FREE;
    head()->retries[0] = tries;
    head()->refused[0] = refused; /* each try counts as one */
    head()->object.first_error = 0;
    take_room();
    check_heap("after a lock");
    pop(9);
}

/* Of many heaps: each is empty, with the first one's constants, and nothing is written behind the
 * last. */
static void many(uint heaps)
{
    const size_t stride = CLADE_HEAP_STRIDE(NODES, BATCH, KEY_BYTES, HAS_VALUES ? VALUE_BYTES : 0);
    const size_t changing = offsetof(clade_heap_head, lock);
    uint *const kept = heap;
    heap = room(heaps * stride);
    memcpy(heap, kept, changing);
    job.heaps = heaps;
    head()->object.first_error = head()->object.first_error_item = 3;
    head()->object.shape = CLADE_HEAP_SHAPE(KEY, VALUE, ORDER, ENGINE, BATCH, 0);
    shim_launch(empty, NULL, 2, GROUP, 1);
    for (uint h = 0; h < heaps; h++) {
        const char *at = (const char *)heap + h * stride;
        uint written = 0;
        expect(memcmp(at, kept, changing) == 0, "the constants of a heap", h, heaps);
        for (size_t i = changing; i < CLADE_HEAP_NODES_AT + (NODES + 1) * sizeof(clade_heap_node);
             i++)
            written += at[i] != 0;
        expect(written == 0, "an empty heap has something", h, written);
        written = 0;
        for (size_t i = CLADE_HEAP_NODES_AT + (NODES + 1) * sizeof(clade_heap_node); i < stride;
             i++)
            written += at[i] != 0x5a;
        expect(written == 0, "written behind the nodes", h, written);
    }
    free(heap);
    heap = kept;
}
#endif

#if ENGINE == 3
static void first(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_first(heap);
}

/* The first key, without a change. */
static void look(void)
{
    uint was[4] = { head()->inserted[0], head()->popped[0], head()->pops[0], head()->inserts[0] };
    head()->found = 9;
    head()->first_key[0] = head()->first_key[1] = head()->first_value[1] = 9;
    shim_launch(first, NULL, 1, GROUP, 1);
    expect(head()->found == (size > 0), "the first key is found", head()->found, size);
    const ulong key = (ulong)head()->first_key[1] << 32 | head()->first_key[0];
    const ulong value = (ulong)head()->first_value[1] << 32 | head()->first_value[0];
    expect(key == (size > 0 ? inside[0] : 0), "the first key", head()->first_key[0], size);
    if (size > 0 && HAS_VALUES)
        expect(value == value_of((uint)value) && is_inside[(uint)value % MOST] &&
                   key_by_number[(uint)value % MOST] == inside[0],
               "the first value", head()->first_value[0], 0);
    else
        expect(value == 0, "a value of nothing", head()->first_value[0], 0);
    expect(was[0] == head()->inserted[0] && was[1] == head()->popped[0] &&
               was[2] == head()->pops[0] && was[3] == head()->inserts[0],
           "a look counts", 0, 0);
    check_heap("after a look");
}

static void looks(void)
{
    look();
    insert(0, 5);
    look();
    insert(0, 900);
    for (uint i = 0; i < 9; i++) {
        pop(i == 3 ? 260 : 20 + i);
        look();
        insert(i % 5, 3);
        look();
    }
    pop(size);
    look();
}

/* Leaves are divided, and chains of one key grow; what comes out is some of many leaves. */
static void grows_and_shrinks(uint kind)
{
    while (size + 700 < CAPACITY)
        insert(kind, 300 + draw(400));
    while (size > 900) {
        pop(draw(300));
        insert(kind, draw(120));
        look();
    }
    insert(4, 30);
    pop(CAPACITY);
}
#endif

int main(void)
{
    setbuf(stdout, NULL); /* what was wrong before a fault */
    random_state = shim_seed();
    make();
    for (uint kind = 0; kind < 5; kind++)
        in_and_out(kind);
    to_the_brim();
    refusals();
    foreign();
#if ENGINE != 3
    held(0);
    held(1);
    many(1);
    many(2);
    many(6);
#else
    looks();
    for (uint kind = 0; kind < 5; kind++)
        grows_and_shrinks(kind);
#endif
    free(heap);
    printf("heap's kernels, engine %d: %u wrong\n", ENGINE, wrong);
    return wrong != 0;
}
