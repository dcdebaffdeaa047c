/* SPDX-License-Identifier: Apache-2.0 */
/* A red-black tree in host memory, laid out by hand: keys of -DKEY= (CLADE_U32), 32-bit values. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Whether trees are `ranked`: as -DRANKED says, until a test changes it. */
extern int rbtree_memory_ranked;

/* An empty tree in zeroed memory that is aligned to 16 bytes; the bytes that it takes. */
size_t rbtree_memory_bytes(uint32_t leaves, uint32_t leaf_capacity);
void rbtree_memory_make(void *memory, uint32_t leaves, uint32_t leaf_capacity);

/* What loading a file makes of such a tree, which may hold anything; a status. */
int rbtree_memory_load(void *memory, uint32_t leaves, uint32_t leaf_capacity);

/* All invariants of a tree that nobody uses: NULL, or what is wrong. */
const char *rbtree_memory_check(void *memory, uint32_t leaves, uint32_t leaf_capacity,
                                uint64_t *size);
/* Leaves in the tree; 0 when it is not sound. */
uint64_t rbtree_memory_leaves(void *memory, uint32_t leaves, uint32_t leaf_capacity);
