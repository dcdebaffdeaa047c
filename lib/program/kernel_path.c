/* SPDX-License-Identifier: Apache-2.0 */
/* Where the kernels are. What is found here becomes code, native code on a CPU: so a place counts
 * only when it is as hard to write to as the library itself. The working folder is none, nor is
 * what a program's name (argv[0]) makes of it. */
#define _GNU_SOURCE /* dladdr, dl_iterate_phdr */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "program/kernel_path.h"

static bool folder_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* An address in the file that holds this code: the library, or the program when linked static. */
static const char anchor;

/* Of the first object, which is the program: whether the address lies in it. */
static int holds_anchor(struct dl_phdr_info *info, size_t size, void *closure)
{
    bool *found = closure;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t start = (uintptr_t)info->dlpi_addr + (uintptr_t)info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (uintptr_t)&anchor >= start &&
            (uintptr_t)&anchor - start < info->dlpi_phdr[i].p_memsz)
            *found = true;
    }
    return 1;
}

static bool is_in_program(void)
{
    bool found = false;
    dl_iterate_phdr(holds_anchor, &found);
    return found;
}

/* The folder of the program, or of the library, to be freed; NULL: it is not to be known, or who
 * started a program with more rights than their own may have chosen it. */
static char *own_folder(bool in_program)
{
    char path[PATH_MAX] = "";
    Dl_info info;
    if (getauxval(AT_SECURE))
        return NULL;
    if (in_program) {
        /* Not what dladdr() says: of a program that is argv[0]. */
        const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
    } else if (dladdr(&anchor, &info) && info.dli_fname && info.dli_fname[0] == '/' &&
               strlen(info.dli_fname) < sizeof path) {
        /* A relative name is of the working folder of then, which may be another by now. */
        strcpy(path, info.dli_fname);
    }
    char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    slash[slash == path] = '\0';
    return realpath(path, NULL);
}

/* Who may write to the open file or folder may change the code of `folder` anyway, or this user's
 * files. (Its group may write: with many a user's umask it may.) */
static bool is_as_safe(int descriptor, const char *folder)
{
    struct stat status, beside;
    return fstat(descriptor, &status) == 0 && stat(folder, &beside) == 0 &&
           (status.st_uid == 0 || status.st_uid == geteuid() || status.st_uid == beside.st_uid) &&
           (status.st_mode & S_IWOTH) == 0;
}

#ifdef CLADE_BUILD_TREE
/* What tests are linked with is never installed, and knows its source tree. */
static char *build_tree_path(const char *folder, bool in_program)
{
    (void)folder;
    (void)in_program;
    return cladei_strdup(CLADE_BUILD_TREE);
}
#else
/* Is `folder` one that libraries are installed to? */
static bool is_installed(const char *folder)
{
    struct cladei_text kernels = { 0 };
    const struct cladei_file_id own = cladei_file_id(folder),
                                installed = cladei_file_id(CLADE_INSTALLED_LIBRARIES);
    cladei_text_printf(&kernels, "%s/../share/" CLADE_KERNEL_SUBDIR, folder);
    const bool found =
        kernels.failed || folder_exists(kernels.data) ||
        (own.inode != 0 && own.device == installed.device && own.inode == installed.inode);
    cladei_text_free(&kernels);
    return found;
}

/* Beside the shared library of a build tree meson leaves a file with the path of the source tree's
 * folders. A library that is installed, or part of a program, does not look. */
static char *build_tree_path(const char *folder, bool in_program)
{
    struct cladei_text name = { 0 };
    char *found = NULL;
    size_t size;
    int descriptor = -1;
    if (in_program || !folder || is_installed(folder))
        return NULL;
    cladei_text_printf(&name, "%s/clade-build-tree", folder);
    if (!name.failed)
        descriptor = open(name.data, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor >= 0 && is_as_safe(descriptor, folder) &&
        cladei_file_read_open(descriptor, name.data, &(struct cladei_reading) { .most = 65536 },
                              &found, &size) == CLADE_OK)
        found[strcspn(found, "\n")] = '\0';
    if (descriptor >= 0)
        close(descriptor);
    cladei_text_free(&name);
    return found;
}
#endif

/* Whether nobody can put something else in its place: the same of each folder on the way, but "/".
 * Where all may write but not rename what is another's (/tmp), what lies there is its owner's. */
static bool is_safe_all_the_way(const char *path, const char *folder)
{
    struct stat status, beside;
    char *way = cladei_strdup(path);
    bool safe = way && stat(folder, &beside) == 0;
    for (char *slash; safe && (slash = strrchr(way, '/')) != way;) {
        *slash = '\0';
        safe =
            stat(way, &status) == 0 &&
            (status.st_uid == 0 || status.st_uid == geteuid() || status.st_uid == beside.st_uid) &&
            ((status.st_mode & S_IWOTH) == 0 || (status.st_mode & S_ISVTX) != 0);
    }
    free(way);
    return safe;
}

/* An installation that was moved as a whole, or installed below a DESTDIR. */
static char *moved_path(const char *folder)
{
    static const char *const places[] = { "/../share/" CLADE_KERNEL_SUBDIR,
                                          "/../../share/" CLADE_KERNEL_SUBDIR };
    char *found = NULL;
    for (size_t i = 0; !found && folder && i < sizeof places / sizeof places[0]; i++) {
        struct cladei_text name = { 0 };
        cladei_text_printf(&name, "%s%s", folder, places[i]);
        char *path = name.failed ? NULL : realpath(name.data, NULL); /* no links from here on */
        const int descriptor =
            path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (descriptor >= 0 && is_as_safe(descriptor, folder) &&
            is_safe_all_the_way(path, folder)) {
            found = path;
            path = NULL;
        }
        if (descriptor >= 0)
            close(descriptor);
        free(path);
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

/* When nobody says where they are. */
static char *find_path(void)
{
    const bool in_program = is_in_program();
    char *folder = own_folder(in_program);
    char *path = build_tree_path(folder, in_program);
    if (!path && folder_exists(CLADE_INSTALLED_KERNELS))
        path = cladei_strdup(CLADE_INSTALLED_KERNELS);
    if (!path)
        path = moved_path(folder);
    if (!path)
        path = cladei_strdup(CLADE_INSTALLED_KERNELS);
    free(folder);
    return path;
}

clade_status cladei_kernel_path(char **out, const char *wanted)
{
    clade_status status = CLADE_OK;
    char *path = NULL;
    if (!wanted || !*wanted)
        wanted = cladei_getenv("CLADE_KERNEL_PATH");
    path = wanted && *wanted ? cladei_strdup(wanted) : find_path();
    CLADE_NO_MEMORY(path);
    CLADE_REQUIRE(holds_kernels(path), CLADE_E_NOT_FOUND,
                  "clade's kernels are not in %s: set CLADE_KERNEL_PATH to the folder that holds "
                  "clade/atomic.clh",
                  path);
    *out = path;
    path = NULL;
fail:
    free(path);
    return status;
}
