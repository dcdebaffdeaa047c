/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the list (tests/saved/saved.h). */
#include "saved/saved.h"

#include <clade/list.h>

static void save_mode(clade_context *context, const char *path, uint32_t mode, uint32_t key)
{
    clade_list *list = NULL;
    uint64_t keys[3] = { 5, 1, 9 };
    MARKED(clade_list_params, params);
    params.capacity = 3000;
    params.mode = mode;
    params.key = key;
    params.value = params.find = params.group_size = 0;
    params.kma = NULL;
    assert_ok(clade_list_create(&list, context, &params));
    if (mode == CLADE_LIST_ORDERED)
        assert_ok(
            clade_list_insert(list, clade_host(keys), clade_no_array(), 3, clade_no_array(), NULL));
    assert_ok(clade_list_save(list, path));
    clade_list_destroy(&list);
}

static void save_ordered(clade_context *context, const char *path)
{
    save_mode(context, path, CLADE_LIST_ORDERED, CLADE_U64);
}

static void save_unordered(clade_context *context, const char *path)
{
    save_mode(context, path, CLADE_LIST_UNORDERED, CLADE_U32);
}
LOADS(list)

static const struct saved_word impossible[] = {
    { "capacity", 0, 0 },
    { "capacity", 1, 1 },
    { "mode", 2, 77 },
    { "key", 3, 77 },
    { "value", 4, 77 },
    { "find", 5, 77 },
    { 0 },
};
const struct saved list_saved[] = {
    { "ordered list",
      40,
      CLADE_LIST_SHAPE(0, 2, 0, 0),
      save_ordered,
      load,
      impossible,
      { " bytes", 0, 1u << 24 } },
    { "unordered list", 40, 0, save_unordered, load, NULL, { 0 } },
    { 0 },
};
