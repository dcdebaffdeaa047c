/* SPDX-License-Identifier: Apache-2.0 */
/* `clade knapsack`: a 0/1 knapsack instance to its optimum, on the device. */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/clade.h"
#include "common/clock.h"
#include "common/options.h"
#include "common/progress.h"
#include "search/knapsack.h"

struct arguments {
    const char *file, *device;
    bool check, host, plain, stats, generate;
    enum knapsack_kind kind;
    uint64_t items, seed;
    struct knapsack_params search;
};

static int fail(const char *sentence)
{
    fprintf(stderr, "clade: %s\n", sentence);
    return EXIT_FAILED;
}

/* --- stopping and progress -------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

/* The first Ctrl-C ends the search with what it has; a second one ends the program. */
static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static void catch_interrupts(void)
{
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

static void show_progress(void *user, const struct knapsack_progress *progress)
{
    (void)user;
    fprintf(stderr,
            "\r\033[Kbest %" PRIu64 ", bound %" PRIu64 ", %" PRIu64 " nodes explored, %" PRIu64
            " open",
            progress->best, progress->bound, progress->explored, progress->open);
    fflush(stderr);
}

/* --- arguments -------------------------------------------------------------------------------- */

/* "ITEMS" or "ITEMS:KIND" */
static bool parse_generate(const char *text, struct arguments *a)
{
    static const char *const kinds[] = { "uncorrelated", "weak", "strong" };
    char number[24];
    const char *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length >= sizeof number)
        return false;
    memcpy(number, text, length);
    number[length] = '\0';
    a->generate = true;
    a->kind = KNAPSACK_UNCORRELATED;
    for (size_t i = 0; colon && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(colon + 1, kinds[i]) == 0) {
            a->kind = (enum knapsack_kind)i;
            colon = NULL;
        }
    }
    return !colon && option_number(number, 1, KNAPSACK_ITEMS_MAX, &a->items);
}

static bool parse_time(const char *text, double *ms)
{
    char *end;
    *ms = strtod(text, &end) * 1e3;
    return end != text && *end == '\0' && *ms > 0 && *ms < 1e12;
}

static bool parse_word(const char *text, uint64_t low, uint64_t high, uint32_t *word)
{
    uint64_t number;
    if (!option_number(text, low, high, &number))
        return false;
    *word = (uint32_t)number;
    return true;
}

enum {
    DEVICE = 256,
    CHECK,
    HOST,
    NO_GC,
    PLAIN,
    STATS,
    LIMIT,
    ENGINE,
    HEAP,
    BATCH,
    GROUPS,
    GENERATE,
    SEED
};

static const struct option known[] = { { "device", required_argument, NULL, DEVICE },
                                       { "check", no_argument, NULL, CHECK },
                                       { "host", no_argument, NULL, HOST },
                                       { "no-gc", no_argument, NULL, NO_GC },
                                       { "plain", no_argument, NULL, PLAIN },
                                       { "stats", no_argument, NULL, STATS },
                                       { "time-limit", required_argument, NULL, LIMIT },
                                       { "engine", required_argument, NULL, ENGINE },
                                       { "heap", required_argument, NULL, HEAP },
                                       { "batch", required_argument, NULL, BATCH },
                                       { "groups", required_argument, NULL, GROUPS },
                                       { "generate", required_argument, NULL, GENERATE },
                                       { "seed", required_argument, NULL, SEED },
                                       { NULL, 0, NULL, 0 } };

/* An option that takes a value. */
static bool parse_value(struct arguments *a, int option, const char *text)
{
    switch (option) {
    case DEVICE:
        a->device = text;
        return true;
    case LIMIT:
        return parse_time(text, &a->search.limit_ms);
    case ENGINE:
        return option_engine(text, &a->search.engine);
    case HEAP:
        return option_number(text, 1, UINT32_MAX, &a->search.heap);
    case BATCH:
        return parse_word(text, 8, 65536, &a->search.batch);
    case GROUPS:
        return parse_word(text, 1, 65536, &a->search.groups);
    case GENERATE:
        return parse_generate(text, a);
    case SEED:
        return option_number(text, 0, UINT64_MAX, &a->seed);
    default:
        return false;
    }
}

static bool parse(struct arguments *a, int argc, char **argv)
{
    *a = (struct arguments) { .seed = 1 };
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c == CHECK)
            a->check = true;
        else if (c == HOST)
            a->host = true;
        else if (c == NO_GC)
            a->search.no_gc = true;
        else if (c == PLAIN)
            a->plain = a->search.no_dominance = true;
        else if (c == STATS)
            a->stats = true;
        else if (!parse_value(a, c, optarg))
            return false;
    }
    if (optind + 1 != argc)
        return false;
    a->file = argv[optind];
    return true;
}

