/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads of lists: read, made up, written, done one by one. */
#include "apps/listfile.h"
#include "common/outfile.h"
#include "common/random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clade/shared/list.h>
#include <clade/shared/status.h>

void listfile_free(struct listfile *file)
{
    free(file->nodes);
    free(file->ops);
    free(file->values);
    free(file->targets);
    *file = (struct listfile) { 0 };
}

/* --- reading ---------------------------------------------------------------------------------- */

/* A number below 2^32 on this line. `what` names it. */
static bool read_number(struct textfile *text, const char *what, uint32_t *number,
                        struct file_error *error)
{
    uint64_t wide = 0;
    switch (textfile_number(text, &wide)) {
    case TEXTFILE_NUMBER:
        if (wide <= UINT32_MAX) {
            *number = (uint32_t)wide;
            return true;
        }
        return textfile_fail(text, error, "the %s is too large: values are below 2^32", what);
    case TEXTFILE_HUGE:
        return textfile_fail(text, error, "the %s is too large: values are below 2^32", what);
    case TEXTFILE_NEGATIVE:
        return textfile_fail(text, error, "the %s is negative", what);
    case TEXTFILE_NOTHING:
        return textfile_fail(text, error, "the %s is missing", what);
    default:
        return textfile_fail(text, error, "the %s is no number", what);
    }
}

/* To the next line that is not blank. */
static bool next_filled_line(struct textfile *text)
{
    while (textfile_next_line(text))
        if (textfile_peek(text) != '\n' && textfile_peek(text) != TEXTFILE_END)
            return true;
    return false;
}

static bool line_ends(struct textfile *text, struct file_error *error)
{
    const int next = textfile_peek(text);
    if (next == '\n' || next == TEXTFILE_END)
        return true;
    return textfile_fail(text, error, "there is more on the line than belongs there");
}

/* Arrays grow as lines are read, so that a wrong count does not ask for its memory. */
static bool grow(uint32_t **words, size_t have, size_t *room, struct textfile *text,
                 struct file_error *error)
{
    if (have < *room)
        return true;
    const size_t wanted = *room ? 2 * *room : 1024;
    uint32_t *grown = realloc(*words, wanted * sizeof *grown);
    if (!grown)
        return textfile_fail(text, error, "memory is out");
    *words = grown;
    *room = wanted;
    return true;
}

static bool read_count(struct textfile *text, size_t *count, struct file_error *error)
{
    uint32_t number = 0;
    while (textfile_peek(text) == '\n')
        if (!textfile_next_line(text))
            break;
    if (!read_number(text, "count", &number, error) || !line_ends(text, error))
        return false;
    *count = number;
    return true;
}

static bool read_nodes(struct listfile *file, struct textfile *text, struct file_error *error)
{
    size_t count = 0, room = 0;
    if (!read_count(text, &count, error))
        return false;
    while (next_filled_line(text)) {
        if (file->node_count == count)
            return textfile_fail(text, error, "there are more values than the %zu announced",
                                 count);
        if (!grow(&file->nodes, file->node_count, &room, text, error) ||
            !read_number(text, "value", &file->nodes[file->node_count], error) ||
            !line_ends(text, error))
            return false;
        file->node_count++;
    }
    if (file->node_count < count)
        return textfile_fail(text, error, "%zu values are announced, %zu are there", count,
                             file->node_count);
    return true;
}

static bool read_operation(struct listfile *file, struct textfile *text, size_t rooms[3],
                           struct file_error *error)
{
    const size_t i = file->op_count;
    uint32_t code = 0;
    if (!grow(&file->ops, i, &rooms[0], text, error) ||
        !grow(&file->values, i, &rooms[1], text, error) ||
        !grow(&file->targets, i, &rooms[2], text, error) ||
        !read_number(text, "operation", &code, error))
        return false;
    if (code > 1)
        return textfile_fail(text, error, "operation %u does not exist: 0 erases, 1 inserts", code);
    file->ops[i] = code ? CLADE_LIST_INSERT_AFTER : CLADE_LIST_ERASE;
    if (code && !read_number(text, "target", &file->targets[i], error))
        return false;
    if (!read_number(text, "value", &file->values[i], error))
        return false;
    if (!code)
        file->targets[i] = file->values[i];
    file->op_count++;
    return line_ends(text, error);
}

static bool read_ops(struct listfile *file, struct textfile *text, struct file_error *error)
{
    size_t count = 0, rooms[3] = { 0 };
    if (!read_count(text, &count, error))
        return false;
    while (next_filled_line(text)) {
        if (file->op_count == count)
            return textfile_fail(text, error, "there are more operations than the %zu announced",
                                 count);
        if (!read_operation(file, text, rooms, error))
            return false;
    }
    if (file->op_count < count)
        return textfile_fail(text, error, "%zu operations are announced, %zu are there", count,
                             file->op_count);
    return true;
}

