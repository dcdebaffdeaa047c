/* SPDX-License-Identifier: Apache-2.0 */
/* Elements from every rank to every rank. MPI_Alltoallv counts in ints; where a rank sends or
 * receives more than that in all, the elements go in pieces from rank to rank. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/exchange.h"

uint64_t cladei_mpi_exchange_most = INT_MAX;

clade_status cladei_mpi_exchange_make(struct cladei_mpi_exchange *exchange, clade_mpi *mpi)
{
    clade_status status = CLADE_OK;
    const size_t ranks = (size_t)mpi->ranks;
    *exchange = (struct cladei_mpi_exchange) { .mpi = mpi };
    exchange->send = calloc(4 * ranks, sizeof *exchange->send);
    exchange->ints = calloc(4 * ranks, sizeof *exchange->ints);
    exchange->requests = calloc(2 * ranks, sizeof *exchange->requests);
    CLADEM_REQUIRE(exchange->send && exchange->ints && exchange->requests, CLADE_E_NOMEM,
                   "host memory is out");
    exchange->send_at = exchange->send + ranks;
    exchange->receive = exchange->send_at + ranks;
    exchange->receive_at = exchange->receive + ranks;
    return CLADE_OK;

fail:
    cladei_mpi_exchange_free(exchange);
    return status;
}

void cladei_mpi_exchange_free(struct cladei_mpi_exchange *exchange)
{
    free(exchange->send);
    free(exchange->ints);
    free(exchange->requests);
    *exchange = (struct cladei_mpi_exchange) { 0 };
}

clade_status cladei_mpi_exchange_plan(struct cladei_mpi_exchange *exchange, clade_status own)
{
    clade_status status = CLADE_OK;
    const int ranks = exchange->mpi->ranks;
    exchange->sends = exchange->receives = 0;
    for (int r = 0; r < ranks && own != CLADE_OK; r++)
        exchange->send[r] = 0;
    CLADEM_MPI(MPI_Alltoall(exchange->send, 1, MPI_UINT64_T, exchange->receive, 1, MPI_UINT64_T,
                            exchange->mpi->comm));
    for (int r = 0; r < ranks; r++) {
        exchange->send_at[r] = exchange->sends;
        exchange->receive_at[r] = exchange->receives;
        exchange->sends += exchange->send[r];
        exchange->receives += exchange->receive[r];
    }
fail:
    return status;
}

clade_status cladei_mpi_exchange_agree(struct cladei_mpi_exchange *exchange, clade_status own,
                                       const struct cladei_mpi_alike *alike_or_null)
{
    clade_status status = CLADE_OK;
    uint64_t most = exchange->sends > exchange->receives ? exchange->sends : exchange->receives;
    struct cladei_mpi_alike alike = { 0 };
    if (alike_or_null)
        alike = *alike_or_null;
    alike.numbers[0] = &most;
    CLADEM_TRY(cladei_mpi_agree(exchange->mpi, own, &alike));
    exchange->piece = most > cladei_mpi_exchange_most ? cladei_mpi_exchange_most : 0;
fail:
    return status;
}

/* One direction. */
struct flow {
    const uint64_t *send, *send_at, *receive, *receive_at;
};

static clade_status move_at_once(const struct cladei_mpi_exchange *exchange,
                                 const struct flow *flow, const void *from, void *to,
                                 MPI_Datatype type)
{
    clade_status status = CLADE_OK;
    const int ranks = exchange->mpi->ranks;
    int *send = exchange->ints, *send_at = send + ranks, *receive = send_at + ranks,
        *receive_at = receive + ranks;
    for (int r = 0; r < ranks; r++) {
        send[r] = (int)flow->send[r];
        send_at[r] = (int)flow->send_at[r];
        receive[r] = (int)flow->receive[r];
        receive_at[r] = (int)flow->receive_at[r];
    }
    CLADEM_MPI(MPI_Alltoallv(from, send, send_at, type, to, receive, receive_at, type,
                             exchange->mpi->comm));
fail:
    return status;
}

static uint64_t left_of(uint64_t count, uint64_t done, uint64_t piece)
{
    const uint64_t left = count > done ? count - done : 0;
    return left < piece ? left : piece;
}

/* A piece to every rank and from every rank; then the next. Messages between two ranks keep their
 * order. Which ranks have pieces left is known to both sides of each pair. */
static clade_status move_in_pieces(const struct cladei_mpi_exchange *exchange,
                                   const struct flow *flow, const char *from, char *to,
                                   uint64_t bytes, MPI_Datatype type)
{
    clade_status status = CLADE_OK;
    for (uint64_t done = 0, most = 1; done < most; done += exchange->piece) {
        int count = 0;
        for (int r = 0; r < exchange->mpi->ranks; r++) {
            const uint64_t in = left_of(flow->receive[r], done, exchange->piece);
            const uint64_t out = left_of(flow->send[r], done, exchange->piece);
            most = flow->receive[r] > most ? flow->receive[r] : most;
            most = flow->send[r] > most ? flow->send[r] : most;
            if (in > 0)
                CLADEM_MPI(MPI_Irecv(to + bytes * (flow->receive_at[r] + done), (int)in, type, r, 0,
                                     exchange->mpi->comm, &exchange->requests[count++]));
            if (out > 0)
                CLADEM_MPI(MPI_Isend(from + bytes * (flow->send_at[r] + done), (int)out, type, r, 0,
                                     exchange->mpi->comm, &exchange->requests[count++]));
        }
        CLADEM_MPI(MPI_Waitall(count, exchange->requests, MPI_STATUSES_IGNORE));
    }
fail:
    return status;
}

static clade_status move(const struct cladei_mpi_exchange *exchange, const struct flow *flow,
                         const void *from, void *to, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CLADEM_MPI(MPI_Type_contiguous((int)bytes, MPI_BYTE, &type));
    CLADEM_MPI(MPI_Type_commit(&type));
    if (exchange->piece)
        CLADEM_TRY(move_in_pieces(exchange, flow, from, to, bytes, type));
    else
        CLADEM_TRY(move_at_once(exchange, flow, from, to, type));
fail:
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    return status;
}

clade_status cladei_mpi_exchange_move(struct cladei_mpi_exchange *exchange, const void *from,
                                      void *to, uint64_t bytes)
{
    const struct flow flow = { exchange->send, exchange->send_at, exchange->receive,
                               exchange->receive_at };
    return move(exchange, &flow, from, to, bytes);
}

clade_status cladei_mpi_exchange_answer(struct cladei_mpi_exchange *exchange, const void *from,
                                        void *to, uint64_t bytes)
{
    const struct flow flow = { exchange->receive, exchange->receive_at, exchange->send,
                               exchange->send_at };
    return move(exchange, &flow, from, to, bytes);
}
