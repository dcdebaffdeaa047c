/* SPDX-License-Identifier: Apache-2.0 */
/* What calls leave behind: one that is refused leaves nothing in its queue and no event; one of no
 * elements is a call like any other; one that makes an object leaves it at rest. And the promise
 * that different threads may use different objects of a context. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "launches/caller.h"

#include <clade/clade.h>

static cl_event make_gate(struct fixture *f)
{
    cl_int code;
    cl_event gate = clCreateUserEvent(clade_context_cl_context(f->context), &code);
    assert_int_equal(code, CL_SUCCESS);
    return gate;
}

static void open_gate(cl_event gate)
{
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
}

/* The device need not share memory with the host, and the calls are the ad-heap's. */
static bool is_passed_over(const struct row *row)
{
    return row->kind->is_shared;
}

/* --- refused for their arrays ----------------------------------------------------------------- */

/* Behind a gate that stays shut: the call returns, and its queue is free. */
static void refuse(struct world *w, const struct row *row, int slot)
{
    struct fixture *f = w->f;
    cl_command_queue queue = clade_context_cl_queue(f->context);
    cl_event gate = make_gate(f), end = NULL, after = NULL;
    cl_mem own = w->mem[slot], small = fixture_buffer(f, 4, NULL);
    const clade_launch launch = { .wait = &gate, .wait_count = 1, .event = &end };
    struct caller one = { .row = row, .world = w, .launch = &launch };
    w->mem[slot] = small;
    assert_int_equal(pthread_create(&one.thread, NULL, call, &one), 0);
    const bool returned = returns_in(&one, PATIENCE_MS);
    assert_int_equal(clEnqueueMarkerWithWaitList(queue, 0, NULL, &after), CL_SUCCESS);
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    const bool is_free = returned && completes_in(after, PATIENCE_MS);
    open_gate(gate);
    pthread_join(one.thread, NULL);
    w->mem[slot] = own;
    clReleaseEvent(after);
    clReleaseEvent(gate);
    clReleaseMemObject(small);
    if (one.status != CLADE_E_ARG)
        fail_msg("%s took a buffer of 4 bytes", row->function);
    if (!returned || !is_free)
        fail_msg("%s was refused, but %s waits for the gate", row->function,
                 returned ? "the queue" : "it");
    assert_null(end);
}

static void refused_calls_leave_the_queue_free(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < row_count; i++) {
        struct world w;
        if (is_passed_over(&rows[i]))
            continue;
        world_open(&w, rows[i].kind, f);
        world_reset(&w);
        for (int slot = 0; slot < SLOTS; slot++) {
            if (!row_takes(&rows[i], slot))
                continue;
            refuse(&w, &rows[i], slot);
            /* The other arrays lie in host memory: such a call blocks, but not before it is clear
             * that it can be done. */
            w.on_host = true;
            w.apart = 1u << slot;
            refuse(&w, &rows[i], slot);
            w.on_host = false;
            w.apart = 0;
        }
        world_close(&w);
    }
}

/* --- refused by the device -------------------------------------------------------------------- */

enum { MANY = 200 };

static void assert_no_event(clade_status status, const cl_event *event, const char *what)
{
    if (status != CLADE_E_FULL)
        fail_msg("%s returned %s", what, clade_status_name(status));
    if (*event)
        fail_msg("%s failed and gave an event all the same", what);
}

/* A host's call knows whether there was room. An event that it gave and the caller does not expect
 * is never released. */
static void failed_calls_give_no_event(void **state)
{
    struct fixture *f = *state;
    uint32_t keys[MANY];
    cl_event event = NULL;
    const clade_launch launch = { .event = &event };
    clade_heap *heap = NULL;
    clade_queue *queue = NULL;
    clade_arraylist *arraylist = NULL;
    clade_dlist *dlist = NULL;
    clade_list *list = NULL;
    clade_semilist *semilist = NULL;
    clade_rbtree *tree = NULL;
    for (uint32_t i = 0; i < MANY; i++)
        keys[i] = 7 * i + 3;
    const clade_array from = clade_host(keys), none = clade_no_array();
    assert_ok(clade_heap_create(&heap, f->context,
                                &(clade_heap_params) { .capacity = MANY, .batch = 4 }));
    assert_ok(clade_heap_insert(heap, from, none, MANY / 2, NULL));
    assert_no_event(clade_heap_insert(heap, from, none, MANY, &launch), &event, "the heap");
    clade_heap_destroy(&heap);
    assert_ok(clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = 16 }));
    assert_no_event(clade_queue_append(queue, from, MANY, none, &launch), &event, "the queue");
    clade_queue_destroy(&queue);
    assert_ok(clade_arraylist_create(
        &arraylist, f->context, &(clade_arraylist_params) { .capacity = 16, .element_bytes = 4 }));
    assert_no_event(clade_arraylist_append(arraylist, from, MANY, &launch), &event,
                    "the array list");
    clade_arraylist_destroy(&arraylist);
    assert_ok(clade_dlist_create(&dlist, f->context, &(clade_dlist_params) { .capacity = 16 }));
    assert_no_event(clade_dlist_append(dlist, from, none, MANY, none, &launch), &event,
                    "the doubly linked list");
    clade_dlist_destroy(&dlist);
    assert_ok(clade_list_create(&list, f->context, &(clade_list_params) { .capacity = 16 }));
    assert_no_event(clade_list_insert(list, from, none, MANY, none, &launch), &event, "the list");
    clade_list_destroy(&list);
    assert_ok(
        clade_semilist_create(&semilist, f->context, &(clade_semilist_params) { .capacity = 16 }));
    assert_no_event(clade_semilist_append(semilist, from, none, none, MANY, &launch), &event,
                    "the semi-linked list");
    clade_semilist_destroy(&semilist);
    assert_ok(clade_rbtree_create(&tree, f->context,
                                  &(clade_rbtree_params) { .capacity = 16, .leaf_capacity = 4 }));
    assert_no_event(clade_rbtree_insert(tree, from, none, MANY, none, &launch), &event, "the tree");
    clade_rbtree_destroy(&tree);
}

