/* SPDX-License-Identifier: Apache-2.0 */
/* Long runs of calls of which some fail. The other fault tests look at an object right after a
 * call that failed; here calls go on. What a failure left on the host must not make a later call
 * wrong: it does what its model does, it refuses nothing that has room, and at the end exactly the
 * capacity fits. The allocator of the lists that borrow one grows in between. */
#include "fault/fault.h"

#include <clade/adheap.h>
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
    clade_status (*make)(struct world *w);
    void (*destroy)(struct world *w);
    clade_status (*insert)(struct world *w, const uint32_t *values, uint32_t count);
    /* By values, or by refs; NULL: nothing is erased. */
    clade_status (*erase)(struct world *w, const uint32_t *gone, uint32_t count);
    clade_status (*look)(struct world *w); /* a call that changes nothing */
    clade_status (*size)(struct world *w, uint64_t *size);
    clade_status (*reclaim)(struct world *w); /* NULL: there is none */
    clade_status (*check)(struct world *w);
    clade_status (*read)(struct world *w, struct content *to);
    bool all_or_none;  /* a call that failed did nothing, or all */
    bool ascends;      /* its content is in the order of the values */
    bool takes_first;  /* the first values are what is erased */
    bool by_refs;      /* erases by refs */
    bool has_statuses; /* alone tell of what is refused; or there is room to spare */
    bool in_kma;
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
    cl_mem memory; /* of the device, for `count` words of an array; NULL: arrays are the host's */
};

/* An array that goes in: a call with a device's array alone does not wait. */
static clade_array in(struct world *w, const uint32_t *words)
{
    return w->memory ? clade_device(w->memory, 0) : clade_host(words);
}

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
    return w->sort->ascends ? clade_list_insert(w->object, in(w, values), NONE, count, NONE, NULL)
                            : clade_list_insert_front(w->object, in(w, values), count, NONE, NULL);
}

static clade_status list_erase(struct world *w, const uint32_t *values, uint32_t count)
{
    return clade_list_erase(w->object, in(w, values), count, NONE, NULL);
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
                      : clade_dlist_append(w->object, in(w, values), NONE, count, NONE, NULL);
}

static clade_status dlist_erase(struct world *w, const uint32_t *refs, uint32_t count)
{
    return clade_dlist_erase(w->object, in(w, refs), NONE, count, NONE, NULL);
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
    return clade_semilist_append(w->object, in(w, values), NONE, NONE, count, NULL);
}

static clade_status semilist_erase(struct world *w, const uint32_t *refs, uint32_t count)
{
    return clade_semilist_erase_at(w->object, in(w, refs), count, NONE, NULL);
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
    return clade_arraylist_append(w->object, in(w, values), count, NULL);
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
    return clade_queue_append(w->object, in(w, values), count, NONE, NULL);
}

static clade_status queue_erase(struct world *w, const uint32_t *gone, uint32_t count)
{
    uint32_t values[CAPACITY];
    (void)gone;
    return clade_queue_pop(w->object, clade_host(values), count, NONE, NULL);
}

CALL(queue_look, clade_queue_check(w->object))

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
    return clade_rbtree_insert(w->object, in(w, values), NONE, count, NONE, NULL);
}

static clade_status rbtree_erase(struct world *w, const uint32_t *values, uint32_t count)
{
    return clade_rbtree_erase(w->object, in(w, values), NONE, count, NONE, NULL);
}

static clade_status rbtree_read(struct world *w, struct content *to)
{
    uint64_t got = 0;
    const clade_status status =
        clade_rbtree_read(w->object, clade_host(to->values), NONE, 2 * CAPACITY, &got, NULL);
    to->count = (uint32_t)got;
    return status;
}

/* --- ad-heap: popped and inserted again to be read ----------------------------------------------
 */

MAKE(make_adheap, adheap, .heaps = 1, .key = CLADE_U32)

static void adheap_destroy(struct world *w)
{
    clade_adheap *it = w->object;
    clade_adheap_destroy(&it);
}

CALL(adheap_check, clade_adheap_check(w->object))
CALL(adheap_look, clade_adheap_check(w->object))

static clade_status adheap_size(struct world *w, uint64_t *size)
{
    uint32_t sizes[1];
    const clade_status status = clade_adheap_sizes(w->object, clade_host(sizes), NULL);
    if (status == CLADE_OK)
        *size = sizes[0];
    return status;
}

static clade_status adheap_insert(struct world *w, const uint32_t *values, uint32_t count)
{
    return clade_adheap_insert(w->object, in(w, values), NONE, count, NONE, NULL);
}

static clade_status adheap_erase(struct world *w, const uint32_t *gone, uint32_t count)
{
    uint32_t values[CAPACITY];
    (void)gone;
    return clade_adheap_pop(w->object, clade_host(values), NONE, count, NONE, NULL);
}

static clade_status adheap_read(struct world *w, struct content *to)
{
    uint64_t size = 0;
    clade_status status = adheap_size(w, &size);
    to->count = (uint32_t)size;
    if (status == CLADE_OK)
        status = clade_adheap_pop(w->object, clade_host(to->values), NONE, to->count, NONE, NULL);
    return status == CLADE_OK ? adheap_insert(w, to->values, to->count) : status;
}

