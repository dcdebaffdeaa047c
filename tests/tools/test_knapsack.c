/* SPDX-License-Identifier: Apache-2.0 */
/* What the searches start from, without a device: files, the knapsack's core, the host's answers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "graph/gridmap.h"
#include "search/knapsack_core.h"

static struct knapsack read_knapsack(const char *text)
{
    struct knapsack k;
    struct file_error error = { "" };
    if (!knapsack_read_memory(&k, "k", text, strlen(text), &error))
        fail_msg("refused: %s", error.text);
    return k;
}

static void refuse_knapsack(const char *text, const char *sentence)
{
    struct knapsack k, before;
    struct file_error error = { "" };
    memset(&before, 0x5a, sizeof before);
    k = before;
    if (knapsack_read_memory(&k, "k", text, strlen(text), &error))
        fail_msg("accepted, but must be refused with: %s", sentence);
    if (!strstr(error.text, sentence))
        fail_msg("the message is\n  %s\nand must have\n  %s", error.text, sentence);
    assert_memory_equal(&k, &before, sizeof k);
}

static uint64_t optimum(const struct knapsack *k)
{
    char why[400];
    uint64_t best;
    if (!knapsack_prove(k, &best, why, sizeof why))
        fail_msg("%s", why);
    return best;
}

/* --- files ----------------------------------------------------------------------------------- */

static void both_forms_are_read(void **state)
{
    static const char *const texts[] = { "3 10\n 7  2\n 0 10\n5 0\n",
                                         "\n3 \n10\n7 2\n\n0 10\r\n5 0\n1 0 1\n",
                                         "3\t10\n7 2\n0 10\n5 0",
                                         "3 10\n7 2\n0 10\n5 0\n1 0 1\n\n" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct knapsack k = read_knapsack(texts[i]);
        assert_int_equal(k.items, 3);
        assert_int_equal(k.capacity, 10);
        assert_int_equal(k.profit[0], 7);
        assert_int_equal(k.weight[1], 10);
        assert_int_equal(k.profit[2], 5);
        assert_int_equal(optimum(&k), 12);
        knapsack_free(&k);
        assert_null(k.profit);
    }
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    refuse_knapsack("", "k:1: the file is empty");
    refuse_knapsack(" \n\n", "the file is empty");
    refuse_knapsack("Dear reader,\n", "this is not a knapsack file: it starts with 'Dear'");
    refuse_knapsack("p sp 3 4\n", "this is not a knapsack file: it starts with 'p'");
    refuse_knapsack("0 5\n", "the number of items is out of range: 0");
    refuse_knapsack("-3 5\n", "the number of items is negative: -3");
    refuse_knapsack("99999999999 5\n", "the number of items is out of range: 99999999999");
    refuse_knapsack("3", "the file ends where the capacity should be: it is truncated");
    refuse_knapsack("3 -5\n", "k:1: the capacity is negative: -5");
    refuse_knapsack("3 x\n", "'x' is not a number: the capacity should be there");
    refuse_knapsack("3 99999999999999999999\n", "the capacity is out of range");
    refuse_knapsack("3 5 7\n", "'7' is one field too many");
    refuse_knapsack("3 5\n1 2\n3 4\n", "the file ends after 2 of its 3 items: it is truncated");
    refuse_knapsack("2 5\n1 2\n3\n", "k:3: the line ends where the weight should be");
    refuse_knapsack("2 5\n1 2\n3", "k:3: the file ends where the weight should be");
    refuse_knapsack("2 5\n1 -2\n3 4\n", "k:2: the weight is negative: -2");
    refuse_knapsack("2 5\n-1 2\n3 4\n", "k:2: the profit is negative: -1");
    refuse_knapsack("2 5\n1.5 2\n3 4\n", "'1.5' is not a number");
    refuse_knapsack("2 5\n1 4294967296\n3 4\n", "the weight is out of range: 4294967296");
    refuse_knapsack("2 5\n1 2 3\n3 4\n", "'3' is one field too many");
    refuse_knapsack("2 5\n1 2\n3 4\n5 6\n", "k:4: after the items, a 0 or 1 of the solution");
    refuse_knapsack("2 5\n1 2\n3 4\n1\n", "k:4: the line ends where after the items");
    refuse_knapsack("2 5\n1 2\n3 4\n1 0 1\n", "'1' is one field too many");
    refuse_knapsack("2 5\n1 2\n3 4\n1 0\n7\n", "k:5: there is more text after the solution");
}

