/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded histories of a doubly linked list (tests/dlist/dlist_history.clh) put to an exact search
 * for an order that explains them. */
#pragma once

#include <clade/shared/dlist.h>

#include <stdlib.h>
#include <string.h>

#include "lin/lin.h"

/* As the device lays it out. */
struct dlist_lin_record {
    uint32_t invoked, responded, op, target, node;
    int32_t status;
    uint64_t value;
};

/* The list as docs/inside/dlist.md has it: all nodes that ever were in it, in order; those that were
 * erased keep their place, but are nobody's neighbour. */
struct dlist_state {
    uint8_t count;
    uint8_t node[255];
    uint8_t is_live[255];
};

static inline int dlist_place(const struct dlist_state *s, uint64_t node)
{
    for (int i = 0; i < s->count; i++)
        if (s->node[i] == node)
            return i;
    return -1;
}

static inline void dlist_put(struct dlist_state *s, int at, uint64_t node)
{
    memmove(s->node + at + 1, s->node + at, (size_t)(s->count - at));
    memmove(s->is_live + at + 1, s->is_live + at, (size_t)(s->count - at));
    s->node[at] = (uint8_t)node;
    s->is_live[at] = 1;
    s->count++;
}

/* The first live node from `at` on, by steps of `by`; 0 beyond the end. */
static inline uint64_t dlist_live_from(const struct dlist_state *s, int at, int by)
{
    while (at >= 0 && at < s->count && !s->is_live[at])
        at += by;
    return at >= 0 && at < s->count ? s->node[at] : 0;
}

/* `asked`: the operation; values[0]: target and node; values[1].key: the target's erasure was not
 * over when this began. */
static inline bool dlist_spec_apply(void *state, const lin_op *op)
{
    struct dlist_state *s = state;
    const uint64_t target = op->values[0].key, node = op->values[0].id;
    const int at = dlist_place(s, target);
    const bool is_end = target == CLADE_NIL, is_live = is_end || (at >= 0 && s->is_live[at]);
    if (!op->ok)
        return !is_live;
    switch (op->asked) {
    case CLADE_DLIST_INSERT_AFTER:
        if (is_live)
            dlist_put(s, is_end ? 0 : at + 1, node);
        return is_live;
    case CLADE_DLIST_INSERT_BEFORE:
        if (!is_live && (at < 0 || !op->values[1].key))
            return false;
        dlist_put(s, is_end ? s->count : at, node);
        return true;
    case CLADE_DLIST_ERASE:
        if (is_live)
            s->is_live[at] = 0;
        return is_live;
    case CLADE_DLIST_NEXT:
        return is_live && dlist_live_from(s, is_end ? 0 : at + 1, 1) == node;
    default:
        return is_live && dlist_live_from(s, is_end ? s->count - 1 : at - 1, -1) == node;
    }
}

/* Whether the erasure of `target` overlaps record i or follows it. */
static inline bool dlist_erased_meanwhile(const struct dlist_lin_record *records, size_t count,
                                          size_t i)
{
    for (size_t k = 0; k < count; k++)
        if (records[k].op == CLADE_DLIST_ERASE && records[k].status == CLADE_OK &&
            records[k].target == records[i].target)
            return records[k].responded > records[i].invoked;
    return false;
}

/* At most LIN_EXACT_OPS records, refs below 256. Statuses that no operation of a history may have
 * are told by LIN_INPUT. */
static inline lin_verdict dlist_lin_check(const struct dlist_lin_record *records, size_t count)
{
    static const lin_spec spec = { sizeof(struct dlist_state), dlist_spec_apply };
    lin_op ops[LIN_EXACT_OPS];
    lin_value values[2 * LIN_EXACT_OPS];
    if (count > LIN_EXACT_OPS)
        return LIN_INPUT;
    for (size_t i = 0; i < count; i++) {
        const struct dlist_lin_record *r = &records[i];
        if ((r->status != CLADE_OK && r->status != CLADE_E_NOT_FOUND) || r->node > 255)
            return LIN_INPUT;
        values[2 * i] = (lin_value) { r->target, r->node };
        values[2 * i + 1] = (lin_value) { dlist_erased_meanwhile(records, count, i), 0 };
        ops[i] = (lin_op) {
            .inv = r->invoked,
            .res = r->responded,
            .kind = LIN_INSERT,
            .asked = r->op,
            .count = 1,
            .ok = r->status == CLADE_OK,
            .values = &values[2 * i],
        };
    }
    return lin_exact(ops, count, &spec);
}
