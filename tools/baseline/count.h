/* SPDX-License-Identifier: Apache-2.0 */
/* What `clade count --check` compares with: std::unordered_map on one core, with a reader of words
 * and sequences of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct baseline_count;

/* Count the words of a text, or its k-mers where k is from 1 to 32. NULL when memory is out, or
 * without C++. */
struct baseline_count *baseline_count_run(const char *text, size_t bytes, unsigned k,
                                          bool is_canonical);
void baseline_count_destroy(struct baseline_count *count);
uint64_t baseline_count_distinct(const struct baseline_count *count);

/* A word, or a k-mer of the letters ACGT, and how often it is said to come. */
struct baseline_token {
    const char *text;
    size_t length;
    uint64_t count;
};

enum { BASELINE_TOKENS_MOST = 64 };

/* How many of up to BASELINE_TOKENS_MOST tokens have another count here. A token that was asked for
 * comes no more: so when all of a list were right, and it is as long as baseline_count_distinct(),
 * it is the whole. */
uint64_t baseline_count_wrong(struct baseline_count *count, const struct baseline_token *tokens,
                              size_t n);

#ifdef __cplusplus
}
#endif
