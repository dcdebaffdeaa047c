/* SPDX-License-Identifier: Apache-2.0 */
/* What the tutorial's programs share: complain and stop, start a kernel. */
#include <clade/clade.h>
#include <stdio.h>
#include <stdlib.h>

static void must(clade_status status)
{
    if (status == CLADE_OK)
        return;
    printf("%s\n%s", clade_error_last()->message, clade_error_last()->log);
    exit(1);
}

static void must_cl(cl_int code)
{
    if (code == CL_SUCCESS)
        return;
    printf("OpenCL says %d\n", code);
    exit(1);
}

/* Start `groups` work-groups of `size` work-items each. */
static void start(clade_context *context, cl_kernel kernel, size_t groups, size_t size)
{
    size_t items = groups * size;
    must_cl(clEnqueueNDRangeKernel(clade_context_cl_queue(context), kernel, 1, NULL, &items, &size,
                                   0, NULL, NULL));
}

/* `count` numbers in the device's memory, all 0. */
static cl_mem numbers(clade_context *context, size_t count)
{
    cl_int code;
    uint32_t *zeros = calloc(count, sizeof *zeros);
    cl_mem mem =
        clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       count * sizeof *zeros, zeros, &code);
    must_cl(code);
    free(zeros);
    return mem;
}

/* Copy numbers to the host, when all that was started is done. */
static void read_numbers(clade_context *context, cl_mem mem, uint32_t *to, size_t count)
{
    must_cl(clEnqueueReadBuffer(clade_context_cl_queue(context), mem, CL_TRUE, 0,
                                count * sizeof *to, to, 0, NULL, NULL));
}
