/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

static void queue(void **state)
{
    struct fixture *f = *state;
    clade_queue *queue;
    uint32_t out[ITEMS];
    uint64_t size;
    struct built built =
        default_build(f, "queue",
                      "__kernel void k(__global clade_queue_head *queue, __global uint *out)\n"
                      "{\n"
                      "    out[get_global_id(0)] = (uint)clade_queue_append_wi(queue, 7);\n"
                      "}");
    assert_ok(
        clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = CAPACITY }));
    default_run(f, &built, clade_queue_mem(queue), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_queue_size(queue, &size));
    assert_int_equal(size, ITEMS);
    clade_queue_destroy(&queue);
    default_end(&built);
}

const struct CMUnitTest queue_default = cmocka_unit_test(queue);
