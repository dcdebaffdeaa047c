/* SPDX-License-Identifier: Apache-2.0 */
/* What SIGINT and SIGTERM do to `clade bench`: the measuring ends between two runs. Where that
 * takes too long, because a run or a compiler does, another thread writes the files and ends the
 * process. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench/internal.h"
#include "command/clade.h"

enum { PATIENCE_MS = 1500 };

static atomic_bool is_interrupted;
static sem_t done; /* posted when the command has nothing left to write */
static pthread_mutex_t results = PTHREAD_MUTEX_INITIALIZER;
static void (*write_results)(void *data);
static void *write_data;

void bench_results_lock(void)
{
    pthread_mutex_lock(&results);
}

void bench_results_unlock(void)
{
    pthread_mutex_unlock(&results);
}

bool bench_is_interrupted(void)
{
    return is_interrupted;
}

static bool is_done_in_time(void)
{
    struct timespec end;
    int code;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_MS / 1000;
    end.tv_nsec += PATIENCE_MS % 1000 * 1000000l;
    end.tv_sec += end.tv_nsec / 1000000000l;
    end.tv_nsec %= 1000000000l;
    do
        code = sem_timedwait(&done, &end);
    while (code != 0 && errno == EINTR);
    return code == 0;
}

/* The second signal finds a thread that does not block it, and ends the process as usual. */
static void *watch(void *data)
{
    const sigset_t *set = data;
    int number;
    sigwait(set, &number);
    is_interrupted = true;
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
    if (is_done_in_time())
        return NULL;
    bench_results_lock(); /* and nobody else adds to them, or writes them */
    if (sem_trywait(&done) == 0) {
        bench_results_unlock();
        return NULL;
    }
    write_results(write_data);
    _exit(EXIT_FAILED);
}

void bench_catch_signals(void (*write)(void *data), void *data)
{
    static sigset_t set;
    pthread_t thread;
    write_results = write;
    write_data = data;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sem_init(&done, 0, 0);
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* of the driver's threads, too */
    if (pthread_create(&thread, NULL, watch, &set) == 0)
        pthread_detach(thread);
    else
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void bench_results_are_written(void)
{
    sem_post(&done);
}
