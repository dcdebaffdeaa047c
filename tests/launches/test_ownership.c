/* SPDX-License-Identifier: Apache-2.0 */
/* What is borrowed lives as long as its last borrower: contexts, allocators that lists draw from,
 * whole heaps behind their parts. They are destroyed first here, then what borrowed them works on;
 * under AddressSanitizer this also shows that nothing is used after it was freed, or leaked. The
 * OpenCL context tells by its reference count whether all was released. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <pthread.h>
#include <time.h>

#include "launches/launches.h"
#include "program/archive.h"

#include <clade/archive.h>
#include <clade/arraylist.h>
#include <clade/heap.h>
#include <clade/kma.h>
#include <clade/list.h>
#include <clade/queue.h>
#include <clade/semilist.h>

/* A clade context on an OpenCL context of the test's. */
struct house {
    struct fixture f;
    cl_context cl;
};

static cl_uint references(cl_context cl)
{
    cl_uint count = 0;
    assert_int_equal(clGetContextInfo(cl, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL),
                     CL_SUCCESS);
    return count;
}

static struct house build_house(struct fixture *f)
{
    struct house house = { .f = *f };
    cl_device_id device = clade_context_cl_device(f->context);
    cl_int code;
    house.cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(references(house.cl), 1);
    const clade_context_params params = { .cl_context = house.cl, .cl_device = device };
    assert_ok(clade_context_create(&house.f.context, &params));
    house.f.caps = NULL; /* it goes with the context */
    return house;
}

/* Nobody else holds the OpenCL context any more. A driver's thread may still be about to let go of
 * a command that is done. */
static void leave_house(struct house *house)
{
    for (int ms = 0; ms < 60000 && references(house->cl) != 1; ms++)
        nanosleep(&(struct timespec) { 0, 1000000 }, NULL);
    assert_int_equal(references(house->cl), 1);
    assert_int_equal(clReleaseContext(house->cl), CL_SUCCESS);
}

/* Every kind of object, its context gone; and the same, never used after it. */
static void objects_hold_their_context(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < row_count; i++) {
        struct world w;
        if (!row_begins_kind(i, f->caps))
            continue;
        print_message("%s\n", rows[i].kind->name);
        for (int is_used = 0; is_used < 2; is_used++) {
            struct house house = build_house(f);
            world_open(&w, rows[i].kind, &house.f);
            world_reset(&w);
            clade_context_destroy(&house.f.context);
            assert_null(house.f.context);
            if (is_used) {
                w.on_host = true;
                assert_ok(rows[i].call(&w, NULL));
                w.kind->drain(&w);
            }
            world_close(&w);
            leave_house(&house);
        }
    }
}

/* A list of each kind that draws from an allocator which its owner destroys first; in either order
 * with the context. */
