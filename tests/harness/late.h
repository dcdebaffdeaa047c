/* SPDX-License-Identifier: Apache-2.0 */
/* One launch of a kernel behind many turns of a loop. A driver may leave loops after so many turns
 * in a launch (clade_caps.loop_limit), whoever took them: behind nearly as many, an operation's own
 * loops are left. Elsewhere there are no turns before it.
 *
 * The kernel is called `late`. Its first arguments are `out`, a word or more for each item, and
 * `turns`; it begins with LATE_TURNS, and includes a header of clade's. */
#pragma once

#include "harness/fixture.h"

#define LATE_TURNS                                    \
    "    for (uint turn = 0; turn < turns; turn++)\n" \
    "        clade_or_relaxed((clade_global_word)out + get_global_id(0), 0u);\n"

struct late {
    struct fixture *f;
    clade_program *program;
    cl_kernel kernel;
    cl_mem out;
    size_t bytes;   /* of `out` */
    uint32_t limit; /* 0: loops are not left */
};

/* Fails the test instead of failing. */
struct late late_open(struct fixture *f, const char *source, const char *options, size_t bytes);
void late_close(struct late *late);
/* The limit, or `less` turns less; none where loops are not left. */
uint32_t late_turns(const struct late *late, uint32_t less);
/* What `out` holds after a launch, and it was zero before; the arguments from the third on are set.
 */
void late_run(struct late *late, uint32_t turns, size_t items, size_t group, void *got);
