/* SPDX-License-Identifier: Apache-2.0 */
/* The library's calls of OpenCL come here first. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "mpi/caching_driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/fixture.h"
#include "mpi/late_driver.h"

enum { BUFFERS = 64 };

/* Buffers over memory of the host: made, and not mapped yet. */
static struct kept {
    cl_mem mem;
    void *memory, *content;
    size_t bytes;
} kept[BUFFERS];
static bool is_on;
static unsigned delay, mapped;

void caching_driver_on(void)
{
    is_on = true;
    delay = mapped = 0;
}

void caching_driver_slow(unsigned milliseconds)
{
    delay = milliseconds;
}

unsigned caching_driver_off(void)
{
    is_on = false;
    return mapped;
}

/* The call that would have been reached. A pointer to data becomes one to a function. */
#define NEXT(call)                    \
    union {                           \
        void *data;                   \
        __typeof__(&(call)) function; \
    } next_ = { dlsym(RTLD_NEXT, #call) };

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *memory,
                      cl_int *code)
{
    NEXT(clCreateBuffer)
    cl_mem mem = next_.function(context, flags, bytes, memory, code);
    for (int i = 0; mem && is_on && (flags & CL_MEM_USE_HOST_PTR) && i < BUFFERS; i++)
        if (!kept[i].mem) {
            kept[i] = (struct kept) { mem, memory, malloc(bytes), bytes };
            memcpy(kept[i].content, memory, bytes);
            break;
        }
    return mem;
}

static void bring_back(struct kept *it)
{
    const struct timespec wait = { 0, (long)delay * 1000000 };
    if (mapped++ > 0)
        nanosleep(&wait, NULL);
    memcpy(it->memory, it->content, it->bytes);
    free(it->content);
    *it = (struct kept) { 0 };
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool waits, cl_map_flags flags,
                         size_t offset, size_t bytes, cl_uint count, const cl_event *events,
                         cl_event *event, cl_int *code)
{
    NEXT(clEnqueueMapBuffer)
    late_driver_wait();
    for (int i = 0; i < BUFFERS; i++)
        if (kept[i].mem == mem)
            bring_back(&kept[i]);
    return next_.function(queue, mem, waits, flags, offset, bytes, count, events, event, code);
}
