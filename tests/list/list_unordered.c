/* SPDX-License-Identifier: Apache-2.0 */
/* The unordered list: its sequence, and that nothing is lost. */
#include "list/list.h" /* the library's: what it knows of changes */
#include "list/test_list.h"

static void assert_sequence(clade_list *list, const uint32_t *wanted, size_t count)
{
    uint32_t got[64];
    uint64_t n;
    assert_ok(clade_list_read(list, got, NULL, NULL, 64, &n));
    assert_int_equal(n, count);
    assert_memory_equal(got, wanted, count * sizeof *wanted);
}

void an_unordered_list_keeps_its_sequence(void **state)
{
    struct fixture *f = *state;
    for (uint32_t find = CLADE_LIST_INDEXED; find <= CLADE_LIST_WALK; find++) {
        clade_list *list = open_list(
            f, (clade_list_params) { .capacity = 16, .mode = CLADE_LIST_UNORDERED, .find = find });
        const uint32_t first[] = { 7, 3, 9 }, front[] = { 1, 2 }, target[] = { 3, 2, 77 },
                       behind[] = { 30, 20, 70 }, gone[] = { 3, 3, 1 };
        int32_t statuses[3];
        uint8_t erased[16];
        uint32_t raw[16];
        uint64_t n;
        assert_ok(clade_list_insert_front(list, clade_host(first), 3, clade_no_array(), NULL));
        assert_ok(clade_list_insert_front(list, clade_host(front), 2, clade_no_array(), NULL));
        assert_sequence(list, (const uint32_t[]) { 1, 2, 7, 3, 9 }, 5);
        assert_ok(clade_list_insert_after(list, clade_host(target), clade_host(behind), 3,
                                          clade_host(statuses), NULL));
        assert_int_equal(statuses[0], CLADE_OK);
        assert_int_equal(statuses[1], CLADE_OK);
        assert_int_equal(statuses[2], CLADE_E_NOT_FOUND);
        assert_sequence(list, (const uint32_t[]) { 1, 2, 20, 7, 3, 30, 9 }, 7);
        assert_ok(clade_list_erase(list, clade_host(gone), 3, clade_host(statuses), NULL));
        assert_int_equal(statuses[0] + statuses[1], CLADE_OK + CLADE_E_NOT_FOUND);
        assert_int_equal(statuses[2], CLADE_OK);
        assert_sequence(list, (const uint32_t[]) { 2, 20, 7, 30, 9 }, 5);
        assert_ok(clade_list_read(list, raw, NULL, erased, 16, &n));
        assert_int_equal(n, 7);
        assert_memory_equal(erased, ((const uint8_t[]) { 1, 0, 0, 0, 1, 0, 0 }), 7);
        assert_ok(clade_list_reclaim(list, NULL));
        assert_ok(clade_list_read(list, raw, NULL, erased, 16, &n));
        assert_int_equal(n, 5);
        assert_sequence(list, (const uint32_t[]) { 2, 20, 7, 30, 9 }, 5);
        close_list(list);
    }
}

/* With no tries at all, a search finds nothing out: that is no answer. */
void a_search_that_gives_up_says_so(void **state)
{
    struct fixture *f = *state;
    clade_context *kept = f->context;
    const char *device = getenv("CLADE_DEVICE"), *more = getenv("CLADE_BUILD_OPTIONS");
    char options[256];
    const uint32_t values[] = { 7, 3, 9 };
    int32_t statuses[3];
    snprintf(options, sizeof options, "-DCLADE_SPIN_LIMIT=0u %s", more ? more : "");
    const clade_context_params hasty = { .device =
                                             device && *device ? device : "Portable Computing",
                                         .build_options = options };
    assert_ok(clade_context_create(&f->context, &hasty));
    clade_list *list =
        open_list(f, (clade_list_params) { .capacity = 16, .mode = CLADE_LIST_UNORDERED });
    assert_ok(clade_list_insert_front(list, clade_host(values), 3, clade_no_array(), NULL));
    assert_ok(clade_list_contains(list, clade_host(values), 3, clade_host(statuses), NULL));
    for (int i = 0; i < 3; i++)
        assert_int_equal(statuses[i], CLADE_E_BUSY);
    assert_ok(clade_list_erase(list, clade_host(values), 1, clade_host(statuses), NULL));
    assert_int_equal(statuses[0], CLADE_E_BUSY);
    assert_sequence(list, values, 3);
    close_list(list);
    clade_context_destroy(&f->context);
    f->context = kept;
}

