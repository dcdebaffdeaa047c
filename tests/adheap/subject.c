/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap as a subject of tests/harness/subject.h. */
#include "harness/subject_inside.h"

#include <clade/adheap.h>

enum { HEAPS = 4, EACH = HALF / HEAPS };

static clade_status adheap_create(struct subject *s)
{
    clade_adheap *heaps = NULL;
    clade_status status = clade_adheap_create(
        &heaps, s->context,
        &(clade_adheap_params) {
            .heaps = HEAPS, .capacity = 2 * EACH, .arity = 8, .key = CLADE_U32, .values = 1 });
    s->object = heaps;
    return status;
}

SUBJECT_USUAL(adheap)

static void adheap_fill(struct subject *s)
{
    assert_ok(clade_adheap_insert(s->object, KEYS(s), VALUE(s), EACH, NONE, NULL));
}

static void adheap_drain(struct subject *s)
{
    uint32_t sizes[HEAPS] = { 0 };
    assert_ok(clade_adheap_sizes(s->object, clade_host(sizes), NULL));
    subject_mix_words(s, sizes, HEAPS);
    assert_ok(clade_adheap_pop(s->object, OUT(s), FOUND(s), 2 * EACH, NONE, NULL));
    for (size_t i = 0; i < HEAPS; i++) {
        subject_mix_words(s, s->out + i * 2 * EACH, sizes[i]);
        subject_mix_words(s, s->found + i * 2 * EACH, sizes[i]);
    }
}

SUBJECT_CALL(adheap_insert,
             clade_adheap_insert(s->object, MORE(s), VALUE(s), EACH, STATUS(s), NULL))

static clade_status adheap_pop(struct subject *s)
{
    clade_status status = clade_adheap_pop(s->object, OUT(s), FOUND(s), EACH - 2, STATUS(s), NULL);
    if (status == CLADE_OK)
        subject_mix_words(s, s->out, HEAPS * (EACH - 2));
    return status;
}

static clade_status adheap_update(struct subject *s)
{
    uint32_t nodes[HEAPS] = { 0, 1, 2, 3 };
    return clade_adheap_update(s->object, clade_host(nodes), MORE(s), VALUE(s), 1, STATUS(s), NULL);
}

SUBJECT_CALL(adheap_build, clade_adheap_build(s->object, MORE(s), VALUE(s), EACH, NULL))
SUBJECT_CALL(adheap_feed, clade_adheap_feed(s->object, MORE(s), VALUE(s), 0, EACH, NULL))

/* Batches come in order. */
static clade_status adheap_merge(struct subject *s)
{
    uint32_t keys[HALF];
    for (uint32_t i = 0; i < HALF; i++) {
        uint32_t at = i;
        for (; at % EACH > 0 && keys[at - 1] > s->keys[HALF + i]; at--)
            keys[at] = keys[at - 1];
        keys[at] = s->keys[HALF + i];
    }
    return clade_adheap_merge(s->object, clade_host(keys), VALUE(s), EACH, STATUS(s), NULL);
}

SUBJECT_CALL(adheap_peek, clade_adheap_peek(s->object, OUT(s), FOUND(s), NONE, NULL))
SUBJECT_CALL(adheap_clear, clade_adheap_clear(s->object, NULL))
SUBJECT_CALL(adheap_stats, clade_adheap_stats_read(s->object, &(clade_adheap_stats) { 0 }))

static const struct subject_kind adheap_kind = {
    "ad-heap",
    adheap_create,
    adheap_destroy,
    adheap_load,
    adheap_check,
    adheap_mem,
    adheap_fill,
    adheap_drain,
    { { "insert", adheap_insert, SUBJECT_CHANGES },
      { "pop", adheap_pop, SUBJECT_CHANGES },
      { "update", adheap_update, SUBJECT_CHANGES },
      { "build", adheap_build, SUBJECT_CHANGES },
      { "feed", adheap_feed, SUBJECT_CHANGES },
      { "merge", adheap_merge, SUBJECT_CHANGES },
      { "peek", adheap_peek, SUBJECT_LOOKS },
      { "clear", adheap_clear, SUBJECT_CHANGES },
      { "stats", adheap_stats, SUBJECT_LOOKS },
      { "check", adheap_check, SUBJECT_LOOKS },
      { "save", adheap_save, SUBJECT_LOOKS } },
};

const struct subject_kind *const adheap_subjects[] = { &adheap_kind, NULL };
