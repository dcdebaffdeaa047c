/* SPDX-License-Identifier: Apache-2.0 */
/* Calls over many keys at once, of the front engine and of the others (by sorting), with the n-th
 * OpenCL or allocation call failing, for every n: the heap is sound then, and all of the call took
 * effect or nothing of it. And a clear of the front engine's heap, which has several steps. */
#include "fault/fault.h"
#include "heap/heap.h"
#include "object/object.h"

/* MANY are more than one tile of the sorted calls. */
enum { CAPACITY = 40000, KEYS = 6000, GONE = 4000, MANY = 33000 };

struct bulk_case {
    struct fixture *f;
    clade_heap *heap;
    cl_mem keys, values, out, out_values, got;
    char *bytes; /* of the heap before the call */
    clade_status (*call)(struct bulk_case *c);
    uint64_t before, after; /* keys inside */
    clade_status status;
    bool anew;   /* each call is the first of its kind: it makes programs and kernels */
    size_t late; /* failed, but the heap had changed by then */
};

static clade_status insert(struct bulk_case *c)
{
    return clade_heap_insert(c->heap, clade_device(c->keys, 0), clade_device(c->values, 0), KEYS,
                             NULL);
}

static clade_status insert_many(struct bulk_case *c)
{
    return clade_heap_insert(c->heap, clade_device(c->keys, 0), clade_device(c->values, 0), MANY,
                             NULL);
}

static clade_status pop(struct bulk_case *c)
{
    return clade_heap_pop(c->heap, clade_device(c->out, 0), clade_device(c->out_values, 0), GONE,
                          clade_device(c->got, 0), NULL);
}

static clade_status run(void *data)
{
    struct bulk_case *c = data;
    c->status = c->call(c);
    return c->status;
}

/* As after clade_heap_create(), but that small calls are bulk calls, too. */
static void open_bulk(clade_heap *heap)
{
    cladei_bulk_close(heap);
    cladei_sorted_close(heap);
    cladei_bulk_open(heap, 0);
    cladei_sorted_open(heap);
    if (heap->bulk.least > 0)
        heap->bulk.least = 1;
    if (heap->sorted.least > 0)
        heap->sorted.least = heap->sorted.insert_least = 1;
}

static void put_back(struct bulk_case *c)
{
    if (c->anew)
        open_bulk(c->heap);
    assert_ok(cladei_object_write(&c->heap->object, 0, c->bytes, (size_t)c->heap->object.bytes));
    assert_ok(clade_finish(c->f->context));
}

static void expect_whole(void *data)
{
    struct bulk_case *c = data;
    uint64_t size = UINT64_MAX;
    assert_ok(clade_heap_check(c->heap));
    assert_ok(clade_heap_size(c->heap, &size));
    if (size != c->after && (size != c->before || c->status == CLADE_OK))
        fail_msg("after a fault in %s (%s) %u keys are inside", fault_name(),
                 clade_status_name(c->status), (unsigned)size);
    c->late += c->status != CLADE_OK && size == c->after;
    put_back(c);
}

static void every_fault(struct bulk_case *c, clade_status (*call)(struct bulk_case *))
{
    uint64_t size;
    c->call = call;
    assert_ok(clade_heap_size(c->heap, &c->before));
    assert_ok(cladei_object_read(&c->heap->object, 0, c->bytes, (size_t)c->heap->object.bytes));
    assert_ok(call(c));
    assert_ok(clade_heap_size(c->heap, &c->after));
    assert_ok(clade_heap_check(c->heap));
    put_back(c);
    c->late = 0;
    assert_true(fault_every(run, expect_whole, c) >= 10);
    print_message("%zu failed after the change\n", c->late);
    assert_ok(call(c));
    assert_ok(clade_heap_size(c->heap, &size));
    assert_int_equal(size, c->after);
}

/* The calls were those that are meant: who makes fewer kernels does without them. */
static void expect_bulk(const struct bulk_case *c, int kernel)
{
    assert_true(c->heap->sorted.least > 0 ? c->heap->sorted.kernels[SORTED_BEGIN] != NULL
                                          : c->heap->bulk.kernels[kernel] != NULL);
}

