/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
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

/* What is moved: bytes to the device, from there and on it, and bytes in messages to other ranks.
 */
struct moved {
    double to_device, from_device, on_device, sent, calls;
};
static struct moved moved;

#define TIMED(call)                    \
    do {                               \
        const double begin_ = now();   \
        const int code_ = (call);      \
        moved.calls++;                 \
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
    int bytes, me, ranks;
    MPI_Type_size(sent, &bytes);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; r++)
        moved.sent += r == me ? 0 : (double)bytes * out[r];
    TIMED(PMPI_Alltoallv(from, out, out_at, sent, to, in, in_at, got, comm));
}

/* --- OpenCL, counted: the libraries' calls come here first, too ---------------------------------
 */

/* The call that would have been reached. A pointer to data becomes one to a function. */
#define NEXT(call)                    \
    union {                           \
        void *data;                   \
        __typeof__(&(call)) function; \
    } next_ = { dlsym(RTLD_NEXT, #call) };

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool waits, size_t offset,
                            size_t bytes, const void *from, cl_uint count, const cl_event *events,
                            cl_event *event)
{
    NEXT(clEnqueueWriteBuffer)
    moved.to_device += (double)bytes;
    return next_.function(queue, mem, waits, offset, bytes, from, count, events, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool waits, size_t offset,
                           size_t bytes, void *to, cl_uint count, const cl_event *events,
                           cl_event *event)
{
    NEXT(clEnqueueReadBuffer)
    moved.from_device += (double)bytes;
    return next_.function(queue, mem, waits, offset, bytes, to, count, events, event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                           size_t to_offset, size_t bytes, cl_uint count, const cl_event *events,
                           cl_event *event)
{
    NEXT(clEnqueueCopyBuffer)
    moved.on_device += (double)bytes;
    return next_.function(queue, from, to, from_offset, to_offset, bytes, count, events, event);
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

struct times {
    double all[TIMES], messages, kernels;
    struct moved moved; /* of the last one */
};

static void run_once(struct bench *b, const struct subject *subject, void (*run)(void *data),
                     struct times *times, int i)
{
    if (subject->prepare)
        subject->prepare(subject->data);
    must(clade_finish(b->context), "finish");
    in_kernels();
    in_messages = 0;
    moved = (struct moved) { 0 };
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    run(subject->data);
    must(clade_finish(b->context), "finish");
    const double time = slowest(now() - begin);
    if (i < 0)
        return;
    times->all[i] = time;
    times->moved = moved;
    times->messages += slowest(in_messages) / TIMES;
    times->kernels += slowest(in_kernels()) / TIMES;
}

/* Of rank 0, for each of its operations. */
static void print_moved(const struct subject *subject, const struct moved *m, int ranks)
{
    const double own = (double)subject->operations / ranks;
    printf("    bytes for an operation: to the device %.2f, from it %.2f, on it %.2f, in messages "
           "%.2f; calls of MPI %.0f\n",
           m->to_device / own, m->from_device / own, m->on_device / own, m->sent / own, m->calls);
}

static void print(struct bench *b, const struct subject *subject, const char *suffix,
                  struct times *times)
{
    char name[80];
    snprintf(name, sizeof name, "%s%s", subject->name, suffix);
    qsort(times->all, TIMES, sizeof *times->all, ascending);
    const double median = times->all[TIMES / 2];
    if (clade_mpi_rank(b->mpi) > 0)
        return;
    printf("%-34s ranks %d  n %llu  ms %.3f (%.3f .. %.3f)  M/s %.1f  messages %.3f  kernels "
           "%.3f\n",
           name, clade_mpi_ranks(b->mpi), (unsigned long long)b->total, median, times->all[0],
           times->all[TIMES - 1], (double)subject->operations / median / 1e3, times->messages,
           times->kernels);
    if (getenv("MOVED"))
        print_moved(subject, &times->moved, clade_mpi_ranks(b->mpi));
    fflush(stdout);
}

void measure(struct bench *b, const struct subject *subject)
{
    struct times times = { 0 }, alone = { 0 };
    const bool has_plain = subject->plain && clade_mpi_ranks(b->mpi) == 1;
    for (int i = -1; i < TIMES; i++) {
        run_once(b, subject, subject->run, &times, i);
        if (has_plain)
            run_once(b, subject, subject->plain, &alone, i);
    }
    print(b, subject, "", &times);
    if (has_plain)
        print(b, subject, " plain", &alone);
}

/* --- data ---------------------------------------------------------------------------------------
 */

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, code);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

cl_mem buffer(struct bench *b, uint64_t bytes)
{
    cl_int code;
    cl_mem mem = clCreateBuffer(clade_context_cl_context(b->context), CL_MEM_READ_WRITE,
                                (size_t)bytes, NULL, &code);
    check(code, "buffer");
    return mem;
}

static const char *const source =
    "__kernel void fill(__global uint *to, ulong words, ulong seed, uint as_float)\n"
    "{\n"
    "    for (ulong i = get_global_id(0); i < words; i += get_global_size(0)) {\n"
    "        ulong z = seed + i * 0x9e3779b97f4a7c15ul;\n"
    "        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ul;\n"
    "        z = (z ^ (z >> 27)) * 0x94d049bb133111ebul;\n"
    "        z ^= z >> 31;\n"
    "        to[i] = as_float ? as_uint((float)(z >> 24) / 65536.0f) : (uint)z;\n"
    "    }\n"
    "}\n";

void fill(struct bench *b, cl_mem mem, uint64_t words, bool as_float)
{
    cl_int code;
    const size_t items = 1 << 16;
    const cl_ulong count = words, seed = b->seed += 0x123456789abcdefu;
    const cl_uint real = as_float;
    if (!b->program) {
        b->program = clCreateProgramWithSource(clade_context_cl_context(b->context), 1,
                                               (const char **)(size_t)&source, NULL, &code);
        check(code, "program");
        check(clBuildProgram(b->program, 0, NULL, "", NULL, NULL), "program");
    }
    cl_kernel kernel = clCreateKernel(b->program, "fill", &code);
    check(code, "kernel");
    clSetKernelArg(kernel, 0, sizeof mem, &mem);
    clSetKernelArg(kernel, 1, sizeof count, &count);
    clSetKernelArg(kernel, 2, sizeof seed, &seed);
    clSetKernelArg(kernel, 3, sizeof real, &real);
    check(clEnqueueNDRangeKernel(clade_context_cl_queue(b->context), kernel, 1, NULL, &items, NULL,
                                 0, NULL, NULL),
          "launch");
    check(clFinish(clade_context_cl_queue(b->context)), "launch");
    clReleaseKernel(kernel);
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
    if (b->program)
        clReleaseProgram(b->program);
    clade_context_destroy(&b->context);
    clade_mpi_destroy(&b->mpi);
    MPI_Finalize();
}
