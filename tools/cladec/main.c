/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `cladec`. */
#include "cladec/cladec.h"
#include "common/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: cladec [-d DEVICE]... [-t TARGET]... [-D NAME[=VALUE]]... [-I FOLDER]...\n"
    "              [-O OPTIONS] [-o ARCHIVE] [--add ARCHIVE]... [-MF FILE] KERNEL.cl...\n"
    "       cladec --resources [-d DEVICE]... [-t TARGET]... KERNEL.cl...\n"
    "       cladec --check [--quick] [--read] [-j JOBS] [-d DEVICE]... [-t TARGET]... [KERNEL.cl]...\n"
    "       cladec --dump [-t TARGET] [-o FILE] KERNEL.cl\n"
    "       cladec -M [-o ARCHIVE] KERNEL.cl...\n"
    "       cladec --list [-d DEVICE] [ARCHIVE]...\n"
    "       cladec --extract -t TARGET -o FILE ARCHIVE\n"
    "\n"
    "  -d DEVICE         compile by this device's own driver: \"gpu\", \"cpu\", \"P:D\", or part\n"
    "                    of its name; without -d and -t the device that programs would get\n"
    "  -t TARGET         compile for what is not here: sm_70, gfx90a, spirv64, intel-pvc, ...\n"
    "  -D NAME[=VALUE]   define a macro\n"
    "  -I FOLDER         search it for includes, before clade's own kernels\n"
    "  -O OPTIONS        more compiler options, as the program will give them to clade\n"
    "  -o FILE           what to write; default KERNEL.clar\n"
    "  --add ARCHIVE     keep its entries too\n"
    "  -M, -MF FILE      dependencies as a make rule: alone on the output, or beside compiling\n"
    "  --list            what an archive holds, or what this machine can compile for\n"
    "  --check           compile for many targets, warnings as errors; default: clade's kernels\n"
    "  --quick           with --check: the first of each kernel's sets of combinations alone, less "
    "optimized\n"
    "  --read            with --check: kernels are read, with all warnings; no code is made\n"
    "  -j JOBS           with --check: so many compiles at once; default: all processors\n"
    "  --dump            write the source with its includes replaced\n"
    "  --extract         write a target's code to a file of its own, for its vendor's loader\n"
    "  --resources       registers, local memory, spills and the largest group of each kernel\n"
    "  --help, --version\n"
    "\n"
    "exit status: 0 done, 1 did not compile or was not written, 2 usage, 3 no such target here\n";

static int usage(const char *what, const char *value)
{
    complain("%s%s%s", what, value ? " " : "", value ? value : "");
    fprintf(stderr, "Try: cladec --help\n");
    return EXIT_USAGE;
}

/* Appends with a separator; what was there is taken. */
static char *join(char *list, const char *separator, const char *prefix, const char *value)
{
    size_t length = (list ? strlen(list) : 0) + strlen(separator) + strlen(prefix) + strlen(value);
    char *joined = checked(malloc(length + 1));
    sprintf(joined, "%s%s%s%s", list ? list : "", list ? separator : "", prefix, value);
    free(list);
    return joined;
}

static bool is_define(const char *text)
{
    size_t name = 0;
    while (isalnum((unsigned char)text[name]) || text[name] == '_')
        name++;
    return name > 0 && !isdigit((unsigned char)*text) &&
           (text[name] == '\0' || text[name] == '=') && !strpbrk(text, " \t\n\"'\\");
}

static int take_define(struct request *request, const char *value)
{
    if (!is_define(value))
        return usage("a define is NAME or NAME=VALUE without blanks or quotes, not", value);
    request->options = join(request->options, " ", "-D", value);
    return EXIT_DONE;
}

static int take_folder(struct request *request, const char *value)
{
    if (!*value || strchr(value, ':'))
        return usage("a folder of includes has a name without a colon, not", value);
    request->include_path = join(request->include_path, ":", "", value);
    return EXIT_DONE;
}

static int take_options(struct request *request, const char *value)
{
    if (*value != '-')
        return usage("compiler options begin with \"-\", not", value);
    request->options = join(request->options, " ", "", value);
    return EXIT_DONE;
}

static int take_jobs(struct request *request, const char *value)
{
    uint64_t jobs;
    if (!option_number(value, 1, 1024, &jobs))
        return usage("-j takes a number from 1 to 1024, not", value);
    request->jobs = (size_t)jobs;
    return EXIT_DONE;
}

