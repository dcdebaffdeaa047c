/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: k-selection. */
#include "profiler/profile.h"

enum { ROW = 8192 };

static clade_status kselect_make_one(void **out, struct profile_data *d, uint32_t output)
{
    const uint64_t length = d->n < ROW ? d->n : ROW;
    const clade_kselect_params params = { .length = length,
                                          .k = length / 10 + 1,
                                          .output = output };
    clade_kselect *made = NULL;
    const clade_status status = clade_kselect_create(&made, d->context, &params);
    *out = made;
    return status;
}

static clade_status kselect_make(struct profile_data *d)
{
    const clade_status status = kselect_make_one(&d->object, d, CLADE_KSELECT_ANY);
    return status != CLADE_OK ? status : kselect_make_one(&d->second, d, CLADE_KSELECT_SORTED);
}

static void kselect_destroy(struct profile_data *d)
{
    clade_kselect *any = d->object, *sorted = d->second;
    clade_kselect_destroy(&any);
    clade_kselect_destroy(&sorted);
}

static clade_status kselect_any(struct profile_data *d)
{
    return clade_kselect_run(d->object, profile_array(d->keys), profile_array(d->out),
                             clade_no_array(), profile_rows(d, ROW), NULL);
}

static clade_status kselect_sorted(struct profile_data *d)
{
    return clade_kselect_run(d->second, profile_array(d->keys), profile_array(d->out),
                             clade_no_array(), profile_rows(d, ROW), NULL);
}

const struct profile_load kselect_loads[] = {
    { "kselect",
      kselect_make,
      kselect_destroy,
      NULL,
      NULL,
      NULL,
      { NULL },
      { { "a tenth, any order", kselect_any, 1 }, { "a tenth, sorted", kselect_sorted, 1 } } },
    { 0 },
};
