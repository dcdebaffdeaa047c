/* SPDX-License-Identifier: Apache-2.0 */
/* An array that a call cannot take, on one rank: a buffer of another OpenCL context, one that
 * begins beside its elements, one that is too small, one in two memories. All ranks refuse the
 * call, which has done nothing anywhere, and the next one goes well. Every array of every call. */
#include <clade/mpi/mpi.h>

#include "mpi/ranks.h"

enum { ITEMS = 8, ARRAYS = 5 };

/* One of everything, and the arrays of a call: the one that is foreign, and the others. */
struct world {
    struct fixture *f;
    clade_mpi_heap *heap;
    clade_mpi_kselect *selector;
    clade_mpi_hashmap *map;
    clade_mpi_rbtree *tree;
    clade_mpi_graph *graph;
    clade_mpi_paths *paths;
    uint32_t host[ARRAYS][2 * ITEMS];
    clade_array a[ARRAYS];
};

static void open_world(struct world *w)
{
    clade_context *context = w->f->context;
    uint32_t offsets[ITEMS + 1] = { 0 };
    const uint32_t source = 0;
    assert_ok(clade_mpi_heap_create(
        &w->heap, ranks_all, context,
        &(clade_heap_params) { .capacity = 100, .key = CLADE_U32, .value = CLADE_U32 }));
    assert_ok(clade_mpi_kselect_create(
        &w->selector, ranks_all, context,
        &(clade_kselect_params) { .length = ITEMS, .k = 2, .key = CLADE_U32, .indices = 1 }));
    assert_ok(clade_mpi_hashmap_create(
        &w->map, ranks_all, context,
        &(clade_hashmap_params) { .capacity = 100, .key = CLADE_U32, .value = CLADE_U32 }));
    assert_ok(clade_mpi_rbtree_create(
        &w->tree, ranks_all, context,
        &(clade_rbtree_params) { .capacity = 100, .key = CLADE_U32, .value = CLADE_U32 }));
    assert_ok(clade_mpi_graph_create(
        &w->graph, ranks_all, context,
        &(clade_graph_params) { .nodes = ITEMS, .offsets = clade_host(offsets) }));
    assert_ok(clade_mpi_paths_create(&w->paths, w->graph, &(clade_paths_params) { 0 }));
    assert_ok(clade_mpi_paths_run(
        w->paths, &(clade_paths_query) { .sources = clade_host(&source), .source_count = 1 }));
}

static void close_world(struct world *w)
{
    clade_mpi_heap_destroy(&w->heap);
    clade_mpi_kselect_destroy(&w->selector);
    clade_mpi_hashmap_destroy(&w->map);
    clade_mpi_rbtree_destroy(&w->tree);
    clade_mpi_paths_destroy(&w->paths);
    clade_mpi_graph_destroy(&w->graph);
}

/* --- the calls -------------------------------------------------------------------------------- */

static clade_status heap_pop(struct world *w)
{
    uint64_t got;
    return clade_mpi_heap_pop(w->heap, w->a[0], w->a[1], ITEMS, ITEMS, 0, &got);
}

static clade_status heap_pop_at(struct world *w)
{
    uint64_t got;
    return clade_mpi_heap_pop_at(w->heap, 0, w->a[0], w->a[1], ranks_me ? 0 : ITEMS, ITEMS, 0,
                                 &got);
}

static clade_status select_run(struct world *w)
{
    uint64_t got;
    return clade_mpi_kselect_run(w->selector, w->a[0], w->a[1], w->a[2], 2, &got);
}

static clade_status select_run_at(struct world *w)
{
    return clade_mpi_kselect_run_at(w->selector, 0, w->a[0], w->a[1], w->a[2]);
}

#define OF_MAPS(of, object, name)                                                    \
    static clade_status of##_##name(struct world *w)                                 \
    {                                                                                \
        return clade_mpi_##of##_##name(w->object, w->a[0], w->a[1], ITEMS, w->a[2]); \
    }
OF_MAPS(hashmap, map, insert)
OF_MAPS(hashmap, map, put)
OF_MAPS(hashmap, map, erase)
OF_MAPS(hashmap, map, find)
OF_MAPS(rbtree, tree, insert)
OF_MAPS(rbtree, tree, put)
OF_MAPS(rbtree, tree, erase)
OF_MAPS(rbtree, tree, find)

static clade_status hashmap_update(struct world *w)
{
    return clade_mpi_hashmap_update(w->map, w->a[0], w->a[1], CLADE_HASHMAP_PLUS, ITEMS, w->a[2]);
}

static clade_status rbtree_seek(struct world *w)
{
    return clade_mpi_rbtree_seek(w->tree, w->a[0], CLADE_RBTREE_LOWER, w->a[1], w->a[2], ITEMS,
                                 w->a[3]);
}

static clade_status rbtree_build(struct world *w)
{
    return clade_mpi_rbtree_build(w->tree, w->a[0], w->a[1], ITEMS);
}

static clade_status graph_create(struct world *w)
{
    clade_mpi_graph *graph = NULL;
    const clade_status status = clade_mpi_graph_create(
        &graph, ranks_all, w->f->context,
        &(clade_graph_params) {
            .nodes = 2, .arcs = 1, .offsets = w->a[0], .targets = w->a[1], .weights = w->a[2] });
    clade_mpi_graph_destroy(&graph);
    return status;
}

