/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's operations take effect at one point each: histories recorded on the device, judged on
 * the host. Small worlds are judged by exact search too. CLADE_TEST_SEED repeats the operations,
 * not the device's schedule. */
#include <time.h>

#include "harness/fixture.h"
#include "lin/history.h"
#include "lin/gen.h"

#include <clade/heap.h>

enum { BATCH = 4, TIGHT = 20, WIDE = 4096, EXACT = 32, TEAM = 4 };

/* One heap and the program that works on it. */
struct bench {
    struct fixture *f;
    clade_heap *heap;
    clade_program *program;
    cl_kernel kernel;
    cl_mem clock, ops, keys, ids;
    struct history all;
    uint64_t seed;
    size_t group_size;
};

struct variant {
    const char *name;
    uint32_t engine;
    const char *options;
    size_t group_size; /* 0: as the host API's kernels */
};

static bool platform_is(const struct fixture *f, const char *part)
{
    cl_platform_id platform;
    char name[256] = "";
    clGetDeviceInfo(clade_context_cl_device(f->context), CL_DEVICE_PLATFORM, sizeof platform,
                    &platform, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    return strstr(name, part) != NULL;
}

static void bench_open(struct bench *b, struct fixture *f, const struct variant *variant,
                       const char *more, uint32_t batch, uint64_t capacity)
{
    char options[512];
    *b = (struct bench) { .f = f, .seed = f->seed };
    assert_ok(clade_heap_create(&b->heap, f->context,
                                &(clade_heap_params) { .capacity = capacity,
                                                       .key = CLADE_U32,
                                                       .value = CLADE_U32,
                                                       .batch = batch,
                                                       .engine = variant->engine }));
    b->group_size =
        variant->group_size ? variant->group_size : clade_heap_params_of(b->heap)->group_size;
    if (b->group_size > 64)
        b->group_size = 64; /* batches are small here */
    snprintf(options, sizeof options, "%s %s %s -DHISTORY_GROUP=%zu", clade_heap_options(b->heap),
             variant->options, more, b->group_size);
    assert_ok(clade_program_build(
        &b->program, f->context,
        &(clade_program_params) { .file = "heap/heap_history.cl",
                                  .options = options,
                                  .include_path = fixture_kernels(TEST_KERNELS) }));
    assert_ok(clade_program_kernel(&b->kernel, b->program, "heap_history"));
}

/* Room for `worlds`, with their arguments planned. */
static void bench_plan(struct bench *b, const struct history_shape *shape, size_t worlds)
{
    const cl_uint zero = 0;
    assert_true(history_alloc(&b->all, shape, worlds));
    for (size_t i = 0; i < worlds; i++) {
        struct history world = history_world(&b->all, i);
        history_plan(&world, (uint32_t)(i * world.n * shape->batch), &b->seed);
    }
    const size_t values = b->all.n * shape->batch * sizeof(uint32_t);
    b->clock = fixture_buffer(b->f, sizeof zero, &zero);
    b->ops = fixture_buffer(b->f, b->all.n * sizeof(history_op), b->all.ops);
    b->keys = fixture_buffer(b->f, values, b->all.keys);
    b->ids = fixture_buffer(b->f, values, b->all.ids);
}

static void bench_clear(struct bench *b)
{
    clReleaseMemObject(b->clock);
    clReleaseMemObject(b->ops);
    clReleaseMemObject(b->keys);
    clReleaseMemObject(b->ids);
    history_free(&b->all);
}

static void bench_close(struct bench *b)
{
    clReleaseKernel(b->kernel);
    clade_program_destroy(&b->program);
    clade_heap_destroy(&b->heap);
}

static void launch(struct bench *b, cl_uint timed, size_t first, size_t groups, size_t each)
{
    cl_mem heap = clade_heap_mem(b->heap);
    const cl_uint room = b->all.shape.batch, from = (cl_uint)first, count = (cl_uint)each;
    const size_t local = b->group_size, global = groups * local;
    if (groups == 0 || each == 0)
        return;
    const struct {
        size_t size;
        const void *value;
    } arguments[] = {
        { sizeof heap, &heap },     { sizeof b->clock, &b->clock }, { sizeof timed, &timed },
        { sizeof b->ops, &b->ops }, { sizeof b->keys, &b->keys },   { sizeof b->ids, &b->ids },
        { sizeof room, &room },     { sizeof from, &from },         { sizeof count, &count },
    };
    for (cl_uint i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
        assert_int_equal(clSetKernelArg(b->kernel, i, arguments[i].size, arguments[i].value),
                         CL_SUCCESS);
    fixture_launch(b->f, b->kernel, global, local);
}

/* By one group; in short launches where the driver leaves long loops. */
static void launch_alone(struct bench *b, cl_uint timed, size_t first, size_t count)
{
    const size_t most = b->f->caps->loop_limit ? 4 : count;
    for (size_t done = 0; done < count; done += most)
        launch(b, timed, first + done, 1, count - done < most ? count - done : most);
}

/* All worlds one after the other: each starts with the heap that the one before left empty. */
static void bench_run(struct bench *b, cl_uint timed)
{
    const struct history_shape *s = &b->all.shape;
    const size_t n = history_ops(s);
    for (size_t at = 0; at < b->all.n; at += n) {
        launch_alone(b, timed, at, s->prefill);
        launch(b, timed, at + s->prefill, s->groups, s->each);
        launch_alone(b, timed, at + s->prefill + (size_t)s->groups * s->each, s->drain);
    }
    const size_t values = b->all.n * s->batch * sizeof(uint32_t);
    fixture_read(b->f, b->ops, 0, b->all.ops, b->all.n * sizeof(history_op));
    fixture_read(b->f, b->keys, 0, b->all.keys, values);
    fixture_read(b->f, b->ids, 0, b->all.ids, values);
}

/* Whether a wait gave up: a status of its own, after which the heap may be out of order. */
static bool gave_up(const struct history *all)
{
    for (size_t i = 0; i < all->n; i++)
        if ((int32_t)all->ops[i].status == CLADE_E_BUSY)
            return true;
    return false;
}

/* Plan `worlds` and run them. Where the driver ends loops it ends waits, too, however little is
 * wrong, so there such a run is made again on a heap brought into order, a few times at most. */
static void bench_record(struct bench *b, const struct history_shape *shape, size_t worlds,
                         cl_uint timed)
{
    for (int more = b->f->caps->loop_limit ? 20 : 0;; more--) {
        bench_plan(b, shape, worlds);
        bench_run(b, timed);
        if (more == 0 || !gave_up(&b->all))
            return;
        print_message("the driver ended a wait: run again\n");
        bench_clear(b);
        assert_ok(clade_heap_repair(b->heap));
        assert_ok(clade_heap_clear(b->heap, NULL));
    }
}

/* What a world must be, whatever its schedule was; prints it when it is not. */
static struct history_verdict expect_good(const struct history *world, bool timed, bool small,
                                          uint64_t capacity)
{
    struct history_verdict verdict = { .fast = LIN_PLAUSIBLE, .exact = LIN_INPUT };
    const char *wrong = history_conserved(world);
    if (!wrong && timed) {
        verdict = history_judge(world, small && world->shape.capacity != 0);
        if (verdict.fast < 0)
            wrong = verdict.report.why ? verdict.report.why : "not a history";
        else if (verdict.exact == LIN_BAD)
            wrong = "not linearizable (by search)";
    }
    if (!wrong && timed && small)
        wrong = history_capacity(world, capacity);
    if (wrong && small)
        history_print(world);
    if (wrong)
        fail_msg("%s", wrong);
    return verdict;
}

/* Simulators run one group after the other: nothing to delay, and a loop costs 1,000 times as much.
 */
static bool is_slow(const struct fixture *f)
{
    return f->caps->loop_limit != 0 || platform_is(f, "Oclgrind");
}

/* Delays between the protocol's steps. */
static void plan_schedule(const struct fixture *f, char option[static 64])
{
    option[0] = '\0';
    if (!is_slow(f))
        snprintf(option, 64, "-DCLADE_SCHEDULE=%uu", (unsigned)f->seed);
}

static void small_worlds(struct fixture *f, const struct variant *variant)
{
    struct bench b;
    char schedule[64];
    const size_t worlds = platform_is(f, "Oclgrind") ? 1
                          : f->caps->loop_limit      ? 10
                                                     : fixture_scaled(10, 100, 300);
    plan_schedule(f, schedule);
    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t capacity = i == 1 ? TIGHT : WIDE;
        struct history_shape shape = { .batch = BATCH,
                                       .keys = i == 2 ? 1000 : 6,
                                       .prefill = 5,
                                       .groups = 3,
                                       .each = 3 + 3 * (i == 2),
                                       .drain = 15,
                                       .inserts = 50,
                                       .capacity = i == 2 ? 0 : EXACT,
                                       .singles = variant->engine == CLADE_HEAP_FRONT };
        size_t searched = 0, refused = 0;
        if (i == 2) /* a tree of several levels, too large for the search */
            shape.prefill = 20, shape.drain = 40;
        bench_open(&b, f, variant, schedule, BATCH, capacity);
        /* Alone where a wait may end, so that a world is made again, not all of them. */
        const size_t at_once = f->caps->loop_limit ? 1 : worlds;
        for (size_t done = 0; done < worlds; done += at_once) {
            bench_record(&b, &shape, at_once, 1);
            for (size_t w = 0; w < at_once; w++) {
                struct history world = history_world(&b.all, w);
                struct history_verdict verdict = expect_good(&world, true, true, capacity);
                searched += verdict.exact == LIN_OK;
                refused += verdict.refused;
            }
            bench_clear(&b);
        }
        print_message("%s: %zu worlds, %zu judged by search too, %zu operations refused: full\n",
                      variant->name, worlds, searched, refused);
        assert_true(i == 2 || searched == worlds);
        assert_ok(clade_heap_check(b.heap));
        bench_close(&b);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Many operations by `groups` groups; with tickets, and without: they order what the heap may not.
 */
static void large_world(struct bench *b, uint32_t batch, size_t groups, size_t ops)
{
    const uint32_t each = (uint32_t)(ops / groups + 1);
    const struct history_shape shape = { .batch = batch,
                                         .keys = 100000,
                                         .prefill = 16,
                                         .groups = (uint32_t)groups,
                                         .each = each,
                                         .drain = (uint32_t)(groups * each / 4 + 64),
                                         .inserts = 50,
                                         .singles = clade_heap_params_of(b->heap)->engine ==
                                                    CLADE_HEAP_FRONT };
    for (cl_uint timed = 0; timed < 2; timed++) {
        double start = seconds();
        bench_record(b, &shape, 1, timed);
        double ran = seconds();
        struct history_verdict verdict = expect_good(&b->all, timed, false, 0);
        print_message(
            "%zu groups, batch %u: %zu operations (%zu refused), ran %.2f s, %s in %.2f s\n",
            groups, batch, b->all.n, verdict.refused, ran - start, timed ? "judged" : "conserved",
            seconds() - ran);
        bench_clear(b);
    }
    clade_heap_stats stats;
    assert_ok(clade_heap_check(b->heap));
    assert_ok(clade_heap_stats_read(b->heap, &stats));
    assert_int_equal(stats.size, 0);
    print_message("cooperations %llu, lock retries %llu\n", (unsigned long long)stats.cooperations,
                  (unsigned long long)stats.lock_retries);
}

static void large_worlds(struct fixture *f, uint32_t engine)
{
    const struct variant variant = { "large", engine, "", 0 };
    const size_t ops = is_slow(f) ? 40 : fixture_scaled(300, 20000, 1000000);
    const size_t units = f->caps->compute_units ? f->caps->compute_units : 1;
    const size_t groups[] = { 1, units, fixture_scaled(16, 1000, 4000) };
    const uint32_t batches[] = { 4, 32 };
    /* Small: no other program than that of the small worlds, for the compiler takes seconds. */
    const bool small = fixture_is_small() || is_slow(f);
    const size_t variants = small ? 1 : 2;
    char schedule[64] = "";
    struct bench b;
    if (small)
        plan_schedule(f, schedule);
    for (size_t i = 0; i < variants; i++) {
        bench_open(&b, f, &variant, schedule, batches[i], ops * batches[i] + 4096);
        for (size_t g = 0; g < 3; g++)
            large_world(&b, batches[i], groups[g], ops / (g == 0 ? 10 : 1));
        bench_close(&b);
    }
}

static void small_worlds_top_down(void **state)
{
    small_worlds(*state, &(struct variant) { "top-down", CLADE_HEAP_TOP_DOWN, "", 0 });
}

static void small_worlds_bottom_up(void **state)
{
    fixture_compiles_long(*state);
    small_worlds(*state, &(struct variant) { "bottom-up", CLADE_HEAP_BOTTOM_UP, "", 0 });
}

/* The code for GPUs on other devices: items work together, between barriers. PoCL replicates code
 * behind conditional barriers, and its compiler does not end on this much of it. */
static void need_team(const struct fixture *f)
{
    if (!platform_is(f, "Portable Computing"))
        return;
    print_message("skipped: PoCL's compiler does not end on a group's code\n");
    skip();
}

static void small_worlds_top_down_team(void **state)
{
    fixture_compiles_long(*state);
    need_team(*state);
    small_worlds(*state, &(struct variant) { "top-down, team", CLADE_HEAP_TOP_DOWN,
                                             "-DCLADE_GROUP_SCALAR=0", TEAM });
}

static void small_worlds_bottom_up_team(void **state)
{
    need_team(*state);
    small_worlds(*state,
                 &(struct variant) { "bottom-up, team, 3 regions", CLADE_HEAP_BOTTOM_UP,
                                     "-DCLADE_GROUP_SCALAR=0 -DCLADE_HEAP_REGIONS=3", TEAM });
}

static void large_worlds_top_down(void **state)
{
    large_worlds(*state, CLADE_HEAP_TOP_DOWN);
}

static void large_worlds_bottom_up(void **state)
{
    fixture_compiles_long(*state);
    large_worlds(*state, CLADE_HEAP_BOTTOM_UP);
}

static void small_worlds_front(void **state)
{
    small_worlds(*state, &(struct variant) { "front", CLADE_HEAP_FRONT, "", 0 });
}

static void small_worlds_front_team(void **state)
{
    need_team(*state);
    small_worlds(*state, &(struct variant) { "front, team", CLADE_HEAP_FRONT,
                                             "-DCLADE_GROUP_SCALAR=0", TEAM });
}

static void large_worlds_front(void **state)
{
    large_worlds(*state, CLADE_HEAP_FRONT);
}

/* Two programs of this: PoCL compiles the paper's engine for minutes, the other one for seconds. */
int main(void)
{
#ifdef HISTORY_FRONT
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_worlds_front),
        cmocka_unit_test(small_worlds_front_team),
        cmocka_unit_test(large_worlds_front),
    };
    (void)small_worlds_top_down, (void)small_worlds_bottom_up;
    (void)small_worlds_top_down_team, (void)small_worlds_bottom_up_team;
    (void)large_worlds_top_down, (void)large_worlds_bottom_up;
    return fixture_run("heap_front_history", tests);
#else
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_worlds_top_down),      cmocka_unit_test(small_worlds_bottom_up),
        cmocka_unit_test(small_worlds_top_down_team), cmocka_unit_test(small_worlds_bottom_up_team),
        cmocka_unit_test(large_worlds_top_down),      cmocka_unit_test(large_worlds_bottom_up),
    };
    (void)small_worlds_front, (void)small_worlds_front_team, (void)large_worlds_front;
    return fixture_run("heap_history", tests);
#endif
}
