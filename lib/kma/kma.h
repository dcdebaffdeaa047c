/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the allocator share. */
#pragma once

#include "clade/kma.h"
#include "clade/shared/kma.h"

#include "object/call.h"

enum kma_kernel { KMA_MAKE_READY, KMA_MALLOC, KMA_FREE, KMA_KERNELS };

struct clade_kma {
    struct cladei_object object;
    uint32_t borrowers;  /* lists */
    bool has_refused;    /* a program of the other debug mode; the caller does not know it yet */
    clade_kma_head head; /* its constants, as on the device */
    cl_kernel kernels[KMA_KERNELS];
    char options[96];      /* what users get */
    char own_options[128]; /* and, where it pays, a bound on registers */
};

void cladei_kma_write_options(clade_kma *kma, const clade_context *context);
/* The options of the library's own kernels on an allocator. */
const char *cladei_kma_own_options(const clade_kma *kma);

/* The constants of a head. `pages` is the whole buffer's. */
void cladei_kma_lay_out(clade_kma_head *head, uint32_t pages, const clade_caps *caps, int debug,
                        int bare);
/* At most so many (log 2) of a class: slots, part hints, slots that part hints are filled from, own
 * hints of small cells (0: none), and own hints of large cells beside each part hint (0: none). */
struct cladei_kma_most {
    uint32_t slots, parts, feeds, own, own_large;
};
/* The same, of a head that has its pages and debug. A file may bring own hints in a heap of any
 * size. */
void cladei_kma_lay_out_for(clade_kma_head *head, struct cladei_kma_most most, int bare);
clade_kma_head cladei_kma_first_head(const clade_kma_head *constants);
/* The words of its tree of pages, tree_words of them. All other bookkeeping is 0, and all ones for
 * cells. */
void cladei_kma_first_tree(const clade_kma_head *head, uint32_t *tree);
/* What refs of 32 bits reach in units of 16 bytes. */
#define CLADEI_KMA_BYTES_MOST ((uint64_t)64 << 30)
uint64_t cladei_kma_usable_bytes(uint64_t bytes);
/* Are all their constants the same? */
bool cladei_kma_heads_agree(const clade_kma_head *a, const clade_kma_head *b);
/* Are the constants of a head that was read from a file those of an allocator of so many bytes? */
bool cladei_kma_head_is_sound(const clade_kma_head *head, uint64_t bytes, bool debug);

/* An allocator that can grow is laid out for the most that it may have. The pages that its buffer
 * does not have yet count as used; they are not free, and nothing is in them. */
static inline uint32_t cladei_kma_missing(const clade_kma *kma)
{
    return kma->head.pages - (uint32_t)(kma->object.bytes / CLADE_KMA_PAGE_BYTES);
}

/* What the buffer may grow to. */
static inline uint64_t cladei_kma_most(const clade_kma *kma)
{
    return (uint64_t)kma->head.pages * CLADE_KMA_PAGE_BYTES;
}

/* A quiescent allocator's bookkeeping, copied to the host. */
struct cladei_kma_image {
    clade_kma_head head;
    uint32_t *words;  /* all of the bookkeeping; word offsets of the head apply */
    uint32_t missing; /* pages at the end that the buffer does not have yet */
};
clade_status cladei_kma_image_open(struct cladei_kma_image *image, const clade_kma *kma);
void cladei_kma_image_close(struct cladei_kma_image *image);
/* Its invariants, and its live blocks when `live` is not NULL. */
clade_status cladei_kma_verify(const struct cladei_kma_image *image, const uint32_t *live,
                               uint64_t count);
/* Whether the info of a superblock's first page, or of a block of pages, may be followed. */
bool cladei_kma_info_is_sound(const struct cladei_kma_image *image, uint32_t page);
/* Make a saved allocator safe to use. All that host or kernels follow is as verified. Nothing can
 * be taken that is no block. Counts and hints begin anew. `bytes`: the size of all of it. */
clade_status cladei_kma_adopt(struct cladei_kma_image *image, uint64_t bytes, bool debug);
/* Whether all `there` refs, which ascend, are those of `live`, in whatever order. */
clade_status cladei_kma_compare_live(const uint32_t *found, uint64_t there, const uint32_t *live,
                                     uint64_t count);
/* Look through the blocks of an allocator in debug mode. Their refs, which only their guards tell,
 * are compared with `live` if that is not NULL. */
clade_status cladei_kma_check_guards(const clade_kma *kma, const struct cladei_kma_image *image,
                                     const uint32_t *live, uint64_t count);
/* The sum of what live blocks were asked for, in debug mode. */
uint64_t cladei_kma_requested(const clade_kma *kma, const struct cladei_kma_image *image);
