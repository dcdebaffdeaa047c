/* SPDX-License-Identifier: Apache-2.0 */
/* `clade astar`: a shortest way through a grid with obstacles, on the device. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/clade.h"
#include "common/options.h"
#include "common/outfile.h"
#include "common/progress.h"
#include "search/astar.h"

/* A cell as "X,Y"; UINT64_MAX: not given. */
struct place {
    uint64_t x, y;
};

struct arguments {
    const char *file, *device, *out, *write;
    uint64_t width, height, percent, seed;
    struct place from, to;
    bool check;
    uint64_t heap;
    uint32_t engine;
};

static int fail(const char *sentence)
{
    fprintf(stderr, "clade: %s\n", sentence);
    return EXIT_FAILED;
}

/* --- arguments -------------------------------------------------------------------------------- */

/* Two numbers with `between` between them. */
static bool parse_pair(const char *text, char between, uint64_t *first, uint64_t *second)
{
    char copy[48], *middle;
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    middle = strchr(copy, between);
    if (!middle)
        return false;
    *middle = '\0';
    return option_number(copy, 0, GRIDMAP_CELLS_MAX, first) &&
           option_number(middle + 1, 0, GRIDMAP_CELLS_MAX, second);
}

enum { DEVICE = 256, OUT, WRITE, SIZE, OBSTACLES, SEED, FROM, TO, CHECK, HEAP, ENGINE };

static const struct option known[] = { { "device", required_argument, NULL, DEVICE },
                                       { "out", required_argument, NULL, OUT },
                                       { "write", required_argument, NULL, WRITE },
                                       { "size", required_argument, NULL, SIZE },
                                       { "obstacles", required_argument, NULL, OBSTACLES },
                                       { "seed", required_argument, NULL, SEED },
                                       { "from", required_argument, NULL, FROM },
                                       { "to", required_argument, NULL, TO },
                                       { "check", no_argument, NULL, CHECK },
                                       { "heap", required_argument, NULL, HEAP },
                                       { "engine", required_argument, NULL, ENGINE },
                                       { NULL, 0, NULL, 0 } };

static bool parse_option(struct arguments *a, int option, const char *text)
{
    switch (option) {
    case DEVICE:
        a->device = text;
        return true;
    case OUT:
        a->out = text;
        return true;
    case WRITE:
        a->write = text;
        return true;
    case SIZE:
        return parse_pair(text, 'x', &a->width, &a->height) && a->width > 0 && a->height > 0 &&
               a->width * a->height <= GRIDMAP_CELLS_MAX;
    case OBSTACLES:
        return option_number(text, 0, 99, &a->percent);
    case SEED:
        return option_number(text, 0, UINT64_MAX, &a->seed);
    case FROM:
        return parse_pair(text, ',', &a->from.x, &a->from.y);
    case TO:
        return parse_pair(text, ',', &a->to.x, &a->to.y);
    case CHECK:
        a->check = true;
        return true;
    case ENGINE:
        return option_engine(text, &a->engine);
    case HEAP:
        return option_number(text, 1, UINT32_MAX, &a->heap);
    default:
        return false;
    }
}

static bool parse(struct arguments *a, int argc, char **argv)
{
    const struct place none = { UINT64_MAX, UINT64_MAX };
    *a = (struct arguments) { .percent = 20, .seed = 1, .from = none, .to = none };
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (!parse_option(a, c, optarg))
            return false;
    if (optind < argc)
        a->file = argv[optind++];
    return optind == argc && !a->file == (a->width > 0);
}

/* --- the command ------------------------------------------------------------------------------ */

static bool choose_cell(const struct gridmap *map, const char *what, struct place place,
                        uint32_t otherwise, uint32_t *cell)
{
    *cell = otherwise;
    if (place.x != UINT64_MAX) {
        if (place.x >= map->width || place.y >= map->height) {
            fprintf(stderr,
                    "clade: the %s %" PRIu64 ",%" PRIu64 " is outside the map of %" PRIu32
                    " by %" PRIu32 " cells\n",
                    what, place.x, place.y, map->width, map->height);
            return false;
        }
        *cell = (uint32_t)(place.y * map->width + place.x);
    }
    if (!map->blocked[*cell])
        return true;
    fprintf(stderr, "clade: the %s %" PRIu32 ",%" PRIu32 " is an obstacle\n", what,
            *cell % map->width, *cell / map->width);
    return false;
}

