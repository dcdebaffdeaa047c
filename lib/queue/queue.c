/* SPDX-License-Identifier: Apache-2.0 */
/* The queue on the host: its life, calls over arrays, the invariants of docs/inside/queue.md,
 * files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "object/launch.h"
#include "object/object.h"
#include "object/saved.h"
#include "program/program.h"
#include "queue/queue.h"
#include "base/reserved.h"

enum queue_kernel { CLEAR, APPEND_LOOK, APPEND_FILL, POP_LOOK, POP_TAKE, KERNELS };

struct clade_queue {
    struct cladei_object object;
    clade_queue_head layout;
    uint64_t slots;
    clade_program *program;
    cl_kernel kernels[KERNELS];
    size_t group;
    cl_uint turn; /* number of the last append, from 1 */
};

/* --- create and destroy ---------------------------------------------------------------------- */

static clade_status build(clade_queue *queue, clade_context *context)
{
    static const char *const names[KERNELS] = {
        "clade_queue_clear",    "clade_queue_append_look", "clade_queue_append_fill",
        "clade_queue_pop_look", "clade_queue_pop_take",
    };
    clade_status status = CLADE_OK;
    queue->group = context->caps.group_size_max < 64 ? context->caps.group_size_max : 64;
    CLADE_TRY(cladei_program_build_own(&queue->program, context, "kernels/queue.cl", ""));
    for (size_t i = 0; i < KERNELS; i++)
        CLADE_TRY(clade_program_kernel(&queue->kernels[i], queue->program, names[i]));
fail:
    return status;
}

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
    CLADE_TRY(cladei_object_create(&queue->object, context, CLADE_QUEUE_KIND, CLADE_QUEUE_SHAPE,
                                   bytes_of(shift), "the queue"));
    CLADE_TRY(build(queue, context));
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
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the queue is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && params, CLADE_E_ARG, "the context or the parameters are NULL");
    CLADE_TRY(CLADEI_RESERVED_CHECK(params, "clade_queue_params"));
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
    cladei_object_close(&it->object, &it->program, it->kernels, KERNELS);
    free(it);
    *queue = NULL;
}

cl_mem clade_queue_mem(const clade_queue *queue)
{
    return queue ? queue->object.mem : NULL;
}

/* --- calls ------------------------------------------------------------------------------------ */

static clade_status take_error(clade_queue *queue, struct cladei_run *run_or_null)
{
    clade_status status = CLADE_OK, error;
    clade_u32 item;
    CLADE_TRY(cladei_object_take_error(&queue->object, run_or_null, &error, &item));
    CLADE_REQUIRE(error != CLADE_E_FULL, error, "no room from item %u on: the capacity is %" PRIu64,
                  item, queue->slots);
    CLADE_REQUIRE(error != CLADE_E_ARG, error, "the value of item %u is above %u", item,
                  CLADE_QUEUE_VALUE_MAX);
    CLADE_REQUIRE(error == CLADE_OK, error, "item %u was refused: %s", item,
                  clade_status_name(error));
fail:
    return status;
}

