/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of other ranks to which arcs lead. */
#pragma once

#include <stdint.h>

#include "mpi/fail.h"

/* A bit for each node of all ranks, and how many bits are set before each word. Kernels set the
 * bits, and read both (cl/kernels/mpi_graph.cl). */
struct cladei_mpi_ghosts {
    uint32_t *bits;
    uint32_t *before;
    uint64_t words;
};

clade_status cladei_mpi_ghosts_make(struct cladei_mpi_ghosts *ghosts, uint64_t nodes);
void cladei_mpi_ghosts_free(struct cladei_mpi_ghosts *ghosts);
/* Count them, when all bits are set; then each has its place. */
uint64_t cladei_mpi_ghosts_count(struct cladei_mpi_ghosts *ghosts);
/* How many ghosts have a lesser number. */
uint64_t cladei_mpi_ghosts_before(const struct cladei_mpi_ghosts *ghosts, uint64_t node);
