/* SPDX-License-Identifier: Apache-2.0 */
/* --check: kernels for many targets, in every combination of defines that they name, warnings as
 * errors. A kernel names them in comments, each line a set of combinations:
 *     Check: KEY=1..4 VALUE=0,2
 * stands for eight compiles. "Check sm_* spirv64: ..." is for the targets that one of the patterns
 * fits, and for no device. A kernel without a line for it is compiled once. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "cladec/cladec.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES_MAX = 16, COMBINATIONS_MAX = 4096, PATTERNS_MAX = 120 };

/* A line of the kernel: "Check PATTERNS: CHOICES". */
struct line {
    char patterns[PATTERNS_MAX + 1]; /* "": everything */
    const char *choices;
    size_t length; /* of the choices */
    bool fits;     /* its head is well-formed */
};

/* What came out, shared by all processes. */
struct tally {
    atomic_size_t next;                   /* the number that is drawn next */
    atomic_size_t compiled, read, failed; /* read: by clang, which makes no code of it */
    atomic_bool missing[];                /* of each target: its compiler is not here; said once */
};

/* Compiles for targets are numbered as they are met. Every process meets all of them, and does
 * those whose numbers it draws. */
struct walk {
    struct tally *tally;
    bool draws;
    size_t number, drawn; /* of the next compile; the one to do */
    size_t lines;         /* met before this one: whose turn it is in a family */
    size_t most;          /* without drawing: how many to do */
};

/* One define of a Check line, and its values. */
struct choice {
    char *name;
    struct names values; /* each owned */
};

static void choices_free(struct choice *choices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t v = 0; v < choices[i].values.count; v++)
            free((char *)(size_t)choices[i].values.at[v]);
        free(choices[i].values.at);
        free(choices[i].name);
    }
}

static char *format_value(const char *start, size_t length)
{
    return checked(strndup(start, length));
}

/* "1..4" or one word. False when it is neither. */
static bool add_values(struct choice *choice, const char *text, size_t length)
{
    char *end, number[24];
    long first = strtol(text, &end, 10);
    if (end == text || strncmp(end, "..", 2) != 0 || end >= text + length) {
        if (length > 0)
            names_add(&choice->values, format_value(text, length));
        return length > 0;
    }
    const char *second = end + 2;
    long last = strtol(second, &end, 10);
    if (end == second || end != text + length || last < first || last - first > COMBINATIONS_MAX)
        return false;
    for (long value = first; value <= last; value++) {
        snprintf(number, sizeof number, "%ld", value);
        names_add(&choice->values, format_value(number, strlen(number)));
    }
    return true;
}

/* NAME=V,V,... up to `end`. */
static bool parse_choice(struct choice *choice, const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);
    if (!equals || equals == word || !(isalpha((unsigned char)*word) || *word == '_'))
        return false;
    choice->name = checked(strndup(word, (size_t)(equals - word)));
    for (const char *at = equals + 1, *end = word + length; at <= end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        if (!add_values(choice, at, (size_t)(stop - at)))
            return false;
        at = stop + 1;
    }
    return true;
}

/* All choices of a line; their count, or -1 when it is malformed. */
static int parse_line(struct choice *choices, const char *line, size_t length)
{
    const char *end = line + length;
    int count = 0;
    size_t combinations = 1;
    while (line < end) {
        size_t blanks = strspn(line, " \t\r");
        line += blanks;
        size_t word = strcspn(line, " \t\r\n");
        if (word == 0 || line >= end || (word == 2 && strncmp(line, "*/", 2) == 0))
            break;
        bool parsed = count < NAMES_MAX && parse_choice(&choices[count++], line, word);
        if (parsed)
            combinations *= choices[count - 1].values.count;
        if (!parsed || combinations > COMBINATIONS_MAX) {
            choices_free(choices, (size_t)count);
            return -1;
        }
        line += word;
    }
    return count;
}

/* Takes a line "Check..." apart; false when it is none. */
static bool read_line(struct line *out, const char *line, size_t length)
{
    if (length < 6 || strncmp(line, "Check", 5) != 0 || (line[5] != ':' && line[5] != ' '))
        return false;
    /* A colon of a pattern stands inside a word: "spirv64:rmw". */
    const char *colon = memchr(line, ':', length), *end = line + length;
    while (colon && colon + 1 < end && colon[1] != ' ')
        colon = memchr(colon + 1, ':', (size_t)(end - colon - 1));
    if (!colon || memchr(line, '=', (size_t)(colon - line)))
        return false;
    size_t head = (size_t)(colon - line) - 5;
    *out = (struct line) { .choices = colon + 1, .fits = head <= PATTERNS_MAX };
    out->length = (size_t)(end - out->choices);
    if (out->fits)
        memcpy(out->patterns, line + 5, head);
    return true;
}

