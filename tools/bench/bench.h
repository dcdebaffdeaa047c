/* SPDX-License-Identifier: Apache-2.0 */
/* What the suites of `clade bench` stand on. docs/guide/bench.md says how one plugs in: a file
 * tools/bench/W.c of the structure's name with its suite.
 *
 * A suite prints tables. A row is one workload: its numbers, then times. Every time comes from
 * bench_measure(), which checks the results behind every run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <clade/clade.h>

#include "structures.h"

struct bench; /* one run of the command */

/* How much a suite is: for the time that is left, nothing else. */
struct bench_cost {
    unsigned measurements, seconds; /* as the JSON file says of a run */
};

/* What one suite brings. False: something failed, and was told by bench_fail() or
 * report_error(); wrong results are no failure to run, they are counted. */
struct bench_suite {
    const char *name;
    const char *summary;
    bool (*run)(struct bench *bench);
    struct bench_cost quick, cpu, gpu; /* with --quick, on a CPU with two cores, on a GPU */
    const char *tables;                /* the names of all of its own, between blanks */
};

/* tools/bench/W.c has W_suite. */
#define DECLARE_SUITE(structure) extern const struct bench_suite structure##_suite;
CLADE_BENCH(DECLARE_SUITE)

clade_context *bench_context(const struct bench *bench);
/* Small loads, that end in seconds on two cores. */
bool bench_is_quick(const struct bench *bench);
/* Keys of the tables `distributions`, `sizes` (but the heap's) and `again`: what --keys says,
 * otherwise `usual`. */
uint64_t bench_keys(const struct bench *bench, uint64_t usual);
/* Prints "clade bench: <sentence>"; returns false. */
bool bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- measuring ------------------------------------------------------------------------------- */

/* One thing to measure. Each function gets `data`; false ends the measuring. */
struct bench_task {
    void *data;
    bool (*prepare)(void *data); /* before each run, not timed; or NULL */
    bool (*work)(void *data);    /* timed, from the call to the end of what it enqueued */
    bool (*check)(void *data);   /* behind each run, not timed: are the results right? */
    bool on_host;                /* another's structure beside clade's: not with --alone */
};

struct bench_times {
    double median, least, most; /* ms on the host's clock, or of processors (--processors) */
    double device;              /* ms in the library's kernels, median; 0: not known (--events) */
    double whole;               /* ms of a run with its preparing and checking, the last one's */
    unsigned runs;              /* that the three are of; 0: there was no time */
    bool right;                 /* every run's results, warm-up included */
    bool left_out;              /* by --alone */
};

/* Warm-up runs, then repetitions: as many as `--repeat` says, but none begins after `--limit`
 * seconds. A warm-up run that takes longer than the limit is the host's only one, and leaves a
 * device one more. False when prepare or work failed, or the device did; the reason was printed
 * when it is clade's. */
bool bench_measure(struct bench *bench, const struct bench_task *task, struct bench_times *times);

double bench_now_ms(void);
/* The time of --total is spent, or a signal came: measurements come to nothing, rows without one
 * are left out. */
bool bench_is_over(const struct bench *bench);
/* Whether a measurement is likely to take longer than the limit, when `times` (of one that grows
 * with `from` as this does with `to`) is known. Counts what it costs to prepare and check as well.
 */
bool bench_too_long(const struct bench *bench, const struct bench_times *times, double from,
                    double to);

/* --- tables ---------------------------------------------------------------------------------- */

/* A new table of this suite: `name` for the JSON file, `title` for people. */
void bench_table(struct bench *bench, const char *name, const char *title);
/* Whether a table is asked for (--table). One that is not need not be opened; its measurements come
 * to nothing. */
bool bench_wants(const struct bench *bench, const char *name);
/* Ask for a plot of this table on the page: columns whose name ends with `ending` against the
 * column `x`, both logarithmic; `label` says what goes up. Rows that differ in their first text are
 * plots of their own, rows that differ in the second are lines. A table without a wish is plotted
 * by its times. */
void bench_wish_plot(struct bench *bench, const char *x, const char *ending, const char *label);
/* The cells of a row, in order; all rows of a table have the same columns. The row is printed by
 * bench_row_end(). */
void bench_count(struct bench *bench, const char *column, uint64_t count);
void bench_value(struct bench *bench, const char *column, double value);
void bench_text(struct bench *bench, const char *column, const char *text);
/* "COLUMN, ms": median, least and most. A wrong result makes the command fail in the end. */
void bench_ms(struct bench *bench, const char *column, const struct bench_times *times);
/* A cell that has no figure, and why: "too long". */
void bench_none(struct bench *bench, const char *column, const char *why);
void bench_row_end(struct bench *bench);

/* --- helpers --------------------------------------------------------------------------------- */

/* A device buffer with a copy of `data`, or uninitialized when it is NULL; NULL after saying why.
 * clReleaseMemObject() frees it. */
cl_mem bench_buffer(struct bench *bench, const void *data, uint64_t bytes);
bool bench_read(struct bench *bench, cl_mem mem, void *to, uint64_t bytes);
/* Enqueue a one-dimensional kernel; false after saying that it is refused. */
bool bench_launch(struct bench *bench, cl_kernel kernel, size_t items, size_t group);
/* A cell: what so many launches of a kernel that does nothing take, with one wait for all. */
bool bench_nothing(struct bench *bench, const char *column, unsigned launches);
/* Zeroed memory, or NULL after saying so. */
void *bench_alloc(uint64_t count, uint64_t bytes);
/* The same numbers on every machine (splitmix64). */
uint64_t bench_random(uint64_t *state);
uint32_t bench_random_below(uint64_t *state, uint32_t bound);
