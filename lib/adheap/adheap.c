/* SPDX-License-Identifier: Apache-2.0 */
/* Ad-heap: creation and operations. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "adheap/adheap.h"
#include "base/error.h"
#include "base/text.h"
#include "device/context.h"
#include "device/queue.h"
#include "kselect/kselect.h"

static const char *const kernel_names[ADHEAP_KERNELS] = {
    "clade_adheap_clear", "clade_adheap_insert", "clade_adheap_pop",   "clade_adheap_update",
    "clade_adheap_feed",  "clade_adheap_build",  "clade_adheap_merge", "clade_adheap_sizes",
};
static const struct cladei_kind kind = {
    CLADE_ADHEAP_KIND, "the ad-heap", { "kernels/adheap.cl", kernel_names, ADHEAP_KERNELS }, NULL
};

/* --- create, destroy ------------------------------------------------------------------------ */

static clade_status check_params(const clade_adheap_params *p)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(p->heaps >= 1, CLADE_E_ARG, "there are no heaps");
    CLADE_REQUIRE(p->capacity >= 1 && p->capacity <= 1u << 30, CLADE_E_ARG,
                  "the capacity %u is not in 1 .. %u", p->capacity, 1u << 30);
    CLADE_REQUIRE(p->arity == 8 || p->arity == 16 || p->arity == 32 || p->arity == 64, CLADE_E_ARG,
                  "the arity %u is none of 8, 16, 32 and 64", p->arity);
    CLADE_REQUIRE(p->key >= CLADE_I32 && p->key <= CLADE_F64, CLADE_E_ARG,
                  "the key type %u is none of I32, U32, F32, I64, U64 and F64", p->key);
    CLADE_REQUIRE(p->order == CLADE_MIN || p->order == CLADE_MAX, CLADE_E_ARG,
                  "the order %u is neither MIN nor MAX", p->order);
    CLADE_REQUIRE(p->keep <= 1 && p->values <= 1 && p->count <= 1, CLADE_E_ARG,
                  "keep, values and count are %u, %u and %u; each is 0 or 1", p->keep, p->values,
                  p->count);
    CLADE_REQUIRE(p->bridge <= CLADE_ADHEAP_BRIDGE_HOST, CLADE_E_ARG, "the bridge %u is unknown",
                  p->bridge);
    CLADE_REQUIRE(p->feed <= CLADE_ADHEAP_FEED_SELECT, CLADE_E_ARG, "the way to feed %u is unknown",
                  p->feed);
    CLADE_REQUIRE(p->feed != CLADE_ADHEAP_FEED_SELECT || p->key <= CLADE_F32, CLADE_E_UNSUPPORTED,
                  "selection takes keys of 32 bits, not the type %u", p->key);
fail:
    return status;
}

static clade_adheap_head make_head(const clade_adheap_params *p)
{
    return (clade_adheap_head) {
        .heaps = p->heaps,
        .arity = p->arity,
        .capacity = p->capacity,
        .stride = (CLADE_ADHEAP_ROOT + p->capacity + 63) / 64 * 64,
        .key_type = p->key,
        .order = p->order,
        .keep = p->keep,
        .values = p->values,
        .patience = p->patience ? p->patience : 1u << 30,
    };
}

void cladei_adheap_options(struct cladei_text *options, const clade_adheap *a)
{
    const clade_adheap_params *p = &a->params;
    cladei_text_printf(options, "-DCLADE_ADHEAP_ARITY=%u -DCLADE_ADHEAP_KEY=%u", p->arity, p->key);
    cladei_text_printf(options, " -DCLADE_ADHEAP_ORDER=%u -DCLADE_ADHEAP_KEEP=%u", p->order,
                       p->keep);
    cladei_text_printf(options, " -DCLADE_ADHEAP_VALUES=%u -DCLADE_ADHEAP_COUNT=%u", p->values,
                       p->count);
    cladei_text_printf(options, " -DCLADE_ADHEAP_BRIDGE_MODE=%u",
                       p->bridge ? p->bridge : CLADE_ADHEAP_BRIDGE_REGISTERS);
}

static clade_status make_kernels(clade_adheap *a, clade_context *context)
{
    clade_status status = CLADE_OK;
    struct cladei_text options = { 0 };
    cladei_adheap_options(&options, a);
    CLADE_REQUIRE(!options.failed, CLADE_E_NOMEM, "host memory is out");
    snprintf(a->options, sizeof a->options, "%s", options.data);
    return cladei_kernels_build_with(a->kernels, &kind.kernels, context, &options);

fail:
    cladei_text_free(&options);
    return status;
}

