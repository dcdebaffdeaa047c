/* SPDX-License-Identifier: Apache-2.0 */
/* The linearizability checkers accept histories known to be right and refuse each classical
 * mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lin/lin.h"

#define VALUES(...)     \
    (const lin_value[]) \
    {                   \
        __VA_ARGS__     \
    }
#define V(k)   \
    {          \
        (k), 0 \
    }

#define PUSH(i, r, n, ...)                                                                \
    {                                                                                     \
        .inv = i, .res = r, .kind = LIN_INSERT, .count = n, .values = VALUES(__VA_ARGS__) \
    }
#define POP(i, r, want, n, ...)                                            \
    {                                                                      \
        .inv = i, .res = r, .kind = LIN_DELETE, .asked = want, .count = n, \
        .values = VALUES(__VA_ARGS__)                                      \
    }
#define EMPTY(i, r, want)                                                 \
    {                                                                     \
        .inv = i, .res = r, .kind = LIN_DELETE, .asked = want, .count = 0 \
    }
#define SET(what, i, r, k, found)                                                         \
    {                                                                                     \
        .inv = i, .res = r, .kind = what, .count = 1, .ok = found, .values = VALUES(V(k)) \
    }
#define PUT(i, r, k, v)                                                             \
    {                                                                               \
        .inv = i, .res = r, .kind = LIN_PUT, .count = 1, .values = VALUES({ k, v }) \
    }
#define GET(i, r, k, v)                                                                         \
    {                                                                                           \
        .inv = i, .res = r, .kind = LIN_GET, .count = 1, .ok = true, .values = VALUES({ k, v }) \
    }
#define MISS(i, r, k)                                                               \
    {                                                                               \
        .inv = i, .res = r, .kind = LIN_GET, .count = 1, .values = VALUES({ k, 0 }) \
    }

#define COUNT(h) (sizeof(h) / sizeof *(h))
#define NEVER    LIN_PENDING

/* The fast checker and the exact one must both say `want`; the fast one may leave it open if
 * `open`. */
#define CHECK(want, open, call, spec, h)                      \
    do {                                                      \
        lin_report report_;                                   \
        lin_verdict said_ = call;                             \
        assert_int_equal(lin_exact(h, COUNT(h), spec), want); \
        if (!(open) || said_ != LIN_PLAUSIBLE)                \
            assert_int_equal(said_, want);                    \
        if (said_ == LIN_BAD)                                 \
            assert_non_null(report_.why);                     \
    } while (0)

#define PQ(want, ...)                                                             \
    do {                                                                          \
        const lin_op h_[] = { __VA_ARGS__ };                                      \
        CHECK(want, false, lin_pq(h_, COUNT(h_), 0, &report_), &lin_spec_pq, h_); \
    } while (0)
/* Single inserts only, so that the exact checker's atomic batches are the same thing. */
#define PQ_BATCH(want, ...)                                                               \
    do {                                                                                  \
        const lin_op h_[] = { __VA_ARGS__ };                                              \
        CHECK(want, (want) == LIN_OK, lin_pq(h_, COUNT(h_), LIN_ATOMIC_INSERT, &report_), \
              &lin_spec_pq, h_);                                                          \
    } while (0)
#define FAST(want, name, spec, ...)                                  \
    do {                                                             \
        const lin_op h_[] = { __VA_ARGS__ };                         \
        CHECK(want, false, name(h_, COUNT(h_), &report_), spec, h_); \
    } while (0)

