/* SPDX-License-Identifier: Apache-2.0 */
/* A plot of a table of `clade bench`, as SVG that stands in a page of HTML. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

/* Both axes are logarithmic: a straight line is a power. X is the table's first column of counts
 * with at least three different values, among the rows whose texts are the first row's; a line is a
 * column of times, or, where there are none, of values. Writes nothing when there is no such
 * column; returns whether it wrote. */
bool bench_plot(FILE *out, json_t *rows, const char *title);