/* How kernels are launched: a sub-group a heap, but groups of one item on CPUs. */
static void choose_groups(clade_adheap *a, const clade_caps *caps)
{
    const uint32_t heaps = a->params.heaps, lanes = caps->subgroup_size ? caps->subgroup_size : 1;
    const uint32_t most = caps->compute_units * (caps->is_cpu ? 16 : 1024);
    a->group = caps->is_cpu ? 1 : lanes > 1 ? 4 * lanes : 32;
    if (a->group > caps->group_size_max)
        a->group = caps->group_size_max / lanes * lanes;
    const uint32_t per_group = a->group / lanes;
    const uint32_t needed = (uint32_t)(((uint64_t)heaps + per_group - 1) / per_group);
    a->groups = needed < most ? needed : most;
    a->build_groups = heaps < most ? heaps : most;
    if (a->params.bridge == CLADE_ADHEAP_BRIDGE_HOST) {
        /* Never more threads that wait for one another than there are: the host's is one. */
        const uint32_t others = caps->compute_units > 1 ? caps->compute_units - 1 : 1;
        a->groups = a->groups < others ? a->groups : others;
        a->group = 1;
    }
}

clade_status cladei_adheap_plan(clade_adheap *a, const clade_context *context,
                                const clade_adheap_params *params)
{
    clade_status status = CLADE_OK;
    a->params = *params;
    if (a->params.key == 0)
        a->params.key = CLADE_I32;
    if (a->params.arity == 0)
        a->params.arity = context->caps.is_cpu ? 8 : 32;
    CLADE_TRY(check_params(&a->params));
    a->head = make_head(&a->params);
    choose_groups(a, &context->caps);
    a->object.kind = CLADE_ADHEAP_KIND;
    a->object.shape =
        CLADE_ADHEAP_SHAPE(a->head.arity, a->head.key_type, a->head.order, a->head.keep,
                           a->head.values, a->params.bridge == CLADE_ADHEAP_BRIDGE_HOST);
    const uint64_t words = (uint64_t)a->head.heaps * a->head.stride; /* below 2^63 */
    CLADE_REQUIRE(words <= UINT64_MAX / 16, CLADE_E_ARG,
                  "%u heaps of %u keys are above the limit of any buffer", a->head.heaps,
                  a->head.capacity);
    a->object.bytes = sizeof a->head + words * (cladei_adheap_key_bytes(a) + 4 * a->head.values);
    if (a->params.bridge == CLADE_ADHEAP_BRIDGE_HOST) {
        const uint64_t line = CLADE_ADHEAP_WIDTH * 4, lines = (a->object.bytes + line - 1) / line;
        CLADE_REQUIRE(lines <= UINT32_MAX, CLADE_E_ARG,
                      "%u heaps of %u keys are above the limit of a HOST bridge", a->head.heaps,
                      a->head.capacity);
        a->head.calls = (clade_u32)lines;
        a->head.slots = a->groups;
        a->object.bytes = lines * line + (uint64_t)a->groups * CLADE_ADHEAP_SLOT_WORDS * 4;
    }
fail:
    return status;
}

/* The buffer: memory that the host shares with a HOST bridge, else the device's. */
static clade_status make_object(clade_adheap *a, clade_context *context)
{
    clade_status status = CLADE_OK;
    const uint64_t bytes = a->object.bytes;
    if (a->params.bridge == CLADE_ADHEAP_BRIDGE_HOST) {
        a->object.context = context;
        CLADE_TRY(cladei_adheap_host_make(a, bytes));
    } else {
        CLADE_TRY(cladei_object_create(&a->object, context, CLADE_ADHEAP_KIND, a->object.shape,
                                       bytes, "the ad-heap"));
    }
    CLADE_TRY(cladei_object_write(&a->object, sizeof a->head.object, &a->head.heaps,
                                  sizeof a->head - sizeof a->head.object));
fail:
    return status;
}

clade_status clade_adheap_create(clade_adheap **out, clade_context *context,
                                 const clade_adheap_params *params)
{
    clade_status status = CLADE_OK;
    clade_adheap *a = NULL;
    CLADEI_CREATION(out, context, params, clade_adheap_params, kind.name);
    a = calloc(1, sizeof *a);
    CLADE_NO_MEMORY(a);
    CLADE_TRY(cladei_adheap_plan(a, context, params));
    CLADE_TRY(make_object(a, context));
    CLADE_TRY(make_kernels(a, context));
    cladei_adheap_feed_plan(a);
    CLADE_TRY(clade_adheap_clear(a, NULL));
    CLADE_TRY(clade_finish(context)); /* its first call may be in any queue */
    *out = a;
    a = NULL;
fail:
    clade_adheap_destroy(&a);
    return status;
}

