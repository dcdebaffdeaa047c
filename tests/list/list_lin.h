/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded histories of a list (tests/list/list_history.clh) put to the checkers of tests/lin. */
#pragma once

#include <clade/shared/list.h>

#include <stdlib.h>
#include <string.h>

#include "lin/lin.h"

/* As the device lays it out. */
struct list_record {
    uint32_t invoked, responded, op, key, operand;
    int32_t status;
    uint32_t value, reserved;
};

enum list_history_kind { LIST_HISTORY_SET, LIST_HISTORY_MAP, LIST_HISTORY_UNORDERED };

/* Unordered, for lin_exact(): a bit a value; `asked` says whether an insert had a target, whose
 * bit must be set, and which is values[1]. */
static inline bool list_spec_apply(void *state, const lin_op *op)
{
    uint8_t *bits = state;
    const size_t key = (size_t)op->values[0].key;
    const bool is_there = bits[key / 8] >> (key % 8) & 1;
    if (op->kind == LIN_CONTAINS)
        return op->ok == is_there;
    if (op->kind == LIN_DELETE) {
        bits[key / 8] &= (uint8_t) ~(1u << (key % 8));
        return op->ok == is_there;
    }
    if (op->asked == 2) {
        const size_t target = (size_t)op->values[1].key;
        if (op->ok != (bits[target / 8] >> (target % 8) & 1))
            return false;
    }
    if (op->ok)
        bits[key / 8] |= (uint8_t)(1u << (key % 8));
    return true;
}

static inline lin_kind list_lin_kind(enum list_history_kind kind, uint32_t op)
{
    if (kind == LIST_HISTORY_MAP)
        return op == CLADE_LIST_PUT ? LIN_PUT : LIN_GET;
    switch (op) {
    case CLADE_LIST_ERASE:
        return LIN_DELETE;
    case CLADE_LIST_CONTAINS:
        return LIN_CONTAINS;
    default:
        return LIN_INSERT;
    }
}

/* Statuses that no operation of a history may have are told by LIN_INPUT. */
static inline lin_verdict list_lin_check(const struct list_record *records, size_t count,
                                         enum list_history_kind kind, lin_report *report)
{
    static const lin_spec spec = { 528, list_spec_apply };
    lin_verdict verdict = LIN_NOMEM;
    lin_op *ops = calloc(count, sizeof *ops);
    lin_value *values = calloc(2 * count, sizeof *values);
    for (size_t i = 0; ops && values && i < count; i++) {
        const struct list_record *r = &records[i];
        values[2 * i] = (lin_value) { r->key, r->value };
        values[2 * i + 1] = (lin_value) { r->operand, 0 };
        ops[i] = (lin_op) {
            .inv = r->invoked,
            .res = r->responded,
            .kind = list_lin_kind(kind, r->op),
            .asked = r->op == CLADE_LIST_INSERT_AFTER ? 2 : 1,
            .count = 1,
            .ok = r->status == CLADE_OK,
            .values = &values[2 * i],
        };
        if (r->status != CLADE_OK && r->status != CLADE_LIST_PRESENT &&
            r->status != CLADE_E_NOT_FOUND) {
            *report = (lin_report) { "a status that there is no reason for", i, SIZE_MAX };
            free(values);
            free(ops);
            return LIN_INPUT;
        }
    }
    if (ops && values) {
        if (kind == LIST_HISTORY_SET)
            verdict = lin_set(ops, count, report);
        else if (kind == LIST_HISTORY_MAP)
            verdict = lin_map(ops, count, report);
        else
            verdict = lin_exact(ops, count, &spec);
    }
    free(values);
    free(ops);
    return verdict;
}
