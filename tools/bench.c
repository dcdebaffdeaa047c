/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench`: runs suites of measurements and writes what they found. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "bench_internal.h"
#include "clade.h"
#include "options.h"

/* One line a structure. */
static const struct bench_suite suites[] = {
    { "adheap", "ad-heap and k-selection: the paper's experiment, and feeds", bench_adheap },
    { "heap", "the heap: whole arrays, and groups at once in a kernel", bench_heap },
    { "kma", "the allocator: blocks by size, pairs in a kernel, how full a heap gets", bench_kma },
    { "list", "lists: the tables of xDarkLemon, and ordered sets", bench_list },
    { "rbtree", "the red-black tree: every operation, beside std::map", bench_rbtree },
    { "semilist", "semi-linked lists: the table of Mulder", bench_semilist },
};

static const size_t suite_count = sizeof suites / sizeof suites[0];

clade_context *bench_context(const struct bench *bench)
{
    return bench->context;
}

bool bench_is_quick(const struct bench *bench)
{
    return bench->is_quick;
}

static const struct bench_suite *find_suite(const char *name)
{
    for (size_t i = 0; i < suite_count; i++)
        if (strcmp(suites[i].name, name) == 0)
            return &suites[i];
    return NULL;
}

/* What the command line asks for. */
struct request {
    const char *device, *json, *html;
    bool is_quick, lists;
    uint64_t repeats, limit_s;
};

static json_t *describe_device(const clade_context *context)
{
    cl_device_id device = clade_context_cl_device(context);
    char name[256] = "", driver[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL);
    printf("%s, driver %s, %s\n", name, driver, version);
    return json_pack("{s:s, s:s, s:s, s:i}", "name", name, "driver", driver, "version", version,
                     "compute_units", (int)clade_context_caps(context)->compute_units);
}

/* Run one suite; what it found is added to `found`. */
static bool run_suite(struct bench *bench, const struct bench_suite *suite, json_t *found)
{
    const uint64_t wrong = bench->wrong;
    if (!bench_tables_begin(bench))
        return bench_fail("memory is out");
    const bool fine = suite->run(bench);
    if (!fine)
        bench_fail("%s did not come to its end", suite->name);
    json_t *entry = json_pack("{s:s, s:b, s:b, s:o}", "name", suite->name, "complete", fine,
                              "right", bench->wrong == wrong, "tables", bench_tables_end(bench));
    if (json_array_append_new(found, entry) != 0)
        bench->memory_is_out = true;
    return fine;
}

static bool write_json(const char *path, const json_t *root)
{
    errno = 0;
    return json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(7)) == 0 ||
           bench_fail("%s cannot be written: %s", path, strerror(errno));
}

/* The files that are asked for. */
static bool write_files(const struct bench *bench, const struct request *request, json_t *device,
                        json_t *found)
{
    json_t *root = json_pack("{s:s, s:O, s:b, s:i, s:i, s:O}", "version", clade_version(), "device",
                             device, "quick", bench->is_quick, "warmups", (int)bench->warmups,
                             "repeats", (int)bench->repeats, "suites", found);
    bool fine = root && !bench->memory_is_out;
    if (!fine)
        bench_fail("memory is out: no file is written");
    if (fine && request->json)
        fine = write_json(request->json, root);
    if (fine && request->html)
        fine = bench_write_page(request->html, root);
    json_decref(root);
    return fine;
}

static int run(const struct request *request, char **names, int name_count)
{
    struct bench bench = {
        .is_quick = request->is_quick,
        .warmups = 1,
        .repeats = (unsigned)request->repeats,
        .limit_ms = 1e3 * (double)request->limit_s,
    };
    if (clade_context_create(&bench.context,
                             &(clade_context_params) { .device = request->device }) != CLADE_OK)
        return report_error();
    json_t *device = describe_device(bench.context), *found = json_array();
    bool fine = device && found;
    if (!fine)
        bench_fail("memory is out");
    for (size_t i = 0; fine && name_count == 0 && i < suite_count; i++)
        fine = run_suite(&bench, &suites[i], found);
    for (int i = 0; fine && i < name_count; i++)
        fine = run_suite(&bench, find_suite(names[i]), found);
    if (device && found && (request->json || request->html))
        fine = write_files(&bench, request, device, found) && fine;
    if (bench.wrong)
        fine = bench_fail("%llu measurements had WRONG RESULTS", (unsigned long long)bench.wrong);
    json_decref(device);
    json_decref(found);
    clade_context_destroy(&bench.context);
    return fine ? EXIT_DONE : EXIT_FAILED;
}

static int print_suites(void)
{
    for (size_t i = 0; i < suite_count; i++)
        printf("%-10s %s\n", suites[i].name, suites[i].summary);
    return EXIT_DONE;
}

int command_bench(int argc, char **argv)
{
    static const struct option known[] = {
        { "list", no_argument, NULL, 'l' },
        { "device", required_argument, NULL, 'd' },
        { "quick", no_argument, NULL, 'q' },
        { "json", required_argument, NULL, 'j' },
        { "html", required_argument, NULL, 'h' },
        { "repeat", required_argument, NULL, 'r' },
        { "limit", required_argument, NULL, 't' },
        { NULL, 0, NULL, 0 },
    };
    struct request request = { .repeats = 5, .limit_s = 5 };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        request.lists = request.lists || option == 'l';
        request.is_quick = request.is_quick || option == 'q';
        request.device = option == 'd' ? optarg : request.device;
        request.json = option == 'j' ? optarg : request.json;
        request.html = option == 'h' ? optarg : request.html;
        if (option == 'r' && !option_number(optarg, 1, 1000, &request.repeats))
            return report_usage("bench", "\"%s\" repetitions: a number from 1 to 1000", optarg);
        if (option == 't' && !option_number(optarg, 1, 3600, &request.limit_s))
            return report_usage("bench", "a limit of \"%s\": a number from 1 to 3600", optarg);
        if (option == '?')
            return report_usage("bench", "\"%s\" is no argument of it, or lacks its value",
                                argv[optind - 1]);
    }
    for (int i = optind; i < argc; i++)
        if (!find_suite(argv[i]))
            return report_usage("bench", "there is no suite \"%s\"; --list names them", argv[i]);
    return request.lists ? print_suites() : run(&request, argv + optind, argc - optind);
}
