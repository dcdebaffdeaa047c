/* SPDX-License-Identifier: Apache-2.0 */
/* A rank's arcs, by the part's own numbers. */
#pragma once

#include "mpi/ghosts.h"
#include "mpi/graph.h"

/* `targets`, a buffer of the context, becomes numbers of the part. The graph's ghosts are counted,
 * and `ghosts` has them; the caller frees them, also after a failure. */
clade_status cladei_mpi_number_targets(clade_mpi_graph *graph, cl_mem targets, uint64_t arcs,
                                       struct cladei_mpi_ghosts *ghosts);
