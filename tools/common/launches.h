/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as the library enqueues them, with their events: `clade profile`, `clade bench --events`.
 * A context made with `profiling`, launches_add as its on_launch and a `struct launches` as its
 * data fills it in while `records` is set. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <clade/clade.h>

struct launch {
    cl_kernel kernel;
    cl_event event;
};

struct launches {
    bool records;
    bool lost; /* memory ran out: some are missing */
    size_t count, room;
    struct launch *all; /* in order */
};

/* Both are retained. `data` is a struct launches. */
void launches_add(void *data, cl_kernel kernel, cl_event event);
/* Released; the room stays. */
void launches_forget(struct launches *launches);
void launches_free(struct launches *launches);
/* How long it was on the device, by the device's clock. It must be done. False: the driver does not
 * tell. */
bool launch_ms(const struct launch *launch, double *ms);
