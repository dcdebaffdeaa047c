/* SPDX-License-Identifier: Apache-2.0 */
/* Lists in files. A file may hold anything, its checksum fits or not: what leads to other words is
 * looked at before a kernel follows it, and all that follows from the chain of nodes (free cells,
 * shortcuts, hash index, counts) is made anew and not taken from the file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "list/list.h"
#include "object/saved.h"

/* The payload of a file, and what is said about each cell. */
struct image {
    const clade_list *list;
    clade_list_head *head;
    uint32_t *words;
    struct cladei_list_cells cells;
    uint8_t *met; /* a byte a cell: 0, or one of these */
    uint32_t hint_count;
};
enum { MET_ERASED = 1, MET_LIVE = 2 };

clade_status cladei_list_check_head(const clade_list *list, const clade_list_head *head)
{
    clade_status status = CLADE_OK;
    const clade_list_head *layout = &list->layout;
    CLADE_REQUIRE(cladei_object_is_its_head(&list->object, &head->object) &&
                      head->capacity == layout->capacity && head->nodes_at == layout->nodes_at &&
                      head->free_at == layout->free_at && head->index_at == layout->index_at &&
                      head->index_size == layout->index_size && head->spare_at == layout->spare_at,
                  CLADE_E_CORRUPT, "the head's constant words have changed");
fail:
    return status;
}

/* A node that the links lead to: in range, for the first time, and in its place. */
static clade_status check_node(const struct image *image, clade_ref before, clade_ref node)
{
    clade_status status = CLADE_OK;
    const uint32_t capacity = image->list->layout.capacity;
    CLADE_REQUIRE(node <= capacity, CLADE_E_CORRUPT, "node %u links to %u; there are %u cells",
                  before, node, capacity);
    CLADE_REQUIRE(!image->met[node], CLADE_E_CORRUPT, "the links run in a circle at node %u", node);
    const uint32_t link = *cladei_list_cell(&image->cells, node);
    CLADE_REQUIRE(link != CLADE_LIST_CELL_FREE, CLADE_E_CORRUPT, "node %u links to %u, a free cell",
                  before, node);
    CLADE_REQUIRE((link & CLADE_LIST_MARKS) != CLADE_LIST_PENDING, CLADE_E_CORRUPT,
                  "node %u is still pending", node);
    image->met[node] = link & CLADE_LIST_ERASED ? MET_ERASED : MET_LIVE;
fail:
    return status;
}

/* Follow the links once, and lead each live node to the next live one. */
static clade_status relink(struct image *image, uint64_t *live)
{
    clade_status status = CLADE_OK;
    const bool is_ordered = cladei_list_is_ordered(image->list);
    uint32_t *last = NULL; /* the link of the last live node; NULL: the head's */
    uint64_t last_key = 0;
    clade_ref before = CLADE_NIL, first = CLADE_NIL;
    *live = 0;
    for (clade_ref node = image->head->first >> CLADE_LIST_REF_SHIFT; node != CLADE_NIL;) {
        CLADE_TRY(check_node(image, before, node));
        uint32_t *link = cladei_list_cell(&image->cells, node);
        const clade_ref next = *link >> CLADE_LIST_REF_SHIFT;
        before = node;
        if (image->met[node] == MET_LIVE) {
            const uint64_t key = cladei_list_key(&image->cells, node);
            CLADE_REQUIRE(!is_ordered || *live == 0 || last_key < key, CLADE_E_CORRUPT,
                          "key %" PRIu64 " of node %u comes after key %" PRIu64, key, node,
                          last_key);
            if (last)
                *last = node << CLADE_LIST_REF_SHIFT;
            else
                first = node;
            last = link;
            last_key = key;
            ++*live;
        }
        node = next;
    }
    if (last)
        *last = CLADE_NIL;
    image->head->first = first << CLADE_LIST_REF_SHIFT;
fail:
    return status;
}

/* What is not in the list is free. A live node that no link leads to was lost. */
static clade_status free_others(struct image *image)
{
    clade_status status = CLADE_OK;
    const clade_list_head *layout = &image->list->layout;
    uint32_t *free_cells = image->words + layout->free_at, count = 0;
    for (clade_ref node = 1; node <= layout->capacity; node++) {
        uint32_t *link = cladei_list_cell(&image->cells, node);
        if (image->met[node] == MET_LIVE)
            continue;
        CLADE_REQUIRE(*link & CLADE_LIST_ERASED, CLADE_E_CORRUPT,
                      "node %u is live, but the links do not lead to it", node);
        *link = CLADE_LIST_CELL_FREE;
        free_cells[count++] = node;
    }
    memset(free_cells + count, 0, (layout->capacity - count) * sizeof *free_cells);
    image->head->free_count = count;
fail:
    return status;
}

/* Into the first empty slot from its hash on; there are twice as many slots as cells. */
static void enter(struct image *image, clade_ref node)
{
    const clade_list_head *layout = &image->list->layout;
    const uint64_t key = cladei_list_key(&image->cells, node);
    uint32_t slot = clade_list_hash((uint32_t)key, (uint32_t)(key >> 32));
    uint32_t *slots = image->words + layout->index_at;
    while (slots[slot & (layout->index_size - 1)] != CLADE_NIL)
        slot++;
    slots[slot & (layout->index_size - 1)] = node;
}

