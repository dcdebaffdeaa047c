/* SPDX-License-Identifier: Apache-2.0 */
/* Queues that the caller brought. */
#pragma once

#include "clade/context.h"

/* Whether calls may use a queue that the caller brought: E_ARG with a sentence when it is of
 * another context or device, or out-of-order. */
clade_status cladei_queue_check(cl_command_queue queue, cl_context context, cl_device_id device);
