/* SPDX-License-Identifier: Apache-2.0 */
/* How long from a program's start to its first kernel's end: with nothing kept, with the cache on
 * disk, with an archive; beside it, what the driver alone takes for a context and a queue.
 *
 *   bench_startup [-r ROUNDS] [-c COLD_ROUNDS] FOLDER KERNEL.cl [MORE]...
 *
 * KERNEL.cl has a kernel `count` (tests/bench/startup.cl) that is run. MORE is a kernel file, whose
 * kernels are only made, or a structure ("heap"), of which one is made and used. All ways to start
 * take turns, so that a machine that changes its pace changes it for all; each time is the median
 * of the rounds, each start a new process. FOLDER receives caches, the drivers' own too: those are
 * emptied before every start but in the last row, or off. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "warm/warm.h"

enum { ROUNDS_MAX = 100, TIMES_MAX = 20 };

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
            printf("0 %u %u\n", list.devices[i].platform_index, list.devices[i].device_index);
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
    printf("0 %f\n", now_ms() - start);
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

/* --- a structure's kernels, and its first use ------------------------------------------------ */

static void use(clade_context *context, const char *what)
{
    static const struct {
        const char *name;
        clade_status (*use)(clade_context *context);
    } structures[] = {
#define FIRST_USE(structure) { #structure, warm_##structure },
        CLADE_WARM(FIRST_USE)
    };
    for (size_t i = 0; i < sizeof structures / sizeof structures[0]; i++)
        if (strcmp(what, structures[i].name) == 0) {
            check(structures[i].use(context), what);
            check(clade_finish(context), what);
            return;
        }
    make_kernels(context, what);
}

/* Prints where the first kernel came from, then milliseconds: to the open context, to the first
 * kernel's end, and what each of `files` took from there. */
static int child(char **files, int count)
{
    clade_context *context;
    const char *keep = getenv("BENCH_ARCHIVE");
    double start = now_ms(), times[TIMES_MAX];
    check(clade_context_create(&context, NULL), "the context");
    times[0] = now_ms() - start;
    int origin = run_first(context, files[0]);
    times[1] = now_ms() - start;
    for (int i = 1; i < count; i++) {
        start = now_ms();
        use(context, files[i]);
        times[i + 1] = now_ms() - start;
    }
    printf("%d", origin);
    for (int i = 0; i <= count; i++)
        printf(" %f", times[i]);
    printf("\n");
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
    double ms[TIMES_MAX];
    size_t count;
    int origin;
};

static void read_times(struct times *times, FILE *in)
{
    char line[1024], *at = line;
    times->origin = -1;
    if (!fgets(line, sizeof line, in))
        return;
    times->origin = (int)strtol(line, &at, 10);
    for (char *end; times->count < TIMES_MAX; at = end) {
        times->ms[times->count] = strtod(at, &end);
        if (end == at)
            return;
        times->count++;
    }
}

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
    if (in) {
        read_times(&times, in);
        fclose(in);
    }
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

static void remove_tree(const char *folder)
{
    char *arguments[] = { (char *)(size_t) "/bin/rm", (char *)(size_t) "-rf",
                          (char *)(size_t)folder, NULL };
    pid_t pid;
    if (posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environ) == 0)
        waitpid(pid, NULL, 0);
}

/* One way to start. */
struct way {
    const char *name, *mode;
    char **words;
    const char *cache, *archive, *emptied; /* "": none; emptied before each start, or NULL */
    size_t rounds;
    struct times times[ROUNDS_MAX];
};

static void start_once(struct way *way, size_t round)
{
    setenv("CLADE_CACHE_DIR", way->cache, 1);
    setenv("CLADE_ARCHIVE", way->archive, 1);
    if (way->emptied)
        remove_tree(way->emptied);
    way->times[round] = start(way->mode, way->words);
}

