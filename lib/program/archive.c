/* SPDX-License-Identifier: Apache-2.0 */
/* Archives in memory: entries, and which of them a context may use.
 *
 * An entry is used when everything that its build depended on is the same: clade's version, the
 * device and its driver, all options, and the 128-bit hash of the expanded source. Nothing is
 * taken for "near enough". An archive is trusted as the program that names it is: the checksums
 * find accidents, not malice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/reserved.h"
#include "base/text.h"
#include "clade/version.h"
#include "device/context.h"
#include "program/archive.h"
#include "program/cache.h"
#include "program/expand.h"
#include "program/program.h"

uint64_t cladei_archive_most = CLADEI_ARCHIVE_MOST;

clade_status clade_archive_create(clade_archive **out)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the archive is NULL");
    *out = NULL;
    clade_archive *archive = calloc(1, sizeof *archive);
    CLADE_NO_MEMORY(archive);
    *out = archive;
fail:
    return status;
}

clade_status clade_archive_open(clade_archive **out, const char *path)
{
    clade_status status = CLADE_OK;
    clade_archive *archive = NULL;
    size_t size = 0;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the archive is NULL");
    *out = NULL;
    CLADE_REQUIRE(path, CLADE_E_ARG, "the archive's path is NULL");
    CLADE_TRY(clade_archive_create(&archive));
    CLADE_REQUIRE(cladei_file_exists(path), CLADE_E_IO, "there is no file %s", path);
    CLADE_TRY(cladei_file_read(
        path,
        &(struct cladei_reading) { .magic = CLADEI_ARCHIVE_MAGIC, .most = cladei_archive_most },
        &archive->bytes, &size));
    CLADE_TRY(cladei_archive_parse(archive, archive->bytes, size, path));
    *out = archive;
    archive = NULL;
fail:
    clade_archive_destroy(&archive);
    return status;
}

/* One that lies ready in a folder as the cache's is. */
static clade_status open_kept(clade_archive **out, const char *folder)
{
    clade_status status = CLADE_OK;
    clade_archive *archive = NULL;
    char *bytes = NULL;
    size_t size = 0;
    const struct cladei_reading how = { .magic = CLADEI_ARCHIVE_MAGIC,
                                        .most = cladei_archive_most };
    CLADE_TRY(cladei_cache_read(folder, CLADEI_KEPT, &how, &bytes, &size));
    if (!bytes)
        return CLADE_OK;
    CLADE_TRY(clade_archive_create(&archive));
    archive->bytes = bytes;
    bytes = NULL;
    CLADE_TRY(cladei_archive_parse(archive, archive->bytes, size, folder));
    *out = archive;
    archive = NULL;
fail:
    free(bytes);
    clade_archive_destroy(&archive);
    return status;
}

clade_status cladei_archive_find_file(clade_archive **out, const char *wanted,
                                      const char *cache_dir)
{
    static const char installed[] = CLADE_INSTALLED_LIBRARIES "/clade";
    clade_status status = CLADE_OK;
    *out = NULL;
    if (!wanted)
        wanted = cladei_getenv("CLADE_ARCHIVE");
    if (!wanted && cache_dir) {
        status = open_kept(out, cache_dir);
        if (!*out && status != CLADE_E_NOMEM)
            status = open_kept(out, installed);
        return status == CLADE_E_NOMEM ? status : CLADE_OK;
    }
    if (!wanted || !*wanted)
        return CLADE_OK;
    status = clade_archive_open(out, wanted);
    return status == CLADE_E_NOMEM ? status : CLADE_OK;
}

void clade_archive_destroy(clade_archive **archive)
{
    if (!archive || !*archive)
        return;
    for (size_t i = 0; i < (*archive)->count; i++)
        free((*archive)->entries[i].owned);
    free((*archive)->entries);
    free((*archive)->bytes);
    free(*archive);
    *archive = NULL;
}

size_t clade_archive_count(const clade_archive *archive)
{
    return archive ? archive->count : 0;
}

const clade_archive_entry *clade_archive_at(const clade_archive *archive, size_t index)
{
    return archive && index < archive->count ? &archive->entries[index].entry : NULL;
}

/* --- adding --------------------------------------------------------------------------------- */

void cladei_archive_texts(clade_archive_entry *entry, const char **places[CLADEI_TEXTS])
{
    places[0] = &entry->target;
    places[1] = &entry->platform;
    places[2] = &entry->device;
    places[3] = &entry->device_version;
    places[4] = &entry->driver;
    places[5] = &entry->options;
    places[6] = &entry->version;
    places[CLADEI_TEXT_FILE] = &entry->file;
}

