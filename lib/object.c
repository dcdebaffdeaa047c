/* SPDX-License-Identifier: Apache-2.0 */
/* What all structures share on the host: the buffer, its head, saving and loading. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

clade_status cladei_object_create(struct cladei_object *object, clade_context *context,
                                  clade_u32 kind, uint64_t bytes, const char *what)
{
    clade_status status = CLADE_OK;
    cl_int code;
    cl_mem mem = NULL;
    const clade_object_head head = {
        .kind = kind,
        .layout_version = CLADE_OBJECT_LAYOUT_VERSION,
        .bytes_low = (clade_u32)bytes,
        .bytes_high = (clade_u32)(bytes >> 32),
    };
    CLADE_REQUIRE(bytes <= context->caps.alloc_bytes_max, CLADE_E_ARG,
                  "%s needs %" PRIu64 " bytes in one buffer; the limit of %s is %" PRIu64, what,
                  bytes, context->info.name, context->caps.alloc_bytes_max);
    mem = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    CLADE_CL(
        clEnqueueWriteBuffer(context->queue, mem, CL_TRUE, 0, sizeof head, &head, 0, NULL, NULL));
    *object = (struct cladei_object) { context, mem, bytes, kind };
    return CLADE_OK;

fail:
    if (mem)
        clReleaseMemObject(mem);
    return status;
}

void cladei_object_destroy(struct cladei_object *object)
{
    if (object->mem)
        clReleaseMemObject(object->mem);
    *object = (struct cladei_object) { 0 };
}

clade_status cladei_object_read(const struct cladei_object *object, uint64_t offset, void *to,
                                size_t bytes)
{
    clade_status status = CLADE_OK;
    if (bytes > 0)
        CLADE_CL(clEnqueueReadBuffer(object->context->queue, object->mem, CL_TRUE, (size_t)offset,
                                     bytes, to, 0, NULL, NULL));
fail:
    return status;
}

clade_status cladei_object_write(const struct cladei_object *object, uint64_t offset,
                                 const void *from, size_t bytes)
{
    clade_status status = CLADE_OK;
    if (bytes > 0)
        CLADE_CL(clEnqueueWriteBuffer(object->context->queue, object->mem, CL_TRUE, (size_t)offset,
                                      bytes, from, 0, NULL, NULL));
fail:
    return status;
}

void cladei_object_close(struct cladei_object *object, clade_program **program,
                         const cl_kernel *kernels, size_t count)
{
    if (object->context && object->context->queue)
        clFinish(object->context->queue);
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

clade_status cladei_object_take_error(const struct cladei_object *object, clade_status *first,
                                      clade_u32 *item)
{
    clade_status status = CLADE_OK;
    clade_u32 words[2]; /* first_error, first_error_item */
    const clade_u32 none[2] = { 0, 0 };
    const size_t offset = offsetof(clade_object_head, first_error);
    CLADE_TRY(cladei_object_read(object, offset, words, sizeof words));
    if (words[0] != 0)
        CLADE_TRY(cladei_object_write(object, offset, none, sizeof none));
    *first = (clade_status)words[0];
    if (item)
        *item = words[1];
fail:
    return status;
}

