/* SPDX-License-Identifier: Apache-2.0 */
/* A program of commands, such as `clade`: finds the command and runs it. */
#include "command/clade.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void print_help(FILE *to)
{
    fprintf(to, "usage: %s COMMAND [ARGUMENTS]\n\n", command_program);
    for (size_t i = 0; i < command_count; i++)
        fprintf(to, "  %-12s %s\n               %s\n", commands[i].name, commands[i].summary,
                commands[i].usage);
    fprintf(to,
            "\nversion %s. A device is \"gpu\", \"cpu\", \"P:D\" as `clade info` shows, or part "
            "of a name.\n`%s help COMMAND`, or `%s COMMAND --help`, explains its options.\n",
            clade_version(), command_program, command_program);
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Whether `COMMAND ... --help` asks what a command takes. */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return true;
    return false;
}

static int print_command_help(const struct command *command)
{
    printf("%s %s: %s\n\nusage: %s %s %s\n\n%s", command_program, command->name, command->summary,
           command_program, command->name, command->usage, command->options);
    return EXIT_DONE;
}

int report_error(void)
{
    const clade_error *error = clade_error_last();
    fprintf(stderr, "%s: %s\n", command_program, error->message);
    if (*error->log)
        fprintf(stderr, "%s\n", error->log);
    return EXIT_FAILED;
}

bool succeeded(clade_status status)
{
    if (status != CLADE_OK)
        report_error();
    return status == CLADE_OK;
}

int report_usage(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s %s: ", command_program, name);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    const struct command *command = find_command(name);
    fprintf(stderr, "\nusage: %s %s %s\n", command_program, name, command ? command->usage : "");
    return EXIT_USAGE;
}

/* `help` and `help COMMAND`. */
static int help(const char *name)
{
    const struct command *command = name ? find_command(name) : NULL;
    if (command)
        return print_command_help(command);
    if (name)
        fprintf(stderr, "%s: there is no command \"%s\"\n", command_program, name);
    print_help(name ? stderr : stdout);
    return name ? EXIT_USAGE : EXIT_DONE;
}

/* What getopt_long() says of an option begins with argv[0]. */
static int run_command(const struct command *command, int argc, char **argv)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", command_program, command->name);
    argv[0] = name;
    return command->run(argc, argv);
}

static int run(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "help") == 0)
        return help(argv[2]); /* NULL when nothing follows */
    if (argc >= 2 && is_help(argv[1]))
        return help(NULL);
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        printf("%s %s\n", command_program, clade_version());
        return EXIT_DONE;
    }
    const struct command *command = argc >= 2 ? find_command(argv[1]) : NULL;
    if (command && asks_for_help(argc, argv))
        return print_command_help(command);
    if (command)
        return run_command(command, argc - 1, argv + 1);
    if (argc >= 2)
        fprintf(stderr, "%s: there is no command \"%s\"\n", command_program, argv[1]);
    print_help(stderr);
    return EXIT_USAGE;
}

int command_main(int argc, char **argv)
{
    const int status = run(argc, argv);
    bool fails = fflush(stdout) != 0;
    if (!fails && !ferror(stdout))
        return status;
    /* Of an earlier write the reason is not known any more: another one fails for the same. */
    fails = fails || putchar('\n') == EOF || fflush(stdout) != 0;
    fprintf(stderr, "%s: the output cannot be written%s%s\n", command_program, fails ? ": " : "",
            fails ? strerror(errno) : "");
    return status == EXIT_DONE ? EXIT_FAILED : status;
}
