/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list's life and its calls over whole arrays; cl/kernels/dlist.cl has the
 * kernels. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/context.h"
#include "dlist/dlist.h"

static clade_status refused(const struct cladei_object *object, clade_status error, clade_u32 item)
{
    clade_status status = CLADE_OK;
    const clade_dlist *list = (const clade_dlist *)object;
    CLADE_REQUIRE(error != CLADE_E_FULL, error, "no cell was free for item %u: the capacity is %u",
                  item, list->layout.capacity);
    CLADE_REQUIRE(error != CLADE_E_ARG, error, "item %u asks for no operation, or names no node",
                  item);
fail:
    return status;
}

static const char *const kernel_names[DLIST_KERNELS] = {
    "clade_dlist_apply", "clade_dlist_append_fill", "clade_dlist_append_link",
    "clade_dlist_clear", "clade_dlist_shorten",     "clade_dlist_relink",
    "clade_dlist_sweep",
};
static const struct cladei_kind kind = {
    CLADE_DLIST_KIND, "the list", { "kernels/dlist.cl", kernel_names, DLIST_KERNELS }, refused
};

/* --- create and destroy ---------------------------------------------------------------------- */

static clade_status fill_in(clade_dlist_params *params, const clade_context *context)
{
    clade_status status = CLADE_OK;
    if (params->value == CLADE_NONE)
        params->value = CLADE_U32;
    CLADE_REQUIRE(params->value <= CLADE_F64, CLADE_E_ARG, "value type %u does not exist",
                  params->value);
    CLADE_REQUIRE(params->capacity >= 1 && params->capacity <= CLADE_DLIST_CAPACITY_MAX,
                  CLADE_E_ARG, "capacity is %" PRIu64 "; it goes from 1 to %u", params->capacity,
                  CLADE_DLIST_CAPACITY_MAX);
    CLADE_REQUIRE(params->group_size <= context->caps.group_size_max, CLADE_E_ARG,
                  "group_size is %u; the most on %s is %u", params->group_size, context->info.name,
                  context->caps.group_size_max);
fail:
    return status;
}

/* Where everything lies, in words; returns how many there are. */
static uint64_t lay_out(clade_dlist *list)
{
    clade_dlist_head *layout = &list->layout;
    list->known.capacity = layout->capacity = (clade_u32)list->params.capacity;
    layout->nodes_at = sizeof *layout / 4;
    layout->free_at = layout->nodes_at + layout->capacity * CLADE_DLIST_CELL;
    return (uint64_t)layout->free_at + layout->capacity;
}

clade_status cladei_dlist_plan(clade_dlist *list, const clade_context *context)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(fill_in(&list->params, context));
    list->object.bytes = lay_out(list) * 4;
    list->object.kind = kind.number;
    list->object.shape = CLADE_DLIST_SHAPE;
fail:
    return status;
}

static clade_status build(clade_dlist *list)
{
    clade_status status = CLADE_OK;
    char options[64];
    snprintf(options, sizeof options, "-DCLADE_DLIST_VALUE_BITS=%u",
             CLADE_TYPE_BYTES(list->params.value) * 8);
    CLADE_TRY(cladei_kernels_build(list->kernels, &kind.kernels, list->object.context, options));
    CLADE_TRY(cladei_kernels_fit(list->kernels, &kind.kernels, list->object.context,
                                 &list->params.group_size));
fail:
    return status;
}

clade_status clade_dlist_create(clade_dlist **out, clade_context *context,
                                const clade_dlist_params *params)
{
    clade_status status = CLADE_OK;
    clade_dlist *list = NULL;
    CLADEI_CREATION(out, context, params, clade_dlist_params, kind.name);
    list = calloc(1, sizeof *list);
    CLADE_NO_MEMORY(list);
    list->params = *params;
    CLADE_TRY(cladei_dlist_plan(list, context));
    CLADE_TRY(cladei_object_create(&list->object, context, kind.number, CLADE_DLIST_SHAPE,
                                   list->object.bytes, kind.name));
    CLADE_TRY(build(list));
    CLADE_TRY(cladei_object_write_own(&list->object, &list->layout, sizeof list->layout));
    CLADE_TRY(clade_dlist_clear(list, NULL));
    CLADE_TRY(clade_finish(context)); /* its first call may be in any queue */
    *out = list;
    return CLADE_OK;

fail:
    clade_dlist_destroy(&list);
    return status;
}

void clade_dlist_destroy(clade_dlist **list)
{
    if (!list || !*list)
        return;
    clade_dlist *it = *list;
    cladei_object_close(&it->object, NULL, it->kernels, DLIST_KERNELS);
    free(it);
    *list = NULL;
}

cl_mem clade_dlist_mem(const clade_dlist *list)
{
    return list ? list->object.mem : NULL;
}

const clade_dlist_params *clade_dlist_params_of(const clade_dlist *list)
{
    return list ? &list->params : NULL;
}

/* --- reclaiming ------------------------------------------------------------------------------- */

