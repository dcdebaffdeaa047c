/* SPDX-License-Identifier: Apache-2.0 */
/* What the device says of itself: an AMD GPU as its driver describes one, where clade asks. */
#include "amd/amd.h"

#include <stdlib.h>
#include <string.h>

static const char *processor(void)
{
    const char *name = getenv("CLADE_AMD_PROCESSOR");
    return name ? name : "gfx1100";
}

static const char *text_of(cl_device_info what)
{
    switch (what) {
    case CL_DEVICE_NAME:
        return processor();
    case CL_DEVICE_VENDOR:
        return "Advanced Micro Devices, Inc.";
    case CL_DEVICE_VERSION:
        return "OpenCL 2.0 emulated";
    case CL_DRIVER_VERSION:
        return "emulated";
    case CL_DEVICE_OPENCL_C_VERSION:
        return "OpenCL C 2.0 ";
    case CL_DEVICE_EXTENSIONS:
        return "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
               "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "
               "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics "
               "cl_khr_byte_addressable_store cl_khr_fp64";
    default:
        return NULL;
    }
}

/* Two compute units: an emulator has no need of more groups. */
static bool number_of(cl_device_info what, cl_ulong *value, size_t *bytes)
{
    switch (what) {
    case CL_DEVICE_TYPE:
        *value = CL_DEVICE_TYPE_GPU;
        *bytes = sizeof(cl_device_type);
        return true;
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        *value = 2;
        *bytes = sizeof(cl_uint);
        return true;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        *value = 256;
        *bytes = sizeof(size_t);
        return true;
    case CL_DEVICE_LOCAL_MEM_SIZE:
        *value = 65536;
        *bytes = sizeof(cl_ulong);
        return true;
    case CL_DEVICE_SVM_CAPABILITIES:
        *value = 0;
        *bytes = sizeof(cl_device_svm_capabilities);
        return true;
    default:
        return false;
    }
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *out,
                       size_t *out_bytes)
{
    cl_int (*next)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    cl_ulong value;
    size_t bytes;
    const char *text = text_of(what);
    if (text)
        return amd_give(text, strlen(text) + 1, room, out, out_bytes);
    if (number_of(what, &value, &bytes)) /* (little-endian, as PoCL's hosts are) */
        return amd_give(&value, bytes, room, out, out_bytes);
    amd_next("clGetDeviceInfo", &next);
    return next(device, what, room, out, out_bytes);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *out,
                         size_t *out_bytes)
{
    cl_int (*next)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
    static const char name[] = "AMD, emulated";
    if (what == CL_PLATFORM_NAME)
        return amd_give(name, sizeof name, room, out, out_bytes);
    amd_next("clGetPlatformInfo", &next);
    return next(platform, what, room, out, out_bytes);
}
