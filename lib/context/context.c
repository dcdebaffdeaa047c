/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a device. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: works on 1.2 drivers too */
#include <stdlib.h>
#include <string.h>

#include "base/borrow.h"
#include "base/error.h"
#include "base/file.h"
#include "base/reserved.h"
#include "base/text.h"
#include "context/context.h"
#include "context/probe.h"
#include "device/context.h"
#include "device/device.h"
#include "device/queue.h"
#include "device/wait.h"
#include "program/archive.h"
#include "program/cache.h"
#include "program/kernel_path.h"
#include "program/program.h"
#include "program/source.h"

/* Whether the context makes a queue on the device, as it does for its own alone. */
static bool makes_queue(cl_context cl, cl_device_id device)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(cl, device, 0, &code);
    if (code == CL_SUCCESS)
        clReleaseCommandQueue(queue);
    return code == CL_SUCCESS;
}

static bool is_part(cl_device_id device)
{
    cl_device_id whole = NULL;
    return clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof whole, &whole, NULL) ==
               CL_SUCCESS &&
           whole != NULL;
}

/* Whether the caller's context has the caller's device. PoCL's list has the whole device where the
 * context was made of a part of it (clCreateSubDevices()). */
static clade_status check_device(cl_context cl, cl_device_id device)
{
    clade_status status = CLADE_OK;
    cl_device_id devices[64];
    size_t bytes = 0;
    bool has_it = false;
    CLADE_CL(clGetContextInfo(cl, CL_CONTEXT_DEVICES, 0, NULL, &bytes));
    CLADE_REQUIRE(bytes <= sizeof devices, CLADE_E_UNSUPPORTED,
                  "cl_context has more than %zu devices", sizeof devices / sizeof devices[0]);
    CLADE_CL(clGetContextInfo(cl, CL_CONTEXT_DEVICES, bytes, devices, NULL));
    for (size_t i = 0; i < bytes / sizeof devices[0]; i++)
        has_it = has_it || devices[i] == device;
    has_it = has_it || (is_part(device) && makes_queue(cl, device));
    CLADE_REQUIRE(has_it, CLADE_E_ARG, "cl_device is no device of cl_context");
fail:
    return status;
}

/* `own`: handles that the caller brought; retained here, released by destroy like ours. */
static clade_status take_handles(clade_context *context, const clade_context_params *own)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(check_device(own->cl_context, own->cl_device));
    if (own->cl_queue)
        CLADE_TRY(cladei_queue_check(own->cl_queue, own->cl_context, own->cl_device));
    CLADE_CL(clRetainContext(own->cl_context));
    context->cl = own->cl_context;
    /* PoCL's contexts and queues do not hold a part of a device that they are for. */
    CLADE_CL(clRetainDevice(own->cl_device));
    context->holds_device = true;
    if (own->cl_queue) {
        CLADE_CL(clRetainCommandQueue(own->cl_queue));
        context->queue = own->cl_queue;
    }
fail:
    return status;
}

