/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: the hash map. */
#include "profiler/profile.h"

static clade_status map_make(struct profile_data *d)
{
    const clade_hashmap_params params = { .capacity = 2ull * d->n, .value = CLADE_U32 };
    clade_hashmap *made = NULL;
    const clade_status status = clade_hashmap_create(&made, d->context, &params);
    d->object = made;
    return status;
}

static void map_destroy(struct profile_data *d)
{
    clade_hashmap *made = d->object;
    clade_hashmap_destroy(&made);
}

static clade_status map_check(struct profile_data *d)
{
    return clade_hashmap_check(d->object);
}

static clade_status map_insert(struct profile_data *d)
{
    return clade_hashmap_insert(d->object, profile_array(d->keys), profile_array(d->keys), d->n,
                                profile_array(d->statuses), NULL);
}

static clade_status map_insert_more(struct profile_data *d)
{
    return clade_hashmap_insert(d->object, profile_array(d->more), profile_array(d->more), d->n,
                                profile_array(d->statuses), NULL);
}

static clade_status map_update(struct profile_data *d)
{
    return clade_hashmap_update(d->object, profile_array(d->keys), profile_array(d->ops),
                                CLADE_HASHMAP_PLUS, d->n, profile_array(d->statuses), NULL);
}

static clade_status map_find(struct profile_data *d)
{
    return clade_hashmap_find(d->object, profile_array(d->keys), profile_array(d->out), d->n,
                              profile_array(d->statuses), NULL);
}

static clade_status map_erase(struct profile_data *d)
{
    return clade_hashmap_erase(d->object, profile_array(d->keys), clade_no_array(), d->n,
                               profile_array(d->statuses), NULL);
}

static clade_status map_find_absent(struct profile_data *d)
{
    return clade_hashmap_find(d->object, profile_array(d->keys), clade_no_array(), d->n,
                              profile_array(d->statuses), NULL);
}

const struct profile_load hashmap_loads[] = {
    { "hashmap",
      map_make,
      map_destroy,
      map_check,
      NULL,
      NULL,
      { NULL },
      { { "insert", map_insert, 1 },
        { "insert into as many", map_insert_more, 1 },
        { "find", map_find, 1 },
        { "update", map_update, 1 },
        { "erase half", map_erase, 1 },
        { "find absent", map_find_absent, 1 } } },
    { 0 },
};
