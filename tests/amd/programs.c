/* SPDX-License-Identifier: Apache-2.0 */
/* Programs and kernels of the emulated device. */
#include "amd/amd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- programs ------------------------------------------------------------------------------- */

static struct amd_program *program_of(cl_program program)
{
    return (struct amd_program *)program;
}

static size_t length_of(const char *text, const size_t *lengths, cl_uint at)
{
    return lengths && lengths[at] ? lengths[at] : strlen(text);
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                     const size_t *lengths, cl_int *code)
{
    size_t size = 0;
    struct amd_program *program = calloc(1, sizeof *program);
    for (cl_uint i = 0; i < count; i++)
        size += length_of(texts[i], lengths, i);
    char *source = calloc(1, size + 1);
    if (!program || !source)
        abort();
    size = 0;
    for (cl_uint i = 0; i < count; size += length_of(texts[i], lengths, i), i++)
        memcpy(source + size, texts[i], length_of(texts[i], lengths, i));
    *program = (struct amd_program) { .references = 1, .context = context, .source = source };
    if (code)
        *code = CL_SUCCESS;
    return (cl_program)program;
}

/* None are kept. */
cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const size_t *sizes, const unsigned char **binaries,
                                     cl_int *codes, cl_int *code)
{
    (void)context, (void)count, (void)devices, (void)sizes, (void)binaries, (void)codes;
    if (code)
        *code = CL_INVALID_BINARY;
    return NULL;
}

cl_int clRetainProgram(cl_program handle)
{
    __atomic_add_fetch(&program_of(handle)->references, 1, __ATOMIC_RELAXED);
    return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program handle)
{
    struct amd_program *program = program_of(handle);
    if (__atomic_sub_fetch(&program->references, 1, __ATOMIC_ACQ_REL) > 0)
        return CL_SUCCESS;
    free(program->source);
    free(program->options);
    free(program->log);
    free(program->kernels);
    free(program);
    return CL_SUCCESS;
}

static char *ask_for_build(const struct amd_program *program)
{
    const size_t before = strlen("build ") + strlen(program->options) + 1;
    const size_t length = before + strlen(program->source);
    char *text = calloc(1, length + 1);
    if (!text)
        abort();
    sprintf(text, "build %s", program->options);
    memcpy(text + before, program->source, length - before);
    char *answer = amd_ask(text, length);
    free(text);
    return answer;
}

