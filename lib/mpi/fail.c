/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of failures. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mpi/fail.h"

enum { MESSAGE_BYTES = 1024 };

clade_status cladei_mpi_fail(clade_status status, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return clade_error_set(status, 0, message);
}

clade_status cladei_mpi_fail_cl(cl_int code, const char *call)
{
    char message[MESSAGE_BYTES];
    const clade_status status = code == CL_OUT_OF_HOST_MEMORY ? CLADE_E_NOMEM : CLADE_E_DEVICE;
    snprintf(message, sizeof message, "%.*s failed: OpenCL's code is %d", (int)strcspn(call, "("),
             call, code);
    return clade_error_set(status, code, message);
}

clade_status cladei_mpi_fail_mpi(int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return cladei_mpi_fail(CLADE_E_IO, "%.*s failed: %s", (int)strcspn(call, "("), call, text);
}

clade_status cladei_mpi_reserved_check(const uint64_t *words, size_t count, const char *what)
{
    clade_status status = CLADE_OK;
    for (size_t i = 0; i < count; i++)
        CLADEM_REQUIRE(words[i] == 0, CLADE_E_ARG, "%s has a value in a reserved word", what);
fail:
    return status;
}