/* One launch over `items` of a kernel that takes the list, and a word if `word` is not NULL. */
static clade_status launch(clade_dlist *list, struct cladei_run *run, enum dlist_kernel which,
                           uint64_t items, const cl_uint *word)
{
    clade_status status = CLADE_OK;
    cl_kernel kernel = list->kernels[which];
    if (items < CLADE_CELLS_STRIPES)
        items = CLADE_CELLS_STRIPES;
    CLADE_CL(clSetKernelArg(kernel, 0, sizeof list->object.mem, &list->object.mem));
    if (word)
        CLADE_CL(clSetKernelArg(kernel, 1, sizeof *word, word));
    CLADE_TRY(cladei_run_items(run, kernel, items, list->params.group_size));
fail:
    return status;
}

static clade_status reclaim(clade_dlist *list, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const uint64_t cells = list->layout.capacity;
    const cl_uint frees = 1;
    uint64_t longest =
        cladei_cells_longest_run(&list->known, list->object.context->caps.loop_limit);
    list->known.needs_reclaim = true;
    for (; longest > CLADE_DLIST_SKIP_HOPS; longest /= CLADE_DLIST_SKIP_HOPS)
        CLADE_TRY(launch(list, run, DLIST_SHORTEN, cells, NULL));
    CLADE_TRY(launch(list, run, DLIST_RELINK, cells + 1, NULL));
    CLADE_TRY(launch(list, run, DLIST_SWEEP, cells, &frees));
    cladei_cells_are_clean(&list->known, list->known.live_most);
fail:
    return status;
}

/* Before `count` operations that may take as many cells. */
static clade_status make_room(clade_dlist *list, struct cladei_run *run, uint64_t count)
{
    clade_status status = CLADE_OK;
    const struct cladei_cells_known *known = &list->known;
    if (known->needs_reclaim || (known->changes > 0 && known->free_least < count))
        CLADE_TRY(reclaim(list, run));
    cladei_cells_expect(&list->known, count);
fail:
    return status;
}

