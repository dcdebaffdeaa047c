/* SPDX-License-Identifier: Apache-2.0 */
/* Ad-heap: k-sets that are fed, key by key or by selection, and merged with sorted batches. */
#include <stdlib.h>

#include "adheap/adheap.h"
#include "base/error.h"
#include "base/text.h"
#include "device/context.h"
#include "kselect/kselect.h"

/* A group a heap, or an item a heap on CPUs. */
static struct cladei_kselect_shape pick_shape(const clade_adheap *a)
{
    const uint32_t capacity = a->head.capacity, most = a->object.context->caps.group_size_max;
    uint32_t group = capacity <= 256 ? 128 : capacity <= 4096 ? 256 : 512;
    if (cladei_prefers_one_item(a->object.context))
        return (struct cladei_kselect_shape) { 1, 128, 10, 256, false };
    while (group > most)
        group /= 2;
    if (capacity <= 2048)
        return (struct cladei_kselect_shape) { group, 16, 8, 256, false };
    return (struct cladei_kselect_shape) { group, 16, 11, 1024, false };
}

/* Scratch memory of a group that selects: a heap's keys and values, or room for as many keys. */
static uint64_t pick_bytes(const clade_adheap *a)
{
    return (uint64_t)a->head.capacity * 2 * sizeof(cl_uint);
}

static bool may_select(const clade_adheap *a)
{
    const clade_adheap_params *p = &a->params;
    return p->feed == CLADE_ADHEAP_FEED_SELECT ||
           (p->feed == CLADE_ADHEAP_FEED_AUTO && p->keep && !cladei_adheap_is_wide(a) &&
            p->bridge != CLADE_ADHEAP_BRIDGE_HOST && p->capacity > 1 &&
            pick_bytes(a) <= a->object.context->caps.alloc_bytes_max);
}

void cladei_adheap_feed_plan(clade_adheap *a)
{
    if (!may_select(a))
        return;
    const uint64_t fit = a->object.context->caps.alloc_bytes_max / pick_bytes(a);
    a->pick_group = pick_shape(a).group;
    a->pick_groups = a->object.context->caps.compute_units * (a->pick_group == 1 ? 4 : 8);
    if (a->pick_groups > a->head.heaps)
        a->pick_groups = a->head.heaps;
    if (a->pick_groups > fit)
        a->pick_groups = fit ? (uint32_t)fit : 1;
    if (!cladei_adheap_group_fits(a, a->pick_groups, a->pick_group, a->head.capacity))
        a->pick_groups = 0;
}

enum { SIFT, PICK, SELECT_KERNELS };

static clade_status need_select(clade_adheap *a)
{
    static const char *const names[SELECT_KERNELS] = { "clade_adheap_sift", "clade_adheap_pick" };
    static const struct cladei_kernels kernels = { "kernels/adheap_select.cl", names,
                                                   SELECT_KERNELS };
    const struct cladei_kselect_shape shape = pick_shape(a);
    struct cladei_text options = { 0 };
    if (a->select[SIFT])
        return CLADE_OK;
    cladei_adheap_options(&options, a);
    cladei_text_printf(&options, " -DCLADE_KSELECT_GROUP=%u -DCLADE_KSELECT_ITEMS=%u", shape.group,
                       shape.items);
    cladei_text_printf(&options, " -DCLADE_KSELECT_DIGIT=%u -DCLADE_KSELECT_RANKED=%u", shape.digit,
                       shape.ranked);
    return cladei_kernels_build_with(a->select, &kernels, a->object.context, &options);
}

/* How many keys of a heap may sink before selection costs less. On a CPU selection looks at every
 * key once or twice, and a walk is taken to cost some fifteen looks (not measured). On a GPU all
 * heaps' walks run at once while selection shares the machine; the constants were chosen by hand
 * from one table of docs/figures/adheap.md. */
static cl_uint sift_limit(const clade_adheap *a, uint32_t each)
{
    const uint64_t keys = (uint64_t)a->head.capacity + each;
    if (a->params.feed == CLADE_ADHEAP_FEED_SELECT)
        return 0;
    if (a->object.context->caps.is_cpu)
        return (cl_uint)(keys / 16);
    const uint64_t limit = 50 + a->head.heaps * keys / 50000;
    return limit < each ? (cl_uint)limit : each;
}

