/* SPDX-License-Identifier: Apache-2.0 */
/* A call in a thread of its own, for calls that may wait for what the test does next. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "launches/launches.h"

struct caller {
    const struct row *row;
    struct world *world;
    const clade_launch *launch;
    clade_status status;
    char message[256];
    atomic_bool is_done;
    pthread_t thread;
};

static inline void *call(void *data)
{
    struct caller *c = data;
    c->status = c->row->call(c->world, c->launch);
    if (c->status != CLADE_OK)
        snprintf(c->message, sizeof c->message, "%s", clade_error_last()->message);
    atomic_store(&c->is_done, true);
    return NULL;
}

static inline void sleep_ms(unsigned ms)
{
    nanosleep(&(struct timespec) { ms / 1000, (long)(ms % 1000) * 1000000 }, NULL);
}

/* For what must come: its kernels may be compiled meanwhile, on a busy machine. */
enum { PATIENCE_MS = 120000 };

/* Whether it returned before so many milliseconds were over. */
static inline bool returns_in(struct caller *c, unsigned ms)
{
    for (unsigned i = 0; i < ms && !atomic_load(&c->is_done); i++)
        sleep_ms(1);
    return atomic_load(&c->is_done);
}

/* Likewise a command. */
static inline bool completes_in(cl_event event, unsigned ms)
{
    cl_int state = CL_QUEUED;
    for (unsigned i = 0; i < ms && state != CL_COMPLETE; i++) {
        assert_int_equal(
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
            CL_SUCCESS);
        sleep_ms(1);
    }
    return state == CL_COMPLETE;
}
