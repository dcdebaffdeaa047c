/* SPDX-License-Identifier: Apache-2.0 */
/* 0/1 knapsack instances: read, made up, written.
 *
 * A file is text, plain, gzip or xz: the number of items and the capacity, on one line or on two,
 * then a line "PROFIT WEIGHT" for each item. A line of as many 0 and 1 may follow (a solution;
 * it is passed over), and empty lines may stand anywhere. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/textfile.h"

#define KNAPSACK_ITEMS_MAX    ((uint64_t)1 << 26)
#define KNAPSACK_VALUE_MAX    ((uint64_t)UINT32_MAX) /* of a profit or a weight */
#define KNAPSACK_CAPACITY_MAX ((uint64_t)INT64_MAX)

struct knapsack {
    uint64_t items; /* 1 .. KNAPSACK_ITEMS_MAX */
    uint64_t capacity;
    uint32_t *profit; /* 0 is allowed, also for weights */
    uint32_t *weight;
};

/* Read an instance. On failure `*out` is untouched, and `error` has the file, the line and the
 * reason. The caller frees it with knapsack_free(). */
bool knapsack_read(struct knapsack *out, const char *path, struct file_error *error);
bool knapsack_read_memory(struct knapsack *out, const char *name, const void *data, size_t bytes,
                          struct file_error *error);

/* How profits follow from weights, which are 1 .. 1000. */
enum knapsack_kind {
    KNAPSACK_UNCORRELATED, /* any profit from 1 to 1000 */
    KNAPSACK_WEAK,         /* the weight and up to 100 more or less, at least 1 */
    KNAPSACK_STRONG        /* the weight and 100: hard for bounds */
};

/* Make an instance up; its capacity is a third of all weight. The same arguments give the same
 * instance everywhere. false: memory is out. */
bool knapsack_generate(struct knapsack *out, uint64_t items, enum knapsack_kind kind,
                       uint64_t seed);

bool knapsack_write(const struct knapsack *knapsack, const char *path, struct file_error *error);

/* Free what it points to; NULL is fine. It is then empty. */
void knapsack_free(struct knapsack *knapsack);
