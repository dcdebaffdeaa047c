/* SPDX-License-Identifier: Apache-2.0 */
#include "common/failure.h"

#include <stdio.h>

bool failure_none_cl(char *text, size_t size, const char *call, cl_int code)
{
    if (code != CL_SUCCESS)
        snprintf(text, size, "%s failed (OpenCL error %d)", call, code);
    return code == CL_SUCCESS;
}

bool failure_none(char *text, size_t size, clade_status status)
{
    const clade_error *why = clade_error_last();
    if (status != CLADE_OK)
        snprintf(text, size, "%s%s%s", why->message, *why->log ? "\n" : "", why->log);
    return status == CLADE_OK;
}
