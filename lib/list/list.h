/* SPDX-License-Identifier: Apache-2.0 */
/* The list's host side, shared by the files of lib/list. */
#pragma once

#include "clade/list.h"
#include "object/call.h"
#include "object/cells.h"

enum list_kernel {
    LIST_APPLY, /* a program by itself: it has all operations; a driver of a GPU takes long */
    LIST_PUSH_FILL,
    LIST_PUSH_SKIP,
    LIST_PUSH_LINK,
    LIST_PUSH_DONE,
    LIST_CLEAR,
    LIST_SKIP,
    LIST_RELINK,
    LIST_SWEEP,
    LIST_SORT,
    LIST_MERGE,
    LIST_COUNT,
    LIST_GATHER, /* of nodes in a kma alone */
    LIST_KERNELS
};

struct clade_list {
    struct cladei_object object;
    clade_list_params params;
    clade_list_head layout; /* the constant words of the head */
    cl_kernel kernels[LIST_KERNELS];
    char options[224];
    uint32_t apply_group; /* items of LIST_APPLY's groups; 0: not chosen yet */
    struct cladei_cells_known known;
    bool is_filled; /* the words of the buffer are initialised */
};

extern const struct cladei_kind cladei_list_kind;

static inline bool cladei_list_is_ordered(const clade_list *list)
{
    return list->params.mode == CLADE_LIST_ORDERED;
}

static inline bool cladei_list_is_in_kma(const clade_list *list)
{
    return list->params.kma != NULL;
}

/* The allocator's buffer. If the list has a pool: the list's own buffer, which kernels then do not
 * touch as an allocator. */
static inline cl_mem cladei_list_kma_mem(const clade_list *list)
{
    return list->params.kma ? clade_kma_mem(list->params.kma) : list->object.mem;
}

/* A list's cells in host memory, for who reads a copy of them or the payload of a file. */
struct cladei_list_cells {
    uint32_t *words;
    uint32_t key_words, cell_words;
};

static inline struct cladei_list_cells cladei_list_cells(const clade_list *list, uint32_t *words)
{
    const uint32_t key_words = CLADE_TYPE_BYTES(list->params.key) / 4;
    const uint32_t value_words = CLADE_TYPE_BYTES(list->params.value) / 4;
    return (struct cladei_list_cells) { words, key_words,
                                        CLADE_LIST_WORDS(key_words, value_words) };
}

static inline uint32_t *cladei_list_cell(const struct cladei_list_cells *cells, clade_ref node)
{
    return cells->words + (size_t)(node - 1) * cells->cell_words;
}

/* The key that begins at `words`, a cell's or a shortcut's. */
static inline uint64_t cladei_list_key_at(const struct cladei_list_cells *cells,
                                          const uint32_t *words)
{
    return cells->key_words == 2 ? (uint64_t)words[1] << 32 | words[0] : words[0];
}

static inline uint64_t cladei_list_key(const struct cladei_list_cells *cells, clade_ref node)
{
    return cladei_list_key_at(cells, cladei_list_cell(cells, node) + CLADE_LIST_WORD_KEY);
}

/* Work out from the parameters the defaults, where everything lies, and the object's bytes. */
clade_status cladei_list_plan(clade_list *list, const clade_context *context);
/* The words that never change are those that the list was made with. */
clade_status cladei_list_check_head(const clade_list *list, const clade_list_head *head);
/* Take the bytes of a planned list, which may come from anywhere. Refuse those that are no list.
 * Make the others a list as after a reclaim, with `live` nodes. */
clade_status cladei_list_rebuild(const clade_list *list, uint32_t *words, uint64_t *live);
/* Enqueue the launches of a reclaim. */
clade_status cladei_list_reclaim(clade_list *list, struct cladei_run *run);
/* Do again a reclaim that a failure cut short. The second form waits for nothing and needs no run.
 */
clade_status cladei_list_mend(clade_list *list, struct cladei_run *run);
clade_status cladei_list_mend_now(clade_list *list);
/* Make sure that LIST_APPLY is there. */
clade_status cladei_list_need_apply(clade_list *list);
/* How often `bound` must be divided by `factor`, rounding up, to reach 1. */
uint32_t cladei_list_passes(uint64_t bound, uint64_t factor);
/* Before `count` operations that change the list and may take as many cells. */
clade_status cladei_list_make_room(clade_list *list, struct cladei_run *run, uint64_t count);
clade_status cladei_list_enqueue_clear(clade_list *list, struct cladei_run *run);
