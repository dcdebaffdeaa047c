/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that keeps what memory had when a buffer was made over it (CL_MEM_USE_HOST_PTR), and
 * brings it back when that buffer is mapped: OpenCL allows it. PoCL works on the memory itself. */
#pragma once

void caching_driver_on(void);
/* Of the buffers mapped since then, the second one and those after it take so much longer. */
void caching_driver_slow(unsigned milliseconds);
/* Returns how many buffers were brought back. */
unsigned caching_driver_off(void);
