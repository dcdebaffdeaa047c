/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of one host are dealt out by the rank's number there. */
#define _GNU_SOURCE /* secure_getenv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm.h"

static const clade_device_info *entry_of(const clade_device_list *list, cl_device_id id)
{
    for (size_t i = 0; i < list->device_count; i++)
        if (list->devices[i].id == id)
            return &list->devices[i];
    return NULL;
}

static bool alike(const clade_device_info *a, const clade_device_info *b)
{
    return a->platform_index == b->platform_index && strcmp(a->name, b->name) == 0;
}

/* The device that is `turn` places after `first` among those like it, in a circle: "P:D". */
static void dealt(char *text, size_t bytes, const clade_device_list *list,
                  const clade_device_info *first, int turn)
{
    size_t count = 0, seen = 0;
    for (size_t i = 0; i < list->device_count; i++)
        count += alike(&list->devices[i], first);
    for (size_t i = 0; i < list->device_count; i++)
        if (alike(&list->devices[i], first) && seen++ == (size_t)turn % count)
            snprintf(text, bytes, "%u:%u", list->devices[i].platform_index,
                     list->devices[i].device_index);
}

static bool names_one(const clade_context_params *params)
{
    unsigned p, d;
    int used = 0;
    const char *device = params->device ? params->device : secure_getenv("CLADE_DEVICE");
    if (params->cl_context || params->cl_device)
        return true;
    return device && sscanf(device, "%9u:%9u%n", &p, &d, &used) == 2 && device[used] == '\0';
}

/* The first device that fits and works tells which ones are alike. */
static clade_status open_dealt(clade_context **out, const clade_mpi *mpi,
                               const clade_context_params *params)
{
    clade_status status = CLADE_OK;
    clade_device_list list = { 0 };
    char device[32] = "";
    CLADEM_REQUIRE(out, CLADE_E_ARG, "the place for the context is NULL");
    CLADEM_TRY(clade_context_create(out, params));
    if (mpi->host_rank == 0 || names_one(params))
        return CLADE_OK;
    CLADEM_TRY(clade_device_list_create(&list));
    const clade_device_info *first = entry_of(&list, clade_context_cl_device(*out));
    if (first)
        dealt(device, sizeof device, &list, first, mpi->host_rank);
    if (first && list.device_count > 1) {
        clade_context_params own = *params;
        own.device = device;
        clade_context_destroy(out);
        CLADEM_TRY(clade_context_create(out, &own));
    }
fail:
    clade_device_list_free(&list);
    return status;
}

clade_status clade_mpi_context_create(clade_context **out, clade_mpi *mpi,
                                      const clade_context_params *params_or_null)
{
    clade_status status = CLADE_OK;
    const clade_context_params defaults = { 0 };
    if (out)
        *out = NULL;
    CLADEM_REQUIRE(mpi, CLADE_E_ARG, "the communicator is NULL");
    CLADEM_TRY(cladei_mpi_agree(
        mpi, open_dealt(out, mpi, params_or_null ? params_or_null : &defaults), NULL));
    return CLADE_OK;

fail:
    if (out)
        clade_context_destroy(out);
    return status;
}
