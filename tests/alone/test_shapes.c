/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of any two objects that no program may confuse are two words: all that there can be,
 * one after the other. */
#include <clade/clade.h>
#include <clade/shared/arraylist.h>
#include <clade/shared/heap_front.h>
#include <clade/shared/kma.h>

#include "harness/fixture.h"

/* Of each structure, a bit for each word that its shapes may be. */
static uint8_t *seen;
static size_t count;

static void meet(uint32_t structure, uint32_t shape)
{
    const uint32_t own = shape & 0xfffffffu;
    assert_int_equal(shape >> 28, structure);
    assert_false(seen[own / 8] >> own % 8 & 1);
    seen[own / 8] |= (uint8_t)(1u << own % 8);
    count++;
}

static void begin(void **state)
{
    (void)state;
    seen = calloc((size_t)1 << 25, 1);
    assert_non_null(seen);
    count = 0;
}

static void end(size_t wanted)
{
    assert_int_equal(count, wanted);
    free(seen);
}

static void heaps_differ(void **state)
{
    size_t wanted = 0;
    begin(state);
    for (uint32_t types = 0; types < 6 * 7 * 2; types++) {
        const uint32_t key = CLADE_I32 + types % 6, value = types / 6 % 7, order = types / 42;
        for (uint32_t batch = CLADE_HEAP_BATCH_MIN; batch <= CLADE_HEAP_BATCH_MAX; batch++) {
            meet(CLADE_SHAPE_OF_HEAP,
                 CLADE_HEAP_SHAPE(key, value, order, CLADE_HEAP_TOP_DOWN, batch, 0));
            meet(CLADE_SHAPE_OF_HEAP,
                 CLADE_HEAP_SHAPE(key, value, order, CLADE_HEAP_BOTTOM_UP, batch, 0));
            wanted += 2;
        }
        for (uint32_t leaf = CLADE_FRONT_LEAF_MIN; leaf <= CLADE_FRONT_LEAF_MAX; leaf *= 2)
            for (uint32_t batch = CLADE_HEAP_BATCH_MIN; batch <= leaf / 2; batch++, wanted++)
                meet(CLADE_SHAPE_OF_HEAP,
                     CLADE_HEAP_SHAPE(key, value, order, CLADE_HEAP_FRONT, batch, leaf));
    }
    end(wanted);
}

static void trees_differ(void **state)
{
    static const uint32_t keys[] = { CLADE_I32, CLADE_U32, CLADE_I64, CLADE_U64 };
    begin(state);
    for (int k = 0; k < 4; k++)
        for (uint32_t value = 0; value <= 8; value += 4)
            for (uint32_t leaf = 1; leaf <= CLADE_RBTREE_LEAF_CAPACITY_MAX; leaf++)
                meet(CLADE_SHAPE_OF_RBTREE, CLADE_RBTREE_SHAPE(keys[k], value, leaf));
    end(4 * 3 * CLADE_RBTREE_LEAF_CAPACITY_MAX);
}

static void adheaps_differ(void **state)
{
    begin(state);
    for (uint32_t arity = 8; arity <= 64; arity *= 2)
        for (uint32_t key = CLADE_I32; key <= CLADE_F64; key++)
            for (uint32_t bits = 0; bits < 16; bits++)
                meet(CLADE_SHAPE_OF_ADHEAP, CLADE_ADHEAP_SHAPE(arity, key, bits & 1, bits >> 1 & 1,
                                                               bits >> 2 & 1, bits >> 3));
    end(4 * 6 * 16);
}

static void lists_and_allocators_differ(void **state)
{
    begin(state);
    for (uint32_t bits = 0; bits < 16; bits++)
        meet(CLADE_SHAPE_OF_LIST,
             CLADE_LIST_SHAPE(bits & 1, 1 + (bits >> 1 & 1), bits >> 2 & 1, bits >> 3));
    end(16);
    begin(state);
    meet(CLADE_SHAPE_OF_KMA, CLADE_KMA_OBJECT_SHAPE(0));
    meet(CLADE_SHAPE_OF_KMA, CLADE_KMA_OBJECT_SHAPE(1));
    end(2);
}

/* No structure's number is another's, and none is a buffer of zeros. */
static void structures_differ(void **state)
{
    static const uint32_t all[] = {
        CLADE_SHAPE_OF_KMA,    CLADE_SHAPE_OF_HEAP,     CLADE_SHAPE_OF_ADHEAP,
        CLADE_SHAPE_OF_RBTREE, CLADE_SHAPE_OF_LIST,     CLADE_SHAPE_OF_DLIST,
        CLADE_SHAPE_OF_QUEUE,  CLADE_SHAPE_OF_SEMILIST, CLADE_SHAPE_OF_ARRAYLIST,
    };
    uint32_t met = 1;
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        assert_in_range(all[i], 1, 15);
        assert_false(met >> all[i] & 1);
        met |= 1u << all[i];
    }
    assert_int_equal(CLADE_DLIST_SHAPE >> 28, CLADE_SHAPE_OF_DLIST);
    assert_int_equal(CLADE_QUEUE_SHAPE >> 28, CLADE_SHAPE_OF_QUEUE);
    assert_int_equal(CLADE_SEMILIST_SHAPE >> 28, CLADE_SHAPE_OF_SEMILIST);
    assert_int_equal(CLADE_ARRAYLIST_SHAPE >> 28, CLADE_SHAPE_OF_ARRAYLIST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_differ),      cmocka_unit_test(trees_differ),
        cmocka_unit_test(adheaps_differ),    cmocka_unit_test(lists_and_allocators_differ),
        cmocka_unit_test(structures_differ),
    };
    return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
