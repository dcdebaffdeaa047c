/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel files that are not there when a call first needs them. The call says so, and nothing else:
 * what is not found is neither the heap's first key, nor a path, nor the file of a saved object. */
#include "clade/heap.h"
#include "clade/paths.h"
#include "clade/queue.h"
#include "device/context.h"
#include "harness/fixture.h"
#include "harness/scratch.h"

/* The kernels' folders, and one before them that spoils a file. */
struct place {
    char *folder;
    char *spoiled;
    char path[8192];
};

static struct place place_without(struct fixture *f, const char *file)
{
    struct place place = { scratch_make(), NULL, "" };
    place.spoiled = scratch_text(place.folder, file, "#include \"clade/lost.clh\"\n");
    assert_in_range(
        snprintf(place.path, sizeof place.path, "%s:%s", place.folder, f->context->kernel_path), 1,
        sizeof place.path - 1);
    return place;
}

static void mend(struct place *place)
{
    assert_int_equal(remove(place->spoiled), 0);
}

static void leave(struct place *place, clade_context **context)
{
    clade_context_destroy(context);
    free(place->spoiled);
    scratch_remove(place->folder);
}

static clade_context *context_in(const struct place *place)
{
    clade_context *context = NULL;
    assert_ok(clade_context_create(&context, &(clade_context_params) { .device = fixture_device(),
                                                                       .kernel_path = place->path,
                                                                       .cache_dir = "",
                                                                       .archive = "" }));
    return context;
}

/* The front engine's first key is found by a kernel. */
static void a_heap_with_a_key_is_not_empty(void **state)
{
    struct fixture *f = *state;
    const clade_heap_params params = { .capacity = 100, .engine = CLADE_HEAP_FRONT };
    struct place place = place_without(f, "kernels/heap.cl");
    char *file = scratch_path(place.folder, "heap.saved");
    clade_context *context = context_in(&place);
    clade_heap *heap = NULL;
    int key = 5, first = 77;
    uint64_t size = 0;
    assert_ok(clade_heap_create(&heap, f->context, &params));
    assert_ok(clade_heap_insert(heap, clade_host(&key), clade_no_array(), 1, NULL));
    assert_ok(clade_heap_save(heap, file));
    clade_heap_destroy(&heap);

    assert_ok(clade_heap_load(&heap, context, file));
    assert_fails(clade_heap_peek(heap, &first, NULL), CLADE_E_BUILD);
    assert_message("lost.clh");
    assert_int_equal(first, 77);
    assert_fails(clade_heap_insert(heap, clade_host(&key), clade_no_array(), 1, NULL),
                 CLADE_E_BUILD);
    assert_ok(clade_heap_size(heap, &size));
    assert_int_equal(size, 1);
    mend(&place);
    assert_ok(clade_heap_peek(heap, &first, NULL));
    assert_int_equal(first, 5);
    assert_ok(clade_heap_check(heap));
    clade_heap_destroy(&heap);
    leave(&place, &context);
    free(file);
}

static void a_node_that_was_reached_has_a_path(void **state)
{
    struct fixture *f = *state;
    const uint32_t offsets[] = { 0, 1, 2 }, targets[] = { 1, 0 }, source = 0;
    struct place place = place_without(f, "kernels/paths_tree.cl");
    clade_context *context = context_in(&place);
    clade_graph *graph = NULL;
    clade_paths *paths = NULL;
    uint32_t nodes[2] = { 77, 77 };
    uint64_t got = 77;
    assert_ok(clade_graph_create(&graph, context,
                                 &(clade_graph_params) { .nodes = 2,
                                                         .arcs = 2,
                                                         .offsets = clade_host(offsets),
                                                         .targets = clade_host(targets) }));
    assert_ok(clade_paths_create(&paths, graph, &(clade_paths_params) { 0 }));
    assert_ok(clade_paths_run(
        paths, &(clade_paths_query) { .sources = clade_host(&source), .source_count = 1 }, NULL));
    assert_fails(clade_paths_trace(paths, 1, nodes, 2, &got), CLADE_E_BUILD);
    assert_int_equal(got, 77);
    mend(&place);
    assert_ok(clade_paths_trace(paths, 1, nodes, 2, &got));
    assert_int_equal(got, 2);
    assert_int_equal(nodes[0], 0);
    assert_int_equal(nodes[1], 1);
    clade_paths_destroy(&paths);
    clade_graph_destroy(&graph);
    leave(&place, &context);
}

static void a_saved_object_is_there(void **state)
{
    struct fixture *f = *state;
    struct place place = place_without(f, "kernels/queue.cl");
    char *file = scratch_path(place.folder, "queue.saved");
    clade_context *context = context_in(&place);
    clade_queue *queue = NULL;
    assert_ok(clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = 10 }));
    assert_ok(clade_queue_save(queue, file));
    clade_queue_destroy(&queue);
    assert_fails(clade_queue_load(&queue, context, file), CLADE_E_BUILD);
    assert_null(queue);
    mend(&place);
    assert_ok(clade_queue_load(&queue, context, file));
    clade_queue_destroy(&queue);
    leave(&place, &context);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heap_with_a_key_is_not_empty),
        cmocka_unit_test(a_node_that_was_reached_has_a_path),
        cmocka_unit_test(a_saved_object_is_there),
    };
    return fixture_run("lost", tests);
}
