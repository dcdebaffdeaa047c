/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: the user's kernels, built with clade's device functions. */
#pragma once

#include "clade/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A program: opaque. */
typedef struct clade_program clade_program;

/* What to build. One of `source` and `file` is required; other zero fields are defaults. */
typedef struct clade_program_params {
    const char *source;       /* OpenCL C text */
    const char *file;         /* or a file that holds it; searched as an include is */
    const char *name;         /* what messages call `source`; default "source.cl" */
    const char *options;      /* compiler options, such as "-DN=4"; not -I and not -cl-std */
    const char *include_path; /* colon-separated folders, searched before clade's own */
    uint64_t reserved[8];     /* zero: see clade/error.h */
} clade_program_params;

/**
 * Build a program from OpenCL C source that may include clade's device headers.
 *
 * Each line `#include "X"` is replaced by file X (looked up beside the including file, then in
 * `include_path`, then in clade's kernel folders), so paths with blanks work and messages name
 * the file at fault. Includes must stand alone on their line and unconditionally; a file with
 * `#pragma once` is taken once. The device's dialect and language version are passed as options.
 * A built program is kept on disk (clade_context_params.cache_dir) and found again; one that was
 * compiled ahead of time is taken from the context's archive, and when `file` is not found
 * anywhere, its source too.
 *
 * @param out      Receives the program; NULL on failure.
 * @param context  Where it will run.
 *
 * @retval CLADE_OK           Built.
 * @retval CLADE_E_ARG        Neither or both of `source` and `file`, or a NULL argument.
 * @retval CLADE_E_NOT_FOUND  A file is missing; the message names it and who includes it.
 * @retval CLADE_E_BUILD      The compiler's text is in clade_error_last()->log.
 * @retval CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_IO  As named.
 *
 * Owner:   the caller; clade_program_destroy() frees it.
 * Threads: any.
 * Blocks:  while compiling.
 */
CLADE_API CLADE_CHECKED clade_status clade_program_build(clade_program **out,
                                                         clade_context *context,
                                                         const clade_program_params *params);

/**
 * Free a program. Kernels made from it stay valid. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the program.
 * Threads: one, when no other uses the program.
 * Blocks:  no.
 */
CLADE_API void clade_program_destroy(clade_program **program);

/**
 * Make a kernel of the program.
 *
 * @retval CLADE_OK           `*out` is a new kernel.
 * @retval CLADE_E_ARG        An argument is NULL.
 * @retval CLADE_E_NOT_FOUND  The program has no such kernel.
 * @retval CLADE_E_DEVICE     OpenCL failed otherwise.
 *
 * Owner:   the caller releases the kernel with clReleaseKernel().
 * Threads: any; a kernel itself is used by one thread at a time.
 * Blocks:  some drivers compile here.
 */
CLADE_API CLADE_CHECKED clade_status clade_program_kernel(cl_kernel *out, clade_program *program,
                                                          const char *kernel);

/**
 * The OpenCL program, for calls of your own.
 *
 * @return Borrowed from `program`.
 *
 * Owner:   the program.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_program clade_program_cl(const clade_program *program);

/* Where a program came from. */
enum {
    CLADE_FROM_COMPILER = 1,
    CLADE_FROM_MEMORY = 2, /* this context had built it before */
    CLADE_FROM_CACHE = 3,  /* clade_context_params.cache_dir */
    CLADE_FROM_ARCHIVE = 4 /* clade_context_params.archive */
};

/**
 * Where the program came from: CLADE_FROM_COMPILER and so on; 0 for NULL.
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API int clade_program_origin(const clade_program *program);

/**
 * The compiler options that the program was built with: clade's own, the context's, the caller's.
 *
 * @return Borrowed from `program`; "" for NULL.
 *
 * Owner:   the program.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_program_options(const clade_program *program);

/**
 * What the compiler said though it succeeded: warnings, with true file names and lines. "" when
 * it said nothing, or did not run because the program was found.
 *
 * @return Borrowed from `program`; "" for NULL.
 *
 * Owner:   the program.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_program_log(const clade_program *program);

#ifdef __cplusplus
}
#endif
