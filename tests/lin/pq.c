/* SPDX-License-Identifier: Apache-2.0 */
/* Priority queues. Conditions P1 to P3 here, P4 (order among overlapping batches) in pq_order.c;
 * theorems and proofs in docs/inside/linearizability.md. */
#include "lin/pq.h"

#include <stdlib.h>
#include <string.h>

static int by_last_key(const void *a, const void *b)
{
    const pq_batch *x = a, *y = b;
    if (x->is_short != y->is_short)
        return x->is_short - y->is_short;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static bool kinds_fit(const lin_op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ops[i].inv > ops[i].res || ops[i].inv == LIN_PENDING)
            return false;
        if (ops[i].kind != LIN_INSERT && ops[i].kind != LIN_DELETE)
            return false;
        if (ops[i].kind == LIN_DELETE && ops[i].res != LIN_PENDING &&
            (ops[i].asked == 0 || ops[i].count > ops[i].asked))
            return false;
    }
    return n < PQ_NONE / 4;
}

/* The ranks of all tickets: looked up here once, and not for each value. */
static bool rank(pq_history *h)
{
    h->inv = malloc((h->n + 1) * sizeof *h->inv);
    h->res = malloc((h->n + 1) * sizeof *h->res);
    for (size_t i = 0; h->inv && h->res && i < h->n; i++) {
        h->inv[i] = cladei_lin_rank(&h->times, h->ops[i].inv);
        h->res[i] = cladei_lin_rank(&h->times, h->ops[i].res);
    }
    return h->inv && h->res;
}

/* One half entry for each value inserted or returned, sorted so that the halves of a value meet,
 * the insert's first. */
static bool collect(const pq_history *h, lin_item **halves, size_t *count)
{
    size_t total = 0, k = 0;
    for (size_t i = 0; i < h->n; i++)
        if (h->ops[i].kind == LIN_INSERT || h->ops[i].res != LIN_PENDING)
            total += h->ops[i].count;
    *halves = malloc((total + 1) * sizeof **halves);
    *count = total;
    if (!*halves)
        return false;
    for (uint32_t is_delete = 0; is_delete < 2; is_delete++)
        for (size_t i = 0; i < h->n; i++) {
            const lin_op *op = &h->ops[i];
            if (is_delete != (op->kind != LIN_INSERT) || (is_delete && op->res == LIN_PENDING))
                continue;
            for (uint32_t j = 0; j < op->count; j++)
                (*halves)[k++] =
                    (lin_item) { op->values[j].key, op->values[j].id, (uint32_t)i, is_delete };
        }
    return cladei_lin_sort(halves, total);
}

/* P1: what is returned was inserted, once, not later; what is pending and was never seen is
 * dropped. */
static lin_verdict join(pq_history *h, const lin_item *halves, size_t count, lin_report *report)
{
    const uint32_t never = cladei_lin_rank(&h->times, LIN_PENDING);
    size_t m = 0;
    for (size_t i = 0; i < count; m++) {
        const lin_item *first = &halves[i];
        pq_value v = { first->key, PQ_NONE, PQ_NONE, 0, 0 };
        for (; i < count && halves[i].key == v.key && halves[i].id == first->id; i++) {
            const uint32_t op = halves[i].op;
            if (!halves[i].mark && v.ins != PQ_NONE)
                return LIN_INPUT;
            if (halves[i].mark && v.del != PQ_NONE)
                return cladei_lin_bad(report, "a value was returned twice", v.del, op);
            *(halves[i].mark ? &v.del : &v.ins) = op;
        }
        if (v.ins == PQ_NONE)
            return cladei_lin_bad(report, "a value was returned but never inserted", v.del,
                                  SIZE_MAX);
        if (v.del == PQ_NONE && h->ops[v.ins].res == LIN_PENDING) {
            m--;
            continue;
        }
        if (v.del != PQ_NONE && h->ops[v.ins].inv > h->ops[v.del].res)
            return cladei_lin_bad(report, "a value was returned before its insert began", v.del,
                                  v.ins);
        v.b = h->res[v.ins];
        v.c = v.del == PQ_NONE ? never : h->inv[v.del];
        h->values[m] = v;
    }
    h->value_count = m;
    return LIN_OK;
}

static lin_verdict join_values(pq_history *h, lin_report *report)
{
    lin_verdict verdict = LIN_NOMEM;
    lin_item *halves = NULL;
    size_t count;
    if (collect(h, &halves, &count)) {
        h->values = malloc((count + 1) * sizeof *h->values);
        if (h->values)
            verdict = join(h, halves, count, report);
    }
    free(halves);
    return verdict;
}

/* With atomic inserts, the whole batch was in when the first of its values had been returned. */
static bool tighten(pq_history *h)
{
    uint32_t *in = malloc((h->n + 1) * sizeof *in);
    if (!in)
        return false;
    for (size_t i = 0; i < h->n; i++)
        in[i] = UINT32_MAX;
    for (size_t i = 0; i < h->value_count; i++) {
        const pq_value *v = &h->values[i];
        uint32_t d = v->del == PQ_NONE ? v->b : h->res[v->del];
        if (d < in[v->ins])
            in[v->ins] = d;
    }
    for (size_t i = 0; i < h->value_count; i++)
        if (in[h->values[i].ins] < h->values[i].b)
            h->values[i].b = in[h->values[i].ins];
    free(in);
    return true;
}

