/* SPDX-License-Identifier: Apache-2.0 */
/* `clade orders`: order books replayed from a trace in kernels, on the red-black tree. */
#include "apps/orders.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/clade.h"
#include "common/options.h"
#include "common/progress.h"

struct arguments {
    const char *file, *device;
    bool check;
    uint64_t events, symbols, seed; /* events > 0: generate */
};

static int fail(const char *sentence)
{
    fprintf(stderr, "clade: %s\n", sentence);
    return EXIT_FAILED;
}

/* EVENTS or EVENTS:SYMBOLS */
static bool parse_load(const char *text, struct arguments *arguments)
{
    char number[32];
    const char *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length >= sizeof number)
        return false;
    memcpy(number, text, length);
    number[length] = '\0';
    if (!option_number(number, 1, ORDERS_TOTAL_MAX / 16, &arguments->events))
        return false;
    arguments->symbols = arguments->events / 500 + 1;
    if (arguments->symbols > ORDERS_SYMBOL_MAX)
        arguments->symbols = ORDERS_SYMBOL_MAX;
    return !colon || option_number(colon + 1, 1, ORDERS_SYMBOL_MAX + 1, &arguments->symbols);
}

static bool parse(struct arguments *arguments, int argc, char **argv)
{
    static const struct option known[] = {
        { "device", required_argument, NULL, 'd' },
        { "check", no_argument, NULL, 'c' },
        { "generate", required_argument, NULL, 'g' },
        { "seed", required_argument, NULL, 's' },
        { NULL, 0, NULL, 0 },
    };
    *arguments = (struct arguments) { .seed = 1 };
    bool fine = true;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'd')
            arguments->device = optarg;
        else if (option == 'c')
            arguments->check = true;
        else if (option == 'g')
            fine = fine && parse_load(optarg, arguments);
        else if (option == 's')
            fine = fine && option_number(optarg, 0, UINT64_MAX, &arguments->seed);
        else
            fine = false;
    }
    arguments->file = optind < argc ? argv[optind] : NULL;
    return fine && optind + 1 == argc;
}

static int generate(const struct arguments *arguments)
{
    struct orders orders;
    struct file_error error;
    if (!orders_generate(&orders, arguments->events, arguments->symbols, arguments->seed))
        return fail("memory is out");
    const bool fine = orders_write(&orders, arguments->file, &error);
    orders_free(&orders);
    if (!fine)
        return fail(error.text);
    printf("events   %" PRIu64 "\nsymbols  %" PRIu64 "\n", arguments->events, arguments->symbols);
    return EXIT_DONE;
}

static void print_result(const struct orders_result *result, const struct orders *orders)
{
    uint64_t outcomes[ORDERS_OUTCOMES] = { 0 }, filled = 0, volume = 0;
    for (uint64_t i = 0; i < orders->count; i++) {
        const struct orders_outcome *o = &result->outcomes[i];
        outcomes[o->outcome < ORDERS_OUTCOMES ? o->outcome : ORDERS_REJECTED]++;
        filled += o->filled;
        volume += o->cost;
    }
    printf("events     %" PRIu64 "\norders     %" PRIu64 "\nrejected   %" PRIu64
           "\ncancelled  %" PRIu64 "\nmissed     %" PRIu64 "\ntraded     %" PRIu64
           "\nvolume     %" PRIu64 "\nresting    %" PRIu64 "\ntime_ms    %.3f\n",
           orders->count, outcomes[ORDERS_RESTS], outcomes[ORDERS_REJECTED],
           outcomes[ORDERS_CANCELLED], outcomes[ORDERS_MISSED], filled, volume, result->resting,
           result->time_ms);
}

static int replay(const struct arguments *arguments, const struct orders *orders)
{
    clade_context *context = NULL;
    struct orders_result result = { 0 };
    uint64_t *keys = NULL, *values = NULL;
    char why[400];
    double host_ms;
    int status = EXIT_DONE;
    if (clade_context_create(
            &context, &(clade_context_params) { .device = arguments->device,
                                                .on_compile = progress_compile }) != CLADE_OK)
        return report_error();
    const bool check = arguments->check;
    if (!orders_solve(&result, context, orders, check ? &keys : NULL, check ? &values : NULL))
        status = fail(result.error);
    if (status == EXIT_DONE)
        print_result(&result, orders);
    if (status == EXIT_DONE && check) {
        if (orders_check(&result, orders, keys, values, &host_ms, why, sizeof why))
            printf("check      every event and the books are std::map's (%.3f ms)\n", host_ms);
        else
            status = fail(why);
    }
    free(keys);
    free(values);
    free(result.outcomes);
    clade_context_destroy(&context);
    return status;
}

int command_orders(int argc, char **argv)
{
    struct arguments arguments;
    struct orders orders;
    struct file_error error;
    if (!parse(&arguments, argc, argv))
        return report_usage("orders", "it takes a file, and the options below");
    if (arguments.events > 0)
        return generate(&arguments);
    if (!orders_read(&orders, arguments.file, &error))
        return fail(error.text);
    const int status = replay(&arguments, &orders);
    orders_free(&orders);
    return status;
}
