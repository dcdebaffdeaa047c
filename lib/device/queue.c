/* SPDX-License-Identifier: Apache-2.0 */
/* Queues that the caller brought. */
#include "device/queue.h"
#include "base/error.h"

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
