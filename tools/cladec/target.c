/* SPDX-License-Identifier: Apache-2.0 */
/* Targets that are not here, through the compilers that are: clang with libclc for AMD and NVIDIA,
 * clang with llvm-spirv for SPIR-V, ocloc for Intel. */
#include "cladec/cladec.h"

#include <stdlib.h>
#include <string.h>

struct work {
    struct workplace place;
    struct names arguments;
    const clade_source *source;
    const char *kernel; /* the user's name of it */
    char *target;       /* without a dialect */
    char *compiler;     /* clang's path */
    char *other;        /* a second program's path */
    char *library;      /* libclc's file */
    char *words;        /* the options: cut into arguments, but for ocloc */
    int flags;
};

static int missing(const struct work *work, const char *what, const char *package)
{
    complain("target %s needs %s: install the package %s", work->target, what, package);
    return EXIT_NO_TARGET;
}

static void add(struct work *work, const char *argument)
{
    names_add(&work->arguments, argument);
}

static void add_all(struct work *work, const char *const *list)
{
    for (; *list; list++)
        add(work, *list);
}

static void start_with(struct work *work, const char *program)
{
    work->arguments.count = 0;
    add(work, program);
}

/* --- compilers and their parts -------------------------------------------------------------- */

/* libclc's file, and a clang that reads it. */
static int find_pair(struct work *work, const char *file)
{
    char what[80], package[24];
    work->library = find_libclc(file);
    if (!work->library)
        return missing(work, "libclc", "libclc-15-dev (Debian) or libclc-17-dev (Ubuntu)");
    const int version = bitcode_version(work->library);
    work->compiler = find_clang(version, &work->place);
    if (work->compiler)
        return EXIT_DONE;
    snprintf(what, sizeof what, "clang %d or later (libclc is of that version)", version);
    snprintf(package, sizeof package, "clang-%d", version);
    return missing(work, what, package);
}

/* The options that the library prepared, at their blanks. */
static void add_options(struct work *work)
{
    if (!work->words) {
        work->words = checked(strdup(clade_source_options(work->source)));
        for (char *at = work->words; *at; at++)
            if (*at == ' ')
                *at = '\0';
    }
    const char *end = work->words + strlen(clade_source_options(work->source));
    for (const char *at = work->words; at < end; at += strlen(at) + 1)
        if (*at)
            add(work, at);
}

/* In haste AMD's code is not optimized: clang then takes down to a sixth of the time. Unoptimized
 * PTX would take ptxas longer than clang wins. SPIR-V is made before any of it. */
static const char *optimization(const struct work *work, const char *triple)
{
    if (!(work->flags & IN_HASTE))
        return "-O2";
    return strncmp(triple, "amdgcn", 6) == 0 ? "-O0" : "-O1";
}

static void start_clang(struct work *work, const char *triple)
{
    static const char *const strict[] = {
        "-Wall", "-Wextra", "-Wundef", "-Wconversion", "-Wno-unused-function", "-Werror", NULL
    };
    static const char *const common[] = { "-x",
                                          "cl",
                                          "-Wno-linker-warnings",
                                          "-Xclang",
                                          "-finclude-default-header",
                                          "-nogpulib",
                                          "-Wno-unused-command-line-argument",
                                          NULL };
    start_with(work, work->compiler);
    add(work, "-target");
    add(work, triple);
    add(work, optimization(work, triple));
    add_all(work, common);
    if (work->flags & STRICT)
        add_all(work, strict);
    add_options(work);
    if (work->library) {
        static const char *const link[] = { "-Xclang", "-mlink-builtin-bitcode", "-Xclang", NULL };
        add_all(work, link);
        add(work, work->library);
    }
}

/* --- messages ------------------------------------------------------------------------------- */

/* A linker's "undefined symbol", as a message about the user's kernel; all else as it is: the
 * source's own line marks made the compiler name the user's files. */
static void print_log(const struct work *work)
{
    size_t size;
    char *log = read_file(work->place.log, &size);
    for (char *line = log; line && *line;) {
        char *next = line + strcspn(line, "\n");
        char *symbol = strstr(line, "undefined ");
        bool newline = *next == '\n';
        *next = '\0';
        symbol = symbol && symbol < next ? strstr(symbol, "symbol: ") : NULL;
        if (symbol)
            fprintf(stderr, "%s:1:1: error: the OpenCL library for %s has no %s\n", work->kernel,
                    work->target, symbol + strlen("symbol: "));
        else if (strncmp(line, ">>>", 3) != 0)
            fprintf(stderr, "%s\n", line);
        line = next + newline;
    }
    free(log);
}

