/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench semilist`: the table of Mulder (2015), nodes appended at the end and found and
 * erased again, by host calls, by groups and by single items, beside a list in C. Behind every run
 * the list is read back and compared. */
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/calls.h"
#include "command/clade.h"
#include "common/kma_options.h"

enum work { APPEND_HOST, APPEND_GROUPS, APPEND_ITEMS, FIND, ERASE_AT, WORKS };

struct load {
    struct bench *bench;
    clade_semilist *list;
    cl_kernel items, groups;
    uint32_t count;
    enum work what;
    cl_mem keys, values, nodes, statuses; /* keys and values are 0 .. count - 1 */
    uint32_t *read_keys, *read_nodes;
    int32_t *read_statuses;
};

/* --- the device ------------------------------------------------------------------------------ */

static bool append_all(struct load *l)
{
    return succeeded(clade_semilist_append(l->list, clade_device(l->keys, 0),
                                           clade_device(l->keys, 0), clade_device(l->nodes, 0),
                                           l->count, NULL));
}

static bool prepare(void *data)
{
    struct load *l = data;
    return succeeded(clade_semilist_clear(l->list, NULL)) &&
           (l->what <= APPEND_ITEMS || append_all(l));
}

static bool launch(struct load *l, cl_kernel kernel, bool is_group)
{
    const clade_caps *caps = clade_context_caps(bench_context(l->bench));
    const size_t size = caps->is_cpu ? 64 : is_group && caps->group_size_max >= 1024 ? 1024 : 256;
    const size_t global = (l->count + size - 1) / size * size;
    const cl_mem mems[] = { clade_semilist_mem(l->list), clade_kma_mem(clade_semilist_kma(l->list)),
                            l->nodes };
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < 3 && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel, i, sizeof mems[i], &mems[i]);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, 3, sizeof l->count, &l->count);
    if (code == CL_SUCCESS && is_group)
        code = clSetKernelArg(kernel, 4, CLADE_SEMILIST_SCRATCH(size) * 4, NULL);
    if (code != CL_SUCCESS)
        return bench_fail("a kernel's argument is refused (%d)", code);
    return bench_launch(l->bench, kernel, global, size);
}

static bool work(void *data)
{
    struct load *l = data;
    switch (l->what) {
    case APPEND_HOST:
        return append_all(l);
    case APPEND_GROUPS:
        return launch(l, l->groups, true);
    case APPEND_ITEMS:
        return launch(l, l->items, false);
    case FIND:
        return succeeded(clade_semilist_find(l->list, clade_device(l->keys, 0),
                                             clade_device(l->values, 0), clade_no_array(), l->count,
                                             clade_device(l->statuses, 0), NULL));
    default:
        return succeeded(clade_semilist_erase_at(l->list, clade_device(l->nodes, 0), l->count,
                                                 clade_device(l->statuses, 0), NULL));
    }
}

/* Every key is there once, at the node that its adder was told; a group's in one piece. */
static bool check_appended(struct load *l)
{
    uint64_t count = 0;
    uint32_t *at = bench_alloc(l->count, sizeof *at), *nodes = bench_alloc(l->count, sizeof *nodes);
    bool right =
        at && nodes && bench_read(l->bench, l->nodes, at, 4ull * l->count) &&
        succeeded(clade_semilist_read(l->list, l->read_keys, NULL, nodes, l->count, &count)) &&
        count == l->count;
    for (uint32_t i = 0; right && i < l->count; i++) {
        const uint32_t key = l->read_keys[i];
        right = key < l->count && at[key] == nodes[i] && (l->what != APPEND_HOST || key == i);
        if (right)
            at[key] = 0; /* met */
    }
    free(at);
    free(nodes);
    return right;
}

static bool check(void *data)
{
    struct load *l = data;
    uint64_t size = 0;
    bool right =
        succeeded(clade_semilist_check(l->list)) && succeeded(clade_semilist_size(l->list, &size));
    if (l->what <= APPEND_ITEMS)
        return right && size == l->count && check_appended(l);
    right = right && size == (l->what == FIND ? l->count : 0) &&
            bench_read(l->bench, l->statuses, l->read_statuses, 4ull * l->count) &&
            (l->what != FIND || bench_read(l->bench, l->values, l->read_keys, 4ull * l->count));
    for (uint32_t i = 0; right && i < l->count; i++)
        right = l->read_statuses[i] == CLADE_OK && (l->what != FIND || l->read_keys[i] == i);
    return right;
}

static bool add_cell(struct load *l, enum work what, const char *column)
{
    const struct bench_task task = { l, prepare, work, check, false };
    struct bench_times times;
    l->what = what;
    if (!bench_measure(l->bench, &task, &times))
        return false;
    bench_ms(l->bench, column, &times);
    return true;
}

/* --- the same list in C ----------------------------------------------------------------------- */

struct node {
    struct node *next;
    uint32_t key, value;
};

struct plain {
    struct load *load;
    struct node *first, *last;
    uint32_t found;
    enum work what;
};

static void plain_clear(struct plain *p)
{
    while (p->first) {
        struct node *next = p->first->next;
        free(p->first);
        p->first = next;
    }
    p->last = NULL;
}

static bool plain_append(struct plain *p)
{
    for (uint32_t i = 0; i < p->load->count; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            return bench_fail("memory is out");
        *node = (struct node) { NULL, i, i };
        if (p->last)
            p->last->next = node;
        else
            p->first = node;
        p->last = node;
    }
    return true;
}

static bool plain_prepare(void *data)
{
    struct plain *p = data;
    plain_clear(p);
    p->found = 0;
    return p->what == APPEND_HOST || plain_append(p);
}

static bool plain_work(void *data)
{
    struct plain *p = data;
    if (p->what == APPEND_HOST)
        return plain_append(p);
    for (uint32_t i = 0; i < p->load->count; i++) {
        const struct node *node = p->first;
        while (node && node->key != i)
            node = node->next;
        p->found += node && node->value == i;
    }
    return true;
}

static bool plain_check(void *data)
{
    struct plain *p = data;
    uint32_t count = 0;
    for (const struct node *node = p->first; node; node = node->next)
        count += node->key == count;
    return count == p->load->count && (p->what == APPEND_HOST || p->found == count);
}

static bool add_plain_cell(struct load *l, enum work what, const char *column)
{
    struct plain plain = { .load = l, .what = what };
    const struct bench_task task = { &plain, plain_prepare, plain_work, plain_check, true };
    struct bench_times times;
    const bool fine = bench_measure(l->bench, &task, &times);
    plain_clear(&plain);
    if (fine)
        bench_ms(l->bench, column, &times);
    return fine;
}

/* --- tables ----------------------------------------------------------------------------------- */

static void close_load(struct load *l)
{
    const cl_mem mems[] = { l->keys, l->values, l->nodes, l->statuses };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    clade_semilist_destroy(&l->list);
    free(l->read_keys);
    free(l->read_statuses);
}

static bool open_load(struct load *l, uint32_t count)
{
    const clade_semilist_params params = { .capacity = count };
    l->count = count;
    l->read_keys = bench_alloc(count, sizeof *l->read_keys);
    l->read_statuses = bench_alloc(count, sizeof *l->read_statuses);
    if (!l->read_keys || !l->read_statuses)
        return false;
    for (uint32_t i = 0; i < count; i++)
        l->read_keys[i] = i;
    l->keys = bench_buffer(l->bench, l->read_keys, 4ull * count);
    l->values = bench_buffer(l->bench, NULL, 4ull * count);
    l->nodes = bench_buffer(l->bench, NULL, 4ull * count);
    l->statuses = bench_buffer(l->bench, NULL, 4ull * count);
    return l->keys && l->values && l->nodes && l->statuses &&
           succeeded(clade_semilist_create(&l->list, bench_context(l->bench), &params));
}

/* `walks`: with the columns whose time grows with the square of the nodes. */
static bool add_row(const struct load *kernels, uint32_t count, bool walks)
{
    struct load l = *kernels;
    bool fine = open_load(&l, count);
    if (fine)
        bench_count(l.bench, "nodes", count);
    fine = fine && add_cell(&l, APPEND_HOST, "append, host call") &&
           add_cell(&l, APPEND_GROUPS, "append, groups") &&
           add_cell(&l, APPEND_ITEMS, "append, items") &&
           add_plain_cell(&l, APPEND_HOST, "append, C") && add_cell(&l, ERASE_AT, "erase all") &&
           (!walks || (add_cell(&l, FIND, "find all") && add_plain_cell(&l, FIND, "find all, C")));
    close_load(&l);
    if (fine)
        bench_row_end(kernels->bench);
    return fine;
}

static bool run_suite(struct bench *bench)
{
    static const uint32_t sizes[] = { 128, 256, 512, 1024, 2048, 2304, 4096 };
    static const uint32_t large[] = { 65536, 1048576 };
    struct load l = { .bench = bench };
    clade_program *program = NULL;
    clade_semilist *list = NULL; /* for its options alone */
    clade_context *context = bench_context(bench);
    struct kma_options options = { "" };
    bool fine = succeeded(
        clade_semilist_create(&list, context, &(clade_semilist_params) { .capacity = 1 }));
    if (fine)
        options = kma_options(context, clade_semilist_options(list));
    fine =
        fine &&
        succeeded(clade_program_build(&program, context,
                                      &(clade_program_params) { .file = "tools/bench_semilist.cl",
                                                                .options = options.text })) &&
        succeeded(clade_program_kernel(&l.items, program, "clade_bench_semilist_items")) &&
        succeeded(clade_program_kernel(&l.groups, program, "clade_bench_semilist_groups"));
    bench_table(bench, "nodes", "Mulder's table: nodes appended, erased, found");
    for (size_t i = 0; fine && i < (bench_is_quick(bench) ? 3 : sizeof sizes / sizeof sizes[0]);
         i++)
        fine = add_row(&l, sizes[i], true);
    if (fine && !bench_is_quick(bench))
        bench_table(bench, "large", "longer lists");
    for (size_t i = 0; fine && !bench_is_quick(bench) && i < sizeof large / sizeof large[0]; i++)
        fine = add_row(&l, large[i], false);
    if (l.items)
        clReleaseKernel(l.items);
    if (l.groups)
        clReleaseKernel(l.groups);
    clade_program_destroy(&program);
    clade_semilist_destroy(&list);
    return fine && bench_calls(bench, semilist_loads, true);
}

const struct bench_suite semilist_suite = {
    .name = "semilist",
    .summary = "semi-linked lists: the table of Mulder",
    .run = run_suite,
    .quick = { 21, 1 },
    .cpu = { 59, 8 },
    .gpu = { 59, 2 },
    .tables = "nodes large distributions sizes",
};
