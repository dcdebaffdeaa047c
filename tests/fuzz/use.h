/* SPDX-License-Identifier: Apache-2.0 */
/* What tests/W/fuzz_use.c is written with: the device functions, called by one thread. Include it
 * after the device headers. */
#pragma once

static inline uint use_draw(uint *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The next operation: by any item of 64 groups of one. Gives a number that says what it does. */
static inline uint use_begin(uint *state)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 64 };
    shim_self.global_id = shim_self.group_id = use_draw(state) % 64u;
    return use_draw(state);
}

/* A kernel of an item for each cell, and of one more. */
#define USE_EVERY_CELL(cells, call)                                                        \
    do {                                                                                   \
        shim_self = (struct shim_item) { .local_size = 1, .groups = (cells) + 1u };        \
        for (; shim_self.global_id <= (cells); shim_self.group_id = ++shim_self.global_id) \
            call;                                                                          \
        shim_self = (struct shim_item) { 0 };                                              \
    } while (0)
