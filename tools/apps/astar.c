/* SPDX-License-Identifier: Apache-2.0 */
/* `clade astar`: a shortest way through a grid with obstacles, or in a graph whose nodes' places
 * are known, on the device. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/astar_task.h"
#include "command/clade.h"
#include "common/options.h"
#include "common/outfile.h"
#include "common/progress.h"

struct arguments {
    struct astar_source source;
    const char *device, *out;
    bool check, heap;
    uint64_t capacity;
    uint32_t engine;
};

static int fail(const char *sentence)
{
    fprintf(stderr, "clade: %s\n", sentence);
    return EXIT_FAILED;
}

/* --- arguments -------------------------------------------------------------------------------- */

enum {
    DEVICE = 256,
    OUT,
    WRITE,
    SIZE,
    OBSTACLES,
    SEED,
    FROM,
    TO,
    CO,
    CHECK,
    HEAP,
    CAPACITY,
    ENGINE
};

static const struct option known[] = { { "device", required_argument, NULL, DEVICE },
                                       { "out", required_argument, NULL, OUT },
                                       { "write", required_argument, NULL, WRITE },
                                       { "size", required_argument, NULL, SIZE },
                                       { "obstacles", required_argument, NULL, OBSTACLES },
                                       { "seed", required_argument, NULL, SEED },
                                       { "from", required_argument, NULL, FROM },
                                       { "to", required_argument, NULL, TO },
                                       { "co", required_argument, NULL, CO },
                                       { "check", no_argument, NULL, CHECK },
                                       { "heap", no_argument, NULL, HEAP },
                                       { "capacity", required_argument, NULL, CAPACITY },
                                       { "engine", required_argument, NULL, ENGINE },
                                       { NULL, 0, NULL, 0 } };

/* Options that only keep their text. */
static const char **text_of(struct arguments *a, int option)
{
    switch (option) {
    case DEVICE:
        return &a->device;
    case OUT:
        return &a->out;
    case WRITE:
        return &a->source.write;
    case FROM:
        return &a->source.from;
    case TO:
        return &a->source.to;
    case CO:
        return &a->source.co;
    default:
        return NULL;
    }
}

static bool parse_option(struct arguments *a, int option, const char *text)
{
    switch (option) {
    case SIZE:
        return astar_size(text, &a->source);
    case OBSTACLES:
        return option_number(text, 0, 99, &a->source.percent);
    case SEED:
        return option_number(text, 0, UINT64_MAX, &a->source.seed);
    case CHECK:
        a->check = true;
        return true;
    case HEAP:
        a->heap = true;
        return true;
    case CAPACITY:
        a->heap = true;
        return option_number(text, 1, UINT32_MAX, &a->capacity);
    case ENGINE:
        a->heap = true;
        return option_engine(text, &a->engine);
    default:
        return false;
    }
}

/* A file or a size; with a graph its coordinates and both ends, and no heap. */
static bool are_complete(const struct arguments *a)
{
    const struct astar_source *s = &a->source;
    if (s->co)
        return s->file && s->from && s->to && !a->heap && !s->write && s->width == 0;
    return !s->file == (s->width > 0);
}

static bool parse(struct arguments *a, int argc, char **argv)
{
    *a = (struct arguments) { .source = { .percent = 20, .seed = 1 } };
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        const char **text = text_of(a, c);
        if (text)
            *text = optarg;
        else if (!parse_option(a, c, optarg))
            return false;
    }
    if (optind < argc)
        a->source.file = argv[optind++];
    a->source.has_graph = a->check || !a->heap;
    return optind == argc && are_complete(a);
}

/* --- the command ------------------------------------------------------------------------------ */

static void show_progress(void *user, uint64_t explored)
{
    (void)user;
    fprintf(stderr, "\r\033[K%" PRIu64 " cells explored", explored);
    fflush(stderr);
}