/* The next "Check" line from *at on; false when there is none. */
static bool next_check(const char **at, struct line *out)
{
    while (**at) {
        const char *line = *at + strspn(*at, " \t/*");
        size_t length = strcspn(line, "\n");
        *at = line + length;
        *at += **at == '\n';
        if (read_line(out, line, length))
            return true;
    }
    return false;
}

/* Is the line meant for this target (NULL: a device)? */
static bool is_meant(const struct line *line, const char *target)
{
    char patterns[PATTERNS_MAX + 1], *rest = patterns, *pattern;
    bool any = false;
    strcpy(patterns, line->patterns);
    for (; (pattern = strtok_r(rest, " \t", &rest)); any = true)
        if (target && fnmatch(pattern, target, 0) == 0)
            return true;
    return !any;
}

/* --- one compile ---------------------------------------------------------------------------- */

/* Is the next compile this process's? */
static bool is_mine(struct walk *walk)
{
    const size_t number = walk->number++;
    if (!walk->draws)
        return number < walk->most;
    if (number != walk->drawn)
        return false;
    walk->drawn = atomic_fetch_add(&walk->tally->next, 1);
    return true;
}

static void count_result(struct tally *tally, int status, bool read, const char *kernel,
                         const char *where, const char *options)
{
    if (status == EXIT_DONE) {
        *(read ? &tally->read : &tally->compiled) += 1;
        return;
    }
    tally->failed++;
    fprintf(stderr, "%s does not compile for %s with \"%s\"\n", kernel, where, options);
}

static void check_target(const struct request *request, struct walk *walk, const char *kernel,
                         size_t index, const char *options, bool read)
{
    const int flags = STRICT | (request->quick ? IN_HASTE : 0) | (read ? ONLY_READ : 0);
    struct tally *tally = walk->tally;
    const char *target = request->targets.at[index];
    clade_program_params params = request_params(request, kernel);
    clade_source *source = NULL;
    struct code code = { 0 };
    int status;
    if (!is_mine(walk) || tally->missing[index])
        return;
    params.options = options;
    if (clade_source_create(&source, &params, NULL, target) != CLADE_OK)
        status = complain_last();
    else
        status = compile_target(&code, source, kernel, target, flags);
    if (status == EXIT_NO_TARGET)
        tally->missing[index] = true;
    else
        count_result(tally, status, read, kernel, target, options);
    fflush(stderr); /* a process of several writes a compile's messages at once */
    code_free(&code);
    clade_source_destroy(&source);
}

/* Processors of one maker get the same text and options (lib/program/source.c), so the same
 * warnings; they differ in clang's last stage alone. */
static bool is_nvidia(const char *target)
{
    return strncmp(target, "sm_", 3) == 0;
}

static bool is_amd(const char *target)
{
    return strncmp(target, "gfx", 3) == 0;
}

static bool is_family(const char *target, const char *other)
{
    return (is_nvidia(target) && is_nvidia(other)) || (is_amd(target) && is_amd(other));
}

/* Is it this target's turn, among those of its family that the line is meant for? Line by line
 * another one's. */
static bool has_turn(const struct request *request, const struct walk *walk,
                     const struct line *line, size_t index)
{
    const char *target = request->targets.at[index];
    size_t members = 0, before = 0;
    for (size_t i = 0; i < request->targets.count; i++) {
        const char *other = request->targets.at[i];
        if (is_meant(line, other) && (i == index || is_family(target, other))) {
            members++;
            before += i < index;
        }
    }
    return !request->in_turns || walk->lines % members == before;
}

/* A target of these: NVIDIA's, AMD's; SPIR-V with atomics of OpenCL C 3.0, and without. */
enum maker { NVIDIA, AMD, SPIRV, SPIRV_RMW, NO_MAKER };

static enum maker maker_of(const char *target)
{
    if (is_nvidia(target))
        return NVIDIA;
    if (is_amd(target))
        return AMD;
    if (strcmp(target, "spirv64") == 0)
        return SPIRV;
    return strcmp(target, "spirv64:rmw") == 0 ? SPIRV_RMW : NO_MAKER;
}

/* Makers take turns, too: those of GPUs two lines each, the forms of SPIR-V one line each. For the
 * one whose turn it is not, clang reads the kernel and warns as it always does, but makes no code
 * of it, which is most of the time. */
static bool is_only_read(const struct request *request, const struct walk *walk,
                         const struct line *line, size_t index)
{
    static const enum maker partner[] = { AMD, NVIDIA, SPIRV_RMW, SPIRV };
    const enum maker maker = maker_of(request->targets.at[index]);
    if (!request->in_turns || maker == NO_MAKER)
        return false;
    const bool seconds_turn = maker <= AMD ? walk->lines / 2 % 2 : walk->lines % 2;
    bool another = false;
    for (size_t i = 0; i < request->targets.count; i++) {
        const char *other = request->targets.at[i];
        another |= maker_of(other) == partner[maker] && is_meant(line, other);
    }
    return another && seconds_turn != (maker % 2 == 1);
}

