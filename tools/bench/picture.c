/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/internal.h"
#include "bench/plot.h"
#include "common/outfile.h"
#include "common/page.h"

/* Of a pair of bars, in the picture's units. */
enum { WHOSE = 232, BAR = 218, BAR_HEIGHT = 13, PAIR = 64 };

/* It has its own ground, so that it can be read wherever it is shown. */
static const char style[] =
    "<style>\n"
    "text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1f2328}\n"
    ".head{font-size:17px;font-weight:600}.name{font-size:14px;font-weight:600}\n"
    ".dim{fill:#59636e}.ground{fill:#fff}.grid{stroke:#8884}\n"
    ".other{fill:#8c959f}.clade{fill:#0072b2}\n"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9198a1}.ground{fill:#0d1117}\n"
    ".other{fill:#6e7681}.clade{fill:#3d9fe0}}\n"
    "</style>\n";

static void write_text(FILE *out, const char *kind, double x, double y, const char *text)
{
    fprintf(out, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\">", kind, x, y);
    page_escaped(out, text);
    fputs("</text>\n", out);
}

/* A heading that is too long for a line goes on in further ones. Returns where the last one ends.
 */
static double write_heading(FILE *out, double y, const char *text)
{
    enum { MOST = 62, LINE = 22 };
    while (strlen(text) > MOST) {
        char line[MOST + 1];
        size_t end = MOST;
        while (end > 1 && text[end] != ' ')
            end--;
        snprintf(line, sizeof line, "%.*s", (int)(end > 1 ? end : MOST), text);
        write_text(out, "head", BENCH_PICTURE_EDGE, y + 16, line);
        text += end > 1 ? end + 1 : MOST;
        y += LINE;
    }
    write_text(out, "head", BENCH_PICTURE_EDGE, y + 16, text);
    return y + LINE;
}

/* --- what is chosen --------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static bool has_text(json_t *row, const char *text)
{
    json_t *cell;
    const char *column;
    json_object_foreach(row, column, cell)
    {
        if (json_is_string(cell) && strcmp(json_string_value(cell), text) == 0)
            return true;
    }
    return false;
}

static bool is_chosen(const struct bench_choice *choice, json_t *row)
{
    bool found = choice->row_count == 0;
    for (size_t i = 0; !found && i < choice->row_count; i++)
        found = has_text(row, choice->rows[i]);
    return found;
}

/* The rows of a table that are drawn, in a new array; NULL: the table is not, or memory is out. */
static json_t *chosen_rows(const struct bench_choice *choice, const json_t *table)
{
    const char *tables = choice->tables ? choice->tables : "published";
    json_t *rows = bench_is_named(tables, text_of(table, "name")) ? json_array() : NULL;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(table, "rows"), i, row)
    {
        if (rows && is_chosen(choice, row))
            json_array_append(rows, row);
    }
    return rows;
}

/* Calls `each` with the rows of every table that is chosen, if there are any. */
typedef void each_table(void *data, const json_t *suite, const json_t *table, json_t *rows);

static void for_tables(const json_t *root, const struct bench_choice *choice, each_table *each,
                       void *data)
{
    size_t s, t;
    json_t *suite, *table;
    json_array_foreach(json_object_get(root, "suites"), s, suite)
    {
        json_array_foreach(json_object_get(suite, "tables"), t, table)
        {
            json_t *rows = chosen_rows(choice, table);
            if (json_array_size(rows) > 0)
                each(data, suite, table, rows);
            json_decref(rows);
        }
    }
}

/* --- bars ------------------------------------------------------------------------------------- */

static void write_figure(char *text, size_t room, double value, const char *unit)
{
    snprintf(text, room, value < 1000 ? "%.3g %s" : "%.0f %s", value, unit);
}

static void draw_bar(FILE *out, const char *kind, const char *whose, double y, double share,
                     const char *figure)
{
    const double length = share * BAR > 2 ? share * BAR : 2;
    write_text(out, "", BENCH_PICTURE_EDGE, y + 11, whose);
    fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%.0f\" width=\"%.1f\" height=\"%d\" rx=\"1\"/>\n",
            kind, WHOSE, y, length, BAR_HEIGHT);
    write_text(out, "", WHOSE + length + 6, y + 11, figure);
}

/* A bar is as long as the work takes: of two rates, the lower one's is the longer. */
static void draw_pair(FILE *out, const json_t *row, double y)
{
    const double theirs = json_number_value(json_object_get(row, "published"));
    const double ours = json_number_value(json_object_get(row, "here"));
    const char *unit = text_of(row, "unit");
    const bool is_rate = unit && strcmp(unit, "M/s") == 0;
    const double took = is_rate ? 1 / theirs : theirs, takes = is_rate ? 1 / ours : ours;
    const double longest = took > takes ? took : takes, gain = took / takes;
    char text[256];
    snprintf(text, sizeof text, "%.32s: %.120s", text_of(row, "structure"),
             text_of(row, "workload"));
    write_text(out, "name", BENCH_PICTURE_EDGE, y + 14, text);
    write_figure(text, sizeof text, theirs, unit);
    draw_bar(out, "other", text_of(row, "whose"), y + 21, took / longest, text);
    write_figure(text, sizeof text, ours, unit);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             gain < 10 ? ", %.1f times as fast" : ", %.0f times as fast", gain);
    draw_bar(out, "clade", "clade", y + 37, takes / longest, text);
}

