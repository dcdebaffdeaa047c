/* SPDX-License-Identifier: Apache-2.0 */
/* A heap of the front engine, smallest key first, in host memory, laid out and checked by the
 * library (host_front.c). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What keys and values are, u32 unless a test says otherwise before all else. */
extern uint32_t host_front_key_type, host_front_value_type;
/* An empty heap, whose blocks hold garbage; free() it. */
void *host_front_new(uint32_t capacity, uint32_t batch, uint32_t leaf);
size_t host_front_bytes(uint32_t capacity, uint32_t leaf);
/* NULL, or the invariant that does not hold, of a heap with so many keys inside. */
const char *host_front_check(void *heap, uint32_t capacity, uint32_t leaf, uint64_t keys);
/* At rest: whoever began an operation has ended it, so that what was unlinked can be used again. */
int host_front_is_left(const void *heap);
/* How large it is, and the part before its keys. */
size_t host_front_bytes(uint32_t capacity, uint32_t leaf);
size_t host_front_head_bytes(uint32_t capacity, uint32_t leaf);
/* Make it anew as for a file or from one; NULL, or what is wrong with it. */
const char *host_front_renew(void *heap, uint32_t capacity, uint32_t leaf);
