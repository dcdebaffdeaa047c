/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: one structure's calls under the driver's event profiling. Every kernel that the
 * library enqueues is timed by the device; what is left of the host's time was spent outside
 * kernels: enqueueing, copies, waiting. Statistics of the structure tell how many tries were in
 * vain. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/clade.h"
#include "common/clock.h"
#include "common/launches.h"
#include "common/options.h"
#include "common/outfile.h"
#include "common/page.h"
#include "common/progress.h"
#include "common/screen.h"
#include "profiler/profile.h"

static bool fail(const char *sentence)
{
    fprintf(stderr, "clade profile: %s\n", sentence);
    return false;
}

/* --- launches --------------------------------------------------------------------------------- */

static struct profile_kernel *kernel_of(struct profile_step *step, const char *name)
{
    for (size_t i = 0; i < step->kernel_count; i++)
        if (strcmp(step->kernels[i].name, name) == 0)
            return &step->kernels[i];
    /* More kernels than any structure has share the last place. */
    if (step->kernel_count == PROFILE_KERNELS)
        return &step->kernels[PROFILE_KERNELS - 1];
    struct profile_kernel *it = &step->kernels[step->kernel_count++];
    snprintf(it->name, sizeof it->name, "%s", name);
    return it;
}

static bool add_launch(struct profile_step *step, const struct launch *launch)
{
    char name[128] = "";
    double ms;
    if (clGetKernelInfo(launch->kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) !=
            CL_SUCCESS ||
        !launch_ms(launch, &ms))
        return fail("the driver does not tell the times of a kernel");
    struct profile_kernel *kernel = kernel_of(step, name);
    kernel->least_ms = kernel->launches == 0 || ms < kernel->least_ms ? ms : kernel->least_ms;
    kernel->most_ms = ms > kernel->most_ms ? ms : kernel->most_ms;
    kernel->launches++;
    kernel->ms += ms;
    step->device_ms += ms;
    return true;
}

/* --- running ---------------------------------------------------------------------------------- */

static bool count(const struct profile_load *load, struct profile_data *data,
                  struct profile_counts *counts)
{
    *counts = (struct profile_counts) { 0 };
    return !load->count || succeeded(load->count(data, counts));
}

/* What came since `before`; some calls start counts afresh. */
static uint64_t since(uint64_t before, uint64_t after)
{
    return after >= before ? after - before : after;
}

static void add_counts(struct profile_counts *sum, const struct profile_counts *before,
                       const struct profile_counts *after)
{
    sum->operations += since(before->operations, after->operations);
    sum->retries += since(before->retries, after->retries);
    for (size_t i = 0; i < PROFILE_COUNTS; i++)
        sum->others[i] += since(before->others[i], after->others[i]);
}

static bool run_step(const struct profile_load *load, const struct profile_action *action,
                     struct profile_data *data, struct launches *launches,
                     struct profile_step *step)
{
    struct profile_counts before, after;
    if (!count(load, data, &before) || !succeeded(clade_finish(data->context)))
        return false;
    launches->records = true;
    const double start = now_ms();
    bool fine = succeeded(action->work(data)) && succeeded(clade_finish(data->context));
    const double ms = now_ms() - start;
    launches->records = false;
    for (size_t i = 0; fine && i < launches->count; i++)
        fine = add_launch(step, &launches->all[i]);
    fine = fine && (!launches->lost || fail("memory is out")) && count(load, data, &after);
    launches_forget(launches);
    if (!fine)
        return false;
    step->ms += ms;
    step->elements += data->n / action->share;
    add_counts(&step->counts, &before, &after);
    return true;
}

/* Make the structure, do its steps, verify it. */
static bool run_pass(const struct profile_load *load, struct profile_data *data,
                     struct launches *launches, struct profile_result *result)
{
    bool fine = succeeded(load->make(data));
    for (size_t i = 0; fine && i < PROFILE_STEPS && load->actions[i].work; i++) {
        result->steps[i].name = load->actions[i].name;
        fine = run_step(load, &load->actions[i], data, launches, &result->steps[i]);
        result->step_count = i + 1;
    }
    fine = fine && (!load->check || succeeded(load->check(data)));
    load->destroy(data);
    data->object = data->second = NULL;
    return fine;
}

/* The first pass warms up: kernels are compiled in it. */
static bool run_passes(const struct profile_load *load, struct profile_data *data,
                       struct launches *launches, struct profile_result *result)
{
    const uint32_t passes = result->passes;
    bool fine = true;
    for (uint32_t pass = 0; fine && pass <= passes; pass++) {
        if (pass <= 1)
            memset(result->steps, 0, sizeof result->steps);
        fine = run_pass(load, data, launches, result);
    }
    return fine;
}

/* --- tables ----------------------------------------------------------------------------------- */

