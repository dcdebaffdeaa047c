/* SPDX-License-Identifier: Apache-2.0 */
/* Fault injection: the n-th OpenCL or allocation call of the library fails.
 *
 * The test programs that use it are linked with --wrap for every function below, so nothing in
 * the library knows of it. OpenCL calls fail with CL_MEM_OBJECT_ALLOCATION_FAILURE, not with
 * CL_OUT_OF_RESOURCES, which some drivers use to say that a work-group is too large. Calls are
 * counted only between arm and disarm, on every thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "harness/fixture.h"

/* The n-th call from now fails, once; 0: none does, they are only counted. */
void fault_arm(uint64_t nth);
/* The same, and all calls after it. */
void fault_arm_from(uint64_t nth);
/* Stop; returns whether a call was made to fail. */
bool fault_disarm(void);
/* The name of the function that was made to fail last. */
const char *fault_name(void);

/* Run `operation` with its first, second, ... guarded call failing until it is not reached any
 * more. Each run must return CLADE_OK (the fault was harmless) or a status of those that mean
 * "the world failed", with a sentence; `after` then looks whether the object is as before.
 * Returns how many calls were made to fail. */
uint64_t fault_every(clade_status (*operation)(void *data), void (*after)(void *data), void *data);
/* The same, with all calls failing from the n-th to the end of the operation. */
uint64_t fault_from_every(clade_status (*operation)(void *data), void (*after)(void *data),
                          void *data);
