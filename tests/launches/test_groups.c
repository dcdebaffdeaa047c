/* SPDX-License-Identifier: Apache-2.0 */
/* Devices whose work-groups are small. `offsets-groups-*` make every call on such a device. Here a
 * tree takes the way of a GPU whose groups are smaller than its sort would like. */
#include "harness/fixture.h"

#include <clade/rbtree.h>

enum { KEYS = 5000 };

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The caps are the context's own; an object looks at them when it is created. */
static void sort_as_a_gpu(struct fixture *f, uint32_t most, const uint64_t *keys,
                          const uint64_t *sorted)
{
    clade_caps *caps = (clade_caps *)(uintptr_t)f->caps;
    const clade_caps was = *caps;
    clade_rbtree *tree = NULL;
    uint64_t got[KEYS], count = 0;
    const clade_rbtree_params params = { .capacity = KEYS,
                                         .key = CLADE_U64,
                                         .path = CLADE_RBTREE_BULK };
    caps->is_cpu = 0;
    caps->group_size_max = most;
    clade_status status = clade_rbtree_create(&tree, f->context, &params);
    if (status == CLADE_OK)
        status = clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), KEYS,
                                     clade_no_array(), NULL);
    if (status == CLADE_OK)
        status = clade_rbtree_read(tree, clade_host(got), clade_no_array(), KEYS, &count, NULL);
    *caps = was;
    if (status != CLADE_OK)
        fail_msg("groups of %u items: %s", most, clade_error_last()->message);
    assert_int_equal(count, KEYS);
    assert_memory_equal(got, sorted, sizeof got);
    clade_rbtree_destroy(&tree);
}

static void trees_sort_by_groups_of_all_sizes(void **state)
{
    struct fixture *f = *state;
    static const uint32_t sizes[] = { 1, 2, 15, 16, 24, 33 };
    static uint64_t keys[KEYS], sorted[KEYS];
    struct random random = random_from(f->seed);
    for (size_t i = 0; i < KEYS; i++)
        keys[i] = sorted[i] = random_next(&random);
    qsort(sorted, KEYS, sizeof *sorted, compare);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i] <= f->caps->group_size_max)
            sort_as_a_gpu(f, sizes[i], keys, sorted);
}

int main(void)
{
    /* PoCL then refuses larger groups. */
    setenv("POCL_MAX_WORK_GROUP_SIZE", "33", 1);
    const struct CMUnitTest tests[] = { cmocka_unit_test(trees_sort_by_groups_of_all_sizes) };
    return fixture_run("groups", tests);
}
