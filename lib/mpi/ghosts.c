/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of other ranks to which arcs lead: a set of bits with ranks. */
#include <stdlib.h>

#include "mpi/ghosts.h"

clade_status cladei_mpi_ghosts_make(struct cladei_mpi_ghosts *ghosts, uint64_t nodes)
{
    clade_status status = CLADE_OK;
    ghosts->words = nodes / 32 + 1;
    ghosts->bits = calloc((size_t)ghosts->words, sizeof *ghosts->bits);
    ghosts->before = calloc((size_t)ghosts->words, sizeof *ghosts->before);
    CLADEM_REQUIRE(ghosts->bits && ghosts->before, CLADE_E_NOMEM, "host memory is out");
fail:
    return status;
}

void cladei_mpi_ghosts_free(struct cladei_mpi_ghosts *ghosts)
{
    free(ghosts->bits);
    free(ghosts->before);
    *ghosts = (struct cladei_mpi_ghosts) { 0 };
}

static uint32_t ones(uint32_t word)
{
    return (uint32_t)__builtin_popcount(word);
}

uint64_t cladei_mpi_ghosts_count(struct cladei_mpi_ghosts *ghosts)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < ghosts->words; i++) {
        ghosts->before[i] = (uint32_t)count;
        count += ones(ghosts->bits[i]);
    }
    return count;
}

uint64_t cladei_mpi_ghosts_before(const struct cladei_mpi_ghosts *ghosts, uint64_t node)
{
    const uint32_t below = ((uint32_t)1 << node % 32) - 1;
    return ghosts->before[node / 32] + ones(ghosts->bits[node / 32] & below);
}
