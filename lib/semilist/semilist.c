/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list's life and its calls over whole arrays; cl/kernels/semilist.cl has the
 * kernels. */
#include <inttypes.h>
#include <stdlib.h>

#include "semilist/semilist.h"

#include "base/borrow.h"
#include "base/error.h"
#include "device/context.h"
#include "kma/kma.h"

static clade_status refused(const struct cladei_object *object, clade_status error, clade_u32 item)
{
    clade_status status = CLADE_OK;
    const clade_semilist *list = (const clade_semilist *)object;
    CLADE_REQUIRE(error != CLADE_E_FULL, error,
                  "no place or no block was left for item %u: the capacity is %u", item,
                  list->layout.capacity);
    CLADE_REQUIRE(error != CLADE_E_ARG, error, "item %u asks for no operation of this list", item);
fail:
    return status;
}

static const char *const kernel_names[SEMILIST_KERNELS] = {
    "clade_semilist_apply",     "clade_semilist_append_fill", "clade_semilist_append_link",
    "clade_semilist_reclaimed", "clade_semilist_sum",         "clade_semilist_scan",
    "clade_semilist_move",      "clade_semilist_gather",
};
static const size_t part_ends[] = { SEMILIST_SUM, SEMILIST_KERNELS };
const struct cladei_kind cladei_semilist_kind = { CLADE_SEMILIST_KIND,
                                                  "the list",
                                                  { "kernels/semilist.cl", kernel_names,
                                                    SEMILIST_KERNELS },
                                                  refused };

/* --- create and destroy ---------------------------------------------------------------------- */

static clade_status check_params(const clade_semilist_params *params, const clade_context *context)
{
    clade_status status = CLADE_OK;
    /* Half: other loops count as well. */
    const uint32_t loop_limit = context->caps.loop_limit;
    CLADE_REQUIRE(params->capacity >= 1 && params->capacity <= CLADE_SEMILIST_CAPACITY_MAX,
                  CLADE_E_ARG, "capacity is %" PRIu64 "; it goes from 1 to %u", params->capacity,
                  CLADE_SEMILIST_CAPACITY_MAX);
    CLADE_REQUIRE(loop_limit == 0 || params->capacity <= loop_limit / 2, CLADE_E_UNSUPPORTED,
                  "%s leaves loops after %u iterations: a semi-linked list holds at most %u nodes",
                  context->info.name, loop_limit, loop_limit / 2);
    CLADE_REQUIRE(params->group_size <= context->caps.group_size_max, CLADE_E_ARG,
                  "group_size is %u; the most on %s is %u", params->group_size, context->info.name,
                  context->caps.group_size_max);
    CLADE_REQUIRE(!params->kma || params->kma->object.context == context, CLADE_E_ARG,
                  "the allocator is of another context");
    CLADE_REQUIRE(!params->kma || cladei_kma_most(params->kma) <= CLADE_SEMILIST_KMA_BYTES_MAX,
                  CLADE_E_ARG,
                  "the allocator has %" PRIu64 " bytes; nodes can be in %" PRIu64 " at most",
                  cladei_kma_most(params->kma), (uint64_t)CLADE_SEMILIST_KMA_BYTES_MAX);
fail:
    return status;
}

/* Nodes, an eighth more for cells that hints keep from others, and the bookkeeping. */
static clade_status make_allocator(clade_semilist *list, clade_context *context)
{
    const uint64_t nodes = list->params.capacity * CLADE_SEMILIST_NODE_BYTES;
    const clade_kma_params params = { .bytes = nodes + nodes / 8 + ((uint64_t)2 << 20),
                                      .bare = 1 }; /* one size alone is ever asked for */
    clade_status status = clade_kma_create(&list->own, context, &params);
    if (status == CLADE_OK) {
        list->params.kma = list->own;
        cladei_hold(&list->own->borrowers);
    }
    return status;
}

/* The fewest items in a group for which there is room for sums. The group is chosen when the
 * kernels are built, which is later. */
static uint32_t least_group(const clade_semilist *list, const clade_context *context)
{
    const uint32_t least = context->caps.group_size_max < 16 ? context->caps.group_size_max : 16;
    return list->params.group_size ? list->params.group_size : least;
}

