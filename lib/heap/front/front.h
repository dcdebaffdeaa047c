/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's buffer, seen from the host. */
#pragma once

#include "clade/heap.h"
#include "clade/shared/heap_front.h"
#include "object/object.h"

/* Where everything is: byte offsets, and how many. */
struct cladei_front {
    uint32_t shape; /* CLADE_HEAP_SHAPE: what kernels compare with */
    uint32_t leaf, key_bytes, value_bytes, width;
    uint64_t capacity;
    uint64_t at[3]; /* leaves, entries, directories */
    uint64_t epochs_at, ring_at, bits_at[3], sums_at[3], keys_at, values_at, bytes;
    uint32_t count[3], sums[3]; /* by pool */
};
enum { FRONT_LEAVES, FRONT_ENTRIES, FRONT_DIRS };

/* The most keys of a batch: local memory holds a leaf of twice as many, and a batch. */
uint32_t cladei_front_batch(const clade_context *context, uint32_t key, uint32_t value);
/* Keys of a leaf for a heap with these parameters, batch filled in. */
uint32_t cladei_front_leaf(const clade_context *context, const clade_heap_params *params);
/* Whether groups of this device can work on leaves of so many keys. */
bool cladei_front_leaf_fits(const clade_context *context, const clade_heap_params *params,
                            uint32_t leaf);
/* Plan a buffer for `capacity` keys in leaves of `leaf` keys. */
clade_status cladei_front_plan(struct cladei_front *front, uint64_t capacity, uint32_t leaf,
                               uint32_t key_bytes, uint32_t value_bytes);
/* The state of an empty heap: all that lies before its keys (front->keys_at bytes). */
void cladei_front_image(const struct cladei_front *front, char *bytes);
/* Write it. */
clade_status cladei_front_format(const struct cladei_front *front,
                                 const struct cladei_object *object, struct cladei_run *run);

/* The head of an empty heap. */
void cladei_front_head(const struct cladei_front *front, uint32_t *words);
/* The free bits of a pool, and their sums, into zeroed words: of all units for which `seen` has 0
 * or `retired`. */
void cladei_front_pool_bits(const struct cladei_front *front, uint32_t pool, const uint8_t *seen,
                            uint8_t retired, uint32_t *bits, uint32_t *sums);
/* A copy of all bytes, to be freed. */
clade_status cladei_front_read(const struct cladei_front *front, const struct cladei_object *object,
                               char **bytes);
/* Verify all bytes of a quiescent heap, and make them anew from what is in it, for a file, or from
 * one: what can be derived is, what earlier operations left behind is not in it. `common` becomes
 * the head's beginning. */
clade_status cladei_front_renew(const struct cladei_front *front, char *bytes,
                                const clade_heap_head *common);

/* What a check counts. */
struct cladei_front_sum {
    uint64_t keys, in_front;
    uint32_t leaves, empty, depth; /* in the trie */
    uint32_t used[3];              /* units that are not free, by pool */
};
/* Verify a quiescent heap; the same of a copy of all its bytes. */
clade_status cladei_front_check(const struct cladei_front *front,
                                const struct cladei_object *object, struct cladei_front_sum *sum);
clade_status cladei_front_verify(const struct cladei_front *front, char *bytes,
                                 struct cladei_front_sum *sum);
