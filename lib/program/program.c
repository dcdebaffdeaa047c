/* SPDX-License-Identifier: Apache-2.0 */
/* Building programs: expansion, options, the two caches, the compiler. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "clade/version.h"
#include "device/context.h"
#include "program/archive.h"
#include "program/buildlog.h"
#include "program/cache.h"
#include "program/expand.h"
#include "program/program.h"
#include "program/source.h"

struct clade_program {
    cl_program cl;
    int origin;
    char *options;
    char *log; /* NULL: the compiler said nothing, or did not run */
};

/* One build on its way. */
struct build {
    clade_context *context;
    const char *name;
    bool passing; /* neither kept on disk nor remembered */
    struct cladei_expansion expansion;
    struct cladei_text options;
    struct cladei_text key; /* everything the build depends on, the source last */
};

/* --- the key ------------------------------------------------------------------------------ */

static void add_key(struct build *build)
{
    const clade_device_info *info = &build->context->info;
    cladei_text_printf(&build->key, "clade %s\nplatform %s\ndevice %s\nversion %s\ndriver %s\n",
                       clade_version(), info->platform, info->name, info->device_version,
                       info->driver_version);
    cladei_text_printf(&build->key, "options %s\n", build->options.data);
    cladei_text_puts(&build->key, build->expansion.source.data);
}

/* --- what the context remembers ------------------------------------------------------------- */

static cl_program recall(clade_context *context, const char *key)
{
    cl_program found = NULL;
    pthread_mutex_lock(&context->mutex);
    for (struct cladei_built *built = context->built; !found && built; built = built->next)
        if (built->cl && strcmp(built->key, key) == 0)
            found = built->cl;
    if (found)
        clRetainProgram(found);
    pthread_mutex_unlock(&context->mutex);
    return found;
}

/* So that a second object of the same types does not compile again; constant once listed. The
 * program, or a result of `size` bytes that outlives the context. */
static clade_status remember(const struct build *build, cl_program program, const void *result,
                             size_t size)
{
    clade_status status = CLADE_OK;
    clade_context *context = build->context;
    struct cladei_text texts = { 0 };
    struct cladei_built *built = calloc(1, sizeof *built);
    CLADE_NO_MEMORY(built);
    cladei_text_add(&texts, build->key.data, build->key.length + 1);
    cladei_text_add(&texts, build->options.data, build->options.length + 1);
    cladei_text_puts(&texts, build->name);
    CLADE_REQUIRE(!texts.failed, CLADE_E_NOMEM, "host memory is out");
    *built = (struct cladei_built) {
        .key = texts.data,
        .source = texts.data + build->key.length - build->expansion.source.length,
        .options = texts.data + build->key.length + 1,
        .name = texts.data + build->key.length + build->options.length + 2,
        .hash = { build->expansion.hash[0], build->expansion.hash[1] },
        .cl = program,
        .result = result,
        .result_bytes = size,
    };
    if (program)
        clRetainProgram(program);
    pthread_mutex_lock(&context->mutex);
    built->next = context->built;
    context->built = built;
    pthread_mutex_unlock(&context->mutex);
    return CLADE_OK;

fail:
    free(built);
    cladei_text_free(&texts);
    return status;
}

void cladei_program_forget_all(clade_context *context)
{
    while (context->built) {
        struct cladei_built *built = context->built;
        context->built = built->next;
        if (built->cl)
            clReleaseProgram(built->cl);
        free(built->key);
        free(built);
    }
}

/* --- binaries ------------------------------------------------------------------------------- */

/* NULL when the driver does not take it. */
static cl_program load_binary(const struct build *build, const void *bytes, size_t size)
{
    const clade_context *context = build->context;
    const unsigned char *binary = bytes;
    cl_int code, binary_code = CL_SUCCESS;
    cl_program program = clCreateProgramWithBinary(context->cl, 1, &context->device, &size, &binary,
                                                   &binary_code, &code);
    if (code != CL_SUCCESS)
        return NULL;
    if (binary_code != CL_SUCCESS ||
        clBuildProgram(program, 1, &context->device, build->options.data, NULL, NULL) !=
            CL_SUCCESS) {
        clReleaseProgram(program);
        return NULL;
    }
    return program;
}

