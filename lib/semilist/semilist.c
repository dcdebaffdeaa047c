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
#include "object/launch.h"
#include "object/object.h"
#include "program/program.h"
#include "base/reserved.h"

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
    CLADE_REQUIRE(!params->kma || params->kma->object.bytes <= CLADE_SEMILIST_KMA_BYTES_MAX,
                  CLADE_E_ARG,
                  "the allocator has %" PRIu64 " bytes; nodes can be in %" PRIu64 " at most",
                  params->kma->object.bytes, (uint64_t)CLADE_SEMILIST_KMA_BYTES_MAX);
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
    if (status == CLADE_OK)
        list->params.kma = list->own;
    return status;
}

static clade_status build(clade_semilist *list)
{
    static const char *const names[SEMILIST_KERNELS] = {
        "clade_semilist_apply",     "clade_semilist_append_fill", "clade_semilist_append_link",
        "clade_semilist_sum",       "clade_semilist_scan",        "clade_semilist_move",
        "clade_semilist_reclaimed", "clade_semilist_gather",
    };
    clade_status status = CLADE_OK;
    const clade_context *context = list->object.context;
    size_t most = context->caps.is_cpu ? 64 : 256, allowed;
    CLADE_TRY(cladei_program_build_own(&list->program, list->object.context, "kernels/semilist.cl",
                                       clade_kma_options(list->params.kma)));
    for (size_t i = 0; i < SEMILIST_KERNELS; i++) {
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

static clade_status make_object(clade_semilist *list)
{
    clade_status status = CLADE_OK;
    clade_semilist_head *layout = &list->layout;
    const uint32_t capacity = (uint32_t)list->params.capacity;
    const uint32_t group = list->params.group_size;
    struct cladei_object made = { 0 };
    layout->capacity = capacity;
    layout->places_at = sizeof *layout / 4;
    layout->other_at = layout->places_at + capacity;
    layout->sums_at = layout->other_at + capacity;
    const uint64_t words = (uint64_t)layout->sums_at + (capacity + group - 1) / group;
    CLADE_TRY(cladei_object_create(&made, list->object.context, CLADE_SEMILIST_KIND,
                                   CLADE_SEMILIST_SHAPE, words * 4, "the semi-linked list"));
    list->object = made;
    CLADE_TRY(cladei_object_write_own(&list->object, layout, sizeof *layout));
fail:
    return status;
}

clade_status clade_semilist_create(clade_semilist **out, clade_context *context,
                                   const clade_semilist_params *params)
{
    clade_status status = CLADE_OK;
    clade_semilist *list = NULL;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the list is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && params, CLADE_E_ARG, "the context or the parameters are NULL");
    CLADE_TRY(CLADEI_RESERVED_CHECK(params, "clade_semilist_params"));
    CLADE_TRY(check_params(params, context));
    list = calloc(1, sizeof *list);
    CLADE_NO_MEMORY(list);
    list->object.context = context;
    list->params = *params;
    if (params->kma)
        cladei_hold(&params->kma->borrowers);
    else
        CLADE_TRY(make_allocator(list, context));
    CLADE_TRY(build(list));
    CLADE_TRY(make_object(list));
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
    cladei_object_close(&it->object, &it->program, it->kernels, SEMILIST_KERNELS);
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

/* --- what earlier calls left ----------------------------------------------------------------- */

clade_status cladei_semilist_read_head(clade_semilist *list, clade_semilist_head *head)
{
    return cladei_object_read(&list->object, 0, head, sizeof *head);
}

clade_status cladei_semilist_take_error(clade_semilist *list, struct cladei_run *run_or_null)
{
    clade_status status = CLADE_OK, error;
    clade_u32 item;
    CLADE_TRY(cladei_object_take_error(&list->object, run_or_null, &error, &item));
    CLADE_REQUIRE(error != CLADE_E_FULL, error,
                  "no place or no block was left for item %u: the capacity is %u", item,
                  list->layout.capacity);
    CLADE_REQUIRE(error != CLADE_E_ARG, error, "item %u asks for no operation of this list", item);
    CLADE_REQUIRE(error == CLADE_OK, error, "item %u was refused: %s", item,
                  clade_status_name(error));
fail:
    return status;
}

/* --- calls over arrays ----------------------------------------------------------------------- */

enum { OPS, KEYS, VALUES, NODES, STATUSES, ARRAYS };

/* Arguments of one call, opened. A view that is not given is stood in for by the list's buffer,
 * which the kernel then does not touch. */
struct call {
    clade_array arrays[ARRAYS];
    struct cladei_run run;
    struct cladei_view views[ARRAYS];
    cl_uint op, given;
    cl_ulong count;
};

static void call_close(struct call *call)
{
    for (size_t i = ARRAYS; i-- > 0;)
        cladei_view_close(&call->views[i]);
}

static bool may_be(const struct call *call, cl_uint op)
{
    return cladei_is_given(call->arrays[OPS]) || call->op == op;
}

static clade_status call_open(struct call *call, clade_semilist *list, const clade_launch *launch)
{
    static const char *const names[ARRAYS] = { "ops", "keys", "values", "nodes", "statuses" };
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(call->count <= UINT32_MAX, CLADE_E_ARG,
                  "the count is %" PRIu64 "; the most is %u", (uint64_t)call->count, UINT32_MAX);
    CLADE_TRY(cladei_run_begin(&call->run, list->object.context, launch));
    for (size_t i = 0; i < ARRAYS; i++) {
        if (!cladei_is_given(call->arrays[i]))
            continue;
        const enum cladei_direction way = i == STATUSES ? CLADEI_OUT : CLADEI_IN;
        CLADE_TRY(cladei_view_open(&call->views[i], &call->run, call->arrays[i],
                                   call->count, 4, way, names[i]));
        call->given |= 1u << i;
    }
    /* These go in and come out: a copy of a host array is read back as well. */
    if (may_be(call, CLADE_SEMILIST_FIND) || may_be(call, CLADE_SEMILIST_ERASE))
        call->views[VALUES].host = call->arrays[VALUES].host;
    if (may_be(call, CLADE_SEMILIST_APPEND) || may_be(call, CLADE_SEMILIST_FIND) ||
        may_be(call, CLADE_SEMILIST_ERASE))
        call->views[NODES].host = call->arrays[NODES].host;
    /* A blocking call tells its own errors, so those of earlier calls must be told before. */
    if (call->run.blocking)
        CLADE_TRY(cladei_semilist_take_error(list, &call->run));
fail:
    return status;
}

static clade_status call_finish(struct call *call, clade_semilist *list)
{
    clade_status status = CLADE_OK;
    for (size_t i = 0; i < ARRAYS; i++)
        CLADE_TRY(cladei_view_finish(&call->views[i], &call->run));
    if (call->run.blocking && !(call->given & 1u << STATUSES))
        CLADE_TRY(cladei_semilist_take_error(list, &call->run));
    CLADE_TRY(cladei_run_end(&call->run));
fail:
    return status;
}

static cl_mem mem_of(const struct call *call, const clade_semilist *list, size_t array)
{
    return call->views[array].mem ? call->views[array].mem : list->object.mem;
}

static size_t groups_of(const clade_semilist *list, uint64_t items)
{
    return (size_t)((items + list->params.group_size - 1) / list->params.group_size);
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

static clade_status launch_apply(struct call *call, clade_semilist *list)
{
    clade_status status = CLADE_OK;
    cl_mem list_mem = list->object.mem, kma_mem = clade_kma_mem(list->params.kma);
    cl_mem mems[ARRAYS];
    for (size_t i = 0; i < ARRAYS; i++)
        mems[i] = mem_of(call, list, i);
    CLADE_TRY(make_room(list, &call->run, may_be(call, CLADE_SEMILIST_APPEND) ? call->count : 0,
                        may_be(call, CLADE_SEMILIST_ERASE) || may_be(call, CLADE_SEMILIST_ERASE_AT)
                            ? call->count
                            : 0));
    CLADE_TRY(CLADEI_SET_ARGS(list->kernels[SEMILIST_APPLY], CLADEI_ARG(list_mem),
                              CLADEI_ARG(kma_mem), CLADEI_ARG(call->op), CLADEI_ARG(call->given),
                              CLADEI_ARG(mems[OPS]), CLADEI_ARG(call->views[OPS].first),
                              CLADEI_ARG(mems[KEYS]), CLADEI_ARG(call->views[KEYS].first),
                              CLADEI_ARG(mems[VALUES]), CLADEI_ARG(call->views[VALUES].first),
                              CLADEI_ARG(mems[NODES]), CLADEI_ARG(call->views[NODES].first),
                              CLADEI_ARG(mems[STATUSES]), CLADEI_ARG(call->views[STATUSES].first),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_kernel(&call->run, list->kernels[SEMILIST_APPLY],
                                groups_of(list, call->count), list->params.group_size));
fail:
    return status;
}

static clade_status apply(clade_semilist *list, struct call *call, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    const bool needs_keys = call->op != CLADE_SEMILIST_ERASE_AT;
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(!needs_keys || call->count == 0 || cladei_is_given(call->arrays[KEYS]),
                  CLADE_E_ARG, "there is no array of keys");
    CLADE_TRY(call_open(call, list, launch));
    if (call->count > 0)
        CLADE_TRY(launch_apply(call, list));
    CLADE_TRY(call_finish(call, list));
fail:
    call_close(call);
    return status;
}

clade_status clade_semilist_apply(clade_semilist *list, clade_array ops, clade_array keys,
                                  clade_array values, clade_array nodes, uint64_t count,
                                  clade_array statuses, const clade_launch *launch)
{
    struct call call = { .arrays = { ops, keys, values, nodes, statuses }, .count = count };
    if (!cladei_is_given(ops) && count > 0)
        return cladei_fail(CLADE_E_ARG, "there is no array of operations");
    return apply(list, &call, launch);
}

clade_status clade_semilist_find(clade_semilist *list, clade_array keys, clade_array values,
                                 clade_array nodes, uint64_t count, clade_array statuses,
                                 const clade_launch *launch)
{
    struct call call = { .arrays = { clade_no_array(), keys, values, nodes, statuses },
                         .op = CLADE_SEMILIST_FIND,
                         .count = count };
    return apply(list, &call, launch);
}

clade_status clade_semilist_erase(clade_semilist *list, clade_array keys, clade_array values,
                                  clade_array nodes, uint64_t count, clade_array statuses,
                                  const clade_launch *launch)
{
    struct call call = { .arrays = { clade_no_array(), keys, values, nodes, statuses },
                         .op = CLADE_SEMILIST_ERASE,
                         .count = count };
    return apply(list, &call, launch);
}

clade_status clade_semilist_erase_at(clade_semilist *list, clade_array nodes, uint64_t count,
                                     clade_array statuses, const clade_launch *launch)
{
    struct call call = { .arrays = { clade_no_array(), clade_no_array(), clade_no_array(), nodes,
                                     statuses },
                         .op = CLADE_SEMILIST_ERASE_AT,
                         .count = count };
    if (!cladei_is_given(nodes) && count > 0)
        return cladei_fail(CLADE_E_ARG, "there is no array of nodes");
    return apply(list, &call, launch);
}

/* --- appending many --------------------------------------------------------------------------- */

/* All arguments are set before the first launch. If the second one fails its nodes, which nobody
 * has seen, are given back; should that fail, too, their blocks are lost until the allocator is
 * cleared, and clade_semilist_check() tells. */
static clade_status launch_append(struct call *call, clade_semilist *list)
{
    clade_status status = CLADE_OK;
    cl_mem list_mem = list->object.mem, kma_mem = clade_kma_mem(list->params.kma);
    cl_mem keys = mem_of(call, list, KEYS), values = mem_of(call, list, VALUES);
    cl_mem nodes = mem_of(call, list, NODES);
    cl_kernel fill = list->kernels[SEMILIST_APPEND_FILL],
              link = list->kernels[SEMILIST_APPEND_LINK];
    const size_t groups = groups_of(list, call->count), group = list->params.group_size;
    const size_t items = groups * group;
    const cl_uint none = 0;
    CLADE_TRY(cladei_object_next_turn(&list->object, &call->run,
                                      offsetof(clade_semilist_head, short_of), &list->turn));
    const cl_uint turn = list->turn;
    CLADE_TRY(make_room(list, &call->run, call->count, 0));
    CLADE_TRY(CLADEI_SET_ARGS(fill, CLADEI_ARG(list_mem), CLADEI_ARG(kma_mem), CLADEI_ARG(turn),
                              CLADEI_ARG(call->given), CLADEI_ARG(keys),
                              CLADEI_ARG(call->views[KEYS].first), CLADEI_ARG(values),
                              CLADEI_ARG(call->views[VALUES].first), CLADEI_ARG(call->count)));
    CLADE_TRY(CLADEI_SET_ARGS(link, CLADEI_ARG(list_mem), CLADEI_ARG(kma_mem), CLADEI_ARG(turn),
                              CLADEI_ARG(call->given), CLADEI_ARG(nodes),
                              CLADEI_ARG(call->views[NODES].first), CLADEI_ARG(call->count)));
    CLADE_TRY(cladei_run_kernel(&call->run, fill, groups, group));
    status = cladei_run_kernel(&call->run, link, groups, group);
    if (status != CLADE_OK && clSetKernelArg(link, 2, sizeof none, &none) == CL_SUCCESS)
        (void)clEnqueueNDRangeKernel(call->run.queue, link, 1, NULL, &items, &group, 0, NULL, NULL);
fail:
    return status;
}

/* A blocking call that was refused, while erased nodes hold memory: reclaim and try again. */
static clade_status append_again(struct call *call, clade_semilist *list, bool *again)
{
    clade_status status = CLADE_OK, refused;
    clade_semilist_head head;
    *again = false;
    CLADE_TRY(cladei_run_read(&call->run, &list->object, 0, &head, sizeof head));
    if ((clade_status)head.object.first_error == CLADE_E_FULL && head.done > 0) {
        CLADE_TRY(cladei_object_take_error(&list->object, &call->run, &refused, NULL));
        CLADE_TRY(cladei_semilist_reclaim(list, &call->run, false));
        list->places_most = head.tail - head.done;
        *again = true;
    }
fail:
    return status;
}

clade_status clade_semilist_append(clade_semilist *list, clade_array keys, clade_array values,
                                   clade_array nodes, uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    bool again = false;
    struct call call = { .arrays = { clade_no_array(), keys, values, nodes, clade_no_array() },
                         .op = CLADE_SEMILIST_APPEND,
                         .count = count };
    CLADE_REQUIRE(list, CLADE_E_ARG, "the list is NULL");
    CLADE_REQUIRE(count == 0 || cladei_is_given(keys), CLADE_E_ARG, "there is no array of keys");
    CLADE_TRY(call_open(&call, list, launch));
    if (count > 0) {
        CLADE_TRY(launch_append(&call, list));
        if (call.run.blocking)
            CLADE_TRY(append_again(&call, list, &again));
        if (again)
            CLADE_TRY(launch_append(&call, list));
    }
    CLADE_TRY(call_finish(&call, list));
fail:
    call_close(&call);
    return status;
}
