/* SPDX-License-Identifier: Apache-2.0 */
/* A driver whose copies and kernels come late, and ranks that come late: what is not waited for is
 * seen not to be there yet, or to come over what is newer. OpenCL and MPI allow any delay. Copies
 * that block are as they were. */
#pragma once

#include "harness/fixture.h"

/* A command begins up to so much later than it could, and a rank stays so long before and after the
 * exchanges of numbers. */
void late_driver_on(unsigned microseconds);
/* Returns how many commands were late. From here on it is as usual: on time, unless told. */
unsigned late_driver_off(void);
void late_driver_usual(unsigned microseconds);
/* How many commands have not begun, of those since the last question; without `queue`'s. */
unsigned late_driver_left(cl_command_queue queue);

/* A driver that begins with nothing before somebody waits for something. */
void late_driver_lazy(bool lazy);
/* Somebody waits: by a call that does not come to the late driver. */
void late_driver_wait(void);
