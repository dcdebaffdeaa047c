/* SPDX-License-Identifier: Apache-2.0 */
#include "search/bestfirst.h"

#include <stdio.h>

#include "common/clock.h"
#include "common/failure.h"

/* Batches that one group takes in one launch, so that no launch lasts long; fewer where the driver
 * limits loops (clade_caps.loop_limit), and in the first launch, which has little to do. */
enum { ROUNDS = 64, ROUNDS_SHORT = 2, ROUNDS_FIRST = 8, IDLE_MAX = 1000 };

/* --- failing -------------------------------------------------------------------------------- */

bool bestfirst_cl(struct bestfirst *b, const char *call, cl_int code)
{
    return failure_none_cl(b->error, b->error_size, call, code);
}

bool bestfirst_clade(struct bestfirst *b, clade_status status)
{
    return failure_none(b->error, b->error_size, status);
}

bool bestfirst_frontier(struct bestfirst *b, bool fine)
{
    if (!fine)
        snprintf(b->error, b->error_size, "%s", b->frontier.error);
    return fine;
}

/* --- setting up ----------------------------------------------------------------------------- */

void bestfirst_choose(struct bestfirst *b, uint32_t groups, uint32_t gpu_groups, uint32_t batch)
{
    const clade_caps *caps = clade_context_caps(b->context);
    b->group_size = caps->is_cpu ? 1 : 256;
    /* A driver that leaves long loops leaves waits for locks as well: one group has no waits. */
    b->groups = caps->loop_limit ? 1
                : groups         ? groups
                : caps->is_cpu   ? caps->compute_units
                                 : gpu_groups;
    b->batch = batch ? batch : caps->is_cpu ? 512 : 1024;
    b->rounds = caps->loop_limit ? ROUNDS_SHORT : ROUNDS;
}

bool bestfirst_open(struct bestfirst *b, struct frontier_params params)
{
    params.batch = b->batch;
    params.groups = b->groups;
    return bestfirst_frontier(b, frontier_create(&b->frontier, b->context, &params));
}

bool bestfirst_build(struct bestfirst *b, const char *file, const char *options, const char *kernel)
{
    const clade_program_params params = { .file = file, .options = options };
    return bestfirst_clade(b, clade_program_build(&b->program, b->context, &params)) &&
           bestfirst_clade(b, clade_program_kernel(&b->expand, b->program, kernel));
}

static bool set(struct bestfirst *b, size_t size, const void *value)
{
    return bestfirst_cl(b, "clSetKernelArg",
                        clSetKernelArg(b->expand, b->arguments++, size, value));
}

bool bestfirst_set(struct bestfirst *b, const cl_mem *mems, size_t mem_count, const cl_uint *words,
                   size_t word_count)
{
    const cl_mem heap = clade_heap_mem(b->frontier.heap);
    const cl_mem spills[] = { b->frontier.spill_key, b->frontier.spill_value,
                              b->frontier.spill_count };
    b->arguments = 0;
    bool fine = set(b, sizeof heap, &heap);
    for (size_t i = 0; fine && i < mem_count; i++)
        fine = set(b, sizeof mems[i], &mems[i]);
    for (size_t i = 0; fine && i < sizeof spills / sizeof spills[0]; i++)
        fine = set(b, sizeof spills[i], &spills[i]);
    for (size_t i = 0; fine && i < word_count; i++)
        fine = set(b, sizeof words[i], &words[i]);
    return fine;
}

void bestfirst_close(struct bestfirst *b, const cl_mem *mems, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    if (b->expand)
        clReleaseKernel(b->expand);
    clade_program_destroy(&b->program);
    frontier_destroy(&b->frontier);
}

/* --- buffers -------------------------------------------------------------------------------- */

bool bestfirst_buffer(struct bestfirst *b, cl_mem *mem, size_t bytes)
{
    cl_int code;
    *mem =
        clCreateBuffer(clade_context_cl_context(b->context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    return bestfirst_cl(b, "clCreateBuffer", code);
}

bool bestfirst_read(struct bestfirst *b, cl_mem mem, size_t offset, void *to, size_t bytes)
{
    return bestfirst_cl(
        b, "clEnqueueReadBuffer",
        clEnqueueReadBuffer(b->queue, mem, CL_TRUE, offset, bytes, to, 0, NULL, NULL));
}

bool bestfirst_write(struct bestfirst *b, cl_mem mem, size_t offset, const void *from, size_t bytes)
{
    return bestfirst_cl(
        b, "clEnqueueWriteBuffer",
        clEnqueueWriteBuffer(b->queue, mem, CL_TRUE, offset, bytes, from, 0, NULL, NULL));
}

bool bestfirst_fill(struct bestfirst *b, cl_mem mem, cl_uint word, size_t bytes)
{
    return bestfirst_cl(
        b, "clEnqueueFillBuffer",
        clEnqueueFillBuffer(b->queue, mem, &word, sizeof word, 0, bytes, 0, NULL, NULL));
}

/* --- launching ------------------------------------------------------------------------------ */

bool bestfirst_launch(struct bestfirst *b, size_t groups, cl_uint rounds)
{
    const size_t items = groups * b->group_size;
    return bestfirst_cl(b, "clSetKernelArg",
                        clSetKernelArg(b->expand, b->arguments, sizeof rounds, &rounds)) &&
           bestfirst_cl(b, "clEnqueueNDRangeKernel",
                        clEnqueueNDRangeKernel(b->queue, b->expand, 1, NULL, &items, &b->group_size,
                                               0, NULL, NULL));
}

bool bestfirst_run(struct bestfirst *b, const struct bestfirst_steps *steps)
{
    unsigned idle = 0; /* launches in a row that took no entry */
    cl_uint rounds = b->rounds < ROUNDS_FIRST ? b->rounds : ROUNDS_FIRST;
    while (b->frontier.size + b->frontier.stored > 0 &&
           !(steps->stops && steps->stops(steps->user))) {
        const uint64_t before = steps->taken(steps->user);
        /* No more groups than there is work for: an idle one only gets in the way. */
        size_t groups = (size_t)(b->frontier.size / steps->take) + 1;
        if (groups > b->groups)
            groups = b->groups;
        if (!bestfirst_launch(b, groups, rounds) || !steps->look(steps->user, groups))
            return false;
        idle = steps->taken(steps->user) > before ? 0 : idle + 1;
        if (idle > IDLE_MAX) {
            snprintf(b->error, b->error_size, "the search made no progress in %u launches", idle);
            return false;
        }
        rounds = b->rounds;
    }
    return true;
}
