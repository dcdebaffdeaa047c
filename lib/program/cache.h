/* SPDX-License-Identifier: Apache-2.0 */
/* Built programs on disk. */
#pragma once

#include <stddef.h>

#include "base/file.h"
#include "clade/error.h"

/* A load that finds nothing usable is no failure: *bytes is then NULL. */
clade_status cladei_cache_load(const char *dir, const char *key, void **bytes, size_t *size);
/* The binary inside an entry's bytes, or NULL when anything does not fit. */
const char *cladei_cache_binary(const char *file, size_t size, const char *key, size_t *bytes);
/* A file of the folder by its name: not there, or another's, or one that others may write to, gives
 * NULL in *bytes. */
clade_status cladei_cache_read(const char *dir, const char *name, const struct cladei_reading *how,
                               char **bytes, size_t *size);
/* Written for its owner alone, into a folder that is made; CLADE_E_IO when it would not be read. */
clade_status cladei_cache_write(const char *dir, const char *name, const void *bytes, size_t size);
void cladei_cache_store(const char *dir, const char *key, const void *bytes, size_t size);
/* $CLADE_CACHE_DIR, XDG's folder, or NULL in *out for "no cache". */
clade_status cladei_cache_dir(char **out, const char *wanted);
