/* SPDX-License-Identifier: Apache-2.0 */
/* The queue on the host: its life, calls over arrays, the invariants of docs/inside/queue.md,
 * files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "object/call.h"
#include "object/saved.h"
#include "queue/queue.h"

enum queue_kernel { CLEAR, APPEND_LOOK, APPEND_FILL, POP_LOOK, POP_TAKE, KERNELS };

struct clade_queue {
    struct cladei_object object;
    clade_queue_head layout;
    uint64_t slots;
    cl_kernel kernels[KERNELS];
    size_t group;
    cl_uint turn; /* number of the last append, from 1 */
};

static clade_status refused(const struct cladei_object *object, clade_status error, clade_u32 item)
{
    clade_status status = CLADE_OK;
    const clade_queue *queue = (const clade_queue *)object;
    CLADE_REQUIRE(error != CLADE_E_FULL, error, "no room from item %u on: the capacity is %" PRIu64,
                  item, queue->slots);
    CLADE_REQUIRE(error != CLADE_E_ARG, error, "the value of item %u is above %u", item,
                  CLADE_QUEUE_VALUE_MAX);
fail:
    return status;
}

static const char *const kernel_names[KERNELS] = {
    "clade_queue_clear",    "clade_queue_append_look", "clade_queue_append_fill",
    "clade_queue_pop_look", "clade_queue_pop_take",
};
static const struct cladei_kind kind = {
    CLADE_QUEUE_KIND, "the queue", { "kernels/queue.cl", kernel_names, KERNELS }, refused
};

/* --- create and destroy ---------------------------------------------------------------------- */

static uint64_t bytes_of(uint32_t shift)
{
    return sizeof(clade_queue_head) + ((uint64_t)4 << shift);
}

static clade_status make(clade_queue **out, clade_context *context, uint32_t shift)
{
    clade_status status = CLADE_OK;
    clade_queue *queue = calloc(1, sizeof *queue);
    CLADE_NO_MEMORY(queue);
    queue->layout.shift = shift;
    queue->slots = (uint64_t)1 << shift;
    queue->group = context->caps.group_size_max < 64 ? context->caps.group_size_max : 64;
    CLADE_TRY(cladei_object_create(&queue->object, context, kind.number, CLADE_QUEUE_SHAPE,
                                   bytes_of(shift), kind.name));
    CLADE_TRY(cladei_kernels_build(queue->kernels, &kind.kernels, context, ""));
    CLADE_TRY(cladei_object_write_own(&queue->object, &queue->layout, sizeof queue->layout));
    *out = queue;
    return CLADE_OK;

fail:
    clade_queue_destroy(&queue);
    return status;
}

clade_status clade_queue_create(clade_queue **out, clade_context *context,
                                const clade_queue_params *params)
{
    clade_status status = CLADE_OK;
    clade_queue *queue = NULL;
    uint32_t shift = 1;
    CLADEI_CREATION(out, context, params, clade_queue_params, kind.name);
    CLADE_REQUIRE(params->capacity >= 2 && params->capacity <= CLADE_QUEUE_CAPACITY_MAX,
                  CLADE_E_ARG, "capacity is %" PRIu64 "; it goes from 2 to %u", params->capacity,
                  CLADE_QUEUE_CAPACITY_MAX);
    while ((uint64_t)1 << shift < params->capacity)
        shift++;
    CLADE_TRY(make(&queue, context, shift));
    CLADE_TRY(clade_queue_clear(queue, NULL));
    CLADE_TRY(clade_finish(context)); /* its first call may be in any queue */
    *out = queue;
    return CLADE_OK;

fail:
    clade_queue_destroy(&queue);
    return status;
}

void clade_queue_destroy(clade_queue **queue)
{
    if (!queue || !*queue)
        return;
    clade_queue *it = *queue;
    cladei_object_close(&it->object, NULL, it->kernels, KERNELS);
    free(it);
    *queue = NULL;
}

cl_mem clade_queue_mem(const clade_queue *queue)
{
    return queue ? queue->object.mem : NULL;
}

/* --- calls ------------------------------------------------------------------------------------ */

static clade_status launch(clade_queue *queue, struct cladei_run *run, enum queue_kernel which,
                           uint64_t items)
{
    return cladei_run_items(run, queue->kernels[which], items, queue->group);
}

