/* SPDX-License-Identifier: Apache-2.0 */
/* Saved objects that somebody changed, with a checksum that fits: what kernels are led by is
 * refused or made anew, and nothing is made as large as a file only claims. fuzz_use.c tries all
 * words; here are those that once led out of an object, through the calls of users. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "clade/adheap.h"
#include "clade/dlist.h"
#include "clade/heap.h"
#include "clade/kma.h"
#include "clade/list.h"
#include "clade/queue.h"
#include "clade/rbtree.h"
#include "clade/semilist.h"
#include "harness/fixture.h"
#include "harness/scratch.h"

enum { HEAD = 40, PARAMS_BYTES_AT = 16, CHECKSUM_AT = 32, COUNT = 40, CAPACITY = 64 };

static char *folder;
static unsigned launches;

static void count_launch(void *data, cl_kernel kernel, cl_event event)
{
    (void)data;
    (void)kernel;
    (void)event;
    launches++;
}

/* A file in memory, to be changed. */
struct file {
    char *path, *bytes;
    size_t size;
    uint32_t *params, *words; /* of the object */
};

static void file_open(struct file *file, const char *name)
{
    uint32_t params;
    file->path = scratch_path(folder, name);
    file->bytes = scratch_read(file->path, &file->size);
    memcpy(&params, file->bytes + PARAMS_BYTES_AT, sizeof params);
    file->params = (uint32_t *)(void *)(file->bytes + HEAD);
    file->words = (uint32_t *)(void *)(file->bytes + HEAD + params);
}

static void file_write(const struct file *file, const char *name)
{
    const char *payload = (const char *)file->words;
    const size_t params = (size_t)(payload - file->bytes - HEAD);
    const uint64_t checksum = XXH3_64bits_withSeed(payload, file->size - HEAD - params,
                                                   XXH3_64bits(file->bytes + HEAD, params));
    memcpy(file->bytes + CHECKSUM_AT, &checksum, sizeof checksum);
    free(scratch_file(folder, name, file->bytes, file->size));
}

static void file_close(struct file *file)
{
    free(file->path);
    free(file->bytes);
}

/* --- lists ------------------------------------------------------------------------------------ */

static clade_status add(clade_list *list, uint32_t mode, const uint32_t *keys, uint64_t count)
{
    return mode == CLADE_LIST_UNORDERED
               ? clade_list_insert_front(list, clade_host(keys), count, clade_no_array(), NULL)
               : clade_list_insert(list, clade_host(keys), clade_no_array(), count,
                                   clade_no_array(), NULL);
}

/* A list with `COUNT` keys, of which every fourth was erased. */
static void save_used_list(struct fixture *f, const char *name, uint32_t mode)
{
    clade_list *list;
    uint32_t keys[COUNT];
    char *path = scratch_path(folder, name);
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = i * 3;
    assert_ok(clade_list_create(&list, f->context,
                                &(clade_list_params) { .capacity = CAPACITY, .mode = mode }));
    assert_ok(add(list, mode, keys, COUNT));
    for (uint32_t i = 0; i < COUNT / 4; i++)
        keys[i] = i * 12;
    assert_ok(clade_list_erase(list, clade_host(keys), COUNT / 4, clade_no_array(), NULL));
    assert_ok(clade_list_save(list, path));
    clade_list_destroy(&list);
    free(path);
}

