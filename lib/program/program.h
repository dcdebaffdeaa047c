/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of a context, built or found. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clade/program.h"

#include "base/text.h"
#include "program/expand.h"

/* What a context built, or found out by running it, for archives. */
struct cladei_built {
    struct cladei_built *next;
    char *key;          /* everything the build depends on, and the source at its end */
    char *options;      /* inside key's allocation */
    char *name;         /* likewise */
    const char *source; /* inside key */
    uint64_t hash[2];
    cl_program cl;      /* NULL: what was kept is a result */
    const void *result; /* of static storage */
    size_t result_bytes;
};
/* Either a source or a file, and nothing that this library does not know. */
clade_status cladei_program_params_check(const clade_program_params *params);
/* What messages call it. */
const char *cladei_program_name(const clade_program_params *params);
/* What a compiler is given of a program: the expanded source and all options. Both are the caller's
 * to free, on failure too. */
clade_status cladei_program_source(struct cladei_expansion *expansion, struct cladei_text *options,
                                   const clade_context *context,
                                   const clade_program_params *params);
/* What goes before and after a source for this context's compiler. */
struct cladei_frame {
    const char *before, *after;
};
struct cladei_frame cladei_program_frame(const clade_context *context, const char *options);
/* A built program's binary, to be freed; NULL when the driver gives none. */
void *cladei_program_binary(cl_program program, cl_device_id device, size_t *size);

/* Build one of clade's own kernel files with the given defines. */
clade_status cladei_program_build_own(clade_program **out, clade_context *context, const char *file,
                                      const char *options);
/* The same without options, for a program that runs once: it is neither kept nor remembered. */
clade_status cladei_program_build_passing(clade_program **out, clade_context *context,
                                          const char *file);
void cladei_program_forget_all(clade_context *context);

/* Did `file`'s kernels, built as now on this device, compute `result` before? From the archive or
 * the cache; a result that is not there is no failure. And: they just did. */
clade_status cladei_result_find(bool *found, clade_context *context, const char *file,
                                const void *result, size_t size);
clade_status cladei_result_keep(clade_context *context, const char *file, const void *result,
                                size_t size);
