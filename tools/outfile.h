/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is there whole or not at all: it is written beside its place, as PATH.part, and
 * renamed in the end. What is there and is no file of its own, a device, a pipe, a link, is written
 * where it is. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct outfile {
    FILE *file;
    const char *path; /* the caller's, until it is closed */
    char *part;       /* NULL: written where it is */
};

/* What to write to, or NULL. Either way one of the two below follows. */
FILE *outfile_open(struct outfile *out, const char *path);
/* false: not opened, or not all of it was written; errno says why, and what was there before is. */
bool outfile_close(struct outfile *out);
/* Gives it up, for a reason of the caller's. */
void outfile_discard(struct outfile *out);