static int run(struct work *work)
{
    int status = run_program(&work->arguments, &work->place);
    print_log(work);
    return status == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int take(struct code *out, const struct work *work, const char *path)
{
    out->bytes = read_file(path, &out->size);
    if (out->bytes && out->size > 0)
        return EXIT_DONE;
    complain("%s gave no code for %s", work->arguments.at[0], work->kernel);
    return EXIT_FAILED;
}

/* Warnings and errors of clang's first stage, and no code. */
static int read_only(struct work *work, const char *const *chosen)
{
    add_all(work, chosen);
    add(work, "-fsyntax-only");
    add(work, work->place.kernel);
    return run(work);
}

/* --- AMD ------------------------------------------------------------------------------------ */

static int compile_amd(struct code *out, struct work *work)
{
    static const char *const linkers[] = { "ld.lld",    "ld.lld-15", "ld.lld-16", "ld.lld-17",
                                           "ld.lld-18", "ld.lld-19", NULL };
    char processor[64];
    int status;
    snprintf(processor, sizeof processor, "-mcpu=%s", work->target);
    status = find_pair(work, "amdgcn--amdhsa.bc");
    if (status != EXIT_DONE)
        return status;
    work->other = find_program(linkers);
    if (!work->other)
        return missing(work, "ld.lld", "lld");
    start_clang(work, "amdgcn-amd-amdhsa");
    if (work->flags & ONLY_READ)
        return read_only(work, (const char *const[]) { processor, NULL });
    const char *const object[] = {
        processor, "-c", "-o", work->place.code, work->place.kernel, NULL
    };
    add_all(work, object);
    status = run(work);
    if (status != EXIT_DONE)
        return status;
    start_with(work, work->other);
    const char *const link[] = { "-shared",          "--no-undefined", "-o",
                                 work->place.linked, work->place.code, NULL };
    add_all(work, link);
    status = run(work);
    if (status == EXIT_DONE)
        status = take(out, work, work->place.linked);
    if (status != EXIT_DONE || !(work->flags & WANT_RESOURCES))
        return status;
    start_clang(work, "amdgcn-amd-amdhsa");
    const char *const assembly[] = { processor,          "-S", "-w", "-o", work->place.code,
                                     work->place.kernel, NULL };
    add_all(work, assembly);
    status = run(work);
    size_t size;
    char *text = status == EXIT_DONE ? read_file(work->place.code, &size) : NULL;
    if (text)
        out->resources = resources_of_amd(text);
    free(text);
    return status;
}

/* --- NVIDIA --------------------------------------------------------------------------------- */

/* The newest processor that clang knows up to the one wanted: PTX runs on all later ones, and an
 * older clang does not know a newer GPU's number. */
static void known_processor(char *name, size_t bytes, struct work *work)
{
    int wanted = atoi(work->target + strlen("sm_")), best = 0;
    size_t size;
    start_with(work, work->compiler);
    const char *const ask[] = { "-target", "nvptx64-nvidia-nvcl", "-print-supported-cpus", NULL };
    add_all(work, ask);
    (void)run_program(&work->arguments, &work->place);
    char *list = read_file(work->place.log, &size);
    for (const char *at = list; at && (at = strstr(at, "\tsm_")); at++) {
        int number = atoi(at + strlen("\tsm_"));
        if (number > best && number <= wanted)
            best = number;
    }
    free(list);
    /* A clang that does not answer is asked for just what the user said. */
    snprintf(name, bytes, "sm_%d", best > 0 ? best : wanted);
}

/* Functions that the code calls and does not have. */
static int refuse_externals(const struct code *code, const struct work *work)
{
    int status = EXIT_DONE, length;
    const char *name, *at = code->bytes;
    while ((name = ptx_undefined(code->bytes, &at, &length))) {
        fprintf(stderr, "%s:1:1: error: the OpenCL library for %s has no %.*s\n", work->kernel,
                work->target, length, name);
        status = EXIT_FAILED;
    }
    return status;
}

/* NVIDIA's assembler, where it is: it checks the PTX and tells registers. Some versions have
 * dropped old processors; then it is asked for the one that is compiled for at least. */
static int assemble(struct code *out, struct work *work)
{
    char processor[64];
    work->other = find_program((const char *const[]) { "ptxas", NULL });
    if (!work->other) {
        if (work->flags & WANT_RESOURCES)
            out->resources =
                checked(strdup("  ptxas (package nvidia-cuda-toolkit) is needed to tell\n"));
        return EXIT_DONE;
    }
    snprintf(processor, sizeof processor, "-arch=%s", work->target);
    start_with(work, work->other);
    const char *const arguments[] = { processor, "-v", "-o", "/dev/null", work->place.code, NULL };
    add_all(work, arguments);
    int status = run_program(&work->arguments, &work->place);
    size_t size;
    char *log = read_file(work->place.log, &size);
    bool dropped = log && strstr(log, "is not defined for option");
    if (status != 0 && !dropped) {
        print_log(work);
        free(log);
        return EXIT_FAILED;
    }
    if (work->flags & WANT_RESOURCES)
        out->resources = dropped ? checked(strdup("  this ptxas does not know the processor\n"))
                                 : resources_of_ptxas(log ? log : "");
    free(log);
    return EXIT_DONE;
}

static int compile_nvidia(struct code *out, struct work *work)
{
    char processor[64];
    static const char extensions[] =
        "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_fp64";
    int status = find_pair(work, "nvptx64--nvidiacl.bc");
    if (status != EXIT_DONE)
        return status;
    known_processor(processor, sizeof processor, work);
    start_clang(work, "nvptx64-nvidia-nvcl");
    const char *const chosen[] = { "-Xclang", "-target-cpu", "-Xclang", processor,
                                   "-Xclang", extensions,    NULL };
    if (work->flags & ONLY_READ)
        return read_only(work, chosen);
    add_all(work, chosen);
    const char *const rest[] = { "-S", "-o", work->place.code, work->place.kernel, NULL };
    add_all(work, rest);
    status = run(work);
    if (status == EXIT_DONE)
        status = take(out, work, work->place.code);
    if (status == EXIT_DONE)
        status = refuse_externals(out, work);
    return status == EXIT_DONE ? assemble(out, work) : status;
}

/* --- SPIR-V --------------------------------------------------------------------------------- */

/* 64-bit atomics are an extension of OpenCL (cl_khr_int64_base_atomics), of which spirv-val knows
 * nothing: a module that has them is held against the rules that all of SPIR-V has in common. */
static int validate_spirv(struct work *work)
{
    size_t size;
    for (int try = 0;; try++) {
        const char *const validate[] = { "--target-env", try ? "spv1.2" : "opencl2.2",
                                         work->place.code, NULL };
        start_with(work, work->other);
        add_all(work, validate);
        int status = run_program(&work->arguments, &work->place);
        char *log = status == 0 ? NULL : read_file(work->place.log, &size);
        bool again = try == 0 && log && strstr(log, "Capability Int64Atomics is not allowed");
        free(log);
        if (again)
            continue;
        if (status != 0)
            print_log(work);
        return status == 0 ? EXIT_DONE : EXIT_FAILED;
    }
}

static int compile_spirv(struct code *out, struct work *work)
{
    static const char *const features[] = { "-D__opencl_c_atomic_order_acq_rel=1",
                                            "-D__opencl_c_atomic_order_seq_cst=1",
                                            "-D__opencl_c_atomic_scope_device=1", NULL };
    if (!find_spirv_pair(&work->compiler, &work->other))
        return missing(work, "llvm-spirv of clang's version", "llvm-spirv-15 (or clang's number)");
    start_clang(work, "spir64-unknown-unknown");
    if (strstr(clade_source_options(work->source), "-cl-std=CL3.0"))
        add_all(work, features);
    /* llvm-spirv makes invalid SPIR-V of some optimized code; its consumers optimize anyway. */
    add(work, "-Xclang");
    add(work, "-disable-llvm-passes");
    const char *const rest[] = { "-emit-llvm",       "-c", "-o", work->place.bitcode,
                                 work->place.kernel, NULL };
    add_all(work, rest);
    int status = run(work);
    if (status != EXIT_DONE)
        return status;
    start_with(work, work->other);
    /* SPIR-V 1.2 is what OpenCL 2.2 and later consumers all take. */
    const char *const translate[] = { "--spirv-max-version=1.2", work->place.bitcode, "-o",
                                      work->place.code, NULL };
    add_all(work, translate);
    status = run(work);
    if (status != EXIT_DONE)
        return status;
    free(work->other);
    work->other = find_program((const char *const[]) { "spirv-val", NULL });
    if (!work->other)
        return missing(work, "spirv-val, without which its code is not trusted", "spirv-tools");
    status = validate_spirv(work);
    if (status == EXIT_DONE && (work->flags & WANT_RESOURCES))
        out->resources = checked(strdup("  SPIR-V does not tell: its consumer decides\n"));
    return status == EXIT_DONE ? take(out, work, work->place.code) : status;
}

/* --- Intel ---------------------------------------------------------------------------------- */

/* What ocloc says of the code: to the output, beside lines about itself. */
static void print_ocloc_log(const struct work *work)
{
    static const char *const own[] = { "Command was:", "Build ", "Warning! ", "Compilation from IR",
                                       "Couldn't create" };
    const char *const logs[] = { work->place.out, work->place.log };
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        char *log = read_file(logs[i], &size), *rest = log;
        for (char *line; rest && (line = strtok_r(rest, "\n", &rest));) {
            bool is_own = false;
            for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
                is_own = is_own || strncmp(line, own[k], strlen(own[k])) == 0;
            if (!is_own)
                fprintf(stderr, "%s\n", line);
        }
        free(log);
    }
}

