/* SPDX-License-Identifier: Apache-2.0 */
/* The list's life: where everything lies, its kernels, its beginning and its end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/borrow.h"
#include "base/error.h"
#include "device/context.h"
#include "device/queue.h"
#include "kma/kma.h"
#include "list/list.h"

static clade_status refused(const struct cladei_object *object, clade_status error, clade_u32 item)
{
    clade_status status = CLADE_OK;
    const clade_list *list = (const clade_list *)object;
    CLADE_REQUIRE(error != CLADE_E_FULL, error,
                  "no cell%s was free for item %u: the capacity is %u",
                  cladei_list_is_in_kma(list) ? " or no block" : "", item, list->layout.capacity);
    CLADE_REQUIRE(error != CLADE_E_UNSUPPORTED, error,
                  "the driver left a loop: the last reclaim did not enter node %u in the index",
                  item);
    CLADE_REQUIRE(error != CLADE_E_ARG, error, "item %u asks for no operation of this list", item);
fail:
    return status;
}

static const char *const kernel_names[LIST_KERNELS] = {
    "clade_list_apply",
    "clade_list_insert_front_fill",
    "clade_list_insert_front_skip",
    "clade_list_insert_front_link",
    "clade_list_insert_front_done",
    "clade_list_clear",
    "clade_list_skip",
    "clade_list_relink",
    "clade_list_sweep",
    "clade_list_sort",
    "clade_list_merge",
    "clade_list_count",
    "clade_list_gather",
};
static const struct cladei_kernels kernels_in_kma = { "kernels/list_kma.cl", kernel_names,
                                                      LIST_KERNELS };
const struct cladei_kind cladei_list_kind = {
    CLADE_LIST_KIND, "the list", { "kernels/list.cl", kernel_names, LIST_GATHER }, refused
};

static clade_status fill_in(clade_list_params *params, const clade_context *context)
{
    clade_status status = CLADE_OK;
    if (params->key == CLADE_NONE)
        params->key = CLADE_U32;
    CLADE_REQUIRE(params->key == CLADE_U32 || params->key == CLADE_U64, CLADE_E_ARG,
                  "key type %u is not CLADE_U32 or CLADE_U64", params->key);
    CLADE_REQUIRE(params->value <= CLADE_F32, CLADE_E_ARG,
                  "value type %u is not CLADE_NONE or of 32 bits", params->value);
    CLADE_REQUIRE(params->mode <= CLADE_LIST_UNORDERED, CLADE_E_ARG, "mode %u does not exist",
                  params->mode);
    CLADE_REQUIRE(params->find <= CLADE_LIST_WALK, CLADE_E_ARG,
                  "the way of finding %u does not exist", params->find);
    CLADE_REQUIRE(params->mode == CLADE_LIST_ORDERED || params->value == CLADE_NONE, CLADE_E_ARG,
                  "an unordered list has no values beside its elements");
    CLADE_REQUIRE(params->capacity >= 1 && params->capacity <= CLADE_LIST_CAPACITY_MAX, CLADE_E_ARG,
                  "capacity is %" PRIu64 "; it goes from 1 to %u", params->capacity,
                  CLADE_LIST_CAPACITY_MAX);
    /* Half: other loops count as well. */
    const uint32_t loop_limit = context->caps.loop_limit;
    CLADE_REQUIRE(
        params->find == CLADE_LIST_INDEXED || loop_limit == 0 || params->capacity <= loop_limit / 2,
        CLADE_E_UNSUPPORTED,
        "%s leaves loops after %u iterations: lists that are walked hold at most %u nodes",
        context->info.name, loop_limit, loop_limit / 2);
    CLADE_REQUIRE(params->group_size <= context->caps.group_size_max, CLADE_E_ARG,
                  "group_size is %u; the most on %s is %u", params->group_size, context->info.name,
                  context->caps.group_size_max);
    CLADE_REQUIRE(!params->kma || params->kma->object.context == context, CLADE_E_ARG,
                  "the allocator is of another context");
fail:
    return status;
}

static clade_u32 shape_of(const clade_list *list)
{
    const clade_list_params *p = &list->params;
    return CLADE_LIST_SHAPE(p->mode, CLADE_TYPE_BYTES(p->key) / 4, CLADE_TYPE_BYTES(p->value) / 4,
                            cladei_list_is_in_kma(list));
}

/* Where everything lies, in words; returns how many there are. With 28 bits of capacity, 4 words a
 * cell and at most 4 more a cell beside it, offsets fit 32 bits. */
static uint64_t lay_out(clade_list *list)
{
    const clade_list_params *p = &list->params;
    clade_list_head *layout = &list->layout;
    const uint32_t capacity = (uint32_t)p->capacity;
    const uint32_t key_words = CLADE_TYPE_BYTES(p->key) / 4;
    const uint32_t value_words = CLADE_TYPE_BYTES(p->value) / 4;
    uint64_t words = sizeof *layout / 4;
    list->known.capacity = layout->capacity = capacity;
    layout->nodes_at = (clade_u32)words;
    words += (uint64_t)capacity *
             (cladei_list_is_in_kma(list) ? 1 : CLADE_LIST_WORDS(key_words, value_words));
    layout->free_at = (clade_u32)words;
    words += capacity;
    layout->index_at = layout->hints_at = layout->spare_at = (clade_u32)words;
    if (p->mode == CLADE_LIST_UNORDERED) {
        layout->spare_at = (clade_u32)words;
        words += capacity;
        layout->index_at = (clade_u32)words;
    }
    if (p->find == CLADE_LIST_WALK)
        return words;
    if (p->mode == CLADE_LIST_UNORDERED) {
        layout->index_size = 2;
        while (layout->index_size < 2 * capacity)
            layout->index_size *= 2;
        return words + layout->index_size;
    }
    words += words % 2; /* a 64-bit shortcut does not straddle lines more than it must */
    layout->index_at = layout->hints_at = (clade_u32)words;
    layout->index_size = CLADE_LIST_HINTS_MAX(capacity);
    return words + 2ull * layout->index_size * CLADE_LIST_HINT_WORDS(key_words);
}

