/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is there whole or not at all. It is written beside its place, under a name that
 * nobody can know before, and renamed in the end. A file that is replaced keeps its rights. A
 * process that is killed before it renames the file leaves what it wrote, as NAME.0123456789abcdef.
 * The library and the tools share this. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum cladei_outfile_how {
    CLADEI_OUTFILE_LASTING = 1, /* on the disk before close returns: a lost power keeps it whole */
    CLADEI_OUTFILE_PRIVATE = 2, /* its owner alone may read it, whatever was there before */
    /* A device, a pipe or a link that is there already is written where it is, as by a shell's `>`.
     * Without this it is refused. */
    CLADEI_OUTFILE_IN_PLACE = 4,
};

struct outfile {
    FILE *file;
    const char *path; /* the caller's, until it is closed */
    char *temporary;  /* NULL: written where it is */
    const char *why;  /* a reason that errno does not have; NULL: errno says it */
    unsigned how;
    bool replaces;
    mode_t mode; /* rights and owners of what is replaced */
    uid_t user;
    gid_t group;
};

/* What to write to, or NULL. Either way one of the two below follows. */
FILE *cladei_outfile_open(struct outfile *out, const char *path, unsigned how);
/* False: the file was not opened, or not all of it was written; errno or `why` tells the reason.
 * What was there before is still there, with two exceptions: the file was written in place, or the
 * disk took the file and failed to take its name. */
bool cladei_outfile_close(struct outfile *out);
/* Gives it up, for a reason of the caller's. */
void cladei_outfile_discard(struct outfile *out);
