/* SPDX-License-Identifier: Apache-2.0 */
/* Each device function alone in a program: a kernel that makes no other call is compiled and
 * launched, on an object of the right shape, and on copies of it that say that they are of another
 * one: those it refuses at once and leaves as they are.
 *
 *   test_alone KIND[:FUNCTION]...   KIND and FUNCTION with * and ?; --list names them
 *
 * CLADE_DEVICE   which device; default: PoCL
 *
 * What crashes a compiler crashes a child: the parent says which function it was, and goes on with
 * the next one in another child. The parent itself never calls OpenCL. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alone/alone.h"
#include "harness/end_after.h"
#include "harness/fixture.h"

/* Compiling is within it. */
enum { SECONDS_MOST = 300 };
/* A refusal is a launch that does nothing: well under this even where all cores are busy, in one of
 * several tries. (On llvmpipe the first one may compile anew.) */
#define REFUSAL_SECONDS 0.5
enum { REFUSAL_TRIES = 10 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- in the child: it ends with the first thing that goes wrong ------------------------------ */

static void must(clade_status status, const char *what)
{
    if (status == CLADE_OK)
        return;
    printf("FAILED %s: %s %s\n%s\n", what, clade_status_name(status), clade_error_last()->message,
           clade_error_last()->log);
    exit(1);
}

static void must_cl(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    printf("FAILED %s: OpenCL says %d\n", what, code);
    exit(1);
}

static cl_mem buffer(const struct world *w, size_t bytes, const void *content)
{
    cl_int code;
    cl_mem mem = clCreateBuffer(clade_context_cl_context(w->context),
                                CL_MEM_READ_WRITE | (content ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                                (void *)(uintptr_t)content, &code);
    must_cl(code, "clCreateBuffer");
    return mem;
}

static char *content_of(const struct world *w, cl_mem mem, size_t *bytes)
{
    must_cl(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof *bytes, bytes, NULL), "clGetMemObjectInfo");
    char *content = malloc(*bytes);
    must(content ? CLADE_OK : CLADE_E_NOMEM, "malloc");
    must_cl(clEnqueueReadBuffer(clade_context_cl_queue(w->context), mem, CL_TRUE, 0, *bytes,
                                content, 0, NULL, NULL),
            "clEnqueueReadBuffer");
    return content;
}

static cl_kernel build(const struct world *w, const struct kind *kind, const struct call *call,
                       clade_program **program)
{
    char source[4096];
    cl_kernel kernel;
    const int length =
        snprintf(source, sizeof source,
                 "%s#ifndef KMA\n#define KMA void\n#endif\n"
                 "__kernel void alone(__global OBJECT *O, __global KMA *kma, __global uint *out,\n"
                 "                    __global ulong *room)\n{\n"
                 "    const uint item = (uint)get_global_id(0);\n    uint said = 0u, got = 0u;\n"
                 "    %s\n    out[2u * item] = said;\n    out[2u * item + 1u] = got;\n}\n",
                 kind->head, call->body);
    must(length > 0 && (size_t)length < sizeof source ? CLADE_OK : CLADE_E_NOMEM, "the source");
    must(clade_program_build(program, w->context,
                             &(clade_program_params) { .source = source, .options = w->options }),
         call->function);
    must(clade_program_kernel(&kernel, *program, "alone"), call->function);
    return kernel;
}

/* One launch on these; how long it took. */
static double launch(const struct world *w, cl_kernel kernel, cl_mem object, cl_mem kma, cl_mem out,
                     cl_mem room, uint32_t *said)
{
    cl_command_queue queue = clade_context_cl_queue(w->context);
    const cl_mem args[] = { object ? object : room, kma ? kma : room, out, room };
    for (cl_uint i = 0; i < 4; i++)
        must_cl(clSetKernelArg(kernel, i, sizeof args[i], &args[i]), "clSetKernelArg");
    const double start = now();
    must_cl(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &w->items, &w->items, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
    must_cl(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 8 * w->items, said, 0, NULL, NULL),
            "clEnqueueReadBuffer");
    return now() - start;
}

static void refused(const struct world *w, const struct call *call, const uint32_t *said,
                    double seconds, uint32_t shape)
{
    const uint32_t wanted = call->refusal == BY_STATUS ? (uint32_t)CLADE_E_ARG : 0;
    for (size_t i = 0; i < w->items; i++)
        if (said[2 * i] != wanted) {
            printf("FAILED %s: item %zu, shape 0x%08x for 0x%08x: %d\n", call->function, i, shape,
                   w->shape, (int)said[2 * i]);
            exit(1);
        }
    if (seconds > REFUSAL_SECONDS) {
        printf("FAILED %s: refused after %.1f s\n", call->function, seconds);
        exit(1);
    }
}

/* Nothing changed; an allocator may have noted the refusal as its object's first error. */
static void unchanged(const struct world *w, const struct call *call, cl_mem mem,
                      const char *before, bool may_note)
{
    size_t bytes;
    char *after = content_of(w, mem, &bytes);
    if (may_note)
        memcpy(after + offsetof(clade_object_head, first_error),
               before + offsetof(clade_object_head, first_error), 8);
    for (size_t i = 0; i < bytes; i++)
        if (after[i] != before[i]) {
            printf("FAILED %s: byte %zu of an object of another shape was written\n",
                   call->function, i);
            exit(1);
        }
    free(after);
}

/* `mem` says that it is of another shape: so does a copy of it. */
static void try_shape(const struct world *w, const struct call *call, cl_kernel kernel, cl_mem mem,
                      uint32_t shape, cl_mem out, cl_mem room)
{
    size_t bytes;
    uint32_t said[2 * ITEMS_MOST * 16];
    const bool is_kma = mem == w->kma;
    char *content = content_of(w, mem, &bytes);
    memcpy(content + offsetof(clade_object_head, shape), &shape, sizeof shape);
    cl_mem copy = buffer(w, bytes, content);
    double seconds = 2 * REFUSAL_SECONDS;
    for (int i = 0; i < REFUSAL_TRIES && seconds > REFUSAL_SECONDS; i++)
        seconds =
            launch(w, kernel, is_kma ? w->object : copy, is_kma ? copy : w->kma, out, room, said);
    refused(w, call, said, seconds, shape);
    unchanged(w, call, copy, content, true);
    clReleaseMemObject(copy);
    free(content);
}

static void try_call(const struct world *w, const struct kind *kind, const struct call *call)
{
    uint32_t said[2 * ITEMS_MOST * 16] = { 0 };
    clade_program *program;
    cl_mem out = buffer(w, sizeof said, said), room = buffer(w, sizeof w->room, w->room);
    const double start = now();
    cl_kernel kernel = build(w, kind, call, &program);
    launch(w, kernel, w->object, w->kma, out, room, said);
    for (size_t i = 0; i < w->items; i++)
        if (call->refusal == BY_STATUS && (clade_status)said[2 * i] == CLADE_E_ARG) {
            printf("FAILED %s: an object of its shape is refused\n", call->function);
            exit(1);
        }
    const double seconds = now() - start;
    size_t tried = 0;
    if (call->refusal != NEVER) {
        for (; tried < WRONG_MOST && w->wrong[tried]; tried++)
            try_shape(w, call, kernel, w->object, w->wrong[tried], out, room);
        try_shape(w, call, kernel, w->object, 0, out, room);
        try_shape(w, call, kernel, w->object, CLADE_SHAPE(15, w->shape & 0xfffffffu), out, room);
        tried += 2;
        if (w->kma && strstr(call->body, "kma") && !strstr(call->function, "_size_wi")) {
            try_shape(w, call, kernel, w->kma, CLADE_KMA_OBJECT_SHAPE(1), out, room);
            tried++;
        }
    }
    printf("ok %s %s: %.1f s, refused %zu shapes\n", kind->name, call->function, seconds, tried);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clReleaseMemObject(out);
    clReleaseMemObject(room);
}

static bool is_asked_for(const struct kind *kind, const struct call *call, int argc, char **argv)
{
    char name[128];
    snprintf(name, sizeof name, "%s:%s", kind->name, call->function);
    for (int i = 1; i < argc; i++)
        if (fnmatch(argv[i], name, 0) == 0 || fnmatch(argv[i], kind->name, 0) == 0)
            return true;
    return false;
}

/* All that is asked for of a kind from function `first` on; each one's number goes to the parent
 * before it begins. */
static void run_child(const struct kind *kind, size_t first, int argc, char **argv, int to_parent)
{
    static struct world w;
    end_after(SECONDS_MOST);
    const clade_status opened =
        clade_context_create(&w.context, &(clade_context_params) { .device = fixture_device() });
    if (opened != CLADE_OK && fixture_has_no_device()) {
        printf("skipped: %s\n", clade_error_last()->message);
        fflush(stdout);
        _exit(TEST_SKIPPED);
    }
    must(opened, "clade_context_create");
    w.caps = clade_context_caps(w.context);
    w.items = ITEMS_MOST;
    must(kind->open(&w, kind), kind->name);
    for (size_t i = first; i < kind->count; i++)
        if (is_asked_for(kind, &kind->calls[i], argc, argv)) {
            if (write(to_parent, &i, sizeof i) != sizeof i)
                exit(1);
            end_after(SECONDS_MOST);
            try_call(&w, kind, &kind->calls[i]);
            fflush(stdout);
        }
    fflush(stdout);
    _exit(0); /* what the context holds goes with the process */
}

/* --- in the parent ---------------------------------------------------------------------------- */

/* One child; *next: the function after the one that it ended in. 0: it came through, 1: not,
 * TEST_SKIPPED: there is no such device. */
static int run_from(const struct kind *kind, size_t *next, int argc, char **argv)
{
    int ends[2], status = 0;
    size_t at = 0, began = 0;
    fflush(stdout);
    if (pipe(ends) != 0)
        return 1;
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(kind, *next, argc, argv, ends[1]);
    }
    close(ends[1]);
    while (child > 0 && read(ends[0], &at, sizeof at) == sizeof at)
        began++;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIPPED)
        return TEST_SKIPPED;
    const char *name = began ? kind->calls[at].function : "making the object";
    if (WIFSIGNALED(status))
        printf("FAILED %s %s: %s (signal %d)\n", kind->name, name,
               WTERMSIG(status) == SIGPROF ? "did not end" : "crashed", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        printf("FAILED %s %s\n", kind->name, name);
    *next = began && (WIFSIGNALED(status) || WEXITSTATUS(status)) ? at + 1 : kind->count;
    return WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
}

int main(int argc, char **argv)
{
    int failed = 0, ran = 0;
    const bool lists = argc == 2 && strcmp(argv[1], "--list") == 0;
    for (size_t k = 0; k < kind_count; k++)
        for (const struct kind *kind = kinds[k]; kind->name; kind++) {
            size_t asked = 0, next = 0;
            for (size_t i = 0; i < kind->count; i++) {
                asked += is_asked_for(kind, &kind->calls[i], argc, argv);
                if (lists)
                    printf("%s:%s\n", kind->name, kind->calls[i].function);
            }
            ran += asked > 0;
            while (asked > 0 && next < kind->count) {
                const int outcome = run_from(kind, &next, argc, argv);
                if (outcome == TEST_SKIPPED)
                    return TEST_SKIPPED;
                failed += outcome;
            }
        }
    if (lists)
        return 0;
    if (ran == 0)
        printf("nothing is named so; --list has the names\n");
    return ran == 0 ? TEST_NOT_RUN : failed != 0;
}
