/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: what the buffers hold goes into shared memory, the emulator runs there, and it comes
 * back. */
#include "amd/amd.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 4096, GUARD_BYTE = 0xcd };

struct buffer {
    cl_mem mem; /* no part of another */
    size_t bytes, place;
};

struct launch {
    cl_command_queue queue;
    const struct amd_kernel *kernel;
    struct buffer buffers[ARGUMENTS_MOST];
    size_t count, used; /* buffers; bytes of the shared memory */
    size_t sizes[3][3]; /* items, items of a group, offsets */
};

static size_t info_of(cl_mem mem, cl_mem_info what)
{
    size_t value = 0;
    clGetMemObjectInfo(mem, what, sizeof value, &value, NULL);
    return value;
}

/* Where the buffer is, in shared memory; each is there once, whatever parts of it are arguments. */
static cl_int bring(struct launch *launch, cl_mem mem, size_t *place)
{
    cl_mem whole = NULL;
    size_t offset = 0;
    clGetMemObjectInfo(mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL);
    if (whole)
        offset = info_of(mem, CL_MEM_OFFSET);
    else
        whole = mem;
    for (size_t i = 0; i < launch->count; i++)
        if (launch->buffers[i].mem == whole) {
            *place = launch->buffers[i].place + offset;
            return CL_SUCCESS;
        }
    struct buffer *buffer = &launch->buffers[launch->count++];
    *buffer = (struct buffer) { whole, info_of(whole, CL_MEM_SIZE), launch->used };
    launch->used += ((buffer->bytes + GUARD - 1) / GUARD + 1) * GUARD;
    if (buffer->bytes == 0 || launch->used > SHARED_BYTES)
        return CL_OUT_OF_RESOURCES;
    memset(amd_memory() + buffer->place + buffer->bytes, GUARD_BYTE,
           launch->used - buffer->place - buffer->bytes);
    *place = buffer->place + offset;
    return clEnqueueReadBuffer(launch->queue, whole, CL_TRUE, 0, buffer->bytes,
                               amd_memory() + buffer->place, 0, NULL, NULL);
}

static cl_int take_back(const struct launch *launch)
{
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < launch->count && code == CL_SUCCESS; i++) {
        const struct buffer *buffer = &launch->buffers[i];
        const size_t end = i + 1 < launch->count ? launch->buffers[i + 1].place : launch->used;
        for (size_t at = buffer->place + buffer->bytes; at < end; at++)
            if (amd_memory()[at] != GUARD_BYTE) {
                fprintf(stderr, "tests/amd: %s wrote %zu bytes after the end of a buffer\n",
                        launch->kernel->name, at - buffer->place - buffer->bytes);
                abort();
            }
        code = clEnqueueWriteBuffer(launch->queue, buffer->mem, CL_TRUE, 0, buffer->bytes,
                                    amd_memory() + buffer->place, 0, NULL, NULL);
    }
    return code;
}

static cl_int add_argument(struct launch *launch, FILE *text, const struct argument *argument)
{
    size_t place = 0;
    if (argument->kind == 'l')
        return fprintf(text, " l%zu", argument->size) > 0 ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (argument->kind == 'v') {
        fprintf(text, " v");
        for (size_t i = 0; i < argument->size; i++)
            fprintf(text, "%02x", argument->value[i]);
        return CL_SUCCESS;
    }
    if (!argument->mem)
        return fprintf(text, " g-") > 0 ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    const cl_int code = bring(launch, argument->mem, &place);
    fprintf(text, " g%zu", place);
    return code;
}

static cl_int run(struct launch *launch)
{
    char *text = NULL;
    size_t length = 0;
    cl_int code = CL_SUCCESS;
    const struct amd_kernel *kernel = launch->kernel;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return CL_OUT_OF_HOST_MEMORY;
    fprintf(stream, "launch %u %s", kernel->program->number, kernel->name);
    for (int i = 0; i < 9; i++)
        fprintf(stream, " %zu", launch->sizes[i / 3][i % 3]);
    for (size_t i = 0; i < kernel->count && code == CL_SUCCESS; i++)
        code = add_argument(launch, stream, &kernel->arguments[i]);
    fclose(stream);
    char *answer = code == CL_SUCCESS ? amd_ask(text, length) : NULL;
    free(text);
    if (answer && strncmp(answer, "ok", 2) != 0) {
        fprintf(stderr, "tests/amd: %s: %s\n", kernel->name, answer + 3);
        code = CL_OUT_OF_RESOURCES;
    }
    free(answer);
    return code == CL_SUCCESS ? take_back(launch) : code;
}

/* A size for groups that the caller leaves to the device. */
static size_t own_size(size_t items)
{
    size_t size = 64;
    while (items % size != 0)
        size /= 2;
    return size;
}

static cl_int check(const struct launch *launch)
{
    size_t items = 1;
    for (size_t i = 0; i < launch->kernel->count; i++)
        if (!launch->kernel->arguments[i].is_set)
            return CL_INVALID_KERNEL_ARGS;
    for (int i = 0; i < 3; i++) {
        if (launch->sizes[0][i] == 0)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (launch->sizes[1][i] == 0 || launch->sizes[0][i] % launch->sizes[1][i] != 0)
            return CL_INVALID_WORK_GROUP_SIZE;
        items *= launch->sizes[1][i];
    }
    return items > launch->kernel->group_size_most ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint waits, const cl_event *list, cl_event *event)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct launch launch = { .queue = queue,
                             .kernel = (const struct amd_kernel *)kernel,
                             .sizes = { { 1, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 } } };
    for (cl_uint i = 0; i < dimensions; i++) {
        launch.sizes[0][i] = global[i];
        launch.sizes[1][i] = local ? local[i] : i == 0 ? own_size(global[i]) : 1;
        launch.sizes[2][i] = offset ? offset[i] : 0;
    }
    cl_int code = check(&launch);
    if (code == CL_SUCCESS && waits > 0)
        code = clWaitForEvents(waits, list);
    if (code == CL_SUCCESS)
        code = clFinish(queue);
    if (code != CL_SUCCESS)
        return code;
    pthread_mutex_lock(&mutex);
    code = run(&launch);
    pthread_mutex_unlock(&mutex);
    if (code == CL_SUCCESS && event)
        code = clEnqueueMarkerWithWaitList(queue, 0, NULL, event);
    return code;
}
