/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiler is given: options for a device or for a target that is not here, and expanded
 * sources as offline tools see them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/reserved.h"
#include "base/text.h"
#include "device/context.h"
#include "program/archive.h"
#include "program/expand.h"
#include "program/kernel_path.h"
#include "program/program.h"
#include "program/source.h"

struct clade_source {
    struct cladei_expansion expansion;
    struct cladei_text options;
    struct cladei_text framed; /* for a context: the text that its compiler gets */
    char *name;
    char *target;
};

/* Kernels read these names, never set them. CLADE_SPIN_LIMIT bounds every wait in tries: on a CPU
 * a holder may lose its core for whole time slices, on a GPU the bound must end in well under a
 * second. */
void cladei_add_options(struct cladei_text *options, const clade_caps *caps, const char *platform,
                        const char *language, const char *build_options, const char *extra)
{
    cladei_text_printf(options, "-cl-std=%s -DCLADE_ATOMICS=%u -DCLADE_CPU=%u", language,
                       caps->atomics, caps->is_cpu);
    cladei_text_printf(options, " -DCLADE_INT64_ATOMICS=%u -DCLADE_FP64=%u", caps->int64_atomics,
                       caps->fp64);
    cladei_text_printf(options, " -DCLADE_SUBGROUP_SIZE=%u -DCLADE_LOCAL_BYTES=%lu",
                       caps->subgroup_size, (unsigned long)caps->local_bytes);
    if (strstr(platform, "rusticl"))
        cladei_text_puts(options, " -DCLADE_FENCE_BUILTIN=0 -DCLADE_INLINE_ALL");
    if (!strstr(build_options, "CLADE_SPIN_LIMIT"))
        cladei_text_printf(options, " -DCLADE_SPIN_LIMIT=%uu",
                           caps->loop_limit ? caps->loop_limit / 4
                           : caps->is_cpu   ? 2000000000u
                                            : 1000000u);
    if (caps->loop_limit > 0)
        cladei_text_puts(options, " -DCLADE_LOOPS_ARE_LEFT");
    if (*build_options)
        cladei_text_printf(options, " %s", build_options);
    if (extra && *extra)
        cladei_text_printf(options, " %s", extra);
}

/* --- targets -------------------------------------------------------------------------------- */

/* What the devices of a family say of themselves, as far as kernels are told. `dialect` is what
 * would run there with the OpenCL library that its offline compiler has: libclc knows no C11
 * atomics. */
struct family {
    const char *prefix;
    bool (*has)(const char *rest);
    uint32_t dialect;
    uint32_t subgroup_size; /* in the PTX dialect */
    uint64_t local_bytes;
    const char *c11_language; /* NULL: no C11 */
};

static bool is_number(const char *rest)
{
    size_t digits = strspn(rest, "0123456789");
    return digits >= 2 && digits <= 3 && (rest[digits] == '\0' || strcmp(rest + digits, "a") == 0);
}

/* "90a", "1100": decimal but for the last digit. */
static bool is_gfx(const char *rest)
{
    size_t length = strlen(rest), digits = strspn(rest, "0123456789");
    return (length == 3 || length == 4) && digits + 1 >= length &&
           isxdigit((unsigned char)rest[length - 1]) && !isupper((unsigned char)rest[length - 1]);
}

static bool is_empty(const char *rest)
{
    return *rest == '\0';
}

static bool is_word(const char *rest)
{
    return *rest && strspn(rest, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == strlen(rest);
}

static const struct family families[] = {
    { "sm_", is_number, CLADE_ATOMICS_PTX, 32, 49152, NULL },
    { "gfx", is_gfx, CLADE_ATOMICS_RMW, 0, 65536, "CL2.0" },
    { "spirv64", is_empty, CLADE_ATOMICS_C11, 0, 32768, "CL3.0" },
    { "intel-", is_word, CLADE_ATOMICS_C11, 0, 65536, "CL3.0" },
};

/* Splits "spirv64:rmw"; *dialect stays when there is no colon. */
static bool split_dialect(char *target, uint32_t *dialect)
{
    static const char *const names[] = { "", "c11", "ptx", "rmw" };
    char *colon = strchr(target, ':');
    if (!colon)
        return true;
    *colon = '\0';
    for (uint32_t i = 1; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(colon + 1, names[i]) == 0) {
            *dialect = i;
            return true;
        }
    return false;
}

static clade_status add_target_options(struct cladei_text *options, const char *target,
                                       const char *extra)
{
    clade_status status = CLADE_OK;
    char *base = cladei_strdup(target);
    const struct family *family = NULL;
    uint32_t dialect = 0;
    CLADE_NO_MEMORY(base);
    bool known = split_dialect(base, &dialect);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        size_t length = strlen(families[i].prefix);
        if (strncmp(base, families[i].prefix, length) == 0 && families[i].has(base + length))
            family = &families[i];
    }
    if (family && dialect == 0)
        dialect = family->dialect;
    known = known && family && (dialect != CLADE_ATOMICS_C11 || family->c11_language) &&
            (dialect != CLADE_ATOMICS_PTX || family->subgroup_size > 0);
    CLADE_REQUIRE(
        known, CLADE_E_UNSUPPORTED,
        "there is no target \"%s\"; there are sm_NN (NVIDIA, such as sm_70), gfxNNN (AMD, "
        "such as gfx90a), spirv64 and intel-NAME, each also with a dialect after a "
        "colon: c11 (not sm_NN), ptx (only sm_NN) or rmw",
        target);
    bool ptx = dialect == CLADE_ATOMICS_PTX, c11 = dialect == CLADE_ATOMICS_C11;
    const clade_caps caps = {
        .atomics = dialect,
        .int64_atomics = ptx || c11,
        .fp64 = 1,
        .subgroup_size = ptx ? family->subgroup_size : 0,
        .local_bytes = family->local_bytes,
    };
    cladei_add_options(options, &caps, "", c11 ? family->c11_language : "CL1.2", "", extra);
fail:
    free(base);
    return status;
}

