/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads of lists: malformed files are refused with their line, and the proof of outcomes
 * accepts what happened and nothing else. */
#include "harness/fixture.h"
#include "apps/listfile.h"
#include "harness/scratch.h"

#include <clade/shared/list.h>

static bool read_texts(const char *nodes, const char *ops, struct listfile *file,
                       struct file_error *error)
{
    char *folder = scratch_make();
    char *a = scratch_text(folder, "nodes", nodes), *b = scratch_text(folder, "ops", ops);
    const bool done = listfile_read(file, a, b, error);
    free(a);
    free(b);
    scratch_remove(folder);
    return done;
}

static void good_files_are_read(void **state)
{
    struct listfile file;
    struct file_error error;
    (void)state;
    assert_true(read_texts("3\n5\n 4294967295 \n\n0\n", "2\n1 5 6\n0 0\n", &file, &error));
    assert_int_equal(file.node_count, 3);
    assert_true(file.nodes[1] == 4294967295u);
    assert_int_equal(file.op_count, 2);
    assert_int_equal(file.ops[0], CLADE_LIST_INSERT_AFTER);
    assert_int_equal(file.targets[0], 5);
    assert_int_equal(file.values[0], 6);
    assert_int_equal(file.ops[1], CLADE_LIST_ERASE);
    listfile_free(&file);
    assert_true(read_texts("0\n", "0\n", &file, &error));
    listfile_free(&file);
}

static void malformed_files_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *nodes, *ops, *says;
    } cases[] = {
        { "", "0\n", "nodes:1: the count is missing" },
        { "x\n", "0\n", "nodes:1: the count is no number" },
        { "-1\n", "0\n", "nodes:1: the count is negative" },
        { "2\n1\n", "0\n", "announced" },
        { "1\n1\n2\n", "0\n", "nodes:3: there are more values" },
        { "2\n1\n4294967296\n", "0\n", "nodes:3: the value is too large" },
        { "2\n1\n99999999999999999999999\n", "0\n", "nodes:3: the value is too large" },
        { "2\n1\n1 2\n", "0\n", "nodes:3: there is more on the line" },
        { "2\n1\ntwo\n", "0\n", "nodes:3: the value is no number" },
        { "1\n1\n", "", "ops:1: the count is missing" },
        { "1\n1\n", "1\n2 1 1\n", "ops:2: operation 2 does not exist" },
        { "1\n1\n", "1\n1 1\n", "ops:2: the value is missing" },
        { "1\n1\n", "1\n1\n", "ops:2: the target is missing" },
        { "1\n1\n", "1\n0 1 1\n", "ops:2: there is more on the line" },
        { "1\n1\n", "2\n0 1\n", "announced" },
        { "1\n1\n", "1\n0 1\n0 1\n", "ops:3: there are more operations" },
        { "1\n1\n", "1\n0 -5\n", "ops:2: the value is negative" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct listfile file;
        struct file_error error = { "" };
        assert_false(read_texts(cases[i].nodes, cases[i].ops, &file, &error));
        if (!strstr(error.text, cases[i].says))
            print_error("case %zu says \"%s\"\n", i, error.text);
        assert_non_null(strstr(error.text, cases[i].says));
        assert_null(file.nodes);
    }
}

static void a_file_that_is_written_reads_the_same(void **state)
{
    struct listfile file, again;
    struct file_error error;
    char *folder = scratch_make();
    char *a = scratch_path(folder, "nodes"), *b = scratch_path(folder, "ops");
    (void)state;
    assert_true(listfile_generate(&file, 100, 500, 7));
    assert_true(listfile_write(&file, a, b, &error));
    assert_true(listfile_read(&again, a, b, &error));
    assert_int_equal(again.node_count, 100);
    assert_int_equal(again.op_count, 500);
    assert_memory_equal(again.nodes, file.nodes, 100 * sizeof(uint32_t));
    assert_memory_equal(again.ops, file.ops, 500 * sizeof(uint32_t));
    assert_memory_equal(again.values, file.values, 500 * sizeof(uint32_t));
    assert_memory_equal(again.targets, file.targets, 500 * sizeof(uint32_t));
    listfile_free(&again);
    listfile_free(&file);
    free(a);
    free(b);
    scratch_remove(folder);
}

/* --- the proof -------------------------------------------------------------------------------- */

