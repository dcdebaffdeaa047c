/* SPDX-License-Identifier: Apache-2.0 */
/* clade_dlist: a sequence that changes anywhere at once, and is walked both ways. */
#include "dlist/test_dlist.h"
#include "harness/late.h"
#include "harness/scratch.h"

clade_dlist *open_list(struct fixture *f, clade_dlist_params params)
{
    clade_dlist *list;
    assert_ok(clade_dlist_create(&list, f->context, &params));
    return list;
}

void close_list(clade_dlist *list)
{
    assert_ok(clade_dlist_check(list));
    clade_dlist_destroy(&list);
    assert_null(list);
}

/* The list holds these values, forward and backward. */
static void assert_values(clade_dlist *list, const uint32_t *wanted, uint64_t count)
{
    uint32_t *got = calloc(count + 1, 4);
    uint64_t n;
    for (int backward = 0; backward < 2; backward++) {
        assert_ok(clade_dlist_read(list, backward, got, NULL, count + 1, &n));
        assert_int_equal(n, count);
        for (uint64_t i = 0; i < count; i++)
            assert_int_equal(got[i], wanted[backward ? count - 1 - i : i]);
    }
    free(got);
}

static int32_t one(clade_dlist *list, uint32_t op, uint32_t target, uint32_t *value, uint32_t *node)
{
    int32_t status = 99;
    assert_ok(clade_dlist_apply(list, clade_host(&op), clade_host(&target), clade_host(value),
                                clade_host(node), 1, clade_host(&status), NULL));
    return status;
}

/* --- one after the other ---------------------------------------------------------------------- */

static void nodes_go_in_on_either_side_and_are_walked_both_ways(void **state)
{
    struct fixture *f = *state;
    clade_dlist *list = open_list(f, (clade_dlist_params) { .capacity = 64 });
    uint32_t a, b, c, d, node, value = 10;
    assert_int_equal(one(list, CLADE_DLIST_NEXT, CLADE_NIL, &value, &node), CLADE_OK);
    assert_int_equal(node, CLADE_NIL);
    assert_int_equal(one(list, CLADE_DLIST_INSERT_AFTER, CLADE_NIL, &value, &a), CLADE_OK);
    value = 30;
    assert_int_equal(one(list, CLADE_DLIST_INSERT_BEFORE, CLADE_NIL, &value, &c), CLADE_OK);
    value = 20;
    assert_int_equal(one(list, CLADE_DLIST_INSERT_BEFORE, c, &value, &b), CLADE_OK);
    value = 25;
    assert_int_equal(one(list, CLADE_DLIST_INSERT_AFTER, b, &value, &d), CLADE_OK);
    assert_values(list, (uint32_t[]) { 10, 20, 25, 30 }, 4);
    assert_int_equal(one(list, CLADE_DLIST_PREV, d, &value, &node), CLADE_OK);
    assert_int_equal(node, b);
    assert_int_equal(one(list, CLADE_DLIST_PREV, a, &value, &node), CLADE_OK);
    assert_int_equal(node, CLADE_NIL);
    assert_int_equal(one(list, CLADE_DLIST_PREV, CLADE_NIL, &value, &node), CLADE_OK);
    assert_int_equal(node, c);
    assert_int_equal(one(list, CLADE_DLIST_NEXT, d, &value, &node), CLADE_OK);
    assert_int_equal(node, c);
    value = 0;
    assert_int_equal(one(list, CLADE_DLIST_ERASE, b, &value, &node), CLADE_OK);
    assert_int_equal(value, 20);
    for (uint32_t op = 0; op < CLADE_DLIST_OP_COUNT; op++) { /* b is gone */
        assert_int_equal(one(list, op, b, &value, &node), CLADE_E_NOT_FOUND);
        assert_int_equal(node, op == CLADE_DLIST_NEXT ? d : op == CLADE_DLIST_PREV ? a : CLADE_NIL);
    }
    assert_int_equal(one(list, CLADE_DLIST_PREV, d, &value, &node), CLADE_OK);
    assert_int_equal(node, a);
    assert_int_equal(one(list, CLADE_DLIST_GET, d, &value, &node), CLADE_OK);
    assert_int_equal(value, 25);
    assert_values(list, (uint32_t[]) { 10, 25, 30 }, 3);
    close_list(list);
}