const char profile_share_meaning[] =
    "A share of 50 % is one retry for each operation, 90 % is 9, 100.00 % is 20,000 or more.";

double profile_retry_share(const struct profile_step *step)
{
    const double done =
        (double)(step->counts.operations ? step->counts.operations : step->elements);
    const double retries = (double)step->counts.retries;
    return done + retries > 0 ? 100 * retries / (done + retries) : 0;
}

/* The columns of a line. A call and its kernels have a column each where there is room; else the
 * kernels stand below the call, and the least and the most are left out when even that is too wide.
 */
static const struct form {
    unsigned width;
    int call, kernel;
    bool has_rate, has_spread;
} forms[] = { { 116, 28, 34, true, true },
              { 92, 0, 38, true, true },
              { 80, 0, 38, true, false },
              { 68, 0, 38, false, false } };

static const struct form *choose_form(void)
{
    const unsigned width = screen_width();
    size_t i = 0;
    while (width > 0 && forms[i].width > width && i + 1 < sizeof forms / sizeof forms[0])
        i++;
    return &forms[i];
}

/* The names at the start of a line of a call (`kernel` "") or of one of its kernels. */
static void print_names_of(const struct form *form, const char *call, const char *kernel)
{
    if (form->call > 0)
        printf("%-*s %-*s", form->call, call, form->kernel, kernel);
    else
        printf("%s%-*s", *call ? "" : "  ", form->kernel - (*call ? 0 : 2), *call ? call : kernel);
}

static void print_step(const struct form *form, const struct profile_result *r,
                       const struct profile_step *step)
{
    const double rest = step->ms > step->device_ms ? step->ms - step->device_ms : 0;
    print_names_of(form, step->name, "");
    printf(" %8s %11.4f %6.1f%%", "", step->ms / r->passes, 100.0);
    if (form->has_rate)
        printf("   %.4g M/s", (double)step->elements / step->ms * 1e-3);
    for (size_t k = 0; k < step->kernel_count; k++) {
        const struct profile_kernel *it = &step->kernels[k];
        putchar('\n');
        print_names_of(form, "", it->name);
        printf(" %8.4g %11.4f %6.1f%%", (double)it->launches / r->passes, it->ms / r->passes,
               100 * it->ms / step->ms);
        if (form->has_spread)
            printf(" %11.4f %11.4f", it->least_ms, it->most_ms);
    }
    putchar('\n');
    print_names_of(form, "", "outside kernels");
    printf(" %8s %11.4f %6.1f%%\n", "", rest / r->passes, 100 * rest / step->ms);
}

static void print_times(const struct profile_result *r)
{
    const struct form *form = choose_form();
    putchar('\n');
    print_names_of(form, "call", "kernel");
    printf(" %8s %11s %7s", "launches", "ms", "share");
    if (form->has_spread)
        printf(" %11s %11s", "least", "most");
    putchar('\n');
    for (size_t s = 0; s < r->step_count; s++)
        print_step(form, r, &r->steps[s]);
}

static size_t other_counts(const struct profile_load *load)
{
    size_t count = 0;
    while (count < PROFILE_COUNTS && load->others[count])
        count++;
    return count;
}

static void print_count_table(const struct profile_result *r)
{
    const struct profile_load *load = r->load;
    const size_t others = other_counts(load);
    printf("\n%-28s", "call");
    if (load->retries)
        printf(" %12s %8s", "retries", "share");
    for (size_t i = 0; i < others; i++)
        printf("  %20s", load->others[i]);
    putchar('\n');
    for (size_t s = 0; s < r->step_count; s++) {
        const struct profile_counts *counts = &r->steps[s].counts;
        printf("%-28s", r->steps[s].name);
        if (load->retries)
            printf(" %12" PRIu64 " %7.2f%%", counts->retries / r->passes,
                   profile_retry_share(&r->steps[s]));
        for (size_t i = 0; i < others; i++)
            printf("  %20" PRIu64, counts->others[i] / r->passes);
        putchar('\n');
    }
}

static void print_count_records(const struct profile_result *r, unsigned width)
{
    const struct profile_load *load = r->load;
    putchar('\n');
    for (size_t s = 0; s < r->step_count; s++) {
        const struct profile_counts *counts = &r->steps[s].counts;
        struct screen_record record = { .width = width };
        char text[128];
        screen_item(&record, r->steps[s].name);
        snprintf(text, sizeof text, "retries: %" PRIu64 " (%.2f%%)", counts->retries / r->passes,
                 profile_retry_share(&r->steps[s]));
        if (load->retries)
            screen_item(&record, text);
        for (size_t i = 0; i < other_counts(load); i++) {
            snprintf(text, sizeof text, "%s: %" PRIu64, load->others[i],
                     counts->others[i] / r->passes);
            screen_item(&record, text);
        }
        screen_record_end(&record);
    }
}