/* The deletes that returned, by their last key; one that came back short goes after all keys. */
static lin_verdict list_batches(pq_history *h, lin_report *report)
{
    h->batches = malloc((h->n + 1) * sizeof *h->batches);
    h->earliest = malloc((h->n + 1) * sizeof *h->earliest);
    if (!h->batches || !h->earliest)
        return LIN_NOMEM;
    for (size_t i = 0; i < h->n; i++) {
        const lin_op *op = &h->ops[i];
        bool insert = op->kind == LIN_INSERT;
        h->earliest[i] = h->inv[i];
        if (insert && (h->flags & LIN_ATOMIC_INSERT) && op->count > 1)
            h->decided = false;
        if (insert)
            continue;
        if (op->res == LIN_PENDING) {
            if (op->inv < h->first_pending)
                h->first_pending = op->inv;
            continue;
        }
        for (uint32_t j = 1; j < op->count; j++)
            if (op->values[j - 1].key > op->values[j].key)
                return cladei_lin_bad(report, "a delete's values are out of order", i, SIZE_MAX);
        if (op->count > 1 || (op->count > 0 && op->count < op->asked))
            h->decided = false;
        h->order |= op->count > 1 || (op->count > 0 && op->count < op->asked);
        h->batches[h->batch_count++] = (pq_batch) {
            .op = (uint32_t)i,
            .is_short = op->count < op->asked,
            .last = op->count < op->asked ? UINT64_MAX : op->values[op->count - 1].key,
        };
    }
    for (size_t i = 0; i < h->value_count; i++) {
        const pq_value *v = &h->values[i];
        uint32_t a = h->inv[v->ins];
        if (v->del != PQ_NONE && a > h->earliest[v->del])
            h->earliest[v->del] = a;
    }
    qsort(h->batches, h->batch_count, sizeof *h->batches, by_last_key);
    return LIN_OK;
}

/* P2, P3: each delete has a point at which its values may be there and none that it should have
 * returned instead must be. `limit`: values never returned are certain to stay until this rank
 * only. */
static lin_verdict sweep(pq_history *h, uint32_t limit, lin_report *report)
{
    lin_cover cover;
    size_t v = 0;
    if (!cladei_lin_cover(&cover, &h->times))
        return LIN_NOMEM;
    for (size_t i = 0; i < h->batch_count; i++) {
        const pq_batch *d = &h->batches[i];
        for (; v < h->value_count && (d->is_short || h->values[v].key < d->last); v++) {
            uint32_t c =
                h->values[v].del == PQ_NONE && limit < h->values[v].c ? limit : h->values[v].c;
            cladei_lin_cover_between(&cover, h->values[v].b, c);
        }
        if (!cladei_lin_free(&cover, h->earliest[d->op], h->res[d->op])) {
            free(cover.next);
            return cladei_lin_bad(report,
                                  d->is_short
                                      ? "a delete found too few though the queue was never so empty"
                                      : "a delete passed over a smaller key",
                                  d->op, SIZE_MAX);
        }
    }
    free(cover.next);
    return LIN_OK;
}

static lin_verdict check(pq_history *h, lin_report *report)
{
    lin_verdict verdict;
    if (!cladei_lin_times(&h->times, h->ops, h->n) || !rank(h))
        return LIN_NOMEM;
    if ((verdict = join_values(h, report)) != LIN_OK)
        return verdict;
    if ((h->flags & LIN_ATOMIC_INSERT) && !tighten(h))
        return LIN_NOMEM;
    if ((verdict = list_batches(h, report)) != LIN_OK)
        return verdict;
    verdict = sweep(h, UINT32_MAX, report);
    if (verdict == LIN_BAD && h->first_pending != LIN_PENDING) {
        h->decided = false; /* only if some pending delete took effect */
        verdict = sweep(h, cladei_lin_rank(&h->times, h->first_pending), report);
    }
    if (verdict != LIN_OK)
        return verdict;
    if (h->order || (h->flags & LIN_ATOMIC_INSERT)) {
        if ((verdict = cladei_pq_order(h, report)) != LIN_OK)
            return verdict;
    }
    return h->decided ? LIN_OK : LIN_PLAUSIBLE;
}

lin_verdict lin_pq(const lin_op *ops, size_t n, unsigned flags, lin_report *report)
{
    pq_history h = {
        .ops = ops, .n = n, .flags = flags, .first_pending = LIN_PENDING, .decided = true
    };
    lin_verdict verdict;
    if (report)
        *report = (lin_report) { NULL, SIZE_MAX, SIZE_MAX };
    if (!kinds_fit(ops, n))
        return LIN_INPUT;
    verdict = check(&h, report);
    free(h.times.t);
    free(h.inv);
    free(h.res);
    free(h.values);
    free(h.batches);
    free(h.earliest);
    return verdict;
}
