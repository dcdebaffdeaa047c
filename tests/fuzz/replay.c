/* SPDX-License-Identifier: Apache-2.0 */
/* Give files to a fuzz target once each, with any compiler: `fuzz_X_replay FILE-OR-FOLDER...`.
 * Links in place of libFuzzer, so that the kept inputs are tried in every test run. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long replayed;

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL, *exact;
    size_t size = 0, room = 0, got;

    if (!file) {
        perror(path);
        return -1;
    }
    do {
        if (size == room) {
            uint8_t *grown = realloc(data, room = room ? 2 * room : 4096);
            if (!grown) {
                perror(path);
                free(data);
                fclose(file);
                return -1;
            }
            data = grown;
        }
        size += got = fread(data + size, 1, room - size, file);
    } while (got > 0);
    fclose(file);
    /* Exactly as long as the file, so that a sanitizer sees a read past its end. */
    exact = malloc(size > 0 ? size : 1);
    if (exact) {
        if (size > 0)
            memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
        replayed++;
    }
    free(exact);
    free(data);
    return exact ? 0 : -1;
}

static int replay(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int result = 0;

    if (!folder)
        return replay_file(path);
    while (result == 0 && (entry = readdir(folder))) {
        char inner[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        result = replay_file(inner);
    }
    closedir(folder);
    return result;
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++)
        if (replay(arguments[i]) != 0)
            return 1;
    printf("%lu inputs replayed\n", replayed);
    return replayed > 0 ? 0 : 1;
}