/* An insert that only enqueued was refused; the next call that blocks tells so, in place of what it
 * would do, though only the place for the number got lies in host memory. */
static void earlier_errors_are_told_first(void **state)
{
    struct fixture *f = *state;
    uint32_t keys[MANY], got_keys[MANY];
    uint64_t got = 77;
    clade_heap *heap = NULL;
    for (uint32_t i = 0; i < MANY; i++)
        keys[i] = i;
    cl_mem in = fixture_buffer(f, sizeof keys, keys), out = fixture_buffer(f, sizeof keys, NULL);
    assert_ok(
        clade_heap_create(&heap, f->context,
                          &(clade_heap_params) { .capacity = MANY, .batch = 4, .key = CLADE_U32 }));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), MANY / 2, NULL));
    assert_ok(clade_heap_insert(heap, clade_device(in, 0), clade_no_array(), MANY, NULL));
    assert_fails(
        clade_heap_pop(heap, clade_device(out, 0), clade_no_array(), 10, clade_host(&got), NULL),
        CLADE_E_FULL);
    assert_int_equal(got, 77);
    assert_ok(
        clade_heap_pop(heap, clade_device(out, 0), clade_no_array(), MANY, clade_host(&got), NULL));
    assert_int_equal(got, MANY / 2);
    fixture_read(f, out, 0, got_keys, sizeof got_keys);
    assert_memory_equal(got_keys, keys, sizeof keys / 2);
    clade_heap_destroy(&heap);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* A tree that is made anew is the same tree: what it has to tell is not forgotten. */
static void rebuilt_trees_tell_earlier_errors(void **state)
{
    struct fixture *f = *state;
    enum { CAPACITY = 8192, LATE = 100 };
    static uint32_t keys[2 * CAPACITY];
    uint64_t n;
    const clade_array none = clade_no_array();
    for (uint32_t i = 0; i < 2 * CAPACITY; i++) /* in an order that leaves leaves half full */
        keys[i] = i / 32 * 32 + (11 * i + 13) % 32;
    cl_mem in = fixture_buffer(f, sizeof keys, keys);
    const clade_rbtree_params params = { .capacity = CAPACITY,
                                         .leaf_capacity = 28,
                                         .path = CLADE_RBTREE_CONCURRENT };
    for (int way = 0; way < 4; way++) {
        clade_rbtree *tree = NULL;
        clade_status status = CLADE_OK;
        assert_ok(clade_rbtree_create(&tree, f->context, &params));
        assert_ok(clade_rbtree_insert(tree, clade_device(in, 0), none, 2 * CAPACITY, none, NULL));
        if (way == 0)
            status = clade_rbtree_reclaim(tree, NULL);
        else if (way == 1)
            status = clade_rbtree_build(tree, clade_host(keys), none, 0, 10, NULL);
        else if (way == 2) /* its keys find no leaf before all are packed; then they do */
            status = clade_rbtree_insert(tree, clade_host(keys + 2 * CAPACITY - LATE), none, LATE,
                                         none, NULL);
        else
            status = clade_rbtree_clear(tree, NULL); /* which forgets */
        assert_int_equal(way == 2 ? CLADE_E_FULL : CLADE_OK, status);
        assert_int_equal(clade_rbtree_size(tree, &n), way < 2 ? CLADE_E_FULL : CLADE_OK);
        assert_ok(clade_rbtree_size(tree, &n)); /* once */
        assert_ok(clade_rbtree_check(tree));
        clade_rbtree_destroy(&tree);
    }
    clReleaseMemObject(in);
}

/* --- of no elements --------------------------------------------------------------------------- */

