/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: the doubly linked list. */
#include "profiler/profile.h"

static clade_status dlist_make(struct profile_data *d)
{
    static const uint32_t kinds[4] = { CLADE_DLIST_INSERT_AFTER, CLADE_DLIST_GET, CLADE_DLIST_ERASE,
                                       CLADE_DLIST_NEXT };
    const clade_dlist_params params = { .capacity = 3ull * d->n };
    clade_dlist *made = NULL;
    clade_status status = profile_fill_ops(d, kinds);
    if (status == CLADE_OK)
        status = clade_dlist_create(&made, d->context, &params);
    d->object = made;
    return status;
}

static void dlist_destroy(struct profile_data *d)
{
    clade_dlist *made = d->object;
    clade_dlist_destroy(&made);
}

static clade_status dlist_check(struct profile_data *d)
{
    return clade_dlist_check(d->object);
}

static clade_status dlist_append(struct profile_data *d)
{
    return clade_dlist_append(d->object, profile_array(d->keys), profile_array(d->nodes), d->n,
                              profile_array(d->statuses), NULL);
}

/* Neighbouring items have neighbouring targets, so some meet. */
static clade_status dlist_mix(struct profile_data *d)
{
    return clade_dlist_apply(d->object, profile_array(d->ops), profile_array(d->nodes),
                             profile_array(d->more), profile_array(d->out), d->n,
                             profile_array(d->statuses), NULL);
}

static clade_status dlist_reclaim(struct profile_data *d)
{
    return clade_dlist_reclaim(d->object, NULL);
}

static clade_status dlist_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_dlist_stats s;
    const clade_status status = clade_dlist_stats_read(d->object, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .retries = s.insert_collisions + s.erase_collisions,
                                            .others = { s.insert_collisions, s.erase_collisions } };
    return status;
}

const struct profile_load dlist_loads[] = {
    { "dlist",
      dlist_make,
      dlist_destroy,
      dlist_check,
      dlist_count,
      "failed compare-and-swaps",
      { "of inserts", "of erasures" },
      { { "append", dlist_append, 1 },
        { "insert, erase, get, next", dlist_mix, 1 },
        { "reclaim", dlist_reclaim, 1 } } },
    { 0 },
};
