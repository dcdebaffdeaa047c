/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the `cladec` tool share. */
#pragma once

#include <clade/clade.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit statuses; the greatest that occurs is the tool's. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_TARGET = 3 };

/* A growing list of strings of somebody else. */
struct names {
    const char **at;
    size_t count;
};
void names_add(struct names *names, const char *name);

/* The command line. */
struct request {
    enum { COMPILE, LIST, CHECK, DUMP, RESOURCES, DEPENDENCIES, EXTRACT } mode;
    bool quick;    /* of --check: the first of each set of combinations */
    bool reads;    /* of --check: clang reads the kernels, and makes no code of them */
    bool in_turns; /* of --quick: processors of one family take turns, set by set */
    size_t jobs;   /* of --check: processes, or 0: as many as there are processors */
    struct names kernels, devices, targets, merged;
    char *options;      /* of the user: -D and -O in their order */
    char *include_path; /* -I, colon-separated */
    const char *output;
    const char *dependency_file;
};

/* --- cladec.c ------------------------------------------------------------------------------- */

/* What the command line asks for; returns an exit status. */
int cladec_run(const struct request *request);
/* Print "cladec: <sentence>". */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Print the library's last error as a compiler does; returns the exit status it means. */
int complain_last(void);
/* The same after a device could not be opened. */
int complain_no_device(void);
clade_program_params request_params(const struct request *request, const char *kernel);
/* Out of memory ends the tool. */
void *checked(void *memory);

/* --- run.c: files and other programs -------------------------------------------------- */

/* A whole file, NUL-terminated, to be freed; NULL (with errno) when it cannot be read. */
char *read_file(const char *path, size_t *size);
bool write_file(const char *path, const void *bytes, size_t size);

/* A folder for what compilers leave, removed with its files. NULL when there is none to be had. */
struct workplace {
    char *folder;
    char *kernel, *bitcode, *code, *linked, *out, *log;
};
bool workplace_open(struct workplace *place);
void workplace_close(struct workplace *place);

/* The first of the programs (NULL-terminated) on $PATH, to be freed; NULL when there is none. */
char *find_program(const char *const *names);
/* Run arguments[0] without a shell; its output goes to place->out, its messages to place->log.
 * Returns its exit status, or 127 when it did not start or was killed. */
int run_program(const struct names *arguments, const struct workplace *place);

/* --- clang.c: which clang goes with what else is there -------------------------------- */

/* The first of libclc's files of that name, to be freed; NULL when there is none. */
char *find_libclc(const char *file);
/* The LLVM version that a file of bitcode was made with; 0 when it does not say. */
int bitcode_version(const char *path);
/* The oldest clang there that is not older than that, so the nearest to it; 0: any. NULL when there
 * is none. To be freed. */
char *find_clang(int oldest, const struct workplace *place);
/* A clang and the llvm-spirv of its version, both to be freed. */
bool find_spirv_pair(char **compiler, char **translator);

/* --- target.c: offline compilers ------------------------------------------------------ */

/* What a compile for a target gave. */
struct code {
    void *bytes;
    size_t size;
    char *resources; /* lines for --resources, or NULL */
};
enum { STRICT = 1, WANT_RESOURCES = 2, IN_HASTE = 4, ONLY_READ = 8 };

/* Compile for a target that is not here; messages go to stderr. Returns an exit status. */
int compile_target(struct code *out, const clade_source *source, const char *kernel,
                   const char *target, int flags);
void code_free(struct code *code);

/* --- resources.c --------------------------------------------------------------------- */

/* What the assembler text (AMD), the log of ptxas (NVIDIA) or the code (Intel, NUL after its `size`)
 * says, as lines; to be freed. */
char *resources_of_amd(const char *assembly);
char *resources_of_ptxas(const char *log);
char *resources_of_intel(const char *code, size_t size);
/* The next function from *at on that PTX declares and does not define, `length` letters; NULL when
 * there is none. */
const char *ptx_undefined(const char *ptx, const char **at, int *length);
int print_device_resources(clade_context *context, const char *kernel, clade_program *program);

/* --- the other modes ------------------------------------------------------------------------ */

int list_archive(const struct request *request, const char *path);
int list_machine(void);
/* The code for the one target of the request, out of the one archive. */
int extract(const struct request *request);
int check_kernels(const struct request *request);
