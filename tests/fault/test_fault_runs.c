/* SPDX-License-Identifier: Apache-2.0 */
/* Long runs of calls of which some fail. The other fault tests look at an object right after a
 * call that failed; here calls go on. What a failure left on the host must not make a later call
 * wrong: it does what its model does, it refuses nothing that has room, and at the end exactly the
 * capacity fits. The allocator of the lists that borrow one grows in between. */
#include "fault/fault.h"

#include <clade/arraylist.h>
#include <clade/dlist.h>
#include <clade/kma.h>
#include <clade/list.h>
#include <clade/queue.h>
#include <clade/rbtree.h>
#include <clade/semilist.h>
#include <clade/shared/kma.h>

enum { CAPACITY = 64, MOST_AT_ONCE = 24 };

#define NONE clade_no_array()

struct content {
    uint32_t count, values[2 * CAPACITY];
    uint32_t refs[2 * CAPACITY]; /* of nodes, where there are any */
};

struct world;

/* One structure. Calls get `count` values; each makes `want` of what was there before. */
struct sort {
    const char *name;
    bool all_or_none, ascends, takes_first; /* a failed call did nothing or all; removes: queue */
    bool in_kma;
    clade_status (*make)(struct world *w);
    void (*destroy)(struct world *w);
    clade_status (*insert)(struct world *w, const uint32_t *values, uint32_t count);
    /* Those at `places` of `have`, which ascend. NULL: nothing is erased. */
    clade_status (*erase)(struct world *w, const uint32_t *places, uint32_t count);
    clade_status (*look)(struct world *w); /* a call that changes nothing */
    clade_status (*size)(struct world *w, uint64_t *size);
    clade_status (*reclaim)(struct world *w); /* NULL: there is none */
    clade_status (*check)(struct world *w);
    clade_status (*read)(struct world *w, struct content *to);
};

struct world {
    struct fixture *f;
    const struct sort *sort;
    void *object;
    clade_kma *kma;
    uint64_t kma_bytes;
    struct random random;
    struct content have, want, now;
    uint32_t fresh;
};

#define CALL(name, expression)                \
    static clade_status name(struct world *w) \
    {                                         \
        return expression;                    \
    }
