/* SPDX-License-Identifier: Apache-2.0 */
/* The wait for what calls have left in the queue, by looking before the host sleeps. */
#pragma once

#include <stdbool.h>

#include "clade/context.h"

/* Whether the host sleeps too early while it waits: PoCL's on CPUs. Its threads sleep between
 * commands, and wake the host when they are done. To wake one of them takes 15 to 20 us, to wake
 * the host about as long again, and a kernel may take less. So the wait for a call's
 * results looks for a while whether they are there, and the host sleeps only then. */
bool cladei_sleeps_early(const char *platform, const clade_caps *caps);

/* cladei_queue_finish() for the context's own queue, where a caller wants its results soon. It
 * looks only if some call has left work there since the last time: at an empty queue a look takes
 * as long as a launch, and PoCL's clFinish() returns at once. The library's own transfers
 * block in the driver: one that it only looked at might still touch memory of the host's when the
 * wait for it has failed. */
clade_status cladei_queue_await(clade_context *context);
/* A call leaves work in this queue, and does not wait for it. */
void cladei_queue_leave(clade_context *context, cl_command_queue queue);
