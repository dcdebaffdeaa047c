/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/kma_sizes.h"

#include <math.h>
#include <stdlib.h>

#include "bench/shapes.h"
#include "command/clade.h"
#include "common/kma_options.h"

#define FREES 0xffffffffu /* as in cl/tools/bench_kma_sizes.cl */

enum { COUNTERS = 2, SHAPE_MOST = 4093 };
enum kernel { TURN, STAMP, CHECK, KERNELS };
enum law { GCC, LOG_NORMAL, SHAPE };

/* What gcc asks malloc for while it compiles a small program, of 10,000 calls: single sizes that
 * make more than a hundredth, and ranges. Its calls of more than 8,192 bytes are left out. */
static const struct {
    uint32_t from, to, calls;
} gcc_calls[] = {
    { 1, 8, 313 },       { 9, 15, 1219 },     { 16, 16, 2077 },    { 17, 23, 268 },
    { 24, 24, 581 },     { 25, 39, 336 },     { 40, 40, 196 },     { 41, 55, 570 },
    { 56, 56, 749 },     { 57, 63, 120 },     { 64, 64, 552 },     { 65, 128, 466 },
    { 129, 256, 327 },   { 257, 512, 213 },   { 513, 1024, 296 },  { 1025, 2048, 243 },
    { 2049, 4096, 185 }, { 3200, 3200, 329 }, { 4064, 4064, 564 }, { 4097, 8144, 18 },
    { 8032, 8032, 378 },
};

struct sizes {
    struct bench *bench;
    clade_kma *kma;
    cl_kernel kernels[KERNELS];
    cl_mem refs, held, turn, counters;
    uint32_t items, round;
    enum law law;
    enum bench_shape shape; /* of SHAPE */
    const uint32_t *shaped; /* of SHAPE: an item's size is 1 + shaped[item] % SHAPE_MOST */
    double live;    /* the share of items that have a block while blocks come and go; 0: all */
    bool is_free;   /* measured is the free */
    uint32_t *next; /* what each item does in the next turn: 0 nothing, FREES, or bytes */
    bool *has;
};

static bool told(clade_status status)
{
    if (status != CLADE_OK)
        report_error();
    return status == CLADE_OK;
}

static uint32_t scramble(uint32_t i)
{
    i ^= i >> 16;
    i *= 0x7feb352du;
    i ^= i >> 15;
    i *= 0x846ca68bu;
    return i ^ i >> 16;
}

/* From 0 to 1, neither of them. */
static double share_of(uint32_t i)
{
    return ((double)scramble(i) + 0.5) / 4294967296.0;
}

static uint32_t gcc_size(uint32_t i)
{
    uint32_t call = scramble(i) % 10000, k = 0;
    while (call >= gcc_calls[k].calls)
        call -= gcc_calls[k++].calls;
    return gcc_calls[k].from +
           scramble(i ^ 0x5a5a5a5au) % (gcc_calls[k].to - gcc_calls[k].from + 1);
}

/* A median of 256 bytes; two thirds are within a factor of e. */
static uint32_t log_normal_size(uint32_t i)
{
    const double normal =
        sqrt(-2 * log(share_of(i))) * cos(6.283185307179586 * share_of(i ^ 0x5a5a5a5au));
    const double size = 256 * exp(normal);
    return size < 1 ? 1 : size > 65536 ? 65536 : (uint32_t)size;
}

static uint32_t size_of(const struct sizes *s, uint32_t i)
{
    return s->law == SHAPE ? 1 + s->shaped[i % s->items] % SHAPE_MOST
           : s->law == GCC ? gcc_size(i)
                           : log_normal_size(i);
}

/* --- turns ------------------------------------------------------------------------------------ */

static bool launch(struct sizes *s, enum kernel which)
{
    const size_t most = clade_context_caps(bench_context(s->bench))->group_size_max;
    const size_t group = most < 256 ? most : 256, global = (s->items + group - 1) / group * group;
    const cl_mem mems[] = { clade_kma_mem(s->kma), s->refs, s->held, s->turn, s->counters };
    cl_kernel kernel = s->kernels[which];
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < 5 && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel, i, sizeof mems[i], &mems[i]);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, 5, sizeof(cl_uint), &s->items);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, 6, sizeof(cl_uint), &s->round);
    if (code != CL_SUCCESS)
        return bench_fail("a kernel's arguments are refused (%d)", code);
    return bench_launch(s->bench, kernel, global, group);
}

