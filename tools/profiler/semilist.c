/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: the semi-linked list. */
#include "profiler/profile.h"

/* Lookups walk: few. */
enum { FIND_SHARE = 256 };

static clade_status semilist_make(struct profile_data *d)
{
    static const uint32_t kinds[4] = { CLADE_SEMILIST_APPEND, CLADE_SEMILIST_ERASE_AT,
                                       CLADE_SEMILIST_APPEND, CLADE_SEMILIST_ERASE_AT };
    const clade_semilist_params params = { .capacity = 3ull * d->n };
    clade_semilist *made = NULL;
    clade_status status = profile_fill_ops(d, kinds);
    if (status == CLADE_OK)
        status = clade_semilist_create(&made, d->context, &params);
    if (status == CLADE_OK) /* the kernels of all calls are there before a clock runs */
        status = clade_semilist_reclaim(made, NULL);
    d->object = made;
    return status;
}

static void semilist_destroy(struct profile_data *d)
{
    clade_semilist *made = d->object;
    clade_semilist_destroy(&made);
}

static clade_status semilist_check(struct profile_data *d)
{
    return clade_semilist_check(d->object);
}

static clade_status semilist_append(struct profile_data *d)
{
    return clade_semilist_append(d->object, profile_array(d->keys), clade_no_array(),
                                 profile_array(d->nodes), d->n, NULL);
}

static clade_status semilist_find(struct profile_data *d)
{
    return clade_semilist_find(d->object, profile_array(d->keys), profile_array(d->out),
                               clade_no_array(), d->n / FIND_SHARE, profile_array(d->statuses),
                               NULL);
}

static clade_status semilist_mix(struct profile_data *d)
{
    return clade_semilist_apply(d->object, profile_array(d->ops), profile_array(d->more),
                                clade_no_array(), profile_array(d->nodes), d->n,
                                profile_array(d->statuses), NULL);
}

static clade_status semilist_reclaim(struct profile_data *d)
{
    return clade_semilist_reclaim(d->object, NULL);
}

const struct profile_load semilist_loads[] = {
    { "semilist",
      semilist_make,
      semilist_destroy,
      semilist_check,
      NULL,
      NULL,
      { NULL },
      { { "add", semilist_append, 1 },
        { "find", semilist_find, FIND_SHARE },
        { "add, erase", semilist_mix, 1 },
        { "reclaim", semilist_reclaim, 1 } } },
    { 0 },
};
