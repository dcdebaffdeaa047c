/* SPDX-License-Identifier: Apache-2.0 */
/* A batch of operations: to the ranks that own the keys, and the answers back. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clade/shared/types.h"
#include "mpi/batch.h"

uint64_t cladei_mpi_batch_most = 1 << 22;

/* One rank may have to answer the chunks of all: MPI counts that in ints. */
enum { ALL_MOST = 1 << 30 };

/* --- life ------------------------------------------------------------------------------------- */

clade_status cladei_mpi_batch_make(struct cladei_mpi_batch *batch, clade_mpi *mpi,
                                   clade_context *context, uint32_t key, uint32_t value)
{
    clade_status status = CLADE_OK;
    batch->mpi = mpi;
    batch->context = context;
    batch->key = key;
    batch->value = value;
    batch->flows = calloc(4 * (size_t)mpi->ranks, sizeof *batch->flows);
    CLADEM_NO_MEMORY(batch->flows);
    CLADEM_TRY(cladei_mpi_sorter_make(&batch->sorter, context, (uint32_t)mpi->ranks));
    CLADEM_TRY(cladei_mpi_wire_make(&batch->wire, mpi, context));
fail:
    return status;
}

static void free_arrived(struct cladei_mpi_batch *batch)
{
    cl_mem *const mems[] = { &batch->keys_in, &batch->values_in, &batch->statuses_in,
                             &batch->packed_in, &batch->found_in };
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++) {
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
        *mems[i] = NULL;
    }
}

void cladei_mpi_batch_free(struct cladei_mpi_batch *batch)
{
    cladei_mpi_wire_free(&batch->wire);
    cladei_mpi_sorter_free(&batch->sorter);
    free_arrived(batch);
    free(batch->numbers);
    free(batch->flows);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static struct cladei_mpi_chunk chunk_of(const struct cladei_mpi_batch *batch, uint64_t count,
                                        uint64_t number)
{
    const uint64_t first = number * batch->chunk, left = count > first ? count - first : 0;
    return (struct cladei_mpi_chunk) { first, left < batch->chunk ? left : batch->chunk };
}

/* Of chunk `number`: what goes, what comes, and what came before. */
static uint64_t *sent_of(const struct cladei_mpi_batch *batch, uint64_t number)
{
    return batch->numbers + number * (2 * (uint64_t)batch->mpi->ranks + 1);
}

static uint64_t *came_of(const struct cladei_mpi_batch *batch, uint64_t number)
{
    return sent_of(batch, number) + batch->mpi->ranks;
}

static uint64_t *before_of(const struct cladei_mpi_batch *batch, uint64_t number)
{
    return came_of(batch, number) + batch->mpi->ranks;
}

static clade_status reserve_numbers(struct cladei_mpi_batch *batch)
{
    clade_status status = CLADE_OK;
    const uint64_t wanted = batch->chunks * (2 * (uint64_t)batch->mpi->ranks + 1);
    if (wanted <= batch->numbers_room)
        return CLADE_OK;
    free(batch->numbers);
    batch->numbers_room = 0;
    batch->numbers = calloc((size_t)wanted, sizeof *batch->numbers);
    CLADEM_NO_MEMORY(batch->numbers);
    batch->numbers_room = wanted;
fail:
    return status;
}

/* `send` goes, where it begins follows; what comes is for the meeting. A rank without numbers has
 * failed, and sends nothing. */
static struct cladei_mpi_flow flow_of(struct cladei_mpi_batch *batch, const uint64_t *send)
{
    const size_t ranks = (size_t)batch->mpi->ranks;
    struct cladei_mpi_flow flow = { .send = batch->flows,
                                    .send_at = batch->flows + ranks,
                                    .receive = batch->flows + 2 * ranks,
                                    .receive_at = batch->flows + 3 * ranks };
    for (size_t r = 0; r < ranks; r++) {
        flow.send[r] = send ? send[r] : 0;
        flow.send_at[r] = flow.sends;
        flow.sends += flow.send[r];
    }
    return flow;
}

/* --- there ------------------------------------------------------------------------------------ */

clade_status cladei_mpi_batch_check(uint64_t count)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(count <= UINT32_MAX, CLADE_E_ARG,
                   "count is %" PRIu64 "; over ranks the most is %u", count, UINT32_MAX);
fail:
    return status;
}

