/* SPDX-License-Identifier: Apache-2.0 */
/* Compilers that ignore #line (NVIDIA's, oclgrind's) count lines of the whole expanded text and
 * call it "<kernel>" or "input.cl". Their messages are put right here, with the marks that the
 * text itself carries, so that users always read their own file's name and line. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

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
