/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted keys of all ranks, in one order at one rank. */
#pragma once

#include "mpi/arrays.h"
#include "mpi/exchange.h"

/* Where to, and what. */
struct cladei_mpi_gathering {
    struct cladei_mpi_exchange *exchange;
    clade_context *context;
    uint32_t types[2]; /* of the keys, and of the values or CLADE_NONE */
    uint32_t order;
    int root;
    uint64_t room; /* on the root: of the arrays there; if it is too small the call is refused */
};

/* Every rank gives its first `count`. All ranks return the same status. */
clade_status cladei_mpi_gather(const struct cladei_mpi_gathering *gathering, clade_array from_keys,
                               clade_array from_values, uint64_t count, clade_array keys,
                               clade_array values);
