/* SPDX-License-Identifier: Apache-2.0 */
/* What the parsers of graph formats share.
 *
 * A header's counts are claims. Memory is asked for as lines bear them out, never because of a
 * claim alone: a file of thirty bytes must not be able to ask for gigabytes. */
#pragma once

#include "common/textfile.h"
#include "graph/graph.h"

/* Arcs in the order of the file, before they are sorted by source. Zeroed is empty. */
struct arc_list {
    uint64_t count;
    uint64_t room;
    uint32_t *from; /* indices, from 0 */
    uint32_t *to;
    uint32_t *weight;
};

/* Append an arc. false: memory is out, the list is as it was. */
bool arc_list_add(struct arc_list *list, uint32_t from, uint32_t to, uint32_t weight);

void arc_list_free(struct arc_list *list);

/* Make a graph of the arcs, which must name nodes below `nodes`. On failure `*out` is untouched;
 * `name` is for the error. */
bool graph_from_arcs(struct graph *out, uint64_t nodes, const struct arc_list *arcs,
                     const char *name, struct file_error *error);

/* Grow an array of `width`-byte elements to hold at least `count`. false: memory is out, the array
 * is as it was. `*room` counts elements; NULL and 0 at first. */
bool graph_grow(void *array, uint64_t *room, uint64_t count, size_t width);

/* Take a number from `low` to `high`; `what` names it in messages. */
bool graph_field(struct textfile *file, const char *what, uint64_t low, uint64_t high,
                 uint64_t *value, struct file_error *error);

/* Take a node's number, 1 .. nodes, as an index. */
bool graph_node(struct textfile *file, uint64_t nodes, uint32_t *index, struct file_error *error);

/* Take an arc's weight. */
bool graph_weight(struct textfile *file, uint32_t *weight, struct file_error *error);

/* Check that nothing but blanks is left on the line. */
bool graph_line_end(struct textfile *file, struct file_error *error);

/* Pass lines that are empty or start with `comment`. Returns what the next line starts with, or
 * TEXTFILE_END. */
int graph_skip_comments(struct textfile *file, char comment);

/* The parsers. On failure `*out` is untouched. A damaged stream may look like the end of the file:
 * the caller asks textfile_intact(). */
bool graph_parse_dimacs(struct graph *out, struct textfile *file, struct file_error *error);
bool graph_parse_metis(struct graph *out, struct textfile *file, struct file_error *error);
bool graph_parse_mtx(struct graph *out, struct textfile *file, struct file_error *error);
