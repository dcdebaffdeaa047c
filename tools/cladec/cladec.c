/* SPDX-License-Identifier: Apache-2.0 */
/* `cladec`: compiles kernels ahead of time. It is the library's loader with a command line: what
 * a kernel is compiled from, and with which options, the library alone decides. */
#include "cladec/cladec.h"
#include "common/outfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- small things --------------------------------------------------------------------------- */

void *checked(void *memory)
{
    if (!memory) {
        complain("memory is out");
        exit(EXIT_FAILED);
    }
    return memory;
}

void names_add(struct names *names, const char *name)
{
    names->at = checked(realloc(names->at, (names->count + 1) * sizeof *names->at));
    names->at[names->count++] = name;
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "cladec: ");
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
}

int complain_no_device(void)
{
    const clade_error *error = clade_error_last();
    /* Not found may also be clade's own kernels: an installation that is broken. */
    bool absent = error->status == CLADE_E_NOT_FOUND && strstr(error->message, "OpenCL device");
    int status = complain_last();
    if (absent)
        complain("the package pocl-opencl-icd brings a device to every machine");
    return absent ? EXIT_NO_TARGET : status;
}

int complain_last(void)
{
    const clade_error *error = clade_error_last();
    size_t length = strlen(error->log);
    if (length > 0)
        fprintf(stderr, "%s%s", error->log, error->log[length - 1] == '\n' ? "" : "\n");
    /* Places in front, for editors. */
    if (strstr(error->message, ": error: "))
        fprintf(stderr, "%s\n", error->message);
    else
        complain("%s", error->message);
    return error->status == CLADE_E_UNSUPPORTED ? EXIT_NO_TARGET : EXIT_FAILED;
}

clade_program_params request_params(const struct request *request, const char *kernel)
{
    return (clade_program_params) { .file = kernel,
                                    .options = request->options,
                                    .include_path = request->include_path };
}

/* --- dependencies --------------------------------------------------------------------------- */

static const char quoted_targets[] = " \t#:", quoted_files[] = " \t#:|";

/* A name as make reads it, `quoted` having what must be. false: make has no way to write it: its
 * line would end, or become a command. A backslash stands for itself, but before what it quotes. */
static bool print_make_name(FILE *out, const char *name, const char *quoted)
{
    if (strpbrk(name, "\n\r;")) {
        complain("make cannot read a file's name with a semicolon or the end of a line in it");
        return false;
    }
    for (; *name; name++) {
        const size_t slashes = strspn(name, "\\");
        const bool is_quoted = strchr(quoted, name[slashes]) && (*name || slashes);
        if (is_quoted)
            fputc('\\', out);
        if (*name == '$')
            fputc('$', out);
        fputc(*name, out);
    }
    return true;
}

static int print_dependencies(FILE *out, const struct request *request)
{
    if (!print_make_name(out, request->output, quoted_targets))
        return EXIT_FAILED;
    fputc(':', out);
    for (size_t i = 0; i < request->kernels.count; i++) {
        clade_program_params params = request_params(request, request->kernels.at[i]);
        clade_source *source = NULL;
        if (clade_source_create(&source, &params, NULL, NULL) != CLADE_OK)
            return complain_last();
        const char *file;
        bool fine = true;
        for (size_t f = 0; fine && (file = clade_source_file(source, f)); f++) {
            fputs(" \\\n  ", out);
            fine = print_make_name(out, file, quoted_files);
        }
        clade_source_destroy(&source);
        if (!fine)
            return EXIT_FAILED;
    }
    fputc('\n', out);
    return EXIT_DONE;
}

/* What could be made whole is there; else the file is as it was. */
static int end_file(struct outfile *out, int status)
{
    if (status != EXIT_DONE) {
        outfile_discard(out);
        return status;
    }
    if (outfile_close(out))
        return EXIT_DONE;
    complain("cannot write %s: %s", out->path, strerror(errno));
    return EXIT_FAILED;
}

static int write_dependencies(const struct request *request)
{
    struct outfile out;
    FILE *file = outfile_open(&out, request->dependency_file);
    return end_file(&out, file ? print_dependencies(file, request) : EXIT_DONE);
}

static int print_sources(FILE *out, const struct request *request)
{
    int status = EXIT_DONE;
    for (size_t i = 0; status == EXIT_DONE && i < request->kernels.count; i++) {
        clade_program_params params = request_params(request, request->kernels.at[i]);
        clade_source *source = NULL;
        const char *target = request->targets.count > 0 ? request->targets.at[0] : NULL;
        if (clade_source_create(&source, &params, NULL, target) != CLADE_OK) {
            status = complain_last();
        } else {
            fprintf(out, "/* options: %s */\n", clade_source_options(source));
            fputs(clade_source_text(source), out);
        }
        clade_source_destroy(&source);
    }
    return status;
}

