/* SPDX-License-Identifier: Apache-2.0 */
/* The file of an archive: a head, an index of fixed records, their strings, then the payloads.
 * Integers are the host's own; the head's byte order word keeps a stranger's file out.
 *
 * The index (head, records, strings) is under one checksum: when it fails nothing in the file is
 * believed. Each payload is under its own: when one fails, or does not lie inside the file, that
 * entry alone is of no use. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/outfile.h"
#include "base/text.h"
#include "program/archive.h"
#include "program/cache.h"

/* Another format has another digit. */
static const char magic[8] = CLADEI_ARCHIVE_MAGIC "1";
enum { BYTE_ORDER_MARK = 0x01020304, PAYLOAD_ALIGN = 16 };

struct archive_head {
    char magic[8];
    uint32_t byte_order;
    uint32_t count;
    uint64_t string_bytes;
    uint64_t checksum; /* of the index, this word being 0 */
};

struct archive_record {
    uint32_t kind;
    uint32_t texts[CLADEI_TEXTS]; /* offsets into the strings */
    uint32_t zero;
    uint64_t source_hash[2];
    uint64_t offset; /* of the payload, from the file's start */
    uint64_t bytes;
    uint64_t checksum;
};

_Static_assert(sizeof(struct archive_head) == 32, "the head has no padding");
_Static_assert(sizeof(struct archive_record) == 80, "records have no padding");

static uint64_t index_checksum(const struct archive_head *head, const char *rest, size_t bytes)
{
    struct archive_head plain = *head;
    plain.checksum = 0;
    return XXH3_64bits_withSeed(rest, bytes, XXH3_64bits(&plain, sizeof plain));
}

/* --- reading -------------------------------------------------------------------------------- */

/* The index's length without the head, or 0 when it does not lie inside `size`. */
static size_t index_bytes(const struct archive_head *head, size_t size)
{
    size_t room = size - sizeof *head;
    if (head->count > room / sizeof(struct archive_record))
        return 0;
    size_t records = head->count * sizeof(struct archive_record);
    /* One byte of strings at least: all texts end in a NUL of this region. */
    if (head->string_bytes == 0 || head->string_bytes > room - records)
        return 0;
    return records + (size_t)head->string_bytes;
}

static bool read_record(clade_archive_entry *entry, const struct archive_record *record,
                        const char *strings, const struct archive_head *head)
{
    const char **places[CLADEI_TEXTS];
    *entry = (clade_archive_entry) { .kind = record->kind, .size = record->bytes };
    memcpy(entry->source_hash, record->source_hash, sizeof entry->source_hash);
    cladei_archive_texts(entry, places);
    for (size_t i = 0; i < CLADEI_TEXTS; i++) {
        if (record->texts[i] >= head->string_bytes)
            return false;
        *places[i] = strings + record->texts[i];
    }
    return record->kind >= CLADE_ENTRY_SOURCE && record->kind <= CLADE_ENTRY_RESULT;
}

clade_status cladei_archive_parse(clade_archive *archive, const char *bytes, size_t size,
                                  const char *path)
{
    clade_status status = CLADE_OK;
    struct archive_head head;
    size_t index = 0;
    CLADE_REQUIRE(size >= sizeof head && memcmp(bytes, magic, sizeof magic - 1) == 0,
                  CLADE_E_CORRUPT, "%s is no archive of clade", path);
    memcpy(&head, bytes, sizeof head);
    CLADE_REQUIRE(memcmp(head.magic, magic, sizeof magic) == 0 &&
                      head.byte_order == BYTE_ORDER_MARK,
                  CLADE_E_CORRUPT, "%s is an archive of another format", path);
    const char *rest = bytes + sizeof head;
    index = index_bytes(&head, size);
    CLADE_REQUIRE(index > 0 && head.checksum == index_checksum(&head, rest, index) &&
                      rest[index - 1] == '\0',
                  CLADE_E_CORRUPT, "the index of %s is damaged", path);
    const char *strings = rest + head.count * sizeof(struct archive_record);
    for (uint32_t i = 0; i < head.count; i++) {
        struct archive_record record;
        clade_archive_entry entry;
        memcpy(&record, rest + i * sizeof record, sizeof record);
        CLADE_REQUIRE(read_record(&entry, &record, strings, &head), CLADE_E_CORRUPT,
                      "entry %u of %s is malformed", i, path);
        if (record.bytes > 0 && record.offset <= size && record.bytes <= size - record.offset &&
            record.checksum == XXH3_64bits(bytes + record.offset, (size_t)record.bytes))
            entry.bytes = bytes + record.offset;
        CLADE_TRY(cladei_archive_append(archive, &entry, NULL));
    }
fail:
    return status;
}

/* --- writing -------------------------------------------------------------------------------- */

