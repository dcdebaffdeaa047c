/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the red-black tree is; every result is checked.
 *   bench_rbtree [KEYS [LEAF_CAPACITY]]     default 2^17 keys on CPUs, 2^24 on GPUs */
#include <stdarg.h>
#include <time.h>

#include <clade/rbtree.h>

#include "bench_rbtree.h"
#include "fixture.h"

struct bench {
    clade_context *context;
    clade_rbtree *tree;
    uint32_t count;
    cl_mem keys, more, values, statuses, ends, wrong;
    clade_program *program;
    cl_kernel make_keys, mix, find;
};

static void need(clade_status status)
{
    if (status == CLADE_OK)
        return;
    printf("%s: %s\n%s\n", clade_status_name(status), clade_error_last()->message,
           clade_error_last()->log);
    exit(1);
}

static void need_cl(cl_int code)
{
    if (code == CL_SUCCESS)
        return;
    printf("OpenCL error %d\n", code);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double start(struct bench *b)
{
    need(clade_finish(b->context));
    return now();
}

static double stop(struct bench *b, double since, const char *what)
{
    need(clade_finish(b->context));
    double seconds = now() - since;
    printf("%-34s %10.3f ms %10.1f M/s\n", what, seconds * 1e3, (double)b->count / seconds * 1e-6);
    fflush(stdout);
    return seconds;
}

static void open_tree(struct bench *b, uint32_t leaf_capacity, uint32_t path)
{
    clade_rbtree_destroy(&b->tree);
    need(clade_rbtree_create(&b->tree, b->context,
                             &(clade_rbtree_params) { .capacity = b->count * 2ull + 1000,
                                                      .value = CLADE_U32,
                                                      .leaf_capacity = leaf_capacity,
                                                      .path = path }));
    if (b->program)
        return;
    const char *folder = getenv("CLADE_TEST_CL");
    need(clade_program_build(
        &b->program, b->context,
        &(clade_program_params) { .file = "rbtree_bench.cl",
                                  .include_path = folder ? folder : TEST_KERNELS,
                                  .options = clade_rbtree_options(b->tree) }));
    need(clade_program_kernel(&b->make_keys, b->program, "bench_keys"));
    need(clade_program_kernel(&b->mix, b->program, "bench_mix"));
    need(clade_program_kernel(&b->find, b->program, "bench_find"));
}

static cl_mem buffer(struct bench *b, size_t bytes)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(clade_context_cl_context(b->context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    need_cl(code);
    return mem;
}

static void run(struct bench *b, cl_kernel kernel, uint32_t items)
{
    size_t global = items;
    need_cl(clEnqueueNDRangeKernel(clade_context_cl_queue(b->context), kernel, 1, NULL, &global,
                                   NULL, 0, NULL, NULL));
}

/* Keys first .. first + count - 1 of a random sequence, or in order with a step. */
static void fill(struct bench *b, cl_mem keys, uint32_t first, uint32_t step)
{
    need_cl(clSetKernelArg(b->make_keys, 0, sizeof keys, &keys));
    need_cl(clSetKernelArg(b->make_keys, 1, sizeof first, &first));
    need_cl(clSetKernelArg(b->make_keys, 2, sizeof step, &step));
    run(b, b->make_keys, b->count);
}

static void verify(struct bench *b, uint64_t size, const char *what)
{
    uint64_t got;
    int32_t *statuses = malloc(4 * (size_t)b->count);
    need_cl(clEnqueueReadBuffer(clade_context_cl_queue(b->context), b->statuses, CL_TRUE, 0,
                                4 * (size_t)b->count, statuses, 0, NULL, NULL));
    for (uint32_t i = 0; i < b->count; i++)
        if (statuses[i] != CLADE_OK) {
            printf("%s: item %u has status %d\n", what, i, statuses[i]);
            exit(1);
        }
    free(statuses);
    need(clade_rbtree_size(b->tree, &got));
    if (got != size) {
        printf("%s: %llu keys, not %llu\n", what, (unsigned long long)got,
               (unsigned long long)size);
        exit(1);
    }
}

static void show_stats(struct bench *b)
{
    clade_rbtree_stats s;
    need(clade_rbtree_get_stats(b->tree, &s));
    printf("  checked: %llu keys, %llu leaves, height %u (black %u), red %llu, red-red %llu, "
           "overweight %llu; splits %llu, promotions %llu, rotations %llu, merges %llu, retries "
           "%llu, busy %llu, unbalanced %llu, leaked %llu\n",
           (unsigned long long)s.size, (unsigned long long)s.leaves, s.height, s.black_height,
           (unsigned long long)s.red, (unsigned long long)s.red_red,
           (unsigned long long)s.overweight, (unsigned long long)s.splits,
           (unsigned long long)s.promotions, (unsigned long long)s.rotations,
           (unsigned long long)s.merges, (unsigned long long)s.retries, (unsigned long long)s.busy,
           (unsigned long long)s.unbalanced, (unsigned long long)s.leaked);
}

static void insert(struct bench *b, cl_mem keys, const char *what, uint64_t size)
{
    double since = start(b);
    need(clade_rbtree_insert(b->tree, clade_device(keys, 0), clade_device(keys, 0), b->count,
                             CLADE_RBTREE_IF_ABSENT, clade_device(b->statuses, 0), NULL));
    stop(b, since, what);
    verify(b, size, what);
}

static void find_all(struct bench *b, cl_mem keys, const char *what)
{
    double since = start(b);
    need(clade_rbtree_find(b->tree, clade_device(keys, 0), clade_device(b->values, 0), b->count,
                           clade_device(b->statuses, 0), NULL));
    stop(b, since, what);
}

static void erase_all(struct bench *b, cl_mem keys, const char *what, uint64_t size)
{
    double since = start(b);
    need(clade_rbtree_erase(b->tree, clade_device(keys, 0), clade_no_array(), b->count,
                            clade_device(b->statuses, 0), NULL));
    stop(b, since, what);
    verify(b, size, what);
}

static void check_wrong(struct bench *b, const char *what)
{
    uint32_t wrong;
    need_cl(clEnqueueReadBuffer(clade_context_cl_queue(b->context), b->wrong, CL_TRUE, 0, 4, &wrong,
                                0, NULL, NULL));
    if (wrong > 0) {
        printf("%s: %u wrong results\n", what, wrong);
        exit(1);
    }
}

static void mixed(struct bench *b, uint32_t first, uint32_t erase, const char *what)
{
    cl_mem object = clade_rbtree_mem(b->tree);
    double since = start(b);
    need_cl(clSetKernelArg(b->mix, 0, sizeof object, &object));
    need_cl(clSetKernelArg(b->mix, 1, sizeof first, &first));
    need_cl(clSetKernelArg(b->mix, 2, sizeof erase, &erase));
    need_cl(clSetKernelArg(b->mix, 3, sizeof b->count, &b->count));
    need_cl(clSetKernelArg(b->mix, 4, sizeof b->wrong, &b->wrong));
    run(b, b->mix, b->count);
    stop(b, since, what);
    check_wrong(b, what);
}

static void find_beside(struct bench *b)
{
    cl_mem object = clade_rbtree_mem(b->tree);
    const uint32_t first = 0;
    double since = start(b);
    need_cl(clSetKernelArg(b->find, 0, sizeof object, &object));
    need_cl(clSetKernelArg(b->find, 1, sizeof first, &first));
    need_cl(clSetKernelArg(b->find, 2, sizeof b->wrong, &b->wrong));
    run(b, b->find, b->count);
    stop(b, since, "find, as beside writers");
    check_wrong(b, "find");
}

/* `values` and `statuses` have room for 32 a query when there are fewer queries. */
static void ranges(struct bench *b, uint32_t limit, const char *what)
{
    const uint32_t queries = b->count / 32;
    cl_mem keys = buffer(b, 4ull * queries * limit), values = buffer(b, 4ull * queries * limit);
    double since = start(b);
    need(clade_rbtree_range(b->tree, clade_device(b->keys, 0), clade_device(b->ends, 0), queries,
                            limit, clade_device(keys, 0), clade_device(values, 0),
                            clade_device(b->statuses, 0), NULL));
    need(clade_finish(b->context));
    double seconds = now() - since;
    printf("%-34s %10.3f ms %10.1f M queries/s\n", what, seconds * 1e3,
           (double)queries / seconds * 1e-6);
    clReleaseMemObject(keys);
    clReleaseMemObject(values);
}

static void random_keys(struct bench *b, uint32_t leaf_capacity)
{
    const uint32_t n = b->count;
    open_tree(b, leaf_capacity, CLADE_RBTREE_CONCURRENT);
    fill(b, b->keys, 0, 0);
    fill(b, b->more, n, 0);
    insert(b, b->keys, "insert, from empty", n);
    insert(b, b->more, "insert, into as many", 2ull * n);
    show_stats(b);
    find_all(b, b->keys, "find (nobody writes)");
    verify(b, 2ull * n, "find");
    find_beside(b);
    fill(b, b->more, 2 * n, 0);
    find_all(b, b->more, "find, miss");
    ranges(b, 8, "range of 8");
    ranges(b, 32, "range of 32");
    mixed(b, n, 1, "half erase, half find");
    mixed(b, n, 0, "half insert, half find");
    fill(b, b->more, n, 0);
    erase_all(b, b->more, "erase", n);
    show_stats(b);
    insert(b, b->more, "insert, after the erase", 2ull * n);
    show_stats(b);
}

static void ordered_keys(struct bench *b, uint32_t leaf_capacity)
{
    open_tree(b, leaf_capacity, CLADE_RBTREE_GROUPS);
    fill(b, b->keys, 1, 100);
    insert(b, b->keys, "ascending by _wg, from empty", b->count);
    show_stats(b);
    open_tree(b, leaf_capacity, CLADE_RBTREE_GROUPS);
    fill(b, b->keys, 0, 0);
    insert(b, b->keys, "random by _wg, from empty", b->count);
    show_stats(b);
}

static void bulk(struct bench *b, uint32_t leaf_capacity)
{
    open_tree(b, leaf_capacity, CLADE_RBTREE_BULK);
    fill(b, b->keys, 0, 0);
    fill(b, b->more, b->count, 0);
    insert(b, b->keys, "bulk insert, first (allocates)", b->count);
    need(clade_rbtree_clear(b->tree, NULL));
    insert(b, b->keys, "bulk insert, from empty", b->count);
    insert(b, b->more, "bulk insert, into as many", 2ull * b->count);
    show_stats(b);
    find_all(b, b->keys, "find in a built tree");
    verify(b, 2ull * b->count, "find");
    erase_all(b, b->more, "bulk erase", b->count);
    show_stats(b);
}

int main(int argc, char **argv)
{
    struct bench b = { 0 };
    clade_status status = clade_context_create(&b.context, NULL);
    if (status == CLADE_E_NOT_FOUND) {
        printf("skipped: %s\n", clade_error_last()->message);
        return TEST_SKIPPED;
    }
    need(status);
    const bool cpu = clade_context_caps(b.context)->is_cpu;
    b.count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : cpu ? 1u << 17 : 1u << 24;
    const uint32_t leaf_capacity = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 0;
    const char *parts = argc > 3 ? argv[3] : "rwb";
    b.keys = buffer(&b, 4ull * b.count);
    b.more = buffer(&b, 4ull * b.count);
    b.values = buffer(&b, 4ull * b.count);
    b.statuses = buffer(&b, 4ull * b.count);
    b.ends = buffer(&b, 4ull * b.count);
    b.wrong = buffer(&b, 4);
    const cl_uint top = 0xffffffffu, zero = 0;
    cl_command_queue queue = clade_context_cl_queue(b.context);
    need_cl(clEnqueueFillBuffer(queue, b.ends, &top, 4, 0, 4ull * b.count, 0, NULL, NULL));
    need_cl(clEnqueueFillBuffer(queue, b.wrong, &zero, 4, 0, 4, 0, NULL, NULL));
    printf("%u keys of 32 bits with values of 32 bits\n", b.count);
    if (strchr(parts, 'r'))
        random_keys(&b, leaf_capacity);
    if (strchr(parts, 'w'))
        ordered_keys(&b, leaf_capacity);
    if (strchr(parts, 'b'))
        bulk(&b, leaf_capacity);
    bench_std_map(b.count);
    clReleaseKernel(b.make_keys);
    clReleaseKernel(b.mix);
    clReleaseKernel(b.find);
    clade_program_destroy(&b.program);
    clade_rbtree_destroy(&b.tree);
    clReleaseMemObject(b.keys);
    clReleaseMemObject(b.more);
    clReleaseMemObject(b.values);
    clReleaseMemObject(b.statuses);
    clReleaseMemObject(b.ends);
    clReleaseMemObject(b.wrong);
    clade_context_destroy(&b.context);
    return 0;
}
