/* SPDX-License-Identifier: Apache-2.0 */
/* clade_rbtree where a driver leaves loops: one operation behind as many turns as make it the one
 * whose loops are left. It is done, or refused without an effect, and no node is lost. */
#include <clade/rbtree.h>

#include <stdio.h>
#include <string.h>

#include "harness/late.h"

enum { KEYS = 1500, RUNS = 80, FEW = 6, CAPACITY = 4000 };
enum { INSERT, PUT, ERASE, FIND, SUCCESSOR, RANK, SELECT, KINDS };

static const char late_operation[] =
    "#include \"clade/rbtree.clh\"\n"
    "__kernel void late(__global uint *out, uint turns, __global clade_rbtree_head *tree,\n"
    "                   uint key, uint value)\n"
    "{\n"
    "    int status;\n" LATE_TURNS "#if KIND == 0\n"
    "    status = clade_rbtree_insert_wi(tree, key, value);\n"
    "#elif KIND == 1\n"
    "    status = clade_rbtree_put_wi(tree, key, value);\n"
    "#elif KIND == 2\n"
    "    status = clade_rbtree_erase_wi(tree, key, &value);\n"
    "#elif KIND == 3\n"
    "    status = clade_rbtree_find_wi(tree, key, &value);\n"
    "#elif KIND == 4\n"
    "    status = clade_rbtree_successor_wi(tree, &key, &value);\n"
    "#elif KIND == 5\n"
    "    status = clade_rbtree_rank_wi(tree, key, &value);\n"
    "#else\n"
    "    status = clade_rbtree_select_wi(tree, value, &key, &value);\n"
    "#endif\n"
    "    out[0] = (uint)status;\n"
    "    out[1] = key;\n"
    "    out[2] = value;\n"
    "}\n";

struct world {
    struct fixture *f;
    struct random random;
    clade_rbtree *tree;
    struct late late;
    uint32_t kind, leaf, refused, value[KEYS]; /* 0: the key is not there */
};

static uint32_t key_of(uint32_t i)
{
    return 3 * i + 1;
}

static void fill(struct world *w)
{
    uint32_t keys[KEYS], values[KEYS], n = 0;
    memset(w->value, 0, sizeof w->value);
    for (uint32_t k = 0; k < KEYS; k++) {
        const uint32_t i = 701 * k % KEYS; /* so leaves split, and have no order */
        if (random_below(&w->random, 2)) {
            w->value[i] = 1 + (uint32_t)random_below(&w->random, 1000);
            keys[n] = key_of(i);
            values[n++] = w->value[i];
        }
    }
    assert_ok(clade_rbtree_insert(w->tree, clade_host(keys), clade_host(values), n,
                                  clade_no_array(), NULL));
}

/* Erase keys until leaves are sparse: then an erase may join two of them. */
static void thin(struct world *w)
{
    uint32_t keys[KEYS], n = 0;
    for (uint32_t i = 0; i < KEYS; i++)
        if (w->value[i] && i % 4 != 0) {
            w->value[i] = 0;
            keys[n++] = key_of(i);
        }
    assert_ok(
        clade_rbtree_erase(w->tree, clade_host(keys), clade_no_array(), n, clade_no_array(), NULL));
}

/* For launches of so many words of `out`. */
static void open_world(struct world *w, const char *source, size_t words)
{
    char options[400];
    cl_mem mem;
    assert_ok(clade_rbtree_create(
        &w->tree, w->f->context,
        &(clade_rbtree_params) { .capacity = CAPACITY,
                                 .value = CLADE_U32,
                                 .leaf_capacity = w->leaf       ? w->leaf
                                                  : w->kind % 2 ? 3
                                                                : 0,
                                 .path = w->leaf ? CLADE_RBTREE_CONCURRENT : CLADE_RBTREE_AUTO,
                                 .ranked = w->kind % 4 != 0 }));
    fill(w);
    if (w->kind == ERASE)
        thin(w);
    snprintf(options, sizeof options, "%s -DKIND=%u", clade_rbtree_options(w->tree), w->kind);
    w->late = late_open(w->f, source, options, words * sizeof(uint32_t));
    mem = clade_rbtree_mem(w->tree);
    fixture_arg(w->late.kernel, 2, mem);
}

static void close_world(struct world *w)
{
    late_close(&w->late);
    clade_rbtree_destroy(&w->tree);
}

