/* SPDX-License-Identifier: Apache-2.0 */
/* queue.clh on host threads: histories of a ring of four slots, so that it is full and empty and
 * goes round all the time, with the windows between two steps held open; ThreadSanitizer sees
 * whether what was written before an append may be read behind the pop. The ring starts near the
 * positions' end, so that they wrap.
 *
 *   host_queue [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * Each bug planted by -DCLADE_PLANT_NAME must make it fail (tests/meson.build has the names). */
#define CLADE_SPIN_LIMIT 20000u /* a planted bug may retry for ever */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/pause.h"

#include "clade/queue.clh"

#include "queue/queue_history.clh"
#undef min
#undef max
#include "queue/queue_lin.h"

enum { SHIFT = 2, SLOTS = 1 << SHIFT, THREADS = 5, OPS = 12, ALL = THREADS * OPS };

struct job {
    clade_queue_head head;
    clade_atomic_u32 slots[SLOTS]; /* behind the head, as in the object */
    clade_atomic_u32 clock;
    uint appends, seed;
    int wrong;
    history_op records[ALL];
    uint values[ALL], payload[ALL + 2];
};

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    pause_state = job->seed * (uint)(get_global_id(0) * 2 + 1);
    queue_item(&job->head, &job->clock, job->records, job->values, job->payload, OPS, job->appends,
               job->seed, &job->wrong);
}

static const char *check_slots(const struct job *job)
{
    const uint head = job->head.head, size = job->head.tail - head;
    if (size > SLOTS)
        return "more values than slots";
    for (uint i = 0; i < SLOTS; i++) {
        const uint p = head + i, word = job->slots[p % SLOTS];
        if (i < size ? (word >> 30 != (p >> SHIFT & 1u))
                     : (word != (CLADE_QUEUE_EMPTY | p >> SHIFT)))
            return "a slot has another round's word";
    }
    return NULL;
}

static int run_round(struct job *job, uint appends, uint seed)
{
    lin_report report = { "", SIZE_MAX, SIZE_MAX };
    const uint start = 0u - 8u;
    *job = (struct job) { .appends = appends, .seed = seed };
    job->head.object.shape = CLADE_QUEUE_SHAPE;
    job->head.shift = SHIFT;
    job->head.head = job->head.tail = start;
    for (uint i = 0; i < SLOTS; i++)
        job->slots[(start + i) % SLOTS] = CLADE_QUEUE_EMPTY | (start + i) >> SHIFT;
    shim_launch(run_item, job, THREADS, 1, 0);
    const char *why =
        job->wrong ? "a value came without what was written before" : check_slots(job);
    const lin_verdict verdict = queue_lin_check(job->records, job->values, ALL, true, &report);
    if (!why && queue_wrongly_full(job->records, ALL, SLOTS) != SIZE_MAX)
        why = "an append was refused although there was room";
    if (!why && verdict == LIN_OK)
        return 0;
    printf("seed %u: %s; verdict %d, %s (operations %zu, %zu)\n", seed, why ? why : "slots fine",
           verdict, report.why, report.op, report.other);
    return 1;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed();
    const uint rounds = shim_rounds(argc, argv, 300);
    struct job *job = malloc(sizeof *job);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed < 1; i++) {
        failed += run_round(job, 50, base + i * 7919u);
        failed += run_round(job, 40 + i % 30, base + i * 104729u);
    }
    printf("queue: %u rounds from seed %u, %d failed\n", rounds, base, failed);
    free(job);
    return failed != 0 || !job;
}
