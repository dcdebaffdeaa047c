/* SPDX-License-Identifier: Apache-2.0 */
/* Elements from device to device, through slots in host memory. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: works on 1.2 drivers too */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "mpi/wire.h"

bool cladei_mpi_wire_shares = true;

/* What a rank tells another one in a meeting: how many elements of its slot are for it, where they
 * begin there, how many there are in all, and the rank's status. */
enum { COUNT, AT, ALL, WORD, WORDS };

/* --- life ------------------------------------------------------------------------------------- */

static clade_status make_queue(cl_command_queue *queue, clade_context *context)
{
    clade_status status = CLADE_OK;
    cl_int code;
    *queue = clCreateCommandQueue(clade_context_cl_context(context),
                                  clade_context_cl_device(context), 0, &code);
    CLADEM_CL(code);
fail:
    return status;
}

clade_status cladei_mpi_wire_make(struct cladei_mpi_wire *wire, clade_mpi *mpi,
                                  clade_context *context)
{
    clade_status status = CLADE_OK;
    const size_t ranks = (size_t)mpi->ranks;
    *wire = (struct cladei_mpi_wire) { .mpi = mpi, .context = context, .window = MPI_WIN_NULL };
    if (ranks == 1)
        return CLADE_OK;
    wire->slots = calloc(ranks, sizeof *wire->slots);
    wire->locked = calloc(ranks, sizeof *wire->locked);
    wire->said = calloc(2 * WORDS * ranks, sizeof *wire->said);
    wire->ints = calloc(4 * ranks, sizeof *wire->ints);
    CLADEM_REQUIRE(wire->slots && wire->locked && wire->said && wire->ints, CLADE_E_NOMEM,
                   "host memory is out");
    wire->heard = wire->said + WORDS * ranks;
    CLADEM_TRY(make_queue(&wire->out, context));
    CLADEM_TRY(make_queue(&wire->in, context));
fail:
    return status;
}

/* Before the window goes. After MPI has ended the memory may be gone, and to unmap may read it. */
static void unlock_slots(struct cladei_mpi_wire *wire, bool is_gone)
{
    for (int r = 0; wire->locked && r < wire->mpi->ranks; r++) {
        if (is_gone)
            wire->locked[r].host = NULL;
        cladei_mpi_stage_free(&wire->locked[r], wire->context);
    }
}

static void free_slots(struct cladei_mpi_wire *wire)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    unlock_slots(wire, finalized);
    if (wire->window != MPI_WIN_NULL && !finalized) {
        MPI_Win_unlock_all(wire->window);
        MPI_Win_free(&wire->window);
    }
    wire->window = MPI_WIN_NULL;
    wire->is_shared = false;
    cladei_mpi_stage_free(&wire->sent, wire->context);
    wire->room = 0;
}

void cladei_mpi_wire_free(struct cladei_mpi_wire *wire)
{
    if (!wire->mpi)
        return;
    (void)!cladei_mpi_wire_wait(wire);
    free_slots(wire);
    cladei_mpi_stage_free(&wire->arrived, wire->context);
    if (wire->out)
        clReleaseCommandQueue(wire->out);
    if (wire->in)
        clReleaseCommandQueue(wire->in);
    free(wire->slots);
    free(wire->locked);
    free(wire->said);
    free(wire->ints);
    *wire = (struct cladei_mpi_wire) { 0 };
}

/* --- slots ------------------------------------------------------------------------------------ */