static clade_status select_or_sift(clade_adheap *a, struct cladei_adheap_call *call,
                                   cl_uint has_values, cl_uint first, cl_uint sorted)
{
    clade_status status = CLADE_OK;
    const cl_uint limit = sift_limit(a, call->each);
    CLADE_TRY(need_select(a));
    CLADE_TRY(
        cladei_scratch_reserve(&a->picked, a->object.context, a->pick_groups * pick_bytes(a)));
    CLADE_TRY(CLADEI_SET_ARGS(
        a->select[SIFT], CLADEI_ARG(a->object.mem), CLADEI_ROW(&call->arrays, ROW_KEYS),
        CLADEI_ROW(&call->arrays, ROW_VALUES), CLADEI_ARG(call->each), CLADEI_ARG(has_values),
        CLADEI_ARG(first), CLADEI_ARG(sorted), CLADEI_ARG(limit)));
    CLADE_TRY(CLADEI_SET_ARGS(
        a->select[PICK], CLADEI_ARG(a->object.mem), CLADEI_ROW(&call->arrays, ROW_KEYS),
        CLADEI_ROW(&call->arrays, ROW_VALUES), CLADEI_ARG(call->each), CLADEI_ARG(has_values),
        CLADEI_ARG(first), CLADEI_ARG(a->picked.mem)));
    CLADE_TRY(cladei_adheap_launch(a, call, a->select[SIFT], a->groups, a->group));
    CLADE_TRY(cladei_adheap_launch(a, call, a->select[PICK], a->pick_groups, a->pick_group));
fail:
    return status;
}

static clade_status feed(clade_adheap *a, clade_array keys, clade_array values,
                         uint32_t first_value, uint32_t each, cl_uint sorted,
                         const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_adheap_call call = { 0 };
    const cl_uint has_values = cladei_is_given(values), first = first_value;
    cl_kernel kernel;
    CLADE_REQUIRE(a, CLADE_E_ARG, "the ad-heap is NULL");
    CLADE_REQUIRE(!has_values || a->params.values, CLADE_E_ARG,
                  "values are given, but the ad-heap was made without them");
    kernel = a->kernels[ADHEAP_FEED];
    /* The keys stand in for values that are counted: opened, never read. */
    CLADE_TRY(cladei_adheap_call_open(&call, a, keys,
                                      has_values         ? values
                                      : a->params.values ? keys
                                                         : clade_no_array(),
                                      clade_no_array(), each, CLADEI_IN, launch));
    if (a->pick_groups > 0 && each > 0 && (uint64_t)each + a->head.capacity <= 1u << 31) {
        CLADE_TRY(select_or_sift(a, &call, has_values, first, sorted));
    } else {
        CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(a->object.mem),
                                  CLADEI_ROW(&call.arrays, ROW_KEYS),
                                  CLADEI_ROW(&call.arrays, ROW_VALUES), CLADEI_ARG(call.each),
                                  CLADEI_ARG(has_values), CLADEI_ARG(first), CLADEI_ARG(sorted)));
        CLADE_TRY(cladei_adheap_launch(a, &call, kernel, a->groups, a->group));
    }
    CLADE_TRY(cladei_adheap_call_finish(&call));
fail:
    cladei_adheap_call_close(&call, status);
    return status;
}

clade_status clade_adheap_feed(clade_adheap *a, clade_array keys, clade_array values,
                               uint32_t first_value, uint32_t each, const clade_launch *launch)
{
    return feed(a, keys, values, first_value, each, 0, launch);
}

clade_status clade_adheap_merge(clade_adheap *a, clade_array keys, clade_array values,
                                uint32_t each, clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_adheap_call call = { 0 };
    const bool has_statuses = cladei_is_given(statuses);
    bool together;
    cl_kernel kernel;
    CLADE_REQUIRE(a, CLADE_E_ARG, "the ad-heap is NULL");
    CLADE_REQUIRE(!a->params.keep || !has_statuses, CLADE_E_ARG,
                  "statuses are given, but a k-set has none");
    CLADE_REQUIRE(!a->params.values || cladei_is_given(values) || each == 0, CLADE_E_ARG,
                  "values are not given, but the ad-heap was made for them");
    if (a->params.keep)
        return feed(a, keys, values, 0, each, 1, launch);
    CLADE_TRY(cladei_adheap_call_open(&call, a, keys, values, statuses, each, CLADEI_IN, launch));
    /* One by one they go to the same places or others, and are refused alike. */
    together = cladei_adheap_group_fits(a, a->build_groups, a->group, a->head.capacity);
    kernel = a->kernels[together ? ADHEAP_MERGE : ADHEAP_INSERT];
    CLADE_TRY(CLADEI_SET_ARGS(
        kernel, CLADEI_ARG(a->object.mem), CLADEI_ROW(&call.arrays, ROW_KEYS),
        CLADEI_ROW(&call.arrays, ROW_VALUES), CLADEI_ROW(&call.arrays, ROW_STATUSES),
        CLADEI_ARG(call.each)));
    CLADE_TRY(cladei_adheap_launch(a, &call, kernel, together ? a->build_groups : a->groups,
                                   a->group));
    CLADE_TRY(cladei_adheap_call_finish(&call));
fail:
    cladei_adheap_call_close(&call, status);
    return status;
}
