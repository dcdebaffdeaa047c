/* SPDX-License-Identifier: Apache-2.0 */
/* How a call says that it failed.
 *
 * Every function that can fail returns a clade_status: CLADE_OK (0) or a negative code of
 * clade/shared/status.h. On failure the results are untouched or NULL and nothing is half made.
 * The sentence that goes with the last failure of this thread is in clade_error_last().
 *
 * Structs never change their size. Each one that a caller fills or receives ends in reserved words;
 * a later release takes a field out of them, for which zero means the default. So a caller zeroes
 * the whole struct, as `{ .capacity = 1000 }` does, and sets what it needs. A value in a reserved
 * word is CLADE_E_ARG: the program was compiled against a newer header than the library. In what
 * the library fills, they are zero. (clade_array, which is passed by value, never grows.) */
#pragma once

#include <stdint.h>

#include "clade/export.h"
#include "clade/shared/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CLADE_OK, or a CLADE_E_ code of clade/shared/status.h. */
typedef int clade_status;

/* A failure, as clade_error_last() has it. */
typedef struct clade_error {
    clade_status status; /* what the failing call returned */
    int cl_code;         /* OpenCL's own code when status is CLADE_E_DEVICE or E_BUILD, else 0 */
    const char *message; /* one sentence that names the value at fault; never NULL */
    const char *log;     /* the compiler's text when status is CLADE_E_BUILD, else "" */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_error;

/**
 * The last failure of this thread.
 *
 * @return Never NULL. Not cleared by a success, so look only after a failure. Before the first
 *         failure: status CLADE_OK, empty texts.
 *
 * Owner:   the library; valid until this thread's next failing call.
 * Threads: any; each thread has its own.
 * Blocks:  no.
 */
CLADE_API const clade_error *clade_error_last(void);

/**
 * A status code's name, for messages and logs: "CLADE_E_FULL".
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
