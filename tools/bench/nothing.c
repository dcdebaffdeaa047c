/* SPDX-License-Identifier: Apache-2.0 */
/* What launches take that do nothing, as a cell of a row: where a call takes little more, its
 * structure is not what to make faster. */
#include "bench/bench.h"
#include "command/clade.h"

struct nothing {
    struct bench *bench;
    cl_kernel kernel;
    unsigned launches; /* one after the other, and one wait for all */
};

static bool launch_nothing(void *data)
{
    const struct nothing *n = data;
    bool fine = true;
    for (unsigned i = 0; fine && i < n->launches; i++)
        fine = bench_launch(n->bench, n->kernel, 1, 1);
    return fine;
}

static bool check_nothing(void *data)
{
    (void)data;
    return true;
}

bool bench_nothing(struct bench *bench, const char *column, unsigned launches)
{
    const clade_program_params params = { .source = "__kernel void nothing(void) {}\n" };
    clade_program *program = NULL;
    struct nothing n = { .bench = bench, .launches = launches };
    const struct bench_task task = { &n, NULL, launch_nothing, check_nothing, false };
    struct bench_times times;
    bool fine = succeeded(clade_program_build(&program, bench_context(bench), &params)) &&
                succeeded(clade_program_kernel(&n.kernel, program, "nothing")) &&
                bench_measure(bench, &task, &times);
    if (fine)
        bench_ms(bench, column, &times);
    if (n.kernel)
        clReleaseKernel(n.kernel);
    clade_program_destroy(&program);
    return fine;
}