static uint64_t page_size(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Whole pages for both slots of a rank. */
static uint64_t locked_bytes(uint64_t room)
{
    return (2 * room + page_size() - 1) / page_size() * page_size();
}

/* A page more than the slots need: MPI need not begin at a page. */
static uint64_t part_bytes(uint64_t room)
{
    return locked_bytes(room) + page_size();
}

/* MPI has shared memory from /dev/shm on Linux. Where that is too small, one rank of Open MPI 4.1
 * fails in MPI_Win_allocate_shared(), and the others wait for it there. */
static bool is_scarce(const struct cladei_mpi_wire *wire, uint64_t room)
{
    enum { SPARE = 1 << 20 };
    struct statvfs shm;
    return statvfs("/dev/shm", &shm) == 0 &&
           (uint64_t)shm.f_bavail * shm.f_frsize <
               (uint64_t)wire->mpi->ranks * part_bytes(room) + SPARE;
}

/* Memory that all ranks see. It may be scarce, and then there are messages. */
static int allocate_window(struct cladei_mpi_wire *wire, uint64_t room)
{
    MPI_Info info;
    void *own;
    int code = MPI_Info_create(&info);
    if (code != MPI_SUCCESS)
        return code;
    MPI_Info_set(info, "alloc_shared_noncontig", "true"); /* each on pages of its own */
    code = MPI_Win_allocate_shared((MPI_Aint)part_bytes(room), 1, info, wire->mpi->comm, &own,
                                   &wire->window);
    MPI_Info_free(&info);
    if (code != MPI_SUCCESS)
        wire->window = MPI_WIN_NULL;
    return code;
}

static clade_status find_parts(struct cladei_mpi_wire *wire)
{
    clade_status status = CLADE_OK;
    for (int r = 0; r < wire->mpi->ranks; r++) {
        MPI_Aint size;
        int unit;
        void *its;
        CLADEM_MPI(MPI_Win_shared_query(wire->window, r, &size, &unit, &its));
        wire->slots[r] = its;
    }
fail:
    return status;
}

/* A rank's slots begin at a page as that rank sees them; it tells the others where that is. */
static clade_status find_slots(struct cladei_mpi_wire *wire)
{
    clade_status status = CLADE_OK;
    CLADEM_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, wire->window));
    CLADEM_TRY(find_parts(wire));
    const uint64_t part = (uintptr_t)wire->slots[wire->mpi->rank];
    const uint64_t skipped = (page_size() - part % page_size()) % page_size();
    CLADEM_MPI(
        MPI_Allgather(&skipped, 1, MPI_UINT64_T, wire->heard, 1, MPI_UINT64_T, wire->mpi->comm));
    for (int r = 0; r < wire->mpi->ranks; r++)
        wire->slots[r] += wire->heard[r];
fail:
    return status;
}

/* To map a buffer brings what the driver thinks that it has to the memory below it, so nobody may
 * write to slots before all ranks have mapped them. Until then they belong to the driver; from then
 * on, to the host. A driver that refuses moves data as from and to any memory. A rank's own slots
 * are first, so that their pages lie near it. */
static clade_status lock_slots(struct cladei_mpi_wire *wire, uint64_t room)
{
    clade_status status = CLADE_OK;
    for (int i = 0; i < wire->mpi->ranks; i++) {
        const int r = (wire->mpi->rank + i) % wire->mpi->ranks;
        if ((uintptr_t)wire->slots[r] % page_size() == 0)
            (void)!cladei_mpi_stage_wrap(&wire->locked[r], wire->context, wire->slots[r],
                                         locked_bytes(room));
    }
    CLADEM_MPI(MPI_Barrier(wire->mpi->comm));
fail:
    return status;
}

/* Not to have it is no failure, whatever the communicator says of errors. Where some ranks alone
 * have it, they keep it until MPI ends: to free it, all would have to call. */
static clade_status try_window(struct cladei_mpi_wire *wire, uint64_t room)
{
    clade_status status = CLADE_OK;
    MPI_Errhandler usual;
    int has = !is_scarce(wire, room);
    if (!cladei_mpi_wire_shares || wire->mpi->host_ranks != wire->mpi->ranks)
        return CLADE_OK;
    CLADEM_MPI(MPI_Allreduce(MPI_IN_PLACE, &has, 1, MPI_INT, MPI_MIN, wire->mpi->comm));
    if (!has)
        return CLADE_OK;
    CLADEM_MPI(MPI_Comm_get_errhandler(wire->mpi->comm, &usual));
    CLADEM_MPI(MPI_Comm_set_errhandler(wire->mpi->comm, MPI_ERRORS_RETURN));
    has = allocate_window(wire, room) == MPI_SUCCESS;
    CLADEM_MPI(MPI_Comm_set_errhandler(wire->mpi->comm, usual));
    CLADEM_MPI(MPI_Errhandler_free(&usual));
    CLADEM_MPI(MPI_Allreduce(MPI_IN_PLACE, &has, 1, MPI_INT, MPI_MIN, wire->mpi->comm));
    if (has) {
        wire->is_shared = true;
        CLADEM_TRY(find_slots(wire));
        CLADEM_TRY(lock_slots(wire, room));
    } else {
        wire->window = MPI_WIN_NULL;
    }
fail:
    return status;
}

