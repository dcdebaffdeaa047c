/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/plot.h"

#include <math.h>
#include <string.h>

#include "common/page.h"

enum { SERIES_MOST = 10, NAME = 96, LEFT = 64, RIGHT = 20, TOP = 14, BOTTOM = 48 };

/* Okabe and Ito's colours, which most people can tell apart, and two more; black is left to the
 * text. */
static const char *const colours[SERIES_MOST] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#8c6d1f", "#7f7f7f",
                                                  "#6a3d9a", "#b15928" };

struct axis {
    double least, most; /* logarithms */
    double from, to;    /* on the page */
};

/* One line: a column, of the rows whose second text is this one. */
struct series {
    const char *column, *text;
    char name[NAME];
};

struct plot {
    json_t *rows;
    const char *facets, *facet; /* the first column of texts, and the text that is plotted */
    const char *texts;          /* the second one, or NULL */
    const char *x, *label;
    struct series series[SERIES_MOST];
    size_t count;
    bool is_time, is_small;
    double width, height;
    struct axis across, up;
};

/* --- what is plotted ------------------------------------------------------------------------ */

/* A cell's figure, or 0: a logarithm cannot show that. */
static double figure(const json_t *cell)
{
    const json_t *median = json_object_get(cell, "median_ms");
    const double value = json_number_value(median ? median : cell);
    return value > 0 ? value : 0;
}

static bool has_text(const json_t *row, const char *column, const char *text)
{
    const char *here = json_string_value(json_object_get(row, column));
    return !column || !text || (here && strcmp(here, text) == 0);
}

/* Whether a row is of this plot, and of the line `s` unless that is NULL. */
static bool is_plotted(const struct plot *p, const struct series *s, const json_t *row)
{
    return has_text(row, p->facets, p->facet) && (!s || has_text(row, p->texts, s->text)) &&
           figure(json_object_get(row, p->x)) > 0 &&
           (!s || figure(json_object_get(row, s->column)) > 0);
}

/* Three different values at least, in the rows that are plotted. */
static bool can_be_x(struct plot *p, const char *column)
{
    double seen[2] = { 0, 0 };
    size_t different = 0, i;
    json_t *row;
    p->x = column;
    json_array_foreach(p->rows, i, row)
    {
        const double x = figure(json_object_get(row, column));
        if (!is_plotted(p, NULL, row) || (different > 0 && x == seen[0]) ||
            (different > 1 && x == seen[1]))
            continue;
        if (different == 2)
            return true;
        seen[different++] = x;
    }
    return false;
}

/* The column's name without the ending that the plot is of; NULL when it does not end so. */
static bool name_of(char *name, const char *column, const char *ending)
{
    const size_t length = strlen(column), end = strlen(ending);
    if (length < end || strcmp(column + length - end, ending) != 0)
        return false;
    snprintf(name, NAME, "%.*s", (int)(length - end), column);
    return true;
}

/* A line for each different text of the second column of texts, in which there is a point. */
static void add_series(struct plot *p, const char *column, const char *name)
{
    const size_t first = p->count;
    size_t i;
    json_t *row;
    json_array_foreach(p->rows, i, row)
    {
        const char *text = p->texts ? json_string_value(json_object_get(row, p->texts)) : NULL;
        const struct series one = { .column = column, .text = text };
        bool is_new = p->count < SERIES_MOST && is_plotted(p, &one, row);
        for (size_t s = first; is_new && s < p->count; s++)
            is_new = !has_text(row, p->texts, p->series[s].text);
        if (is_new)
            p->series[p->count++] = one;
    }
    for (size_t s = first; s < p->count; s++) {
        if (p->count - first > 1)
            snprintf(p->series[s].name, NAME, "%.60s, %.12s %.16s", name, p->texts,
                     p->series[s].text);
        else
            snprintf(p->series[s].name, NAME, "%s", name);
    }
}

static void find_texts(struct plot *p)
{
    json_t *cell;
    const char *column;
    json_object_foreach(json_array_get(p->rows, 0), column, cell)
    {
        if (json_is_string(cell) && !p->facets)
            p->facets = column;
        else if (json_is_string(cell) && !p->texts)
            p->texts = column;
    }
}

/* x and the lines: as they were asked for, or the first column of counts and all times, or, where
 * there are none, all values. */
