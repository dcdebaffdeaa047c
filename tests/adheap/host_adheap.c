/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap's and the selection's device code on host threads, under sanitizers: groups that
 * build, merge and select, and with a HOST bridge the kernel's half against the host's own. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLADE_ADHEAP_ARITY  8
#define CLADE_ADHEAP_KEY    CLADE_U32
#define CLADE_ADHEAP_VALUES 1
#ifndef CLADE_KSELECT_GROUP
#define CLADE_KSELECT_GROUP 4
#endif
#define CLADE_KSELECT_ITEMS   4
#define CLADE_KSELECT_KEY     CLADE_U32
#define CLADE_KSELECT_DIGIT   4
#define CLADE_KSELECT_INDICES 1
#define CLADE_KSELECT_RANKED  16
#include "clade/adheap.clh"
#include "clade/adheap/work_group.clh"
#include "clade/kselect.clh"

#include "../../lib/adheap/serve.h"

enum { HEAPS = 3, CAPACITY = 200, GROUP = CLADE_KSELECT_GROUP, ROUNDS = 20, ROW = 300, K = 40 };

struct world {
    uint *object;
    uint *keys, *values; /* HEAPS * CAPACITY */
    uint *out, *indices;
    uint each; /* what a launch works on */
    uint wrong;
    uint stop; /* the server's end, an atomic */
    uint served;
};

static uint random_state = 1;

static uint random_word(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 7;
}

static clade_adheap_head *head_of(struct world *w)
{
    return (clade_adheap_head *)(void *)w->object;
}

/* Each sub-group has a path of its own: as lanes all of them are one thread. */
static clade_adheap_one open_heap(struct world *w, uint heap)
{
    static uint paths[HEAPS][GROUP][CLADE_ADHEAP_PATH_WORDS];
    return clade_adheap_open_wi((clade_adheap_head *)(void *)w->object, heap,
                                paths[get_group_id(0)][clade_sg_index()]);
}

static void make_world(struct world *w)
{
    const uint stride = (CLADE_ADHEAP_ROOT + CAPACITY + 63) / 64 * 64;
    const size_t words = CLADE_ADHEAP_HEAD_WORDS + (size_t)HEAPS * stride * 2;
    const size_t lines = (words + CLADE_ADHEAP_WIDTH - 1) / CLADE_ADHEAP_WIDTH;
    *w = (struct world) { 0 };
    w->object = aligned_alloc(256, (lines + 8) * CLADE_ADHEAP_WIDTH * 4);
    memset(w->object, 0, (lines + 8) * CLADE_ADHEAP_WIDTH * 4);
    *head_of(w) = (clade_adheap_head) { .heaps = HEAPS,
                                        .arity = 8,
                                        .capacity = CAPACITY,
                                        .stride = stride,
                                        .values = 1,
                                        .calls = (uint)lines,
                                        .slots = HEAPS,
                                        .patience = 1u << 30 };
    head_of(w)->object.shape = CLADE_ADHEAP_SHAPE(
        8u, CLADE_ADHEAP_KEY, 0u, 0u, 1u, CLADE_ADHEAP_BRIDGE_MODE == CLADE_ADHEAP_BRIDGE_HOST);
    w->keys = calloc(HEAPS * CAPACITY, sizeof *w->keys);
    w->values = calloc(HEAPS * CAPACITY, sizeof *w->values);
    w->out = calloc(ROW, sizeof *w->out);
    w->indices = calloc(ROW, sizeof *w->indices);
}

static void free_world(struct world *w)
{
    free(w->object);
    free(w->keys);
    free(w->values);
    free(w->out);
    free(w->indices);
}

/* Below `range`: few values make ties. */
static void new_keys(struct world *w, uint range)
{
    for (uint i = 0; i < HEAPS * CAPACITY; i++) {
        w->keys[i] = random_word() % range << (range < 100 ? 10 : 0);
        w->values[i] = ~w->keys[i];
    }
}

/* I1 to I3, and that values stayed with their keys. */
static void check_world(struct world *w, uint size)
{
    for (uint heap = 0; heap < HEAPS; heap++) {
        const clade_adheap_one h = open_heap(w, heap);
        w->wrong += h.head[CLADE_ADHEAP_SIZE] != size || h.head[CLADE_ADHEAP_BRIDGE] != 0;
        for (uint i = 0; i < size; i++)
            w->wrong += (i > 0 && h.words[(i - 1) / 8] > h.words[i]) || h.values[i] != ~h.words[i];
    }
}

/* --- groups --------------------------------------------------------------------------------- */

static void build(void *argument, void *local)
{
    struct world *w = argument;
    clade_adheap_one h = open_heap(w, (uint)get_group_id(0));
    (void)local;
    h.slot = 0;
    for (uint i = (uint)get_local_id(0); i < w->each; i += GROUP)
        clade_adheap_set_wi(&h, i, w->keys[get_group_id(0) * CAPACITY + i],
                            w->values[get_group_id(0) * CAPACITY + i]);
    if (get_local_id(0) == 0)
        h.head[CLADE_ADHEAP_SIZE] = w->each;
    clade_barrier();
    clade_adheap_heapify_wg(&h, w->each);
}

static void merge(void *argument, void *local)
{
    struct world *w = argument;
    clade_adheap_one h = open_heap(w, (uint)get_group_id(0));
    (void)local;
    h.slot = 0;
    clade_adheap_merge_wg(&h, w->keys + get_group_id(0) * CAPACITY,
                          w->values + get_group_id(0) * CAPACITY, w->each);
}

static void select_row(void *argument, void *local)
{
    struct world *w = argument;
    clade_kselect_out out = { w->out, w->indices };
    clade_kselect_wg(local, w->keys, ROW, K, out);
}