static bool write_words(struct sizes *s, cl_mem mem, const uint32_t *words, uint32_t count)
{
    cl_int code = clEnqueueWriteBuffer(clade_context_cl_queue(bench_context(s->bench)), mem,
                                       CL_TRUE, 0, 4ull * count, words, 0, NULL, NULL);
    return code == CL_SUCCESS || bench_fail("a buffer cannot be written (%d)", code);
}

/* All blocks go; or all items without one get one. */
static void plan_all(struct sizes *s, bool frees)
{
    for (uint32_t i = 0; i < s->items; i++) {
        s->next[i] = s->has[i] ? (frees ? FREES : 0) : frees ? 0 : size_of(s, i);
        s->has[i] = !frees;
    }
}

/* Whoever has a block gives it back. So many of the others get one that the share stays. */
static void plan_churn(struct sizes *s)
{
    const double share = s->live / (1 - s->live);
    for (uint32_t i = 0; i < s->items; i++) {
        const uint32_t draw = s->round * s->items + i;
        const bool gets = !s->has[i] && share_of(draw) < share;
        s->next[i] = s->has[i] ? FREES : gets ? size_of(s, draw ^ 0x33333333u) : 0;
        s->has[i] = gets;
    }
}

static bool take_turn(struct sizes *s)
{
    return write_words(s, s->turn, s->next, s->items) && launch(s, TURN);
}

static bool prepare(void *data)
{
    struct sizes *s = data;
    s->round++;
    if (s->live > 0) {
        plan_churn(s);
        return write_words(s, s->turn, s->next, s->items);
    }
    plan_all(s, !s->is_free);
    if (!take_turn(s))
        return false;
    plan_all(s, s->is_free);
    return write_words(s, s->turn, s->next, s->items);
}

static bool work(void *data)
{
    return launch(data, TURN);
}

/* Each block gets its owner's pattern, then each is looked at. */
static bool check(void *data)
{
    struct sizes *s = data;
    const cl_uint zero[COUNTERS] = { 0 };
    cl_uint counters[COUNTERS];
    return write_words(s, s->counters, zero, COUNTERS) && launch(s, STAMP) && launch(s, CHECK) &&
           bench_read(s->bench, s->counters, counters, sizeof counters) && counters[0] == 0 &&
           counters[1] == 0 && told(clade_kma_check(s->kma, NULL, 0));
}

/* --- rows ------------------------------------------------------------------------------------- */

static bool cell(struct sizes *s, bool is_free, const char *column)
{
    const struct bench_task task = { s, prepare, work, check, false };
    struct bench_times times;
    s->is_free = is_free;
    if (!bench_measure(s->bench, &task, &times))
        return false;
    bench_ms(s->bench, column, &times);
    return true;
}

static bool begin(struct sizes *s, uint64_t heap)
{
    for (uint32_t i = 0; i < s->items; i++) {
        s->next[i] = 0;
        s->has[i] = false;
    }
    s->round = 0;
    if (!told(clade_kma_create(&s->kma, bench_context(s->bench),
                               &(clade_kma_params) { .bytes = heap })) ||
        !write_words(s, s->refs, s->next, s->items) || !write_words(s, s->held, s->next, s->items))
        return false;
    for (uint32_t i = 0; s->live > 0 && i < s->items; i++) {
        s->has[i] = share_of(i ^ 0x77777777u) < s->live;
        s->next[i] = s->has[i] ? size_of(s, i) : 0;
    }
    return take_turn(s);
}

/* With a share that stays live, one launch takes as many blocks as it gives back. */
static bool row(struct sizes *s, enum law law, uint64_t heap, uint32_t items, double live)
{
    bool fine;
    s->law = law;
    s->items = items;
    s->live = live;
    bench_text(s->bench, "sizes",
               law == SHAPE ? bench_shape_names[s->shape]
               : law == GCC ? "gcc's calls"
                            : "log-normal");
    bench_count(s->bench, "items", items);
    bench_count(s->bench, "heap", heap);
    bench_value(s->bench, "live, %", live > 0 ? 100 * live : 100);
    fine = begin(s, heap);
    if (live > 0) {
        bench_none(s->bench, "alloc", "in one");
        bench_none(s->bench, "free", "in one");
        fine = fine && cell(s, false, "both");
    } else {
        fine = fine && cell(s, false, "alloc") && cell(s, true, "free");
        bench_none(s->bench, "both", "in two");
    }
    if (fine)
        bench_row_end(s->bench);
    clade_kma_destroy(&s->kma);
    return fine;
}

