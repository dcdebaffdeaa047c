/* SPDX-License-Identifier: Apache-2.0 */
/* `clade list`: a file of operations on a file of nodes, all at once on a device. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/listfile.h"
#include "command/clade.h"
#include "common/clock.h"
#include "common/options.h"
#include "common/outfile.h"
#include "common/progress.h"

struct options {
    const char *device, *out;
    bool sequential, check, walk;
    bool generate;
    uint64_t node_count, op_count, seed;
    const char *nodes, *ops;
};

/* What a run gave. */
struct result {
    int32_t *statuses;
    uint32_t *collisions; /* of each operation; none when sequential */
    uint32_t *left;       /* values in list order */
    size_t left_count;
    uint32_t *raw; /* with the erased ones */
    uint8_t *erased;
    size_t raw_count;
    uint64_t insert_collisions, erase_collisions;
    double ms;
};

static bool make_result(struct result *result, const struct listfile *file)
{
    const size_t cells = file->node_count + file->op_count + 1;
    *result = (struct result) {
        .statuses = calloc(file->op_count + 1, sizeof(int32_t)),
        .collisions = calloc(file->op_count + 1, sizeof(uint32_t)),
        .left = calloc(cells, sizeof(uint32_t)),
        .raw = calloc(cells, sizeof(uint32_t)),
        .erased = calloc(cells, 1),
    };
    if (result->statuses && result->collisions && result->left && result->raw && result->erased)
        return true;
    fprintf(stderr, "clade list: memory is out\n");
    return false;
}

static void free_result(struct result *result)
{
    free(result->statuses);
    free(result->collisions);
    free(result->left);
    free(result->raw);
    free(result->erased);
}

/* The operations lie in device memory before the clock starts, as they would for a kernel's. */
static clade_status run_operations(clade_context *context, clade_list *list,
                                   const struct listfile *file, struct result *result)
{
    const size_t bytes = file->op_count * sizeof(uint32_t);
    const uint32_t *const inputs[] = { file->ops, file->values, file->targets, NULL, NULL };
    cl_command_queue queue = clade_context_cl_queue(context);
    cl_mem mems[5] = { NULL };
    cl_int code = CL_SUCCESS;
    clade_status status = CLADE_OK;
    for (int i = 0; i < 5 && code == CL_SUCCESS; i++) {
        mems[i] = clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE, bytes, NULL,
                                 &code);
        if (code == CL_SUCCESS && inputs[i])
            code =
                clEnqueueWriteBuffer(queue, mems[i], CL_TRUE, 0, bytes, inputs[i], 0, NULL, NULL);
    }
    if (code == CL_SUCCESS)
        status = clade_finish(context);
    const double start = now_ms();
    if (code == CL_SUCCESS && status == CLADE_OK)
        status = clade_list_apply_counted(list, clade_device(mems[0], 0), clade_device(mems[1], 0),
                                          clade_device(mems[2], 0), clade_device(mems[4], 0),
                                          file->op_count, clade_device(mems[3], 0), NULL);
    if (code == CL_SUCCESS && status == CLADE_OK)
        status = clade_finish(context);
    result->ms = now_ms() - start;
    if (code == CL_SUCCESS && status == CLADE_OK)
        code =
            clEnqueueReadBuffer(queue, mems[3], CL_TRUE, 0, bytes, result->statuses, 0, NULL, NULL);
    if (code == CL_SUCCESS && status == CLADE_OK)
        code = clEnqueueReadBuffer(queue, mems[4], CL_TRUE, 0, bytes, result->collisions, 0, NULL,
                                   NULL);
    for (int i = 0; i < 5; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    if (code != CL_SUCCESS)
        fprintf(stderr, "clade list: an OpenCL call failed (%d)\n", code);
    else if (status != CLADE_OK)
        report_error();
    return code != CL_SUCCESS ? CLADE_E_DEVICE : status;
}

