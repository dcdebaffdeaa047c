/* SPDX-License-Identifier: Apache-2.0 */
/* Files, folders, the environment. */
#define _GNU_SOURCE /* secure_getenv */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/outfile.h"
#include "base/text.h"

const char *cladei_getenv(const char *name)
{
    return secure_getenv(name);
}

bool cladei_file_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

struct cladei_file_id cladei_file_id(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return (struct cladei_file_id) { 0 };
    return (struct cladei_file_id) { (uint64_t)status.st_dev, (uint64_t)status.st_ino };
}

bool cladei_is_ours(int descriptor)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && (status.st_uid == 0 || status.st_uid == geteuid()) &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* --- reading -------------------------------------------------------------------------------- */

/* Up to `size` bytes; false with errno. */
static bool read_bytes(int descriptor, char *to, size_t size, size_t *got)
{
    for (*got = 0; *got < size;) {
        const ssize_t more = read(descriptor, to + *got, size - *got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return false;
        if (more == 0)
            break;
        *got += (size_t)more;
    }
    return true;
}

/* What does not begin with the magic is not read on: whoever parses it will say that. */
clade_status cladei_file_read_open(int descriptor, const char *path,
                                   const struct cladei_reading *how, char **bytes, size_t *size)
{
    clade_status status = CLADE_OK;
    struct stat file;
    char start[64] = "";
    char *all = NULL;
    size_t got = 0, more = 0;
    const size_t magic_bytes = how->magic ? strlen(how->magic) : 0;
    CLADE_REQUIRE(fstat(descriptor, &file) == 0, CLADE_E_IO, "cannot read %s: %s", path,
                  strerror(errno));
    CLADE_REQUIRE(S_ISREG(file.st_mode), CLADE_E_IO, "%s is no regular file", path);
    const uint64_t length = (uint64_t)file.st_size;
    CLADE_REQUIRE(
        read_bytes(descriptor, start, length < sizeof start ? (size_t)length : sizeof start, &got),
        CLADE_E_IO, "cannot read %s: %s", path, strerror(errno));
    const bool goes_on =
        got == sizeof start && memcmp(start, how->magic ? how->magic : "", magic_bytes) == 0;
    CLADE_REQUIRE(!goes_on || length <= how->most || how->device, CLADE_E_CORRUPT,
                  "%s has %" PRIu64 " bytes; at most %" PRIu64 " are read", path, length,
                  how->most);
    CLADE_REQUIRE(!goes_on || length <= how->most, CLADE_E_ARG,
                  "%s has %" PRIu64 " bytes; the limit of %s is %" PRIu64, path, length,
                  how->device, how->most);
    all = malloc(goes_on ? (size_t)length + 1 : sizeof start + 1);
    CLADE_REQUIRE(all, CLADE_E_NOMEM, "host memory is out while reading %s", path);
    memcpy(all, start, got);
    CLADE_REQUIRE(!goes_on || read_bytes(descriptor, all + got, (size_t)length - got, &more),
                  CLADE_E_IO, "cannot read %s: %s", path, strerror(errno));
    all[got + more] = '\0'; /* so that an empty file is an empty string */
    *bytes = all;
    *size = got + more;
    all = NULL;
fail:
    free(all);
    return status;
}

clade_status cladei_file_read(const char *path, const struct cladei_reading *how, char **bytes,
                              size_t *size)
{
    clade_status status = CLADE_OK;
    struct stat file;
    int descriptor = -1;
    /* A device may do things when it is opened. Between the two it may become something else: then
     * it does not block, and is not read. */
    CLADE_REQUIRE(stat(path, &file) != 0 || S_ISREG(file.st_mode), CLADE_E_IO,
                  "%s is no regular file", path);
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    CLADE_REQUIRE(descriptor >= 0, errno == ENOENT ? CLADE_E_NOT_FOUND : CLADE_E_IO,
                  "cannot open %s: %s", path, strerror(errno));
    CLADE_TRY(cladei_file_read_open(descriptor, path, how, bytes, size));
fail:
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

/* --- writing -------------------------------------------------------------------------------- */

clade_status cladei_file_write(const char *path, unsigned how, const void *head, size_t head_size,
                               const void *body, size_t body_size)
{
    clade_status status = CLADE_OK;
    struct outfile out;
    FILE *file = cladei_outfile_open(&out, path, how);
    if (file) {
        (void)!fwrite(head, 1, head_size, file); /* closing tells */
        (void)!fwrite(body, 1, body_size, file);
    }
    const bool done = cladei_outfile_close(&out);
    CLADE_REQUIRE(done || errno != ENOMEM, CLADE_E_NOMEM, "host memory is out");
    CLADE_REQUIRE(done, CLADE_E_IO, "cannot write %s: %s", path,
                  out.why ? out.why : strerror(errno));
fail:
    return status;
}

clade_status cladei_make_folders(const char *path, unsigned mode)
{
    clade_status status = CLADE_OK;
    char *copy = cladei_strdup(path);
    CLADE_NO_MEMORY(copy);
    for (char *at = copy + 1;; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char end = *at;
        *at = '\0';
        if (mkdir(copy, (mode_t)mode) != 0 && errno != EEXIST)
            CLADE_REQUIRE(false, CLADE_E_IO, "cannot create folder %s: %s", copy, strerror(errno));
        *at = end;
        if (end == '\0')
            break;
    }
fail:
    free(copy);
    return status;
}
