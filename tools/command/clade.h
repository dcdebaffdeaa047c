/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of the `clade` tool share, and those of `clade-mpi`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <clade/clade.h>

/* Exit statuses of every command. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One command: its own argument list (argv[0] is "clade NAME") in, an exit status out. */
struct command {
    const char *name;
    const char *usage; /* the arguments, for the usage line */
    const char *summary;
    const char *options; /* a line each, for --help */
    int (*run)(int argc, char **argv);
};

/* The program's name, and all of its commands (commands.c). */
extern const char command_program[];
extern const struct command commands[];
extern const size_t command_count;

/* What main() does: run the command that the arguments name. */
int command_main(int argc, char **argv);

int command_bench(int argc, char **argv);
int command_info(int argc, char **argv);
int command_list(int argc, char **argv);
int command_knn(int argc, char **argv);
int command_kselect(int argc, char **argv);
int command_selftest(int argc, char **argv);
int command_sssp(int argc, char **argv);
int command_token_count(int argc, char **argv);
int command_grid(int argc, char **argv);
int command_malloc_trace(int argc, char **argv);
int command_knapsack(int argc, char **argv);
int command_astar(int argc, char **argv);
int command_orders(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_warm(int argc, char **argv);

/* Print "PROGRAM: <sentence>" and, when a kernel did not compile, the compiler's text. */
int report_error(void);
/* Whether a call was fine; where not, report_error() says why. */
bool succeeded(clade_status status);
/* Print "PROGRAM NAME: <sentence>" and how the command is used; returns EXIT_USAGE. */
int report_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