clade_status cladei_list_plan(clade_list *list, const clade_context *context)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(fill_in(&list->params, context));
    list->object.bytes = lay_out(list) * 4;
    list->object.kind = CLADE_LIST_KIND;
    list->object.shape = shape_of(list);
fail:
    return status;
}

static void print_options(const clade_list *list, char options[sizeof list->options],
                          const char *of_kma)
{
    snprintf(options, sizeof list->options,
             "-DCLADE_LIST_KEY_BITS=%u -DCLADE_LIST_VALUE_BITS=%u%s%s",
             CLADE_TYPE_BYTES(list->params.key) * 8, CLADE_TYPE_BYTES(list->params.value) * 8,
             *of_kma ? " " : "", of_kma);
}

static const size_t part_ends[] = { LIST_PUSH_FILL, LIST_KERNELS };
static const size_t part_ends_in_pool[] = { LIST_PUSH_FILL, LIST_GATHER };

/* The part that has this kernel, and the size of its groups. */
static clade_status build_part(clade_list *list, size_t first, size_t end, uint32_t *group_size)
{
    clade_status status = CLADE_OK;
    const bool in_kma = cladei_list_is_in_kma(list);
    const struct cladei_kernels *all = in_kma ? &kernels_in_kma : &cladei_list_kind.kernels;
    const struct cladei_kernels part = { all->file, all->names + first, end - first };
    char own[sizeof list->options];
    print_options(list, own, in_kma ? cladei_kma_own_options(list->params.kma) : "");
    CLADE_TRY(cladei_kernels_need(list->kernels, all, in_kma ? part_ends : part_ends_in_pool,
                                  list->object.context, own, first));
    CLADE_TRY(cladei_kernels_fit(list->kernels + first, &part, list->object.context, group_size));
fail:
    return status;
}

clade_status cladei_list_need_apply(clade_list *list)
{
    return list->kernels[LIST_APPLY]
               ? CLADE_OK
               : build_part(list, LIST_APPLY, LIST_PUSH_FILL, &list->apply_group);
}

/* What every list needs: it is cleared at its beginning and its end. Kernels may allow smaller
 * groups than the device: the one who asks for a size learns it here, of all kernels. */
static clade_status build(clade_list *list)
{
    clade_status status = CLADE_OK;
    const bool in_kma = cladei_list_is_in_kma(list);
    print_options(list, list->options, in_kma ? clade_kma_options(list->params.kma) : "");
    list->apply_group = list->params.group_size;
    CLADE_TRY(build_part(list, LIST_PUSH_FILL, in_kma ? LIST_KERNELS : LIST_GATHER,
                         &list->params.group_size));
    if (list->apply_group != 0)
        CLADE_TRY(cladei_list_need_apply(list));
fail:
    return status;
}

static clade_status write_empty(clade_list *list)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    const cl_uint nil = CLADE_NIL;
    CLADE_TRY(cladei_object_write_own(&list->object, &list->layout, sizeof list->layout));
    CLADE_TRY(cladei_run_begin(&run, list->object.context, NULL));
    if (cladei_list_is_in_kma(list)) /* clearing frees the blocks that are there */
        CLADE_TRY(cladei_queue_fill(run.queue, list->object.mem, &nil, sizeof nil,
                                    (size_t)list->layout.nodes_at * 4,
                                    (size_t)list->params.capacity * 4));
    list->is_filled = true;
    CLADE_TRY(cladei_list_enqueue_clear(list, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

clade_status clade_list_create(clade_list **out, clade_context *context,
                               const clade_list_params *params)
{
    clade_status status = CLADE_OK;
    clade_list *list = NULL;
    CLADEI_CREATION(out, context, params, clade_list_params, "the list");
    list = calloc(1, sizeof *list);
    CLADE_NO_MEMORY(list);
    list->params = *params;
    if (params->kma)
        cladei_hold(&params->kma->borrowers);
    CLADE_TRY(cladei_list_plan(list, context));
    CLADE_TRY(cladei_object_create(&list->object, context, list->object.kind, list->object.shape,
                                   list->object.bytes, cladei_list_kind.name));
    CLADE_TRY(build(list));
    CLADE_TRY(write_empty(list));
    CLADE_TRY(clade_finish(context)); /* its first call may be in any queue */
    *out = list;
    return CLADE_OK;

fail:
    clade_list_destroy(&list);
    return status;
}

void clade_list_destroy(clade_list **list)
{
    if (!list || !*list)
        return;
    clade_list *it = *list;
    struct cladei_run run;
    if (it->object.mem) {
        /* Blocks go back to the allocator; if the device is lost they are lost with it. */
        if (cladei_list_is_in_kma(it) && it->is_filled &&
            cladei_run_begin(&run, it->object.context, NULL) == CLADE_OK)
            (void)!cladei_list_enqueue_clear(it, &run);
    }
    cladei_object_close(&it->object, NULL, it->kernels, LIST_KERNELS);
    clade_kma_destroy(&it->params.kma);
    free(it);
    *list = NULL;
}

cl_mem clade_list_mem(const clade_list *list)
{
    return list ? list->object.mem : NULL;
}

const char *clade_list_options(const clade_list *list)
{
    return list ? list->options : NULL;
}
