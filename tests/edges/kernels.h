/* SPDX-License-Identifier: Apache-2.0 */
/* What programs share that launch kernels on lanes as the host does. Include device.h and the
 * kernels first; -DGROUP= is how many items a group has. Arrays are of exactly the size that is
 * used, so that AddressSanitizer sees their ends, and begin at an element that is not the first. */
#pragma once

#undef min
#undef max
#include "edges/edge.h"

/* `name` as a function for launch(): a call with the arguments that a variable of the test holds.
 */
#define AS_KERNEL(name, ...)                        \
    static void name(void *argument, void *scratch) \
    {                                               \
        (void)argument, (void)scratch;              \
        __VA_ARGS__;                                \
    }

static inline void *room(size_t bytes)
{
    void *memory = malloc(bytes + (bytes == 0));
    if (!memory)
        exit(1);
    memset(memory, 0x5a, bytes);
    return memory;
}

static inline void launch_with(void (*kernel)(void *, void *), ulong items, size_t scratch_bytes)
{
    if (items > 0)
        shim_launch(kernel, NULL, (items + GROUP - 1) / GROUP, GROUP, scratch_bytes);
}

static inline void launch(void (*kernel)(void *, void *), ulong items)
{
    launch_with(kernel, items, 1);
}
