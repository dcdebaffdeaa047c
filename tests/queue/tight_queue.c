/* SPDX-License-Identifier: Apache-2.0 */
/* A ring that the threads can fill: each has one value inside at most, so that its append finds
 * room as soon as pops have emptied what they took, and its pop finds a value. */
#define CLADE_SPIN_LIMIT 200000u /* a bug may retry for ever */
#include "host/device.h"

#include "refusals/tight.h"

#include "clade/queue.clh"
#undef min
#undef max

enum { SHIFT = 3, SLOTS = 1 << SHIFT, EACH = 12, TRIES = 100000, ALL = SLOTS * EACH };

struct job {
    clade_queue_head head;
    clade_atomic_u32 slots[SLOTS]; /* behind the head, as in the object */
    clade_atomic_u32 appended[ALL + 1], popped[ALL + 1];
    clade_atomic_u32 wrong;
    uint seed;
};

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    tight_begin(job->seed);
    for (uint i = 0; i < EACH; i++) {
        uint value = (uint)get_global_id(0) * EACH + i + 1u, tries = 0;
        while (clade_queue_append_wi(&job->head, value) == CLADE_E_FULL && tries < TRIES)
            tries++; /* the pop of the round before is about to empty it: docs/inside/queue.md */
        clade_add_relaxed(&job->appended[tries < TRIES ? value : 0], 1u);
        if (clade_queue_pop_wi(&job->head, &value) != CLADE_OK || value == 0 || value > ALL)
            clade_add_relaxed(&job->wrong, 1u);
        else
            clade_add_relaxed(&job->popped[value], 1u);
    }
}

/* At rest: so many fit, and no more; and they come out in order. */
static const char *fill(struct job *job)
{
    uint value;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint i = 0; i < SLOTS; i++)
        if (clade_queue_append_wi(&job->head, i) != CLADE_OK)
            return "an append was refused at rest";
        else if (clade_queue_size_wi(&job->head) != i + 1)
            return "the size is not what was appended";
    if (clade_queue_append_wi(&job->head, 0) != CLADE_E_FULL)
        return "one value too many fits";
    for (uint i = 0; i < SLOTS; i++)
        if (clade_queue_pop_wi(&job->head, &value) != CLADE_OK || value != i)
            return "a value does not come out";
    return clade_queue_pop_wi(&job->head, &value) == CLADE_E_NOT_FOUND ? NULL : "one comes twice";
}

static const char *round_of(uint seed, uint beyond)
{
    static struct job job;
    const uint start = 0u - seed % 64u, threads = SLOTS - beyond;
    job = (struct job) {
        .seed = seed,
        .head = { .object.shape = CLADE_QUEUE_SHAPE, .shift = SHIFT, .head = start, .tail = start }
    };
    for (uint i = 0; i < SLOTS; i++)
        job.slots[(start + i) % SLOTS] = CLADE_QUEUE_EMPTY | (start + i) >> SHIFT;
    shim_launch(run_item, &job, threads, 1, 0);
    if (job.appended[0] != 0)
        return "an append was refused for ever";
    if (job.wrong != 0)
        return "a pop found nothing although each item had put before";
    for (uint i = 1; i <= threads * EACH; i++)
        if (job.appended[i] != 1 || job.popped[i] != 1)
            return "a value was lost, or came twice";
    return fill(&job);
}

int main(int argc, char **argv)
{
    return tight_main(argc, argv, 200, "queue", round_of);
}
