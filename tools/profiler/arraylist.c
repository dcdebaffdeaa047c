/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: the array list. */
#include "profiler/profile.h"

static clade_status arraylist_make(struct profile_data *d)
{
    const clade_arraylist_params params = { .capacity = 2ull * d->n, .element_bytes = 4 };
    clade_arraylist *made = NULL;
    const clade_status status = clade_arraylist_create(&made, d->context, &params);
    d->object = made;
    return status;
}

static void arraylist_destroy(struct profile_data *d)
{
    clade_arraylist *made = d->object;
    clade_arraylist_destroy(&made);
}

static clade_status arraylist_check(struct profile_data *d)
{
    return clade_arraylist_check(d->object);
}

static clade_status arraylist_append(struct profile_data *d)
{
    return clade_arraylist_append(d->object, profile_array(d->keys), d->n, NULL);
}

static clade_status arraylist_read(struct profile_data *d)
{
    return clade_arraylist_read(d->object, 0, profile_array(d->out), d->n, NULL);
}

const struct profile_load arraylist_loads[] = {
    { "arraylist",
      arraylist_make,
      arraylist_destroy,
      arraylist_check,
      NULL,
      NULL,
      { NULL },
      { { "append", arraylist_append, 1 },
        { "append as many", arraylist_append, 1 },
        { "read", arraylist_read, 1 } } },
    { 0 },
};