void clade_adheap_destroy(clade_adheap **adheap)
{
    if (!adheap || !*adheap)
        return;
    cladei_kernels_release((*adheap)->kernels, ADHEAP_KERNELS);
    cladei_kernels_release((*adheap)->select, 2);
    cladei_scratch_drop(&(*adheap)->picked);
    cladei_adheap_host_destroy(*adheap);
    cladei_object_destroy(&(*adheap)->object);
    free(*adheap);
    *adheap = NULL;
}

cl_mem clade_adheap_mem(const clade_adheap *adheap)
{
    return adheap ? adheap->object.mem : NULL;
}

const char *clade_adheap_options(const clade_adheap *adheap)
{
    return adheap ? adheap->options : NULL;
}

/* --- operations ----------------------------------------------------------------------------- */

/* Items of a group that have a path of their own, with any bridge but a DUMP or the HOST; and
 * iterations that selection takes beside those for a heap's nodes. */
enum { GROUP_FEW = 32, SELECT_MOST = 4096 };

/* How many heaps one item or group looks after. */
static uint64_t turns_of(const clade_adheap *a, uint64_t at_once)
{
    return (a->head.heaps + at_once - 1) / at_once;
}

/* llvmpipe ends an item's loops after some 65,000 iterations without a word. It counts what any item
 * of a vector does: in an update, and in a feed, some keys rise while others sink. And it counts the
 * look that ends a loop, once more with each loop inside. So a level takes its children, and four
 * looks: up, down, at the children's end, and back. */
static clade_status check_loops(const clade_adheap *a, uint64_t each)
{
    clade_status status = CLADE_OK;
    const uint64_t limit = a->object.context->caps.loop_limit, arity = a->head.arity;
    uint64_t levels = 1, loops;
    for (uint64_t nodes = 1; nodes < a->head.capacity; nodes = nodes * arity + 1)
        levels++;
    loops = (levels * (arity + 4) + 4) * turns_of(a, (uint64_t)a->groups * a->group);
    CLADE_REQUIRE(limit == 0 || each * loops <= limit, CLADE_E_UNSUPPORTED,
                  "%" PRIu64 " operations a heap need longer loops than the device runs; %" PRIu64
                  " do not",
                  each, limit / loops);
fail:
    return status;
}

/* The same for what groups do to `keys` keys of each heap: a merge may look at all nodes of a level
 * and at all of their parents' children, and selection makes a heap of all keys. No node costs six
 * iterations of the items that sink nodes, of which there is one with a dump. */
bool cladei_adheap_group_fits(const clade_adheap *a, uint32_t groups, uint32_t group, uint64_t keys)
{
    const uint64_t limit = a->object.context->caps.loop_limit;
    const bool is_alone = a->params.bridge == CLADE_ADHEAP_BRIDGE_DUMP;
    const uint64_t items = is_alone ? 1 : group < GROUP_FEW ? group : GROUP_FEW;
    return limit == 0 || (6 * keys / items + SELECT_MOST) * turns_of(a, groups) <= limit;
}

/* With a HOST bridge every call blocks: the memory is not the driver's to keep until a queue has
 * come to its end, and the host looks into it between calls. */
static clade_status open_call(struct cladei_call *call, clade_adheap *a, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_adheap_is_ours(a));
    call->has_nulls = true;
    CLADE_TRY(cladei_call_open(call, &kind, &a->object, launch));
    call->run.blocking |= a->shared != NULL;
fail:
    return status;
}

clade_status cladei_adheap_call_open(struct cladei_adheap_call *call, clade_adheap *a,
                                     clade_array keys, clade_array values, clade_array statuses,
                                     uint32_t each, enum cladei_direction direction,
                                     const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_row *rows = call->arrays.rows;
    CLADE_REQUIRE(a, CLADE_E_ARG, "the ad-heap is NULL");
    /* Groups go through a heap's stretch in steps, in 32 bits. */
    CLADE_REQUIRE(each <= 1u << 31, CLADE_E_ARG, "%u keys a heap are too many; the limit is %u",
                  each, 1u << 31);
    const uint64_t count = (uint64_t)a->params.heaps * each;
    const bool has_values = cladei_is_given(values);
    CLADE_REQUIRE(cladei_is_given(keys) || count == 0, CLADE_E_ARG, "keys are not given");
    CLADE_REQUIRE(has_values == (a->params.values == 1) || count == 0, CLADE_E_ARG,
                  "values are %s, but the ad-heap was made %s them",
                  has_values ? "given" : "not given", has_values ? "without" : "for");
    CLADE_TRY(check_loops(a, each));
    call->each = each;
    call->arrays.count = count;
    rows[ROW_KEYS] = (struct cladei_row) { "keys", keys, .bytes = cladei_adheap_key_bytes(a),
                                           .direction = direction };
    rows[ROW_VALUES] = (struct cladei_row) { "values", values, .bytes = 4, .direction = direction };
    rows[ROW_STATUSES] =
        (struct cladei_row) { "statuses", statuses, .bytes = 4, .direction = CLADEI_OUT };
    CLADE_TRY(open_call(&call->arrays, a, launch));
fail:
    return status;
}

