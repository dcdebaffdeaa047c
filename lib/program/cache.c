/* SPDX-License-Identifier: Apache-2.0 */
/* Built programs on disk, one file each.
 *
 * The key is a text that holds everything a build depends on. Its hash names the file, the text
 * itself is stored and compared, so neither a hash collision nor a renamed file can bring wrong
 * code; the binary is under a checksum. Files appear by rename, so that a reader never sees half
 * a file. Anything odd means a rebuild, never a failure. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/outfile.h"
#include "base/text.h"
#include "program/cache.h"

#define MAGIC "CLADEBC1"
static const char magic[8] = MAGIC;

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

/* What is in the cache becomes code, native code on a CPU: so folder and file must be this user's
 * own (or root's), and nobody else may write to them. -1: not so, or not there. */
static int open_folder(const char *dir)
{
    const int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && cladei_is_ours(folder))
        return folder;
    if (folder >= 0)
        close(folder);
    return -1;
}

/* A file of the folder, and nothing that a link leads to. */
static clade_status read_entry(int folder, const char *path, const struct cladei_reading *how,
                               char **bytes, size_t *size)
{
    clade_status status = CLADE_OK;
    const int file = openat(folder, strrchr(path, '/') + 1,
                            O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    if (file >= 0 && cladei_is_ours(file))
        status = cladei_file_read_open(file, path, how, bytes, size);
    if (file >= 0)
        close(file);
    return status;
}

clade_status cladei_cache_read(const char *dir, const char *name, const struct cladei_reading *how,
                               char **bytes, size_t *size)
{
    clade_status status = CLADE_OK;
    struct cladei_text path = { 0 };
    int folder = -1;
    *bytes = NULL;
    cladei_text_printf(&path, "%s/%s", dir, name);
    CLADE_REQUIRE(!path.failed, CLADE_E_NOMEM, "host memory is out");
    folder = open_folder(dir);
    if (folder >= 0)
        CLADE_TRY(read_entry(folder, path.data, how, bytes, size));
fail:
    if (folder >= 0)
        close(folder);
    cladei_text_free(&path);
    return status;
}

clade_status cladei_cache_write(const char *dir, const char *name, const void *bytes, size_t size)
{
    clade_status status = CLADE_OK;
    struct cladei_text path = { 0 };
    int folder = -1;
    CLADE_TRY(cladei_make_folders(dir, 0700));
    folder = open_folder(dir);
    CLADE_REQUIRE(folder >= 0, CLADE_E_IO,
                  "%s is not this user's own folder, or others may write to it", dir);
    cladei_text_printf(&path, "%s/%s", dir, name);
    CLADE_REQUIRE(!path.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_TRY(cladei_file_write(path.data, CLADEI_OUTFILE_PRIVATE | CLADEI_OUTFILE_LASTING, "", 0,
                                bytes, size));
fail:
    if (folder >= 0)
        close(folder);
    cladei_text_free(&path);
    return status;
}

clade_status cladei_cache_load(const char *dir, const char *key, void **bytes, size_t *size)
{
    clade_status status = CLADE_OK;
    struct cladei_text path = { 0 };
    char *file = NULL;
    size_t file_size = 0, binary_size = 0;
    int folder = -1;
    const struct cladei_reading how = { .magic = MAGIC, .most = CLADEI_ARCHIVE_MOST };
    *bytes = NULL;
    if (!dir)
        return CLADE_OK;
    add_file_name(&path, dir, key);
    CLADE_REQUIRE(!path.failed, CLADE_E_NOMEM, "host memory is out");
    folder = open_folder(dir);
    if (folder < 0 || read_entry(folder, path.data, &how, &file, &file_size) != CLADE_OK || !file)
        goto fail;
    const char *binary = cladei_cache_binary(file, file_size, key, &binary_size);
    if (!binary)
        goto fail;
    *bytes = malloc(binary_size);
    CLADE_NO_MEMORY(*bytes);
    memcpy(*bytes, binary, binary_size);
    *size = binary_size;
fail:
    if (folder >= 0)
        close(folder);
    free(file);
    cladei_text_free(&path);
    return status;
}

/* A cache that cannot be written is no reason to fail a build. An entry that a lost power leaves
 * damaged is not taken for one, so nothing waits for the disk. */
void cladei_cache_store(const char *dir, const char *key, const void *bytes, size_t size)
{
    struct cladei_text path = { 0 }, head_and_key = { 0 };
    size_t key_bytes = strlen(key);
    struct entry_head head = { .key_bytes = key_bytes, .binary_bytes = size };
    if (!dir || size == 0 || cladei_make_folders(dir, 0700) != CLADE_OK)
        return;
    const int folder = open_folder(dir);
    if (folder < 0) /* what is not believed when it is read need not be written */
        return;
    memcpy(head.magic, magic, sizeof magic);
    head.checksum = checksum(key, key_bytes, bytes, size);
    cladei_text_add(&head_and_key, (const char *)&head, sizeof head);
    cladei_text_add(&head_and_key, key, key_bytes);
    add_file_name(&path, dir, key);
    if (!path.failed && !head_and_key.failed)
        (void)cladei_file_write(path.data, CLADEI_OUTFILE_PRIVATE, head_and_key.data,
                                head_and_key.length, bytes, size);
    close(folder);
    cladei_text_free(&head_and_key);
    cladei_text_free(&path);
}

clade_status cladei_cache_dir(char **out, const char *wanted)
{
    struct cladei_text path = { 0 };
    const char *xdg = cladei_getenv("XDG_CACHE_HOME"), *home = cladei_getenv("HOME");
    *out = NULL;
    if (!wanted)
        wanted = cladei_getenv("CLADE_CACHE_DIR");
    if (wanted && !*wanted)
        return CLADE_OK;
    if (wanted)
        cladei_text_puts(&path, wanted);
    else if (xdg && *xdg == '/') /* a relative one would be another folder wherever one stands */
        cladei_text_printf(&path, "%s/clade", xdg);
    else if (home && *home == '/')
        cladei_text_printf(&path, "%s/.cache/clade", home);
    if (path.failed)
        return cladei_fail(CLADE_E_NOMEM, "host memory is out");
    *out = path.data;
    return CLADE_OK;
}
