/* SPDX-License-Identifier: Apache-2.0 */
/* --list: what an archive holds and what of it fits a device; or what this machine can compile
 * for. */
#include "cladec/cladec.h"

#include <stdlib.h>
#include <string.h>

/* What an archive says, for a terminal: control characters, those of UTF-8 too, are spelled out. */
static void print_text(const char *before, const char *text)
{
    fputs(before, stdout);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        const bool c1 = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
        if (*at >= ' ' && *at != 127 && !c1) {
            putchar(*at);
            continue;
        }
        printf("\\x%02x", *at);
        if (c1)
            printf("\\x%02x", *++at);
    }
}

static void print_entry(const clade_archive_entry *entry, clade_context *context)
{
    static const char *const kinds[] = { "?", "source", "device", "target", "result" };
    char reason[300] = "";
    const bool made_here = entry->kind == CLADE_ENTRY_DEVICE || entry->kind == CLADE_ENTRY_RESULT;
    printf("%-6s", kinds[entry->kind < 5 ? entry->kind : 0]);
    print_text("  ", entry->file);
    if (entry->kind == CLADE_ENTRY_TARGET)
        print_text("  for ", entry->target);
    if (made_here)
        print_text("  for ", entry->device);
    printf("  %llu bytes%s\n", (unsigned long long)entry->size, entry->bytes ? "" : ", DAMAGED");
    printf("        source %016llx%016llx", (unsigned long long)entry->source_hash[0],
           (unsigned long long)entry->source_hash[1]);
    print_text(", clade ", entry->version);
    if (made_here) {
        print_text("\n        platform ", entry->platform);
        print_text(", ", entry->device_version);
        print_text(", driver ", entry->driver);
    }
    if (*entry->options)
        print_text("\n        options ", entry->options);
    if (context && clade_archive_fits(entry, context, reason, sizeof reason))
        printf("\n        fits");
    else if (context)
        print_text("\n        does not fit: ", reason);
    putchar('\n');
}

int list_archive(const struct request *request, const char *path)
{
    clade_archive *archive = NULL;
    clade_context *context = NULL;
    int status = EXIT_DONE;
    if (clade_archive_open(&archive, path) != CLADE_OK)
        return complain_last();
    if (request->devices.count > 0 &&
        clade_context_create(&context, &(clade_context_params) { .device = request->devices.at[0],
                                                                 .archive = "" }) != CLADE_OK)
        status = complain_no_device();
    for (size_t i = 0; status == EXIT_DONE && i < clade_archive_count(archive); i++)
        print_entry(clade_archive_at(archive, i), context);
    clade_context_destroy(&context);
    clade_archive_destroy(&archive);
    return status;
}

int extract(const struct request *request)
{
    const char *path = request->kernels.at[0], *target = request->targets.at[0];
    const clade_archive_entry *found = NULL;
    clade_archive *archive = NULL;
    int status = EXIT_DONE;
    if (clade_archive_open(&archive, path) != CLADE_OK)
        return complain_last();
    for (size_t i = 0; status == EXIT_DONE && i < clade_archive_count(archive); i++) {
        const clade_archive_entry *entry = clade_archive_at(archive, i);
        if (entry->kind != CLADE_ENTRY_TARGET || strcmp(entry->target, target) != 0)
            continue;
        if (found) {
            complain("%s has code of several kernels for %s", path, target);
            status = EXIT_FAILED;
        }
        found = entry;
    }
    if (!found) {
        complain("%s has no code for %s", path, target);
        status = EXIT_NO_TARGET;
    } else if (status == EXIT_DONE && !found->bytes) {
        complain("the code for %s in %s is damaged", target, path);
        status = EXIT_FAILED;
    } else if (status == EXIT_DONE &&
               !write_file(request->output, found->bytes, (size_t)found->size)) {
        complain("cannot write %s", request->output);
        status = EXIT_FAILED;
    }
    clade_archive_destroy(&archive);
    return status;
}

static int try_target(const char *target)
{
    clade_source *source = NULL;
    struct code code = { 0 };
    const clade_program_params params = { .source = "__kernel void nothing(void) {}\n",
                                          .name = "nothing.cl" };
    int status = EXIT_FAILED;
    printf("%-16s", target);
    fflush(stdout);
    if (clade_source_create(&source, &params, NULL, target) != CLADE_OK)
        status = complain_last();
    else
        status = compile_target(&code, source, "nothing.cl", target, 0);
    if (status == EXIT_DONE)
        printf("yes, %zu bytes for an empty kernel\n", code.size);
    else
        printf("no\n");
    code_free(&code);
    clade_source_destroy(&source);
    return status;
}

int list_machine(void)
{
    static const char *const targets[] = { "gfx90a", "gfx1100", "sm_70",
                                           "sm_90",  "spirv64", "intel-pvc" };
    clade_device_list devices;
    if (clade_device_list_create(&devices) != CLADE_OK)
        return complain_last();
    printf("devices (-d)\n");
    for (size_t i = 0; i < devices.device_count; i++)
        printf("%u:%u  %s, %s\n", devices.devices[i].platform_index,
               devices.devices[i].device_index, devices.devices[i].name,
               devices.devices[i].platform);
    for (size_t i = 0; i < devices.skipped_count; i++)
        printf("not usable: %s\n", devices.skipped[i]);
    clade_device_list_free(&devices);
    printf("targets (-t), some of them tried\n");
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        (void)try_target(targets[i]);
    return EXIT_DONE;
}