/* What the tree holds, one key after the other. */
static void expect_content(struct world *w)
{
    uint32_t keys[KEYS], values[KEYS];
    int32_t statuses[KEYS];
    clade_rbtree_stats stats;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = key_of(i);
    assert_ok(clade_rbtree_stats_read(w->tree, &stats)); /* it is checked, too */
    assert_int_equal(stats.leaked, 0);
    assert_ok(clade_rbtree_find(w->tree, clade_host(keys), clade_host(values), KEYS,
                                clade_host(statuses), NULL));
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_int_equal(statuses[i], w->value[i] ? CLADE_OK : CLADE_E_NOT_FOUND);
        if (w->value[i])
            assert_int_equal(values[i], w->value[i]);
    }
}

/* What one launch gives for key number `i` on, by so many items in one group. */
static void run(struct world *w, uint32_t turns, uint32_t i, uint32_t value, size_t items,
                uint32_t *got)
{
    const uint32_t key = key_of(i);
    fixture_arg(w->late.kernel, 3, key);
    fixture_arg(w->late.kernel, 4, value);
    late_run(&w->late, turns, items, items, got);
}

/* How many keys are less than that of `i`. */
static uint32_t rank_of(const struct world *w, uint32_t i)
{
    uint32_t rank = 0;
    for (uint32_t k = 0; k < i; k++)
        rank += w->value[k] != 0;
    return rank;
}

/* Which key a call finds; KEYS: none. */
static uint32_t found_by(const struct world *w, uint32_t i, uint32_t rank)
{
    uint32_t at = w->kind == SELECT ? 0 : w->kind == SUCCESSOR ? i + 1 : i;
    if (w->kind != SELECT && w->kind != SUCCESSOR)
        return w->value[i] ? i : KEYS;
    while (at < KEYS && (w->value[at] == 0 || (w->kind == SELECT && rank_of(w, at) != rank)))
        at++;
    return at;
}

static void do_one(struct world *w, uint32_t turns)
{
    uint32_t i = (uint32_t)random_below(&w->random, KEYS);
    if (w->kind == ERASE && random_below(&w->random, 4)) /* mostly one that is there */
        while (w->value[i] == 0)
            i = (i + 1) % KEYS;
    const uint32_t was = w->value[i];
    const uint32_t value = 1 + (uint32_t)random_below(&w->random, 1000);
    const uint32_t at = found_by(w, i, value);
    const bool is_insert = w->kind <= PUT;
    uint32_t got[3]; /* status, key, value */
    const int wanted = is_insert                      ? (was ? CLADE_RBTREE_PRESENT : CLADE_OK)
                       : at < KEYS || w->kind == RANK ? CLADE_OK
                                                      : CLADE_E_NOT_FOUND;
    run(w, turns, i, value, 1, got);
    if ((int)got[0] != wanted) {
        assert_int_equal((int)got[0], CLADE_E_BUSY);
        w->refused++;
    } else if (is_insert) {
        w->value[i] = w->kind == PUT || !was ? value : was;
    } else if (w->kind == RANK) {
        assert_int_equal(got[2], rank_of(w, i));
    } else if (at < KEYS) {
        assert_int_equal(got[1], key_of(at));
        assert_int_equal(got[2], w->value[at]);
        w->value[i] = w->kind == ERASE ? 0 : was;
    }
}

static uint32_t runs_of(const struct fixture *f)
{
    return fixture_launches_slowly(f) ? RUNS / 2 : RUNS;
}

/* The limit, or up to so many turns less. */
static uint32_t turns_below(struct world *w, uint32_t most)
{
    return late_turns(&w->late, (uint32_t)random_below(&w->random, most));
}

static void operations_behind_long_loops_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    const uint32_t limit = f->caps->loop_limit;
    struct world w = { .f = f, .random = random_from(fixture_seed()) };
    for (w.kind = 0; w.kind < KINDS; w.kind++) {
        open_world(&w, late_operation, 3);
        const uint32_t runs = runs_of(f) * (w.kind == ERASE ? 2 : 1),
                       most = w.kind == ERASE ? 45 : 200;
        for (uint32_t i = 0; i < (limit ? runs : FEW); i++)
            do_one(&w, turns_below(&w, i % 2 ? 60 : most));
        expect_content(&w);
        close_world(&w);
    }
    if (limit > 0)
        assert_true(w.refused > 0);
}

