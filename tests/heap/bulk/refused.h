/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that do not go the bulk way, and leave the heap as it was: it has keys, is half done, has a
 * NaN, or the pop is one of some of the front. */
#pragma once

#include "heap/bulk/calls.h"

/* Neither call changes a heap, but for these words. */
static void refused(const char *what, bool is_insert)
{
    const size_t bytes = host_front_bytes(CAPACITY, CLADE_HEAP_LEAF);
    void *before = room(bytes);
    memcpy(before, job.heap, bytes);
    job.keys = NULL;
    job.values = NULL;
    expect(!(is_insert ? insert(0, 700) : begin_pop(400)), what, is_insert, 0);
    expect(memcmp(before, job.heap, bytes) == 0, "a heap was changed", is_insert, 0);
    free(before);
}

static void refuse_word(const char *what, uint *word, uint value, bool is_insert)
{
    const uint before = *word;
    *word = value;
    refused(what, is_insert);
    *word = before;
}

static void refusals(void)
{
    static const uint locks[] = { CLADE_FRONT_W_ROUND_LEFT, CLADE_FRONT_W_IS_AHEAD,
                                  CLADE_FRONT_W_RING_LOCK, CLADE_FRONT_W_TIDY };
    for (uint is_insert = 0; is_insert < 2; is_insert++) {
        uint *word = job.heap + CLADE_FRONT_W_WORD;
        begin_call();
        if (!is_insert)
            expect(insert(0, 900), "an insert for refusals", 0, 0);
        begin_call();
        refuse_word("after a verdict", (uint *)&head()->verdict, 1, is_insert);
        for (uint i = 0; i < 4; i++)
            refuse_word("half done", job.heap + locks[i], 1, is_insert);
        refuse_word("while somebody owns the front", word, *word - CLADE_FRONT_GUARD_HIGH,
                    is_insert);
        refuse_word("more left than listed", word, *word + 1u, is_insert);
        const struct cladei_bulk_heap h = cladei_bulk_open(job.heap);
        for (uint next = 0; next < 2; next++) {
            clade_front_words e = cladei_bulk_epoch(h, (*word >> CLADE_FRONT_TAG_SHIFT) + next);
            uint *copied = (uint *)e + CLADE_FRONT_E_COPIED;
            refuse_word(next ? "the next front in use" : "keys that are not copied yet", copied,
                        *copied + 1u, is_insert);
        }
        if (!is_insert) {
            uint *leaf = (uint *)cladei_bulk_leaf(h, first_leaf());
            refuse_word("with a leaf that is not as it should be", leaf + CLADE_FRONT_L_COUNT,
                        leaf[CLADE_FRONT_L_COUNT] | CLADE_FRONT_SPLIT, 0);
            refuse_word("with keys that are on their way in", leaf + CLADE_FRONT_L_DONE,
                        leaf[CLADE_FRONT_L_DONE] - 1u, 0);
        }
        if (is_insert) {
            refuse_word("with a NaN", (uint *)&head()->nan, 3, 1);
            refuse_word("in a heap that has keys", job.heap + CLADE_FRONT_W_SIZE, 1, 1);
        }
    }
    /* A pop of fewer keys than the front has; the front is what a divided leaf left. */
    job.keys = room((FIRST + 100) * sizeof(image));
    job.values = room((FIRST - 1 + 100) * sizeof(uint));
    begin_call();
    expect(begin_pop(100), "a pop for refusals", 0, 0);
    free(job.keys);
    free(job.values);
    const uint left = front_left();
    expect(left > 1, "a front", left, 0);
    begin_call();
    job.keys = NULL;
    job.values = NULL;
    expect(!begin_pop(left - 1), "a pop of some of the front", left, 0);
    check_heap("after refusals", 0, 800);
    /* And exactly the front. */
    job.keys = room((FIRST + left) * sizeof(image));
    job.values = room((FIRST - 1 + left) * sizeof(uint));
    begin_call();
    expect(begin_pop(left), "a pop of the front", left, 0);
    check_heap("after a pop of the front", 0, 800 - left);
    free(job.keys);
    free(job.values);
}
