/* SPDX-License-Identifier: Apache-2.0 */
/* Command queues: whether a caller's may be used, how buffers are filled, and the wait until one is
 * empty. */
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

static cl_int finish(const clade_context *context, cl_command_queue queue)
{
    if (context->finish_forgets) {
        const cl_int code = clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
        if (code != CL_SUCCESS)
            return code;
    }
    return clFinish(queue);
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

/* NVIDIA's driver (580) counts patterns in 32 bits: of 2^31 of them a command did not end, and of
 * more than 2^32 it filled the first few and said that all was well. */
#define PATTERNS_MOST ((size_t)1 << 28)

clade_status cladei_queue_fill(cl_command_queue queue, cl_mem mem, const void *pattern,
                               size_t pattern_bytes, size_t first, size_t bytes)
{
    clade_status status = CLADE_OK;
    while (bytes > 0) {
        const size_t most = PATTERNS_MOST * pattern_bytes, piece = bytes < most ? bytes : most;
        CLADE_CL(
            clEnqueueFillBuffer(queue, mem, pattern, pattern_bytes, first, piece, 0, NULL, NULL));
        first += piece;
        bytes -= piece;
    }
fail:
    return status;
}
