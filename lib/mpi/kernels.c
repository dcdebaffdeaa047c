/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of clade-mpi: built from clade's kernel folders, started in the context's queue. */
#include "mpi/kernels.h"

enum { GROUP = 64 };

clade_status cladei_mpi_kernels_build(cl_kernel *kernels, const char *const *names, size_t count,
                                      clade_context *context, const char *file, const char *options)
{
    clade_status status = CLADE_OK;
    clade_program *program = NULL;
    const clade_program_params params = { .file = file, .options = options };
    CLADEM_TRY(clade_program_build(&program, context, &params));
    for (size_t i = 0; i < count; i++)
        CLADEM_TRY(clade_program_kernel(&kernels[i], program, names[i]));
    clade_program_destroy(&program);
    return CLADE_OK;

fail:
    clade_program_destroy(&program);
    cladei_mpi_kernels_free(kernels, count);
    return status;
}

void cladei_mpi_kernels_free(cl_kernel *kernels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kernels[i])
            clReleaseKernel(kernels[i]);
        kernels[i] = NULL;
    }
}

clade_status cladei_mpi_kernel_run(clade_context *context, cl_kernel kernel, uint64_t items,
                                   const struct cladei_mpi_arg *args, size_t count)
{
    clade_status status = CLADE_OK;
    const size_t most = clade_context_caps(context)->group_size_max;
    const size_t group = most < GROUP ? most : GROUP;
    const size_t all = ((size_t)items + group - 1) / group * group;
    if (items == 0)
        return CLADE_OK;
    for (size_t i = 0; i < count; i++)
        CLADEM_CL(clSetKernelArg(kernel, (cl_uint)i, args[i].size, args[i].value));
    CLADEM_CL(clEnqueueNDRangeKernel(clade_context_cl_queue(context), kernel, 1, NULL, &all, &group,
                                     0, NULL, NULL));
fail:
    return status;
}