static clade_status launch(clade_queue *queue, struct cladei_run *run, enum queue_kernel which,
                           uint64_t items)
{
    return cladei_run_kernel(run, queue->kernels[which],
                             (size_t)((items + queue->group - 1) / queue->group), queue->group);
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

static clade_status enqueue_append(clade_queue *queue, struct cladei_run *run,
                                   const struct cladei_view *values,
                                   const struct cladei_view *statuses, cl_ulong count)
{
    clade_status status = CLADE_OK;
    cl_mem mem = queue->object.mem, told = statuses->mem ? statuses->mem : mem;
    const cl_uint has_statuses = statuses->mem != NULL;
    CLADE_TRY(cladei_object_next_turn(&queue->object, run, offsetof(clade_queue_head, too_large),
                                      &queue->turn));
    const cl_uint turn = queue->turn;
    CLADE_TRY(CLADEI_SET_ARGS(queue->kernels[APPEND_LOOK], CLADEI_ARG(mem), CLADEI_ARG(turn),
                              CLADEI_ARG(values->mem), CLADEI_ARG(values->first),
                              CLADEI_ARG(count)));
    CLADE_TRY(launch(queue, run, APPEND_LOOK, count));
    CLADE_TRY(CLADEI_SET_ARGS(queue->kernels[APPEND_FILL], CLADEI_ARG(mem), CLADEI_ARG(turn),
                              CLADEI_ARG(has_statuses), CLADEI_ARG(values->mem),
                              CLADEI_ARG(values->first), CLADEI_ARG(told),
                              CLADEI_ARG(statuses->first), CLADEI_ARG(count)));
    CLADE_TRY(launch(queue, run, APPEND_FILL, count));
fail:
    return status;
}

clade_status clade_queue_append(clade_queue *queue, clade_array values, uint64_t count,
                                clade_array statuses, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_view from = { 0 }, told = { 0 };
    CLADE_REQUIRE(queue, CLADE_E_ARG, "the queue is NULL");
    CLADE_REQUIRE(count == 0 || cladei_is_given(values), CLADE_E_ARG,
                  "there is no array of values");
    CLADE_REQUIRE(count <= UINT32_MAX, CLADE_E_ARG, "the count is %" PRIu64 "; the most is %u",
                  count, UINT32_MAX);
    CLADE_TRY(cladei_run_begin(&run, queue->object.context, launch_or_null));
    CLADE_TRY(cladei_view_open(&from, &run, values, count, 4, CLADEI_IN, "values"));
    CLADE_TRY(cladei_view_open(&told, &run, statuses, count, 4, CLADEI_OUT, "statuses"));
    if (run.blocking)
        CLADE_TRY(take_error(queue, &run));
    if (count > 0)
        CLADE_TRY(enqueue_append(queue, &run, &from, &told, count));
    CLADE_TRY(cladei_view_finish(&told, &run));
    if (run.blocking)
        CLADE_TRY(take_error(queue, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&told);
    cladei_view_close(&from);
    return status;
}

clade_status clade_queue_pop(clade_queue *queue, clade_array values, uint64_t count,
                             clade_array got, const clade_launch *launch_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct cladei_view to = { 0 }, told = { 0 };
    CLADE_REQUIRE(queue, CLADE_E_ARG, "the queue is NULL");
    CLADE_REQUIRE(count == 0 || cladei_is_given(values), CLADE_E_ARG,
                  "there is no array for the values");
    CLADE_TRY(cladei_run_begin(&run, queue->object.context, launch_or_null));
    /* In, too: what is behind the last value stays as it was. */
    CLADE_TRY(cladei_view_open(&to, &run, values, count, 4, CLADEI_IN, "values"));
    to.host = values.host;
    CLADE_TRY(cladei_view_open(&told, &run, got, 1, 8, CLADEI_OUT, "got"));
    cl_mem mem = queue->object.mem, out = to.mem ? to.mem : mem, told_mem = told.mem;
    const cl_uint has_got = told.mem != NULL;
    const cl_ulong items = count;
    if (!told_mem)
        told_mem = mem;
    CLADE_TRY(CLADEI_SET_ARGS(queue->kernels[POP_LOOK], CLADEI_ARG(mem), CLADEI_ARG(out),
                              CLADEI_ARG(to.first), CLADEI_ARG(items)));
    CLADE_TRY(launch(queue, &run, POP_LOOK, count ? count : 1));
    CLADE_TRY(CLADEI_SET_ARGS(queue->kernels[POP_TAKE], CLADEI_ARG(mem), CLADEI_ARG(has_got),
                              CLADEI_ARG(told_mem), CLADEI_ARG(told.first)));
    CLADE_TRY(launch(queue, &run, POP_TAKE, count ? count : 1));
    CLADE_TRY(cladei_view_finish(&to, &run));
    CLADE_TRY(cladei_view_finish(&told, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    cladei_view_close(&told);
    cladei_view_close(&to);
    return status;
}

clade_status clade_queue_size(clade_queue *queue, uint64_t *size)
{
    clade_status status = CLADE_OK;
    clade_queue_head head;
    CLADE_REQUIRE(queue && size, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(take_error(queue, NULL));
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
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the queue is NULL");
    *out = NULL;
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