static void targets_that_are_no_nodes_are_told(void **state)
{
    struct fixture *f = *state;
    clade_dlist *list = open_list(f, (clade_dlist_params) { .capacity = 4 });
    uint32_t value = 1, node;
    for (uint32_t op = 0; op < CLADE_DLIST_OP_COUNT; op++) {
        assert_int_equal(one(list, op, 5, &value, &node), CLADE_E_ARG);
        assert_int_equal(one(list, op, UINT32_MAX, &value, &node), CLADE_E_ARG);
        assert_int_equal(one(list, op, 3, &value, &node), CLADE_E_NOT_FOUND); /* a free cell */
    }
    assert_int_equal(one(list, CLADE_DLIST_ERASE, CLADE_NIL, &value, &node), CLADE_E_ARG);
    assert_int_equal(one(list, CLADE_DLIST_GET, CLADE_NIL, &value, &node), CLADE_E_ARG);
    assert_int_equal(one(list, CLADE_DLIST_OP_COUNT, CLADE_NIL, &value, &node), CLADE_E_ARG);
    assert_values(list, NULL, 0);
    close_list(list);
}

static void many_are_appended_in_order(void **state)
{
    struct fixture *f = *state;
    const uint32_t n = (uint32_t)fixture_scaled(500, 20000, 200000);
    clade_dlist *list = open_list(f, (clade_dlist_params) { .capacity = n });
    uint32_t *values = calloc(n + 10, 4), *nodes = calloc(n + 10, 4);
    int32_t *statuses = calloc(n + 10, 4);
    for (uint32_t i = 0; i < n + 10; i++)
        values[i] = i * 3;
    assert_ok(clade_dlist_append(list, clade_host(values), clade_host(nodes), n / 3,
                                 clade_no_array(), NULL));
    assert_ok(clade_dlist_check(list));
    assert_ok(clade_dlist_append(list, clade_host(values + n / 3), clade_host(nodes + n / 3),
                                 n + 10 - n / 3, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < n + 10 - n / 3; i++)
        assert_int_equal(statuses[i], i < n - n / 3 ? CLADE_OK : CLADE_E_FULL);
    assert_values(list, values, n);
    /* All but every third are erased; what is left is right behind each other. */
    uint32_t gone = 0;
    for (uint32_t i = 0; i < n; i++)
        if (i % 3)
            nodes[gone++] = nodes[i];
        else
            values[i / 3] = values[i];
    assert_ok(
        clade_dlist_erase(list, clade_host(nodes), clade_no_array(), gone, clade_no_array(), NULL));
    assert_ok(clade_dlist_check(list));
    assert_values(list, values, n - gone);
    free(statuses);
    free(nodes);
    free(values);
    close_list(list);
}

static void erasing_all_at_once_is_no_cliff(void **state)
{
    struct fixture *f = *state;
    const uint32_t n = (uint32_t)fixture_scaled(300, 20000, 1000000);
    clade_dlist *list = open_list(f, (clade_dlist_params) { .capacity = n });
    uint32_t *nodes = calloc(n, 4);
    int32_t *statuses = calloc(n, 4);
    clade_dlist_stats stats;
    for (int round = 0; round < 3; round++) {
        assert_ok(clade_dlist_append(list, clade_host(nodes), clade_host(nodes), n,
                                     clade_no_array(), NULL));
        assert_ok(clade_dlist_erase(list, clade_host(nodes), clade_no_array(), n,
                                    clade_host(statuses), NULL));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_ok(clade_dlist_stats_read(list, &stats));
        assert_int_equal(stats.live, 0);
    }
    free(statuses);
    free(nodes);
    close_list(list);
}

static void a_full_pool_refuses_item_by_item(void **state)
{
    struct fixture *f = *state;
    enum { N = 100, ROOM = 37 };
    clade_dlist *list = open_list(f, (clade_dlist_params) { .capacity = ROOM });
    uint32_t targets[N] = { 0 }, nodes[N];
    int32_t statuses[N];
    int done = 0;
    clade_dlist_stats stats;
    assert_ok(clade_dlist_insert_before(list, clade_host(targets), clade_no_array(),
                                        clade_host(nodes), N, clade_host(statuses), NULL));
    for (int i = 0; i < N; i++) {
        assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL);
        assert_int_equal(nodes[i] != CLADE_NIL, statuses[i] == CLADE_OK);
        done += statuses[i] == CLADE_OK;
    }
    assert_int_equal(done, ROOM);
    assert_fails(clade_dlist_insert_after(list, clade_host(targets), clade_no_array(),
                                          clade_no_array(), 1, clade_no_array(), NULL),
                 CLADE_E_FULL);
    assert_message("capacity is 37");
    assert_ok(clade_dlist_stats_read(list, &stats));
    assert_int_equal(stats.live, ROOM);
    assert_int_equal(stats.free, 0);
    close_list(list);
}

