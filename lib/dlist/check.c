/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list as the host reads it, and the invariants of docs/inside/dlist.md. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dlist/dlist.h"
#include "object/cells.h"
#include "object/object.h"

/* --- a copy on the host ---------------------------------------------------------------------- */

/* The whole buffer, and where in the list each cell is. */
struct image {
    const clade_dlist *list;
    clade_dlist_head *head; /* start of the copy */
    const uint32_t *words;
    uint32_t *place; /* a word a cell: 1 for the first of the chain, erased or not; 0: not in it */
};

static void image_free(struct image *image)
{
    free(image->place);
    free(image->head);
}

static clade_status image_read(struct image *image, clade_dlist *list)
{
    clade_status status = CLADE_OK;
    *image = (struct image) { .list = list };
    image->head = malloc((size_t)list->object.bytes);
    image->place = calloc(list->layout.capacity + 1u, sizeof *image->place);
    CLADE_NO_MEMORY(image->head);
    CLADE_NO_MEMORY(image->place);
    CLADE_TRY(cladei_object_read(&list->object, 0, image->head, (size_t)list->object.bytes));
    image->words = (const uint32_t *)image->head;
fail:
    return status;
}

static const uint32_t *cell_of(const struct image *image, clade_ref node)
{
    return image->words + image->list->layout.nodes_at + (size_t)(node - 1) * CLADE_DLIST_CELL;
}

static uint32_t next_of(const struct image *image, clade_ref node)
{
    return node == CLADE_NIL ? image->head->first : cell_of(image, node)[CLADE_DLIST_WORD_NEXT];
}

static uint32_t back_of(const struct image *image, clade_ref node)
{
    return node == CLADE_NIL ? image->head->last : cell_of(image, node)[CLADE_DLIST_WORD_PREV];
}

/* --- reading --------------------------------------------------------------------------------- */

struct output {
    char *values;
    uint32_t *nodes;
    uint64_t room, count;
};

static void put(struct output *out, const struct image *image, clade_ref node)
{
    const size_t bytes = CLADE_TYPE_BYTES(image->list->params.value);
    if (out->count < out->room) {
        if (out->values)
            memcpy(out->values + out->count * bytes, cell_of(image, node) + CLADE_DLIST_WORD_VALUE,
                   bytes);
        if (out->nodes)
            out->nodes[out->count] = node;
    }
    out->count++;
}

/* Follow the next links, or the links back of a list after a reclaim, once around. `out` may be
 * NULL. */
static clade_status walk(struct image *image, bool backward, struct output *out)
{
    clade_status status = CLADE_OK;
    const uint32_t capacity = image->list->layout.capacity;
    uint32_t place = 0;
    for (clade_ref before = CLADE_NIL, node;; before = node) {
        const uint32_t link = next_of(image, before);
        node = backward ? back_of(image, before) : link >> CLADE_DLIST_REF_SHIFT;
        if (node == CLADE_NIL)
            break;
        CLADE_REQUIRE(node <= capacity, CLADE_E_CORRUPT, "node %u links to %u; there are %u cells",
                      before, node, capacity);
        CLADE_REQUIRE(image->place[node] == 0, CLADE_E_CORRUPT,
                      "the links run in a circle at node %u", node);
        CLADE_REQUIRE(next_of(image, node) != CLADE_DLIST_CELL_FREE, CLADE_E_CORRUPT,
                      "node %u links to %u, a free cell", before, node);
        image->place[node] = ++place;
        if (out && !(next_of(image, node) & CLADE_DLIST_ERASED))
            put(out, image, node);
    }
fail:
    return status;
}

clade_status clade_dlist_read(clade_dlist *list, int backward, void *values, uint32_t *nodes,
                              uint64_t room, uint64_t *got)
{
    clade_status status = CLADE_OK;
    struct image image = { 0 };
    struct output out = { values, nodes, room, 0 };
    CLADE_REQUIRE(list && got, CLADE_E_ARG, "an argument is NULL");
    if (backward)
        CLADE_TRY(clade_dlist_reclaim(list, NULL));
    CLADE_TRY(image_read(&image, list));
    CLADE_TRY(walk(&image, backward != 0, &out));
    *got = out.count;
fail:
    image_free(&image);
    return status;
}

/* --- check ----------------------------------------------------------------------------------- */

/* Live cells are in the chain; a prev link leads to a node, and never to one that stands behind. */
static clade_status check_cells(const struct image *image)
{
    clade_status status = CLADE_OK;
    const uint32_t capacity = image->list->layout.capacity;
    for (clade_ref node = 0; node <= capacity; node++) {
        if (next_of(image, node) & CLADE_DLIST_ERASED)
            continue;
        const clade_ref back = back_of(image, node);
        CLADE_REQUIRE(node == CLADE_NIL || image->place[node] > 0, CLADE_E_CORRUPT,
                      "node %u is live, but the links do not lead to it", node);
        CLADE_REQUIRE(back <= capacity &&
                          (back == CLADE_NIL || next_of(image, back) != CLADE_DLIST_CELL_FREE),
                      CLADE_E_CORRUPT, "the link back of node %u leads to %u, no node", node, back);
        CLADE_REQUIRE(node == CLADE_NIL || back == CLADE_NIL || image->place[back] == 0 ||
                          image->place[back] < image->place[node],
                      CLADE_E_CORRUPT, "the link back of node %u leads to %u, which is behind it",
                      node, back);
    }
fail:
    return status;
}

static bool is_free(const void *image, clade_ref cell)
{
    return next_of(image, cell) == CLADE_DLIST_CELL_FREE;
}

static bool meet(void *data, clade_ref cell)
{
    struct image *image = data;
    const bool is_new = image->place[cell] == 0;
    image->place[cell] = UINT32_MAX;
    return is_new;
}

static clade_status check_free(struct image *image)
{
    const struct cladei_free_array array = {
        .entries = image->words + image->list->layout.free_at,
        .count = image->head->free_count,
        .capacity = image->list->layout.capacity,
        .stripes = image->head->stripes,
        .is_free = is_free,
        .meet = meet,
    };
    return cladei_free_array_check(&array, image);
}

clade_status clade_dlist_check(clade_dlist *list)
{
    clade_status status = CLADE_OK;
    struct image image = { 0 };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(image_read(&image, list));
    CLADE_REQUIRE(image.head->capacity == list->layout.capacity &&
                      image.head->nodes_at == list->layout.nodes_at &&
                      image.head->free_at == list->layout.free_at,
                  CLADE_E_CORRUPT, "the head's constant words have changed");
    CLADE_REQUIRE(!(image.head->first & CLADE_DLIST_ERASED), CLADE_E_CORRUPT,
                  "the end's link is marked: %#x", image.head->first);
    CLADE_TRY(walk(&image, false, NULL));
    CLADE_TRY(check_cells(&image));
    CLADE_TRY(check_free(&image));
fail:
    image_free(&image);
    return status;
}
