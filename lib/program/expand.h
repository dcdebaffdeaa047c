/* SPDX-License-Identifier: Apache-2.0 */
/* Sources with their includes replaced. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clade/error.h"

#include "base/text.h"

struct cladei_expansion {
    struct cladei_text source;
    char **files; /* every file that was read, once each, in order */
    size_t file_count;
    uint64_t hash[2]; /* of the text without line marks */
    bool lost;        /* after a failure: `file` itself is not found anywhere */
};

/* Replace the includes of `source` (or of `file` when source is NULL). */
clade_status cladei_expand(struct cladei_expansion *out, const char *source, const char *name,
                           const char *file, const char *include_path, const char *kernel_path);
void cladei_expansion_free(struct cladei_expansion *expansion);
