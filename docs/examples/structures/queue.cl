/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/queue.clh"

/* Take a job; what is left of it goes to the end of the queue. */
__kernel void work(__global clade_queue_head *todo)
{
    uint job;
    if (clade_queue_pop_wi(todo, &job) == CLADE_OK && job > 0)
        clade_queue_append_wi(todo, job - 1); /* CLADE_E_FULL: it is the caller's again */
}
