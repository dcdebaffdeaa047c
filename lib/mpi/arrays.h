/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's arrays and page-locked memory of the host, in the queue of a context. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clade/array.h"
#include "mpi/fail.h"

/* Host memory that a device reads and writes at full speed. It grows; its content is a call's own.
 */
struct cladei_mpi_stage {
    cl_mem mem;
    void *host;
    uint64_t bytes;
};
clade_status cladei_mpi_stage_reserve(struct cladei_mpi_stage *stage, clade_context *context,
                                      uint64_t bytes);
/* The stage becomes `memory`, which the caller keeps until the stage is freed: whole pages, which no
 * other stage has. A driver may refuse; then the stage is empty. */
clade_status cladei_mpi_stage_wrap(struct cladei_mpi_stage *stage, clade_context *context,
                                   void *memory, uint64_t bytes);
void cladei_mpi_stage_free(struct cladei_mpi_stage *stage, clade_context *context);

static inline bool cladei_mpi_is_given(clade_array array)
{
    return array.host || array.mem;
}

/* Whether `count` elements fit, in a buffer of the context and at a multiple of their size; an
 * array of none need not be given. */
clade_status cladei_mpi_array_check(clade_context *context, clade_array array, uint64_t count,
                                    uint64_t bytes, const char *name);
/* A buffer of the context, with room for a word more; and the same with `bytes` of host memory. */
clade_status cladei_mpi_array_make(cl_mem *mem, clade_context *context, uint64_t bytes);
clade_status cladei_mpi_array_upload(cl_mem *mem, clade_context *context, const void *from,
                                     uint64_t bytes);
/* Copy an array to host memory, from there, from a buffer, or to one. They wait until it is done.
 */
clade_status cladei_mpi_array_read(clade_context *context, clade_array array, void *to,
                                   uint64_t bytes);
clade_status cladei_mpi_array_write(clade_context *context, clade_array array, const void *from,
                                    uint64_t bytes);
clade_status cladei_mpi_array_fill(clade_context *context, clade_array array, cl_mem from,
                                   uint64_t offset, uint64_t bytes);
clade_status cladei_mpi_array_bring(clade_context *context, clade_array array, cl_mem to,
                                    uint64_t bytes);
