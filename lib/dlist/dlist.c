/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list's life and its calls over whole arrays; cl/kernels/dlist.cl has the
 * kernels. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/context.h"
#include "dlist/dlist.h"
#include "object/launch.h"
#include "object/object.h"
#include "program/program.h"
#include "base/reserved.h"

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
    layout->capacity = (clade_u32)list->params.capacity;
    layout->nodes_at = sizeof *layout / 4;
    layout->free_at = layout->nodes_at + layout->capacity * CLADE_DLIST_CELL;
    return (uint64_t)layout->free_at + layout->capacity;
}

clade_status cladei_dlist_plan(clade_dlist *list, const clade_context *context)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(fill_in(&list->params, context));
    list->object.bytes = lay_out(list) * 4;
    list->object.kind = CLADE_DLIST_KIND;
    list->object.shape = CLADE_DLIST_SHAPE;
fail:
    return status;
}

static clade_status build(clade_dlist *list)
{
    static const char *const names[DLIST_KERNELS] = {
        "clade_dlist_apply", "clade_dlist_append_fill", "clade_dlist_append_link",
        "clade_dlist_clear", "clade_dlist_shorten",     "clade_dlist_relink",
        "clade_dlist_sweep",
    };
    clade_status status = CLADE_OK;
    const clade_context *context = list->object.context;
    char options[64];
    size_t most = context->caps.is_cpu ? 64 : 256, allowed;
    snprintf(options, sizeof options, "-DCLADE_DLIST_VALUE_BITS=%u",
             CLADE_TYPE_BYTES(list->params.value) * 8);
    CLADE_TRY(cladei_program_build_own(&list->program, list->object.context, "kernels/dlist.cl",
                                       options));
    for (size_t i = 0; i < DLIST_KERNELS; i++) {
        CLADE_TRY(clade_program_kernel(&list->kernels[i], list->program, names[i]));
        CLADE_CL(clGetKernelWorkGroupInfo(list->kernels[i], context->device,
                                          CL_KERNEL_WORK_GROUP_SIZE, sizeof allowed, &allowed,
                                          NULL));
        CLADE_REQUIRE(list->params.group_size <= allowed, CLADE_E_ARG,
                      "group_size is %u; %s allows %zu on %s", list->params.group_size, names[i],
                      allowed, context->info.name);
        most = allowed < most ? allowed : most;
    }
    if (list->params.group_size == 0)
        list->params.group_size = (uint32_t)(most ? most : 1);
fail:
    return status;
}

clade_status clade_dlist_create(clade_dlist **out, clade_context *context,
                                const clade_dlist_params *params)
{
    clade_status status = CLADE_OK;
    clade_dlist *list = NULL;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the list is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && params, CLADE_E_ARG, "the context or the parameters are NULL");
    CLADE_TRY(CLADEI_RESERVED_CHECK(params, "clade_dlist_params"));
    list = calloc(1, sizeof *list);
    CLADE_NO_MEMORY(list);
    list->object.context = context;
    list->params = *params;
    CLADE_TRY(cladei_dlist_plan(list, context));
    CLADE_TRY(cladei_object_create(&list->object, context, CLADE_DLIST_KIND, CLADE_DLIST_SHAPE,
                                   list->object.bytes, "the list"));
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
    cladei_object_close(&it->object, &it->program, it->kernels, DLIST_KERNELS);
    free(it);
    *list = NULL;
}

cl_mem clade_dlist_mem(const clade_dlist *list)
{
    return list ? list->object.mem : NULL;
}

clade_status cladei_dlist_take_error(clade_dlist *list, struct cladei_run *run_or_null)
{
    clade_status status = CLADE_OK, error;
    clade_u32 item;
    CLADE_TRY(cladei_object_take_error(&list->object, run_or_null, &error, &item));
    CLADE_REQUIRE(error != CLADE_E_FULL, error, "no cell was free for item %u: the capacity is %u",
                  item, list->layout.capacity);
    CLADE_REQUIRE(error != CLADE_E_ARG, error, "item %u asks for no operation, or names no node",
                  item);
    CLADE_REQUIRE(error == CLADE_OK, error, "item %u was refused: %s", item,
                  clade_status_name(error));
fail:
    return status;
}