static bool is_same(clade_archive_entry *a, clade_archive_entry *b)
{
    const char **left[CLADEI_TEXTS], **right[CLADEI_TEXTS];
    cladei_archive_texts(a, left);
    cladei_archive_texts(b, right);
    /* Code is found by its source's hash; its file's name only helps a reader. */
    size_t compared = a->kind == CLADE_ENTRY_SOURCE ? CLADEI_TEXTS : CLADEI_TEXT_FILE;
    for (size_t i = 0; i < compared; i++)
        if (strcmp(*left[i], *right[i]) != 0)
            return false;
    return a->kind == b->kind && memcmp(a->source_hash, b->source_hash, sizeof a->source_hash) == 0;
}

clade_status cladei_archive_append(clade_archive *archive, const clade_archive_entry *entry,
                                   void *owned)
{
    /* Room grows by doubling; counts are powers of two when it is full. */
    if ((archive->count & (archive->count - 1)) == 0) {
        size_t room = archive->count ? 2 * archive->count : 1;
        struct cladei_archived *grown = realloc(archive->entries, room * sizeof *archive->entries);
        if (!grown)
            return cladei_fail(CLADE_E_NOMEM, "host memory is out");
        archive->entries = grown;
    }
    archive->entries[archive->count++] =
        (struct cladei_archived) { .entry = *entry, .owned = owned };
    return CLADE_OK;
}

/* The bytes come first, so that they are as aligned as malloc makes them. */
static void *copy_entry(clade_archive_entry *copy, const clade_archive_entry *entry)
{
    const char **places[CLADEI_TEXTS];
    size_t total = (size_t)entry->size;
    *copy = *entry;
    cladei_archive_texts(copy, places);
    for (size_t i = 0; i < CLADEI_TEXTS; i++) {
        *places[i] = *places[i] ? *places[i] : "";
        total += strlen(*places[i]) + 1;
    }
    char *owned = malloc(total), *at = owned;
    if (!owned)
        return NULL;
    memcpy(at, entry->bytes, (size_t)entry->size);
    copy->bytes = at;
    at += entry->size;
    for (size_t i = 0; i < CLADEI_TEXTS; i++) {
        size_t length = strlen(*places[i]) + 1;
        *places[i] = memcpy(at, *places[i], length);
        at += length;
    }
    return owned;
}

clade_status clade_archive_add(clade_archive *archive, const clade_archive_entry *entry)
{
    clade_status status = CLADE_OK;
    void *owned = NULL;
    clade_archive_entry copy, given;
    CLADE_REQUIRE(archive && entry, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(CLADEI_RESERVED_CHECK(entry, "clade_archive_entry"));
    CLADE_REQUIRE(entry->kind >= CLADE_ENTRY_SOURCE && entry->kind <= CLADE_ENTRY_RESULT,
                  CLADE_E_ARG, "there is no kind of entry %u", entry->kind);
    CLADE_REQUIRE(entry->bytes && entry->size > 0, CLADE_E_ARG, "an entry needs bytes");
    CLADE_REQUIRE(entry->size <= SIZE_MAX / 2, CLADE_E_ARG, "no entry is that large");
    given = *entry;
    if (!given.version || !*given.version)
        given.version = clade_version();
    owned = copy_entry(&copy, &given);
    CLADE_NO_MEMORY(owned);
    for (size_t i = 0; i < archive->count; i++)
        if (is_same(&archive->entries[i].entry, &copy)) {
            free(archive->entries[i].owned);
            archive->entries[i] = (struct cladei_archived) { .entry = copy, .owned = owned };
            return CLADE_OK;
        }
    CLADE_TRY(cladei_archive_append(archive, &copy, owned));
    return CLADE_OK;

fail:
    free(owned);
    return status;
}

/* What was made on the device: a binary, or a result. */
static clade_status add_made(clade_archive *archive, const clade_context *context,
                             const struct cladei_built *built, const void *bytes, size_t size)
{
    const clade_device_info *info = &context->info;
    const clade_archive_entry entry = {
        .kind = built->cl ? CLADE_ENTRY_DEVICE : CLADE_ENTRY_RESULT,
        .platform = info->platform,
        .device = info->name,
        .device_version = info->device_version,
        .driver = info->driver_version,
        .options = built->options,
        .file = built->name,
        .source_hash = { built->hash[0], built->hash[1] },
        .bytes = bytes,
        .size = size,
    };
    return clade_archive_add(archive, &entry);
}

static clade_status add_built(clade_archive *archive, const clade_context *context,
                              const struct cladei_built *built)
{
    size_t size = 0;
    if (!built->cl)
        return add_made(archive, context, built, built->result, built->result_bytes);
    clade_archive_entry entry = {
        .kind = CLADE_ENTRY_SOURCE,
        .file = built->name,
        .source_hash = { built->hash[0], built->hash[1] },
        .bytes = built->source,
        .size = strlen(built->source),
    };
    clade_status status = entry.size > 0 ? clade_archive_add(archive, &entry) : CLADE_OK;
    void *bytes =
        status == CLADE_OK ? cladei_program_binary(built->cl, context->device, &size) : NULL;
    if (bytes)
        status = add_made(archive, context, built, bytes, size);
    free(bytes);
    return status;
}

clade_status clade_archive_add_context(clade_archive *archive, clade_context *context)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(archive && context, CLADE_E_ARG, "an argument is NULL");
    pthread_mutex_lock(&context->mutex);
    for (struct cladei_built *built = context->built; status == CLADE_OK && built;
         built = built->next)
        status = add_built(archive, context, built);
    pthread_mutex_unlock(&context->mutex);
fail:
    return status;
}

