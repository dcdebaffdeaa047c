/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: the ad-heap. */
#include "profiler/profile.h"

enum { ROW = 1024 };

static clade_status adheap_make(struct profile_data *d)
{
    const clade_adheap_params params = {
        .heaps = profile_rows(d, ROW), .capacity = ROW, .keep = 1, .count = 1
    };
    clade_adheap *made = NULL;
    const clade_status status = clade_adheap_create(&made, d->context, &params);
    d->object = made;
    return status;
}

static void adheap_destroy(struct profile_data *d)
{
    clade_adheap *made = d->object;
    clade_adheap_destroy(&made);
}

static clade_status adheap_check(struct profile_data *d)
{
    return clade_adheap_check(d->object);
}

static uint32_t adheap_each(const struct profile_data *d)
{
    return d->n / profile_rows(d, ROW) < ROW ? d->n : ROW;
}

static clade_status adheap_insert(struct profile_data *d)
{
    return clade_adheap_insert(d->object, profile_array(d->keys), clade_no_array(), adheap_each(d),
                               profile_array(d->statuses), NULL);
}

static clade_status adheap_feed(struct profile_data *d)
{
    return clade_adheap_feed(d->object, profile_array(d->more), clade_no_array(), 0, adheap_each(d),
                             NULL);
}

static clade_status adheap_pop(struct profile_data *d)
{
    return clade_adheap_pop(d->object, profile_array(d->out), clade_no_array(), adheap_each(d),
                            profile_array(d->statuses), NULL);
}

static clade_status adheap_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_adheap_stats s;
    const clade_status status = clade_adheap_stats_read(d->object, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .others = { s.walks, s.moves, s.plain, s.bridged } };
    return status;
}

const struct profile_load adheap_loads[] = {
    { "adheap",
      adheap_make,
      adheap_destroy,
      adheap_check,
      adheap_count,
      NULL,
      { "walks", "keys moved", "lines, plain", "lines, bridged" },
      { { "insert", adheap_insert, 1 },
        { "feed as many", adheap_feed, 1 },
        { "pop", adheap_pop, 1 } } },
    { 0 },
};
