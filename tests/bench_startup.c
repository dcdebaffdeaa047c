/* SPDX-License-Identifier: Apache-2.0 */
/* How long from a program's start to its first kernel's end: with nothing kept, with the cache on
 * disk, with an archive; beside it, what the driver alone takes for a context and a queue.
 *
 *   bench_startup FOLDER KERNEL.cl [MORE]...
 *
 * KERNEL.cl has a kernel `count` (tests/cl/startup.cl) that is run. MORE is a kernel file, whose
 * kernels are only made, or "heap": a heap is made and used. Each time is the median of several new
 * processes. FOLDER receives caches, the drivers' own too: those are emptied before every start, or
 * off. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <clade/clade.h>

enum { RUNS = 5 };

extern char **environ;

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_startup: %s: %s\n", what, clade_error_last()->message);
    exit(1);
}

static void check(clade_status status, const char *what)
{
    if (status != CLADE_OK)
        fail(what);
}

/* --- one start, in a process of its own ------------------------------------------------------ */

/* The pair of the device that clade chooses. In a child: a GPU may be one process's at a time. */
static int print_pair(void)
{
    clade_context *context;
    clade_device_list list;
    check(clade_context_create(&context, NULL), "the context");
    check(clade_device_list_create(&list), "devices");
    for (size_t i = 0; i < list.device_count; i++)
        if (list.devices[i].id == clade_context_cl_device(context)) {
            printf("%u %u 0 0\n", list.devices[i].platform_index, list.devices[i].device_index);
            fprintf(stderr, "%s, %s, driver %s\n", list.devices[i].name, list.devices[i].platform,
                    list.devices[i].driver_version);
        }
    clade_device_list_free(&list);
    clade_context_destroy(&context);
    return 0;
}

/* What any OpenCL program pays on this device. */
static int start_driver(unsigned p, unsigned d)
{
    double start = now_ms();
    cl_platform_id platforms[16];
    cl_device_id devices[64];
    cl_uint count = 0;
    cl_int code = clGetPlatformIDs(16, platforms, &count);
    if (code != CL_SUCCESS || p >= count ||
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &count) != CL_SUCCESS ||
        d >= count)
        fail("the device is gone");
    cl_context context = clCreateContext(NULL, 1, &devices[d], NULL, NULL, &code);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, devices[d], NULL, &code);
    if (code != CL_SUCCESS)
        fail("the driver's own context");
    printf("%f 0 0 0\n", now_ms() - start);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}

static int run_first(clade_context *context, const char *file)
{
    clade_program *program;
    cl_kernel kernel;
    cl_int code;
    cl_uint sum = 0;
    const size_t items = 64;
    cl_command_queue queue = clade_context_cl_queue(context);
    check(clade_program_build(&program, context, &(clade_program_params) { .file = file }), file);
    check(clade_program_kernel(&kernel, program, "count"), file);
    cl_mem mem = clCreateBuffer(clade_context_cl_context(context),
                                CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof sum, &sum, &code);
    clSetKernelArg(kernel, 0, sizeof mem, &mem);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    code = clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL);
    if (code != CL_SUCCESS || sum != items)
        fail("the kernel did not count");
    int origin = clade_program_origin(program);
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    return origin;
}

static void make_kernels(clade_context *context, const char *file)
{
    clade_program *program;
    cl_kernel kernels[64];
    cl_uint count = 0;
    check(clade_program_build(&program, context, &(clade_program_params) { .file = file }), file);
    if (clCreateKernelsInProgram(clade_program_cl(program), 64, kernels, &count) != CL_SUCCESS)
        fail(file);
    for (cl_uint i = 0; i < count; i++)
        clReleaseKernel(kernels[i]);
    clade_program_destroy(&program);
}

/* A structure of the library: its kernels, and its first use. */
static void make_heap(clade_context *context)
{
    clade_heap *heap;
    int32_t keys[] = { 3, 1, 2 };
    check(clade_heap_create(&heap, context, &(clade_heap_params) { .capacity = 100000 }), "heap");
    check(clade_heap_insert(heap, clade_host(keys), (clade_array) { 0 }, 3, NULL), "heap");
    check(clade_heap_check(heap), "heap");
    clade_heap_destroy(&heap);
}