/* --- using ---------------------------------------------------------------------------------- */

/* Says in `reason` why not, when there is room for it. */
static bool fits(const clade_archive_entry *entry, const clade_context *context, char *reason,
                 size_t bytes)
{
    const clade_device_info *info = &context->info;
    const struct {
        const char *what, *has, *wanted;
    } pairs[] = {
        { "clade", entry->version, clade_version() },
        { "the platform", entry->platform, info->platform },
        { "the device", entry->device, info->name },
        { "the device's version", entry->device_version, info->device_version },
        { "the driver", entry->driver, info->driver_version },
    };
    const char *plain = !entry->bytes                       ? "it is damaged"
                        : entry->kind == CLADE_ENTRY_TARGET ? "it is an offline compiler's"
                                                            : NULL;
    if (plain) {
        if (bytes > 0)
            snprintf(reason, bytes, "%s", plain);
        return false;
    }
    /* A source fits every device. But it has clade's headers inside, of the version that made it.
     */
    size_t count = entry->kind == CLADE_ENTRY_SOURCE ? 1 : sizeof pairs / sizeof pairs[0];
    for (size_t i = 0; i < count; i++)
        if (strcmp(pairs[i].has, pairs[i].wanted) != 0) {
            if (bytes > 0)
                snprintf(reason, bytes, "%s is %s, not %s", pairs[i].what, pairs[i].wanted,
                         pairs[i].has);
            return false;
        }
    return true;
}

int clade_archive_fits(const clade_archive_entry *entry, const clade_context *context, char *reason,
                       size_t bytes)
{
    if (bytes > 0 && reason)
        *reason = '\0';
    return entry && context && fits(entry, context, reason, reason ? bytes : 0);
}

const clade_archive_entry *cladei_archive_next(const clade_archive *archive,
                                               const clade_context *context, uint32_t kind,
                                               const char *options, const uint64_t hash[2],
                                               size_t *at)
{
    while (archive && *at < archive->count) {
        const clade_archive_entry *entry = &archive->entries[(*at)++].entry;
        if (entry->kind == kind && entry->source_hash[0] == hash[0] &&
            entry->source_hash[1] == hash[1] && strcmp(entry->options, options) == 0 &&
            fits(entry, context, NULL, 0))
            return entry;
    }
    return NULL;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

clade_status cladei_archive_expansion(struct cladei_expansion *out, const clade_archive *archive,
                                      const char *file)
{
    clade_status status = CLADE_OK;
    const clade_archive_entry *found = NULL;
    *out = (struct cladei_expansion) { 0 };
    for (size_t i = 0; archive && i < archive->count; i++) {
        const clade_archive_entry *entry = &archive->entries[i].entry;
        if (entry->kind != CLADE_ENTRY_SOURCE || !entry->bytes ||
            strcmp(entry->version, clade_version()) != 0 ||
            strcmp(last_part(entry->file), last_part(file)) != 0)
            continue;
        CLADE_REQUIRE(!found || memcmp(found->source_hash, entry->source_hash,
                                       sizeof found->source_hash) == 0,
                      CLADE_E_NOT_FOUND,
                      "the kernel file \"%s\" is not found, and the archive has several", file);
        found = entry;
    }
    CLADE_REQUIRE(found, CLADE_E_NOT_FOUND, "the kernel file \"%s\" is not found", file);
    CLADE_REQUIRE(!memchr(found->bytes, '\0', (size_t)found->size), CLADE_E_NOT_FOUND,
                  "the archive's \"%s\" is no text", file);
    cladei_text_add(&out->source, found->bytes, (size_t)found->size);
    CLADE_REQUIRE(!out->source.failed, CLADE_E_NOMEM, "host memory is out");
    memcpy(out->hash, found->source_hash, sizeof out->hash);
fail:
    return status;
}