cl_int clBuildProgram(cl_program handle, cl_uint count, const cl_device_id *devices,
                      const char *options, void (*notify)(cl_program, void *), void *data)
{
    struct amd_program *program = program_of(handle);
    (void)count, (void)devices, (void)notify, (void)data;
    free(program->options);
    free(program->log);
    free(program->kernels);
    program->options = strdup(options ? options : "");
    program->log = program->kernels = NULL;
    char *answer = ask_for_build(program);
    char *rest = strchr(answer, '\n');
    const bool ok = strncmp(answer, "ok ", 3) == 0 && rest;
    if (ok)
        program->number = (unsigned)strtoul(answer + 3, NULL, 10);
    /* The lines keep the newline before each, so that a name is found between two marks. */
    program->kernels = ok ? strdup(rest) : NULL;
    program->log = strdup(ok ? "" : answer + 3);
    free(answer);
    return ok ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

cl_int clGetProgramBuildInfo(cl_program handle, cl_device_id device, cl_program_build_info what,
                             size_t room, void *out, size_t *out_bytes)
{
    const struct amd_program *program = program_of(handle);
    const cl_build_status status = program->kernels ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    const char *text = what == CL_PROGRAM_BUILD_LOG ? program->log : program->options;
    (void)device;
    if (what == CL_PROGRAM_BUILD_STATUS)
        return amd_give(&status, sizeof status, room, out, out_bytes);
    return amd_give(text ? text : "", strlen(text ? text : "") + 1, room, out, out_bytes);
}

/* No binary: its size is 0. */
cl_int clGetProgramInfo(cl_program handle, cl_program_info what, size_t room, void *out,
                        size_t *out_bytes)
{
    const struct amd_program *program = program_of(handle);
    const size_t none = 0;
    if (what == CL_PROGRAM_SOURCE)
        return amd_give(program->source, strlen(program->source) + 1, room, out, out_bytes);
    if (what == CL_PROGRAM_CONTEXT)
        return amd_give(&program->context, sizeof program->context, room, out, out_bytes);
    return what == CL_PROGRAM_BINARY_SIZES ? amd_give(&none, sizeof none, room, out, out_bytes)
                                           : CL_INVALID_VALUE;
}

/* --- kernels -------------------------------------------------------------------------------- */

static struct amd_kernel *kernel_of(cl_kernel kernel)
{
    return (struct amd_kernel *)kernel;
}

/* A line of emulate.py: name, sizes, arguments. */
static struct amd_kernel *make_kernel(struct amd_program *program, const char *line)
{
    struct amd_kernel *kernel = calloc(1, sizeof *kernel);
    int used = 0;
    if (!kernel || sscanf(line, "%127s %zu %zu %zu%n", kernel->name, &kernel->group_size_most,
                          &kernel->local_bytes, &kernel->private_bytes, &used) != 4)
        abort();
    for (line += used; *line == ' '; line += used) {
        struct argument *argument = &kernel->arguments[kernel->count++];
        if (kernel->count > ARGUMENTS_MOST ||
            sscanf(line, " %c%zu%n", &argument->kind, &argument->size, &used) != 2 ||
            argument->size > VALUE_MOST)
            abort();
    }
    kernel->references = 1;
    kernel->program = program;
    clRetainProgram((cl_program)program);
    return kernel;
}

cl_kernel clCreateKernel(cl_program handle, const char *name, cl_int *code)
{
    struct amd_program *program = program_of(handle);
    char mark[NAME_MOST + 3];
    snprintf(mark, sizeof mark, "\n%s ", name);
    const char *line = program->kernels ? strstr(program->kernels, mark) : NULL;
    if (code)
        *code = line               ? CL_SUCCESS
                : program->kernels ? CL_INVALID_KERNEL_NAME
                                   : CL_INVALID_PROGRAM_EXECUTABLE;
    return line ? (cl_kernel)make_kernel(program, line + 1) : NULL;
}

cl_int clCreateKernelsInProgram(cl_program handle, cl_uint room, cl_kernel *out, cl_uint *count)
{
    struct amd_program *program = program_of(handle);
    cl_uint made = 0;
    for (const char *line = program->kernels; line && (line = strchr(line, '\n')) && line[1];
         made++, line++)
        if (out && made < room)
            out[made] = (cl_kernel)make_kernel(program, line + 1);
    if (count)
        *count = made;
    return CL_SUCCESS;
}

cl_int clRetainKernel(cl_kernel handle)
{
    __atomic_add_fetch(&kernel_of(handle)->references, 1, __ATOMIC_RELAXED);
    return CL_SUCCESS;
}

cl_int clReleaseKernel(cl_kernel handle)
{
    struct amd_kernel *kernel = kernel_of(handle);
    if (__atomic_sub_fetch(&kernel->references, 1, __ATOMIC_ACQ_REL) > 0)
        return CL_SUCCESS;
    clReleaseProgram((cl_program)kernel->program);
    free(kernel);
    return CL_SUCCESS;
}

cl_int clGetKernelInfo(cl_kernel handle, cl_kernel_info what, size_t room, void *out,
                       size_t *out_bytes)
{
    const struct amd_kernel *kernel = kernel_of(handle);
    const cl_uint count = (cl_uint)kernel->count;
    switch (what) {
    case CL_KERNEL_FUNCTION_NAME:
        return amd_give(kernel->name, strlen(kernel->name) + 1, room, out, out_bytes);
    case CL_KERNEL_NUM_ARGS:
        return amd_give(&count, sizeof count, room, out, out_bytes);
    case CL_KERNEL_PROGRAM:
        return amd_give(&kernel->program, sizeof kernel->program, room, out, out_bytes);
    case CL_KERNEL_CONTEXT:
        return amd_give(&kernel->program->context, sizeof(cl_context), room, out, out_bytes);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int clGetKernelWorkGroupInfo(cl_kernel handle, cl_device_id device,
                                cl_kernel_work_group_info what, size_t room, void *out,
                                size_t *out_bytes)
{
    const struct amd_kernel *kernel = kernel_of(handle);
    const size_t multiple = amd_wave();
    const cl_ulong local = kernel->local_bytes, own = kernel->private_bytes;
    (void)device;
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return amd_give(&kernel->group_size_most, sizeof(size_t), room, out, out_bytes);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return amd_give(&multiple, sizeof multiple, room, out, out_bytes);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return amd_give(&local, sizeof local, room, out, out_bytes);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return amd_give(&own, sizeof own, room, out, out_bytes);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int clSetKernelArg(cl_kernel handle, cl_uint index, size_t size, const void *value)
{
    struct amd_kernel *kernel = kernel_of(handle);
    if (index >= kernel->count)
        return CL_INVALID_ARG_INDEX;
    struct argument *argument = &kernel->arguments[index];
    if (argument->kind == 'l') {
        if (size == 0 || value)
            return size == 0 ? CL_INVALID_ARG_SIZE : CL_INVALID_ARG_VALUE;
        argument->size = size;
    } else if (argument->kind == 'g') {
        if (size != sizeof(cl_mem))
            return CL_INVALID_ARG_SIZE;
        memcpy(&argument->mem, value ? value : &(cl_mem) { NULL }, sizeof argument->mem);
    } else {
        if (size != argument->size)
            return CL_INVALID_ARG_SIZE;
        if (!value)
            return CL_INVALID_ARG_VALUE;
        memcpy(argument->value, value, size);
    }
    argument->is_set = true;
    return CL_SUCCESS;
}
