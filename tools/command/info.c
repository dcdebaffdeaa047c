/* SPDX-License-Identifier: Apache-2.0 */
/* `clade info`: every platform and device, usable or not, with what it can do. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/clade.h"
#include "common/progress.h"

/* One device as it is shown: what the loader lists, and what opening it found. */
struct row {
    clade_device_info info;
    clade_caps caps;
    bool usable;
    char *reason; /* why not, when not usable */
};

static const char *atomics_name(uint32_t atomics)
{
    static const char *const names[] = { "absent", "c11", "ptx", "rmw" };
    return atomics < sizeof names / sizeof names[0] ? names[atomics] : "unknown";
}

static const char *type_name(cl_device_type type)
{
    return type & CL_DEVICE_TYPE_GPU ? "gpu" : type & CL_DEVICE_TYPE_CPU ? "cpu" : "other";
}

static void open_row(struct row *row, const clade_device_info *info)
{
    char pair[32];
    clade_context *context = NULL;
    row->info = *info;
    snprintf(pair, sizeof pair, "%u:%u", info->platform_index, info->device_index);
    row->usable =
        clade_context_create(
            &context, &(clade_context_params) { .device = pair, .on_compile = progress_compile }) ==
        CLADE_OK;
    if (row->usable)
        row->caps = *clade_context_caps(context);
    else
        row->reason = strdup(clade_error_last()->message);
    clade_context_destroy(&context);
}

static void print_row(const struct row *row)
{
    const clade_caps *caps = &row->caps;
    const double mib = 1024.0 * 1024.0;
    printf("%u:%u  %s\n", row->info.platform_index, row->info.device_index, row->info.name);
    printf("     platform          %s\n", row->info.platform);
    printf("     type              %s\n", type_name(row->info.type));
    printf("     version           %s, driver %s\n", row->info.device_version,
           row->info.driver_version);
    if (!row->usable) {
        printf("     not usable        %s\n", row->reason ? row->reason : "");
        return;
    }
    printf("     atomics           %s, 64-bit %s\n", atomics_name(caps->atomics),
           caps->int64_atomics ? "yes" : "no");
    printf("     double            %s\n", caps->fp64 ? "yes" : "no");
    printf("     compute units     %u\n", caps->compute_units);
    printf("     work-group        %u items, %.0f KiB local memory\n", caps->group_size_max,
           (double)caps->local_bytes / 1024.0);
    printf("     sub-group         %u\n", caps->subgroup_size);
    if (caps->loop_limit)
        printf("     loops end after   %u iterations in all\n", caps->loop_limit);
    printf("     SVM atomics       %s\n", caps->svm_atomics ? "yes" : "no");
    printf("     memory            %.0f MiB, largest object %.0f MiB\n",
           (double)caps->global_bytes / mib, (double)caps->alloc_bytes_max / mib);
}

static json_t *json_caps(const clade_caps *caps)
{
    return json_pack(
        "{s:s, s:b, s:b, s:b, s:I, s:I, s:I, s:I, s:b, s:I, s:I, s:I}", "atomics",
        atomics_name(caps->atomics), "int64_atomics", (int)caps->int64_atomics, "fp64",
        (int)caps->fp64, "is_cpu", (int)caps->is_cpu, "compute_units",
        (json_int_t)caps->compute_units, "group_size_max", (json_int_t)caps->group_size_max,
        "subgroup_size", (json_int_t)caps->subgroup_size, "loop_limit",
        (json_int_t)caps->loop_limit, "svm_atomics", (int)caps->svm_atomics, "local_bytes",
        (json_int_t)caps->local_bytes, "alloc_bytes_max", (json_int_t)caps->alloc_bytes_max,
        "global_bytes", (json_int_t)caps->global_bytes);
}

static json_t *json_row(const struct row *row)
{
    const clade_device_info *info = &row->info;
    json_t *object =
        json_pack("{s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:b}", "platform_index",
                  (int)info->platform_index, "device_index", (int)info->device_index, "platform",
                  info->platform, "name", info->name, "type", type_name(info->type), "version",
                  info->device_version, "driver", info->driver_version, "usable", row->usable);
    if (row->usable)
        json_object_set_new(object, "caps", json_caps(&row->caps));
    else
        json_object_set_new(object, "reason", json_string(row->reason ? row->reason : ""));
    return object;
}

static int print_json(const struct row *rows, size_t count, const clade_device_list *list)
{
    json_t *devices = json_array(), *skipped = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(devices, json_row(&rows[i]));
    for (size_t i = 0; i < list->skipped_count; i++)
        json_array_append_new(skipped, json_string(list->skipped[i]));
    json_t *root = json_pack("{s:s, s:o, s:o}", "version", clade_version(), "devices", devices,
                             "skipped", skipped);
    int failed = !root || json_dumpf(root, stdout, JSON_INDENT(2)) != 0;
    putchar('\n');
    json_decref(root);
    return failed ? EXIT_FAILED : EXIT_DONE;
}

static int print_table(const struct row *rows, size_t count, const clade_device_list *list)
{
    for (size_t i = 0; i < count; i++)
        print_row(&rows[i]);
    for (size_t i = 0; i < list->skipped_count; i++)
        printf("passed over: %s\n", list->skipped[i]);
    if (count == 0)
        printf("there is no OpenCL device\n");
    return count > 0 ? EXIT_DONE : EXIT_FAILED;
}

int command_info(int argc, char **argv)
{
    bool json = false;
    for (int i = 1; i < argc; i++) {
        const bool is_output =
            i > 1 && strcmp(argv[i - 1], "--json") == 0 && strcmp(argv[i], "-") == 0;
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (!is_output) /* `--json -` is what `--json` is: to the standard output */
            return report_usage("info", "\"%s\" is no argument of it", argv[i]);
    }
    clade_device_list list;
    if (clade_device_list_create(&list) != CLADE_OK)
        return report_error();
    struct row *rows = calloc(list.device_count + 1, sizeof *rows);
    int result = EXIT_FAILED;
    if (rows) {
        for (size_t i = 0; i < list.device_count; i++)
            open_row(&rows[i], &list.devices[i]);
        result = json ? print_json(rows, list.device_count, &list)
                      : print_table(rows, list.device_count, &list);
        for (size_t i = 0; i < list.device_count; i++)
            free(rows[i].reason);
    }
    free(rows);
    clade_device_list_free(&list);
    return result;
}