static void lists_hold_their_allocator(void **state)
{
    struct fixture *f = *state;
    enum { ALL = 40 };
    uint32_t keys[ALL], got[ALL];
    uint64_t n = 0;
    for (uint32_t i = 0; i < ALL; i++)
        keys[i] = 5 * i + 1;
    for (int context_first = 0; context_first < 2; context_first++) {
        struct house house = build_house(f);
        clade_kma *kma = NULL;
        clade_list *list = NULL;
        clade_semilist *semilist = NULL;
        clade_arraylist *arraylist = NULL;
        assert_ok(
            clade_kma_create(&kma, house.f.context, &(clade_kma_params) { .bytes = 4 << 20 }));
        assert_ok(clade_list_create(&list, house.f.context,
                                    &(clade_list_params) { .capacity = 300, .kma = kma }));
        assert_ok(clade_semilist_create(&semilist, house.f.context,
                                        &(clade_semilist_params) { .capacity = 300, .kma = kma }));
        assert_ok(clade_arraylist_create(
            &arraylist, house.f.context,
            &(clade_arraylist_params) { .capacity = 300, .element_bytes = 4, .kma = kma }));
        if (context_first)
            clade_context_destroy(&house.f.context);
        clade_kma_destroy(&kma);
        assert_null(kma);
        clade_context_destroy(&house.f.context);
        assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(), ALL, clade_no_array(),
                                    NULL));
        assert_ok(clade_semilist_append(semilist, clade_host(keys), clade_no_array(),
                                        clade_no_array(), ALL, NULL));
        assert_ok(clade_arraylist_append(arraylist, clade_host(keys), ALL, NULL));
        assert_ok(clade_list_check(list));
        clade_list_destroy(&list);
        assert_ok(clade_semilist_read(semilist, got, NULL, NULL, ALL, &n));
        assert_int_equal(n, ALL);
        assert_memory_equal(got, keys, sizeof keys);
        clade_semilist_destroy(&semilist);
        memset(got, 0, sizeof got);
        assert_ok(clade_arraylist_read(arraylist, 0, clade_host(got), ALL, NULL));
        assert_memory_equal(got, keys, sizeof keys);
        clade_arraylist_destroy(&arraylist);
        leave_house(&house);
    }
}

/* A list that was refused holds nothing. */
static void refused_lists_let_go(void **state)
{
    struct fixture *f = *state;
    struct house house = build_house(f), other = build_house(f);
    clade_kma *kma = NULL;
    clade_list *list = NULL;
    clade_semilist *semilist = NULL;
    clade_arraylist *arraylist = NULL;
    assert_ok(clade_kma_create(&kma, house.f.context, &(clade_kma_params) { .bytes = 4 << 20 }));
    assert_fails(clade_list_create(&list, other.f.context,
                                   &(clade_list_params) { .capacity = 300, .kma = kma }),
                 CLADE_E_ARG);
    assert_message("the allocator is of another context");
    assert_fails(clade_semilist_create(&semilist, other.f.context,
                                       &(clade_semilist_params) { .capacity = 300, .kma = kma }),
                 CLADE_E_ARG);
    assert_message("the allocator is of another context");
    assert_fails(clade_arraylist_create(
                     &arraylist, other.f.context,
                     &(clade_arraylist_params) { .capacity = 300, .element_bytes = 4, .kma = kma }),
                 CLADE_E_ARG);
    assert_message("the allocator is of another context");
    clade_context_destroy(&house.f.context);
    clade_context_destroy(&other.f.context);
    clade_kma_destroy(&kma);
    leave_house(&house);
    leave_house(&other);
}

/* Parts, the whole gone, and its context; then the whole's own order. */
static void parts_hold_the_whole(void **state)
{
    struct fixture *f = *state;
    enum { HEAPS = 3 };
    for (int whole_first = 0; whole_first < 2; whole_first++) {
        struct house house = build_house(f);
        clade_heap *whole = NULL, *parts[HEAPS] = { NULL };
        uint32_t keys[4] = { 4, 1, 3, 2 }, got[4];
        uint64_t n = 0;
        assert_ok(
            clade_heap_create(&whole, house.f.context,
                              &(clade_heap_params) {
                                  .capacity = 100, .key = CLADE_U32, .batch = 4, .heaps = HEAPS }));
        for (uint32_t i = 0; i < HEAPS; i++)
            assert_ok(clade_heap_part(&parts[i], whole, i));
        clade_context_destroy(&house.f.context);
        if (whole_first)
            clade_heap_destroy(&whole);
        for (uint32_t i = 0; i < HEAPS; i++) {
            assert_ok(clade_heap_insert(parts[i], clade_host(keys), clade_no_array(), 4, NULL));
            assert_ok(clade_heap_pop(parts[i], clade_host(got), clade_no_array(), 4, clade_host(&n),
                                     NULL));
            assert_int_equal(n, 4);
            assert_int_equal(got[0], 1);
            assert_int_equal(got[3], 4);
            clade_heap_destroy(&parts[i]);
        }
        clade_heap_destroy(&whole);
        leave_house(&house);
    }
}

