/* SPDX-License-Identifier: Apache-2.0 */
/* malloc and free inside kernels. docs/inside/kma.md has the invariants and the proofs.
 *
 * An allocator is one buffer: kernels take it as `__global clade_kma_head *kma` (clade_kma_mem()),
 * call clade_kma_malloc_wi() and its kin from `clade/kma.clh`, and get 32-bit refs. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device sees the buffer as `clade_kma_head`; this is the host's handle of it. */
typedef struct clade_kma clade_kma;

/* Zero fields are defaults. */
typedef struct clade_kma_params {
    uint64_t bytes; /* of the whole buffer, bookkeeping (about 1 %) included; required, 128 KiB to
                     * the device's largest buffer and at most 64 GiB. Rounded down to 16 KiB */
    int debug; /* 1: guard every block and report misuse (clade_kma_fault_read()). Kernels must be
                * built with clade_kma_options(); others get no block from this object, and its
                * first error becomes CLADE_E_ARG */
    int bare; /* 0: in a heap of 512 MiB or more, not in debug mode, superblocks for blocks of up to
               * 1 KiB lie ready when it is new or cleared: a first launch of mixed sizes is several
               * times as fast. At most 1/24 of the heap; given up when pages run out. 1: none do */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_kma_params;

/* One size of cell. */
typedef struct clade_kma_class_stats {
    uint64_t cell_bytes;  /* of each */
    uint64_t superblocks; /* that are cut into such cells */
    uint64_t cells;       /* in those superblocks */
    uint64_t live;        /* of them, taken */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_kma_class_stats;

/* What is in an allocator. */
typedef struct clade_kma_stats {
    uint64_t bytes;                    /* of the buffer */
    uint64_t heap_bytes;               /* of it, what blocks can use */
    uint64_t used_bytes;               /* pages of superblocks and blocks of pages in use */
    uint64_t kept_bytes;               /* pages of superblocks without a live block: kept, or ready
                                        * since clearing, until others need them */
    uint64_t peak_bytes;               /* the most that both together have been */
    uint64_t live_blocks;              /* given out and not freed */
    uint64_t live_bytes;               /* of their cells and pages */
    uint64_t requested_bytes;          /* debug mode: what was asked for; else 0 */
    uint64_t page_blocks;              /* live blocks above 16 KiB */
    uint64_t superblocks;              /* that exist */
    uint64_t superblocks_created;      /* since the allocator was made or cleared, what lay ready
                                        * included */
    uint64_t superblocks_returned;     /* of them, ended again */
    uint64_t refused;                  /* requests that got no block */
    uint64_t bad_frees;                /* frees of what was no live block */
    uint64_t longest_free_bytes;       /* the largest block of pages that would fit, by giving up
                                        * what is kept if need be */
    clade_kma_class_stats classes[36]; /* smallest first */
    uint64_t reserved[8];              /* zero: see clade/error.h */
} clade_kma_stats;

/* What debug mode met first. */
typedef struct clade_kma_fault {
    uint32_t kind; /* CLADE_KMA_FAULT_ of clade/shared/kma.h; 0: nothing */
    uint32_t ref;  /* of the block */
    uint32_t item; /* global id of the work-item that found it */
    uint32_t reserved[5]; /* zero: see clade/error.h */
} clade_kma_fault;

/**
 * Create an allocator with everything free.
 *
 * @retval CLADE_OK     `*out` is the allocator.
 * @retval CLADE_E_ARG  `bytes` is too small, or above the device's largest buffer or 64 GiB; the
 *                      message has the limit.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_kma_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built and its bookkeeping is written.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_create(clade_kma **out, clade_context *context,
                                                      const clade_kma_params *params);

/** Free an allocator and every block in it, when no list holds it any more. NULL and pointers to
 * NULL are fine; sets NULL.
 *
 * Owner:   takes the caller's hold on the allocator.
 * Threads: one, when no other uses it.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_kma_destroy(clade_kma **kma);

/** The buffer, for clSetKernelArg(): `__global clade_kma_head *` in the kernel.
 *
 * @return Borrowed.
 *
 * Owner:   the allocator.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_kma_mem(const clade_kma *kma);

/** Compiler options that programs which use this allocator should be built with: required in debug
 * mode; on NVIDIA they bound the registers that malloc's rare long ways would cost every kernel
 * (-cl-nv-maxrregcount=40: leave that out where a kernel of yours needs more).
 *
 * @return Borrowed; "" when there are none; NULL for NULL.
 *
 * Owner:   the allocator.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_kma_options(const clade_kma *kma);

/** Free all blocks at once: the allocator is as it was created, counts included.
 *
 * @retval CLADE_OK  Enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   all refs become invalid.
 * Threads: one at a time per allocator.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_clear(clade_kma *kma, const clade_launch *launch);

/**
 * One block for each of `count` sizes.
 *
 * @param sizes  `count` uint64_t; or no array: then all are of `bytes` bytes.
 * @param refs   Room for `count` uint32_t; 0 where there was no room (clade_kma_stats.refused).
 *
 * @retval CLADE_OK  Done (host arrays) or enqueued (device arrays).
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per allocator.
 * Blocks:  with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_malloc(clade_kma *kma, clade_array sizes,
                                                      uint64_t bytes, clade_array refs,
                                                      uint64_t count, const clade_launch *launch);

/**
 * Free `count` blocks. Refs of 0 do nothing.
 *
 * @retval CLADE_OK  Done (host arrays) or enqueued (device arrays). What was no live block is
 *                   counted in clade_kma_stats.bad_frees.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner, threads, blocks: as clade_kma_malloc().
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_free(clade_kma *kma, clade_array refs,
                                                    uint64_t count, const clade_launch *launch);

/**
 * What the allocator holds, and what happened since it was created or cleared.
 *
 * @retval CLADE_OK         `*out` is filled in.
 * @retval CLADE_E_CORRUPT  A kernel wrote over the bookkeeping; the message says where.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per allocator.
 * Blocks:  until the queue is empty and the bookkeeping is read.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_stats_read(clade_kma *kma, clade_kma_stats *out);

/**
 * Verify the invariants of docs/inside/kma.md while no kernel uses the allocator.
 *
 * @param live   All refs that should be live, in any order; NULL: which blocks are live is not
 * asked.
 * @param count  How many.
 *
 * @retval CLADE_OK         All hold, and the live blocks are exactly those given.
 * @retval CLADE_E_CORRUPT  One does not; the message names the page and the rule.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per allocator.
 * Blocks:  until the queue is empty and the bookkeeping is read.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_check(clade_kma *kma, const uint32_t *live,
                                                     uint64_t count);

/**
 * What debug mode met first since the last call; clears it. Blocks that are live or free are
 * looked through by clade_kma_check(), which finds writes past the end and after free too.
 *
 * @retval CLADE_OK  `*out` is filled in; kind 0 when there is nothing.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per allocator.
 * Blocks:  until the queue is empty.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_fault_read(clade_kma *kma, clade_kma_fault *out);

/**
 * Write the allocator with all its blocks to a file. What freed blocks held goes into it, too; memory
 * that nobody wrote is 0 there.
 *
 * @retval CLADE_OK  Written, by a new file and a rename.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_IO  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per allocator.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_save(clade_kma *kma, const char *path);

/**
 * Make an allocator from a file, on any device whose largest buffer holds it. Refs stay valid.
 *
 * @retval CLADE_OK         `*out` is the allocator.
 * @retval CLADE_E_NOT_FOUND  There is no such file.
 * @retval CLADE_E_CORRUPT  The file is damaged or holds something else; the message says what is wrong.
 *                          All that is followed is verified first, so files of others may be tried.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM, CLADE_E_IO  As named.
 *
 * Owner:   the caller, as with clade_kma_create().
 * Threads: any.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_load(clade_kma **out, clade_context *context,
                                                    const char *path);

#ifdef __cplusplus
}
#endif
