/* SPDX-License-Identifier: Apache-2.0 */
/* How a function of clade-mpi fails: as clade's own do (base/error.h), by the public interface. */
#pragma once

#include <mpi.h>

#include "clade/context.h"
#include "clade/error.h"

/* They set this thread's error and return a status. */
clade_status cladei_mpi_fail(clade_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
clade_status cladei_mpi_fail_cl(cl_int code, const char *call);
/* CLADE_E_IO: the network is what was read and written. */
clade_status cladei_mpi_fail_mpi(int code, const char *call);

/* E_ARG when a word that a public struct keeps for later releases is not zero; `what` is the
 * struct's name. For structs that are not handed on as they are to a call of clade's. */
clade_status cladei_mpi_reserved_check(const uint64_t *words, size_t count, const char *what);
#define CLADEM_RESERVED_CHECK(pointer, what)       \
    cladei_mpi_reserved_check((pointer)->reserved, \
                              sizeof(pointer)->reserved / sizeof *(pointer)->reserved, (what))

/* The shape of every fallible function: `clade_status status = CLADE_OK;` and one label `fail`. */
#define CLADEM_REQUIRE(condition, code, ...)               \
    do {                                                   \
        if (!(condition)) {                                \
            status = cladei_mpi_fail((code), __VA_ARGS__); \
            goto fail;                                     \
        }                                                  \
    } while (0)

#define CLADEM_TRY(call)        \
    do {                        \
        status = (call);        \
        if (status != CLADE_OK) \
            goto fail;          \
    } while (0)

#define CLADEM_CL(call)                                   \
    do {                                                  \
        cl_int cl_code_ = (call);                         \
        if (cl_code_ != CL_SUCCESS) {                     \
            status = cladei_mpi_fail_cl(cl_code_, #call); \
            goto fail;                                    \
        }                                                 \
    } while (0)

/* A call of MPI. It returns an error only where the caller's communicator asks for that; else MPI
 * ends the job. */
#define CLADEM_MPI(call)                                    \
    do {                                                    \
        int mpi_code_ = (call);                             \
        if (mpi_code_ != MPI_SUCCESS) {                     \
            status = cladei_mpi_fail_mpi(mpi_code_, #call); \
            goto fail;                                      \
        }                                                   \
    } while (0)

#define CLADEM_NO_MEMORY(pointer) \
    CLADEM_REQUIRE((pointer) != NULL, CLADE_E_NOMEM, "host memory is out")
