/* SPDX-License-Identifier: Apache-2.0 */
/* P4: delete D comes before delete E if D ended before E began, or if D returned a value that E
 * would have had to return, were it still inside. Such orders must not run in a circle. */
#include "pq.h"

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

/* Did d return a value that was certainly inside before e began and that e may not leave? */
static bool before(const graph *g, const pq_batch *d, const pq_batch *e, uint32_t e_inv)
{
    size_t lo = g->first[d->op], hi = g->first[d->op + 1], end = hi, begin = lo;
    while (!e->is_short && begin < end) {
        size_t mid = begin + (end - begin) / 2;
        if (g->key[mid] < e->last)
            begin = mid + 1;
        else
            end = mid;
    }
    return end > lo && g->in[end - 1] < e_inv;
}

typedef struct span {
    uint64_t inv, res;
    uint32_t rank; /* of inv */
    uint32_t node;
} span;

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

static lin_verdict overlapping(graph *g, const pq_history *h, const span *spans, lin_report *report)
{
    uint32_t *active = malloc((h->batch_count + 1) * sizeof *active);
    size_t n = 0;
    lin_verdict verdict = active ? LIN_OK : LIN_NOMEM;
    for (size_t i = 0; verdict == LIN_OK && i < h->batch_count; i++) {
        size_t kept = 0;
        const pq_batch *e = &h->batches[spans[i].node];
        for (size_t j = 0; j < n; j++) {
            const span *s = &spans[active[j]];
            const pq_batch *d = &h->batches[s->node];
            bool de, ed;
            if (s->res < spans[i].inv)
                continue;
            active[kept++] = active[j];
            de = before(g, d, e, spans[i].rank);
            ed = before(g, e, d, s->rank);
            if (de && ed)
                verdict = cladei_lin_bad(report, "two deletes each left what the other took", d->op,
                                         e->op);
            if ((de && !add(g, s->node, spans[i].node)) || (ed && !add(g, spans[i].node, s->node)))
                verdict = LIN_NOMEM;
        }
        n = kept;
        active[n++] = (uint32_t)i;
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
    uint32_t ins, del;
    uint64_t key; /* least of the batch's keys that del returned */
} part;

static int by_insert(const void *a, const void *b)
{
    const part *x = a, *y = b;
    if (x->ins != y->ins)
        return x->ins < y->ins ? -1 : 1;
    if (x->del != y->del)
        return x->del < y->del ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

/* An atomic insert that one delete has seen was seen whole: its other values that are smaller than
 * what that delete left must have been returned before. */
static lin_verdict torn(graph *g, const pq_history *h, lin_report *report)
{
    part *parts = malloc((h->value_count + 1) * sizeof *parts);
    size_t n = 0;
    lin_verdict verdict = parts ? LIN_OK : LIN_NOMEM;
    for (size_t i = 0; parts && i < h->value_count; i++)
        parts[n++] = (part) { h->values[i].ins, h->values[i].del, h->values[i].key };
    if (parts)
        qsort(parts, n, sizeof *parts, by_insert);
    for (size_t i = 0, end; verdict == LIN_OK && i < n; i = end) {
        size_t m = i;
        for (end = i; end < n && parts[end].ins == parts[i].ins; end++)
            if (end == i || parts[end].del != parts[end - 1].del)
                parts[m++] = parts[end]; /* distinct deletes, each with its least key */
        for (size_t e = i; verdict == LIN_OK && e < m && parts[e].del != PQ_NONE; e++) {
            const pq_batch *batch = &h->batches[g->node[parts[e].del]];
            for (size_t d = i; d < m; d++) {
                if (d == e || (!batch->is_short && parts[d].key >= batch->last))
                    continue;
                if (parts[d].del != PQ_NONE) {
                    if (!add(g, g->node[parts[d].del], g->node[parts[e].del]))
                        verdict = LIN_NOMEM;
                } else if (h->first_pending == LIN_PENDING) {
                    verdict = cladei_lin_bad(report, "an atomic insert was torn", parts[e].del,
                                             parts[e].ins);
                }
            }
        }
    }
    free(parts);
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

lin_verdict cladei_pq_order(pq_history *h, lin_report *report)
{
    graph g = { NULL, 0, 0, NULL, NULL, NULL, NULL };
    span *spans = malloc((h->batch_count + 1) * sizeof *spans);
    lin_verdict verdict = spans && list_values(&g, h) ? LIN_OK : LIN_NOMEM;
    for (size_t i = 0; verdict == LIN_OK && i < h->batch_count; i++) {
        const lin_op *op = &h->ops[h->batches[i].op];
        spans[i] = (span) { op->inv, op->res, cladei_lin_rank(&h->times, op->inv), (uint32_t)i };
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
