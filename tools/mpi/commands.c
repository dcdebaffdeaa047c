/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of `clade-mpi`. */
#include "mpi/ranks.h"

const char command_program[] = "clade-mpi";

#define DEVICE_HELP                                                                               \
    "  --device D       \"gpu\", \"cpu\" or part of a name: ranks of a host share its devices;\n" \
    "                   \"P:D\" as `clade info` shows: all ranks use this one\n"

const struct command commands[] = {
    { "kselect", "--length L --k K [--largest] [--check] [--seed S] [--device D]",
      "the k first of one random row that is spread over the ranks",
      "  --length L       keys in all\n"
      "  --k K            results\n"
      "  --largest        the greatest keys; default: the smallest\n"
      "  --check          look at every key whether it belongs to the results\n"
      "  --seed S         of the keys\n" DEVICE_HELP,
      command_mpi_kselect },
    { "sssp", "GRAPH --source N [--nodes] [--device D] [--check] [--out FILE]",
      "shortest paths in a graph that is spread over the ranks: .gr, .graph or .mtx",
      "  --source N       the node that paths start from\n"
      "  --nodes          as many nodes for each rank; default: as many nodes and arcs "
      "together\n" DEVICE_HELP "  --check          compare with Dijkstra's algorithm on the hosts\n"
      "  --out FILE       write each reached node's distance\n",
      command_mpi_sssp },
};

const size_t command_count = sizeof commands / sizeof commands[0];
