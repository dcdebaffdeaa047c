/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection: few long rows on CPUs, each shared by groups of one item. */
#include "base/error.h"
#include "base/text.h"
#include "device/context.h"
#include "kselect/kselect.h"

/* Shorter rows and shorter parts are sooner done than another group wakes up. */
enum { LENGTH_LEAST = 3 << 18, PART_LEAST = 1 << 17 };

/* Bytes of a part's room for members. */
static uint64_t part_bytes(const clade_kselect *s)
{
    const uint64_t words = cladei_kselect_is_wide(s) ? 3 : 2;
    return words * s->row.ranked * sizeof(cl_uint);
}

/* Groups for each of so many rows: as many as there are cores, and as there is memory for. */
static uint32_t parts_of(const clade_kselect *s, uint64_t rows)
{
    const uint64_t rooms = s->context->caps.alloc_bytes_max / part_bytes(s);
    const uint64_t units = s->context->caps.compute_units, most = s->params.length / PART_LEAST;
    const uint64_t parts = (units < rooms ? units : rooms) / rows;
    return (uint32_t)(parts < most ? parts : most);
}

/* Only where a range is guessed; rows that are longer have no room for its members. */
bool cladei_kselect_is_parted(const clade_kselect *s, uint64_t rows)
{
    return s->params.method == CLADE_KSELECT_AUTO && s->context->caps.is_cpu &&
           cladei_kselect_is_likely(s) && s->params.length >= LENGTH_LEAST &&
           s->params.length <= 24ull * s->row.ranked && s->params.k < s->params.length &&
           parts_of(s, rows) > 1;
}

clade_status cladei_kselect_need_parts(clade_kselect *s)
{
    static const char *const name = "clade_kselect_parts";
    static const struct cladei_kernels kernels = { "kernels/kselect_parts.cl", &name, 1 };
    struct cladei_text options = { 0 };
    cladei_kselect_row_options(&options, s, KSELECT_ALIKE);
    return cladei_kernels_build_with(&s->kernels[KSELECT_ALIKE][KSELECT_PARTS], &kernels,
                                     s->context, &options);
}

static clade_status reserve(clade_kselect *s, uint64_t rows, uint64_t parts)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(
        cladei_scratch_reserve(&s->parts, s->context, rows * parts * sizeof(clade_kselect_part)));
    CLADE_TRY(
        cladei_scratch_reserve(&s->meetings, s->context, rows * sizeof(clade_kselect_meeting)));
    CLADE_TRY(cladei_scratch_reserve(&s->collected, s->context, rows * parts * part_bytes(s)));
fail:
    return status;
}

static clade_status enqueue(clade_kselect *s, struct cladei_run *run,
                            const struct cladei_kselect_job *job, cl_uint parts)
{
    clade_status status = CLADE_OK;
    const cl_kernel kernel = s->kernels[KSELECT_ALIKE][KSELECT_PARTS];
    const cl_ulong stride = job->stride;
    const cl_uint length = (cl_uint)s->params.length, k = (cl_uint)s->params.k;
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    CLADE_TRY(CLADEI_SET_ARGS(
        kernel, CLADEI_ARG(job->keys.mem), CLADEI_ARG(job->keys.first), CLADEI_ARG(s->parts.mem),
        CLADEI_ARG(s->meetings.mem), CLADEI_ARG(s->collected.mem), CLADEI_ARG(job->out.mem),
        CLADEI_ARG(job->out.first), CLADEI_ARG(indices), CLADEI_ARG(job->indices.first),
        CLADEI_ARG(stride), CLADEI_ARG(length), CLADEI_ARG(k), CLADEI_ARG(parts)));
    CLADE_TRY(cladei_run_kernel(run, kernel, (size_t)job->rows * parts, 1));
fail:
    return status;
}

clade_status cladei_kselect_parts(clade_kselect *s, struct cladei_run *run,
                                  const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const cl_uint parts = parts_of(s, job->rows);
    CLADE_TRY(reserve(s, job->rows, parts));
    CLADE_TRY(enqueue(s, run, job, parts));
fail:
    return status;
}