static bool read_list(clade_list *list, const struct listfile *file, struct result *result)
{
    const uint64_t cells = file->node_count + file->op_count + 1;
    clade_list_stats stats;
    uint64_t raw = 0, left = 0;
    if (clade_list_check(list) != CLADE_OK ||
        clade_list_read(list, result->raw, NULL, result->erased, cells, &raw) != CLADE_OK ||
        clade_list_read(list, result->left, NULL, NULL, cells, &left) != CLADE_OK ||
        clade_list_stats_read(list, &stats) != CLADE_OK) {
        report_error();
        return false;
    }
    result->raw_count = (size_t)raw;
    result->left_count = (size_t)left;
    result->insert_collisions = stats.insert_collisions;
    result->erase_collisions = stats.erase_collisions;
    return true;
}

static bool run_parallel(const struct options *o, const struct listfile *file,
                         struct result *result)
{
    clade_context *context = NULL;
    clade_list *list = NULL;
    const clade_list_params params = { .capacity = file->node_count + file->op_count + 1,
                                       .mode = CLADE_LIST_UNORDERED,
                                       .find = o->walk ? CLADE_LIST_WALK : CLADE_LIST_INDEXED };
    bool done = false;
    if (clade_context_create(
            &context, &(clade_context_params) { .device = o->device,
                                                .on_compile = progress_compile }) != CLADE_OK ||
        clade_list_create(&list, context, &params) != CLADE_OK ||
        clade_list_insert_front(list, clade_host(file->nodes), file->node_count, clade_no_array(),
                                NULL) != CLADE_OK)
        report_error();
    else if (file->op_count == 0 || run_operations(context, list, file, result) == CLADE_OK)
        done = read_list(list, file, result);
    clade_list_destroy(&list);
    clade_context_destroy(&context);
    return done;
}

static bool run_sequential(const struct listfile *file, struct result *result)
{
    const double start = now_ms();
    result->left_count = listfile_run(file, NULL, result->statuses, result->left);
    result->ms = now_ms() - start;
    if (result->left_count == SIZE_MAX)
        fprintf(stderr, "clade list: memory is out\n");
    return result->left_count != SIZE_MAX;
}

static bool write_out(const char *path, const struct result *result)
{
    struct outfile out;
    FILE *to = outfile_open(&out, path);
    if (to)
        fprintf(to, "%zu\n", result->left_count);
    for (size_t i = 0; to && i < result->left_count; i++)
        fprintf(to, "%u\n", result->left[i]);
    if (outfile_close(&out))
        return true;
    fprintf(stderr, "clade list: %s cannot be written: %s\n", path, strerror(errno));
    return false;
}

static void print_result(const struct listfile *file, const struct result *result, bool sequential)
{
    size_t inserted = 0, erased = 0, missed = 0, refused = 0, met = 0;
    uint32_t most = 0;
    for (size_t i = 0; i < file->op_count; i++) {
        const int32_t status = result->statuses[i];
        inserted += status == CLADE_OK && file->ops[i] == CLADE_LIST_INSERT_AFTER;
        erased += status == CLADE_OK && file->ops[i] == CLADE_LIST_ERASE;
        missed += status == CLADE_E_NOT_FOUND;
        refused += status != CLADE_OK && status != CLADE_E_NOT_FOUND;
        met += result->collisions[i] > 0;
        most = result->collisions[i] > most ? result->collisions[i] : most;
    }
    printf("nodes       %zu\noperations  %zu\n", file->node_count, file->op_count);
    printf("inserted    %zu\nremoved     %zu\n", inserted, erased);
    printf("not found   %zu\nrefused     %zu\n", missed, refused);
    printf("length      %zu\n", result->left_count);
    if (!sequential)
        printf("collisions  %" PRIu64 " of inserts, %" PRIu64
               " of erasures; of %zu operations, %u at most in one\n",
               result->insert_collisions, result->erase_collisions, met, most);
    printf("time        %.3f ms\n", result->ms);
}

