/* SPDX-License-Identifier: Apache-2.0 */
/* clade_queue: calls against a model, recorded histories, full and empty, files. */
#include <clade/queue.h>

#include "harness/late.h"
#include "harness/scratch.h"
#include "queue/queue_lin.h"

static clade_queue *open_queue(struct fixture *f, uint64_t capacity)
{
    clade_queue *queue = NULL;
    assert_ok(
        clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = capacity }));
    return queue;
}

static uint64_t size_of(clade_queue *queue)
{
    uint64_t size;
    assert_ok(clade_queue_size(queue, &size));
    return size;
}

static void bad_arguments_are_refused_with_a_sentence(void **state)
{
    struct fixture *f = *state;
    clade_queue *queue = (clade_queue *)1;
    uint32_t values[2] = { 1, CLADE_QUEUE_VALUE_MAX + 1 };
    int32_t statuses[2];
    assert_fails(clade_queue_create(&queue, f->context, &(clade_queue_params) { 0 }), CLADE_E_ARG);
    assert_message("capacity is 0");
    assert_null(queue);
    assert_fails(clade_queue_create(&queue, f->context, NULL), CLADE_E_ARG);
    queue = open_queue(f, 8);
    assert_fails(clade_queue_append(queue, clade_host(values), 2, clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_message("item 1");
    assert_fails(clade_queue_append(queue, clade_host(values), 2, clade_host(statuses), NULL),
                 CLADE_E_ARG);
    assert_int_equal(statuses[0], CLADE_E_ARG);
    assert_int_equal(size_of(queue), 0);
    assert_fails(clade_queue_append(queue, clade_no_array(), 1, clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_fails(clade_queue_pop(queue, clade_no_array(), 1, clade_no_array(), NULL), CLADE_E_ARG);
    assert_ok(clade_queue_check(queue));
    clade_queue_destroy(&queue);
    clade_queue_destroy(&queue);
}

/* Calls with device arrays leave what they were refused to a later one, and each is judged by its
 * own values: a good one behind a bad one goes in, a bad one behind a refusal does not. */
static void each_append_is_judged_by_itself(void **state)
{
    struct fixture *f = *state;
    enum { CAPACITY = 8 };
    clade_queue *queue = open_queue(f, CAPACITY);
    const uint32_t good[4] = { 1, 2, 3, 4 }, bad[2] = { 5, CLADE_QUEUE_VALUE_MAX + 1 };
    uint32_t out[CAPACITY];
    uint64_t size, got;
    cl_mem good_mem = fixture_buffer(f, sizeof good, good);
    cl_mem bad_mem = fixture_buffer(f, sizeof bad, bad);
    const clade_array goods = clade_device(good_mem, 0), bads = clade_device(bad_mem, 0);
    const clade_array none = clade_no_array();
    assert_ok(clade_queue_append(queue, bads, 2, none, NULL));
    assert_ok(clade_queue_append(queue, goods, 4, none, NULL));
    assert_fails(clade_queue_size(queue, &size), CLADE_E_ARG);
    assert_int_equal(size_of(queue), 4);
    assert_ok(clade_queue_append(queue, goods, 4, none, NULL));
    assert_ok(clade_queue_append(queue, goods, 1, none, NULL)); /* no room: told later */
    assert_ok(clade_queue_pop(queue, clade_host(out), 4, clade_host(&got), NULL));
    assert_ok(clade_queue_append(queue, bads, 2, none, NULL));
    assert_fails(clade_queue_size(queue, &size), CLADE_E_FULL);
    assert_int_equal(size_of(queue), 4);
    assert_ok(clade_queue_check(queue));
    assert_ok(clade_queue_pop(queue, clade_host(out), CAPACITY, clade_host(&got), NULL));
    assert_int_equal(got, 4);
    assert_memory_equal(out, good, sizeof good);
    clReleaseMemObject(good_mem);
    clReleaseMemObject(bad_mem);
    clade_queue_destroy(&queue);
}

/* Whole arrays in, whole arrays out, with too much on both sides: the model is two counters. */
static void calls_keep_the_order(void **state)
{
    struct fixture *f = *state;
    enum { CAPACITY = 64, MOST = 100 };
    clade_queue *queue = open_queue(f, CAPACITY - 5); /* rounded up */
    struct random random = random_from(f->seed);
    uint32_t in = 0, out = 0, values[MOST];
    int32_t statuses[MOST];
    for (size_t turn = 0, n = fixture_scaled(40, 300, 4000); turn < n; turn++) {
        const uint32_t count = (uint32_t)random_below(&random, MOST);
        uint64_t got = 0;
        if (random_below(&random, 2)) {
            for (uint32_t i = 0; i < count; i++)
                values[i] = (in + i) % CLADE_QUEUE_VALUE_MAX;
            assert_ok(
                clade_queue_append(queue, clade_host(values), count, clade_host(statuses), NULL));
            for (uint32_t i = 0; i < count; i++) {
                const bool fits = in - out < CAPACITY;
                assert_int_equal(statuses[i], fits ? CLADE_OK : CLADE_E_FULL);
                in += fits;
            }
        } else {
            memset(values, 0xff, sizeof values);
            assert_ok(clade_queue_pop(queue, clade_host(values), count, clade_host(&got), NULL));
            assert_int_equal(got, in - out < count ? in - out : count);
            for (uint32_t i = 0; i < count; i++)
                assert_int_equal(values[i], i < got ? out++ % CLADE_QUEUE_VALUE_MAX : 0xffffffffu);
        }
        assert_int_equal(size_of(queue), in - out);
        if (turn % 8 == 0)
            assert_ok(clade_queue_check(queue));
    }
    assert_ok(clade_queue_clear(queue, NULL));
    assert_int_equal(size_of(queue), 0);
    assert_ok(clade_queue_check(queue));
    for (uint32_t i = 0; i < MOST; i++)
        values[i] = i;
    assert_fails(clade_queue_append(queue, clade_host(values), MOST, clade_no_array(), NULL),
                 CLADE_E_FULL);
    assert_int_equal(size_of(queue), CAPACITY);
    clade_queue_destroy(&queue);
}

/* --- histories -------------------------------------------------------------------------------- */

struct world {
    clade_queue *queue;
    cl_kernel kernel;
    cl_mem clock, records, values, payload, wrong;
    uint32_t items, group, ops, appends;
    history_op *read;
    uint32_t *read_values;
};

static struct world make_world(struct fixture *f, uint32_t capacity, uint32_t items, uint32_t group,
                               uint32_t ops, uint32_t appends)
{
    struct world w = { .items = items, .group = group, .ops = ops, .appends = appends };
    const size_t all = (size_t)items * ops;
    clade_program *program = NULL;
    w.queue = open_queue(f, capacity);
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .file = "queue/queue_test.cl",
                                  .include_path = fixture_kernels(TEST_KERNELS) }));
    assert_ok(clade_program_kernel(&w.kernel, program, "queue_history"));
    clade_program_destroy(&program);
    w.read = test_calloc(all, sizeof *w.read);
    w.read_values = test_calloc(all + 2, 4);
    w.records = fixture_buffer(f, all * sizeof *w.read, w.read);
    w.values = fixture_buffer(f, all * 4, w.read_values);
    w.payload = fixture_buffer(f, (all + 2) * 4, w.read_values);
    w.clock = fixture_buffer(f, 4, w.read_values);
    w.wrong = fixture_buffer(f, 4, w.read_values);
    return w;
}

static void free_world(struct world *w)
{
    cl_mem mems[] = { w->records, w->values, w->payload, w->clock, w->wrong };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        clReleaseMemObject(mems[i]);
    clReleaseKernel(w->kernel);
    test_free(w->read);
    test_free(w->read_values);
    clade_queue_destroy(&w->queue);
}

static void run_world(struct fixture *f, struct world *w, uint32_t seed, uint32_t has_clock)
{
    const size_t group = w->group, global = (w->items + group - 1) / group * group;
    const uint32_t zero = 0;
    cl_mem queue = clade_queue_mem(w->queue);
    int32_t wrong = 1;
    const struct {
        size_t size;
        const void *value;
    } args[] = { { sizeof queue, &queue },
                 { sizeof(cl_mem), &w->clock },
                 { 4, &has_clock },
                 { sizeof(cl_mem), &w->records },
                 { sizeof(cl_mem), &w->values },
                 { sizeof(cl_mem), &w->payload },
                 { 4, &w->ops },
                 { 4, &w->appends },
                 { 4, &seed },
                 { 4, &w->items },
                 { sizeof(cl_mem), &w->wrong } };
    fixture_write(f, w->clock, 0, &zero, 4);
    for (cl_uint i = 0; i < sizeof args / sizeof args[0]; i++)
        assert_int_equal(clSetKernelArg(w->kernel, i, args[i].size, args[i].value), CL_SUCCESS);
    fixture_launch(f, w->kernel, global, group);
    fixture_read(f, w->records, 0, w->read, (size_t)w->items * w->ops * sizeof *w->read);
    fixture_read(f, w->values, 0, w->read_values, (size_t)w->items * w->ops * 4);
    fixture_read(f, w->wrong, 0, &wrong, 4);
    assert_int_equal(wrong, 0);
    assert_ok(clade_queue_check(w->queue));
}

/* What went in and did not come out is inside. */
static void assert_conserved(struct fixture *f, struct world *w)
{
    const size_t all = (size_t)w->items * w->ops;
    uint8_t *inside = test_calloc(all + 2, 1);
    uint32_t *left = test_calloc(all + 1, 4);
    uint64_t size = 0, got = 0;
    (void)f;
    for (size_t i = 0; i < all; i++) {
        const int32_t status = (int32_t)w->read[i].status;
        const bool is_append = w->read[i].kind == HISTORY_INSERT;
        if (status == CLADE_OK) {
            inside[w->read_values[i]] += is_append ? 1 : 0xff;
            size += is_append ? 1 : (uint64_t)-1;
        } else {
            assert_int_equal(status, is_append ? CLADE_E_FULL : CLADE_E_NOT_FOUND);
        }
    }
    assert_int_equal(size_of(w->queue), size);
    assert_ok(clade_queue_pop(w->queue, clade_host(left), all, clade_host(&got), NULL));
    assert_int_equal(got, size);
    for (uint64_t i = 0; i < got; i++)
        assert_int_equal(inside[left[i]]--, 1);
    for (size_t i = 0; i < all; i++)
        assert_int_equal(inside[i], 0);
    test_free(inside);
    test_free(left);
}

static void print_world(const struct world *w, uint32_t round, lin_verdict verdict,
                        const lin_report *report)
{
    print_message("round %u: verdict %d, %s (operations %zu, %zu)\n", round, verdict,
                  report->why ? report->why : "by search", report->op, report->other);
    for (size_t i = 0; i < (size_t)w->items * w->ops && i < 64; i++)
        print_message("%zu [%u,%u] %s status %d value %u\n", i, w->read[i].inv, w->read[i].res,
                      w->read[i].kind == HISTORY_INSERT ? "append" : "pop", (int)w->read[i].status,
                      w->read_values[i]);
}

static void histories(struct fixture *f, struct world *w, uint32_t rounds, bool exact)
{
    for (uint32_t i = 0; i < rounds; i++) {
        lin_report report = { "", SIZE_MAX, SIZE_MAX };
        run_world(f, w, (uint32_t)f->seed * 31u + i, exact || i % 2 == 0);
        if (exact || i % 2 == 0) { /* else without tickets: what is kept alone */
            const lin_verdict verdict =
                queue_lin_check(w->read, w->read_values, (size_t)w->items * w->ops, exact, &report);
            if (verdict != LIN_OK)
                print_world(w, i, verdict, &report);
            assert_int_equal(verdict, LIN_OK);
        }
        if (exact)
            assert_true(queue_wrongly_full(w->read, (size_t)w->items * w->ops, 4) == SIZE_MAX);
        assert_conserved(f, w); /* empties it; the ring is somewhere else every time */
    }
}

static void small_histories_are_linearizable(void **state)
{
    struct world w = make_world(*state, 4, 6, 2, 6, 50);
    histories(*state, &w, (uint32_t)fixture_scaled(10, 200, 3000), true);
    free_world(&w);
}

static void large_histories_are_linearizable(void **state)
{
    struct fixture *f = *state;
    struct world w = make_world(f, (uint32_t)fixture_scaled(32, 512, 8192),
                                (uint32_t)fixture_scaled(64, 1024, 16384), 32,
                                (uint32_t)fixture_scaled(8, 32, 32), 55);
    histories(f, &w, (uint32_t)fixture_scaled(2, 10, 60), false);
    free_world(&w);
}

/* --- files ------------------------------------------------------------------------------------ */

static void a_saved_queue_comes_back(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make(), *path = scratch_path(folder, "queue");
    clade_queue *queue = open_queue(f, 64), *loaded = NULL;
    uint32_t values[50], back[50];
    uint64_t got;
    for (uint32_t i = 0; i < 50; i++)
        values[i] = i * 3;
    assert_ok(clade_queue_append(queue, clade_host(values), 50, clade_no_array(), NULL));
    assert_ok(clade_queue_pop(queue, clade_host(back), 20, clade_no_array(), NULL));
    assert_ok(clade_queue_append(queue, clade_host(values), 30, clade_no_array(), NULL));
    assert_ok(clade_queue_save(queue, path));
    assert_ok(clade_queue_load(&loaded, f->context, path));
    assert_int_equal(size_of(loaded), 60);
    assert_ok(clade_queue_pop(loaded, clade_host(back), 30, clade_host(&got), NULL));
    assert_memory_equal(back, values + 20, 30 * 4);
    clade_queue_destroy(&loaded);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -9, SEEK_END), 0);
    fputc(0x5a, file);
    fclose(file);
    assert_fails(clade_queue_load(&loaded, f->context, path), CLADE_E_CORRUPT);
    clade_queue_destroy(&queue);
    free(path);
    scratch_remove(folder);
}

