/* SPDX-License-Identifier: Apache-2.0 */
/* The wait for what calls have left in the queue, by looking before the host sleeps. */
#pragma once

#include <stdbool.h>

#include "clade/context.h"

/* Whether the host sleeps too early while it waits: PoCL's on CPUs. Its threads sleep between
 * commands, and wake the host when they are done. To wake one of them takes 15 to 20 us, to wake
 * the host about as long again, and a kernel may take less. So the wait for a call's results looks
 * for a while whether they are there, and the host sleeps only then. */
bool cladei_sleeps_early(const char *platform, const clade_caps *caps);

/* cladei_queue_finish() for the context's own queue, where a caller wants its results soon. It
 * looks at the last kernel that a call of the library has launched there, if there was one since
 * the last such wait, and if each had one group: others want all cores, and who looks has one. Not
 * at a marker: at the end of a kernel PoCL's threads would all wake for that. Nor does the library
 * look at its own transfers: they block in the driver, for one that was only looked at might still
 * touch memory of the host's when the wait for it has failed. */
clade_status cladei_wait(clade_context *context);
/* That kernel's event, which becomes the context's own; NULL: it has several groups. Any thread. */
void cladei_wait_expect(clade_context *context, cl_event event);
