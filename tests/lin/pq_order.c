/* SPDX-License-Identifier: Apache-2.0 */
/* P4: delete D comes before delete E if D ended before E began, or if D returned a value that E
 * would have had to return, were it still inside. Such orders must not run in a circle. */
#include "lin/pq.h"

#include <stdlib.h>

typedef struct edge {
    uint32_t from, to;
} edge;

typedef struct graph {
    edge *edges;
    size_t count, room;
    uint32_t *node; /* operation -> its batch */
    size_t *first;  /* operation -> its values in `key`, `in` */
    uint64_t *key;
    uint32_t *in; /* least b of the operation's values up to here */
} graph;

static bool add(graph *g, uint32_t from, uint32_t to)
{
    if (g->count == g->room) {
        size_t room = g->room ? 2 * g->room : 1024;
        edge *more = realloc(g->edges, room * sizeof *more);
        if (!more)
            return false;
        g->edges = more;
        g->room = room;
    }
    g->edges[g->count++] = (edge) { from, to };
    return true;
}

/* Per delete its values in order of key with a running minimum of b. */
static bool list_values(graph *g, const pq_history *h)
{
    size_t *fill = NULL;
    g->node = malloc((h->n + 1) * sizeof *g->node);
    g->first = calloc(h->n + 2, sizeof *g->first);
    g->key = malloc((h->value_count + 1) * sizeof *g->key);
    g->in = malloc((h->value_count + 1) * sizeof *g->in);
    fill = malloc((h->n + 2) * sizeof *fill);
    if (!g->node || !g->first || !g->key || !g->in || !fill) {
        free(fill);
        return false;
    }
    for (size_t i = 0; i < h->batch_count; i++)
        g->node[h->batches[i].op] = (uint32_t)i;
    for (size_t i = 0; i < h->value_count; i++)
        if (h->values[i].del != PQ_NONE)
            g->first[h->values[i].del + 1]++;
    for (size_t i = 0; i < h->n; i++)
        g->first[i + 1] += g->first[i];
    for (size_t i = 0; i <= h->n; i++)
        fill[i] = g->first[i];
    for (size_t i = 0; i < h->value_count; i++) {
        const pq_value *v = &h->values[i];
        size_t at;
        if (v->del == PQ_NONE)
            continue;
        at = fill[v->del]++;
        g->key[at] = v->key;
        g->in[at] = at > g->first[v->del] && g->in[at - 1] < v->b ? g->in[at - 1] : v->b;
    }
    free(fill);
    return true;
}

typedef struct span {
    uint64_t inv, res;
    uint32_t rank; /* of inv */
    uint32_t node;
    uint64_t last, least, most;  /* the batch's; the least and the greatest key that it returned */
    uint32_t first_in, least_in; /* b of its least key's value, and the least of all */
    uint32_t op;
    bool is_short, is_empty;
} span;

/* Did d return a value that was certainly inside before e began and that e may not leave? Mostly
 * this shows without a look at the values. */
static bool before(const graph *g, const span *d, const span *e)
{
    size_t begin, end;
    if (d->is_empty || d->least_in >= e->rank || (!e->is_short && d->least >= e->last))
        return false;
    if (e->is_short || d->most < e->last || d->first_in < e->rank)
        return true;
    begin = g->first[d->op];
    end = g->first[d->op + 1];
    while (begin < end) {
        size_t mid = begin + (end - begin) / 2;
        if (g->key[mid] < e->last)
            begin = mid + 1;
        else
            end = mid;
    }
    return g->in[end - 1] < e->rank;
}

static int by_inv(const void *a, const void *b)
{
    const span *x = a, *y = b;
    return (x->inv > y->inv) - (x->inv < y->inv);
}

static int by_res(const void *a, const void *b)
{
    const span *x = a, *y = b;
    return (x->res > y->res) - (x->res < y->res);
}