clade_status cladei_kernels_make(clade_context *context, const char *file, const char *options,
                                 const struct cladei_kernel_name *names, size_t count)
{
    clade_status status = CLADE_OK;
    clade_program *program = NULL;
    struct cladei_text all = { 0 };
    cladei_text_printf(&all, "%s -DCLADE_SG_REDUX=%d", options, context->reduces);
    CLADE_REQUIRE(!all.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_TRY(cladei_program_build_own(&program, context, file, all.data));
    for (size_t i = 0; i < count; i++)
        CLADE_TRY(clade_program_kernel(names[i].out, program, names[i].name));
fail:
    cladei_text_free(&all);
    clade_program_destroy(&program);
    return status;
}

/* --- files ---------------------------------------------------------------------------------- */

static const char saved_magic[8] = "CLADEOB1";

/* Little-endian as every OpenCL host so far; on another the layout version would read otherwise. */
struct saved_head {
    char magic[8];
    uint32_t kind;
    uint32_t layout_version;
    uint32_t params_bytes;
    uint32_t reserved;
    uint64_t payload_bytes;
    uint64_t checksum; /* of params and payload */
};

static uint64_t saved_checksum(const void *params, size_t params_bytes, const void *payload,
                               size_t payload_bytes)
{
    return XXH3_64bits_withSeed(payload, payload_bytes, XXH3_64bits(params, params_bytes));
}

clade_status cladei_object_save(const struct cladei_object *object, const char *path,
                                const void *params, uint32_t params_bytes, uint64_t payload)
{
    clade_status status = CLADE_OK;
    struct cladei_text head_and_params = { 0 };
    struct saved_head head = { .kind = object->kind,
                               .layout_version = CLADE_OBJECT_LAYOUT_VERSION,
                               .params_bytes = params_bytes,
                               .payload_bytes = payload };
    char *bytes = malloc((size_t)payload);
    CLADE_REQUIRE(bytes, CLADE_E_NOMEM, "host memory is out: saving needs %" PRIu64 " bytes",
                  payload);
    CLADE_TRY(cladei_object_read(object, 0, bytes, (size_t)payload));
    memcpy(head.magic, saved_magic, sizeof saved_magic);
    head.checksum = saved_checksum(params, params_bytes, bytes, (size_t)payload);
    cladei_text_add(&head_and_params, (const char *)&head, sizeof head);
    cladei_text_add(&head_and_params, params, params_bytes);
    CLADE_REQUIRE(!head_and_params.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_TRY(cladei_file_write(path, head_and_params.data, head_and_params.length, bytes,
                                (size_t)payload));
fail:
    free(bytes);
    cladei_text_free(&head_and_params);
    return status;
}

clade_status cladei_saved_parse(struct cladei_saved *saved, const char *path, clade_u32 kind,
                                uint32_t params_bytes)
{
    clade_status status = CLADE_OK;
    struct saved_head head;
    CLADE_REQUIRE(saved->size >= sizeof head, CLADE_E_CORRUPT, "%s is too short for a saved object",
                  path);
    memcpy(&head, saved->bytes, sizeof head);
    CLADE_REQUIRE(memcmp(head.magic, saved_magic, sizeof saved_magic) == 0, CLADE_E_CORRUPT,
                  "%s is no saved object", path);
    CLADE_REQUIRE(head.layout_version == CLADE_OBJECT_LAYOUT_VERSION, CLADE_E_CORRUPT,
                  "%s has layout version %u, this library reads %u", path, head.layout_version,
                  CLADE_OBJECT_LAYOUT_VERSION);
    CLADE_REQUIRE(head.kind == kind && head.params_bytes == params_bytes, CLADE_E_CORRUPT,
                  "%s holds another kind of object", path);
    CLADE_REQUIRE(saved->size - sizeof head >= params_bytes &&
                      saved->size - sizeof head - params_bytes == head.payload_bytes,
                  CLADE_E_CORRUPT, "%s is truncated", path);
    saved->params = saved->bytes + sizeof head;
    saved->payload = saved->bytes + sizeof head + params_bytes;
    saved->payload_bytes = head.payload_bytes;
    CLADE_REQUIRE(head.checksum == saved_checksum(saved->params, params_bytes, saved->payload,
                                                  (size_t)saved->payload_bytes),
                  CLADE_E_CORRUPT, "%s is damaged: its checksum does not fit", path);
fail:
    return status;
}

clade_status cladei_saved_open(struct cladei_saved *saved, const char *path, clade_u32 kind,
                               uint32_t params_bytes)
{
    clade_status status = CLADE_OK;
    *saved = (struct cladei_saved) { 0 };
    CLADE_TRY(cladei_file_read(path, &saved->bytes, &saved->size));
    CLADE_TRY(cladei_saved_parse(saved, path, kind, params_bytes));
    return CLADE_OK;

fail:
    cladei_saved_close(saved);
    return status;
}

void cladei_saved_close(struct cladei_saved *saved)
{
    free(saved->bytes);
    *saved = (struct cladei_saved) { 0 };
}

clade_status cladei_saved_restore(const struct cladei_saved *saved,
                                  const struct cladei_object *object, const char *path)
{
    clade_status status = CLADE_OK;
    clade_object_head head;
    CLADE_REQUIRE(saved->payload_bytes == object->bytes, CLADE_E_CORRUPT,
                  "%s holds %" PRIu64 " bytes; its parameters make an object of %" PRIu64, path,
                  saved->payload_bytes, object->bytes);
    memcpy(&head, saved->payload, sizeof head);
    CLADE_REQUIRE(head.kind == object->kind, CLADE_E_CORRUPT, "%s holds another kind of object",
                  path);
    CLADE_TRY(cladei_object_write(object, 0, saved->payload, (size_t)saved->payload_bytes));
fail:
    return status;
}
