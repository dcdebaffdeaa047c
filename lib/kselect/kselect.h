/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection: what its files share. */
#pragma once

#include "clade/kselect.h"
#include "clade/shared/kselect.h"
#include "object/kind.h"
#include "object/launch.h"

enum {
    KSELECT_ROWS,  /* kselect.cl: one group a row */
    KSELECT_START, /* kselect_shared.cl: several groups a row */
    KSELECT_COUNT,
    KSELECT_SCAN,
    KSELECT_PLACE,
    KSELECT_FINISH,
    KSELECT_SCAN_ROWS, /* kselect_scan.cl: one look at a row */
    KSELECT_SORT,      /* kselect_sort.cl */
    KSELECT_MERGE,
    KSELECT_HEAP, /* kselect_heap.cl */
    KSELECT_KERNELS
};

/* How one program is compiled, and so how it is launched. */
struct cladei_kselect_shape {
    uint32_t group; /* items a group */
    uint32_t items; /* keys an item holds */
    uint32_t digit; /* bits */
    uint32_t ranked;
    bool once; /* a row is read once */
};

struct clade_kselect {
    clade_context *context;
    clade_kselect_params params;
    struct cladei_kselect_shape row, shared;
    uint32_t sort_group;
    cl_kernel kernels[KSELECT_KERNELS]; /* a way that few rows alone go is built by the first run
                                         * that goes it */
    struct cladei_scratch state, bins, collected; /* of rows that several groups share */
    struct cladei_scratch sorting[2];
};

/* One call's arrays, and where in them the rows begin that are worked on now. */
struct cladei_kselect_job {
    struct cladei_view keys, out, indices;
    uint64_t stride; /* between rows of results */
    uint64_t rows;
};

/* How many keys there are at least for each result, that a scan is the fastest. */
enum { CLADEI_SCAN_RARE_CPU = 128, CLADEI_SCAN_RARE_GPU = 256 };
bool cladei_kselect_may_scan(const clade_kselect *s);
bool cladei_kselect_is_scan(const clade_kselect *s, uint64_t rows);
clade_status cladei_kselect_need_scan(clade_kselect *s);
clade_status cladei_kselect_scan(clade_kselect *s, struct cladei_run *run,
                                 const struct cladei_kselect_job *job);

clade_status cladei_kselect_need_sort(clade_kselect *s);
/* Results in the order that was wanted: sorted, or as heaps. */
clade_status cladei_kselect_sort(clade_kselect *s, struct cladei_run *run,
                                 const struct cladei_kselect_job *job);
