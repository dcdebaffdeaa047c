/* SPDX-License-Identifier: Apache-2.0 */
/* What host_kma.c asks of the library's own layout and checks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void *host_kma_new(uint32_t pages, uint32_t units, int debug); /* free() it */
uint32_t host_kma_bookkeeping_words(const void *memory);
/* NULL, or the invariant that does not hold. */
const char *host_kma_verify(void *memory, const uint32_t *live, uint64_t count);
/* Has a superblock a group of less than 32 cells? */
bool host_kma_has_short_group(const void *memory);
uint32_t host_kma_bad_frees(const void *memory);
uint32_t host_kma_fault(const void *memory);
