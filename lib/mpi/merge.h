/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted runs, one after the other, as one. */
#pragma once

#include <stdint.h>

#include "mpi/fail.h"

/* A key's image, and where the key is. */
struct cladei_mpi_entry {
    uint64_t image, index;
};

/* `counts` has the lengths of the runs. Equal keys keep their order. `entries` and `spare` have
 * room for all; returns the one that has the result. Changes `counts`. */
struct cladei_mpi_entry *cladei_mpi_merge(struct cladei_mpi_entry *entries,
                                          struct cladei_mpi_entry *spare, uint64_t *counts,
                                          int runs);