static void print_counts(const struct profile_result *r)
{
    const struct profile_load *load = r->load;
    const unsigned width = screen_width();
    if (!load->count) {
        printf("\n%s counts no tries.\n", load->name);
        return;
    }
    if (load->retries)
        printf("\nretries: %s, and their share of all tries\n", load->retries);
    if (width == 0 || 28 + (load->retries ? 22 : 0) + 22 * other_counts(load) <= width)
        print_count_table(r);
    else
        print_count_records(r, width);
    if (load->retries)
        puts(profile_share_meaning);
}

/* --- the command ------------------------------------------------------------------------------ */

struct request {
    const char *name, *device, *html;
    uint64_t size, passes;
    bool lists;
};

#define LINE(structure) structure##_loads,
static const struct profile_load *const loads[] = { CLADE_PROFILER(LINE) };
static const size_t load_count = sizeof loads / sizeof loads[0];

static const struct profile_load *find_load(const char *name)
{
    for (size_t i = 0; i < load_count; i++)
        for (const struct profile_load *load = loads[i]; load->name; load++)
            if (strcmp(load->name, name) == 0)
                return load;
    return NULL;
}

static int print_names(void)
{
    for (size_t i = 0; i < load_count; i++)
        for (const struct profile_load *load = loads[i]; load->name; load++)
            printf("%s\n", load->name);
    return EXIT_DONE;
}

static bool write_page(const char *path, const struct profile_result *result)
{
    struct outfile page;
    if (outfile_open(&page, path)) {
        profile_write_page(page.file, result);
        page_end(page.file);
    }
    if (outfile_close(&page))
        return true;
    fprintf(stderr, "clade profile: %s cannot be written: %s\n", path, strerror(errno));
    return false;
}

static bool profile(struct profile_data *data, struct launches *launches,
                    const struct request *request)
{
    struct profile_result result = { .load = find_load(request->name),
                                     .passes = (uint32_t)request->passes };
    const cl_device_id device = clade_context_cl_device(data->context);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof result.device, result.device, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof result.driver, result.driver, NULL);
    data->n = (uint32_t)(request->size                               ? request->size
                         : clade_context_caps(data->context)->is_cpu ? 1u << 16
                                                                     : 1u << 20);
    result.n = data->n;
    printf("%s, driver %s\n%s, %" PRIu32 " elements, a mean of %" PRIu32 " passes\n", result.device,
           result.driver, result.load->name, result.n, result.passes);
    if (!profile_data_make(data) || !run_passes(result.load, data, launches, &result))
        return false;
    print_times(&result);
    print_counts(&result);
    return !request->html || write_page(request->html, &result);
}

static int run(const struct request *request)
{
    struct launches launches = { 0 };
    struct profile_data data = { 0 };
    const clade_context_params params = { .device = request->device,
                                          .profiling = 1,
                                          .on_launch = launches_add,
                                          .on_launch_data = &launches,
                                          .on_compile = progress_compile };
    if (clade_context_create(&data.context, &params) != CLADE_OK)
        return report_error();
    const bool fine = profile(&data, &launches, request);
    profile_data_free(&data);
    clade_context_destroy(&data.context);
    launches_free(&launches);
    return fine ? EXIT_DONE : EXIT_FAILED;
}

int command_profile(int argc, char **argv)
{
    static const struct option known[] = {
        { "list", no_argument, NULL, 'l' },         { "device", required_argument, NULL, 'd' },
        { "html", required_argument, NULL, 'h' },   { "size", required_argument, NULL, 's' },
        { "passes", required_argument, NULL, 'p' }, { NULL, 0, NULL, 0 },
    };
    struct request request = { .passes = 3 };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        request.lists = request.lists || option == 'l';
        request.device = option == 'd' ? optarg : request.device;
        request.html = option == 'h' ? optarg : request.html;
        if (option == 's' && !option_number(optarg, 256, 1u << 27, &request.size))
            return report_usage("profile", "a size of \"%s\": a number from 256 to 2^27", optarg);
        if (option == 'p' && !option_number(optarg, 1, 1000, &request.passes))
            return report_usage("profile", "\"%s\" passes: a number from 1 to 1000", optarg);
        if (option == '?')
            return report_usage("profile", "\"%s\" is no argument of it, or lacks its value",
                                argv[optind - 1]);
    }
    if (request.lists)
        return print_names();
    if (argc - optind != 1)
        return report_usage("profile", "one structure is wanted; --list names them");
    request.name = argv[optind];
    if (!find_load(request.name))
        return report_usage("profile", "there is no structure \"%s\"; --list names them",
                            request.name);
    return run(&request);
}