static bool is_pair(const json_t *row)
{
    return json_number_value(json_object_get(row, "published")) > 0 &&
           json_number_value(json_object_get(row, "here")) > 0 && text_of(row, "unit") &&
           text_of(row, "structure") && text_of(row, "workload") && text_of(row, "whose");
}

/* --- the picture ------------------------------------------------------------------------------ */

struct picture {
    FILE *out;
    double end; /* of what there is so far */
};

static void draw_table(void *data, const json_t *suite, const json_t *table, json_t *rows)
{
    struct picture *picture = data;
    const char *name = text_of(suite, "name");
    size_t i;
    json_t *row;
    if (strcmp(text_of(table, "name"), "published") != 0) {
        struct bench_plot_wish wishes[BENCH_WISHES_MOST];
        const size_t count = bench_wishes(wishes, table);
        char title[256];
        snprintf(title, sizeof title, "%.32s: %.200s", name, text_of(table, "title"));
        picture->end = write_heading(picture->out, picture->end, title) + 8;
        bench_picture_plots(picture->out, rows, wishes, count, &picture->end);
        return;
    }
    json_array_foreach(rows, i, row)
    {
        if (!is_pair(row))
            continue;
        draw_pair(picture->out, row, picture->end);
        picture->end += PAIR;
    }
}

static void count_plots(void *data, const json_t *suite, const json_t *table, json_t *rows)
{
    size_t *count = data, i;
    json_t *row;
    (void)suite;
    if (strcmp(text_of(table, "name"), "published") != 0) {
        struct bench_plot_wish wishes[BENCH_WISHES_MOST];
        double end = 0;
        *count += bench_picture_plots(NULL, rows, wishes, bench_wishes(wishes, table), &end);
        return;
    }
    json_array_foreach(rows, i, row) *count += is_pair(row);
}

bool bench_picture_has(const json_t *root, const struct bench_choice *choice)
{
    size_t count;
    for (size_t i = 0; i < choice->row_count; i++) {
        const struct bench_choice one = { choice->tables, &choice->rows[i], 1 };
        count = 0;
        for_tables(root, &one, count_plots, &count);
        if (count == 0)
            return bench_fail("no row with the text \"%s\" can be drawn", choice->rows[i]);
    }
    count = 0;
    for_tables(root, choice, count_plots, &count);
    return count > 0 || bench_fail("of the table \"%s\" there is nothing that can be drawn",
                                   choice->tables ? choice->tables : "published");
}

static void draw_head(struct picture *picture, const json_t *root, const char *tables)
{
    const json_t *device = json_object_get(root, "device");
    char text[512];
    const bool is_published = !tables || strcmp(tables, "published") == 0;
    if (is_published)
        write_text(picture->out, "head", BENCH_PICTURE_EDGE, 30,
                   "clade beside published programs: time taken, shorter is better");
    else
        write_text(picture->out, "head", BENCH_PICTURE_EDGE, 30, "clade bench");
    snprintf(text, sizeof text, "%.120s, driver %.60s, clade %.20s, medians of at most %d runs%s",
             text_of(device, "name"), text_of(device, "driver"), text_of(root, "version"),
             (int)json_integer_value(json_object_get(root, "repeats")),
             json_is_true(json_object_get(root, "processors")) ? ", times of processors" : "");
    write_text(picture->out, "dim", BENCH_PICTURE_EDGE, 50, text);
    if (is_published)
        write_text(picture->out, "dim", BENCH_PICTURE_EDGE, 68,
                   "The others' figures are of an H200 where no other machine is named.");
    picture->end = is_published ? 84 : 66;
}

/* What is drawn, as text that the caller frees; NULL: memory is out. */
static char *draw(const json_t *root, const struct bench_choice *choice, double *height)
{
    char *text = NULL;
    size_t bytes = 0;
    struct picture picture = { .out = open_memstream(&text, &bytes) };
    if (!picture.out)
        return NULL;
    draw_head(&picture, root, choice->tables);
    for_tables(root, choice, draw_table, &picture);
    const bool is_whole = !ferror(picture.out);
    if (fclose(picture.out) != 0 || !is_whole) {
        free(text);
        return NULL;
    }
    *height = picture.end;
    return text;
}

bool bench_write_picture(const char *path, const json_t *root, const struct bench_choice *choice)
{
    struct outfile picture;
    double height = 0;
    char *text = draw(root, choice, &height);
    if (!text)
        return bench_fail("memory is out: %s is not written", path);
    FILE *out = outfile_open(&picture, path);
    if (out) {
        fprintf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
                "height=\"%.0f\" role=\"img\">\n<title>clade bench: ",
                BENCH_PICTURE_WIDTH, height, BENCH_PICTURE_WIDTH, height);
        page_escaped(out, text_of(json_object_get(root, "device"), "name"));
        fprintf(out, "</title>\n%s", style);
        fprintf(out, "<rect class=\"ground\" width=\"%d\" height=\"%.0f\" rx=\"6\"/>\n%s</svg>\n",
                BENCH_PICTURE_WIDTH, height, text);
    }
    free(text);
    return outfile_close(&picture) || bench_fail("%s cannot be written: %s", path, strerror(errno));
}
