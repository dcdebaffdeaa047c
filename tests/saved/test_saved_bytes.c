/* SPDX-License-Identifier: Apache-2.0 */
/* What nobody wrote does not go into files. The C library is told to fill all memory that it hands
 * out, and what it gets back, with one byte; a device that takes its buffers from there (PoCL)
 * would carry runs of it into a file. Parameters come from a stack that is full of the byte, too.
 */
#include <malloc.h>

#include <clade/adheap.h>
#include <clade/dlist.h>
#include <clade/heap.h>
#include <clade/kma.h>
#include <clade/list.h>
#include <clade/queue.h>
#include <clade/rbtree.h>
#include <clade/semilist.h>

#include "harness/fixture.h"
#include "harness/scratch.h"

enum { MARK = 0xca, RUN = 4 };

/* The longest run of the mark in a file. */
static size_t longest_run(const char *bytes, size_t size)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < size; i++) {
        run = (unsigned char)bytes[i] == MARK ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* A value in memory that was full of the mark: the gaps between its fields still are. */
#define MARKED(type, name)              \
    type name;                          \
    memset(&(name), MARK, sizeof(name)); \
    memset((name).reserved, 0, sizeof(name).reserved)

static clade_status save_kma(clade_context *context, const char *path)
{
    clade_kma *kma = NULL;
    uint32_t refs[40];
    assert_ok(clade_kma_create(&kma, context, &(clade_kma_params) { .bytes = 1 << 20 }));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 1000, clade_host(refs), 40, NULL));
    assert_ok(clade_kma_free(kma, clade_host(refs), 20, NULL));
    const clade_status status = clade_kma_save(kma, path);
    clade_kma_destroy(&kma);
    return status;
}

static clade_status save_heap_of(clade_context *context, const char *path, uint64_t capacity)
{
    clade_heap *heap = NULL;
    assert_ok(clade_heap_create(&heap, context,
                                &(clade_heap_params) { .capacity = capacity, .value = CLADE_U32 }));
    const clade_status status = clade_heap_save(heap, path);
    clade_heap_destroy(&heap);
    return status;
}

static clade_status save_heap(clade_context *context, const char *path)
{
    return save_heap_of(context, path, 5000);
}

/* Of another engine. */
static clade_status save_large_heap(clade_context *context, const char *path)
{
    return save_heap_of(context, path, 50000);
}

static clade_status save_list(clade_context *context, const char *path, uint32_t mode)
{
    clade_list *list = NULL;
    uint32_t keys[3] = { 5, 1, 9 };
    MARKED(clade_list_params, params);
    params.capacity = 3000;
    params.mode = mode;
    params.key = params.value = params.find = params.group_size = 0;
    params.kma = NULL;
    assert_ok(clade_list_create(&list, context, &params));
    if (mode == CLADE_LIST_ORDERED)
        assert_ok(
            clade_list_insert(list, clade_host(keys), clade_no_array(), 3, clade_no_array(), NULL));
    const clade_status status = clade_list_save(list, path);
    clade_list_destroy(&list);
    return status;
}

static clade_status save_ordered(clade_context *context, const char *path)
{
    return save_list(context, path, CLADE_LIST_ORDERED);
}

static clade_status save_unordered(clade_context *context, const char *path)
{
    return save_list(context, path, CLADE_LIST_UNORDERED);
}

static clade_status save_dlist(clade_context *context, const char *path)
{
    clade_dlist *list = NULL;
    MARKED(clade_dlist_params, params);
    params.capacity = 4000;
    params.value = params.group_size = 0;
    assert_ok(clade_dlist_create(&list, context, &params));
    const clade_status status = clade_dlist_save(list, path);
    clade_dlist_destroy(&list);
    return status;
}

static clade_status save_queue(clade_context *context, const char *path)
{
    clade_queue *queue = NULL;
    assert_ok(clade_queue_create(&queue, context, &(clade_queue_params) { .capacity = 3000 }));
    const clade_status status = clade_queue_save(queue, path);
    clade_queue_destroy(&queue);
    return status;
}

static clade_status save_semilist(clade_context *context, const char *path)
{
    clade_semilist *list = NULL;
    assert_ok(clade_semilist_create(&list, context, &(clade_semilist_params) { .capacity = 3000 }));
    const clade_status status = clade_semilist_save(list, path);
    clade_semilist_destroy(&list);
    return status;
}

static clade_status save_rbtree(clade_context *context, const char *path)
{
    clade_rbtree *tree = NULL;
    MARKED(clade_rbtree_params, params);
    params.capacity = 3000;
    params.key = params.value = params.leaf_capacity = params.path = params.group_size = 0;
    assert_ok(clade_rbtree_create(&tree, context, &params));
    const clade_status status = clade_rbtree_save(tree, path);
    clade_rbtree_destroy(&tree);
    return status;
}

static clade_status save_adheap(clade_context *context, const char *path)
{
    clade_adheap *adheap = NULL;
    assert_ok(clade_adheap_create(&adheap, context,
                                  &(clade_adheap_params) { .heaps = 3, .capacity = 1000 }));
    const clade_status status = clade_adheap_save(adheap, path);
    clade_adheap_destroy(&adheap);
    return status;
}

static void no_file_holds_what_nobody_wrote(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *name;
        clade_status (*save)(clade_context *context, const char *path);
    } kinds[] = {
        { "kma", save_kma },
        { "heap", save_heap },
        { "large heap", save_large_heap },
        { "ordered list", save_ordered },
        { "dlist", save_dlist },
        { "unordered", save_unordered },
        { "queue", save_queue },
        { "semilist", save_semilist },
        { "rbtree", save_rbtree },
        { "adheap", save_adheap },
    };
    char *folder = scratch_make();
    int marked = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char *path = scratch_path(folder, "object");
        size_t size;
        mallopt(M_PERTURB, MARK ^ 0xff); /* new memory gets the complement */
        const clade_status status = kinds[i].save(f->context, path);
        mallopt(M_PERTURB, 0);
        assert_ok(status);
        char *bytes = scratch_read(path, &size);
        const size_t run = longest_run(bytes, size);
        if (run >= RUN) {
            printf("  %s: %zu bytes in a row that nobody wrote, of %zu\n", kinds[i].name, run,
                   size);
            marked++;
        }
        free(bytes);
        free(path);
    }
    assert_int_equal(marked, 0);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_file_holds_what_nobody_wrote),
    };
    return fixture_run("saved bytes", tests);
}
