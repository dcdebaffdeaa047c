/* SPDX-License-Identifier: Apache-2.0 */
/* Elements from every rank's device to every rank's device, a chunk of them at a time.
 *
 * A rank has two slots in host memory, which its device fills by turns. Where all ranks share a
 * host, the slots lie in memory that all of them see, and the device of the receiver reads them
 * there. A driver moves data fast only where it has locked the pages, so these slots are wrapped in
 * buffers that stay mapped, each rank's in one. Elsewhere messages bring what is in the slots to
 * slots of the receiver. A rank's own elements never leave its device. Two queues beside the
 * context's move data while that one works; what arrives is written by one of them alone.
 *
 *     send(0); for each chunk c: meet(c); receive(c); send(c + 1)
 *
 * A slot is filled again only after a meeting in which all ranks said that they have read it:
 * send(c + 2) comes after meet(c + 1), and a rank meets when what it reads has arrived. */
#pragma once

#include "mpi/arrays.h"
#include "mpi/comm.h"

/* How many elements of a chunk go to each rank and come from it, and where they begin. */
struct cladei_mpi_flow {
    uint64_t *send, *send_at, *receive, *receive_at;
    uint64_t sends, receives; /* in all */
};

/* Elements of one kind: those of a chunk begin at `from_first` and, where they arrive, at
 * `to_first`. */
struct cladei_mpi_column {
    cl_mem from, to;
    uint64_t from_first, to_first;
    uint64_t bytes; /* of an element */
};

struct cladei_mpi_wire {
    clade_mpi *mpi;
    clade_context *context;
    cl_command_queue out, in;
    uint64_t room;     /* bytes of a slot; the same on all ranks */
    bool is_shared;    /* likewise */
    bool is_unsettled; /* to wait has failed */
    MPI_Win window;
    char **slots;                          /* each rank's, where they are shared */
    struct cladei_mpi_stage *locked;       /* the same memory, as the driver knows it, or empty */
    struct cladei_mpi_stage sent, arrived; /* else: slots for what goes and what comes */
    uint64_t *said, *heard;                /* in a meeting: four words for each rank */
    int *ints;                             /* for MPI */
};

clade_status cladei_mpi_wire_make(struct cladei_mpi_wire *wire, clade_mpi *mpi,
                                  clade_context *context);
void cladei_mpi_wire_free(struct cladei_mpi_wire *wire);

/* Room for chunks of `bytes`. All ranks call with the same number while no chunk is on its way. How
 * it went on this rank: the caller agrees. */
clade_status cladei_mpi_wire_reserve(struct cladei_mpi_wire *wire, uint64_t bytes);
/* What the context's queue computes goes to the slot of chunk `number`. Nothing waits. */
clade_status cladei_mpi_wire_send(struct cladei_mpi_wire *wire, uint64_t number,
                                  const struct cladei_mpi_flow *flow,
                                  const struct cladei_mpi_column *columns, size_t count);
/* All ranks agree that their slots are filled and that what they received before has arrived. The
 * flow becomes what comes from each rank, one after the other. */
clade_status cladei_mpi_wire_meet(struct cladei_mpi_wire *wire, clade_status own,
                                  struct cladei_mpi_flow *flow,
                                  const struct cladei_mpi_column *columns, size_t count);
/* From the slots of all ranks to this rank's device, after a meeting in which none had failed. All
 * ranks call, also one that has failed since (`own`); only messages are waited for. How it went on
 * this rank. */
clade_status cladei_mpi_wire_receive(struct cladei_mpi_wire *wire, clade_status own,
                                     uint64_t number, const struct cladei_mpi_flow *flow,
                                     const struct cladei_mpi_column *columns, size_t count);
/* Wait until what was received is on the device; and until what was sent is in its slot, too. */
clade_status cladei_mpi_wire_arrived(struct cladei_mpi_wire *wire);
clade_status cladei_mpi_wire_wait(struct cladei_mpi_wire *wire);
/* The same, if the last time it could not be waited: what a call that failed has left would arrive
 * in the middle of the next one. */
clade_status cladei_mpi_wire_settle(struct cladei_mpi_wire *wire);

/* Tests set it to false: then ranks of one host exchange messages, too. */
extern bool cladei_mpi_wire_shares;
