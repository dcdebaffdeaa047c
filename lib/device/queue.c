/* SPDX-License-Identifier: Apache-2.0 */
/* Command queues: whether a caller's may be used, how buffers are filled, and the wait until one is
 * empty. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "device/queue.h"

clade_status cladei_queue_check(cl_command_queue queue, cl_context context, cl_device_id device)
{
    clade_status status = CLADE_OK;
    cl_context its = NULL;
    cl_device_id on = NULL;
    cl_command_queue_properties properties = 0;
    CLADE_CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof its, &its, NULL));
    CLADE_REQUIRE(its == context, CLADE_E_ARG, "the queue is of another OpenCL context");
    CLADE_CL(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof on, &on, NULL));
    CLADE_REQUIRE(on == device, CLADE_E_ARG, "the queue is of another device");
    CLADE_CL(
        clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    CLADE_REQUIRE(!(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), CLADE_E_ARG,
                  "the queue is out-of-order, and clade's calls need an in-order one: leave it "
                  "NULL, and order the call with your commands by the launch's events");
fail:
    return status;
}

bool cladei_finish_forgets(const char *platform)
{
    return strstr(platform, "rusticl") != NULL;
}

/* Also without the marker: the caller gives memory back that commands may use. */
static cl_int finish(const clade_context *context, cl_command_queue queue)
{
    const cl_int marked =
        context->finish_forgets ? clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL) : CL_SUCCESS;
    const cl_int finished = clFinish(queue);
    return finished != CL_SUCCESS ? finished : marked;
}

clade_status cladei_queue_finish(const clade_context *context, cl_command_queue queue)
{
    clade_status status = CLADE_OK;
    const cl_int code = finish(context, queue);
    CLADE_CL_CODE(code, "clFinish");
fail:
    return status;
}

void cladei_queue_settle(const clade_context *context, cl_command_queue queue)
{
    (void)finish(context, queue);
}

size_t cladei_queue_fill_most = ((size_t)1 << 31) - 1; /* patterns of one byte, too */

/* The host brings so much of a large fill; and no copy is longer than the second one. */
enum { SEED = 1 << 16, COPY_MOST = 1 << 30 };

static size_t less_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* `bytes` of the pattern from the byte `first` on, at most SEED. */
static clade_status sow(cl_command_queue queue, cl_mem mem, const void *pattern,
                        size_t pattern_bytes, size_t first, size_t bytes)
{
    clade_status status = CLADE_OK;
    cl_int code;
    cl_context context;
    cl_mem seed = NULL;
    char *copies = malloc(SEED);
    CLADE_NO_MEMORY(copies);
    for (size_t i = 0; i < SEED; i += pattern_bytes)
        memcpy(copies + i, pattern, pattern_bytes);
    CLADE_CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    seed = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, SEED, copies, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    CLADE_CL(clEnqueueCopyBuffer(queue, seed, mem, 0, first, bytes, 0, NULL, NULL));
fail:
    if (seed)
        clReleaseMemObject(seed); /* the driver keeps it until the copy is done */
    free(copies);
    return status;
}

/* What is there is copied behind itself, twice as much each time. */
static clade_status fill_by_copies(cl_command_queue queue, cl_mem mem, const void *pattern,
                                   size_t pattern_bytes, size_t first, size_t bytes)
{
    clade_status status = CLADE_OK;
    size_t done = less_of(bytes, SEED);
    CLADE_TRY(sow(queue, mem, pattern, pattern_bytes, first, done));
    while (done < bytes) {
        const size_t more = less_of(less_of(done, COPY_MOST), bytes - done);
        CLADE_CL(clEnqueueCopyBuffer(queue, mem, mem, first, first + done, more, 0, NULL, NULL));
        done += more;
    }
fail:
    return status;
}

clade_status cladei_queue_fill(cl_command_queue queue, cl_mem mem, const void *pattern,
                               size_t pattern_bytes, size_t first, size_t bytes)
{
    clade_status status = CLADE_OK;
    if (bytes == 0)
        return CLADE_OK;
    if (first + bytes > cladei_queue_fill_most)
        return fill_by_copies(queue, mem, pattern, pattern_bytes, first, bytes);
    CLADE_CL(clEnqueueFillBuffer(queue, mem, pattern, pattern_bytes, first, bytes, 0, NULL, NULL));
fail:
    return status;
}
