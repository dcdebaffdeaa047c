/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench --svg`: chosen tables as one picture that needs nothing else. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/* What of the tables is drawn. */
struct bench_choice {
    const char *tables; /* names between commas; NULL: those of published figures */
    const char *const *rows;
    size_t row_count; /* only rows with one of these texts; 0: all */
};

/* Whether there is anything to draw, and each text of `choice` is in a row. False after saying what
 * is missing. */
bool bench_picture_has(const json_t *root, const struct bench_choice *choice);
/* What --json writes, drawn. Published figures are bars, other tables are plots. False after saying
 * why. */
bool bench_write_picture(const char *path, const json_t *root, const struct bench_choice *choice);