/* Texts repeat much (devices, options), so each is stored once. */
static uint32_t add_string(struct cladei_text *strings, const char *string)
{
    size_t length = strlen(string) + 1;
    for (size_t at = 0; strings->data && at < strings->length; at += strlen(strings->data + at) + 1)
        if (strcmp(strings->data + at, string) == 0)
            return (uint32_t)at;
    size_t at = strings->length;
    cladei_text_add(strings, string, length);
    return (uint32_t)at;
}

static void add_padding(struct cladei_text *text)
{
    static const char zeros[PAYLOAD_ALIGN];
    cladei_text_add(text, zeros, (PAYLOAD_ALIGN - text->length % PAYLOAD_ALIGN) % PAYLOAD_ALIGN);
}

/* Records with their texts placed, their payloads not yet. */
static struct archive_record *make_records(const clade_archive *archive,
                                           struct cladei_text *strings, size_t *count)
{
    struct archive_record *records = calloc(archive->count + 1, sizeof *records);
    *count = 0;
    add_string(strings, "");
    for (size_t i = 0; records && i < archive->count; i++) {
        clade_archive_entry entry = archive->entries[i].entry;
        struct archive_record *record = &records[*count];
        const char **places[CLADEI_TEXTS];
        if (!entry.bytes)
            continue; /* damaged when it was read: nothing to keep */
        cladei_archive_texts(&entry, places);
        record->kind = entry.kind;
        for (size_t t = 0; t < CLADEI_TEXTS; t++)
            record->texts[t] = add_string(strings, *places[t]);
        memcpy(record->source_hash, entry.source_hash, sizeof record->source_hash);
        record->bytes = entry.size;
        record->checksum = XXH3_64bits(entry.bytes, (size_t)entry.size);
        (*count)++;
    }
    return records;
}

/* The file's bytes. */
static clade_status pack(struct cladei_text *body, const clade_archive *archive)
{
    clade_status status = CLADE_OK;
    struct cladei_text strings = { 0 };
    struct archive_record *records = NULL;
    struct archive_head head = { .byte_order = BYTE_ORDER_MARK };
    size_t count = 0;
    records = make_records(archive, &strings, &count);
    CLADE_REQUIRE(records && !strings.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_REQUIRE(strings.length < UINT32_MAX && count < UINT32_MAX, CLADE_E_ARG,
                  "the archive's texts are too long for its format");
    size_t index = count * sizeof *records + strings.length;
    /* The records' offsets are known before the payloads are laid behind the index. */
    uint64_t at = sizeof head + index;
    for (size_t i = 0; i < count; i++) {
        at += (PAYLOAD_ALIGN - at % PAYLOAD_ALIGN) % PAYLOAD_ALIGN;
        records[i].offset = at;
        at += records[i].bytes;
    }
    CLADE_REQUIRE(at <= cladei_archive_most, CLADE_E_ARG,
                  "the archive has %" PRIu64 " bytes; at most %" PRIu64 " are read", at,
                  cladei_archive_most);
    memcpy(head.magic, magic, sizeof magic);
    head.count = (uint32_t)count;
    head.string_bytes = strings.length;
    cladei_text_add(body, (const char *)&head, sizeof head);
    cladei_text_add(body, (const char *)records, count * sizeof *records);
    cladei_text_add(body, strings.data, strings.length);
    CLADE_REQUIRE(!body->failed, CLADE_E_NOMEM, "host memory is out");
    head.checksum = index_checksum(&head, body->data + sizeof head, index);
    memcpy(body->data, &head, sizeof head);
    for (size_t i = 0; i < archive->count; i++) {
        const clade_archive_entry *entry = &archive->entries[i].entry;
        if (!entry->bytes)
            continue;
        add_padding(body);
        cladei_text_add(body, entry->bytes, (size_t)entry->size);
    }
    CLADE_REQUIRE(!body->failed, CLADE_E_NOMEM, "host memory is out");
fail:
    free(records);
    cladei_text_free(&strings);
    return status;
}

clade_status clade_archive_write(const clade_archive *archive, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_text body = { 0 };
    CLADE_REQUIRE(archive && path, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(pack(&body, archive));
    CLADE_TRY(cladei_file_write(path, CLADEI_OUTFILE_LASTING, body.data, body.length, "", 0));
fail:
    cladei_text_free(&body);
    return status;
}

clade_status clade_archive_keep(const clade_archive *archive, const char *cache_dir)
{
    clade_status status = CLADE_OK;
    struct cladei_text body = { 0 };
    char *folder = NULL;
    CLADE_REQUIRE(archive, CLADE_E_ARG, "the archive is NULL");
    CLADE_TRY(cladei_cache_dir(&folder, cache_dir));
    CLADE_REQUIRE(folder, CLADE_E_ARG,
                  "there is no folder of the cache: its name is empty, or HOME is not set");
    CLADE_TRY(pack(&body, archive));
    CLADE_TRY(cladei_cache_write(folder, CLADEI_KEPT, body.data, body.length));
fail:
    cladei_text_free(&body);
    free(folder);
    return status;
}
