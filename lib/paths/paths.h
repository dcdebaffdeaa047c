/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs and path finders on the host. */
#pragma once

#include "clade/paths.h"

#include "object/call.h"

struct clade_graph {
    struct cladei_object object;
    uint32_t borrowers; /* path finders */
    uint64_t nodes;
    uint64_t arcs;
    uint32_t type; /* of weights: CLADE_PATHS_U32 or _F32 */
    float width;   /* of a bucket: a common weight */
};

/* Whether the host makes a graph of these arrays, and making it: graph_few.c. */
bool cladei_graph_is_few(const clade_graph_params *params);
clade_status cladei_graph_fill_few(clade_graph *graph, const clade_graph_params *params,
                                   clade_graph_head *head);

enum cladei_paths_kernel {
    PATHS_BEGIN,
    PATHS_SOURCES,
    PATHS_GO,
    PATHS_FORGET,
    PATHS_LACK,
    PATHS_LENGTHS,
    PATHS_KERNELS
};
enum cladei_paths_rows_kernel { ROWS_BEGIN, ROWS_GO, ROWS_KERNELS };
enum cladei_paths_tree_kernel {
    TREE_BEGIN,
    TREE_ROOTS,
    TREE_OFFER,
    TREE_CLOSE,
    TREE_READ,
    TREE_KERNELS
};

enum cladei_paths_many_kernel { MANY_GO, MANY_FOLD, MANY_KERNELS };
enum cladei_paths_mend_kernel { MEND_LOOK, MEND_AGAIN, MEND_ALL, MEND_ROWS, MEND_KERNELS };
/* The rows of a search's call. Reading may end a search, and has no bounds. */
enum { PATHS_SOURCES_ROW, PATHS_TARGETS_ROW, PATHS_BOUNDS_ROW };

/* What a search's kernels are told, beside its rows. */
struct cladei_paths_search {
    cl_ulong cutoff;
    cl_ulong target_count;
    cl_uint has_bounds;
    cl_uint rounds; /* of one launch */
};

struct clade_paths {
    struct cladei_object object;
    clade_paths_head layout;
    clade_graph *graph;
    uint32_t type; /* of lengths */
    size_t length_bytes;
    size_t group;      /* of a search */
    size_t rows_group; /* of a table's */
    uint32_t groups;   /* that do one search together; 0: one does it, as it does in kernels */
    size_t many_group;
    cl_kernel kernels[PATHS_KERNELS];
    cl_kernel rows[ROWS_KERNELS];
    cl_kernel tree[TREE_KERNELS];
    cl_kernel many[MANY_KERNELS];
    cl_kernel mend[MEND_KERNELS];
    char options[64];
    bool has_result;
    bool has_tree;
    bool in_parts;   /* the last search may go on (clade_paths_query.part) */
    bool is_left;    /* some labels of a search in parts are not final, up to cutoff_most */
    bool is_untold;  /* a call failed before it could tell what its kernels refused */
    cl_ulong cutoff; /* of the last part: arcs to what is beyond it were left out */
    cl_ulong cutoff_most; /* of all parts */
    cl_mem sources;  /* of the last search, for its tree */
    uint64_t source_count;
    uint32_t *predecessors; /* on the host, for clade_paths_trace(); NULL: not read */
    clade_paths_stats stats;
};

/* What the kernels of a call told: E_ARG for a source or target that is no node. */
extern const struct cladei_kind cladei_paths_kind;
/* A search in parts whose predecessors are asked for ends: its labels are final. */
clade_status cladei_paths_complete(clade_paths *paths, struct cladei_call *call);
/* The predecessors of the last search are in the object. */
clade_status cladei_paths_tree_make(clade_paths *paths, struct cladei_run *run);
/* Where a driver leaves long loops: whether a search that says that it is done left something out.
 * If so, or if it is not done, it can go on, from its labels. */
clade_status cladei_paths_mend(clade_paths *paths, struct cladei_call *call, unsigned bounds_row,
                               cl_uint has_bounds, cl_ulong cutoff, bool is_done, bool *goes_on);
/* The words of a search are made anew, so that it goes on from its labels. */
clade_status cladei_paths_again(clade_paths *paths, struct cladei_call *call);
/* The same, and all nodes that have a label wait. */
clade_status cladei_paths_again_from_all(clade_paths *paths, struct cladei_call *call);
/* The same of a table's rows, which row `row` of the call has; CLADE_E_BUSY if something is missing,
 * or was not written since they were cleared. A row that lacks a length that does not fit is noted
 * in the head, as elsewhere by the kernel that writes rows. */
clade_status cladei_paths_rows_clear(clade_paths *paths, struct cladei_call *call, unsigned row,
                                     uint64_t count);
clade_status cladei_paths_rows_look(clade_paths *paths, struct cladei_call *call,
                                    unsigned sources_row, unsigned row, uint64_t count);
/* The kernels of a search are there: compiled when the first call needs them. */
clade_status cladei_paths_need(clade_paths *paths);
/* Enqueue a kernel with one item for each node. */
clade_status cladei_paths_over_nodes(clade_paths *paths, struct cladei_run *run, cl_kernel kernel);
/* The same of a kernel whose items go through the arcs of nodes: with one for each arc where the
 * driver leaves long loops (cladei_paths_walk_of() in cl/clade/paths/piece.clh). */
clade_status cladei_paths_over_arcs(clade_paths *paths, struct cladei_run *run, cl_kernel kernel);
/* How many groups do a search on this device; 0: one. And how many items such a group has; 0: as
 * many as it may. */
uint32_t cladei_paths_groups(const clade_context *context);
uint32_t cladei_paths_items(const clade_context *context);
/* The size of a group of the kernel. */
clade_status cladei_paths_group(clade_paths *paths, cl_kernel kernel, size_t *group);
/* Go on with a search until it is done; *slot is what the kernels left. */
clade_status cladei_paths_go_many(clade_paths *paths, struct cladei_call *call,
                                  const struct cladei_paths_search *search, clade_paths_slot *slot);
clade_status cladei_paths_slot_read(clade_paths *paths, struct cladei_run *run,
                                    clade_paths_slot *slot);
/* The last search has no result any more. */
void cladei_paths_forget(clade_paths *paths);