clade_status cladei_semilist_need(clade_semilist *list, enum semilist_kernel kernel)
{
    clade_status status = CLADE_OK;
    const struct cladei_kernels *all = &cladei_semilist_kind.kernels;
    const bool asks = kernel < SEMILIST_SUM;
    const size_t first = asks ? 0 : part_ends[0], end = part_ends[asks ? 0 : 1];
    const struct cladei_kernels part = { all->file, all->names + first, end - first };
    clade_context *context = list->object.context;
    uint32_t group = list->params.group_size;
    if (list->kernels[kernel])
        return CLADE_OK;
    CLADE_TRY(cladei_kernels_need(list->kernels, all, part_ends, context,
                                  cladei_kma_own_options(list->params.kma), kernel));
    CLADE_TRY(cladei_kernels_fit(list->kernels + first, &part, context, &group));
    CLADE_REQUIRE(asks || group >= least_group(list, context), CLADE_E_UNSUPPORTED,
                  "%s takes groups of %u items of the list's kernels; they need %u",
                  context->info.name, group, least_group(list, context));
    *(asks ? &list->own_group : &list->group) = group;
    return CLADE_OK;

fail:
    cladei_kernels_release(list->kernels + first, end - first);
    return status;
}

static clade_status make_object(clade_semilist *list, clade_context *context)
{
    clade_status status = CLADE_OK;
    clade_semilist_head *layout = &list->layout;
    const uint32_t capacity = (uint32_t)list->params.capacity;
    const uint32_t group = least_group(list, context);
    layout->capacity = capacity;
    layout->places_at = sizeof *layout / 4;
    layout->other_at = layout->places_at + capacity;
    layout->sums_at = layout->other_at + capacity;
    const uint64_t words = (uint64_t)layout->sums_at + (capacity + group - 1) / group;
    CLADE_TRY(cladei_object_create(&list->object, context, CLADE_SEMILIST_KIND,
                                   CLADE_SEMILIST_SHAPE, words * 4, "the semi-linked list"));
    CLADE_TRY(cladei_object_write_own(&list->object, layout, sizeof *layout));
fail:
    return status;
}

/* Kernels may allow smaller groups than the device: the one who asks for a size learns it here. */
static clade_status check_group_size(clade_semilist *list)
{
    clade_status status = CLADE_OK;
    if (list->params.group_size == 0)
        return CLADE_OK;
    CLADE_TRY(cladei_semilist_need(list, SEMILIST_SUM));
    CLADE_TRY(cladei_semilist_need(list, SEMILIST_APPLY));
fail:
    return status;
}

clade_status clade_semilist_create(clade_semilist **out, clade_context *context,
                                   const clade_semilist_params *params)
{
    clade_status status = CLADE_OK;
    clade_semilist *list = NULL;
    CLADEI_CREATION(out, context, params, clade_semilist_params, "the list");
    CLADE_TRY(check_params(params, context));
    list = calloc(1, sizeof *list);
    CLADE_NO_MEMORY(list);
    list->params = *params;
    if (params->kma)
        cladei_hold(&params->kma->borrowers);
    else
        CLADE_TRY(make_allocator(list, context));
    CLADE_TRY(make_object(list, context));
    CLADE_TRY(check_group_size(list));
    *out = list;
    return CLADE_OK;

fail:
    clade_semilist_destroy(&list);
    return status;
}

void clade_semilist_destroy(clade_semilist **list)
{
    if (!list || !*list)
        return;
    clade_semilist *it = *list;
    cladei_object_close(&it->object, NULL, it->kernels, SEMILIST_KERNELS);
    clade_kma_destroy(&it->own);
    clade_kma_destroy(&it->params.kma);
    free(it);
    *list = NULL;
}

cl_mem clade_semilist_mem(const clade_semilist *list)
{
    return list ? list->object.mem : NULL;
}

clade_kma *clade_semilist_kma(const clade_semilist *list)
{
    return list ? list->params.kma : NULL;
}

const char *clade_semilist_options(const clade_semilist *list)
{
    return list ? clade_kma_options(list->params.kma) : NULL;
}

/* --- what a call enqueues -------------------------------------------------------------------- */