/* It waits as launches do, and its event is there. */
static void empty_call(struct world *w, const struct row *row)
{
    cl_event gate = make_gate(w->f), end = NULL;
    const clade_launch launch = { .wait = &gate, .wait_count = 1, .event = &end };
    struct caller one = { .row = row, .world = w, .launch = &launch };
    cl_int state = CL_QUEUED;
    assert_int_equal(pthread_create(&one.thread, NULL, call, &one), 0);
    const bool returned = returns_in(&one, row->blocks == ALWAYS || w->on_host ? 5 : PATIENCE_MS);
    if (returned && end)
        clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    open_gate(gate);
    pthread_join(one.thread, NULL);
    clReleaseEvent(gate);
    if (one.status != CLADE_OK)
        fail_msg("%s: %s", row->function, one.message);
    if (!end)
        fail_msg("%s of no elements gave no event", row->function);
    assert_int_not_equal(state, CL_COMPLETE);
    assert_int_equal(clWaitForEvents(1, &end), CL_SUCCESS);
    clReleaseEvent(end);
}

static void calls_of_no_elements_are_calls(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < row_count; i++) {
        struct world w;
        if (is_passed_over(&rows[i]))
            continue;
        world_open(&w, rows[i].kind, f);
        for (int on_host = 0; on_host < 2; on_host++) {
            w.on_host = on_host;
            world_reset(&w);
            w.count = 0;
            empty_call(&w, &rows[i]);
            w.kind->drain(&w); /* sound */
            w.count = COUNT;
        }
        world_close(&w);
    }
}

/* --- several threads -------------------------------------------------------------------------- */

struct worker {
    struct fixture *f;
    const struct row *row; /* the first of its kind */
    clade_kma *kma;        /* shared by all */
    pthread_t thread;
    char message[256];
};

#define WORK(call)                                                                                 \
    do {                                                                                           \
        if ((call) != CLADE_OK) {                                                                  \
            snprintf(w->message, sizeof w->message, "%s: %s", #call, clade_error_last()->message); \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* Objects are made, used and destroyed beside those of other threads; lists of one allocator, too.
 * cmocka's assertions are for the thread of the test alone. */
static void *work(void *data)
{
    struct worker *w = data;
    clade_context *c = w->f->context;
    const clade_array none = clade_no_array();
    enum { ROUNDS = 3, KEYS = 100 };
    uint32_t keys[KEYS], got[KEYS];
    uint64_t n = 0;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i + 1;
    for (int round = 0; round < ROUNDS && !*w->message; round++) {
        clade_heap *heap = NULL;
        clade_queue *queue = NULL;
        clade_list *list = NULL;
        WORK(clade_heap_create(
            &heap, c, &(clade_heap_params) { .capacity = 1000, .key = CLADE_U32, .batch = 4 }));
        WORK(clade_queue_create(&queue, c, &(clade_queue_params) { .capacity = 128 }));
        WORK(clade_list_create(&list, c, &(clade_list_params) { .capacity = 300, .kma = w->kma }));
        for (int again = 0; again < 5 && !*w->message; again++) {
            WORK(clade_heap_insert(heap, clade_host(keys), none, KEYS, NULL));
            WORK(clade_queue_append(queue, clade_host(keys), KEYS, none, NULL));
            WORK(clade_list_insert(list, clade_host(keys), none, KEYS, none, NULL));
            WORK(clade_heap_pop(heap, clade_host(got), none, KEYS, clade_host(&n), NULL));
            if (n != KEYS || memcmp(got, keys, sizeof keys) != 0)
                snprintf(w->message, sizeof w->message, "the heap gave other keys");
            WORK(clade_queue_pop(queue, clade_host(got), KEYS, clade_host(&n), NULL));
            if (n != KEYS)
                snprintf(w->message, sizeof w->message, "the queue gave %u values", (unsigned)n);
            WORK(clade_list_read(list, got, NULL, NULL, KEYS, &n));
            if (n != KEYS || memcmp(got, keys, sizeof keys) != 0)
                snprintf(w->message, sizeof w->message, "the list has other keys");
            WORK(clade_list_clear(list, NULL));
        }
    done:
        clade_list_destroy(&list);
        clade_queue_destroy(&queue);
        clade_heap_destroy(&heap);
    }
    return NULL;
}

static void threads_use_objects_of_one_context(void **state)
{
    struct fixture *f = *state;
    enum { THREADS = 4 };
    struct worker workers[THREADS];
    clade_kma *kma = NULL;
    clade_kma_stats stats;
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 4 << 20 }));
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker) { .f = f, .kma = kma };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (size_t i = 0; i < THREADS; i++)
        if (*workers[i].message)
            fail_msg("%s", workers[i].message);
    assert_ok(clade_kma_stats_read(kma, &stats));
    assert_int_equal(stats.live_blocks, 0);
    clade_kma_destroy(&kma);
}

int main(void)
{
    rows_collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_calls_leave_the_queue_free),
        cmocka_unit_test(failed_calls_give_no_event),
        cmocka_unit_test(earlier_errors_are_told_first),
        cmocka_unit_test(rebuilt_trees_tell_earlier_errors),
        cmocka_unit_test(calls_of_no_elements_are_calls),
        cmocka_unit_test(threads_use_objects_of_one_context),
    };
    return fixture_run("calls", tests);
}
