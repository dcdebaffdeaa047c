/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: the list. */
#include "profiler/profile.h"

static clade_status list_make(struct profile_data *d)
{
    static const uint32_t kinds[4] = { CLADE_LIST_INSERT, CLADE_LIST_CONTAINS, CLADE_LIST_ERASE,
                                       CLADE_LIST_CONTAINS };
    const clade_list_params params = { .capacity = 3ull * d->n };
    clade_list *made = NULL;
    clade_status status = profile_fill_ops(d, kinds);
    if (status == CLADE_OK)
        status = clade_list_create(&made, d->context, &params);
    d->object = made;
    return status;
}

static void list_destroy(struct profile_data *d)
{
    clade_list *made = d->object;
    clade_list_destroy(&made);
}

static clade_status list_check(struct profile_data *d)
{
    return clade_list_check(d->object);
}

static clade_status list_insert(struct profile_data *d)
{
    return clade_list_insert(d->object, profile_array(d->keys), clade_no_array(), d->n,
                             profile_array(d->statuses), NULL);
}

static clade_status list_mix(struct profile_data *d)
{
    return clade_list_apply(d->object, profile_array(d->ops), profile_array(d->more),
                            clade_no_array(), d->n, profile_array(d->statuses), NULL);
}

static clade_status list_contains(struct profile_data *d)
{
    return clade_list_contains(d->object, profile_array(d->keys), d->n, profile_array(d->statuses),
                               NULL);
}

static clade_status list_erase(struct profile_data *d)
{
    return clade_list_erase(d->object, profile_array(d->keys), d->n, profile_array(d->statuses),
                            NULL);
}

static clade_status list_reclaim(struct profile_data *d)
{
    return clade_list_reclaim(d->object, NULL);
}

static clade_status list_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_list_stats s;
    const clade_status status = clade_list_stats_read(d->object, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .retries = s.insert_collisions + s.erase_collisions,
                                            .others = { s.insert_collisions, s.erase_collisions } };
    return status;
}

const struct profile_load list_loads[] = {
    { "list",
      list_make,
      list_destroy,
      list_check,
      list_count,
      "failed compare-and-swaps",
      { "of inserts", "of erasures" },
      { { "insert", list_insert, 1 },
        { "insert, erase, contains", list_mix, 1 },
        { "contains", list_contains, 1 },
        { "erase", list_erase, 1 },
        { "reclaim", list_reclaim, 1 } } },
    { 0 },
};