enum { OPS, KEYS, VALUES, NODES, STATUSES };
enum { MIXED = CLADE_SEMILIST_ERASE_AT + 1 }; /* the operations are an array */

static bool may_be(cl_uint op, cl_uint what)
{
    return op == what || op == MIXED;
}

/* Before `appends` nodes are appended and `erases` erased: reclaim when the places of erased nodes
 * are needed, or when they are more than half of all. Only then the head is read, which blocks. */
static clade_status make_room(clade_semilist *list, struct cladei_run *run, uint64_t appends,
                              uint64_t erases)
{
    clade_status status = CLADE_OK;
    const uint64_t capacity = list->params.capacity;
    clade_semilist_head head;
    if (list->places_most + appends > capacity || list->erases_most > list->places_most / 2 + 64) {
        CLADE_TRY(cladei_run_read(run, &list->object, 0, &head, sizeof head));
        list->places_most = head.tail;
        list->erases_most = head.done;
        if (head.done > 0 && (head.tail + appends > capacity || head.done > head.tail / 2 + 64)) {
            CLADE_TRY(cladei_semilist_reclaim(list, run, false));
            list->places_most = head.tail - head.done;
        }
    }
    list->places_most =
        list->places_most + appends < capacity ? list->places_most + appends : capacity;
    list->erases_most += erases;
fail:
    return status;
}

static clade_status launch_apply(clade_semilist *list, struct cladei_call *call, cl_uint op)
{
    clade_status status = CLADE_OK;
    const bool erases = may_be(op, CLADE_SEMILIST_ERASE) || may_be(op, CLADE_SEMILIST_ERASE_AT);
    cl_mem kma_mem = clade_kma_mem(list->params.kma);
    CLADE_TRY(make_room(list, &call->run, may_be(op, CLADE_SEMILIST_APPEND) ? call->count : 0,
                        erases ? call->count : 0));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[SEMILIST_APPLY], CLADEI_ARG(list->object.mem),
                              CLADEI_ARG(kma_mem), CLADEI_ARG(op), CLADEI_ARG(call->given),
                              CLADEI_ROW(call, OPS), CLADEI_ROW(call, KEYS),
                              CLADEI_ROW(call, VALUES), CLADEI_ROW(call, NODES),
                              CLADEI_ROW(call, STATUSES), CLADEI_ARG(call->count)));
    CLADE_TRY(
        cladei_run_items(&call->run, list->kernels[SEMILIST_APPLY], call->count, list->own_group));
fail:
    return status;
}

/* All arguments are set before the first launch. If the second one fails its nodes, which nobody
 * has seen, are given back; should that fail, too, their blocks are lost until the allocator is
 * cleared, and clade_semilist_check() tells. */
