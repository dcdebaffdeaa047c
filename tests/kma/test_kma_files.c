/* SPDX-License-Identifier: Apache-2.0 */
/* Files of allocators that were crafted: the checksum is right, words are not. They are refused
 * with a sentence, and what is not refused is checked and used. (host_kma_image tries thousands of
 * images; here the way through a file is tried, and kernels run on what was loaded.) */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "harness/scratch.h"
#include "kma/kma_load.h"

enum { HEAD = 40, CHECKSUM_AT = 32, PARAMS = 16, COUNT = 60 };

/* The allocator's words in a file. */
static uint32_t *words_of(char *bytes)
{
    return (uint32_t *)(void *)(bytes + HEAD + PARAMS);
}

static void mend_checksum(char *bytes, size_t size)
{
    const uint64_t sum = XXH3_64bits_withSeed(bytes + HEAD + PARAMS, size - HEAD - PARAMS,
                                              XXH3_64bits(bytes + HEAD, PARAMS));
    memcpy(bytes + CHECKSUM_AT, &sum, sizeof sum);
}

static char *save_some(struct fixture *f, const char *path, size_t *size)
{
    clade_kma *kma = open_kma(f, 700000, 0);
    uint64_t sizes[COUNT];
    uint32_t refs[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        sizes[i] = i % 10 == 9 ? 20000 : 16u << i % 7;
    assert_ok(clade_kma_malloc(kma, clade_host(sizes), 0, clade_host(refs), COUNT, NULL));
    assert_ok(clade_kma_save(kma, path));
    clade_kma_destroy(&kma);
    return scratch_read(path, size);
}

static clade_status load(struct fixture *f, clade_kma **kma, const char *folder, char *bytes,
                         size_t size)
{
    mend_checksum(bytes, size);
    char *path = scratch_file(folder, "crafted", bytes, size);
    const clade_status status = clade_kma_load(kma, f->context, path);
    free(path);
    return status;
}

static void a_crafted_file_is_refused_with_a_sentence(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make(), *path = scratch_path(folder, "heap");
    size_t size;
    char *bytes = save_some(f, path, &size);
    uint32_t *words = words_of(bytes);
    clade_kma_head head;
    clade_kma *kma = NULL;
    memcpy(&head, words, sizeof head);
    const uint32_t page_tree = head.tree_at + CLADE_KMA_PAGE_TREE(0) * head.tree_words;
    uint32_t sb = head.first_page;
    while (words[head.info_at + sb] == 0 || words[head.info_at + sb] == CLADE_KMA_BIG)
        sb++;
    const uint32_t info = words[head.info_at + sb];
    const struct {
        uint32_t word, value;
        const char *says;
    } crafted[] = {
        { page_tree + head.pages / 32, 0x80000000u, "tree 36" },
        { head.tree_at + head.pages / 32, 0x80000000u, "tree 0" },
        { head.info_at + sb, info | 2047u << 11, "info" },
        { head.info_at + sb, info & ~63u, "info" },
        { head.info_at, CLADE_KMA_INFO(0u, 32u, 1u), "bookkeeping" },
        { head.cells_at, 0u, "page 0" },
        { head.home_at + sb, 0x01000000u, "slot" },
        { head.slot_at, 0x01000000u, "hint 0" },
        { offsetof(clade_kma_head, shape) / 4, head.shape[0] + 1, "head" },
        { offsetof(clade_kma_head, cells_at) / 4, head.cells_at + 64, "head" },
        { offsetof(clade_kma_head, fault) / 4, 77, "fault" },
        { 0, 77, "another object" },
    };
    assert_true(head.pages % 32 != 0);
    for (size_t i = 0; i < sizeof crafted / sizeof crafted[0]; i++) {
        const uint32_t was = words[crafted[i].word];
        words[crafted[i].word] = crafted[i].value;
        assert_fails(load(f, &kma, folder, bytes, size), CLADE_E_CORRUPT);
        if (!strstr(clade_error_last()->message, crafted[i].says))
            printf("  %zu: %s\n", i, clade_error_last()->message);
        assert_message(crafted[i].says);
        assert_null(kma);
        words[crafted[i].word] = was;
    }
    assert_ok(load(f, &kma, folder, bytes, size)); /* and as it was it is taken */
    clade_kma_destroy(&kma);
    free(bytes);
    free(path);
    scratch_remove(folder);
}

/* Take blocks of many sizes in what was loaded, write to none, free them. */
static void use(clade_kma *kma)
{
    uint64_t sizes[COUNT];
    uint32_t refs[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        sizes[i] = 1u << i % 17;
    assert_ok(clade_kma_malloc(kma, clade_host(sizes), 0, clade_host(refs), COUNT, NULL));
    assert_ok(clade_kma_check(kma, NULL, 0));
    assert_ok(clade_kma_free(kma, clade_host(refs), COUNT, NULL));
    assert_ok(clade_kma_check(kma, NULL, 0));
    (void)stats_of(kma);
}

static void what_is_not_refused_can_be_used(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make(), *path = scratch_path(folder, "heap");
    size_t size, taken = 0;
    char *bytes = save_some(f, path, &size);
    uint32_t *words = words_of(bytes);
    const uint32_t count =
        ((const clade_kma_head *)(const void *)words)->first_page * (CLADE_KMA_PAGE_BYTES / 4);
    struct random random = random_from(f->seed);
    const size_t files = fixture_scaled(fixture_is_interpreted(f) ? 20 : 200, 1000, 5000);
    for (size_t i = 0; i < files; i++) {
        clade_kma *kma = NULL;
        const uint64_t at = random_below(&random, count);
        const uint32_t was = words[at];
        words[at] = random_below(&random, 2) ? was ^ 1u << random_below(&random, 32)
                                             : (uint32_t)random_next(&random);
        const clade_status status = load(f, &kma, folder, bytes, size);
        words[at] = was;
        assert_true(status == CLADE_OK || status == CLADE_E_CORRUPT);
        if (status == CLADE_OK) {
            use(kma);
            taken++;
        }
        clade_kma_destroy(&kma);
    }
    printf("  %zu of %zu were taken\n", taken, files);
    free(bytes);
    free(path);
    scratch_remove(folder);
}

/* Statistics and check of a heap whose bookkeeping a kernel wrote over end, with a sentence. */
static void a_heap_that_was_written_over_is_told(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma = open_kma(f, 700000, 0);
    clade_kma_head head;
    clade_kma_stats stats;
    uint32_t refs[COUNT];
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 100, clade_host(refs), COUNT, NULL));
    fixture_read(f, clade_kma_mem(kma), 0, &head, sizeof head);
    const uint32_t page = (refs[0] - 1) / CLADE_KMA_PAGE_UNITS, far = 0xfffffff0u;
    const struct {
        size_t word;
        uint32_t value;
    } over[] = {
        { head.info_at + page, 1u << 11 },       /* kind 0 */
        { head.info_at + page, 62u | 1u << 11 }, /* a kind that is not there */
        { head.info_at + page, CLADE_KMA_BIG },  /* with what was the superblock's home */
        { offsetof(clade_kma_head, info_at) / 4, far },
        { offsetof(clade_kma_head, pages) / 4, far },
        { offsetof(clade_kma_head, first_page) / 4, far },
    };
    fixture_write(f, clade_kma_mem(kma), 4 * (size_t)(head.home_at + page), &far, 4);
    for (size_t i = 0; i < sizeof over / sizeof over[0]; i++) {
        uint32_t was;
        fixture_read(f, clade_kma_mem(kma), 4 * over[i].word, &was, 4);
        fixture_write(f, clade_kma_mem(kma), 4 * over[i].word, &over[i].value, 4);
        assert_fails(clade_kma_stats_read(kma, &stats), CLADE_E_CORRUPT);
        assert_fails(clade_kma_check(kma, NULL, 0), CLADE_E_CORRUPT);
        fixture_write(f, clade_kma_mem(kma), 4 * over[i].word, &was, 4);
    }
    assert_ok(clade_kma_stats_read(kma, &stats));
    clade_kma_destroy(&kma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crafted_file_is_refused_with_a_sentence),
        cmocka_unit_test(what_is_not_refused_can_be_used),
        cmocka_unit_test(a_heap_that_was_written_over_is_told),
    };
    return fixture_run("kma files", tests);
}
