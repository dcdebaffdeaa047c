/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded histories of a semi-linked list (tests/semilist/semilist_history.clh) put to the checkers of
 * tests/lin. */
#pragma once

#include <clade/shared/semilist.h>
#include <clade/shared/status.h>

#include <stdlib.h>
#include <string.h>

#include "lin/lin.h"

enum { SEMI_COUNT_OP = 4, SEMI_CONTENTS_OP = 5, SEMI_STATE_NODES = 100 };

/* As the device lays it out. */
struct semi_rec {
    uint32_t invoked, responded, op, key, operand;
    int32_t status;
    uint32_t value, reserved;
};

/* All nodes of a history, by place. */
struct semi_node {
    uint32_t key, value;
    bool is_live;
};

/* Key and value of each node, in order; values fit 8 bits in histories for the exact checker. */
struct semi_state {
    uint32_t n, appended;
    uint8_t keys[SEMI_STATE_NODES], values[SEMI_STATE_NODES];
};

static inline void semi_state_erase(struct semi_state *s, uint32_t at)
{
    s->n--;
    memmove(s->keys + at, s->keys + at + 1, s->n - at);
    memmove(s->values + at, s->values + at + 1, s->n - at);
    s->keys[s->n] = s->values[s->n] = 0; /* equal contents are equal bytes */
}

/* The sequential list. values[0]: key and value; values[1].key: the operation, and
 * .id an appended node's place, which is how many were appended before. SEMI_CONTENTS_OP has
 * the whole list in values[2] and on. */
static inline bool semi_apply(void *state, const lin_op *op)
{
    struct semi_state *s = state;
    const uint64_t key = op->values[0].key, value = op->values[0].id, what = op->values[1].key;
    uint32_t at = 0;
    if (what == CLADE_SEMILIST_APPEND) {
        if (!op->ok || s->n == SEMI_STATE_NODES || s->appended++ != op->values[1].id)
            return false;
        s->keys[s->n] = (uint8_t)key;
        s->values[s->n++] = (uint8_t)value;
        return true;
    }
    if (what == SEMI_COUNT_OP)
        return op->ok && s->n == value;
    if (what == SEMI_CONTENTS_OP) {
        for (at = 0; at < s->n && at < value; at++)
            if (s->keys[at] != op->values[2 + at].key || s->values[at] != op->values[2 + at].id)
                return false;
        return s->n == value;
    }
    if (what == CLADE_SEMILIST_ERASE_AT)
        while (at < s->n && s->values[at] != value)
            at++;
    else
        while (at < s->n && s->keys[at] != key)
            at++;
    if (op->ok != (at < s->n))
        return false;
    if (!op->ok)
        return true;
    if (s->values[at] != value)
        return false;
    if (what != CLADE_SEMILIST_FIND)
        semi_state_erase(s, at);
    return true;
}

/* Which checker's view of an operation. */
static inline lin_kind semi_lin_kind(uint32_t op)
{
    switch (op) {
    case CLADE_SEMILIST_APPEND:
        return LIN_INSERT;
    case CLADE_SEMILIST_ERASE:
    case CLADE_SEMILIST_ERASE_AT:
        return LIN_DELETE;
    default:
        return LIN_CONTAINS;
    }
}

/* The sequence that APPEND made, as ops[*n]: what is there at the end. */
static inline void semi_lin_end(lin_op *op, lin_value *values, const struct semi_node *nodes,
                                size_t places, uint64_t after)
{
    size_t left = 0;
    for (size_t i = 0; i < places; i++)
        if (nodes[i].is_live)
            values[2 + left++] = (lin_value) { nodes[i].key, nodes[i].value };
    values[0] = (lin_value) { 0, left };
    values[1] = (lin_value) { SEMI_CONTENTS_OP, 0 };
    *op = (lin_op) { .inv = after + 1,
                     .res = after + 2,
                     .kind = LIN_CONTAINS,
                     .asked = 1,
                     .count = 1,
                     .ok = true,
                     .values = values };
}

static inline size_t semi_place_of(const struct semi_node *nodes, size_t places, uint32_t value)
{
    size_t at = 0;
    while (at < places && nodes[at].value != value)
        at++;
    return at;
}

/* Small worlds, at most 63 operations: decided, with the order of nodes, counts and what is there
 * at the end. `nodes`: those ever appended, by place, which spares the search trying orders of
 * appends. A count that gave up because of erasures says nothing and is left out. Other statuses
 * that no operation of a history may have are told by LIN_INPUT. */
static inline lin_verdict semi_lin_exact(const struct semi_rec *records, size_t count,
                                         const struct semi_node *nodes, size_t places)
{
    static const lin_spec spec = { sizeof(struct semi_state), semi_apply };
    lin_verdict verdict = LIN_OK;
    lin_op *ops = calloc(count + 1, sizeof *ops);
    lin_value *all = calloc(2 * count + 2 + places, sizeof *all);
    uint64_t last = 0;
    size_t n = 0;
    for (size_t i = 0; ops && all && i < count; i++) {
        const struct semi_rec *r = &records[i];
        const bool is_pop = r->op == CLADE_SEMILIST_ERASE_AT;
        last = r->responded > last ? r->responded : last;
        if (r->op == SEMI_COUNT_OP && r->status == CLADE_E_BUSY)
            continue;
        if (r->status != CLADE_OK && r->status != CLADE_E_NOT_FOUND)
            verdict = LIN_INPUT;
        all[2 * i] = (lin_value) { r->key, is_pop ? r->operand : r->value };
        all[2 * i + 1] = (lin_value) { r->op, semi_place_of(nodes, places, r->value) };
        ops[n++] = (lin_op) { .inv = r->invoked,
                              .res = r->responded,
                              .kind = semi_lin_kind(r->op),
                              .asked = 1,
                              .count = 1,
                              .ok = r->status == CLADE_OK,
                              .values = &all[2 * i] };
    }
    if (ops && all && verdict == LIN_OK) {
        semi_lin_end(&ops[n++], &all[2 * count], nodes, places, last);
        verdict = lin_exact(ops, n, &spec);
    }
    if (!ops || !all)
        verdict = LIN_NOMEM;
    free(all);
    free(ops);
    return verdict;
}

/* Any number of operations: each node, told by its value, is appended once, erased once at most,
 * and found only while it is there. Not looked at: order among nodes, misses by key, counts. */
static inline lin_verdict semi_lin_nodes(const struct semi_rec *records, size_t count,
                                         lin_report *report)
{
    lin_verdict verdict = LIN_NOMEM;
    lin_op *ops = calloc(count + 1, sizeof *ops);
    lin_value *all = calloc(count + 1, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; ops && all && i < count; i++) {
        const struct semi_rec *r = &records[i];
        const bool is_pop = r->op == CLADE_SEMILIST_ERASE_AT;
        if (r->op == SEMI_COUNT_OP || (r->status != CLADE_OK && !is_pop))
            continue;
        all[n] = (lin_value) { is_pop ? r->operand : r->value, 0 };
        ops[n] = (lin_op) { .inv = r->invoked,
                            .res = r->responded,
                            .kind = semi_lin_kind(r->op),
                            .asked = 1,
                            .count = 1,
                            .ok = r->status == CLADE_OK,
                            .values = &all[n] };
        n++;
    }
    if (ops && all)
        verdict = lin_set(ops, n, report);
    free(all);
    free(ops);
    return verdict;
}
