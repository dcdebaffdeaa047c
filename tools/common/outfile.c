/* SPDX-License-Identifier: Apache-2.0 */
#include "common/outfile.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

bool outfile_can_be_written(const char *path)
{
    struct stat found;
    struct outfile trial;
    const bool is_there = lstat(path, &found) == 0;
    if (is_there && !S_ISREG(found.st_mode)) { /* written where it is: opening it may be noticed */
        const bool is_folder = stat(path, &found) == 0 && S_ISDIR(found.st_mode);
        if (is_folder)
            errno = EISDIR;
        return !is_folder && access(path, W_OK) == 0;
    }
    const bool opens = outfile_open(&trial, path) != NULL;
    const int reason = errno;
    outfile_discard(&trial);
    errno = reason;
    return opens;
}
