/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: the heap. */
#include "profiler/profile.h"

static clade_status heap_make(struct profile_data *d, uint32_t engine)
{
    const clade_heap_params params = { .capacity = 2ull * d->n, .engine = engine };
    clade_heap *made = NULL;
    const clade_status status = clade_heap_create(&made, d->context, &params);
    d->object = made;
    return status;
}

static clade_status heap_make_down(struct profile_data *d)
{
    return heap_make(d, CLADE_HEAP_TOP_DOWN);
}

static clade_status heap_make_up(struct profile_data *d)
{
    return heap_make(d, CLADE_HEAP_BOTTOM_UP);
}

static clade_status heap_make_front(struct profile_data *d)
{
    return heap_make(d, CLADE_HEAP_FRONT);
}

static void heap_destroy(struct profile_data *d)
{
    clade_heap *made = d->object;
    clade_heap_destroy(&made);
}

static clade_status heap_check(struct profile_data *d)
{
    return clade_heap_check(d->object);
}

static clade_status heap_insert(struct profile_data *d)
{
    return clade_heap_insert(d->object, profile_array(d->keys), clade_no_array(), d->n, NULL);
}

static clade_status heap_insert_more(struct profile_data *d)
{
    return clade_heap_insert(d->object, profile_array(d->more), clade_no_array(), d->n, NULL);
}

static clade_status heap_pop(struct profile_data *d)
{
    return clade_heap_pop(d->object, profile_array(d->out), clade_no_array(), d->n,
                          profile_array(d->nodes), NULL);
}

static clade_status heap_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_heap_stats s;
    const clade_status status = clade_heap_stats_read(d->object, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .operations = s.inserts + s.pops,
                                            .retries = s.lock_retries,
                                            .others = { s.cooperations, s.refused } };
    return status;
}

#define HEAP_LOAD(name, make)                                                             \
    {                                                                                     \
        name, make, heap_destroy, heap_check, heap_count, "failed tries to take a lock",  \
            { "taken from an insert", "refused" },                                        \
        {                                                                                 \
            { "insert", heap_insert, 1 }, { "insert into as many", heap_insert_more, 1 }, \
                { "pop half", heap_pop, 1 }, { "pop the rest", heap_pop, 1 },             \
        }                                                                                 \
    }

const struct profile_load heap_loads[] = {
    HEAP_LOAD("heap", heap_make_down),
    HEAP_LOAD("heap-up", heap_make_up),
    HEAP_LOAD("heap-front", heap_make_front),
    { 0 },
};