/* --- the command ------------------------------------------------------------------------------ */

static int generate(const struct arguments *a)
{
    struct knapsack knapsack;
    struct file_error error;
    if (!knapsack_generate(&knapsack, a->items, a->kind, a->seed))
        return fail("host memory is out");
    const bool fine = knapsack_write(&knapsack, a->file, &error);
    if (fine)
        printf("items %" PRIu64 "\ncapacity %" PRIu64 "\n", knapsack.items, knapsack.capacity);
    knapsack_free(&knapsack);
    return fine ? EXIT_DONE : fail(error.text);
}

static void print_result(const struct arguments *a, const struct knapsack_result *result)
{
    printf("best %" PRIu64 "\nnodes_explored %" PRIu64 "\ntime_ms %.3f\n", result->best,
           result->explored, result->time_ms);
    if (result->stopped)
        printf("bound %" PRIu64 "\ngap %" PRIu64 "\n", result->bound, result->bound - result->best);
    if (a->stats)
        printf("dead %" PRIu64 "\nspilled %" PRIu64 "\nmoved %" PRIu64 "\ncollections %" PRIu64
               "\ncollected %" PRIu64 "\n",
               result->dead, result->spilled, result->moved, result->collections,
               result->collected);
}

static int search(const struct arguments *a, const struct knapsack_core *core, double prepare_ms,
                  struct knapsack_result *result)
{
    clade_context *context = NULL;
    const bool terminal = isatty(STDERR_FILENO);
    struct knapsack_params params = a->search;
    params.stop = &interrupted;
    params.progress = terminal ? show_progress : NULL;
    if (clade_context_create(
            &context, &(clade_context_params) { .device = a->device,
                                                .on_compile = progress_compile }) != CLADE_OK)
        return report_error();
    const bool solved = knapsack_solve(result, context, core, &params);
    if (terminal)
        fprintf(stderr, "\r\033[K");
    clade_context_destroy(&context);
    if (!solved)
        return fail(result->error);
    result->time_ms += prepare_ms;
    print_result(a, result);
    return EXIT_DONE;
}

/* The same search on the host; it must agree. */
static int compare(const struct arguments *a, const struct knapsack_core *core, double prepare_ms,
                   const struct knapsack_result *result)
{
    const struct knapsack_host_result host =
        knapsack_host_solve(core, !a->search.no_dominance, &interrupted);
    if (host.memory_out)
        return fail("host memory is out for the search on the host");
    printf("host_best %" PRIu64 "\nhost_nodes_explored %" PRIu64 "\nhost_time_ms %.3f\n", host.best,
           host.explored, host.time_ms + prepare_ms);
    if (host.stopped || result->stopped || host.best == result->best)
        return EXIT_DONE;
    fprintf(stderr, "clade: the device finds %" PRIu64 ", the host %" PRIu64 "\n", result->best,
            host.best);
    return EXIT_FAILED;
}

static int check(const struct knapsack *knapsack, const struct knapsack_result *result)
{
    char why[400];
    uint64_t optimum;
    if (!knapsack_prove(knapsack, &optimum, why, sizeof why))
        return fail(why);
    if (result->best == optimum) {
        printf("check %" PRIu64 " is the optimum\n", optimum);
        return EXIT_DONE;
    }
    fprintf(stderr, "clade: the best is %" PRIu64 "%s, the optimum %" PRIu64 "\n", result->best,
            result->stopped ? " so far" : "", optimum);
    return EXIT_FAILED;
}

static int run(const struct arguments *a, const struct knapsack *knapsack)
{
    char why[400];
    struct knapsack_core core;
    struct knapsack_result result;
    if (a->check && !knapsack_provable(knapsack, why, sizeof why))
        return fail(why);
    const double begin = now_ms();
    if (!knapsack_core_create(&core, knapsack, a->plain))
        return fail("host memory is out");
    const double prepare_ms = now_ms() - begin;
    int status = search(a, &core, prepare_ms, &result);
    if (status == EXIT_DONE && a->host)
        status = compare(a, &core, prepare_ms, &result);
    if (status == EXIT_DONE && a->check)
        status = check(knapsack, &result);
    knapsack_core_free(&core);
    return status;
}

int command_knapsack(int argc, char **argv)
{
    struct arguments arguments;
    struct knapsack knapsack;
    struct file_error error;
    if (!parse(&arguments, argc, argv))
        return report_usage("knapsack", "it takes a file, and the options below");
    if (arguments.generate)
        return generate(&arguments);
    if (!knapsack_read(&knapsack, arguments.file, &error))
        return fail(error.text);
    catch_interrupts();
    int status = run(&arguments, &knapsack);
    knapsack_free(&knapsack);
    return status;
}
