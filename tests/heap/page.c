/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/heap.md does what the page says. */
#include "pages/page.h"

static void heap_gives_the_smallest_and_takes_them_back(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap;
    const clade_heap_params params = { .capacity = 1000, .batch = ITEMS };
    int32_t keys[2 * ITEMS];
    uint64_t got = 0;
    for (int i = 0; i < 2 * ITEMS; i++)
        keys[i] = 1000 + 2 * i;
    assert_ok(clade_heap_create(&heap, f->context, &params));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), 2 * ITEMS, NULL));
    struct example example = example_open(f, "heap.cl", "halve", clade_heap_options(heap));
    cl_mem mem = page_words(f, &example, 1, (const uint32_t[ITEMS]) { 0 });
    const cl_mem object = clade_heap_mem(heap);
    const size_t size = f->caps->is_cpu ? 1 : 32; /* one group */
    fixture_arg(example.kernel, 0, object);
    fixture_launch(f, example.kernel, size, size);
    assert_ok(clade_heap_pop(heap, clade_host(keys), clade_no_array(), 2 * ITEMS, clade_host(&got),
                             NULL));
    assert_int_equal(got, 2 * ITEMS);
    for (int i = 0; i < 2 * ITEMS; i++)
        assert_int_equal(keys[i], i < ITEMS ? 500 + i : 1000 + 2 * i);
    clReleaseMemObject(mem);
    example_close(&example);
    clade_heap_destroy(&heap);
}

const struct CMUnitTest heap_page = cmocka_unit_test(heap_gives_the_smallest_and_takes_them_back);
