/* SPDX-License-Identifier: Apache-2.0 */
/* A batch sorted by owner, on the device, and elements to and from that order. */
#pragma once

#include <stdbool.h>

#include "mpi/arrays.h"
#include "mpi/kernels.h"

/* Who has a key: the first rank whose splitter is not below its image, or the last; without
 * splitters it goes by hash. */
struct cladei_mpi_owners {
    const uint64_t *splitters; /* ranks - 1 of them, or NULL */
    uint32_t ranks;
};
int cladei_mpi_owner(const struct cladei_mpi_owners *owners, uint64_t image);

enum cladei_mpi_sorter_kernel {
    SORTER_COUNT,
    SORTER_MOVE,
    SORTER_SCATTER,
    SORTER_GATHER,
    SORTER_KERNELS
};

struct cladei_mpi_sorter {
    clade_context *context;
    uint32_t ranks;
    uint32_t blocks_most;
    cl_kernel kernels[SORTER_KERNELS];
    uint64_t room;  /* of the following, in operations */
    cl_mem given;   /* what the caller has on the host */
    cl_mem sorted;  /* what is sent, or came back */
    cl_mem answers; /* statuses that came back */
    cl_mem place;   /* of each operation in what is sent */
    cl_mem counts, splitters;
    uint32_t *own_counts; /* `counts` on the host */
};

clade_status cladei_mpi_sorter_make(struct cladei_mpi_sorter *sorter, clade_context *context,
                                    uint32_t ranks);
void cladei_mpi_sorter_free(struct cladei_mpi_sorter *sorter);

/* Sort `count` keys of `type`: `to` on the host receives them by rank, and `send` how many each
 * rank has. */
clade_status cladei_mpi_sort_keys(struct cladei_mpi_sorter *sorter,
                                  const struct cladei_mpi_owners *owners, clade_array keys,
                                  uint32_t type, uint64_t count, void *to, uint64_t *send);
/* Elements of `bytes` in the order of the sorted keys, to the host. */
clade_status cladei_mpi_sort_values(struct cladei_mpi_sorter *sorter, clade_array values,
                                    uint64_t bytes, uint64_t count, void *to);
/* Statuses in the order of the sorted keys: cladei_mpi_unsort() may ask for them. */
clade_status cladei_mpi_sort_statuses(struct cladei_mpi_sorter *sorter, const void *statuses,
                                      uint64_t count);
/* From the order of the sorted keys, on the host, to the caller's; with `only_found` only where the
 * status is CLADE_OK: the rest of the array stays as it was. */
clade_status cladei_mpi_unsort(struct cladei_mpi_sorter *sorter, const void *from,
                               clade_array array, uint64_t bytes, uint64_t count, bool only_found);
/* The place of each operation, to the host. */
clade_status cladei_mpi_sort_places(struct cladei_mpi_sorter *sorter, uint64_t count,
                                    uint32_t *places);
