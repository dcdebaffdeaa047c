/* SPDX-License-Identifier: Apache-2.0 */
/* The list as the host reads it, and the invariants of docs/inside/list.md. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "list/list.h"
#include "object/cells.h"

/* --- a copy on the host ---------------------------------------------------------------------- */

/* The whole buffer, and what is said about each cell. */
struct image {
    const clade_list *list;
    clade_list_head *head; /* start of the copy */
    uint32_t *words;
    struct cladei_list_cells cells;
    uint32_t *gathered; /* these, when they are not in the buffer */
    uint8_t *met;       /* a byte a cell: the walk came by */
};

static void image_free(struct image *image)
{
    free(image->met);
    free(image->gathered);
    free(image->head);
}

static void image_attach(struct image *image, const clade_list *list)
{
    image->list = list;
    image->words = (uint32_t *)image->head;
    image->cells = cladei_list_cells(list, image->gathered ? image->gathered
                                                           : image->words + list->layout.nodes_at);
}

/* The nodes of a list in an allocator, cell by cell. */
static clade_status gather(struct image *image, clade_list *list)
{
    clade_status status = CLADE_OK;
    cl_int code;
    const size_t bytes =
        (size_t)list->layout.capacity * cladei_list_cells(list, NULL).cell_words * 4;
    cl_kernel kernel = list->kernels[LIST_GATHER];
    cl_mem kma = cladei_list_kma_mem(list);
    cl_mem mem = clCreateBuffer(list->object.context->cl, CL_MEM_READ_WRITE, bytes, NULL, &code);
    struct cladei_run run;
    CLADE_CL_CODE(code, "clCreateBuffer");
    image->gathered = malloc(bytes);
    CLADE_NO_MEMORY(image->gathered);
    CLADE_TRY(cladei_run_begin(&run, list->object.context, NULL));
    CLADE_TRY(
        CLADEI_SET_ARGS(kernel, CLADEI_ARG(list->object.mem), CLADEI_ARG(kma), CLADEI_ARG(mem)));
    CLADE_TRY(cladei_run_items(&run, kernel, list->layout.capacity, list->params.group_size));
    CLADE_CL(
        clEnqueueReadBuffer(run.queue, mem, CL_TRUE, 0, bytes, image->gathered, 0, NULL, NULL));
fail:
    if (mem)
        clReleaseMemObject(mem);
    return status;
}

static clade_status image_read(struct image *image, clade_list *list)
{
    clade_status status = CLADE_OK;
    *image = (struct image) { 0 };
    CLADE_TRY(cladei_list_mend_now(list));
    image->head = malloc((size_t)list->object.bytes);
    image->met = calloc(list->layout.capacity + 1u, 1);
    CLADE_NO_MEMORY(image->head);
    CLADE_NO_MEMORY(image->met);
    CLADE_TRY(cladei_object_read(&list->object, 0, image->head, (size_t)list->object.bytes));
    if (cladei_list_is_in_kma(list))
        CLADE_TRY(gather(image, list));
    image_attach(image, list);
fail:
    return status;
}

/* Follow the links once; `visit` may be NULL. Fails on links out of range and on circles. */
typedef clade_status (*visitor)(void *closure, const struct image *image, clade_ref node);

