/* SPDX-License-Identifier: Apache-2.0 */
/* Include expansion: one string goes to the OpenCL compiler.
 *
 * Drivers differ in how they take -I, and none takes a folder with a blank in its name, so clade
 * replaces each line `#include "X"` by the file, with #line marks that keep messages pointing to
 * the right place. A driver's own cache then sees every edit. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "program/expand.h"

enum { DEPTH_MAX = 64 };

static const struct cladei_reading source_reading = { .most = CLADEI_SOURCE_MOST };

/* A file that said #pragma once, however it is spelled. It is left out where it comes again, if it
 * came where no #if could hide it; else the compiler decides: the pragma defines a name, and where
 * the file comes again an #ifndef of that name stands around it. */
struct once {
    struct cladei_file_id id;
    bool certain;
};

struct expander {
    struct cladei_expansion *out;
    struct cladei_text plain; /* the source without our marks: what its hash is of */
    const char *include_path;
    const char *kernel_path;
    struct once *once;
    size_t once_count;
    size_t conditions;             /* #if that are open, of all active files */
    const char *active[DEPTH_MAX]; /* from the main file to the one being read */
    size_t depth;
    bool in_memory; /* the main text is no file: nothing lies beside it */
};

static clade_status add_name(char ***names, size_t *count, const char *name)
{
    char **grown = realloc(*names, (*count + 1) * sizeof *grown);
    if (grown)
        *names = grown;
    char *copy = cladei_strdup(name);
    if (!grown || !copy) {
        free(copy);
        return cladei_fail(CLADE_E_NOMEM, "host memory is out");
    }
    (*names)[(*count)++] = copy;
    return CLADE_OK;
}

