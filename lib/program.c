/* SPDX-License-Identifier: Apache-2.0 */
/* Building programs: expansion, options, the two caches, the compiler. */
#include <stdlib.h>
#include <string.h>

#include "clade/version.h"
#include "internal.h"

struct clade_program {
    cl_program cl;
};

/* One built program that the context remembers, so that a second object of the same types does
 * not compile again. Guarded by the context's mutex; constant once listed. */
struct cladei_built {
    struct cladei_built *next;
    char *key;
    cl_program cl;
};

/* --- options and key ------------------------------------------------------------------------ */

/* What the device's headers are told, and the language. Kernels read these names, never set them.
 * CLADE_SPIN_LIMIT bounds every wait in tries: on a CPU a holder may lose its core for whole time
 * slices, on a GPU the bound must end in well under a second. */
static void add_options(struct cladei_text *options, const clade_context *context,
                        const char *extra)
{
    const clade_caps *caps = &context->caps;
    cladei_text_printf(options, "-cl-std=%s -DCLADE_ATOMICS=%u -DCLADE_CPU=%u", context->language,
                       caps->atomics, caps->is_cpu);
    cladei_text_printf(options, " -DCLADE_INT64_ATOMICS=%u -DCLADE_FP64=%u", caps->int64_atomics,
                       caps->fp64);
    cladei_text_printf(options, " -DCLADE_SUBGROUP_SIZE=%u -DCLADE_LOCAL_BYTES=%lu",
                       caps->subgroup_size, (unsigned long)caps->local_bytes);
    if (strstr(context->info.platform, "rusticl"))
        cladei_text_puts(options, " -DCLADE_FENCE_BUILTIN=0");
    if (!strstr(context->build_options, "CLADE_SPIN_LIMIT"))
        cladei_text_printf(options, " -DCLADE_SPIN_LIMIT=%uu",
                           caps->loop_limit ? caps->loop_limit / 4
                           : caps->is_cpu   ? 2000000000u
                                            : 1000000u);
    if (*context->build_options)
        cladei_text_printf(options, " %s", context->build_options);
    if (extra && *extra)
        cladei_text_printf(options, " %s", extra);
}

static void add_key(struct cladei_text *key, const clade_context *context, const char *options,
                    const char *source)
{
    const clade_device_info *info = &context->info;
    cladei_text_printf(key, "clade %s\nplatform %s\ndevice %s\nversion %s\ndriver %s\n",
                       clade_version(), info->platform, info->name, info->device_version,
                       info->driver_version);
    cladei_text_printf(key, "options %s\n", options);
    cladei_text_puts(key, source);
}

/* --- what the context remembers ------------------------------------------------------------- */

static cl_program recall(clade_context *context, const char *key)
{
    cl_program found = NULL;
    pthread_mutex_lock(&context->mutex);
    for (struct cladei_built *built = context->built; !found && built; built = built->next)
        if (strcmp(built->key, key) == 0)
            found = built->cl;
    if (found)
        clRetainProgram(found);
    pthread_mutex_unlock(&context->mutex);
    return found;
}

static clade_status remember(clade_context *context, const char *key, cl_program program)
{
    struct cladei_built *built = calloc(1, sizeof *built);
    char *copy = cladei_strdup(key);
    if (!built || !copy) {
        free(built);
        free(copy);
        return cladei_fail(CLADE_E_NOMEM, "host memory is out");
    }
    clRetainProgram(program);
    *built = (struct cladei_built) { .key = copy, .cl = program };
    pthread_mutex_lock(&context->mutex);
    built->next = context->built;
    context->built = built;
    pthread_mutex_unlock(&context->mutex);
    return CLADE_OK;
}

void cladei_program_forget_all(clade_context *context)
{
    while (context->built) {
        struct cladei_built *built = context->built;
        context->built = built->next;
        clReleaseProgram(built->cl);
        free(built->key);
        free(built);
    }
}

/* --- binaries ------------------------------------------------------------------------------- */

/* From the cache on disk; NULL when there is nothing that builds. */
static clade_status build_binary(cl_program *out, clade_context *context, const char *key,
                                 const char *options)
{
    void *bytes = NULL;
    size_t size = 0;
    cl_int code, binary_code = CL_SUCCESS;
    *out = NULL;
    clade_status status = cladei_cache_load(context->cache_dir, key, &bytes, &size);
    if (status != CLADE_OK || !bytes)
        return status;
    const unsigned char *binary = bytes;
    cl_program program = clCreateProgramWithBinary(context->cl, 1, &context->device, &size, &binary,
                                                   &binary_code, &code);
    free(bytes);
    if (code != CL_SUCCESS)
        return CLADE_OK;
    if (binary_code != CL_SUCCESS ||
        clBuildProgram(program, 1, &context->device, options, NULL, NULL) != CL_SUCCESS) {
        clReleaseProgram(program);
        return CLADE_OK;
    }
    *out = program;
    return CLADE_OK;
}

/* Some drivers compile kernels only when they are created, so that is done before the binary is
 * read. A binary that cannot be had is no failure: there is just nothing to keep. */