static clade_status launch_append(clade_semilist *list, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    cl_mem kma_mem = clade_kma_mem(list->params.kma);
    cl_kernel fill = list->kernels[SEMILIST_APPEND_FILL],
              link = list->kernels[SEMILIST_APPEND_LINK];
    const size_t group = list->own_group;
    const size_t items = (size_t)((call->count + group - 1) / group * group);
    const cl_uint none = 0;
    CLADE_TRY(cladei_object_next_turn(&list->object, &call->run,
                                      offsetof(clade_semilist_head, short_of), &list->turn));
    CLADE_TRY(make_room(list, &call->run, call->count, 0));
    CLADE_TRY(CLADEI_SET_ARGS(fill, CLADEI_ARG(list->object.mem), CLADEI_ARG(kma_mem),
                              CLADEI_ARG(list->turn), CLADEI_ARG(call->given),
                              CLADEI_ROW(call, KEYS), CLADEI_ROW(call, VALUES),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(CLADEI_SET_ARGS(link, CLADEI_ARG(list->object.mem), CLADEI_ARG(kma_mem),
                              CLADEI_ARG(list->turn), CLADEI_ARG(call->given),
                              CLADEI_ROW(call, NODES), CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_items(&call->run, fill, call->count, group));
    status = cladei_run_items(&call->run, link, call->count, group);
    if (status != CLADE_OK && clSetKernelArg(link, 2, sizeof none, &none) == CL_SUCCESS)
        (void)clEnqueueNDRangeKernel(call->run.queue, link, 1, NULL, &items, &group, 0, NULL, NULL);
fail:
    return status;
}

/* A blocking call that was refused, while erased nodes hold memory: reclaim and try again. */
static clade_status append(clade_semilist *list, struct cladei_call *call)
{
    clade_status status = CLADE_OK, refused_with;
    clade_semilist_head head;
    CLADE_TRY(launch_append(list, call));
    if (!call->run.blocking)
        return CLADE_OK;
    CLADE_TRY(cladei_run_read(&call->run, &list->object, 0, &head, sizeof head));
    if ((clade_status)head.object.first_error == CLADE_E_FULL && head.done > 0) {
        CLADE_TRY(cladei_object_take_error(&list->object, &call->run, &refused_with, NULL));
        CLADE_TRY(cladei_semilist_reclaim(list, &call->run, false));
        list->places_most = head.tail - head.done;
        CLADE_TRY(launch_append(list, call));
    }
fail:
    return status;
}

/* --- calls over arrays ------------------------------------------------------------------------ */

static clade_status apply(clade_semilist *list, cl_uint op, clade_array ops, clade_array keys,
                          clade_array values, clade_array nodes, clade_array statuses,
                          uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    const bool erases_at = op == CLADE_SEMILIST_ERASE_AT;
    const bool finds = may_be(op, CLADE_SEMILIST_FIND) || may_be(op, CLADE_SEMILIST_ERASE);
    struct cladei_call call = {
        .count = count,
        .most = UINT32_MAX,
        .tells = true,
        .rows = {
            [OPS] = { "ops", ops, 4, .bit = 1, .need = op == MIXED ? "of operations" : NULL },
            [KEYS] = { "keys", keys, 4, .bit = 2, .need = erases_at ? NULL : "of keys" },
            [VALUES] = { "values", values, 4, finds ? CLADEI_INOUT : CLADEI_IN, .bit = 4 },
            [NODES] = { "nodes", nodes, 4, erases_at ? CLADEI_IN : CLADEI_INOUT, .bit = 8,
                        .need = erases_at ? "of nodes" : NULL },
            [STATUSES] = { "statuses", statuses, 4, CLADEI_OUT, .bit = 16, .tells = true },
        },
    };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(cladei_call_open(&call, &cladei_semilist_kind, &list->object, launch));
    if (count > 0) {
        CLADE_TRY(cladei_semilist_need(list, SEMILIST_APPLY));
        CLADE_TRY(op == CLADE_SEMILIST_APPEND ? append(list, &call)
                                              : launch_apply(list, &call, op));
    }
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_semilist_apply(clade_semilist *list, clade_array ops, clade_array keys,
                                  clade_array values, clade_array nodes, uint64_t count,
                                  clade_array statuses, const clade_launch *launch)
{
    return apply(list, MIXED, ops, keys, values, nodes, statuses, count, launch);
}

clade_status clade_semilist_find(clade_semilist *list, clade_array keys, clade_array values,
                                 clade_array nodes, uint64_t count, clade_array statuses,
                                 const clade_launch *launch)
{
    return apply(list, CLADE_SEMILIST_FIND, clade_no_array(), keys, values, nodes, statuses, count,
                 launch);
}

clade_status clade_semilist_erase(clade_semilist *list, clade_array keys, clade_array values,
                                  clade_array nodes, uint64_t count, clade_array statuses,
                                  const clade_launch *launch)
{
    return apply(list, CLADE_SEMILIST_ERASE, clade_no_array(), keys, values, nodes, statuses, count,
                 launch);
}

clade_status clade_semilist_erase_at(clade_semilist *list, clade_array nodes, uint64_t count,
                                     clade_array statuses, const clade_launch *launch)
{
    return apply(list, CLADE_SEMILIST_ERASE_AT, clade_no_array(), clade_no_array(),
                 clade_no_array(), nodes, statuses, count, launch);
}

clade_status clade_semilist_append(clade_semilist *list, clade_array keys, clade_array values,
                                   clade_array nodes, uint64_t count, const clade_launch *launch)
{
    return apply(list, CLADE_SEMILIST_APPEND, clade_no_array(), keys, values, nodes,
                 clade_no_array(), count, launch);
}
