/* SPDX-License-Identifier: Apache-2.0 */
/* `clade-mpi sssp`: shortest paths in a graph from a file. Each rank reads the file, and its device
 * gets a part of the graph. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/options.h"
#include "common/outfile.h"
#include "graph/dijkstra.h"
#include "graph/graph.h"
#include "mpi/ranks.h"

struct job {
    const char *path, *device, *out;
    uint64_t source;
    bool by_nodes, check, wide;
    struct graph graph;
    uint64_t first, count; /* this rank's nodes */
    uint32_t *offsets;     /* of them */
    void *lengths;         /* uint32_t, or uint64_t if `wide` */
    uint64_t *distance;    /* as Dijkstra's algorithm tells them */
    clade_mpi_paths_stats stats;
    double ms;
};

static bool parse(struct job *job, int argc, char **argv)
{
    static const struct option options[] = {
        { "source", required_argument, NULL, 's' }, { "device", required_argument, NULL, 'd' },
        { "out", required_argument, NULL, 'o' },    { "nodes", no_argument, NULL, 'n' },
        { "check", no_argument, NULL, 'c' },        { NULL, 0, NULL, 0 },
    };
    job->source = UINT64_MAX;
    for (int c; (c = getopt_long(argc, argv, "s:d:o:nc", options, NULL)) != -1;) {
        if (c == '?' || (c == 's' && !option_number(optarg, 0, UINT32_MAX, &job->source)))
            return false;
        job->device = c == 'd' ? optarg : job->device;
        job->out = c == 'o' ? optarg : job->out;
        job->by_nodes = job->by_nodes || c == 'n';
        job->check = job->check || c == 'c';
    }
    if (optind + 1 != argc || job->source == UINT64_MAX)
        return false;
    job->path = argv[optind];
    return true;
}

/* --- the part --------------------------------------------------------------------------------- */

static clade_status read_graph(struct job *job)
{
    struct file_error error;
    struct graph *graph = &job->graph;
    if (!graph_read(graph, job->path, &error))
        return ranks_fail(CLADE_E_IO, "%s", error.text);
    if (job->source < graph->first_id || job->source - graph->first_id >= graph->nodes)
        return ranks_fail(
            CLADE_E_ARG, "source %" PRIu64 " is out of range: the nodes of %s are %u to %" PRIu64,
            job->source, job->path, graph->first_id, graph->nodes - 1 + graph->first_id);
    job->source -= graph->first_id;
    return CLADE_OK;
}

static uint64_t mixed(uint64_t sum, const uint32_t *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        sum = (sum ^ words[i]) * 0x9e3779b97f4a7c15u + (sum >> 29);
    return sum;
}

/* Each rank reads the file by itself: parts of different graphs would make up a third one, as when
 * the file is replaced meanwhile, or hosts have copies of their own. */