static clade_status walk(const struct image *image, visitor visit, void *closure)
{
    clade_status status = CLADE_OK;
    const uint32_t capacity = image->list->layout.capacity;
    clade_ref before = CLADE_NIL;
    CLADE_REQUIRE((image->head->first & CLADE_LIST_MARKS) == 0, CLADE_E_CORRUPT,
                  "the head's link is marked: %#x", image->head->first);
    for (clade_ref node = image->head->first >> CLADE_LIST_REF_SHIFT; node != CLADE_NIL;) {
        CLADE_REQUIRE(node <= capacity, CLADE_E_CORRUPT, "node %u links to %u; there are %u cells",
                      before, node, capacity);
        CLADE_REQUIRE(!image->met[node], CLADE_E_CORRUPT, "the links run in a circle at node %u",
                      node);
        image->met[node] = 1;
        const uint32_t link = cladei_list_cell(&image->cells, node)[CLADE_LIST_WORD_LINK];
        CLADE_REQUIRE(link != CLADE_LIST_CELL_FREE, CLADE_E_CORRUPT,
                      "node %u links to %u, a free cell", before, node);
        if (visit)
            CLADE_TRY(visit(closure, image, node));
        before = node;
        node = link >> CLADE_LIST_REF_SHIFT;
    }
fail:
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

struct output {
    char *keys;
    uint32_t *values;
    uint8_t *erased;
    uint64_t room, count;
};

static clade_status copy_out(void *closure, const struct image *image, clade_ref node)
{
    struct output *out = closure;
    const uint32_t *cell = cladei_list_cell(&image->cells, node);
    const bool is_erased = cell[CLADE_LIST_WORD_LINK] & CLADE_LIST_ERASED;
    const size_t key_bytes = image->cells.key_words * sizeof(uint32_t);
    if (is_erased && !out->erased)
        return CLADE_OK;
    if (out->count < out->room) {
        if (out->keys)
            memcpy(out->keys + out->count * key_bytes, cell + CLADE_LIST_WORD_KEY, key_bytes);
        if (out->values)
            out->values[out->count] = cell[CLADE_LIST_WORD_KEY + image->cells.key_words];
        if (out->erased)
            out->erased[out->count] = is_erased;
    }
    out->count++;
    return CLADE_OK;
}

clade_status clade_list_read(clade_list *list, void *keys, uint32_t *values, uint8_t *erased,
                             uint64_t room, uint64_t *got)
{
    clade_status status = CLADE_OK;
    struct image image = { 0 };
    struct output out = { keys, values, erased, room, 0 };
    CLADE_REQUIRE(list && got, CLADE_E_ARG, "an argument is NULL");
    CLADE_REQUIRE(!values || list->params.value != CLADE_NONE, CLADE_E_ARG,
                  "values are asked for, but the list has none");
    CLADE_TRY(image_read(&image, list));
    CLADE_TRY(walk(&image, copy_out, &out));
    *got = out.count;
fail:
    image_free(&image);
    return status;
}

/* --- check ----------------------------------------------------------------------------------- */

struct order {
    clade_ref before; /* the last node, erased or not */
    bool any_live;
    uint64_t live_key; /* of the last live node */
};

static clade_status check_order(void *closure, const struct image *image, clade_ref node)
{
    clade_status status = CLADE_OK;
    struct order *order = closure;
    const uint32_t link = cladei_list_cell(&image->cells, node)[CLADE_LIST_WORD_LINK];
    const uint64_t key = cladei_list_key(&image->cells, node);
    CLADE_REQUIRE((link & CLADE_LIST_MARKS) != CLADE_LIST_PENDING, CLADE_E_CORRUPT,
                  "node %u is still pending", node);
    if (!cladei_list_is_ordered(image->list))
        return CLADE_OK;
    CLADE_REQUIRE(order->before == CLADE_NIL ||
                      cladei_list_key(&image->cells, order->before) <= key,
                  CLADE_E_CORRUPT, "key %" PRIu64 " of node %u comes after key %" PRIu64, key, node,
                  cladei_list_key(&image->cells, order->before));
    if (!(link & CLADE_LIST_ERASED)) {
        CLADE_REQUIRE(!order->any_live || order->live_key < key, CLADE_E_CORRUPT,
                      "key %" PRIu64 " is there twice, the second time in node %u", key, node);
        order->any_live = true;
        order->live_key = key;
    }
    order->before = node;
fail:
    return status;
}

/* Whether the hash index leads to the node. */
static bool is_indexed(const struct image *image, clade_ref node)
{
    const clade_list_head *layout = &image->list->layout;
    const uint32_t mask = layout->index_size - 1;
    const uint64_t key = cladei_list_key(&image->cells, node);
    const uint32_t slot = clade_list_hash((uint32_t)key, (uint32_t)(key >> 32));
    for (uint32_t probe = 0; probe <= mask; probe++) {
        const clade_ref found = image->words[layout->index_at + ((slot + probe) & mask)];
        if (found == node)
            return true;
        if (found == CLADE_NIL)
            return false;
    }
    return false;
}

/* Live cells are in the list, and in the index where there is one. */
static clade_status check_cells(const struct image *image)
{
    clade_status status = CLADE_OK;
    const clade_list_head *layout = &image->list->layout;
    const bool has_index = !cladei_list_is_ordered(image->list) && layout->index_size > 0;
    for (clade_ref node = 1; node <= layout->capacity; node++) {
        if (cladei_list_cell(&image->cells, node)[CLADE_LIST_WORD_LINK] & CLADE_LIST_ERASED)
            continue;
        CLADE_REQUIRE(image->met[node], CLADE_E_CORRUPT,
                      "node %u is live, but the links do not lead to it", node);
        CLADE_REQUIRE(!has_index || is_indexed(image, node), CLADE_E_CORRUPT,
                      "node %u is live, but the index does not lead to it", node);
    }
fail:
    return status;
}

/* In an allocator a free cell has no block, either. */
static bool is_free(const void *data, clade_ref cell)
{
    const struct image *image = data;
    return cladei_list_cell(&image->cells, cell)[CLADE_LIST_WORD_LINK] == CLADE_LIST_CELL_FREE &&
           (!image->gathered || image->words[image->list->layout.nodes_at + cell - 1] == CLADE_NIL);
}

static bool meet(void *data, clade_ref cell)
{
    struct image *image = data;
    const bool is_new = !image->met[cell];
    image->met[cell] = 1;
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

/* Shortcuts rise, and lead to nodes with their keys or smaller ones, or to the head. */
static clade_status check_hints(const struct image *image)
{
    clade_status status = CLADE_OK;
    const clade_list_head *layout = &image->list->layout, *head = image->head;
    const uint32_t hint_words = CLADE_LIST_HINT_WORDS(image->cells.key_words);
    uint64_t before = 0;
    if (!cladei_list_is_ordered(image->list) || layout->index_size == 0)
        return CLADE_OK;
    CLADE_REQUIRE(head->hint_count <= layout->index_size, CLADE_E_CORRUPT,
                  "there are %u shortcuts; %u have room", head->hint_count, layout->index_size);
    CLADE_REQUIRE(head->hints_at == layout->index_at ||
                      head->hints_at == layout->index_at + layout->index_size * hint_words,
                  CLADE_E_CORRUPT, "the shortcuts lie at word %u", head->hints_at);
    for (uint32_t i = 0; i < head->hint_count; i++) {
        const uint32_t *hint = image->words + head->hints_at + (size_t)i * hint_words;
        const uint64_t key = cladei_list_key_at(&image->cells, hint);
        const clade_ref node = hint[image->cells.key_words];
        CLADE_REQUIRE(i == 0 || before < key, CLADE_E_CORRUPT, "shortcut %u is out of order", i);
        CLADE_REQUIRE(node == CLADE_NIL ||
                          (node <= layout->capacity &&
                           cladei_list_key(&image->cells, node) <= key &&
                           cladei_list_cell(&image->cells, node)[CLADE_LIST_WORD_LINK] !=
                               CLADE_LIST_CELL_FREE),
                      CLADE_E_CORRUPT, "shortcut %u leads to %u, which is not its node", i, node);
        before = key;
    }
fail:
    return status;
}

clade_status clade_list_check(clade_list *list)
{
    clade_status status = CLADE_OK;
    struct image image = { 0 };
    struct order order = { 0 };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(image_read(&image, list));
    CLADE_TRY(cladei_list_check_head(image.list, image.head));
    CLADE_TRY(walk(&image, check_order, &order));
    CLADE_TRY(check_cells(&image));
    CLADE_TRY(check_free(&image));
    CLADE_TRY(check_hints(&image));
fail:
    image_free(&image);
    return status;
}
