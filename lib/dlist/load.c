/* SPDX-License-Identifier: Apache-2.0 */
/* Doubly linked lists in files. As lib/list/load.c: the next links are looked at before a kernel
 * follows them; links back, free cells and counts are made anew from them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "dlist/dlist.h"
#include "object/saved.h"

static uint32_t *cell_of(const clade_dlist *list, uint32_t *words, clade_ref node)
{
    return words + list->layout.nodes_at + (size_t)(node - 1) * CLADE_DLIST_CELL;
}

/* Lead each live node to the next live one, and that one back. `is_live`: a byte a cell. */
static clade_status relink(const clade_dlist *list, uint32_t *words, uint8_t *is_live,
                           uint64_t *live)
{
    clade_status status = CLADE_OK;
    clade_dlist_head *head = (clade_dlist_head *)words;
    const uint32_t capacity = list->layout.capacity;
    clade_ref before = CLADE_NIL, last = CLADE_NIL, node = head->first >> CLADE_DLIST_REF_SHIFT;
    *live = 0;
    head->first = CLADE_NIL;
    for (uint32_t steps = 0; node != CLADE_NIL; steps++) {
        CLADE_REQUIRE(node <= capacity, CLADE_E_CORRUPT, "node %u links to %u; there are %u cells",
                      before, node, capacity);
        /* A live node that is met again was marked; what is erased shows by the number of steps.
         */
        CLADE_REQUIRE(!is_live[node] && steps < capacity, CLADE_E_CORRUPT,
                      "the links run in a circle at node %u", node);
        uint32_t *cell = cell_of(list, words, node);
        const uint32_t link = cell[CLADE_DLIST_WORD_NEXT];
        CLADE_REQUIRE(link != CLADE_DLIST_CELL_FREE, CLADE_E_CORRUPT,
                      "node %u links to %u, a free cell", before, node);
        before = node;
        if (!(link & CLADE_DLIST_ERASED)) {
            uint32_t *to = last == CLADE_NIL ? (uint32_t *)&head->first
                                             : cell_of(list, words, last) + CLADE_DLIST_WORD_NEXT;
            *to = node << CLADE_DLIST_REF_SHIFT;
            cell[CLADE_DLIST_WORD_PREV] = last;
            cell[CLADE_DLIST_WORD_NEXT] = CLADE_NIL;
            is_live[node] = 1;
            last = node;
            ++*live;
        }
        node = link >> CLADE_DLIST_REF_SHIFT;
    }
    head->last = last;
fail:
    return status;
}

static clade_status free_others(const clade_dlist *list, uint32_t *words, const uint8_t *is_live)
{
    clade_status status = CLADE_OK;
    uint32_t *free_cells = words + list->layout.free_at, count = 0;
    for (clade_ref node = 1; node <= list->layout.capacity; node++) {
        uint32_t *cell = cell_of(list, words, node);
        if (is_live[node])
            continue;
        CLADE_REQUIRE(cell[CLADE_DLIST_WORD_NEXT] & CLADE_DLIST_ERASED, CLADE_E_CORRUPT,
                      "node %u is live, but the links do not lead to it", node);
        cell[CLADE_DLIST_WORD_NEXT] = CLADE_DLIST_CELL_FREE;
        cell[CLADE_DLIST_WORD_PREV] = CLADE_NIL;
        free_cells[count++] = node;
    }
    memset(free_cells + count, 0, (list->layout.capacity - count) * sizeof *free_cells);
    ((clade_dlist_head *)words)->free_count = count;
fail:
    return status;
}

clade_status cladei_dlist_rebuild(const clade_dlist *list, uint32_t *words, uint64_t *live)
{
    clade_status status = CLADE_OK;
    clade_dlist_head *head = (clade_dlist_head *)words;
    uint8_t *is_live = calloc(list->layout.capacity + 1u, 1);
    CLADE_NO_MEMORY(is_live);
    CLADE_REQUIRE(head->capacity == list->layout.capacity &&
                      head->nodes_at == list->layout.nodes_at &&
                      head->free_at == list->layout.free_at,
                  CLADE_E_CORRUPT, "the head's constant words have changed");
    CLADE_REQUIRE(!(head->first & CLADE_DLIST_ERASED), CLADE_E_CORRUPT,
                  "the end's link is marked: %#x", head->first);
    CLADE_TRY(relink(list, words, is_live, live));
    CLADE_TRY(free_others(list, words, is_live));
    head->live = (uint32_t)*live;
    head->planted = CLADE_NIL;
    for (uint32_t i = 0; i < CLADE_CELLS_STRIPES; i++)
        head->stripes[i].taken = 0;
fail:
    free(is_live);
    return status;
}

/* --- calls ---------------------------------------------------------------------------------- */

/* What a file says of its list. The group's size is the device's matter. */
struct saved_params {
    uint64_t capacity;
    uint32_t value;
    uint32_t reserved; /* zero */
};

clade_status clade_dlist_save(clade_dlist *list, const char *path)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(list && path, CLADE_E_ARG, "an argument is NULL");
    const struct saved_params params = { .capacity = list->params.capacity,
                                         .value = list->params.value };
    CLADE_TRY(cladei_object_save(&list->object, path, &params, sizeof params, list->object.bytes));
fail:
    return status;
}

clade_status clade_dlist_load(clade_dlist **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    struct saved_params params;
    clade_dlist planned = { 0 }, *list = NULL;
    uint64_t live;
    CLADEI_PLACE(out, "the list");
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "the context or the path is NULL");
    CLADE_TRY(cladei_saved_open(&saved, context, path, CLADE_DLIST_KIND, sizeof params));
    memcpy(&params, saved.params, sizeof params);
    planned.params = (clade_dlist_params) { .capacity = params.capacity, .value = params.value };
    CLADE_TRY(cladei_saved_answer(cladei_dlist_plan(&planned, context), path));
    CLADE_TRY(cladei_saved_fits(&saved, planned.object.bytes, path));
    CLADE_TRY(cladei_dlist_rebuild(&planned, saved.payload, &live));
    CLADE_TRY(clade_dlist_create(&list, context, &planned.params));
    CLADE_TRY(cladei_saved_restore(&saved, &list->object, path));
    cladei_cells_are_clean(&list->known, live);
    *out = list;
    list = NULL;
fail:
    clade_dlist_destroy(&list);
    cladei_saved_close(&saved);
    return status;
}
