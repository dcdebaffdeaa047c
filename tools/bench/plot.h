/* SPDX-License-Identifier: Apache-2.0 */
/* Plots of a table of `clade bench`, as SVG: in a page of HTML, or in one picture. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

enum { BENCH_PICTURE_WIDTH = 640, BENCH_PICTURE_EDGE = 16, BENCH_WISHES_MOST = 4 };

/* What a plot shows. */
struct bench_plot_wish {
    const char *x;      /* a column of counts; NULL: the first that has three different values */
    const char *ending; /* columns whose names end so; "": all times, where there are none values */
    const char *label;  /* of what goes up; NULL: what it is */
    bool is_small;      /* set by bench_plots() */
};

/* Those that a table's suite asked for; else its times, or values. Returns how many there are, at
 * most BENCH_WISHES_MOST; their texts are the table's. */
size_t bench_wishes(struct bench_plot_wish *wishes, const json_t *table);

/* Both axes are logarithmic: a straight line is a power. Rows that differ in their first text are
 * plots beside each other, rows that differ in the second are lines. Writes nothing where x has not
 * three different values; returns how many plots it wrote. */
size_t bench_plots(FILE *out, json_t *rows, const char *title, const struct bench_plot_wish *wishes,
                   size_t count);
/* The same in a picture, one plot below the other from `*end` on, which becomes where the last one
 * ends. The heading above says what a table with one plot shows. Without `out`: counts them. */
size_t bench_picture_plots(FILE *out, json_t *rows, const struct bench_plot_wish *wishes,
                           size_t count, double *end);
