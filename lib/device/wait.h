/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for the end of what a caller wants soon, by looking before the host sleeps. */
#pragma once

#include <stdbool.h>

#include "clade/context.h"

/* Whether the host sleeps too early while it waits: PoCL's on CPUs. Its threads sleep between
 * commands, and wake the host when they are done. To wake one of them takes 15 to 20 us, to wake
 * the host about as long again, and a kernel may take less. So waits look for a while whether there
 * is something left to wait for, and sleep only then. */
bool cladei_sleeps_early(const char *platform, const clade_caps *caps);

/* The same as cladei_queue_finish() for the context's own queue, where a caller wants its results
 * soon. It looks only if some call has left work there since: in PoCL a look at an empty queue
 * takes as long as a launch, and clFinish() returns at once. */
clade_status cladei_queue_await(clade_context *context);
/* A call leaves work in this queue, and does not wait for it. */
void cladei_queue_leave(clade_context *context, cl_command_queue queue);
/* Read a buffer, or write to it, and wait until that is done. When these fail, too, nothing touches
 * the host's memory any more. */
clade_status cladei_queue_read(const clade_context *context, cl_command_queue queue, cl_mem mem,
                               size_t offset, size_t bytes, void *to);
clade_status cladei_queue_write(const clade_context *context, cl_command_queue queue, cl_mem mem,
                                size_t offset, size_t bytes, const void *from);
