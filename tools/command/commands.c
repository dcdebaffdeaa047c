/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of `clade`: what each is called with, and what `clade COMMAND --help` says. */
#include "command/clade.h"

#define DEVICE_HELP \
    "  --device D       \"gpu\", \"cpu\", \"P:D\" as `clade info` shows, or part of a name\n"

const char command_program[] = "clade";

const struct command commands[] = {
    { "bench",
      "[SUITE...] [--device D] [--quick] [--json FILE] [--html FILE] [--repeat N]\n"
      "             [--limit SECONDS] [--total SECONDS] [--events] [--processors] [--alone]\n"
      "             [--keys N] [--table NAME,...] [--svg FILE [--row TEXT]...]\n"
      "             --from FILE [--from FILE]... [SUITE...] [--table NAME,...]\n"
      "             [--svg FILE [--row TEXT]...] [--json FILE] [--html FILE]\n"
      "             --list",
      "measure the structures, with results checked",
      DEVICE_HELP "  --quick          small loads: seconds on two cores\n"
                  "  --json FILE      write all tables to a file as well; -: to the standard\n"
                  "                   output, and what people read to the standard error\n"
                  "  --html FILE      and as a page with plots\n"
                  "  --svg FILE       and one table as a picture: published figures, or --table\n"
                  "  --row TEXT       of that picture only rows with this text; may be repeated\n"
                  "  --from FILE      measure nothing: show what --json wrote; may be repeated\n"
                  "  --repeat N       repetitions of a measurement; default 5\n"
                  "  --limit SECONDS  no repetition begins after so long; default 5\n"
                  "  --total SECONDS  larger rows are left out so that all takes about so long\n"
                  "  --events         time in kernels, too, by the device's clock\n"
                  "  --processors     times of all threads on the processors, not by the clock\n"
                  "  --keys N         keys of the tables of distributions and of sizes;\n"
                  "                   of the heap: distributions, and again\n"
                  "  --table NAME,...  these tables alone\n"
                  "  --alone          without the sequential and the host's structures beside\n"
                  "  --list           name the suites; without a name all of them run\n",
      command_bench },
    { "info", "[--json [-]]", "show the devices and what they can do",
      "  --json           for programs, to the standard output\n", command_info },
    { "list",
      "NODES OPS [--device D] [--out FILE] [--check] [--walk] [--sequential]\n"
      "             NODES OPS --generate NODES:OPS [--seed N]",
      "operations of a file on a list of a file, all at once",
      "  NODES, OPS       files: the list before, and what is done to it\n" DEVICE_HELP
      "  --out FILE       write the list that came out\n"
      "  --check          prove that some order of the operations gives the outcome\n"
      "  --walk           find by walking from the head, without an index\n"
      "  --sequential     one operation after the other\n"
      "  --generate N:M   write the two files instead: N nodes, M operations\n"
      "  --seed N         of what is generated; default 1\n",
      command_list },
    { "kselect",
      "--rows R --length L --k K [--largest] [--sorted] [--check] [--seed S] [--device D]",
      "the k first of each of many random rows",
      "  --rows R         how many rows\n"
      "  --length L       keys a row\n"
      "  --k K            results a row\n"
      "  --largest        the greatest keys; default: the smallest\n"
      "  --sorted         each row's results in order\n"
      "  --check          compare every row with one sorted on the host\n"
      "  --seed S         of the keys\n" DEVICE_HELP,
      command_kselect },
    { "count",
      "FILE [--words | --kmer K [--canonical]] [--top N] [--out FILE] [--check] [--json]\n"
      "             [--device D]",
      "how often each word of a text comes, or each k-mer of sequences",
      "  FILE             plain or .gz: a text; FASTA, FASTQ, or a sequence a line\n"
      "  --words          letters and digits, in small letters; the default\n"
      "  --kmer K         all runs of K bases, K from 1 to 32\n"
      "  --canonical      a k-mer and its reverse complement are one\n"
      "  --top N          print the N most frequent; default 10\n"
      "  --out FILE       write all of them, the most frequent first\n"
      "  --check          compare each count with the C++ library's, on one core\n"
      "  --json           for programs, to the standard output\n" DEVICE_HELP,
      command_token_count },
    { "knn", "BASE QUERIES --k K [--check] [--out FILE] [--piece N] [--device D]",
      "exact nearest neighbours: fvecs or IDX images, plain or .gz",
      "  BASE, QUERIES    files of vectors of the same kind\n"
      "  --k K            neighbours of each query\n"
      "  --check          compare with distances computed on the host\n"
      "  --out FILE       write each query's neighbours\n"
      "  --piece N        vectors of the base that are looked at at once\n" DEVICE_HELP,
      command_knn },
    { "selftest", "[--device D]", "litmus tests and a quick run of every structure", DEVICE_HELP,
      command_selftest },
    { "sssp", "GRAPH --source N [--device D] [--heap] [--check] [--out FILE]",
      "shortest paths: .gr, .graph or .mtx, plain, .gz or .xz",
      "  --source N       the node that paths start from\n" DEVICE_HELP
      "  --heap           nodes wait in a heap; without: in buckets (clade_paths)\n"
      "  --no-heap        the opposite of --heap; the default\n"
      "  --engine E       of the heap: auto, top-down, bottom-up or front\n"
      "  --check          compare with Dijkstra's algorithm on the host, and time it\n"
      "  --out FILE       write each reached node's distance\n",
      command_sssp },
    { "grid", "--out FILE [--co FILE] [--nodes N | --kronecker SCALE] [--seed S]",
      "write a made-up graph to try things on",
      "  --out FILE       where to; .gr, DIMACS' format\n"
      "  --co FILE        where its nodes lie goes there\n"
      "  --nodes N        roads, about so many crossings\n"
      "  --kronecker S    few nodes with many arcs, 2^S nodes in all\n"
      "  --seed S         of what is drawn\n",
      command_grid },
    { "malloc-trace", "FILE [--copies N] [--bytes N] [--device D]",
      "replay a program's malloc and free calls in N work-items",
      "  --copies N       work-items that replay the whole trace at once; default 64\n"
      "  --bytes N        of the allocator; default: twice what the trace needs\n" DEVICE_HELP,
      command_malloc_trace },
    { "knapsack",
      "FILE [--device D] [--check] [--host] [--no-gc] [--plain] [--time-limit S] [--stats]\n"
      "             FILE --generate ITEMS[:uncorrelated|weak|strong] [--seed N]",
      "0/1 knapsack to the optimum, by branch and bound",
      DEVICE_HELP
      "  --check          prove the optimum by dynamic programming on the host\n"
      "  --host           the same search with a sequential queue beside it\n"
      "  --no-gc          keep dead nodes when the heap is nearly full\n"
      "  --plain          without reduction and dominance\n"
      "  --time-limit S   stop after S seconds, and say how far it is\n"
      "  --stats          counts of dead, spilled and collected nodes\n"
      "  --engine E       of the heap: auto, top-down, bottom-up or front\n"
      "  --heap N         nodes that the heap has room for\n"
      "  --batch N        nodes a group takes at once\n"
      "  --groups N       work-groups\n"
      "  --generate N:K   write an instance instead: N items; uncorrelated, weak or strong\n"
      "  --seed N         of what is generated; default 1\n",
      command_knapsack },
    { "astar",
      "MAP [--from X,Y] [--to X,Y] [--device D] [--check] [--out FILE]\n"
      "             --size WIDTHxHEIGHT [--obstacles PERCENT] [--seed N] [--write MAP] [...]\n"
      "             GRAPH --co FILE --from N --to N [...]",
      "a shortest way through a grid with obstacles, or in a graph with coordinates",
      "  --from X,Y       a cell; default: the first; in a graph a node's number\n"
      "  --to X,Y         a cell; default: the last\n"
      "  --co FILE        where the graph's nodes lie, in the DIMACS form\n" DEVICE_HELP
      "  --check          compare with A* on one core of the host, and time that\n"
      "  --out FILE       write the way, a cell or a node a line\n"
      "  --size WxH       draw a map instead of reading one\n"
      "  --obstacles N    of it, in percent; default 20\n"
      "  --seed N         of the map; default 1\n"
      "  --write MAP      write the map that was drawn\n"
      "  --heap           keep the open cells of a map in a clade heap\n"
      "  --capacity N     cells that the heap has room for\n"
      "  --engine E       of the heap: auto, top-down, bottom-up or front\n",
      command_astar },
    { "orders",
      "TRACE [--device D] [--check]\n"
      "             TRACE --generate EVENTS[:SYMBOLS] [--seed N]",
      "order books replayed from a trace, many symbols at once",
      DEVICE_HELP "  --check          compare with std::map on the host\n"
                  "  --generate N:S   write a trace instead: N events of S symbols\n"
                  "  --seed N         of what is generated; default 1\n",
      command_orders },
    { "profile",
      "NAME [--device D] [--size N] [--passes N] [--html FILE]\n"
      "             --list",
      "where one structure's time goes: kernels, retries",
      DEVICE_HELP "  --size N         elements; default 2^16 on a CPU, else 2^20\n"
                  "  --passes N       that the figures are a mean of; default 3\n"
                  "  --html FILE      write a page as well, with a flame of calls and kernels\n"
                  "  --list           name the structures\n",
      command_profile },
    { "warm", "[STRUCTURE...] [--device D] [--out FILE]",
      "compile the structures' kernels before programs need them",
      "  STRUCTURE        heap, kma, ...; default: all of them\n"
      "  --device D       of this device alone; default: of all that are here\n"
      "  --out FILE       an archive to install; default: where contexts of this user find it\n",
      command_warm },
};

const size_t command_count = sizeof commands / sizeof commands[0];
