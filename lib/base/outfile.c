/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE  /* getentropy */
#include "outfile.h" /* beside this file: the tools compile it, too */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long the part of a path is that names its folder, with the slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* A name beside out->path that is not to be guessed. It is short where the file's own name leaves
 * no room for more. */
static bool draw_name(struct outfile *out, bool is_short)
{
    const size_t room = strlen(out->path) + 19;
    unsigned long long number;
    if (!out->temporary)
        out->temporary = malloc(room);
    if (!out->temporary || getentropy(&number, sizeof number) != 0)
        return false;
    if (is_short)
        snprintf(out->temporary, room, "%.*s.%016llx", (int)folder_length(out->path), out->path,
                 number);
    else
        snprintf(out->temporary, room, "%s.%016llx", out->path, number);
    return true;
}

/* A new file beside out->path. Its name must be new: so nobody can lay a link there first. */
static int create_beside(struct outfile *out, mode_t mode)
{
    int descriptor = -1;
    bool is_short = false;
    for (int tries = 0; tries < 100 && draw_name(out, is_short); tries++) {
        descriptor =
            open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (descriptor >= 0 || (errno != EEXIST && (errno != ENAMETOOLONG || is_short)))
            break;
        is_short = is_short || errno == ENAMETOOLONG;
    }
    return descriptor;
}

/* What is replaced keeps its owners where that is allowed, and its rights. A group that it cannot
 * keep must not get what was another group's. */
static bool take_over_rights(const struct outfile *out, int descriptor)
{
    struct stat made;
    mode_t mode = out->mode & 0777;
    if (fstat(descriptor, &made) != 0)
        return false;
    if (made.st_uid != out->user && fchown(descriptor, out->user, (gid_t)-1) != 0)
        errno = 0; /* only root may: the file is then the writer's */
    if (made.st_gid != out->group && fchown(descriptor, (uid_t)-1, out->group) != 0)
        mode &= ~(mode_t)070 | (mode & 7) << 3;
    return fchmod(descriptor, mode) == 0;
}

FILE *cladei_outfile_open(struct outfile *out, const char *path, unsigned how)
{
    struct stat found;
    const bool is_there = lstat(path, &found) == 0;
    int descriptor;
    *out = (struct outfile) { .path = path, .how = how };
    if (is_there && !S_ISREG(found.st_mode) && !(how & CLADEI_OUTFILE_IN_PLACE)) {
        out->why = "what is there is no regular file";
        errno = EEXIST;
        return NULL;
    }
    if (is_there && !S_ISREG(found.st_mode)) {
        descriptor = open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    } else {
        out->replaces = is_there && !(how & CLADEI_OUTFILE_PRIVATE);
        out->mode = found.st_mode;
        out->user = found.st_uid;
        out->group = found.st_gid;
        const bool is_private = is_there || how & CLADEI_OUTFILE_PRIVATE;
        descriptor = create_beside(out, is_private ? 0600 : 0666);
    }
    out->file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (descriptor >= 0 && !out->file) {
        const int reason = errno;
        close(descriptor);
        if (out->temporary)
            unlink(out->temporary);
        errno = reason;
    }
    return out->file;
}

/* Some file systems have nothing to do, or nothing to say. */
static bool reach_disk(int descriptor)
{
    int code;
    do
        code = fsync(descriptor);
    while (code != 0 && errno == EINTR);
    return code == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS || errno == ENOSYS;
}

/* The name is on the disk when its folder is. A folder that may be written but not read is left
 * alone. */
static bool folder_reaches_disk(const char *path)
{
    const size_t length = folder_length(path);
    char *folder = length > 0 ? strndup(path, length) : strdup(".");
    if (!folder)
        return false;
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (descriptor < 0)
        return true;
    const bool done = reach_disk(descriptor);
    const int reason = errno;
    close(descriptor);
    errno = reason;
    return done;
}

bool cladei_outfile_close(struct outfile *out)
{
    const bool lasts = out->temporary && out->how & CLADEI_OUTFILE_LASTING;
    bool whole = out->file && fflush(out->file) == 0 && !ferror(out->file) &&
                 (!out->replaces || !out->temporary || take_over_rights(out, fileno(out->file))) &&
                 (!lasts || reach_disk(fileno(out->file)));
    int reason = errno; /* of the first step that failed */
    if (out->file && fclose(out->file) != 0 && whole) {
        reason = errno;
        whole = false;
    }
    if (whole && out->temporary && rename(out->temporary, out->path) != 0) {
        reason = errno;
        whole = false;
    }
    if (!whole && out->file && out->temporary)
        unlink(out->temporary);
    if (whole && lasts && !folder_reaches_disk(out->path)) {
        reason = errno;
        whole = false;
    }
    free(out->temporary);
    out->temporary = NULL;
    out->file = NULL;
    errno = reason;
    return whole;
}

void cladei_outfile_discard(struct outfile *out)
{
    if (out->file)
        fclose(out->file);
    if (out->file && out->temporary)
        unlink(out->temporary);
    free(out->temporary);
    out->temporary = NULL;
    out->file = NULL;
}