void cladei_adheap_call_close(struct cladei_adheap_call *call, clade_status status)
{
    /* What was enqueued may use memory of the host's; a call that only enqueues waits for nothing.
     */
    if (status != CLADE_OK && call->arrays.run.is_started && call->arrays.run.blocking)
        cladei_queue_settle(call->arrays.run.context, call->arrays.run.queue);
    cladei_call_close(&call->arrays);
}

clade_status cladei_adheap_call_finish(struct cladei_adheap_call *call)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_call_read(&call->arrays));
    CLADE_REQUIRE(!call->cut, CLADE_E_BUSY,
                  "the host stopped in the middle of a call, and a heap was refused since: "
                  "clade_adheap_repair() replays its log");
    CLADE_TRY(cladei_run_end(&call->arrays.run));
fail:
    return status;
}

clade_status cladei_adheap_launch(clade_adheap *a, struct cladei_adheap_call *call,
                                  cl_kernel kernel, size_t groups, size_t group)
{
    clade_status status = CLADE_OK;
    struct cladei_run *run = &call->arrays.run;
    cl_event end = NULL;
    bool cut = false;
    if (call->each == 0)
        return CLADE_OK;
    if (a->shared) { /* such a call blocks in any case, and the host writes only when it is its turn
                      */
        CLADE_TRY(cladei_run_start(run));
        CLADE_TRY(cladei_queue_finish(run->context, run->queue));
        cladei_adheap_expect(a);
    }
    CLADE_TRY(cladei_run_kernel(run, kernel, groups, group));
    if (a->shared) {
        CLADE_CL(clEnqueueMarkerWithWaitList(run->queue, 0, NULL, &end));
        CLADE_CL(clFlush(run->queue));
        CLADE_TRY(cladei_adheap_serve(a, end));
        CLADE_TRY(cladei_adheap_take_cut(a, run, &cut));
        call->cut |= cut; /* a call may have two launches */
    }
fail:
    if (end)
        clReleaseEvent(end);
    return status;
}

static clade_status launch_heaps(clade_adheap *a, struct cladei_adheap_call *call, int kernel)
{
    return cladei_adheap_launch(a, call, a->kernels[kernel], a->groups, a->group);
}

clade_status clade_adheap_insert(clade_adheap *a, clade_array keys, clade_array values,
                                 uint32_t each, clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_adheap_call call = { 0 };
    CLADE_TRY(cladei_adheap_call_open(&call, a, keys, values, statuses, each, CLADEI_IN, launch));
    CLADE_TRY(CLADEI_SET_ARGS(a->kernels[ADHEAP_INSERT], CLADEI_ARG(a->object.mem),
                              CLADEI_ROW(&call.arrays, ROW_KEYS),
                              CLADEI_ROW(&call.arrays, ROW_VALUES),
                              CLADEI_ROW(&call.arrays, ROW_STATUSES), CLADEI_ARG(call.each)));
    CLADE_TRY(launch_heaps(a, &call, ADHEAP_INSERT));
    CLADE_TRY(cladei_adheap_call_finish(&call));
fail:
    cladei_adheap_call_close(&call, status);
    return status;
}

static clade_status pop_or_peek(clade_adheap *a, clade_array keys, clade_array values,
                                clade_array statuses, uint32_t each, cl_uint peek,
                                const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_adheap_call call = { 0 };
    CLADE_TRY(cladei_adheap_call_open(&call, a, keys, values, statuses, each, CLADEI_OUT, launch));
    CLADE_TRY(CLADEI_SET_ARGS(
        a->kernels[ADHEAP_POP], CLADEI_ARG(a->object.mem), CLADEI_ROW(&call.arrays, ROW_KEYS),
        CLADEI_ROW(&call.arrays, ROW_VALUES), CLADEI_ROW(&call.arrays, ROW_STATUSES),
        CLADEI_ARG(call.each), CLADEI_ARG(peek)));
    CLADE_TRY(launch_heaps(a, &call, ADHEAP_POP));
    CLADE_TRY(cladei_adheap_call_finish(&call));
fail:
    cladei_adheap_call_close(&call, status);
    return status;
}