static bool choose(struct plot *p, const char *x, const char *ending)
{
    json_t *first = json_array_get(p->rows, 0), *cell;
    const char *column, *chosen = NULL;
    json_object_foreach(first, column, cell)
    {
        if (!chosen && (x ? strcmp(column, x) == 0 : json_is_integer(cell)) && can_be_x(p, column))
            chosen = column;
        p->is_time = p->is_time || (json_object_get(cell, "median_ms") && !*ending);
    }
    p->x = chosen;
    json_object_foreach(first, column, cell)
    {
        char name[NAME];
        const bool wanted = *ending || (p->is_time ? json_is_object(cell) : json_is_real(cell));
        if (chosen && wanted && strcmp(column, chosen) != 0 && name_of(name, column, ending))
            add_series(p, column, name);
    }
    return chosen && p->count > 0;
}

/* --- axes ----------------------------------------------------------------------------------- */

static void widen(struct axis *axis, double value)
{
    const double place = log10(value);
    axis->least = place < axis->least ? place : axis->least;
    axis->most = place > axis->most ? place : axis->most;
}

static void measure(struct plot *p)
{
    size_t i;
    json_t *row;
    p->across = (struct axis) { INFINITY, -INFINITY, LEFT, p->width - RIGHT };
    p->up = (struct axis) { INFINITY, -INFINITY, p->height - BOTTOM, TOP };
    json_array_foreach(p->rows, i, row) for (size_t s = 0; s < p->count; s++)
    {
        if (!is_plotted(p, &p->series[s], row))
            continue;
        widen(&p->across, figure(json_object_get(row, p->x)));
        widen(&p->up, figure(json_object_get(row, p->series[s].column)));
    }
    p->up.least = floor(p->up.least);
    p->up.most = ceil(p->up.most) > p->up.least ? ceil(p->up.most) : p->up.least + 1;
}

static double place(const struct axis *axis, double value)
{
    return axis->from +
           (log10(value) - axis->least) / (axis->most - axis->least) * (axis->to - axis->from);
}

/* 4.19M: short enough for an axis. */
static void print_short(FILE *out, double value)
{
    static const char *const units[] = { "", "K", "M", "G" };
    size_t unit = 0;
    for (; value >= (unit ? 999.5 : 1e4) && unit < 3; unit++)
        value /= 1000;
    fprintf(out, unit ? "%.3g%s" : "%.4g%s", value, units[unit]);
}

static void draw_level(FILE *out, const struct plot *p, double value)
{
    const double y = place(&p->up, value);
    if (y < TOP - 1)
        return;
    fprintf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT,
            p->width - RIGHT, y, y);
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 8, y + 4,
            value);
}

static void draw_axes(FILE *out, const struct plot *p)
{
    const bool few = p->up.most - p->up.least <= 2; /* decades: 2 and 5 have room, too */
    for (double power = p->up.least; power <= p->up.most; power++)
        for (double step = 1; step < 10; step += few ? step + (step == 2) : 9)
            draw_level(out, p, step * pow(10, power));
    /* The values of x themselves, as far apart as their labels need. */
    double last = -INFINITY;
    size_t i;
    json_t *row;
    json_array_foreach(p->rows, i, row)
    {
        const double value = figure(json_object_get(row, p->x));
        if (!is_plotted(p, NULL, row) || place(&p->across, value) - last < 46 ||
            place(&p->across, value) > p->width - RIGHT + 1)
            continue;
        last = place(&p->across, value);
        fprintf(out, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">", last,
                p->height - BOTTOM + 18);
        print_short(out, value);
        fputs("</text>\n", out);
    }
    fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">",
            (LEFT + p->width - RIGHT) / 2, p->height - 8);
    page_escaped(out, p->x);
    fprintf(out,
            "</text>\n<text x=\"14\" y=\"%.0f\" transform=\"rotate(-90 14 %.0f)\" "
            "text-anchor=\"middle\">",
            (p->height - BOTTOM) / 2 + TOP, (p->height - BOTTOM) / 2 + TOP);
    page_escaped(out, p->label ? p->label : p->is_time ? "ms, median and spread" : "value");
    fputs("</text>\n", out);
}

/* --- lines ---------------------------------------------------------------------------------- */

