/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded under oclgrind (tests/harness/run-oclgrind): what the host writes or fills becomes a write of
 * the whole buffer.
 *
 * oclgrind 21.10 takes a fill for no initialisation, and with each write by the host it forgets
 * what was initialised in the rest of the buffer, by the host or by kernels; nearly all of an
 * object would be called uninitialised. This way a buffer that the host ever wrote to counts as
 * initialised as a whole. What is not seen then is a kernel that reads a part of it that nobody
 * wrote. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef cl_int write_function(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *,
                              cl_uint, const cl_event *, cl_event *);
typedef cl_int read_function(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint,
                             const cl_event *, cl_event *);

typedef cl_int fill_function(cl_command_queue, cl_mem, const void *, size_t, size_t, size_t,
                             cl_uint, const cl_event *, cl_event *);

/* A function of the library behind this one, as POSIX has it. */
static void next(const char *name, void *function_pointer)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    memcpy(function_pointer, &found, sizeof found);
}

/* The buffer's bytes, or NULL. */
static unsigned char *whole(cl_command_queue queue, cl_mem mem, size_t *size)
{
    unsigned char *bytes = NULL;
    read_function *read;
    next("clEnqueueReadBuffer", &read);
    if (clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof *size, size, NULL) == CL_SUCCESS)
        bytes = malloc(*size);
    if (bytes && read(queue, mem, CL_TRUE, 0, *size, bytes, 0, NULL, NULL) != CL_SUCCESS) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset,
                            size_t bytes, const void *data, cl_uint waits, const cl_event *list,
                            cl_event *event)
{
    write_function *write;
    size_t size = 0;
    unsigned char *all = data ? whole(queue, mem, &size) : NULL;
    cl_int code;
    next("clEnqueueWriteBuffer", &write);
    if (!all || offset > size || bytes > size - offset) {
        free(all);
        return write(queue, mem, blocking, offset, bytes, data, waits, list, event);
    }
    memcpy(all + offset, data, bytes);
    code = write(queue, mem, CL_TRUE, 0, size, all, waits, list, event);
    free(all);
    return code;
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern,
                           size_t pattern_size, size_t offset, size_t bytes, cl_uint waits,
                           const cl_event *list, cl_event *event)
{
    fill_function *fill;
    write_function *write;
    size_t size = 0;
    unsigned char *all;
    next("clEnqueueFillBuffer", &fill);
    next("clEnqueueWriteBuffer", &write);
    /* Its own first: it checks the arguments. */
    cl_int code = fill(queue, mem, pattern, pattern_size, offset, bytes, waits, list, event);
    if (code != CL_SUCCESS)
        return code;
    all = whole(queue, mem, &size);
    if (all)
        code = write(queue, mem, CL_TRUE, 0, size, all, 0, NULL, NULL);
    free(all);
    return code;
}