clade_status clade_dlist_reclaim(clade_dlist *list, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(cladei_run_begin(&run, list->object.context, launch_or_null));
    /* Kernels of the user may have changed anything. */
    cladei_cells_are_unknown(&list->known);
    CLADE_TRY(reclaim(list, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

clade_status clade_dlist_clear(clade_dlist *list, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(cladei_run_begin(&run, list->object.context, launch_or_null));
    CLADE_TRY(launch(list, &run, DLIST_CLEAR, list->layout.capacity, NULL));
    cladei_cells_are_clean(&list->known, 0);
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

clade_status clade_dlist_size(clade_dlist *list, uint64_t *size)
{
    clade_status status = CLADE_OK;
    clade_dlist_stats stats;
    CLADE_REQUIRE(list && size, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(clade_dlist_stats_read(list, &stats));
    *size = stats.live;
fail:
    return status;
}

clade_status clade_dlist_stats_read(clade_dlist *list, clade_dlist_stats *stats)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    clade_dlist_head head;
    const cl_uint zero = 0;
    CLADE_REQUIRE(list && stats, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_kind_told(&kind, &list->object, NULL));
    CLADE_TRY(cladei_run_begin(&run, list->object.context, NULL));
    if (list->known.needs_reclaim)
        CLADE_TRY(reclaim(list, &run));
    /* Should the count not come to its end: later calls rely on it. */
    list->known.needs_reclaim = true;
    CLADE_TRY(
        cladei_object_write(&list->object, offsetof(clade_dlist_head, live), &zero, sizeof zero));
    CLADE_TRY(launch(list, &run, DLIST_SWEEP, list->layout.capacity, &zero));
    CLADE_TRY(cladei_object_read(&list->object, 0, &head, sizeof head));
    list->known.needs_reclaim = false;
    const struct cladei_cells_counts cells = cladei_cells_count(head.stripes, head.free_count);
    *stats = (clade_dlist_stats) {
        .live = head.live,
        .capacity = list->layout.capacity,
        .free = cells.free,
        .insert_collisions = cells.insert_collisions,
        .erase_collisions = cells.erase_collisions,
        .bytes = list->object.bytes,
    };
fail:
    return status;
}

/* --- calls over arrays ----------------------------------------------------------------------- */

static clade_status learn(clade_dlist *list, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    clade_dlist_head head;
    if (list->known.needs_reclaim) /* `live` is none of these */
        return CLADE_OK;
    CLADE_TRY(cladei_run_read(run, &list->object, 0, &head, sizeof head));
    cladei_cells_learn(&list->known, head.live);
fail:
    return status;
}

enum { OPS, TARGETS, VALUES, NODES, STATUSES };
enum { APPEND = CLADE_DLIST_OP_COUNT + 1 }; /* beside the operations of items */

static clade_status launch_apply(clade_dlist *list, struct cladei_call *call, cl_uint op)
{
    clade_status status = CLADE_OK;
    if (op <= CLADE_DLIST_ERASE || op == CLADE_DLIST_OP_COUNT)
        CLADE_TRY(make_room(list, &call->run, call->count));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[DLIST_APPLY], CLADEI_ARG(list->object.mem),
                              CLADEI_ARG(op), CLADEI_ARG(call->given), CLADEI_ROW(call, OPS),
                              CLADEI_ROW(call, TARGETS), CLADEI_ROW(call, VALUES),
                              CLADEI_ROW(call, NODES), CLADEI_ROW(call, STATUSES),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_items(&call->run, list->kernels[DLIST_APPLY], call->count,
                               list->params.group_size));
fail:
    return status;
}

static clade_status launch_append(clade_dlist *list, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    cl_kernel fill = list->kernels[DLIST_APPEND_FILL], link = list->kernels[DLIST_APPEND_LINK];
    const size_t group = list->params.group_size;
    const uint64_t items = call->count > CLADE_CELLS_STRIPES ? call->count : CLADE_CELLS_STRIPES;
    list->known.changes = list->params.capacity; /* so that runs of any length are unlinked */
    CLADE_TRY(reclaim(list, &call->run));
    CLADE_TRY(make_room(list, &call->run, call->count));
    CLADE_TRY(CLADEI_SET_ARGS(fill, CLADEI_ARG(list->object.mem), CLADEI_ROW(call, VALUES),
                              CLADEI_ROW(call, NODES), CLADEI_ROW(call, STATUSES),
                              CLADEI_ARG(call->given), CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_items(&call->run, fill, items, group));
    CLADE_TRY(CLADEI_SET_ARGS(link, CLADEI_ARG(list->object.mem), CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_items(&call->run, link, items, group));
fail:
    return status;
}

static clade_status apply(clade_dlist *list, cl_uint op, clade_array ops, clade_array targets,
                          clade_array values, clade_array nodes, clade_array statuses,
                          uint64_t count, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    const bool appends = op == APPEND;
    const bool inserts = op == CLADE_DLIST_INSERT_AFTER || op == CLADE_DLIST_INSERT_BEFORE;
    struct cladei_call call = {
        .count = count,
        .most = UINT32_MAX,
        .tells = true,
        .rows = {
            [OPS] = { "ops", ops, 4, .bit = 1,
                      .need = op == CLADE_DLIST_OP_COUNT ? "of operations" : NULL },
            [TARGETS] = { "targets", targets, 4, .need = appends ? NULL : "of targets" },
            [VALUES] = { "values", values, list ? CLADE_TYPE_BYTES(list->params.value) : 0,
                         appends || inserts ? CLADEI_IN : CLADEI_INOUT, .bit = 2,
                         .need = appends ? "of values" : NULL },
            [NODES] = { "nodes", nodes, 4, CLADEI_OUT, .bit = 4 },
            [STATUSES] = { "statuses", statuses, 4, CLADEI_OUT, .bit = 8, .tells = true },
        },
    };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_TRY(cladei_call_open(&call, &kind, &list->object, launch_or_null));
    if (count > 0)
        CLADE_TRY(appends ? launch_append(list, &call) : launch_apply(list, &call, op));
    CLADE_TRY(cladei_call_read(&call));
    if (call.run.blocking)
        CLADE_TRY(learn(list, &call.run));
    CLADE_TRY(cladei_run_end(&call.run));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_dlist_apply(clade_dlist *list, clade_array ops, clade_array targets,
                               clade_array values, clade_array nodes, uint64_t count,
                               clade_array statuses, const clade_launch *launch_or_null)
{
    return apply(list, CLADE_DLIST_OP_COUNT, ops, targets, values, nodes, statuses, count,
                 launch_or_null);
}

clade_status clade_dlist_insert_after(clade_dlist *list, clade_array targets, clade_array values,
                                      clade_array nodes, uint64_t count, clade_array statuses,
                                      const clade_launch *launch_or_null)
{
    return apply(list, CLADE_DLIST_INSERT_AFTER, clade_no_array(), targets, values, nodes, statuses,
                 count, launch_or_null);
}

clade_status clade_dlist_insert_before(clade_dlist *list, clade_array targets, clade_array values,
                                       clade_array nodes, uint64_t count, clade_array statuses,
                                       const clade_launch *launch_or_null)
{
    return apply(list, CLADE_DLIST_INSERT_BEFORE, clade_no_array(), targets, values, nodes,
                 statuses, count, launch_or_null);
}

clade_status clade_dlist_erase(clade_dlist *list, clade_array targets, clade_array values,
                               uint64_t count, clade_array statuses,
                               const clade_launch *launch_or_null)
{
    return apply(list, CLADE_DLIST_ERASE, clade_no_array(), targets, values, clade_no_array(),
                 statuses, count, launch_or_null);
}

clade_status clade_dlist_append(clade_dlist *list, clade_array values, clade_array nodes,
                                uint64_t count, clade_array statuses,
                                const clade_launch *launch_or_null)
{
    return apply(list, APPEND, clade_no_array(), clade_no_array(), values, nodes, statuses, count,
                 launch_or_null);
}
