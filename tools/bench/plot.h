/* SPDX-License-Identifier: Apache-2.0 */
/* Plots of a table of `clade bench`, as SVG that stands in a page of HTML. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

/* What a plot shows. */
struct bench_plot_wish {
    const char *x;      /* a column of counts; NULL: the first that has three different values */
    const char *ending; /* columns whose names end so; "": all times, where there are none values */
    const char *label;  /* of what goes up; NULL: what it is */
    bool is_small;      /* set by bench_plots() */
};

/* Both axes are logarithmic: a straight line is a power. Rows that differ in their first text are
 * plots beside each other, rows that differ in the second are lines. Writes nothing where x has not
 * three different values; returns how many plots it wrote. */
size_t bench_plots(FILE *out, json_t *rows, const char *title, const struct bench_plot_wish *wishes,
                   size_t count);
