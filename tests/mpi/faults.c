/* SPDX-License-Identifier: Apache-2.0 */
/* Faults on one rank of many. */
#include <mpi.h>

#include "fault/fault.h"
#include "mpi/ranks.h"

static bool means_the_world_failed(clade_status status)
{
    return status == CLADE_E_NOMEM || status == CLADE_E_DEVICE || status == CLADE_E_UNSUPPORTED ||
           status == CLADE_E_NOT_FOUND || status == CLADE_E_IO || status == CLADE_E_BUILD;
}

uint64_t ranks_fault_every(int bad, clade_status (*operation)(void *data),
                           void (*after)(void *data), void *data)
{
    uint64_t n = 0;
    for (int reached = 1; reached; n++) {
        if (ranks_me == bad)
            fault_arm(n + 1);
        const clade_status status = operation(data);
        if (ranks_me == bad)
            reached = fault_disarm();
        MPI_Bcast(&reached, 1, MPI_INT, bad, MPI_COMM_WORLD);
        const bool allowed = status == CLADE_OK || (reached && means_the_world_failed(status));
        if (!allowed)
            print_error("call %llu (%s): %s: %s\n", (unsigned long long)n + 1, fault_name(),
                        clade_status_name(status), clade_error_last()->message);
        assert_true(allowed);
        assert_true(ranks_alike((uint64_t)-status));
        if (after)
            after(data);
        if (ranks_me == 0 && n % 100 == 99) /* so a job that is ended tells whether it hung */
            print_error("%llu calls have failed\n", (unsigned long long)n + 1);
    }
    return n - 1;
}