static int run(const struct options *o, const struct listfile *file)
{
    struct result result;
    char why[160] = "";
    int exit_status = EXIT_FAILED;
    bool done = make_result(&result, file);
    done = done && (o->sequential ? run_sequential(file, &result) : run_parallel(o, file, &result));
    if (done)
        print_result(file, &result, o->sequential);
    if (done && o->check) {
        done = listfile_prove(file, result.statuses, result.raw, result.erased, result.raw_count,
                              why, sizeof why);
        if (done)
            printf(
                "check       an order of all %zu operations gives these outcomes and this list\n",
                file->op_count);
        else
            fprintf(stderr, "clade list: no order explains the outcomes: %s\n", why);
    }
    if (done && o->out)
        done = write_out(o->out, &result);
    if (done)
        exit_status = EXIT_DONE;
    free_result(&result);
    return exit_status;
}

static int generate(const struct options *o)
{
    struct listfile file;
    struct file_error error;
    if (!listfile_generate(&file, (size_t)o->node_count, (size_t)o->op_count, o->seed)) {
        fprintf(stderr, "clade list: memory is out\n");
        return EXIT_FAILED;
    }
    const bool done = listfile_write(&file, o->nodes, o->ops, &error);
    if (!done)
        fprintf(stderr, "clade list: %s\n", error.text);
    listfile_free(&file);
    return done ? EXIT_DONE : EXIT_FAILED;
}

/* "NODES:OPS" counts of --generate. */
static bool parse_counts(const char *text, struct options *o)
{
    char copy[64];
    char *colon;
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    colon = strchr(copy, ':');
    if (!colon)
        return false;
    *colon = '\0';
    o->generate = true;
    return option_number(copy, 0, CLADE_LIST_CAPACITY_MAX / 2, &o->node_count) &&
           option_number(colon + 1, 0, CLADE_LIST_CAPACITY_MAX / 2, &o->op_count);
}

int command_list(int argc, char **argv)
{
    enum { DEVICE = 256, OUT, SEQUENTIAL, CHECK, WALK, GENERATE, SEED };
    static const struct option known[] = {
        { "device", required_argument, NULL, DEVICE },
        { "out", required_argument, NULL, OUT },
        { "sequential", no_argument, NULL, SEQUENTIAL },
        { "check", no_argument, NULL, CHECK },
        { "walk", no_argument, NULL, WALK },
        { "generate", required_argument, NULL, GENERATE },
        { "seed", required_argument, NULL, SEED },
        { 0 },
    };
    struct options o = { .seed = 1 };
    struct listfile file;
    struct file_error error;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == DEVICE)
            o.device = optarg;
        else if (option == OUT)
            o.out = optarg;
        else if (option == SEQUENTIAL)
            o.sequential = true;
        else if (option == CHECK)
            o.check = true;
        else if (option == WALK)
            o.walk = true;
        else if (option == GENERATE && !parse_counts(optarg, &o))
            return report_usage("list", "\"%s\" is not a pair of counts NODES:OPS", optarg);
        else if (option == SEED && !option_number(optarg, 0, UINT64_MAX, &o.seed))
            return report_usage("list", "the seed \"%s\" is no number", optarg);
        else if (option == '?')
            return report_usage("list", "\"%s\" is no argument of it, or lacks its value",
                                argv[optind - 1]);
    }
    if (argc - optind != 2)
        return report_usage("list", "it takes two files, NODES and OPS");
    if (o.sequential && o.check)
        return report_usage("list", "--check proves a parallel run; --sequential has its order");
    o.nodes = argv[optind];
    o.ops = argv[optind + 1];
    if (o.generate)
        return generate(&o);
    if (!listfile_read(&file, o.nodes, o.ops, &error)) {
        fprintf(stderr, "clade list: %s\n", error.text);
        return EXIT_FAILED;
    }
    const int exit_status = run(&o, &file);
    listfile_free(&file);
    return exit_status;
}