/* "X Y" a line, or a node's number. */
static int write_way(const char *path, const struct astar_task *t,
                     const struct astar_result *result)
{
    struct outfile out;
    FILE *file = outfile_open(&out, path);
    for (uint64_t i = 0; file && i < result->nodes; i++)
        if (t->map.blocked)
            fprintf(file, "%" PRIu32 " %" PRIu32 "\n", result->way[i] % t->map.width,
                    result->way[i] / t->map.width);
        else
            fprintf(file, "%" PRIu32 "\n", result->way[i] + t->graph.first_id);
    if (outfile_close(&out))
        return EXIT_DONE;
    fprintf(stderr, "clade: cannot write %s: %s\n", path, strerror(errno));
    return EXIT_FAILED;
}

static bool solve(const struct arguments *a, const struct astar_task *t,
                  struct astar_result *result)
{
    const bool terminal = isatty(STDERR_FILENO);
    const struct astar_params params = { .from = t->problem.from,
                                         .to = t->problem.to,
                                         .engine = a->engine,
                                         .heap = a->capacity,
                                         .progress = terminal ? show_progress : NULL };
    const clade_context_params how = { .device = a->device, .on_compile = progress_compile };
    clade_context *context = NULL;
    if (clade_context_create(&context, &how) != CLADE_OK) {
        report_error();
        return false;
    }
    const bool solved = a->heap ? astar_solve_by_heap(result, context, &t->map, &params)
                                : astar_solve_by_paths(result, context, &t->problem);
    if (terminal)
        fprintf(stderr, "\r\033[K");
    clade_context_destroy(&context);
    if (!solved)
        fail(result->error);
    return solved;
}

/* The way is one of its length, and one core's search finds none that is shorter. */
static int check(const struct astar_task *t, const struct astar_result *result,
                 struct astar_result *on_host)
{
    const char *why;
    if (!astar_solve_on_host(on_host, &t->problem))
        return fail(on_host->error);
    free(on_host->way);
    if (result->length != on_host->length) {
        fprintf(stderr,
                "clade: the way found costs %" PRIu64 ", that of one core's A* %" PRIu64 "\n",
                result->length, on_host->length);
        return EXIT_FAILED;
    }
    if (result->way && !astar_is_way(result, &t->problem, &why))
        return fail(why);
    return EXIT_DONE;
}

static void print(const struct arguments *a, const struct astar_task *t,
                  const struct astar_result *result, const struct astar_result *on_host)
{
    const bool reached = result->length != DISTANCE_NONE;
    printf("reached %d\n", reached);
    if (reached)
        printf("length %" PRIu64 "\n%s %" PRIu64 "\n", result->length,
               t->map.blocked ? "cells" : "nodes", result->nodes);
    printf("nodes_explored %" PRIu64 "\n", result->explored);
    if (!a->heap)
        printf("graph_ms %.3f\n", result->graph_ms);
    printf("time_ms %.3f\n", result->time_ms);
    if (a->check)
        printf("astar_explored %" PRIu64 "\nastar_ms %.3f\n", on_host->explored, on_host->time_ms);
}

static int run(const struct arguments *a, const struct astar_task *t)
{
    struct astar_result result, on_host;
    if (!solve(a, t, &result))
        return EXIT_FAILED;
    int status = a->check ? check(t, &result, &on_host) : EXIT_DONE;
    if (status == EXIT_DONE && a->out)
        status = write_way(a->out, t, &result);
    if (status == EXIT_DONE)
        print(a, t, &result, &on_host);
    free(result.way);
    return status;
}

int command_astar(int argc, char **argv)
{
    struct arguments arguments;
    struct astar_task task = { 0 };
    if (!parse(&arguments, argc, argv))
        return report_usage("astar", "it takes a map file, or --size WIDTHxHEIGHT, or a graph file "
                                     "with --co FILE, --from N and --to N");
    const bool fine = astar_task_open(&task, &arguments.source);
    const int status = fine ? run(&arguments, &task) : EXIT_FAILED;
    astar_task_close(&task);
    return status;
}
