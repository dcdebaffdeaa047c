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
#if ENGINE != 3
#include "clade/atomic.clh"
/* A pop comes between two steps of an insert, and may give up between two others. */
static void mark_at(const volatile void *word);
static uint cas_after(clade_global_word word, uint was, uint value);
static void spoil_before(const volatile void *word);
#define CLADE_SCHEDULE_HOOK(where, word, salt) mark_at(word)
#define clade_cas_relaxed(word, was, value)    cas_after((clade_global_word)(word), was, value)
static void store_after(clade_global_word word, uint value)
{
    spoil_before(word);
    clade_store_release(word, value);
}
#define clade_store_release(word, value) store_after((clade_global_word)(word), value)
#endif
#undef __kernel
#define __kernel static
#include "kernels/heap.cl"

#if ENGINE == 3
#include "heap/kernels_refused.h"
#else
#include "heap/kernels_batches.h"
#endif

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

/* A batch that may not take the place of the root's keys as a whole. */
static void between(void)
{
    insert(0, (6 * BATCH - numbers % (6 * BATCH)) % (6 * BATCH));
    pop(size);
    for (uint i = 0; i < 6; i++)
        insert(LAST_BETWEEN, BATCH);
    pop(size);
    for (uint i = 0; i < 4; i++)
        insert(ZEROS, BATCH);
    pop(size);
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

#if ENGINE != 3
/* Of many heaps: each is empty, with the first one's constants, and nothing is written behind the
 * last. */
static void many(uint heaps, uint parts)
{
    const size_t stride = CLADE_HEAP_STRIDE(NODES, BATCH, KEY_BYTES, HAS_VALUES ? VALUE_BYTES : 0);
    const size_t changing = offsetof(clade_heap_head, lock);
    uint *const kept = heap;
    heap = room(heaps * stride);
    memcpy(heap, kept, changing);
    job.heaps = heaps;
    job.parts = parts;
    head()->object.first_error = head()->object.first_error_item = 3;
    head()->object.shape = CLADE_HEAP_SHAPE(KEY, VALUE, ORDER, ENGINE, BATCH, 0);
    shim_launch(empty, NULL, 3, 5, 1); /* so that other items write a word than its neighbours' */
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
AS_KERNEL(first, clade_heap_first(heap))
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

#if !defined(STEP)
/* A NaN is found at a place that 32 bits hold no more, and what tells it is still no NO_NAN. */
static void scan_far(void)
{
    const ulong at = 0xffffffffu;
    const clade_heap_image nan = 0x7fc00000u;
    head()->nan = CLADE_HEAP_NO_NAN;
    shim_self = (struct shim_item) { .global_id = at, .local_size = 1, .groups = 1 };
    clade_heap_scan(heap, &nan, 0 - at, at + 1);
    expect(head()->nan == CLADE_HEAP_NO_NAN - 1, "a NaN that is far", head()->nan, 0);
}
#endif

int main(void)
{
    setbuf(stdout, NULL); /* what was wrong before a fault */
    random_state = shim_seed();
    make();
    for (uint kind = 0; kind < 5; kind++)
        in_and_out(kind);
    between();
    to_the_brim();
    refusals();
    foreign();
#if ENGINE != 3
    held(0);
    held(1);
    pops_beside();
    for (uint few = 0; few < 4; few++)
        pop_handed(few);
    inserts_beside();
    batches_out_of_range();
    many_keys();
    whole_buffer(1);
    whole_buffer(2);
    if (ENGINE == CLADE_HEAP_BOTTOM_UP)
        root_shrinks();
    ends_of_nodes();
#if !defined(STEP)
    if (KEY == CLADE_F32)
        scan_far();
#endif
    many(1, 1);
    many(2, 1);
    many(2, 3);
    many(6, 1);
    many(6, 2);
#else
    looks();
    for (uint kind = 0; kind < 5; kind++)
        grows_and_shrinks(kind);
#endif
    free(heap);
    printf("heap's kernels, engine %d: %u wrong\n", ENGINE, wrong);
    return wrong != 0;
}
