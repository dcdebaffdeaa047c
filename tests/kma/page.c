/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/kma.md does what the page says. */
#include "pages/page.h"

static void kma_gives_each_item_a_block(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma;
    clade_kma_stats stats;
    uint32_t refs[ITEMS] = { 0 };
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 8 << 20 }));
    struct example example = example_open(f, "kma.cl", "fill", clade_kma_options(kma));
    cl_mem mem = page_words(f, &example, 1, refs);
    page_launch(f, &example, clade_kma_mem(kma));
    fixture_read(f, mem, 0, refs, sizeof refs);
    for (int i = 0; i < ITEMS; i++)
        assert_int_not_equal(refs[i], 0);
    page_has_its_result();
    assert_ok(clade_kma_check(kma, refs, ITEMS));
    assert_ok(clade_kma_free(kma, clade_host(refs), ITEMS, NULL));
    assert_ok(clade_kma_stats_read(kma, &stats));
    assert_int_equal(stats.live_blocks, 0);
    assert_int_equal(stats.bad_frees, 0);
    clReleaseMemObject(mem);
    example_close(&example);
    clade_kma_destroy(&kma);
}

const struct CMUnitTest kma_page = cmocka_unit_test(kma_gives_each_item_a_block);
