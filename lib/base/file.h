/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing whole files; folders. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clade/error.h"

/* The environment, but not of a program that has more rights than who started it. */
const char *cladei_getenv(const char *name);
/* How a file is read: only when it is a regular one, of `most` bytes at most. One that does not
 * begin with `magic` is read for its first bytes alone, for its parser to refuse. */
struct cladei_reading {
    const char *magic; /* NULL: any */
    uint64_t most;
};
#define CLADEI_ARCHIVE_MOST ((uint64_t)1 << 30) /* of archives and of the cache's files */
#define CLADEI_SOURCE_MOST  ((uint64_t)1 << 26)
clade_status cladei_file_read(const char *path, const struct cladei_reading *how, char **bytes,
                              size_t *size);
/* The same of a file that is open; `path` is for messages. */
clade_status cladei_file_read_open(int descriptor, const char *path,
                                   const struct cladei_reading *how, char **bytes, size_t *size);
/* This user or root owns the open file or folder, and nobody else may write to it. */
bool cladei_is_ours(int descriptor);
bool cladei_file_exists(const char *path);
/* Which file a path leads to: the same for every spelling; inode 0 when there is none. */
struct cladei_file_id {
    uint64_t device, inode;
};
struct cladei_file_id cladei_file_id(const char *path);
/* Whole or not at all; `how` is of outfile.h. */
clade_status cladei_file_write(const char *path, unsigned how, const void *head, size_t head_size,
                               const void *body, size_t body_size);
/* Those that are not there get `mode`. */
clade_status cladei_make_folders(const char *path, unsigned mode);