static void a_made_up_instance_survives_a_file(void **state)
{
    char path[] = "/tmp/clade-knapsack-XXXXXX";
    int file = mkstemp(path);
    struct file_error error;
    (void)state;
    assert_true(file >= 0);
    close(file);
    for (int kind = 0; kind < 3; kind++) {
        struct knapsack k, again;
        assert_true(knapsack_generate(&k, 50, (enum knapsack_kind)kind, 7));
        assert_true(knapsack_write(&k, path, &error));
        assert_true(knapsack_read(&again, path, &error));
        assert_int_equal(again.items, 50);
        assert_int_equal(again.capacity, k.capacity);
        assert_memory_equal(again.profit, k.profit, 50 * sizeof *k.profit);
        assert_memory_equal(again.weight, k.weight, 50 * sizeof *k.weight);
        knapsack_free(&again);
        assert_true(knapsack_generate(&again, 50, (enum knapsack_kind)kind, 8));
        assert_memory_not_equal(again.weight, k.weight, 50 * sizeof *k.weight);
        knapsack_free(&again);
        knapsack_free(&k);
    }
    assert_int_equal(remove(path), 0);
    assert_false(knapsack_read(&(struct knapsack) { 0 }, path, &error));
    assert_non_null(strstr(error.text, "cannot be opened"));
    assert_false(knapsack_read(&(struct knapsack) { 0 }, "/tmp", &error));
    assert_non_null(strstr(error.text, "cannot be read"));
}

/* --- the core and the search on the host ------------------------------------------------------ */

static void assert_core(const struct knapsack *k, bool plain)
{
    const uint64_t best = optimum(k);
    struct knapsack_core core;
    assert_true(knapsack_core_create(&core, k, plain));
    assert_true(core.found <= best);
    assert_true(core.bound >= best);
    for (uint32_t i = 0; i < core.items; i++) {
        const uint64_t weight = core.weight[i + 1] - core.weight[i];
        assert_true(weight > 0 && weight <= core.capacity);
        assert_true(core.profit[i + 1] > core.profit[i]);
        assert_true(core.lighter[i] > i && core.lighter[i] <= core.items);
        for (uint32_t j = i + 1; j < core.lighter[i]; j++)
            assert_true(core.weight[j + 1] - core.weight[j] >= weight);
    }
    for (int dominance = 0; dominance < 2; dominance++) {
        struct knapsack_host_result r = knapsack_host_solve(&core, dominance, NULL);
        assert_false(r.memory_out || r.stopped);
        assert_int_equal(r.best, best);
    }
    knapsack_core_free(&core);
}

static void odd_instances_are_solved(void **state)
{
    static const struct {
        const char *text;
        uint64_t best;
    } cases[] = { { "1 0\n5 1\n", 0 },
                  { "2 0\n5 1\n9 0\n", 9 },
                  { "3 4\n5 5\n6 6\n7 7\n", 0 },
                  { "3 100\n5 5\n6 6\n7 7\n", 18 },
                  { "4 7\n0 1\n0 2\n0 3\n0 0\n", 0 },
                  { "4 10\n10 5\n40 4\n30 6\n50 3\n", 90 },
                  { "3 9223372036854775807\n5 5\n6 6\n7 7\n", 18 },
                  { "2 4294967295\n4294967295 4294967295\n4294967294 1\n", 4294967295 },
                  { "5 9\n3 3\n3 3\n3 3\n3 3\n3 3\n", 9 } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct knapsack k = read_knapsack(cases[i].text);
        struct knapsack_core core;
        for (int plain = 0; plain < 2; plain++) {
            assert_true(knapsack_core_create(&core, &k, plain));
            assert_int_equal(knapsack_host_solve(&core, true, NULL).best, cases[i].best);
            knapsack_core_free(&core);
        }
        knapsack_free(&k);
    }
}

static void random_instances_are_solved(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct knapsack k;
        assert_true(knapsack_generate(&k, 1 + seed % 40, (enum knapsack_kind)(seed % 3), seed));
        k.capacity = k.capacity * (seed % 5) / 2;
        assert_core(&k, false);
        assert_core(&k, true);
        knapsack_free(&k);
    }
}

static void a_search_on_the_host_can_be_stopped(void **state)
{
    const volatile int stop = 1;
    struct knapsack k;
    struct knapsack_core core;
    (void)state;
    assert_true(knapsack_generate(&k, 200, KNAPSACK_STRONG, 3));
    assert_true(knapsack_core_create(&core, &k, true));
    struct knapsack_host_result r = knapsack_host_solve(&core, false, &stop);
    assert_true(core.items == 0 || r.stopped);
    assert_int_equal(r.best, core.found > r.best ? core.found : r.best);
    knapsack_core_free(&core);
    knapsack_free(&k);
}