/* --- reclaiming ------------------------------------------------------------------------------- */

/* One launch over `items` of a kernel that takes the list, and a word if `word` is not NULL. */
static clade_status launch(clade_dlist *list, struct cladei_run *run, enum dlist_kernel which,
                           uint64_t items, const cl_uint *word)
{
    clade_status status = CLADE_OK;
    cl_kernel kernel = list->kernels[which];
    const size_t group = list->params.group_size;
    if (items < CLADE_CELLS_STRIPES)
        items = CLADE_CELLS_STRIPES;
    CLADE_CL(clSetKernelArg(kernel, 0, sizeof list->object.mem, &list->object.mem));
    if (word)
        CLADE_CL(clSetKernelArg(kernel, 1, sizeof *word, word));
    CLADE_TRY(cladei_run_kernel(run, kernel, (size_t)((items + group - 1) / group), group));
fail:
    return status;
}

static clade_status reclaim(clade_dlist *list, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const uint64_t cells = list->layout.capacity;
    const cl_uint frees = 1;
    /* Runs of erased nodes are no longer than the changes since the last reclaim. */
    uint64_t longest = list->changes < cells ? list->changes : cells;
    list->needs_reclaim = true;
    for (; longest > CLADE_DLIST_SKIP_HOPS; longest /= CLADE_DLIST_SKIP_HOPS)
        CLADE_TRY(launch(list, run, DLIST_SHORTEN, cells, NULL));
    CLADE_TRY(launch(list, run, DLIST_RELINK, cells + 1, NULL));
    CLADE_TRY(launch(list, run, DLIST_SWEEP, cells, &frees));
    list->changes = 0;
    list->free_least = cells - list->live_most;
    list->needs_reclaim = false;
fail:
    return status;
}

/* Before `count` operations that may take as many cells. */
static clade_status make_room(clade_dlist *list, struct cladei_run *run, uint64_t count)
{
    clade_status status = CLADE_OK;
    const uint64_t cells = list->layout.capacity;
    if (list->needs_reclaim || (list->changes > 0 && list->free_least < count))
        CLADE_TRY(reclaim(list, run));
    list->changes += count;
    list->free_least -= list->free_least < count ? list->free_least : count;
    list->live_most = list->live_most + count < cells ? list->live_most + count : cells;
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
    list->changes = list->live_most = list->params.capacity;
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
    list->changes = list->live_most = 0;
    list->free_least = list->layout.capacity;
    list->needs_reclaim = false;
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
    CLADE_TRY(cladei_dlist_take_error(list, NULL));
    CLADE_TRY(cladei_run_begin(&run, list->object.context, NULL));
    if (list->needs_reclaim)
        CLADE_TRY(reclaim(list, &run));
    CLADE_TRY(
        cladei_object_write(&list->object, offsetof(clade_dlist_head, live), &zero, sizeof zero));
    CLADE_TRY(launch(list, &run, DLIST_SWEEP, list->layout.capacity, &zero));
    CLADE_TRY(cladei_object_read(&list->object, 0, &head, sizeof head));
    *stats = (clade_dlist_stats) { .live = head.live,
                                   .capacity = list->layout.capacity,
                                   .bytes = list->object.bytes };
    for (uint32_t i = 0; i < CLADE_CELLS_STRIPES; i++) {
        const clade_cells_stripe *stripe = &head.stripes[i];
        const uint64_t dealt =
            head.free_count > i ? (head.free_count - i - 1) / CLADE_CELLS_STRIPES + 1 : 0;
        stats->free += dealt > stripe->taken ? dealt - stripe->taken : 0;
        stats->insert_collisions += stripe->insert_collisions;
        stats->erase_collisions += stripe->erase_collisions;
    }
fail:
    return status;
}

/* --- calls over arrays ----------------------------------------------------------------------- */

/* Arguments of one call, opened. A view that is not given is stood in for by the list's buffer,
 * which the kernel then does not touch. */
