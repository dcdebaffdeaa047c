/* SPDX-License-Identifier: Apache-2.0 */
/* Compilers that ignore #line (NVIDIA's, oclgrind's) count lines of the whole expanded text and
 * call it "<kernel>" or "input.cl". Their messages are put right here, with the marks that the
 * text itself carries, so that users always read their own file's name and line. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "program/buildlog.h"

/* `#line N "NAME"`: the name's extent, or false when the line is none. */
static bool is_mark(const char *line, size_t *number, const char **name, size_t *name_length)
{
    if (strncmp(line, "#line ", 6) != 0)
        return false;
    char *end;
    *number = strtoul(line + 6, &end, 10);
    if (end[0] != ' ' || end[1] != '"')
        return false;
    *name = end + 2;
    *name_length = strcspn(*name, "\"\n");
    return true;
}

/* Which file and line the line `physical` (from 1) of the expanded source came from. */
static bool find_origin(const char *source, size_t physical, const char **name, size_t *name_length,
                        size_t *number)
{
    bool known = false;
    size_t at = 1, next = 0;
    for (const char *line = source; line && *line; at++) {
        bool mark = is_mark(line, &next, name, name_length);
        known = known || mark;
        if (at == physical) {
            *number = next;
            return known && !mark;
        }
        next += !mark;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return false;
}

/* `NAME:LINE:` at the start of a log line, NAME being what a compiler calls a nameless source. */
static const char *skip_nameless(const char *line)
{
    static const char *const names[] = { "<kernel>:", "input.cl:", "<source>:", "<stdin>:" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0 &&
            isdigit((unsigned char)line[strlen(names[i])]))
            return line + strlen(names[i]);
    return NULL;
}

/* PoCL writes `error: NAME:LINE:COLUMN: text`; everybody else, editors too, has the place first.
 * Returns the length of the place with the blank behind it, and the kind that stands before it; 0:
 * there is no place behind a kind. */
static size_t place_behind(const char *line, size_t length, const char **kind, size_t *kind_length)
{
    static const char *const kinds[] = { "error: ", "warning: ", "note: ", "fatal error: " };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t skip = strlen(kinds[i]);
        if (length <= skip || strncmp(line, kinds[i], skip) != 0)
            continue;
        /* The place ends at the first ":N:N: ". */
        for (const char *at = line + skip, *end = line + length; at < end; at++) {
            const char *digits = at + 1;
            for (int numbers = 0; *at == ':' && numbers < 2; numbers++) {
                const char *start = digits;
                while (digits < end && isdigit((unsigned char)*digits))
                    digits++;
                if (digits == start || digits == end || *digits != ':')
                    break;
                digits++;
                if (numbers == 1 && digits < end && *digits == ' ') {
                    *kind = kinds[i];
                    *kind_length = skip;
                    return (size_t)(digits + 1 - (line + skip));
                }
            }
        }
    }
    return 0;
}

static void add_line(struct cladei_text *out, const char *line, size_t length, const char *source)
{
    const char *digits = skip_nameless(line), *name;
    size_t name_length, number;
    char *rest;
    if (digits) {
        size_t physical = strtoul(digits, &rest, 10);
        if (find_origin(source, physical, &name, &name_length, &number)) {
            cladei_text_printf(out, "%.*s:%zu", (int)name_length, name, number);
            length -= (size_t)(rest - line);
            line = rest;
        }
    }
    size_t kind_length = 0, place = place_behind(line, length, &name, &kind_length);
    if (place > 0) {
        cladei_text_add(out, line + kind_length, place);
        cladei_text_add(out, name, kind_length);
        line += kind_length + place;
        length -= kind_length + place;
    }
    cladei_text_add(out, line, length);
}

char *cladei_log_translate(const char *log, const char *source)
{
    struct cladei_text out = { 0 };
    for (const char *line = log; *line;) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        add_line(&out, line, length, source);
        line += length;
    }
    cladei_text_add(&out, "", 0);
    if (out.failed)
        cladei_text_free(&out);
    return out.data;
}
