/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: kernels of your own, built together with clade's device functions. */
#pragma once

#include "clade/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A program: opaque. */
typedef struct clade_program clade_program;

/* What to build. Either `source` or `file` is required. Another field that is zero means its
 * default. */
typedef struct clade_program_params {
    const char *source;       /* OpenCL C text */
    const char *file;         /* a file that holds the text; looked up as an include is */
    const char *name;         /* how messages name `source`; default "source.cl" */
    const char *options;      /* compiler options, such as "-DN=4". -I is refused: `include_path` is
                               * for folders. clade chooses -cl-std */
    const char *include_path; /* colon-separated folders, searched before clade's own */
    uint64_t reserved[8];     /* zero: see clade/error.h */
} clade_program_params;

/**
 * Build a program from OpenCL C source that may include clade's device headers.
 *
 * Includes. clade replaces each line `#include "X"` by the file X. It looks beside the including
 * file, then in `include_path`, then in clade's kernel folders. So paths with blanks work, and
 * messages name the file at fault. An include stands alone on its line. clade does not
 * evaluate conditions, so the file must exist even when one hides it. A file with `#pragma once`
 * is taken once.
 *
 * Options. clade passes the device's dialect and language version, then the context's options, then
 * those of `params`.
 *
 * Where it comes from. A program is looked for in the memory of the context, in the context's
 * archive (clade/archive.h), and in the cache on disk (clade_context_params.cache_dir). Only then
 * is it compiled, and kept in the cache. When `file` is not found in any folder, its source is
 * taken from the archive as well.
 *
 * @param out      Receives the program; NULL on failure.
 * @param context  Where it will run.
 * @param params   What to build; needed only during the call.
 *
 * @retval CLADE_OK           `*out` is the program.
 * @retval CLADE_E_ARG        An argument is NULL, the options have -I, or `source` and `file` are
 *                            both given or both missing.
 * @retval CLADE_E_NOT_FOUND  A file is missing; the message names it and the file that includes it.
 * @retval CLADE_E_BUILD      It does not compile; clade_error_last()->log has the compiler's text.
 * @retval CLADE_E_CORRUPT    A file has more than 64 MiB.
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
 * Free a program and set the handle to NULL. Kernels made from it stay valid. NULL and a pointer to
 * NULL are fine.
 *
 * Owner:   takes the program.
 * Threads: one, when no other uses the program.
 * Blocks:  no.
 */
CLADE_API void clade_program_destroy(clade_program **program);

/**
 * Make a kernel of the program.
 *
 * @param out      Receives the kernel; NULL on failure.
 * @param program  A program.
 * @param kernel   The name of the kernel function.
 *
 * @retval CLADE_OK           `*out` is a new kernel.
 * @retval CLADE_E_ARG        An argument is NULL.
 * @retval CLADE_E_NOT_FOUND  The program has no such kernel.
 * @retval CLADE_E_DEVICE     OpenCL failed otherwise.
 *
 * Owner:   the caller releases the kernel with clReleaseKernel().
 * Threads: any; a kernel itself is used by one thread at a time.
 * Blocks:  with some drivers, which compile here.
 */
CLADE_API CLADE_CHECKED clade_status clade_program_kernel(cl_kernel *out, clade_program *program,
                                                          const char *kernel);

/**
 * The OpenCL program, for OpenCL calls of your own.
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
    CLADE_FROM_COMPILER = 1, /* it was compiled by the call */
    CLADE_FROM_MEMORY = 2, /* this context had built it before */
    CLADE_FROM_CACHE = 3,  /* clade_context_params.cache_dir */
    CLADE_FROM_ARCHIVE = 4 /* clade_context_params.archive */
};

/**
 * Where the program came from.
 *
 * @return CLADE_FROM_COMPILER and so on; 0 for NULL.
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
 * What the compiler said although it succeeded: warnings, with true file names and lines.
 *
 * @return Borrowed from `program`. "" when the compiler said nothing, when it did not run because
 *         the program was found, and for NULL.
 *
 * Owner:   the program.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_program_log(const clade_program *program);

#ifdef __cplusplus
}
#endif
