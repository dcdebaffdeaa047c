/* SPDX-License-Identifier: Apache-2.0 */
/* K-selection (no content: the results are all) as a subject of tests/harness/subject.h. */
#include "harness/subject_inside.h"

#include <clade/kselect.h>

enum { HEAPS = 4, EACH = HALF / HEAPS };

static clade_status kselect_create(struct subject *s)
{
    clade_kselect *selector = NULL;
    clade_status status =
        clade_kselect_create(&selector, s->context,
                             &(clade_kselect_params) { .length = EACH,
                                                       .k = 3,
                                                       .key = CLADE_U32,
                                                       .output = CLADE_KSELECT_SORTED,
                                                       .indices = 1 });
    s->object = selector;
    return status;
}

SUBJECT_DESTROY(kselect)

static void kselect_fill(struct subject *s)
{
    (void)s;
}

static clade_status kselect_run(struct subject *s)
{
    clade_status status = clade_kselect_run(s->object, KEYS(s), OUT(s), FOUND(s), 2 * HEAPS, NULL);
    if (status == CLADE_OK) {
        subject_mix_words(s, s->out, 2 * HEAPS * 3);
        subject_mix_words(s, s->found, 2 * HEAPS * 3);
    }
    return status;
}

static void kselect_drain(struct subject *s)
{
    assert_ok(kselect_run(s));
}

static const struct subject_kind kselect_kind = {
    .name = "k-selection",
    .create = kselect_create,
    .destroy = kselect_destroy,
    .fill = kselect_fill,
    .drain = kselect_drain,
    .ops = { { "run", kselect_run, SUBJECT_LOOKS } },
};

const struct subject_kind *const kselect_subjects[] = { &kselect_kind, NULL };