static clade_status check_alike(const struct job *job)
{
    const struct graph *graph = &job->graph;
    uint64_t sum = graph->nodes * 31 + graph->arcs;
    for (uint64_t v = 0; v <= graph->nodes; v++)
        sum = (sum ^ graph->first[v]) * 0xd6e8feb86659fd93u + (sum >> 31);
    sum = mixed(mixed(sum, graph->target, graph->arcs), graph->weight, graph->arcs);
    uint64_t bounds[2] = { sum ^ job->source, ~(sum ^ job->source) }, both[2];
    MPI_Allreduce(bounds, both, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (both[0] != ~both[1])
        return ranks_fail(CLADE_E_CORRUPT,
                          "the ranks read different graphs: is %s another file on "
                          "some host, or was it changed?",
                          job->path);
    return CLADE_OK;
}

static clade_status take_share(struct job *job)
{
    const struct graph *graph = &job->graph;
    const clade_status status = clade_mpi_graph_share(
        ranks_all, graph->nodes, job->by_nodes ? NULL : graph->first, &job->first, &job->count);
    if (status != CLADE_OK)
        return status;
    const uint64_t begin = graph->first[job->first];
    if (graph->first[job->first + job->count] - begin > CLADE_GRAPH_ARCS_MAX)
        return ranks_fail(CLADE_E_ARG, "a part has more than %u arcs: take more ranks",
                          CLADE_GRAPH_ARCS_MAX);
    job->offsets = malloc((size_t)(job->count + 1) * sizeof *job->offsets);
    job->lengths = malloc((size_t)job->count * 8 + 1);
    job->distance = malloc((size_t)job->count * sizeof *job->distance + 1);
    if (!job->offsets || !job->lengths || !job->distance)
        return ranks_fail(CLADE_E_NOMEM, "host memory is out");
    for (uint64_t v = 0; v <= job->count; v++)
        job->offsets[v] = (uint32_t)(graph->first[job->first + v] - begin);
    return CLADE_OK;
}

static clade_status open_graph(clade_mpi_graph **graph, const struct job *job,
                               clade_context *context)
{
    const uint64_t begin = job->graph.first[job->first];
    const clade_graph_params params = {
        .nodes = job->count,
        .arcs = job->offsets[job->count],
        .offsets = clade_host(job->offsets),
        .targets = clade_host(job->graph.target + begin),
        .weights = clade_host(job->graph.weight + begin),
    };
    return clade_mpi_graph_create(graph, ranks_all, context, &params);
}

/* --- the search ------------------------------------------------------------------------------- */

/* Twice: the first search compiles. */
static clade_status search(struct job *job, clade_mpi_graph *graph)
{
    clade_mpi_paths *paths = NULL;
    const uint32_t source = (uint32_t)job->source;
    const bool is_first = clade_mpi_rank(ranks_all) == 0;
    const clade_paths_params params = { .wide = job->wide };
    const clade_paths_query query = { .sources = clade_host(&source), .source_count = is_first };
    clade_status status = clade_mpi_paths_create(&paths, graph, &params);
    for (int run = 0; run < 2 && status == CLADE_OK; run++) {
        const double start = now_ms();
        status = clade_mpi_paths_run(paths, &query);
        job->ms = now_ms() - start;
    }
    if (status == CLADE_OK)
        status = clade_mpi_paths_read(paths, clade_host(job->lengths), clade_no_array());
    if (status == CLADE_OK)
        status = clade_mpi_paths_stats_read(paths, &job->stats);
    clade_mpi_paths_destroy(&paths);
    return status;
}

static void widen(struct job *job)
{
    for (uint64_t v = 0; v < job->count; v++) {
        const uint32_t narrow = job->wide ? 0 : ((const uint32_t *)job->lengths)[v];
        job->distance[v] = job->wide              ? ((const uint64_t *)job->lengths)[v]
                           : narrow == UINT32_MAX ? DISTANCE_NONE
                                                  : narrow;
    }
}

static clade_status solve(struct job *job)
{
    clade_context *context = NULL;
    clade_mpi_graph *graph = NULL;
    const clade_context_params params = { .device = job->device };
    clade_status status = clade_mpi_agree(ranks_all, read_graph(job));
    if (status == CLADE_OK)
        status = clade_mpi_agree(ranks_all, check_alike(job));
    if (status == CLADE_OK)
        status = clade_mpi_agree(ranks_all, take_share(job));
    if (status == CLADE_OK)
        status = clade_mpi_context_create(&context, ranks_all, &params);
    if (status == CLADE_OK)
        status = open_graph(&graph, job, context);
    if (status == CLADE_OK)
        status = search(job, graph);
    if (status == CLADE_E_FULL) { /* once more with 64 bits */
        job->wide = true;
        status = search(job, graph);
    }
    clade_mpi_graph_destroy(&graph);
    clade_context_destroy(&context);
    if (status == CLADE_OK)
        widen(job);
    return status;
}

/* --- what came out ---------------------------------------------------------------------------- */

static clade_status check(const struct job *job)
{
    struct file_error error;
    clade_status status = CLADE_OK;
    uint64_t *expected = malloc((size_t)job->graph.nodes * sizeof *expected);
    if (!expected)
        return ranks_fail(CLADE_E_NOMEM, "host memory is out");
    if (!dijkstra(expected, &job->graph, job->source, &error))
        status = ranks_fail(CLADE_E_NOMEM, "%s", error.text);
    for (uint64_t v = 0; v < job->count && status == CLADE_OK; v++)
        if (job->distance[v] != expected[job->first + v])
            status = ranks_fail(
                CLADE_E_CORRUPT,
                "node %" PRIu64 " has distance %" PRIu64 ", Dijkstra finds %" PRIu64,
                job->first + v + job->graph.first_id, job->distance[v], expected[job->first + v]);
    free(expected);
    return status;
}

static void print_nodes(FILE *file, const uint64_t *distance, uint64_t count, uint64_t first)
{
    for (uint64_t v = 0; file && v < count; v++)
        if (distance[v] != DISTANCE_NONE)
            fprintf(file, "%" PRIu64 " %" PRIu64 "\n", first + v, distance[v]);
}

/* Rank 0 writes what it has, and then what it gets from the others, one after the other and in
 * pieces: it needs no room for the whole. */
enum { PIECE = 1 << 16 };

static void send_distances(const struct job *job)
{
    MPI_Send(&job->count, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    for (uint64_t at = 0; at < job->count; at += PIECE) {
        const uint64_t left = job->count - at;
        MPI_Send(job->distance + at, (int)(left < PIECE ? left : PIECE), MPI_UINT64_T, 0, 0,
                 MPI_COMM_WORLD);
    }
}

static void receive_distances(FILE *file, int rank, uint64_t *first)
{
    static uint64_t piece[PIECE];
    uint64_t count = 0;
    MPI_Recv(&count, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (uint64_t at = 0; at < count; at += PIECE) {
        const uint64_t left = count - at, here = left < PIECE ? left : PIECE;
        MPI_Recv(piece, (int)here, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        print_nodes(file, piece, here, *first + at);
    }
    *first += count;
}

/* "node distance" a line, ids as in the file; nodes that are not reached are left out. */
static clade_status write_out(const struct job *job)
{
    struct outfile out;
    uint64_t first = job->count + job->graph.first_id;
    if (clade_mpi_rank(ranks_all) > 0) {
        send_distances(job);
        return CLADE_OK;
    }
    FILE *file = outfile_open(&out, job->out);
    print_nodes(file, job->distance, job->count, job->graph.first_id);
    for (int rank = 1; rank < clade_mpi_ranks(ranks_all); rank++)
        receive_distances(file, rank, &first);
    if (outfile_close(&out))
        return CLADE_OK;
    return ranks_fail(CLADE_E_IO, "cannot write %s: %s", job->out, strerror(errno));
}

static void print_summary(const struct job *job)
{
    const struct distance_summary own = distance_summary(job->distance, job->count);
    uint64_t sums[4] = { own.reached, own.sum, job->stats.expanded, job->stats.sent },
             max = own.max;
    MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &max, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    printf("reached %" PRIu64 "\nmax_distance %" PRIu64 "\nsum_distance %" PRIu64
           "\nnodes_visited %" PRIu64 "\nranks %d\nsteps %" PRIu64 "\nsent %" PRIu64
           "\ntime_ms %.3f\n",
           sums[0], max, sums[1], sums[2], clade_mpi_ranks(ranks_all), job->stats.steps, sums[3],
           job->ms);
}

int command_mpi_sssp(int argc, char **argv)
{
    struct job job = { 0 };
    if (!parse(&job, argc, argv))
        return report_usage("sssp", "it takes a graph file and --source N");
    clade_status status = solve(&job);
    if (status == CLADE_OK && job.check)
        status = clade_mpi_agree(ranks_all, check(&job));
    if (status == CLADE_OK && job.out)
        status = clade_mpi_agree(ranks_all, write_out(&job));
    if (status == CLADE_OK)
        print_summary(&job);
    free(job.offsets);
    free(job.lengths);
    free(job.distance);
    graph_free(&job.graph);
    return succeeded(status) ? EXIT_DONE : EXIT_FAILED;
}
