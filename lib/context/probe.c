/* SPDX-License-Identifier: Apache-2.0 */
/* What a device can do, tried out where OpenCL may not answer truly. */
#include <string.h>

#include "base/error.h"
#include "context/probe.h"
#include "device/context.h"
#include "program/program.h"

static bool is_nvidia(const clade_context *context)
{
    return strstr(context->info.platform, "NVIDIA") != NULL;
}

/* OpenCL C 2.x has device-scope acquire and release for every device; 3.0 makes them optional.
 * CL_DEVICE_VERSION begins with "OpenCL M.m". */
static bool may_have_c11(const clade_context *context, const char **language)
{
    const char *version = context->info.device_version;
    if (strncmp(version, "OpenCL 2.", 9) == 0) {
        *language = "CL2.0";
        return true;
    }
    cl_device_atomic_capabilities memory = 0, fence = 0;
    const cl_device_atomic_capabilities need =
        CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
    *language = "CL3.0";
    return strncmp(version, "OpenCL 3.", 9) == 0 &&
           clGetDeviceInfo(context->device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof memory,
                           &memory, NULL) == CL_SUCCESS &&
           clGetDeviceInfo(context->device, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, sizeof fence,
                           &fence, NULL) == CL_SUCCESS &&
           (memory & need) == need && (fence & need) == need;
}

/* cl_nv_device_attribute_query: not in every OpenCL header. 0 where it is not known. */
static cl_uint nvidia_capability(cl_device_id device)
{
    const cl_device_info compute_capability_major = 0x4000;
    cl_uint major = 0;
    return clGetDeviceInfo(device, compute_capability_major, sizeof major, &major, NULL) ==
                   CL_SUCCESS
               ? major
               : 0;
}

/* Dialects that need no try: building a program only to see them again is a good part of a start.
 * `clade selftest` tries each harder than the probe does.
 *   c11   PoCL 3.1, 5.0 on CPUs: host threads, and clang's own atomics. The tests found its report
 *         true. What PoCL says of GPUs, by Level Zero, is tried.
 *   ptx   NVIDIA from compute capability 7.0 on: PTX 6.0 has the instructions for each of them (PTX
 *         ISA, "Memory Consistency Model"), and no driver for such a device is older than PTX 6.0.
 */
bool cladei_dialect_is_believed(const char *platform, const clade_caps *caps, unsigned capability)
{
    if (caps->atomics == CLADE_ATOMICS_C11)
        return caps->is_cpu && strcmp(platform, "Portable Computing Language") == 0;
    return caps->atomics == CLADE_ATOMICS_PTX && capability >= 7;
}

static bool is_believed(const clade_context *context)
{
    const bool asks = context->caps.atomics == CLADE_ATOMICS_PTX;
    return cladei_dialect_is_believed(context->info.platform, &context->caps,
                                      asks ? nvidia_capability(context->device) : 0);
}

static const cl_uint probe_result[4] = { 7, 5, 5, 12 };

/* Build cl/kernels/probe.cl in the context's dialect, run it, compare what it wrote. */
static clade_status run_probe(clade_context *context)
{
    clade_status status = CLADE_OK;
    clade_program *program = NULL;
    cl_kernel kernel = NULL;
    cl_mem mem = NULL;
    cl_int code;
    const cl_uint zero[4] = { 0 };
    cl_uint result[4] = { 0 };
    const size_t one = 1;
    CLADE_TRY(cladei_program_build_passing(&program, context, "kernels/probe.cl"));
    CLADE_TRY(clade_program_kernel(&kernel, program, "clade_probe"));
    mem = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero,
                         (void *)(size_t)zero, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    CLADE_CL(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    CLADE_CL(clEnqueueNDRangeKernel(context->queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    CLADE_CL(
        clEnqueueReadBuffer(context->queue, mem, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
    CLADE_REQUIRE(memcmp(result, probe_result, sizeof result) == 0, CLADE_E_UNSUPPORTED,
                  "the probe kernel computed %u %u %u %u, not 7 5 5 12", result[0], result[1],
                  result[2], result[3]);
fail:
    if (mem)
        clReleaseMemObject(mem);
    if (kernel)
        clReleaseKernel(kernel);
    clade_program_destroy(&program);
    return status;
}

/* Once for each driver: the archive and the cache keep that it went well, under all that a build
 * depends on. (Looking for it finds out as well whether clade's kernels are there.) */
static clade_status try_dialect(clade_context *context)
{
    clade_status status = CLADE_OK;
    bool known = false;
    CLADE_TRY(
        cladei_result_find(&known, context, "kernels/probe.cl", probe_result, sizeof probe_result));
    if (known || is_believed(context))
        return CLADE_OK;
    CLADE_TRY(run_probe(context));
    CLADE_TRY(cladei_result_keep(context, "kernels/probe.cl", probe_result, sizeof probe_result));
fail:
    return status;
}

static clade_status set_dialect(clade_context *context, uint32_t atomics, const char *language,
                                uint32_t subgroup_size)
{
    context->caps.atomics = atomics;
    context->caps.subgroup_size = subgroup_size;
    strcpy(context->language, language);
    return try_dialect(context);
}

clade_status cladei_caps_probe(clade_context *context, bool rmw_only)
{
    const char *language;
    context->reduces = !rmw_only && is_nvidia(context) && nvidia_capability(context->device) >= 8;
    if (!rmw_only && is_nvidia(context) &&
        set_dialect(context, CLADE_ATOMICS_PTX, "CL1.2", 32) == CLADE_OK)
        return CLADE_OK;
    if (!rmw_only && may_have_c11(context, &language) &&
        set_dialect(context, CLADE_ATOMICS_C11, language, 0) == CLADE_OK)
        return CLADE_OK;
    return set_dialect(context, CLADE_ATOMICS_RMW, "CL1.2", 0);
}