clade_status clade_queue_clear(clade_queue *queue, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(queue, CLADE_E_ARG, "the queue is NULL");
    CLADE_TRY(cladei_run_begin(&run, queue->object.context, launch_or_null));
    CLADE_TRY(CLADEI_SET_ARGS(queue->kernels[CLEAR], CLADEI_ARG(queue->object.mem)));
    CLADE_TRY(launch(queue, &run, CLEAR, queue->slots));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

enum { VALUES, TOLD };

static clade_status enqueue_append(clade_queue *queue, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_object_next_turn(&queue->object, &call->run,
                                      offsetof(clade_queue_head, too_large), &queue->turn));
    CLADE_TRY(CLADEI_SET_ARGS(queue->kernels[APPEND_LOOK], CLADEI_ARG(queue->object.mem),
                              CLADEI_ARG(queue->turn), CLADEI_ROW(call, VALUES),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(launch(queue, &call->run, APPEND_LOOK, call->count));
    CLADE_TRY(CLADEI_SET_ARGS(queue->kernels[APPEND_FILL], CLADEI_ARG(queue->object.mem),
                              CLADEI_ARG(queue->turn), CLADEI_ARG(call->given),
                              CLADEI_ROW(call, VALUES), CLADEI_ROW(call, TOLD),
                              CLADEI_ARG(call->count)));
    CLADE_TRY(launch(queue, &call->run, APPEND_FILL, call->count));
fail:
    return status;
}

clade_status clade_queue_append(clade_queue *queue, clade_array values, uint64_t count,
                                clade_array statuses, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = {
        .count = count,
        .most = UINT32_MAX,
        .tells = true,
        .rows = { [VALUES] = { "values", values, 4, CLADEI_IN, .need = "of values" },
                  [TOLD] = { "statuses", statuses, 4, CLADEI_OUT, .bit = 1 } },
    };
    CLADE_REQUIRE(queue, CLADE_E_ARG, "the queue is NULL");
    CLADE_TRY(cladei_call_open(&call, &kind, &queue->object, launch_or_null));
    if (count > 0)
        CLADE_TRY(enqueue_append(queue, &call));
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_queue_pop(clade_queue *queue, clade_array values, uint64_t count,
                             clade_array got, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    const uint64_t items = count ? count : 1;
    struct cladei_call call = {
        .count = count,
        .rows = { [VALUES] = { "values", values, 4, CLADEI_INOUT, .need = "for the values" },
                  [TOLD] = { "got", got, 8, CLADEI_OUT, .bit = 1, .count = 1 } },
    };
    CLADE_REQUIRE(queue, CLADE_E_ARG, "the queue is NULL");
    CLADE_TRY(cladei_call_open(&call, &kind, &queue->object, launch_or_null));
    CLADE_TRY(CLADEI_SET_ARGS(queue->kernels[POP_LOOK], CLADEI_ARG(queue->object.mem),
                              CLADEI_ROW(&call, VALUES), CLADEI_ARG(call.count)));
    CLADE_TRY(launch(queue, &call.run, POP_LOOK, items));
    CLADE_TRY(CLADEI_SET_ARGS(queue->kernels[POP_TAKE], CLADEI_ARG(queue->object.mem),
                              CLADEI_ARG(call.given), CLADEI_ROW(&call, TOLD)));
    CLADE_TRY(launch(queue, &call.run, POP_TAKE, items));
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_queue_size(clade_queue *queue, uint64_t *size)
{
    clade_status status = CLADE_OK;
    clade_queue_head head;
    CLADE_REQUIRE(queue && size, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_kind_told(&kind, &queue->object, NULL));
    CLADE_TRY(cladei_object_read(&queue->object, 0, &head, sizeof head));
    *size = (uint32_t)(head.tail - head.head);
fail:
    return status;
}

/* --- check and files ------------------------------------------------------------------------- */

clade_status cladei_queue_verify(const uint32_t *words, uint32_t shift)
{
    clade_status status = CLADE_OK;
    const clade_queue_head *head = (const clade_queue_head *)words;
    const uint32_t *values = words + sizeof *head / sizeof *words;
    const uint32_t slots = 1u << shift, size = head->tail - head->head;
    CLADE_REQUIRE(head->shift == shift && size <= slots, CLADE_E_CORRUPT,
                  "I1: head is %u and tail is %u, of %u slots", head->head, head->tail, slots);
    for (uint32_t i = 0; i < slots; i++) {
        const uint32_t p = head->head + i, word = values[p & (slots - 1)];
        const uint32_t odd = p >> shift & 1 ? CLADE_QUEUE_ODD : 0;
        CLADE_REQUIRE(i >= size || (word & (CLADE_QUEUE_EMPTY | CLADE_QUEUE_ODD)) == odd,
                      CLADE_E_CORRUPT, "I2: position %u should hold a value, its slot is %#x", p,
                      word);
        CLADE_REQUIRE(i < size || word == (CLADE_QUEUE_EMPTY | p >> shift), CLADE_E_CORRUPT,
                      "I3: position %u should be empty, its slot is %#x", p, word);
    }
fail:
    return status;
}

clade_status clade_queue_check(clade_queue *queue)
{
    clade_status status = CLADE_OK;
    uint32_t *words = NULL;
    CLADE_REQUIRE(queue, CLADE_E_ARG, "the queue is NULL");
    CLADE_TRY(clade_finish(queue->object.context));
    words = malloc((size_t)queue->object.bytes);
    CLADE_NO_MEMORY(words);
    CLADE_TRY(cladei_object_read(&queue->object, 0, words, (size_t)queue->object.bytes));
    CLADE_TRY(cladei_queue_verify(words, queue->layout.shift));
fail:
    free(words);
    return status;
}

clade_status clade_queue_save(clade_queue *queue, const char *path)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(queue && path, CLADE_E_ARG, "an argument is NULL");
    const uint64_t params = queue->layout.shift;
    CLADE_TRY(clade_finish(queue->object.context));
    CLADE_TRY(
        cladei_object_save(&queue->object, path, &params, sizeof params, queue->object.bytes));
fail:
    return status;
}

clade_status clade_queue_load(clade_queue **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    clade_queue *queue = NULL;
    uint64_t params;
    CLADEI_PLACE(out, kind.name);
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_saved_open(&saved, context, path, CLADE_QUEUE_KIND, sizeof params));
    memcpy(&params, saved.params, sizeof params);
    CLADE_REQUIRE(params >= 1 && params <= 28, CLADE_E_CORRUPT, "%s: the queue's size is wrong",
                  path);
    CLADE_TRY(cladei_saved_fits(&saved, bytes_of((uint32_t)params), path));
    CLADE_TRY(cladei_queue_verify(saved.payload, (uint32_t)params));
    CLADE_TRY(make(&queue, context, (uint32_t)params));
    CLADE_TRY(cladei_saved_restore(&saved, &queue->object, path));
    memcpy(&queue->turn, (const char *)saved.payload + offsetof(clade_queue_head, too_large),
           sizeof queue->turn);
    *out = queue;
    queue = NULL;
fail:
    clade_queue_destroy(&queue);
    cladei_saved_close(&saved);
    return status;
}
