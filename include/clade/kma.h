/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator: malloc and free inside kernels.
 *
 * An allocator is one buffer. Kernels take it as `__global clade_kma_head *kma` (clade_kma_mem()).
 * They call clade_kma_malloc_wi() and the like from `clade/kma.clh`, and get refs: 32-bit numbers
 * that name blocks. docs/inside/kma.md has the invariants and the proofs,
 * docs/figures/kma.md the figures. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The host's handle of an allocator: opaque. Kernels see its buffer as `clade_kma_head`. */
typedef struct clade_kma clade_kma;

/* What an allocator is to be. A zero field means its default. In these comments the heap is the
 * part of the buffer that blocks are cut from. It is cut into pages of 16 KiB. A superblock is a
 * run of pages that is cut into cells of one size; a block of up to 16 KiB is a cell. */
typedef struct clade_kma_params {
    uint64_t bytes; /* of the whole buffer, with the bookkeeping (about 1 %). Required: 128 KiB to
                     * 64 GiB, and no more than the device's largest buffer. Rounded down to a
                     * multiple of 16 KiB */
    int debug; /* 1: guard every block and report misuse (clade_kma_fault_read()). Kernels must then
                * be built with clade_kma_options(). Other kernels get no block from the object, and
                * its first error becomes CLADE_E_ARG */
    int bare;  /* 1: a new or cleared heap has no superblock. 0 (default): a heap of 512 MiB or more
                * that is not in debug mode starts with superblocks for blocks of up to 1 KiB. A
                * first launch of mixed sizes is then several times as fast. They take at most 1/24
                * of the heap, and are given up when pages run out */
    uint64_t most;        /* the most bytes that clade_kma_grow() may give the buffer, up to 64 GiB.
                           * The bookkeeping is made for so many, and takes about 1 % of them. If it
                           * is more than `bytes`, the heap starts without superblocks. Default:
                           * `bytes`: it does not grow */
    uint64_t reserved[7]; /* zero: see clade/error.h */
} clade_kma_params;

/* Counts of one size of cell. */
typedef struct clade_kma_class_stats {
    uint64_t cell_bytes;  /* the size of a cell */
    uint64_t superblocks; /* how many are cut into such cells */
    uint64_t cells;       /* how many cells these superblocks have */
    uint64_t live;        /* how many of the cells are taken */
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
    uint64_t superblocks_created;      /* since the allocator was made or cleared, with those that
                                        * it started with */
    uint64_t superblocks_returned;     /* of them, ended again */
    uint64_t refused;                  /* requests that got no block */
    uint64_t bad_frees;                /* frees of something that was no live block */
    uint64_t longest_free_bytes;       /* the largest block of pages that would fit, if what is kept
                                        * is given up */
    clade_kma_class_stats classes[36]; /* smallest first */
    uint64_t reserved[8];              /* zero: see clade/error.h */
} clade_kma_stats;

/* A compiler option for programs on NVIDIA, where clade_caps.atomics is CLADE_ATOMICS_PTX. Others
 * may refuse it. A kernel gets no more than 40 registers, which is right where it does little but
 * allocate. clade's own kernels are compiled with it. */
#define CLADE_KMA_FEW_REGISTERS "-cl-nv-maxrregcount=40"

/* The first misuse that debug mode met. */
typedef struct clade_kma_fault {
    uint32_t kind;        /* CLADE_KMA_FAULT_... of clade/shared/kma.h; 0: there was none */
    uint32_t ref;         /* the block's ref */
    uint32_t item;        /* the global id of the work-item that found it */
    uint32_t reserved[5]; /* zero: see clade/error.h */
} clade_kma_fault;

