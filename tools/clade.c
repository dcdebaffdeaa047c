/* SPDX-License-Identifier: Apache-2.0 */
/* The `clade` command: finds the sub-command and runs it. */
#include "clade.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct command commands[] = {
    { "bench",
      "[SUITE...] [--device D] [--quick] [--json FILE] [--html FILE] [--repeat N] [--limit SECONDS]\n"
      "             --list",
      "measure the structures, with results checked", command_bench },
    { "info", "[--json]", "show the devices and what they can do", command_info },
    { "list",
      "NODES OPS [--device D] [--out FILE] [--check] [--walk] [--sequential]\n"
      "             NODES OPS --generate NODES:OPS [--seed N]",
      "operations of a file on a list of a file, all at once", command_list },
    { "kselect",
      "--rows R --length L --k K [--largest] [--sorted] [--check] [--seed S] [--device D]",
      "the k first of each of many random rows", command_kselect },
    { "knn", "BASE QUERIES --k K [--check] [--out FILE] [--piece N] [--device D]",
      "exact nearest neighbours: fvecs or IDX images, plain or .gz", command_knn },
    { "selftest", "[--device D]", "litmus tests and a quick run of every structure",
      command_selftest },
    { "sssp", "GRAPH --source N [--device D] [--no-heap] [--check] [--out FILE]",
      "shortest paths: .gr, .graph or .mtx, plain, .gz or .xz", command_sssp },
    { "grid", "--out FILE [--nodes N] [--seed S]", "write a road-like graph to try things on",
      command_grid },
    { "malloc-trace", "FILE [--copies N] [--bytes N] [--device D]",
      "replay a program's malloc and free calls in N work-items", command_malloc_trace },
    { "knapsack",
      "FILE [--device D] [--check] [--host] [--no-gc] [--plain] [--time-limit S] [--stats]\n"
      "             FILE --generate ITEMS[:uncorrelated|weak|strong] [--seed N]",
      "0/1 knapsack to the optimum, by branch and bound", command_knapsack },
    { "astar",
      "MAP [--from X,Y] [--to X,Y] [--device D] [--check] [--out FILE]\n"
      "             --size WIDTHxHEIGHT [--obstacles PERCENT] [--seed N] [--write MAP] [...]",
      "a shortest way through a grid with obstacles", command_astar },
    { "orders",
      "TRACE [--device D] [--check]\n"
      "             TRACE --generate EVENTS[:SYMBOLS] [--seed N]",
      "order books replayed from a trace, many symbols at once", command_orders },
};

static const size_t command_count = sizeof commands / sizeof commands[0];

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void print_help(FILE *to)
{
    fprintf(to, "usage: clade COMMAND [ARGUMENTS]\n\n");
    for (size_t i = 0; i < command_count; i++)
        fprintf(to, "  %-12s %s\n               %s\n", commands[i].name, commands[i].summary,
                commands[i].usage);
    fprintf(to,
            "\nversion %s. A device is \"gpu\", \"cpu\", \"P:D\" as `clade info` shows, or part "
            "of a name.\n",
            clade_version());
}

int report_error(void)
{
    const clade_error *error = clade_error_last();
    fprintf(stderr, "clade: %s\n", error->message);
    if (*error->log)
        fprintf(stderr, "%s\n", error->log);
    return EXIT_FAILED;
}

int report_usage(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "clade %s: ", name);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    const struct command *command = find_command(name);
    fprintf(stderr, "\nusage: clade %s %s\n", name, command ? command->usage : "");
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        printf("clade %s\n", clade_version());
        return EXIT_DONE;
    }
    const struct command *command = argc >= 2 ? find_command(argv[1]) : NULL;
    if (command)
        return command->run(argc - 1, argv + 1);
    if (argc >= 2)
        fprintf(stderr, "clade: there is no command \"%s\"\n", argv[1]);
    print_help(stderr);
    return EXIT_USAGE;
}