enum { NODES = 30, OPS = 200, CELLS = NODES + OPS };

/* A run in a random order, on an array, erased nodes kept. */
struct run {
    struct listfile file;
    int32_t statuses[OPS];
    uint32_t raw[CELLS];
    uint8_t erased[CELLS];
    size_t count;
};

static void make_run(struct run *run, uint64_t seed)
{
    struct random random = random_from(seed);
    uint32_t order[OPS];
    assert_true(listfile_generate(&run->file, NODES, OPS, seed));
    run->count = NODES;
    memcpy(run->raw, run->file.nodes, NODES * sizeof run->raw[0]);
    memset(run->erased, 0, sizeof run->erased);
    for (uint32_t i = 0; i < OPS; i++) {
        const size_t at = random_below(&random, i + 1);
        order[i] = order[at];
        order[at] = i;
        /* Some operations concern what others insert. */
        if (random_below(&random, 3) == 0) {
            const uint32_t value = NODES + 1 + (uint32_t)random_below(&random, OPS);
            run->file.targets[i] = value;
            if (run->file.ops[i] == CLADE_LIST_ERASE)
                run->file.values[i] = value;
        }
    }
    for (size_t k = 0; k < OPS; k++) {
        const uint32_t i = order[k];
        size_t at = 0;
        while (at < run->count && (run->erased[at] || run->raw[at] != run->file.targets[i]))
            at++;
        run->statuses[i] = at < run->count ? CLADE_OK : CLADE_E_NOT_FOUND;
        if (at == run->count)
            continue;
        if (run->file.ops[i] == CLADE_LIST_ERASE) {
            run->erased[at] = 1;
            continue;
        }
        memmove(run->raw + at + 2, run->raw + at + 1, (run->count - at - 1) * sizeof run->raw[0]);
        memmove(run->erased + at + 2, run->erased + at + 1, run->count - at - 1);
        run->raw[at + 1] = run->file.values[i];
        run->erased[at + 1] = 0;
        run->count++;
    }
}

static bool prove(const struct run *run, char *why)
{
    return listfile_prove(&run->file, run->statuses, run->raw, run->erased, run->count, why, 160);
}

static void the_proof_accepts_what_happened(void **state)
{
    static struct run run;
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        char why[160] = "";
        make_run(&run, seed);
        if (!prove(&run, why))
            print_error("seed %llu: %s\n", (unsigned long long)seed, why);
        assert_string_equal(why, "");
        listfile_free(&run.file);
    }
}

/* An operation that had an effect is told as one that had none, and the other way round; a mark, a
 * node, the place of an initial node are changed. */
static void the_proof_refuses_what_did_not_happen(void **state)
{
    static struct run run;
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random random = random_from(seed);
        char why[160] = "";
        make_run(&run, seed);
        const size_t op = random_below(&random, OPS), node = random_below(&random, run.count);
        switch (seed % 5) {
        case 0:
            run.statuses[op] = run.statuses[op] == CLADE_OK ? CLADE_E_NOT_FOUND : CLADE_OK;
            break;
        case 1:
            run.erased[node] ^= 1;
            break;
        case 2:
            run.raw[node] = run.raw[(node + 1) % run.count];
            break;
        case 3:
            run.count--;
            break;
        default:
            run.file.nodes[0] ^= run.file.nodes[1];
            run.file.nodes[1] ^= run.file.nodes[0];
            run.file.nodes[0] ^= run.file.nodes[1];
        }
        assert_false(prove(&run, why));
        assert_string_not_equal(why, "");
        listfile_free(&run.file);
    }
}

static void values_given_twice_are_refused_by_the_proof(void **state)
{
    static struct run run;
    char why[160] = "";
    (void)state;
    make_run(&run, 1);
    run.file.nodes[3] = run.file.nodes[4];
    assert_false(prove(&run, why));
    assert_non_null(strstr(why, "distinct"));
    listfile_free(&run.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_are_read),
        cmocka_unit_test(malformed_files_are_refused_with_their_line),
        cmocka_unit_test(a_file_that_is_written_reads_the_same),
        cmocka_unit_test(the_proof_accepts_what_happened),
        cmocka_unit_test(the_proof_refuses_what_did_not_happen),
        cmocka_unit_test(values_given_twice_are_refused_by_the_proof),
    };
    return cmocka_run_group_tests_name("listfile", tests, NULL, NULL);
}