/* --- sources -------------------------------------------------------------------------------- */

/* Whether compiler options name a folder of includes: a word that begins with -I, outside quotes.
 */
static bool names_folder(const char *options)
{
    bool is_quoted = false, begins = true;
    for (; *options; options++) {
        if (begins && !is_quoted && strncmp(options, "-I", 2) == 0)
            return true;
        is_quoted ^= *options == '"';
        begins = *options == ' ' || *options == '\t' || *options == '\n';
    }
    return false;
}

clade_status cladei_program_params_check(const clade_program_params *params)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(CLADEI_RESERVED_CHECK(params, "clade_program_params"));
    CLADE_REQUIRE((params->source != NULL) != (params->file != NULL), CLADE_E_ARG,
                  "a program needs either source or file");
    CLADE_REQUIRE(
        !params->options || !names_folder(params->options), CLADE_E_ARG,
        "the options \"%s\" have -I: clade replaces includes itself, so name the folder in "
        "clade_program_params.include_path",
        params->options);
fail:
    return status;
}

const char *cladei_program_name(const clade_program_params *params)
{
    return params->file ? params->file : params->name ? params->name : "source.cl";
}

/* One without a text yet; `target` may be NULL. */
static clade_status make_source(clade_source **out, const clade_program_params *params,
                                const char *target)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_program_params_check(params));
    clade_source *source = calloc(1, sizeof *source);
    CLADE_NO_MEMORY(source);
    *out = source;
    source->name = cladei_strdup(cladei_program_name(params));
    source->target = cladei_strdup(target ? target : "");
    CLADE_REQUIRE(source->name && source->target, CLADE_E_NOMEM, "host memory is out");
fail:
    return status;
}

clade_status clade_source_create(clade_source **out, const clade_program_params *params,
                                 const char *kernel_path, const char *target)
{
    clade_status status = CLADE_OK;
    clade_source *source = NULL;
    char *kernels = NULL;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the source is NULL");
    *out = NULL;
    CLADE_REQUIRE(params, CLADE_E_ARG, "the parameters are NULL");
    CLADE_TRY(make_source(&source, params, target));
    if (target)
        CLADE_TRY(add_target_options(&source->options, target, params->options));
    else
        cladei_text_puts(&source->options, params->options ? params->options : "");
    CLADE_REQUIRE(!source->options.failed, CLADE_E_NOMEM, "host memory is out");
    CLADE_TRY(cladei_kernel_path(&kernels, kernel_path));
    CLADE_TRY(cladei_expand(&source->expansion, params->source, source->name, params->file,
                            params->include_path, kernels));
    *out = source;
    source = NULL;
fail:
    clade_source_destroy(&source);
    free(kernels);
    return status;
}

clade_status clade_context_source(clade_source **out, clade_context *context,
                                  const clade_program_params *params)
{
    clade_status status = CLADE_OK;
    clade_source *source = NULL;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the source is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && params, CLADE_E_ARG, "the context or the parameters are NULL");
    CLADE_TRY(make_source(&source, params, NULL));
    CLADE_TRY(cladei_program_source(&source->expansion, &source->options, context, params));
    const struct cladei_frame frame = cladei_program_frame(context, source->options.data);
    cladei_text_puts(&source->framed, frame.before);
    cladei_text_add(&source->framed, source->expansion.source.data,
                    source->expansion.source.length);
    cladei_text_puts(&source->framed, frame.after);
    CLADE_REQUIRE(!source->framed.failed, CLADE_E_NOMEM, "host memory is out");
    *out = source;
    source = NULL;
fail:
    clade_source_destroy(&source);
    return status;
}

void clade_source_destroy(clade_source **source)
{
    if (!source || !*source)
        return;
    cladei_expansion_free(&(*source)->expansion);
    cladei_text_free(&(*source)->options);
    cladei_text_free(&(*source)->framed);
    free((*source)->name);
    free((*source)->target);
    free(*source);
    *source = NULL;
}

const char *clade_source_text(const clade_source *source)
{
    if (!source)
        return "";
    return source->framed.data ? source->framed.data : source->expansion.source.data;
}

const char *clade_source_options(const clade_source *source)
{
    return source ? source->options.data : "";
}

const char *clade_source_file(const clade_source *source, size_t index)
{
    return source && index < source->expansion.file_count ? source->expansion.files[index] : NULL;
}

clade_status clade_archive_add_source(clade_archive *archive, const clade_source *source,
                                      const void *bytes, size_t size)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(archive && source, CLADE_E_ARG, "an argument is NULL");
    CLADE_REQUIRE(!bytes || *source->target, CLADE_E_ARG, "there is code for no target");
    CLADE_REQUIRE(!bytes || size > 0, CLADE_E_ARG, "the code has no bytes");
    const struct cladei_expansion *expansion = &source->expansion;
    clade_archive_entry entry = {
        .kind = CLADE_ENTRY_SOURCE,
        .file = source->name,
        .source_hash = { expansion->hash[0], expansion->hash[1] },
        .bytes = expansion->source.data,
        .size = expansion->source.length,
    };
    CLADE_TRY(clade_archive_add(archive, &entry));
    if (!bytes)
        goto fail;
    entry.kind = CLADE_ENTRY_TARGET;
    entry.target = source->target;
    entry.options = source->options.data;
    entry.bytes = bytes;
    entry.size = size;
    CLADE_TRY(clade_archive_add(archive, &entry));
fail:
    return status;
}
