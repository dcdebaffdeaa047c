/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

static const char take_all[] = "__kernel void k(__global void *heap, __global uint *out)\n"
                               "{\n"
                               "    __local clade_heap_scratch scratch;\n"
                               "    uint got = 0;\n"
                               "    out[0] = (uint)clade_heap_pop_wg(heap, &scratch, 16, &got);\n"
                               "    out[1] = got;\n"
                               "    out[2] = (uint)clade_heap_key_wi(&scratch, 0);\n"
                               "}";

static clade_heap *heap_of(struct fixture *f, uint64_t capacity)
{
    clade_heap *heap;
    int32_t keys[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        keys[i] = 50 - i;
    assert_ok(clade_heap_create(&heap, f->context, &(clade_heap_params) { .capacity = capacity }));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), ITEMS, NULL));
    return heap;
}

static void a_small_heap(void **state)
{
    struct fixture *f = *state;
    uint32_t out[ITEMS];
    struct built built = default_build(f, "heap", take_all);
    clade_heap *heap = heap_of(f, CAPACITY);
    default_run(f, &built, clade_heap_mem(heap), default_group(f), out);
    assert_int_equal((int32_t)out[0], CLADE_OK);
    assert_int_equal(out[1], ITEMS);
    assert_int_equal(out[2], 50 - ITEMS + 1);
    clade_heap_destroy(&heap);
    default_end(&built);
}

/* The front engine's batches and leaves go by the capacity: the kernel is refused, not misled. */
static void a_large_heap_wants_its_options(void **state)
{
    struct fixture *f = *state;
    uint32_t out[ITEMS];
    clade_heap *heap = heap_of(f, 1 << 22);
    if (clade_heap_params_of(heap)->engine == CLADE_HEAP_FRONT) {
        struct built built = default_build(f, "heap", take_all);
        default_run(f, &built, clade_heap_mem(heap), default_group(f), out);
        assert_int_equal((int32_t)out[0], CLADE_E_ARG);
        assert_int_equal(out[1], 0);
        default_end(&built);
    }
    clade_heap_destroy(&heap);
}

static void heap(void **state)
{
    a_small_heap(state);
    a_large_heap_wants_its_options(state);
}

const struct CMUnitTest heap_default = cmocka_unit_test(heap);
