/* SPDX-License-Identifier: Apache-2.0 */
/* Which clang goes with what else is there. Bitcode is read by the LLVM that wrote it, and by most
 * later ones: libclc wants a clang that is not older, llvm-spirv one of its own version. */
#include "cladec/cladec.h"

#include <stdlib.h>
#include <string.h>

enum { OLDEST = 14, TRIED_FIRST = 15, NEWEST = 40 };

static char *find_versioned(const char *program, int version)
{
    char name[40];
    snprintf(name, sizeof name, version ? "%s-%d" : "%s", program, version);
    return find_program((const char *const[]) { name, NULL });
}

char *find_libclc(const char *file)
{
    static const char *const folders[] = { "/usr/lib/clc", "/usr/share/clc", "/usr/lib64/clc",
                                           "/usr/local/share/clc", "/usr/local/lib/clc" };
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char *path = checked(malloc(strlen(folders[i]) + strlen(file) + 2));
        sprintf(path, "%s/%s", folders[i], file);
        FILE *found = fopen(path, "rb");
        if (found) {
            fclose(found);
            return path;
        }
        free(path);
    }
    return NULL;
}

/* libclc is compiled by clang, which leaves "clang version 17.0.6" among its strings. */
int bitcode_version(const char *path)
{
    static const char mark[] = "clang version ";
    size_t size;
    int version = 0;
    char *bytes = read_file(path, &size);
    for (const char *at = bytes; bytes && version == 0; at++) {
        at = memchr(at, mark[0], size - (size_t)(at - bytes));
        if (!at)
            break;
        if (strncmp(at, mark, strlen(mark)) == 0) /* read_file() ends the bytes with a NUL */
            version = atoi(at + strlen(mark));
    }
    free(bytes);
    return version;
}

/* "clang -dumpversion"; 0: it does not say. */
static int version_of(const char *compiler, const struct workplace *place)
{
    const char *ask[] = { compiler, "-dumpversion" };
    size_t size;
    if (run_program(&(struct names) { .at = ask, .count = 2 }, place) != 0)
        return 0;
    char *answer = read_file(place->out, &size);
    int version = answer ? atoi(answer) : 0;
    free(answer);
    return version;
}

char *find_clang(int oldest, const struct workplace *place)
{
    char *found = NULL;
    for (int v = oldest ? oldest : TRIED_FIRST; !found && v <= NEWEST; v++)
        found = find_versioned("clang", v);
    if (found)
        return found;
    found = find_versioned("clang", 0);
    if (found && oldest && version_of(found, place) < oldest) {
        free(found);
        found = NULL;
    }
    if (!found && !oldest)
        found = find_versioned("clang", OLDEST);
    return found;
}

bool find_spirv_pair(char **compiler, char **translator)
{
    *compiler = *translator = NULL;
    for (int i = TRIED_FIRST; i <= NEWEST + 2; i++) {
        const int v = i <= NEWEST       ? i
                      : i == NEWEST + 1 ? OLDEST
                                        : 0; /* 0: a distribution's own two */
        *compiler = find_versioned("clang", v);
        *translator = *compiler ? find_versioned("llvm-spirv", v) : NULL;
        if (*translator)
            return true;
        free(*compiler);
        *compiler = NULL;
    }
    return false;
}
