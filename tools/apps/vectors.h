/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of vectors from files: fvecs (floats), and IDX images (bytes), plain or gzipped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vectors {
    uint32_t count;
    uint32_t dimensions; /* of each, 1 .. VECTORS_DIMENSIONS_MAX */
    bool bytes;          /* whether elements are bytes, or else floats */
    void *elements;      /* vector after vector */
};

#define VECTORS_DIMENSIONS_MAX 65535u

/* Read a file. On failure false, and a sentence in `message`; nothing is to be freed then. */
bool vectors_read(struct vectors *out, const char *path, char *message, size_t message_size);
void vectors_free(struct vectors *vectors);

/* The squared distance of two vectors, as the kernel computes it: exact for bytes, in single
 * precision one dimension after the other for floats. Float distances are given as their bits. */
uint32_t vectors_distance(const struct vectors *a, uint32_t i, const struct vectors *b, uint32_t j);