/* Nodes come in the order of their keys, so shortcuts do. */
static void add_hint(struct image *image, clade_ref node)
{
    const clade_list_head *layout = &image->list->layout;
    if (!clade_list_is_sampled(node) || image->hint_count == layout->index_size)
        return;
    uint32_t *hint = image->words + layout->index_at +
                     (size_t)image->hint_count++ * CLADE_LIST_HINT_WORDS(image->cells.key_words);
    memcpy(hint, cladei_list_cell(&image->cells, node) + CLADE_LIST_WORD_KEY,
           image->cells.key_words * sizeof *hint);
    hint[image->cells.key_words] = node;
}

static void index_nodes(struct image *image)
{
    const clade_list_head *layout = &image->list->layout;
    const bool is_ordered = cladei_list_is_ordered(image->list);
    const size_t end = (size_t)(image->list->object.bytes / sizeof(uint32_t));
    /* What is behind the free array, all of it. */
    const size_t behind = layout->free_at + (size_t)layout->capacity;
    memset(image->words + behind, 0, (end - behind) * sizeof *image->words);
    for (clade_ref node = image->head->first >> CLADE_LIST_REF_SHIFT;
         layout->index_size > 0 && node != CLADE_NIL;
         node = *cladei_list_cell(&image->cells, node) >> CLADE_LIST_REF_SHIFT) {
        if (is_ordered)
            add_hint(image, node);
        else
            enter(image, node);
    }
    image->head->hint_count = image->hint_count;
    image->head->hints_at = layout->hints_at;
}

clade_status cladei_list_rebuild(const clade_list *list, uint32_t *words, uint64_t *live)
{
    clade_status status = CLADE_OK;
    struct image image = { .list = list,
                           .head = (clade_list_head *)words,
                           .words = words,
                           .cells = cladei_list_cells(list, words + list->layout.nodes_at) };
    image.met = calloc(list->layout.capacity + 1u, 1);
    CLADE_NO_MEMORY(image.met);
    CLADE_TRY(cladei_list_check_head(list, image.head));
    CLADE_REQUIRE((image.head->first & CLADE_LIST_MARKS) == 0, CLADE_E_CORRUPT,
                  "the head's link is marked: %#x", image.head->first);
    CLADE_TRY(relink(&image, live));
    CLADE_TRY(free_others(&image));
    index_nodes(&image);
    image.head->live = (uint32_t)*live;
    image.head->planted = CLADE_NIL;
    for (uint32_t i = 0; i < CLADE_CELLS_STRIPES; i++)
        image.head->stripes[i].taken = 0;
fail:
    free(image.met);
    return status;
}

/* --- calls ---------------------------------------------------------------------------------- */

/* What a file says of its list. The group's size is the device's matter. */
struct saved_params {
    uint64_t capacity;
    uint32_t mode, key, value, find;
    uint32_t reserved[4]; /* zero */
};

clade_status clade_list_save(clade_list *list, const char *path)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(list && path, CLADE_E_ARG, "an argument is NULL");
    CLADE_REQUIRE(
        !cladei_list_is_in_kma(list), CLADE_E_UNSUPPORTED,
        "a list whose nodes are in an allocator is not saved: read it: clade_list_read()");
    const struct saved_params params = { .capacity = list->params.capacity,
                                         .mode = list->params.mode,
                                         .key = list->params.key,
                                         .value = list->params.value,
                                         .find = list->params.find };
    CLADE_TRY(cladei_list_mend_now(list));
    CLADE_TRY(cladei_object_save(&list->object, path, &params, sizeof params, list->object.bytes));
fail:
    return status;
}

clade_status clade_list_load(clade_list **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    struct saved_params params;
    clade_list planned = { 0 }, *list = NULL;
    uint64_t live;
    CLADEI_PLACE(out, "the list");
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "the context or the path is NULL");
    CLADE_TRY(cladei_saved_open(&saved, context, path, CLADE_LIST_KIND, sizeof params));
    memcpy(&params, saved.params, sizeof params);
    planned.params = (clade_list_params) { .capacity = params.capacity,
                                           .mode = params.mode,
                                           .key = params.key,
                                           .value = params.value,
                                           .find = params.find };
    CLADE_TRY(cladei_saved_answer(cladei_list_plan(&planned, context), path));
    CLADE_TRY(cladei_saved_fits(&saved, planned.object.bytes, path));
    CLADE_TRY(cladei_list_rebuild(&planned, saved.payload, &live));
    CLADE_TRY(clade_list_create(&list, context, &planned.params));
    CLADE_TRY(cladei_saved_restore(&saved, &list->object, path));
    cladei_cells_are_clean(&list->known, live);
    *out = list;
    list = NULL;
fail:
    clade_list_destroy(&list);
    cladei_saved_close(&saved);
    return status;
}