/* A point, and the least and most behind it; a reader who points at it is told the figures. */
static void draw_point(FILE *out, const struct plot *p, const json_t *row, size_t s)
{
    const json_t *cell = json_object_get(row, p->series[s].column);
    const double x = figure(json_object_get(row, p->x)), y = figure(cell);
    const double least = json_number_value(json_object_get(cell, "least_ms"));
    const double most = json_number_value(json_object_get(cell, "most_ms"));
    const double at = place(&p->across, x);
    if (least > 0 && most > least && log10(least) >= p->up.least && log10(most) <= p->up.most)
        fprintf(out, "<line stroke=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                colours[s], at, at, place(&p->up, least), place(&p->up, most));
    fprintf(out, "<circle fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>", colours[s], at,
            place(&p->up, y));
    page_escaped(out, p->series[s].name);
    fprintf(out, ", ");
    page_escaped(out, p->x);
    fprintf(out, " %.10g: %.4g%s</title></circle>\n", x, y, json_is_object(cell) ? " ms" : "");
}

static void draw_line(FILE *out, const struct plot *p, size_t s)
{
    size_t i, points = 0;
    json_t *row;
    fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colours[s]);
    json_array_foreach(p->rows, i, row)
    {
        if (is_plotted(p, &p->series[s], row))
            fprintf(out, "%c%.1f %.1f", points++ ? 'L' : 'M',
                    place(&p->across, figure(json_object_get(row, p->x))),
                    place(&p->up, figure(json_object_get(row, p->series[s].column))));
    }
    fputs("\"/>\n", out);
    json_array_foreach(p->rows, i, row)
    {
        if (is_plotted(p, &p->series[s], row))
            draw_point(out, p, row, s);
    }
}

static void draw_svg(FILE *out, const struct plot *p, const char *title, const char *place)
{
    fprintf(out, "<svg %sviewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", place, p->width,
            p->height);
    page_escaped(out, title);
    fputs("\">\n", out);
    draw_axes(out, p);
    for (size_t s = 0; s < p->count; s++)
        draw_line(out, p, s);
    fputs("</svg>\n", out);
}

static void draw_on_page(FILE *out, const struct plot *p, const char *title)
{
    fputs("<figure>\n", out);
    if (p->label || p->is_small) { /* else the heading above says it */
        fputs("<figcaption><b>", out);
        page_escaped(out, title);
        fputs("</b></figcaption>\n", out);
    }
    draw_svg(out, p, title, "");
    fputs("<figcaption>", out);
    for (size_t s = 0; s < p->count; s++) {
        fprintf(out, "<span><i style=\"background:%s\"></i>", colours[s]);
        page_escaped(out, p->series[s].name);
        fputs("</span> ", out);
    }
    fputs("</figcaption></figure>\n", out);
}

/* The lines' names, in as many rows as they need: nobody knows how wide a text will be, so a
 * character counts as a wide one. Returns where the last row ends. */
static double draw_names(FILE *out, const struct plot *p, double y)
{
    enum { CHARACTER = 7, MARK = 16, BETWEEN = 14, ROW = 18 };
    double x = LEFT;
    for (size_t s = 0; s < p->count; s++) {
        const double width = MARK + CHARACTER * (double)strlen(p->series[s].name);
        if (x > LEFT && x + width > p->width) {
            x = LEFT;
            y += ROW;
        }
        fprintf(out,
                "<rect fill=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"10\" height=\"10\"/>"
                "<text x=\"%.0f\" y=\"%.0f\">",
                colours[s], x, y, x + MARK, y + 9);
        page_escaped(out, p->series[s].name);
        fputs("</text>\n", out);
        x += width + BETWEEN;
    }
    return y + ROW;
}

static void draw_in_picture(FILE *out, const struct plot *p, const char *title, double *end)
{
    char place[64];
    if (*title) {
        fprintf(out, "<text class=\"name\" x=\"%d\" y=\"%.0f\">", BENCH_PICTURE_EDGE, *end + 14);
        page_escaped(out, title);
        fputs("</text>\n", out);
        *end += 20;
    }
    snprintf(place, sizeof place, "x=\"0\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" ", *end,
             p->width, p->height);
    draw_svg(out, p, title, place);
    *end = draw_names(out, p, *end + 4 + p->height) + 10;
}

