/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench --from`: what `--json` wrote before, read again. Nothing in a file is trusted. */
#include <stdio.h>
#include <string.h>

#include "bench/internal.h"

/* --- is it one? ------------------------------------------------------------------------------- */

static bool is_text(const json_t *object, const char *name)
{
    return json_is_string(json_object_get(object, name));
}

static bool is_number(const json_t *object, const char *name)
{
    return json_is_number(json_object_get(object, name));
}

static bool is_cell(const json_t *cell)
{
    return json_is_number(cell) || json_is_string(cell) || is_text(cell, "none") ||
           (is_number(cell, "median_ms") && is_number(cell, "least_ms") &&
            is_number(cell, "most_ms") && json_is_integer(json_object_get(cell, "runs")) &&
            json_is_boolean(json_object_get(cell, "right")));
}

/* Each of a list is as `is_one` wants it. */
static bool all_are(const json_t *list, bool (*is_one)(json_t *))
{
    size_t i;
    json_t *one;
    bool fine = json_is_array(list);
    json_array_foreach(list, i, one) fine = fine && is_one(one);
    return fine;
}

static bool is_row(json_t *row)
{
    bool fine = json_is_object(row);
    json_t *cell;
    const char *column;
    json_object_foreach(row, column, cell) fine = fine && is_cell(cell);
    return fine;
}

static bool is_wish(json_t *wish)
{
    return is_text(wish, "x") && is_text(wish, "ending") && is_text(wish, "label");
}

static bool is_table(json_t *table)
{
    const json_t *wishes = json_object_get(table, "plots");
    return is_text(table, "name") && is_text(table, "title") &&
           all_are(json_object_get(table, "rows"), is_row) && (!wishes || all_are(wishes, is_wish));
}

static bool is_suite(json_t *suite)
{
    return is_text(suite, "name") && json_is_boolean(json_object_get(suite, "complete")) &&
           json_is_boolean(json_object_get(suite, "in_time")) &&
           all_are(json_object_get(suite, "tables"), is_table);
}

/* What a file lacks that `--json` writes; NULL: nothing that is needed. */
static const char *find_fault(const json_t *root)
{
    const json_t *device = json_object_get(root, "device");
    if (!is_text(device, "name") || !is_text(device, "driver"))
        return "it does not name the device";
    if (!is_text(root, "version") || !json_is_integer(json_object_get(root, "repeats")))
        return "it does not say by what version and how often it was measured";
    return all_are(json_object_get(root, "suites"), is_suite)
               ? NULL
               : "its suites have another form than docs/guide/bench.md says";
}

static json_t *read_file(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    const char *fault = root ? find_fault(root) : NULL;
    if (!root && error.line > 0)
        bench_fail("%s is no JSON: line %d: %s", path, error.line, error.text);
    else if (!root)
        bench_fail("%s cannot be read: %s", path, error.text);
    if (!fault)
        return root;
    bench_fail("%s is no file that `clade bench --json` wrote: %s", path, fault);
    json_decref(root);
    return NULL;
}

/* --- several files ---------------------------------------------------------------------------- */

static bool has_suite(const json_t *suites, const char *name)
{
    size_t i;
    json_t *suite;
    json_array_foreach(suites, i, suite)
    {
        if (strcmp(json_string_value(json_object_get(suite, "name")), name) == 0)
            return true;
    }
    return false;
}

/* Of a suite that several files have, the first file's counts. */
static bool add_suites(json_t *suites, const json_t *more)
{
    size_t i;
    json_t *suite;
    bool fine = true;
    json_array_foreach(more, i, suite)
    {
        if (!has_suite(suites, json_string_value(json_object_get(suite, "name"))))
            fine = fine && json_array_append(suites, suite) == 0;
    }
    return fine || bench_fail("memory is out");
}

/* Times of processors do not stand beside those of the clock. */
static bool is_by_clock(const json_t *root)
{
    return !json_is_true(json_object_get(root, "processors"));
}

static bool add_file(json_t *root, const char *path, const char *first)
{
    json_t *other = read_file(path);
    bool fine = other != NULL;
    if (fine && !json_equal(json_object_get(root, "device"), json_object_get(other, "device")))
        fine = bench_fail("%s and %s are of different devices", first, path);
    if (fine && is_by_clock(root) != is_by_clock(other))
        fine = bench_fail("of %s and %s one has times of processors, and one the clock's", first,
                          path);
    fine = fine && add_suites(json_object_get(root, "suites"), json_object_get(other, "suites"));
    json_decref(other);
    return fine;
}

json_t *bench_read_saved(const char *const *paths, size_t count)
{
    json_t *root = read_file(paths[0]);
    for (size_t i = 1; root && i < count; i++)
        if (!add_file(root, paths[i], paths[0])) {
            json_decref(root);
            root = NULL;
        }
    return root;
}

/* --- shown again ------------------------------------------------------------------------------ */

static void show_table(struct bench *bench, json_t *table)
{
    size_t i;
    json_t *row;
    const json_t *wishes = json_object_get(table, "plots");
    bench_table(bench, json_string_value(json_object_get(table, "name")),
                json_string_value(json_object_get(table, "title")));
    json_array_foreach(wishes, i, row)
        bench_wish_plot(bench, json_string_value(json_object_get(row, "x")),
                        json_string_value(json_object_get(row, "ending")),
                        json_string_value(json_object_get(row, "label")));
    json_array_foreach(json_object_get(table, "rows"), i, row)
    {
        bench->row = json_incref(row);
        bench->row_has_times = true; /* kept, if not printed: published figures stand beside it */
        bench_row_end(bench);
    }
}

json_t *bench_show_saved(struct bench *bench, const struct bench_suite *suite, const json_t *saved)
{
    size_t i;
    json_t *table, *shown = json_copy((json_t *)(uintptr_t)saved);
    bench->listed = suite;
    if (!shown || !bench_tables_begin(bench)) {
        json_decref(shown);
        bench_fail("memory is out");
        return NULL;
    }
    json_array_foreach(json_object_get(saved, "tables"), i, table)
    {
        if (strcmp(json_string_value(json_object_get(table, "name")), "published") != 0)
            show_table(bench, table);
    }
    bench_published(bench, suite->name);
    if (json_object_set_new(shown, "tables", bench_tables_end(bench)) != 0)
        bench->memory_is_out = true;
    return shown;
}