#define USUAL(W)                                                  \
    static void W##_destroy(struct world *w)                      \
    {                                                             \
        clade_##W *it = w->object;                                \
        clade_##W##_destroy(&it);                                 \
    }                                                             \
    static clade_status W##_size(struct world *w, uint64_t *size) \
    {                                                             \
        return clade_##W##_size(w->object, size);                 \
    }                                                             \
    CALL(W##_check, clade_##W##_check(w->object))
#define MAKE(name, W, ...)                                                                    \
    static clade_status name(struct world *w)                                                 \
    {                                                                                         \
        clade_##W *it = NULL;                                                                 \
        const clade_status status = clade_##W##_create(                                       \
            &it, w->f->context, &(clade_##W##_params) { .capacity = CAPACITY, __VA_ARGS__ }); \
        w->object = it;                                                                       \
        return status;                                                                        \
    }

/* The values, or refs, at some places. */
static void pick(const uint32_t *from, const uint32_t *places, uint32_t count, uint32_t *to)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[places[i]];
}

/* --- list: ordered, unordered, in an allocator --------------------------------------------------
 */

MAKE(make_set, list, .mode = CLADE_LIST_ORDERED)
MAKE(make_sequence, list, .mode = CLADE_LIST_UNORDERED)
MAKE(make_set_in_kma, list, .kma = w->kma)
USUAL(list)
CALL(list_reclaim, clade_list_reclaim(w->object, NULL))
CALL(list_look,
     clade_list_contains(w->object, clade_host(w->have.values), w->have.count, NONE, NULL))

static clade_status list_insert(struct world *w, const uint32_t *values, uint32_t count)
{
    return w->sort->ascends
               ? clade_list_insert(w->object, clade_host(values), NONE, count, NONE, NULL)
               : clade_list_insert_front(w->object, clade_host(values), count, NONE, NULL);
}

static clade_status list_erase(struct world *w, const uint32_t *places, uint32_t count)
{
    uint32_t values[CAPACITY];
    pick(w->have.values, places, count, values);
    return clade_list_erase(w->object, clade_host(values), count, NONE, NULL);
}

static clade_status list_read(struct world *w, struct content *to)
{
    uint64_t got = 0;
    const clade_status status =
        clade_list_read(w->object, to->values, NULL, NULL, 2 * CAPACITY, &got);
    to->count = (uint32_t)got;
    return status;
}

/* --- dlist, semilist: nodes have refs -----------------------------------------------------------
 */

MAKE(make_dlist, dlist, .value = CLADE_U32)
USUAL(dlist)
CALL(dlist_reclaim, clade_dlist_reclaim(w->object, NULL))
static clade_status dlist_look(struct world *w)
{
    uint32_t ops[2 * CAPACITY];
    for (uint32_t i = 0; i < w->have.count; i++)
        ops[i] = CLADE_DLIST_NEXT;
    return clade_dlist_apply(w->object, clade_host(ops), clade_host(w->have.refs), NONE, NONE,
                             w->have.count, NONE, NULL);
}

static clade_status dlist_insert(struct world *w, const uint32_t *values, uint32_t count)
{
    const uint32_t end = CLADE_NIL;
    return count == 1 ? clade_dlist_insert_before(w->object, clade_host(&end), clade_host(values),
                                                  NONE, 1, NONE, NULL)
                      : clade_dlist_append(w->object, clade_host(values), NONE, count, NONE, NULL);
}

static clade_status dlist_erase(struct world *w, const uint32_t *places, uint32_t count)
{
    uint32_t refs[CAPACITY];
    pick(w->have.refs, places, count, refs);
    return clade_dlist_erase(w->object, clade_host(refs), NONE, count, NONE, NULL);
}

static clade_status dlist_read(struct world *w, struct content *to)
{
    uint64_t got = 0;
    const clade_status status =
        clade_dlist_read(w->object, 0, to->values, to->refs, 2 * CAPACITY, &got);
    to->count = (uint32_t)got;
    return status;
}

MAKE(make_semilist, semilist, .kma = w->kma)
USUAL(semilist)
CALL(semilist_reclaim, clade_semilist_reclaim(w->object, NULL))
CALL(semilist_look, clade_semilist_find(w->object, clade_host(w->have.values), NONE, NONE,
                                        w->have.count, NONE, NULL))

static clade_status semilist_insert(struct world *w, const uint32_t *values, uint32_t count)
{
    return clade_semilist_append(w->object, clade_host(values), NONE, NONE, count, NULL);
}

static clade_status semilist_erase(struct world *w, const uint32_t *places, uint32_t count)
{
    uint32_t refs[CAPACITY];
    pick(w->have.refs, places, count, refs);
    return clade_semilist_erase_at(w->object, clade_host(refs), count, NONE, NULL);
}

static clade_status semilist_read(struct world *w, struct content *to)
{
    uint64_t got = 0;
    const clade_status status =
        clade_semilist_read(w->object, to->values, NULL, to->refs, 2 * CAPACITY, &got);
    to->count = (uint32_t)got;
    return status;
}

/* --- arraylist, queue, tree ---------------------------------------------------------------------
 */

MAKE(make_arraylist, arraylist, .element_bytes = 4, .first = 4, .kma = w->kma)
USUAL(arraylist)

static clade_status arraylist_insert(struct world *w, const uint32_t *values, uint32_t count)
{
    return clade_arraylist_append(w->object, clade_host(values), count, NULL);
}

static clade_status arraylist_read(struct world *w, struct content *to)
{
    uint64_t size = 0;
    clade_status status = clade_arraylist_size(w->object, &size);
    to->count = (uint32_t)size;
    return status == CLADE_OK
               ? clade_arraylist_read(w->object, 0, clade_host(to->values), size, NULL)
               : status;
}

CALL(arraylist_look, arraylist_read(w, &w->now))

MAKE(make_queue, queue, .reserved = { 0 })
USUAL(queue)

static clade_status queue_insert(struct world *w, const uint32_t *values, uint32_t count)
{
    return clade_queue_append(w->object, clade_host(values), count, NONE, NULL);
}

static clade_status queue_erase(struct world *w, const uint32_t *places, uint32_t count)
{
    uint32_t values[CAPACITY];
    (void)places;
    return clade_queue_pop(w->object, clade_host(values), count, NONE, NULL);
}

/* All of it, and back. */
static clade_status queue_read(struct world *w, struct content *to)
{
    uint64_t size = 0;
    clade_status status = clade_queue_size(w->object, &size);
    to->count = (uint32_t)size;
    if (status == CLADE_OK)
        status = clade_queue_pop(w->object, clade_host(to->values), size, NONE, NULL);
    if (status == CLADE_OK)
        status = clade_queue_append(w->object, clade_host(to->values), size, NONE, NULL);
    return status;
}

MAKE(make_tree, rbtree, .value = CLADE_NONE)
USUAL(rbtree)
CALL(rbtree_reclaim, clade_rbtree_reclaim(w->object, NULL))
CALL(rbtree_look,
     clade_rbtree_find(w->object, clade_host(w->have.values), NONE, w->have.count, NONE, NULL))

static clade_status rbtree_insert(struct world *w, const uint32_t *values, uint32_t count)
{
    return clade_rbtree_insert(w->object, clade_host(values), NONE, count, NONE, NULL);
}

static clade_status rbtree_erase(struct world *w, const uint32_t *places, uint32_t count)
{
    uint32_t values[CAPACITY];
    pick(w->have.values, places, count, values);
    return clade_rbtree_erase(w->object, clade_host(values), NONE, count, NONE, NULL);
}

static clade_status rbtree_read(struct world *w, struct content *to)
{
    uint64_t got = 0;
    const clade_status status =
        clade_rbtree_read(w->object, clade_host(to->values), NONE, 2 * CAPACITY, &got, NULL);
    to->count = (uint32_t)got;
    return status;
}

static const struct sort sorts[] = {
    { "an ordered list", false, true, false, false, make_set, list_destroy, list_insert, list_erase,
      list_look, list_size, list_reclaim, list_check, list_read },
    { "an unordered list", false, false, false, false, make_sequence, list_destroy, list_insert,
      list_erase, list_look, list_size, list_reclaim, list_check, list_read },
    { "an ordered list in an allocator", false, true, false, true, make_set_in_kma, list_destroy,
      list_insert, list_erase, list_look, list_size, list_reclaim, list_check, list_read },
    { "a doubly linked list", false, false, false, false, make_dlist, dlist_destroy, dlist_insert,
      dlist_erase, dlist_look, dlist_size, dlist_reclaim, dlist_check, dlist_read },
    { "a semi-linked list", false, false, false, true, make_semilist, semilist_destroy,
      semilist_insert, semilist_erase, semilist_look, semilist_size, semilist_reclaim,
      semilist_check, semilist_read },
    { "an array list", true, false, false, true, make_arraylist, arraylist_destroy,
      arraylist_insert, NULL, arraylist_look, arraylist_size, NULL, arraylist_check,
      arraylist_read },
    { "a queue", true, false, true, false, make_queue, queue_destroy, queue_insert, queue_erase,
      queue_check, queue_size, NULL, queue_check, queue_read },
    { "a tree", false, true, false, false, make_tree, rbtree_destroy, rbtree_insert, rbtree_erase,
      rbtree_look, rbtree_size, rbtree_reclaim, rbtree_check, rbtree_read },
};

/* --- runs ---------------------------------------------------------------------------------------
 */

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* What an insert makes of it; the values are new ones. */
static void model_insert(struct world *w, uint32_t *values, uint32_t count)
{
    struct content *to = &w->want;
    const bool at_front = !w->sort->ascends && w->sort->insert == list_insert;
    for (uint32_t i = 0; i < count; i++) {
        w->fresh++;
        values[i] = w->sort->ascends ? w->fresh * 0x9e3779b1u : w->fresh;
    }
    if (at_front)
        memmove(to->values + count, to->values, to->count * sizeof *to->values);
    memcpy(to->values + (at_front ? 0 : to->count), values, count * sizeof *values);
    to->count += count;
    if (w->sort->ascends)
        qsort(to->values, to->count, sizeof *to->values, by_value);
}

static uint32_t model_erase(struct world *w, uint32_t *places)
{
    const uint32_t count = (uint32_t)random_below(&w->random, w->have.count) + 1;
    uint32_t left = 0, gone = 0;
    for (uint32_t i = 0; i < w->have.count; i++) {
        /* `count` of them in all, each as likely as the others. */
        const uint32_t rest = w->have.count - i;
        const bool goes =
            w->sort->takes_first ? i < count : random_below(&w->random, rest) < count - gone;
        if (goes)
            places[gone++] = i;
        else
            w->want.values[left++] = w->have.values[i];
    }
    w->want.count = left;
    return count;
}

/* One call, with `want` as it should leave it. */
static clade_status some_call(struct world *w)
{
    const struct sort *s = w->sort;
    const uint32_t what = (uint32_t)random_below(&w->random, 10), room = CAPACITY - w->have.count;
    uint32_t values[CAPACITY], places[CAPACITY], count;
    uint64_t size = w->have.count;
    clade_status status;
    if (what < 4 && room > 0) {
        count = (uint32_t)random_below(&w->random, room < MOST_AT_ONCE ? room : MOST_AT_ONCE) + 1;
        model_insert(w, values, count);
        return s->insert(w, values, count);
    }
    if (what < 7 && s->erase && w->have.count > 0) {
        count = model_erase(w, places);
        return s->erase(w, places, count);
    }
    if (what == 7 && s->reclaim)
        return s->reclaim(w);
    if (what == 8 && s->in_kma) {
        const uint64_t more = w->kma_bytes + random_below(&w->random, 3) * CLADE_KMA_PAGE_BYTES;
        status = clade_kma_grow(w->kma, more, NULL);
        w->kma_bytes = status == CLADE_OK ? more : w->kma_bytes;
        return status;
    }
    if (what == 9)
        return s->look(w);
    status = s->size(w, &size);
    assert_int_equal(size, w->have.count);
    return status;
}

static bool is_same(const struct content *a, const struct content *b)
{
    return a->count == b->count &&
           memcmp(a->values, b->values, a->count * sizeof a->values[0]) == 0;
}

static void look_inside(struct world *w)
{
    assert_ok(w->sort->check(w));
    assert_ok(w->sort->read(w, &w->now));
}

/* A third of the calls have an OpenCL call or an allocation fail. */
static void one_step(struct world *w)
{
    const uint64_t nth = random_below(&w->random, 3) ? 0 : 1 + random_below(&w->random, 16);
    w->want = w->have;
    fault_arm(nth);
    const clade_status status = some_call(w);
    const bool failed = fault_disarm();
    if (status != CLADE_OK) {
        assert_true(failed);
        assert_true(status == CLADE_E_DEVICE || status == CLADE_E_NOMEM);
    }
    look_inside(w);
    const bool is_new = is_same(&w->now, &w->want), is_old = is_same(&w->now, &w->have);
    assert_true(is_new || (status != CLADE_OK && (is_old || !w->sort->all_or_none)));
    w->have = w->now;
}

/* What is left of the capacity fits, and no more. */
static void fill_up(struct world *w)
{
    uint32_t values[CAPACITY + 1];
    const uint32_t room = CAPACITY - w->have.count;
    w->want = w->have;
    model_insert(w, values, room);
    if (room > 0)
        assert_ok(w->sort->insert(w, values, room));
    look_inside(w);
    assert_true(is_same(&w->now, &w->want));
    if (w->sort->insert != rbtree_insert) { /* trees have room to spare */
        model_insert(w, values, 1);
        assert_fails(w->sort->insert(w, values, 1), CLADE_E_FULL);
    }
}

static void calls_go_on_after_faults(void **state)
{
    struct fixture *f = *state;
    const int runs = (int)fixture_scaled(4, 40, 400), steps = 60;
    for (size_t i = 0; i < sizeof sorts / sizeof sorts[0]; i++) {
        print_message("%s\n", sorts[i].name);
        for (int run = 0; run < runs; run++) {
            struct world w = { .f = f, .sort = &sorts[i], .kma_bytes = 512 << 10 };
            w.random = random_from(fixture_seed() + (uint64_t)run * 1000 + i);
            const clade_kma_params params = { .bytes = w.kma_bytes, .most = 4 << 20 };
            assert_ok(clade_kma_create(&w.kma, f->context, &params));
            assert_ok(sorts[i].make(&w));
            for (int step = 0; step < steps; step++)
                one_step(&w);
            fill_up(&w);
            sorts[i].destroy(&w);
            assert_ok(clade_kma_check(w.kma, NULL, 0));
            clade_kma_destroy(&w.kma);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(calls_go_on_after_faults) };
    return fixture_run("fault_runs", tests);
}