static void a_spoiled_queue_is_told(void **state)
{
    struct fixture *f = *state;
    clade_queue *queue = open_queue(f, 16);
    uint32_t values[10] = { 0 };
    const struct {
        size_t offset;
        uint32_t change;
        const char *why;
    } spoilt[] = { { offsetof(clade_queue_head, tail), 100, "I1" },
                   { offsetof(clade_queue_head, tail), 1, "I2" },
                   { offsetof(clade_queue_head, head), 1, "I3" },
                   { sizeof(clade_queue_head) + 4 * 4, CLADE_QUEUE_ODD, "I2" },
                   { sizeof(clade_queue_head) + 12 * 4, 1, "I3" } };
    assert_ok(clade_queue_append(queue, clade_host(values), 10, clade_no_array(), NULL));
    for (size_t i = 0; i < sizeof spoilt / sizeof spoilt[0]; i++) {
        uint32_t word, changed;
        fixture_read(f, clade_queue_mem(queue), spoilt[i].offset, &word, 4);
        changed = word + spoilt[i].change;
        fixture_write(f, clade_queue_mem(queue), spoilt[i].offset, &changed, 4);
        assert_fails(clade_queue_check(queue), CLADE_E_CORRUPT);
        assert_message(spoilt[i].why);
        fixture_write(f, clade_queue_mem(queue), spoilt[i].offset, &word, 4);
        assert_ok(clade_queue_check(queue));
    }
    clade_queue_destroy(&queue);
}

