/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/queue.md does what the page says. */
#include "pages/page.h"

static void queue_runs_empty_when_all_is_done(void **state)
{
    struct fixture *f = *state;
    clade_queue *queue;
    uint32_t jobs[ITEMS];
    uint64_t size;
    int launches = 0;
    for (int i = 0; i < ITEMS; i++)
        jobs[i] = 2;
    assert_ok(clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = ITEMS }));
    assert_ok(clade_queue_append(queue, clade_host(jobs), ITEMS, clade_no_array(), NULL));
    struct example example = example_open(f, "queue.cl", "work", NULL);
    do {
        page_launch(f, &example, clade_queue_mem(queue));
        assert_ok(clade_queue_size(queue, &size));
    } while (++launches < 30 && size > 0);
    assert_int_equal(size, 0);
    assert_true(launches >= 3); /* a job takes three steps, and an item does one */
    example_close(&example);
    clade_queue_destroy(&queue);
}

const struct CMUnitTest queue_page = cmocka_unit_test(queue_runs_empty_when_all_is_done);
