/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection: the first key of each row, by one look in which several groups share a row. */
#include "base/error.h"
#include "base/text.h"
#include "device/context.h"
#include "kselect/kselect.h"

/* Keys of a tile where one item works for its group: it looks at them by vectors. */
enum { CPU_TILE = 1024 };

/* In shorter rows of a GPU a group that has the row in registers looks once, too. On CPUs a group
 * for each short row would take longer than its keys. */
bool cladei_kselect_is_first(const clade_kselect *s)
{
    if (s->params.method != CLADE_KSELECT_AUTO)
        return s->params.method == CLADE_KSELECT_FIRST;
    const uint64_t least = s->context->caps.is_cpu ? 1 << 10 : (1 << 14) + 1;
    return s->params.k == 1 && s->params.group_size == 0 && s->params.length >= least;
}

clade_status cladei_kselect_need_first(clade_kselect *s, int set)
{
    static const char *const names[] = { "clade_kselect_look", "clade_kselect_end",
                                         "clade_kselect_alone" };
    const struct cladei_kernels kernels = { "kernels/kselect_first.cl", names,
                                            s->shared.group == 1 ? 3 : 2 };
    struct cladei_text options = { 0 };
    cladei_text_printf(&options, "-DCLADE_KSELECT_GROUP=%u -DCLADE_KSELECT_ITEMS=%u",
                       s->shared.group, s->shared.group == 1 ? CPU_TILE : s->shared.items);
    cladei_text_printf(&options, " -DCLADE_KSELECT_INDICES=%u", s->params.indices);
    cladei_kselect_options(&options, s, set);
    return cladei_kernels_build_with(&s->kernels[set][KSELECT_LOOK], &kernels, s->context,
                                     &options);
}

/* A second launch takes as long as a group of one item takes for so many keys. */
static bool is_alone(const clade_kselect *s, uint64_t rows)
{
    return s->shared.group == 1 && s->params.parts == 0 &&
           (s->params.length < 1 << 19 || rows >= s->context->caps.compute_units);
}

static clade_status run_alone(clade_kselect *s, struct cladei_run *run,
                              const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const cl_kernel kernel = s->kernels[job->set][KSELECT_ALONE];
    const cl_uint length = (cl_uint)s->params.length, rows = (cl_uint)job->rows;
    const size_t most = (size_t)s->context->caps.compute_units * 16;
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(job->keys.mem), CLADEI_ARG(job->keys.first),
                              CLADEI_ARG(job->out.mem), CLADEI_ARG(job->out.first),
                              CLADEI_ARG(indices), CLADEI_ARG(job->indices.first),
                              CLADEI_ARG(job->spans), CLADEI_ARG(length), CLADEI_ARG(rows)));
    CLADE_TRY(cladei_run_kernel(run, kernel, job->rows < most ? (size_t)job->rows : most, 1));
fail:
    return status;
}

static clade_status run_shared(clade_kselect *s, struct cladei_run *run,
                               const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const cl_kernel *kernels = s->kernels[job->set];
    const cl_uint length = (cl_uint)s->params.length;
    const cl_uint parts_log = cladei_kselect_parts_log(s, job->rows);
    const size_t groups = (size_t)job->rows << parts_log;
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    CLADE_TRY(cladei_scratch_reserve(&s->bins, s->context, groups * sizeof(cl_ulong)));
    CLADE_TRY(cladei_scratch_reserve(&s->collected, s->context, groups * sizeof(cl_uint)));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[KSELECT_LOOK], CLADEI_ARG(job->keys.mem),
                              CLADEI_ARG(job->keys.first), CLADEI_ARG(s->bins.mem),
                              CLADEI_ARG(s->collected.mem), CLADEI_ARG(job->spans),
                              CLADEI_ARG(length), CLADEI_ARG(parts_log)));
    CLADE_TRY(cladei_run_kernel(run, kernels[KSELECT_LOOK], groups, s->shared.group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[KSELECT_END], CLADEI_ARG(s->bins.mem),
                              CLADEI_ARG(s->collected.mem), CLADEI_ARG(job->out.mem),
                              CLADEI_ARG(job->out.first), CLADEI_ARG(indices),
                              CLADEI_ARG(job->indices.first), CLADEI_ARG(parts_log)));
    CLADE_TRY(cladei_run_kernel(run, kernels[KSELECT_END], (size_t)job->rows, s->shared.group));
fail:
    return status;
}

clade_status cladei_kselect_first(clade_kselect *s, struct cladei_run *run,
                                  const struct cladei_kselect_job *job)
{
    return (is_alone(s, job->rows) ? run_alone : run_shared)(s, run, job);
}
