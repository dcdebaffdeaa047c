/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of test_paths.c: they are one program, for they ask for the same kernels. */
#pragma once

#include "paths/model.h"

/* A graph that was drawn, and a path finder on it. */
struct opened {
    struct drawn drawn;
    clade_graph *graph;
    clade_paths *paths;
    bool wide;
    uint64_t *wanted; /* lengths, as dijkstra() tells them */
    uint64_t *got;    /* as read_result() reads them */
    uint32_t *predecessors;
};

/* paths_opened.c: it takes what was drawn, and frees it. */
struct opened open_drawn(struct fixture *f, struct drawn drawn, bool wide, uint32_t slots);
void close_drawn(struct opened *o);
clade_graph_params params_of(const struct drawn *drawn);
/* A row of nodes, each with an arc to the next. */
struct drawn row_of(uint32_t nodes, uint32_t weight);
void draw_sources(struct random *random, uint32_t *sources, uint64_t count, uint32_t nodes);
clade_paths_query from(const uint32_t *sources, uint64_t count);
void read_result(struct opened *o);
void assert_lengths(const struct opened *o);
/* A whole search from these sources: lengths, predecessors, and the status. */
void search_and_compare(struct opened *o, const uint32_t *sources, uint64_t count);
/* Lengths of one row as 64 bits; all bits 1 in their own width is UINT64_MAX. */
void widen(uint64_t *out, const void *lengths, uint32_t nodes, bool wide);

/* paths_lengths.c: every length, whatever the graph */
void lengths_of_integers_are_dijkstras(void **state);
void lengths_of_floats_are_dijkstras(void **state);
void wide_lengths_are_dijkstras(void **state);
void dense_graphs_take_little_work(void **state);
void long_rows_take_several_launches(void **state);
void large_graphs_are_searched_to_the_end(void **state);
void lengths_of_integers_behind_many_arcs(void **state);
void lengths_of_integers_behind_arcs_side_by_side(void **state);
void circles_of_zeros_make_no_circle_of_predecessors(void **state);
void what_finds_no_room_is_not_lost(void **state);
void lengths_that_do_not_fit_are_told(void **state);

/* paths_thousand.c: many graphs in one */
void a_thousand_graphs_at_once(void **state);

/* paths_ends.c: searches that end early */
void a_search_ends_at_its_targets(void **state);
void a_near_target_takes_little_work(void **state);
void nothing_beyond_the_cutoff_is_found(void **state);
void bounds_lead_to_the_target(void **state);
void bounds_spare_what_leads_away(void **state);
void lengths_from_the_target_are_bounds(void **state);
void a_search_goes_on_in_parts(void **state);
void parts_have_cutoffs_of_their_own(void **state);
void full_queues_do_not_end_a_search(void **state);
void predecessors_end_a_search_in_parts(void **state);
void what_is_over_does_not_go_on(void **state);

/* paths_lowered.c */
void lengths_are_lowered_between_parts(void **state);
void predecessors_that_cannot_be_read_end_a_search(void **state);

/* paths_refusals.c */
void damaged_graphs_are_refused(void **state);
void graphs_of_host_and_device_arrays_are_the_same(void **state);
void bad_queries_are_refused(void **state);
