/* SPDX-License-Identifier: Apache-2.0 */
#include "host/device.h"

#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A group's barrier. Words alternate, so that what is released at one barrier is acquired there and
 * not at the one before: nobody is two barriers ahead. */
struct shim_group {
    pthread_barrier_t barrier;
    char words[2];
};

_Thread_local struct shim_item shim_self;
_Thread_local const volatile void *shim_read[SHIM_READS];
_Thread_local uint shim_read_count, shim_read_all, shim_released;

static _Thread_local unsigned barriers_passed;

#if defined(__SANITIZE_THREAD__)
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);

void shim_barrier(void)
{
    struct shim_group *group = shim_self.group;
    char *word = &group->words[barriers_passed++ % 2];
    __tsan_release(word);
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
    pthread_barrier_wait(&group->barrier);
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
    __tsan_acquire(word);
}
#else
void shim_barrier(void)
{
    barriers_passed++;
    pthread_barrier_wait(&shim_self.group->barrier);
}
#endif

struct start {
    struct shim_item item;
    void (*kernel)(void *argument, void *local);
    void *argument, *local;
};

/* A thread is kept for each item of the largest launch so far: making and ending one under a
 * sanitizer is most of a small world's time. The launch writes `start` and posts `begin`, then the
 * thread alone reads it until it posts `end`. Semaphores of its own: what one item did must not be
 * ordered before what another does, or races between them are not seen. What is
 * _Thread_local in a test keeps its value: an item sets what it counts on. */
struct worker {
    struct start start;
    sem_t begin, end;
    struct worker *next;
};

static struct worker *first_worker;

static void run_item(const struct start *start)
{
    shim_self = start->item;
    shim_read_count = shim_read_all = shim_released = 0;
    barriers_passed = 0;
    start->kernel(start->argument, start->local);
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        if (errno != EINTR)
            abort();
}

static void *work(void *data)
{
    struct worker *worker = data;
    for (;;) {
        wait_for(&worker->begin);
        run_item(&worker->start);
        sem_post(&worker->end);
    }
    return NULL;
}

static void *checked(void *pointer)
{
    if (!pointer) {
        perror("shim");
        abort();
    }
    return pointer;
}

static struct worker *make_worker(void)
{
    pthread_t thread;
    struct worker *worker = checked(calloc(1, sizeof *worker));
    if (sem_init(&worker->begin, 0, 0) != 0 || sem_init(&worker->end, 0, 0) != 0 ||
        pthread_create(&thread, NULL, work, worker) != 0 || pthread_detach(thread) != 0)
        abort();
    return worker;
}

void shim_launch(void (*kernel)(void *argument, void *local), void *argument, size_t groups,
                 size_t group_size, size_t local_bytes)
{
    const size_t items = groups * group_size;
    struct shim_group *members = checked(calloc(groups, sizeof *members));
    void **locals = checked(calloc(groups, sizeof *locals));
    for (size_t g = 0; g < groups; g++) {
        pthread_barrier_init(&members[g].barrier, NULL, (unsigned)group_size);
        locals[g] = checked(malloc(local_bytes ? local_bytes : 1));
        memset(locals[g], 0xa5, local_bytes); /* a group's local memory begins with anything */
    }
    struct worker **worker = &first_worker;
    for (size_t i = 0; i < items; i++, worker = &(*worker)->next) {
        const size_t g = i / group_size;
        if (!*worker)
            *worker = make_worker();
        (*worker)->start = (struct start) {
            .item = { i, i % group_size, g, group_size, groups, &members[g] },
            .kernel = kernel,
            .argument = argument,
            .local = locals[g],
        };
        sem_post(&(*worker)->begin);
    }
    worker = &first_worker;
    for (size_t i = 0; i < items; i++, worker = &(*worker)->next)
        wait_for(&(*worker)->end);
    for (size_t g = 0; g < groups; g++) {
        pthread_barrier_destroy(&members[g].barrier);
        free(locals[g]);
    }
    free(locals);
    free(members);
}

uint shim_seed(void)
{
    const char *text = getenv("CLADE_TEST_SEED");
    return text && *text ? (uint)strtoull(text, NULL, 0) : 1u;
}

uint shim_rounds(int argc, char **argv, uint usual)
{
    char *end;
    if (argc < 2)
        return usual;
    const unsigned long rounds = strtoul(argv[1], &end, 10);
    if (*end || rounds == 0 || rounds > UINT32_MAX) {
        fprintf(stderr, "%s [ROUNDS]: not a number of rounds: %s\n", argv[0], argv[1]);
        exit(2);
    }
    return (uint)rounds;
}
