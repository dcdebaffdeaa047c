/* SPDX-License-Identifier: Apache-2.0 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "fault/fault.h"

#include <stdatomic.h>

static atomic_bool armed;
static _Atomic uint64_t countdown;
static atomic_bool fired, for_ever;
static const char *_Atomic name;
static _Atomic(cl_event) looked_at; /* by the last guarded call */

void fault_arm(uint64_t nth)
{
    fired = for_ever = false;
    countdown = nth;
    armed = true;
}

void fault_arm_from(uint64_t nth)
{
    fault_arm(nth);
    for_ever = true;
}

bool fault_disarm(void)
{
    armed = false;
    return fired;
}

const char *fault_name(void)
{
    const char *last = name;
    return last ? last : "";
}

static bool must_fail(const char *function)
{
    looked_at = NULL;
    if (!armed)
        return false;
    if (fired && for_ever)
        return true;
    if (countdown == 0 || atomic_fetch_sub(&countdown, 1) != 1)
        return false;
    fired = true;
    name = function;
    return true;
}

static uint64_t every(clade_status (*operation)(void *data), void (*after)(void *data), void *data,
                      void (*arm)(uint64_t nth))
{
    uint64_t n = 0;
    for (bool reached = true; reached; n++) {
        arm(n + 1);
        clade_status status = operation(data);
        reached = fault_disarm();
        /* A build that failed for want of memory is CLADE_E_NOMEM. */
        const bool was_memory = strstr(fault_name(), "alloc") != NULL;
        bool allowed =
            status == CLADE_OK ||
            (reached && (status == CLADE_E_NOMEM || status == CLADE_E_DEVICE ||
                         status == CLADE_E_UNSUPPORTED || status == CLADE_E_NOT_FOUND ||
                         status == CLADE_E_IO || (status == CLADE_E_BUILD && !was_memory)));
        if (!allowed)
            print_error("call %llu (%s): %s: %s\n", (unsigned long long)n + 1, fault_name(),
                        clade_status_name(status), clade_error_last()->message);
        assert_true(allowed);
        if (status != CLADE_OK) { /* and no clean-up that failed as well took its place */
            assert_int_equal(clade_error_last()->status, status);
            assert_true(clade_error_last()->message[0] != '\0');
        }
        if (after)
            after(data);
    }
    return n - 1;
}

uint64_t fault_every(clade_status (*operation)(void *data), void (*after)(void *data), void *data)
{
    return every(operation, after, data, fault_arm);
}

uint64_t fault_from_every(clade_status (*operation)(void *data), void (*after)(void *data),
                          void *data)
{
    return every(operation, after, data, fault_arm_from);
}

/* --- the wrapped functions ------------------------------------------------------------------ */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);

void *__wrap_malloc(size_t size)
{
    return must_fail("malloc") ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail("calloc") ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *pointer, size_t size)
{
    return must_fail("realloc") ? NULL : __real_realloc(pointer, size);
}