/* The list holds what it should, and can be filled until it is full. */
static void assert_list_works(struct fixture *f, const char *name, uint32_t mode)
{
    clade_list *list;
    uint32_t keys[CAPACITY];
    int32_t statuses[CAPACITY];
    uint64_t live;
    char *path = scratch_path(folder, name);
    assert_ok(clade_list_load(&list, f->context, path));
    assert_ok(clade_list_check(list));
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = i * 3;
    assert_ok(clade_list_contains(list, clade_host(keys), COUNT, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(statuses[i], i % 4 == 0 ? CLADE_E_NOT_FOUND : CLADE_OK);
    for (uint32_t i = 0; i < CAPACITY - (COUNT - COUNT / 4); i++)
        keys[i] = 1000 + i;
    assert_ok(add(list, mode, keys, CAPACITY - (COUNT - COUNT / 4)));
    assert_ok(clade_list_check(list));
    assert_ok(clade_list_size(list, &live));
    assert_int_equal(live, CAPACITY);
    clade_list_destroy(&list);
    free(path);
}

static void what_follows_from_a_lists_nodes_is_made_anew(void **state)
{
    struct fixture *f = *state;
    for (uint32_t mode = CLADE_LIST_ORDERED; mode <= CLADE_LIST_UNORDERED; mode++) {
        struct file file;
        save_used_list(f, "list", mode);
        file_open(&file, "list");
        clade_list_head *head = (clade_list_head *)file.words;
        /* `taken` times 32 is 0 again. */
        for (uint32_t i = 0; i < CLADE_CELLS_STRIPES; i++)
            head->stripes[i].taken = 1u << 27;
        for (uint32_t i = 0; i < CAPACITY; i++)
            file.words[head->free_at + i] = 0x0fffffffu;
        head->free_count = UINT32_MAX;
        /* Every slot, every shortcut. */
        for (size_t i = head->index_at;
             i < file.size / 4 - (size_t)(file.words - (uint32_t *)(void *)file.bytes); i++)
            file.words[i] = 0x3ffffff0u;
        head->hint_count = mode == CLADE_LIST_ORDERED ? head->index_size : 0;
        head->hints_at = 0x7fffffffu;
        file_write(&file, "crafted");
        assert_list_works(f, "crafted", mode);
        file_close(&file);
    }
}

static void a_lists_links_stay_inside(void **state)
{
    struct fixture *f = *state;
    clade_list *list = NULL;
    struct file file;
    save_used_list(f, "list", CLADE_LIST_ORDERED);
    file_open(&file, "list");
    char *path = scratch_path(folder, "crafted");
    clade_list_head *head = (clade_list_head *)file.words;
    const struct {
        uint32_t *word, value;
    } crafted[] = {
        { (uint32_t *)&head->first, 0x10000000u },
        { (uint32_t *)&head->first, (CAPACITY + 1) << CLADE_LIST_REF_SHIFT },
        { &file.words[head->nodes_at], 0x3fffffffu << CLADE_LIST_REF_SHIFT },
        { &head->nodes_at, 0x7fffffffu },
        { &head->free_at, 0x7fffffffu },
        { &head->index_size, 1u << 31 },
        { &head->capacity, 1u << 28 },
    };
    for (size_t i = 0; i < sizeof crafted / sizeof crafted[0]; i++) {
        const uint32_t before = *crafted[i].word;
        *crafted[i].word = crafted[i].value;
        file_write(&file, "crafted");
        assert_fails(clade_list_load(&list, f->context, path), CLADE_E_CORRUPT);
        assert_null(list);
        *crafted[i].word = before;
    }
    free(path);
    file_close(&file);
}

static void what_follows_from_a_dlists_nodes_is_made_anew(void **state)
{
    struct fixture *f = *state;
    clade_dlist *list;
    struct file file;
    uint32_t values[CAPACITY], back[CAPACITY];
    uint64_t count;
    char *path = scratch_path(folder, "dlist"), *crafted = scratch_path(folder, "crafted");
    for (uint32_t i = 0; i < CAPACITY; i++)
        values[i] = i;
    const clade_dlist_params params = { .capacity = CAPACITY };
    assert_ok(clade_dlist_create(&list, f->context, &params));
    assert_ok(clade_dlist_append(list, clade_host(values), clade_no_array(), COUNT,
                                 clade_no_array(), NULL));
    assert_ok(clade_dlist_save(list, path));
    clade_dlist_destroy(&list);
    file_open(&file, "dlist");
    clade_dlist_head *head = (clade_dlist_head *)file.words;
    for (uint32_t i = 0; i < CLADE_CELLS_STRIPES; i++)
        head->stripes[i].taken = 1u << 27;
    for (uint32_t i = 0; i < CAPACITY; i++) {
        file.words[head->free_at + i] = 0x0fffffffu;
        file.words[head->nodes_at + i * CLADE_DLIST_CELL + CLADE_DLIST_WORD_PREV] = 0x0fffffffu;
    }
    head->free_count = UINT32_MAX;
    head->last = 0x0fffffffu;
    file_write(&file, "crafted");
    assert_ok(clade_dlist_load(&list, f->context, crafted));
    assert_ok(clade_dlist_check(list));
    assert_ok(clade_dlist_append(list, clade_host(values + COUNT), clade_no_array(),
                                 CAPACITY - COUNT, clade_no_array(), NULL));
    assert_ok(clade_dlist_check(list));
    assert_ok(clade_dlist_read(list, 1, back, NULL, CAPACITY, &count));
    assert_int_equal(count, CAPACITY);
    for (uint32_t i = 0; i < CAPACITY; i++)
        assert_int_equal(back[i], CAPACITY - 1 - i);
    clade_dlist_destroy(&list);
    file_close(&file);
    free(crafted);
    free(path);
}

static void a_trees_constants_are_its_own(void **state)
{
    struct fixture *f = *state;
    clade_rbtree *tree;
    struct file file;
    uint32_t keys[COUNT];
    char *path = scratch_path(folder, "tree"), *crafted = scratch_path(folder, "crafted");
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = i;
    const clade_rbtree_params params = { .capacity = CAPACITY };
    assert_ok(clade_rbtree_create(&tree, f->context, &params));
    assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), COUNT, clade_no_array(),
                                  NULL));
    assert_ok(clade_rbtree_save(tree, path));
    clade_rbtree_destroy(&tree);
    file_open(&file, "tree");
    clade_rbtree_head *head = (clade_rbtree_head *)file.words;
    uint32_t *const words[] = { &head->router_total, &head->leaf_total, &head->routers_at,
                                &head->leaves_at, &head->object.shape };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        *words[i] += 8;
        file_write(&file, "crafted");
        assert_fails(clade_rbtree_load(&tree, f->context, crafted), CLADE_E_CORRUPT);
        *words[i] -= 8;
    }
    file_write(&file, "crafted");
    assert_ok(clade_rbtree_load(&tree, f->context, crafted));
    assert_ok(clade_rbtree_check(tree));
    clade_rbtree_destroy(&tree);
    file_close(&file);
    free(crafted);
    free(path);
}

