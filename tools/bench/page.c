/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench --html`: what was measured as one page that needs nothing else. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/internal.h"
#include "bench/plot.h"
#include "common/outfile.h"
#include "common/page.h"

enum { LONG = 24 }; /* a table of more rows is folded up */

/* An ending for a table's cell: as print_cell() in table.c, but with what the spread is of.
 */
static void write_cell(FILE *out, const json_t *cell)
{
    const json_t *none = json_object_get(cell, "none");
    const bool wrong =
        json_is_object(cell) && !none && !json_is_true(json_object_get(cell, "right"));
    fputs(wrong ? "<td class=\"wrong\">" : "<td>", out);
    if (wrong)
        fputs("WRONG", out);
    else if (none)
        page_escaped(out, json_string_value(none));
    else if (json_is_integer(cell))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(cell));
    else if (json_is_real(cell))
        fprintf(out, "%.4g", json_real_value(cell));
    else if (json_is_string(cell))
        page_escaped(out, json_string_value(cell));
    else if (json_is_object(cell))
        fprintf(out,
                "%.4g <span class=\"dim\" title=\"least and most of %d runs\">%.4g .. %.4g</span>",
                json_real_value(json_object_get(cell, "median_ms")),
                (int)json_integer_value(json_object_get(cell, "runs")),
                json_real_value(json_object_get(cell, "least_ms")),
                json_real_value(json_object_get(cell, "most_ms")));
    if (json_object_get(cell, "device_ms"))
        fprintf(out, "<span class=\"dim\">%.4g in kernels</span>",
                json_real_value(json_object_get(cell, "device_ms")));
    fputs("</td>", out);
}

static void write_rows(FILE *out, json_t *rows)
{
    size_t i;
    json_t *row, *cell;
    const char *column;
    fputs("<div class=\"wide\"><table><thead><tr>", out);
    json_object_foreach(json_array_get(rows, 0), column, cell)
    {
        fputs("<th>", out);
        page_escaped(out, column);
        fputs(json_is_object(cell) ? ", ms</th>" : "</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
    json_array_foreach(rows, i, row)
    {
        fputs("<tr>", out);
        json_object_foreach(row, column, cell) write_cell(out, cell);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void write_plots(FILE *out, const json_t *table, json_t *rows, const char *title)
{
    struct bench_plot_wish wishes[BENCH_WISHES_MOST];
    const size_t count = bench_wishes(wishes, table);
    bench_plots(out, rows, title, wishes, count);
}

static void write_suite(FILE *out, const json_t *suite)
{
    size_t i;
    json_t *table;
    fprintf(out, "<h2>%s</h2>\n", json_string_value(json_object_get(suite, "name")));
    if (!json_is_true(json_object_get(suite, "complete")))
        fputs("<p><b>This suite did not come to its end.</b></p>\n", out);
    if (!json_is_true(json_object_get(suite, "in_time")))
        fputs("<p class=\"dim\">There was no time for its largest rows (--total).</p>\n", out);
    json_array_foreach(json_object_get(suite, "tables"), i, table)
    {
        const char *title = json_string_value(json_object_get(table, "title"));
        json_t *rows = json_object_get(table, "rows");
        if (json_array_size(rows) == 0)
            continue;
        fputs("<h3>", out);
        page_escaped(out, title);
        fputs("</h3>\n", out);
        write_plots(out, table, rows, title);
        if (json_array_size(rows) > LONG)
            fprintf(out, "<details><summary>%zu rows</summary>\n", json_array_size(rows));
        write_rows(out, rows);
        if (json_array_size(rows) > LONG)
            fputs("</details>\n", out);
    }
}

static void write_head(FILE *out, const json_t *root)
{
    const json_t *device = json_object_get(root, "device");
    const char *name = json_string_value(json_object_get(device, "name"));
    page_begin(out, "clade bench", name);
    fputs("<p class=\"dim\">", out);
    page_escaped(out, name);
    fputs(", driver ", out);
    page_escaped(out, json_string_value(json_object_get(device, "driver")));
    fprintf(out, ", %d compute units. clade %s%s%s. ",
            (int)json_integer_value(json_object_get(device, "compute_units")),
            json_string_value(json_object_get(root, "version")),
            json_is_true(json_object_get(root, "quick")) ? ", quick: small loads" : "",
            json_is_true(json_object_get(root, "processors")) ? ", times of processors" : "");
    fprintf(
        out,
        "%d warm-up, then at most %d runs: median, least .. most. Results are checked after every "
        "run; on CPUs only ratios within this page mean anything elsewhere.</p>\n",
        (int)json_integer_value(json_object_get(root, "warmups")),
        (int)json_integer_value(json_object_get(root, "repeats")));
}

bool bench_write_page(const char *path, const json_t *root)
{
    size_t i;
    json_t *suite;
    struct outfile page;
    FILE *out = outfile_open(&page, path);
    if (out) {
        write_head(out, root);
        json_array_foreach(json_object_get(root, "suites"), i, suite) write_suite(out, suite);
        page_end(out);
    }
    return outfile_close(&page) || bench_fail("%s cannot be written: %s", path, strerror(errno));
}
