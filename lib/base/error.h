/* SPDX-License-Identifier: Apache-2.0 */
/* How a function fails: its status, and this thread's last error. */
#pragma once

#include "clade/context.h" /* cl_int */
#include "clade/error.h"

/* Both set this thread's error and return `status`; fail_cl returns CLADE_E_DEVICE, and
 * CLADE_E_NOMEM for OpenCL's own out-of-host-memory. */
clade_status cladei_fail(clade_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
clade_status cladei_fail_cl(cl_int code, const char *call);
/* The compiler refused: message from `format`, log copied. */
clade_status cladei_fail_build(cl_int code, const char *log, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *cladei_cl_name(cl_int code);

/* The shape of every fallible function: `clade_status status = CLADE_OK;` and one label `fail`
 * that releases what is not handed out, in reverse order. */
#define CLADE_REQUIRE(condition, code, ...)            \
    do {                                               \
        if (!(condition)) {                            \
            status = cladei_fail((code), __VA_ARGS__); \
            goto fail;                                 \
        }                                              \
    } while (0)

#define CLADE_TRY(call)         \
    do {                        \
        status = (call);        \
        if (status != CLADE_OK) \
            goto fail;          \
    } while (0)

#define CLADE_CL(call)                                \
    do {                                              \
        cl_int cl_code_ = (call);                     \
        if (cl_code_ != CL_SUCCESS) {                 \
            status = cladei_fail_cl(cl_code_, #call); \
            goto fail;                                \
        }                                             \
    } while (0)

/* For OpenCL calls that return an object and write their code through a last argument. */
#define CLADE_CL_CODE(code, call)                  \
    do {                                           \
        if ((code) != CL_SUCCESS) {                \
            status = cladei_fail_cl((code), call); \
            goto fail;                             \
        }                                          \
    } while (0)

#define CLADE_NO_MEMORY(pointer) \
    CLADE_REQUIRE((pointer) != NULL, CLADE_E_NOMEM, "host memory is out")
