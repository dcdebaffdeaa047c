/* SPDX-License-Identifier: Apache-2.0 */
/* What `clade count --check` compares with: a list that is wrong anywhere is told, one with a token
 * twice and another one missing, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "baseline/count.h"

static uint64_t wrong(struct baseline_count *count, const char *text, uint64_t times)
{
    const struct baseline_token token = { text, strlen(text), times };
    return baseline_count_wrong(count, &token, 1);
}

static struct baseline_count *run(const char *text, unsigned k, bool is_canonical)
{
    struct baseline_count *count = baseline_count_run(text, strlen(text), k, is_canonical);
    assert_non_null(count);
    return count;
}

static void words(void **state)
{
    (void)state;
    struct baseline_count *count = run("One two, ONE three; one", 0, false);
    assert_int_equal(baseline_count_distinct(count), 3);
    assert_int_equal(wrong(count, "one", 3), 0);
    assert_int_equal(wrong(count, "one", 3), 1); /* twice in a list */
    assert_int_equal(wrong(count, "two", 2), 1);
    assert_int_equal(wrong(count, "four", 1), 1);
    assert_int_equal(wrong(count, "four", 0), 1);
    assert_int_equal(wrong(count, "three", 1), 0);
    baseline_count_destroy(count);
}

static void kmers(void **state)
{
    (void)state;
    struct baseline_count *count = run("ACGTACG", 3, false);
    assert_int_equal(baseline_count_distinct(count), 4);
    assert_int_equal(wrong(count, "ACG", 2), 0);
    assert_int_equal(wrong(count, "CGT", 1), 0);
    assert_int_equal(wrong(count, "AAA", 1), 1);
    baseline_count_destroy(count);
    count = run("ACGTT", 4, true); /* ACGT is its own complement, and AACG is that of CGTT */
    assert_int_equal(wrong(count, "CGTT", 1), 0);
    assert_int_equal(wrong(count, "AACG", 1), 1); /* the same k-mer */
    baseline_count_destroy(count);
}

/* Thousands of words, by batches of all sizes: all found, and none twice. */
static void batches(void **state)
{
    (void)state;
    enum { WORDS = 5000 };
    static char text[WORDS * 8], names[WORDS][8];
    size_t used = 0;
    for (int i = 0; i < WORDS; i++) {
        snprintf(names[i], sizeof names[i], "w%d", i);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s ", names[i]);
    }
    struct baseline_count *count = run(text, 0, false);
    struct baseline_token tokens[BASELINE_TOKENS_MOST];
    size_t n = 0, size = 1, told = 0;
    for (int i = 0; i < WORDS; i++) {
        tokens[n++] = (struct baseline_token) { names[i], strlen(names[i]), i % 100 == 7 ? 2 : 1 };
        if (n == size || i + 1 == WORDS) {
            told += baseline_count_wrong(count, tokens, n);
            size = size % BASELINE_TOKENS_MOST + 1;
            n = 0;
        }
    }
    assert_int_equal(told, WORDS / 100);
    baseline_count_destroy(count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(kmers),
        cmocka_unit_test(batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