/* Functions that return their code. */
#define WRAP_CODE(function, parameters, arguments)                     \
    cl_int __real_##function parameters;                               \
    cl_int __wrap_##function parameters;                               \
    cl_int __wrap_##function parameters                                \
    {                                                                  \
        return must_fail(#function) ? CL_MEM_OBJECT_ALLOCATION_FAILURE \
                                    : __real_##function arguments;     \
    }

/* Functions that return an object and write their code to `code`. */
#define WRAP_OBJECT(type, function, parameters, arguments) \
    type __real_##function parameters;                     \
    type __wrap_##function parameters;                     \
    type __wrap_##function parameters                      \
    {                                                      \
        if (!must_fail(#function))                         \
            return __real_##function arguments;            \
        if (code)                                          \
            *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;      \
        return NULL;                                       \
    }

WRAP_CODE(clGetPlatformIDs, (cl_uint n, cl_platform_id *ids, cl_uint *count), (n, ids, count))
WRAP_CODE(clGetPlatformInfo,
          (cl_platform_id p, cl_platform_info what, size_t n, void *to, size_t *size),
          (p, what, n, to, size))
WRAP_CODE(clGetDeviceIDs,
          (cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *ids, cl_uint *count),
          (p, type, n, ids, count))
WRAP_CODE(clGetDeviceInfo, (cl_device_id d, cl_device_info what, size_t n, void *to, size_t *size),
          (d, what, n, to, size))
WRAP_OBJECT(cl_context, clCreateContext,
            (const cl_context_properties *properties, cl_uint n, const cl_device_id *ids,
             void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
             cl_int *code),
            (properties, n, ids, notify, user, code))
WRAP_OBJECT(cl_command_queue, clCreateCommandQueue,
            (cl_context c, cl_device_id d, cl_command_queue_properties properties, cl_int *code),
            (c, d, properties, code))
WRAP_OBJECT(cl_mem, clCreateBuffer,
            (cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *code),
            (c, flags, size, host, code))
WRAP_OBJECT(cl_program, clCreateProgramWithSource,
            (cl_context c, cl_uint n, const char **texts, const size_t *sizes, cl_int *code),
            (c, n, texts, sizes, code))
WRAP_OBJECT(cl_program, clCreateProgramWithBinary,
            (cl_context c, cl_uint n, const cl_device_id *ids, const size_t *sizes,
             const unsigned char **binaries, cl_int *codes, cl_int *code),
            (c, n, ids, sizes, binaries, codes, code))
WRAP_CODE(clBuildProgram,
          (cl_program p, cl_uint n, const cl_device_id *ids, const char *options,
           void(CL_CALLBACK *notify)(cl_program, void *), void *user),
          (p, n, ids, options, notify, user))
WRAP_CODE(clGetProgramInfo, (cl_program p, cl_program_info what, size_t n, void *to, size_t *size),
          (p, what, n, to, size))
WRAP_CODE(clGetProgramBuildInfo,
          (cl_program p, cl_device_id d, cl_program_build_info what, size_t n, void *to,
           size_t *size),
          (p, d, what, n, to, size))
WRAP_OBJECT(cl_kernel, clCreateKernel, (cl_program p, const char *kernel, cl_int *code),
            (p, kernel, code))
WRAP_CODE(clCreateKernelsInProgram, (cl_program p, cl_uint n, cl_kernel *kernels, cl_uint *count),
          (p, n, kernels, count))
WRAP_CODE(clSetKernelArg, (cl_kernel k, cl_uint i, size_t size, const void *value),
          (k, i, size, value))
WRAP_CODE(clGetKernelWorkGroupInfo,
          (cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, size_t n, void *to,
           size_t *size),
          (k, d, what, n, to, size))
WRAP_CODE(clGetMemObjectInfo, (cl_mem m, cl_mem_info what, size_t n, void *to, size_t *size),
          (m, what, n, to, size))
WRAP_OBJECT(cl_mem, clCreateSubBuffer,
            (cl_mem m, cl_mem_flags flags, cl_buffer_create_type type, const void *how,
             cl_int *code),
            (m, flags, type, how, code))
WRAP_CODE(clGetContextInfo, (cl_context c, cl_context_info what, size_t n, void *to, size_t *size),
          (c, what, n, to, size))
WRAP_CODE(clGetCommandQueueInfo,
          (cl_command_queue q, cl_command_queue_info what, size_t n, void *to, size_t *size),
          (q, what, n, to, size))

/* Who waits looks at an event as often as the driver needs time: of such looks the first counts. */
cl_int __real_clGetEventInfo(cl_event e, cl_event_info what, size_t n, void *to, size_t *size);
cl_int __wrap_clGetEventInfo(cl_event e, cl_event_info what, size_t n, void *to, size_t *size);
cl_int __wrap_clGetEventInfo(cl_event e, cl_event_info what, size_t n, void *to, size_t *size)
{
    const bool again = what == CL_EVENT_COMMAND_EXECUTION_STATUS && looked_at == e;
    const bool fails = !again && must_fail("clGetEventInfo");
    looked_at = what == CL_EVENT_COMMAND_EXECUTION_STATUS ? e : NULL;
    return fails ? CL_MEM_OBJECT_ALLOCATION_FAILURE : __real_clGetEventInfo(e, what, n, to, size);
}

WRAP_CODE(clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))
WRAP_CODE(clRetainContext, (cl_context c), (c))
WRAP_CODE(clRetainDevice, (cl_device_id d), (d))
WRAP_CODE(clRetainCommandQueue, (cl_command_queue q), (q))
WRAP_CODE(clEnqueueNDRangeKernel,
          (cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *items,
           const size_t *group, cl_uint n, const cl_event *wait, cl_event *event),
          (q, k, dims, offset, items, group, n, wait, event))
WRAP_CODE(clEnqueueReadBuffer,
          (cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size, void *to,
           cl_uint n, const cl_event *wait, cl_event *event),
          (q, m, blocking, offset, size, to, n, wait, event))
WRAP_CODE(clEnqueueWriteBuffer,
          (cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
           const void *from, cl_uint n, const cl_event *wait, cl_event *event),
          (q, m, blocking, offset, size, from, n, wait, event))
WRAP_CODE(clEnqueueFillBuffer,
          (cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_size, size_t offset,
           size_t size, cl_uint n, const cl_event *wait, cl_event *event),
          (q, m, pattern, pattern_size, offset, size, n, wait, event))
WRAP_CODE(clEnqueueCopyBuffer,
          (cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
           size_t size, cl_uint n, const cl_event *wait, cl_event *event),
          (q, from, to, from_offset, to_offset, size, n, wait, event))
WRAP_CODE(clEnqueueBarrierWithWaitList,
          (cl_command_queue q, cl_uint n, const cl_event *wait, cl_event *event),
          (q, n, wait, event))
WRAP_CODE(clEnqueueMarkerWithWaitList,
          (cl_command_queue q, cl_uint n, const cl_event *wait, cl_event *event),
          (q, n, wait, event))
WRAP_CODE(clFlush, (cl_command_queue q), (q))
WRAP_CODE(clFinish, (cl_command_queue q), (q))
