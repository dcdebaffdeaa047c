/* SPDX-License-Identifier: Apache-2.0 */
/* MatrixMarket: a banner, comments, a line of sizes, then one entry a line. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/parse.h"

enum field { FIELD_PATTERN, FIELD_INTEGER, FIELD_REAL };

struct mtx {
    enum field field;
    bool symmetric;
    uint64_t nodes;
    uint64_t entries_promised;
    uint64_t entries;
    uint64_t size_line;
    struct arc_list arcs;
};

/* Take a word in lower case: the banner is not case-sensitive. */
static void banner_word(struct textfile *file, char *word, size_t room)
{
    textfile_word(file, word, room);
    for (; *word; word++)
        if (*word >= 'A' && *word <= 'Z')
            *word = (char)(*word - 'A' + 'a');
}

/* `%%MatrixMarket matrix coordinate FIELD SYMMETRY`. */
static bool parse_banner(struct mtx *mtx, struct textfile *file, struct file_error *error)
{
    char word[32];

    banner_word(file, word, sizeof word);
    if (strcmp(word, "%%matrixmarket") != 0)
        return textfile_fail(file, error, "the first line is not a '%%%%MatrixMarket' banner");
    banner_word(file, word, sizeof word);
    if (strcmp(word, "matrix") != 0)
        return textfile_fail(file, error, "the file holds a '%s', not a matrix", word);
    banner_word(file, word, sizeof word);
    if (strcmp(word, "array") == 0)
        return textfile_fail(
            file, error, "a dense matrix (array) is not a graph; the coordinate form is needed");
    if (strcmp(word, "coordinate") != 0)
        return textfile_fail(file, error, "the form is '%s'; it must be 'coordinate'", word);
    banner_word(file, word, sizeof word);
    if (strcmp(word, "pattern") == 0)
        mtx->field = FIELD_PATTERN;
    else if (strcmp(word, "integer") == 0)
        mtx->field = FIELD_INTEGER;
    else if (strcmp(word, "real") == 0)
        mtx->field = FIELD_REAL;
    else
        return textfile_fail(file, error,
                             "the entries are '%s'; they must be pattern, integer or real", word);
    banner_word(file, word, sizeof word);
    mtx->symmetric = strcmp(word, "symmetric") == 0;
    if (!mtx->symmetric && strcmp(word, "general") != 0)
        return textfile_fail(file, error, "the symmetry is '%s'; it must be general or symmetric",
                             word);
    return graph_line_end(file, error);
}

/* `ROWS COLUMNS ENTRIES`. */
static bool parse_size(struct mtx *mtx, struct textfile *file, struct file_error *error)
{
    uint64_t columns;

    textfile_next_line(file);
    if (graph_skip_comments(file, '%') == TEXTFILE_END)
        return textfile_fail(file, error, "there is no line 'ROWS COLUMNS ENTRIES'");
    mtx->size_line = textfile_line(file);
    if (!graph_field(file, "the number of rows", 1, GRAPH_NODES_MAX, &mtx->nodes, error) ||
        !graph_field(file, "the number of columns", 1, GRAPH_NODES_MAX, &columns, error) ||
        !graph_field(file, "the number of entries", 0, GRAPH_ARCS_MAX / 2, &mtx->entries_promised,
                     error) ||
        !graph_line_end(file, error))
        return false;
    if (columns != mtx->nodes)
        return textfile_fail(file, error,
                             "a graph's matrix is square; this one has %" PRIu64
                             " rows and %" PRIu64 " columns",
                             mtx->nodes, columns);
    return true;
}

/* A weight written as a real number, which must be integral: rounding would change paths. */
static bool parse_real(struct textfile *file, uint32_t *weight, struct file_error *error)
{
    char word[64], *end;
    size_t length = textfile_word(file, word, sizeof word);

    if (length == 0 && textfile_peek(file) == TEXTFILE_END)
        return textfile_fail(file, error,
                             "the file ends where the weight should be: it is "
                             "truncated");
    if (length == 0)
        return textfile_fail(file, error, "the line ends where the weight should be");
    /* The set of characters keeps strtod() from taking names and hexadecimal numbers. */
    double value = strtod(word, &end);
    if (length >= sizeof word || *end || strspn(word, "0123456789+-.eE") != length)
        return textfile_fail(file, error, "'%s' is not a number: the weight should be there", word);
    if (value < 0)
        return textfile_fail(file, error, "the weight is negative: %s", word);
    if (value > (double)GRAPH_WEIGHT_MAX)
        return textfile_fail(file, error,
                             "the weight is out of range: %s; it must be 0 to %" PRIu64, word,
                             GRAPH_WEIGHT_MAX);
    if (value != (double)(uint32_t)value)
        return textfile_fail(
            file, error, "the weight is %s; weights must be whole numbers, so scale them", word);
    *weight = (uint32_t)value;
    return true;
}

/* `ROW COLUMN [VALUE]`. A symmetric matrix names one of (i, j) and (j, i). */
static bool parse_entry(struct mtx *mtx, struct textfile *file, struct file_error *error)
{
    uint32_t row, column, weight = 1;

    if (mtx->entries == mtx->entries_promised)
        return textfile_fail(file, error,
                             "more than the %" PRIu64 " entries that line %" PRIu64 " promises",
                             mtx->entries_promised, mtx->size_line);
    if (!graph_node(file, mtx->nodes, &row, error) ||
        !graph_node(file, mtx->nodes, &column, error) ||
        (mtx->field == FIELD_INTEGER && !graph_weight(file, &weight, error)) ||
        (mtx->field == FIELD_REAL && !parse_real(file, &weight, error)) ||
        !graph_line_end(file, error))
        return false;
    if (!arc_list_add(&mtx->arcs, row, column, weight) ||
        (mtx->symmetric && row != column && !arc_list_add(&mtx->arcs, column, row, weight)))
        return textfile_fail(file, error, "memory is out after %" PRIu64 " arcs", mtx->arcs.count);
    mtx->entries++;
    return true;
}

static bool parse_entries(struct mtx *mtx, struct textfile *file, struct file_error *error)
{
    textfile_next_line(file);
    while (graph_skip_comments(file, '%') != TEXTFILE_END) {
        if (!parse_entry(mtx, file, error))
            return false;
        textfile_next_line(file);
    }
    if (mtx->entries < mtx->entries_promised)
        return textfile_fail(file, error,
                             "the file ends after %" PRIu64 " of the %" PRIu64
                             " entries that line %" PRIu64 " promises: it is truncated",
                             mtx->entries, mtx->entries_promised, mtx->size_line);
    return true;
}

bool graph_parse_mtx(struct graph *out, struct textfile *file, struct file_error *error)
{
    struct mtx mtx = { 0 };
    bool ok = parse_banner(&mtx, file, error) && parse_size(&mtx, file, error) &&
              parse_entries(&mtx, file, error) &&
              graph_from_arcs(out, mtx.nodes, &mtx.arcs, textfile_name(file), error);

    arc_list_free(&mtx.arcs);
    return ok;
}
