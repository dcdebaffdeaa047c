/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the allocator (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/kma.h>
#include <clade/shared/kma.h>

SIZE(clade_kma_params, 80);
AT(clade_kma_params, bytes, 0);
AT(clade_kma_params, debug, 8);
AT(clade_kma_params, bare, 12);
AT(clade_kma_params, most, 16);

SIZE(clade_kma_class_stats, 64);
AT(clade_kma_class_stats, cell_bytes, 0);
AT(clade_kma_class_stats, superblocks, 8);
AT(clade_kma_class_stats, cells, 16);
AT(clade_kma_class_stats, live, 24);

SIZE(clade_kma_stats, 2488);
AT(clade_kma_stats, bytes, 0);
AT(clade_kma_stats, heap_bytes, 8);
AT(clade_kma_stats, used_bytes, 16);
AT(clade_kma_stats, kept_bytes, 24);
AT(clade_kma_stats, peak_bytes, 32);
AT(clade_kma_stats, live_blocks, 40);
AT(clade_kma_stats, live_bytes, 48);
AT(clade_kma_stats, requested_bytes, 56);
AT(clade_kma_stats, page_blocks, 64);
AT(clade_kma_stats, superblocks, 72);
AT(clade_kma_stats, superblocks_created, 80);
AT(clade_kma_stats, superblocks_returned, 88);
AT(clade_kma_stats, refused, 96);
AT(clade_kma_stats, bad_frees, 104);
AT(clade_kma_stats, longest_free_bytes, 112);
AT(clade_kma_stats, classes, 120);

SIZE(clade_kma_fault, 32);
AT(clade_kma_fault, kind, 0);
AT(clade_kma_fault, ref, 4);
AT(clade_kma_fault, item, 8);

static void structs_are_zeroed(struct fixture *f)
{
    clade_kma *kma;
    clade_kma_stats stats;
    clade_kma_fault fault;
    const uint32_t wrong = 12345;
    memset(&stats, 0xff, sizeof stats);
    memset(&fault, 0xff, sizeof fault);
    assert_ok(
        clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 1 << 20, .debug = 1 }));
    assert_ok(clade_kma_stats_read(kma, &stats));
    ASSERT_ZEROED(stats);
    for (size_t i = 0; i < sizeof stats.classes / sizeof stats.classes[0]; i++)
        ASSERT_ZEROED(stats.classes[i]);
    assert_int_not_equal(clade_kma_free(kma, clade_host(&wrong), 1, NULL), CLADE_E_DEVICE);
    assert_ok(clade_kma_fault_read(kma, &fault));
    assert_int_not_equal(fault.kind, CLADE_KMA_FAULT_NONE);
    assert_int_equal(fault.ref, wrong);
    ASSERT_ZEROED(fault);
    assert_ok(clade_kma_fault_read(kma, &fault));
    assert_int_equal(fault.kind, CLADE_KMA_FAULT_NONE);
    clade_kma_destroy(&kma);
}

static void structs(struct fixture *f)
{
    assert_null(clade_kma_mem(NULL));
    assert_null(clade_kma_options(NULL));
    CREATE_REFUSES(kma, .bytes = 1 << 20);
    structs_are_zeroed(f);
}

static void shapes(meet_shape *meet)
{
    meet(CLADE_KMA_OBJECT_SHAPE(0));
    meet(CLADE_KMA_OBJECT_SHAPE(1));
}

static const uint32_t places[] = { CLADE_KMA_LAYOUT(PLACE) };
const struct abi kma_abi = { "kma", structs, shapes, LAYOUT(KMA) };
