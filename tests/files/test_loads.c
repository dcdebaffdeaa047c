/* SPDX-License-Identifier: Apache-2.0 */
/* Saved objects that somebody changed, with a checksum that fits: what kernels are led by is
 * refused or made anew. fuzz_use.c tries all words, test_saved.c all kinds of file; here are words
 * that once led out of an object, through the calls of users. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stddef.h>
#include <stdio.h>

#include "clade/dlist.h"
#include "clade/heap.h"
#include "clade/list.h"
#include "clade/rbtree.h"
#include "harness/fixture.h"
#include "harness/scratch.h"

enum { HEAD = 40, PARAMS_BYTES_AT = 16, CHECKSUM_AT = 32, COUNT = 40, CAPACITY = 64 };

static char *folder;

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

/* A file "tree" with the keys from 0 on, in memory. */
static void open_saved_tree(struct fixture *f, struct file *file)
{
    clade_rbtree *tree;
    uint32_t keys[COUNT];
    char *path = scratch_path(folder, "tree");
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = i;
    const clade_rbtree_params params = { .capacity = CAPACITY };
    assert_ok(clade_rbtree_create(&tree, f->context, &params));
    assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), COUNT, clade_no_array(),
                                  NULL));
    assert_ok(clade_rbtree_save(tree, path));
    clade_rbtree_destroy(&tree);
    file_open(file, "tree");
    free(path);
}

static void a_trees_constants_are_its_own(void **state)
{
    struct fixture *f = *state;
    clade_rbtree *tree;
    struct file file;
    char *crafted = scratch_path(folder, "crafted");
    open_saved_tree(f, &file);
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
}

/* A leaf that nothing leads to, and no free list has, but is not dead, with a key of its own: calls
 * that look at all leaves would take it for one of the tree, and finds would not. */
static void a_trees_leaked_leaf_is_dead(void **state)
{
    enum { LEAF = CLADE_RBTREE_LEAF_BYTES(4u, 0u, 28u) / 4 }; /* words */
    struct fixture *f = *state;
    clade_rbtree *tree;
    struct file file;
    uint64_t size;
    char *crafted = scratch_path(folder, "crafted");
    open_saved_tree(f, &file);
    clade_rbtree_head *head = (clade_rbtree_head *)file.words;
    uint32_t *leaf = file.words + head->leaves_at * 4 + head->leaves_used * LEAF;
    assert_true(head->leaves_used++ < head->leaf_total);
    head->leaked = 1;
    leaf[1] = CLADE_RBTREE_PACK(0u, 1u);
    leaf[4] = 1000;               /* its key */
    file_write(&file, "crafted"); /* dead: one that a kernel may have leaked */
    assert_ok(clade_rbtree_load(&tree, f->context, crafted));
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, COUNT);
    assert_ok(clade_rbtree_check(tree)); /* it was built anew */
    clade_rbtree_destroy(&tree);
    leaf[0] = 0;
    file_write(&file, "crafted");
    assert_fails(clade_rbtree_load(&tree, f->context, crafted), CLADE_E_CORRUPT);
    assert_message("I8");
    file_close(&file);
    free(crafted);
}

/* Links of routers that are free, or never were in use: a walk may see them for a moment when such
 * a router is linked. */
static void a_trees_free_routers_lead_nowhere(void **state)
{
    enum { WORDS = 4, LEFT = 1, RIGHT = 2 }; /* a router's, with keys of 32 bits */
    struct fixture *f = *state;
    clade_rbtree *tree;
    struct file file;
    uint32_t keys[COUNT], checked = 0;
    char *path = scratch_path(folder, "tree"), *crafted = scratch_path(folder, "crafted");
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = i;
    const clade_rbtree_params params = { .capacity = CAPACITY, .leaf_capacity = 2 };
    assert_ok(clade_rbtree_create(&tree, f->context, &params));
    assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), COUNT, clade_no_array(),
                                  NULL));
    assert_ok(clade_rbtree_erase(tree, clade_host(keys), clade_no_array(), COUNT / 2,
                                 clade_no_array(), NULL));
    assert_ok(clade_rbtree_save(tree, path));
    clade_rbtree_destroy(&tree);
    file_open(&file, "tree");
    const clade_rbtree_head *head = (const clade_rbtree_head *)file.words;
    uint32_t *routers = file.words + head->routers_at * 4;
    for (uint32_t i = 1; i < head->router_total; i++)
        if (routers[i * WORDS + 3] & CLADE_RBTREE_DEAD)
            routers[i * WORDS + LEFT] = routers[i * WORDS + RIGHT] = 0x7ffffff0u;
    file_write(&file, "crafted");
    file_close(&file);
    assert_ok(clade_rbtree_load(&tree, f->context, crafted));
    assert_ok(clade_rbtree_save(tree, path));
    clade_rbtree_destroy(&tree);
    file_open(&file, "tree");
    head = (const clade_rbtree_head *)file.words;
    routers = file.words + head->routers_at * 4;
    for (uint32_t i = 1; i < head->router_total; i++) {
        if (!(routers[i * WORDS + 3] & CLADE_RBTREE_DEAD))
            continue;
        checked += i < head->routers_used;
        assert_int_equal(routers[i * WORDS + LEFT] | routers[i * WORDS + RIGHT], 0);
    }
    assert_true(checked > 0); /* of those on free lists, too */
    file_close(&file);
    free(crafted);
    free(path);
}

/* All keys and values that a heap says it has are in its file: or others' memory would be. */
static void a_heaps_file_has_all_that_is_in_it(void **state)
{
    enum { PAYLOAD_BYTES_AT = 24 };
    struct fixture *f = *state;
    clade_heap *heap;
    struct file file;
    uint32_t keys[COUNT] = { 0 };
    uint64_t payload;
    char *path = scratch_path(folder, "heap"), *crafted = scratch_path(folder, "crafted");
    for (uint32_t value = CLADE_NONE; value <= CLADE_U32; value += CLADE_U32) {
        const clade_heap_params params = { .capacity = 1000,
                                           .batch = 16,
                                           .value = value,
                                           .engine = CLADE_HEAP_TOP_DOWN };
        assert_ok(clade_heap_create(&heap, f->context, &params));
        assert_ok(clade_heap_insert(heap, clade_host(keys),
                                    value ? clade_host(keys) : clade_no_array(), COUNT, NULL));
        assert_ok(clade_heap_save(heap, path));
        clade_heap_destroy(&heap);
        file_open(&file, "heap");
        memcpy(&payload, file.bytes + PAYLOAD_BYTES_AT, sizeof payload);
        file.size -= 4;
        payload -= 4;
        memcpy(file.bytes + PAYLOAD_BYTES_AT, &payload, sizeof payload);
        file_write(&file, "crafted");
        assert_fails(clade_heap_load(&heap, f->context, crafted), CLADE_E_CORRUPT);
        file_close(&file);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_from_a_lists_nodes_is_made_anew),
        cmocka_unit_test(a_lists_links_stay_inside),
        cmocka_unit_test(what_follows_from_a_dlists_nodes_is_made_anew),
        cmocka_unit_test(a_trees_constants_are_its_own),
        cmocka_unit_test(a_trees_leaked_leaf_is_dead),
        cmocka_unit_test(a_trees_free_routers_lead_nowhere),
        cmocka_unit_test(a_heaps_file_has_all_that_is_in_it),
        cmocka_unit_test(a_file_tells_of_errors_that_there_are),
    };
    folder = scratch_make();
    const int failed = fixture_run("loads", tests);
    scratch_remove(folder);
    return failed;
}
