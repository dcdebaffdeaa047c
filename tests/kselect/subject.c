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

/* Rows of 0 to 12 keys. */
static clade_status kselect_run_each(struct subject *s)
{
    const uint64_t offsets[] = { 0, 0, 1, 4, 12, 24 };
    const uint32_t ks[] = { 3, 3, 2, 0, 3 };
    memset(s->out, 0, sizeof s->out);
    memset(s->found, 0, sizeof s->found);
    clade_status status =
        clade_kselect_run_each(s->object, KEYS(s), clade_host(offsets), clade_host(ks), OUT(s),
                               FOUND(s), 5, STATUS(s), NULL);
    if (status == CLADE_OK) {
        subject_mix_words(s, s->out, 5 * 3);
        subject_mix_words(s, s->found, 5 * 3);
        subject_mix_words(s, s->statuses, 5);
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
    .ops = { { "run", kselect_run, SUBJECT_LOOKS }, { "each", kselect_run_each, SUBJECT_LOOKS } },
};

const struct subject_kind *const kselect_subjects[] = { &kselect_kind, NULL };
