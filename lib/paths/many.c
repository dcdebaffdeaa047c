/* SPDX-License-Identifier: Apache-2.0 */
/* A search by many groups together (cl/clade/paths/meet.clh). A launch does many rounds; its groups
 * wait for each other after each. When one waited too long, the launch ends, and the next ones do a
 * round each, in which nobody waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "paths/paths.h"

static const char *const names[MANY_KERNELS] = {
    [MANY_GO] = "clade_paths_many",
    [MANY_FOLD] = "clade_paths_fold",
};
static const struct cladei_kernels many_kernels = { "kernels/paths_many.cl", names, MANY_KERNELS };

/* What a build option of the context says, so that tests and measurements can choose. */
static uint32_t option(const clade_context *context, const char *name, uint32_t otherwise)
{
    const char *at = strstr(context->build_options, name);
    return at ? (uint32_t)strtoul(at + strlen(name), NULL, 10) : otherwise;
}

uint32_t cladei_paths_groups(const clade_context *context)
{
    return option(context,
                  "-DCLADE_PATHS_GROUPS=", context->caps.is_cpu ? 0 : context->caps.compute_units);
}

uint32_t cladei_paths_items(const clade_context *context)
{
    return option(context, "-DCLADE_PATHS_ITEMS=", 0);
}

/* Of a group, where nodes have few arcs: docs/figures/paths.md. */
enum { ITEMS = 512, FEW_ARCS = 8 };

/* Kernels are made for roads and grids, or for graphs whose nodes have many arcs. The size of a
 * group comes last: where it could not be asked for, the next call asks again. */
static clade_status build(clade_paths *paths)
{
    clade_status status = CLADE_OK;
    const bool is_dense = paths->graph->arcs / FEW_ARCS > paths->graph->nodes;
    char options[sizeof paths->options + 32];
    if (paths->many_group > 0)
        return CLADE_OK;
    (void)snprintf(options, sizeof options, "%s%s", paths->options,
                   is_dense ? " -DCLADE_PATHS_DENSE=1" : "");
    CLADE_TRY(cladei_kernels_build(paths->many, &many_kernels, paths->object.context, options));
    CLADE_TRY(cladei_paths_group(paths, paths->many[MANY_GO], &paths->many_group));
    if (cladei_paths_items(paths->object.context) == 0 && paths->many_group > ITEMS && !is_dense)
        paths->many_group = ITEMS;
fail:
    return status;
}

static clade_status fold(clade_paths *paths, struct cladei_run *run, cl_uint is_first)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    const size_t group = paths->many_group < 64 ? paths->many_group : 64;
    CLADE_TRY(CLADEI_SET_ARGS(paths->many[MANY_FOLD], CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ARG(is_first)));
    CLADE_TRY(cladei_run_kernel(run, paths->many[MANY_FOLD], 1, group));
fail:
    return status;
}

/* One launch, and what it made of the search. `meets` 0: of one round. */
static clade_status launch(clade_paths *paths, struct cladei_call *call,
                           const struct cladei_paths_search *search, cl_uint meets,
                           clade_paths_slot *slot)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    CLADE_TRY(CLADEI_SET_ARGS(paths->many[MANY_GO], CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ROW(call, PATHS_TARGETS_ROW), CLADEI_ARG(search->target_count),
                              CLADEI_ROW(call, PATHS_BOUNDS_ROW), CLADEI_ARG(search->has_bounds),
                              CLADEI_ARG(search->cutoff), CLADEI_ARG(search->rounds),
                              CLADEI_ARG(meets)));
    CLADE_TRY(
        cladei_run_kernel(&call->run, paths->many[MANY_GO], paths->groups, paths->many_group));
    CLADE_TRY(fold(paths, &call->run, 0));
    CLADE_TRY(cladei_paths_slot_read(paths, &call->run, slot));
    paths->stats.launches++;
fail:
    return status;
}

/* After a launch in which a wait was given up come launches of one round: first one, after each
 * such case twice as many, for whatever keeps groups from running together may go on. */
clade_status cladei_paths_go_many(clade_paths *paths, struct cladei_call *call,
                                  const struct cladei_paths_search *search, clade_paths_slot *slot)
{
    enum { PATIENCE = 1024 };
    clade_status status = CLADE_OK;
    uint32_t alone = 0, next = 1; /* launches of one round: now, and when it is given up again */
    CLADE_TRY(build(paths));
    CLADE_TRY(fold(paths, &call->run, 1));
    do {
        const clade_u32 before = slot->rounds;
        const cl_uint meets = alone == 0;
        CLADE_TRY(launch(paths, call, search, meets, slot));
        if (slot->rounds == before && paths->object.context->caps.loop_limit > 0)
            break; /* the driver left a loop */
        CLADE_REQUIRE(slot->rounds != before, CLADE_E_BUSY,
                      "the device did none of the rounds of a launch");
        if (!meets) {
            alone--;
        } else if (slot->step != CLADE_PATHS_DONE && slot->rounds - before < search->rounds) {
            alone = next;
            next = next < PATIENCE ? 2 * next : PATIENCE;
            paths->stats.given_up++;
        }
    } while (slot->step != CLADE_PATHS_DONE);
fail:
    return status;
}