static void pq_right(void **state)
{
    (void)state;
    PQ(LIN_OK, PUSH(1, 2, 1, V(5)), PUSH(3, 4, 1, V(3)), POP(5, 6, 1, 1, V(3)),
       POP(7, 8, 1, 1, V(5)), EMPTY(9, 10, 1));
    PQ(LIN_OK, PUSH(1, 6, 1, V(3)), PUSH(2, 3, 1, V(5)), POP(4, 5, 1, 1, V(5))); /* 3 comes later */
    PQ(LIN_OK, PUSH(1, 2, 1, V(3)), EMPTY(3, 6, 1), POP(4, 5, 1, 1, V(3)));
    PQ(LIN_OK, PUSH(1, 2, 1, { 3, 1 }), PUSH(3, 4, 1, { 3, 2 }), POP(5, 6, 1, 1, { 3, 2 }),
       POP(7, 8, 1, 1, { 3, 1 }));
    PQ(LIN_OK, PUSH(1, NEVER, 1, V(3)), POP(2, 3, 1, 1, V(3))); /* pending, took effect */
    PQ(LIN_OK, PUSH(1, NEVER, 1, V(3)), EMPTY(2, 3, 1));        /* pending, did not yet */
}

static void pq_wrong(void **state)
{
    (void)state;
    PQ(LIN_BAD, PUSH(1, 2, 1, V(5)), PUSH(3, 4, 1, V(3)), POP(5, 6, 1, 1, V(5))); /* out of order */
    PQ(LIN_BAD, PUSH(1, 2, 1, V(5)), EMPTY(3, 4, 1));                             /* lost */
    PQ(LIN_BAD, PUSH(1, 2, 1, V(5)), POP(3, 4, 1, 1, V(5)), POP(5, 6, 1, 1, V(5))); /* twice */
    PQ(LIN_BAD, PUSH(1, 2, 1, V(5)), POP(3, 4, 1, 1, V(6)));                        /* made up */
    PQ(LIN_BAD, POP(1, 2, 1, 1, V(5)), PUSH(3, 4, 1, V(5)));                        /* too early */
    PQ(LIN_BAD, PUSH(1, 2, 1, V(1)), PUSH(3, 6, 1, V(2)), POP(4, 8, 1, 1, V(1)),
       POP(5, 9, 1, 1, V(2)), EMPTY(10, 11, 1), POP(12, 13, 1, 1, V(2)));
    /* Never empty: 1 and 2 take turns, each certain to be there when the other is not. */
    PQ(LIN_BAD, PUSH(1, 2, 1, V(1)), EMPTY(3, 10, 1), PUSH(4, 5, 1, V(2)), POP(6, 7, 1, 1, V(1)),
       POP(11, 12, 1, 1, V(2)));
}

static void pq_batches(void **state)
{
    (void)state;
    PQ_BATCH(LIN_OK, PUSH(1, 2, 3, V(1), V(2), V(3)), POP(3, 4, 2, 2, V(1), V(2)),
             POP(5, 6, 2, 1, V(3)));
    PQ_BATCH(LIN_BAD, PUSH(1, 2, 3, V(1), V(2), V(3)),
             POP(3, 4, 2, 2, V(2), V(1))); /* order inside */
    PQ_BATCH(LIN_BAD, PUSH(1, 2, 3, V(1), V(2), V(3)), POP(3, 4, 2, 2, V(1), V(3))); /* skipped 2 */
    PQ_BATCH(LIN_BAD, PUSH(1, 2, 3, V(1), V(2), V(3)),
             POP(3, 4, 3, 2, V(1), V(2))); /* short, 3 is there */
    /* Each of two deletes at once left what the other took: fine for single deletes, not for atomic
     * ones. */
    PQ_BATCH(LIN_BAD, PUSH(1, 2, 4, V(1), V(2), V(9), V(10)), POP(3, 5, 2, 2, V(1), V(10)),
             POP(4, 6, 2, 2, V(2), V(9)));
}

