/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for all structures: their kernels, and what these tell. */
#include "object/kind.h"

#include <stdio.h>

#include "base/error.h"
#include "device/context.h"
#include "program/program.h"

void cladei_kernels_release(cl_kernel *kernels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kernels[i])
            clReleaseKernel(kernels[i]);
        kernels[i] = NULL;
    }
}

/* Whatever is wrong with a kernel file of the library is E_BUILD. By other statuses calls tell of
 * what they work on: CLADE_E_NOT_FOUND, for one, that a heap is empty. */
static clade_status status_of_build(clade_status status)
{
    char why[512];
    if (status != CLADE_E_NOT_FOUND && status != CLADE_E_IO && status != CLADE_E_CORRUPT)
        return status;
    (void)snprintf(why, sizeof why, "%s", clade_error_last()->message);
    return cladei_fail_build(0, NULL, "%s", why);
}

clade_status cladei_kernels_build(cl_kernel *kernels, const struct cladei_kernels *which,
                                  clade_context *context, const char *options)
{
    clade_status status = CLADE_OK;
    clade_program *program = NULL; /* its kernels keep what they need of it */
    if (kernels[0])
        return CLADE_OK;
    CLADE_TRY(cladei_program_build_own(&program, context, which->file, options));
    for (size_t i = 0; i < which->count; i++)
        CLADE_TRY(clade_program_kernel(&kernels[i], program, which->names[i]));
fail:
    if (status != CLADE_OK)
        cladei_kernels_release(kernels, which->count);
    clade_program_destroy(&program);
    return status_of_build(status);
}

clade_status cladei_kernels_need(cl_kernel *kernels, const struct cladei_kernels *which,
                                 const size_t *ends, clade_context *context, const char *options,
                                 size_t kernel)
{
    clade_status status = CLADE_OK;
    size_t part = 0, first = 0;
    struct cladei_text all = { 0 };
    if (kernels[kernel])
        return CLADE_OK;
    while (ends[part] <= kernel)
        first = ends[part++];
    const struct cladei_kernels some = { which->file, which->names + first, ends[part] - first };
    cladei_text_printf(&all, "%s -DCLADE_PART=%zu", options, part + 1);
    CLADE_REQUIRE(!all.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_TRY(cladei_kernels_build(kernels + first, &some, context, all.data));
fail:
    cladei_text_free(&all);
    return status;
}

clade_status cladei_kernels_build_with(cl_kernel *kernels, const struct cladei_kernels *which,
                                       clade_context *context, struct cladei_text *options)
{
    clade_status status = CLADE_OK;
    cladei_text_printf(options, " -DCLADE_SG_REDUX=%d", context->reduces);
    CLADE_REQUIRE(!options->failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_TRY(cladei_kernels_build(kernels, which, context, options->data));
fail:
    cladei_text_free(options);
    return status;
}

clade_status cladei_kernels_fit(cl_kernel *kernels, const struct cladei_kernels *which,
                                const clade_context *context, uint32_t *group_size)
{
    clade_status status = CLADE_OK;
    size_t most = context->caps.is_cpu ? 64 : 256, allowed;
    for (size_t i = 0; i < which->count; i++) {
        CLADE_CL(clGetKernelWorkGroupInfo(kernels[i], context->device, CL_KERNEL_WORK_GROUP_SIZE,
                                          sizeof allowed, &allowed, NULL));
        CLADE_REQUIRE(*group_size <= allowed, CLADE_E_ARG, "group_size is %u; %s allows %zu on %s",
                      *group_size, which->names[i], allowed, context->info.name);
        most = allowed < most ? allowed : most;
    }
    if (*group_size == 0)
        *group_size = (uint32_t)(most ? most : 1);
fail:
    if (status != CLADE_OK)
        cladei_kernels_release(kernels, which->count);
    return status;
}

clade_status cladei_kind_told(const struct cladei_kind *kind, const struct cladei_object *object,
                              struct cladei_run *run)
{
    clade_status status = CLADE_OK, error;
    clade_u32 item;
    CLADE_TRY(cladei_object_take_error(object, run, &error, &item));
    if (error != CLADE_OK && kind->refused)
        CLADE_TRY(kind->refused(object, error, item));
    CLADE_REQUIRE(error == CLADE_OK, error, "item %u was refused: %s", item,
                  clade_status_name(error));
fail:
    return status;
}
