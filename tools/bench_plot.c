/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_plot.h"

#include <math.h>
#include <string.h>

#include "page.h"

enum { WIDTH = 760, HEIGHT = 380, LEFT = 64, RIGHT = 210, TOP = 16, BOTTOM = 48, SERIES_MOST = 8 };

/* Okabe and Ito's colours, which most people can tell apart; black is left to the text. */
static const char *const colours[SERIES_MOST] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#8c6d1f", "#7f7f7f" };

struct axis {
    double least, most; /* logarithms */
    double from, to;    /* on the page */
};

struct plot {
    json_t *rows;
    const char *x;
    const char *series[SERIES_MOST];
    size_t count;
    bool is_time;
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

/* Whether the row's texts are the first row's: it belongs to the same lines. */
static bool is_plotted(const struct plot *p, const json_t *row)
{
    json_t *first = json_array_get(p->rows, 0), *cell;
    const char *column;
    json_object_foreach(first, column, cell)
    {
        const json_t *here = json_object_get(row, column);
        if (json_is_string(cell) && !json_equal(cell, here))
            return false;
    }
    return figure(json_object_get(row, p->x)) > 0;
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
        if (!is_plotted(p, row) || (different > 0 && x == seen[0]) ||
            (different > 1 && x == seen[1]))
            continue;
        if (different == 2)
            return true;
        seen[different++] = x;
    }
    return false;
}

static bool choose(struct plot *p)
{
    json_t *first = json_array_get(p->rows, 0), *cell;
    const char *column, *x = NULL;
    json_object_foreach(first, column, cell)
    {
        if (!x && json_is_integer(cell) && can_be_x(p, column))
            x = column;
        p->is_time = p->is_time || json_object_get(cell, "median_ms");
    }
    p->x = x;
    json_object_foreach(first, column, cell)
    {
        const bool wanted = p->is_time ? json_is_object(cell) : json_is_real(cell);
        if (wanted && p->count < SERIES_MOST)
            p->series[p->count++] = column;
    }
    return x && p->count > 0;
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
    p->across = (struct axis) { INFINITY, -INFINITY, LEFT, WIDTH - RIGHT };
    p->up = (struct axis) { INFINITY, -INFINITY, HEIGHT - BOTTOM, TOP };
    json_array_foreach(p->rows, i, row)
    {
        if (!is_plotted(p, row))
            continue;
        widen(&p->across, figure(json_object_get(row, p->x)));
        for (size_t s = 0; s < p->count; s++) {
            const double y = figure(json_object_get(row, p->series[s]));
            if (y > 0)
                widen(&p->up, y);
        }
    }
    p->up.least = floor(p->up.least);
    p->up.most = ceil(p->up.most) > p->up.least ? ceil(p->up.most) : p->up.least + 1;
}

static double place(const struct axis *axis, double value)
{
    return axis->from +
           (log10(value) - axis->least) / (axis->most - axis->least) * (axis->to - axis->from);
}

/* 4.1M: short enough for an axis. */
static void print_short(FILE *out, double value)
{
    static const char *const units[] = { "", "K", "M", "G" };
    size_t unit = 0;
    for (; value >= 1e4 && unit < 3; unit++)
        value /= 1000;
    fprintf(out, unit ? "%.3g%s" : "%.4g%s", value, units[unit]);
}

static void draw_level(FILE *out, const struct plot *p, double value)
{
    const double y = place(&p->up, value);
    if (y < TOP - 1)
        return;
    fprintf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT,
            WIDTH - RIGHT, y, y);
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
        if (!is_plotted(p, row) || fabs(place(&p->across, value) - last) < 44)
            continue;
        last = place(&p->across, value);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", last,
                HEIGHT - BOTTOM + 18);
        print_short(out, value);
        fputs("</text>\n", out);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 8);
    page_escaped(out, p->x);
    fprintf(out,
            "</text>\n<text x=\"14\" y=\"%d\" transform=\"rotate(-90 14 %d)\" "
            "text-anchor=\"middle\">%s</text>\n",
            HEIGHT / 2, HEIGHT / 2, p->is_time ? "ms, median and spread" : "value");
}

/* --- lines ---------------------------------------------------------------------------------- */

/* A point, and the least and most behind it; a reader who points at it is told the figures. */
static void draw_point(FILE *out, const struct plot *p, const json_t *row, size_t s)
{
    const json_t *cell = json_object_get(row, p->series[s]);
    const double x = figure(json_object_get(row, p->x)), y = figure(cell);
    const double least = json_number_value(json_object_get(cell, "least_ms"));
    const double most = json_number_value(json_object_get(cell, "most_ms"));
    const double at = place(&p->across, x);
    if (least > 0 && most > least && log10(least) >= p->up.least && log10(most) <= p->up.most)
        fprintf(out, "<line stroke=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                colours[s], at, at, place(&p->up, least), place(&p->up, most));
    fprintf(out, "<circle fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>", colours[s], at,
            place(&p->up, y));
    page_escaped(out, p->series[s]);
    fprintf(out, ", ");
    page_escaped(out, p->x);
    fprintf(out, " %.10g: %.4g%s</title></circle>\n", x, y, p->is_time ? " ms" : "");
}

static void draw_line(FILE *out, const struct plot *p, size_t s)
{
    size_t i, points = 0;
    json_t *row;
    fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colours[s]);
    json_array_foreach(p->rows, i, row)
    {
        const double y = figure(json_object_get(row, p->series[s]));
        if (is_plotted(p, row) && y > 0)
            fprintf(out, "%c%.1f %.1f", points++ ? 'L' : 'M',
                    place(&p->across, figure(json_object_get(row, p->x))), place(&p->up, y));
    }
    fputs("\"/>\n", out);
    json_array_foreach(p->rows, i, row)
    {
        if (is_plotted(p, row) && figure(json_object_get(row, p->series[s])) > 0)
            draw_point(out, p, row, s);
    }
    fprintf(out,
            "<rect fill=\"%s\" x=\"%d\" y=\"%zu\" width=\"12\" height=\"12\"/><text x=\"%d\" "
            "y=\"%zu\">",
            colours[s], WIDTH - RIGHT + 14, TOP + 20 * s, WIDTH - RIGHT + 32, TOP + 20 * s + 11);
    page_escaped(out, p->series[s]);
    fputs("</text>\n", out);
}

bool bench_plot(FILE *out, json_t *rows, const char *title)
{
    struct plot p = { .rows = rows };
    if (!choose(&p))
        return false;
    measure(&p);
    if (!(p.across.most > p.across.least) || !isfinite(p.up.least))
        return false;
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    page_escaped(out, title);
    fputs("\">\n", out);
    draw_axes(out, &p);
    for (size_t s = 0; s < p.count; s++)
        draw_line(out, &p, s);
    fputs("</svg>\n", out);
    return true;
}
