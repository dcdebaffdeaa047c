/* SPDX-License-Identifier: Apache-2.0 */
/* Sets, key by key: one bit, changed as late as the results allow. See docs/inside/linearizability.md, S.
 */
#include "lin/util.h"

#include <stdlib.h>

typedef struct event {
    uint64_t key, ticket;
    uint32_t op;
    bool end; /* at equal tickets beginnings go first: they overlap */
} event;

/* Changes that began and are not done, the one that ends first on top. */
typedef struct heap {
    uint32_t *op;
    size_t n;
} heap;

typedef struct run {
    const lin_op *ops;
    bool *done;
    bool state;
    heap change[2];       /* [v]: successful operations that make the bit v */
    uint32_t *waiting[2]; /* [v]: operations that must find the bit v and change nothing */
    size_t waiters[2];
} run;

static int by_key_and_time(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->ticket != y->ticket)
        return x->ticket < y->ticket ? -1 : 1;
    return x->end - y->end;
}

static void push(heap *h, const lin_op *ops, uint32_t op)
{
    size_t i = h->n++;
    for (; i && ops[h->op[(i - 1) / 2]].res > ops[op].res; i = (i - 1) / 2)
        h->op[i] = h->op[(i - 1) / 2];
    h->op[i] = op;
}

static uint32_t pop(heap *h, const lin_op *ops)
{
    uint32_t top = h->op[0], last = h->op[--h->n];
    size_t i = 0, child;
    for (; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && ops[h->op[child + 1]].res < ops[h->op[child]].res)
            child++;
        if (ops[h->op[child]].res >= ops[last].res)
            break;
        h->op[i] = h->op[child];
    }
    h->op[i] = last;
    return top;
}

static void enter(run *r, bool state)
{
    r->state = state;
    for (size_t i = 0; i < r->waiters[state]; i++)
        r->done[r->waiting[state][i]] = true;
    r->waiters[state] = 0;
}

/* Let the pending change to `state` that ends first take effect. */
static bool flip(run *r, bool state)
{
    heap *h = &r->change[state];
    while (h->n) {
        uint32_t op = pop(h, r->ops);
        if (!r->done[op]) {
            r->done[op] = true;
            enter(r, state);
            return true;
        }
    }
    return false;
}

static bool is_change(const lin_op *op)
{
    return op->kind != LIN_CONTAINS && (op->ok || op->res == LIN_PENDING);
}

static void begin(run *r, uint32_t i)
{
    const lin_op *op = &r->ops[i];
    bool finds = op->kind == LIN_INSERT ? !op->ok : op->ok;
    if (is_change(op))
        push(&r->change[op->kind == LIN_INSERT], r->ops, i);
    else if (finds == r->state || op->res == LIN_PENDING)
        r->done[i] = true;
    else
        r->waiting[finds][r->waiters[finds]++] = i;
}

/* The operation returns: what it needs can be put off no longer. */
static bool end(run *r, uint32_t i)
{
    const lin_op *op = &r->ops[i];
    bool makes = op->kind == LIN_INSERT;
    if (r->done[i])
        return true;
    if (!is_change(op))
        return flip(r, !r->state);
    if (r->state == makes && !flip(r, !makes))
        return false;
    if (!r->done[i]) {
        r->done[i] = true; /* its place in the heap is skipped later */
        enter(r, makes);
    }
    return true;
}

static lin_verdict walk(run *r, const event *events, size_t n, lin_report *report)
{
    for (size_t i = 0; i < n; i++) {
        const event *e = &events[i];
        if (i == 0 || e->key != events[i - 1].key) {
            r->state = false;
            r->change[0].n = r->change[1].n = r->waiters[0] = r->waiters[1] = 0;
        }
        if (!e->end)
            begin(r, e->op);
        else if (!end(r, e->op))
            return cladei_lin_bad(report, "no order of this key's operations gives this result",
                                  e->op, SIZE_MAX);
    }
    return LIN_OK;
}

lin_verdict lin_set(const lin_op *ops, size_t n, lin_report *report)
{
    run r = { .ops = ops };
    event *events = malloc((2 * n + 1) * sizeof *events);
    uint32_t *room = malloc((4 * n + 1) * sizeof *room);
    size_t k = 0;
    lin_verdict verdict = LIN_OK;
    r.done = calloc(n + 1, sizeof *r.done);
    if (report)
        *report = (lin_report) { NULL, SIZE_MAX, SIZE_MAX };
    if (!events || !room || !r.done)
        verdict = LIN_NOMEM;
    for (size_t i = 0; i < n && verdict == LIN_OK; i++) {
        if (ops[i].kind > LIN_CONTAINS || ops[i].count != 1 || ops[i].inv > ops[i].res) {
            verdict = LIN_INPUT;
            break;
        }
        events[k++] = (event) { ops[i].values[0].key, ops[i].inv, (uint32_t)i, false };
        if (ops[i].res != LIN_PENDING)
            events[k++] = (event) { ops[i].values[0].key, ops[i].res, (uint32_t)i, true };
    }
    if (verdict == LIN_OK) {
        r.change[0].op = room;
        r.change[1].op = room + n;
        r.waiting[0] = room + 2 * n;
        r.waiting[1] = room + 3 * n;
        qsort(events, k, sizeof *events, by_key_and_time);
        verdict = walk(&r, events, k, report);
    }
    free(events);
    free(room);
    free(r.done);
    return verdict;
}
