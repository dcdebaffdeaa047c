/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of `clade bench`: kept as a JSON tree, and printed row by row as they are done. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/internal.h"
#include "common/screen.h"

enum { COUNT_WIDTH = 10, TIMES_WIDTH = 28 };

static void add(struct bench *bench, const char *column, json_t *cell)
{
    if (!bench->row)
        bench->row = json_object();
    if (json_object_set_new(bench->row, column, cell) != 0)
        bench->memory_is_out = true;
}

bool bench_tables_begin(struct bench *bench)
{
    bench->tables = json_array();
    bench->rows = NULL;
    return bench->tables != NULL;
}

json_t *bench_tables_end(struct bench *bench)
{
    json_t *tables = bench->tables;
    json_decref(bench->row);
    bench->row = bench->rows = bench->tables = NULL;
    return tables;
}

bool bench_is_named(const char *names, const char *name)
{
    const size_t length = strlen(name);
    const char *at = names;
    bool found = false;
    while (at && !found) {
        const char *comma = strchr(at, ',');
        const size_t here = comma ? (size_t)(comma - at) : strlen(at);
        found = here == length && strncmp(at, name, length) == 0;
        at = comma ? comma + 1 : NULL;
    }
    return found;
}

bool bench_wants(const struct bench *bench, const char *name)
{
    return !bench->only || bench_is_named(bench->only, name);
}

void bench_table(struct bench *bench, const char *name, const char *title)
{
    json_t *table = json_pack("{s:s, s:s, s:[]}", "name", name, "title", title, "rows");
    bench_results_lock();
    bench->rows = json_object_get(table, "rows");
    if (json_array_append_new(bench->tables, table) != 0)
        bench->memory_is_out = true;
    bench_results_unlock();
    bench->table = name;
    if (!bench_has_table(bench->listed, name, strlen(name)))
        bench->unlisted = name;
    bench_progress_end(bench);
    if (bench_wants(bench, name)) {
        char text[512];
        snprintf(text, sizeof text, "%s: %s", name, title);
        bench_make_plain(text);
        printf("\n%s\n", text);
    }
}

void bench_wish_plot(struct bench *bench, const char *x, const char *ending, const char *label)
{
    json_t *table = json_array_get(bench->tables, json_array_size(bench->tables) - 1);
    bench_results_lock();
    json_t *plots = json_object_get(table, "plots");
    if (!plots && json_object_set_new(table, "plots", json_array()) == 0)
        plots = json_object_get(table, "plots");
    if (json_array_append_new(
            plots, json_pack("{s:s, s:s, s:s}", "x", x, "ending", ending, "label", label)) != 0)
        bench->memory_is_out = true;
    bench_results_unlock();
}

void bench_count(struct bench *bench, const char *column, uint64_t count)
{
    add(bench, column, json_integer((json_int_t)count));
}

void bench_value(struct bench *bench, const char *column, double value)
{
    if (isfinite(value))
        add(bench, column, json_real(value));
    else
        bench_none(bench, column, "no time");
}

void bench_text(struct bench *bench, const char *column, const char *text)
{
    add(bench, column, json_string(text));
}

void bench_none(struct bench *bench, const char *column, const char *why)
{
    add(bench, column, json_pack("{s:s}", "none", why));
}

void bench_ms(struct bench *bench, const char *column, const struct bench_times *times)
{
    bench->wrong += !times->right;
    if (times->runs == 0) {
        bench_none(bench, column, times->left_out ? "left out" : "no time");
        return;
    }
    bench->row_has_times = true;
    json_t *cell =
        json_pack("{s:f, s:f, s:f, s:i, s:b}", "median_ms", times->median, "least_ms", times->least,
                  "most_ms", times->most, "runs", (int)times->runs, "right", times->right);
    if (times->device > 0 && json_object_set_new(cell, "device_ms", json_real(times->device)) != 0)
        bench->memory_is_out = true;
    add(bench, column, cell);
}

/* A time as people read it: with its least and most, where there is room. */
static void print_time(const json_t *cell, bool spread, char *text, size_t room)
{
    const double median = json_real_value(json_object_get(cell, "median_ms"));
    if (spread)
        snprintf(text, room, "%.4g (%.4g .. %.4g)", median,
                 json_real_value(json_object_get(cell, "least_ms")),
                 json_real_value(json_object_get(cell, "most_ms")));
    else
        snprintf(text, room, "%.4g", median);
    if (json_object_get(cell, "device_ms"))
        snprintf(text + strlen(text), room - strlen(text), " [%.4g]",
                 json_real_value(json_object_get(cell, "device_ms")));
}

