/* SPDX-License-Identifier: Apache-2.0 */
/* What all structures share on the host: the buffer, its head, saving and loading. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "outfile.h"

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
        CLADE_CL(clEnqueueFillBuffer(context->queue, mem, zeros, pattern, 0, (size_t)bytes, 0, NULL,
                                     NULL));
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
        CLADE_CL(clEnqueueFillBuffer(run->queue, object->mem, &none, sizeof none, offset,
                                     sizeof none, 0, NULL, NULL));
        *turn = 0;
    }
    ++*turn;
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

clade_status cladei_object_save_bytes(const struct cladei_object *object, const char *path,
                                      const void *params, uint32_t params_bytes, const char *bytes,
                                      uint64_t payload)
{
    clade_status status = CLADE_OK;
    struct cladei_text head_and_params = { 0 };
    struct saved_head head = { .kind = object->kind,
                               .layout_version = CLADE_OBJECT_LAYOUT_VERSION,
                               .params_bytes = params_bytes,
                               .payload_bytes = payload };
    memcpy(head.magic, saved_magic, sizeof saved_magic);
    head.checksum = saved_checksum(params, params_bytes, bytes, (size_t)payload);
    cladei_text_add(&head_and_params, (const char *)&head, sizeof head);
    cladei_text_add(&head_and_params, params, params_bytes);
    CLADE_REQUIRE(!head_and_params.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_TRY(cladei_file_write(path, CLADEI_OUTFILE_LASTING, head_and_params.data,
                                head_and_params.length, bytes, (size_t)payload));
fail:
    cladei_text_free(&head_and_params);
    return status;
}

clade_status cladei_object_save(const struct cladei_object *object, const char *path,
                                const void *params, uint32_t params_bytes, uint64_t payload)
{
    clade_status status = CLADE_OK;
    char *bytes = malloc((size_t)payload);
    CLADE_REQUIRE(bytes, CLADE_E_NOMEM, "host memory is out: saving needs %" PRIu64 " bytes",
                  payload);
    CLADE_TRY(cladei_object_read(object, 0, bytes, (size_t)payload));
    CLADE_TRY(cladei_object_save_bytes(object, path, params, params_bytes, bytes, payload));
fail:
    free(bytes);
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

clade_status cladei_saved_open(struct cladei_saved *saved, const clade_context *context,
                               const char *path, clade_u32 kind, uint32_t params_bytes)
{
    clade_status status = CLADE_OK;
    char start[sizeof saved_magic + sizeof kind + 1] = ""; /* no kind has a NUL in it */
    const struct cladei_reading how = {
        .magic = start,
        .most = sizeof(struct saved_head) + params_bytes + context->caps.alloc_bytes_max,
    };
    *saved = (struct cladei_saved) { 0 };
    memcpy(start, saved_magic, sizeof saved_magic);
    memcpy(start + sizeof saved_magic, &kind, sizeof kind);
    CLADE_TRY(cladei_file_read(path, &how, &saved->bytes, &saved->size));
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

clade_status cladei_saved_is_of(const struct cladei_saved *saved,
                                const struct cladei_object *object, const char *path)
{
    clade_status status = CLADE_OK;
    clade_object_head head;
    CLADE_REQUIRE(saved->payload_bytes >= sizeof head, CLADE_E_CORRUPT, "%s is truncated", path);
    memcpy(&head, saved->payload, sizeof head);
    CLADE_REQUIRE(cladei_object_is_its_head(object, &head), CLADE_E_CORRUPT,
                  "%s holds another kind of object, or one of another shape than it says", path);
    /* What the next call would return. */
    const int32_t error = (int32_t)head.first_error;
    CLADE_REQUIRE(error <= 0 && error > -CLADE_STATUS_COUNT, CLADE_E_CORRUPT,
                  "%s tells of an error that there is not: %" PRId32, path, error);
fail:
    return status;
}

clade_status cladei_saved_fits(const struct cladei_saved *saved, uint64_t bytes, const char *path)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(saved->payload_bytes == bytes, CLADE_E_CORRUPT,
                  "%s holds %" PRIu64 " bytes; its parameters make an object of %" PRIu64, path,
                  saved->payload_bytes, bytes);
fail:
    return status;
}

clade_status cladei_saved_restore(const struct cladei_saved *saved,
                                  const struct cladei_object *object, const char *path)
{
    clade_status status = CLADE_OK;
    clade_object_head *head = saved->payload;
    CLADE_TRY(cladei_saved_fits(saved, object->bytes, path));
    CLADE_TRY(cladei_saved_is_of(saved, object, path));
    head->layout_version = CLADE_OBJECT_LAYOUT_VERSION;
    head->bytes_low = (clade_u32)object->bytes;
    head->bytes_high = (clade_u32)(object->bytes >> 32);
    CLADE_TRY(cladei_object_write(object, 0, saved->payload, (size_t)saved->payload_bytes));
fail:
    return status;
}
