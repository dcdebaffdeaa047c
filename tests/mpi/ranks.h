/* SPDX-License-Identifier: Apache-2.0 */
/* What tests with several ranks share. Every rank runs the same tests; one that fails ends the job
 * (run-mpi). */
#pragma once

#include <clade/mpi/comm.h>

#include "harness/fixture.h"

/* All ranks of the job. */
extern clade_mpi *ranks_all;
extern int ranks_me, ranks_count;

/* From main(): begins and ends MPI around fixture_run(). Rank 0 alone prints. */
#define ranks_run(name, tests) ranks_run_group((name), (tests), sizeof(tests) / sizeof((tests)[0]))
int ranks_run_group(const char *name, const struct CMUnitTest *tests, size_t count);

/* The sum of a number over the ranks; whether all have the same. */
uint64_t ranks_sum(uint64_t number);
bool ranks_alike(uint64_t number);
/* All ranks' numbers one after the other, for all; `counts` receives how many each brought. The
 * caller frees it. */
uint64_t *ranks_gather(const uint64_t *numbers, size_t count, size_t *counts, size_t *total);

/* fault_every() where the faults come on rank `bad`, and all ranks do the operation: all must have
 * the same status. */
uint64_t ranks_fault_every(int bad, clade_status (*operation)(void *data),
                           void (*after)(void *data), void *data);
