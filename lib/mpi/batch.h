/* SPDX-License-Identifier: Apache-2.0 */
/* A batch of operations: to the ranks that own the keys, and the answers back in the caller's
 * order. It goes in chunks: while one is on its way, the next is sorted. */
#pragma once

#include "mpi/sort.h"
#include "mpi/wire.h"

/* What the caller gives, and what goes and comes. An array that is not given takes nothing; values
 * that are not given are 0. */
struct cladei_mpi_job {
    clade_array keys, values, found, statuses;
    uint64_t count;
    bool sends_values; /* to the owners */
    bool shows_values; /* from there */
    bool shows_found;  /* keys come from there, too */
};

struct cladei_mpi_batch {
    clade_mpi *mpi;
    clade_context *context; /* what uses the batch holds it */
    uint32_t key, value;    /* types */
    struct cladei_mpi_sorter sorter;
    struct cladei_mpi_wire wire;
    uint64_t chunk;    /* operations of one, at most; as the next three the same on all ranks */
    uint64_t chunks;   /* of this batch */
    uint64_t receives; /* operations that came to this rank */
    /* Of each chunk: how many go to each rank, and come from it; and how many came before it. */
    uint64_t *numbers, numbers_room;
    uint64_t *flows; /* those of the chunk at hand */
    /* On the device, in the order in which they came: this rank's operations and their answers. */
    uint64_t room, answer_room, found_room;
    cl_mem keys_in, values_in, statuses_in, packed_in, found_in;
};

clade_status cladei_mpi_batch_make(struct cladei_mpi_batch *batch, clade_mpi *mpi,
                                   clade_context *context, uint32_t key, uint32_t value);
void cladei_mpi_batch_free(struct cladei_mpi_batch *batch);

/* Whether a rank may bring as many. */
clade_status cladei_mpi_batch_check(uint64_t count);

/* Afterwards `keys_in` has `receives` keys that are this rank's, and `values_in` their values if
 * the job sends them; and there is room for as many answers. `own` is how it went on this rank
 * until here, `alike` what must be the same on all. */
clade_status cladei_mpi_batch_send(struct cladei_mpi_batch *batch, clade_status own,
                                   const struct cladei_mpi_owners *owners,
                                   const struct cladei_mpi_job *job,
                                   const struct cladei_mpi_alike *alike);

/* The statuses in `statuses_in`, the values in `values_in` and the keys in `found_in`, if the job
 * shows them, go to the ranks that asked. Only operations whose status is CLADE_OK receive a value
 * or a key. Without an array for statuses, the first CLADE_E_FULL or CLADE_E_BUSY is what the call
 * returns. `own` is how the operations went on this rank. */
clade_status cladei_mpi_batch_answer(struct cladei_mpi_batch *batch, clade_status own,
                                     const struct cladei_mpi_job *job);

/* The most operations in a chunk of a rank. Tests make it small. */
extern uint64_t cladei_mpi_batch_most;