static void pq_torn_batch(void **state)
{
    const lin_op torn[] = { PUSH(1, 6, 2, V(1), V(2)), PUSH(2, 3, 1, V(3)), POP(4, 5, 1, 1, V(1)),
                            POP(7, 8, 1, 1, V(2)) };
    const lin_op seen[] = { PUSH(1, 9, 2, V(1), V(2)), PUSH(2, 3, 1, V(3)), POP(4, 5, 1, 1, V(1)),
                            POP(6, 7, 1, 1, V(3)), POP(10, 11, 1, 1, V(2)) };
    lin_report report;
    (void)state;
    assert_int_equal(lin_pq(torn, COUNT(torn), LIN_ATOMIC_INSERT, &report), LIN_PLAUSIBLE);
    assert_int_equal(lin_exact(torn, COUNT(torn), &lin_spec_pq), LIN_OK);
    /* 1 was seen and then 3 passed 2, which came with 1: two single inserts, but no atomic batch.
     */
    assert_int_equal(lin_pq(seen, COUNT(seen), 0, &report), LIN_OK);
    assert_int_equal(lin_pq(seen, COUNT(seen), LIN_ATOMIC_INSERT, &report), LIN_BAD);
    assert_int_equal(lin_exact(seen, COUNT(seen), &lin_spec_pq), LIN_BAD);
}

static void pq_atomic_batches_in_a_circle(void **state)
{
    /* 1 was returned before 0 could be, but 0 came with 1 and should have gone first. */
    const lin_op h[] = { PUSH(1, 3, 3, V(1), V(4), V(0)), POP(5, 7, 1, 1, V(0)),
                         POP(2, 4, 1, 1, V(1)) };
    lin_report report;
    (void)state;
    assert_int_equal(lin_pq(h, COUNT(h), 0, &report), LIN_OK);
    assert_int_equal(lin_pq(h, COUNT(h), LIN_ATOMIC_INSERT, &report), LIN_BAD);
    assert_int_equal(lin_exact(h, COUNT(h), &lin_spec_pq), LIN_BAD);
}

static void fifo(void **state)
{
    (void)state;
    FAST(LIN_OK, lin_fifo, &lin_spec_fifo, PUSH(1, 2, 1, V(5)), PUSH(3, 4, 1, V(3)),
         POP(5, 6, 1, 1, V(5)), POP(7, 8, 1, 1, V(3)), EMPTY(9, 10, 1));
    FAST(LIN_OK, lin_fifo, &lin_spec_fifo, PUSH(1, 3, 1, V(5)), PUSH(2, 4, 1, V(3)),
         POP(5, 6, 1, 1, V(3)), POP(7, 8, 1, 1, V(5)));
    FAST(LIN_BAD, lin_fifo, &lin_spec_fifo, PUSH(1, 2, 1, V(5)), PUSH(3, 4, 1, V(3)),
         POP(5, 6, 1, 1, V(3)), POP(7, 8, 1, 1, V(5)));
    FAST(LIN_BAD, lin_fifo, &lin_spec_fifo, PUSH(1, 2, 1, V(5)), PUSH(3, 4, 1, V(3)),
         POP(5, 6, 1, 1, V(3))); /* 5 lost */
    FAST(LIN_BAD, lin_fifo, &lin_spec_fifo, PUSH(1, 2, 1, V(5)), POP(3, 4, 1, 1, V(5)),
         POP(5, 6, 1, 1, V(5)));
    FAST(LIN_BAD, lin_fifo, &lin_spec_fifo, PUSH(1, 2, 1, V(5)), EMPTY(3, 4, 1));
    FAST(LIN_BAD, lin_fifo, &lin_spec_fifo, POP(1, 2, 1, 1, V(5)), PUSH(3, 4, 1, V(5)));
}

