/* SPDX-License-Identifier: Apache-2.0 */
/* The general checker: search over all linearizations, remembering what was seen. */
#include "lin/lin.h"

#include <stdlib.h>
#include <string.h>

typedef struct memo {
    unsigned char *slots; /* each: the search that wrote it, mask, state */
    size_t stride, capacity, used;
    unsigned char search; /* 1 to 255; a slot of another search is free */
} memo;

/* Kept from search to search: new memory for each was most of the time of small ones under a
 * sanitizer. */
static memo kept;

typedef struct search {
    const lin_op *ops;
    size_t n;
    const lin_spec *spec;
    uint64_t must; /* operations that returned */
    memo *seen;
    bool nomem;
} search;

static uint64_t hash_bytes(const unsigned char *p, size_t n)
{
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h ^ (h >> 29);
}

static bool memo_place(memo *m, const unsigned char *entry)
{
    size_t i = hash_bytes(entry + 1, m->stride - 1) & (m->capacity - 1);
    for (; m->slots[i * m->stride] == m->search; i = (i + 1) & (m->capacity - 1))
        if (memcmp(m->slots + i * m->stride, entry, m->stride) == 0)
            return false;
    memcpy(m->slots + i * m->stride, entry, m->stride);
    return true;
}

static bool memo_grow(memo *m)
{
    memo bigger = { NULL, m->stride, m->capacity ? 2 * m->capacity : 1024, m->used, m->search };
    bigger.slots = calloc(bigger.capacity, bigger.stride);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < m->capacity; i++)
        if (m->slots[i * m->stride] == m->search)
            (void)memo_place(&bigger, m->slots + i * m->stride);
    free(m->slots);
    *m = bigger;
    return true;
}

/* Free all slots. */
static void memo_begin(memo *m, size_t stride)
{
    if (m->stride != stride) {
        free(m->slots);
        *m = (memo) { .stride = stride };
    }
    m->used = 0;
    if (m->search == 255) {
        if (m->slots)
            memset(m->slots, 0, m->capacity * m->stride);
        m->search = 0;
    }
    m->search++;
}

/* True the first time that a pair of operations done and state is shown. */
static bool is_new(search *s, uint64_t done, const void *state)
{
    unsigned char entry[1 + sizeof done + LIN_STATE_BYTES];
    if (2 * (s->seen->used + 1) > s->seen->capacity && !memo_grow(s->seen)) {
        s->nomem = true;
        return false;
    }
    entry[0] = s->seen->search;
    memcpy(entry + 1, &done, sizeof done);
    memcpy(entry + 1 + sizeof done, state, s->spec->bytes);
    if (!memo_place(s->seen, entry))
        return false;
    s->seen->used++;
    return true;
}

/* Depth at most 64. */
static bool go_on(search *s, uint64_t done, const void *state)
{
    uint64_t first = LIN_PENDING;
    if ((done & s->must) == s->must)
        return true;
    if (!is_new(s, done, state))
        return false;
    for (size_t i = 0; i < s->n; i++)
        if (!(done >> i & 1) && s->ops[i].res < first)
            first = s->ops[i].res;
    for (size_t i = 0; i < s->n && !s->nomem; i++) {
        unsigned char next[LIN_STATE_BYTES];
        if ((done >> i & 1) || s->ops[i].inv > first)
            continue;
        memcpy(next, state, s->spec->bytes);
        if (s->spec->apply(next, &s->ops[i]) && go_on(s, done | (uint64_t)1 << i, next))
            return true;
    }
    return false;
}

lin_verdict lin_exact(const lin_op *ops, size_t n, const lin_spec *spec)
{
    unsigned char state[LIN_STATE_BYTES] = { 0 };
    search s = { ops, n, spec, 0, &kept, false };
    bool found;
    if (n > LIN_EXACT_OPS || spec->bytes > LIN_STATE_BYTES)
        return LIN_INPUT;
    memo_begin(&kept, 1 + sizeof(uint64_t) + spec->bytes);
    for (size_t i = 0; i < n; i++)
        if (ops[i].res != LIN_PENDING)
            s.must |= (uint64_t)1 << i;
    found = go_on(&s, 0, state);
    if (s.nomem)
        return LIN_NOMEM;
    return found ? LIN_OK : LIN_BAD;
}
