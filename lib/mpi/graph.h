/* SPDX-License-Identifier: Apache-2.0 */
/* One rank's part of a graph over ranks. */
#pragma once

#include "clade/mpi/paths.h"
#include "mpi/comm.h"

/* The part's own graph has the rank's nodes; then a ghost for each node of another rank to which an
 * arc leads, in the order of their numbers, so those of one rank follow each other; then the bound
 * (cl/kernels/mpi_paths.cl). */
struct clade_mpi_graph {
    clade_mpi *mpi;
    clade_context *context;
    clade_graph *part;
    uint32_t borrowers; /* path finders, and the caller */
    uint32_t type;      /* of weights */
    uint32_t own;       /* nodes of this rank */
    uint32_t ghosts;
    uint32_t arcs;      /* that leave this rank's nodes */
    double mean;           /* about the weight of an arc of all ranks */
    uint64_t *first;       /* of each rank, its first node's number; and of none: how many */
    uint32_t *ghost_first; /* of each rank, its first ghost; and of none: how many */
    cl_mem ghost_first_mem;
    cl_mem there; /* of each ghost, its place among the nodes of its rank */
};

void cladei_mpi_graph_let_go(clade_mpi_graph *graph);
/* The rank of a node. */
int cladei_mpi_graph_owner(const clade_mpi_graph *graph, uint64_t node);