static int dump(const struct request *request)
{
    struct outfile out;
    if (!request->output)
        return print_sources(stdout, request);
    FILE *file = outfile_open(&out, request->output);
    return end_file(&out, file ? print_sources(file, request) : EXIT_DONE);
}

/* --- compiling ------------------------------------------------------------------------------ */

static int compile_on_device(const struct request *request, clade_archive *archive,
                             const char *device)
{
    clade_context *context = NULL;
    int status = EXIT_DONE;
    if (clade_context_create(&context, &(clade_context_params) { .device = device,
                                                                 .cache_dir = "",
                                                                 .archive = "" }) != CLADE_OK) {
        return complain_no_device();
    }
    for (size_t i = 0; status == EXIT_DONE && i < request->kernels.count; i++) {
        clade_program_params params = request_params(request, request->kernels.at[i]);
        clade_program *program = NULL;
        if (clade_program_build(&program, context, &params) != CLADE_OK) {
            status = complain_last();
            break;
        }
        fputs(clade_program_log(program), stderr);
        if (request->mode == RESOURCES)
            status = print_device_resources(context, params.file, program);
        clade_program_destroy(&program);
    }
    if (status == EXIT_DONE && clade_archive_add_context(archive, context) != CLADE_OK)
        status = complain_last();
    clade_context_destroy(&context);
    return status;
}

static int compile_for_target(const struct request *request, clade_archive *archive,
                              const char *target)
{
    int status = EXIT_DONE;
    for (size_t i = 0; status == EXIT_DONE && i < request->kernels.count; i++) {
        const char *kernel = request->kernels.at[i];
        clade_program_params params = request_params(request, kernel);
        clade_source *source = NULL;
        struct code code = { 0 };
        if (clade_source_create(&source, &params, NULL, target) != CLADE_OK) {
            status = complain_last();
        } else {
            int flags = request->mode == RESOURCES ? WANT_RESOURCES : 0;
            status = compile_target(&code, source, kernel, target, flags);
        }
        if (status == EXIT_DONE && request->mode == RESOURCES)
            printf("%s for %s\n%s", kernel, target, code.resources ? code.resources : "");
        if (status == EXIT_DONE &&
            clade_archive_add_source(archive, source, code.bytes, code.size) != CLADE_OK)
            status = complain_last();
        code_free(&code);
        clade_source_destroy(&source);
    }
    return status;
}

static int merge(clade_archive *archive, const char *path)
{
    clade_archive *other = NULL;
    int status = EXIT_DONE;
    if (clade_archive_open(&other, path) != CLADE_OK)
        return complain_last();
    for (size_t i = 0; status == EXIT_DONE && i < clade_archive_count(other); i++) {
        const clade_archive_entry *entry = clade_archive_at(other, i);
        if (!entry->bytes)
            complain("%s: entry %zu is damaged and left out", path, i);
        else if (clade_archive_add(archive, entry) != CLADE_OK)
            status = complain_last();
    }
    clade_archive_destroy(&other);
    return status;
}

static int compile(const struct request *request)
{
    clade_archive *archive = NULL;
    int status = EXIT_DONE;
    if (clade_archive_create(&archive) != CLADE_OK)
        return complain_last();
    for (size_t i = 0; status == EXIT_DONE && i < request->merged.count; i++)
        status = merge(archive, request->merged.at[i]);
    for (size_t i = 0; status == EXIT_DONE && i < request->targets.count; i++)
        status = compile_for_target(request, archive, request->targets.at[i]);
    for (size_t i = 0; status == EXIT_DONE && i < request->devices.count; i++)
        status = compile_on_device(request, archive, request->devices.at[i]);
    bool anywhere = request->targets.count + request->devices.count > 0;
    if (status == EXIT_DONE && !anywhere && request->kernels.count > 0)
        status = compile_on_device(request, archive, NULL);
    if (status == EXIT_DONE && request->mode == COMPILE &&
        clade_archive_write(archive, request->output) != CLADE_OK)
        status = complain_last();
    if (status == EXIT_DONE && request->dependency_file)
        status = write_dependencies(request);
    clade_archive_destroy(&archive);
    return status;
}

int cladec_run(const struct request *request)
{
    int status = EXIT_DONE;
    switch (request->mode) {
    case LIST:
        for (size_t i = 0; status == EXIT_DONE && i < request->kernels.count; i++)
            status = list_archive(request, request->kernels.at[i]);
        return request->kernels.count > 0 ? status : list_machine();
    case CHECK:
        return check_kernels(request);
    case DUMP:
        return dump(request);
    case EXTRACT:
        return extract(request);
    case DEPENDENCIES:
        return request->dependency_file ? write_dependencies(request)
                                        : print_dependencies(stdout, request);
    case COMPILE:
    case RESOURCES:
        break;
    }
    return compile(request);
}
