/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of any two objects that no program may confuse are two words: all that there can be,
 * one after the other (tests/W/abi.c). */
#include "abi/abi.h"

/* A bit for each word that shapes of this number may be; the numbers that were met. */
enum { BYTES = 1 << 25 };
static uint8_t *seen;
static uint32_t number, numbers;
static size_t count;

static void meet(uint32_t shape)
{
    const uint32_t word = shape & 0xfffffffu;
    if (shape >> 28 != number) { /* a graph and a path finder have one each */
        number = shape >> 28;
        assert_false(numbers >> number & 1);
        numbers |= 1u << number;
        memset(seen, 0, BYTES);
    }
    assert_false(seen[word / 8] >> word % 8 & 1);
    seen[word / 8] |= (uint8_t)(1u << word % 8);
    count++;
}

static void shapes_differ(void **state)
{
#define ABI(structure) &structure##_abi,
    static const struct abi *const all[] = { CLADE_ABI(ABI) };
    (void)state;
    seen = test_calloc(BYTES, 1);
    numbers = 1; /* a buffer of zeros is no object */
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!all[i]->shapes)
            continue;
        count = number = 0;
        all[i]->shapes(meet);
        print_message("%s: %zu\n", all[i]->name, count);
        assert_true(count > 0);
    }
    test_free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_differ),
    };
    return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
