/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a buffer of any size. */
#include "common/fill.h"

#define PIECE ((size_t)1 << 30)

cl_int fill_words(cl_command_queue queue, cl_mem mem, cl_uint word, size_t bytes)
{
    size_t done = bytes < PIECE ? bytes : PIECE;
    cl_int code = clEnqueueFillBuffer(queue, mem, &word, sizeof word, 0, done, 0, NULL, NULL);
    while (code == CL_SUCCESS && done < bytes) {
        const size_t left = bytes - done, more = left < PIECE ? left : PIECE;
        code = clEnqueueCopyBuffer(queue, mem, mem, 0, done, more, 0, NULL, NULL);
        done += more;
    }
    return code;
}