static void check_everywhere(const struct request *request, struct walk *walk,
                             clade_context **contexts, const char *kernel, const char *options,
                             const struct line *line)
{
    for (size_t i = 0; i < request->targets.count; i++)
        if (is_meant(line, request->targets.at[i]) && has_turn(request, walk, line, i))
            check_target(request, walk, kernel, i, options,
                         request->reads || is_only_read(request, walk, line, i));
    for (size_t i = 0; i < request->devices.count && is_meant(line, NULL); i++) {
        clade_program_params params = request_params(request, kernel);
        clade_program *program = NULL;
        params.options = options;
        int status = clade_program_build(&program, contexts[i], &params) == CLADE_OK
                         ? EXIT_DONE
                         : complain_last();
        count_result(walk->tally, status, false, kernel, request->devices.at[i], options);
        clade_program_destroy(&program);
    }
}

/* Every combination of the choices: a number written in mixed radix. */
static void check_choices(const struct request *request, struct walk *walk,
                          clade_context **contexts, const char *kernel, const struct line *line,
                          const struct choice *choices, size_t count)
{
    size_t combinations = 1;
    for (size_t i = 0; i < count; i++)
        combinations *= choices[i].values.count;
    if (request->quick)
        combinations = 1;
    for (size_t number = 0; number < combinations; number++) {
        char *options = NULL;
        size_t length = 0, rest = number;
        FILE *out = checked(open_memstream(&options, &length));
        fputs(request->options ? request->options : "", out);
        for (size_t i = 0; i < count; i++) {
            const struct names *values = &choices[i].values;
            fprintf(out, "%s-D%s=%s", ftell(out) > 0 ? " " : "", choices[i].name,
                    values->at[rest % values->count]);
            rest /= values->count;
        }
        fclose(out);
        check_everywhere(request, walk, contexts, kernel, options, line);
        free(options);
    }
    walk->lines++;
}

static int check_kernel(const struct request *request, struct walk *walk, clade_context **contexts,
                        const char *kernel)
{
    size_t size;
    char *text = read_file(kernel, &size);
    bool any = false;
    int status = EXIT_DONE;
    const char *at = text ? text : "";
    struct line line = { 0 };
    while (status == EXIT_DONE && next_check(&at, &line)) {
        struct choice choices[NAMES_MAX] = { { 0 } };
        int count = line.fits ? parse_line(choices, line.choices, line.length) : -1;
        if (count < 0) {
            fprintf(stderr, "%s:1:1: error: malformed line \"Check%s:%.*s\"\n", kernel,
                    line.patterns, (int)line.length, line.choices);
            status = EXIT_FAILED;
            break;
        }
        check_choices(request, walk, contexts, kernel, &line, choices, (size_t)count);
        choices_free(choices, (size_t)count);
        any = any || !*line.patterns;
    }
    if (!any && status == EXIT_DONE)
        check_choices(request, walk, contexts, kernel, &(struct line) { 0 }, NULL, 0);
    free(text);
    return status;
}

/* --- which kernels -------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The kernels beside a file that the library finds. Owned. */
static int add_kernels_beside(struct names *kernels, const char *including)
{
    clade_source *source = NULL;
    const clade_program_params params = { .source = including };
    if (clade_source_create(&source, &params, NULL, NULL) != CLADE_OK)
        return complain_last();
    const char *known = clade_source_file(source, 0);
    char *folder = checked(strndup(known, (size_t)(strrchr(known, '/') - known)));
    DIR *files = opendir(folder);
    for (struct dirent *entry; files && (entry = readdir(files));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".cl") != 0)
            continue;
        char *path = checked(malloc(strlen(folder) + length + 2));
        sprintf(path, "%s/%s", folder, entry->d_name);
        names_add(kernels, path);
    }
    if (files)
        closedir(files);
    free(folder);
    clade_source_destroy(&source);
    return EXIT_DONE;
}

/* clade's own: those of the library and those of the tools. */
static int add_own_kernels(struct names *kernels)
{
    int status = add_kernels_beside(kernels, "#include \"kernels/probe.cl\"\n");
    if (status == EXIT_DONE)
        status = add_kernels_beside(kernels, "#include \"tools/selftest.cl\"\n");
    if (kernels->count > 0)
        qsort(kernels->at, kernels->count, sizeof *kernels->at, by_name);
    return status;
}

static int open_contexts(clade_context **contexts, const struct names *devices)
{
    for (size_t i = 0; i < devices->count; i++)
        if (clade_context_create(&contexts[i], &(clade_context_params) { .device = devices->at[i],
                                                                         .cache_dir = "",
                                                                         .archive = "" }) !=
            CLADE_OK)
            return complain_no_device();
    return EXIT_DONE;
}

