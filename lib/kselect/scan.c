/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection: one look at each row, with a heap of the k first in local memory. */
#include "base/error.h"
#include "base/text.h"
#include "device/context.h"
#include "kselect/kselect.h"

/* Sub-groups a group: as many as leave room for four groups of heaps, or one. */
static uint32_t scan_subgroups(const clade_kselect *s)
{
    const clade_caps *caps = &s->context->caps;
    const uint64_t heap = s->params.k * (1 + s->params.indices) * sizeof(cl_uint);
    if (caps->subgroup_size < 2)
        return 1;
    return caps->local_bytes >= 16 * heap ? 4 : 1;
}

static bool fits(const clade_kselect *s)
{
    const clade_caps *caps = &s->context->caps;
    const uint64_t heap = s->params.k * (1 + s->params.indices) * sizeof(cl_uint);
    return heap <= caps->local_bytes / 2 && caps->loop_limit == 0;
}

/* A scan waits for nothing and looks once; its cost a candidate is a walk. Measured crossovers:
 * docs/inside/kselect.md. */
bool cladei_kselect_may_scan(const clade_kselect *s)
{
    const bool is_few = s->context->caps.is_cpu && s->params.k <= CLADEI_SCAN_FEW;
    const uint64_t rare = is_few ? CLADEI_SCAN_RARE_CPU : CLADEI_SCAN_RARE;
    if (s->params.method != CLADE_KSELECT_AUTO)
        return s->params.method == CLADE_KSELECT_SCAN;
    if (CLADE_TYPE_BYTES(s->params.key) != 4 || s->params.ties != CLADE_KSELECT_TIES_ANY)
        return false; /* heaps have such keys, and do not know which of equal ones came first */
    /* Where a row descends in parts, each key of a part is a candidate. Comparisons with pivots do
     * not mind, and in long rows there is the more to lose. */
    if (s->context->caps.is_cpu && s->params.length >= 1 << 14)
        return false;
    return fits(s) && s->params.k <= 1024 && s->params.k * rare <= s->params.length &&
           s->params.group_size == 0;
}

/* With so many keys for each result most blocks of a row have none. */
enum { PASSED = 512 };

clade_status cladei_kselect_need_scan(clade_kselect *s)
{
    static const char *const name = "clade_kselect_scan_rows";
    static const struct cladei_kernels kernels = { "kernels/kselect_scan.cl", &name, 1 };
    clade_status status = CLADE_OK;
    struct cladei_text options = { 0 };
    CLADE_REQUIRE(fits(s), CLADE_E_UNSUPPORTED,
                  "a heap of %u keys does not fit half the local memory of %s, or its loops are "
                  "too short",
                  (unsigned)s->params.k, s->context->info.name);
    cladei_text_printf(&options, "-DCLADE_KSELECT_KEY=%u -DCLADE_KSELECT_ORDER=%u", s->params.key,
                       s->params.order);
    cladei_text_printf(&options, " -DCLADE_KSELECT_INDICES=%u -DCLADE_KSELECT_CODED=%d",
                       s->params.indices, s->params.output != CLADE_KSELECT_ANY);
    if (s->context->caps.is_cpu && s->params.length >= s->params.k * PASSED)
        cladei_text_printf(&options, " -DCLADE_KSELECT_PASSES=1");
    CLADE_TRY(cladei_kernels_build_with(&s->kernels[KSELECT_ALIKE][KSELECT_SCAN_ROWS], &kernels,
                                        s->context, &options));
fail:
    return status;
}

/* Few rows leave most of a GPU idle, one sub-group a row. */
bool cladei_kselect_is_scan(const clade_kselect *s, uint64_t rows)
{
    return s->params.method == CLADE_KSELECT_SCAN ||
           (cladei_kselect_may_scan(s) &&
            (s->context->caps.is_cpu || rows >= (uint64_t)s->context->caps.compute_units * 8));
}

clade_status cladei_kselect_scan(clade_kselect *s, struct cladei_run *run,
                                 const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const clade_caps *caps = &s->context->caps;
    const uint32_t subgroups = scan_subgroups(s);
    const cl_ulong stride = job->stride;
    const cl_uint length = (cl_uint)s->params.length, k = (cl_uint)s->params.k;
    const cl_uint rows = (cl_uint)job->rows;
    const size_t heaps = (size_t)subgroups * k * (1 + s->params.indices) * sizeof(cl_uint);
    const size_t most = (size_t)caps->compute_units * (caps->is_cpu ? 16 : 256);
    size_t groups = (size_t)((job->rows + subgroups - 1) / subgroups);
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    groups = groups < most ? groups : most;
    CLADE_TRY(CLADEI_SET_ARGS(
        s->kernels[KSELECT_ALIKE][KSELECT_SCAN_ROWS], CLADEI_ARG(job->keys.mem),
        CLADEI_ARG(job->keys.first), CLADEI_ARG(job->out.mem), CLADEI_ARG(job->out.first),
        CLADEI_ARG(indices), CLADEI_ARG(job->indices.first), CLADEI_ARG(stride), CLADEI_ARG(length),
        CLADEI_ARG(k), CLADEI_ARG(rows), CLADEI_LOCAL(heaps)));
    CLADE_TRY(cladei_run_kernel(run, s->kernels[KSELECT_ALIKE][KSELECT_SCAN_ROWS], groups,
                                caps->subgroup_size < 2 ? 1 : subgroups * caps->subgroup_size));
fail:
    return status;
}
