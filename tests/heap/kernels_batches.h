/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels ask for themselves, by P_insert_wg and P_pop_wg, of the tree engines: batches that
 * are out of range or have a NaN, and heaps of more keys than 32 bits count. */
#pragma once

#include "heap/kernels_held.h"

static struct {
    clade_heap_image keys[BATCH + 1];
    uint first, n, taken, got; /* first: number of the first key */
    clade_i32 said;
} batch;

static void insert_batch(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    (void)argument;
    for (uint i = (uint)get_local_id(0); i < batch.n && i < BATCH; i += (uint)get_local_size(0))
        clade_heap_set_bits_wi(s, i, batch.keys[i], value_of(batch.first + i));
    const clade_i32 said = clade_heap_insert_wg(heap, s, batch.n);
    if (get_local_id(0) == 0) {
        batch.said = said;
        batch.taken = clade_heap_taken_wi(s);
    }
}

static void pop_batch(void *argument, void *local)
{
    uint got = 99;
    (void)argument;
    const clade_i32 said = clade_heap_pop_wg(heap, local, batch.n, &got);
    if (get_local_id(0) == 0) {
        batch.said = said;
        batch.got = got;
    }
}

static void launch_batch(void (*kernel)(void *, void *), uint n)
{
    batch.n = n;
    batch.taken = batch.got = 99;
    shim_launch(kernel, NULL, 1, GROUP, sizeof(clade_heap_scratch));
}

/* It says so, and changes nothing but the count of those that were refused. */
static void refuse_batch(const char *what, bool is_pop, uint n, clade_i32 status)
{
    const size_t bytes = bytes_of_content();
    char *as_was = room(bytes);
    memcpy(as_was, heap, bytes);
    launch_batch(is_pop ? pop_batch : insert_batch, n);
    refused += !is_pop;
    expect(batch.said == status && (is_pop ? batch.got : batch.taken) == 0, what, (uint)batch.said,
           n);
    expect(head()->refused[0] == refused, "batches that were refused", head()->refused[0], refused);
    expect(memcmp(as_was + CLADE_HEAP_NODES_AT, (char *)heap + CLADE_HEAP_NODES_AT,
                  bytes - CLADE_HEAP_NODES_AT) == 0,
           "a refused batch changed the heap", is_pop, n);
    free(as_was);
}

static void make_batch(void)
{
    for (uint i = 0; i < BATCH + 1; i++)
        batch.keys[i] = key_of(0, i);
}

static void batches_out_of_range(void)
{
    insert(0, 3 * BATCH);
    make_batch();
    refuse_batch("an insert of nothing", false, 0, CLADE_E_ARG);
    refuse_batch("an insert of more than a batch", false, BATCH + 1, CLADE_E_ARG);
    refuse_batch("a pop of nothing", true, 0, CLADE_E_ARG);
    refuse_batch("a pop of more than a batch", true, BATCH + 1, CLADE_E_ARG);
    for (uint i = 0; i < BATCH && KEY == CLADE_F32; i++) {
        make_batch();
        batch.keys[i] = i & 1u ? 0x7fc00000u : 0xff800001u;
        refuse_batch("a batch with a NaN", false, i + 1, CLADE_E_ARG);
        refuse_batch("a batch with a NaN", false, BATCH, CLADE_E_ARG);
    }
    if (KEY == CLADE_F32) /* infinities are numbers */
        expect(!clade_heap_is_nan_wi(0x7f800000u) && !clade_heap_is_nan_wi(0xff800000u) &&
                   clade_heap_is_nan_wi(0x7f800001u),
               "what is no number", 0, 0);
    check_heap("after batches that were refused");
    pop(size);
}

/* As if so many keys were inside: the insert of one, which stays in root and buffer, looks at no
 * other node. The capacity is 2^32. */
static void insert_one_beside(ulong keys, bool fits)
{
    const uint count = head()->count;
    batch.first = numbers;
    batch.keys[0] = key_of(0, numbers);
    head()->capacity[0] = 0;
    head()->capacity[1] = 1;
    head()->count = (uint)((keys + BATCH - 1) / BATCH + 1);
    job.is_pop = 0;
    job.count = 1;
    head()->object.first_error = 0;
    launch_begin();
    refused += !fits;
    expect((clade_i32)head()->verdict == (fits ? CLADE_OK : CLADE_E_FULL), "a call on many keys",
           head()->verdict, fits);
    head()->verdict = CLADE_OK;
    if (fits) {
        launch_batch(insert_batch, 1);
        expect(batch.said == CLADE_OK && batch.taken == 1, "a batch beside many keys",
               (uint)batch.said, batch.taken);
        key_by_number[numbers] = inside[size++] = batch.keys[0];
        is_inside[numbers++] = 1;
        inserts++;
        qsort(inside, size, sizeof *inside, compare);
    } else {
        refuse_batch("one more than 2^32 keys", false, 1, CLADE_E_FULL);
    }
    head()->capacity[0] = CAPACITY;
    head()->capacity[1] = 0;
    head()->count = count;
    head()->object.first_error = 0;
    check_heap("after one beside many");
}

static void many_keys(void)
{
    insert(0, 2 * BATCH);
    for (uint i = 0; i < 2; i++) {
        insert_one_beside(0x80000000u, true);
        insert_one_beside(0x100000000u, false);
    }
    pop(size);
}

/* A heap of so many nodes, of which others were none yet. Some keys stay in root and buffer. What
 * is in the buffer and what comes are a batch: that is a node, and the buffer is empty. */
static void whole_buffer(uint nodes)
{
    for (uint few = 1; few < BATCH; few++) {
        free(heap);
        make();
        insert(0, nodes * BATCH);
        insert(0, few);
        pop(size);
        insert(0, nodes * BATCH);
        insert(0, few);
        insert(0, BATCH - few);
        expect(head()->count == nodes + 1 && head()->buffer == 0, "a buffer that is full",
               head()->count, head()->buffer);
        pop(size);
    }
}

/* The last node that there may be is somebody's child, and there is none behind it. */
static void lock_at_the_end(void *argument, void *local)
{
    const uint v = *(const uint *)argument;
    clade_heap_op op;
    if (!CLADE_TEAM_IS_MINE)
        return;
    memset(&op, 0xff, sizeof op);
    clade_heap_open(&op, heap, local);
    __local uint *words = clade_heap_lock_children(&op, v, 0, 3);
    if (get_local_id(0) == 0) {
        batch.taken = words[0];
        batch.got = words[1];
    }
}

static void lock_children_of(uint v)
{
    const uint top = cladei_heap_top(v), children[2] = { v + top, v + 2 * top };
    for (uint c = 0; c < 2; c++)
        node_at(children[c])->state = CLADE_HEAP_AVAIL; /* also behind the nodes, in the buffer */
    shim_launch(lock_at_the_end, &v, 1, GROUP, sizeof(clade_heap_scratch));
    for (uint c = 0; c < 2; c++) {
        const bool is = children[c] <= NODES;
        expect((c == 0 ? batch.taken : batch.got) == (is ? CLADE_HEAP_AVAIL : CLADE_HEAP_EMPTY),
               "a child at the heap's end", v, children[c]);
        expect(node_at(children[c])->state == (is ? CLADE_HEAP_INUSE : CLADE_HEAP_AVAIL),
               "a child's state at the heap's end", v, children[c]);
    }
}

static void ends_of_nodes(void)
{
    lock_children_of(cladei_heap_parent(NODES));
    lock_children_of(cladei_heap_parent(NODES + 1));
    lock_children_of(cladei_heap_parent(NODES - 1));
    free(heap);
    make();
}
