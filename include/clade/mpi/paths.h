/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths in a graph that lies on several devices: each rank has a part of it.
 *
 * The nodes of all ranks have one numbering: rank 0 has the first ones, rank 1 those after them,
 * and so on. Each rank brings its nodes and the arcs that leave them; arcs lead to any node of any
 * rank. A rank may have no node. A search gives each rank the lengths and predecessors of its own
 * nodes. They are those that one device would find (clade/paths.h), whatever the shares are.
 *
 * Each device searches its own part up to a bound, the ranks send each other the least lengths that
 * they found for nodes of others, and so on until nothing waits anywhere. docs/inside/mpi.md has
 * more. The gain is room: a graph may be larger than one device holds.
 *
 * Who calls, what blocks and how errors are told: clade/mpi/comm.h. */
#pragma once

#include "clade/mpi/comm.h"
#include "clade/paths.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nodes of all ranks together: their numbers are uint32_t, and one is none. */
#define CLADE_MPI_NODES_MAX 0xfffffffeu

/* A graph over all ranks: opaque. */
typedef struct clade_mpi_graph clade_mpi_graph;
/* A path finder over all ranks: opaque. */
typedef struct clade_mpi_paths clade_mpi_paths;

/* What the last search did. */
typedef struct clade_mpi_paths_stats {
    uint64_t steps;       /* how often the ranks met */
    uint64_t sent;        /* lengths that this rank sent to others */
    uint64_t expanded;    /* nodes of this rank whose arcs were gone through, counted each time */
    uint64_t reserved[5]; /* zero */
} clade_mpi_paths_stats;

/**
 * How many nodes a rank is to have, and which: even shares. It sends nothing, and needs nobody.
 *
 * @param mpi      The communicator.
 * @param nodes    Of all ranks together.
 * @param offsets  nodes + 1 numbers: the arcs of node u are offsets[u] .. offsets[u+1]-1. Then
 *                 shares have about as many nodes and arcs together. NULL: as many nodes.
 * @param first    Receives this rank's first node.
 * @param count    Receives how many it has; it may be 0.
 *
 * @retval CLADE_OK     Done.
 * @retval CLADE_E_ARG  An argument is NULL.
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_graph_share(const clade_mpi *mpi, uint64_t nodes,
                                                           const uint64_t *offsets, uint64_t *first,
                                                           uint64_t *count);

/**
 * Make a graph, of a part from each rank.
 *
 * @param out      Receives the graph; NULL on failure.
 * @param mpi      The communicator.
 * @param context  The rank's device.
 * @param params   As for clade_graph_create(), of this rank's nodes and the arcs that leave them.
 *                 `nodes` may be 0; then nothing else is needed. `targets` are numbers among the
 *                 nodes of all ranks. `weight_type` is the same on all ranks, and all together have
 *                 1 .. CLADE_MPI_NODES_MAX nodes.
 *
 * @retval CLADE_OK     Every rank has its part.
 * @retval CLADE_E_ARG  A parameter is out of range, or not the same on all ranks; or the rank's
 *                      nodes, and those of others to which its arcs lead, are more than a graph may
 *                      have (CLADE_GRAPH_NODES_MAX).
 * @return Else as clade_graph_create() on the lowest rank that failed; no rank has a part.
 *
 * Owner:   the caller; clade_mpi_graph_destroy() frees it. It holds its communicator and its
 *          context. Arrays stay the caller's.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_graph_create(clade_mpi_graph **out, clade_mpi *mpi,
                                                            clade_context *context,
                                                            const clade_graph_params *params);

/**
 * Let go of a graph and set the handle to NULL. It lives until the last path finder on it is
 * destroyed. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the caller's hold of the graph.
 * Threads: one at a time per communicator.
 * Blocks:  until the context's queue is empty; may wait for all ranks.
 */
CLADE_API void clade_mpi_graph_destroy(clade_mpi_graph **graph);

/**
 * The number of a rank's first node.
 *
 * @param rank  0 .. clade_mpi_ranks(); with the last one, how many nodes there are.
 *
 * @return The number; 0 for NULL and for a rank that there is not.
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API uint64_t clade_mpi_graph_first(const clade_mpi_graph *graph, int rank);

/**
 * Make a path finder.
 *
 * @param out     Receives the path finder; NULL on failure.
 * @param graph   The graph.
 * @param params  As for clade_paths_create(), the same on all ranks; `slots` is 0. NULL: all
 *                defaults.
 *
 * @retval CLADE_OK     Every rank has its own.
 * @retval CLADE_E_ARG  A parameter is out of range, or not the same on all ranks.
 * @return Else as clade_paths_create() on the lowest rank that failed; no rank has one.
 *
 * Owner:   the caller; clade_mpi_paths_destroy() frees it. It holds its graph.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_paths_create(clade_mpi_paths **out,
                                                            clade_mpi_graph *graph,
                                                            const clade_paths_params *params);

/**
 * Free a path finder and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the path finder.
 * Threads: one at a time per communicator.
 * Blocks:  until the context's queue is empty; may wait for all ranks.
 */
CLADE_API void clade_mpi_paths_destroy(clade_mpi_paths **paths);

/**
 * Search. The result stays in the path finder until its next search.
 *
 * @param paths  Which one.
 * @param query  `sources`: those of all ranks together; a rank may name nodes of other ranks, or
 *               none. `cutoff` or `cutoff_float`: the same on all ranks. All else is zero: there
 * are no targets, bounds and parts over ranks.
 *
 * @retval CLADE_OK      Done.
 * @retval CLADE_E_FULL  Done, but some shortest path's length does not fit, as with
 *                       clade_paths_run(). It is not told when there was a cutoff.
 * @retval CLADE_E_ARG   An argument is wrong or differs, or a source is no node.
 * @return Else as clade_paths_run() on the lowest rank that failed. There is no result then.
 *
 * Owner:    arrays stay the caller's.
 * Threads:  one at a time per communicator.
 * Blocks:   until all ranks are done.
 * Progress: every search ends. Lengths only fall.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_paths_run(clade_mpi_paths *paths,
                                                         const clade_paths_query *query);

/**
 * Read the result of the last search, of this rank's nodes.
 *
 * @param paths         Which one.
 * @param lengths       As with clade_paths_read(), or no array.
 * @param predecessors  Likewise; numbers among the nodes of all ranks.
 *
 * @retval CLADE_OK     Done.
 * @retval CLADE_E_ARG  An argument is wrong, or there is no result to read.
 * @return Else the status of the lowest rank that failed.
 *
 * Owner:   arrays stay the caller's.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_paths_read(clade_mpi_paths *paths,
                                                          clade_array lengths,
                                                          clade_array predecessors);

/**
 * Say what the last search did on this rank. It needs nobody else.
 *
 * @retval CLADE_OK     Done.
 * @retval CLADE_E_ARG  An argument is NULL.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per communicator.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_paths_stats_read(const clade_mpi_paths *paths,
                                                                clade_mpi_paths_stats *stats);

#ifdef __cplusplus
}
#endif
