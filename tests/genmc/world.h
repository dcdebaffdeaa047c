/* SPDX-License-Identifier: Apache-2.0 */
/* A world for GenMC: -DTHREADS threads run -DWORLD(me) between `begin` and `end`, which -DBEGIN and
 * -DEND may name. Include this last. */
#pragma once

#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef BEGIN
#define BEGIN begin
#endif
#ifndef END
#define END end
#endif

static void *genmc_run(void *index)
{
    genmc_me = (uint)(uintptr_t)index;
    WORLD(genmc_me);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    genmc_me = 3; /* no thread's */
    BEGIN();
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, genmc_run, (void *)i);
    for (uint i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    END();
    return 0;
}