static void survive(void **state, uint32_t engine)
{
    struct bulk_case c = { .f = *state };
    struct random random = random_from(c.f->seed);
    /* The types of test_heap_bulk, whose programs are PoCL's for a quarter of a minute. */
    clade_heap_params params = { .capacity = CAPACITY,
                                 .key = CLADE_U64,
                                 .value = CLADE_U32,
                                 .order = CLADE_MAX,
                                 .engine = engine };
    uint64_t *keys = calloc(MANY, sizeof *keys);
    assert_non_null(keys);
    if (!c.f->caps->is_cpu)
        params.capacity = 1 << 19;
    for (size_t i = 0; i < MANY; i++)
        keys[i] = random_next(&random);
    c.keys = fixture_buffer(c.f, MANY * sizeof *keys, keys);
    c.out = fixture_buffer(c.f, KEYS * sizeof *keys, NULL);
    c.values = fixture_buffer(c.f, MANY * 4, NULL);
    c.out_values = fixture_buffer(c.f, KEYS * 4, NULL);
    c.got = fixture_buffer(c.f, 8, NULL);
    assert_ok(clade_heap_create(&c.heap, c.f->context, &params));
    c.bytes = malloc((size_t)c.heap->object.bytes);
    assert_non_null(c.bytes);
    open_bulk(c.heap);
    if (c.heap->bulk.least > 0 || c.heap->sorted.least > 0) {
        for (int anew = 0; anew <= 1; anew++) {
            c.anew = anew != 0;
            every_fault(&c, insert);
            expect_bulk(&c, BULK_BUILD_BEGIN);
            every_fault(&c, pop);
            expect_bulk(&c, BULK_TAKE_BEGIN);
            if (c.heap->sorted.least > 0)
                every_fault(&c, insert_many);
            assert_ok(clade_heap_clear(c.heap, NULL));
        }
    } else {
        print_message("skipped: this device has no bulk calls\n");
    }
    clade_heap_destroy(&c.heap);
    clReleaseMemObject(c.keys);
    clReleaseMemObject(c.values);
    clReleaseMemObject(c.out);
    clReleaseMemObject(c.out_values);
    clReleaseMemObject(c.got);
    free(c.bytes);
    free(keys);
}

static void front_calls_survive_every_fault(void **state)
{
    survive(state, CLADE_HEAP_FRONT);
}

static void sorted_calls_survive_every_fault(void **state)
{
    survive(state, CLADE_HEAP_TOP_DOWN);
}

/* --- a clear in several steps ----------------------------------------------------------------- */

struct clear_case {
    clade_heap *heap;
    uint32_t keys[100];
};

static clade_status clear(void *data)
{
    return clade_heap_clear(((struct clear_case *)data)->heap, NULL);
}

/* The next call finds a heap, which is empty: a clear that failed is completed by then. */
static void expect_cleared(void *data)
{
    struct clear_case *c = data;
    uint64_t size = UINT64_MAX;
    assert_ok(clade_heap_size(c->heap, &size));
    assert_int_equal(size, 0);
    assert_ok(clade_heap_check(c->heap));
    assert_ok(clade_heap_insert(c->heap, clade_host(c->keys), clade_no_array(), 100, NULL));
}

/* The same, where the next call is an insert. */
static void expect_insert(void *data)
{
    struct clear_case *c = data;
    uint64_t size = UINT64_MAX;
    assert_ok(clade_heap_insert(c->heap, clade_host(c->keys), clade_no_array(), 100, NULL));
    assert_ok(clade_heap_size(c->heap, &size));
    assert_int_equal(size, 100);
    assert_ok(clade_heap_check(c->heap));
}

/* A part is the same heap: what either completes the other does not clear again. */
static void expect_one_heap(clade_heap *heap, const uint32_t *keys)
{
    clade_heap *part = NULL;
    uint64_t size = UINT64_MAX;
    fault_arm_from(8);
    assert_true(clade_heap_clear(heap, NULL) != CLADE_OK);
    assert_true(fault_disarm());
    assert_ok(clade_heap_part(&part, heap, 0));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), 100, NULL));
    assert_ok(clade_heap_size(part, &size));
    assert_int_equal(size, 100);
    fault_arm_from(8);
    assert_true(clade_heap_clear(part, NULL) != CLADE_OK);
    assert_true(fault_disarm());
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), 50, NULL));
    assert_ok(clade_heap_size(part, &size));
    assert_int_equal(size, 50);
    assert_ok(clade_heap_check(heap));
    clade_heap_destroy(&part);
}

/* So large that its words are written in many steps. */
static void a_front_heap_is_cleared_in_spite_of_faults(void **state)
{
    struct fixture *f = *state;
    struct clear_case c = { .heap = NULL };
    const clade_heap_params params = { .capacity = 1 << 21,
                                       .key = CLADE_U32,
                                       .engine = CLADE_HEAP_FRONT };
    for (uint32_t i = 0; i < 100; i++)
        c.keys[i] = i * 2654435761u;
    assert_ok(clade_heap_create(&c.heap, f->context, &params));
    expect_insert(&c);
    assert_true(fault_every(clear, expect_cleared, &c) >= 10);
    assert_true(fault_from_every(clear, expect_cleared, &c) >= 10);
    assert_ok(clade_heap_clear(c.heap, NULL));
    assert_true(fault_from_every(clear, expect_insert, &c) >= 10);
    expect_one_heap(c.heap, c.keys);
    clade_heap_destroy(&c.heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_front_heap_is_cleared_in_spite_of_faults),
        cmocka_unit_test(front_calls_survive_every_fault),
        cmocka_unit_test(sorted_calls_survive_every_fault),
    };
    return fixture_run("fault_bulk", tests);
}
