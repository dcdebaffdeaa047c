/* SPDX-License-Identifier: Apache-2.0 */
/* What a device can do, where OpenCL answers truly. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "device/device.h"

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
 * iterations in all, without a word (measured on Mesa 22.3: docs/inside/memory-model.md). */
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

/* CPUs prefer groups of one item. But llvmpipe ends the loops of an item after 65,535 iterations
 * in all, whatever their conditions say: there the work is spread over more items. */
bool cladei_prefers_one_item(const clade_context *context)
{
    return context->caps.is_cpu && context->caps.loop_limit == 0;
}
