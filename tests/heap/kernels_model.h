/* SPDX-License-Identifier: Apache-2.0 */
/* A heap on lanes beside its model: what is inside, what was counted, and inserts and pops after
 * which both agree. */
#pragma once

#include "heap/kernels_launch.h"

/* What is inside: keys in order, and of each number's key where it is. */
static clade_heap_image inside[MOST], key_by_number[MOST];
static uint size, numbers; /* of those that came since the heap was made */
static uchar is_inside[MOST];
static uint inserts, pops, refused;

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

AS_KERNEL(empty, clade_heap_empty(heap, job.heaps, job.parts))

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
    job.heaps = job.parts = 1;
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
    expect((head()->root == 0) == (count == 0) && head()->root <= BATCH, "keys of the root",
           head()->root, count);
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

/* Batches whose last key alone comes after a key of the batch before, its first; then one of equal
 * keys that come between those of each of the two. */
enum { LAST_BETWEEN = 5, ZEROS = 6 };
static clade_heap_image key_between(uint i)
{
    const uint at = i % BATCH, which = i / BATCH % 3;
    const uint key = which == 0        ? (at == 0 ? 100u : 1000u + at)
                     : which == 2      ? 50u
                     : at == BATCH - 1 ? 150u
                                       : at;
    const uint from_least = ORDER == CLADE_MIN ? key : 5000u - key;
    return KEY == CLADE_F32 ? as_uint((float)from_least) : from_least;
}

/* Eight of the least keys and others; then a batch that begins with the second least one. */
static clade_heap_image key_after_zeros(uint i)
{
    const uint at = i % BATCH;
    return i / BATCH & 1u ? (at == 0 ? 1u : 100u + at) : at < 8 ? 0u : 200u + at;
}

static clade_heap_image key_of(uint kind, uint i)
{
    if (kind == LAST_BETWEEN)
        return key_between(i);
    if (kind == ZEROS)
        return key_after_zeros(i);
    const uint x = (i + 1u) * 2654435761u ^ (i >> 4) * 0x85ebca6bu;
    const uint key = kind == 0 ? x : kind == 1 ? 77u : kind == 2 ? x >> 27 : kind == 3 ? ~i : i;
    if (KEY_BYTES == 8) /* what differs is in the low word, in the high one, or in both */
        return (clade_heap_image)((ulong)key << (8 * ((kind == 0 ? i / BATCH : i) % 5)));
    return KEY == CLADE_F32 ? as_uint((float)(int)(key >> 4) - 1e8f) : key;
}

static void insert(uint kind, uint count)
{
    give_room(count);
    job.is_pop = 0;
    const uint words = (uint)(head()->object.first_error != 0);
#ifdef STEP
    job.side = draw(4); /* a side of images, RAW or IN_ARRAY */
#endif
    for (uint i = 0; i < count; i++) {
        const clade_heap_image key = key_of(kind, numbers);
        job.keys[FIRST + i] = job.side < CLADE_SORTED_RAW ? clade_heap_encode(key) : key;
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
    job.side = IN_ARRAY;
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
