/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's experiment: rows of l random integers, each fed to a heap that keeps the k = 0.1 l
 * smallest, with every arity and every bridge; beside it selection, and selection then build.
 *   bench_adheap [LOG2_TOTAL [LONGEST]]     2^LOG2_TOTAL keys; rows of 2^11, 2^13 .. 2^LONGEST
 * Milliseconds of one feed of all rows into empty heaps, best of 2, by device events. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clade/clade.h>


struct bench {
    clade_context *context;
    cl_command_queue queue;
    cl_mem keys, out;
    uint32_t *host;
    size_t total;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_adheap: %s: %s\n%s\n", what, clade_error_last()->message,
            clade_error_last()->log);
    exit(1);
}

static double between(cl_event before, cl_event after)
{
    cl_ulong start = 0, end = 0;
    clGetEventProfilingInfo(before, CL_PROFILING_COMMAND_END, sizeof start, &start, NULL);
    clGetEventProfilingInfo(after, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(before);
    clReleaseEvent(after);
    return (double)(end - start) * 1e-6;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The last heap holds the k smallest of the last row. Words of a keeping heap: inverted keys. */
static bool is_right(struct bench *b, clade_adheap *heaps, size_t length, size_t k)
{
    const size_t row = b->total / length - 1, stride = (63 + k + 63) / 64 * 64;
    uint32_t *wanted = malloc(length * 4), *got = malloc(k * 4);
    bool right =
        wanted && got &&
        clEnqueueReadBuffer(b->queue, clade_adheap_mem(heaps), CL_TRUE,
                            (CLADE_ADHEAP_HEAD_WORDS + row * stride + CLADE_ADHEAP_ROOT) * 4, k * 4,
                            got, 0, NULL, NULL) == CL_SUCCESS;
    for (size_t i = 0; right && i < length; i++)
        wanted[i] = b->host[row * length + i];
    for (size_t i = 0; right && i < k; i++)
        got[i] = ~got[i];
    if (right) {
        qsort(wanted, length, 4, compare);
        qsort(got, k, 4, compare);
        right = memcmp(wanted, got, k * 4) == 0;
    }
    free(wanted);
    free(got);
    return right;
}

/* One feed, or one build from `from` when it is not NULL. */
static double feed_once(struct bench *b, clade_adheap *heaps, size_t length, size_t k, cl_mem from)
{
    cl_event before, after;
    const clade_launch launch = { .event = &after };
    if (clade_adheap_clear(heaps, NULL) != CLADE_OK)
        die("clear");
    clFinish(b->queue);
    clEnqueueMarkerWithWaitList(b->queue, 0, NULL, &before);
    clade_status status = from ? clade_adheap_build(heaps, clade_device(from, 0), clade_no_array(),
                                                    (uint32_t)k, &launch)
                               : clade_adheap_feed(heaps, clade_device(b->keys, 0),
                                                   clade_no_array(), 0, (uint32_t)length, &launch);
    if (status != CLADE_OK)
        die("feed");
    clFinish(b->queue);
    return between(before, after);
}

static double measure(struct bench *b, size_t length, uint32_t arity, uint32_t bridge, cl_mem from)
{
    const size_t k = (length + 9) / 10;
    const clade_adheap_params p = { .heaps = (uint32_t)(b->total / length),
                                    .capacity = (uint32_t)k,
                                    .arity = arity,
                                    .key = CLADE_U32,
                                    .keep = 1,
                                    .bridge = bridge };
    clade_adheap *heaps = NULL;
    if (clade_adheap_create(&heaps, b->context, &p) != CLADE_OK)
        die("create");
    double best = feed_once(b, heaps, length, k, from);
    const double again = feed_once(b, heaps, length, k, from);
    best = again < best ? again : best;
    if (!is_right(b, heaps, length, k)) {
        printf("WRONG RESULT: length %zu arity %u bridge %u\n", length, arity, bridge);
        exit(1);
    }
    clade_adheap_destroy(&heaps);
    return best;
}

static double select_rows(struct bench *b, size_t length)
{
    clade_kselect *s = NULL;
    cl_event before, after;
    double best = 1e30;
    if (clade_kselect_create(&s, b->context,
                             &(clade_kselect_params) { .length = length,
                                                       .k = (length + 9) / 10,
                                                       .key = CLADE_U32 }) != CLADE_OK)
        die("kselect");
    for (int i = 0; i < 3; i++) {
        clFinish(b->queue);
        clEnqueueMarkerWithWaitList(b->queue, 0, NULL, &before);
        if (clade_kselect_run(s, clade_device(b->keys, 0), clade_device(b->out, 0),
                              clade_no_array(), b->total / length,
                              &(clade_launch) { .event = &after }) != CLADE_OK)
            die("kselect");
        clFinish(b->queue);
        const double ms = between(before, after);
        best = ms < best ? ms : best;
    }
    clade_kselect_destroy(&s);
    return best;
}

static void bench_length(struct bench *b, size_t length)
{
    double plain = 1e30, bridged = 1e30;
    printf("l = %zu        none registers    local     dump   best ratio of the bridge\n", length);
    for (uint32_t arity = 8; arity <= 64; arity *= 2) {
        double ms[5];
        printf("  d = %2u   ", arity);
        for (uint32_t bridge = CLADE_ADHEAP_BRIDGE_NONE; bridge <= CLADE_ADHEAP_BRIDGE_DUMP;
             bridge++) {
            ms[bridge] = measure(b, length, arity, bridge, NULL);
            printf(" %8.2f", ms[bridge]);
            fflush(stdout);
        }
        plain = ms[1] < plain ? ms[1] : plain;
        for (int i = 2; i < 5; i++)
            bridged = ms[i] < bridged ? ms[i] : bridged;
        printf("   %.2f\n", ms[1] / (ms[2] < ms[3] ? ms[2] : ms[3]));
    }
    const double select = select_rows(b, length);
    const double build = measure(b, length, 0, 0, b->out);
    printf("  best plain %.2f, best bridge %.2f (%.2fx); selection %.3f, and as heaps %.3f "
           "(%.1fx the best plain)\n",
           plain, bridged, plain / bridged, select, select + build, plain / (select + build));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct bench b = { .total = (size_t)1 << (argc > 1 ? atoi(argv[1]) & 63 : 20) };
    const int longest = argc > 2 ? atoi(argv[2]) : 13;
    cl_int code;
    uint64_t x = 88172645463325252u;
    if (b.total < 1 << 11 || b.total > (size_t)1 << 32 || longest < 11) {
        fprintf(stderr, "bench_adheap: LOG2_TOTAL and LONGEST are 11 to 32\n");
        return 2;
    }
    if (clade_context_create(&b.context, &(clade_context_params) { .profiling = 1 }) != CLADE_OK)
        die("open");
    cl_context cl = clade_context_cl_context(b.context);
    b.queue = clade_context_cl_queue(b.context);
    b.host = malloc(b.total * 4);
    for (size_t i = 0; b.host && i < b.total; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        b.host[i] = (uint32_t)(x >> 16);
    }
    b.keys =
        clCreateBuffer(cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, b.total * 4, b.host, &code);
    b.out = clCreateBuffer(cl, CL_MEM_READ_WRITE, b.total / 2, NULL, &code);
    if (!b.host || !b.keys || code != CL_SUCCESS)
        die("memory");
    for (int log = 11; log <= longest && (size_t)1 << log <= b.total; log += 2)
        bench_length(&b, (size_t)1 << log);
    clReleaseMemObject(b.keys);
    clReleaseMemObject(b.out);
    clade_context_destroy(&b.context);
    free(b.host);
    return 0;
}