static int compare(const void *a, const void *b)
{
    const uint x = *(const uint *)a, y = *(const uint *)b;
    return (x > y) - (x < y);
}

static void check_selection(struct world *w)
{
    uint sorted[ROW];
    memcpy(sorted, w->keys, sizeof sorted);
    qsort(sorted, ROW, sizeof *sorted, compare);
    for (uint i = 0; i < K; i++)
        w->wrong += w->indices[i] >= ROW || w->keys[w->indices[i]] != w->out[i];
    qsort(w->out, K, sizeof *w->out, compare);
    w->wrong += memcmp(w->out, sorted, K * sizeof *sorted) != 0;
}

/* --- one item a heap, and the host ----------------------------------------------------------- */

/* Keys that come right after a full heap's root: each takes its place, and stays there. */
static int feed_the_root(struct world *w, uint heap, const clade_adheap_one *h)
{
    enum { FED = 6 };
    uint *keys = w->keys + heap * CAPACITY, *values = w->values + heap * CAPACITY;
    uint root = 0, value = 0;
    const int status = clade_adheap_peek_sg(h, &root, &value);
    if (status != CLADE_OK)
        return status;
    for (uint i = clade_sg_lane(); i < FED; i += CLADE_SG) {
        keys[i] = root + 1u + i;
        values[i] = ~keys[i];
    }
    clade_sg_barrier();
    const int fed = clade_adheap_feed_sg(h, keys, FED, values, 0, 1, 0);
    /* Once more: all are looked at, and no more than there are. */
    if (fed == CLADE_OK && clade_adheap_replace_sg(h, keys, 0, FED, values, 0, 1, 0) != FED)
        return CLADE_E_CORRUPT;
    return fed;
}

static void sink_and_rise(void *argument, void *local)
{
    struct world *w = argument;
    const uint group = (uint)get_group_id(0);
    (void)local;
    for (uint heap = group; heap < HEAPS; heap += (uint)get_num_groups(0)) {
        const clade_adheap_one h = open_heap(w, heap);
        for (uint i = 0; i < w->each; i++) {
            uint key = 0, value = 0;
            int status = clade_adheap_pop_sg(&h, &key, &value);
            if (status == CLADE_OK)
                status = clade_adheap_insert_sg(&h, key * 3u, ~(key * 3u));
            if (status == CLADE_OK)
                status = clade_adheap_update_sg(&h, i % CAPACITY, key * 5u, ~(key * 5u));
            if (status == CLADE_OK)
                status = clade_adheap_peek_sg(&h, &key, &value);
            if (status == CLADE_OK) /* the root stays where it is */
                status = clade_adheap_update_sg(&h, 0, key - key / 4u, ~(key - key / 4u));
            if (status != CLADE_OK)
                __atomic_fetch_add(&w->wrong, 1, __ATOMIC_RELAXED);
        }
        if (feed_the_root(w, heap, &h) != CLADE_OK)
            __atomic_fetch_add(&w->wrong, 1, __ATOMIC_RELAXED);
    }
}

/* The host's thread: lib/adheap/host.c without OpenCL. */
static void *serve(void *argument)
{
    struct world *w = argument;
    while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE)) {
        for (uint group = 0; group < 2; group++) {
            uint *slot = w->object + (size_t)head_of(w)->calls * CLADE_ADHEAP_WIDTH +
                         group * CLADE_ADHEAP_SLOT_WORDS;
            if (!cladei_adheap_take(slot))
                continue;
            const clade_adheap_one h = open_heap(w, slot[CLADE_ADHEAP_SLOT_HEAP]);
            const struct cladei_adheap_log log = { h.head, h.values, CAPACITY, false };
            w->wrong += !cladei_adheap_replay(&log, ~0u);
            w->served++;
            cladei_adheap_give(slot);
        }
        sched_yield();
    }
    return NULL;
}

static void work_beside_the_host(struct world *w)
{
    pthread_t host;
    w->stop = 0;
    if (pthread_create(&host, NULL, serve, w) != 0)
        abort();
    shim_launch(sink_and_rise, w, 2, CLADE_SG, 0); /* a sub-group is one item on threads */
    __atomic_store_n(&w->stop, 1, __ATOMIC_RELEASE);
    pthread_join(host, NULL);
}

int main(void)
{
    struct world w;
    make_world(&w);
    for (uint round = 0; round < ROUNDS; round++) {
        const uint half = round * 7 % (CAPACITY / 2);
        new_keys(&w, round % 2 ? 60 : 1u << 24);
        w.each = half;
        shim_launch(build, &w, HEAPS, GROUP, 0);
        check_world(&w, half);
        qsort(w.keys, CAPACITY, sizeof *w.keys, compare); /* one batch in order, two not */
        for (uint i = 0; i < CAPACITY; i++)
            w.values[i] = ~w.keys[i];
        w.each = 1 + round * 11 % (CAPACITY - half);
        if (round % 4 == 3 && half < 73) /* the last level becomes full */
            w.each = 73 - half;
        shim_launch(merge, &w, HEAPS, GROUP, 0);
        check_world(&w, half + w.each);
        shim_launch(select_row, &w, 1, GROUP, sizeof(clade_kselect_local));
        check_selection(&w);
    }
    new_keys(&w, 1u << 24);
    w.each = CAPACITY;
    shim_launch(build, &w, HEAPS, GROUP, 0);
    work_beside_the_host(&w);
    check_world(&w, CAPACITY);
    if (CLADE_ADHEAP_BRIDGE_MODE == CLADE_ADHEAP_BRIDGE_HOST)
        w.wrong += w.served < HEAPS * CAPACITY;
    printf("%u wrong; the host served %u calls\n", w.wrong, w.served);
    const int failed = w.wrong != 0;
    free_world(&w);
    return failed;
}
