/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, and the rules that all calls share.
 *
 * Every function that can fail returns a clade_status: CLADE_OK (0), or a negative code of
 * clade/shared/status.h. After a failure the results are untouched or NULL, and nothing is half
 * made. clade_error_last() has a sentence about the last failure of this thread.
 *
 * "As named" beside a status means that its line in clade/shared/status.h says all.
 *
 * Structs never change their size. Each struct that a caller fills or receives ends in reserved
 * words. A later release may turn some of them into a field whose default is zero. So a caller sets
 * the whole struct to zero, as `{ .capacity = 1000 }` does, and then sets what it needs. A reserved
 * word that is not zero is CLADE_E_ARG: the program was compiled with a newer header than the
 * library's. In structs that the library fills, the reserved words are zero. clade_array alone has
 * none: it is passed by value, and it never grows. */
#pragma once

#include <stdint.h>

#include "clade/export.h"
#include "clade/shared/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CLADE_OK, or a CLADE_E_ code of clade/shared/status.h. */
typedef int clade_status;

/* A failure, as clade_error_last() tells it. */
typedef struct clade_error {
    clade_status status; /* what the failing call returned */
    int cl_code;         /* OpenCL's code where one of its calls failed, else 0 */
    const char *message; /* one sentence that names the value at fault; never NULL */
    const char *log;     /* the compiler's text when status is CLADE_E_BUILD, else "" */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_error;

/**
 * The last failure of this thread. A call that succeeds does not clear it, so look only after a
 * failure.
 *
 * @return Never NULL. Before the first failure: status CLADE_OK and empty texts.
 *
 * Owner:   the library; valid until the next call of this thread that fails.
 * Threads: any; each thread has its own.
 * Blocks:  no.
 */
CLADE_API const clade_error *clade_error_last(void);

/**
 * Set the last failure of this thread: for libraries that are built on clade and fail as it does.
 *
 * @param status   What the failing call returns.
 * @param cl_code  OpenCL's code, or 0.
 * @param message  One sentence; it is copied. NULL: "".
 *
 * @return `status`.
 *
 * Owner:   nothing changes hands.
 * Threads: any; each thread has its own.
 * Blocks:  no.
 */
CLADE_API clade_status clade_error_set(clade_status status, int cl_code, const char *message);

/**
 * The name of a status, such as "CLADE_E_FULL", for messages and logs.
 *
 * @return A constant string; "unknown status" for a number that is no status.
 *
 * Owner:   static.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_status_name(clade_status status);

#ifdef __cplusplus
}
#endif