clade_status clade_adheap_pop(clade_adheap *a, clade_array keys, clade_array values, uint32_t each,
                              clade_array statuses, const clade_launch *launch)
{
    return pop_or_peek(a, keys, values, statuses, each, 0, launch);
}

clade_status clade_adheap_peek(clade_adheap *a, clade_array keys, clade_array values,
                               clade_array statuses, const clade_launch *launch)
{
    return pop_or_peek(a, keys, values, statuses, 1, 1, launch);
}

clade_status clade_adheap_update(clade_adheap *a, clade_array nodes, clade_array keys,
                                 clade_array values, uint32_t each, clade_array statuses,
                                 const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_adheap_call call = {
        .arrays.rows = { [ROW_MORE] = { "nodes", nodes, .bytes = 4 } },
    };
    CLADE_REQUIRE(cladei_is_given(nodes) || each == 0, CLADE_E_ARG, "nodes are not given");
    CLADE_TRY(cladei_adheap_call_open(&call, a, keys, values, statuses, each, CLADEI_IN, launch));
    CLADE_TRY(CLADEI_SET_ARGS(
        a->kernels[ADHEAP_UPDATE], CLADEI_ARG(a->object.mem), CLADEI_ROW(&call.arrays, ROW_MORE),
        CLADEI_ROW(&call.arrays, ROW_KEYS), CLADEI_ROW(&call.arrays, ROW_VALUES),
        CLADEI_ROW(&call.arrays, ROW_STATUSES), CLADEI_ARG(call.each)));
    CLADE_TRY(launch_heaps(a, &call, ADHEAP_UPDATE));
    CLADE_TRY(cladei_adheap_call_finish(&call));
fail:
    cladei_adheap_call_close(&call, status);
    return status;
}

clade_status clade_adheap_build(clade_adheap *a, clade_array keys, clade_array values,
                                uint32_t each, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_adheap_call call = { 0 };
    CLADE_TRY(
        cladei_adheap_call_open(&call, a, keys, values, clade_no_array(), each, CLADEI_IN, launch));
    CLADE_REQUIRE(each <= a->params.capacity, CLADE_E_ARG,
                  "%u keys do not fit into heaps of capacity %u", each, a->params.capacity);
    CLADE_REQUIRE(a->params.bridge != CLADE_ADHEAP_BRIDGE_DUMP ||
                      cladei_adheap_group_fits(a, a->build_groups, a->group, each),
                  CLADE_E_UNSUPPORTED,
                  "%u heaps of %u keys need longer loops, with a DUMP bridge, than the device runs",
                  a->params.heaps, each);
    CLADE_TRY(CLADEI_SET_ARGS(a->kernels[ADHEAP_BUILD], CLADEI_ARG(a->object.mem),
                              CLADEI_ROW(&call.arrays, ROW_KEYS),
                              CLADEI_ROW(&call.arrays, ROW_VALUES), CLADEI_ARG(call.each)));
    /* With no keys, too: the heaps become empty. */
    CLADE_TRY(
        cladei_run_kernel(&call.arrays.run, a->kernels[ADHEAP_BUILD], a->build_groups, a->group));
    CLADE_TRY(cladei_adheap_call_finish(&call));
fail:
    cladei_adheap_call_close(&call, status);
    return status;
}

clade_status clade_adheap_sizes(clade_adheap *a, clade_array sizes, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = { .count = a ? a->params.heaps : 0,
                                .rows = {
                                    { "sizes", sizes, .bytes = 4, .direction = CLADEI_OUT } } };
    CLADE_REQUIRE(a && cladei_is_given(sizes), CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(open_call(&call, a, launch));
    CLADE_TRY(
        CLADEI_SET_ARGS(a->kernels[ADHEAP_SIZES], CLADEI_ARG(a->object.mem), CLADEI_ROW(&call, 0)));
    CLADE_TRY(cladei_run_kernel(&call.run, a->kernels[ADHEAP_SIZES], a->groups, a->group));
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_adheap_clear(clade_adheap *a, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = { 0 };
    CLADE_REQUIRE(a, CLADE_E_ARG, "the ad-heap is NULL");
    CLADE_TRY(open_call(&call, a, launch));
    CLADE_TRY(CLADEI_SET_ARGS(a->kernels[ADHEAP_CLEAR], CLADEI_ARG(a->object.mem)));
    CLADE_TRY(cladei_run_kernel(&call.run, a->kernels[ADHEAP_CLEAR], a->groups, a->group));
    CLADE_TRY(cladei_run_end(&call.run));
fail:
    return status;
}
