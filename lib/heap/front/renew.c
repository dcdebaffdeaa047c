/* SPDX-License-Identifier: Apache-2.0 */
/* A front engine's bytes made anew from its keys, for files: nothing in them is believed that can
 * be derived, and nothing is left in them of keys that are gone, or of memory that was never
 * written. */
#include <string.h>

#include "base/error.h"
#include "heap/front/copy.h"

static bool in_use(const struct front_copy *c, uint32_t pool, uint32_t unit)
{
    return c->seen[pool][unit] != FRONT_UNSEEN && c->seen[pool][unit] != FRONT_RETIRED;
}

/* The front's list becomes that of epoch 0, of the keys that it still has. */
static void renew_front(struct front_copy *c)
{
    uint32_t *epochs = (uint32_t *)(c->bytes + c->f->epochs_at);
    const uint32_t *e =
        epochs + (c->head[CLADE_FRONT_W_WORD] >> CLADE_FRONT_TAG_SHIFT) * CLADE_FRONT_E_WORDS;
    const uint32_t left = (uint32_t)c->sum->in_front;
    const uint32_t gone = e[CLADE_FRONT_E_COUNT] - left;
    uint32_t fresh[CLADE_FRONT_E_WORDS] = { 0 }, begin = 0, n = 0;
    const uint64_t rank =
        (e[CLADE_FRONT_E_RANK] | (uint64_t)e[CLADE_FRONT_E_RANK + 1] << 32) + gone;
    for (uint32_t p = 0; p < e[CLADE_FRONT_E_PIECES] && left > 0; p++) {
        const uint32_t *piece = e + CLADE_FRONT_E_PIECE + 3 * p;
        uint32_t *to = fresh + CLADE_FRONT_E_PIECE + 3 * n;
        if (piece[2] > gone) {
            to[0] = piece[0];
            to[1] = piece[1] + (gone > begin ? gone - begin : 0);
            to[2] = piece[2] - gone;
            n++;
        }
        begin = piece[2];
    }
    fresh[CLADE_FRONT_E_COUNT] = left;
    fresh[CLADE_FRONT_E_PIECES] = n;
    fresh[CLADE_FRONT_E_RANK] = (uint32_t)rank;
    fresh[CLADE_FRONT_E_RANK + 1] = (uint32_t)(rank >> 32);
    memset(epochs, 0, 4ull * CLADE_FRONT_EPOCHS * CLADE_FRONT_E_WORDS);
    memcpy(epochs, fresh, sizeof fresh);
}

/* The head: constants, the bound, counts; all else as in a heap at which nobody has been. */
static void renew_head(struct front_copy *c, const clade_heap_head *common)
{
    uint32_t fresh[CLADE_FRONT_HEAD_WORDS];
    const uint32_t bound = CLADE_FRONT_W_BOUND, stats = CLADE_FRONT_W_STATS;
    cladei_front_head(c->f, fresh);
    memcpy(fresh, common, sizeof *common);
    fresh[offsetof(clade_heap_head, count) / 4] = 0; /* of nodes, which the other engines have */
    fresh[offsetof(clade_heap_head, root) / 4] = 0;
    fresh[CLADE_FRONT_W_SIZE] = (uint32_t)c->sum->keys;
    fresh[CLADE_FRONT_W_WORD] = CLADE_FRONT_GUARD | (uint32_t)c->sum->in_front;
    fresh[CLADE_FRONT_W_BOUNDED] = c->head[CLADE_FRONT_W_BOUNDED] != 0;
    memcpy(fresh + bound, c->head + bound, c->f->key_bytes);
    fresh[CLADE_FRONT_W_IS_AHEAD] = c->frozen;
    memcpy(fresh + CLADE_FRONT_W_AHEAD, &c->frozen_to, c->frozen ? c->f->key_bytes : 0);
    fresh[CLADE_FRONT_W_RING_STALE] = 1; /* looking up begins at the bound */
    memcpy(fresh + stats, c->head + stats, 4 * (CLADE_FRONT_S_JOINED + 2u - stats));
    for (uint32_t pool = 0; pool < 3; pool++) {
        uint32_t available = 0;
        for (uint32_t unit = 1; unit < c->f->count[pool]; unit++)
            available += !in_use(c, pool, unit);
        fresh[CLADE_FRONT_W_FREE + pool * CLADE_FRONT_LINE] = available;
    }
    memcpy(c->head, fresh, sizeof fresh);
}

