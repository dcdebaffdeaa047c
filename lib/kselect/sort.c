/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection: putting each row's results in order. */
#include "base/error.h"
#include "base/text.h"
#include "device/context.h"
#include "kselect/kselect.h"

/* Elements an item sorts, and elements of local memory that it takes: CLADE_ROWSORT_SHARE, _ROOM. */
enum { SHARE = 8, ROOM = SHARE + 1 };

static uint64_t element_bytes(const clade_kselect *s)
{
    const uint64_t word = cladei_kselect_is_wide(s) ? sizeof(cl_ulong) : sizeof(cl_uint);
    return s->params.indices ? 2 * word : word; /* a word, its index beside it */
}

/* The smallest group that holds a row's k, up to what local memory and the device allow. */
static uint32_t sort_group(const clade_kselect *s)
{
    const clade_caps *caps = &s->context->caps;
    const uint32_t smallest = caps->subgroup_size > 2 ? caps->subgroup_size : 2;
    uint32_t group = smallest;
    if (s->params.group_size == 1 ||
        (s->params.group_size == 0 && cladei_prefers_one_item(s->context)))
        return 1;
    while (group < 512 && (uint64_t)group * SHARE < s->params.k &&
           2 * group <= caps->group_size_max &&
           2 * group * ROOM * element_bytes(s) <= caps->local_bytes - 1024)
        group *= 2;
    return group;
}

static clade_status need_heap(clade_kselect *s, int set)
{
    static const char *const name = "clade_kselect_heap";
    static const struct cladei_kernels kernels = { "kernels/kselect_heap.cl", &name, 1 };
    struct cladei_text options = { 0 };
    cladei_text_printf(&options, "-DCLADE_ADHEAP_ARITY=%u -DCLADE_KSELECT_INDICES=%u",
                       s->params.arity, s->params.indices);
    cladei_kselect_options(&options, s, set);
    return cladei_kernels_build_with(&s->kernels[set][KSELECT_HEAP], &kernels, s->context,
                                     &options);
}

/* Groups of one item have no kernel that merges. */
clade_status cladei_kselect_need_sort(clade_kselect *s, int set)
{
    static const char *const names[] = { "clade_kselect_sort", "clade_kselect_merge" };
    struct cladei_kernels kernels = { "kernels/kselect_sort.cl", names, 2 };
    struct cladei_text options = { 0 };
    if (s->params.output == CLADE_KSELECT_HEAP)
        return need_heap(s, set);
    s->sort_group = sort_group(s);
    kernels.count = s->sort_group > 1 ? 2 : 1;
    cladei_text_printf(&options, "-DCLADE_ROWSORT_GROUP=%u -DCLADE_ROWSORT_INDICES=%u",
                       s->sort_group, s->params.indices);
    if (cladei_kselect_is_wide(s))
        cladei_text_printf(&options, " -DCLADE_ROWSORT_WIDE=1");
    cladei_kselect_options(&options, s, set);
    return cladei_kernels_build_with(&s->kernels[set][KSELECT_SORT], &kernels, s->context,
                                     &options);
}

/* As many groups as keep the device busy, if there is scratch memory for so many. */
static clade_status sort_by_one_item(clade_kselect *s, struct cladei_run *run,
                                     const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const cl_ulong stride = job->stride;
    const cl_uint k = (cl_uint)s->params.k, rows = (cl_uint)job->rows;
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    const uint64_t each = 2 * s->params.k * element_bytes(s);
    const uint64_t fit = s->context->caps.alloc_bytes_max / each;
    size_t groups = (size_t)s->context->caps.compute_units * 4;
    if (groups > job->rows)
        groups = (size_t)job->rows;
    if (groups > fit)
        groups = fit ? (size_t)fit : 1;
    CLADE_TRY(cladei_scratch_reserve(&s->sorting[0], s->context, groups * each));
    CLADE_TRY(CLADEI_SET_ARGS(
        s->kernels[job->set][KSELECT_SORT], CLADEI_ARG(job->out.mem), CLADEI_ARG(job->out.first),
        CLADEI_ARG(indices), CLADEI_ARG(job->indices.first), CLADEI_ARG(stride),
        CLADEI_ARG(job->spans), CLADEI_ARG(k), CLADEI_ARG(rows), CLADEI_ARG(s->sorting[0].mem)));
    CLADE_TRY(cladei_run_kernel(run, s->kernels[job->set][KSELECT_SORT], groups, 1));
fail:
    return status;
}

