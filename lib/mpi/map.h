/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of maps over ranks: a batch of operations, each done where its key belongs. */
#pragma once

#include "mpi/batch.h"

/* What a call is given. */
struct cladei_mpi_call {
    uint32_t operation; /* the structure's number of it; the same on all ranks */
    uint32_t what;      /* likewise, where the operation has it */
    bool gives_values;  /* values come back; else they go there */
    bool needs_values;
    bool gives_keys; /* keys come back, too */
    clade_array keys, found, values, statuses;
    uint64_t count;
};

struct cladei_mpi_map {
    clade_mpi *mpi;
    struct cladei_mpi_batch batch;
    struct cladei_mpi_owners owners;
    /* Do the operation in the rank's own map, which blocks when arrays lie in host memory; and tell
     * what the calls that do not block have left. With several ranks arrays lie on the device. */
    clade_status (*operate)(void *self, const struct cladei_mpi_call *call);
    clade_status (*size)(void *self, uint64_t *size);
};

/* `self` is what the functions take. All ranks return the same status. `own` is how it went on this
 * rank until here. */
clade_status cladei_mpi_map_run(struct cladei_mpi_map *map, void *self, clade_status own,
                                const struct cladei_mpi_call *call);
/* The sum of all ranks' sizes. */
clade_status cladei_mpi_map_size(struct cladei_mpi_map *map, void *self, uint64_t *size);