/* Prints milliseconds to the open context, to the first kernel's end, to all kernels made. */
static int child(char **files, int count)
{
    clade_context *context;
    const char *keep = getenv("BENCH_ARCHIVE");
    double start = now_ms(), open, first;
    check(clade_context_create(&context, NULL), "the context");
    open = now_ms();
    int origin = run_first(context, files[0]);
    first = now_ms();
    for (int i = 1; i < count; i++)
        if (strcmp(files[i], "heap") == 0)
            make_heap(context);
        else
            make_kernels(context, files[i]);
    printf("%f %f %f %d\n", open - start, first - start, now_ms() - start, origin);
    if (keep) {
        clade_archive *archive;
        check(clade_archive_create(&archive), "the archive");
        check(clade_archive_add_context(archive, context), "the archive");
        check(clade_archive_write(archive, keep), "the archive");
        clade_archive_destroy(&archive);
    }
    clade_context_destroy(&context);
    return 0;
}

/* --- many starts ----------------------------------------------------------------------------- */

struct times {
    double open, first, all;
    int origin;
};

/* `mode` and NULL-terminated words are a child's arguments. */
static struct times start(const char *mode, char **words)
{
    char *arguments[64] = { (char *)(size_t) "/proc/self/exe", (char *)(size_t)mode };
    int pipes[2], status;
    pid_t pid;
    struct times times = { 0 };
    posix_spawn_file_actions_t actions;
    for (int i = 0; i < 60 && words && words[i]; i++)
        arguments[i + 2] = words[i];
    if (pipe(pipes) != 0 || posix_spawn_file_actions_init(&actions) != 0)
        exit(1);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
    posix_spawn_file_actions_addclose(&actions, pipes[0]);
    if (posix_spawn(&pid, arguments[0], &actions, NULL, arguments, environ) != 0)
        exit(1);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    FILE *in = fdopen(pipes[0], "r");
    if (!in ||
        fscanf(in, "%lf %lf %lf %d", &times.open, &times.first, &times.all, &times.origin) != 4)
        times.origin = -1;
    if (in)
        fclose(in);
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
        times.origin < 0)
        exit(1);
    return times;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, RUNS, sizeof *values, by_size);
    return values[RUNS / 2];
}

static void remove_tree(const char *folder)
{
    char *arguments[] = { (char *)(size_t) "/bin/rm", (char *)(size_t) "-rf",
                          (char *)(size_t)folder, NULL };
    pid_t pid;
    if (posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environ) == 0)
        waitpid(pid, NULL, 0);
}

static void measure(const char *what, const char *mode, char **words, const char *emptied)
{
    static const char *const origins[] = { "", "compiler", "memory", "cache", "archive" };
    double open[RUNS], first[RUNS], all[RUNS];
    int origin = 0;
    for (int i = 0; i < RUNS; i++) {
        if (emptied)
            remove_tree(emptied);
        struct times times = start(mode, words);
        open[i] = times.open;
        first[i] = times.first;
        all[i] = times.all;
        origin = times.origin;
    }
    printf("%-16s %10.1f %12.1f %12.1f  %s\n", what, median(open), median(first), median(all),
           origins[origin]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char archive[4096], cache[4096], drivers[4096];
    if (argc >= 2 && strcmp(argv[1], "--pair") == 0)
        return print_pair();
    if (argc >= 4 && strcmp(argv[1], "--driver") == 0)
        return start_driver((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
    if (argc >= 2 && strcmp(argv[1], "--child") == 0)
        return child(argv + 2, argc - 2);
    if (argc < 3) {
        fprintf(stderr, "usage: bench_startup FOLDER KERNEL.cl [MORE]...\n");
        return 2;
    }
    snprintf(archive, sizeof archive, "%s/archive.clar", argv[1]);
    snprintf(cache, sizeof cache, "%s/cache", argv[1]);
    snprintf(drivers, sizeof drivers, "%s/drivers", argv[1]);
    setenv("POCL_CACHE_DIR", drivers, 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    setenv("CLADE_CACHE_DIR", "", 1);
    setenv("CLADE_ARCHIVE", "", 1);
    struct times found = start("--pair", NULL);
    char p[16], d[16], *pair[] = { p, d, NULL };
    snprintf(p, sizeof p, "%u", (unsigned)found.open);
    snprintf(d, sizeof d, "%u", (unsigned)found.first);
    printf("milliseconds to:     context first kernel  all kernels  from\n");
    measure("driver alone", "--driver", pair, NULL);
    measure("nothing kept", "--child", argv + 2, drivers);
    setenv("CLADE_CACHE_DIR", cache, 1);
    setenv("BENCH_ARCHIVE", archive, 1);
    (void)start("--child", argv + 2);
    unsetenv("BENCH_ARCHIVE");
    measure("cache on disk", "--child", argv + 2, drivers);
    setenv("CLADE_CACHE_DIR", "", 1);
    setenv("CLADE_ARCHIVE", archive, 1);
    measure("archive", "--child", argv + 2, drivers);
    remove_tree(cache);
    remove_tree(drivers);
    remove_tree(archive);
    return 0;
}
