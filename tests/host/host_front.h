/* SPDX-License-Identifier: Apache-2.0 */
/* A heap of the front engine, u32 keys and values, in host memory, laid out and checked by the
 * library (host_front.c). */
#pragma once

#include <stdint.h>

/* An empty heap, whose blocks hold garbage; free() it. */
void *host_front_new(uint32_t capacity, uint32_t batch, uint32_t leaf);
/* NULL, or the invariant that does not hold, of a heap with so many keys inside. */
const char *host_front_check(void *heap, uint32_t capacity, uint32_t leaf, uint64_t keys);