/* --- counters that wrap ----------------------------------------------------------------------- */

/* An empty queue whose next position is `start`. */
static void begin_at(struct fixture *f, clade_queue *queue, uint32_t slots, uint32_t start)
{
    uint32_t shift = 0, word;
    while (1u << shift < slots)
        shift++;
    cl_mem mem = clade_queue_mem(queue);
    fixture_write(f, mem, offsetof(clade_queue_head, head), &start, 4);
    fixture_write(f, mem, offsetof(clade_queue_head, tail), &start, 4);
    for (uint32_t i = 0; i < slots; i++) {
        const uint32_t p = start + i;
        word = CLADE_QUEUE_EMPTY | p >> shift;
        fixture_write(f, mem, sizeof(clade_queue_head) + (p & (slots - 1)) * 4ull, &word, 4);
    }
    assert_ok(clade_queue_check(queue));
}

static void positions_wrap(void **state)
{
    struct fixture *f = *state;
    enum { MOST = 16 };
    for (uint32_t slots = 2; slots <= MOST; slots *= 2)
        for (uint32_t before = 0; before <= slots + 1; before += 1 + slots / 4) {
            clade_queue *queue = open_queue(f, slots);
            uint32_t in[MOST + 1], out[MOST + 1], next = 7;
            int32_t statuses[MOST + 1];
            uint64_t got, size;
            begin_at(f, queue, slots, 0u - before);
            for (uint32_t turn = 0; turn < 6; turn++) {
                const uint32_t count = turn % 2 ? slots + 1 : 1 + slots / 2;
                for (uint32_t i = 0; i < count; i++)
                    in[i] = next + i;
                assert_ok(
                    clade_queue_append(queue, clade_host(in), count, clade_host(statuses), NULL));
                const uint32_t fits = count < slots ? count : slots;
                for (uint32_t i = 0; i < count; i++)
                    assert_int_equal(statuses[i], i < fits ? CLADE_OK : CLADE_E_FULL);
                assert_ok(clade_queue_check(queue));
                assert_ok(clade_queue_size(queue, &size));
                assert_int_equal(size, fits);
                assert_ok(
                    clade_queue_pop(queue, clade_host(out), slots + 1, clade_host(&got), NULL));
                assert_int_equal(got, fits);
                assert_memory_equal(out, in, fits * 4ull);
                assert_ok(clade_queue_check(queue));
                next += count;
            }
            clade_queue_destroy(&queue);
        }
}

