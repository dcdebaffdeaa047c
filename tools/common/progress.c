/* SPDX-License-Identifier: Apache-2.0 */
#include "common/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* One compile on its way: the commands have one thread that uses the library. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    pthread_t thread;
    bool is_running; /* the thread is to be joined */
    bool has_ended;
    char sentence[512];
} compile = { .mutex = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

static void *wait_and_tell(void *data)
{
    struct timespec end;
    int code = 0;
    (void)data;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec++;
    pthread_mutex_lock(&compile.mutex);
    while (!compile.has_ended && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&compile.ended, &compile.mutex, &end);
    if (!compile.has_ended)
        fprintf(stderr, "%sclade: %s takes more than a second\n",
                isatty(STDERR_FILENO) ? "\r\033[K" : "", compile.sentence);
    pthread_mutex_unlock(&compile.mutex);
    return NULL;
}

static void begin(const char *sentence)
{
    compile.has_ended = false;
    snprintf(compile.sentence, sizeof compile.sentence, "%s", sentence);
    compile.is_running = pthread_create(&compile.thread, NULL, wait_and_tell, NULL) == 0;
}

static void end(void)
{
    if (!compile.is_running)
        return;
    pthread_mutex_lock(&compile.mutex);
    compile.has_ended = true;
    pthread_cond_signal(&compile.ended);
    pthread_mutex_unlock(&compile.mutex);
    pthread_join(compile.thread, NULL);
    compile.is_running = false;
}

void progress_compile(void *data, const char *sentence)
{
    (void)data;
    if (sentence)
        begin(sentence);
    else
        end();
}