clade_status cladei_mpi_wire_reserve(struct cladei_mpi_wire *wire, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    if (bytes > wire->room) {
        (void)!cladei_mpi_wire_wait(wire); /* what a call that failed has left */
        free_slots(wire);
        CLADEM_TRY(try_window(wire, bytes));
        wire->room = bytes;
    }
    if (!wire->is_shared)
        CLADEM_TRY(cladei_mpi_stage_reserve(&wire->sent, wire->context, 2 * wire->room));
fail:
    return status;
}

static char *slot_of(const struct cladei_mpi_wire *wire, uint64_t number)
{
    char *both = wire->is_shared ? wire->slots[wire->mpi->rank] : wire->sent.host;
    return both + number % 2 * wire->room;
}

/* --- sending ---------------------------------------------------------------------------------- */

/* The queue waits for all that the other one has been given. */
static clade_status follow(cl_command_queue queue, cl_command_queue other)
{
    clade_status status = CLADE_OK;
    cl_event event = NULL;
    CLADEM_CL(clEnqueueMarkerWithWaitList(other, 0, NULL, &event));
    CLADEM_CL(clFlush(other));
    CLADEM_CL(clEnqueueBarrierWithWaitList(queue, 1, &event, NULL));
fail:
    if (event)
        clReleaseEvent(event);
    return status;
}

static clade_status read_range(const struct cladei_mpi_wire *wire,
                               const struct cladei_mpi_column *column, uint64_t begin, uint64_t end,
                               char *to)
{
    clade_status status = CLADE_OK;
    const uint64_t bytes = column->bytes;
    if (begin < end)
        CLADEM_CL(clEnqueueReadBuffer(
            wire->out, column->from, CL_FALSE, (size_t)((column->from_first + begin) * bytes),
            (size_t)((end - begin) * bytes), to + begin * bytes, 0, NULL, NULL));
fail:
    return status;
}

/* Of one element of each column. */
static uint64_t bytes_of(const struct cladei_mpi_column *columns, size_t count)
{
    uint64_t bytes = 0;
    for (size_t c = 0; c < count; c++)
        bytes += columns[c].bytes;
    return bytes;
}

clade_status cladei_mpi_wire_send(struct cladei_mpi_wire *wire, uint64_t number,
                                  const struct cladei_mpi_flow *flow,
                                  const struct cladei_mpi_column *columns, size_t count)
{
    clade_status status = CLADE_OK;
    const int me = wire->mpi->rank;
    const uint64_t own = flow->send_at[me];
    char *to = slot_of(wire, number);
    CLADEM_REQUIRE(bytes_of(columns, count) * flow->sends <= wire->room, CLADE_E_CORRUPT,
                   "%" PRIu64 " elements do not fit into a slot", flow->sends);
    CLADEM_TRY(follow(wire->out, clade_context_cl_queue(wire->context)));
    for (size_t c = 0; c < count; c++) {
        CLADEM_TRY(read_range(wire, &columns[c], 0, own, to));
        CLADEM_TRY(read_range(wire, &columns[c], own + flow->send[me], flow->sends, to));
        to += flow->sends * columns[c].bytes;
    }
    CLADEM_CL(clFlush(wire->out));
fail:
    return status;
}

/* --- meeting ---------------------------------------------------------------------------------- */

/* Mesa's rusticl, at least 22.3: clFinish() does not wait for what was flushed before, unless a
 * command comes after it. */