static void set(void **state)
{
    (void)state;
    FAST(LIN_OK, lin_set, &lin_spec_set, SET(LIN_INSERT, 1, 2, 7, true),
         SET(LIN_INSERT, 3, 4, 7, false), SET(LIN_CONTAINS, 5, 6, 7, true),
         SET(LIN_DELETE, 7, 8, 7, true), SET(LIN_CONTAINS, 9, 10, 7, false));
    FAST(LIN_OK, lin_set, &lin_spec_set, SET(LIN_INSERT, 1, NEVER, 7, false),
         SET(LIN_CONTAINS, 2, 3, 7, true));
    FAST(LIN_BAD, lin_set, &lin_spec_set, SET(LIN_INSERT, 1, 2, 7, true),
         SET(LIN_INSERT, 3, 4, 7, true)); /* lost */
    FAST(LIN_BAD, lin_set, &lin_spec_set, SET(LIN_INSERT, 1, 2, 7, true),
         SET(LIN_CONTAINS, 3, 4, 7, false));
    FAST(LIN_BAD, lin_set, &lin_spec_set, SET(LIN_DELETE, 1, 2, 7, true),
         SET(LIN_INSERT, 3, 4, 7, true)); /* early */
    FAST(LIN_BAD, lin_set, &lin_spec_set, SET(LIN_INSERT, 1, 2, 7, true),
         SET(LIN_DELETE, 3, 6, 7, true), SET(LIN_DELETE, 4, 5, 7, true)); /* twice */
    FAST(LIN_BAD, lin_set, &lin_spec_set, SET(LIN_INSERT, 1, 2, 7, true),
         SET(LIN_DELETE, 3, 4, 7, true), SET(LIN_CONTAINS, 5, 6, 7, true)); /* stale */
}

static void map(void **state)
{
    (void)state;
    FAST(LIN_OK, lin_map, &lin_spec_map, MISS(1, 2, 7), PUT(3, 8, 7, 1), GET(4, 5, 7, 1),
         PUT(6, 7, 7, 2), GET(9, 10, 7, 2));
    FAST(LIN_BAD, lin_map, &lin_spec_map, PUT(1, 2, 7, 1), PUT(3, 4, 7, 2),
         GET(5, 6, 7, 1));                                                   /* stale */
    FAST(LIN_BAD, lin_map, &lin_spec_map, PUT(1, 2, 7, 1), MISS(3, 4, 7));   /* lost */
    FAST(LIN_BAD, lin_map, &lin_spec_map, GET(1, 2, 7, 1), PUT(3, 4, 7, 1)); /* early */
    FAST(LIN_BAD, lin_map, &lin_spec_map, PUT(1, 10, 7, 1), PUT(2, 11, 7, 2), GET(3, 4, 7, 1),
         GET(5, 6, 7, 2), GET(7, 8, 7, 1)); /* back and forth */
}

static void bad_input_is_refused(void **state)
{
    const lin_op twice[] = { PUSH(1, 2, 1, V(5)), PUSH(3, 4, 1, V(5)) };
    const lin_op kind[] = { PUT(1, 2, 7, 1) };
    const lin_op backwards[] = { PUSH(2, 1, 1, V(5)) };
    (void)state;
    assert_int_equal(lin_pq(twice, 2, 0, NULL), LIN_INPUT);
    assert_int_equal(lin_fifo(twice, 2, NULL), LIN_INPUT);
    assert_int_equal(lin_pq(kind, 1, 0, NULL), LIN_INPUT);
    assert_int_equal(lin_set(kind, 1, NULL), LIN_INPUT);
    assert_int_equal(lin_pq(backwards, 1, 0, NULL), LIN_INPUT);
    assert_int_equal(lin_exact(twice, 65, &lin_spec_pq), LIN_INPUT);
    assert_int_equal(lin_pq(NULL, 0, 0, NULL), LIN_OK);
    assert_int_equal(lin_set(NULL, 0, NULL), LIN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pq_right),
        cmocka_unit_test(pq_wrong),
        cmocka_unit_test(pq_batches),
        cmocka_unit_test(pq_torn_batch),
        cmocka_unit_test(pq_atomic_batches_in_a_circle),
        cmocka_unit_test(fifo),
        cmocka_unit_test(set),
        cmocka_unit_test(map),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("lin", tests, NULL, NULL);
}
