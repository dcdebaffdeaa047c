/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/hashmap.md does what the page says. */
#include "pages/page.h"

static void hashmap_counts_words(void **state)
{
    struct fixture *f = *state;
    enum { WORDS = 5 };
    clade_hashmap *map;
    uint32_t text[ITEMS], first[ITEMS] = { 0 }, words[WORDS], counts[WORDS];
    uint64_t got;
    int listed[WORDS] = { 0 };
    for (uint32_t i = 0; i < ITEMS; i++)
        text[i] = i % WORDS;
    assert_ok(clade_hashmap_create(
        &map, f->context, &(clade_hashmap_params) { .capacity = WORDS, .value = CLADE_U32 }));
    struct example example = example_open(f, "hashmap.cl", "count", NULL);
    cl_mem wishes = page_words(f, &example, 1, text), told = page_words(f, &example, 2, first);
    page_launch(f, &example, clade_hashmap_mem(map));
    fixture_read(f, told, 0, first, sizeof first);
    for (int i = 0; i < ITEMS; i++)
        listed[text[i]] += (int)first[i];
    page_has_its_result();
    assert_ok(clade_hashmap_read(map, clade_host(words), clade_host(counts), WORDS, &got, NULL));
    assert_int_equal(got, WORDS);
    for (int i = 0; i < WORDS; i++) {
        assert_int_equal(listed[i], 1);
        assert_int_equal(counts[i], ITEMS / WORDS + (words[i] < ITEMS % WORDS));
    }
    clReleaseMemObject(wishes);
    clReleaseMemObject(told);
    example_close(&example);
    clade_hashmap_destroy(&map);
}

const struct CMUnitTest hashmap_page = cmocka_unit_test(hashmap_counts_words);
