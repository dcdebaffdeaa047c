/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: compiles the kernels of the structures' calls before a program needs them, and puts
 * them where contexts find them. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "command/clade.h"
#include "warm/warm.h"

static const struct part {
    const char *name;
    clade_status (*warm)(clade_context *context);
} parts[] = {
#define PART(structure) { #structure, warm_##structure },
    CLADE_WARM(PART)
};
enum { PARTS = sizeof parts / sizeof parts[0] };

struct request {
    const char *device;   /* NULL: all there are */
    const char *out;      /* NULL: the cache's folder */
    bool is_named[PARTS]; /* none: all of them */
    bool names_some;
};

/* Without cache and archive: nothing is to come from an earlier warming. */
static clade_status open_context(clade_context **context, const char *device)
{
    return clade_context_create(
        context, &(clade_context_params) { .device = device, .cache_dir = "", .archive = "" });
}

/* What a structure needs that a device lacks is no failure of the others; but one must be ready. */
static int warm_device(clade_archive *archive, const struct request *request, const char *device)
{
    clade_context *context = NULL;
    char name[128] = "";
    bool any = false;
    if (open_context(&context, device) != CLADE_OK) {
        printf("%s: %s\n", device, clade_error_last()->message);
        return 0;
    }
    clGetDeviceInfo(clade_context_cl_device(context), CL_DEVICE_NAME, sizeof name, name, NULL);
    printf("%s: %s\n", device, name);
    for (size_t i = 0; i < PARTS; i++) {
        if (request->names_some && !request->is_named[i])
            continue;
        const clade_status status = parts[i].warm(context);
        any |= status == CLADE_OK;
        printf("  %-10s %s\n", parts[i].name,
               status == CLADE_OK ? "compiled" : clade_error_last()->message);
        fflush(stdout);
    }
    const bool fine = any && succeeded(clade_archive_add_context(archive, context));
    clade_context_destroy(&context);
    return fine;
}

/* How many devices were warmed. */
static int warm_all(clade_archive *archive, const struct request *request)
{
    clade_device_list list = { 0 };
    int warmed = 0;
    if (request->device)
        return warm_device(archive, request, request->device);
    if (!succeeded(clade_device_list_create(&list)))
        return 0;
    for (size_t i = 0; i < list.device_count; i++) {
        char pair[32];
        snprintf(pair, sizeof pair, "%u:%u", list.devices[i].platform_index,
                 list.devices[i].device_index);
        warmed += warm_device(archive, request, pair);
    }
    clade_device_list_free(&list);
    return warmed;
}

static int warm(const struct request *request)
{
    clade_archive *archive = NULL;
    if (!succeeded(clade_archive_create(&archive)))
        return EXIT_FAILED;
    const int warmed = warm_all(archive, request);
    if (warmed == 0)
        fprintf(stderr, "clade: no device was warmed, and nothing is written\n");
    const bool fine =
        warmed > 0 && succeeded(request->out ? clade_archive_write(archive, request->out)
                                             : clade_archive_keep(archive, NULL));
    clade_archive_destroy(&archive);
    return fine ? EXIT_DONE : EXIT_FAILED;
}

static bool name_part(struct request *request, const char *name)
{
    for (size_t i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, name) == 0)
            return request->names_some = request->is_named[i] = true;
    return false;
}

int command_warm(int argc, char **argv)
{
    static const struct option options[] = { { "device", required_argument, NULL, 'd' },
                                             { "out", required_argument, NULL, 'o' },
                                             { NULL, 0, NULL, 0 } };
    struct request request = { 0 };
    for (int c; (c = getopt_long(argc, argv, "d:o:", options, NULL)) != -1;) {
        if (c != 'd' && c != 'o')
            return report_usage("warm", "the arguments are not understood");
        *(c == 'd' ? &request.device : &request.out) = optarg;
    }
    for (; optind < argc; optind++)
        if (!name_part(&request, argv[optind]))
            return report_usage("warm", "there is no structure \"%s\"", argv[optind]);
    return warm(&request);
}
