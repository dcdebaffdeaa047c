/* SPDX-License-Identifier: Apache-2.0 */
/* The queue in fuzz_use.c: how large, an empty one, what loading does (tests/fuzz/kinds.h). */
#include "fuzz/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "queue/fuzz.h"
#include "queue/queue.h"

enum { SHIFT = 4 };

static size_t queue_bytes(unsigned variant)
{
    (void)variant;
    return sizeof(clade_queue_head) + (4u << SHIFT);
}

static void queue_empty(unsigned variant, uint32_t *words)
{
    clade_queue_head *head = (clade_queue_head *)words;
    (void)variant;
    fuzz_put_head(words,
                  &(struct cladei_object) { .kind = CLADE_QUEUE_KIND, .shape = CLADE_QUEUE_SHAPE });
    head->shift = SHIFT;
    for (uint32_t i = 0; i < 1u << SHIFT; i++)
        words[sizeof *head / 4 + i] = CLADE_QUEUE_EMPTY;
}

static clade_status queue_load(unsigned variant, uint32_t *words)
{
    (void)variant;
    return cladei_queue_verify(words, SHIFT);
}

static void queue_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    (void)variant;
    use_queue(object, seed, steps);
}

const struct fuzz_kind queue_fuzz[] = {
    { 1, queue_bytes, queue_empty, queue_load, queue_use, NULL },
    { 0 },
};
