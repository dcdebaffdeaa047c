/* SPDX-License-Identifier: Apache-2.0 */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>

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

static void *run_item(void *data)
{
    struct start *start = data;
    shim_self = start->item;
    start->kernel(start->argument, start->local);
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

void shim_launch(void (*kernel)(void *argument, void *local), void *argument, size_t groups,
                 size_t group_size, size_t local_bytes)
{
    const size_t items = groups * group_size;
    struct start *starts = checked(calloc(items, sizeof *starts));
    pthread_t *threads = checked(calloc(items, sizeof *threads));
    struct shim_group *members = checked(calloc(groups, sizeof *members));
    void **locals = checked(calloc(groups, sizeof *locals));
    for (size_t g = 0; g < groups; g++) {
        pthread_barrier_init(&members[g].barrier, NULL, (unsigned)group_size);
        locals[g] = checked(calloc(1, local_bytes ? local_bytes : 1));
    }
    for (size_t i = 0; i < items; i++) {
        size_t g = i / group_size;
        starts[i] = (struct start) {
            .item = { i, i % group_size, g, group_size, groups, &members[g] },
            .kernel = kernel,
            .argument = argument,
            .local = locals[g],
        };
        if (pthread_create(&threads[i], NULL, run_item, &starts[i]) != 0)
            abort();
    }
    for (size_t i = 0; i < items; i++)
        pthread_join(threads[i], NULL);
    for (size_t g = 0; g < groups; g++) {
        pthread_barrier_destroy(&members[g].barrier);
        free(locals[g]);
    }
    free(locals);
    free(members);
    free(threads);
    free(starts);
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