static bool output_says(const struct work *work, const char *text)
{
    size_t size;
    char *out = read_file(work->place.out, &size);
    bool says = out && strstr(out, text);
    free(out);
    return says;
}

/* With -q it would keep the compiler's messages to itself. */
static int compile_intel(struct code *out, struct work *work)
{
    const char *device = work->target + strlen("intel-");
    work->other = find_program((const char *const[]) { "ocloc", NULL });
    if (!work->other)
        return missing(work, "ocloc",
                       "intel-opencl-icd (Debian) or intel-ocloc (Ubuntu, Intel's repository)");
    start_with(work, work->other);
    const char *const arguments[] = { "compile",           "-file",    work->place.kernel,
                                      "-device",           device,     "-out_dir",
                                      work->place.folder,  "-output",  "kernel.code",
                                      "-output_no_suffix", "-options", NULL };
    add_all(work, arguments);
    work->words = checked(malloc(strlen(clade_source_options(work->source)) + 16));
    sprintf(work->words, "%s%s", clade_source_options(work->source),
            work->flags & STRICT ? " -Werror" : "");
    add(work, work->words);
    /* The form of code that has its sizes in plain text: newer versions of ocloc make no other. */
    static const char *const readable[] = { "-internal_options", "-cl-intel-allow-zebin", NULL };
    if (work->flags & WANT_RESOURCES)
        add_all(work, readable);
    int status = run_program(&work->arguments, &work->place) == 0 ? EXIT_DONE : EXIT_FAILED;
    if (status != EXIT_DONE && output_says(work, "Cannot get HW Info")) {
        complain("this ocloc knows no device %s: ocloc compile --help lists those it does", device);
        return EXIT_NO_TARGET;
    }
    print_ocloc_log(work);
    if (status == EXIT_DONE)
        status = take(out, work, work->place.code);
    if (status == EXIT_DONE && (work->flags & WANT_RESOURCES))
        out->resources = resources_of_intel(out->bytes, out->size);
    return status;
}