static bool open_sizes(struct sizes *s, uint32_t most)
{
    static const char *const names[KERNELS] = { "clade_bench_kma_turn", "clade_bench_kma_stamp",
                                                "clade_bench_kma_check" };
    clade_context *context = bench_context(s->bench);
    clade_program *program = NULL;
    s->refs = bench_buffer(s->bench, NULL, 4ull * most);
    s->held = bench_buffer(s->bench, NULL, 4ull * most);
    s->turn = bench_buffer(s->bench, NULL, 4ull * most);
    s->counters = bench_buffer(s->bench, NULL, 4ull * COUNTERS);
    s->next = bench_alloc(most, sizeof *s->next);
    s->has = bench_alloc(most, sizeof *s->has);
    const struct kma_options options = kma_options(context, "-DCLADE_KMA_DEBUG=0");
    bool fine =
        s->refs && s->held && s->turn && s->counters && s->next && s->has &&
        told(clade_program_build(&program, context,
                                 &(clade_program_params) { .file = "tools/bench_kma_sizes.cl",
                                                           .options = options.text }));
    for (size_t i = 0; fine && i < KERNELS; i++)
        fine = told(clade_program_kernel(&s->kernels[i], program, names[i]));
    clade_program_destroy(&program);
    return fine;
}

static void close_sizes(struct sizes *s)
{
    const cl_mem mems[] = { s->refs, s->held, s->turn, s->counters };
    for (size_t i = 0; i < KERNELS; i++)
        if (s->kernels[i])
            clReleaseKernel(s->kernels[i]);
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    free(s->next);
    free(s->has);
}

/* All blocks at once, then half of them while as many others come. */
static bool shape_rows(struct sizes *s, uint64_t heap_bytes, uint32_t blocks, uint32_t *keys)
{
    bool fine = true;
    for (int shape = 0; fine && shape < BENCH_SHAPES && !bench_is_over(s->bench); shape++) {
        uint64_t state = 1;
        bench_shape_fill(keys, blocks, (enum bench_shape)shape, &state);
        s->shape = (enum bench_shape)shape;
        s->shaped = keys;
        fine = row(s, SHAPE, heap_bytes, blocks, 0) && row(s, SHAPE, heap_bytes, blocks, 0.5);
    }
    return fine;
}

bool bench_kma_distributions(struct bench *bench, uint64_t heap_bytes, uint32_t blocks)
{
    struct sizes s = { .bench = bench };
    uint32_t *keys = bench_alloc(blocks, sizeof *keys);
    bench_table(bench, "distributions", "blocks of 1 to 4,093 bytes, by many distributions");
    const bool fine = keys && open_sizes(&s, blocks) && shape_rows(&s, heap_bytes, blocks, keys);
    close_sizes(&s);
    free(keys);
    return fine;
}

bool bench_kma_sizes(struct bench *bench, uint64_t heap_bytes, uint32_t blocks)
{
    const uint64_t small = (uint64_t)1024 * blocks, least = (uint64_t)16 << 20;
    const uint64_t tight = (uint64_t)2349 * (blocks / 10);
    struct sizes s = { .bench = bench };
    bench_table(bench, "sizes",
                "blocks of many sizes; and some that come and go while others stay");
    const bool fine = open_sizes(&s, blocks) && row(&s, GCC, heap_bytes, blocks, 0) &&
                      row(&s, GCC, heap_bytes, blocks, 0.3) &&
                      row(&s, GCC, small < least ? least : small, blocks, 0.3) &&
                      row(&s, LOG_NORMAL, heap_bytes, blocks / 10, 0.4) &&
                      row(&s, LOG_NORMAL, tight < least ? least : tight, blocks / 10, 0.4);
    close_sizes(&s);
    return fine;
}
