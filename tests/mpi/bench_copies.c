/* SPDX-License-Identifier: Apache-2.0 */
/* What the cost model of clade-mpi is made of: how fast bytes move between a device and host memory
 * of several kinds, and between ranks.
 *
 *     mpirun -n RANKS mpi_bench_copies [BYTES]
 *
 * All ranks do the same at once. A line is the best of five times of the slowest rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/measure.h"

enum { TIMES = 5 };

struct copies {
    struct bench *b;
    cl_command_queue queue;
    size_t bytes;
    int rank, other;
    cl_mem device, pinned, over[2]; /* over memory that ranks share: a rank's own, the other's */
    void *ordinary, *locked, *own, *others;
};

static void finish(const struct copies *c)
{
    if (clFinish(c->queue) != CL_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void write_from(const struct copies *c, const void *from)
{
    if (clEnqueueWriteBuffer(c->queue, c->device, CL_FALSE, 0, c->bytes, from, 0, NULL, NULL))
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void read_to(const struct copies *c, void *to)
{
    if (clEnqueueReadBuffer(c->queue, c->device, CL_FALSE, 0, c->bytes, to, 0, NULL, NULL))
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void write_ordinary(const struct copies *c)
{
    write_from(c, c->ordinary);
}

static void read_ordinary(const struct copies *c)
{
    read_to(c, c->ordinary);
}

static void write_locked(const struct copies *c)
{
    write_from(c, c->locked);
}

static void read_locked(const struct copies *c)
{
    read_to(c, c->locked);
}

static void write_others(const struct copies *c)
{
    write_from(c, c->others);
}

static void read_own(const struct copies *c)
{
    read_to(c, c->own);
}

/* A buffer over shared memory that stays mapped, as clade-mpi's slots are wrapped. */
static cl_mem wrap(const struct copies *c, void *memory)
{
    cl_int codes[2];
    cl_mem over = clCreateBuffer(clade_context_cl_context(c->b->context), CL_MEM_USE_HOST_PTR,
                                 c->bytes, memory, &codes[0]);
    if (codes[0] == CL_SUCCESS)
        clEnqueueMapBuffer(c->queue, over, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, c->bytes, 0,
                           NULL, NULL, &codes[1]);
    if (codes[0] || codes[1])
        MPI_Abort(MPI_COMM_WORLD, 1);
    return over;
}

/* Ranks alone have no other's. */
static void wrap_shared(struct copies *c)
{
    const double begin = now();
    c->over[0] = wrap(c, c->own);
    if (c->other != c->rank)
        c->over[1] = wrap(c, c->others);
    if (c->rank == 0)
        printf("%-44s ms %8.3f\n", "to wrap shared memory", now() - begin);
}

static void unwrap(const struct copies *c, cl_mem over, void *memory)
{
    if (!over)
        return;
    clEnqueueUnmapMemObject(c->queue, over, memory, 0, NULL, NULL);
    finish(c);
    clReleaseMemObject(over);
}

static void copy_on_host(const struct copies *c)
{
    memcpy(c->locked, c->ordinary, c->bytes);
}

static void exchange(const struct copies *c)
{
    MPI_Sendrecv(c->locked, (int)c->bytes, MPI_BYTE, c->other, 0, c->ordinary, (int)c->bytes,
                 MPI_BYTE, c->other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void measure_copy(const struct copies *c, const char *name,
                         void (*copy)(const struct copies *c))
{
    double best = 0;
    for (int i = -1; i < TIMES; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = now();
        copy(c);
        finish(c);
        double time = now() - begin;
        MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best = i <= 0 || time < best ? time : best;
    }
    if (c->rank == 0)
        printf("%-44s ms %8.3f  ns for a byte %.4f\n", name, best, best * 1e6 / (double)c->bytes);
}

static void open_copies(struct copies *c, MPI_Win *window)
{
    cl_context context = clade_context_cl_context(c->b->context);
    cl_int codes[2];
    MPI_Aint size;
    int ranks, unit;
    MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    c->other = (c->rank ^ 1) < ranks ? c->rank ^ 1 : c->rank;
    c->queue = clade_context_cl_queue(c->b->context);
    c->device = buffer(c->b, c->bytes);
    c->pinned = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, c->bytes, NULL, &codes[0]);
    c->locked = clEnqueueMapBuffer(c->queue, c->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                   c->bytes, 0, NULL, NULL, &codes[1]);
    c->ordinary = calloc(c->bytes, 1);
    MPI_Win_allocate_shared((MPI_Aint)c->bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &c->own, window);
    MPI_Win_shared_query(*window, c->other, &size, &unit, &c->others);
    memset(c->own, 1, c->bytes);
    if (codes[0] || codes[1] || !c->ordinary)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void close_copies(struct copies *c, MPI_Win *window)
{
    clEnqueueUnmapMemObject(c->queue, c->pinned, c->locked, 0, NULL, NULL);
    finish(c);
    clReleaseMemObject(c->device);
    clReleaseMemObject(c->pinned);
    unwrap(c, c->over[0], c->own);
    unwrap(c, c->over[1], c->others);
    MPI_Win_free(window);
    free(c->ordinary);
}

int main(int count, char **words)
{
    struct bench b = { 0 };
    MPI_Win window;
    bench_open(&b, &count, &words);
    struct copies c = { .b = &b, .bytes = count > 1 ? strtoull(words[1], NULL, 0) : 64u << 20 };
    open_copies(&c, &window);
    measure_copy(&c, "ordinary memory to the device (g)", write_ordinary);
    measure_copy(&c, "device to ordinary memory (g)", read_ordinary);
    measure_copy(&c, "page-locked memory to the device (h)", write_locked);
    measure_copy(&c, "device to page-locked memory (h)", read_locked);
    measure_copy(&c, "shared memory of the other rank to the device", write_others);
    measure_copy(&c, "device to own shared memory", read_own);
    wrap_shared(&c);
    measure_copy(&c, "the other rank's, wrapped, to the device", write_others);
    measure_copy(&c, "device to own shared memory, wrapped", read_own);
    measure_copy(&c, "ordinary to page-locked memory", copy_on_host);
    measure_copy(&c, "messages both ways (beta)", exchange);
    close_copies(&c, &window);
    bench_close(&b);
    return 0;
}
