/* SPDX-License-Identifier: Apache-2.0 */
/* What all structures share on the host: the buffer and its head. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/borrow.h"
#include "base/error.h"
#include "context/context.h"
#include "device/context.h"
#include "device/queue.h"
#include "object/launch.h"
#include "object/object.h"

clade_object_head cladei_object_head(const struct cladei_object *object)
{
    return (clade_object_head) { .kind = object->kind,
                                 .layout_version = CLADE_OBJECT_LAYOUT_VERSION,
                                 .bytes_low = (clade_u32)object->bytes,
                                 .bytes_high = (clade_u32)(object->bytes >> 32),
                                 .shape = object->shape };
}

bool cladei_object_is_its_head(const struct cladei_object *object, const clade_object_head *head)
{
    return head->kind == object->kind && head->shape == object->shape;
}

/* Memory that nobody has written may hold what others left there, and a saved object would carry it
 * into its file. All of it, since which part is written is decided by kernels. Not on oclgrind,
 * which tells of reads of what was never written. */
static clade_status zero_all(clade_context *context, cl_mem mem, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    static const cl_uint zeros[4] = { 0 };
    size_t pattern = sizeof zeros; /* as long as the buffer lets it be */
    while (bytes % pattern != 0)
        pattern /= 2;
    if (!strstr(context->info.platform, "Oclgrind"))
        CLADE_TRY(cladei_queue_fill(context->queue, mem, zeros, pattern, 0, (size_t)bytes));
fail:
    return status;
}

clade_status cladei_object_create(struct cladei_object *object, clade_context *context,
                                  clade_u32 kind, clade_u32 shape, uint64_t bytes, const char *what)
{
    clade_status status = CLADE_OK;
    cl_int code;
    cl_mem mem = NULL;
    struct cladei_object made = { context, NULL, bytes, kind, shape };
    const clade_object_head head = cladei_object_head(&made);
    CLADE_REQUIRE(bytes <= context->caps.alloc_bytes_max, CLADE_E_ARG,
                  "%s needs %" PRIu64 " bytes in one buffer; the limit of %s is %" PRIu64, what,
                  bytes, context->info.name, context->caps.alloc_bytes_max);
    mem = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    CLADE_TRY(zero_all(context, mem, bytes));
    CLADE_CL(
        clEnqueueWriteBuffer(context->queue, mem, CL_TRUE, 0, sizeof head, &head, 0, NULL, NULL));
    made.mem = mem;
    *object = made;
    cladei_hold(&context->borrowers);
    return CLADE_OK;

fail:
    if (mem)
        clReleaseMemObject(mem);
    return status;
}

void cladei_object_destroy(struct cladei_object *object)
{
    if (object->mem) {
        clReleaseMemObject(object->mem);
        cladei_context_let_go(object->context);
    }
    *object = (struct cladei_object) { 0 };
}

clade_status cladei_object_read(const struct cladei_object *object, uint64_t offset, void *to,
                                size_t bytes)
{
    struct cladei_run run = { .context = object->context, .queue = object->context->queue };
    return cladei_run_read(&run, object, offset, to, bytes);
}

clade_status cladei_run_read(struct cladei_run *run, const struct cladei_object *object,
                             uint64_t offset, void *to, size_t bytes)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_run_start(run));
    if (bytes > 0)
        CLADE_CL(clEnqueueReadBuffer(run->queue, object->mem, CL_TRUE, (size_t)offset, bytes, to, 0,
                                     NULL, NULL));
fail:
    return status;
}

/* The copy is a buffer, which the driver keeps until the command has run. */
clade_status cladei_run_write(struct cladei_run *run, const struct cladei_object *object,
                              uint64_t offset, const void *from, size_t bytes)
{
    clade_status status = CLADE_OK;
    cl_int code;
    cl_mem copy =
        clCreateBuffer(run->context->cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                       (void *)(size_t)from, &code); /* const in effect: it is copied here */
    CLADE_CL_CODE(code, "clCreateBuffer");
    CLADE_TRY(cladei_run_start(run));
    CLADE_CL(clEnqueueCopyBuffer(run->queue, copy, object->mem, 0, (size_t)offset, bytes, 0, NULL,
                                 NULL));
fail:
    if (copy)
        clReleaseMemObject(copy);
    return status;
}

clade_status cladei_object_write(const struct cladei_object *object, uint64_t offset,
                                 const void *from, size_t bytes)
{
    struct cladei_run run = { .context = object->context, .queue = object->context->queue };
    return cladei_run_write_whole(&run, object, offset, from, bytes);
}

clade_status cladei_run_write_whole(struct cladei_run *run, const struct cladei_object *object,
                                    uint64_t offset, const void *from, size_t bytes)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_run_start(run));
    if (bytes > 0)
        CLADE_CL(clEnqueueWriteBuffer(run->queue, object->mem, CL_TRUE, (size_t)offset, bytes, from,
                                      0, NULL, NULL));
fail:
    return status;
}

void cladei_object_close(struct cladei_object *object, clade_program **program,
                         const cl_kernel *kernels, size_t count)
{
    if (object->context && object->context->queue)
        cladei_queue_settle(object->context, object->context->queue);
    for (size_t i = 0; i < count; i++)
        if (kernels[i])
            clReleaseKernel(kernels[i]);
    clade_program_destroy(program);
    cladei_object_destroy(object);
}

clade_status cladei_object_write_own(const struct cladei_object *object, const void *head,
                                     size_t bytes)
{
    const size_t skip = sizeof(clade_object_head);
    return cladei_object_write(object, skip, (const char *)head + skip, bytes - skip);
}

clade_status cladei_object_take_error(const struct cladei_object *object, struct cladei_run *run,
                                      clade_status *first, clade_u32 *item)
{
    clade_status status = CLADE_OK;
    cl_command_queue queue = run ? run->queue : object->context->queue;
    clade_u32 words[2]; /* first_error, first_error_item */
    const clade_u32 none[2] = { 0, 0 };
    const size_t offset = offsetof(clade_object_head, first_error);
    if (run)
        CLADE_TRY(cladei_run_start(run));
    CLADE_CL(clEnqueueReadBuffer(queue, object->mem, CL_TRUE, offset, sizeof words, words, 0, NULL,
                                 NULL));
    if (words[0] != 0)
        CLADE_CL(clEnqueueWriteBuffer(queue, object->mem, CL_TRUE, offset, sizeof none, none, 0,
                                      NULL, NULL));
    *first = (clade_status)words[0];
    if (item)
        *item = words[1];
fail:
    return status;
}

clade_status cladei_object_next_turn(const struct cladei_object *object, struct cladei_run *run,
                                     size_t offset, cl_uint *turn)
{
    clade_status status = CLADE_OK;
    const cl_uint none = 0;
    if (*turn == UINT32_MAX) {
        CLADE_TRY(cladei_run_start(run));
        CLADE_TRY(
            cladei_queue_fill(run->queue, object->mem, &none, sizeof none, offset, sizeof none));
        *turn = 0;
    }
    ++*turn;
fail:
    return status;
}
