/* SPDX-License-Identifier: Apache-2.0 */
/* A heap that the groups can fill: each inserts n keys, which must fit, and takes n, which must be
 * there. -DENGINE: 1 or 2. */
#define CLADE_HEAP_BATCH      4
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_ENGINE     ENGINE
#define CLADE_HEAP_REGIONS    5
#define CLADE_GROUP_SCALAR    1
#define CLADE_LOCAL_BYTES     32768
/* Without an end, for a thread that sleeps with a lock may sleep long on a machine with other work;
 * what hangs is ended by tight_main(). */
#define CLADE_SPIN_LIMIT 0xffffffffu
#include "host/device.h"

#include "refusals/tight.h"

#include "clade/heap.clh"
#undef min
#undef max

#include "heap/heap_memory.h"

enum { BATCH = 4, GROUPS = 5, EACH = 8, ALL = GROUPS * EACH * BATCH };

struct job {
    clade_heap_head *heap;
    clade_atomic_u32 put[ALL], taken[ALL], full, busy, missing;
    uint n, seed;
};

static void run_group(void *argument, void *local)
{
    struct job *job = argument;
    const uint first = (uint)get_group_id(0) * EACH * BATCH;
    tight_begin(job->seed);
    for (uint i = 0; i < EACH; i++) {
        const uint n = 1u + (job->n + i + (uint)get_group_id(0)) % job->n;
        uint got = 0;
        for (uint k = 0; k < n; k++) {
            clade_heap_set_wi(local, k, (first + i * BATCH + k) * 2654435761u,
                              first + i * BATCH + k);
            clade_add_relaxed(&job->put[first + i * BATCH + k], 1u);
        }
        const clade_i32 status = clade_heap_insert_wg(job->heap, local, n);
        if (status != CLADE_OK)
            clade_add_relaxed(status == CLADE_E_FULL ? &job->full : &job->busy, 1u);
        const clade_i32 popped = clade_heap_pop_wg(job->heap, local, n, &got);
        if (popped != CLADE_OK || got != n)
            clade_add_relaxed(popped == CLADE_E_BUSY ? &job->busy : &job->missing, 1u);
        for (uint k = 0; k < got; k++)
            clade_add_relaxed(
                &job->taken[clade_heap_value_wi((clade_heap_scratch *)local, k) % ALL], 1u);
    }
}

/* At rest: key by key exactly the capacity. */
static const char *fill(struct job *job, uint capacity)
{
    static clade_heap_scratch s;
    uint got = 0;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint i = 0; i <= capacity; i++) {
        clade_heap_set_wi(&s, 0, i, i);
        if (clade_heap_insert_wg(job->heap, &s, 1) != (i < capacity ? CLADE_OK : CLADE_E_FULL))
            return i < capacity ? "a key was refused at rest" : "one key too many fits";
    }
    for (uint i = 0; i < capacity; i++)
        if (clade_heap_pop_wg(job->heap, &s, 1, &got) != CLADE_OK || got != 1 ||
            clade_heap_key_wi(&s, 0) != i)
            return "a key does not come out";
    return NULL;
}

static const char *round_of(uint seed, uint beyond)
{
    static struct job job;
    const uint n = 1 + seed % BATCH, capacity = GROUPS * n + beyond;
    job = (struct job) { .seed = seed, .n = n, .heap = heap_memory_new(capacity, BATCH, ENGINE) };
    shim_launch(run_group, &job, GROUPS, 1, sizeof(clade_heap_scratch));
    /* A wait first: whoever gave up left keys that take another's room. */
    const char *wrong = job.busy != 0      ? "a wait ran out"
                        : job.missing != 0 ? "a pop found too few keys"
                        : job.full != 0    ? "an insert was refused although there was room"
                                           : NULL;
    for (uint i = 0; i < ALL && !wrong; i++)
        if (job.put[i] != job.taken[i])
            wrong = "a key was lost, or came twice";
    if (!wrong)
        wrong = fill(&job, capacity);
    free(job.heap);
    return wrong;
}

int main(int argc, char **argv)
{
    return tight_main(argc, argv, 200, "heap", round_of);
}