static clade_status drain(struct cladei_mpi_wire *wire, cl_command_queue queue)
{
    clade_status status = CLADE_OK;
    if (!queue)
        return CLADE_OK;
    wire->is_unsettled = true;
    CLADEM_CL(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
    CLADEM_CL(clFinish(queue));
    wire->is_unsettled = false;
fail:
    return status;
}

clade_status cladei_mpi_wire_arrived(struct cladei_mpi_wire *wire)
{
    return drain(wire, wire->in);
}

clade_status cladei_mpi_wire_wait(struct cladei_mpi_wire *wire)
{
    const clade_status out = drain(wire, wire->out);
    const bool is_unsettled = wire->is_unsettled;
    const clade_status in = drain(wire, wire->in);
    wire->is_unsettled |= is_unsettled;
    return out == CLADE_OK ? in : out;
}

clade_status cladei_mpi_wire_settle(struct cladei_mpi_wire *wire)
{
    return wire->is_unsettled ? cladei_mpi_wire_wait(wire) : CLADE_OK;
}

static clade_status synchronize(struct cladei_mpi_wire *wire)
{
    clade_status status = CLADE_OK;
    if (wire->is_shared)
        CLADEM_MPI(MPI_Win_sync(wire->window));
fail:
    return status;
}

/* With messages: room for what comes. All ranks have to know of it before they send. */
static clade_status expect(struct cladei_mpi_wire *wire, const struct cladei_mpi_flow *flow,
                           const struct cladei_mpi_column *columns, size_t count)
{
    clade_status status = CLADE_OK;
    const uint64_t bytes = flow->receives * bytes_of(columns, count) + 8;
    if (!wire->is_shared)
        CLADEM_TRY(cladei_mpi_agree(
            wire->mpi, cladei_mpi_stage_reserve(&wire->arrived, wire->context, bytes), NULL));
fail:
    return status;
}

static void speak(struct cladei_mpi_wire *wire, clade_status own,
                  const struct cladei_mpi_flow *flow)
{
    for (int r = 0; r < wire->mpi->ranks; r++) {
        uint64_t *said = wire->said + WORDS * r;
        said[COUNT] = flow->send[r];
        said[AT] = flow->send_at[r];
        said[ALL] = flow->sends;
        said[WORD] = cladei_mpi_word(wire->mpi, own);
    }
}

/* Returns the word of the lowest rank that failed. */
static uint64_t listen(const struct cladei_mpi_wire *wire, struct cladei_mpi_flow *flow)
{
    uint64_t worst = 0;
    flow->receives = 0;
    for (int r = 0; r < wire->mpi->ranks; r++) {
        const uint64_t *heard = wire->heard + WORDS * r;
        worst = heard[WORD] > worst ? heard[WORD] : worst;
        flow->receive[r] = heard[COUNT];
        flow->receive_at[r] = flow->receives;
        flow->receives += heard[COUNT];
    }
    return worst;
}

clade_status cladei_mpi_wire_meet(struct cladei_mpi_wire *wire, clade_status own,
                                  struct cladei_mpi_flow *flow,
                                  const struct cladei_mpi_column *columns, size_t count)
{
    clade_status status = CLADE_OK;
    const clade_status waited = cladei_mpi_wire_wait(wire); /* also after a failure */
    speak(wire, own == CLADE_OK ? waited : own, flow);
    CLADEM_TRY(synchronize(wire));
    CLADEM_MPI(MPI_Alltoall(wire->said, WORDS, MPI_UINT64_T, wire->heard, WORDS, MPI_UINT64_T,
                            wire->mpi->comm));
    CLADEM_TRY(synchronize(wire));
    const uint64_t worst = listen(wire, flow);
    if (worst)
        return cladei_mpi_told_word(wire->mpi, worst);
    CLADEM_TRY(expect(wire, flow, columns, count));
fail:
    return status;
}

/* --- receiving -------------------------------------------------------------------------------- */

static clade_status write_range(const struct cladei_mpi_wire *wire,
                                const struct cladei_mpi_column *column, uint64_t at, uint64_t count,
                                const char *from)
{
    clade_status status = CLADE_OK;
    if (count > 0)
        CLADEM_CL(clEnqueueWriteBuffer(wire->in, column->to, CL_FALSE,
                                       (size_t)((column->to_first + at) * column->bytes),
                                       (size_t)(count * column->bytes), from, 0, NULL, NULL));
fail:
    return status;
}

/* From the other ranks' slots. */
static clade_status read_slots(struct cladei_mpi_wire *wire, uint64_t number,
                               const struct cladei_mpi_flow *flow,
                               const struct cladei_mpi_column *columns, size_t count)
{
    clade_status status = CLADE_OK;
    for (int r = 0; r < wire->mpi->ranks; r++) {
        const uint64_t *heard = wire->heard + WORDS * r;
        const char *from = wire->slots[r] + number % 2 * wire->room;
        if (r == wire->mpi->rank)
            continue;
        for (size_t c = 0; c < count; c++) {
            CLADEM_TRY(write_range(wire, &columns[c], flow->receive_at[r], flow->receive[r],
                                   from + heard[AT] * columns[c].bytes));
            from += heard[ALL] * columns[c].bytes;
        }
    }
fail:
    return status;
}

/* One column by messages; what comes is without the rank's own elements. */
static clade_status exchange(struct cladei_mpi_wire *wire, const struct cladei_mpi_flow *flow,
                             const char *from, char *to, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    const int ranks = wire->mpi->ranks, me = wire->mpi->rank;
    int *send = wire->ints, *send_at = send + ranks, *receive = send_at + ranks,
        *receive_at = receive + ranks;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    for (int r = 0; r < ranks; r++) {
        send[r] = r == me ? 0 : (int)flow->send[r];
        send_at[r] = (int)flow->send_at[r];
        receive[r] = r == me ? 0 : (int)flow->receive[r];
        receive_at[r] = (int)flow->receive_at[r];
    }
    CLADEM_MPI(MPI_Type_contiguous((int)bytes, MPI_BYTE, &type));
    CLADEM_MPI(MPI_Type_commit(&type));
    CLADEM_MPI(
        MPI_Alltoallv(from, send, send_at, type, to, receive, receive_at, type, wire->mpi->comm));
fail:
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    return status;
}

/* All columns by messages, to the slot for what comes. */
static clade_status exchange_all(struct cladei_mpi_wire *wire, uint64_t number,
                                 const struct cladei_mpi_flow *flow,
                                 const struct cladei_mpi_column *columns, size_t count)
{
    clade_status status = CLADE_OK;
    const char *from = slot_of(wire, number);
    char *to = wire->arrived.host;
    for (size_t c = 0; c < count; c++) {
        CLADEM_TRY(exchange(wire, flow, from, to, columns[c].bytes));
        from += flow->sends * columns[c].bytes;
        to += flow->receives * columns[c].bytes;
    }
fail:
    return status;
}

static clade_status read_arrived(struct cladei_mpi_wire *wire, const struct cladei_mpi_flow *flow,
                                 const struct cladei_mpi_column *columns, size_t count)
{
    clade_status status = CLADE_OK;
    const int me = wire->mpi->rank;
    const uint64_t own = flow->receive_at[me], end = own + flow->receive[me];
    const char *from = wire->arrived.host;
    for (size_t c = 0; c < count; c++) {
        CLADEM_TRY(write_range(wire, &columns[c], 0, own, from));
        CLADEM_TRY(write_range(wire, &columns[c], end, flow->receives - end,
                               from + end * columns[c].bytes));
        from += flow->receives * columns[c].bytes;
    }
fail:
    return status;
}

/* In the same queue: a buffer is written by one queue at a time. The context's queue waits for it,
 * for then it overwrites what is copied here. */
static clade_status keep_own(struct cladei_mpi_wire *wire, const struct cladei_mpi_flow *flow,
                             const struct cladei_mpi_column *columns, size_t count)
{
    clade_status status = CLADE_OK;
    const int me = wire->mpi->rank;
    for (size_t c = 0; c < count && flow->send[me] > 0; c++) {
        const struct cladei_mpi_column *column = &columns[c];
        CLADEM_CL(
            clEnqueueCopyBuffer(wire->in, column->from, column->to,
                                (size_t)((column->from_first + flow->send_at[me]) * column->bytes),
                                (size_t)((column->to_first + flow->receive_at[me]) * column->bytes),
                                (size_t)(flow->send[me] * column->bytes), 0, NULL, NULL));
    }
fail:
    return status;
}

clade_status cladei_mpi_wire_receive(struct cladei_mpi_wire *wire, clade_status own,
                                     uint64_t number, const struct cladei_mpi_flow *flow,
                                     const struct cladei_mpi_column *columns, size_t count)
{
    clade_status status = CLADE_OK;
    if (!wire->is_shared)
        CLADEM_TRY(exchange_all(wire, number, flow, columns, count));
    CLADEM_TRY(own);
    CLADEM_TRY(follow(wire->in, clade_context_cl_queue(wire->context)));
    CLADEM_TRY(keep_own(wire, flow, columns, count));
    CLADEM_TRY(follow(clade_context_cl_queue(wire->context), wire->in));
    if (wire->is_shared)
        CLADEM_TRY(read_slots(wire, number, flow, columns, count));
    else
        CLADEM_TRY(read_arrived(wire, flow, columns, count));
    CLADEM_CL(clFlush(wire->in));
fail:
    return status;
}
