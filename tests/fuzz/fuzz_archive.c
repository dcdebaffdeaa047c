/* SPDX-License-Identifier: Apache-2.0 */
/* An archive, whatever it holds, gives entries that lie inside its bytes, or none; what is read
 * can be written and read again. The fuzzer does not guess checksums, so a second run has the
 * index's put right. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

#include "program/archive.h"
#include "program/expand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(const char *bytes, size_t size, const void *at, size_t length)
{
    const char *start = at;
    if (start < bytes || start > bytes + size || length > size - (size_t)(start - bytes))
        abort();
}

static void try_bytes(const char *bytes, size_t size)
{
    clade_archive archive = { 0 };
    if (cladei_archive_parse(&archive, bytes, size, "fuzz") == CLADE_OK)
        for (size_t i = 0; i < archive.count; i++) {
            clade_archive_entry entry = archive.entries[i].entry;
            const char **places[CLADEI_TEXTS];
            cladei_archive_texts(&entry, places);
            for (size_t t = 0; t < CLADEI_TEXTS; t++)
                check_inside(bytes, size, *places[t], strlen(*places[t]) + 1);
            if (entry.bytes)
                check_inside(bytes, size, entry.bytes, (size_t)entry.size);
            struct cladei_expansion expansion;
            if (cladei_archive_expansion(&expansion, &archive, entry.file) == CLADE_OK)
                cladei_expansion_free(&expansion);
        }
    free(archive.entries);
}

/* The layout is the one of lib/program/archive_file.c: count at 12, bytes of strings at 16,
 * checksum at 24, a head of 32 bytes, records of 80 that end in offset, bytes and checksum of a
 * payload. */
static void mend(char *bytes, size_t size)
{
    uint32_t count;
    uint64_t strings, sum = 0;
    if (size < 32)
        return;
    memcpy(&count, bytes + 12, sizeof count);
    memcpy(&strings, bytes + 16, sizeof strings);
    count %= 8;
    if (count > (size - 32) / 80)
        return;
    memcpy(bytes + 12, &count, sizeof count);
    if (strings == 0 || strings > size - 32 - count * 80)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t place[2];
        char *record = bytes + 32 + i * 80;
        memcpy(place, record + 56, sizeof place);
        if (place[0] <= size && place[1] <= size - place[0]) {
            sum = XXH3_64bits(bytes + place[0], (size_t)place[1]);
            memcpy(record + 72, &sum, sizeof sum);
        }
    }
    sum = 0;
    memcpy(bytes + 24, &sum, sizeof sum);
    sum = XXH3_64bits_withSeed(bytes + 32, count * 80 + (size_t)strings, XXH3_64bits(bytes, 32));
    memcpy(bytes + 24, &sum, sizeof sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1);
    if (!bytes)
        return 0;
    try_bytes((const char *)data, size);
    memcpy(bytes, data, size);
    mend(bytes, size);
    char *exact = realloc(bytes, size > 0 ? size : 1);
    try_bytes(exact ? exact : bytes, size);
    free(exact ? exact : bytes);
    return 0;
}
