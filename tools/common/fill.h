/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a buffer of any size. */
#pragma once

#include <CL/cl.h>

/* Enqueue copies of a word into the first `bytes`, a multiple of 4. NVIDIA's driver (580) does not
 * end a fill of 2^31 words, and fills parts of a larger one. So what lies beyond 1 GiB is copied.
 */
cl_int fill_words(cl_command_queue queue, cl_mem mem, cl_uint word, size_t bytes);