struct call {
    struct cladei_run run;
    struct cladei_view ops, targets, values, nodes, statuses;
    cl_uint op, given; /* bits: ops, values, nodes, statuses */
    cl_ulong count;
};

static void call_close(struct call *call)
{
    cladei_view_close(&call->statuses);
    cladei_view_close(&call->nodes);
    cladei_view_close(&call->values);
    cladei_view_close(&call->targets);
    cladei_view_close(&call->ops);
}

static clade_status open_view(struct call *call, struct cladei_view *view, clade_array array,
                              size_t bytes, enum cladei_direction direction, cl_uint bit,
                              const char *name)
{
    if (!cladei_is_given(array))
        return CLADE_OK;
    call->given |= bit;
    return cladei_view_open(view, &call->run, array, call->count, bytes, direction, name);
}

static clade_status call_open(struct call *call, clade_dlist *list, clade_array ops,
                              clade_array targets, clade_array values, clade_array nodes,
                              clade_array statuses, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    const size_t value_bytes = CLADE_TYPE_BYTES(list->params.value);
    CLADE_REQUIRE(call->count <= UINT32_MAX, CLADE_E_ARG,
                  "the count is %" PRIu64 "; the most is %u", (uint64_t)call->count, UINT32_MAX);
    CLADE_TRY(cladei_run_begin(&call->run, list->object.context, launch_or_null));
    CLADE_TRY(open_view(call, &call->ops, ops, sizeof(cl_uint), CLADEI_IN, 1u, "ops"));
    CLADE_TRY(open_view(call, &call->targets, targets, sizeof(cl_uint), CLADEI_IN, 0u, "targets"));
    CLADE_TRY(open_view(call, &call->values, values, value_bytes, CLADEI_IN, 2u, "values"));
    /* Values go in and come out: a copy of a host array is read back as well. */
    if (call->op != CLADE_DLIST_INSERT_AFTER && call->op != CLADE_DLIST_INSERT_BEFORE)
        call->values.host = values.host;
    CLADE_TRY(open_view(call, &call->nodes, nodes, sizeof(cl_uint), CLADEI_OUT, 4u, "nodes"));
    CLADE_TRY(
        open_view(call, &call->statuses, statuses, sizeof(cl_int), CLADEI_OUT, 8u, "statuses"));
    /* A blocking call tells its own errors, so those of earlier calls must be told before. */
    if (call->run.blocking)
        CLADE_TRY(cladei_dlist_take_error(list, &call->run));
fail:
    return status;
}

/* After a call that waited, what is known for sure spares the next calls reclaiming: `live` is from
 * at the last reclaim, and no more cells were taken since than there were changes. */
static clade_status learn(clade_dlist *list, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    clade_dlist_head head;
    CLADE_TRY(cladei_run_read(run, &list->object, 0, &head, sizeof head));
    const uint64_t cells = list->layout.capacity, most = head.live + list->changes;
    if (list->live_most > most)
        list->live_most = most;
    if (most < cells && list->free_least < cells - most)
        list->free_least = cells - most;
fail:
    return status;
}

static clade_status call_finish(struct call *call, clade_dlist *list)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_view_finish(&call->values, &call->run));
    CLADE_TRY(cladei_view_finish(&call->nodes, &call->run));
    CLADE_TRY(cladei_view_finish(&call->statuses, &call->run));
    if (call->run.blocking && !(call->given & 8u))
        CLADE_TRY(cladei_dlist_take_error(list, &call->run));
    if (call->run.blocking)
        CLADE_TRY(learn(list, &call->run));
    CLADE_TRY(cladei_run_end(&call->run));
fail:
    return status;
}

