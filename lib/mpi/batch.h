/* SPDX-License-Identifier: Apache-2.0 */
/* A batch of operations: to the ranks that own the keys, and the answers back in the caller's
 * order. */
#pragma once

#include "mpi/arrays.h"
#include "mpi/exchange.h"
#include "mpi/sort.h"

struct cladei_mpi_batch {
    clade_context *context; /* what uses the batch holds it */
    uint32_t key, value;    /* types */
    struct cladei_mpi_exchange exchange;
    struct cladei_mpi_sorter sorter;
    uint64_t count; /* operations of this rank */
    /* Page-locked. */
    struct cladei_mpi_stage keys_out, values_out, statuses_out;
    struct cladei_mpi_stage keys_in, values_in, statuses_in;
    bool has_found; /* keys come back, too: those in `found_in` */
    struct cladei_mpi_stage found_in, found_out;
};

clade_status cladei_mpi_batch_make(struct cladei_mpi_batch *batch, clade_mpi *mpi,
                                   clade_context *context, uint32_t key, uint32_t value);
void cladei_mpi_batch_free(struct cladei_mpi_batch *batch);

/* Whether a rank may bring as many. */
clade_status cladei_mpi_batch_check(uint64_t count);

/* Afterwards `keys_in` has exchange.receives keys that are this rank's, ordered by who asks, and
 * `values_in` their values (0 where none were given) if `has_values`; and there is room for as many
 * answers. `own` is how it went on this rank until here, `alike` what must be the same on all. */
clade_status cladei_mpi_batch_send(struct cladei_mpi_batch *batch, clade_status own,
                                   const struct cladei_mpi_owners *owners, clade_array keys,
                                   clade_array values, bool has_values, uint64_t count,
                                   const struct cladei_mpi_alike *alike);

/* The statuses in `statuses_in`, the values in `values_in` if `has_values`, and the keys in
 * `found_in` if the batch has them, go to the ranks that asked. Only operations whose status is
 * CLADE_OK receive a value or a key. An array that is not given takes nothing. Without one for
 * statuses, the first CLADE_E_FULL or CLADE_E_BUSY is what the call returns. `own` is how the
 * operations went on this rank. */
clade_status cladei_mpi_batch_answer(struct cladei_mpi_batch *batch, clade_status own,
                                     clade_array found, clade_array values, bool has_values,
                                     clade_array statuses);
