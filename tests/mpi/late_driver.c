/* SPDX-License-Identifier: Apache-2.0 */
/* The library's calls of OpenCL come here first. Before a command its queue gets a barrier, which a
 * thread opens when the time has come. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "mpi/late_driver.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "harness/fixture.h"

static unsigned longest, usual, late;
static atomic_uint waiting; /* threads that have not opened their barrier yet */
static atomic_uint left;    /* of those, of queues that are not this one */
static cl_command_queue aside;
static bool is_lazy;
static uint64_t drawn;

static void stay(unsigned microseconds)
{
    const struct timespec wait = { microseconds / 1000000, (long)(microseconds % 1000000) * 1000 };
    nanosleep(&wait, NULL);
}

/* Half of all come at once: the order of two queues changes, too. */
static unsigned draw(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct random random = random_from(fixture_seed() + 1000003 * ++drawn + (uint64_t)rank);
    return random_below(&random, 2) ? (unsigned)random_below(&random, longest) : 0;
}

void late_driver_usual(unsigned microseconds)
{
    longest = usual = microseconds;
}

void late_driver_on(unsigned microseconds)
{
    longest = microseconds;
    late = 0;
}

unsigned late_driver_off(void)
{
    longest = usual;
    while (atomic_load(&waiting) > 0)
        stay(100);
    return late;
}

unsigned late_driver_left(cl_command_queue queue)
{
    aside = queue;
    return atomic_load(&left);
}

/* The call that would have been reached. A pointer to data becomes one to a function. */
#define NEXT(call)                    \
    union {                           \
        void *data;                   \
        __typeof__(&(call)) function; \
    } next_ = { dlsym(RTLD_NEXT, #call) };

/* --- commands --------------------------------------------------------------------------------- */

struct gate {
    cl_event event;
    unsigned microseconds;
    bool counts;
    struct gate *next;
};

static void open_gate(struct gate *it)
{
    atomic_fetch_sub(&left, it->counts);
    clSetUserEventStatus(it->event, CL_COMPLETE);
    clReleaseEvent(it->event);
    free(it);
}

static void *open_later(void *data)
{
    struct gate *it = data;
    stay(it->microseconds);
    open_gate(it);
    atomic_fetch_sub(&waiting, 1);
    return NULL;
}

static void open_by_a_thread(struct gate *gate)
{
    pthread_t thread;
    atomic_fetch_add(&waiting, 1);
    assert_int_equal(pthread_create(&thread, NULL, open_later, gate), 0);
    pthread_detach(thread);
}

/* Those of a lazy driver. */
static struct gate *closed;

void late_driver_wait(void)
{
    while (closed) {
        struct gate *it = closed;
        closed = it->next;
        open_gate(it);
    }
}

void late_driver_lazy(bool lazy)
{
    late_driver_wait();
    is_lazy = lazy;
}

/* A barrier, which is opened later. */
static void make_late(cl_command_queue queue)
{
    NEXT(clEnqueueBarrierWithWaitList) /* also where calls are made to fail */
    cl_context context;
    const unsigned microseconds = longest ? draw() : 0;
    struct gate *gate = is_lazy || microseconds ? malloc(sizeof *gate) : NULL;
    if (!gate || clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL)) {
        free(gate);
        return;
    }
    *gate =
        (struct gate) { clCreateUserEvent(context, NULL), microseconds, queue != aside, closed };
    assert_non_null(gate->event);
    assert_int_equal(next_.function(queue, 1, &gate->event, NULL), 0);
    atomic_fetch_add(&left, gate->counts);
    late++;
    if (is_lazy)
        closed = gate;
    else
        open_by_a_thread(gate);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool waits, size_t offset,
                           size_t bytes, void *to, cl_uint count, const cl_event *events,
                           cl_event *event)
{
    NEXT(clEnqueueReadBuffer)
    if (waits)
        late_driver_wait();
    else
        make_late(queue);
    return next_.function(queue, mem, waits, offset, bytes, to, count, events, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool waits, size_t offset,
                            size_t bytes, const void *from, cl_uint count, const cl_event *events,
                            cl_event *event)
{
    NEXT(clEnqueueWriteBuffer)
    if (waits)
        late_driver_wait();
    else
        make_late(queue);
    return next_.function(queue, mem, waits, offset, bytes, from, count, events, event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                           size_t to_offset, size_t bytes, cl_uint count, const cl_event *events,
                           cl_event *event)
{
    NEXT(clEnqueueCopyBuffer)
    make_late(queue);
    return next_.function(queue, from, to, from_offset, to_offset, bytes, count, events, event);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *first, const size_t *items, const size_t *group,
                              cl_uint count, const cl_event *events, cl_event *event)
{
    NEXT(clEnqueueNDRangeKernel)
    make_late(queue);
    return next_.function(queue, kernel, dimensions, first, items, group, count, events, event);
}

cl_int clFinish(cl_command_queue queue)
{
    NEXT(clFinish)
    late_driver_wait();
    return next_.function(queue);
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
    NEXT(clWaitForEvents)
    late_driver_wait();
    return next_.function(count, events);
}

/* --- ranks ------------------------------------------------------------------------------------ */

int MPI_Alltoall(const void *from, int send, MPI_Datatype sends, void *to, int receive,
                 MPI_Datatype receives, MPI_Comm comm)
{
    if (longest)
        stay(draw());
    const int code = PMPI_Alltoall(from, send, sends, to, receive, receives, comm);
    if (longest)
        stay(draw());
    return code;
}
