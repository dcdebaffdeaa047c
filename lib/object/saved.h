/* SPDX-License-Identifier: Apache-2.0 */
/* Objects in files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/object.h"

/* A saved object: `params` as the structure needs them to make an equal one, then the first
 * `payload` bytes of the buffer, all under a checksum. */
clade_status cladei_object_save(const struct cladei_object *object, const char *path,
                                const void *params, uint32_t params_bytes, uint64_t payload);
/* The same with bytes that the caller has read, and made fit for a file. */
clade_status cladei_object_save_bytes(const struct cladei_object *object, const char *path,
                                      const void *params, uint32_t params_bytes, const char *bytes,
                                      uint64_t payload);
struct cladei_saved {
    char *bytes; /* the whole file; owned */
    size_t size;
    const void *params;
    void *payload; /* may be mended; aligned to 4 bytes, and to 8 as the parameters are */
    uint64_t payload_bytes;
};
/* A file that is larger than any object of the context is not read: E_ARG, with the limit. */
clade_status cladei_saved_open(struct cladei_saved *saved, const clade_context *context,
                               const char *path, clade_u32 kind, uint32_t params_bytes);
/* The same on bytes that are in `saved` already; `path` is for messages. */
clade_status cladei_saved_parse(struct cladei_saved *saved, const char *path, clade_u32 kind,
                                uint32_t params_bytes);
/* `answer` is the status that a file's parameters got. Parameters that every device refuses mean a
 * damaged file, not a wrong argument. */
clade_status cladei_saved_answer(clade_status answer, const char *path);
/* Its payload has `bytes`, the size of the object that its parameters make. Ask before the object
 * is made, because that may be far larger than the file. */
clade_status cladei_saved_fits(const struct cladei_saved *saved, uint64_t bytes, const char *path);
/* Its payload begins with the head of an object of this kind and shape. */
clade_status cladei_saved_is_of(const struct cladei_saved *saved,
                                const struct cladei_object *object, const char *path);
/* Write it to an object made with its parameters; it must be as large, and of the object's kind
 * and shape. */
clade_status cladei_saved_restore(const struct cladei_saved *saved,
                                  const struct cladei_object *object, const char *path);
void cladei_saved_close(struct cladei_saved *saved);
