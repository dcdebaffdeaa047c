/* SPDX-License-Identifier: Apache-2.0 */
/* Maps as one register a key, values distinct: zones, see docs/inside/linearizability.md, M. */
#include "lin/util.h"

#include <stdlib.h>

/* A put and the gets that found its value. Times are tickets plus one; 0 is before everything. */
typedef struct zone {
    uint64_t key;
    uint64_t end, begin; /* first response, last invocation of the cluster */
    uint32_t op;
} zone;

typedef struct item {
    uint64_t key, id;
    bool found, get;
    uint32_t op;
} item;

static int by_cluster(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->found != y->found)
        return x->found - y->found;
    if (x->found && x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->get - y->get; /* the put first */
}

static bool is_forward(const zone *z)
{
    return z->end < z->begin;
}

/* By key, forward zones first, in order of time. */
static int by_zone(const void *a, const void *b)
{
    const zone *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (is_forward(x) != is_forward(y))
        return is_forward(x) ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static lin_verdict cluster(const lin_op *ops, const item *items, size_t n, zone *zones,
                           size_t *count, lin_report *report)
{
    size_t m = 0;
    for (size_t i = 0; i < n;) {
        const item *first = &items[i];
        zone z = { first->key, 0, 0, first->op };
        bool put = first->found && !first->get;
        if (first->found && first->get)
            return cladei_lin_bad(report, "a value was found that was never put", first->op,
                                  SIZE_MAX);
        if (put) {
            z.end = ops[first->op].res == LIN_PENDING ? LIN_PENDING : ops[first->op].res + 1;
            z.begin = ops[first->op].inv + 1;
            i++;
        }
        for (; i < n && items[i].key == first->key && items[i].found == first->found &&
               (!first->found || items[i].id == first->id);
             i++) {
            const lin_op *get = &ops[items[i].op];
            if (!items[i].get)
                return LIN_INPUT;
            if (put && get->res < ops[first->op].inv)
                return cladei_lin_bad(report, "a value was found before its put began", items[i].op,
                                      first->op);
            if (get->res + 1 < z.end)
                z.end = get->res + 1;
            if (get->inv + 1 > z.begin)
                z.begin = get->inv + 1;
        }
        if (z.end != LIN_PENDING)
            zones[m++] = z;
    }
    *count = m;
    return LIN_OK;
}

static lin_verdict zones_fit(zone *zones, size_t n, lin_report *report)
{
    qsort(zones, n, sizeof *zones, by_zone);
    for (size_t i = 0, end; i < n; i = end) {
        size_t forward = i;
        for (end = i; end < n && zones[end].key == zones[i].key; end++)
            forward += is_forward(&zones[end]);
        for (size_t j = i + 1; j < forward; j++)
            if (zones[j].end < zones[j - 1].begin)
                return cladei_lin_bad(report, "two values were each current at the other's time",
                                      zones[j].op, zones[j - 1].op);
        for (size_t j = forward; j < end; j++) {
            size_t lo = i, hi = forward;
            while (lo < hi) {
                size_t mid = lo + (hi - lo) / 2;
                if (zones[mid].end < zones[j].begin)
                    lo = mid + 1;
                else
                    hi = mid;
            }
            if (lo > i && zones[j].end < zones[lo - 1].begin)
                return cladei_lin_bad(report,
                                      "a value was put while another was current throughout",
                                      zones[j].op, zones[lo - 1].op);
        }
    }
    return LIN_OK;
}

lin_verdict lin_map(const lin_op *ops, size_t n, lin_report *report)
{
    item *items = malloc((n + 1) * sizeof *items);
    zone *zones = malloc((n + 1) * sizeof *zones);
    size_t k = 0, m = 0;
    lin_verdict verdict = items && zones ? LIN_OK : LIN_NOMEM;
    if (report)
        *report = (lin_report) { NULL, SIZE_MAX, SIZE_MAX };
    for (size_t i = 0; i < n && verdict == LIN_OK; i++) {
        const lin_op *op = &ops[i];
        bool get = op->kind == LIN_GET;
        if ((!get && op->kind != LIN_PUT) || op->count != 1 || op->inv > op->res)
            verdict = LIN_INPUT;
        else if (!get || op->res != LIN_PENDING)
            items[k++] =
                (item) { op->values[0].key, op->values[0].id, !get || op->ok, get, (uint32_t)i };
    }
    if (verdict == LIN_OK) {
        qsort(items, k, sizeof *items, by_cluster);
        verdict = cluster(ops, items, k, zones, &m, report);
    }
    if (verdict == LIN_OK)
        verdict = zones_fit(zones, m, report);
    free(items);
    free(zones);
    return verdict;
}
