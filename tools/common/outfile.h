/* SPDX-License-Identifier: Apache-2.0 */
/* A file that a tool writes: there whole or not at all, and on the disk when it is closed. What the
 * user named and is no file of its own, a device, a pipe, a link such as /dev/stdout, is written
 * where it is, as by a shell's `>`. */
#pragma once

#include "../../lib/base/outfile.h"

/* What to write to, or NULL. Either way one of the two below follows. */
static inline FILE *outfile_open(struct outfile *out, const char *path)
{
    return cladei_outfile_open(out, path, CLADEI_OUTFILE_LASTING | CLADEI_OUTFILE_IN_PLACE);
}

/* false: not opened, or not all of it was written; errno says why, and what was there before is. */
static inline bool outfile_close(struct outfile *out)
{
    return cladei_outfile_close(out);
}

/* Gives it up, for a reason of the caller's. */
static inline void outfile_discard(struct outfile *out)
{
    cladei_outfile_discard(out);
}

/* Whether outfile_open() would open it, as far as that can be told now; where not, errno says why.
 * What is there is left alone. */
bool outfile_can_be_written(const char *path);