static bool has_name(char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* What is known of a file, or NULL. */
static struct once *find_once(const struct expander *expander, const char *path)
{
    const struct cladei_file_id id =
        expander->once_count ? cladei_file_id(path) : (struct cladei_file_id) { 0 };
    for (size_t i = 0; id.inode && i < expander->once_count; i++)
        if (expander->once[i].id.device == id.device && expander->once[i].id.inode == id.inode)
            return &expander->once[i];
    return NULL;
}

static bool is_taken(const struct expander *expander, const char *path)
{
    const struct once *once = find_once(expander, path);
    return once && once->certain;
}

/* The file says #pragma once: *number is which of those it is. `certain`: the compiler sees it. */
static clade_status add_once(struct expander *expander, const char *path, bool certain,
                             size_t *number)
{
    struct once *once = find_once(expander, path);
    if (!once) {
        size_t size = (expander->once_count + 1) * sizeof *expander->once;
        struct once *grown = realloc(expander->once, size);
        if (!grown)
            return cladei_fail(CLADE_E_NOMEM, "host memory is out");
        expander->once = grown;
        once = &grown[expander->once_count++];
        *once = (struct once) { .id = cladei_file_id(path) };
    }
    once->certain = once->certain || certain;
    *number = (size_t)(once - expander->once);
    return CLADE_OK;
}

/* The first `folder/name` along a colon-separated path that exists; NULL in *out when none. */
static clade_status find_along(char **out, const char *path, const char *name)
{
    *out = NULL;
    for (const char *at = path; at && *at;) {
        size_t length = strcspn(at, ":");
        struct cladei_text candidate = { 0 };
        if (length > 0)
            cladei_text_printf(&candidate, "%.*s/%s", (int)length, at, name);
        if (candidate.failed)
            return cladei_fail(CLADE_E_NOMEM, "host memory is out");
        if (length > 0 && cladei_file_exists(candidate.data)) {
            *out = candidate.data;
            return CLADE_OK;
        }
        cladei_text_free(&candidate);
        at += length;
        at += *at == ':';
    }
    return CLADE_OK;
}

/* Beside the including file, then along the user's path, then clade's. A text in memory has
 * nothing beside it, least of all the working folder. */
static clade_status find_file(const struct expander *expander, char **out, const char *name,
                              const char *includer)
{
    clade_status status = CLADE_OK;
    struct cladei_text beside = { 0 };
    char *found = NULL;
    const char *slash = includer ? strrchr(includer, '/') : NULL;
    bool nothing_beside = expander->in_memory && expander->depth == 1 && name[0] != '/';
    if (nothing_beside)
        cladei_text_puts(&beside, "");
    else if (name[0] == '/')
        cladei_text_puts(&beside, name);
    else if (slash)
        cladei_text_printf(&beside, "%.*s/%s", (int)(slash - includer), includer, name);
    else
        cladei_text_puts(&beside, name);
    CLADE_REQUIRE(!beside.failed, CLADE_E_NOMEM, "host memory is out");
    if (!nothing_beside && cladei_file_exists(beside.data)) {
        *out = beside.data;
        return CLADE_OK;
    }
    CLADE_TRY(find_along(&found, expander->include_path, name));
    if (!found)
        CLADE_TRY(find_along(&found, expander->kernel_path, name));
    *out = found;
fail:
    cladei_text_free(&beside);
    return status;
}

/* A name stays inside of its quotes, and on its line: what it is must not become source. */
static void add_line_mark(struct expander *expander, size_t line, const char *name)
{
    struct cladei_text *source = &expander->out->source;
    cladei_text_printf(source, "#line %zu \"", line);
    for (const char *at = name; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c < ' ' || c == 127)
            cladei_text_printf(source, "\\%03o", c);
        else
            cladei_text_printf(source, c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    cladei_text_puts(source, "\"\n");
}

static void add_line(struct expander *expander, const char *line, const char *end)
{
    struct cladei_text *const texts[] = { &expander->out->source, &expander->plain };
    for (size_t i = 0; i < 2; i++) {
        cladei_text_add(texts[i], line, (size_t)(end - line));
        cladei_text_puts(texts[i], "\n");
    }
}

/* Where files lie, and how a source is cut into files, changes its marks and nothing else: unless
 * it asks for its own place. */
static void hash_source(struct expander *expander)
{
    const struct cladei_text *text = &expander->plain;
    static const char *const places[] = { "__LINE", "__FILE", "__BASE_FILE", "LINE__", "FILE__" };
    for (size_t i = 0; text->data && i < sizeof places / sizeof places[0]; i++)
        if (strstr(text->data, places[i]))
            text = &expander->out->source;
    XXH128_hash_t hash = XXH3_128bits(text->data ? text->data : "", text->length);
    expander->out->hash[0] = hash.high64;
    expander->out->hash[1] = hash.low64;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* `# word` at the start of a line: returns what follows the word, or NULL. */
static const char *directive(const char *line, const char *end, const char *word)
{
    size_t length = strlen(word);
    const char *at = skip_blanks(line, end);
    if (at == end || *at != '#')
        return NULL;
    at = skip_blanks(at + 1, end);
    if ((size_t)(end - at) < length || strncmp(at, word, length) != 0)
        return NULL;
    return skip_blanks(at + length, end);
}

/* Where the X of `#include "X"` starts and how long it is, or NULL when the line is anything
 * else. */
static const char *included_name(const char *line, const char *end, size_t *length)
{
    const char *at = directive(line, end, "include");
    if (!at || at == end || *at != '"')
        return NULL;
    const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
    if (!close)
        return NULL;
    *length = (size_t)(close - at - 1);
    return at + 1;
}

/* What the characters at some place of a file belong to. */
enum text { CODE, COMMENT, LINE_COMMENT, STRING, CHARACTER };

/* A backslash joins the next line to this one, also with blanks behind it, as compilers take it. */
static bool is_continued(const char *line, const char *end)
{
    while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    return end > line && end[-1] == '\\';
}

static enum text text_from(const char *at, const char *end)
{
    const char next = end - at >= 2 ? at[1] : '\0';
    return *at == '"'                  ? STRING
           : *at == '\''               ? CHARACTER
           : *at == '/' && next == '/' ? LINE_COMMENT
           : *at == '/' && next == '*' ? COMMENT
                                       : CODE;
}

/* What the text after this line belongs to, given what it does at the line's start. */
static enum text text_after(const char *line, const char *end, enum text text)
{
    for (const char *at = line; at < end && text != LINE_COMMENT; at++) {
        if (text == COMMENT) {
            if (end - at >= 2 && at[0] == '*' && at[1] == '/') {
                text = CODE;
                at++;
            }
        } else if (text == STRING || text == CHARACTER) {
            if (*at == (text == STRING ? '"' : '\''))
                text = CODE;
            at += *at == '\\';
        } else {
            text = text_from(at, end);
            at += text == COMMENT;
        }
    }
    return text == COMMENT || is_continued(line, end) ? text : CODE;
}

/* A comment may follow; one that ends on a later line needs its beginning, so the line stays. */
static bool is_pragma_once(const char *line, const char *end)
{
    const char *at = directive(line, end, "pragma");
    if (!at || end - at < 4 || strncmp(at, "once", 4) != 0)
        return false;
    at = skip_blanks(at + 4, end);
    const bool is_comment = end - at >= 2 && at[0] == '/' && (at[1] == '/' || at[1] == '*');
    return at == end || (is_comment && text_after(at, end, CODE) == CODE);
}

/* How many more #if are open after this line: 1, 0 or -1. */
static int conditions_of(const char *line, const char *end)
{
    if (directive(line, end, "endif"))
        return -1;
    return directive(line, end, "if") != NULL; /* #ifdef and #ifndef, too */
}

/* A line of our own that is part of what the compiler reads. */
static void add_guard(struct expander *expander, const char *before, size_t number)
{
    char line[64];
    int length = snprintf(line, sizeof line, "#%s CLADEI_ONCE_%zu", before, number);
    add_line(expander, line, line + length);
}

/* The main text's name, which is no file's. */
static bool is_no_file(const struct expander *expander)
{
    return expander->in_memory && expander->depth == 1;
}

/* A file begins, whose name is on the stack. Whether an #endif is to follow it: it came before, but
 * perhaps only where the compiler does not look. */
static bool begin_guard(struct expander *expander, const char *name)
{
    const struct once *once = is_no_file(expander) ? NULL : find_once(expander, name);
    if (once)
        add_guard(expander, "ifndef", (size_t)(once - expander->once));
    return once != NULL;
}

/* A line of its own stands in the place of `#pragma once`. */
static clade_status replace_once(struct expander *expander, const char *name)
{
    clade_status status = CLADE_OK;
    const bool certain = expander->conditions == 0;
    size_t number = 0;
    if (!is_no_file(expander))
        CLADE_TRY(add_once(expander, name, certain, &number));
    if (certain || is_no_file(expander))
        add_line(expander, name, name);
    else
        add_guard(expander, "define", number);
fail:
    return status;
}

static clade_status expand_text(struct expander *expander, const char *text, size_t size,
                                const char *name);

static clade_status expand_include(struct expander *expander, const char *wanted,
                                   const char *includer, size_t line)
{
    clade_status status = CLADE_OK;
    char *path = NULL, *text = NULL;
    size_t size = 0;
    CLADE_TRY(find_file(expander, &path, wanted, includer));
    CLADE_REQUIRE(path, CLADE_E_NOT_FOUND, "%s:%zu:1: error: the included file \"%s\" is not found",
                  includer, line, wanted);
    if (is_taken(expander, path))
        goto fail; /* nothing to do */
    for (size_t i = expander->in_memory; i < expander->depth; i++)
        CLADE_REQUIRE(strcmp(expander->active[i], path) != 0, CLADE_E_ARG,
                      "%s:%zu:1: error: \"%s\" includes itself", includer, line, wanted);
    CLADE_REQUIRE(expander->depth < DEPTH_MAX, CLADE_E_ARG,
                  "%s:%zu:1: error: includes are nested deeper than %d", includer, line, DEPTH_MAX);
    CLADE_TRY(cladei_file_read(path, &source_reading, &text, &size));
    if (!has_name(expander->out->files, expander->out->file_count, path))
        CLADE_TRY(add_name(&expander->out->files, &expander->out->file_count, path));
    CLADE_TRY(expand_text(expander, text, size, path));
fail:
    free(text);
    free(path);
    return status;
}

/* A line at which a directive may begin. */
static clade_status expand_line(struct expander *expander, const char *line, const char *end,
                                const char *name, size_t number)
{
    clade_status status = CLADE_OK;
    size_t length = 0;
    char *wanted = NULL;
    const char *included = included_name(line, end, &length);
    if (included) {
        wanted = calloc(length + 1, 1);
        CLADE_NO_MEMORY(wanted);
        memcpy(wanted, included, length);
        CLADE_TRY(expand_include(expander, wanted, name, number));
        add_line_mark(expander, number + 1, name);
    } else if (is_pragma_once(line, end)) {
        CLADE_TRY(replace_once(expander, name));
    } else {
        const int more = conditions_of(line, end);
        if (more > 0 || expander->conditions > 0) /* an #endif too many is the compiler's */
            expander->conditions += (size_t)more;
        add_line(expander, line, end);
    }
fail:
    free(wanted);
    return status;
}

/* Editors put a byte order mark before UTF-8. It may only be the first thing of what a compiler
 * gets, and there our own marks stand. */
static const char *skip_byte_order(const char *text, const char *stop)
{
    static const char mark[] = { '\xef', '\xbb', '\xbf' };
    const size_t length = sizeof mark;
    return (size_t)(stop - text) >= length && memcmp(text, mark, length) == 0 ? text + length
                                                                              : text;
}

static clade_status expand_text(struct expander *expander, const char *text, size_t size,
                                const char *name)
{
    static const char end_if[] = "#endif";
    clade_status status = CLADE_OK;
    enum text kind = CODE;
    bool continued = false;
    size_t number = 1;
    const char *stop = text + size;
    CLADE_REQUIRE(memchr(text, '\0', size) == NULL, CLADE_E_ARG, "%s is not a text file", name);
    expander->active[expander->depth++] = name;
    const bool guarded = begin_guard(expander, name);
    add_line_mark(expander, 1, name);
    for (const char *line = skip_byte_order(text, stop); line < stop; number++) {
        const char *end = memchr(line, '\n', (size_t)(stop - line));
        end = end ? end : stop;
        if (kind == CODE && !continued)
            CLADE_TRY(expand_line(expander, line, end, name, number));
        else
            add_line(expander, line, end);
        kind = text_after(line, end, kind);
        continued = is_continued(line, end);
        line = end < stop ? end + 1 : stop;
    }
    if (continued) /* what follows is no part of the file's last line */
        add_line(expander, stop, stop);
    if (guarded)
        add_line(expander, end_if, end_if + strlen(end_if));
    expander->depth--;
fail:
    return status;
}

clade_status cladei_expand(struct cladei_expansion *out, const char *source, const char *name,
                           const char *file, const char *include_path, const char *kernel_path)
{
    clade_status status = CLADE_OK;
    struct expander expander = { .out = out,
                                 .include_path = include_path,
                                 .kernel_path = kernel_path };
    char *path = NULL, *text = NULL;
    size_t size = 0;
    bool lost = false;
    *out = (struct cladei_expansion) { 0 };
    if (!source) {
        CLADE_TRY(find_file(&expander, &path, file, NULL));
        lost = path == NULL;
        CLADE_REQUIRE(path, CLADE_E_NOT_FOUND, "the kernel file \"%s\" is not found", file);
        CLADE_TRY(cladei_file_read(path, &source_reading, &text, &size));
        CLADE_TRY(add_name(&out->files, &out->file_count, path));
        source = text;
        name = path;
    } else {
        size = strlen(source);
        expander.in_memory = true;
    }
    CLADE_TRY(expand_text(&expander, source, size, name));
    CLADE_REQUIRE(!out->source.failed && !expander.plain.failed, CLADE_E_NOMEM,
                  "host memory is out");
    hash_source(&expander);
fail:
    cladei_text_free(&expander.plain);
    free(expander.once);
    free(text);
    free(path);
    if (status != CLADE_OK)
        cladei_expansion_free(out);
    out->lost = lost;
    return status;
}

void cladei_expansion_free(struct cladei_expansion *expansion)
{
    cladei_text_free(&expansion->source);
    for (size_t i = 0; i < expansion->file_count; i++)
        free(expansion->files[i]);
    free(expansion->files);
    *expansion = (struct cladei_expansion) { 0 };
}