/* Deletes that overlap, each pair once; `active` are copies, to be walked in a row. */
static lin_verdict overlapping(graph *g, const pq_history *h, const span *spans, lin_report *report)
{
    span *active = malloc((h->batch_count + 1) * sizeof *active);
    size_t n = 0;
    lin_verdict verdict = active ? LIN_OK : LIN_NOMEM;
    for (size_t i = 0; verdict == LIN_OK && i < h->batch_count; i++) {
        const span *e = &spans[i];
        size_t kept = 0;
        for (size_t j = 0; j < n; j++) {
            const span *d = &active[j];
            bool de, ed;
            if (d->res < e->inv)
                continue;
            de = before(g, d, e);
            ed = before(g, e, d);
            if (de && ed)
                verdict = cladei_lin_bad(report, "two deletes each left what the other took", d->op,
                                         e->op);
            if ((de && !add(g, d->node, e->node)) || (ed && !add(g, e->node, d->node)))
                verdict = LIN_NOMEM;
            if (kept != j)
                active[kept] = *d;
            kept++;
        }
        n = kept;
        active[n++] = *e;
    }
    free(active);
    return verdict;
}

/* D before E because D ended before E began, by way of a chain of points in time, nodes m .. 2m -
 * 1, one for each beginning. */
static bool real_time(graph *g, const pq_history *h, span *spans)
{
    size_t m = h->batch_count, j = 0;
    uint64_t *inv = malloc((m + 1) * sizeof *inv);
    if (!inv)
        return false;
    for (size_t i = 0; i < m; i++) {
        inv[i] = spans[i].inv;
        if (!add(g, (uint32_t)(m + i), spans[i].node) ||
            (i + 1 < m && !add(g, (uint32_t)(m + i), (uint32_t)(m + i + 1)))) {
            free(inv);
            return false;
        }
    }
    qsort(spans, m, sizeof *spans, by_res);
    for (size_t i = 0; i < m; i++) {
        while (j < m && inv[j] <= spans[i].res)
            j++;
        if (j < m && !add(g, spans[i].node, (uint32_t)(m + j))) {
            free(inv);
            return false;
        }
    }
    free(inv);
    return true;
}

typedef struct part {
    uint64_t key; /* least of the batch's keys that del returned */
    uint32_t del;
} part;