void duplicates_are_erased_one_by_one(void **state)
{
    struct fixture *f = *state;
    enum { N = 40 };
    uint32_t values[N], victims[N + 5];
    int32_t statuses[N + 5];
    int done = 0;
    clade_list *list =
        open_list(f, (clade_list_params) { .capacity = N, .mode = CLADE_LIST_UNORDERED });
    for (int i = 0; i < N; i++)
        values[i] = 5;
    for (int i = 0; i < N + 5; i++)
        victims[i] = 5;
    assert_ok(clade_list_insert_front(list, clade_host(values), N, clade_no_array(), NULL));
    assert_int_equal(size_of(list), N);
    assert_ok(clade_list_erase(list, clade_host(victims), N + 5, clade_host(statuses), NULL));
    for (int i = 0; i < N + 5; i++)
        done += statuses[i] == CLADE_OK;
    assert_int_equal(done, N);
    assert_int_equal(size_of(list), 0);
    close_list(list);
}

/* The seed's workload: conservation, and nothing that was erased is there. */
void inserts_behind_erased_nodes_are_never_lost(void **state)
{
    struct fixture *f = *state;
    const uint32_t nodes = (uint32_t)fixture_scaled(50, 2000, 10000);
    const uint32_t count = nodes * 2;
    uint32_t *initial = calloc(nodes, 4), *ops = calloc(count, 4), *values = calloc(count, 4),
             *targets = calloc(count, 4), *live = calloc(nodes + count, 4);
    uint8_t *is_there = calloc(nodes + count + 1, 1);
    int32_t *statuses = calloc(count, 4);
    struct random random = random_from(f->seed + 2);
    uint64_t n;
    clade_list *list = open_list(
        f, (clade_list_params) { .capacity = nodes + count, .mode = CLADE_LIST_UNORDERED });
    for (uint32_t i = 0; i < nodes; i++) {
        initial[i] = i + 1;
        is_there[i + 1] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool is_insert = random_below(&random, 2);
        ops[i] = is_insert ? CLADE_LIST_INSERT_AFTER : CLADE_LIST_ERASE;
        targets[i] = (uint32_t)random_below(&random, nodes) + 1;
        values[i] = is_insert ? nodes + i + 1 : targets[i];
    }
    assert_ok(clade_list_insert_front(list, clade_host(initial), nodes, clade_no_array(), NULL));
    assert_ok(clade_list_apply(list, clade_host(ops), clade_host(values), clade_host(targets),
                               count, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < count; i++) {
        assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_NOT_FOUND);
        if (statuses[i] == CLADE_OK) {
            assert_int_equal(is_there[values[i]], ops[i] == CLADE_LIST_ERASE);
            is_there[values[i]] = ops[i] == CLADE_LIST_INSERT_AFTER;
        }
    }
    for (uint32_t i = 0; i < count; i++) /* who found nothing found a value that was erased */
        if (statuses[i] == CLADE_E_NOT_FOUND)
            assert_false(is_there[targets[i]]);
    assert_ok(clade_list_read(list, live, NULL, NULL, nodes + count, &n));
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(is_there[live[i]], 1);
        is_there[live[i]] = 2;
    }
    for (uint32_t value = 1; value <= nodes + count; value++)
        assert_int_not_equal(is_there[value], 1);
    close_list(list);
    free(statuses);
    free(is_there);
    free(live);
    free(targets);
    free(values);
    free(ops);
    free(initial);
}

/* Erased nodes in a row, more than the host knows of, as kernels of a user leave them who forgets
 * to reclaim: and more than a loop of the driver follows, where it leaves long ones. */
void runs_that_the_host_does_not_know_of_are_passed(void **state)
{
    struct fixture *f = *state;
    const uint32_t limit = f->caps->loop_limit, gone = limit ? limit + 1000 : 600;
    const uint32_t stay = 20, n = gone + stay, few = 6;
    uint32_t *values = test_calloc(n + 2 * few, sizeof *values);
    for (uint32_t i = 0; i < n + 2 * few; i++)
        values[i] = i;
    clade_list *list =
        open_list(f, (clade_list_params) { .capacity = n + few, .mode = CLADE_LIST_UNORDERED });
    assert_ok(clade_list_insert_front(list, clade_host(values), n, clade_no_array(), NULL));
    assert_ok(clade_list_erase(list, clade_host(values + stay / 2), gone, clade_no_array(), NULL));
    list->known.changes = 0;
    list->known.free_least = few;
    for (uint32_t i = 0; i < 2; i++) /* the second has no room before a reclaim */
        assert_ok(clade_list_insert_front(list, clade_host(values + n + i * few), few,
                                          clade_no_array(), NULL));
    assert_int_equal(size_of(list), stay + 2 * few);
    close_list(list);
    test_free(values);
}

