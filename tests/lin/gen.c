/* SPDX-License-Identifier: Apache-2.0 */
#include "lin/gen.h"

#include <stdlib.h>

enum { THREADS = 64, REGISTERS = 4096 };

typedef struct model {
    const gen_params *params;
    uint64_t *seed;
    lin_value *heap; /* pq: binary heap; fifo: ring from `head` on */
    size_t count, head;
    uint64_t found[REGISTERS], value[REGISTERS]; /* set, map */
    uint64_t next_id;
} model;

typedef struct half { /* a single insert of a batch that is not atomic takes effect on its own */
    uint32_t op;
    uint32_t applied;
    bool busy, acted;
} half;

uint64_t gen_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t gen_below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)((gen_random(seed) >> 32) % n);
}

static bool less(const lin_value *a, const lin_value *b)
{
    return a->key != b->key ? a->key < b->key : a->id < b->id;
}

static void heap_push(model *m, lin_value v)
{
    size_t i = m->count++;
    for (; i && less(&v, &m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = v;
}

static lin_value heap_pop(model *m)
{
    lin_value top = m->heap[0], last = m->heap[--m->count];
    size_t i = 0, child;
    for (; (child = 2 * i + 1) < m->count; i = child) {
        if (child + 1 < m->count && less(&m->heap[child + 1], &m->heap[child]))
            child++;
        if (!less(&m->heap[child], &last))
            break;
        m->heap[i] = m->heap[child];
    }
    m->heap[i] = last;
    return top;
}

/* What the next operation is to be; results come later. `values` has room for a batch. */
static void choose(model *m, lin_op *op, lin_value *values)
{
    const gen_params *p = m->params;
    bool queue = p->what != GEN_SET && p->what != GEN_MAP;
    uint32_t most = p->what == GEN_PQ_BATCH || p->what == GEN_PQ_ATOMIC ? p->batch : 1;
    op->count = 1 + gen_below(m->seed, most);
    if (p->what == GEN_SET)
        op->kind = (lin_kind)(LIN_INSERT + gen_below(m->seed, 3));
    else if (p->what == GEN_MAP)
        op->kind = gen_below(m->seed, 3) ? LIN_GET : LIN_PUT;
    else
        op->kind = gen_below(m->seed, 100) < p->inserts ? LIN_INSERT : LIN_DELETE;
    for (uint32_t i = 0; i < op->count; i++)
        values[i] = (lin_value) { p->keys ? gen_below(m->seed, p->keys) : gen_random(m->seed),
                                  m->next_id++ };
    op->values = values;
    if (queue && op->kind == LIN_DELETE) {
        op->asked = op->count;
        op->count = 0;
    }
}

/* Take effect, in full or (batch that is not atomic) by one value. True when done. */
static bool act(model *m, lin_op *op, lin_value *values, half *t)
{
    size_t k = values[0].key % REGISTERS;
    switch (m->params->what) {
    case GEN_SET:
        op->ok = op->kind == LIN_INSERT ? !m->found[k] : m->found[k];
        if (op->kind != LIN_CONTAINS)
            m->found[k] = op->kind == LIN_INSERT;
        return true;
    case GEN_MAP:
        if (op->kind == LIN_PUT) {
            m->found[k] = 1;
            m->value[k] = values[0].id;
        } else {
            op->ok = m->found[k];
            values[0].id = m->value[k];
        }
        return true;
    case GEN_FIFO:
        if (op->kind == LIN_INSERT)
            m->heap[m->count++] = values[0];
        else if (m->head < m->count)
            values[op->count++] = m->heap[m->head++];
        return true;
    default:
        break;
    }
    if (op->kind == LIN_DELETE) {
        while (op->count < op->asked && m->count)
            values[op->count++] = heap_pop(m);
        return true;
    }
    do
        heap_push(m, values[t->applied++]);
    while (m->params->what == GEN_PQ_ATOMIC && t->applied < op->count);
    return t->applied == op->count;
}

static void schedule(gen_history *h, model *m)
{
    const gen_params *p = m->params;
    uint32_t room = p->batch ? p->batch : 1;
    uint64_t clock = 1;
    half threads[THREADS] = { { 0, 0, false, false } };
    size_t running = 0;
    while (h->n < p->ops || running) {
        uint32_t i = gen_below(m->seed, p->threads);
        half *t = &threads[i];
        if (!t->busy) {
            if (h->n == p->ops)
                continue;
            *t = (half) { (uint32_t)h->n, 0, true, false };
            h->ops[h->n] = (lin_op) { .inv = clock++, .res = LIN_PENDING, .thread = i };
            choose(m, &h->ops[h->n], h->values + h->n * room);
            h->n++;
            running++;
        } else if (h->n == p->ops && gen_below(m->seed, 100) < p->pending &&
                   (h->ops[t->op].kind == LIN_INSERT || p->pending_deletes)) {
            t->busy = false; /* stops here, whatever it has done */
            running--;
        } else if (!t->acted) {
            t->acted = act(m, &h->ops[t->op], h->values + t->op * room, t);
        } else {
            h->ops[t->op].res = clock++;
            t->busy = false;
            running--;
        }
    }
}

bool gen_make(gen_history *h, const gen_params *p, uint64_t *seed)
{
    size_t room = p->batch ? p->batch : 1;
    model *m = calloc(1, sizeof *m);
    *h = (gen_history) { calloc(p->ops + 1, sizeof *h->ops), 0,
                         calloc((p->ops + 1) * room, sizeof *h->values) };
    if (m) {
        m->params = p;
        m->seed = seed;
        m->heap = calloc((p->ops + 1) * room, sizeof *m->heap);
    }
    if (!m || !m->heap || !h->ops || !h->values) {
        if (m)
            free(m->heap);
        free(m);
        gen_free(h);
        return false;
    }
    schedule(h, m);
    free(m->heap);
    free(m);
    return true;
}

static void swap_tickets(gen_history *h, uint64_t *seed)
{
    uint64_t at = 1 + gen_below(seed, (uint32_t)(2 * h->n));
    for (size_t i = 0; i < h->n; i++) {
        uint64_t *tickets[2] = { &h->ops[i].inv, &h->ops[i].res };
        if (h->ops[i].inv == at && h->ops[i].res == at + 1)
            return; /* would end before it began */
        for (int j = 0; j < 2; j++)
            if (*tickets[j] == at)
                *tickets[j] = at + 1;
            else if (*tickets[j] == at + 1)
                *tickets[j] = at;
    }
}

void gen_mutate(gen_history *h, uint64_t *seed)
{
    lin_op *a = &h->ops[gen_below(seed, (uint32_t)h->n)],
           *b = &h->ops[gen_below(seed, (uint32_t)h->n)];
    switch (gen_below(seed, 4)) {
    case 0:
        if (a->kind == LIN_DELETE && b->kind == LIN_DELETE && a->asked && b->asked) {
            const lin_value *v = a->values;
            uint32_t count = a->count, asked = a->asked;
            a->values = b->values;
            a->count = b->count;
            a->asked = b->asked;
            b->values = v;
            b->count = count;
            b->asked = asked;
        } else if (a->kind == b->kind) {
            bool ok = a->ok;
            a->ok = b->ok;
            b->ok = ok;
        }
        break;
    case 1:
        if (a->kind == LIN_DELETE && a->asked && a->count)
            a->count--;
        else if (!a->asked && a->kind != LIN_GET)
            a->ok = !a->ok;
        break;
    default:
        for (uint32_t i = 1 + gen_below(seed, 8); i; i--)
            swap_tickets(h, seed);
    }
}

bool gen_split(const gen_history *h, lin_op *ops, size_t *n, size_t max)
{
    *n = 0;
    for (size_t i = 0; i < h->n; i++) {
        const lin_op *op = &h->ops[i];
        uint32_t parts = op->kind == LIN_INSERT ? op->count : 1;
        for (uint32_t j = 0; j < parts; j++) {
            if (*n == max)
                return false;
            ops[*n] = *op;
            if (op->kind == LIN_INSERT) {
                ops[*n].values += j;
                ops[*n].count = 1;
            }
            ++*n;
        }
    }
    return true;
}

void gen_free(gen_history *h)
{
    free(h->ops);
    free(h->values);
    *h = (gen_history) { NULL, 0, NULL };
}