/* One leaf's words, by what it is. Memory may be had again where a leaf ended for want of it. */
static void renew_leaf(const struct front_copy *c, uint32_t leaf)
{
    const uint8_t what = c->seen[CLADE_FRONT_POOL_LEAVES][leaf];
    uint32_t *l = c->leaves + (size_t)leaf * CLADE_FRONT_LINE;
    const uint32_t frozen = l[CLADE_FRONT_L_COUNT] & CLADE_FRONT_FROZEN;
    const uint32_t n = l[CLADE_FRONT_L_DONE];
    for (uint32_t b = 0; b < CLADE_FRONT_BLOCKS; b++)
        if (l[CLADE_FRONT_L_BLOCK + b] == CLADE_FRONT_VOID)
            l[CLADE_FRONT_L_BLOCK + b] = 0;
    l[CLADE_FRONT_L_COUNT] = what == FRONT_RUN       ? CLADE_FRONT_FROZEN
                             : what == FRONT_CHAINED ? n | CLADE_FRONT_SPLIT
                                                     : n | frozen;
    l[CLADE_FRONT_L_LIMIT] = what == FRONT_CHAINED ? n : c->f->leaf;
    if (l[CLADE_FRONT_L_SORTED] > n)
        l[CLADE_FRONT_L_SORTED] = 0;
    l[CLADE_FRONT_L_LOCK] = l[CLADE_FRONT_L_NEXT] = 0;
    l[CLADE_FRONT_L_LEFT] = what == FRONT_RUN ? c->remaining[leaf] : 0;
    l[CLADE_FRONT_L_OWN] = what == FRONT_RUN;
    if (what == FRONT_RUN)
        l[CLADE_FRONT_L_CHAIN] = l[CLADE_FRONT_L_DONE] = l[CLADE_FRONT_L_SORTED] = 0;
}

static void renew_units(struct front_copy *c)
{
    const struct cladei_front *f = c->f;
    for (uint32_t leaf = 0; leaf < f->count[CLADE_FRONT_POOL_LEAVES]; leaf++)
        if (leaf > 0 && in_use(c, CLADE_FRONT_POOL_LEAVES, leaf))
            renew_leaf(c, leaf);
        else
            memset(c->leaves + (size_t)leaf * CLADE_FRONT_LINE, 0, 4 * CLADE_FRONT_LINE);
    for (uint32_t dir = 0; dir < f->count[CLADE_FRONT_POOL_DIRS]; dir++) {
        uint32_t *words = c->dirs + (size_t)dir * CLADE_FRONT_D_WORDS;
        const bool used = dir > 0 && in_use(c, CLADE_FRONT_POOL_DIRS, dir);
        if (!used && dir > 0)
            memset(c->entries + (size_t)dir * CLADE_FRONT_FAN, 0, 4 * CLADE_FRONT_FAN);
        words[CLADE_FRONT_D_NEXT] = 0;
        if (!used)
            memset(words, 0, 4 * CLADE_FRONT_D_WORDS);
    }
    for (uint32_t pool = 0; pool < 3; pool++) {
        memset(c->bytes + f->bits_at[pool], 0, 128ull * f->sums[pool]);
        memset(c->bytes + f->sums_at[pool], 0, 4ull * f->sums[pool]);
        cladei_front_pool_bits(f, pool, c->seen[pool], FRONT_RETIRED,
                               (uint32_t *)(c->bytes + f->bits_at[pool]),
                               (uint32_t *)(c->bytes + f->sums_at[pool]));
    }
}

/* Slots without a key, of `bytes` each, from `at` to `end`. */
static void clear_slots(const struct front_copy *c, uint64_t at, uint64_t end, uint32_t bytes)
{
    const uint64_t slots =
        c->f->count[CLADE_FRONT_POOL_BLOCKS] * (uint64_t)(c->f->leaf / CLADE_FRONT_BLOCKS);
    char *base = c->bytes + at;
    for (uint64_t s = 0; s < slots; s += 8) { /* blocks have 16 slots at least */
        const uint8_t live = c->live[s / 8];
        if (live == 0)
            memset(base + s * bytes, 0, 8 * (size_t)bytes);
        for (uint32_t i = 0; i < 8 && live != 0 && live != 0xff; i++)
            if (!(live >> i & 1))
                memset(base + (s + i) * bytes, 0, bytes);
    }
    memset(base + slots * bytes, 0, (size_t)(end - at - slots * bytes));
}

clade_status cladei_front_renew(const struct cladei_front *front, char *bytes,
                                const clade_heap_head *common)
{
    clade_status status = CLADE_OK;
    struct front_copy c;
    struct cladei_front_sum sum;
    CLADE_TRY(cladei_front_copy_open(&c, front, bytes, &sum, true));
    renew_front(&c); /* by the old head */
    renew_head(&c, common);
    renew_units(&c);
    memset(bytes + front->ring_at, 0, 8ull * CLADE_FRONT_RING);
    clear_slots(&c, front->keys_at, front->values_at, front->key_bytes);
    clear_slots(&c, front->values_at, front->bytes, front->value_bytes);
fail:
    cladei_front_copy_close(&c);
    return status;
}