/* A program, a kernel of it, and an archive of a context that is gone. */
static void programs_and_archives_need_no_context(void **state)
{
    struct fixture *f = *state;
    struct house house = build_house(f);
    clade_program *program = NULL;
    clade_archive *archive = NULL;
    cl_kernel kernel = NULL;
    cl_uint arguments = 0;
    assert_ok(clade_program_build(
        &program, house.f.context,
        &(clade_program_params) { .source =
                                      "__kernel void one(__global uint *x) { x[0] = 1u; }\n" }));
    assert_ok(clade_archive_create(&archive));
    assert_ok(clade_archive_add_context(archive, house.f.context));
    clade_context_destroy(&house.f.context);
    assert_non_null(clade_program_options(program));
    assert_non_null(clade_program_log(program));
    assert_ok(clade_program_kernel(&kernel, program, "one"));
    clade_program_destroy(&program);
    assert_int_equal(
        clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL),
        CL_SUCCESS);
    assert_int_equal(arguments, 1);
    clReleaseKernel(kernel);
    assert_true(clade_archive_count(archive) > 0);
    for (size_t i = 0; i < clade_archive_count(archive); i++)
        assert_true(clade_archive_at(archive, i)->size > 0);
    clade_archive_destroy(&archive);
    leave_house(&house);
}

/* Objects of one context are destroyed by several threads at once, and the context by another. */
static void *destroy_queues(void *data)
{
    clade_queue **queues = data;
    for (size_t i = 0; i < 8; i++)
        clade_queue_destroy(&queues[i]);
    return NULL;
}

static void threads_let_go_at_once(void **state)
{
    struct fixture *f = *state;
    enum { THREADS = 4, EACH = 8 };
    struct house house = build_house(f);
    clade_queue *queues[THREADS][EACH];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        for (size_t k = 0; k < EACH; k++)
            assert_ok(clade_queue_create(&queues[i][k], house.f.context,
                                         &(clade_queue_params) { .capacity = 4 }));
    clade_context_destroy(&house.f.context);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, destroy_queues, queues[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    leave_house(&house);
}

/* The hook's data is the caller's, who may free it with the context. */
static void count_launch(void *data, cl_kernel kernel, cl_event event)
{
    (void)kernel;
    (void)event;
    ++*(unsigned *)data;
}

static void the_hook_ends_with_the_context(void **state)
{
    struct fixture *f = *state;
    unsigned launches = 0;
    uint32_t value = 1;
    clade_context *context = NULL;
    clade_queue *queue = NULL;
    const clade_context_params params = { .cl_context = clade_context_cl_context(f->context),
                                          .cl_device = clade_context_cl_device(f->context),
                                          .on_launch = count_launch,
                                          .on_launch_data = &launches };
    assert_ok(clade_context_create(&context, &params));
    assert_ok(clade_queue_create(&queue, context, &(clade_queue_params) { .capacity = 4 }));
    assert_ok(clade_queue_append(queue, clade_host(&value), 1, clade_no_array(), NULL));
    assert_true(launches > 0);
    clade_context_destroy(&context);
    launches = 0;
    assert_ok(clade_queue_append(queue, clade_host(&value), 1, clade_no_array(), NULL));
    assert_int_equal(launches, 0);
    clade_queue_destroy(&queue);
}

int main(void)
{
    rows_collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_hold_their_context),
        cmocka_unit_test(lists_hold_their_allocator),
        cmocka_unit_test(refused_lists_let_go),
        cmocka_unit_test(parts_hold_the_whole),
        cmocka_unit_test(programs_and_archives_need_no_context),
        cmocka_unit_test(threads_let_go_at_once),
        cmocka_unit_test(the_hook_ends_with_the_context),
    };
    return fixture_run("ownership", tests);
}