/* -------------------------------------------------------------------------------------------- */

static int compile_for(struct code *out, struct work *work)
{
    const char *text = clade_source_text(work->source);
    if (!write_file(work->place.kernel, text, strlen(text))) {
        complain("cannot write %s", work->place.kernel);
        return EXIT_FAILED;
    }
    if (strncmp(work->target, "intel-", 6) == 0)
        return compile_intel(out, work);
    char *any = find_clang(0, &work->place);
    free(any);
    if (!any)
        return missing(work, "clang", "clang-15 (Debian) or clang-17 (Ubuntu)");
    if (strncmp(work->target, "gfx", 3) == 0)
        return compile_amd(out, work);
    if (strncmp(work->target, "sm_", 3) == 0)
        return compile_nvidia(out, work);
    return compile_spirv(out, work);
}

int compile_target(struct code *out, const clade_source *source, const char *kernel,
                   const char *target, int flags)
{
    struct work work = { .source = source, .kernel = kernel, .flags = flags };
    *out = (struct code) { 0 };
    if (!workplace_open(&work.place))
        return EXIT_FAILED;
    work.target = checked(strndup(target, strcspn(target, ":")));
    int status = compile_for(out, &work);
    if (status != EXIT_DONE)
        code_free(out);
    free(work.target);
    free(work.compiler);
    free(work.other);
    free(work.library);
    free(work.words);
    free(work.arguments.at);
    workplace_close(&work.place);
    return status;
}

void code_free(struct code *code)
{
    free(code->bytes);
    free(code->resources);
    *code = (struct code) { 0 };
}
