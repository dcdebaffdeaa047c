/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "harness/scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *checked(void *pointer)
{
    if (!pointer) {
        perror("scratch");
        abort();
    }
    return pointer;
}

char *scratch_make(void)
{
    const char *root = getenv("TMPDIR");
    char *folder = NULL;
    if (asprintf(&folder, "%s/clade test XXXXXX", root && *root ? root : "/tmp") < 0)
        abort();
    return checked(mkdtemp(folder));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

void scratch_remove(char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

char *scratch_path(const char *folder, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        abort();
    return path;
}

char *scratch_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char *path = scratch_path(folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = checked(fopen(path, "wb"));
    if (fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
    return path;
}

char *scratch_text(const char *folder, const char *name, const char *text)
{
    return scratch_file(folder, name, text, strlen(text));
}

char *scratch_read(const char *path, size_t *size)
{
    FILE *file = checked(fopen(path, "rb"));
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *bytes = checked(calloc(1, (size_t)length + 1));
    if (fread(bytes, 1, (size_t)length, file) != (size_t)length)
        abort();
    fclose(file);
    if (size)
        *size = (size_t)length;
    return bytes;
}

size_t scratch_count(const char *folder, char **first)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    if (first)
        *first = NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        if (first && count == 0)
            *first = scratch_path(folder, entry->d_name);
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}
