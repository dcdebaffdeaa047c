/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike: of each structure an object is made with nothing but what
 * is required, and a kernel that is compiled without any define or option of the structure's own
 * works on it. Operations compare the object's shape with what they were compiled for, so a default
 * that differs is CLADE_E_ARG here.
 *
 * What a kernel cannot know by itself is said where it is tried: CLADE_HEAP_AUTO chooses the front
 * engine by the capacity; such a kernel is told with clade_heap_options(). Kernels for an allocator
 * in debug mode need clade_kma_options(). */
#include <clade/clade.h>

#include "harness/fixture.h"

enum { ITEMS = 16, CAPACITY = 100 };

/* A kernel `k` of nothing but its structure's header and itself. */
struct built {
    clade_program *program;
    cl_kernel kernel;
    cl_mem out; /* ITEMS words, its second argument */
};

static struct built build(struct fixture *f, const char *header, const char *kernel)
{
    struct built built;
    char text[2048];
    const uint32_t nothing[ITEMS] = { 0 };
    snprintf(text, sizeof text, "#include \"clade/%s.clh\"\n%s\n", header, kernel);
    assert_ok(clade_program_build(&built.program, f->context,
                                  &(clade_program_params) { .source = text, .name = header }));
    assert_ok(clade_program_kernel(&built.kernel, built.program, "k"));
    built.out = fixture_buffer(f, sizeof nothing, nothing);
    fixture_arg(built.kernel, 1, built.out);
    return built;
}

/* `items` in one group, on an object; what they wrote is in `out`. */
static void run(struct fixture *f, struct built *built, cl_mem object, size_t items,
                uint32_t out[ITEMS])
{
    fixture_arg(built->kernel, 0, object);
    fixture_launch(f, built->kernel, items, items);
    fixture_read(f, built->out, 0, out, ITEMS * sizeof *out);
}

static void end(struct built *built)
{
    clReleaseMemObject(built->out);
    clReleaseKernel(built->kernel);
    clade_program_destroy(&built->program);
}

static size_t group_of(const struct fixture *f)
{
    return f->caps->is_cpu ? 1 : 32;
}

static const char take_all[] =
    "__kernel void k(__global void *heap, __global uint *out)\n"
    "{\n"
    "    __local clade_heap_scratch scratch;\n"
    "    uint got = 0;\n"
    "    out[0] = (uint)clade_heap_pop_wg(heap, &scratch, 16, &got);\n"
    "    out[1] = got;\n"
    "    out[2] = (uint)clade_heap_key_wi(&scratch, 0);\n"
    "}";

static clade_heap *heap_of(struct fixture *f, uint64_t capacity)
{
    clade_heap *heap;
    int32_t keys[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        keys[i] = 50 - i;
    assert_ok(clade_heap_create(&heap, f->context, &(clade_heap_params) { .capacity = capacity }));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), ITEMS, NULL));
    return heap;
}

static void heap(void **state)
{
    struct fixture *f = *state;
    uint32_t out[ITEMS];
    struct built built = build(f, "heap", take_all);
    clade_heap *heap = heap_of(f, CAPACITY);
    run(f, &built, clade_heap_mem(heap), group_of(f), out);
    assert_int_equal((int32_t)out[0], CLADE_OK);
    assert_int_equal(out[1], ITEMS);
    assert_int_equal(out[2], 50 - ITEMS + 1);
    clade_heap_destroy(&heap);
    end(&built);
}

/* The front engine's batches and leaves go by the capacity: the kernel is refused, not misled. */
static void a_large_heap_wants_its_options(void **state)
{
    struct fixture *f = *state;
    uint32_t out[ITEMS];
    clade_heap *heap = heap_of(f, 1 << 16);
    if (clade_heap_params_of(heap)->engine == CLADE_HEAP_FRONT) {
        struct built built = build(f, "heap", take_all);
        run(f, &built, clade_heap_mem(heap), group_of(f), out);
        assert_int_equal((int32_t)out[0], CLADE_E_ARG);
        assert_int_equal(out[1], 0);
        end(&built);
    }
    clade_heap_destroy(&heap);
}

