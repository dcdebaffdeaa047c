/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever call fails, the allocator says so, keeps nothing and breaks nothing. */
#include <clade/kma.h>
#include <clade/shared/kma.h>

#include "fault/fault.h"
#include "harness/fixture.h"
#include "harness/scratch.h"

enum { BLOCKS = 50 };

struct kma_case {
    struct fixture *f;
    clade_kma *kma;
    char *path;
    uint32_t refs[BLOCKS]; /* live */
    uint32_t more[BLOCKS]; /* what the call that may fail works on */
};

static const clade_kma_params kma_params = { .bytes = 256 << 10 };

static clade_status create_kma(void *data)
{
    struct kma_case *c = data;
    clade_kma *kma = NULL;
    clade_status status = clade_kma_create(&kma, c->f->context, &kma_params);
    assert_true((status == CLADE_OK) == (kma != NULL));
    clade_kma_destroy(&kma);
    return status;
}

static clade_status malloc_more(void *data)
{
    struct kma_case *c = data;
    return clade_kma_malloc(c->kma, clade_no_array(), 200, clade_host(c->more), BLOCKS, NULL);
}

static clade_status free_some(void *data)
{
    struct kma_case *c = data;
    return clade_kma_free(c->kma, clade_host(c->refs), BLOCKS, NULL);
}

/* The call may have taken effect before it failed, on all blocks or on none. The heap is put back
 * to BLOCKS live blocks. */
static void kma_is_sound(void *data)
{
    struct kma_case *c = data;
    clade_kma_stats stats;
    assert_ok(clade_kma_check(c->kma, NULL, 0));
    assert_ok(clade_kma_stats_read(c->kma, &stats));
    assert_true(stats.live_blocks % BLOCKS == 0);
    assert_int_equal(stats.bad_frees, 0);
    assert_ok(clade_kma_clear(c->kma, NULL));
    assert_ok(clade_kma_malloc(c->kma, clade_no_array(), 100, clade_host(c->refs), BLOCKS, NULL));
}

static clade_status check_kma(void *data)
{
    struct kma_case *c = data;
    return clade_kma_check(c->kma, c->refs, BLOCKS);
}

static clade_status read_stats(void *data)
{
    clade_kma_stats stats;
    return clade_kma_stats_read(((struct kma_case *)data)->kma, &stats);
}

static clade_status take_fault(void *data)
{
    clade_kma_fault fault;
    return clade_kma_fault_read(((struct kma_case *)data)->kma, &fault);
}

static clade_status save_kma(void *data)
{
    struct kma_case *c = data;
    return clade_kma_save(c->kma, c->path);
}

static clade_status load_kma(void *data)
{
    struct kma_case *c = data;
    clade_kma *kma = NULL;
    clade_status status = clade_kma_load(&kma, c->f->context, c->path);
    assert_true((status == CLADE_OK) == (kma != NULL));
    clade_kma_destroy(&kma);
    return status;
}

/* A clear that failed may leave what was live: it is done again. */
static clade_status clear_kma(void *data)
{
    return clade_kma_clear(((struct kma_case *)data)->kma, NULL);
}

static void blocks_are_unchanged(void *data)
{
    struct kma_case *c = data;
    assert_ok(clade_kma_check(c->kma, c->refs, BLOCKS));
}

static void clear_again(void *data)
{
    struct kma_case *c = data;
    assert_ok(clade_kma_clear(c->kma, NULL));
    kma_is_sound(data);
}

static void an_allocator_survives_every_fault(void **state)
{
    struct kma_case c = { .f = *state };
    char *folder = scratch_make();
    c.path = scratch_path(folder, "kma");
    assert_true(fault_every(create_kma, NULL, &c) >= 5);
    assert_ok(clade_kma_create(&c.kma, c.f->context, &kma_params));
    assert_ok(clade_kma_save(c.kma, c.path)); /* an empty one, to be overwritten */
    kma_is_sound(&c);
    assert_true(fault_every(check_kma, blocks_are_unchanged, &c) >= 2);
    assert_true(fault_every(read_stats, blocks_are_unchanged, &c) >= 2);
    assert_true(fault_every(take_fault, blocks_are_unchanged, &c) >= 1);
    assert_true(fault_every(save_kma, blocks_are_unchanged, &c) >= 2);
    assert_true(fault_every(load_kma, blocks_are_unchanged, &c) >= 5);
    assert_true(fault_every(malloc_more, kma_is_sound, &c) >= 5);
    assert_true(fault_every(free_some, kma_is_sound, &c) >= 5);
    assert_true(fault_every(clear_kma, clear_again, &c) >= 2);
    clade_kma_destroy(&c.kma);
    free(c.path);
    scratch_remove(folder);
}

/* What debug mode met is told by the call that forgets it, or else by the next one; and that a
 * program was refused. Of what a call took before it failed nothing is left in an allocator that is
 * cleared. */
static void a_fault_that_was_met_is_told(void **state)
{
    struct fixture *f = *state;
    const clade_kma_params params = { .bytes = 256 << 10, .debug = 1 };
    const clade_program_params unguarded = {
        .source = "#include \"clade/kma.clh\"\n"
                  "__kernel void take(__global clade_kma_head *kma)\n"
                  "{\n"
                  "    (void)clade_kma_malloc_wi(kma, 40u);\n"
                  "}\n"
    };
    struct kma_case c = { 0 };
    bool failed = true;
    uint64_t nth;
    clade_program *program;
    cl_kernel kernel;
    assert_ok(clade_kma_create(&c.kma, f->context, &params));
    assert_ok(clade_program_build(&program, f->context, &unguarded));
    assert_ok(clade_program_kernel(&kernel, program, "take"));
    cl_mem mem = clade_kma_mem(c.kma);
    fixture_arg(kernel, 0, mem);
    for (nth = 1; failed; nth++) {
        clade_kma_fault fault = { 0 };
        assert_ok(clade_kma_malloc(c.kma, clade_no_array(), 100, clade_host(c.refs), 1, NULL));
        for (int times = 0; times < 2; times++)
            assert_ok(clade_kma_free(c.kma, clade_host(c.refs), 1, NULL));
        fixture_launch(f, kernel, 1, 1);
        fault_arm(nth);
        const clade_status status = clade_kma_fault_read(c.kma, &fault);
        failed = fault_disarm();
        if (failed && nth % 2 == 0) {
            assert_ok(clade_kma_clear(c.kma, NULL));
            assert_ok(clade_kma_fault_read(c.kma, &fault));
            assert_int_equal(fault.kind, CLADE_KMA_FAULT_NONE);
            continue;
        }
        if (status != CLADE_E_ARG)
            assert_fails(clade_kma_fault_read(c.kma, &fault), CLADE_E_ARG);
        assert_message("without debug mode");
        assert_int_equal(fault.kind, CLADE_KMA_FAULT_DOUBLE_FREE);
        assert_ok(clade_kma_fault_read(c.kma, &fault));
        assert_int_equal(fault.kind, CLADE_KMA_FAULT_NONE);
    }
    assert_true(nth > 5);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clade_kma_destroy(&c.kma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocator_survives_every_fault),
        cmocka_unit_test(a_fault_that_was_met_is_told),
    };
    return fixture_run("fault_kma", tests);
}
