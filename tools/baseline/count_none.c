/* SPDX-License-Identifier: Apache-2.0 */
/* Where there is no C++ compiler: no std::unordered_map. */
#include "baseline/count.h"

struct baseline_count *baseline_count_run(const char *text, size_t bytes, unsigned k,
                                          bool is_canonical)
{
    (void)text, (void)bytes, (void)k, (void)is_canonical;
    return NULL;
}

void baseline_count_destroy(struct baseline_count *count)
{
    (void)count;
}

uint64_t baseline_count_distinct(const struct baseline_count *count)
{
    (void)count;
    return 0;
}

uint64_t baseline_count_wrong(struct baseline_count *count, const struct baseline_token *tokens,
                              size_t n)
{
    (void)count, (void)tokens;
    return n;
}
