/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs drawn at random, and Dijkstra's algorithm on the host, which tells what is right. */
#pragma once

#include <clade/paths.h>

#include "harness/fixture.h"

struct drawn {
    uint32_t nodes;
    uint32_t arcs;
    uint32_t type; /* of weights */
    uint32_t *offsets;
    uint32_t *targets;
    uint32_t *weights; /* or bits of floats */
};

/* How weights are drawn. */
enum weights { SMALL, MANY_ZEROS, LARGE, SKEWED, EQUAL, WEIGHTS };

struct drawn draw_graph(struct random *random, uint32_t nodes, uint32_t arcs, uint32_t type,
                        enum weights weights);
void drawn_free(struct drawn *drawn);
/* The lengths from any of the sources, as 64 bits: integers, or bits of floats. UINT64_MAX: not
 * reached, or the shortest path's sum does not fit: then *overflow. Of wide lengths all fit. */
void dijkstra(const struct drawn *drawn, const uint32_t *sources, uint64_t count, bool wide,
              uint64_t *lengths, bool *overflow);
/* One arc more; UINT64_MAX: it does not fit. */
uint64_t sum_of(const struct drawn *drawn, bool wide, uint64_t length, uint32_t weight);
/* They are a forest: each leads, by arcs that add up, to a node with a length of its own. */
void assert_forest(const struct drawn *drawn, bool wide, const uint64_t *lengths,
                   const uint32_t *predecessors, const uint32_t *sources, uint64_t count);