/* From the archive, the first entry that fits and that the driver takes. */
static cl_program find_archived(const struct build *build)
{
    const clade_context *context = build->context;
    const clade_archive_entry *entry;
    cl_program program = NULL;
    size_t at = 0;
    while (!program &&
           (entry = cladei_archive_next(context->archive, context, CLADE_ENTRY_DEVICE,
                                        build->options.data, build->expansion.hash, &at)))
        program = load_binary(build, entry->bytes, (size_t)entry->size);
    return program;
}

/* From the cache on disk; NULL when there is nothing that builds. */
static clade_status find_cached(cl_program *out, const struct build *build)
{
    void *bytes = NULL;
    size_t size = 0;
    *out = NULL;
    clade_status status =
        cladei_cache_load(build->context->cache_dir, build->key.data, &bytes, &size);
    if (status != CLADE_OK || !bytes)
        return status;
    *out = load_binary(build, bytes, size);
    free(bytes);
    return CLADE_OK;
}

/* Of a program for several devices the driver tells a size and a binary for each of them. */
#define DEVICES_MAX 64

/* The place of a device among a program's, of which there are `*count`; `*count`: it has none. */
static cl_uint place_among(cl_program program, cl_device_id device, cl_uint *count)
{
    cl_device_id devices[DEVICES_MAX];
    size_t bytes = 0;
    cl_uint place = 0;
    *count = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes) ==
        CL_SUCCESS)
        *count = (cl_uint)(bytes / sizeof devices[0]);
    if (*count == 1) /* the device, or the whole of which it is a part */
        return 0;
    while (place < *count && devices[place] != device)
        place++;
    return place;
}

/* Some drivers compile kernels only when they are created, so that is done before the binary is
 * read. A binary that cannot be had is no failure: there is just nothing to keep. */
void *cladei_program_binary(cl_program program, cl_device_id device, size_t *size)
{
    cl_kernel kernels[64];
    size_t sizes[DEVICES_MAX] = { 0 };
    unsigned char *all[DEVICES_MAX] = { NULL }; /* NULL: this one is not asked for */
    cl_uint count = 0, devices = 0;
    const cl_uint place = place_among(program, device, &devices);
    *size = 0;
    if (clCreateKernelsInProgram(program, 64, kernels, &count) == CL_SUCCESS)
        for (cl_uint i = 0; i < count && i < 64; i++)
            clReleaseKernel(kernels[i]);
    if (place == devices ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, devices * sizeof sizes[0], sizes,
                         NULL) != CL_SUCCESS ||
        sizes[place] == 0)
        return NULL;
    all[place] = malloc(sizes[place]);
    if (all[place] && clGetProgramInfo(program, CL_PROGRAM_BINARIES, devices * sizeof all[0], all,
                                       NULL) == CL_SUCCESS) {
        *size = sizes[place];
        return all[place];
    }
    free(all[place]);
    return NULL;
}

static void keep_binary(const struct build *build, cl_program program)
{
    size_t size = 0;
    const clade_context *context = build->context;
    void *bytes = context->cache_dir && context->keeps_binaries
                      ? cladei_program_binary(program, context->device, &size)
                      : NULL;
    if (bytes)
        cladei_cache_store(context->cache_dir, build->key.data, bytes, size);
    free(bytes);
}

/* --- source --------------------------------------------------------------------------------- */

