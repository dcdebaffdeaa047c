/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench`: runs suites of measurements and writes what they found. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/internal.h"
#include "bench/picture.h"
#include "command/clade.h"
#include "common/options.h"
#include "common/outfile.h"
#include "common/progress.h"

#define LINE(structure) &structure##_suite,
static const struct bench_suite *const suites[] = { CLADE_BENCH(LINE) };
static const size_t suite_count = sizeof suites / sizeof suites[0];

clade_context *bench_context(const struct bench *bench)
{
    return bench->context;
}

bool bench_is_quick(const struct bench *bench)
{
    return bench->is_quick;
}

uint64_t bench_keys(const struct bench *bench, uint64_t usual)
{
    return bench->keys ? bench->keys : usual;
}

const struct bench_suite *bench_find_suite(const char *name)
{
    for (size_t i = 0; i < suite_count; i++)
        if (strcmp(suites[i]->name, name) == 0)
            return suites[i];
    return NULL;
}

bool bench_has_table(const struct bench_suite *suite, const char *name, size_t length)
{
    if (length == strlen("published") && strncmp(name, "published", length) == 0)
        return true;
    for (const char *at = suite->tables; *at;) {
        const size_t here = strcspn(at, " ");
        if (here == length && strncmp(at, name, length) == 0)
            return true;
        at += here + strspn(at + here, " ");
    }
    return false;
}

/* The `i`-th suite that is asked for: by name, or of all. NULL behind the last. */
static const struct bench_suite *wanted_suite(char **names, size_t name_count, size_t i)
{
    if (name_count > 0)
        return i < name_count ? bench_find_suite(names[i]) : NULL;
    return i < suite_count ? suites[i] : NULL;
}

static bool any_has_table(char **names, size_t name_count, const char *table, size_t length)
{
    const struct bench_suite *suite;
    for (size_t i = 0; (suite = wanted_suite(names, name_count, i)); i++)
        if (bench_has_table(suite, table, length))
            return true;
    return false;
}

/* Tell that there is no such table, and which there are. */
static void report_table(char **names, size_t name_count, const char *table, size_t length)
{
    char there[1024] = "";
    size_t used = 0;
    const struct bench_suite *suite;
    for (size_t i = 0; (suite = wanted_suite(names, name_count, i)) && used < sizeof there; i++)
        used += (size_t)snprintf(there + used, sizeof there - used, "%s\n  %s: %s published",
                                 i > 0 ? ";" : "", suite->name, suite->tables);
    report_usage("bench", "there is no table \"%.*s\"; there are, of%s", (int)length, table, there);
}

/* Whether every table of `--table` is one of a suite that is asked for. */
static bool check_tables(char **names, size_t name_count, const char *tables)
{
    for (const char *at = tables; at;) {
        const size_t length = strcspn(at, ",");
        if (!any_has_table(names, name_count, at, length)) {
            report_table(names, name_count, at, length);
            return false;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

enum { SAVED_MOST = 16, TEXTS_MOST = 64 };

/* What the command line asks for. */
struct request {
    const char *device, *json, *html, *svg, *tables;
    FILE *json_output; /* with `--json -` the standard output; what people read goes elsewhere */
    bool is_quick, lists, events, alone, processors;
    bool measures; /* an option is given that only a measurement heeds */
    uint64_t repeats, limit_s, total_s, keys;
    const char *saved[SAVED_MOST]; /* --from */
    size_t saved_count;
    const char *texts[TEXTS_MOST]; /* --row */
    size_t text_count;
};

/* Take the standard output for `--json -`, and send what is printed to the standard error. */
static FILE *take_output(void)
{
    const int kept = dup(STDOUT_FILENO);
    FILE *output = kept >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? fdopen(kept, "w") : NULL;
    if (!output)
        bench_fail("the standard output cannot be taken: %s", strerror(errno));
    return output;
}

/* Nothing is measured for a file that cannot be written. */
static bool check_paths(const struct request *request)
{
    const char *const paths[] = { request->json, request->html, request->svg };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (paths[i] && !(paths[i] == request->json && request->json_output) &&
            !outfile_can_be_written(paths[i]))
            return bench_fail("%s cannot be written: %s", paths[i], strerror(errno));
    return true;
}

static json_t *describe_device(const struct bench *bench)
{
    const clade_context *context = bench->context;
    cl_device_id device = clade_context_cl_device(context);
    char name[256] = "", driver[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL);
    printf("%s, driver %s, %s%s\n", name, driver, version,
           bench->counts_processors ? "; times are those of processors" : "");
    fflush(stdout); /* a reader of a pipe sees that it has begun */
    return json_pack("{s:s, s:s, s:s, s:i}", "name", name, "driver", driver, "version", version,
                     "compute_units", (int)clade_context_caps(context)->compute_units);
}

static struct bench_cost cost_of(const struct bench *bench, const struct bench_suite *suite)
{
    return bench->is_quick                              ? suite->quick
           : clade_context_caps(bench->context)->is_cpu ? suite->cpu
                                                        : suite->gpu;
}

/* What a suite has found; `tables` becomes the entry's. */
static json_t *suite_entry(const struct bench *bench, bool complete, json_t *tables)
{
    return json_pack("{s:s, s:b, s:b, s:b, s:i, s:f, s:o}", "name", bench->suite, "complete",
                     complete, "right", bench->wrong == bench->wrong_before, "in_time",
                     !bench_is_over(bench), "measurements", (int)bench->measured, "seconds",
                     (bench_now_ms() - bench->suite_begin_ms) * 1e-3, "tables", tables);
}

/* Run one suite; what it found is added to `found`. */
static bool run_suite(struct bench *bench, const struct bench_suite *suite, json_t *found)
{
    bench->wrong_before = bench->wrong;
    bench->suite_begin_ms = bench_now_ms();
    bench->suite = suite->name;
    bench->listed = suite;
    bench->table = NULL;
    bench->measured = 0;
    if (!bench_tables_begin(bench))
        return bench_fail("memory is out");
    bool fine = suite->run(bench);
    const char *lacked = bench_published_lacks(bench->tables, suite->name);
    bench_published(bench, suite->name);
    bench_progress_end(bench);
    if (fine && lacked)
        fine = bench_fail("figures were published beside the column \"%s\", and there is none",
                          lacked);
    else if (!fine)
        bench_fail("%s did not come to its end", suite->name);
    bench_results_lock();
    if (json_array_append_new(found, suite_entry(bench, fine && !bench_is_interrupted(),
                                                 bench_tables_end(bench))) != 0)
        bench->memory_is_out = true;
    bench_results_unlock();
    return fine;
}

static bool dump_json(FILE *out, const json_t *root)
{
    return json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(7)) == 0;
}

static bool write_json(const char *path, const json_t *root)
{
    struct outfile out;
    if (outfile_open(&out, path) && !dump_json(out.file, root) && !ferror(out.file)) {
        outfile_discard(&out);
        return bench_fail("memory is out: %s is not written", path);
    }
    return outfile_close(&out) || bench_fail("%s cannot be written: %s", path, strerror(errno));
}

static bool print_json(FILE *output, const json_t *root)
{
    return (dump_json(output, root) && putc('\n', output) != EOF && fflush(output) == 0) ||
           bench_fail("the output cannot be written: %s", strerror(errno));
}

static bool are_complete(const json_t *found)
{
    size_t i;
    json_t *suite;
    json_array_foreach(found, i, suite)
    {
        if (!json_is_true(json_object_get(suite, "complete")))
            return false;
    }
    return true;
}

static struct bench_choice choice_of(const struct request *request)
{
    return (struct bench_choice) { request->tables, request->texts, request->text_count };
}

/* The files that are asked for; the standard output when this is the last time. */
static bool write_files(const struct request *request, const json_t *root, bool is_last)
{
    const struct bench_choice choice = choice_of(request);
    bool fine = true;
    if (request->json && !request->json_output)
        fine = write_json(request->json, root);
    if (fine && request->json_output && is_last)
        fine = print_json(request->json_output, root);
    if (fine && request->html)
        fine = bench_write_page(request->html, root);
    if (fine && request->svg && (!is_last || bench_picture_has(root, &choice)))
        fine = bench_write_picture(request->svg, root, &choice);
    return fine;
}

/* The files, with what was measured by now. */
static bool write_found(const struct bench *bench, const struct request *request, json_t *device,
                        json_t *found, bool is_last)
{
    const bool complete = is_last && !bench_is_interrupted() && are_complete(found);
    json_t *root = json_pack("{s:s, s:O, s:b, s:b, s:b, s:i, s:i, s:O}", "version", clade_version(),
                             "device", device, "complete", complete, "quick", bench->is_quick,
                             "processors", bench->counts_processors, "warmups", (int)bench->warmups,
                             "repeats", (int)bench->repeats, "suites", found);
    const bool fine = root && !bench->memory_is_out
                          ? write_files(request, root, is_last)
                          : bench_fail("memory is out: no file is written");
    json_decref(root);
    return fine;
}

/* All that write_cut() needs, in its thread. */
struct results {
    struct bench *bench;
    const struct request *request;
    json_t *device, *found; /* NULL: nothing was begun */
};

/* The results are locked, and the command does not come to its end: write what is whole. */
static void write_cut(void *data)
{
    const struct results *r = data;
    if (r->found && (r->request->json || r->request->html || r->request->svg)) {
        json_t *found = json_copy(r->found);
        if (r->bench->tables)
            json_array_append_new(found,
                                  suite_entry(r->bench, false, json_incref(r->bench->tables)));
        write_found(r->bench, r->request, r->device, found, true);
    }
    bench_progress_end(r->bench);
    bench_fail("interrupted in the middle of a run: what was not measured by then is left out");
}

/* A suite's part of the time that is left; half of its part of all at least, when others took too
 * long. */
static double suite_end(const struct bench *bench, double seconds, double all, double before)
{
    const double now = bench_now_ms(),
                 least = (bench->end_ms - bench->begin_ms) * seconds / all / 2;
    const double part = (bench->end_ms - now) * seconds / (all - before);
    return now + (part > least ? part : least);
}

/* Run the suites, in order. The files are written after each, so that what stops the command
 * leaves what was found. The first is begun in any case: it sees a signal itself, and then the
 * files say that it was cut. */
static bool run_suites(struct results *results, const struct bench_suite *const *wanted,
                       size_t count)
{
    struct bench *bench = results->bench;
    const struct request *request = results->request;
    json_t *const device = results->device, *const found = json_array();
    bench_results_lock();
    results->found = found;
    bench_results_unlock();
    double all = 0, before = 0;
    bool fine = device && found;
    if (!fine)
        bench_fail("memory is out");
    for (size_t i = 0; i < count; i++)
        all += cost_of(bench, wanted[i]).seconds;
    for (size_t i = 0; fine && i < count && (i == 0 || !bench_is_interrupted()); i++) {
        const struct bench_cost cost = cost_of(bench, wanted[i]);
        bench->share_before = before / all;
        bench->share = cost.seconds / all;
        bench->expected = cost.measurements;
        if (bench->end_ms > 0)
            bench->suite_end_ms = suite_end(bench, cost.seconds, all, before);
        fine = run_suite(bench, wanted[i], found);
        before += cost.seconds;
        const bool is_last = !fine || i + 1 == count || bench_is_interrupted();
        bench_results_lock();
        if (request->json || request->html || request->svg)
            fine = write_found(bench, request, device, found, is_last) && fine;
        results->found = is_last ? NULL : found;
        bench_results_unlock();
    }
    bench_results_lock();
    /* A signal came between two suites. */
    if (results->found && bench_is_interrupted() &&
        (request->json || request->html || request->svg))
        fine = write_found(bench, request, device, found, true) && fine;
    results->found = NULL;
    bench_results_are_written();
    bench_results_unlock();
    json_decref(found);
    return fine;
}

static int run(const struct request *request, char **names, size_t name_count)
{
    const struct bench_suite **wanted =
        bench_alloc(name_count > 0 ? name_count : suite_count, sizeof(struct bench_suite *));
    struct bench bench = {
        .is_quick = request->is_quick,
        .warmups = 1,
        .repeats = (unsigned)request->repeats,
        .limit_ms = 1e3 * (double)request->limit_s,
        .begin_ms = bench_now_ms(),
        .shows_progress = isatty(STDERR_FILENO),
        .has_events = request->events,
        .is_alone = request->alone,
        .counts_processors = request->processors,
        .keys = request->keys,
        .only = request->tables,
    };
    bool fine = wanted != NULL;
    struct results results = { .bench = &bench, .request = request };
    bench_catch_signals(write_cut, &results);
    if (request->total_s > 0)
        bench.end_ms = bench.begin_ms + 1e3 * (double)request->total_s;
    const clade_context_params params = { .device = request->device,
                                          .profiling = request->events,
                                          .on_launch = request->events ? launches_add : NULL,
                                          .on_launch_data = &bench.launches,
                                          .on_compile = progress_compile };
    if (clade_context_create(&bench.context, &params) != CLADE_OK) {
        free(wanted);
        return report_error();
    }
    const size_t count = name_count > 0 ? name_count : suite_count;
    for (size_t i = 0; fine && i < count; i++)
        wanted[i] = name_count > 0 ? bench_find_suite(names[i]) : suites[i];
    json_t *device = describe_device(&bench);
    results.device = device;
    fine = fine && run_suites(&results, wanted, count);
    if (fine && request->tables && !bench.has_rows && !bench_is_interrupted())
        fine = bench_fail("of the table \"%s\" nothing was measured", request->tables);
    if (bench_is_interrupted())
        fine = bench_fail("interrupted: what was not measured by then is left out");
    if (bench.unlisted)
        fine = bench_fail("the list of tables lacks \"%s\"", bench.unlisted);
    if (bench.wrong)
        fine = bench_fail("%llu measurements had WRONG RESULTS", (unsigned long long)bench.wrong);
    json_decref(device);
    clade_context_destroy(&bench.context);
    launches_free(&bench.launches);
    free(wanted);
    return fine ? EXIT_DONE : EXIT_FAILED;
}

/* The suites of saved files that are asked for, in that order, or all; shown once more. NULL after
 * saying why. */
static json_t *show_suites(struct bench *bench, const json_t *saved, char **names,
                           size_t name_count)
{
    json_t *found = json_array(), *suite;
    bool fine = found || bench_fail("memory is out");
    for (size_t n = 0; n < (name_count ? name_count : 1); n++) {
        size_t i;
        json_array_foreach(saved, i, suite)
        {
            const char *name = json_string_value(json_object_get(suite, "name"));
            const struct bench_suite *listed = bench_find_suite(name);
            if (!fine || (name_count && strcmp(name, names[n]) != 0))
                continue;
            fine = listed || bench_fail("the files have a suite \"%s\"; there is none", name);
            json_t *shown = fine ? bench_show_saved(bench, listed, suite) : NULL;
            fine = fine && shown && json_array_append_new(found, shown) == 0;
        }
    }
    if (fine && bench->unlisted)
        fine = bench_fail("the files have a table \"%s\"; there is none", bench->unlisted);
    if (fine && json_array_size(found) == 0)
        fine = bench_fail("none of these suites is in the files");
    if (fine)
        return found;
    json_decref(found);
    return NULL;
}

/* Nothing is measured: tables of files, shown once more and written as the request says. */
static int show(const struct request *request, char **names, size_t name_count)
{
    json_t *root = bench_read_saved(request->saved, request->saved_count);
    if (!root)
        return EXIT_USAGE;
    struct bench bench = { .only = request->tables };
    const struct bench_choice choice = choice_of(request);
    json_t *found = show_suites(&bench, json_object_get(root, "suites"), names, name_count);
    bool fine = found && json_object_set_new(root, "suites", found) == 0;
    int result =
        fine && (!request->svg || bench_picture_has(root, &choice)) ? EXIT_DONE : EXIT_USAGE;
    if (bench.memory_is_out || (result == EXIT_DONE && !write_files(request, root, true)))
        result = EXIT_FAILED;
    json_decref(root);
    return result;
}

static int print_suites(void)
{
    for (size_t i = 0; i < suite_count; i++)
        printf("%-10s %s\n", suites[i]->name, suites[i]->summary);
    return EXIT_DONE;
}

/* Run what the command line asks for, when its tables are known and its files can be written. */
static int run_request(struct request *request, char **names, size_t name_count)
{
    if (!check_tables(names, name_count, request->tables))
        return EXIT_USAGE;
    if (request->json && strcmp(request->json, "-") == 0 && !(request->json_output = take_output()))
        return EXIT_FAILED;
    int result = EXIT_FAILED;
    if (check_paths(request))
        result = request->saved_count ? show(request, names, name_count)
                                      : run(request, names, name_count);
    if (request->json_output && fclose(request->json_output) != 0)
        result = EXIT_FAILED;
    return result;
}

/* One more of a list of a command line. */
static bool add_to(const char **list, size_t *count, size_t most, const char *what)
{
    if (*count == most) {
        report_usage("bench", "at most %zu are taken, and \"%s\" is one more", most, what);
        return false;
    }
    list[(*count)++] = what;
    return true;
}

/* Texts as they are, numbers only where they make sense. */
static bool take_option(struct request *request, int option, const char *value)
{
    request->lists = request->lists || option == 'l';
    request->is_quick = request->is_quick || option == 'q';
    request->events = request->events || option == 'e';
    request->alone = request->alone || option == 'o';
    request->processors = request->processors || option == 'p';
    request->measures = request->measures || strchr("dqeortapk", option);
    request->device = option == 'd' ? value : request->device;
    request->json = option == 'j' ? value : request->json;
    request->html = option == 'h' ? value : request->html;
    request->svg = option == 's' ? value : request->svg;
    request->tables = option == 'b' ? value : request->tables;
    if (option == 'f')
        return add_to(request->saved, &request->saved_count, SAVED_MOST, value);
    if (option == 'w')
        return add_to(request->texts, &request->text_count, TEXTS_MOST, value);
    if (option == 'r' && !option_number(value, 1, 1000, &request->repeats))
        report_usage("bench", "\"%s\" repetitions: a number from 1 to 1000", value);
    else if (option == 't' && !option_number(value, 1, 3600, &request->limit_s))
        report_usage("bench", "a limit of \"%s\": a number from 1 to 3600", value);
    else if (option == 'k' && !option_number(value, 1 << 10, 1u << 26, &request->keys))
        report_usage("bench", "\"%s\" keys: a number from 1024 to 67108864", value);
    else if (option == 'a' && !option_number(value, 1, 86400, &request->total_s))
        report_usage("bench", "a total of \"%s\": a number from 1 to 86400", value);
    else
        return true;
    return false;
}

/* Options that stand for something else than they say are refused. */
static bool check_together(const struct request *request)
{
    if (request->saved_count && request->measures)
        report_usage("bench", "--from shows what was measured before: options for measuring are "
                              "not for it");
    else if (request->text_count && !request->svg)
        report_usage("bench", "--row chooses what --svg draws");
    else
        return true;
    return false;
}

int command_bench(int argc, char **argv)
{
    static const struct option known[] = {
        { "list", no_argument, NULL, 'l' },
        { "device", required_argument, NULL, 'd' },
        { "quick", no_argument, NULL, 'q' },
        { "events", no_argument, NULL, 'e' },
        { "json", required_argument, NULL, 'j' },
        { "html", required_argument, NULL, 'h' },
        { "repeat", required_argument, NULL, 'r' },
        { "limit", required_argument, NULL, 't' },
        { "total", required_argument, NULL, 'a' },
        { "alone", no_argument, NULL, 'o' },
        { "table", required_argument, NULL, 'b' },
        { "keys", required_argument, NULL, 'k' },
        { "processors", no_argument, NULL, 'p' },
        { "svg", required_argument, NULL, 's' },
        { "from", required_argument, NULL, 'f' },
        { "row", required_argument, NULL, 'w' },
        { NULL, 0, NULL, 0 },
    };
    struct request request = { .repeats = 5, .limit_s = 5 };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == '?')
            return report_usage("bench", "\"%s\" is no argument of it, or lacks its value",
                                argv[optind - 1]);
        if (!take_option(&request, option, optarg))
            return EXIT_USAGE;
    }
    for (int i = optind; i < argc; i++)
        if (!bench_find_suite(argv[i]))
            return report_usage("bench", "there is no suite \"%s\"; --list names them", argv[i]);
    if (!check_together(&request))
        return EXIT_USAGE;
    return request.lists ? print_suites()
                         : run_request(&request, argv + optind, (size_t)(argc - optind));
}
