/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of `clade bench`, shared by bench.c, table.c and measure.c. */
#pragma once

#include <jansson.h>

#include "bench/bench.h"
#include "common/launches.h"

/* How a table's rows are printed: times with their spread; without it; each row by itself. */
enum bench_form { BENCH_SPREADS, BENCH_MEDIANS, BENCH_RECORDS };

struct bench {
    clade_context *context;
    bool is_quick;
    unsigned warmups, repeats;
    double limit_ms;       /* no run of a measurement begins after it */
    uint64_t wrong;        /* measurements with wrong results */
    uint64_t wrong_before; /* the suite that runs */
    double suite_begin_ms;
    json_t *tables;     /* of the suite that runs */
    json_t *rows;       /* of its last table; borrowed */
    json_t *row;        /* cells so far; owned */
    bool memory_is_out; /* of the JSON tree */
    bool row_has_times;
    enum bench_form form;             /* of the last table */
    double begin_ms, end_ms;          /* of the command; end 0: whenever it is done */
    double suite_end_ms;              /* of the suite that runs; 0: whenever it is done */
    const char *suite, *table;        /* that run */
    const struct bench_suite *listed; /* the suite that runs */
    const char *unlisted;             /* a table that its suite's list lacks: a mistake of ours */
    const char *only;                 /* names of tables between commas; NULL: all */
    bool has_rows;
    unsigned measured, expected; /* measurements of this suite: so far, about in all */
    double share_before, share;  /* of the command's work: before this suite, of it */
    bool shows_progress, has_line;
    struct launches launches; /* of a run, with --events */
    bool has_events, is_alone;
    bool counts_processors; /* times are those of all threads on the processors */
    uint64_t keys;          /* bench_keys(); 0: as usual */
};

/* Whether a suite has a table of this name; all have one of published figures. */
bool bench_has_table(const struct bench_suite *suite, const char *name, size_t length);
/* Whether `name` is one of the names between the commas of `names`. */
bool bench_is_named(const char *names, const char *name);
/* The suite of this name; NULL: there is none. */
const struct bench_suite *bench_find_suite(const char *name);
/* SIGINT or SIGTERM ends the measuring after the run that is on its way, and what there is, is
 * written. When that takes longer than a second or two, `write` is called with `data` in another
 * thread, and the process ends. To be called before other threads are made. */
void bench_catch_signals(void (*write)(void *data), void *data);
bool bench_is_interrupted(void);
/* What changes the tree of results, or writes it, does so between these. */
void bench_results_lock(void);
void bench_results_unlock(void);
/* There is nothing left to write. */
void bench_results_are_written(void);
/* A table of published figures, beside what the suite that ran has measured. */
void bench_published(struct bench *bench, const char *suite);
/* A column that a published figure stands beside, and that no row of its table has: a mistake of
 * ours. NULL: none. */
const char *bench_published_lacks(const json_t *tables, const char *suite);
/* A line on the terminal that says how far it is, and its end before anything else is printed. */
void bench_progress(struct bench *bench);
void bench_progress_end(struct bench *bench);

/* Start and end a suite: what bench_table() and so on add to. The tables become the caller's. */
bool bench_tables_begin(struct bench *bench);
json_t *bench_tables_end(struct bench *bench);
/* What --json writes, as a page. False after saying why. */
bool bench_write_page(const char *path, const json_t *root);

/* What a file says may be anything: control characters become question marks, so that what is
 * printed ends no line and steers no terminal. */
void bench_make_plain(char *text);
/* What `--json` wrote to these files, one or more, of one device. NULL after saying what is wrong.
 */
json_t *bench_read_saved(const char *const *paths, size_t count);
/* Prints the tables of a saved suite that are asked for, and makes that of published figures anew.
 * The suite with these tables; NULL after saying why. */
json_t *bench_show_saved(struct bench *bench, const struct bench_suite *suite, const json_t *saved);