/* The compiler's text with true file names; NULL when there is none. */
static char *build_log(const clade_context *context, cl_program program, const char *source)
{
    size_t size = 0;
    if (clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
        CL_SUCCESS)
        return NULL;
    char *log = calloc(1, size + 1);
    if (log)
        clGetProgramBuildInfo(program, context->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    char *translated = log ? cladei_log_translate(log, source) : NULL;
    free(log);
    return translated;
}

/* $CLADE_DUMP: a folder that receives what was built, and what the compiler said. */
static void dump(const char *name, const char *options, const char *source, const char *log)
{
    const char *folder = cladei_getenv("CLADE_DUMP");
    if (!folder || !*folder || cladei_make_folders(folder, 0777) != CLADE_OK)
        return;
    const char *slash = strrchr(name, '/');
    struct cladei_text path = { 0 }, head = { 0 };
    unsigned hash = 2166136261u; /* FNV-1a: tells variants apart, nothing rests on it */
    for (const char *at = options; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    cladei_text_printf(&head, "/* options: %s */\n", options);
    cladei_text_printf(&path, "%s/%s-%08x.cl", folder, slash ? slash + 1 : name, hash);
    if (!head.failed && !path.failed)
        (void)cladei_file_write(path.data, 0, head.data, head.length, source, strlen(source));
    cladei_text_puts(&path, ".log");
    if (!path.failed)
        (void)cladei_file_write(path.data, 0, "", 0, log ? log : "", log ? strlen(log) : 0);
    cladei_text_free(&path);
    cladei_text_free(&head);
}

/* Every function, whoever wrote it, gets the attribute. */
#define FRAME(attribute)                                                                       \
    (struct cladei_frame)                                                                      \
    {                                                                                          \
        "#pragma clang attribute push(__attribute__((" attribute ")), apply_to = function)\n", \
            "\n#pragma clang attribute pop\n"                                                  \
    }

struct cladei_frame cladei_program_frame(const clade_context *context, const char *options)
{
    const char *platform = context->info.platform;
    /* PoCL 3.1 (LLVM 15) crashes when it inlines large functions that clang left out of line, as it
     * does with all; so clang is told to inline them all itself. What says noinline stays as it is.
     */
    if (strstr(platform, "Portable Computing Language") && !strstr(options, "-cl-opt-disable"))
        return FRAME("always_inline");
    /* Intel's runtime for CPUs makes vectors of a group's items. An item that leaves a loop waits
     * there for those that stay in it. Where it has a lock then, which it would give back after the
     * loop, the others try for it in vain until they give up. One after another they meet no lock.
     */
    if (strstr(platform, "Intel") && context->caps.is_cpu)
        return FRAME("intel_vec_len_hint(1)");
    return (struct cladei_frame) { "", "" };
}

static cl_program create_program(const struct build *build, cl_int *code)
{
    const clade_context *context = build->context;
    const struct cladei_frame frame = cladei_program_frame(context, build->options.data);
    const char *const texts[] = { frame.before, build->expansion.source.data, frame.after };
    return clCreateProgramWithSource(context->cl, sizeof texts / sizeof texts[0],
                                     (const char **)(uintptr_t)texts, NULL, code);
}

/* The compiler, and who asked to be told of it. */
static cl_int compile(const struct build *build, cl_program program)
{
    const clade_context *context = build->context;
    char sentence[512];
    snprintf(sentence, sizeof sentence, "compiling %s for %s", build->name, context->info.name);
    if (context->on_compile)
        context->on_compile(context->on_compile_data, sentence);
    const cl_int code =
        clBuildProgram(program, 1, &context->device, build->options.data, NULL, NULL);
    if (context->on_compile)
        context->on_compile(context->on_compile_data, NULL);
    return code;
}

static clade_status build_source(cl_program *out, char **out_log, const struct build *build)
{
    clade_status status = CLADE_OK;
    clade_context *context = build->context;
    const char *source = build->expansion.source.data;
    cl_int code;
    char *log = NULL;
    cl_program program = create_program(build, &code);
    CLADE_CL_CODE(code, "clCreateProgramWithSource");
    code = compile(build, program);
    log = build_log(context, program, source);
    dump(build->name, build->options.data, source, log);
    if (code != CL_SUCCESS) {
        status = cladei_fail_build(code, log, "%s does not compile for %s: %s (%d)", build->name,
                                   context->info.name, cladei_cl_name(code), code);
        goto fail;
    }
    *out_log = log;
    *out = program;
    return CLADE_OK;

fail:
    free(log);
    if (program)
        clReleaseProgram(program);
    return status;
}

/* --- the public face ------------------------------------------------------------------------ */

/* What is nearest first: memory, archive, disk, compiler. */
static clade_status find_or_build(clade_program *out, struct build *build)
{
    clade_status status = CLADE_OK;
    out->origin = CLADE_FROM_MEMORY;
    out->cl = recall(build->context, build->key.data);
    if (out->cl)
        return CLADE_OK;
    out->origin = CLADE_FROM_ARCHIVE;
    out->cl = find_archived(build);
    if (!out->cl) {
        out->origin = CLADE_FROM_CACHE;
        CLADE_TRY(find_cached(&out->cl, build));
    }
    if (!out->cl) {
        out->origin = CLADE_FROM_COMPILER;
        CLADE_TRY(build_source(&out->cl, &out->log, build));
        if (!build->passing)
            keep_binary(build, out->cl);
    }
    if (!build->passing)
        CLADE_TRY(remember(build, out->cl, NULL, 0));
fail:
    return status;
}

/* The kernel's text: its file where that is, else what the archive kept of it. */
static clade_status find_source(struct cladei_expansion *expansion, const clade_context *context,
                                const clade_program_params *params)
{
    clade_status status = cladei_expand(expansion, params->source, cladei_program_name(params),
                                        params->file, params->include_path, context->kernel_path);
    if (status == CLADE_E_NOT_FOUND && expansion->lost && context->archive)
        status = cladei_archive_expansion(expansion, context->archive, params->file);
    return status;
}

clade_status cladei_program_source(struct cladei_expansion *expansion, struct cladei_text *options,
                                   const clade_context *context, const clade_program_params *params)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(find_source(expansion, context, params));
    cladei_add_options(options, &context->caps, context->info.platform, context->language,
                       context->build_options, params->options);
    CLADE_REQUIRE(!options->failed, CLADE_E_NOMEM, "host memory is out");
fail:
    return status;
}

/* Everything that a build depends on; release() frees it whether this fails or not. */
static clade_status prepare(struct build *build, const clade_program_params *params)
{
    clade_status status = CLADE_OK;
    build->name = cladei_program_name(params);
    CLADE_TRY(cladei_program_source(&build->expansion, &build->options, build->context, params));
    add_key(build);
    CLADE_REQUIRE(!build->key.failed, CLADE_E_NOMEM, "host memory is out");
fail:
    return status;
}

static void release(struct build *build)
{
    cladei_text_free(&build->key);
    cladei_text_free(&build->options);
    cladei_expansion_free(&build->expansion);
}

static clade_status build_program(clade_program **out, struct build *build,
                                  const clade_program_params *params)
{
    clade_status status = CLADE_OK;
    clade_program *program = calloc(1, sizeof *program);
    CLADE_NO_MEMORY(program);
    CLADE_TRY(prepare(build, params));
    CLADE_TRY(find_or_build(program, build));
    program->options = build->options.data;
    build->options = (struct cladei_text) { 0 };
    *out = program;
    program = NULL;
fail:
    clade_program_destroy(&program);
    release(build);
    return status;
}

clade_status clade_program_build(clade_program **out, clade_context *context,
                                 const clade_program_params *params)
{
    clade_status status = CLADE_OK;
    struct build build = { .context = context };
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the program is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && params, CLADE_E_ARG, "the context or the parameters are NULL");
    CLADE_TRY(cladei_program_params_check(params));
    CLADE_TRY(build_program(out, &build, params));
fail:
    return status;
}