/* The part of a call that goes there. */
struct there {
    struct cladei_mpi_batch *batch;
    const struct cladei_mpi_owners *owners;
    const struct cladei_mpi_job *job;
    struct cladei_mpi_column columns[2];
    size_t column_count;
    uint64_t most; /* operations that one rank received in one chunk */
};

static clade_status begin_chunk(const struct there *t, uint64_t number)
{
    struct cladei_mpi_batch *batch = t->batch;
    const struct cladei_mpi_chunk chunk = chunk_of(batch, t->job->count, number);
    if (chunk.count == 0)
        return CLADE_OK;
    return cladei_mpi_sort_begin(&batch->sorter, t->owners, t->job->keys, batch->key, chunk);
}

static clade_status sort_chunk(const struct there *t, uint64_t number)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_batch *batch = t->batch;
    const struct cladei_mpi_chunk chunk = chunk_of(batch, t->job->count, number);
    const uint64_t bytes = CLADE_TYPE_BYTES(batch->value);
    struct cladei_mpi_view values;
    uint64_t *send = sent_of(batch, number);
    memset(send, 0, (size_t)batch->mpi->ranks * sizeof *send);
    if (chunk.count == 0)
        return CLADE_OK;
    if (t->job->sends_values) /* while the keys are counted */
        CLADEM_TRY(cladei_mpi_sort_bring(&batch->sorter, SORTER_VALUES, t->job->values, bytes,
                                         chunk, &values));
    CLADEM_TRY(cladei_mpi_sort_end(&batch->sorter, t->owners, batch->key, chunk, send));
    if (t->job->sends_values)
        CLADEM_TRY(cladei_mpi_sort_values(&batch->sorter, &values, bytes, chunk));
    const struct cladei_mpi_flow flow = flow_of(batch, send);
    CLADEM_TRY(cladei_mpi_wire_send(&batch->wire, number, &flow, t->columns, t->column_count));
fail:
    return status;
}

/* A larger buffer, with what the old one has. */
static clade_status grow(cl_mem *mem, clade_context *context, uint64_t old, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_int code;
    cl_mem larger = clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE,
                                   (size_t)bytes + 8, NULL, &code);
    CLADEM_CL(code);
    if (*mem && old > 0)
        CLADEM_CL(clEnqueueCopyBuffer(clade_context_cl_queue(context), *mem, larger, 0, 0,
                                      (size_t)old, 0, NULL, NULL));
    if (*mem)
        clReleaseMemObject(*mem);
    *mem = larger;
    return CLADE_OK;

fail:
    if (larger)
        clReleaseMemObject(larger);
    return status;
}

/* Room for `count` operations; those of the chunks before stay. */
static clade_status reserve_arrived(struct cladei_mpi_batch *batch, uint64_t count)
{
    clade_status status = CLADE_OK;
    const uint64_t key = CLADE_TYPE_BYTES(batch->key), value = CLADE_TYPE_BYTES(batch->value);
    const uint64_t room = count + count / 2, had = batch->receives;
    if (count <= batch->room)
        return CLADE_OK;
    CLADEM_TRY(grow(&batch->keys_in, batch->context, had * key, room * key));
    CLADEM_TRY(grow(&batch->values_in, batch->context, had * value, room * value));
    batch->room = room;
fail:
    return status;
}

