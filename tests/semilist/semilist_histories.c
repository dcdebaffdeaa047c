/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels did to a semi-linked list, recorded and judged. */
#include <clade/shared/kma.h>

#include "semilist/semilist_lin.h"
#include "semilist/test_semilist.h"

struct world {
    clade_semilist *list;
    cl_kernel kernel;
    cl_mem clock, records;
    uint32_t items, group, ops, keys, appends;
    struct semi_rec *read;
};

static void run_world(struct fixture *f, struct world *w, uint32_t seed)
{
    const uint32_t zero = 0;
    cl_mem clock = w->clock;
    fixture_write(f, w->clock, 0, &zero, 4);
    assert_ok(clade_semilist_clear(w->list, NULL));
    fixture_arg(w->kernel, 2, clock);
    fixture_arg(w->kernel, 3, w->records);
    fixture_arg(w->kernel, 4, w->keys);
    fixture_arg(w->kernel, 5, w->ops);
    fixture_arg(w->kernel, 6, w->appends);
    fixture_arg(w->kernel, 7, seed);
    fixture_arg(w->kernel, 8, w->items);
    run_kernel(f, w->kernel, (w->items + w->group - 1) / w->group, w->group);
    fixture_read(f, w->records, 0, w->read, (size_t)w->items * w->ops * sizeof *w->read);
    assert_ok(clade_semilist_check(w->list));
}

static struct world make_world(struct fixture *f, clade_kma *kma, uint32_t items, uint32_t group,
                               uint32_t ops, uint32_t keys, uint32_t appends)
{
    struct world w = {
        .items = items, .group = group, .ops = ops, .keys = keys, .appends = appends
    };
    const size_t bytes = (size_t)items * ops * sizeof *w.read;
    w.list = open_list(f, (uint64_t)items * ops, kma);
    w.kernel = open_kernel(f, w.list, "semi_history");
    w.read = test_calloc((size_t)items * ops, sizeof *w.read);
    w.records = fixture_buffer(f, bytes, w.read);
    w.clock = fixture_buffer(f, 4, w.read);
    return w;
}

static void free_world(struct world *w)
{
    clReleaseKernel(w->kernel);
    clReleaseMemObject(w->records);
    clReleaseMemObject(w->clock);
    test_free(w->read);
    clade_semilist_destroy(&w->list);
}

static void print_world(const struct world *w, uint32_t seed)
{
    print_message("history of seed %u:\n", seed);
    for (size_t i = 0; i < (size_t)w->items * w->ops; i++)
        print_message("%2zu [%u,%u] op %u key %u operand %u status %d value %u\n", i / w->ops,
                      w->read[i].invoked, w->read[i].responded, w->read[i].op, w->read[i].key,
                      w->read[i].operand, w->read[i].status, w->read[i].value);
}

/* Few keys, few nodes, so that the last one comes and goes; decided by exact search. */
void small_histories_are_linearizable(void **state)
{
    struct fixture *f = *state;
    struct world w = make_world(f, NULL, 8, 2, 7, 3, 45);
    for (uint32_t i = 0, n = (uint32_t)fixture_scaled(8, 150, 2000); i < n; i++) {
        const uint32_t seed = (uint32_t)f->seed * 31u + i;
        struct semi_node nodes[64] = { { 0 } };
        clade_semilist_head head;
        clade_semilist_record *read = NULL;
        uint32_t places;
        run_world(f, &w, seed);
        assert_ok(cladei_semilist_gather(w.list, &head, &read, &places));
        assert_true(places <= 64);
        for (uint32_t j = 0; j < places; j++)
            nodes[j] = (struct semi_node) { read[j].key_, read[j].value_,
                                            !(read[j].link & CLADE_SEMILIST_ERASED) };
        free(read);
        const lin_verdict verdict = semi_lin_exact(w.read, (size_t)w.items * w.ops, nodes, places);
        if (verdict != LIN_OK)
            print_world(&w, seed);
        assert_int_equal(verdict, LIN_OK);
    }
    free_world(&w);
}

/* Many items: each node by itself, and what was appended and not erased is there at the end. */
void large_histories_keep_every_node(void **state)
{
    struct fixture *f = *state;
    const uint32_t items = (uint32_t)fixture_scaled(32, 256, 4096);
    const uint32_t ops = (uint32_t)fixture_scaled(8, 16, 16);
    clade_kma *kma = NULL;
    /* A borrowed allocator that guards its blocks, and is somebody else's besides. */
    assert_ok(
        clade_kma_create(&kma, f->context,
                         &(clade_kma_params) { .bytes = (uint64_t)items * ops * 64 + (4 << 20),
                                               .debug = !fixture_is_small() }));
    struct world w = make_world(f, kma, items, 32, ops, 4, 45);
    uint8_t *there = test_calloc((size_t)items * ops + 1, 1);
    uint32_t *values = test_calloc((size_t)items * ops, 4);
    for (uint32_t turn = 0, n = (uint32_t)fixture_scaled(1, 4, 40); turn < n; turn++) {
        lin_report report = { "", SIZE_MAX, SIZE_MAX };
        uint64_t left, live = 0;
        clade_kma_fault fault;
        run_world(f, &w, (uint32_t)f->seed + turn);
        const lin_verdict verdict = semi_lin_nodes(w.read, (size_t)items * ops, &report);
        if (verdict != LIN_OK)
            print_message("%s: operations %zu, %zu\n", report.why, report.op, report.other);
        assert_int_equal(verdict, LIN_OK);
        memset(there, 0, (size_t)items * ops + 1);
        for (size_t i = 0; i < (size_t)items * ops; i++) {
            const struct semi_rec *r = &w.read[i];
            if (r->op == CLADE_SEMILIST_APPEND && r->status == CLADE_OK)
                there[r->value]++, live++;
        }
        for (size_t i = 0; i < (size_t)items * ops; i++) {
            const struct semi_rec *r = &w.read[i];
            if (r->status != CLADE_OK)
                continue;
            if (r->op == CLADE_SEMILIST_ERASE)
                there[r->value]--, live--;
            if (r->op == CLADE_SEMILIST_ERASE_AT)
                there[r->operand]--, live--;
        }
        assert_ok(clade_semilist_read(w.list, NULL, values, NULL, (uint64_t)items * ops, &left));
        assert_int_equal(left, live);
        for (uint64_t i = 0; i < left; i++)
            assert_int_equal(there[values[i]], 1);
        assert_ok(clade_kma_fault_read(kma, &fault));
        assert_int_equal(fault.kind, CLADE_KMA_FAULT_NONE);
    }
    assert_ok(clade_semilist_clear(w.list, NULL));
    assert_ok(clade_kma_check(kma, NULL, 0));
    clade_kma_stats stats;
    assert_ok(clade_kma_stats_read(kma, &stats));
    assert_int_equal(stats.live_blocks, 0);
    assert_int_equal(stats.bad_frees, 0);
    free_world(&w);
    clade_kma_destroy(&kma);
    test_free(there), test_free(values);
}
