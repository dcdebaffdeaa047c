/* SPDX-License-Identifier: Apache-2.0 */
/* --resources: what a kernel needs of its device, where the driver or the compiler tells. */
#define _GNU_SOURCE /* memmem */
#include "cladec/cladec.h"

#include <stdlib.h>
#include <string.h>

/* The number behind `key` in a text, or -1. */
static long number_after(const char *text, const char *end, const char *key)
{
    const char *at = strstr(text, key);
    return at && at < end ? strtol(at + strlen(key), NULL, 10) : -1;
}

/* The code object's metadata: for each kernel a list item whose keys come in alphabetic order,
 * .args first and .wavefront_size last. */
char *resources_of_amd(const char *assembly)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    const char *at = strstr(assembly, "amdhsa.kernels:");
    const char *stop;
    for (; at && (stop = strstr(at, ".wavefront_size:")); at = stop + 1) {
        /* A kernel's own .name is the one behind its .max_flat_workgroup_size; arguments have
         * names too. */
        const char *group = strstr(at, ".max_flat_workgroup_size:");
        const char *name = group && group < stop ? strstr(group, ".name:") : NULL;
        if (!name || name > stop)
            continue;
        name += strlen(".name:");
        name += strspn(name, " ");
        fprintf(out,
                "  %.*s: %ld vector and %ld scalar registers, %ld bytes of local memory, %ld "
                "bytes private, %ld spills, groups up to %ld\n",
                (int)strcspn(name, "\n"), name, number_after(group, stop + 100, ".vgpr_count:"),
                number_after(group, stop + 100, ".sgpr_count:"),
                number_after(at, stop, ".group_segment_fixed_size:"),
                number_after(at, stop, ".private_segment_fixed_size:"),
                number_after(group, stop, ".vgpr_spill_count:") +
                    number_after(group, stop, ".sgpr_spill_count:"),
                number_after(at, stop, ".max_flat_workgroup_size:"));
    }
    fclose(out);
    return text;
}

/* "Compiling entry function 'NAME' for ...", then "N bytes stack frame, N bytes spill stores, N
 * bytes spill loads", then "Used N registers, ..., N bytes smem". */
char *resources_of_ptxas(const char *log)
{
    static const char entry[] = "Compiling entry function '";
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    for (const char *at = strstr(log, entry), *next; at; at = next) {
        const char *name = at + strlen(entry);
        next = strstr(name, entry);
        const char *end = next ? next : log + strlen(log);
        const char *stack = strstr(name, " bytes stack frame");
        const char *shared = strstr(name, " bytes smem");
        long local = 0, frame = 0;
        /* The number stands before its unit. */
        for (const char *digit = shared; digit && digit < end && digit > name && digit[-1] != ' ';)
            local = strtol(--digit, NULL, 10);
        for (const char *digit = stack; digit && digit < end && digit > name && digit[-1] != ' ';)
            frame = strtol(--digit, NULL, 10);
        fprintf(out,
                "  %.*s: %ld registers, %ld bytes of local memory, %ld bytes private, %ld bytes "
                "of spills\n",
                (int)strcspn(name, "'"), name, number_after(name, end, "Used "), local, frame,
                number_after(name, end, "bytes stack frame, "));
    }
    fclose(out);
    return text;
}

/* The size of a thread's memory for `usage`; 0 where there is none. */
static long thread_memory(const char *text, const char *end, const char *usage)
{
    const char *at = strstr(text, usage);
    const char *next = at ? strstr(at, "- type:") : NULL;
    const long size =
        at && at < end ? number_after(at, next && next < end ? next : end, "size:") : 0;
    return size > 0 ? size : 0;
}

/* The text that describes the code, part of the file: after "kernels:" each kernel begins with its
 * name, then come its sizes where they are not 0. Scratch is for spills, and on some generations
 * for what is private as well; of spills the compiler itself warns. */
char *resources_of_intel(const char *code, size_t size)
{
    static const char first[] = "\nkernels:\n", item[] = "\n  - name:";
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    const char *at = memmem(code, size, first, strlen(first)), *next;
    const char *stop = at ? strstr(at, "\nkernels_misc_info:") : NULL;
    if (at && !stop)
        stop = at + strlen(at);
    for (at = at ? strstr(at, item) : NULL; at && at < stop; at = next) {
        const char *name = at + strlen(item);
        name += strspn(name, " ");
        next = strstr(name, item);
        const char *end = next && next < stop ? next : stop;
        const long local = number_after(name, end, "slm_size:");
        fprintf(out,
                "  %.*s: %ld registers for %ld items, %ld bytes of local memory, %ld bytes "
                "private, %ld bytes of scratch\n",
                (int)strcspn(name, "\n"), name, number_after(name, end, "grf_count:"),
                number_after(name, end, "simd_size:"), local < 0 ? 0 : local,
                thread_memory(name, end, "private_space"),
                thread_memory(name, end, "spill_fill_space") +
                    thread_memory(name, end, "single_space"));
    }
    fclose(out);
    return text;
}

int print_device_resources(clade_context *context, const char *kernel, clade_program *program)
{
    cl_device_id device = clade_context_cl_device(context);
    cl_kernel kernels[256];
    cl_uint count = 0;
    char name[256];
    if (clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL) != CL_SUCCESS ||
        clCreateKernelsInProgram(clade_program_cl(program), 256, kernels, &count) != CL_SUCCESS) {
        complain("the driver does not tell about %s", kernel);
        return EXIT_FAILED;
    }
    printf("%s on %s\n", kernel, name);
    for (cl_uint i = 0; i < count; i++) {
        cl_ulong local = 0, private = 0;
        size_t group = 0, multiple = 0;
        clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        clGetKernelWorkGroupInfo(kernels[i], device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local,
                                 NULL);
        clGetKernelWorkGroupInfo(kernels[i], device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private,
                                 &private, NULL);
        clGetKernelWorkGroupInfo(kernels[i], device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                 &group, NULL);
        clGetKernelWorkGroupInfo(kernels[i], device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                 sizeof multiple, &multiple, NULL);
        printf("  %s: %llu bytes of local memory, %llu bytes private, groups up to %zu in steps of "
               "%zu\n",
               name, (unsigned long long)local, (unsigned long long)private, group, multiple);
        clReleaseKernel(kernels[i]);
    }
    return EXIT_DONE;
}

/* --- PTX ------------------------------------------------------------------------------------ */

/* A function that PTX declares or defines. */
struct function {
    const char *name;
    int length;
    bool defined;
};

/* The next one from *at on; false when there is none. ".func (result) name (parameters)", then a
 * body, or a semicolon. */
static bool next_function(const char **at, struct function *out)
{
    const char *func = strstr(*at, ".func");
    if (!func)
        return false;
    func += strlen(".func");
    func += strspn(func, " \n\t");
    const char *result = *func == '(' ? strchr(func, ')') : NULL;
    out->name = result ? result + 1 : func;
    out->name += strspn(out->name, " \n\t");
    out->length = (int)strcspn(out->name, " (\n\t;");
    *at = out->name + strcspn(out->name, ";{");
    out->defined = **at == '{';
    return true;
}

const char *ptx_undefined(const char *ptx, const char **at, int *length)
{
    struct function declared, other;
    while (next_function(at, &declared)) {
        bool defined = declared.defined;
        for (const char *from = ptx; !defined && next_function(&from, &other);)
            defined = other.defined && other.length == declared.length &&
                      strncmp(other.name, declared.name, (size_t)other.length) == 0;
        if (!defined) {
            *length = declared.length;
            return declared.name;
        }
    }
    return NULL;
}
