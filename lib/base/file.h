/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing whole files; folders. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clade/error.h"

/* A variable of the environment; NULL if the program has more rights than the user who started
 * it. */
const char *cladei_getenv(const char *name);
/* How a file is read. It must be a regular one of at most `most` bytes. If it does not begin with
 * `magic`, only its first bytes are read, and its parser refuses it. */
struct cladei_reading {
    const char *magic; /* NULL: any */
    uint64_t most;
    const char *device; /* that holds no more: a larger file is E_ARG. NULL: no file is larger that
                         * is sound, so it is E_CORRUPT */
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
/* Write a file whole or not at all; outfile.h has the values of `how`. */
clade_status cladei_file_write(const char *path, unsigned how, const void *head, size_t head_size,
                               const void *body, size_t body_size);
/* Those that are not there get `mode`. */
clade_status cladei_make_folders(const char *path, unsigned mode);
