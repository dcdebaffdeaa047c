/* SPDX-License-Identifier: Apache-2.0 */
/* An array that grows: work-groups and work-items append to it inside kernels. Elements never move,
 * because they lie in segments, each a block of an allocator.
 *
 * Kernels take `__global clade_arraylist_head *list` (clade_arraylist_mem()) and
 * `__global clade_kma_head *kma` (clade_kma_mem() of clade_arraylist_kma()). They call
 * clade_arraylist_append_wg() and the like from `clade/arraylist.clh`. docs/inside/arraylist.md
 * has the invariants. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/kma.h"
#include "clade/shared/arraylist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array list: opaque. */
typedef struct clade_arraylist clade_arraylist;

/* What a list is to be. A zero field means its default. */
typedef struct clade_arraylist_params {
    uint64_t capacity;      /* the most elements; required, 1 .. CLADE_ARRAYLIST_CAPACITY_MAX */
    uint32_t element_bytes; /* the size of an element; required, a multiple of 4 that is at most
                             * CLADE_ARRAYLIST_ELEMENT_MAX */
    uint32_t first;         /* elements of the first segment, rounded up to a power of two; default
                             * 1,024. The second has as many, each later one twice the one before */
    clade_kma *kma;         /* segments are blocks of this allocator, which the list borrows and
                             * holds. Default: an allocator of the list's own, with room for
                             * `capacity` elements */
    uint64_t reserved[4];   /* zero: see clade/error.h */
} clade_arraylist_params;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create an empty list. It has no segment yet.
 *
 * @retval CLADE_OK     `*out` is the list.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_arraylist_destroy() frees it. It holds its context and a borrowed
 *          allocator.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_arraylist_create(clade_arraylist **out,
                                                            clade_context *context,
                                                            const clade_arraylist_params *params);

/**
 * Free a list and its segments, with the allocator if that is the list's own, and set the handle to
 * NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the list.
 * Threads: one, when no other uses the list or its allocator.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_arraylist_destroy(clade_arraylist **list);

/**
 * Append `count` elements: all or none.
 *
 * @param list      Which one.
 * @param elements  `count` elements of clade_arraylist_params.element_bytes each.
 * @param count     How many.
 * @param launch    Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      Done with an array in host memory, else enqueued.
 * @retval CLADE_E_FULL  They would be more than the capacity, or the allocator has no block for the
 *                       next segment. With a device array the next append of a host array tells
 *                       so, or clade_arraylist_size().
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named; nothing was done.
 *
 * Owner:   the array stays the caller's; a device array is borrowed until the work is done.
 * Threads: one at a time per list, and none that uses the same allocator.
 * Blocks:  with a host array.
 */
CLADE_API CLADE_CHECKED clade_status clade_arraylist_append(clade_arraylist *list,
                                                            clade_array elements, uint64_t count,
                                                            const clade_launch *launch);

/**
 * Copy the elements first .. first + count - 1 to an array.
 *
 * @param list      Which one.
 * @param first     The index of the first element to copy.
 * @param elements  Room for `count` elements.
 * @param count     How many.
 * @param launch    Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK  Done with an array in host memory, else enqueued.
 * @retval CLADE_E_ARG  The list has fewer elements, or another argument is wrong; nothing was done.
 * @retval CLADE_E_CORRUPT  The list's words were written over: it has more elements than its
 *                   capacity, or a segment is not there or not in its allocator.
 * @retval CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named.
 *
 * Owner:   as clade_arraylist_append().
 * Threads: one at a time per list.
 * Blocks:  until the size is known; with a host array until it is filled; and while the kernel that
 *          reads many segments is built, when it is first needed.
 */
CLADE_API CLADE_CHECKED clade_status clade_arraylist_read(clade_arraylist *list, uint64_t first,
                                                          clade_array elements, uint64_t count,
                                                          const clade_launch *launch);

/**
 * Empty the list. Its segments stay, for new elements.
 *
 * @retval CLADE_OK, CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  without a launch.
 */
CLADE_API CLADE_CHECKED clade_status clade_arraylist_clear(clade_arraylist *list,
                                                           const clade_launch *launch);

/**
 * Count the elements.
 *
 * @retval CLADE_OK      `*size` is exact.
 * @retval CLADE_E_FULL  An earlier append of a device array was refused. It is told once.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_arraylist_size(clade_arraylist *list, uint64_t *size);

/**
 * Verify that the segments of all elements are there. No kernel may use the list meanwhile. If the
 * allocator is the list's own, the call also verifies that it has no other live blocks.
 *
 * @retval CLADE_OK         All is as it must be.
 * @retval CLADE_E_CORRUPT  The message says what is not.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_arraylist_check(clade_arraylist *list);

/**
 * Compiler options for programs with kernels on this list: clade_kma_options() of its allocator.
 *
 * @return Borrowed from the allocator; NULL for NULL.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_arraylist_options(const clade_arraylist *list);

/**
 * The list's buffer, an argument for kernels of your own: `__global clade_arraylist_head *`.
 *
 * @return Borrowed from `list`.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_arraylist_mem(const clade_arraylist *list);
/**
 * The allocator that the segments come from, for the second argument: see clade_arraylist_mem().
 */
CLADE_API clade_kma *clade_arraylist_kma(const clade_arraylist *list);

#ifdef __cplusplus
}
#endif
