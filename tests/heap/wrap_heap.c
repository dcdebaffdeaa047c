/* SPDX-License-Identifier: Apache-2.0 */
/* The tree engines' counters over the end of their lower words: keys that came and left, from which
 * a pop has its rank, and the statistics. Groups insert and pop at once; then every rank was
 * given once, both words are right, and the heap is empty. -DENGINE: 1 or 2. */
#define CLADE_HEAP_BATCH      4
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_ENGINE     ENGINE
#define CLADE_HEAP_REGIONS    5
#define CLADE_GROUP_SCALAR    1
#define CLADE_LOCAL_BYTES     32768
#define CLADE_SCHEDULE        1
#include "host/device.h"

#include <stdio.h>

#include "clade/heap.clh"
#undef min
#undef max

#include "heap/heap_memory.h"

enum { BATCH = 4, CAPACITY = 400, GROUPS = 4, EACH = 12, ALL = GROUPS * EACH * BATCH };

struct job {
    clade_heap_head *heap;
    uint64_t start;
    clade_atomic_u32 met[ALL + 1], keys[ALL + 1];
    clade_atomic_u32 wrong;
};

static void *make_heap(uint64_t start)
{
    clade_heap_head *head = heap_memory_new(CAPACITY, BATCH, ENGINE);
    head->inserted[0] = head->popped[0] = head->inserts[0] = head->pops[0] = (uint)start;
    head->inserted[1] = head->popped[1] = head->inserts[1] = head->pops[1] = (uint)(start >> 32);
    return head;
}

static void pop_some(struct job *job, clade_heap_scratch *s, uint n)
{
    uint got = 0;
    if (clade_heap_pop_wg(job->heap, s, n, &got) != CLADE_OK)
        clade_add_relaxed(&job->wrong, 1u);
    const uint64_t rank = clade_heap_rank_wi(s) - job->start;
    for (uint i = 0; i < got; i++) {
        const uint key = clade_heap_key_wi(s, i);
        clade_add_relaxed(&job->met[rank + i < ALL ? rank + i : ALL], 1u);
        clade_add_relaxed(&job->keys[key < ALL ? key : ALL], 1u);
    }
}

static void run_group(void *argument, void *local)
{
    struct job *job = argument;
    const uint group = (uint)get_group_id(0);
    for (uint i = 0; i < EACH; i++) {
        for (uint k = 0; k < BATCH; k++)
            clade_heap_set_wi(local, k, (group * EACH + i) * BATCH + k, 0);
        if (clade_heap_insert_wg(job->heap, local, BATCH) != CLADE_OK)
            clade_add_relaxed(&job->wrong, 1u);
        if (i % 3 != 0)
            pop_some(job, local, 1 + i % BATCH);
    }
}

static void drain(void *argument, void *local)
{
    struct job *job = argument;
    for (uint i = 0; i <= ALL / BATCH; i++)
        pop_some(job, local, BATCH);
}

static uint64_t whole(const volatile clade_u32 *words)
{
    return (uint64_t)words[1] << 32 | words[0];
}

static int run(uint64_t start)
{
    static struct job job;
    job = (struct job) { .start = start, .heap = make_heap(start) };
    shim_launch(run_group, &job, GROUPS, 1, sizeof(clade_heap_scratch));
    shim_launch(drain, &job, 1, 1, sizeof(clade_heap_scratch));
    const clade_heap_head *h = job.heap;
    int wrong = (int)job.wrong;
    for (uint i = 0; i < ALL; i++)
        wrong += job.met[i] != 1 || job.keys[i] != 1;
    wrong += job.met[ALL] != 0 || job.keys[ALL] != 0 || h->count != 0 || h->buffer != 0;
    wrong += whole(h->inserted) != start + ALL || whole(h->popped) != start + ALL;
    wrong += whole((const volatile clade_u32 *)h->inserts) != start + GROUPS * EACH;
    const uint64_t pops = GROUPS * (EACH - EACH / 3) + ALL / BATCH + 1;
    wrong += whole((const volatile clade_u32 *)h->pops) != start + pops;
    if (wrong)
        printf("from %#llx on: %d wrong\n", (unsigned long long)start, wrong);
    free(job.heap);
    return wrong;
}

int main(void)
{
    static const uint64_t ends[] = { 0x100000000u, 0x700000000u, 0 };
    int wrong = run(0);
    for (uint e = 0; e < 3; e++)
        for (uint before = 1; before <= ALL; before = before * 3 + 1)
            wrong += run(ends[e] - before);
    printf("heap, engine %d: %d wrong\n", ENGINE, wrong);
    return wrong != 0;
}
