/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map's calls over arrays, one key a work-item. */
#include <inttypes.h>

#include "base/error.h"
#include "clade/shared/busy.h"
#include "device/context.h"
#include "device/queue.h"
#include "hashmap/hashmap.h"

/* Items of one launch: their index is 32 bits. */
static const uint64_t launch_max = 1u << 30;

enum { ROW_KEYS, ROW_VALUES, ROW_STATUSES };

clade_status cladei_hashmap_run(clade_hashmap *map, struct cladei_run *run,
                                enum cladei_hashmap_kernel kernel, uint64_t items)
{
    const bool runs = map->object.context->caps.is_cpu && kernel < HM_READ;
    return cladei_run_items(run, map->kernels[kernel],
                            runs ? (items + CLADE_HASHMAP_RUN - 1) / CLADE_HASHMAP_RUN : items,
                            map->params.group_size);
}

static struct cladei_call call_of(const clade_hashmap *map, clade_array keys, clade_array values,
                                  enum cladei_direction values_direction, clade_array statuses,
                                  uint64_t count)
{
    return (struct cladei_call) {
        .count = count,
        .most = launch_max,
        .rows = {
            [ROW_KEYS] = { "keys", keys, map ? map->key_bytes : 0, .need = "of keys" },
            [ROW_VALUES] = { "values", values, map && map->value_bytes ? map->value_bytes : 4,
                             values_direction, .bit = CLADE_HASHMAP_GIVEN_VALUES },
            [ROW_STATUSES] = { "statuses", statuses, 4, CLADEI_OUT,
                               .bit = CLADE_HASHMAP_GIVEN_STATUSES },
        },
    };
}

static clade_status open_call(clade_hashmap *map, struct cladei_call *call,
                              const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(map, CLADE_E_ARG, "the map is NULL");
    CLADE_REQUIRE(map->value_bytes > 0 || !cladei_is_given(call->rows[ROW_VALUES].array),
                  CLADE_E_ARG, "the map has no values, but an array of values is given");
    CLADE_TRY(cladei_call_open(call, &cladei_hashmap_kind, &map->object, launch));
fail:
    return status;
}

/* A call that changes the map, and blocks, tells what it could not do. */
static clade_status finish_and_tell(clade_hashmap *map, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_call_read(call));
    if (call->run.blocking)
        CLADE_TRY(cladei_kind_told(&cladei_hashmap_kind, &map->object, &call->run));
    CLADE_TRY(cladei_run_end(&call->run));
fail:
    return status;
}

/* The keys one an item; then those that others were in the way of, by an item alone. */
static clade_status run_change(clade_hashmap *map, struct cladei_call *call,
                               enum cladei_hashmap_kernel kernel, cl_uint what)
{
    clade_status status = CLADE_OK;
    const cl_uint count = (cl_uint)call->count, zero = 0;
    CLADE_TRY(cladei_hashmap_need(map, kernel));
    CLADE_TRY(cladei_scratch_reserve(&map->scratch, map->object.context, 4 * CLADE_BUSY_WORDS));
    const cl_mem busy = map->scratch.mem;
    CLADE_TRY(cladei_run_start(&call->run));
    CLADE_TRY(cladei_queue_fill(call->run.queue, busy, &zero, sizeof zero, 0, 8));
    for (cl_uint again = 0; again < 2; again++) {
        CLADE_TRY(CLADEI_SET_ARGS(map->kernels[kernel], CLADEI_ARG(map->object.mem),
                                  CLADEI_ROW(call, ROW_KEYS), CLADEI_ROW(call, ROW_VALUES),
                                  CLADEI_ROW(call, ROW_STATUSES), CLADEI_ARG(count),
                                  CLADEI_ARG(call->given), CLADEI_ARG(again), CLADEI_ARG(busy)));
        if (kernel == HM_UPDATE)
            CLADE_CL(clSetKernelArg(map->kernels[kernel], 11, sizeof what, &what));
        if (again)
            CLADE_TRY(cladei_run_kernel(&call->run, map->kernels[kernel], 1, 1));
        else
            CLADE_TRY(cladei_hashmap_run(map, &call->run, kernel, count));
    }
fail:
    return status;
}

static clade_status change(clade_hashmap *map, struct cladei_call *call,
                           enum cladei_hashmap_kernel kernel, cl_uint what,
                           const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(open_call(map, call, launch));
    if (call->count > 0)
        CLADE_TRY(run_change(map, call, kernel, what));
    CLADE_TRY(finish_and_tell(map, call));
fail:
    cladei_call_close(call);
    return status;
}

clade_status clade_hashmap_insert(clade_hashmap *map, clade_array keys, clade_array values,
                                  uint64_t count, clade_array statuses, const clade_launch *launch)
{
    struct cladei_call call = call_of(map, keys, values, CLADEI_IN, statuses, count);
    return change(map, &call, HM_INSERT, 0, launch);
}

clade_status clade_hashmap_put(clade_hashmap *map, clade_array keys, clade_array values,
                               uint64_t count, clade_array statuses, const clade_launch *launch)
{
    struct cladei_call call = call_of(map, keys, values, CLADEI_IN, statuses, count);
    return change(map, &call, HM_PUT, 0, launch);
}