static int take_value(struct request *request, const char *option, const char *value)
{
    if (strcmp(option, "-D") == 0)
        return take_define(request, value);
    if (strcmp(option, "-I") == 0)
        return take_folder(request, value);
    if (strcmp(option, "-O") == 0)
        return take_options(request, value);
    if (strcmp(option, "-j") == 0)
        return take_jobs(request, value);
    if (strcmp(option, "-MF") == 0)
        request->dependency_file = value;
    else if (strcmp(option, "-d") == 0)
        names_add(&request->devices, value);
    else if (strcmp(option, "-t") == 0)
        names_add(&request->targets, value);
    else if (strcmp(option, "-o") == 0)
        request->output = value;
    else
        names_add(&request->merged, value);
    return *value ? EXIT_DONE : usage("this option needs a value:", option);
}

/* The option with a value that `argument` begins with, or NULL; *inside: its value, when that is
 * in the same word. */
static const char *option_with_value(const char *argument, const char **inside)
{
    static const char *const options[] = {
        "-MF", "--add", "-D", "-I", "-O", "-d", "-t", "-o", "-j"
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        size_t length = strlen(options[i]);
        if (strncmp(argument, options[i], length) != 0)
            continue;
        *inside = argument[length] ? argument + length : NULL;
        if (!*inside || length == 2)
            return options[i];
        if (length > 3 && **inside == '=') {
            ++*inside;
            return options[i];
        }
    }
    return NULL;
}

static bool take_mode(struct request *request, const char *argument)
{
    static const char *const names[] = { "",   "--list",   "--check", "--dump", "--resources",
                                         "-M", "--extract" };
    for (int i = 1; i < 7; i++)
        if (strcmp(argument, names[i]) == 0) {
            request->mode = i;
            return true;
        }
    return false;
}

/* Returns an exit status, or -1 to go on. */
static int parse(struct request *request, int argc, char **argv)
{
    bool files_only = false;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i], *value = NULL, *option;
        if (files_only || argument[0] != '-' || argument[1] == '\0') {
            names_add(&request->kernels, argument);
        } else if (strcmp(argument, "--") == 0) {
            files_only = true;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            fputs(help, stdout);
            return EXIT_DONE;
        } else if (strcmp(argument, "--version") == 0) {
            printf("cladec %s\n", clade_version());
            return EXIT_DONE;
        } else if (strcmp(argument, "--quick") == 0) {
            request->quick = true;
        } else if (strcmp(argument, "--read") == 0) {
            request->reads = true;
        } else if (take_mode(request, argument)) {
            continue;
        } else if ((option = option_with_value(argument, &value))) {
            if (!value && ++i == argc)
                return usage("this option needs a value:", option);
            int status = take_value(request, option, value ? value : argv[i]);
            if (status != EXIT_DONE)
                return status;
        } else {
            return usage("there is no option", argument);
        }
    }
    return -1;
}

/* KERNEL.clar in the current folder. */
static char *default_output(const char *kernel)
{
    const char *slash = strrchr(kernel, '/'), *name = slash ? slash + 1 : kernel;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".cl") == 0)
        length -= 3;
    char *output = checked(malloc(length + 6));
    sprintf(output, "%.*s.clar", (int)length, name);
    return output;
}

int main(int argc, char **argv)
{
    struct request request = { 0 };
    char *output = NULL;
    int status = parse(&request, argc, argv);
    bool needs_kernel = request.mode != LIST && request.mode != CHECK &&
                        !(request.mode == COMPILE && request.merged.count > 0);
    if (status < 0 && needs_kernel && request.kernels.count == 0)
        status = usage("no kernel file is named", NULL);
    bool one = request.targets.count == 1 && request.kernels.count == 1 && request.output;
    if (status < 0 && request.mode == EXTRACT && !one)
        status = usage("--extract needs one -t, one -o and one archive", NULL);
    bool writes = request.mode == COMPILE || request.mode == DEPENDENCIES;
    if (status < 0 && writes && !request.output) {
        if (request.kernels.count == 0)
            status = usage("-o is needed when no kernel is named", NULL);
        else
            request.output = output = default_output(request.kernels.at[0]);
    }
    if (status < 0)
        status = cladec_run(&request);
    bool fails = fflush(stdout) != 0;
    if ((fails || ferror(stdout)) && status == EXIT_DONE) {
        /* Of an earlier write the reason is not known any more: another one fails for the same. */
        fails = fails || putchar('\n') == EOF || fflush(stdout) != 0;
        complain("the output cannot be written%s%s", fails ? ": " : "",
                 fails ? strerror(errno) : "");
        status = EXIT_FAILED;
    }
    free(output);
    free(request.options);
    free(request.include_path);
    free(request.kernels.at);
    free(request.devices.at);
    free(request.targets.at);
    free(request.merged.at);
    return status;
}