static clade_status receive_chunk(struct there *t, uint64_t number, struct cladei_mpi_flow *flow)
{
    struct cladei_mpi_batch *batch = t->batch;
    const uint64_t before = batch->receives;
    const clade_status own = reserve_arrived(batch, before + flow->receives);
    memcpy(came_of(batch, number), flow->receive,
           (size_t)batch->mpi->ranks * sizeof *flow->receive);
    *before_of(batch, number) = before;
    batch->receives += flow->receives;
    t->most = flow->receives > t->most ? flow->receives : t->most;
    t->columns[0].to = batch->keys_in;
    t->columns[1].to = batch->values_in;
    t->columns[0].to_first = t->columns[1].to_first = before;
    return cladei_mpi_wire_receive(&batch->wire, own, number, flow, t->columns, t->column_count);
}

/* Returns what all ranks agreed on in the meetings; `*own` is how it went here since the last. */
static clade_status send_chunks(struct there *t, clade_status *own)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_batch *batch = t->batch;
    if (*own == CLADE_OK && batch->chunks > 0)
        *own = begin_chunk(t, 0);
    for (uint64_t number = 0; number < batch->chunks; number++) {
        if (*own == CLADE_OK)
            *own = sort_chunk(t, number);
        struct cladei_mpi_flow flow =
            flow_of(batch, *own == CLADE_OK ? sent_of(batch, number) : NULL);
        if (*own == CLADE_OK && number + 1 < batch->chunks)
            *own = begin_chunk(t, number + 1);
        CLADEM_TRY(cladei_mpi_wire_meet(&batch->wire, *own, &flow, t->columns, t->column_count));
        *own = receive_chunk(t, number, &flow);
    }
fail:
    return status;
}

/* For the answers of what came: on the device, and on the way back. */
static clade_status reserve_answers(struct cladei_mpi_batch *batch, bool has_found)
{
    clade_status status = CLADE_OK;
    const uint64_t room = batch->room, key = CLADE_TYPE_BYTES(batch->key);
    if (batch->answer_room < room) {
        CLADEM_TRY(grow(&batch->statuses_in, batch->context, 0, 4 * room));
        CLADEM_TRY(grow(&batch->packed_in, batch->context, 0, room));
        batch->answer_room = room;
    }
    if (has_found && batch->found_room < room) {
        CLADEM_TRY(grow(&batch->found_in, batch->context, 0, room * key));
        batch->found_room = room;
    }
fail:
    return status;
}

static uint64_t bytes_there(const struct cladei_mpi_batch *batch)
{
    return (uint64_t)CLADE_TYPE_BYTES(batch->key) + CLADE_TYPE_BYTES(batch->value);
}

static uint64_t less_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What failed first. The second one was called after a failure, too: queues end empty. */
static clade_status first_of(clade_status own, clade_status waited)
{
    return own == CLADE_OK ? waited : own;
}

/* How many chunks there are, and room for them: the first agreement. */
static clade_status plan(struct cladei_mpi_batch *batch, clade_status *own, uint64_t count,
                         const struct cladei_mpi_alike *alike_or_null)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_alike alike = { 0 };
    uint64_t most = count;
    if (alike_or_null)
        alike = *alike_or_null;
    alike.numbers[0] = &most;
    batch->chunk = less_of(cladei_mpi_batch_most, ALL_MOST / (uint64_t)batch->mpi->ranks);
    *own = first_of(*own, cladei_mpi_wire_settle(&batch->wire));
    if (*own == CLADE_OK)
        *own = cladei_mpi_sorter_reserve(&batch->sorter, count, less_of(count, batch->chunk));
    CLADEM_TRY(cladei_mpi_agree(batch->mpi, *own, &alike));
    batch->chunks = most / batch->chunk + (most % batch->chunk > 0);
    *own = cladei_mpi_wire_reserve(&batch->wire, less_of(most, batch->chunk) * bytes_there(batch));
    if (*own == CLADE_OK)
        *own = reserve_numbers(batch);
fail:
    return status;
}

