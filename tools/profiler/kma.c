/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: the allocator. */
#include "profiler/profile.h"

static clade_status kma_make(struct profile_data *d)
{
    const uint64_t most = clade_context_caps(d->context)->alloc_bytes_max;
    const uint64_t wanted = (uint64_t)d->n * 1024 + (8u << 20);
    const clade_kma_params params = { .bytes = wanted < most ? wanted : most };
    clade_kma *made = NULL;
    const clade_status status = clade_kma_create(&made, d->context, &params);
    d->object = made;
    return status;
}

static void kma_destroy(struct profile_data *d)
{
    clade_kma *made = d->object;
    clade_kma_destroy(&made);
}

static clade_status kma_check(struct profile_data *d)
{
    return clade_kma_check(d->object, NULL, 0);
}

static clade_status kma_small(struct profile_data *d)
{
    return clade_kma_malloc(d->object, clade_no_array(), 64, profile_array(d->nodes), d->n, NULL);
}

static clade_status kma_large(struct profile_data *d)
{
    return clade_kma_malloc(d->object, clade_no_array(), 512, profile_array(d->nodes), d->n, NULL);
}

static clade_status kma_free(struct profile_data *d)
{
    return clade_kma_free(d->object, profile_array(d->nodes), d->n, NULL);
}

static clade_status kma_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_kma_stats s;
    const clade_status status = clade_kma_stats_read(d->object, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .others = { s.superblocks_created,
                                                        s.superblocks_returned, s.refused } };
    return status;
}

const struct profile_load kma_loads[] = {
    { "kma",
      kma_make,
      kma_destroy,
      kma_check,
      kma_count,
      NULL,
      { "superblocks made", "superblocks returned", "refused" },
      { { "malloc 64 B", kma_small, 1 },
        { "free 64 B", kma_free, 1 },
        { "malloc 512 B", kma_large, 1 },
        { "free 512 B", kma_free, 1 } } },
    { 0 },
};