#define CALLS_OF(W)                                                                   \
    .destroy = W##_destroy, .insert = W##_insert, .look = W##_look, .size = W##_size, \
    .check = W##_check, .read = W##_read

static const struct sort sorts[] = {
    { "an ordered list", make_set, CALLS_OF(list), .erase = list_erase, .reclaim = list_reclaim,
      .ascends = true },
    { "an unordered list", make_sequence, CALLS_OF(list), .erase = list_erase,
      .reclaim = list_reclaim },
    { "an ordered list in an allocator", make_set_in_kma, CALLS_OF(list), .erase = list_erase,
      .reclaim = list_reclaim, .ascends = true, .in_kma = true },
    { "a doubly linked list", make_dlist, CALLS_OF(dlist), .erase = dlist_erase,
      .reclaim = dlist_reclaim, .by_refs = true },
    { "a semi-linked list", make_semilist, CALLS_OF(semilist), .erase = semilist_erase,
      .reclaim = semilist_reclaim, .by_refs = true, .in_kma = true },
    { "an array list", make_arraylist, CALLS_OF(arraylist), .all_or_none = true, .in_kma = true },
    { "a queue", make_queue, CALLS_OF(queue), .erase = queue_erase, .all_or_none = true,
      .takes_first = true },
    { "an ad-heap", make_adheap, CALLS_OF(adheap), .erase = adheap_erase, .all_or_none = true,
      .ascends = true, .takes_first = true, .has_statuses = true },
    { "a tree", make_tree, CALLS_OF(rbtree), .erase = rbtree_erase, .reclaim = rbtree_reclaim,
      .has_statuses = true, .ascends = true },
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

static uint32_t model_erase(struct world *w, uint32_t *gone)
{
    const uint32_t count = (uint32_t)random_below(&w->random, w->have.count) + 1;
    const uint32_t *from = w->sort->by_refs ? w->have.refs : w->have.values;
    uint32_t left = 0, taken = 0;
    for (uint32_t i = 0; i < w->have.count; i++) {
        /* `count` of them in all, each as likely as the others. */
        const uint32_t rest = w->have.count - i;
        const bool goes =
            w->sort->takes_first ? i < count : random_below(&w->random, rest) < count - taken;
        if (goes)
            gone[taken++] = from[i];
        else
            w->want.values[left++] = w->have.values[i];
    }
    w->want.count = left;
    return count;
}

/* What is done next: words for the call, `count` of them, and `want` as it should leave it. */
struct plan {
    enum { INSERT, ERASE, RECLAIM, GROW, LOOK, SIZE } what;
    uint32_t count, words[CAPACITY];
    uint64_t kma_bytes;
};

static struct plan make_plan(struct world *w)
{
    const uint32_t draw = (uint32_t)random_below(&w->random, 10), room = CAPACITY - w->have.count;
    const uint32_t most = room < MOST_AT_ONCE ? room : MOST_AT_ONCE;
    struct plan plan = { .what = SIZE, .kma_bytes = w->kma_bytes };
    w->want = w->have;
    if (draw < 4 && room > 0) {
        plan.what = INSERT;
        plan.count = (uint32_t)random_below(&w->random, most) + 1;
        model_insert(w, plan.words, plan.count);
    } else if (draw < 7 && w->sort->erase && w->have.count > 0) {
        plan.what = ERASE;
        plan.count = model_erase(w, plan.words);
    } else if (draw == 7 && w->sort->reclaim) {
        plan.what = RECLAIM;
    } else if (draw == 8 && w->sort->in_kma) {
        plan.what = GROW;
        plan.kma_bytes += random_below(&w->random, 3) * CLADE_KMA_PAGE_BYTES;
    } else if (draw == 9) {
        plan.what = LOOK;
    }
    return plan;
}

static clade_status carry_out(struct world *w, const struct plan *plan)
{
    const struct sort *s = w->sort;
    uint64_t size = w->have.count;
    switch (plan->what) {
    case INSERT:
        return s->insert(w, plan->words, plan->count);
    case ERASE:
        return s->erase(w, plan->words, plan->count);
    case RECLAIM:
        return s->reclaim(w);
    case GROW:
        return clade_kma_grow(w->kma, plan->kma_bytes, NULL);
    case LOOK:
        return s->look(w);
    default:
        break;
    }
    const clade_status status = s->size(w, &size);
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

/* A third of the calls have an OpenCL call or an allocation fail. A third have arrays of the
 * device.
 */
static void one_step(struct world *w)
{
    const uint64_t nth = random_below(&w->random, 3) ? 0 : 1 + random_below(&w->random, 16);
    const struct plan plan = make_plan(w);
    if (plan.count > 0 && random_below(&w->random, 3) == 0)
        w->memory = fixture_buffer(w->f, plan.count * sizeof plan.words[0], plan.words);
    fault_arm(nth);
    const clade_status status = carry_out(w, &plan);
    const bool failed = fault_disarm();
    if (status != CLADE_OK) {
        assert_true(failed);
        assert_true(status == CLADE_E_DEVICE || status == CLADE_E_NOMEM);
    } else {
        w->kma_bytes = plan.kma_bytes;
    }
    if (w->memory)
        clReleaseMemObject(w->memory);
    w->memory = NULL;
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
    if (!w->sort->has_statuses) {
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
