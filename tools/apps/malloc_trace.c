/* SPDX-License-Identifier: Apache-2.0 */
/* `clade malloc-trace`: replay a real program's malloc and free calls in many work-items at once.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clade/kma.h>

#include "command/clade.h"
#include "common/kma_options.h"
#include "common/options.h"
#include "common/progress.h"

#define TRACE_FREE   0x80000000u /* as in cl/tools/malloc_trace.cl */
#define LAUNCH_STEPS 512u        /* operations a launch: none runs for long */

struct trace {
    uint32_t *operations, *sizes;
    uint32_t count, blocks, room;
    uint64_t peak; /* most bytes live at once, each block rounded up to 16 */
};

static void trace_free(struct trace *trace)
{
    free(trace->operations);
    free(trace->sizes);
}

static bool trace_add(struct trace *trace, uint32_t operation)
{
    if (trace->count == trace->room) {
        uint32_t room = trace->room ? 2 * trace->room : 1024;
        uint32_t *operations = realloc(trace->operations, room * sizeof *operations);
        uint32_t *sizes;
        if (operations)
            trace->operations = operations;
        sizes = realloc(trace->sizes, room * sizeof *sizes);
        if (sizes)
            trace->sizes = sizes;
        if (!operations || !sizes)
            return false;
        trace->room = room;
    }
    if (!(operation & TRACE_FREE))
        trace->sizes[trace->blocks++] = operation;
    trace->operations[trace->count++] = operation;
    return true;
}

/* The trace must free each block once, after it was made. Finds the peak too. */
static const char *trace_verify(struct trace *trace)
{
    unsigned char *live = calloc(trace->blocks + 1, 1);
    const char *fault = live ? NULL : "memory is out";
    uint64_t bytes = 0;
    for (uint32_t i = 0, next = 0; i < trace->count && !fault; i++) {
        uint32_t block = trace->operations[i] & ~TRACE_FREE;
        if (!(trace->operations[i] & TRACE_FREE)) {
            live[next] = 1;
            bytes += (trace->sizes[next++] + 15u) / 16 * 16;
            trace->peak = bytes > trace->peak ? bytes : trace->peak;
        } else if (block >= next || !live[block]) {
            fault = "it frees a block that is not there";
        } else {
            live[block] = 0;
            bytes -= (trace->sizes[block] + 15u) / 16 * 16;
        }
    }
    free(live);
    return fault;
}

/* Lines `Alloc(BYTES),` and `Free(NUMBER),`: blocks are numbered from 0 as they are made. */
static bool trace_read(struct trace *trace, const char *path)
{
    char line[128];
    const char *fault = NULL;
    uint32_t at = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "clade: %s: %s\n", path, strerror(errno));
        return false;
    }
    while (!fault && fgets(line, sizeof line, file)) {
        const bool is_free = strncmp(line, "Free(", 5) == 0;
        const bool is_alloc = strncmp(line, "Alloc(", 6) == 0;
        char *end = line;
        at++;
        if (line[strspn(line, " \r\n")] == '\0')
            continue;
        errno = 0;
        const char *number = line + (is_free ? 5 : 6);
        const bool is_plain = (is_free || is_alloc) && isdigit((unsigned char)*number);
        const unsigned long long value = is_plain ? strtoull(number, &end, 10) : 0;
        if (end == line || *end != ')' || errno != 0 || value >= TRACE_FREE)
            fault = "it is neither Alloc(BYTES) nor Free(NUMBER)";
        else if (!trace_add(trace, (uint32_t)value | (is_free ? TRACE_FREE : 0)))
            fault = "memory is out";
    }
    const int unread = ferror(file) ? errno : 0;
    fclose(file);
    if (unread) {
        fprintf(stderr, "clade: %s: %s\n", path, strerror(unread));
        return false;
    }
    if (fault)
        fprintf(stderr, "clade: %s:%" PRIu32 ": %s\n", path, at, fault);
    else if ((fault = trace->count ? trace_verify(trace) : "it has no operations"))
        fprintf(stderr, "clade: %s: %s\n", path, fault);
    return !fault;
}

/* --- on the device --------------------------------------------------------------------------- */

struct replay {
    clade_context *context;
    clade_kma *kma;
    clade_program *program;
    cl_kernel kernel;
    cl_mem operations, sizes, refs, counts;
    uint32_t copies;
    uint64_t ready; /* bytes of pages that hold no block and are taken before the first call */
    double ms;
};

