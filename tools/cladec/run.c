/* SPDX-License-Identifier: Apache-2.0 */
/* Files, a folder to work in, and other programs: started without a shell, so that no name of a
 * file or option is ever taken for something else. */
#include "cladec/cladec.h"
#include "common/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL, block[65536];
    size_t length = 0, got;
    FILE *memory = file ? open_memstream(&bytes, &length) : NULL;
    while (memory && (got = fread(block, 1, sizeof block, file)) > 0)
        fwrite(block, 1, got, memory);
    bool sound = memory && !ferror(file) && !ferror(memory);
    if (file)
        fclose(file);
    if (memory && fclose(memory) != 0)
        sound = false;
    if (!sound) {
        free(bytes);
        return NULL;
    }
    *size = length;
    return bytes;
}

bool write_file(const char *path, const void *bytes, size_t size)
{
    struct outfile out;
    if (outfile_open(&out, path))
        fwrite(bytes, 1, size, out.file);
    return outfile_close(&out);
}

static char *inside(const char *folder, const char *name)
{
    char *path = checked(malloc(strlen(folder) + strlen(name) + 2));
    sprintf(path, "%s/%s", folder, name);
    return path;
}

/* A signal that ends the program while it has a folder: the compiler is ended, the folder goes,
 * then the signal takes its course. What was ignored stays ignored. */
static volatile sig_atomic_t ended_by;
static volatile pid_t compiler; /* that runs; 0: none */
static const int endings[] = { SIGHUP, SIGINT, SIGTERM };

static void note_ending(int number)
{
    ended_by = number;
    if (compiler > 0)
        kill(compiler, SIGTERM);
}

static void handle_endings(void (*from)(int), void (*to)(int))
{
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct sigaction now = { 0 };
        if (sigaction(endings[i], NULL, &now) == 0 && now.sa_handler == from) {
            now = (struct sigaction) { .sa_handler = to };
            sigaction(endings[i], &now, NULL);
        }
    }
}

bool workplace_open(struct workplace *place)
{
    const char *base = getenv("TMPDIR");
    handle_endings(SIG_DFL, note_ending);
    *place = (struct workplace) { 0 };
    place->folder = inside(base && *base ? base : "/tmp", "cladec-XXXXXX");
    if (*place->folder == '-') { /* a compiler would take its files for options */
        char *plain = place->folder;
        place->folder = inside(".", plain);
        free(plain);
    }
    if (!mkdtemp(place->folder)) {
        complain("cannot create a folder %s: %s", place->folder, strerror(errno));
        free(place->folder);
        place->folder = NULL;
        handle_endings(note_ending, SIG_DFL);
        return false;
    }
    place->kernel = inside(place->folder, "kernel.cl");
    place->bitcode = inside(place->folder, "kernel.bc");
    place->code = inside(place->folder, "kernel.code");
    place->linked = inside(place->folder, "kernel.linked");
    place->out = inside(place->folder, "out");
    place->log = inside(place->folder, "log");
    return true;
}

void workplace_close(struct workplace *place)
{
    char **const files[] = { &place->kernel, &place->bitcode, &place->code,
                             &place->linked, &place->out,     &place->log };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        free(*files[i]);
    /* Compilers may leave more than they were asked for. */
    DIR *left = place->folder ? opendir(place->folder) : NULL;
    for (struct dirent *entry; left && (entry = readdir(left));) {
        char *path = inside(place->folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(path);
        free(path);
    }
    if (left)
        closedir(left);
    if (place->folder)
        rmdir(place->folder);
    free(place->folder);
    *place = (struct workplace) { 0 };
    handle_endings(note_ending, SIG_DFL);
    if (ended_by)
        raise(ended_by);
}

static char *find_on_path(const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        char *folder = checked(strndup(length ? at : ".", length ? length : 1));
        char *program = inside(folder, name);
        free(folder);
        if (access(program, X_OK) == 0)
            return program;
        free(program);
        at += length;
        at += *at == ':';
    }
    return NULL;
}

char *find_program(const char *const *names)
{
    char *found = NULL;
    for (size_t i = 0; !found && names[i]; i++)
        found = find_on_path(names[i]);
    return found;
}

int run_program(const struct names *arguments, const struct workplace *place)
{
    posix_spawn_file_actions_t actions;
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    pid_t child;
    int status = 0;
    char **argv = checked(calloc(arguments->count + 1, sizeof *argv));
    for (size_t i = 0; i < arguments->count; i++)
        argv[i] = (char *)(size_t)arguments->at[i];
    int code = posix_spawn_file_actions_init(&actions);
    if (code == 0) {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, place->out, flags, 0600);
        posix_spawn_file_actions_addopen(&actions, 2, place->log, flags, 0600);
        code = posix_spawn(&child, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(argv);
    if (code != 0) {
        complain("cannot start %s: %s", arguments->at[0], strerror(code));
        return 127;
    }
    compiler = child;
    if (ended_by) /* before it was known */
        kill(child, SIGTERM);
    pid_t waited;
    do
        waited = waitpid(child, &status, 0);
    while (waited < 0 && errno == EINTR);
    compiler = 0;
    if (waited < 0)
        return 127;
    if (WIFSIGNALED(status) && !ended_by)
        complain("%s was ended by signal %d", arguments->at[0], WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}
