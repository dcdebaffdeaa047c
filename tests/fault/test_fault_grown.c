/* SPDX-License-Identifier: Apache-2.0 */
/* What grows and shrinks (tests/W/grown.c), with the n-th OpenCL or allocation call failing, for
 * every n: the error names what failed, the content is then what it was or what the whole call
 * makes of it, nothing in between, and no block of an allocator is lost. Leaks on the host are seen
 * when this program runs under AddressSanitizer. */
#include "fault/fault.h"
#include "fault/fault_grown.h"
#include "harness/scratch.h"

static clade_status make_one(void *data)
{
    struct grown *g = data;
    void *object = NULL;
    g->status = g->kind->make(g, &object);
    assert_true((g->status == CLADE_OK) == (object != NULL));
    g->kind->destroy(g, &object);
    return g->status;
}

static clade_status load_one(void *data)
{
    struct grown *g = data;
    void *object = NULL;
    g->status = g->kind->load(g, &object);
    assert_true((g->status == CLADE_OK) == (object != NULL));
    g->kind->destroy(g, &object);
    return g->status;
}

static clade_status run_op(void *data)
{
    struct grown *g = data;
    g->status = g->op->run(g);
    return g->status;
}

/* An OpenCL call that failed is named. */
static void expect_named(void *data)
{
    struct grown *g = data;
    const clade_error *error = clade_error_last();
    g->faults++;
    if (g->status == CLADE_E_DEVICE && !strstr(error->message, fault_name()))
        fail_msg("%s: %s failed, and the message is \"%s\"", g->kind->name, fault_name(),
                 error->message);
}

static bool equal(const struct content *a, const struct content *b)
{
    return a->count == b->count && memcmp(a->keys, b->keys, a->count * 4) == 0 &&
           memcmp(a->values, b->values, a->count * 4) == 0;
}

static void expect_whole(void *data)
{
    struct grown *g = data;
    expect_named(g);
    g->kind->content(g);
    const bool is_old = equal(&g->now, &g->before), is_new = equal(&g->now, &g->after);
    if (g->status == CLADE_OK ? !is_new : !is_old && !is_new)
        fail_msg("%s, %s: after a fault in %s (%s) there are %llu inside; %llu before, %llu after",
                 g->kind->name, g->op->name, fault_name(), clade_status_name(g->status),
                 (unsigned long long)g->now.count, (unsigned long long)g->before.count,
                 (unsigned long long)g->after.count);
    g->late += g->status != CLADE_OK && !is_old;
    g->kind->refill(g);
}

static void every_op(struct grown *g)
{
    for (g->op = g->kind->ops; g->op->name; g->op++) {
        g->kind->refill(g);
        g->kind->content(g);
        g->before = g->now;
        assert_ok(run_op(g));
        g->kind->content(g);
        g->after = g->now;
        g->kind->refill(g);
        g->kind->content(g);
        assert_true(equal(&g->now, &g->before));
        g->faults = g->late = 0;
        assert_true(fault_every(run_op, expect_whole, g) >= 1);
        print_message("%s, %s: %zu faults; %zu failed after the change\n", g->kind->name,
                      g->op->name, g->faults - 1, g->late);
    }
}

static void survives(void **state, const struct grown_kind *kind)
{
    struct grown *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->f = *state;
    g->kind = kind;
    char *folder = scratch_make();
    g->path = scratch_path(folder, "object");
    for (uint32_t i = 0; i < COUNT; i++) {
        g->keys[i] = 1 + i * 37 % COUNT;
        g->values[i] = 1000 + i;
    }
    g->device = fixture_buffer(g->f, sizeof g->keys, g->keys);
    assert_ok(clade_kma_create(&g->kma, g->f->context, &(clade_kma_params) { .bytes = 1 << 20 }));
    assert_true(fault_every(make_one, expect_named, g) >= 5);
    assert_ok(kind->make(g, &g->object));
    every_op(g);
    if (kind->load)
        assert_true(fault_every(load_one, expect_named, g) >= 5);
    kind->destroy(g, &g->object);
    assert_ok(clade_kma_check(g->kma, NULL, 0)); /* every block came back */
    clade_kma_stats stats;
    assert_ok(clade_kma_stats_read(g->kma, &stats));
    assert_int_equal(stats.live_blocks, 0);
    clade_kma_destroy(&g->kma);
    clReleaseMemObject(g->device);
    free(g->path);
    scratch_remove(folder);
    free(g);
}

#define SURVIVES(structure)                                    \
    static void structure##_survives_every_fault(void **state) \
    {                                                          \
        survives(state, &structure##_grown);                   \
    }
CLADE_GROWN(SURVIVES)

int main(void)
{
#define LINE(structure) cmocka_unit_test(structure##_survives_every_fault),
    const struct CMUnitTest tests[] = { CLADE_GROWN(LINE) };
    return fixture_run("fault_grown", tests);
}