static clade_status make_handles(clade_context *context, int profiling)
{
    clade_status status = CLADE_OK;
    cl_int code;
    if (!context->cl) {
        context->cl = clCreateContext(NULL, 1, &context->device, NULL, NULL, &code);
        CLADE_CL_CODE(code, "clCreateContext");
    }
    if (!context->queue) {
        context->queue = clCreateCommandQueue(context->cl, context->device,
                                              profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
        CLADE_CL_CODE(code, "clCreateCommandQueue");
    }
fail:
    return status;
}

static clade_status copy_settings(clade_context *context, const clade_context_params *params)
{
    clade_status status = CLADE_OK;
    const char *options = params->build_options;
    if (!options)
        options = cladei_getenv("CLADE_BUILD_OPTIONS");
    context->build_options = cladei_strdup(options ? options : "");
    CLADE_NO_MEMORY(context->build_options);
    CLADE_TRY(cladei_kernel_path(&context->kernel_path, params->kernel_path));
    CLADE_TRY(cladei_cache_dir(&context->cache_dir, params->cache_dir));
    CLADE_TRY(cladei_archive_find_file(&context->archive, params->archive, context->cache_dir));
fail:
    return status;
}

/* When the device is known: the options of every program. */
static clade_status keep_options(clade_context *context)
{
    clade_status status = CLADE_OK;
    struct cladei_text options = { 0 };
    cladei_add_options(&options, &context->caps, context->info.platform, context->language,
                       context->build_options, NULL);
    CLADE_REQUIRE(!options.failed, CLADE_E_NOMEM, "host memory is out");
    context->options = options.data;
    return CLADE_OK;

fail:
    cladei_text_free(&options);
    return status;
}

/* Whether built programs go to the cache. PoCL compiles a kernel for the group size of its first
 * launch, and keeps that itself; asked for a program's binary it compiles all kernels of it, for
 * any size, which nobody launches: three quarters of a cold start. There the cache has programs
 * only when its folder was named. */
static bool wants_binaries(const clade_context *context, const clade_context_params *params)
{
    return params->cache_dir || cladei_getenv("CLADE_CACHE_DIR") ||
           strcmp(context->info.platform, "Portable Computing Language") != 0;
}

/* Open one device, which `params` may bring. */
static clade_status open_device(clade_context **out, const clade_context_params *params,
                                cl_device_id device)
{
    clade_status status = CLADE_OK;
    clade_context *context = calloc(1, sizeof *context);
    CLADE_NO_MEMORY(context);
    pthread_mutex_init(&context->mutex, NULL);
    context->device = device;
    context->on_launch = params->on_launch;
    context->on_launch_data = params->on_launch_data;
    context->on_compile = params->on_compile;
    context->on_compile_data = params->on_compile_data;
    CLADE_TRY(copy_settings(context, params));
    CLADE_TRY(cladei_device_describe(device, &context->info));
    context->finish_forgets = cladei_finish_forgets(context->info.platform);
    context->keeps_binaries = wants_binaries(context, params);
    CLADE_TRY(cladei_caps_query(device, &context->caps));
    context->sleeps_early = cladei_sleeps_early(context->info.platform, &context->caps);
    if (params->cl_context)
        CLADE_TRY(take_handles(context, params));
    CLADE_TRY(make_handles(context, params->profiling));
    CLADE_TRY(cladei_caps_probe(context, params->force_rmw_atomics != 0));
    CLADE_TRY(keep_options(context));
    *out = context;
    return CLADE_OK;

fail:
    clade_context_destroy(&context);
    return status;
}

/* Try the devices that fit, best first, keeping why each was passed over. */
static clade_status open_first_usable(clade_context **out, const clade_context_params *params,
                                      const char *description)
{
    clade_status status = CLADE_OK;
    clade_device_list list = { 0 };
    struct cladei_text reasons = { 0 };
    size_t *order = NULL, count = 0;
    CLADE_TRY(clade_device_list_create(&list));
    CLADE_TRY(cladei_device_select(&list, description, &order, &count));
    for (size_t i = 0; i < count; i++) {
        const clade_device_info *info = &list.devices[order[i]];
        status = open_device(out, params, info->id);
        /* A broken driver is passed over; a broken installation or empty memory is not. */
        if (status == CLADE_OK || status == CLADE_E_NOMEM || status == CLADE_E_NOT_FOUND ||
            (status == CLADE_E_BUILD && count == 1))
            goto fail;
        cladei_text_printf(&reasons, "%s%u:%u %s: %s", i ? "; " : "", info->platform_index,
                           info->device_index, info->name, clade_error_last()->message);
    }
    status = cladei_fail(CLADE_E_UNSUPPORTED, "no device is usable (%s)",
                         reasons.data ? reasons.data : "no reason kept");
fail:
    cladei_text_free(&reasons);
    free(order);
    clade_device_list_free(&list);
    return status;
}

clade_status clade_context_create(clade_context **out, const clade_context_params *params)
{
    clade_status status = CLADE_OK;
    const clade_context_params defaults = { 0 };
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the context is NULL");
    *out = NULL;
    if (!params)
        params = &defaults;
    CLADE_TRY(CLADEI_RESERVED_CHECK(params, "clade_context_params"));
    if (params->cl_context || params->cl_device || params->cl_queue) {
        CLADE_REQUIRE(params->cl_context && params->cl_device, CLADE_E_ARG,
                      "a context of your own needs both cl_context and cl_device");
        return open_device(out, params, params->cl_device);
    }
    const char *description = params->device ? params->device : cladei_getenv("CLADE_DEVICE");
    return open_first_usable(out, params, description);

fail:
    return status;
}

void cladei_context_let_go(clade_context *it)
{
    if (!cladei_let_go(&it->borrowers))
        return;
    if (it->queue) {
        cladei_queue_settle(it, it->queue);
        cladei_wait_expect(it, NULL);
        clReleaseCommandQueue(it->queue);
    }
    cladei_program_forget_all(it);
    if (it->cl)
        clReleaseContext(it->cl);
    if (it->holds_device)
        clReleaseDevice(it->device);
    clade_archive_destroy(&it->archive);
    free(it->build_options);
    free(it->options);
    free(it->cache_dir);
    free(it->kernel_path);
    pthread_mutex_destroy(&it->mutex);
    free(it);
}

void clade_context_destroy(clade_context **context)
{
    if (!context || !*context)
        return;
    clade_context *it = *context;
    if (it->queue)
        cladei_queue_settle(it, it->queue);
    it->on_launch = NULL; /* what they tell is the caller's, who is done with it */
    it->on_compile = NULL;
    cladei_context_let_go(it);
    *context = NULL;
}

clade_status clade_finish(clade_context *context)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(context, CLADE_E_ARG, "the context is NULL");
    CLADE_TRY(cladei_wait(context));
fail:
    return status;
}

const clade_caps *clade_context_caps(const clade_context *context)
{
    return context ? &context->caps : NULL;
}

cl_context clade_context_cl_context(const clade_context *context)
{
    return context ? context->cl : NULL;
}

cl_device_id clade_context_cl_device(const clade_context *context)
{
    return context ? context->device : NULL;
}

cl_command_queue clade_context_cl_queue(const clade_context *context)
{
    return context ? context->queue : NULL;
}

const char *clade_context_options(const clade_context *context)
{
    return context ? context->options : "";
}
