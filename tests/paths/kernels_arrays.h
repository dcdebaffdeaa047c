/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for the programs of the kernels of paths. Include the kernels first. */
#pragma once

#include "edges/kernels.h"

enum { FIRST = 3, GUARD = 0x5a5a5a5a };

/* It begins where a line of the cache does. */
static void *lines(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        exit(1);
    memset(memory, 0x5a, bytes);
    return memory;
}

/* An array that begins at its FIRST word; exactly so long. */
static uint *array(uint count)
{
    return room((FIRST + (size_t)count) * sizeof(uint));
}

static void end_array(uint *words)
{
    expect(words[FIRST - 1] == GUARD, "before an array", words[FIRST - 1], 0);
    free(words);
}