clade_status clade_hashmap_update(clade_hashmap *map, clade_array keys, clade_array operands,
                                  uint32_t what, uint64_t count, clade_array statuses,
                                  const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = call_of(map, keys, operands, CLADEI_IN, statuses, count);
    call.rows[ROW_VALUES].name = "operands";
    call.rows[ROW_VALUES].need = "of operands";
    CLADE_REQUIRE(what <= CLADE_HASHMAP_MAX, CLADE_E_ARG, "there is no update %u", what);
    CLADE_REQUIRE(!map || map->value_bytes > 0, CLADE_E_ARG, "the map has no values to update");
    CLADE_REQUIRE(!map || map->params.value != CLADE_F64 || map->object.context->caps.fp64,
                  CLADE_E_UNSUPPORTED, "the device does not compute with 64-bit floats");
    CLADE_TRY(change(map, &call, HM_UPDATE, what, launch));
fail:
    return status;
}

/* Values of keys that are not found stay what they were: they go in, too. */
clade_status clade_hashmap_erase(clade_hashmap *map, clade_array keys, clade_array values,
                                 uint64_t count, clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = call_of(map, keys, values, CLADEI_INOUT, statuses, count);
    CLADE_REQUIRE(!map || !map->params.no_erase, CLADE_E_UNSUPPORTED,
                  "the map was created with no_erase: keys stay in it");
    CLADE_TRY(change(map, &call, HM_ERASE, 0, launch));
fail:
    return status;
}

clade_status clade_hashmap_find(clade_hashmap *map, clade_array keys, clade_array values,
                                uint64_t count, clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = call_of(map, keys, values, CLADEI_INOUT, statuses, count);
    const cl_uint n = (cl_uint)count;
    CLADE_TRY(open_call(map, &call, launch));
    if (count > 0) {
        CLADE_TRY(cladei_hashmap_need(map, HM_FIND));
        CLADE_TRY(CLADEI_SET_ARGS(map->kernels[HM_FIND], CLADEI_ARG(map->object.mem),
                                  CLADEI_ROW(&call, ROW_KEYS), CLADEI_ROW(&call, ROW_VALUES),
                                  CLADEI_ROW(&call, ROW_STATUSES), CLADEI_ARG(n),
                                  CLADEI_ARG(call.given)));
        CLADE_TRY(cladei_hashmap_run(map, &call.run, HM_FIND, count));
    }
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

/* --- everything --------------------------------------------------------------------------------
 */

static clade_status run_read(clade_hashmap *map, struct cladei_call *call, cl_uint size)
{
    clade_status status = CLADE_OK;
    const cl_uint zero = 0;
    CLADE_TRY(cladei_hashmap_need(map, HM_READ));
    CLADE_TRY(cladei_scratch_reserve(&map->scratch, map->object.context, 4 * CLADE_BUSY_WORDS));
    CLADE_TRY(cladei_run_start(&call->run));
    CLADE_TRY(
        cladei_queue_fill(call->run.queue, map->scratch.mem, &zero, sizeof zero, 0, sizeof zero));
    CLADE_TRY(CLADEI_SET_ARGS(map->kernels[HM_READ], CLADEI_ARG(map->object.mem),
                              CLADEI_ROW(call, ROW_KEYS), CLADEI_ROW(call, ROW_VALUES),
                              CLADEI_ARG(call->given), CLADEI_ARG(size),
                              CLADEI_ARG(map->scratch.mem)));
    CLADE_TRY(cladei_hashmap_run(map, &call->run, HM_READ, cladei_hashmap_places(map)));
fail:
    return status;
}

clade_status clade_hashmap_read(clade_hashmap *map, clade_array keys, clade_array values,
                                uint64_t room, uint64_t *got, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = call_of(map, keys, values, CLADEI_OUT, clade_no_array(), room);
    uint64_t size = 0;
    call.most = 0;
    call.rows[ROW_STATUSES].name = NULL;
    call.rows[ROW_KEYS].need = NULL;
    call.rows[ROW_KEYS].direction = CLADEI_OUT;
    call.rows[ROW_KEYS].bit = CLADE_HASHMAP_GIVEN_KEYS;
    CLADE_REQUIRE(got, CLADE_E_ARG, "the place for the number of entries is NULL");
    CLADE_TRY(open_call(map, &call, launch));
    CLADE_TRY(cladei_hashmap_count(map, &call.run, &size));
    *got = size;
    CLADE_REQUIRE(size <= room || !call.given, CLADE_E_ARG,
                  "there is room for %" PRIu64 " entries; the map has %" PRIu64, room, size);
    if (size > 0 && call.given)
        CLADE_TRY(run_read(map, &call, (cl_uint)size));
    for (int row = ROW_KEYS; row <= ROW_VALUES; row++) /* the room beyond stays as it was */
        call.rows[row].view.bytes = (size_t)size * call.rows[row].bytes;
    call.run.blocking = true;
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}
