/* SPDX-License-Identifier: Apache-2.0 */
/* FIFO queues of distinct values: conditions F1 to F3 of docs/inside/linearizability.md. */
#include "lin/util.h"

#include <stdlib.h>

#define NONE UINT32_MAX

typedef struct entry {
    uint64_t key, id;
    uint32_t ins, del;
    uint64_t a, b, c, d; /* insert from a to b, delete from c to d */
} entry;

static int by_value(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->ins == NONE) - (y->ins == NONE);
}

static int by_insert_begin(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->a > y->a) - (x->a < y->a);
}

static int by_insert_end(const void *a, const void *b)
{
    const entry *x = *(const entry *const *)a, *y = *(const entry *const *)b;
    return (x->b > y->b) - (x->b < y->b);
}

/* F1, as P1 of priority queues. */
static lin_verdict join(const lin_op *ops, entry *e, size_t *count, lin_report *report)
{
    size_t m = 0, n = *count;
    for (size_t i = 0; i < n;) {
        entry v = e[i++];
        for (; i < n && e[i].key == v.key && e[i].id == v.id; i++) {
            if (e[i].ins != NONE)
                return LIN_INPUT;
            if (v.del != NONE)
                return cladei_lin_bad(report, "a value was returned twice", v.del, e[i].del);
            v.del = e[i].del;
        }
        if (v.ins == NONE)
            return cladei_lin_bad(report, "a value was returned but never inserted", v.del,
                                  SIZE_MAX);
        v.a = ops[v.ins].inv;
        v.b = ops[v.ins].res;
        v.c = v.del == NONE ? LIN_PENDING : ops[v.del].inv;
        v.d = v.del == NONE ? LIN_PENDING : ops[v.del].res;
        if (v.del == NONE && v.b == LIN_PENDING)
            continue;
        if (v.del != NONE && v.a > v.d)
            return cladei_lin_bad(report, "a value was returned before its insert began", v.del,
                                  v.ins);
        e[m++] = v;
    }
    *count = m;
    return LIN_OK;
}

/* F2: no x certainly inserted before y and certainly removed after it, or never. `limit`: a value
 * never returned is certain to stay only for removals that ended before this. */
static lin_verdict in_order(entry *e, size_t n, uint64_t limit, lin_report *report)
{
    const entry **ended = malloc((n + 1) * sizeof *ended);
    uint64_t latest = 0;
    uint32_t whose = NONE;
    size_t j = 0;
    lin_verdict verdict = LIN_OK;
    if (!ended)
        return LIN_NOMEM;
    qsort(e, n, sizeof *e, by_insert_begin);
    for (size_t i = 0; i < n; i++)
        ended[i] = &e[i];
    qsort(ended, n, sizeof *ended, by_insert_end);
    for (size_t i = 0; i < n && verdict == LIN_OK; i++) {
        for (; j < n && ended[j]->b < e[i].a; j++) {
            uint64_t c = ended[j]->del == NONE ? limit : ended[j]->c;
            if (c > latest) {
                latest = c;
                whose = ended[j]->ins;
            }
        }
        if (e[i].del != NONE && e[i].d < latest)
            verdict =
                cladei_lin_bad(report, "a value overtook one inserted before it", e[i].del, whose);
    }
    free(ended);
    return verdict;
}

/* F3: each dequeue that found nothing has a point at which no value is certain to be inside. */
static lin_verdict empties(const lin_op *ops, size_t n, const entry *e, size_t count,
                           uint64_t limit, lin_report *report)
{
    lin_times times;
    lin_cover cover = { NULL, 0 };
    lin_verdict verdict = LIN_OK;
    if (!cladei_lin_times(&times, ops, n) || !cladei_lin_cover(&cover, &times)) {
        free(times.t);
        return LIN_NOMEM;
    }
    for (size_t i = 0; i < count; i++)
        cladei_lin_cover_between(&cover, cladei_lin_rank(&times, e[i].b),
                                 cladei_lin_rank(&times, e[i].del == NONE ? limit : e[i].c));
    for (size_t i = 0; i < n && verdict == LIN_OK; i++)
        if (ops[i].kind == LIN_DELETE && ops[i].res != LIN_PENDING && ops[i].count == 0 &&
            !cladei_lin_free(&cover, cladei_lin_rank(&times, ops[i].inv),
                             cladei_lin_rank(&times, ops[i].res)))
            verdict = cladei_lin_bad(
                report, "a dequeue found nothing though the queue was never empty", i, SIZE_MAX);
    free(cover.next);
    free(times.t);
    return verdict;
}

lin_verdict lin_fifo(const lin_op *ops, size_t n, lin_report *report)
{
    entry *e = malloc((n + 1) * sizeof *e);
    uint64_t pending = LIN_PENDING;
    size_t count = 0;
    lin_verdict verdict = e ? LIN_OK : LIN_NOMEM;
    if (report)
        *report = (lin_report) { NULL, SIZE_MAX, SIZE_MAX };
    for (size_t i = 0; i < n && verdict == LIN_OK; i++) {
        bool insert = ops[i].kind == LIN_INSERT;
        if ((!insert && ops[i].kind != LIN_DELETE) || ops[i].inv > ops[i].res ||
            (insert && ops[i].count != 1)) {
            verdict = LIN_INPUT;
        } else if (!insert && ops[i].res == LIN_PENDING) {
            if (ops[i].inv < pending)
                pending = ops[i].inv;
        } else if (ops[i].count == 1) {
            e[count++] = (entry) { .key = ops[i].values[0].key,
                                   .id = ops[i].values[0].id,
                                   .ins = insert ? (uint32_t)i : NONE,
                                   .del = insert ? NONE : (uint32_t)i };
        }
    }
    if (verdict == LIN_OK) {
        qsort(e, count, sizeof *e, by_value);
        verdict = join(ops, e, &count, report);
    }
    for (uint64_t limit = LIN_PENDING; verdict == LIN_OK; limit = pending) {
        verdict = in_order(e, count, limit, report);
        if (verdict == LIN_OK)
            verdict = empties(ops, n, e, count, limit, report);
        if (verdict != LIN_BAD || pending == LIN_PENDING || limit == pending) {
            verdict = verdict == LIN_OK && limit != LIN_PENDING ? LIN_PLAUSIBLE : verdict;
            break;
        }
        verdict = LIN_OK;
    }
    free(e);
    return verdict;
}
