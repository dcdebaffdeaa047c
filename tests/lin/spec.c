/* SPDX-License-Identifier: Apache-2.0 */
/* Sequential models for the exact checker. */
#include "lin/lin.h"

#include <string.h>

enum { VALUES = LIN_EXACT_VALUES };

/* Values in order of key (then id) or of arrival; unused places are zero, so equal contents are
 * equal bytes. */
typedef struct sequence {
    uint64_t n;
    lin_value v[VALUES];
} sequence;

static bool insert_at(sequence *s, size_t at, lin_value v)
{
    if (s->n == VALUES)
        return false;
    memmove(s->v + at + 1, s->v + at, (s->n - at) * sizeof v);
    s->v[at] = v;
    s->n++;
    return true;
}

static void remove_at(sequence *s, size_t at)
{
    s->n--;
    memmove(s->v + at, s->v + at + 1, (s->n - at) * sizeof s->v[0]);
    s->v[s->n] = (lin_value) { 0, 0 };
}

static bool pq_insert(sequence *s, const lin_op *op)
{
    for (uint32_t i = 0; i < op->count; i++) {
        size_t at = 0;
        while (at < s->n && (s->v[at].key < op->values[i].key ||
                             (s->v[at].key == op->values[i].key && s->v[at].id < op->values[i].id)))
            at++;
        if (!insert_at(s, at, op->values[i]))
            return false;
    }
    return true;
}

/* A pending delete among equal keys takes the smallest id: exact only if those keys differ. */
static bool pq_apply(void *state, const lin_op *op)
{
    sequence *s = state;
    if (op->kind == LIN_INSERT)
        return pq_insert(s, op);
    if (op->kind != LIN_DELETE)
        return false;
    if (op->res == LIN_PENDING) {
        for (uint32_t i = 0; i < op->asked && s->n; i++)
            remove_at(s, 0);
        return true;
    }
    for (uint32_t i = 0; i < op->count; i++) {
        size_t at = 0;
        if (s->n == 0 || s->v[0].key != op->values[i].key)
            return false;
        while (at < s->n && s->v[at].key == s->v[0].key && s->v[at].id != op->values[i].id)
            at++;
        if (at == s->n || s->v[at].key != s->v[0].key)
            return false;
        remove_at(s, at);
    }
    return op->count == op->asked || (op->count < op->asked && s->n == 0);
}

static bool fifo_apply(void *state, const lin_op *op)
{
    sequence *s = state;
    if (op->kind == LIN_INSERT)
        return insert_at(s, s->n, op->values[0]);
    if (op->kind != LIN_DELETE)
        return false;
    if (op->res != LIN_PENDING) {
        if (op->count == 0)
            return s->n == 0;
        if (s->n == 0 || s->v[0].key != op->values[0].key || s->v[0].id != op->values[0].id)
            return false;
    }
    if (s->n)
        remove_at(s, 0);
    return true;
}

static bool set_apply(void *state, const lin_op *op)
{
    uint64_t *set = state, bit = (uint64_t)1 << (op->values[0].key & 63);
    bool there = (*set & bit) != 0, ok;
    switch (op->kind) {
    case LIN_INSERT:
        ok = !there;
        *set |= bit;
        break;
    case LIN_DELETE:
        ok = there;
        *set &= ~bit;
        break;
    case LIN_CONTAINS:
        ok = there;
        break;
    default:
        return false;
    }
    return op->res == LIN_PENDING || ok == op->ok;
}

typedef struct registers {
    uint64_t found[VALUES];
    uint64_t value[VALUES];
} registers;

static bool map_apply(void *state, const lin_op *op)
{
    registers *r = state;
    size_t k = op->values[0].key % VALUES;
    if (op->kind == LIN_PUT) {
        r->found[k] = 1;
        r->value[k] = op->values[0].id;
        return true;
    }
    if (op->kind != LIN_GET)
        return false;
    if (op->res == LIN_PENDING)
        return true;
    return op->ok ? r->found[k] && r->value[k] == op->values[0].id : !r->found[k];
}

const lin_spec lin_spec_pq = { sizeof(sequence), pq_apply };
const lin_spec lin_spec_set = { sizeof(uint64_t), set_apply };
const lin_spec lin_spec_map = { sizeof(registers), map_apply };
const lin_spec lin_spec_fifo = { sizeof(sequence), fifo_apply };
