/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection: what its files share. */
#pragma once

#include "base/text.h"
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
    KSELECT_LOOK,      /* kselect_first.cl */
    KSELECT_END,
    KSELECT_ALONE, /* of groups of one item */
    KSELECT_PARTS, /* kselect_parts.cl */
    KSELECT_SORT,  /* kselect_sort.cl */
    KSELECT_MERGE,
    KSELECT_HEAP, /* kselect_heap.cl */
    KSELECT_KERNELS
};

/* Two sets of the same kernels: for rows that are alike, and for rows that differ. */
enum { KSELECT_ALIKE, KSELECT_EACH, KSELECT_SETS };

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
    /* Creation builds most of these. The first run that needs the others builds them: those of the
     * way that only few rows go, or only many long ones, and those for rows that differ. */
    cl_kernel kernels[KSELECT_SETS][KSELECT_KERNELS];
    cl_kernel span;                               /* kselect_each.cl */
    struct cladei_scratch state, bins, collected; /* of rows that several groups share */
    struct cladei_scratch parts, meetings;        /* of those of CPUs */
    struct cladei_scratch sorting[2];
    struct cladei_scratch spans; /* of rows that differ */
};

/* One call's arrays, and where in them the rows begin that are worked on now. */
struct cladei_kselect_job {
    struct cladei_view keys, out, indices;
    int set;         /* KSELECT_ALIKE or KSELECT_EACH */
    cl_mem spans;    /* of KSELECT_EACH; else some buffer that no kernel touches */
    uint64_t stride; /* between rows of results */
    uint64_t rows;
};

static inline size_t cladei_kselect_key_bytes(const clade_kselect *s)
{
    return CLADE_TYPE_BYTES(s->params.key);
}

/* Words are as wide as keys, but have 32 bits at least. */
static inline bool cladei_kselect_is_wide(const clade_kselect *s)
{
    return CLADE_TYPE_BYTES(s->params.key) == 8;
}

/* What all kernels of a selector are told about its keys, and about the rows of a set. */
void cladei_kselect_options(struct cladei_text *options, const clade_kselect *s, int set);

/* The same, and the shape of one group a row. */
void cladei_kselect_row_options(struct cladei_text *options, const clade_kselect *s, int set);

/* Choosing a way, and going it: select.c. */
uint32_t cladei_kselect_asked_group(const clade_context *context, uint32_t group);
void cladei_kselect_shapes(clade_kselect *s);
/* Build the kernels of the way that so many rows go. */
clade_status cladei_kselect_need(clade_kselect *s, int set, uint64_t rows);
clade_status cladei_kselect_select(clade_kselect *s, struct cladei_run *run,
                                   const struct cladei_kselect_job *job);

/* The most rows that go to the device at once: scratch buffers and a launch's counters bound them.
 */
uint64_t cladei_kselect_rows_at_once(const clade_kselect *s, int set, uint64_t rows);
/* Bytes of keys that go to the device at once from host memory. */
uint64_t cladei_kselect_bytes_at_once(const clade_kselect *s);
clade_array cladei_kselect_array_at(clade_array array, uint64_t element, size_t bytes);
/* What both calls check first. */
clade_status cladei_kselect_check_call(const clade_kselect *s, clade_array keys, clade_array out,
                                       clade_array indices, uint64_t rows);

/* From how many keys for each result on a scan is the fastest; on CPUs where results are `few`. */
enum { CLADEI_SCAN_RARE = 256, CLADEI_SCAN_RARE_CPU = 128, CLADEI_SCAN_FEW = 4 };
bool cladei_kselect_may_scan(const clade_kselect *s);
bool cladei_kselect_is_scan(const clade_kselect *s, uint64_t rows);
clade_status cladei_kselect_need_scan(clade_kselect *s);
clade_status cladei_kselect_scan(clade_kselect *s, struct cladei_run *run,
                                 const struct cladei_kselect_job *job);

/* Whether one item guesses the range of a row's k-th key. */
bool cladei_kselect_is_likely(const clade_kselect *s);
/* Whether each of `rows` rows that are alike is shared by several groups of one item. */
bool cladei_kselect_is_parted(const clade_kselect *s, uint64_t rows);
clade_status cladei_kselect_need_parts(clade_kselect *s);
clade_status cladei_kselect_parts(clade_kselect *s, struct cladei_run *run,
                                  const struct cladei_kselect_job *job);

/* Whether `rows` rows are worked on by several groups each. */
bool cladei_kselect_is_shared(const clade_kselect *s, uint64_t rows);
/* The groups that share a row, as a power of two. */
uint32_t cladei_kselect_parts_log(const clade_kselect *s, uint64_t rows);
bool cladei_kselect_is_first(const clade_kselect *s);
clade_status cladei_kselect_need_first(clade_kselect *s, int set);
clade_status cladei_kselect_first(clade_kselect *s, struct cladei_run *run,
                                  const struct cladei_kselect_job *job);

clade_status cladei_kselect_need_sort(clade_kselect *s, int set);
/* Results in the order that was wanted: sorted, or as heaps. */
clade_status cladei_kselect_sort(clade_kselect *s, struct cladei_run *run,
                                 const struct cladei_kselect_job *job);
