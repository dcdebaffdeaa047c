/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mpi/measure.h"

enum { TIMES = 7 };

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* --- MPI, timed: the calls of clade-mpi come here first ------------------------------------------
 */

static double in_messages;

#define TIMED(call)                    \
    do {                               \
        const double begin_ = now();   \
        const int code_ = (call);      \
        in_messages += now() - begin_; \
        return code_;                  \
    } while (0)

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    TIMED(PMPI_Allreduce(from, to, count, type, op, comm));
}

int MPI_Allgather(const void *from, int out, MPI_Datatype sent, void *to, int in, MPI_Datatype got,
                  MPI_Comm comm)
{
    TIMED(PMPI_Allgather(from, out, sent, to, in, got, comm));
}

int MPI_Alltoall(const void *from, int out, MPI_Datatype sent, void *to, int in, MPI_Datatype got,
                 MPI_Comm comm)
{
    TIMED(PMPI_Alltoall(from, out, sent, to, in, got, comm));
}

int MPI_Alltoallv(const void *from, const int *out, const int *out_at, MPI_Datatype sent, void *to,
                  const int *in, const int *in_at, MPI_Datatype got, MPI_Comm comm)
{
    TIMED(PMPI_Alltoallv(from, out, out_at, sent, to, in, in_at, got, comm));
}

/* --- kernels ------------------------------------------------------------------------------------
 */

enum { EVENTS = 4096 };

static cl_event events[EVENTS];
static size_t event_count;

static void remember(void *data, cl_kernel kernel, cl_event event)
{
    (void)data, (void)kernel;
    if (event_count < EVENTS && event) {
        clRetainEvent(event);
        events[event_count++] = event;
    }
}

static double in_kernels(void)
{
    double sum = 0;
    for (size_t i = 0; i < event_count; i++) {
        cl_ulong begin = 0, end = 0;
        clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
        clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        sum += (double)(end - begin) / 1e6;
        clReleaseEvent(events[i]);
    }
    event_count = 0;
    return sum;
}

/* --- measuring ----------------------------------------------------------------------------------
 */

void must(clade_status status, const char *what)
{
    if (status == CLADE_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, clade_status_name(status), clade_error_last()->message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double slowest(double time)
{
    PMPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return time;
}

/* The first time is not counted: it compiles kernels. */
void measure(struct bench *b, const char *name, uint64_t operations, void *data,
             void (*prepare)(void *data), void (*run)(void *data))
{
    double times[TIMES], messages = 0, kernels = 0;
    for (int i = -1; i < TIMES; i++) {
        if (prepare)
            prepare(data);
        must(clade_finish(b->context), "finish");
        in_kernels();
        in_messages = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = now();
        run(data);
        must(clade_finish(b->context), "finish");
        const double time = slowest(now() - begin);
        if (i < 0)
            continue;
        times[i] = time;
        messages += slowest(in_messages) / TIMES;
        kernels += slowest(in_kernels()) / TIMES;
    }
    qsort(times, TIMES, sizeof *times, ascending);
    if (clade_mpi_rank(b->mpi) == 0) {
        printf("%-34s ranks %d  n %llu  ms %.3f (%.3f .. %.3f)  M/s %.1f  messages %.3f  kernels "
               "%.3f\n",
               name, clade_mpi_ranks(b->mpi), (unsigned long long)b->total, times[TIMES / 2],
               times[0], times[TIMES - 1], (double)operations / times[TIMES / 2] / 1e3, messages,
               kernels);
        fflush(stdout);
    }
}

cl_mem buffer(struct bench *b, size_t bytes, const void *content)
{
    cl_int code;
    cl_mem mem = clCreateBuffer(clade_context_cl_context(b->context),
                                CL_MEM_READ_WRITE | (content ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                                (void *)(size_t)content, &code);
    if (code != CL_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return mem;
}

uint64_t next(struct bench *b)
{
    uint64_t z = b->seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* --- begin and end ------------------------------------------------------------------------------
 */

void bench_open(struct bench *b, int *count, char ***words)
{
    const clade_context_params params = { .profiling = getenv("PROFILE") != NULL,
                                          .on_launch = getenv("PROFILE") ? remember : NULL };
    MPI_Init(count, words);
    must(clade_mpi_create(&b->mpi, MPI_COMM_WORLD), "communicator");
    must(clade_mpi_context_create(&b->context, b->mpi, &params), "device");
    b->seed = 1 + (uint64_t)clade_mpi_rank(b->mpi) * 0x123456789u;
}

void bench_close(struct bench *b)
{
    clade_context_destroy(&b->context);
    clade_mpi_destroy(&b->mpi);
    MPI_Finalize();
}