static void adheap(void **state)
{
    struct fixture *f = *state;
    clade_adheap *heaps;
    uint32_t out[ITEMS];
    const int32_t keys[3] = { 30, -7, 50 };
    const size_t lanes = f->caps->subgroup_size > 1 ? f->caps->subgroup_size : 1;
    struct built built =
        build(f, "adheap",
              "__kernel void k(__global clade_adheap_head *heaps,\n"
              "                __global uint *out)\n"
              "{\n"
              "    const clade_adheap_one heap = clade_adheap_open_wi(heaps, 0, 0);\n"
              "    clade_adheap_word key;\n"
              "    uint value;\n"
              "    const int status = clade_adheap_peek_sg(&heap, &key, &value);\n"
              "    out[0] = (uint)status;\n"
              "    out[1] = (uint)key;\n"
              "}");
    assert_ok(clade_adheap_create(&heaps, f->context,
                                  &(clade_adheap_params) { .heaps = 1, .capacity = CAPACITY }));
    assert_ok(
        clade_adheap_insert(heaps, clade_host(keys), clade_no_array(), 3, clade_no_array(), NULL));
    run(f, &built, clade_adheap_mem(heaps), lanes, out);
    assert_int_equal((int32_t)out[0], CLADE_OK);
    assert_int_equal((int32_t)out[1], -7);
    clade_adheap_destroy(&heaps);
    end(&built);
}

static void kma(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma;
    uint32_t out[ITEMS];
    struct built built = build(f, "kma",
                               "__kernel void k(__global clade_kma_head *kma, __global uint *out)\n"
                               "{\n"
                               "    out[get_global_id(0)] = clade_kma_malloc_wi(kma, 40);\n"
                               "}");
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 1 << 20 }));
    run(f, &built, clade_kma_mem(kma), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_not_equal(out[i], 0);
    assert_ok(clade_kma_check(kma, out, ITEMS));
    clade_kma_destroy(&kma);
    end(&built);
}

static void list(void **state)
{
    struct fixture *f = *state;
    clade_list *list;
    uint32_t out[ITEMS];
    struct built built =
        build(f, "list",
              "__kernel void k(__global clade_list_head *list, __global uint *out)\n"
              "{\n"
              "    const uint item = (uint)get_global_id(0);\n"
              "    out[item] = (uint)clade_list_insert_wi(list, item, 0);\n"
              "}");
    assert_ok(clade_list_create(&list, f->context, &(clade_list_params) { .capacity = CAPACITY }));
    run(f, &built, clade_list_mem(list), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_list_check(list));
    clade_list_destroy(&list);
    end(&built);
}

static void dlist(void **state)
{
    struct fixture *f = *state;
    clade_dlist *list;
    uint32_t out[ITEMS];
    struct built built =
        build(f, "dlist",
              "__kernel void k(__global clade_dlist_head *list, __global uint *out)\n"
              "{\n"
              "    const uint item = (uint)get_global_id(0);\n"
              "    clade_ref node;\n"
              "    out[item] = (uint)clade_dlist_insert_before_wi(list, CLADE_NIL, item,\n"
              "                                                   &node);\n"
              "}");
    assert_ok(
        clade_dlist_create(&list, f->context, &(clade_dlist_params) { .capacity = CAPACITY }));
    run(f, &built, clade_dlist_mem(list), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_dlist_check(list));
    clade_dlist_destroy(&list);
    end(&built);
}

static void queue(void **state)
{
    struct fixture *f = *state;
    clade_queue *queue;
    uint32_t out[ITEMS];
    uint64_t size;
    struct built built =
        build(f, "queue",
              "__kernel void k(__global clade_queue_head *queue, __global uint *out)\n"
              "{\n"
              "    out[get_global_id(0)] = (uint)clade_queue_append_wi(queue, 7);\n"
              "}");
    assert_ok(
        clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = CAPACITY }));
    run(f, &built, clade_queue_mem(queue), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_queue_size(queue, &size));
    assert_int_equal(size, ITEMS);
    clade_queue_destroy(&queue);
    end(&built);
}

static void semilist(void **state)
{
    struct fixture *f = *state;
    clade_semilist *list;
    uint32_t out[ITEMS];
    struct built built =
        build(f, "semilist",
              "__kernel void k(__global clade_semilist_head *list, __global uint *out,\n"
              "                __global clade_kma_head *kma)\n"
              "{\n"
              "    clade_ref node;\n"
              "    out[get_global_id(0)] = (uint)clade_semilist_append_wi(list, kma, 5, 7, &node);\n"
              "}");
    assert_ok(clade_semilist_create(&list, f->context,
                                    &(clade_semilist_params) { .capacity = CAPACITY }));
    const cl_mem kma = clade_kma_mem(clade_semilist_kma(list));
    fixture_arg(built.kernel, 2, kma);
    run(f, &built, clade_semilist_mem(list), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_semilist_check(list));
    clade_semilist_destroy(&list);
    end(&built);
}