static int check_all(const struct request *request, struct walk *walk, clade_context **contexts)
{
    int status = EXIT_DONE;
    for (size_t i = 0; status == EXIT_DONE && i < request->kernels.count; i++)
        status = check_kernel(request, walk, contexts, request->kernels.at[i]);
    return status;
}

/* --- several processes ---------------------------------------------------------------------- */

static void be_worker(const struct request *request, struct tally *tally)
{
    struct walk walk = { .tally = tally, .draws = true };
    setvbuf(stderr, NULL, _IOFBF, 1 << 16);
    walk.drawn = atomic_fetch_add(&tally->next, 1);
    (void)check_all(request, &walk, NULL);
    fflush(stderr);
    _exit(0);
}

/* What is left, from number tally->next on, by `jobs` processes. */
static void check_by_many(const struct request *request, struct tally *tally, size_t jobs)
{
    pid_t *workers = checked(calloc(jobs, sizeof *workers));
    size_t started = 0;
    fflush(NULL);
    for (; started < jobs; started++) {
        workers[started] = fork();
        if (workers[started] == 0)
            be_worker(request, tally);
        if (workers[started] < 0)
            break;
    }
    if (started == 0) { /* then by this one */
        struct walk walk = { .tally = tally, .draws = true };
        walk.drawn = atomic_fetch_add(&tally->next, 1);
        (void)check_all(request, &walk, NULL);
    }
    for (size_t i = 0; i < started; i++) {
        int status = 0;
        if (waitpid(workers[i], &status, 0) < 0 || status != 0) {
            complain("a process of --check ended early");
            tally->failed++;
        }
    }
    free(workers);
}

/* As many compiles as there are targets come first, so one for each: who lacks a compiler is said
 * once. Devices' drivers do not survive a fork: with devices there is one process. */
static int check_in_parts(const struct request *request, struct tally *tally,
                          clade_context **contexts)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t jobs = request->jobs ? request->jobs : processors > 0 ? (size_t)processors : 1;
    if (request->devices.count > 0)
        jobs = 1;
    struct walk walk = { .tally = tally, .most = jobs > 1 ? request->targets.count : SIZE_MAX };
    int status = check_all(request, &walk, contexts);
    tally->next = walk.most;
    if (status == EXIT_DONE && walk.number > walk.most)
        check_by_many(request, tally, jobs);
    return status;
}

static struct tally *tally_create(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return checked(memory == MAP_FAILED ? NULL : memory);
}

/* -------------------------------------------------------------------------------------------- */

static int summarize(const struct request *request, const struct tally *tally, bool chosen)
{
    size_t missing = 0;
    for (size_t i = 0; i < request->targets.count; i++)
        if (tally->missing[i]) {
            printf("skipped: %s, whose compiler is not here\n", request->targets.at[i]);
            missing++;
        }
    printf("%zu compiled, ", (size_t)tally->compiled);
    if (tally->read > 0)
        printf("%zu only read, ", (size_t)tally->read);
    printf("%zu failed\n", (size_t)tally->failed);
    if (tally->failed > 0)
        return EXIT_FAILED;
    return tally->compiled + tally->read == 0 || (missing > 0 && chosen) ? EXIT_NO_TARGET
                                                                         : EXIT_DONE;
}

int check_kernels(const struct request *given)
{
    static const char *const usual[] = { "sm_70",   "sm_90",   "gfx90a",
                                         "gfx1100", "spirv64", "spirv64:rmw" };
    struct request request = *given;
    struct names own = { 0 }, targets = { 0 };
    bool chosen = given->targets.count > 0;
    int status = EXIT_DONE;
    if (request.targets.count + request.devices.count == 0) {
        for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
            names_add(&targets, usual[i]);
        request.targets = targets;
        request.in_turns = request.quick;
    }
    if (request.kernels.count == 0) {
        status = add_own_kernels(&own);
        request.kernels = own;
    }
    const size_t bytes = sizeof(struct tally) + request.targets.count * sizeof(atomic_bool);
    struct tally *tally = tally_create(bytes);
    clade_context **contexts = checked(calloc(request.devices.count + 1, sizeof(clade_context *)));
    if (status == EXIT_DONE)
        status = open_contexts(contexts, &request.devices);
    if (status == EXIT_DONE)
        status = check_in_parts(&request, tally, contexts);
    if (status == EXIT_DONE)
        status = summarize(&request, tally, chosen);
    for (size_t i = 0; i < request.devices.count; i++)
        clade_context_destroy(&contexts[i]);
    for (size_t i = 0; i < own.count; i++)
        free((char *)(size_t)own.at[i]);
    free(own.at);
    free(targets.at);
    free(contexts);
    munmap(tally, bytes);
    return status;
}
