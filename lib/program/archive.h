/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that were compiled ahead of time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "clade/archive.h"

#include "program/expand.h"

#define CLADEI_ARCHIVE_MAGIC "CLADEAR"
extern uint64_t cladei_archive_most; /* CLADEI_ARCHIVE_MOST; a test chooses less */
/* What lies in the cache's folder, or beside the library, for contexts that name no archive. */
#define CLADEI_KEPT "warm.clar"
/* A context's archive: NULL in *out when there is none, or none of use. */
clade_status cladei_archive_find_file(clade_archive **out, const char *wanted,
                                      const char *cache_dir);
/* The next entry of a kind from *at on that this context may use for this source and these
 * options. */
const clade_archive_entry *cladei_archive_next(const clade_archive *archive,
                                               const clade_context *context, uint32_t kind,
                                               const char *options, const uint64_t hash[2],
                                               size_t *at);
/* The source of a kernel file by its name, when there is exactly one of that name. */
clade_status cladei_archive_expansion(struct cladei_expansion *out, const clade_archive *archive,
                                      const char *file);
/* The places of an entry's strings, so that each thing done to all of them is one loop. */
enum { CLADEI_TEXTS = 8, CLADEI_TEXT_FILE = 7 };
void cladei_archive_texts(clade_archive_entry *entry, const char **places[CLADEI_TEXTS]);
/* The parts of archive_file.c: entries from bytes that stay where they are, and back to bytes. */
clade_status cladei_archive_parse(clade_archive *archive, const char *bytes, size_t size,
                                  const char *path);
clade_status cladei_archive_append(clade_archive *archive, const clade_archive_entry *entry,
                                   void *owned);

struct cladei_archived {
    clade_archive_entry entry;
    void *owned; /* what the entry points to, when it was added; NULL when it lies in `bytes` */
};
struct clade_archive {
    char *bytes; /* the file that was read, or NULL */
    struct cladei_archived *entries;
    size_t count;
};