/* Merge sorted blocks pairwise, from one scratch to the other and back. */
static clade_status merge_blocks(clade_kselect *s, struct cladei_run *run,
                                 const struct cladei_kselect_job *job, cl_uint blocks)
{
    clade_status status = CLADE_OK;
    const cl_ulong stride = job->stride;
    const cl_uint k = (cl_uint)s->params.k;
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    int from = 0;
    for (uint64_t length = (uint64_t)s->sort_group * SHARE; length < k; length *= 2) {
        const cl_uint merged = (cl_uint)length, last = 2 * length >= k;
        CLADE_TRY(CLADEI_SET_ARGS(
            s->kernels[job->set][KSELECT_MERGE], CLADEI_ARG(s->sorting[from].mem),
            CLADEI_ARG(s->sorting[!from].mem), CLADEI_ARG(job->out.mem), CLADEI_ARG(job->out.first),
            CLADEI_ARG(indices), CLADEI_ARG(job->indices.first), CLADEI_ARG(stride),
            CLADEI_ARG(job->spans), CLADEI_ARG(k), CLADEI_ARG(blocks), CLADEI_ARG(merged),
            CLADEI_ARG(last)));
        CLADE_TRY(cladei_run_kernel(run, s->kernels[job->set][KSELECT_MERGE],
                                    (size_t)job->rows * blocks, s->sort_group));
        from = !from;
    }
fail:
    return status;
}

static clade_status sort_by_groups(clade_kselect *s, struct cladei_run *run,
                                   const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const cl_ulong stride = job->stride;
    const cl_uint k = (cl_uint)s->params.k, block = s->sort_group * SHARE;
    const cl_uint blocks = (k + block - 1) / block;
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    /* One block a row needs none, but an argument must be some buffer. */
    const uint64_t bytes = blocks > 1 ? job->rows * k * element_bytes(s) : element_bytes(s);
    for (size_t i = 0; i < 2; i++)
        CLADE_TRY(cladei_scratch_reserve(&s->sorting[i], s->context, bytes));
    CLADE_TRY(CLADEI_SET_ARGS(
        s->kernels[job->set][KSELECT_SORT], CLADEI_ARG(job->out.mem), CLADEI_ARG(job->out.first),
        CLADEI_ARG(indices), CLADEI_ARG(job->indices.first), CLADEI_ARG(stride),
        CLADEI_ARG(job->spans), CLADEI_ARG(k), CLADEI_ARG(blocks), CLADEI_ARG(s->sorting[0].mem)));
    CLADE_TRY(cladei_run_kernel(run, s->kernels[job->set][KSELECT_SORT], (size_t)job->rows * blocks,
                                s->sort_group));
    CLADE_TRY(merge_blocks(s, run, job, blocks));
fail:
    return status;
}

/* A group a row: as many sub-groups as there are nodes on the level above the leaves, about. A driver
 * that leaves long loops would leave rows out that groups take in turns. */
static clade_status heapify(clade_kselect *s, struct cladei_run *run,
                            const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const clade_caps *caps = &s->context->caps;
    const cl_ulong stride = job->stride;
    const cl_uint k = (cl_uint)s->params.k, rows = (cl_uint)job->rows;
    const size_t units = (size_t)caps->compute_units * (caps->is_cpu ? 16 : 1024);
    const size_t groups = caps->loop_limit > 0 || rows < units ? rows : units;
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    size_t group = cladei_prefers_one_item(s->context) ? 1 : k < 2048 ? 128 : 512;
    if (group > caps->group_size_max)
        group = caps->group_size_max;
    CLADE_TRY(CLADEI_SET_ARGS(s->kernels[job->set][KSELECT_HEAP], CLADEI_ARG(job->out.mem),
                              CLADEI_ARG(job->out.first), CLADEI_ARG(indices),
                              CLADEI_ARG(job->indices.first), CLADEI_ARG(stride),
                              CLADEI_ARG(job->spans), CLADEI_ARG(k), CLADEI_ARG(rows)));
    CLADE_TRY(cladei_run_kernel(run, s->kernels[job->set][KSELECT_HEAP], groups, group));
fail:
    return status;
}

clade_status cladei_kselect_sort(clade_kselect *s, struct cladei_run *run,
                                 const struct cladei_kselect_job *job)
{
    if (s->params.output == CLADE_KSELECT_HEAP)
        return heapify(s, run, job);
    return s->sort_group == 1 ? sort_by_one_item(s, run, job) : sort_by_groups(s, run, job);
}
