/* SPDX-License-Identifier: Apache-2.0 */
/* What host_kma.c asks of the library's own layout and checks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void *host_kma_new(uint32_t pages, uint32_t units, int debug); /* free() it */
/* Of memory that is there once somebody writes to it. */
void *host_kma_new_nowhere(uint32_t pages, uint32_t units, int debug);
void host_kma_end_nowhere(void *memory, uint32_t pages);
/* Of a GPU with so many multiprocessors: where there is room, superblocks lie ready after clearing.
 */
void *host_kma_new_as_on_gpus(uint32_t pages, uint32_t units);
/* However small it is, four places have hints of their own for cells to 64 bytes, and from 128
 * pages on for those of 640 bytes and more, too. A file may bring such a heap. */
void *host_kma_new_with_own_hints(uint32_t pages);
/* Of a buffer of so many bytes. */
uint32_t host_kma_usable_pages(uint64_t bytes);
uint32_t host_kma_bookkeeping_words(const void *memory);
void host_kma_clear(void *memory); /* what clade_kma_clear() writes without a kernel */
/* NULL, or the invariant that does not hold. */
const char *host_kma_verify(void *memory, const uint32_t *live, uint64_t count);
/* Has a superblock a group of less than 32 cells? */
bool host_kma_has_short_group(const void *memory);
uint32_t host_kma_bad_frees(const void *memory);
uint32_t host_kma_fault(const void *memory);
/* How many requests of a class, or of blocks of so many pages, a heap at rest has room for: what is
 * free as its words say, not as anybody finds it. */
uint64_t host_kma_room(const void *memory, uint32_t class_);
uint64_t host_kma_room_of_pages(const void *memory, uint32_t pages);
/* What clade_kma_load() does with an image from a file: NULL, or why it is refused. */
const char *host_kma_adopt(void *memory, uint32_t pages, int debug);