static const char late_ranges[] =
    "#include \"clade/rbtree.clh\"\n"
    "__kernel void late(__global uint *out, uint turns, __global clade_rbtree_head *tree,\n"
    "                   uint low, uint limit)\n"
    "{\n"
    "    CLADE_LOCAL clade_rbtree_range_scratch scratch;\n"
    "    uint i = (uint)get_global_id(0), size = (uint)get_global_size(0), count = 0;\n"
    "    __global uint *keys = out + 2u * size, *values = keys + size * limit;\n" LATE_TURNS
    "    low += 9u * i;\n"
    "#if KIND == 3\n"
    "    out[i] = (uint)clade_rbtree_range_still_wg(tree, low, low + 39u, limit, keys, values,\n"
    "                                               &count, true, &scratch);\n"
    "#else\n"
    "    out[i] = (uint)clade_rbtree_range_down_wi(tree, low, low + 39u, limit, keys + i * limit,\n"
    "                                              values + i * limit, &count);\n"
    "#endif\n"
    "    out[size + i] = count;\n"
    "}\n";

enum { ITEMS = 16, LIMIT = 12, WORDS = 2 * ITEMS * (1 + LIMIT) };

/* Ranges of a group's items: of whoever is not refused, all entries are there, and of the others
 * what is counted. */
static void expect_ranges(struct world *w, uint32_t turns)
{
    const uint32_t first = (uint32_t)random_below(&w->random, KEYS);
    uint32_t got[WORDS];
    run(w, turns, first, LIMIT, ITEMS, got);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const bool is_whole = (int)got[i] == CLADE_OK;
        const uint32_t count = got[ITEMS + i], most = is_whole ? LIMIT : count;
        uint32_t n = 0;
        if (!is_whole) {
            assert_int_equal((int)got[i], CLADE_E_BUSY);
            w->refused++;
        }
        for (uint32_t step = 0; step <= 13 && n < most; step++) {
            const uint32_t k = first + 3 * i + (w->kind == FIND ? step : 13 - step);
            if (k < KEYS && w->value[k]) {
                const uint32_t at = i * LIMIT + n++;
                assert_int_equal(got[2 * ITEMS + at], key_of(k));
                assert_int_equal(got[2 * ITEMS + ITEMS * LIMIT + at], w->value[k]);
            }
        }
        assert_int_equal(count, n);
    }
}

static void ranges_of_groups_behind_long_loops_are_whole_or_refused(void **state)
{
    struct fixture *f = *state;
    const uint32_t limit = f->caps->loop_limit;
    struct world w = { .f = f, .random = random_from(fixture_seed()), .kind = FIND };
    w.leaf = 3;
    while (w.kind <= SUCCESSOR) { /* downwards then */
        open_world(&w, late_ranges, WORDS);
        for (uint32_t i = 0; i < (limit ? runs_of(f) : FEW); i++)
            expect_ranges(&w, turns_below(&w, 40 * w.leaf));
        close_world(&w);
        w.kind += w.leaf > 3;
        w.leaf = 30; /* a loop over a large one is not unrolled */
    }
    if (limit > 0)
        assert_true(w.refused > 0);
}

static const char late_inserts[] =
    "#include \"clade/rbtree.clh\"\n"
    "__kernel void late(__global uint *out, uint turns, __global clade_rbtree_head *tree,\n"
    "                   uint low, uint value)\n"
    "{\n"
    "    CLADE_LOCAL clade_rbtree_scratch scratch;\n"
    "    uint i = (uint)get_global_id(0);\n" LATE_TURNS
    "    out[i] = (uint)clade_rbtree_put_wg(tree, low + 3u * i, value, true, &scratch);\n"
    "}\n";

/* Keys of a group's items: who is not refused finds its key in the tree. */
static void keys_of_groups_behind_long_loops_are_in_or_refused(void **state)
{
    struct fixture *f = *state;
    const uint32_t limit = f->caps->loop_limit;
    struct world w = { .f = f, .random = random_from(fixture_seed()), .kind = PUT };
    open_world(&w, late_inserts, ITEMS);
    for (uint32_t launch = 0; launch < (limit ? 4 * RUNS : FEW); launch++) {
        const uint32_t first = (uint32_t)random_below(&w.random, KEYS - ITEMS), value = launch + 1;
        uint32_t got[ITEMS];
        run(&w, turns_below(&w, 60), first, value, ITEMS, got);
        for (uint32_t i = 0; i < ITEMS; i++)
            if ((int)got[i] == CLADE_E_BUSY) {
                w.refused++;
            } else {
                assert_int_equal((int)got[i], w.value[first + i] ? CLADE_RBTREE_PRESENT : CLADE_OK);
                w.value[first + i] = value;
            }
    }
    expect_content(&w);
    close_world(&w);
    if (limit > 0)
        assert_true(w.refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_behind_long_loops_are_done_or_refused),
        cmocka_unit_test(keys_of_groups_behind_long_loops_are_in_or_refused),
        cmocka_unit_test(ranges_of_groups_behind_long_loops_are_whole_or_refused),
    };
    return fixture_run("rbtree_late", tests);
}
