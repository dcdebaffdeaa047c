/* SPDX-License-Identifier: Apache-2.0 */
/* arraylist.clh on host threads: all append at once, with the windows between two steps held open.
 * Elements are written plainly, so an index that two were given is a race that ThreadSanitizer
 * reports; at the end every element is there once, and every segment but those in use came back.
 *
 *   host_arraylist [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * Each bug planted by -DCLADE_PLANT_NAME must make it fail (tests/meson.build has the names). */
#define CLADE_SPIN_LIMIT 20000u /* a planted bug may retry for ever */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/pause.h"

static uint take_block(void *kma, size_t bytes);
static void give_block(void *kma, uint ref);
#define CLADE_ARRAYLIST_MALLOC(kma, bytes) take_block((kma), (bytes))
#define CLADE_ARRAYLIST_FREE(kma, ref)     give_block((kma), (ref))

#include "clade/arraylist.clh"
#undef min
#undef max

enum { CAPACITY = 60, THREADS = 4, EACH = 18, UNITS = 4096 };

struct job {
    union {
        clade_kma_head head;
        char room[(sizeof(clade_kma_head) + 15) / 16 * 16];
    } kma;
    uint units[UNITS * 4]; /* blocks, one behind the other */
    clade_atomic_u32 taken, live;
    clade_arraylist_head list;
    uint seed, refused[THREADS];
};

static uint take_block(void *kma, size_t bytes)
{
    struct job *job = kma;
    const uint count = (uint)(bytes + 15) / 16, at = clade_add_relaxed(&job->taken, count);
    if (at + count > UNITS)
        return CLADE_NIL;
    clade_add_relaxed(&job->live, 1u);
    return (uint)(offsetof(struct job, units) / 16) + at + 1u;
}

static void give_block(void *kma, uint ref)
{
    struct job *job = kma;
    (void)ref;
    clade_sub_relaxed(&job->live, 1u);
}

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    const uint item = (uint)get_global_id(0);
    (void)local;
    pause_state = job->seed * (item * 2 + 1);
    for (uint i = 0; i < EACH; i++) {
        uint index = 7;
        if (clade_arraylist_append_wi(&job->list, &job->kma.head, &index) == CLADE_OK)
            *(uint *)clade_arraylist_at_wi(&job->list, &job->kma.head, index) =
                item * EACH + i + 1u;
        else
            job->refused[item] +=
                index == 0xffffffffu ? 1u : THREADS * EACH; /* it is told as nil */
    }
}

static const char *judge(struct job *job)
{
    uint8_t met[THREADS * EACH + 1] = { 0 };
    uint refused = 0, segments = 0;
    for (uint i = 0; i < THREADS; i++)
        refused += job->refused[i];
    for (uint i = 0; i < CLADE_ARRAYLIST_SEGMENTS; i++)
        segments += job->list.segments[i] != CLADE_NIL;
    if (job->list.size != CAPACITY || refused != THREADS * EACH - CAPACITY)
        return "the size and the refusals are not all";
    if (job->live != segments)
        return "a block was lost";
    for (uint i = 0; i < CAPACITY; i++) {
        const uint value = *(uint *)clade_arraylist_at_wi(&job->list, &job->kma.head, i);
        if (value == 0 || value > THREADS * EACH || met[value]++)
            return "an element was lost, or is there twice";
    }
    return NULL;
}

/* Counts that 32 bits do not hold together are refused, and nothing is taken; then some that fit.
 */
static void run_counts(void *argument, void *local)
{
    struct job *job = argument;
    static const uint counts[][2] = { { 0x80000000u, 0x80000000u },
                                      { 0xffffffffu, 6u },
                                      { 1u, 0xffffffffu },
                                      { 0xffffffffu, 0u },
                                      { CAPACITY, 1u } };
    const uint item = (uint)get_local_id(0);
    uint index;
    for (uint i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (clade_arraylist_append_wg(&job->list, &job->kma.head, counts[i][item], &index, local) !=
                CLADE_E_FULL ||
            index != 0xffffffffu)
            job->refused[item]++;
    if (clade_arraylist_append_wg(&job->list, &job->kma.head, 3u, &index, local) != CLADE_OK ||
        index != 3u * item)
        job->refused[item]++;
    /* One of one item; of none, which moves nothing; and some of each, from where the others end.
     */
    if (clade_arraylist_append_wg(&job->list, &job->kma.head, item, &index, local) != CLADE_OK ||
        index != 6u)
        job->refused[item]++;
    if (clade_arraylist_append_wg(&job->list, &job->kma.head, 0u, &index, local) != CLADE_OK)
        job->refused[item]++;
    if (clade_arraylist_append_wg(&job->list, &job->kma.head, 2u, &index, local) != CLADE_OK ||
        index != 7u + 2u * item)
        job->refused[item]++;
    /* The scratch memory is the caller's again at once. */
    ((uint *)local)[item] = 0x77777777u;
}

static int counts_beyond_32_bits_are_refused(struct job *job)
{
    *job = (struct job) { .list = { .capacity = CAPACITY, .words = 1, .shift = 1 } };
    job->kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
    job->list.object.shape = CLADE_ARRAYLIST_SHAPE;
    shim_launch(run_counts, job, 1, 2, 64);
    if (job->refused[0] + job->refused[1] == 0 && job->list.size == 11)
        return 0;
    printf("counts whose sum wraps: taken, or those that fit were not; size %u\n", job->list.size);
    return 1;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed();
    const uint rounds = shim_rounds(argc, argv, 300);
    struct job *job = malloc(sizeof *job);
    int failed = job ? counts_beyond_32_bits_are_refused(job) : 0;
    for (uint i = 0; job && i < rounds && failed < 1; i++) {
        *job = (struct job) { .seed = base + i * 7919u };
        job->kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
        job->list.object.shape = CLADE_ARRAYLIST_SHAPE;
        job->list.capacity = CAPACITY;
        job->list.words = 1;
        job->list.shift = 1;
        shim_launch(run_item, job, THREADS, 1, 0);
        const char *why = judge(job);
        if (why)
            printf("seed %u: %s\n", job->seed, why);
        failed += why != NULL;
    }
    printf("array list: %u rounds from seed %u, %d failed\n", rounds, base, failed);
    free(job);
    return failed != 0 || !job;
}