/* A cell as people read it. */
static void print_cell(const json_t *cell, bool spread, char *text, size_t room)
{
    if (json_is_integer(cell))
        snprintf(text, room, "%" JSON_INTEGER_FORMAT, json_integer_value(cell));
    else if (json_is_real(cell))
        snprintf(text, room, "%.4g", json_real_value(cell));
    else if (json_is_string(cell))
        snprintf(text, room, "%s", json_string_value(cell));
    else if (json_object_get(cell, "none"))
        snprintf(text, room, "(%s)", json_string_value(json_object_get(cell, "none")));
    else if (!json_is_true(json_object_get(cell, "right")))
        snprintf(text, room, "WRONG");
    else
        print_time(cell, spread, text, room);
}

static int width_of(const char *column, const json_t *cell, bool spread)
{
    const int least = json_is_object(cell) && spread ? TIMES_WIDTH : COUNT_WIDTH;
    const int length = (int)strlen(column) + (json_is_object(cell) ? 4 : 0);
    return length > least ? length : least;
}

static unsigned width_of_row(json_t *row, bool spread)
{
    unsigned width = 0;
    const char *column;
    json_t *cell;
    json_object_foreach(row, column, cell)
    {
        width += 2 + (unsigned)width_of(column, cell, spread);
    }
    return width;
}

/* The form that the terminal has room for; rows of a table have that of its first. */
static enum bench_form form_of(json_t *row)
{
    const unsigned screen = screen_width();
    return screen == 0 || width_of_row(row, true) <= screen ? BENCH_SPREADS
           : width_of_row(row, false) <= screen             ? BENCH_MEDIANS
                                                            : BENCH_RECORDS;
}

static void print_header(json_t *row, bool spread)
{
    const char *column;
    json_t *cell;
    json_object_foreach(row, column, cell)
    {
        char text[96];
        snprintf(text, sizeof text, "%s%s", column, json_is_object(cell) ? ", ms" : "");
        bench_make_plain(text);
        printf("  %*s", width_of(column, cell, spread), text);
    }
    putchar('\n');
}

static void print_line(json_t *row, bool spread)
{
    const char *column;
    json_t *cell;
    json_object_foreach(row, column, cell)
    {
        char text[96];
        print_cell(cell, spread, text, sizeof text);
        bench_make_plain(text);
        printf("  %*s", width_of(column, cell, spread), text);
    }
    putchar('\n');
}

static void print_record(json_t *row)
{
    struct screen_record record = { .width = screen_width() };
    const char *column;
    json_t *cell;
    json_object_foreach(row, column, cell)
    {
        char text[96], item[256];
        print_cell(cell, false, text, sizeof text);
        snprintf(item, sizeof item, "%s: %s%s", column, text,
                 json_object_get(cell, "median_ms") ? " ms" : "");
        bench_make_plain(item);
        screen_item(&record, item);
    }
    screen_record_end(&record);
}

static void print_row(struct bench *bench)
{
    if (json_array_size(bench->rows) == 0) {
        bench->form = form_of(bench->row);
        if (bench->form != BENCH_RECORDS)
            print_header(bench->row, bench->form == BENCH_SPREADS);
    }
    if (bench->form == BENCH_RECORDS)
        print_record(bench->row);
    else
        print_line(bench->row, bench->form == BENCH_SPREADS);
    fflush(stdout);
}

void bench_row_end(struct bench *bench)
{
    const bool is_wanted = bench_wants(bench, bench->table);
    /* What there was no time for, or is not asked for, is no row. */
    if ((bench_is_over(bench) || !is_wanted) && !bench->row_has_times) {
        json_decref(bench->row);
        bench->row = NULL;
        return;
    }
    bench->row_has_times = false;
    bench->has_rows = true;
    bench_progress_end(bench);
    if (is_wanted)
        print_row(bench);
    bench_results_lock();
    if (json_array_append_new(bench->rows, bench->row) != 0)
        bench->memory_is_out = true;
    bench->row = NULL;
    bench_results_unlock();
}
