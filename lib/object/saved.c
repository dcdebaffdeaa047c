/* SPDX-License-Identifier: Apache-2.0 */
/* Objects in files. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/outfile.h"
#include "base/text.h"
#include "device/context.h"
#include "object/object.h"
#include "object/saved.h"

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
        .device = context->info.name,
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

clade_status cladei_saved_answer(clade_status answer, const char *path)
{
    char why[256];
    if (answer != CLADE_E_ARG)
        return answer;
    snprintf(why, sizeof why, "%s", clade_error_last()->message);
    return cladei_fail(CLADE_E_CORRUPT, "%s is damaged: %s", path, why);
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
