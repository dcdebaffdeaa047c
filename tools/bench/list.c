/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench list`: inserts behind a value and erasures, drawn as the files of xDarkLemon are,
 * beside sequential programs. Every run on the device is proven: some order of the operations
 * gives its outcomes and the list it left (listfile_prove). */
#include "bench/list.h"

#include <stdlib.h>
#include <string.h>

#include "apps/listfile.h"
#include "bench/calls.h"
#include "command/clade.h"

/* Above it a walk is left out: steps that come one after the other, on the device and in C, where
 * a step is cheaper. */
static const double WALK_STEPS_MAX = 3e8, PLAIN_STEPS_MAX = 1e9;

/* A plain list, doubly linked so that what was found is unlinked at once. `index`: of nodes by
 * value, open addressing. Values are distinct and come once, so it is never emptied; a node that
 * went has `before` NOBODY. */
struct plain {
    uint32_t *next, *before, *value, *index, used;
    size_t slots;
};

/* One workload and what its runs need. */
struct load {
    struct bench *bench;
    struct listfile file;
    size_t cells;
    cl_mem nodes, ops, values, targets, statuses_mem;
    int32_t *statuses;
    uint32_t *raw;
    uint8_t *erased;
    struct plain plain;
    /* of the run to measure */
    clade_list *list;
    cl_kernel kernel; /* NULL: one call of the host's API */
    size_t items;
    uint64_t insert_collisions, erase_collisions; /* of the last run */
};

static void close_plain(struct plain *p)
{
    free(p->next);
    free(p->before);
    free(p->value);
    free(p->index);
}

static void close_load(struct load *l)
{
    cl_mem *const mems[] = { &l->nodes, &l->ops, &l->values, &l->targets, &l->statuses_mem };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
    listfile_free(&l->file);
    free(l->statuses);
    free(l->raw);
    free(l->erased);
    close_plain(&l->plain);
}

static bool open_load(struct load *l, struct bench *bench, size_t nodes, size_t count)
{
    *l = (struct load) { .bench = bench, .cells = nodes + count + 1 };
    if (!listfile_generate(&l->file, nodes, count, 42))
        return bench_fail("memory is out");
    l->statuses = bench_alloc(count, sizeof *l->statuses);
    l->raw = bench_alloc(l->cells, sizeof *l->raw);
    l->erased = bench_alloc(l->cells, 1);
    l->nodes = bench_buffer(bench, l->file.nodes, 4 * nodes);
    l->ops = bench_buffer(bench, l->file.ops, 4 * count);
    l->values = bench_buffer(bench, l->file.values, 4 * count);
    l->targets = bench_buffer(bench, l->file.targets, 4 * count);
    l->statuses_mem = bench_buffer(bench, NULL, 4 * count);
    return l->statuses && l->raw && l->erased && l->nodes && l->ops && l->values && l->targets &&
           l->statuses_mem;
}

/* --- on the device --------------------------------------------------------------------------- */

static bool prepare(void *data)
{
    struct load *l = data;
    return succeeded(clade_list_clear(l->list, NULL)) &&
           succeeded(clade_list_insert_front(l->list, clade_device(l->nodes, 0), l->file.node_count,
                                             clade_no_array(), NULL));
}

static bool work(void *data)
{
    struct load *l = data;
    const cl_mem list = clade_list_mem(l->list);
    const cl_uint count = (cl_uint)l->file.op_count;
    const cl_mem mems[] = { list, l->ops, l->values, l->targets, l->statuses_mem };
    const size_t group = l->items < 64 ? l->items : 64;
    if (!l->kernel)
        return succeeded(clade_list_apply(l->list, clade_device(l->ops, 0),
                                          clade_device(l->values, 0), clade_device(l->targets, 0),
                                          count, clade_device(l->statuses_mem, 0), NULL));
    for (cl_uint i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (clSetKernelArg(l->kernel, i, sizeof mems[i], &mems[i]) != CL_SUCCESS)
            return bench_fail("a kernel's argument is refused");
    cl_int code = clSetKernelArg(l->kernel, 5, sizeof count, &count);
    if (code != CL_SUCCESS)
        return bench_fail("a kernel's argument is refused (%d)", code);
    return bench_launch(l->bench, l->kernel, l->items, group);
}

static bool check(void *data)
{
    struct load *l = data;
    clade_list_stats stats;
    uint64_t raw_count = 0;
    char why[160] = "";
    if (!bench_read(l->bench, l->statuses_mem, l->statuses, 4 * l->file.op_count) ||
        !succeeded(clade_list_stats_read(l->list, &stats)) ||
        !succeeded(clade_list_check(l->list)) ||
        !succeeded(clade_list_read(l->list, l->raw, NULL, l->erased, l->cells, &raw_count)))
        return false;
    l->insert_collisions = stats.insert_collisions;
    l->erase_collisions = stats.erase_collisions;
    return listfile_prove(&l->file, l->statuses, l->raw, l->erased, (size_t)raw_count, why,
                          sizeof why) ||
           bench_fail("no order explains the outcomes: %s", why);
}

static bool measure_device(struct load *l, uint32_t find, struct bench_times *times)
{
    const clade_list_params params = { .capacity = l->cells,
                                       .mode = CLADE_LIST_UNORDERED,
                                       .find = find };
    const struct bench_task task = { l, prepare, work, check, false };
    bool fine = succeeded(clade_list_create(&l->list, bench_context(l->bench), &params)) &&
                bench_measure(l->bench, &task, times);
    clade_list_destroy(&l->list);
    return fine;
}

/* How many steps all walks take, as far as they come one after the other. */
static bool is_walk_too_long(const struct load *l, size_t items)
{
    const clade_caps *caps = clade_context_caps(bench_context(l->bench));
    const double hops = 0.5 * (double)l->file.node_count * (double)l->file.op_count;
    /* A step of a GPU's walk costs a hundred times as much, but thousands walk at once. */
    const double at_once = caps->is_cpu ? caps->compute_units : (double)items / 100;
    if (caps->loop_limit > 0 && l->cells > caps->loop_limit / 2)
        return true;
    return hops / (at_once < 0.01 ? 0.01 : at_once) > WALK_STEPS_MAX;
}

/* What walking took in the row before, on the device and on the host, and for how many steps. */
struct walks {
    double steps[2];
    struct bench_times times[2];
};
enum { ON_DEVICE, ON_HOST };

static double steps_of(const struct load *l)
{
    return (double)l->file.node_count * (double)l->file.op_count;
}

static bool was_long(const struct load *l, const struct walks *walks, int where)
{
    return bench_too_long(l->bench, &walks->times[where], walks->steps[where], steps_of(l));
}

static void add_walk(struct load *l, struct walks *walks, int where, const char *column,
                     const struct bench_times *times)
{
    bench_ms(l->bench, column, times);
    walks->times[where] = *times;
    walks->steps[where] = steps_of(l);
}

/* The two columns of the device. */
static bool add_device(struct load *l, size_t items, struct walks *walks)
{
    struct bench_times times;
    if (!measure_device(l, CLADE_LIST_INDEXED, &times))
        return false;
    bench_ms(l->bench, "clade", &times);
    bench_count(l->bench, "collisions", l->insert_collisions + l->erase_collisions);
    if (is_walk_too_long(l, items) || was_long(l, walks, ON_DEVICE)) {
        bench_none(l->bench, "clade, walking", "too long");
        return true;
    }
    if (!measure_device(l, CLADE_LIST_WALK, &times))
        return false;
    add_walk(l, walks, ON_DEVICE, "clade, walking", &times);
    return true;
}

/* --- sequential programs --------------------------------------------------------------------- */

static const uint32_t NOBODY = UINT32_MAX;

static bool open_plain(struct plain *p, size_t cells)
{
    *p = (struct plain) { .slots = 2 };
    while (p->slots < 2 * cells)
        p->slots *= 2;
    p->next = bench_alloc(cells, 4);
    p->before = bench_alloc(cells, 4);
    p->value = bench_alloc(cells, 4);
    p->index = bench_alloc(p->slots, 4);
    return p->next && p->before && p->value && p->index;
}

static size_t slot_of(const struct plain *p, uint32_t value)
{
    size_t slot = clade_list_hash(value, 0) & (p->slots - 1);
    while (p->index[slot] && p->value[p->index[slot]] != value)
        slot = (slot + 1) & (p->slots - 1);
    return slot;
}

static void plain_insert(struct plain *p, uint32_t at, uint32_t value)
{
    const uint32_t node = ++p->used;
    p->value[node] = value;
    p->index[slot_of(p, value)] = node;
    p->next[node] = p->next[at];
    p->before[node] = at;
    p->before[p->next[node]] = node;
    p->next[at] = node;
}

static void plain_erase(struct plain *p, uint32_t at)
{
    p->next[p->before[at]] = p->next[at];
    p->before[p->next[at]] = p->before[at];
    p->before[at] = NOBODY;
}

static uint32_t plain_find(const struct plain *p, uint32_t value, bool walks)
{
    uint32_t at = p->next[0];
    if (!walks) {
        at = p->index[slot_of(p, value)];
        return p->before[at] == NOBODY ? 0 : at;
    }
    while (at && p->value[at] != value)
        at = p->next[at];
    return at;
}

static bool prepare_plain(void *data)
{
    struct load *l = data;
    memset(l->plain.next, 0, l->cells * 4);
    memset(l->plain.before, 0, l->cells * 4);
    memset(l->plain.index, 0, l->plain.slots * 4);
    l->plain.used = 0;
    for (size_t i = 0; i < l->file.node_count; i++)
        plain_insert(&l->plain, (uint32_t)i, l->file.nodes[i]);
    return true;
}

static void work_plain(struct load *l, bool walks)
{
    const struct listfile *f = &l->file;
    for (size_t i = 0; i < f->op_count; i++) {
        const uint32_t at = plain_find(&l->plain, f->targets[i], walks);
        l->statuses[i] = at ? CLADE_OK : CLADE_E_NOT_FOUND;
        if (at && f->ops[i] == CLADE_LIST_ERASE)
            plain_erase(&l->plain, at);
        else if (at)
            plain_insert(&l->plain, at, f->values[i]);
    }
}

static bool walk_in_c(void *data)
{
    work_plain(data, true);
    return true;
}

static bool hash_in_c(void *data)
{
    work_plain(data, false);
    return true;
}

/* What is left is what was there, with what came and without what went. */
static bool check_plain(void *data)
{
    const struct load *l = data;
    size_t count = 0, wanted = l->file.node_count;
    for (uint32_t at = l->plain.next[0]; at; at = l->plain.next[at])
        count++;
    for (size_t i = 0; i < l->file.op_count; i++)
        if (l->statuses[i] == CLADE_OK)
            wanted += l->file.ops[i] == CLADE_LIST_ERASE ? (size_t)-1 : 1;
    return count == wanted;
}

/* The sequential columns. */
static bool add_host(struct load *l, struct walks *walks)
{
    struct bench_task task = { l, prepare_plain, hash_in_c, check_plain, true };
    struct bench_times times;
    if (!open_plain(&l->plain, l->cells) || !bench_measure(l->bench, &task, &times))
        return false;
    bench_ms(l->bench, "C, hash", &times);
    if (0.5 * steps_of(l) > PLAIN_STEPS_MAX || was_long(l, walks, ON_HOST)) {
        bench_none(l->bench, "C, walking", "too long");
        return true;
    }
    task.work = walk_in_c;
    if (!bench_measure(l->bench, &task, &times))
        return false;
    add_walk(l, walks, ON_HOST, "C, walking", &times);
    return true;
}

/* --- tables ---------------------------------------------------------------------------------- */

static bool add_row(struct bench *bench, size_t nodes, size_t count, struct walks *walks)
{
    struct load l;
    bool fine = open_load(&l, bench, nodes, count);
    if (fine) {
        bench_count(bench, "nodes", nodes);
        bench_count(bench, "operations", count);
    }
    fine = fine && add_device(&l, count, walks) && add_host(&l, walks);
    close_load(&l);
    if (fine)
        bench_row_end(bench);
    return fine;
}

/* Tables 3 and 4: the same operations by more and more items. */
static bool add_items_rows(struct bench *bench, const char *table, uint32_t find, size_t most,
                           cl_kernel kernel)
{
    struct load l;
    bool fine = open_load(&l, bench, 10000, bench_is_quick(bench) ? 1000 : 10000);
    bench_table(bench, table,
                find == CLADE_LIST_INDEXED ? "work-items, and collisions; found by the index"
                                           : "work-items, and collisions; found by walking");
    l.kernel = kernel;
    for (l.items = 1; fine && l.items <= most; l.items *= 8) {
        struct bench_times times;
        if (find == CLADE_LIST_WALK && is_walk_too_long(&l, l.items))
            continue;
        fine = measure_device(&l, find, &times);
        if (!fine)
            break;
        bench_count(bench, "items", l.items);
        bench_count(bench, "nodes", l.file.node_count);
        bench_count(bench, "operations", l.file.op_count);
        bench_ms(bench, "clade", &times);
        bench_count(bench, "insert collisions", l.insert_collisions);
        bench_count(bench, "erase collisions", l.erase_collisions);
        bench_row_end(bench);
    }
    close_load(&l);
    return fine;
}

static bool add_items_tables(struct bench *bench)
{
    const size_t most = bench_is_quick(bench) ? 4096 : 32768;
    clade_program *program = NULL;
    cl_kernel kernel = NULL;
    bool fine =
        succeeded(clade_program_build(&program, bench_context(bench),
                                      &(clade_program_params) { .file = "tools/bench_list.cl" })) &&
        succeeded(clade_program_kernel(&kernel, program, "clade_bench_list")) &&
        add_items_rows(bench, "items", CLADE_LIST_INDEXED, most, kernel) &&
        add_items_rows(bench, "items-walking", CLADE_LIST_WALK, most, kernel);
    if (kernel)
        clReleaseKernel(kernel);
    clade_program_destroy(&program);
    return fine;
}

static bool run_suite(struct bench *bench)
{
    const size_t most = bench_is_quick(bench) ? 10000 : 1000000;
    struct walks walks = { .steps = { 0 } };
    bool fine = true;
    bench_table(bench, "operations", "operations on a list of 10,000");
    for (size_t count = 100; fine && count <= most && !bench_is_over(bench); count *= 10)
        fine = add_row(bench, 10000, count, &walks);
    walks = (struct walks) { .steps = { 0 } };
    bench_table(bench, "nodes", "10,000 operations on longer and longer lists");
    for (size_t nodes = 100; fine && nodes <= most && !bench_is_over(bench); nodes *= 10)
        fine = add_row(bench, nodes, 10000, &walks);
    return fine && add_items_tables(bench) && bench_list_ordered(bench) &&
           bench_calls(bench, list_loads, true);
}

const struct bench_suite list_suite = {
    .name = "list",
    .summary = "lists: the tables of xDarkLemon, and ordered sets",
    .run = run_suite,
    .quick = { 40, 2 },
    .cpu = { 72, 30 },
    .gpu = { 72, 10 },
    .tables = "operations nodes items items-walking ordered distributions sizes",
};