static void a_proof_that_is_too_large_says_so(void **state)
{
    struct knapsack k = read_knapsack("2 4294967295\n5 5\n6 6\n");
    char why[400] = "";
    uint64_t best;
    (void)state;
    assert_false(knapsack_prove(&k, &best, why, sizeof why));
    assert_non_null(strstr(why, "capacity of 4294967295 is too large for --check"));
    knapsack_free(&k);
}

/* --- maps ------------------------------------------------------------------------------------- */

static void refuse_map(const char *text, const char *sentence)
{
    struct gridmap map;
    struct file_error error = { "" };
    if (gridmap_read_memory(&map, "m", text, strlen(text), &error))
        fail_msg("accepted, but must be refused with: %s", sentence);
    if (!strstr(error.text, sentence))
        fail_msg("the message is\n  %s\nand must have\n  %s", error.text, sentence);
}

static void maps_are_read(void **state)
{
    static const char text[] = "type octile\nheight 2\nwidth 3\nmap\n.@G\nTS.\n";
    const uint8_t blocked[6] = { 0, 1, 0, 1, 0, 0 };
    struct gridmap map;
    struct file_error error;
    uint32_t distance;
    (void)state;
    assert_true(gridmap_read_memory(&map, "m", text, strlen(text), &error));
    assert_int_equal(map.width, 3);
    assert_int_equal(map.height, 2);
    assert_memory_equal(map.blocked, blocked, sizeof blocked);
    assert_true(gridmap_distance(&map, 0, 5, &distance)); /* no diagonal past obstacles */
    assert_int_equal(distance, GRIDMAP_FAR);
    assert_true(gridmap_distance(&map, 4, 2, &distance));
    assert_int_equal(distance, 10);
    gridmap_free(&map);
    refuse_map("", "m:1: this is not a grid map");
    refuse_map("type tile\n", "'tile' where 'octile' should be");
    refuse_map("type octile\nheight 0\n", "the height is out of range");
    refuse_map("type octile\nheight 2\nwidth -3\nmap\n", "the width is negative");
    refuse_map("type octile\nheight 99999\nwidth 99999\nmap\n", "99999 by 99999 cells");
    refuse_map("type octile\nheight 2\nwidth 3\nmap\n...\n", "ends after 1 of 2 rows");
    refuse_map("type octile\nheight 2\nwidth 3\nmap\n..\n...\n", "the row has not 3 cells");
    refuse_map("type octile\nheight 2\nwidth 3\nmap\n....\n...\n", "the row has not 3 cells");
    refuse_map("type octile\nheight 1\nwidth 3\nmap\n.x.\n", "a cell is 'x'");
    refuse_map("type octile\nheight 1\nwidth 3\nmap\n...\n...\n", "more text after the last row");
}

static void distances_on_maps_are_shortest(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct gridmap map;
        uint32_t to[8], cost[8], plain[12 * 9], distance;
        assert_true(gridmap_generate(&map, 12, 9, 30, seed));
        memset(plain, 0xff, sizeof plain);
        plain[0] = 0;
        for (int round = 0; round < 12 * 9; round++) /* plain relaxation */
            for (uint32_t cell = 0; cell < 12 * 9; cell++) {
                unsigned steps = map.blocked[cell] ? 0 : gridmap_steps(&map, cell, to, cost);
                for (unsigned i = 0; i < steps; i++)
                    if (plain[to[i]] != GRIDMAP_FAR && plain[to[i]] + cost[i] < plain[cell])
                        plain[cell] = plain[to[i]] + cost[i];
            }
        for (uint32_t cell = 0; cell < 12 * 9; cell++) {
            if (map.blocked[cell])
                continue;
            assert_true(gridmap_distance(&map, 0, cell, &distance));
            assert_int_equal(distance, plain[cell]);
        }
        gridmap_free(&map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_are_read),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(a_made_up_instance_survives_a_file),
        cmocka_unit_test(odd_instances_are_solved),
        cmocka_unit_test(random_instances_are_solved),
        cmocka_unit_test(a_search_on_the_host_can_be_stopped),
        cmocka_unit_test(a_proof_that_is_too_large_says_so),
        cmocka_unit_test(maps_are_read),
        cmocka_unit_test(distances_on_maps_are_shortest),
    };
    return cmocka_run_group_tests_name("knapsack", tests, NULL, NULL);
}