/* The number of a host's append. A file carries it on, so it can be set. */
static void numbers_of_appends_begin_anew(void **state)
{
    struct fixture *f = *state;
    const uint32_t last = UINT32_MAX - 1, first = 1, second = 2, value = 5;
    char *folder = scratch_make(), *path = scratch_path(folder, "queue");
    clade_queue *queue = open_queue(f, 8), *later = NULL;
    const size_t at = offsetof(clade_queue_head, too_large);
    uint64_t size;
    fixture_write(f, clade_queue_mem(queue), at, &last, 4);
    assert_ok(clade_queue_save(queue, path));
    assert_ok(clade_queue_load(&later, f->context, path));
    /* As append 1 of long ago left it, which had a value too large: no later one is judged by it.
     */
    fixture_write(f, clade_queue_mem(later), at, &first, 4);
    assert_ok(
        clade_queue_append(later, clade_host(&value), 1, clade_no_array(), NULL)); /* 2^32 - 1 */
    assert_ok(clade_queue_append(later, clade_host(&value), 1, clade_no_array(), NULL)); /* 1 */
    fixture_write(f, clade_queue_mem(later), at, &second, 4);
    const uint32_t large = CLADE_QUEUE_VALUE_MAX + 1;
    assert_fails(clade_queue_append(later, clade_host(&large), 1, clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_ok(clade_queue_append(later, clade_host(&value), 1, clade_no_array(), NULL));
    assert_ok(clade_queue_size(later, &size));
    assert_int_equal(size, 3);
    clade_queue_destroy(&later);
    clade_queue_destroy(&queue);
    free(path);
    scratch_remove(folder);
}

/* --- loops that a driver leaves --------------------------------------------------------------- */

enum { LATE_ITEMS = 16 };

struct late_items {
    int32_t statuses[LATE_ITEMS];
    uint32_t values[LATE_ITEMS];
};

/* The first `items` of a group append their numbers, or pop, behind so many turns of a loop. Those
 * who did are bits. The others were refused. */
static uint32_t run_late(struct late *late, uint32_t turns, uint32_t is_pop, uint32_t items,
                         struct late_items *got)
{
    uint32_t bits = 0;
    fixture_arg(late->kernel, 3, is_pop);
    fixture_arg(late->kernel, 4, items);
    late_run(late, turns, LATE_ITEMS, LATE_ITEMS, got);
    for (uint32_t i = 0; i < items; i++) {
        const bool is_busy = got->statuses[i] == CLADE_E_BUSY;
        assert_true(got->statuses[i] == CLADE_OK || (is_busy && late->limit));
        assert_true(!is_pop || !is_busy || got->values[i] == 0);
        bits |= (uint32_t)!is_busy << i;
    }
    return bits;
}

/* Takes a value out of those that are bits. */
static void take_bit(uint32_t *bits, uint32_t value)
{
    assert_true(value < LATE_ITEMS && *bits >> value & 1u);
    *bits ^= 1u << value;
}

/* A driver may leave loops after so many turns in a launch, whoever took them: then an append or a
 * pop is refused, and did nothing. */
static void operations_behind_long_loops_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    static const char source[] =
        "#include \"clade/queue.clh\"\n"
        "__kernel void late(__global uint *out, uint turns, __global clade_queue_head *queue,\n"
        "                   uint is_pop, uint items)\n"
        "{\n"
        "    uint i = (uint)get_global_id(0), value = i;\n" LATE_TURNS "    if (i < items)\n"
        "        out[i] = (uint)(is_pop ? clade_queue_pop_wi(queue, &value)\n"
        "                               : clade_queue_append_wi(queue, value));\n"
        "    out[get_global_size(0) + i] = value;\n"
        "}\n";
    struct late_items got;
    uint32_t rest[LATE_ITEMS], refused = 0;
    clade_queue *queue = open_queue(f, LATE_ITEMS);
    cl_mem mem = clade_queue_mem(queue);
    struct late late = late_open(f, source, NULL, sizeof got);
    fixture_arg(late.kernel, 2, mem);
    for (uint32_t turns = late_turns(&late, 20); turns <= late.limit; turns++) {
        uint64_t count = 0;
        uint32_t inside = run_late(&late, turns, 0, LATE_ITEMS, &got);
        const uint32_t size = (uint32_t)__builtin_popcount(inside);
        assert_int_equal(size_of(queue), size);
        assert_ok(clade_queue_check(queue));
        const uint32_t popped = run_late(&late, turns, 1, size, &got);
        for (uint32_t i = 0; i < size; i++)
            if (popped >> i & 1u)
                take_bit(&inside, got.values[i]);
        assert_int_equal(size_of(queue), __builtin_popcount(inside));
        assert_ok(clade_queue_check(queue));
        assert_ok(clade_queue_pop(queue, clade_host(rest), LATE_ITEMS, clade_host(&count), NULL));
        for (uint64_t i = 0; i < count; i++)
            take_bit(&inside, rest[i]);
        assert_int_equal(inside, 0);
        refused += LATE_ITEMS - size + (uint32_t)count;
    }
    assert_true((refused > 0) == (late.limit > 0));
    late_close(&late);
    clade_queue_destroy(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments_are_refused_with_a_sentence),
        cmocka_unit_test(each_append_is_judged_by_itself),
        cmocka_unit_test(calls_keep_the_order),
        cmocka_unit_test(small_histories_are_linearizable),
        cmocka_unit_test(large_histories_are_linearizable),
        cmocka_unit_test(a_saved_queue_comes_back),
        cmocka_unit_test(a_spoiled_queue_is_told),
        cmocka_unit_test(positions_wrap),
        cmocka_unit_test(numbers_of_appends_begin_anew),
        cmocka_unit_test(operations_behind_long_loops_are_done_or_refused),
    };
    return fixture_run("queue", tests);
}