static void keep_binary(const clade_context *context, const char *key, cl_program program)
{
    cl_kernel kernels[64];
    cl_uint count = 0;
    size_t size = 0;
    if (!context->cache_dir)
        return;
    if (clCreateKernelsInProgram(program, 64, kernels, &count) == CL_SUCCESS)
        for (cl_uint i = 0; i < count && i < 64; i++)
            clReleaseKernel(kernels[i]);
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    unsigned char *bytes = malloc(size);
    if (bytes &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL) == CL_SUCCESS)
        cladei_cache_store(context->cache_dir, key, bytes, size);
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
    const char *folder = getenv("CLADE_DUMP");
    if (!folder || !*folder || cladei_make_folders(folder) != CLADE_OK)
        return;
    const char *slash = strrchr(name, '/');
    struct cladei_text path = { 0 }, head = { 0 };
    unsigned hash = 2166136261u; /* FNV-1a: tells variants apart, nothing rests on it */
    for (const char *at = options; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    cladei_text_printf(&head, "/* options: %s */\n", options);
    cladei_text_printf(&path, "%s/%s-%08x.cl", folder, slash ? slash + 1 : name, hash);
    if (!head.failed && !path.failed)
        (void)cladei_file_write(path.data, head.data, head.length, source, strlen(source));
    cladei_text_puts(&path, ".log");
    if (!path.failed)
        (void)cladei_file_write(path.data, "", 0, log ? log : "", log ? strlen(log) : 0);
    cladei_text_free(&path);
    cladei_text_free(&head);
}

static clade_status build_source(cl_program *out, clade_context *context, const char *source,
                                 const char *options, const char *name)
{
    clade_status status = CLADE_OK;
    cl_int code;
    char *log = NULL;
    cl_program program = clCreateProgramWithSource(context->cl, 1, &source, NULL, &code);
    CLADE_CL_CODE(code, "clCreateProgramWithSource");
    code = clBuildProgram(program, 1, &context->device, options, NULL, NULL);
    log = build_log(context, program, source);
    dump(name, options, source, log);
    if (code != CL_SUCCESS) {
        status = cladei_fail_build(code, log, "%s does not compile for %s: %s (%d)", name,
                                   context->info.name, cladei_cl_name(code), code);
        goto fail;
    }
    free(log);
    *out = program;
    return CLADE_OK;

fail:
    free(log);
    if (program)
        clReleaseProgram(program);
    return status;
}

/* --- the public face ------------------------------------------------------------------------ */

static clade_status find_or_build(cl_program *out, clade_context *context, const char *source,
                                  const char *options, const char *name)
{
    clade_status status = CLADE_OK;
    struct cladei_text key = { 0 };
    cl_program program = NULL;
    add_key(&key, context, options, source);
    CLADE_REQUIRE(!key.failed, CLADE_E_NOMEM, "host memory is out");
    program = recall(context, key.data);
    if (!program) {
        CLADE_TRY(build_binary(&program, context, key.data, options));
        if (!program) {
            CLADE_TRY(build_source(&program, context, source, options, name));
            keep_binary(context, key.data, program);
        }
        CLADE_TRY(remember(context, key.data, program));
    }
    *out = program;
    program = NULL;
fail:
    if (program)
        clReleaseProgram(program);
    cladei_text_free(&key);
    return status;
}

clade_status clade_program_build(clade_program **out, clade_context *context,
                                 const clade_program_params *params)
{
    clade_status status = CLADE_OK;
    struct cladei_expansion expansion = { 0 };
    struct cladei_text options = { 0 };
    clade_program *program = NULL;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the program is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && params, CLADE_E_ARG, "the context or the parameters are NULL");
    CLADE_REQUIRE((params->source != NULL) != (params->file != NULL), CLADE_E_ARG,
                  "a program needs either source or file");
    const char *name = params->file ? params->file : params->name ? params->name : "source.cl";
    program = calloc(1, sizeof *program);
    CLADE_NO_MEMORY(program);
    CLADE_TRY(cladei_expand(&expansion, params->source, name, params->file, params->include_path,
                            context->kernel_path));
    add_options(&options, context, params->options);
    CLADE_REQUIRE(!options.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_TRY(find_or_build(&program->cl, context, expansion.source.data, options.data, name));
    *out = program;
    program = NULL;
fail:
    free(program);
    cladei_text_free(&options);
    cladei_expansion_free(&expansion);
    return status;
}

clade_status cladei_program_build_own(clade_program **out, clade_context *context, const char *file,
                                      const char *options)
{
    clade_status status = CLADE_OK;
    struct cladei_text source = { 0 };
    /* Through an include, so that the file is looked for along the kernel path alone. */
    cladei_text_printf(&source, "#include \"%s\"\n", file);
    CLADE_REQUIRE(!source.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_TRY(clade_program_build(
        out, context,
        &(clade_program_params) { .source = source.data, .name = file, .options = options }));
fail:
    cladei_text_free(&source);
    return status;
}

void clade_program_destroy(clade_program **program)
{
    if (!program || !*program)
        return;
    if ((*program)->cl)
        clReleaseProgram((*program)->cl);
    free(*program);
    *program = NULL;
}

clade_status clade_program_kernel(cl_kernel *out, clade_program *program, const char *kernel)
{
    clade_status status = CLADE_OK;
    cl_int code;
    CLADE_REQUIRE(out && program && kernel, CLADE_E_ARG, "an argument is NULL");
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
