/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>

_Thread_local struct shim_item shim_self;

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
    pthread_barrier_t *barriers = checked(calloc(groups, sizeof *barriers));
    void **locals = checked(calloc(groups, sizeof *locals));
    for (size_t g = 0; g < groups; g++) {
        pthread_barrier_init(&barriers[g], NULL, (unsigned)group_size);
        locals[g] = checked(calloc(1, local_bytes ? local_bytes : 1));
    }
    for (size_t i = 0; i < items; i++) {
        size_t g = i / group_size;
        starts[i] = (struct start) {
            .item = { i, i % group_size, g, group_size, groups, &barriers[g] },
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
        pthread_barrier_destroy(&barriers[g]);
        free(locals[g]);
    }
    free(locals);
    free(barriers);
    free(threads);
    free(starts);
}