/* All has arrived, and what the answers need is there: after this the operations are done. */
static clade_status agree_to_operate(struct there *t, clade_status own)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_batch *batch = t->batch;
    struct cladei_mpi_alike alike = { .numbers = { &t->most } };
    const uint64_t bytes = 1 + bytes_there(batch);
    own = first_of(own, cladei_mpi_wire_wait(&batch->wire));
    if (own == CLADE_OK)
        own = reserve_answers(batch, t->job->shows_found);
    CLADEM_TRY(cladei_mpi_agree(batch->mpi, own, &alike));
    if (t->most * bytes > batch->wire.room)
        CLADEM_TRY(cladei_mpi_agree(batch->mpi,
                                    cladei_mpi_wire_reserve(&batch->wire, t->most * bytes), NULL));
fail:
    return status;
}

clade_status cladei_mpi_batch_send(struct cladei_mpi_batch *batch, clade_status own,
                                   const struct cladei_mpi_owners *owners,
                                   const struct cladei_mpi_job *job,
                                   const struct cladei_mpi_alike *alike)
{
    clade_status status = CLADE_OK;
    cl_mem *sorted = batch->sorter.sorted;
    batch->receives = 0;
    if (own == CLADE_OK)
        own = cladei_mpi_batch_check(job->count);
    CLADEM_TRY(plan(batch, &own, job->count, alike));
    struct there t = {
        .batch = batch,
        .owners = owners,
        .job = job,
        .columns = { { .from = sorted[SORTER_KEYS], .bytes = CLADE_TYPE_BYTES(batch->key) },
                     { .from = sorted[SORTER_VALUES], .bytes = CLADE_TYPE_BYTES(batch->value) } },
        .column_count = job->sends_values ? 2 : 1,
    };
    CLADEM_TRY(send_chunks(&t, &own));
    CLADEM_TRY(agree_to_operate(&t, own));
fail:
    return status;
}

/* --- and back --------------------------------------------------------------------------------- */

/* The part of a call that comes back. */
struct back {
    struct cladei_mpi_batch *batch;
    const struct cladei_mpi_job *job;
    bool shows_values;
    struct cladei_mpi_column columns[3];
    size_t column_count;
    clade_status refusal; /* of the first operation that was refused, without statuses */
};

static void add_column(struct back *b, cl_mem from, cl_mem to, uint64_t bytes)
{
    b->columns[b->column_count++] =
        (struct cladei_mpi_column) { .from = from, .to = to, .bytes = bytes };
}

static void list_columns(struct back *b)
{
    struct cladei_mpi_batch *batch = b->batch;
    cl_mem *sorted = batch->sorter.sorted;
    if (b->job->shows_values)
        add_column(b, batch->values_in, sorted[SORTER_VALUES], CLADE_TYPE_BYTES(batch->value));
    if (b->job->shows_found)
        add_column(b, batch->found_in, sorted[SORTER_KEYS], CLADE_TYPE_BYTES(batch->key));
    add_column(b, batch->packed_in, batch->sorter.packed, 1);
}

static clade_status send_answers(struct back *b, uint64_t number)
{
    struct cladei_mpi_batch *batch = b->batch;
    const struct cladei_mpi_flow flow = flow_of(batch, came_of(batch, number));
    for (size_t c = 0; c < b->column_count; c++)
        b->columns[c].from_first = *before_of(batch, number);
    return cladei_mpi_wire_send(&batch->wire, number, &flow, b->columns, b->column_count);
}

static clade_status refuse(uint64_t place, bool is_busy)
{
    return is_busy
               ? cladei_mpi_fail(CLADE_E_BUSY, "tries gave up at key %" PRIu64, place)
               : cladei_mpi_fail(CLADE_E_FULL,
                                 "there is no room for key %" PRIu64 " where it belongs", place);
}

