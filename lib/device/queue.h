/* SPDX-License-Identifier: Apache-2.0 */
/* Command queues: whether a caller's may be used, how buffers are filled, and the wait until one is
 * empty. */
#pragma once

#include <stdbool.h>

#include "clade/context.h"

/* Whether calls may use a queue that the caller brought: E_ARG with a sentence when it is of
 * another context or device, or out-of-order. */
clade_status cladei_queue_check(cl_command_queue queue, cl_context context, cl_device_id device);

/* Whether clFinish() of this platform returns before what was flushed earlier has run: Mesa's
 * rusticl, at least 22.3. There it waits only if a command comes after that. */
bool cladei_finish_forgets(const char *platform);

/* Wait until all that was enqueued has run. No other function of the library calls clFinish():
 * tests/check/check-calls. */
clade_status cladei_queue_finish(const clade_context *context, cl_command_queue queue);
/* The same for a function that has failed or that ends something: a failure is not told, and this
 * thread's error stays the first one. */
void cladei_queue_settle(const clade_context *context, cl_command_queue queue);

/* Enqueue copies of a pattern, of 1 to 128 bytes, into `bytes` from the byte `first` on. What ends
 * beyond `cladei_queue_fill_most` is not filled by clEnqueueFillBuffer(), but copied: NVIDIA's
 * driver (580) counts patterns in 32 bits. Of 2^31 of them a command did not end. Of more than 2^32
 * it wrote the first few and said that all was well. Pieces of 1 GiB at greater offsets ended with
 * CL_OUT_OF_RESOURCES. No other function of lib/ calls clEnqueueFillBuffer(), but one of lib/mpi that
 * fills less: tests/check/check-calls. */
clade_status cladei_queue_fill(cl_command_queue queue, cl_mem mem, const void *pattern,
                               size_t pattern_bytes, size_t first, size_t bytes);
extern size_t cladei_queue_fill_most; /* 2^31 - 1; a test chooses less */
