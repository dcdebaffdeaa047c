/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`, inside one kernel (cl/bench_heap.cl): every group inserts and deletes by
 * turns, or half the groups insert and half delete. Behind every run the heap is drained: what came
 * out and what was left adds up to what went in. */
#include <stdio.h>
#include <stdlib.h>

#include "bench_heap.h"

struct load {
    struct bench *bench;
    uint64_t initial; /* keys inside before */
    uint32_t count, batch, pairs;
    int32_t *keys, *out, *left; /* keys: the initial ones, then those that come */
    uint32_t *got;
    struct bench_sums sums;
    cl_mem keys_mem, out_mem, got_mem, failures_mem;
    clade_heap *heap;
    cl_kernel kernel;
};

static uint64_t coming(const struct load *l)
{
    return (uint64_t)l->count * l->batch;
}

static void close_load(struct load *l)
{
    cl_mem *const mems[] = { &l->keys_mem, &l->out_mem, &l->got_mem, &l->failures_mem };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
    if (l->kernel)
        clReleaseKernel(l->kernel);
    clade_heap_destroy(&l->heap);
    free(l->keys);
    free(l->out);
    free(l->left);
    free(l->got);
}

static bool open_buffers(struct load *l)
{
    const uint64_t all = l->initial + coming(l);
    l->keys = bench_alloc(all, sizeof *l->keys);
    l->out = bench_alloc(coming(l), sizeof *l->out);
    l->left = bench_alloc(all, sizeof *l->left);
    l->got = bench_alloc(l->count, sizeof *l->got);
    if (!l->keys || !l->out || !l->left || !l->got)
        return false;
    bench_heap_fill(l->keys, all, BENCH_RANDOM, all);
    bench_sums_add(&l->sums, l->keys, all);
    l->keys_mem = bench_buffer(l->bench, l->keys, all * sizeof *l->keys);
    l->out_mem = bench_buffer(l->bench, NULL, coming(l) * sizeof *l->out);
    l->got_mem = bench_buffer(l->bench, NULL, l->count * sizeof *l->got);
    l->failures_mem = bench_buffer(l->bench, NULL, sizeof(uint32_t));
    return l->keys_mem && l->out_mem && l->got_mem && l->failures_mem;
}

static bool open_kernel(struct load *l)
{
    const clade_heap_params *params = clade_heap_params_of(l->heap);
    clade_program *program = NULL;
    char options[512];
    snprintf(options, sizeof options, "%s -DBENCH_GROUP_SIZE=%u", clade_heap_options(l->heap),
             params->group_size);
    const bool fine = bench_told(clade_program_build(
                          &program, bench_context(l->bench),
                          &(clade_program_params) { .file = params->engine == CLADE_HEAP_FRONT
                                                                ? "bench_heap_front.cl"
                                                                : "bench_heap.cl",
                                                    .options = options })) &&
                      bench_told(clade_program_kernel(&l->kernel, program, "clade_bench_heap"));
    clade_program_destroy(&program);
    return fine;
}

static bool open_load(struct load *l, uint32_t engine)
{
    const clade_heap_params params = { .capacity = l->initial + coming(l), .engine = engine };
    return open_buffers(l) &&
           bench_told(clade_heap_create(&l->heap, bench_context(l->bench), &params)) &&
           open_kernel(l);
}

static bool prepare(void *data)
{
    struct load *l = data;
    const uint32_t zero = 0;
    return bench_told(clade_heap_clear(l->heap)) &&
           bench_told(clade_heap_insert(l->heap, clade_device(l->keys_mem, 0), clade_no_array(),
                                        l->initial, NULL)) &&
           clEnqueueFillBuffer(clade_context_cl_queue(bench_context(l->bench)), l->got_mem, &zero,
                               sizeof zero, 0, l->count * sizeof zero, 0, NULL,
                               NULL) == CL_SUCCESS &&
           clEnqueueFillBuffer(clade_context_cl_queue(bench_context(l->bench)), l->failures_mem,
                               &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL) == CL_SUCCESS;
}

/* The keys that come lie behind the initial ones. */
static cl_mem coming_keys(const struct load *l, cl_int *code)
{
    const cl_buffer_region region = { (size_t)(l->initial * sizeof *l->keys),
                                      (size_t)(coming(l) * sizeof *l->keys) };
    return clCreateSubBuffer(l->keys_mem, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region,
                             code);
}

static bool work(void *data)
{
    struct load *l = data;
    const clade_heap_params *params = clade_heap_params_of(l->heap);
    const size_t size = params->group_size, items = size * params->groups;
    cl_int code;
    cl_mem in = coming_keys(l, &code);
    if (!in)
        return bench_fail("a sub-buffer is refused (%d)", code);
    const cl_mem mems[] = { clade_heap_mem(l->heap), in, l->out_mem, l->got_mem };
    const cl_uint numbers[] = { l->count, l->batch, l->pairs };
    for (cl_uint i = 0; code == CL_SUCCESS && i < 4; i++)
        code = clSetKernelArg(l->kernel, i, sizeof mems[i], &mems[i]);
    for (cl_uint i = 0; code == CL_SUCCESS && i < 3; i++)
        code = clSetKernelArg(l->kernel, 4 + i, sizeof numbers[i], &numbers[i]);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(l->kernel, 7, sizeof l->failures_mem, &l->failures_mem);
    const bool fine = code == CL_SUCCESS
                          ? bench_launch(l->bench, l->kernel, items, size)
                          : bench_fail("a kernel's arguments are refused (%d)", code);
    clReleaseMemObject(in);
    return fine;
}

/* Every delete's keys ascend, and nothing is lost. */
static bool check(void *data)
{
    struct load *l = data;
    struct bench_sums sums = { 0, 0, 0 };
    uint32_t failures = 1;
    uint64_t left = 0;
    bool right = true;
    if (!bench_read(l->bench, l->failures_mem, &failures, sizeof failures) ||
        !bench_read(l->bench, l->got_mem, l->got, l->count * sizeof *l->got) ||
        !bench_read(l->bench, l->out_mem, l->out, coming(l) * sizeof *l->out) ||
        !bench_told(clade_heap_delete(l->heap, clade_host(l->left), clade_no_array(),
                                      l->initial + coming(l), clade_host(&left), NULL)))
        return false;
    for (uint32_t i = 0; i < l->count; i++) {
        const int32_t *keys = l->out + (size_t)i * l->batch;
        right = right && l->got[i] <= l->batch && bench_is_ascending(keys, l->got[i]);
        if (right)
            bench_sums_add(&sums, keys, l->got[i]);
    }
    bench_sums_add(&sums, l->left, left);
    return right && failures == 0 && bench_is_ascending(l->left, left) &&
           bench_sums_equal(&sums, &l->sums);
}

static bool add_engine(struct load l, const struct bench_heap_engine *engine)
{
    const struct bench_task task = { &l, prepare, work, check, false };
    struct bench_times times;
    char rate[64];
    const bool fine = open_load(&l, engine->engine) && bench_measure(l.bench, &task, &times);
    if (fine) {
        snprintf(rate, sizeof rate, "%s, M/s", engine->name);
        bench_ms(l.bench, engine->name, &times);
        bench_value(l.bench, rate, (double)coming(&l) / times.median / 1e3);
    }
    close_load(&l);
    return fine;
}

static bool add_row(struct bench *bench, uint64_t initial, uint64_t keys, uint32_t pairs)
{
    clade_heap *heap;
    if (!bench_told(
            clade_heap_create(&heap, bench_context(bench), &(clade_heap_params) { .capacity = 1 })))
        return false;
    const uint32_t batch = clade_heap_params_of(heap)->batch,
                   groups = clade_heap_params_of(heap)->groups;
    clade_heap_destroy(&heap);
    const struct load l = { .bench = bench,
                            /* a sub-buffer begins at a multiple of what any device asks for */
                            .initial = initial / 4096 * 4096,
                            .count = (uint32_t)(keys / batch) + groups,
                            .batch = batch,
                            .pairs = pairs };
    bool fine = true;
    bench_text(bench, "groups", pairs ? "each does both" : "half and half");
    bench_count(bench, "keys before", l.initial);
    bench_count(bench, "keys through", coming(&l));
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++)
        fine = add_engine(l, &bench_heap_engines[i]);
    if (fine)
        bench_row_end(bench);
    return fine;
}

bool bench_heap_kernels(struct bench *bench)
{
    const bool is_cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint64_t most = bench_is_quick(bench) ? 8192 : is_cpu ? 1u << 20 : 64u << 20;
    const uint64_t keys = bench_is_quick(bench) ? 8192 : is_cpu ? 1u << 20 : 8u << 20;
    bench_table(bench, "kernels",
                "inserts and deletes at once, in one kernel; keys through a second");
    return add_row(bench, 0, keys, 1) && add_row(bench, most, keys, 1) &&
           add_row(bench, most, keys, 0);
}
