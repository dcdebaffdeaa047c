/* SPDX-License-Identifier: Apache-2.0 */
/* Listing devices and choosing among them by description. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"

clade_status cladei_device_describe(cl_device_id id, clade_device_info *info)
{
    clade_status status = CLADE_OK;
    cl_platform_id platform;
    info->id = id;
    CLADE_CL(clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    CLADE_CL(clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof info->type, &info->type, NULL));
    CLADE_CL(
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof info->platform, info->platform, NULL));
    CLADE_CL(clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof info->name, info->name, NULL));
    CLADE_CL(clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof info->device_version,
                             info->device_version, NULL));
    CLADE_CL(clGetDeviceInfo(id, CL_DRIVER_VERSION, sizeof info->driver_version,
                             info->driver_version, NULL));
fail:
    return status;
}

/* Keep the sentence of the last error as the reason why something was passed over. */
static clade_status skip(clade_device_list *list, const char *what, unsigned p, unsigned d)
{
    struct cladei_text reason = { 0 };
    char **grown = realloc(list->skipped, (list->skipped_count + 1) * sizeof *grown);
    if (grown)
        list->skipped = grown;
    cladei_text_printf(&reason, what, p, d);
    cladei_text_printf(&reason, ": %s", clade_error_last()->message);
    if (!grown || reason.failed) {
        cladei_text_free(&reason);
        return cladei_fail(CLADE_E_NOMEM, "host memory is out");
    }
    list->skipped[list->skipped_count++] = reason.data;
    return CLADE_OK;
}

static clade_status list_platform(clade_device_list *list, cl_platform_id platform, unsigned p)
{
    clade_status status = CLADE_OK;
    cl_uint count = 0;
    cl_device_id *ids = NULL;
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0))
        return CLADE_OK;
    CLADE_CL_CODE(code, "clGetDeviceIDs");
    ids = calloc(count, sizeof *ids);
    CLADE_NO_MEMORY(ids);
    CLADE_CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL));
    clade_device_info *grown = realloc(list->devices, (list->device_count + count) * sizeof *grown);
    CLADE_NO_MEMORY(grown);
    list->devices = grown;
    for (cl_uint d = 0; d < count; d++) {
        clade_device_info *info = &list->devices[list->device_count];
        *info = (clade_device_info) { .platform_index = p, .device_index = d };
        status = cladei_device_describe(ids[d], info);
        if (status == CLADE_OK)
            list->device_count++;
        else
            CLADE_TRY(skip(list, "device %u:%u cannot be queried", p, d));
    }
fail:
    free(ids);
    return status;
}

clade_status clade_device_list_create(clade_device_list *out)
{
    clade_status status = CLADE_OK;
    clade_device_list list = { 0 };
    cl_platform_id *platforms = NULL;
    cl_uint count = 0;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the list is NULL");
    cl_int code = clGetPlatformIDs(0, NULL, &count);
    if (code == CL_SUCCESS && count > 0) {
        platforms = calloc(count, sizeof *platforms);
        CLADE_NO_MEMORY(platforms);
        code = clGetPlatformIDs(count, platforms, NULL);
    }
    if (code != CL_SUCCESS) {
        cladei_fail_cl(code, "clGetPlatformIDs");
        CLADE_TRY(skip(&list, "no OpenCL platform", 0, 0));
        count = 0;
    }
    for (cl_uint p = 0; p < count; p++) {
        status = list_platform(&list, platforms[p], p);
        if (status == CLADE_E_NOMEM)
            goto fail;
        if (status != CLADE_OK)
            CLADE_TRY(skip(&list, "platform %u cannot be listed", p, 0));
    }
    *out = list;
    free(platforms);
    return CLADE_OK;

fail:
    clade_device_list_free(&list);
    free(platforms);
    return status;
}

void clade_device_list_free(clade_device_list *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->skipped_count; i++)
        free(list->skipped[i]);
    free(list->skipped);
    free(list->devices);
    *list = (clade_device_list) { 0 };
}

static bool contains_ignoring_case(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && text[i] &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static bool is_word(const char *text, const char *word)
{
    return strlen(text) == strlen(word) && contains_ignoring_case(text, word);
}

static bool is_pair(const char *description, unsigned *p, unsigned *d)
{
    int used = 0;
    return isdigit((unsigned char)*description) &&
           sscanf(description, "%9u:%9u%n", p, d, &used) == 2 && description[used] == '\0';
}

/* Without a description GPUs come first, then CPUs, then the rest. With one: 0 = fits. */
static int rank_device(const clade_device_info *info, const char *description)
{
    unsigned p, d;
    bool gpu = (info->type & CL_DEVICE_TYPE_GPU) != 0;
    bool cpu = (info->type & CL_DEVICE_TYPE_CPU) != 0;
    if (!description || !*description)
        return gpu ? 0 : cpu ? 1 : 2;
    if (is_word(description, "gpu"))
        return gpu ? 0 : -1;
    if (is_word(description, "cpu"))
        return cpu ? 0 : -1;
    if (is_pair(description, &p, &d))
        return info->platform_index == p && info->device_index == d ? 0 : -1;
    return contains_ignoring_case(info->name, description) ||
                   contains_ignoring_case(info->platform, description)
               ? 0
               : -1;
}

static clade_status fail_nothing_fits(const clade_device_list *list, const char *description)
{
    struct cladei_text names = { 0 };
    for (size_t i = 0; i < list->device_count; i++)
        cladei_text_printf(&names, "%s%u:%u %s", i ? ", " : "", list->devices[i].platform_index,
                           list->devices[i].device_index, list->devices[i].name);
    for (size_t i = 0; i < list->skipped_count; i++)
        cladei_text_printf(&names, "%s%s", names.length ? ", " : "", list->skipped[i]);
    clade_status status =
        list->device_count == 0
            ? cladei_fail(CLADE_E_NOT_FOUND, "there is no OpenCL device (%s)",
                          names.data ? names.data : "no driver lists one")
            : cladei_fail(CLADE_E_NOT_FOUND, "no OpenCL device fits \"%s\"; there are: %s",
                          description, names.data);
    cladei_text_free(&names);
    return status;
}

clade_status cladei_device_select(const clade_device_list *list, const char *description,
                                  size_t **order, size_t *count)
{
    clade_status status = CLADE_OK;
    size_t *chosen = calloc(list->device_count + 1, sizeof *chosen);
    size_t used = 0;
    CLADE_NO_MEMORY(chosen);
    for (int rank = 0; rank <= 2; rank++)
        for (size_t i = 0; i < list->device_count; i++)
            if (rank_device(&list->devices[i], description) == rank)
                chosen[used++] = i;
    if (used == 0) {
        status = fail_nothing_fits(list, description ? description : "");
        goto fail;
    }
    *order = chosen;
    *count = used;
    return CLADE_OK;

fail:
    free(chosen);
    return status;
}
