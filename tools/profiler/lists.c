/* SPDX-License-Identifier: Apache-2.0 */
/* The loads of `clade profile`: lists, queue, array list. */
#include "profiler/profile.h"

/* Lookups of a semi-linked list walk: few. */
enum { FIND_SHARE = 256 };

static clade_array array(cl_mem mem)
{
    return clade_device(mem, 0);
}

/* --- list ------------------------------------------------------------------------------------- */

static clade_status list_make(struct profile_data *d)
{
    static const uint32_t kinds[4] = { CLADE_LIST_INSERT, CLADE_LIST_CONTAINS, CLADE_LIST_ERASE,
                                       CLADE_LIST_CONTAINS };
    const clade_list_params params = { .capacity = 3ull * d->n };
    const clade_status status = profile_fill_ops(d, kinds);
    return status != CLADE_OK ? status : clade_list_create(&d->list, d->context, &params);
}

static void list_destroy(struct profile_data *d)
{
    clade_list_destroy(&d->list);
}

static clade_status list_check(struct profile_data *d)
{
    return clade_list_check(d->list);
}

static clade_status list_insert(struct profile_data *d)
{
    return clade_list_insert(d->list, array(d->keys), clade_no_array(), d->n, array(d->statuses),
                             NULL);
}

static clade_status list_mix(struct profile_data *d)
{
    return clade_list_apply(d->list, array(d->ops), array(d->more), clade_no_array(), d->n,
                            array(d->statuses), NULL);
}

static clade_status list_contains(struct profile_data *d)
{
    return clade_list_contains(d->list, array(d->keys), d->n, array(d->statuses), NULL);
}

static clade_status list_erase(struct profile_data *d)
{
    return clade_list_erase(d->list, array(d->keys), d->n, array(d->statuses), NULL);
}

static clade_status list_reclaim(struct profile_data *d)
{
    return clade_list_reclaim(d->list, NULL);
}

static clade_status list_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_list_stats s;
    const clade_status status = clade_list_stats_read(d->list, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .retries = s.insert_collisions + s.erase_collisions,
                                            .others = { s.insert_collisions, s.erase_collisions } };
    return status;
}

/* --- dlist ------------------------------------------------------------------------------------ */

static clade_status dlist_make(struct profile_data *d)
{
    static const uint32_t kinds[4] = { CLADE_DLIST_INSERT_AFTER, CLADE_DLIST_GET, CLADE_DLIST_ERASE,
                                       CLADE_DLIST_NEXT };
    const clade_dlist_params params = { .capacity = 3ull * d->n };
    const clade_status status = profile_fill_ops(d, kinds);
    return status != CLADE_OK ? status : clade_dlist_create(&d->dlist, d->context, &params);
}

static void dlist_destroy(struct profile_data *d)
{
    clade_dlist_destroy(&d->dlist);
}

static clade_status dlist_check(struct profile_data *d)
{
    return clade_dlist_check(d->dlist);
}

static clade_status dlist_append(struct profile_data *d)
{
    return clade_dlist_append(d->dlist, array(d->keys), array(d->nodes), d->n, array(d->statuses),
                              NULL);
}

/* Neighbouring items have neighbouring targets, so some meet. */
static clade_status dlist_mix(struct profile_data *d)
{
    return clade_dlist_apply(d->dlist, array(d->ops), array(d->nodes), array(d->more),
                             array(d->out), d->n, array(d->statuses), NULL);
}

static clade_status dlist_reclaim(struct profile_data *d)
{
    return clade_dlist_reclaim(d->dlist, NULL);
}

static clade_status dlist_count(struct profile_data *d, struct profile_counts *counts)
{
    clade_dlist_stats s;
    const clade_status status = clade_dlist_stats_read(d->dlist, &s);
    if (status == CLADE_OK)
        *counts = (struct profile_counts) { .retries = s.insert_collisions + s.erase_collisions,
                                            .others = { s.insert_collisions, s.erase_collisions } };
    return status;
}

/* --- semilist --------------------------------------------------------------------------------- */

static clade_status semilist_make(struct profile_data *d)
{
    static const uint32_t kinds[4] = { CLADE_SEMILIST_APPEND, CLADE_SEMILIST_ERASE_AT,
                                       CLADE_SEMILIST_APPEND, CLADE_SEMILIST_ERASE_AT };
    const clade_semilist_params params = { .capacity = 3ull * d->n };
    const clade_status status = profile_fill_ops(d, kinds);
    return status != CLADE_OK ? status : clade_semilist_create(&d->semilist, d->context, &params);
}

static void semilist_destroy(struct profile_data *d)
{
    clade_semilist_destroy(&d->semilist);
}

static clade_status semilist_check(struct profile_data *d)
{
    return clade_semilist_check(d->semilist);
}

static clade_status semilist_append(struct profile_data *d)
{
    return clade_semilist_append(d->semilist, array(d->keys), clade_no_array(), array(d->nodes),
                                 d->n, NULL);
}

static clade_status semilist_find(struct profile_data *d)
{
    return clade_semilist_find(d->semilist, array(d->keys), array(d->out), clade_no_array(),
                               d->n / FIND_SHARE, array(d->statuses), NULL);
}

static clade_status semilist_mix(struct profile_data *d)
{
    return clade_semilist_apply(d->semilist, array(d->ops), array(d->more), clade_no_array(),
                                array(d->nodes), d->n, array(d->statuses), NULL);
}

static clade_status semilist_reclaim(struct profile_data *d)
{
    return clade_semilist_reclaim(d->semilist, NULL);
}

/* --- queue ------------------------------------------------------------------------------------ */

static clade_status queue_make(struct profile_data *d)
{
    const clade_queue_params params = { .capacity = d->n > 1 ? d->n : 2 };
    return clade_queue_create(&d->queue, d->context, &params);
}

static void queue_destroy(struct profile_data *d)
{
    clade_queue_destroy(&d->queue);
}

static clade_status queue_check(struct profile_data *d)
{
    return clade_queue_check(d->queue);
}

static clade_status queue_append(struct profile_data *d)
{
    return clade_queue_append(d->queue, array(d->keys), d->n, array(d->statuses), NULL);
}

static clade_status queue_pop(struct profile_data *d)
{
    return clade_queue_pop(d->queue, array(d->out), d->n, array(d->nodes), NULL);
}

/* --- arraylist -------------------------------------------------------------------------------- */

static clade_status arraylist_make(struct profile_data *d)
{
    const clade_arraylist_params params = { .capacity = 2ull * d->n, .element_bytes = 4 };
    return clade_arraylist_create(&d->arraylist, d->context, &params);
}

static void arraylist_destroy(struct profile_data *d)
{
    clade_arraylist_destroy(&d->arraylist);
}

static clade_status arraylist_check(struct profile_data *d)
{
    return clade_arraylist_check(d->arraylist);
}

static clade_status arraylist_append(struct profile_data *d)
{
    return clade_arraylist_append(d->arraylist, array(d->keys), d->n, NULL);
}

static clade_status arraylist_read(struct profile_data *d)
{
    return clade_arraylist_read(d->arraylist, 0, array(d->out), d->n, NULL);
}

/* --- the table -------------------------------------------------------------------------------- */

const struct profile_load profile_list_loads[] = {
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
    { "queue",
      queue_make,
      queue_destroy,
      queue_check,
      NULL,
      NULL,
      { NULL },
      { { "append", queue_append, 1 }, { "pop", queue_pop, 1 } } },
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
};

const size_t profile_list_load_count = sizeof profile_list_loads / sizeof profile_list_loads[0];
