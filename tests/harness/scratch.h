/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for one test, with files in it, removed at the end. */
#pragma once

#include <stddef.h>

/* A new empty folder; free with scratch_remove(), which deletes what is in it. */
char *scratch_make(void);
void scratch_remove(char *folder);

/* `folder/name`, to be freed. */
char *scratch_path(const char *folder, const char *name);
/* Write a file (folders on the way are made); returns its path, to be freed. */
char *scratch_file(const char *folder, const char *name, const void *bytes, size_t size);
char *scratch_text(const char *folder, const char *name, const char *text);
/* The whole file, NUL-terminated, to be freed. */
char *scratch_read(const char *path, size_t *size);
/* How many files the folder holds, and the path of the first (to be freed, NULL when empty). */
size_t scratch_count(const char *folder, char **first);