/* --- clade's own kernels --------------------------------------------------------------------- */

/* Through an include, so that the file is looked for along the kernel path alone. */
static clade_status own_source(struct cladei_text *source, const char *file)
{
    cladei_text_printf(source, "#include \"%s\"\n", file);
    return source->failed ? cladei_fail(CLADE_E_NOMEM, "host memory is out") : CLADE_OK;
}

static clade_status build_own(clade_program **out, struct build *build, const char *file,
                              const char *options)
{
    clade_status status = CLADE_OK;
    struct cladei_text source = { 0 };
    *out = NULL;
    CLADE_TRY(own_source(&source, file));
    CLADE_TRY(build_program(
        out, build,
        &(clade_program_params) { .source = source.data, .name = file, .options = options }));
fail:
    cladei_text_free(&source);
    return status;
}

clade_status cladei_program_build_own(clade_program **out, clade_context *context, const char *file,
                                      const char *options)
{
    struct build build = { .context = context };
    return build_own(out, &build, file, options);
}

clade_status cladei_program_build_passing(clade_program **out, clade_context *context,
                                          const char *file)
{
    struct build build = { .context = context, .passing = true };
    return build_own(out, &build, file, NULL);
}

/* --- results that are kept ------------------------------------------------------------------- */

static bool archive_has_result(const struct build *build, const void *result, size_t size)
{
    const clade_context *context = build->context;
    const clade_archive_entry *entry;
    size_t at = 0;
    while ((entry = cladei_archive_next(context->archive, context, CLADE_ENTRY_RESULT,
                                        build->options.data, build->expansion.hash, &at)))
        if (entry->size == size && memcmp(entry->bytes, result, size) == 0)
            return true;
    return false;
}

