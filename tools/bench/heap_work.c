/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`, inside one kernel: filling the heap, running the groups, and checking. Behind
 * every run the heap is drained: what came out and what was left adds up to what went in. */
#include "bench/heap_work.h"

#include <stdio.h>
#include <stdlib.h>

struct work {
    struct bench *bench;
    struct bench_heap_load load;
    uint64_t initial, places;   /* keys before; places for those that come, a batch for each */
    uint32_t operations;        /* of either kind */
    int32_t *keys, *out, *left; /* keys: the initial ones, then those that come */
    uint32_t *got;
    struct bench_sums sums;
    cl_mem keys_mem, out_mem, got_mem, failures_mem;
    clade_heap *heap;
    cl_kernel kernel;
};

/* As bench_size() of the kernel. */
static uint32_t size_of(const struct work *w, uint32_t operation)
{
    return w->load.varies ? 1 + (operation * 0x9e3779b1u >> 8) % w->load.batch : w->load.batch;
}

static void close_work(struct work *w)
{
    cl_mem *const mems[] = { &w->keys_mem, &w->out_mem, &w->got_mem, &w->failures_mem };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
    if (w->kernel)
        clReleaseKernel(w->kernel);
    clade_heap_destroy(&w->heap);
    free(w->keys);
    free(w->out);
    free(w->left);
    free(w->got);
}

static bool open_buffers(struct work *w)
{
    const uint64_t all = w->initial + w->places;
    w->keys = bench_alloc(all, sizeof *w->keys);
    w->out = bench_alloc(w->places, sizeof *w->out);
    w->left = bench_alloc(all, sizeof *w->left);
    w->got = bench_alloc(w->operations, sizeof *w->got);
    if (!w->keys || !w->out || !w->left || !w->got)
        return false;
    uint64_t seed = all;
    bench_shape_fill((uint32_t *)w->keys, all, BENCH_SHAPE_RANDOM, &seed);
    bench_sums_add(&w->sums, w->keys, w->initial);
    for (uint32_t i = 0; i < w->operations; i++)
        bench_sums_add(&w->sums, w->keys + w->initial + (uint64_t)i * w->load.batch, size_of(w, i));
    w->keys_mem = bench_buffer(w->bench, w->keys, all * sizeof *w->keys);
    w->out_mem = bench_buffer(w->bench, NULL, w->places * sizeof *w->out);
    w->got_mem = bench_buffer(w->bench, NULL, w->operations * sizeof *w->got);
    w->failures_mem = bench_buffer(w->bench, NULL, 2 * sizeof(uint32_t));
    return w->keys_mem && w->out_mem && w->got_mem && w->failures_mem;
}

static bool open_kernel(struct work *w)
{
    const clade_heap_params *params = clade_heap_params_of(w->heap);
    clade_program *program = NULL;
    char options[512];
    snprintf(options, sizeof options, "%s -DBENCH_GROUP_SIZE=%u", clade_heap_options(w->heap),
             params->group_size);
    const bool fine =
        bench_told(clade_program_build(
            &program, bench_context(w->bench),
            &(clade_program_params) { .file = "tools/bench_heap.cl", .options = options })) &&
        bench_told(clade_program_kernel(&w->kernel, program, "clade_bench_heap"));
    clade_program_destroy(&program);
    return fine;
}

static bool fill_with_zero(const struct work *w, cl_mem mem, size_t bytes)
{
    const uint32_t zero = 0;
    const cl_int code = clEnqueueFillBuffer(clade_context_cl_queue(bench_context(w->bench)), mem,
                                            &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    return code == CL_SUCCESS || bench_fail("a buffer cannot be filled (%d)", code);
}

static bool prepare(void *data)
{
    struct work *w = data;
    return bench_told(clade_heap_clear(w->heap, NULL)) &&
           (w->initial == 0 || bench_told(clade_heap_insert(w->heap, clade_device(w->keys_mem, 0),
                                                            clade_no_array(), w->initial, NULL))) &&
           fill_with_zero(w, w->got_mem, w->operations * sizeof(uint32_t)) &&
           fill_with_zero(w, w->failures_mem, 2 * sizeof(uint32_t));
}

/* The keys that come lie behind the initial ones. */
static cl_mem coming_keys(const struct work *w, cl_int *code)
{
    const cl_buffer_region region = { (size_t)(w->initial * sizeof *w->keys),
                                      (size_t)(w->places * sizeof *w->keys) };
    return clCreateSubBuffer(w->keys_mem, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region,
                             code);
}

static bool launch(const struct work *w, uint32_t count, size_t groups)
{
    const struct bench_heap_load *load = &w->load;
    const size_t size = clade_heap_params_of(w->heap)->group_size;
    cl_int code;
    cl_mem in = coming_keys(w, &code);
    if (!in)
        return bench_fail("a sub-buffer is refused (%d)", code);
    const cl_mem mems[] = { clade_heap_mem(w->heap), in, w->out_mem, w->got_mem };
    const cl_uint numbers[] = { count, load->batch, load->mode, load->varies, load->rounds };
    for (cl_uint i = 0; code == CL_SUCCESS && i < 4; i++)
        code = clSetKernelArg(w->kernel, i, sizeof mems[i], &mems[i]);
    for (cl_uint i = 0; code == CL_SUCCESS && i < 5; i++)
        code = clSetKernelArg(w->kernel, 4 + i, sizeof numbers[i], &numbers[i]);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(w->kernel, 9, sizeof w->failures_mem, &w->failures_mem);
    const bool fine = code == CL_SUCCESS
                          ? bench_launch(w->bench, w->kernel, groups * size, size)
                          : bench_fail("a kernel's arguments are refused (%d)", code);
    clReleaseMemObject(in);
    return fine;
}

static bool run_groups(void *data)
{
    const struct work *w = data;
    return launch(w, w->load.count,
                  w->load.mode == BENCH_FILLS ? w->load.heaps
                                              : clade_heap_params_of(w->heap)->groups);
}

/* Of one heap: each pop's keys ascend, and there are some. Of a heap for each group: its pops' keys
 * do, one after the other, and none is short. */
static bool are_pops_right(const struct work *w, struct bench_sums *sums)
{
    bool right = true;
    uint64_t popped = 0;
    for (uint32_t i = 0; i < w->operations && right; i++) {
        const int32_t *keys = w->out + (size_t)i * w->load.batch;
        right = w->got[i] <= size_of(w, i) && bench_is_ascending(keys, w->got[i]);
        if (right && w->load.mode == BENCH_FILLS)
            right = w->got[i] == w->load.batch &&
                    (i % w->load.count == 0 || bench_is_ascending(keys - 1, 2));
        if (right)
            bench_sums_add(sums, keys, w->got[i]);
        popped += w->got[i];
    }
    return right && popped > 0;
}

/* What is left in the heap, added to the sums: in order. */
static bool is_rest_right(const struct work *w, struct bench_sums *sums)
{
    uint64_t left = 0;
    if (w->load.mode == BENCH_FILLS)
        return bench_told(clade_heap_size(w->heap, &left)) && left == 0;
    if (!bench_told(clade_heap_pop(w->heap, clade_host(w->left), clade_no_array(),
                                   w->initial + w->places, clade_host(&left), NULL)))
        return false;
    bench_sums_add(sums, w->left, left);
    return bench_is_ascending(w->left, left);
}

static bool check(void *data)
{
    struct work *w = data;
    struct bench_sums sums = { 0, 0, 0 };
    uint32_t failures[2] = { 1, 0 }; /* how many, and a status */
    if (!bench_read(w->bench, w->failures_mem, failures, sizeof failures) ||
        !bench_read(w->bench, w->got_mem, w->got, w->operations * sizeof *w->got) ||
        !bench_read(w->bench, w->out_mem, w->out, w->places * sizeof *w->out))
        return false;
    if (failures[0] > 0)
        return bench_fail("%u operations failed: %s", failures[0],
                          clade_status_name((clade_status)failures[1]));
    if (!are_pops_right(w, &sums))
        return bench_fail("a pop's keys are out of order, or too few");
    if (!is_rest_right(w, &sums))
        return bench_fail("what is left in the heap is out of order");
    return bench_sums_equal(&sums, &w->sums) ||
           bench_fail("%llu keys went in, %llu came out, and their sums differ",
                      (unsigned long long)w->sums.count, (unsigned long long)sums.count);
}

bool bench_heap_work(struct bench *bench, const struct bench_heap_load *asked, uint32_t engine,
                     struct bench_times *times, uint64_t *keys)
{
    struct work w = { .bench = bench, .load = *asked };
    const struct bench_task task = { &w, prepare, run_groups, check, false };
    struct bench_heap_load *load = &w.load;
    const bool fills = load->mode == BENCH_FILLS;
    load->heaps = fills ? load->heaps : 1;
    load->rounds = fills ? load->rounds : 1;
    w.operations = load->heaps * load->count;
    w.places = (uint64_t)w.operations * load->batch;
    w.initial = load->initial / 4096 * 4096; /* where a sub-buffer may begin on any device */
    const clade_heap_params params = { .capacity = fills ? (uint64_t)load->count * load->batch
                                                         : w.initial + w.places,
                                       .engine = engine,
                                       .batch = load->k,
                                       .groups = load->groups,
                                       .heaps = load->heaps };
    const bool fine = open_buffers(&w) &&
                      bench_told(clade_heap_create(&w.heap, bench_context(bench), &params)) &&
                      open_kernel(&w) && launch(&w, 0, 1) && /* some drivers compile now */
                      bench_measure(bench, &task, times);
    *keys = (w.sums.count - w.initial) * load->rounds;
    close_work(&w);
    return fine;
}