static void inserting_and_erasing_for_ever_takes_constant_memory(void **state)
{
    struct fixture *f = *state;
    enum { N = 256 };
    const uint32_t rounds = (uint32_t)fixture_scaled(4, 100, 1000000 / N);
    clade_dlist *list = open_list(f, (clade_dlist_params) { .capacity = 2 * N });
    uint32_t targets[N] = { 0 }, nodes[N];
    int32_t statuses[N];
    for (uint32_t round = 0; round < rounds; round++) {
        assert_ok((round % 2 ? clade_dlist_insert_after : clade_dlist_insert_before)(
            list, clade_host(targets), clade_no_array(), clade_host(nodes), N, clade_host(statuses),
            NULL));
        for (int i = 0; i < N; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_ok(clade_dlist_erase(list, clade_host(nodes), clade_no_array(), N,
                                    clade_host(statuses), NULL));
        for (int i = 0; i < N; i++)
            assert_int_equal(statuses[i], CLADE_OK);
    }
    assert_values(list, NULL, 0);
    close_list(list);
}

/* --- files and bad input ---------------------------------------------------------------------- */

static void a_list_is_saved_and_loaded(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make(), *path = scratch_path(folder, "dlist"), *other;
    clade_dlist *list = open_list(f, (clade_dlist_params) { .capacity = 60 }), *again;
    uint32_t values[50], nodes[50];
    size_t size;
    for (uint32_t i = 0; i < 50; i++)
        values[i] = i * i;
    assert_ok(clade_dlist_append(list, clade_host(values), clade_host(nodes), 50, clade_no_array(),
                                 NULL));
    assert_ok(clade_dlist_save(list, path));
    assert_ok(clade_dlist_load(&again, f->context, path));
    assert_values(again, values, 50);
    assert_ok(
        clade_dlist_erase(again, clade_host(nodes), clade_no_array(), 1, clade_no_array(), NULL));
    assert_values(again, values + 1, 49);
    close_list(again);
    char *bytes = scratch_read(path, &size);
    bytes[size / 2] ^= 1;
    other = scratch_file(folder, "damaged", bytes, size);
    assert_fails(clade_dlist_load(&again, f->context, other), CLADE_E_CORRUPT);
    assert_null(again);
    assert_fails(clade_dlist_load(&again, f->context, "/nowhere"), CLADE_E_NOT_FOUND);
    free(bytes);
    free(other);
    free(path);
    scratch_remove(folder);
    close_list(list);
}

/* check() sees a link that leads astray. */
static void damage_is_found(void **state)
{
    struct fixture *f = *state;
    uint32_t values[4] = { 0 }, nodes[4];
    static const struct {
        uint32_t node, word; /* where: of the node at this place, from 1 */
        uint32_t place;      /* what: the cell of the node at this place; or, 0, */
        uint32_t content;    /* this */
        uint32_t shift;
        const char *message;
    } damages[] = {
        { 1, CLADE_DLIST_WORD_NEXT, 0, 99, CLADE_DLIST_REF_SHIFT, "there are 5 cells" },
        { 3, CLADE_DLIST_WORD_NEXT, 1, 0, CLADE_DLIST_REF_SHIFT, "circle" },
        { 1, CLADE_DLIST_WORD_NEXT, 3, 0, CLADE_DLIST_REF_SHIFT, "do not lead to it" },
        { 1, CLADE_DLIST_WORD_PREV, 3, 0, 0, "which is behind it" },
        { 1, CLADE_DLIST_WORD_PREV, 0, 77, 0, "no node" },
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        clade_dlist *list = open_list(f, (clade_dlist_params) { .capacity = 5, .group_size = 1 });
        clade_dlist_head head;
        assert_ok(clade_dlist_append(list, clade_host(values), clade_host(nodes), 4,
                                     clade_no_array(), NULL));
        fixture_read(f, clade_dlist_mem(list), 0, &head, sizeof head);
        const uint32_t at = head.nodes_at + (nodes[damages[i].node - 1] - 1) * CLADE_DLIST_CELL;
        const uint32_t content =
            (damages[i].place ? nodes[damages[i].place - 1] : damages[i].content)
            << damages[i].shift;
        fixture_write(f, clade_dlist_mem(list), (at + damages[i].word) * 4, &content, 4);
        assert_fails(clade_dlist_check(list), CLADE_E_CORRUPT);
        assert_message(damages[i].message);
        clade_dlist_destroy(&list);
    }
}

static void wrong_arguments_are_named(void **state)
{
    struct fixture *f = *state;
    clade_dlist *list = NULL;
    uint32_t word = 0;
    uint64_t count;
    clade_dlist_stats stats;
    assert_fails(clade_dlist_create(NULL, f->context, &(clade_dlist_params) { 0 }), CLADE_E_ARG);
    assert_fails(clade_dlist_create(&list, f->context, &(clade_dlist_params) { 0 }), CLADE_E_ARG);
    assert_message("capacity is 0");
    assert_fails(
        clade_dlist_create(&list, f->context, &(clade_dlist_params) { .capacity = 1, .value = 7 }),
        CLADE_E_ARG);
    assert_message("value type 7");
    assert_fails(
        clade_dlist_create(&list, f->context,
                           &(clade_dlist_params) { .capacity = 1, .group_size = UINT32_MAX }),
        CLADE_E_ARG);
    assert_message("group_size");
    assert_null(list);
    list = open_list(f, (clade_dlist_params) { .capacity = 1 });
    assert_fails(clade_dlist_apply(list, clade_no_array(), clade_host(&word), clade_no_array(),
                                   clade_no_array(), 1, clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_message("no array of operations");
    assert_fails(
        clade_dlist_erase(list, clade_no_array(), clade_no_array(), 1, clade_no_array(), NULL),
        CLADE_E_ARG);
    assert_message("no array of targets");
    assert_fails(
        clade_dlist_append(list, clade_no_array(), clade_no_array(), 1, clade_no_array(), NULL),
        CLADE_E_ARG);
    assert_fails(clade_dlist_read(list, 0, NULL, NULL, 0, NULL), CLADE_E_ARG);
    assert_fails(clade_dlist_read(NULL, 0, NULL, NULL, 0, &count), CLADE_E_ARG);
    assert_fails(clade_dlist_stats_read(list, NULL), CLADE_E_ARG);
    assert_fails(clade_dlist_stats_read(NULL, &stats), CLADE_E_ARG);
    assert_fails(clade_dlist_reclaim(NULL, NULL), CLADE_E_ARG);
    assert_fails(clade_dlist_clear(NULL, NULL), CLADE_E_ARG);
    assert_fails(clade_dlist_check(NULL), CLADE_E_ARG);
    assert_fails(clade_dlist_save(list, NULL), CLADE_E_ARG);
    clade_dlist_destroy(&list);
    assert_fails(clade_dlist_load(&list, NULL, "x"), CLADE_E_ARG);
    assert_null(list);
    clade_dlist_destroy(NULL);
    assert_null(clade_dlist_mem(NULL));
}

static void it_knows_its_size(void **state)
{
    struct fixture *f = *state;
    const uint32_t values[5] = { 1, 2, 3, 4, 5 };
    uint32_t nodes[5];
    uint64_t size = 99;
    clade_dlist *list;
    assert_ok(
        clade_dlist_create(&list, f->context, &(clade_dlist_params) { .capacity = sizeof nodes }));
    assert_ok(clade_dlist_size(list, &size));
    assert_int_equal(size, 0);
    assert_ok(
        clade_dlist_append(list, clade_host(values), clade_host(nodes), 5, clade_no_array(), NULL));
    assert_ok(
        clade_dlist_erase(list, clade_host(nodes), clade_no_array(), 2, clade_no_array(), NULL));
    assert_ok(clade_dlist_size(list, &size));
    assert_int_equal(size, 3);
    assert_fails(clade_dlist_size(list, NULL), CLADE_E_ARG);
    assert_fails(clade_dlist_size(NULL, &size), CLADE_E_ARG);
    assert_ok(clade_dlist_clear(list, NULL));
    assert_ok(clade_dlist_size(list, &size));
    assert_int_equal(size, 0);
    clade_dlist_destroy(&list);
}

static const char late_source[] =
    "#include \"clade/dlist.clh\"\n"
    "__kernel void late(__global int *out, uint turns, __global clade_dlist_head *list, uint at)\n"
    "{\n"
    "    clade_ref node = 0;\n"
    "    ulong value = 0;\n" LATE_TURNS "    out[0] = OPERATION;\n"
    "    out[1] = (int)node;\n"
    "}\n";

/* One operation at the middle one of some nodes, whose hints are as old as can be. */
static void run_late(struct late *late, clade_dlist *list, uint32_t turns, int change, int to)
{
    enum { N = 30, AT = 20 };
    uint32_t values[N] = { 0 }, nodes[N];
    const cl_uint none = 0;
    int32_t got[2];
    struct fixture *f = late->f;
    cl_mem mem = clade_dlist_mem(list);
    clade_dlist_head head;
    clade_dlist_stats stats;
    uint64_t size;
    assert_ok(clade_dlist_clear(list, NULL));
    assert_ok(
        clade_dlist_append(list, clade_host(values), clade_host(nodes), N, clade_no_array(), NULL));
    fixture_read(f, mem, 0, &head, sizeof head);
    for (int i = 0; i < N; i++) /* all lead to the end before the first */
        fixture_write(
            f, mem,
            4 * (size_t)(head.nodes_at + (nodes[i] - 1) * CLADE_DLIST_CELL + CLADE_DLIST_WORD_PREV),
            &none, sizeof none);
    fixture_arg(late->kernel, 2, mem);
    fixture_arg(late->kernel, 3, nodes[AT]);
    late_run(late, turns, 1, 1, got);
    assert_true(got[0] == CLADE_OK || got[0] == CLADE_E_BUSY);
    assert_true(got[0] == CLADE_OK || got[1] == CLADE_NIL);
    assert_ok(clade_dlist_size(list, &size));
    assert_int_equal(size, N + (got[0] == CLADE_OK ? change : 0));
    assert_ok(clade_dlist_stats_read(list, &stats)); /* who is refused holds no cell */
    assert_int_equal(stats.free, stats.capacity - N - (got[0] == CLADE_OK && change > 0));
    if (to != 0 && got[0] == CLADE_OK)
        assert_int_equal(got[1], nodes[AT + to]);
    assert_ok(clade_dlist_check(list));
}

/* A driver may leave loops after so many turns in a launch, whoever took them: then an operation
 * is refused, and has no effect. */
static void operations_behind_long_loops_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int change, to;
        const char *options;
    } ways[] = {
        { 1, 0, "-DOPERATION=clade_dlist_insert_after_wi(list,at,7ul,&node)" },
        { 1, 0, "-DOPERATION=clade_dlist_insert_before_wi(list,at,7ul,&node)" },
        { -1, 0, "-DOPERATION=clade_dlist_erase_wi(list,at,&value)" },
        { 0, 1, "-DOPERATION=clade_dlist_next_wi(list,at,&node)" },
        { 0, -1, "-DOPERATION=clade_dlist_prev_wi(list,at,&node)" },
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        clade_dlist *list = open_list(f, (clade_dlist_params) { .capacity = 64 });
        struct late late = late_open(f, late_source, ways[i].options, 2 * sizeof(int32_t));
        run_late(&late, list, 0, ways[i].change, ways[i].to);
        for (uint32_t turns = late_turns(&late, 60); turns <= late.limit; turns += 5)
            run_late(&late, list, turns, ways[i].change, ways[i].to);
        late_close(&late);
        close_list(list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_go_in_on_either_side_and_are_walked_both_ways),
        cmocka_unit_test(targets_that_are_no_nodes_are_told),
        cmocka_unit_test(many_are_appended_in_order),
        cmocka_unit_test(erasing_all_at_once_is_no_cliff),
        cmocka_unit_test(a_full_pool_refuses_item_by_item),
        cmocka_unit_test(inserting_and_erasing_for_ever_takes_constant_memory),
        cmocka_unit_test(a_million_rounds_take_constant_memory),
        cmocka_unit_test(stretches_of_many_items_are_exact),
        cmocka_unit_test(histories_are_linearizable),
        cmocka_unit_test(a_list_is_saved_and_loaded),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(it_knows_its_size),
        cmocka_unit_test(operations_behind_long_loops_are_done_or_refused),
    };
    return fixture_run("dlist", tests);
}