/* --- facets --------------------------------------------------------------------------------- */

/* Where plots go: a page of HTML, or a picture, in which they stand one below the other. */
struct sheet {
    FILE *out;   /* NULL: nothing is drawn, plots are counted */
    double *end; /* of what the picture has so far; NULL: a page */
};

/* The plot of one facet, if there is one: there are three different x and a figure. */
static bool prepare(struct plot *p, json_t *rows, const char *facet,
                    const struct bench_plot_wish *wish, bool is_picture)
{
    *p = (struct plot) { .rows = rows, .label = wish->label, .is_small = wish->is_small };
    find_texts(p);
    p->facet = facet;
    if (!choose(p, wish->x, wish->ending))
        return false;
    p->width = is_picture ? BENCH_PICTURE_WIDTH : wish->is_small ? 460 : 900;
    p->height = is_picture ? 340 : wish->is_small ? 300 : 380;
    measure(p);
    return p->across.most > p->across.least && isfinite(p->up.least);
}

/* What is written above a plot: its facet, and what goes up where a table has several plots. */
static void write_title(char *text, const struct plot *p, const char *title, bool is_picture)
{
    if (is_picture && p->label && p->facet)
        snprintf(text, 2 * NAME, "%.90s: %.90s", p->facet, p->label);
    else
        snprintf(text, 2 * NAME, "%s", p->label ? p->label : p->facet ? p->facet : title);
}

static void draw(const struct sheet *sheet, const struct plot *p, const char *title)
{
    char text[2 * NAME];
    write_title(text, p, title, sheet->end != NULL);
    if (sheet->end)
        draw_in_picture(sheet->out, p, text, sheet->end);
    else
        draw_on_page(sheet->out, p, text);
}

/* Draws (or only counts) a plot for each different text in the first column of texts. */
static size_t each_facet(const struct sheet *sheet, json_t *rows, const char *title,
                         const struct bench_plot_wish *wish)
{
    struct plot p = { .rows = rows };
    size_t i, k, count = 0;
    json_t *row;
    find_texts(&p);
    const char *facets = p.facets;
    json_array_foreach(rows, i, row)
    {
        const char *facet = facets ? json_string_value(json_object_get(row, facets)) : NULL;
        bool is_new = facets || i == 0;
        for (k = 0; is_new && facet && k < i; k++)
            is_new = !has_text(json_array_get(rows, k), facets, facet);
        if (!is_new || !prepare(&p, rows, facet, wish, sheet->end != NULL))
            continue;
        count++;
        if (sheet->out)
            draw(sheet, &p, title);
    }
    return count;
}

size_t bench_plots(FILE *out, json_t *rows, const char *title, const struct bench_plot_wish *wishes,
                   size_t count)
{
    const struct sheet counted = { 0 }, page = { .out = out };
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += each_facet(&counted, rows, title, &wishes[i]);
    if (all == 0)
        return 0;
    fputs(all > 1 ? "<div class=\"facets\">\n" : "<div>\n", out);
    for (size_t i = 0; i < count; i++) {
        struct bench_plot_wish wish = wishes[i];
        wish.is_small = all > 1;
        each_facet(&page, rows, title, &wish);
    }
    fputs("</div>\n", out);
    return all;
}

size_t bench_picture_plots(FILE *out, json_t *rows, const struct bench_plot_wish *wishes,
                           size_t count, double *end)
{
    const struct sheet picture = { .out = out, .end = end };
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += each_facet(&picture, rows, "", &wishes[i]);
    return all;
}

size_t bench_wishes(struct bench_plot_wish *wishes, const json_t *table)
{
    const json_t *plots = json_object_get(table, "plots");
    size_t count = 0;
    wishes[0] = (struct bench_plot_wish) { .ending = "" };
    for (; count < BENCH_WISHES_MOST && count < json_array_size(plots); count++) {
        const json_t *plot = json_array_get(plots, count);
        wishes[count] =
            (struct bench_plot_wish) { .x = json_string_value(json_object_get(plot, "x")),
                                       .ending = json_string_value(json_object_get(plot, "ending")),
                                       .label = json_string_value(json_object_get(plot, "label")) };
    }
    return count ? count : 1;
}
