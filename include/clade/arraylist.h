/* SPDX-License-Identifier: Apache-2.0 */
/* An array that work-groups and items append to inside kernels; it grows without moving.
 * docs/inside/arraylist.md has its invariants.
 *
 * Kernels take `__global clade_arraylist_head *list` (clade_arraylist_mem()) and
 * `__global clade_kma_head *kma` (of clade_arraylist_kma()), and call clade_arraylist_append_wg()
 * and its kin from `clade/arraylist.clh`. */
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

/* Zero fields are defaults. */
typedef struct clade_arraylist_params {
    uint64_t capacity;      /* elements at most; required, 1 .. CLADE_ARRAYLIST_CAPACITY_MAX */
    uint32_t element_bytes; /* required, a multiple of 4, at most CLADE_ARRAYLIST_ELEMENT_MAX */
    uint32_t first;         /* elements of the first segment, rounded up to a power of two; default
                             * 1,024 */
    clade_kma *kma;         /* where segments come from: borrowed, and held by the list.
                             * Default: an allocator of the list's own, for `capacity` elements */
    uint64_t reserved[4];   /* zero: see clade/error.h */
} clade_arraylist_params;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create an empty list. No segment is there yet.
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

/** Free a list, its segments, and its own allocator. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the list.
 * Threads: one, when no other uses the list or its allocator.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_arraylist_destroy(clade_arraylist **list);

/**
 * Append `count` elements: all, or none.
 *
 * @param elements  `count` elements of element_bytes.
 *
 * @retval CLADE_OK      Done (host array) or enqueued (device array).
 * @retval CLADE_E_FULL  The capacity is reached, or there is no block for the next segment. With a
 *                       device array the next call that blocks tells.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named; nothing was done.
 *
 * Owner:   the array stays the caller's; a device array is borrowed until the work is done.
 * Threads: one at a time per list, and none that uses the same allocator.
 * Blocks:  with a host array.
 */
CLADE_API CLADE_CHECKED clade_status clade_arraylist_append(clade_arraylist *list,
                                                            clade_array elements, uint64_t count,
                                                            const clade_launch *launch);

/**
 * Copy elements first .. first + count - 1 to an array.
 *
 * @retval CLADE_OK  Done (host array) or enqueued (device array).
 * @retval CLADE_E_ARG  The list has not so many; nothing was done.
 * @retval CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   as clade_arraylist_append().
 * Threads: one at a time per list.
 * Blocks:  until the size is known; with a host array until it is filled.
 */
CLADE_API CLADE_CHECKED clade_status clade_arraylist_read(clade_arraylist *list, uint64_t first,
                                                          clade_array elements, uint64_t count,
                                                          const clade_launch *launch);

/**
 * Make it empty. Its segments stay, for the elements to come.
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
 * How many elements there are.
 *
 * @retval CLADE_OK      Known.
 * @retval CLADE_E_FULL  An earlier append of a device array was refused. Told once.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_arraylist_size(clade_arraylist *list, uint64_t *size);

/**
 * Verify on a quiescent list that the segments of all elements are there, and, with an allocator of
 * its own, that they are its only live blocks.
 *
 * @retval CLADE_OK         So it is.
 * @retval CLADE_E_CORRUPT  The message says what is not.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_arraylist_check(clade_arraylist *list);

/** Compiler options for programs with kernels on this list: clade_kma_options() of its allocator.
 *
 * @return Borrowed from the allocator; NULL for NULL.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_arraylist_options(const clade_arraylist *list);

/** The list's buffer and its allocator, for kernels of your own.
 *
 * @return Borrowed from `list`.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_arraylist_mem(const clade_arraylist *list);
/** The allocator that it draws from: see clade_arraylist_mem(). */
CLADE_API clade_kma *clade_arraylist_kma(const clade_arraylist *list);

#ifdef __cplusplus
}
#endif
