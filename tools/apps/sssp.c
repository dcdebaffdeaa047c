/* SPDX-License-Identifier: Apache-2.0 */
/* `clade sssp`: shortest paths from one node of a graph file, on the device. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/sssp.h"
#include "command/clade.h"
#include "common/clock.h"
#include "common/options.h"
#include "common/outfile.h"
#include "common/progress.h"
#include "graph/dijkstra.h"

struct arguments {
    const char *graph, *device, *out;
    uint64_t source;
    bool heap, check;
    uint32_t engine;
};

static bool parse(struct arguments *a, int argc, char **argv)
{
    static const struct option options[] = {
        { "source", required_argument, NULL, 's' }, { "device", required_argument, NULL, 'd' },
        { "out", required_argument, NULL, 'o' },    { "heap", no_argument, NULL, 'H' },
        { "no-heap", no_argument, NULL, 'n' },      { "check", no_argument, NULL, 'c' },
        { "engine", required_argument, NULL, 'e' }, { NULL, 0, NULL, 0 }
    };
    *a = (struct arguments) { .source = UINT64_MAX };
    for (int c; (c = getopt_long(argc, argv, "s:d:o:Hnce:", options, NULL)) != -1;) {
        switch (c) {
        case 's':
            if (!option_number(optarg, 0, UINT32_MAX, &a->source))
                return false;
            break;
        case 'd':
            a->device = optarg;
            break;
        case 'o':
            a->out = optarg;
            break;
        case 'H':
            a->heap = true;
            break;
        case 'n':
            a->heap = false;
            break;
        case 'c':
            a->check = true;
            break;
        case 'e':
            if (!option_engine(optarg, &a->engine))
                return false;
            a->heap = true;
            break;
        default:
            return false;
        }
    }
    if (optind + 1 != argc || a->source == UINT64_MAX)
        return false;
    a->graph = argv[optind];
    return true;
}

static void show_progress(void *user, uint64_t visited)
{
    (void)user;
    fprintf(stderr, "\r%" PRIu64 " nodes expanded", visited);
    fflush(stderr);
}

static int fail(const char *sentence)
{
    fprintf(stderr, "clade: %s\n", sentence);
    return EXIT_FAILED;
}

/* "node distance" a line, ids as in the file; nodes that are not reached are left out. */
static int write_distances(const char *path, const struct graph *graph, const uint64_t *distance)
{
    struct outfile out;
    FILE *file = outfile_open(&out, path);
    for (uint64_t v = 0; file && v < graph->nodes; v++)
        if (distance[v] != DISTANCE_NONE)
            fprintf(file, "%" PRIu64 " %" PRIu64 "\n", v + graph->first_id, distance[v]);
    if (outfile_close(&out))
        return EXIT_DONE;
    fprintf(stderr, "clade: cannot write %s: %s\n", path, strerror(errno));
    return EXIT_FAILED;
}

static int check_distances(const struct graph *graph, uint64_t source, const uint64_t *distance,
                           double *time_ms)
{
    struct file_error error;
    uint64_t *expected = malloc((size_t)graph->nodes * sizeof *expected);
    int result = EXIT_DONE;
    if (!expected)
        return fail("host memory is out");
    const double begin = now_ms();
    if (!dijkstra(expected, graph, source, &error))
        result = fail(error.text);
    *time_ms = now_ms() - begin;
    for (uint64_t v = 0; result == EXIT_DONE && v < graph->nodes; v++) {
        if (distance[v] == expected[v])
            continue;
        fprintf(stderr,
                "clade: node %" PRIu64 " has distance %" PRIu64 ", Dijkstra finds %" PRIu64 "\n",
                v + graph->first_id, distance[v], expected[v]);
        result = EXIT_FAILED;
    }
    free(expected);
    return result;
}

typedef bool (*sssp_solver)(uint64_t *distance, struct sssp_result *result, clade_context *context,
                            const struct graph *graph, const struct sssp_params *params);

static int solve(const struct arguments *a, const struct graph *graph, uint64_t *distance,
                 struct sssp_result *result)
{
    const uint64_t source = a->source - graph->first_id;
    clade_context *context = NULL;
    const bool terminal = isatty(STDERR_FILENO);
    struct sssp_params params = { .source = source,
                                  .engine = a->engine,
                                  .heap = a->heap,
                                  .progress = terminal ? show_progress : NULL };
    if (clade_context_create(
            &context, &(clade_context_params) { .device = a->device,
                                                .on_compile = progress_compile }) != CLADE_OK)
        return report_error();
    const sssp_solver solver = a->heap ? sssp_solve_by_heap : sssp_solve_by_paths;
    bool solved = solver(distance, result, context, graph, &params);
    if (solved && result->too_far) { /* once more with 64 bits */
        params.wide = true;
        solved = solver(distance, result, context, graph, &params);
    }
    if (terminal)
        fprintf(stderr, "\r\033[K");
    clade_context_destroy(&context);
    if (!solved)
        return fail(result->error);
    return result->too_far ? fail("a distance does not fit in 64 bits") : EXIT_DONE;
}

static int run(const struct arguments *a, const struct graph *graph)
{
    struct sssp_result result;
    double dijkstra_ms = 0;
    if (a->source < graph->first_id || a->source - graph->first_id >= graph->nodes) {
        fprintf(stderr,
                "clade: source %" PRIu64 " is out of range: the nodes of %s are %u to %" PRIu64
                "\n",
                a->source, a->graph, graph->first_id, graph->nodes - 1 + graph->first_id);
        return EXIT_FAILED;
    }
    uint64_t *distance = malloc((size_t)graph->nodes * sizeof *distance);
    if (!distance)
        return fail("host memory is out");
    int status = solve(a, graph, distance, &result);
    if (status == EXIT_DONE && a->check)
        status = check_distances(graph, a->source - graph->first_id, distance, &dijkstra_ms);
    if (status == EXIT_DONE && a->out)
        status = write_distances(a->out, graph, distance);
    if (status == EXIT_DONE) {
        struct distance_summary summary = distance_summary(distance, graph->nodes);
        printf("reached %" PRIu64 "\nmax_distance %" PRIu64 "\nsum_distance %" PRIu64
               "\nnodes_visited %" PRIu64 "\ntime_ms %.3f\n",
               summary.reached, summary.max, summary.sum, result.visited, result.time_ms);
        if (a->check)
            printf("dijkstra_ms %.3f\n", dijkstra_ms);
    }
    free(distance);
    return status;
}

int command_sssp(int argc, char **argv)
{
    struct arguments arguments;
    struct graph graph = { 0 };
    struct file_error error;
    if (!parse(&arguments, argc, argv))
        return report_usage("sssp", "it takes a graph file and --source N");
    if (!graph_read(&graph, arguments.graph, &error))
        return fail(error.text);
    int status = run(&arguments, &graph);
    graph_free(&graph);
    return status;
}
