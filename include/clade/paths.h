/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths from nodes of a graph, on the device.
 *
 * A graph (clade/graph.h) is made once and stays on the device. A path finder does searches on it,
 * one after the other; several path finders may use one graph. There is no width to tune. Results
 * are exact for all legal weights: the shortest lengths are those that Dijkstra's algorithm finds.
 * Sums of floats are rounded to the nearest at each arc, from the source on, and the least of these
 * sums is the length.
 *
 * Kernels of your own search with clade_paths_run_wg() from `clade/paths.clh`, a group for each
 * search. docs/structures/paths.md has an example; docs/inside/paths.md has the algorithm.
 *
 * Source: near-far and delta-stepping, U. Meyer, P. Sanders: Delta-stepping, J. Algorithms 49
 * (2003), section 2; A. Davidson, S. Baxter, M. Garland, J. Owens: Work-efficient parallel GPU
 * methods for single-source shortest paths, IPDPS 2014, section IV. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/graph.h"
#include "clade/shared/paths.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A path finder: opaque. */
typedef struct clade_paths clade_paths;

/* What a path finder is. A zero field means its default. */
typedef struct clade_paths_params {
    uint32_t wide;        /* 1: lengths are uint64_t, for sums that 32 bits do not hold */
    uint32_t slots;       /* searches at the same time, in clade_paths_table() and in kernels of
                           * your own; default 1 */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_paths_params;

/* A search in parts: first FIRST, then NEXT as often as one likes. A part ends at its targets, as a
 * whole search does. But lengths beyond them stay. Each is that of some path, and the next part
 * goes on from there: lengths only fall. It may have further sources, other targets and another
 * cutoff. A greater cutoff goes once more through the arcs of all nodes that have a length. Between
 * two parts a kernel of your own may lower lengths (clade_paths_lower_wi()). A last part without
 * targets and cutoff finds all lengths. Once predecessors are asked for, the search is over, also
 * when they could not be read. Before that it finds all lengths up to the greatest cutoff. */
enum {
    CLADE_PATHS_FIRST = 1, /* nothing is reached before it */
    CLADE_PATHS_NEXT = 2
};

/* What to search. A zero field means its default. */
typedef struct clade_paths_query {
    clade_array sources;   /* `source_count` uint32_t: nodes at which paths begin */
    uint64_t source_count; /* at most 2^32 - 1. With 0 nothing is reached */
    clade_array targets;   /* `target_count` uint32_t: the search ends when it has the lengths to
                            * all of them; no array: when it has those to all nodes */
    uint64_t target_count; /* at most 2^32 - 1 */
    clade_array bounds;    /* one length (see clade_paths_read()) for each node: a lower bound of
                            * the way from there to any target. The search prefers nodes that are
                            * closer to a target (A*). Along an arc the bound may fall by at most
                            * the arc's weight, as straight-line distances do. Not reached, or
                            * infinite: no way leads from there. With floats a length may exceed
                            * the least sum by what rounding took from that. No array: 0 for all */
    uint64_t cutoff;       /* paths that are longer are not found; 0, or more than a length can
                            * be: no cutoff */
    float cutoff_float;    /* the same with float weights */
    uint32_t part; /* 0: a whole search. Else a search in parts: CLADE_PATHS_FIRST or _NEXT */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_paths_query;

/* What the last search did. */
typedef struct clade_paths_stats {
    uint64_t expanded;    /* nodes whose arcs were gone through, counted each time */
    uint64_t rounds;      /* how often the group met for a new plan */
    uint64_t rebuilds;    /* how often all entries were made anew, because a queue was full */
    uint64_t launches;    /* how often a kernel was started to go on with it */
    uint64_t given_up;    /* how often groups of a launch waited for each other in vain */
    uint64_t reserved[7]; /* zero */
} clade_paths_stats;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Make a path finder. It takes about 50 bytes for each node and slot, or 80 with wide lengths.
 *
 * @retval CLADE_OK     `*out` is the path finder.
 * @retval CLADE_E_ARG  A parameter is out of range, or it would not fit into one buffer; the
 *                      message has the limit.
 * @retval CLADE_E_UNSUPPORTED  Wide lengths on a device without 64-bit atomics, or with float
 *                      weights.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_paths_destroy() frees it. It holds its graph.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_paths_create(clade_paths **out, clade_graph *graph,
                                                        const clade_paths_params *params);

/**
 * Free a path finder and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the path finder.
 * Threads: one, when no other uses it.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_paths_destroy(clade_paths **paths);

/**
 * Search. The result stays in the path finder until its next search.
 *
 * @param paths   Which one.
 * @param query   What to search.
 * @param launch  Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      Done.
 * @retval CLADE_E_FULL  Done, but some shortest path's length does not fit: it is 2^32 - 1 or more
 *                       (a float: infinite). Those that fit are exact, the others count as not
 *                       reached. With integers, params.wide holds them. It is not told when the
 *                       search had a cutoff, or ended at its targets.
 * @retval CLADE_E_ARG   An argument is wrong, or a source or target is no node, or there is no
 * search to go on with. There is no result.
 * @retval CLADE_E_BUSY  The device does not do what the kernel says: there is no progress, or its
 *                       driver leaves loops (clade_caps.loop_limit) again and again. There is no
 *                       result.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named. There is no result.
 *
 * Owner:    arrays stay the caller's; they are not looked at after the call.
 * Threads:  one at a time per path finder; different ones on one graph at the same time.
 * Blocks:   yes. Kernels run a bounded number of rounds each, so that none holds the device for
 *           long; the host starts the next one.
 * Progress: every search ends. Labels only fall; the work is bounded by that of Bellman and Ford.
 */
CLADE_API CLADE_CHECKED clade_status clade_paths_run(clade_paths *paths,
                                                     const clade_paths_query *query,
                                                     const clade_launch *launch);

/**
 * Read the result of the last search.
 *
 * @param paths         Which one.
 * @param lengths       Receives a length for each node: uint32_t, float, or uint64_t (wide); or no
 *                      array. All bits 1 (as a float a NaN): not reached. That is so where no path
 *                      leads, and beyond the cutoff. When the search ended at its targets, it may
 *                      also be so where a node is farther than the last target, or, with bounds,
 *                      does not lie on the way. A length that is there is exact.
 * @param predecessors  Receives a uint32_t for each node: the node before it on a shortest path (of
 *                      several always the same one); CLADE_PATHS_NONE for sources and where nothing
 *                      was reached. They are a forest whose roots are the sources. Or no array.
 * @param launch        Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK     Done with an array in host memory, else enqueued.
 * @retval CLADE_E_ARG  An argument is wrong, or there is no result to read.
 * @retval CLADE_E_BUSY As clade_paths_run(), where predecessors end a search in parts.
 * @retval CLADE_E_CORRUPT  A node has no predecessor: clade_paths_lower_wi() lowered its length.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per path finder.
 * Blocks:  with host arrays; and when predecessors are read for the first time after a search.
 */
CLADE_API CLADE_CHECKED clade_status clade_paths_read(clade_paths *paths, clade_array lengths,
                                                      clade_array predecessors,
                                                      const clade_launch *launch);

/**
 * Read one shortest path of the last search, from a source to `node`.
 *
 * @param paths  Which one.
 * @param node   Where it ends.
 * @param nodes  Receives the nodes of the path, both ends included, if they fit; or NULL.
 * @param room   How many nodes fit.
 * @param got    Receives how many nodes the path has, also when they do not fit.
 *
 * @retval CLADE_OK           Done; `nodes` has them if `*got <= room`.
 * @retval CLADE_E_NOT_FOUND  The node was not reached. `*got` is 0.
 * @retval CLADE_E_CORRUPT    The device's predecessors make no path.
 * @retval CLADE_E_ARG        An argument is wrong, or there is no result to read.
 * @retval CLADE_E_BUSY       As clade_paths_read().
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per path finder.
 * Blocks:  yes. The first call after a search copies all predecessors to the host.
 */
CLADE_API CLADE_CHECKED clade_status clade_paths_trace(clade_paths *paths, uint32_t node,
                                                       uint32_t *nodes, uint64_t room,
                                                       uint64_t *got);

/**
 * Search from many sources, each by itself: a table of lengths. As many searches run at the same
 * time as the path finder has slots. The result of an earlier search is gone.
 *
 * @param paths    Which one.
 * @param sources  `count` uint32_t.
 * @param lengths  Receives `count` rows of a length for each node, as clade_paths_read().
 * @param count    How many sources.
 * @param launch   Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK, CLADE_E_FULL, CLADE_E_ARG, CLADE_E_BUSY  As clade_paths_run(). With the last
 *            two no row is of use.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner, threads, blocks: as clade_paths_run().
 */
CLADE_API CLADE_CHECKED clade_status clade_paths_table(clade_paths *paths, clade_array sources,
                                                       clade_array lengths, uint64_t count,
                                                       const clade_launch *launch);

/**
 * Say what the last search did. After clade_paths_table(): `launches` alone.
 *
 * @retval CLADE_OK     Done.
 * @retval CLADE_E_ARG  An argument is NULL.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per path finder.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_paths_stats_read(const clade_paths *paths,
                                                            clade_paths_stats *stats);

/**
 * The path finder's buffer, an argument for kernels of your own: `__global clade_paths_head *`.
 *
 * @return Borrowed from `paths`.
 *
 * Owner:   the path finder.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_paths_mem(const clade_paths *paths);

/**
 * Options for the compiler of kernels that include `clade/paths.clh` and take this path finder.
 *
 * @return Borrowed from `paths`.
 *
 * Owner:   the path finder.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_paths_options(const clade_paths *paths);

#ifdef __cplusplus
}
#endif