static void print_way(const struct way *way)
{
    static const char *const origins[] = { "", "compiler", "memory", "cache", "archive" };
    printf("%-16s", way->name);
    for (size_t i = 0; i < way->times[0].count; i++) {
        double values[ROUNDS_MAX];
        for (size_t r = 0; r < way->rounds; r++)
            values[r] = way->times[r].ms[i];
        qsort(values, way->rounds, sizeof *values, by_size);
        printf(" %12.1f", values[way->rounds / 2]);
    }
    printf("  %s\n", origins[way->times[0].origin]);
}

static void measure(char **words, const char *folder, size_t rounds, size_t cold)
{
    char archive[4096], cache[4096], drivers[4096];
    static struct way ways[5];
    snprintf(archive, sizeof archive, "%s/archive.clar", folder);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    snprintf(drivers, sizeof drivers, "%s/drivers", folder);
    setenv("POCL_CACHE_DIR", drivers, 1);
    struct times found = start("--pair", NULL);
    char p[16], d[16], *pair[] = { p, d, NULL };
    snprintf(p, sizeof p, "%u", (unsigned)found.ms[0]);
    snprintf(d, sizeof d, "%u", (unsigned)found.ms[1]);
    static const char *const names[] = { "driver alone", "nothing kept", "cache on disk", "archive",
                                         "archive, again" };
    for (size_t w = 0; w < 5; w++)
        ways[w] = (struct way) {
            .name = names[w],
            .mode = w == 0 ? "--driver" : "--child",
            .words = w == 0 ? pair : words,
            .cache = w == 2 ? cache : "",
            .archive = w >= 3 ? archive : "",
            .emptied = w == 0 || w == 4 ? NULL : drivers,
            .rounds = w == 1 ? cold : rounds,
        };
    /* The archive after the kernels ran, and without a cache, for which a program's binary is asked
     * before: PoCL compiles for the group sizes that are launched, and tells what it had compiled
     * when it was first asked. */
    setenv("BENCH_ARCHIVE", archive, 1);
    start_once(&ways[1], 0);
    unsetenv("BENCH_ARCHIVE");
    start_once(&ways[2], 0); /* fills the cache */
    for (size_t r = 0; r < rounds; r++)
        for (size_t w = 0; w < 5; w++)
            if (r < ways[w].rounds)
                start_once(&ways[w], r);
    printf("%-16s %12s %12s", "milliseconds", "context", "first kernel");
    for (size_t i = 1; words[i]; i++) {
        const char *slash = strrchr(words[i], '/');
        printf(" %12s", slash ? slash + 1 : words[i]);
    }
    printf("  from\n");
    for (size_t w = 0; w < 5; w++)
        if (ways[w].rounds > 0)
            print_way(&ways[w]);
    remove_tree(cache);
    remove_tree(drivers);
    remove_tree(archive);
}

int main(int argc, char **argv)
{
    size_t rounds = 5, cold = 3;
    int option;
    if (argc >= 2 && strcmp(argv[1], "--pair") == 0)
        return print_pair();
    if (argc >= 4 && strcmp(argv[1], "--driver") == 0)
        return start_driver((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
    if (argc >= 2 && strcmp(argv[1], "--child") == 0)
        return child(argv + 2, argc - 2 < TIMES_MAX - 1 ? argc - 2 : TIMES_MAX - 1);
    while ((option = getopt(argc, argv, "r:c:")) != -1)
        *(option == 'c' ? &cold : &rounds) = option == '?' ? 0 : strtoul(optarg, NULL, 10);
    if (argc - optind < 2 || rounds < 1 || rounds > ROUNDS_MAX || cold > rounds) {
        fprintf(stderr, "usage: bench_startup [-r ROUNDS] [-c COLD_ROUNDS] FOLDER KERNEL.cl "
                        "[MORE]...\n");
        return 2;
    }
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    setenv("CLADE_CACHE_DIR", "", 1);
    setenv("CLADE_ARCHIVE", "", 1);
    measure(argv + optind + 1, argv[optind], rounds, cold);
    return 0;
}
