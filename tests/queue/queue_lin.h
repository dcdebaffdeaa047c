/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded histories of a queue (tests/queue/queue_history.clh) put to the checkers of tests/lin. */
#pragma once

#include <clade/shared/status.h>

#include <stdlib.h>

#include "lin/cl/history.h"
#include "lin/lin.h"

/* Refused appends had no effect and are left out; so are pops that gave up. `exact`: by search as
 * well, for small worlds with at most 32 values inside. */
static inline lin_verdict queue_lin_check(const history_op *records, const uint32_t *values,
                                          size_t count, bool exact, lin_report *report)
{
    lin_op *ops = calloc(count + 1, sizeof *ops);
    lin_value *all = calloc(count + 1, sizeof *all);
    lin_verdict verdict = LIN_NOMEM;
    size_t n = 0;
    for (size_t i = 0; ops && all && i < count; i++) {
        const history_op *r = &records[i];
        const int32_t status = (int32_t)r->status;
        const bool is_append = r->kind == HISTORY_INSERT;
        if (status != CLADE_OK && (is_append || status != CLADE_E_NOT_FOUND))
            continue;
        all[n] = (lin_value) { 0, values[i] };
        ops[n] = (lin_op) { .inv = r->inv,
                            .res = r->res,
                            .thread = r->group,
                            .kind = is_append ? LIN_INSERT : LIN_DELETE,
                            .asked = 1,
                            .count = status == CLADE_OK,
                            .ok = true,
                            .values = &all[n] };
        n++;
    }
    if (ops && all)
        verdict = lin_fifo(ops, n, report);
    if (verdict == LIN_OK && exact)
        verdict = lin_exact(ops, n, &lin_spec_fifo);
    free(all);
    free(ops);
    return verdict;
}

/* The first append that was refused although there certainly was room: fewer values and pops under
 * way than slots. SIZE_MAX: there is none. Quadratic. */
static inline size_t queue_wrongly_full(const history_op *records, size_t count, int64_t capacity)
{
    for (size_t i = 0; i < count; i++) {
        int64_t most = 0;
        if (records[i].kind != HISTORY_INSERT || (int32_t)records[i].status != CLADE_E_FULL)
            continue;
        for (size_t j = 0; j < count; j++) {
            if ((int32_t)records[j].status != CLADE_OK)
                continue;
            if (records[j].kind == HISTORY_INSERT)
                most += records[j].inv < records[i].res;
            else if (records[j].res < records[i].inv)
                most--;
            else if (records[j].inv < records[i].res)
                most = capacity + (int64_t)count; /* its slot may be the one */
        }
        if (most < capacity)
            return i;
    }
    return SIZE_MAX;
}