/* The answers that have come go to where they were asked for. */
static clade_status unsort_chunk(struct back *b, uint64_t number)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_sorter *sorter = &b->batch->sorter;
    const struct cladei_mpi_job *job = b->job;
    const struct cladei_mpi_chunk chunk = chunk_of(b->batch, job->count, number);
    struct cladei_mpi_outcome outcome;
    if (chunk.count == 0)
        return CLADE_OK;
    CLADEM_TRY(cladei_mpi_wire_arrived(&b->batch->wire));
    CLADEM_TRY(cladei_mpi_unsort_statuses(sorter, job->statuses, chunk, &outcome));
    if (outcome.refused != UINT32_MAX && !cladei_mpi_is_given(job->statuses) &&
        b->refusal == CLADE_OK)
        b->refusal = refuse(chunk.first + outcome.refused / 2, outcome.refused % 2);
    if (b->shows_values)
        CLADEM_TRY(cladei_mpi_unsort(sorter, SORTER_VALUES, job->values,
                                     CLADE_TYPE_BYTES(b->batch->value), chunk,
                                     outcome.some_failed));
    if (job->shows_found)
        CLADEM_TRY(cladei_mpi_unsort(sorter, SORTER_KEYS, job->found,
                                     CLADE_TYPE_BYTES(b->batch->key), chunk, outcome.some_failed));
    CLADEM_CL(clFlush(clade_context_cl_queue(sorter->context)));
fail:
    return status;
}

/* What lies on the device by now goes to arrays on the host. */
static clade_status show_chunk(const struct back *b, uint64_t number)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_sorter *sorter = &b->batch->sorter;
    const struct cladei_mpi_job *job = b->job;
    const struct cladei_mpi_chunk chunk = chunk_of(b->batch, job->count, number);
    if (chunk.count == 0)
        return CLADE_OK;
    CLADEM_TRY(cladei_mpi_read_statuses(sorter, job->statuses, chunk));
    if (b->shows_values)
        CLADEM_TRY(cladei_mpi_read_results(sorter, SORTER_VALUES, job->values,
                                           CLADE_TYPE_BYTES(b->batch->value), chunk));
    if (job->shows_found)
        CLADEM_TRY(cladei_mpi_read_results(sorter, SORTER_KEYS, job->found,
                                           CLADE_TYPE_BYTES(b->batch->key), chunk));
fail:
    return status;
}

static clade_status answer_chunks(struct back *b, clade_status *own)
{
    clade_status status = CLADE_OK;
    struct cladei_mpi_batch *batch = b->batch;
    if (*own == CLADE_OK && batch->chunks > 0)
        *own = send_answers(b, 0);
    for (uint64_t number = 0; number < batch->chunks; number++) {
        struct cladei_mpi_flow flow = flow_of(batch, came_of(batch, number));
        CLADEM_TRY(cladei_mpi_wire_meet(&batch->wire, *own, &flow, b->columns, b->column_count));
        *own = cladei_mpi_wire_receive(&batch->wire, CLADE_OK, number, &flow, b->columns,
                                       b->column_count);
        if (*own == CLADE_OK && number + 1 < batch->chunks)
            *own = send_answers(b, number + 1);
        if (*own == CLADE_OK && number > 0) /* while those come and go */
            *own = show_chunk(b, number - 1);
        if (*own == CLADE_OK)
            *own = unsort_chunk(b, number);
    }
    if (*own == CLADE_OK && batch->chunks > 0)
        *own = show_chunk(b, batch->chunks - 1);
fail:
    return status;
}

clade_status cladei_mpi_batch_answer(struct cladei_mpi_batch *batch, clade_status own,
                                     const struct cladei_mpi_job *job)
{
    clade_status status = CLADE_OK;
    struct back b = { .batch = batch,
                      .job = job,
                      .shows_values = job->shows_values && cladei_mpi_is_given(job->values) };
    list_columns(&b);
    if (own == CLADE_OK && batch->receives > 0)
        own = cladei_mpi_sort_pack(&batch->sorter, batch->statuses_in, batch->receives,
                                   batch->packed_in);
    CLADEM_TRY(answer_chunks(&b, &own));
    own = first_of(own, cladei_mpi_wire_wait(&batch->wire));
    if (own == CLADE_OK)
        own = clade_finish(batch->context); /* arrays on the device are complete, too */
    if (own == CLADE_OK)
        own = b.refusal;
    CLADEM_TRY(cladei_mpi_agree(batch->mpi, own, NULL));
fail:
    return status;
}