static bool cl_failed(cl_int code, const char *what)
{
    if (code != CL_SUCCESS)
        fprintf(stderr, "clade: %s failed with OpenCL's code %d\n", what, code);
    return code != CL_SUCCESS;
}

static cl_mem buffer(struct replay *r, size_t bytes, void *content)
{
    cl_int code;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (content ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem mem = clCreateBuffer(clade_context_cl_context(r->context), flags, bytes, content, &code);
    return cl_failed(code, "clCreateBuffer") ? NULL : mem;
}

static clade_status build_replay(struct replay *r)
{
    const struct kma_options options = kma_options(r->context, clade_kma_options(r->kma));
    return clade_program_build(
        &r->program, r->context,
        &(clade_program_params) { .file = "tools/malloc_trace.cl", .options = options.text });
}

static bool replay_open(struct replay *r, const struct trace *trace, const char *device,
                        uint64_t bytes)
{
    uint32_t zero[4] = { 0, 0, UINT32_MAX, 0 };
    clade_kma_stats fresh;
    if (clade_context_create(&r->context,
                             &(clade_context_params) { .device = device,
                                                       .profiling = 1,
                                                       .on_compile = progress_compile }) ||
        clade_kma_create(&r->kma, r->context, &(clade_kma_params) { .bytes = bytes }) ||
        clade_kma_stats_read(r->kma, &fresh) || build_replay(r) ||
        clade_program_kernel(&r->kernel, r->program, "clade_malloc_trace")) {
        report_error();
        return false;
    }
    r->ready = fresh.kept_bytes;
    r->operations = buffer(r, trace->count * 4ul, trace->operations);
    r->sizes = buffer(r, trace->blocks * 4ul, trace->sizes);
    r->refs = buffer(r, (size_t)trace->blocks * r->copies * 4, NULL);
    r->counts = buffer(r, sizeof zero, zero);
    return r->operations && r->sizes && r->refs && r->counts;
}

static void replay_close(struct replay *r)
{
    const cl_mem mems[] = { r->operations, r->sizes, r->refs, r->counts };
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    if (r->kernel)
        clReleaseKernel(r->kernel);
    clade_program_destroy(&r->program);
    clade_kma_destroy(&r->kma);
    clade_context_destroy(&r->context);
}

static bool replay_steps(struct replay *r, uint32_t from, uint32_t to, uint32_t next)
{
    cl_mem kma = clade_kma_mem(r->kma);
    const size_t group = 64, items = (r->copies + group - 1) / group * group;
    const struct {
        size_t size;
        const void *value;
    } args[] = { { sizeof kma, &kma },
                 { sizeof r->operations, &r->operations },
                 { sizeof from, &from },
                 { sizeof to, &to },
                 { sizeof next, &next },
                 { sizeof r->sizes, &r->sizes },
                 { sizeof r->refs, &r->refs },
                 { sizeof r->copies, &r->copies },
                 { sizeof r->counts, &r->counts } };
    cl_event event;
    cl_ulong start = 0, end = 0;
    for (cl_uint i = 0; i < sizeof args / sizeof *args; i++)
        if (cl_failed(clSetKernelArg(r->kernel, i, args[i].size, args[i].value), "clSetKernelArg"))
            return false;
    if (cl_failed(clEnqueueNDRangeKernel(clade_context_cl_queue(r->context), r->kernel, 1, NULL,
                                         &items, &group, 0, NULL, &event),
                  "clEnqueueNDRangeKernel"))
        return false;
    cl_int code = clWaitForEvents(1, &event);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(event);
    r->ms += (double)(end - start) * 1e-6;
    return !cl_failed(code, "clWaitForEvents");
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double fragmentation(uint64_t pages, uint64_t live)
{
    return pages > live ? percent(pages - live, pages) : 0;
}

/* Which of the pages that lay ready had blocks at the peak is not known: so two bounds. */
static void print_peak(uint64_t pages, uint64_t ready, uint64_t live)
{
    const uint64_t others = pages > ready ? pages - ready : 0;
    printf("live at most   %" PRIu64 " bytes, if all were at their peak at once\n", live);
    if (ready == 0)
        printf("pages at most  %" PRIu64 " bytes (fragmentation %.1f %%)\n", pages,
               fragmentation(pages, live));
    else
        printf("pages at most  %" PRIu64 " bytes, %" PRIu64
               " of them ready before the first call (fragmentation %.1f %%, %.1f %% without "
               "what lay ready)\n",
               pages, ready, fragmentation(pages, live), fragmentation(others, live));
}

static int print_result(struct replay *r, const struct trace *trace)
{
    uint32_t counts[4];
    clade_kma_stats stats;
    if (cl_failed(clEnqueueReadBuffer(clade_context_cl_queue(r->context), r->counts, CL_TRUE, 0,
                                      sizeof counts, counts, 0, NULL, NULL),
                  "clEnqueueReadBuffer"))
        return EXIT_FAILED;
    if (clade_kma_check(r->kma, NULL, 0) || clade_kma_stats_read(r->kma, &stats))
        return report_error();
    printf("operations     %" PRIu64 " (%" PRIu32 " in each of %" PRIu32 " work-items)\n",
           (uint64_t)trace->count * r->copies, trace->count, r->copies);
    printf("time           %.3f ms, %.1f M operations/s\n", r->ms,
           (double)trace->count * r->copies / r->ms * 1e-3);
    printf("refused        %" PRIu32, counts[1]);
    if (counts[1])
        printf(" (of %" PRIu32 " to %" PRIu32 " bytes)", counts[2], counts[3]);
    printf("\ndamaged        %" PRIu32 "\nbad frees      %" PRIu64 "\n", counts[0],
           stats.bad_frees);
    print_peak(stats.peak_bytes, r->ready, trace->peak * r->copies);
    printf("live at end    %" PRIu64 " blocks, %" PRIu64 " bytes in %" PRIu64
           " bytes of pages, %" PRIu64 " kept beside them\n",
           stats.live_blocks, stats.live_bytes, stats.used_bytes, stats.kept_bytes);
    printf("superblocks    %" PRIu64 " made, %" PRIu64 " given back\n", stats.superblocks_created,
           stats.superblocks_returned);
    return counts[0] || stats.bad_frees ? EXIT_FAILED : EXIT_DONE;
}

static int replay_all(const struct trace *trace, uint32_t copies, uint64_t bytes,
                      const char *device)
{
    struct replay r = { .copies = copies };
    int result = EXIT_FAILED;
    if (bytes == 0) /* room for fragments, and for what slots and hints keep */
        bytes = trace->peak * copies * 2 + ((uint64_t)16 << 20);
    bool fine = replay_open(&r, trace, device, bytes);
    for (uint32_t from = 0, next = 0; fine && from < trace->count; from += LAUNCH_STEPS) {
        uint32_t to = trace->count - from > LAUNCH_STEPS ? from + LAUNCH_STEPS : trace->count;
        fine = replay_steps(&r, from, to, next);
        for (uint32_t i = from; i < to; i++)
            next += !(trace->operations[i] & TRACE_FREE);
    }
    if (fine)
        result = print_result(&r, trace);
    replay_close(&r);
    return result;
}

int command_malloc_trace(int argc, char **argv)
{
    static const struct option options[] = { { "copies", required_argument, NULL, 'c' },
                                             { "bytes", required_argument, NULL, 'b' },
                                             { "device", required_argument, NULL, 'd' },
                                             { NULL, 0, NULL, 0 } };
    uint64_t copies = 64, bytes = 0;
    const char *device = NULL;
    for (int c; (c = getopt_long(argc, argv, "c:b:d:", options, NULL)) != -1;) {
        if (c == 'c') {
            if (!option_number(optarg, 1, 1 << 20, &copies))
                return report_usage("malloc-trace", "--copies takes a number from 1 to 1048576");
        } else if (c == 'b') {
            if (!option_number(optarg, 1 << 17, (uint64_t)64 << 30, &bytes))
                return report_usage("malloc-trace", "--bytes takes a number from 131072 on");
        } else if (c == 'd') {
            device = optarg;
        } else {
            return report_usage("malloc-trace", "the arguments are not understood");
        }
    }
    if (argc - optind != 1)
        return report_usage("malloc-trace", "it takes one FILE");
    struct trace trace = { 0 };
    int result = EXIT_FAILED;
    if (trace_read(&trace, argv[optind]))
        result = replay_all(&trace, (uint32_t)copies, bytes, device);
    trace_free(&trace);
    return result;
}