bool listfile_read(struct listfile *file, const char *nodes, const char *ops,
                   struct file_error *error)
{
    *file = (struct listfile) { 0 };
    struct textfile *text = textfile_open(nodes, error);
    bool done = text && read_nodes(file, text, error);
    if (done && !textfile_intact(text))
        done = textfile_fail(text, error, "the file is damaged");
    textfile_close(text);
    if (done) {
        text = textfile_open(ops, error);
        done = text && read_ops(file, text, error);
        if (done && !textfile_intact(text))
            done = textfile_fail(text, error, "the file is damaged");
        textfile_close(text);
    }
    if (!done)
        listfile_free(file);
    return done;
}

/* --- making up -------------------------------------------------------------------------------- */

bool listfile_generate(struct listfile *file, size_t node_count, size_t op_count, uint64_t seed)
{
    *file = (struct listfile) {
        .nodes = malloc((node_count + 1) * sizeof(uint32_t)),
        .node_count = node_count,
        .ops = malloc((op_count + 1) * sizeof(uint32_t)),
        .values = malloc((op_count + 1) * sizeof(uint32_t)),
        .targets = malloc((op_count + 1) * sizeof(uint32_t)),
        .op_count = op_count,
    };
    if (!file->nodes || !file->ops || !file->values || !file->targets) {
        listfile_free(file);
        return false;
    }
    for (size_t i = 0; i < node_count; i++) {
        const size_t at = (size_t)(random_next(&seed) % (i + 1));
        file->nodes[i] = file->nodes[at];
        file->nodes[at] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < op_count; i++) {
        const bool is_insert = random_next(&seed) & 1;
        file->ops[i] = is_insert ? CLADE_LIST_INSERT_AFTER : CLADE_LIST_ERASE;
        file->targets[i] = node_count ? (uint32_t)(random_next(&seed) % node_count) + 1 : 1;
        file->values[i] = is_insert ? (uint32_t)(node_count + i) + 1 : file->targets[i];
    }
    return true;
}

bool listfile_write(const struct listfile *file, const char *nodes, const char *ops,
                    struct file_error *error)
{
    struct outfile out;
    FILE *to = outfile_open(&out, nodes);
    if (to)
        fprintf(to, "%zu\n", file->node_count);
    for (size_t i = 0; to && i < file->node_count; i++)
        fprintf(to, "%u\n", file->nodes[i]);
    if (!outfile_close(&out))
        return file_error_set(error, nodes, "cannot be written: %s", strerror(errno));
    to = outfile_open(&out, ops);
    if (to)
        fprintf(to, "%zu\n", file->op_count);
    for (size_t i = 0; to && i < file->op_count; i++)
        if (file->ops[i] == CLADE_LIST_INSERT_AFTER)
            fprintf(to, "1 %u %u\n", file->targets[i], file->values[i]);
        else
            fprintf(to, "0 %u\n", file->values[i]);
    return outfile_close(&out) ||
           file_error_set(error, ops, "cannot be written: %s", strerror(errno));
}

/* --- one by one ------------------------------------------------------------------------------- */

size_t listfile_run(const struct listfile *file, const uint32_t *order, int32_t *statuses,
                    uint32_t *left)
{
    const size_t cells = file->node_count + file->op_count + 1;
    uint32_t *next = calloc(cells, sizeof *next), *value = calloc(cells, sizeof *value);
    size_t used = 0, count = 0;
    if (!next || !value) {
        free(next);
        free(value);
        return SIZE_MAX;
    }
    for (size_t i = 0; i < file->node_count; i++) {
        value[++used] = file->nodes[i];
        next[used - 1] = (uint32_t)used;
    }
    for (size_t k = 0; k < file->op_count; k++) {
        const size_t i = order ? order[k] : k;
        uint32_t before = 0, at = next[0];
        while (at && value[at] != file->targets[i]) {
            before = at;
            at = next[at];
        }
        statuses[i] = at ? CLADE_OK : CLADE_E_NOT_FOUND;
        if (at && file->ops[i] == CLADE_LIST_ERASE) {
            next[before] = next[at];
        } else if (at) {
            value[++used] = file->values[i];
            next[used] = next[at];
            next[at] = (uint32_t)used;
        }
    }
    for (uint32_t at = next[0]; at; at = next[at])
        left[count++] = value[at];
    free(value);
    free(next);
    return count;
}
