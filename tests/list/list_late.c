/* SPDX-License-Identifier: Apache-2.0 */
/* The list where a driver leaves loops. */
#include "harness/late.h"
#include "list/test_list.h"

static const char source[] =
    "#define CLADE_LIST late\n"
    "#include \"clade/list.clh\"\n"
    "__kernel void late(__global int *out, uint turns, __global clade_list_head *list)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0), key = 10u * i + 205u, there = 10u * i + 200u, v;\n"
    "    clade_i32 status;\n" LATE_TURNS "    status = OPERATION;\n"
    "    out[i] = status;\n"
    "}\n";

enum { ITEMS = 4, KEYS = 40 };

/* What items answer is what they did. */
static void run_late(struct late *late, clade_list *list, uint32_t mode, uint32_t turns, int change)
{
    uint32_t keys[KEYS];
    cl_mem mem = clade_list_mem(list);
    int32_t statuses[ITEMS];
    uint64_t size = KEYS;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = 10 * i + 10;
    assert_ok(clade_list_clear(list, NULL));
    assert_ok(mode == CLADE_LIST_UNORDERED
                  ? clade_list_insert_front(list, clade_host(keys), KEYS, clade_no_array(), NULL)
                  : clade_list_insert(list, clade_host(keys), clade_no_array(), KEYS,
                                      clade_no_array(), NULL));
    fixture_arg(late->kernel, 2, mem);
    late_run(late, turns, ITEMS, ITEMS, statuses);
    for (int i = 0; i < ITEMS; i++) {
        assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_BUSY);
        size += (uint64_t)(statuses[i] == CLADE_OK ? change : 0);
    }
    assert_int_equal(size_of(list), size);
    assert_ok(clade_list_check(list));
}

void inserts_behind_long_loops_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t mode;
        int change;
        const char *options;
    } ways[] = {
        { CLADE_LIST_ORDERED, 1, "-DOPERATION=late_insert_wi(list,key,0u)" },
        { CLADE_LIST_ORDERED, -1, "-DOPERATION=late_erase_wi(list,there,&v)" },
        { CLADE_LIST_ORDERED, 0, "-DOPERATION=late_contains_wi(list,there)" },
        { CLADE_LIST_UNORDERED, 1, "-DOPERATION=late_insert_front_wi(list,key)" },
        { CLADE_LIST_UNORDERED, 1, "-DOPERATION=late_insert_after_wi(list,there,key)" },
        { CLADE_LIST_UNORDERED, -1, "-DOPERATION=late_erase_value_wi(list,there)" },
        { CLADE_LIST_UNORDERED, 0, "-DOPERATION=late_contains_value_wi(list,there)" },
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        clade_list *list =
            open_list(f, (clade_list_params) { .capacity = 1000, .mode = ways[i].mode });
        struct late late = late_open(f, source, ways[i].options, ITEMS * sizeof(int32_t));
        const uint32_t step = fixture_is_small() ? 3 : 1;
        run_late(&late, list, ways[i].mode, 0, ways[i].change);
        for (uint32_t turns = late_turns(&late, 80); turns <= late.limit; turns += step)
            run_late(&late, list, ways[i].mode, turns, ways[i].change);
        late_close(&late);
        close_list(list);
    }
}
