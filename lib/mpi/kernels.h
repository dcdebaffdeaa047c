/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of clade-mpi, by the public interface. */
#pragma once

#include <stddef.h>

#include "clade/program.h"
#include "mpi/fail.h"

/* All kernels of a file; `options` may be NULL. On failure none is there. */
clade_status cladei_mpi_kernels_build(cl_kernel *kernels, const char *const *names, size_t count,
                                      clade_context *context, const char *file,
                                      const char *options);
void cladei_mpi_kernels_free(cl_kernel *kernels, size_t count);

struct cladei_mpi_arg {
    size_t size;
    const void *value;
};
/* Start a kernel over `items` items in the context's queue; with none nothing is done. */
clade_status cladei_mpi_kernel_run(clade_context *context, cl_kernel kernel, uint64_t items,
                                   const struct cladei_mpi_arg *args, size_t count);

#define CLADEM_ARG(variable)          \
    {                                 \
        sizeof(variable), &(variable) \
    }
#define CLADEM_RUN(context, kernel, items, ...)                                        \
    CLADEM_TRY(cladei_mpi_kernel_run(                                                  \
        (context), (kernel), (items), (const struct cladei_mpi_arg[]) { __VA_ARGS__ }, \
        sizeof((const struct cladei_mpi_arg[]) { __VA_ARGS__ }) / sizeof(struct cladei_mpi_arg)))