static int by_delete(const void *a, const void *b)
{
    const part *x = a, *y = b;
    if (x->del != y->del)
        return x->del < y->del ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

/* The values of each insert together, from first[op] on: they come in the order of their keys. */
static part *by_insert(const pq_history *h, size_t *first)
{
    part *parts = malloc((h->value_count + 1) * sizeof *parts);
    if (!parts)
        return NULL;
    for (size_t i = 0; i < h->value_count; i++)
        first[h->values[i].ins + 2]++;
    for (size_t i = 2; i < h->n + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < h->value_count; i++)
        parts[first[h->values[i].ins + 1]++] = (part) { h->values[i].key, h->values[i].del };
    return parts;
}

/* The same of one insert: parts[0 .. m - 1] are its distinct deletes, each with its least key. */
static lin_verdict torn_one(graph *g, const pq_history *h, const part *parts, size_t m,
                            uint32_t ins, lin_report *report)
{
    for (size_t e = 0; e < m && parts[e].del != PQ_NONE; e++) {
        const pq_batch *batch = &h->batches[g->node[parts[e].del]];
        for (size_t d = 0; d < m; d++) {
            if (d == e || (!batch->is_short && parts[d].key >= batch->last))
                continue;
            if (parts[d].del != PQ_NONE) {
                if (!add(g, g->node[parts[d].del], g->node[parts[e].del]))
                    return LIN_NOMEM;
            } else if (h->first_pending == LIN_PENDING) {
                return cladei_lin_bad(report, "an atomic insert was torn", parts[e].del, ins);
            }
        }
    }
    return LIN_OK;
}

/* An atomic insert that one delete has seen was seen whole: its other values that are smaller than
 * what that delete left must have been returned before. */
static lin_verdict torn(graph *g, const pq_history *h, lin_report *report)
{
    size_t *first = calloc(h->n + 3, sizeof *first);
    part *parts = first ? by_insert(h, first) : NULL;
    lin_verdict verdict = parts ? LIN_OK : LIN_NOMEM;
    for (size_t i = 0; verdict == LIN_OK && i < h->n; i++) {
        part *own = parts + first[i];
        const size_t n = first[i + 1] - first[i];
        size_t m = 0;
        if (n > 1)
            qsort(own, n, sizeof *own, by_delete);
        for (size_t j = 0; j < n; j++)
            if (j == 0 || own[j].del != own[j - 1].del)
                own[m++] = own[j];
        verdict = torn_one(g, h, own, m, (uint32_t)i, report);
    }
    free(parts);
    free(first);
    return verdict;
}

/* Kahn: nodes without an edge to them leave, until none is left or there is a circle. */
static lin_verdict acyclic(const graph *g, const pq_history *h, lin_report *report)
{
    size_t nodes = 2 * h->batch_count, top = 0, left = nodes;
    size_t *start = calloc(nodes + 2, sizeof *start);
    uint32_t *to = malloc((g->count + 1) * sizeof *to), *degree = calloc(nodes + 1, sizeof *degree);
    uint32_t *stack = malloc((nodes + 1) * sizeof *stack);
    lin_verdict verdict = start && to && degree && stack ? LIN_OK : LIN_NOMEM;
    if (verdict == LIN_OK) {
        for (size_t i = 0; i < g->count; i++) {
            start[g->edges[i].from + 2]++;
            degree[g->edges[i].to]++;
        }
        for (size_t i = 2; i < nodes + 2; i++)
            start[i] += start[i - 1];
        for (size_t i = 0; i < g->count; i++)
            to[start[g->edges[i].from + 1]++] = g->edges[i].to;
        for (size_t i = 0; i < nodes; i++)
            if (!degree[i])
                stack[top++] = (uint32_t)i;
        while (top) {
            uint32_t v = stack[--top];
            left--;
            for (size_t i = start[v]; i < start[v + 1]; i++)
                if (--degree[to[i]] == 0)
                    stack[top++] = to[i];
        }
        for (size_t i = 0; left && i < h->batch_count; i++)
            if (degree[i])
                verdict = cladei_lin_bad(report, "the orders forced on deletes run in a circle",
                                         h->batches[i].op, SIZE_MAX);
    }
    free(start);
    free(to);
    free(degree);
    free(stack);
    return verdict;
}

static span span_of(const graph *g, const pq_history *h, uint32_t node)
{
    const pq_batch *batch = &h->batches[node];
    const lin_op *op = &h->ops[batch->op];
    const size_t first = g->first[batch->op], end = g->first[batch->op + 1];
    span s = { .inv = op->inv,
               .res = op->res,
               .rank = h->inv[batch->op],
               .node = node,
               .last = batch->last,
               .op = batch->op,
               .is_short = batch->is_short,
               .is_empty = first == end };
    if (first < end) {
        s.least = g->key[first];
        s.most = g->key[end - 1];
        s.first_in = g->in[first];
        s.least_in = g->in[end - 1];
    }
    return s;
}

lin_verdict cladei_pq_order(pq_history *h, lin_report *report)
{
    graph g = { NULL, 0, 0, NULL, NULL, NULL, NULL };
    span *spans = malloc((h->batch_count + 1) * sizeof *spans);
    lin_verdict verdict = spans && list_values(&g, h) ? LIN_OK : LIN_NOMEM;
    for (size_t i = 0; verdict == LIN_OK && i < h->batch_count; i++) {
        spans[i] = span_of(&g, h, (uint32_t)i);
    }
    if (verdict == LIN_OK) {
        qsort(spans, h->batch_count, sizeof *spans, by_inv);
        verdict = overlapping(&g, h, spans, report);
    }
    if (verdict == LIN_OK && (h->flags & LIN_ATOMIC_INSERT))
        verdict = torn(&g, h, report);
    if (verdict == LIN_OK && !real_time(&g, h, spans))
        verdict = LIN_NOMEM;
    if (verdict == LIN_OK)
        verdict = acyclic(&g, h, report);
    free(spans);
    free(g.edges);
    free(g.node);
    free(g.first);
    free(g.key);
    free(g.in);
    return verdict;
}