static clade_status paths_run(struct world *w)
{
    return clade_mpi_paths_run(w->paths,
                               &(clade_paths_query) { .sources = w->a[0], .source_count = 2 });
}

static clade_status paths_read(struct world *w)
{
    return clade_mpi_paths_read(w->paths, w->a[0], w->a[1]);
}

static const struct {
    const char *name;
    clade_status (*call)(struct world *w);
    uint32_t arrays;
} calls[] = {
    { "paths_read", paths_read, 2 },        { "paths_run", paths_run, 1 },
    { "graph_create", graph_create, 3 },    { "heap_pop", heap_pop, 2 },
    { "heap_pop_at", heap_pop_at, 2 },      { "kselect_run", select_run, 3 },
    { "kselect_run_at", select_run_at, 3 }, { "hashmap_insert", hashmap_insert, 3 },
    { "hashmap_put", hashmap_put, 3 },      { "hashmap_update", hashmap_update, 3 },
    { "hashmap_erase", hashmap_erase, 3 },  { "hashmap_find", hashmap_find, 3 },
    { "rbtree_insert", rbtree_insert, 3 },  { "rbtree_put", rbtree_put, 3 },
    { "rbtree_erase", rbtree_erase, 3 },    { "rbtree_find", rbtree_find, 3 },
    { "rbtree_seek", rbtree_seek, 4 },      { "rbtree_build", rbtree_build, 2 },
};

/* --- the test --------------------------------------------------------------------------------- */

static void own_arrays(struct world *w)
{
    static const uint32_t first[] = { 0, 0, 1 }; /* for a graph: offsets */
    for (uint32_t i = 0; i < ARRAYS; i++) {
        memset(w->host[i], 0, sizeof w->host[i]);
        w->a[i] = clade_host(w->host[i]);
    }
    memcpy(w->host[0], first, sizeof first);
}

/* What all ranks have. */
static uint64_t everything(struct world *w)
{
    uint64_t sizes[3];
    assert_ok(clade_mpi_heap_size(w->heap, &sizes[0]));
    assert_ok(clade_mpi_hashmap_size(w->map, &sizes[1]));
    assert_ok(clade_mpi_rbtree_size(w->tree, &sizes[2]));
    return sizes[0] + 1000 * sizes[1] + 1000000 * sizes[2];
}

static cl_mem make_zeros(cl_context cl)
{
    const uint32_t zeros[2 * ITEMS] = { 0 };
    cl_int code;
    cl_mem mem = clCreateBuffer(cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros,
                                (void *)(size_t)zeros, &code);
    assert_int_equal(code, CL_SUCCESS);
    return mem;
}

/* Rank 0's arrays are replaced by `bad` in turn. */
static void is_refused(struct world *w, clade_array bad, const char *message)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        for (uint32_t array = 0; array < calls[i].arrays; array++) {
            own_arrays(w);
            const uint64_t before = everything(w);
            if (ranks_me == 0)
                w->a[array] = bad;
            if (calls[i].call(w) != CLADE_E_ARG)
                fail_msg("%s took array %u", calls[i].name, array);
            assert_message(message);
            if (everything(w) != before)
                fail_msg("%s refused array %u, and did something", calls[i].name, array);
        }
        own_arrays(w);
        assert_ok(calls[i].call(w));
    }
}

static void arrays_that_are_refused(void **state)
{
    struct world w = { .f = *state };
    cl_device_id device = clade_context_cl_device(w.f->context);
    cl_int code;
    cl_context abroad = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_mem foreign = make_zeros(abroad), ours = make_zeros(clade_context_cl_context(w.f->context));
    uint32_t word = 0;
    open_world(&w);
    is_refused(&w, clade_device(foreign, 0), "is of another OpenCL context");
    is_refused(&w, clade_device(ours, 2), "is no multiple of its element's");
    is_refused(&w, clade_device(ours, 2 * ITEMS * 4), "is too small");
    is_refused(&w, (clade_array) { .host = &word, .mem = ours }, "in device memory");
    close_world(&w);
    clReleaseMemObject(foreign);
    clReleaseMemObject(ours);
    clReleaseContext(abroad);
}

/* Of every call, each array in turn on all ranks. */
static void arrays_that_the_host_may_not_touch(void **state)
{
    struct world w = { .f = *state };
    cl_int code;
    open_world(&w);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (uint32_t array = 0; array < calls[i].arrays; array++) {
            own_arrays(&w);
            cl_mem closed =
                clCreateBuffer(clade_context_cl_context(w.f->context),
                               CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS | CL_MEM_COPY_HOST_PTR,
                               sizeof w.host[array], w.host[array], &code);
            assert_int_equal(code, CL_SUCCESS);
            w.a[array] = clade_device(closed, 0);
            if (calls[i].call(&w) != CLADE_OK)
                fail_msg("%s, array %u: %s", calls[i].name, array, clade_error_last()->message);
            clReleaseMemObject(closed);
        }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(arrays_that_are_refused),
                                        cmocka_unit_test(arrays_that_the_host_may_not_touch) };
    return ranks_run("mpi_foreign", tests);
}
