/* SPDX-License-Identifier: Apache-2.0 */
/* Files, folders, and where the kernels are. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

char *cladei_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
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

static bool folder_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

clade_status cladei_file_read(const char *path, char **bytes, size_t *size)
{
    clade_status status = CLADE_OK;
    struct cladei_text text = { 0 };
    FILE *file = fopen(path, "rb");
    CLADE_REQUIRE(file, errno == ENOENT ? CLADE_E_NOT_FOUND : CLADE_E_IO, "cannot open %s: %s",
                  path, strerror(errno));
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        cladei_text_add(&text, block, got);
    CLADE_REQUIRE(!ferror(file), CLADE_E_IO, "cannot read %s: %s", path, strerror(errno));
    cladei_text_add(&text, "", 0); /* so that an empty file is an empty string */
    CLADE_REQUIRE(!text.failed, CLADE_E_NOMEM, "host memory is out while reading %s", path);
    *bytes = text.data;
    *size = text.length;
    fclose(file);
    return CLADE_OK;

fail:
    cladei_text_free(&text);
    if (file)
        fclose(file);
    return status;
}

/* A new file beside `path`, whose name goes to *name. Not mkstemp(): that gives rights to the owner
 * alone, and this file becomes the one that others are to read. */
static int create_beside(struct cladei_text *name, const char *path)
{
    static unsigned count;
    int descriptor = -1;
    for (int tries = 0; tries < 100 && descriptor < 0; tries++) {
        cladei_text_free(name);
        cladei_text_printf(name, "%s.%ld-%u", path, (long)getpid(),
                           __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));
        if (name->failed)
            break;
        descriptor = open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

clade_status cladei_file_write(const char *path, const void *head, size_t head_size,
                               const void *body, size_t body_size)
{
    clade_status status = CLADE_OK;
    struct cladei_text temporary = { 0 };
    FILE *file = NULL;
    int descriptor = -1;
    bool created = false;
    descriptor = create_beside(&temporary, path);
    CLADE_REQUIRE(!temporary.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_REQUIRE(descriptor >= 0, CLADE_E_IO, "cannot create %s: %s", temporary.data,
                  strerror(errno));
    created = true;
    file = fdopen(descriptor, "wb");
    CLADE_REQUIRE(file, CLADE_E_IO, "cannot write %s: %s", temporary.data, strerror(errno));
    bool written = fwrite(head, 1, head_size, file) == head_size &&
                   fwrite(body, 1, body_size, file) == body_size;
    bool closed = fclose(file) == 0;
    file = NULL;
    descriptor = -1;
    CLADE_REQUIRE(written && closed, CLADE_E_IO, "cannot write %s: %s", path, strerror(errno));
    CLADE_REQUIRE(rename(temporary.data, path) == 0, CLADE_E_IO, "cannot rename to %s: %s", path,
                  strerror(errno));
    cladei_text_free(&temporary);
    return CLADE_OK;

fail:
    if (file)
        fclose(file);
    else if (descriptor >= 0)
        close(descriptor);
    if (created)
        unlink(temporary.data);
    cladei_text_free(&temporary);
    return status;
}

clade_status cladei_make_folders(const char *path)
{
    clade_status status = CLADE_OK;
    char *copy = cladei_strdup(path);
    CLADE_NO_MEMORY(copy);
    for (char *at = copy + 1;; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char end = *at;
        *at = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            CLADE_REQUIRE(false, CLADE_E_IO, "cannot create folder %s: %s", copy, strerror(errno));
        *at = end;
        if (end == '\0')
            break;
    }
fail:
    free(copy);
    return status;
}

/* An address in the file that holds this code: the library, or the program when linked static. */
static const char anchor;

static void add_own_folder(struct cladei_text *folder)
{
    Dl_info info;
    if (!dladdr(&anchor, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    if (slash)
        cladei_text_add(folder, info.dli_fname, (size_t)(slash - info.dli_fname));
    else
        cladei_text_puts(folder, ".");
}

/* In a build tree meson leaves a file with the path of the source tree's folders. */
static char *build_tree_path(const char *folder)
{
    static const char *const places[] = { "/clade-build-tree", "/../lib/clade-build-tree" };
    char *found = NULL;
    for (size_t i = 0; !found && i < sizeof places / sizeof places[0]; i++) {
        struct cladei_text name = { 0 };
        size_t size;
        cladei_text_printf(&name, "%s%s", folder, places[i]);
        if (!name.failed && cladei_file_exists(name.data) &&
            cladei_file_read(name.data, &found, &size) == CLADE_OK)
            found[strcspn(found, "\n")] = '\0';
        cladei_text_free(&name);
    }
    return found;
}

/* An installation that was moved as a whole, or installed below a DESTDIR. */
static char *moved_path(const char *folder)
{
    static const char *const places[] = { "/../share/" CLADE_KERNEL_SUBDIR,
                                          "/../../share/" CLADE_KERNEL_SUBDIR };
    char *found = NULL;
    for (size_t i = 0; !found && i < sizeof places / sizeof places[0]; i++) {
        struct cladei_text name = { 0 };
        cladei_text_printf(&name, "%s%s", folder, places[i]);
        if (!name.failed && folder_exists(name.data))
            found = cladei_strdup(name.data);
        cladei_text_free(&name);
    }
    return found;
}

static bool holds_kernels(const char *path)
{
    bool found = false;
    for (const char *at = path; !found && at; at = strchr(at, ':')) {
        at += *at == ':';
        struct cladei_text name = { 0 };
        cladei_text_printf(&name, "%.*s/clade/atomic.clh", (int)strcspn(at, ":"), at);
        found = !name.failed && cladei_file_exists(name.data);
        cladei_text_free(&name);
    }
    return found;
}

clade_status cladei_kernel_path(char **out, const char *wanted)
{
    clade_status status = CLADE_OK;
    struct cladei_text folder = { 0 };
    char *path = NULL;
    if (!wanted || !*wanted)
        wanted = getenv("CLADE_KERNEL_PATH");
    if (wanted && *wanted) {
        path = cladei_strdup(wanted);
    } else {
        add_own_folder(&folder);
        if (folder.data)
            path = build_tree_path(folder.data);
        if (!path && folder_exists(CLADE_INSTALLED_KERNELS))
            path = cladei_strdup(CLADE_INSTALLED_KERNELS);
        if (!path && folder.data)
            path = moved_path(folder.data);
        if (!path)
            path = cladei_strdup(CLADE_INSTALLED_KERNELS);
    }
    CLADE_NO_MEMORY(path);
    CLADE_REQUIRE(holds_kernels(path), CLADE_E_NOT_FOUND,
                  "clade's kernels are not in %s: set CLADE_KERNEL_PATH to the folder that holds "
                  "clade/atomic.clh",
                  path);
    *out = path;
    path = NULL;
fail:
    free(path);
    cladei_text_free(&folder);
    return status;
}