static void show_progress(void *user, uint64_t explored)
{
    (void)user;
    fprintf(stderr, "\r\033[K%" PRIu64 " cells explored", explored);
    fflush(stderr);
}

/* "X Y" a line. */
static int write_way(const char *path, const struct gridmap *map, const struct astar_result *result)
{
    struct outfile out;
    FILE *file = outfile_open(&out, path);
    for (uint64_t i = 0; file && i < result->cells; i++)
        fprintf(file, "%" PRIu32 " %" PRIu32 "\n", result->way[i] % map->width,
                result->way[i] / map->width);
    if (outfile_close(&out))
        return EXIT_DONE;
    fprintf(stderr, "clade: cannot write %s: %s\n", path, strerror(errno));
    return EXIT_FAILED;
}

static bool is_step(const struct gridmap *map, uint32_t from, uint32_t to, uint64_t *length)
{
    uint32_t next[8], cost[8];
    const unsigned steps = gridmap_steps(map, from, next, cost);
    for (unsigned i = 0; i < steps; i++) {
        if (next[i] == to) {
            *length += cost[i];
            return true;
        }
    }
    return false;
}

/* The length is Dijkstra's, and the way is a way of that length. */
static int check(const struct gridmap *map, uint32_t from, uint32_t to,
                 const struct astar_result *result)
{
    uint32_t expected;
    uint64_t length = 0;
    if (!gridmap_distance(map, from, to, &expected))
        return fail("host memory is out");
    if (result->length != expected) {
        fprintf(stderr, "clade: the way found costs %" PRIu32 ", Dijkstra's %" PRIu32 "\n",
                result->length, expected);
        return EXIT_FAILED;
    }
    if (expected == GRIDMAP_FAR)
        return EXIT_DONE;
    for (uint64_t i = 1; i < result->cells; i++)
        if (!is_step(map, result->way[i - 1], result->way[i], &length))
            return fail("the way found goes through an obstacle");
    if (result->way[0] != from || result->way[result->cells - 1] != to || length != expected)
        return fail("the way found is not as long as it says");
    return EXIT_DONE;
}

static int run(const struct arguments *a, const struct gridmap *map)
{
    struct astar_params params = { .heap = a->heap, .engine = a->engine };
    struct astar_result result;
    clade_context *context = NULL;
    const bool terminal = isatty(STDERR_FILENO);
    if (!choose_cell(map, "start", a->from, 0, &params.from) ||
        !choose_cell(map, "goal", a->to, map->width * map->height - 1, &params.to))
        return EXIT_FAILED;
    if (clade_context_create(
            &context, &(clade_context_params) { .device = a->device,
                                                .on_compile = progress_compile }) != CLADE_OK)
        return report_error();
    params.progress = terminal ? show_progress : NULL;
    const bool solved = astar_solve(&result, context, map, &params);
    if (terminal)
        fprintf(stderr, "\r\033[K");
    clade_context_destroy(&context);
    if (!solved)
        return fail(result.error);
    int status = a->check ? check(map, params.from, params.to, &result) : EXIT_DONE;
    if (status == EXIT_DONE && a->out)
        status = write_way(a->out, map, &result);
    if (status == EXIT_DONE) {
        printf("reached %d\n", result.length != GRIDMAP_FAR);
        if (result.length != GRIDMAP_FAR)
            printf("length %" PRIu32 "\ncells %" PRIu64 "\n", result.length, result.cells);
        printf("nodes_explored %" PRIu64 "\ntime_ms %.3f\n", result.explored, result.time_ms);
    }
    free(result.way);
    return status;
}

int command_astar(int argc, char **argv)
{
    struct arguments arguments;
    struct gridmap map;
    struct file_error error;
    if (!parse(&arguments, argc, argv))
        return report_usage("astar", "it takes a map file, or --size WIDTHxHEIGHT");
    if (arguments.file) {
        if (!gridmap_read(&map, arguments.file, &error))
            return fail(error.text);
    } else if (!gridmap_generate(&map, (uint32_t)arguments.width, (uint32_t)arguments.height,
                                 (uint32_t)arguments.percent, arguments.seed)) {
        return fail("host memory is out");
    }
    int status = EXIT_DONE;
    if (arguments.write && !gridmap_write(&map, arguments.write, &error))
        status = fail(error.text);
    if (status == EXIT_DONE)
        status = run(&arguments, &map);
    gridmap_free(&map);
    return status;
}