/**
 * Create an allocator in which all is free.
 *
 * @retval CLADE_OK     `*out` is the allocator.
 * @retval CLADE_E_ARG  `bytes` is too small, or larger than the device's largest buffer or 64 GiB;
 *                      the message has the limit.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_kma_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built and its bookkeeping is written.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_create(clade_kma **out, clade_context *context,
                                                      const clade_kma_params *params);

/**
 * Free an allocator with every block in it, and set the handle to NULL. If lists borrow the
 * allocator, it lives until the last of them is destroyed. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the caller's hold on the allocator.
 * Threads: one, when no other uses it.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_kma_destroy(clade_kma **kma);

/**
 * The allocator's buffer, an argument for kernels of your own: `__global clade_kma_head *`.
 *
 * @return Borrowed from the allocator, until clade_kma_grow(); NULL for NULL.
 *
 * Owner:   the allocator.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_kma_mem(const clade_kma *kma);

/**
 * Compiler options for programs whose kernels use this allocator.
 *
 * In debug mode they are required. They do not limit the registers of a kernel; that choice is
 * yours. On NVIDIA each kernel that calls malloc needs more registers, for its long ways, which are
 * rarely taken. CLADE_KMA_FEW_REGISTERS among your options takes those registers back.
 *
 * @return Borrowed from the allocator; "" when there are none; NULL for NULL.
 *
 * Owner:   the allocator.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_kma_options(const clade_kma *kma);

/**
 * Free all blocks at once. The allocator is then as it was created, with its counts at 0 and
 * nothing for clade_kma_fault_read().
 *
 * @retval CLADE_OK  Enqueued.
 * @retval CLADE_E_ARG  As named; nothing was done. Or lists have their nodes there: they would be
 *            led by what others write. Destroy them first.
 * @retval CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named. The allocator may be half
 *            cleared: clear it again before anything else uses it.
 *
 * Owner:   all refs become invalid.
 * Threads: one at a time per allocator.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_clear(clade_kma *kma, const clade_launch *launch);

/**
 * Give the allocator a larger buffer, between launches. All blocks stay what they are: refs lead to
 * the same bytes in the new buffer. Afterwards clade_kma_mem() is the new buffer, and kernels of
 * your own must be given that one. Lists that borrow the allocator need not be told.
 *
 * @param bytes   Of the whole buffer: at least what it has, at most clade_kma_params.most. Rounded
 *                down to a multiple of 16 KiB.
 *
 * @retval CLADE_OK     Done.
 * @retval CLADE_E_ARG  `bytes` is less than the allocator has, more than it was made for, or more
 *                      than the device's largest buffer. It is as before.
 * @retval CLADE_E_DEVICE, CLADE_E_NOMEM  As named. It is as before. Both buffers exist for a while.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per allocator.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_grow(clade_kma *kma, uint64_t bytes,
                                                    const clade_launch *launch);

/**
 * Allocate `count` blocks.
 *
 * @param kma     Where from.
 * @param sizes   `count` uint64_t: the bytes of each block. No array: each has `bytes` bytes.
 * @param bytes   The size of all blocks when there is no array of sizes.
 * @param refs    Room for `count` uint32_t: receives the refs, 0 where there was no room.
 *                clade_kma_stats.refused counts those.
 * @param count   How many.
 * @param launch  Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK  Done with an array in host memory, else enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per allocator.
 * Blocks:  with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_malloc(clade_kma *kma, clade_array sizes,
                                                      uint64_t bytes, clade_array refs,
                                                      uint64_t count, const clade_launch *launch);

/**
 * Free `count` blocks. A ref of 0 does nothing.
 *
 * @param kma     Where to.
 * @param refs    `count` uint32_t; only read.
 * @param count   How many.
 * @param launch  Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK  Done with an array in host memory, else enqueued. A ref that names no live
 *                   block is left alone, and counted in clade_kma_stats.bad_frees.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named.
 *
 * Owner, threads, blocks: as clade_kma_malloc().
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_free(clade_kma *kma, clade_array refs,
                                                    uint64_t count, const clade_launch *launch);

/**
 * Read the statistics: what the allocator holds, and what happened since it was created or cleared.
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
 * Verify the invariants of docs/inside/kma.md. No kernel may use the allocator meanwhile. In
 * debug mode the call also finds writes past the end of a block and into a freed one.
 *
 * @param kma    Which one.
 * @param live   Refs of all blocks that should be live, in any order, in host memory. NULL: it does
 *               not matter which blocks are live.
 * @param count  How many refs.
 *
 * @retval CLADE_OK         All hold, and the live blocks are exactly those of `live`.
 * @retval CLADE_E_CORRUPT  One does not hold; the message names the page and the rule.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per allocator.
 * Blocks:  until the queue is empty and the bookkeeping is read.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_check(clade_kma *kma, const uint32_t *live,
                                                     uint64_t count);

/**
 * Read the first misuse that debug mode met since the last call of this function, and forget it.
 * clade_kma_check() looks through all blocks.
 *
 * @retval CLADE_OK  `*out` is filled in; its kind is 0 when there was none.
 * @retval CLADE_E_ARG  An argument is NULL. Or a program of the other mode asked for blocks, or
 *                   freed some, before the heap was full; that is told once, and `*out` is filled in.
 * @retval CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per allocator.
 * Blocks:  until the queue is empty.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_fault_read(clade_kma *kma, clade_kma_fault *out);

/**
 * Write the allocator with all its blocks to a file. The file appears whole or not at all. It also
 * has what freed blocks held; memory that nobody wrote is 0 in it.
 *
 * @retval CLADE_OK  Written.
 * @retval CLADE_E_UNSUPPORTED  The allocator can still grow: only one that has
 *                              clade_kma_params.most bytes is saved.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_IO  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per allocator.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_save(clade_kma *kma, const char *path);

/**
 * Make an allocator from a file that clade_kma_save() wrote, on any device whose largest buffer
 * holds it. Refs stay valid. What the file says is verified before it is used, so the file may come
 * from anybody.
 *
 * @retval CLADE_OK         `*out` is the allocator.
 * @retval CLADE_E_NOT_FOUND  There is no such file.
 * @retval CLADE_E_CORRUPT  The file is damaged or holds something else; the message says what is
 *                          wrong.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM, CLADE_E_IO  As named.
 *
 * Owner:   the caller; clade_kma_destroy() frees it.
 * Threads: any.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_kma_load(clade_kma **out, clade_context *context,
                                                    const char *path);

#ifdef __cplusplus
}
#endif