static clade_status launch_apply(struct call *call, clade_dlist *list)
{
    clade_status status = CLADE_OK;
    cl_mem mem = list->object.mem, targets = call->targets.mem;
    cl_mem ops = call->ops.mem ? call->ops.mem : mem;
    cl_mem values = call->values.mem ? call->values.mem : mem;
    cl_mem nodes = call->nodes.mem ? call->nodes.mem : mem;
    cl_mem statuses = call->statuses.mem ? call->statuses.mem : mem;
    const size_t group = list->params.group_size;
    if (call->op <= CLADE_DLIST_ERASE || call->op == CLADE_DLIST_OP_COUNT)
        CLADE_TRY(make_room(list, &call->run, call->count));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[DLIST_APPLY], CLADEI_ARG(mem), CLADEI_ARG(call->op),
                              CLADEI_ARG(call->given), CLADEI_ARG(ops), CLADEI_ARG(call->ops.first),
                              CLADEI_ARG(targets), CLADEI_ARG(call->targets.first),
                              CLADEI_ARG(values), CLADEI_ARG(call->values.first), CLADEI_ARG(nodes),
                              CLADEI_ARG(call->nodes.first), CLADEI_ARG(statuses),
                              CLADEI_ARG(call->statuses.first), CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_kernel(&call->run, list->kernels[DLIST_APPLY],
                                (size_t)((call->count + group - 1) / group), group));
fail:
    return status;
}

static clade_status apply(clade_dlist *list, cl_uint op, clade_array ops, clade_array targets,
                          clade_array values, clade_array nodes, clade_array statuses,
                          uint64_t count, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct call call = { .op = op, .count = count };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(cladei_is_given(targets) || count == 0, CLADE_E_ARG,
                  "there is no array of targets");
    CLADE_TRY(call_open(&call, list, ops, targets, values, nodes, statuses, launch_or_null));
    if (count > 0)
        CLADE_TRY(launch_apply(&call, list));
    CLADE_TRY(call_finish(&call, list));
fail:
    call_close(&call);
    return status;
}

clade_status clade_dlist_apply(clade_dlist *list, clade_array ops, clade_array targets,
                               clade_array values, clade_array nodes, uint64_t count,
                               clade_array statuses, const clade_launch *launch_or_null)
{
    if (!cladei_is_given(ops) && count > 0)
        return cladei_fail(CLADE_E_ARG, "there is no array of operations");
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

/* --- appending many -------------------------------------------------------------------------- */

static clade_status launch_append(struct call *call, clade_dlist *list)
{
    clade_status status = CLADE_OK;
    cl_mem mem = list->object.mem, values = call->values.mem;
    cl_mem nodes = call->nodes.mem ? call->nodes.mem : mem;
    cl_mem statuses = call->statuses.mem ? call->statuses.mem : mem;
    const size_t group = list->params.group_size;
    const uint64_t items =
        call->count > CLADE_CELLS_STRIPES ? call->count : (uint64_t)CLADE_CELLS_STRIPES;
    const size_t groups = (size_t)((items + group - 1) / group);
    list->changes = list->params.capacity; /* so that runs of any length are unlinked */
    CLADE_TRY(reclaim(list, &call->run));
    CLADE_TRY(make_room(list, &call->run, call->count));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[DLIST_APPEND_FILL], CLADEI_ARG(mem), CLADEI_ARG(values),
                              CLADEI_ARG(call->values.first), CLADEI_ARG(nodes),
                              CLADEI_ARG(call->nodes.first), CLADEI_ARG(statuses),
                              CLADEI_ARG(call->statuses.first), CLADEI_ARG(call->given),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_kernel(&call->run, list->kernels[DLIST_APPEND_FILL], groups, group));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[DLIST_APPEND_LINK], CLADEI_ARG(mem),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_kernel(&call->run, list->kernels[DLIST_APPEND_LINK], groups, group));
fail:
    return status;
}

clade_status clade_dlist_append(clade_dlist *list, clade_array values, clade_array nodes,
                                uint64_t count, clade_array statuses,
                                const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct call call = { .op = CLADE_DLIST_INSERT_BEFORE, .count = count };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(cladei_is_given(values) || count == 0, CLADE_E_ARG,
                  "there is no array of values");
    CLADE_TRY(call_open(&call, list, clade_no_array(), clade_no_array(), values, nodes, statuses,
                        launch_or_null));
    if (count > 0)
        CLADE_TRY(launch_append(&call, list));
    CLADE_TRY(call_finish(&call, list));
fail:
    call_close(&call);
    return status;
}
