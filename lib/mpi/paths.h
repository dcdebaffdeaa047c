/* SPDX-License-Identifier: Apache-2.0 */
/* One rank's part of a search over ranks. */
#pragma once

#include <stdbool.h>

#include "mpi/arrays.h"
#include "mpi/exchange.h"
#include "mpi/graph.h"
#include "mpi/kernels.h"

enum cladei_mpi_paths_kernel {
    PATHS_LOWER,
    PATHS_BOUND,
    PATHS_UNSENT,
    PATHS_LOOK,
    PATHS_TREE_BEGIN,
    PATHS_TREE_ROOTS,
    PATHS_TREE_OFFER,
    PATHS_TREE_LOOK,
    PATHS_TREE_TAKE,
    PATHS_TREE_CLOSE,
    PATHS_LACK,
    PATHS_LACK_TAKE,
    PATHS_KERNELS
};

/* What goes from rank to rank about nodes: numbers at the receiver, offers of predecessors, and
 * lengths. On the host, and on the device. */
struct cladei_mpi_news {
    struct cladei_mpi_stage nodes, offers, lengths;
    cl_mem nodes_mem, offers_mem, lengths_mem;
    uint64_t room; /* of the buffers on the device */
};

struct clade_mpi_paths {
    clade_mpi_graph *graph;
    clade_paths *part;
    uint32_t type; /* of lengths */
    size_t length_bytes;
    cl_kernel kernels[PATHS_KERNELS];
    cl_mem sent;         /* of each ghost, the length that its owner was told */
    cl_mem predecessors; /* of own nodes, and offers to ghosts */
    cl_mem levels;       /* of own nodes */
    cl_mem bound;        /* the bound's number: the target of a part of a search */
    cl_mem counts;       /* of each rank, what is to be sent */
    cl_mem least;        /* the least length that waits; as a word: what kernels count */
    struct cladei_mpi_news out, in;
    struct cladei_mpi_exchange exchange;
    uint32_t *own_counts; /* `counts` on the host */
    uint32_t *sources;    /* of this rank's nodes */
    uint64_t source_count;
    uint64_t expanded; /* by the part, when the last step ended */
    bool has_result, has_tree;
    clade_mpi_paths_stats stats;
};

/* Room for news. */
clade_status cladei_mpi_news_reserve(struct cladei_mpi_news *news, clade_context *context,
                                     uint64_t count, size_t length_bytes);
void cladei_mpi_news_free(struct cladei_mpi_news *news, clade_context *context);

/* Send what kernels left in `out` for other ranks, as `counts` says: `own` is how it went so far,
 * and all ranks agree on it and on `alike`, whose first number is not used. What was received is in
 * `in`, on the device, too; *own how the last step of that went. */
clade_status cladei_mpi_paths_send(clade_mpi_paths *paths, clade_status *own, bool has_offers,
                                   const struct cladei_mpi_alike *alike);
/* The counts, and a word of `bytes` in `least`, are set to these numbers. */
clade_status cladei_mpi_paths_count_anew(clade_mpi_paths *paths);
clade_status cladei_mpi_paths_counted(clade_mpi_paths *paths, uint32_t *count);

/* The search from `paths->sources`: steps until nothing waits. */
clade_status cladei_mpi_paths_search(clade_mpi_paths *paths, const clade_paths_query *query);
/* Predecessors of a search that is done. */
clade_status cladei_mpi_paths_tree(clade_mpi_paths *paths);
/* Whether some node lacks its length, when some sum did not fit: CLADE_E_FULL on all ranks. */
clade_status cladei_mpi_paths_lack(clade_mpi_paths *paths);
