/* SPDX-License-Identifier: Apache-2.0 */
/* The queue: what fits, and no more (tests/refusals/refusals.h). */
#include "refusals/refusals.h"

#include <clade/queue.h>

static void fill_queue(struct fixture *f, clade_queue *queue, uint32_t slots, size_t groups,
                       size_t group)
{
    const uint32_t each = (uint32_t)((slots + 5 + groups * group - 1) / (groups * group));
    uint64_t inside, got;
    uint32_t *values = test_calloc(slots + 1, 4);
    assert_ok(clade_queue_size(queue, &inside));
    struct filler append =
        filler_open(f, "queue/full.cl", "", "refusals_append", clade_queue_mem(queue), NULL);
    filler_word(&append, 1);
    filler_word(&append, each);
    const struct tally tally = filler_run(&append, groups, group);
    assert_int_equal(tally.taken, slots - inside);
    assert_int_equal(tally.full, groups * group * each - tally.taken);
    assert_int_equal(tally.other, 0);
    assert_ok(clade_queue_check(queue));
    assert_fails(clade_queue_append(queue, clade_host(values), 1, NONE, NULL), CLADE_E_FULL);
    assert_ok(clade_queue_pop(queue, clade_host(values), slots + 1, clade_host(&got), NULL));
    assert_int_equal(got, slots);
    for (uint32_t i = 0; i < tally.taken; i++) /* each value of this launch once, then none */
        assert_in_range(values[inside + i], 1, groups * group * each);
    filler_close(&append);
    test_free(values);
}

static void queues_take_what_fits(void **state)
{
    struct fixture *f = *state;
    const uint32_t each = (uint32_t)fixture_scaled(60, 500, 5000);
    for (size_t i = 0; i < refusals_capacity_count(); i++) {
        uint32_t slots = 2, capacity = refusals_capacities[i] + 1;
        clade_queue *queue;
        while (slots < capacity)
            slots *= 2;
        assert_ok(
            clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = capacity }));
        struct filler churn =
            filler_open(f, "queue/full.cl", "", "refusals_churn", clade_queue_mem(queue), NULL);
        filler_word(&churn, each);
        for (int turn = 0; turn < 3; turn++) {
            filler_run(&churn, 4, 8);
            fill_queue(f, queue, slots, turn == 1 ? 1 : 7, turn == 2 ? 1 : 32);
        }
        filler_close(&churn);
        clade_queue_destroy(&queue);
    }
}

const struct CMUnitTest queue_full[] = {
    cmocka_unit_test(queues_take_what_fits),
    { 0 },
};