/* A call returns what kernels left in the head: a status, whoever wrote it there. */
static void a_file_tells_of_errors_that_there_are(void **state)
{
    static const uint32_t none[] = { 1, 77, 0x80000000u, (uint32_t)-CLADE_STATUS_COUNT };
    struct fixture *f = *state;
    clade_list *list;
    struct file file;
    char *crafted = scratch_path(folder, "crafted");
    save_used_list(f, "list", CLADE_LIST_ORDERED);
    file_open(&file, "list");
    clade_object_head *head = (clade_object_head *)file.words;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        head->first_error = none[i];
        file_write(&file, "crafted");
        assert_fails(clade_list_load(&list, f->context, crafted), CLADE_E_CORRUPT);
    }
    head->first_error = (uint32_t)CLADE_E_FULL;
    file_write(&file, "crafted");
    assert_ok(clade_list_load(&list, f->context, crafted));
    clade_list_destroy(&list);
    file_close(&file);
    free(crafted);
}

/* --- all kinds -------------------------------------------------------------------------------- */

#define LOADER(W)                                                             \
    static clade_status load_##W(clade_context *context, const char *path)    \
    {                                                                         \
        clade_##W *object = (clade_##W *)(void *)folder;                      \
        assert_int_equal(clade_##W##_load(NULL, context, path), CLADE_E_ARG); \
        const clade_status status = clade_##W##_load(&object, context, path); \
        if (status != CLADE_OK)                                               \
            assert_null(object);                                              \
        clade_##W##_destroy(&object);                                         \
        return status;                                                        \
    }
LOADER(adheap)
LOADER(dlist)
LOADER(heap)
LOADER(kma)
LOADER(list)
LOADER(queue)
LOADER(rbtree)
LOADER(semilist)

/* A small one of each kind, saved. */
#define SAVER(W, ...)                                                                           \
    static void save_##W(clade_context *context, const char *path)                              \
    {                                                                                           \
        clade_##W *object = NULL;                                                               \
        assert_ok(clade_##W##_create(&object, context, &(clade_##W##_params) { __VA_ARGS__ })); \
        assert_ok(clade_##W##_save(object, path));                                              \
        clade_##W##_destroy(&object);                                                           \
    }
SAVER(adheap, .heaps = 2, .capacity = 100)
SAVER(dlist, .capacity = 100)
SAVER(heap, .capacity = 1000)
SAVER(kma, .bytes = 1 << 20)
SAVER(list, .capacity = 100)
SAVER(queue, .capacity = 100)
SAVER(rbtree, .capacity = 100)
SAVER(semilist, .capacity = 100)

static clade_status (*const loaders[])(clade_context *context, const char *path) = {
    load_adheap, load_dlist, load_heap, load_kma, load_list, load_queue, load_rbtree, load_semilist
};
enum { LOADERS = sizeof loaders / sizeof loaders[0] };

static void only_saved_objects_of_their_kind_are_loaded(void **state)
{
    struct fixture *f = *state;
    char *list = scratch_path(folder, "list"), *pipe = scratch_path(folder, "pipe");
    save_used_list(f, "list", CLADE_LIST_ORDERED);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    for (size_t i = 0; i < LOADERS; i++) {
        if (loaders[i] != load_list)
            assert_int_equal(loaders[i](f->context, list), CLADE_E_CORRUPT);
        assert_int_equal(loaders[i](f->context, pipe), CLADE_E_IO);
        assert_int_equal(loaders[i](f->context, "/dev/zero"), CLADE_E_IO);
        assert_int_equal(loaders[i](f->context, folder), CLADE_E_IO);
        assert_int_equal(loaders[i](f->context, "/nowhere"), CLADE_E_NOT_FOUND);
        assert_int_equal(loaders[i](f->context, NULL), CLADE_E_ARG);
        assert_int_equal(loaders[i](NULL, list), CLADE_E_ARG);
    }
    free(pipe);
    free(list);
}

/* Parameters that no object has: nothing is wrong with an argument, but with the file. `word`: of
 * the parameters, in the order of the structure's struct saved_params. */
static void impossible_parameters_are_the_files_damage(void **state)
{
    static const struct {
        const char *name;
        void (*save)(clade_context *context, const char *path);
        clade_status (*load)(clade_context *context, const char *path);
        uint32_t word, value;
    } rows[] = {
        { "adheap heaps", save_adheap, load_adheap, 0, 0 },
        { "adheap capacity", save_adheap, load_adheap, 1, UINT32_MAX },
        { "adheap arity", save_adheap, load_adheap, 2, 12 },
        { "adheap key", save_adheap, load_adheap, 3, 77 },
        { "adheap order", save_adheap, load_adheap, 4, 2 },
        { "adheap keep", save_adheap, load_adheap, 5, 2 },
        { "adheap values", save_adheap, load_adheap, 6, 2 },
        { "adheap bridge", save_adheap, load_adheap, 7, 6 },
        { "adheap count", save_adheap, load_adheap, 8, 2 },
        { "adheap feed", save_adheap, load_adheap, 9, 77 },
        { "dlist capacity", save_dlist, load_dlist, 0, 0 },
        { "dlist capacity", save_dlist, load_dlist, 1, 1 },
        { "dlist value", save_dlist, load_dlist, 2, 77 },
        { "heap capacity", save_heap, load_heap, 0, 0 },
        { "heap capacity", save_heap, load_heap, 1, UINT32_MAX },
        { "heap key", save_heap, load_heap, 2, 77 },
        { "heap value", save_heap, load_heap, 3, 77 },
        { "heap order", save_heap, load_heap, 4, 2 },
        { "heap batch", save_heap, load_heap, 5, 0 },
        { "heap batch", save_heap, load_heap, 5, CLADE_HEAP_BATCH_MAX + 1 },
        { "heap engine", save_heap, load_heap, 6, 77 },
        { "heap heaps", save_heap, load_heap, 7, 0 },
        { "heap heaps", save_heap, load_heap, 7, CLADE_HEAP_HEAPS_MAX + 1 },
        { "kma bytes", save_kma, load_kma, 0, 1 },
        { "kma debug", save_kma, load_kma, 2, 2 },
        { "list capacity", save_list, load_list, 0, 0 },
        { "list capacity", save_list, load_list, 1, 1 },
        { "list mode", save_list, load_list, 2, 77 },
        { "list key", save_list, load_list, 3, 77 },
        { "list value", save_list, load_list, 4, 77 },
        { "list find", save_list, load_list, 5, 77 },
        { "queue shift", save_queue, load_queue, 0, 0 },
        { "queue shift", save_queue, load_queue, 0, 29 },
        { "rbtree capacity", save_rbtree, load_rbtree, 0, 0 },
        { "rbtree capacity", save_rbtree, load_rbtree, 1, UINT32_MAX },
        { "rbtree key", save_rbtree, load_rbtree, 2, 77 },
        { "rbtree value", save_rbtree, load_rbtree, 3, 77 },
        { "rbtree leaf capacity", save_rbtree, load_rbtree, 4, 31 },
        { "rbtree path", save_rbtree, load_rbtree, 5, 77 },
        { "semilist capacity", save_semilist, load_semilist, 0, 0 },
        { "semilist capacity", save_semilist, load_semilist, 1, 1 },
        { "semilist count", save_semilist, load_semilist, 2, 1 },
    };
    struct fixture *f = *state;
    char *path = scratch_path(folder, "small"), *crafted = scratch_path(folder, "crafted");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct file file;
        if (i == 0 || rows[i].save != rows[i - 1].save)
            rows[i].save(f->context, path);
        file_open(&file, "small");
        file.params[rows[i].word] = rows[i].value;
        file_write(&file, "crafted");
        const clade_status status = rows[i].load(f->context, crafted);
        if (status != CLADE_E_CORRUPT)
            print_error("%s %u: %s\n", rows[i].name, (unsigned)rows[i].value,
                        clade_error_last()->message);
        assert_int_equal(status, CLADE_E_CORRUPT);
        file_close(&file);
    }
    free(crafted);
    free(path);
}

static void save_front(clade_context *context, const char *path)
{
    clade_heap *heap = NULL;
    const clade_heap_params params = { .capacity = 1000, .engine = CLADE_HEAP_FRONT };
    assert_ok(clade_heap_create(&heap, context, &params));
    assert_ok(clade_heap_save(heap, path));
    clade_heap_destroy(&heap);
}

static void save_heaps(clade_context *context, const char *path)
{
    clade_heap *heaps = NULL;
    const clade_heap_params params = { .capacity = 100, .batch = 32, .heaps = 3 };
    assert_ok(clade_heap_create(&heaps, context, &params));
    assert_ok(clade_heap_save(heaps, path));
    clade_heap_destroy(&heaps);
}

/* Parameters of which each is right, for an object that is far larger than the file. Before
 * anything is made it shows: no kernel is launched. (Heaps of the other engines and semi-linked
 * lists are saved without the room that they do not use.) */
static void a_small_file_makes_no_large_object(void **state)
{
    static const struct {
        void (*save)(clade_context *context, const char *path);
        clade_status (*load)(clade_context *context, const char *path);
        uint32_t word, value;
        const char *says;
    } rows[] = {
        { save_list, load_list, 0, 1u << 24, " bytes" },
        { save_dlist, load_dlist, 0, 1u << 24, " bytes" },
        { save_adheap, load_adheap, 1, 1u << 22, " bytes" },
        { save_rbtree, load_rbtree, 0, 1u << 24, " bytes" },
        { save_queue, load_queue, 0, 24, " bytes" },
        { save_kma, load_kma, 0, 1u << 28, "size" },
        { save_front, load_heap, 0, 1u << 24, " bytes" },
        { save_heaps, load_heap, 7, 60000, " bytes" },
    };
    struct fixture *f = *state;
    clade_context *context;
    char *path = scratch_path(folder, "small"), *crafted = scratch_path(folder, "crafted");
    assert_ok(
        clade_context_create(&context, &(clade_context_params) { .device = fixture_device(),
                                                                 .on_launch = count_launch }));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct file file;
        rows[i].save(f->context, path);
        file_open(&file, "small");
        file.params[rows[i].word] = rows[i].value;
        file_write(&file, "crafted");
        launches = 0;
        const clade_status status = rows[i].load(context, crafted);
        if (status != CLADE_E_CORRUPT || launches > 0)
            print_error("row %zu: %u launches\n", i, launches);
        assert_int_equal(status, CLADE_E_CORRUPT);
        if (!strstr(clade_error_last()->message, rows[i].says))
            print_error("row %zu: %s\n", i, clade_error_last()->message);
        assert_message(rows[i].says);
        assert_int_equal(launches, 0);
        file_close(&file);
    }
    clade_context_destroy(&context);
    free(crafted);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_saved_objects_of_their_kind_are_loaded),
        cmocka_unit_test(what_follows_from_a_lists_nodes_is_made_anew),
        cmocka_unit_test(a_lists_links_stay_inside),
        cmocka_unit_test(what_follows_from_a_dlists_nodes_is_made_anew),
        cmocka_unit_test(a_trees_constants_are_its_own),
        cmocka_unit_test(a_file_tells_of_errors_that_there_are),
        cmocka_unit_test(impossible_parameters_are_the_files_damage),
        cmocka_unit_test(a_small_file_makes_no_large_object),
    };
    folder = scratch_make();
    const int failed = fixture_run("loads", tests);
    scratch_remove(folder);
    return failed;
}