static void arraylist(void **state)
{
    struct fixture *f = *state;
    clade_arraylist *list;
    uint32_t out[ITEMS];
    uint64_t size;
    struct built built =
        build(f, "arraylist",
              "__kernel void k(__global clade_arraylist_head *list, __global uint *out,\n"
              "                __global clade_kma_head *kma)\n"
              "{\n"
              "    uint index;\n"
              "    out[get_global_id(0)] = (uint)clade_arraylist_append_wi(list, kma, &index);\n"
              "}");
    assert_ok(clade_arraylist_create(
        &list, f->context, &(clade_arraylist_params) { .capacity = CAPACITY, .element_bytes = 4 }));
    const cl_mem kma = clade_kma_mem(clade_arraylist_kma(list));
    fixture_arg(built.kernel, 2, kma);
    run(f, &built, clade_arraylist_mem(list), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_arraylist_size(list, &size));
    assert_int_equal(size, ITEMS);
    clade_arraylist_destroy(&list);
    end(&built);
}

static void rbtree(void **state)
{
    struct fixture *f = *state;
    clade_rbtree *tree;
    uint32_t out[ITEMS];
    uint64_t size;
    struct built built =
        build(f, "rbtree",
              "__kernel void k(__global clade_rbtree_head *tree, __global uint *out)\n"
              "{\n"
              "    const uint item = (uint)get_global_id(0);\n"
              "    out[item] = (uint)clade_rbtree_insert_wi(tree, item, 0);\n"
              "}");
    assert_ok(
        clade_rbtree_create(&tree, f->context, &(clade_rbtree_params) { .capacity = CAPACITY }));
    run(f, &built, clade_rbtree_mem(tree), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_rbtree_check(tree));
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, ITEMS);
    clade_rbtree_destroy(&tree);
    end(&built);
}

/* No object, but a template with defaults: the smallest int32_t keys, without indices. */
static void kselect(void **state)
{
    struct fixture *f = *state;
    clade_kselect *selector;
    enum { K = 4 };
    int32_t row[ITEMS], wanted[K];
    uint32_t out[ITEMS];
    struct built built = build(f, "kselect",
                               "__kernel void k(__global const uint *row, __global uint *out)\n"
                               "{\n"
                               "    __local clade_kselect_local scratch;\n"
                               "    clade_kselect_out to;\n"
                               "    to.keys = out;\n"
                               "    to.indices = out + 4;\n"
                               "    clade_kselect_wg(&scratch, row, 16, 4, to);\n"
                               "}");
    for (int i = 0; i < ITEMS; i++)
        row[i] = (i * 7 % ITEMS) - 8;
    assert_ok(clade_kselect_create(&selector, f->context,
                                   &(clade_kselect_params) { .length = ITEMS, .k = K }));
    assert_ok(clade_kselect_run(selector, clade_host(row), clade_host(wanted), clade_no_array(), 1,
                                NULL));
    const cl_mem mem = fixture_buffer(f, sizeof row, row);
    run(f, &built, mem, f->caps->is_cpu ? 1 : 256, out);
    for (int key = -8; key < -8 + K; key++) { /* in any order */
        int found = 0, on_host = 0;
        for (int i = 0; i < K; i++) {
            found += (int32_t)out[i] == key;
            on_host += wanted[i] == key;
        }
        assert_int_equal(found, 1);
        assert_int_equal(on_host, 1);
    }
    for (int i = K; i < 2 * K; i++)
        assert_int_equal(out[i], 0);
    clReleaseMemObject(mem);
    clade_kselect_destroy(&selector);
    end(&built);
}

int main(void)
{
    /* In a short run the compiler's time is most of it. */
    if (fixture_is_small())
        setenv("CLADE_BUILD_OPTIONS", "-cl-opt-disable", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap),      cmocka_unit_test(a_large_heap_wants_its_options),
        cmocka_unit_test(adheap),    cmocka_unit_test(kma),
        cmocka_unit_test(list),      cmocka_unit_test(dlist),
        cmocka_unit_test(queue),     cmocka_unit_test(semilist),
        cmocka_unit_test(arraylist), cmocka_unit_test(rbtree),
        cmocka_unit_test(kselect),
    };
    return fixture_run("defaults", tests);
}