/* values[slot]: a value whose search in the index begins there, for the first `row` slots; then
 * `more` other ones of slot 0. */
static void fill_slots(const clade_list *list, uint32_t *values, uint32_t row, uint32_t more)
{
    const uint32_t mask = list->layout.index_size - 1;
    uint32_t missing = row + more, last = row;
    uint8_t *is_filled = test_calloc(row, 1);
    for (uint32_t value = 1; missing > 0; value++) {
        const uint32_t slot = clade_list_hash(value, 0) & mask;
        const bool is_first = slot < row && !is_filled[slot];
        if (is_first)
            is_filled[slot] = 1;
        else if (slot != 0 || last == row + more)
            continue;
        values[is_first ? slot : last++] = value;
        missing--;
    }
    test_free(is_filled);
}

/* Rows of slots that are taken may be longer than the loops that a driver runs. Who finds no slot
 * behind them is refused, and nothing is in the list that the index does not lead to. A reclaim
 * may enter all others before the one that was early; then it says so. */
void inserts_behind_long_rows_of_slots_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    enum { MORE = 3 };
    const uint32_t limit = f->caps->loop_limit;
    const uint32_t row = limit ? limit + 1000 : fixture_fewer(f, 600), half = row / 2;
    const clade_status refused = limit ? CLADE_E_BUSY : CLADE_OK;
    uint32_t *values = test_calloc(2 * row, sizeof *values), *others = values + row + MORE;
    int32_t statuses[MORE];
    clade_list *list = open_list(
        f, (clade_list_params) { .capacity = row + row / 8, .mode = CLADE_LIST_UNORDERED });
    fill_slots(list, values, row, MORE);
    for (uint32_t i = 0; i < half; i++)
        others[i] = ~values[i];
    assert_ok(clade_list_insert_front(list, clade_host(values), row, clade_no_array(), NULL));
    assert_ok(clade_list_insert_front(list, clade_host(values + row), MORE, clade_host(statuses),
                                      NULL));
    for (uint32_t i = 0; i < MORE; i++)
        assert_int_equal(statuses[i], refused);
    assert_ok(clade_list_check(list));
    assert_ok(clade_list_insert_after(list, clade_host(values), clade_host(values + row), MORE,
                                      clade_host(statuses), NULL));
    for (uint32_t i = 0; i < MORE; i++)
        assert_int_equal(statuses[i], refused);
    assert_ok(clade_list_check(list));
    assert_int_equal(size_of(list), limit ? row : row + 2 * MORE);

    /* The early one, `values[row]`, in a cell that a reclaim asks after those of the row. */
    assert_ok(clade_list_clear(list, NULL));
    assert_ok(clade_list_insert_front(list, clade_host(others), half, clade_no_array(), NULL));
    assert_ok(clade_list_insert_front(list, clade_host(values), half, clade_no_array(), NULL));
    assert_ok(clade_list_insert_front(list, clade_host(values + row), 1, clade_no_array(), NULL));
    assert_ok(clade_list_erase(list, clade_host(others), half, clade_no_array(), NULL));
    assert_ok(clade_list_reclaim(list, NULL));
    assert_ok(clade_list_insert_front(list, clade_host(values + half), row - half, clade_no_array(),
                                      NULL));
    assert_ok(clade_list_check(list));
    for (int i = 0; i < 4; i++) { /* threads of a driver may run the last groups first */
        assert_ok(clade_list_reclaim(list, NULL));
        const clade_status told =
            clade_list_contains(list, clade_host(values), 1, clade_host(statuses), NULL);
        if (!limit || told != CLADE_E_UNSUPPORTED) {
            assert_ok(told);
            assert_ok(clade_list_check(list));
        }
    }
    clade_list_destroy(&list);
    test_free(values);
}