/* What `file`'s kernels computed, under the key of their build. */
static clade_status result_key(struct cladei_text *key, const struct build *build)
{
    cladei_text_printf(key, "result\n%s", build->key.data);
    return key->failed ? cladei_fail(CLADE_E_NOMEM, "host memory is out") : CLADE_OK;
}

clade_status cladei_result_find(bool *found, clade_context *context, const char *file,
                                const void *result, size_t size)
{
    clade_status status = CLADE_OK;
    struct cladei_text source = { 0 }, key = { 0 };
    struct build build = { .context = context };
    void *bytes = NULL;
    size_t stored = 0;
    *found = false;
    CLADE_TRY(own_source(&source, file));
    CLADE_TRY(prepare(&build, &(clade_program_params) { .source = source.data, .name = file }));
    if (!archive_has_result(&build, result, size)) {
        CLADE_TRY(result_key(&key, &build));
        CLADE_TRY(cladei_cache_load(context->cache_dir, key.data, &bytes, &stored));
        if (!bytes || stored != size || memcmp(bytes, result, size) != 0)
            goto fail;
    }
    CLADE_TRY(remember(&build, NULL, result, size));
    *found = true;
fail:
    free(bytes);
    cladei_text_free(&key);
    cladei_text_free(&source);
    release(&build);
    return status;
}

clade_status cladei_result_keep(clade_context *context, const char *file, const void *result,
                                size_t size)
{
    clade_status status = CLADE_OK;
    struct cladei_text source = { 0 }, key = { 0 };
    struct build build = { .context = context };
    CLADE_TRY(own_source(&source, file));
    CLADE_TRY(prepare(&build, &(clade_program_params) { .source = source.data, .name = file }));
    CLADE_TRY(result_key(&key, &build));
    CLADE_TRY(remember(&build, NULL, result, size));
    cladei_cache_store(context->cache_dir, key.data, result, size);
fail:
    cladei_text_free(&key);
    cladei_text_free(&source);
    release(&build);
    return status;
}

/* --- what a program tells --------------------------------------------------------------------- */

void clade_program_destroy(clade_program **program)
{
    if (!program || !*program)
        return;
    if ((*program)->cl)
        clReleaseProgram((*program)->cl);
    free((*program)->options);
    free((*program)->log);
    free(*program);
    *program = NULL;
}

clade_status clade_program_kernel(cl_kernel *out, clade_program *program, const char *kernel)
{
    clade_status status = CLADE_OK;
    cl_int code;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the kernel is NULL");
    *out = NULL;
    CLADE_REQUIRE(program && kernel, CLADE_E_ARG, "the program or the kernel's name is NULL");
    cl_kernel made = clCreateKernel(program->cl, kernel, &code);
    CLADE_REQUIRE(code != CL_INVALID_KERNEL_NAME, CLADE_E_NOT_FOUND,
                  "the program has no kernel \"%s\"", kernel);
    CLADE_CL_CODE(code, "clCreateKernel");
    *out = made;
fail:
    return status;
}

cl_program clade_program_cl(const clade_program *program)
{
    return program ? program->cl : NULL;
}

int clade_program_origin(const clade_program *program)
{
    return program ? program->origin : 0;
}

const char *clade_program_options(const clade_program *program)
{
    return program ? program->options : "";
}

const char *clade_program_log(const clade_program *program)
{
    return program && program->log ? program->log : "";
}
