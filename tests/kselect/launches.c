/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: k-selection (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/kselect.h>

KIND_CREATE(kselect, clade_kselect, .length = PART, .k = 3, .key = CLADE_U32,
            .output = CLADE_KSELECT_SORTED, .indices = 1)
KIND_DESTROY(kselect, clade_kselect)

static void nothing(struct world *w)
{
    (void)w;
}

static void no_mems(struct world *w, cl_mem *out)
{
    (void)w;
    (void)out;
}
#define kselect_clear nothing
#define kselect_fill  nothing
#define kselect_mems  no_mems
#define kselect_drain nothing
KIND(kselect);

#define ROWS(ROW)                                                  \
    ROW(kselect, run, clade_kselect_run, HOST_ARRAYS, 0,           \
        (O, A(NEW), A(OUT), A(ALSO), N_ROWS(PART), launch))        \
    ROW(kselect, run_each, clade_kselect_run_each, HOST_ARRAYS, 0, \
        (O, A(NEW), NONE, NONE, A(OUT), A(ALSO), N_ROWS(PART), NONE, launch))
LAUNCH_ROWS(kselect, ROWS)
