/* SPDX-License-Identifier: Apache-2.0 */
#include "outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

FILE *outfile_open(struct outfile *out, const char *path)
{
    struct stat found;
    const bool is_there = lstat(path, &found) == 0;
    const size_t length = strlen(path);
    *out = (struct outfile) { .path = path };
    if (is_there && !S_ISREG(found.st_mode))
        return out->file = fopen(path, "wb");
    out->part = malloc(length + sizeof ".part");
    if (!out->part)
        return NULL;
    memcpy(out->part, path, length);
    memcpy(out->part + length, ".part", sizeof ".part");
    out->file = fopen(out->part, "wb");
    if (out->file && is_there)
        fchmod(fileno(out->file), found.st_mode & 0777);
    return out->file;
}

bool outfile_close(struct outfile *out)
{
    bool whole = out->file && fflush(out->file) == 0 && !ferror(out->file);
    int reason = errno; /* of the first step that failed */
    if (out->file && fclose(out->file) != 0 && whole) {
        reason = errno;
        whole = false;
    }
    if (whole && out->part && rename(out->part, out->path) != 0) {
        reason = errno;
        whole = false;
    }
    if (!whole && out->file && out->part)
        remove(out->part);
    free(out->part);
    errno = reason;
    return whole;
}

void outfile_discard(struct outfile *out)
{
    if (out->file)
        fclose(out->file);
    if (out->file && out->part)
        remove(out->part);
    free(out->part);
}
