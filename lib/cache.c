/* SPDX-License-Identifier: Apache-2.0 */
/* Built programs on disk, one file each.
 *
 * The key is a text that holds everything a build depends on. Its hash names the file, the text
 * itself is stored and compared, so neither a hash collision nor a renamed file can bring wrong
 * code; the binary is under a checksum. Files appear by rename, so that a reader never sees half
 * a file. Anything odd means a rebuild, never a failure. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const char magic[8] = "CLADEBC1";

struct entry_head {
    char magic[8];
    uint64_t key_bytes;
    uint64_t binary_bytes;
    uint64_t checksum; /* of key and binary */
};

static uint64_t checksum(const void *key, size_t key_bytes, const void *binary, size_t bytes)
{
    return XXH3_64bits_withSeed(binary, bytes, XXH3_64bits(key, key_bytes));
}

static void add_file_name(struct cladei_text *path, const char *dir, const char *key)
{
    XXH128_hash_t hash = XXH3_128bits(key, strlen(key));
    cladei_text_printf(path, "%s/%016llx%016llx.bin", dir, (unsigned long long)hash.high64,
                       (unsigned long long)hash.low64);
}

const char *cladei_cache_binary(const char *file, size_t size, const char *key, size_t *bytes)
{
    struct entry_head head;
    size_t key_bytes = strlen(key);
    if (size < sizeof head)
        return NULL;
    memcpy(&head, file, sizeof head);
    const char *stored_key = file + sizeof head;
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.key_bytes != key_bytes ||
        size - sizeof head < key_bytes || size - sizeof head - key_bytes != head.binary_bytes ||
        head.binary_bytes == 0 || memcmp(stored_key, key, key_bytes) != 0 ||
        head.checksum !=
            checksum(stored_key, key_bytes, stored_key + key_bytes, (size_t)head.binary_bytes))
        return NULL;
    *bytes = (size_t)head.binary_bytes;
    return stored_key + key_bytes;
}

clade_status cladei_cache_load(const char *dir, const char *key, void **bytes, size_t *size)
{
    clade_status status = CLADE_OK;
    struct cladei_text path = { 0 };
    char *file = NULL;
    size_t file_size = 0, binary_size = 0;
    *bytes = NULL;
    if (!dir)
        return CLADE_OK;
    add_file_name(&path, dir, key);
    CLADE_REQUIRE(!path.failed, CLADE_E_NOMEM, "host memory is out");
    if (!cladei_file_exists(path.data) ||
        cladei_file_read(path.data, &file, &file_size) != CLADE_OK)
        goto fail;
    const char *binary = cladei_cache_binary(file, file_size, key, &binary_size);
    if (!binary)
        goto fail;
    *bytes = malloc(binary_size);
    CLADE_NO_MEMORY(*bytes);
    memcpy(*bytes, binary, binary_size);
    *size = binary_size;
fail:
    free(file);
    cladei_text_free(&path);
    return status;
}

/* A cache that cannot be written is no reason to fail a build. */
void cladei_cache_store(const char *dir, const char *key, const void *bytes, size_t size)
{
    struct cladei_text path = { 0 }, head_and_key = { 0 };
    size_t key_bytes = strlen(key);
    struct entry_head head = { .key_bytes = key_bytes, .binary_bytes = size };
    if (!dir || size == 0 || cladei_make_folders(dir) != CLADE_OK)
        return;
    memcpy(head.magic, magic, sizeof magic);
    head.checksum = checksum(key, key_bytes, bytes, size);
    cladei_text_add(&head_and_key, (const char *)&head, sizeof head);
    cladei_text_add(&head_and_key, key, key_bytes);
    add_file_name(&path, dir, key);
    if (!path.failed && !head_and_key.failed)
        (void)cladei_file_write(path.data, head_and_key.data, head_and_key.length, bytes, size);
    cladei_text_free(&head_and_key);
    cladei_text_free(&path);
}

clade_status cladei_cache_dir(char **out, const char *wanted)
{
    struct cladei_text path = { 0 };
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    *out = NULL;
    if (!wanted)
        wanted = getenv("CLADE_CACHE_DIR");
    if (wanted && !*wanted)
        return CLADE_OK;
    if (wanted)
        cladei_text_puts(&path, wanted);
    else if (xdg && *xdg)
        cladei_text_printf(&path, "%s/clade", xdg);
    else if (home && *home)
        cladei_text_printf(&path, "%s/.cache/clade", home);
    if (path.failed)
        return cladei_fail(CLADE_E_NOMEM, "host memory is out");
    *out = path.data;
    return CLADE_OK;
}
