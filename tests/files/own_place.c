/* SPDX-License-Identifier: Apache-2.0 */
/* A program that has the library in it: where does it look for kernels? And the same as a library.
 *   own_place                    of the program
 *   own_place LIBRARY FOLDER     of LIBRARY, opened by that name, when FOLDER is the working folder
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/kernel_path.h"

int own_place(void);

int own_place(void)
{
    char *path = NULL;
    if (cladei_kernel_path(&path, NULL) != CLADE_OK) {
        printf("%s\n", clade_error_last()->message);
        return 1;
    }
    printf("%s\n", path);
    free(path);
    return 0;
}

int main(int argc, char **argv)
{
    int (*function)(void) = own_place;
    if (argc == 3) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        void *found = library ? dlsym(library, "own_place") : NULL;
        if (!found || chdir(argv[2]) != 0) {
            fprintf(stderr, "own_place: %s\n", found ? "no such folder" : dlerror());
            return 2;
        }
        memcpy(&function, &found, sizeof function);
    }
    return function();
}
