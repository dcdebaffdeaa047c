/* SPDX-License-Identifier: Apache-2.0 */
/* What a device can do: asked for where OpenCL answers truly, tried out where it does not. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Newer than some OpenCL headers. */
#ifndef CL_DEVICE_OPENCL_C_FEATURES
#define CL_DEVICE_OPENCL_C_FEATURES 0x106F
#endif

static bool has_extension(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static clade_status query_extensions(cl_device_id device, char **out)
{
    clade_status status = CLADE_OK;
    size_t size = 0;
    char *text = NULL;
    CLADE_CL(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size));
    text = calloc(1, size + 1);
    CLADE_NO_MEMORY(text);
    CLADE_CL(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, text, NULL));
    *out = text;
    return CLADE_OK;

fail:
    free(text);
    return status;
}

/* Mesa's llvmpipe runs items in lock-step vectors, and leaves the loops of a kernel after 65,535
 * iterations in all, without a word (measured on Mesa 22.3: docs/memory-model.md). */
static clade_status query_llvmpipe(cl_device_id device, clade_caps *caps)
{
    clade_status status = CLADE_OK;
    char name[256] = "";
    CLADE_CL(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    if (strstr(name, "llvmpipe")) {
        caps->is_cpu = 0;
        caps->loop_limit = 65535;
    }
fail:
    return status;
}

/* Whether kernels can order words for the host as well: OpenCL C 2.x has that scope on every
 * device, 3.0 makes it optional. (On a CPU the device's atomics are the host's.) */
static bool reaches_host(cl_device_id device)
{
    char version[128] = "";
    cl_device_atomic_capabilities scopes = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version - 1, version, NULL) ==
            CL_SUCCESS &&
        strncmp(version, "OpenCL 2.", 9) == 0)
        return true;
    return clGetDeviceInfo(device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof scopes, &scopes,
                           NULL) == CL_SUCCESS &&
           (scopes & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES) != 0;
}

clade_status cladei_caps_query(cl_device_id device, clade_caps *caps)
{
    clade_status status = CLADE_OK;
    char *extensions = NULL;
    cl_device_type type;
    cl_bool available, compiler;
    size_t group_size;
    cl_device_svm_capabilities svm = 0;
    CLADE_CL(clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL));
    CLADE_REQUIRE(available, CLADE_E_UNSUPPORTED, "the device is not available");
    CLADE_CL(
        clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL));
    CLADE_REQUIRE(compiler, CLADE_E_UNSUPPORTED, "the device has no compiler");
    CLADE_TRY(query_extensions(device, &extensions));
    CLADE_CL(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    CLADE_CL(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof caps->compute_units,
                             &caps->compute_units, NULL));
    CLADE_CL(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group_size, &group_size,
                             NULL));
    CLADE_CL(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof caps->local_bytes,
                             &caps->local_bytes, NULL));
    CLADE_CL(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof caps->alloc_bytes_max,
                             &caps->alloc_bytes_max, NULL));
    CLADE_CL(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof caps->global_bytes,
                             &caps->global_bytes, NULL));
    /* Absent before OpenCL 2.0, so a failure means "none". */
    if (clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL) != CL_SUCCESS)
        svm = 0;
    caps->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    CLADE_TRY(query_llvmpipe(device, caps));
    caps->group_size_max = (uint32_t)group_size;
    caps->int64_atomics = has_extension(extensions, "cl_khr_int64_base_atomics") &&
                          has_extension(extensions, "cl_khr_int64_extended_atomics");
    caps->fp64 = has_extension(extensions, "cl_khr_fp64");
    caps->svm_atomics = (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0 &&
                        (svm & CL_DEVICE_SVM_ATOMICS) != 0 &&
                        (caps->is_cpu || reaches_host(device));
    CLADE_REQUIRE(has_extension(extensions, "cl_khr_global_int32_base_atomics") &&
                      has_extension(extensions, "cl_khr_global_int32_extended_atomics"),
                  CLADE_E_UNSUPPORTED, "the device has no 32-bit atomics on global memory");
fail:
    free(extensions);
    return status;
}

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

static const cl_uint probe_result[4] = { 7, 5, 5, 12 };

/* Build cl/probe.cl in the context's dialect, run it, compare what it wrote. */
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
    CLADE_TRY(cladei_program_build_passing(&program, context, "probe.cl"));
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
 * depends on. */
static clade_status try_dialect(clade_context *context)
{
    clade_status status = CLADE_OK;
    bool known = false;
    CLADE_TRY(cladei_result_find(&known, context, "probe.cl", probe_result, sizeof probe_result));
    if (known)
        return CLADE_OK;
    CLADE_TRY(run_probe(context));
    CLADE_TRY(cladei_result_keep(context, "probe.cl", probe_result, sizeof probe_result));
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

/* cl_nv_device_attribute_query: not in every OpenCL header. */
static bool nvidia_reduces(cl_device_id device)
{
    const cl_device_info compute_capability_major = 0x4000;
    cl_uint major = 0;
    return clGetDeviceInfo(device, compute_capability_major, sizeof major, &major, NULL) ==
               CL_SUCCESS &&
           major >= 8;
}

clade_status cladei_caps_probe(clade_context *context, bool rmw_only)
{
    const char *language;
    context->reduces = !rmw_only && is_nvidia(context) && nvidia_reduces(context->device);
    if (!rmw_only && is_nvidia(context) &&
        set_dialect(context, CLADE_ATOMICS_PTX, "CL1.2", 32) == CLADE_OK)
        return CLADE_OK;
    if (!rmw_only && may_have_c11(context, &language) &&
        set_dialect(context, CLADE_ATOMICS_C11, language, 0) == CLADE_OK)
        return CLADE_OK;
    return set_dialect(context, CLADE_ATOMICS_RMW, "CL1.2", 0);
}

/* CPUs prefer groups of one item. But llvmpipe ends the loops of an item after 65,535 iterations
 * in all, whatever their conditions say: there the work is spread over more items. */
bool cladei_prefers_one_item(const clade_context *context)
{
    return context->caps.is_cpu && context->caps.loop_limit == 0;
}
