/* SPDX-License-Identifier: Apache-2.0 */
/* Verifying a quiescent front engine: the invariants of docs/inside/heap-front.md, on a copy of it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap/front/copy.h"
#include "object/object.h"

#define SOUND(condition, ...) CLADE_REQUIRE((condition), CLADE_E_CORRUPT, __VA_ARGS__)

static const uint32_t *leaf_of(const struct front_copy *c, uint32_t leaf)
{
    return c->leaves + (size_t)leaf * CLADE_FRONT_LINE;
}

static uint64_t key_word(const struct front_copy *c, const uint32_t *at)
{
    return c->f->key_bytes == 8 ? at[0] | (uint64_t)at[1] << 32 : at[0];
}

/* The block of a leaf's slot, if there is one, else 0. */
static uint32_t block_at(const struct front_copy *c, uint32_t leaf, uint32_t slot)
{
    const uint32_t block = c->f->leaf / CLADE_FRONT_BLOCKS;
    const uint32_t unit =
        slot < c->f->leaf ? leaf_of(c, leaf)[CLADE_FRONT_L_BLOCK + slot / block] : 0;
    return unit < c->f->count[CLADE_FRONT_POOL_BLOCKS] ? unit : 0;
}

/* A slot's key, of whose block it is known that it exists. */
static uint64_t key_at(const struct front_copy *c, uint32_t leaf, uint32_t slot)
{
    const uint32_t block = c->f->leaf / CLADE_FRONT_BLOCKS;
    const uint64_t place = (uint64_t)block_at(c, leaf, slot) * block + slot % block;
    const char *at = c->bytes + c->f->keys_at + place * c->f->key_bytes;
    if (c->live)
        c->live[place / 8] |= (uint8_t)(1u << place % 8);
    uint64_t wide;
    uint32_t narrow;
    if (c->f->key_bytes == 8)
        memcpy(&wide, at, 8);
    else
        memcpy(&narrow, at, 4), wide = narrow;
    return wide;
}

static clade_status see(struct front_copy *c, uint32_t pool, uint32_t unit, const char *where)
{
    clade_status status = CLADE_OK;
    static const char *const names[] = { "block", "leaf", "directory" };
    SOUND(unit > 0 && unit < c->f->count[pool], "%s %u does not exist (%s)", names[pool], unit,
          where);
    SOUND(!c->seen[pool][unit], "%s %u is in two places (%s)", names[pool], unit, where);
    c->seen[pool][unit] = 1;
fail:
    return status;
}

/* A leaf and its blocks, of which `n` slots are filled. */
static clade_status see_leaf(struct front_copy *c, uint32_t leaf, uint32_t n, const char *where)
{
    clade_status status = CLADE_OK;
    const uint32_t block = c->f->leaf / CLADE_FRONT_BLOCKS;
    CLADE_TRY(see(c, CLADE_FRONT_POOL_LEAVES, leaf, where));
    for (uint32_t b = 0; b < CLADE_FRONT_BLOCKS; b++) {
        const uint32_t unit = leaf_of(c, leaf)[CLADE_FRONT_L_BLOCK + b];
        const bool there = unit != 0 && unit != CLADE_FRONT_VOID;
        SOUND(there || b * block >= n, "leaf %u has %u keys and no block %u (%s)", leaf, n, b,
              where);
        if (there)
            CLADE_TRY(see(c, CLADE_FRONT_POOL_BLOCKS, unit, where));
    }
fail:
    return status;
}

/* The leaf behind one in a chain, or 0. */
static uint32_t chain_of(const struct front_copy *c, uint32_t leaf)
{
    return leaf_of(c, leaf)[CLADE_FRONT_L_CHAIN] & ~CLADE_FRONT_CLOSED;
}

/* The keys of a leaf in the trie lie in its range, and ascend as far as it says. */
static clade_status check_leaf(struct front_copy *c, uint32_t leaf, uint64_t low, uint64_t last,
                               bool chained)
{
    clade_status status = CLADE_OK;
    SOUND(leaf < c->f->count[CLADE_FRONT_POOL_LEAVES], "leaf %u does not exist", leaf);
    const uint32_t *l = leaf_of(c, leaf);
    const uint32_t count = l[CLADE_FRONT_L_COUNT] & CLADE_FRONT_COUNT_MASK;
    const uint32_t n = count < l[CLADE_FRONT_L_LIMIT] ? count : l[CLADE_FRONT_L_LIMIT];
    SOUND(l[CLADE_FRONT_L_LIMIT] <= c->f->leaf, "leaf %u has %u slots of %u", leaf,
          l[CLADE_FRONT_L_LIMIT], c->f->leaf);
    SOUND(l[CLADE_FRONT_L_DONE] == n, "leaf %u: %u slots reserved, %u stored", leaf, n,
          l[CLADE_FRONT_L_DONE]);
    SOUND(l[CLADE_FRONT_L_LOCK] == 0 || chained, "leaf %u is locked", leaf);
    SOUND(!chained || l[CLADE_FRONT_L_LIMIT] == n || (l[CLADE_FRONT_L_COUNT] & CLADE_FRONT_BEHIND),
          "leaf %u of a chain has %u keys in %u slots", leaf, n, l[CLADE_FRONT_L_LIMIT]);
    SOUND(!chained || n > 0, "leaf %u of a chain has no keys", leaf);
    /* A pop of many keys sorts a leaf by the range that it says it has. */
    SOUND(!chained || (l[CLADE_FRONT_L_SHIFT] == 0 && key_word(c, l + CLADE_FRONT_L_LOW) == low),
          "leaf %u of a chain has another range", leaf);
    CLADE_TRY(see_leaf(c, leaf, n, "trie"));
    if (chained)
        c->seen[CLADE_FRONT_POOL_LEAVES][leaf] = FRONT_CHAINED;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t key = key_at(c, leaf, i);
        SOUND(key >= low && key <= last,
              "leaf %u, slot %u of %u: key %" PRIx64 " is not in %" PRIx64 " .. %" PRIx64, leaf, i,
              n, key, low, last);
        SOUND(i == 0 || i >= l[CLADE_FRONT_L_SORTED] || key >= key_at(c, leaf, i - 1),
              "leaf %u: slot %u of %u sorted ones descends", leaf, i, l[CLADE_FRONT_L_SORTED]);
    }
    c->sum->keys += n;
    c->sum->leaves++;
    c->sum->empty += n == 0;
fail:
    return status;
}

static clade_status check_entry_leaf(struct front_copy *c, uint32_t entry, uint32_t leaf,
                                     uint64_t low, uint64_t last, uint32_t shift)
{
    clade_status status = CLADE_OK;
    const uint32_t *l = leaf_of(c, leaf);
    const bool bounded = c->head[CLADE_FRONT_W_BOUNDED] != 0;
    const bool ahead = c->head[CLADE_FRONT_W_IS_AHEAD] != 0;
    const uint32_t flags = l[CLADE_FRONT_L_COUNT] & ~CLADE_FRONT_COUNT_MASK;
    SOUND(l[CLADE_FRONT_L_UP] == entry && l[CLADE_FRONT_L_SHIFT] == shift &&
              key_word(c, l + CLADE_FRONT_L_LOW) == low,
          "leaf %u of entry %u has another place or range", leaf, entry);
    SOUND(!bounded || low > key_word(c, c->head + CLADE_FRONT_W_BOUND),
          "leaf %u from %" PRIx64 " on lies below the bound", leaf, low);
    SOUND(flags == 0 || (flags == CLADE_FRONT_FROZEN && ahead &&
                         low <= key_word(c, c->head + CLADE_FRONT_W_AHEAD)),
          "leaf %u has the flags %x", leaf, flags);
    if (flags != 0 && (!c->frozen || last > c->frozen_to))
        c->frozen_to = last;
    c->frozen = c->frozen || flags != 0;
    CLADE_TRY(check_leaf(c, leaf, low, last, false));
    SOUND(l[CLADE_FRONT_L_CHAIN] == 0 || shift == 0, "leaf %u of many keys has a chain", leaf);
    for (uint32_t at = chain_of(c, leaf); at != 0; at = chain_of(c, at))
        CLADE_TRY(check_leaf(c, at, low, last, true));
fail:
    return status;
}

static clade_status check_dir(struct front_copy *c, uint32_t dir, uint64_t base, uint32_t shift,
                              uint32_t depth)
{
    clade_status status = CLADE_OK;
    uint32_t drained = 0;
    if (depth > c->sum->depth)
        c->sum->depth = depth;
    for (uint32_t d = 0; d < CLADE_FRONT_FAN; d++) {
        const uint32_t entry = dir * CLADE_FRONT_FAN + d, ref = c->entries[entry];
        const uint64_t low = base + ((uint64_t)d << shift);
        const uint64_t last = low + (((uint64_t)1 << shift) - 1);
        if (ref == CLADE_FRONT_DRAINED) {
            drained++;
            SOUND(c->head[CLADE_FRONT_W_BOUNDED] &&
                      last <= key_word(c, c->head + CLADE_FRONT_W_BOUND),
                  "entry %u up to %" PRIx64 " is drained beyond the bound", entry, last);
        } else if (ref & 1u) {
            const uint32_t child = ref >> 1;
            CLADE_TRY(see(c, CLADE_FRONT_POOL_DIRS, child, "trie"));
            SOUND(shift > 0 && c->dirs[child * CLADE_FRONT_D_WORDS + CLADE_FRONT_D_UP] == entry,
                  "directory %u of entry %u has another place", child, entry);
            CLADE_TRY(check_dir(c, child, low, shift - CLADE_FRONT_BITS, depth + 1));
        } else {
            SOUND(ref != 0 && ref >> 1 < c->f->count[CLADE_FRONT_POOL_LEAVES], "entry %u holds %x",
                  entry, ref);
            const uint32_t range = leaf_of(c, ref >> 1)[CLADE_FRONT_L_SHIFT],
                           span = 1u << range % CLADE_FRONT_BITS;
            SOUND(range / CLADE_FRONT_BITS == shift / CLADE_FRONT_BITS && d % span == 0,
                  "leaf %u of entry %u spans 2^%u keys", ref >> 1, entry, range);
            for (uint32_t e = 1; e < span; e++)
                SOUND(c->entries[entry + e] == ref, "entry %u is not leaf %u's", entry + e,
                      ref >> 1);
            CLADE_TRY(check_entry_leaf(c, entry, ref >> 1, low, low + (((uint64_t)1 << range) - 1),
                                       range));
            d += span - 1;
        }
    }
    SOUND(dir == 0 || drained < CLADE_FRONT_FAN, "directory %u is drained and still there", dir);
    SOUND(dir == 0 || c->dirs[dir * CLADE_FRONT_D_WORDS + CLADE_FRONT_D_DRAINED] == drained,
          "directory %u counts %u drained entries of %u", dir,
          c->dirs[dir * CLADE_FRONT_D_WORDS + CLADE_FRONT_D_DRAINED], drained);
fail:
    return status;
}

/* Whether a leaf of this one key is in the trie, whose directories were looked at. */
static bool has_leaf_of(const struct front_copy *c, uint64_t key)
{
    uint32_t shift = 8 * c->f->key_bytes - CLADE_FRONT_BITS;
    uint32_t ref = c->entries[key >> shift & (CLADE_FRONT_FAN - 1)];
    while (ref != CLADE_FRONT_DRAINED && (ref & 1u)) {
        shift -= CLADE_FRONT_BITS;
        ref = c->entries[(ref >> 1) * CLADE_FRONT_FAN + (key >> shift & (CLADE_FRONT_FAN - 1))];
    }
    return ref != CLADE_FRONT_DRAINED && leaf_of(c, ref >> 1)[CLADE_FRONT_L_SHIFT] == 0;
}

/* The front's greatest key lies at or below the bound, or is the next one: then its leaf, from
 * whose chain it was taken, follows the front. */
static bool is_below_or_next(const struct front_copy *c, uint64_t key)
{
    const uint64_t bound = key_word(c, c->head + CLADE_FRONT_W_BOUND);
    const bool bounded = c->head[CLADE_FRONT_W_BOUNDED] != 0;
    return (bounded && key <= bound) || (key == (bounded ? bound + 1 : 0) && has_leaf_of(c, key));
}

/* The front ascends, ends as it must, and each of its runs knows how many keys are left. */
static clade_status check_front(struct front_copy *c)
{
    clade_status status = CLADE_OK;
    const uint32_t word = c->head[CLADE_FRONT_W_WORD];
    const uint32_t left = word & CLADE_FRONT_LEFT_MASK;
    const uint32_t *e = (const uint32_t *)(c->bytes + c->f->epochs_at) +
                        (word >> CLADE_FRONT_TAG_SHIFT) * CLADE_FRONT_E_WORDS;
    uint64_t before = 0;
    uint32_t begin = 0;
    SOUND((word & CLADE_FRONT_GUARD) == CLADE_FRONT_GUARD, "the front is owned: word %x", word);
    SOUND(left <= e[CLADE_FRONT_E_COUNT] && e[CLADE_FRONT_E_PIECES] <= CLADE_FRONT_PIECES,
          "the front has %u of %u keys in %u pieces", left, e[CLADE_FRONT_E_COUNT],
          e[CLADE_FRONT_E_PIECES]);
    SOUND(e[CLADE_FRONT_E_COPIED] == e[CLADE_FRONT_E_COUNT] - left,
          "%u keys of the front were handed out, %u were copied", e[CLADE_FRONT_E_COUNT] - left,
          e[CLADE_FRONT_E_COPIED]);
    SOUND(c->head[CLADE_FRONT_W_ROUND_LEFT] == 0, "a round is open");
    SOUND(c->head[CLADE_FRONT_W_OFFERED] == 0, "%u slots are said to be ready",
          c->head[CLADE_FRONT_W_OFFERED]);
    for (uint32_t slot = 0; slot < CLADE_FRONT_SLOTS; slot++)
        SOUND(c->head[CLADE_FRONT_W_SLOT + slot * CLADE_FRONT_LINE] == CLADE_FRONT_SLOT_FREE,
              "slot %u of those that wait is in state %u", slot,
              c->head[CLADE_FRONT_W_SLOT + slot * CLADE_FRONT_LINE]);
    const uint32_t from = e[CLADE_FRONT_E_COUNT] - left;
    for (uint32_t p = 0; p < e[CLADE_FRONT_E_PIECES]; p++) {
        const uint32_t *piece = e + CLADE_FRONT_E_PIECE + 3 * p;
        const uint32_t end = piece[2];
        SOUND(end > begin && end <= e[CLADE_FRONT_E_COUNT] && piece[1] <= c->f->leaf &&
                  end - begin <= c->f->leaf - piece[1],
              "piece %u of the front goes from %u to %u", p, begin, end);
        for (uint32_t i = begin; i < end; i++) {
            if (i < from)
                continue;
            SOUND(piece[0] > 0 && piece[0] < c->f->count[CLADE_FRONT_POOL_LEAVES],
                  "piece %u has run %u", p, piece[0]);
            SOUND(block_at(c, piece[0], piece[1] + i - begin) != 0,
                  "run %u of the front has no block for slot %u", piece[0], piece[1] + i - begin);
            const uint64_t key = key_at(c, piece[0], piece[1] + i - begin);
            SOUND(key >= before, "key %u of the front, %" PRIx64 ", descends from %" PRIx64, i, key,
                  before);
            before = key;
            c->remaining[piece[0]]++;
        }
        begin = end;
    }
    SOUND(left == 0 || is_below_or_next(c, before),
          "key %" PRIx64 " of the front lies beyond the bound %" PRIx64, before,
          key_word(c, c->head + CLADE_FRONT_W_BOUND));
    SOUND(begin == e[CLADE_FRONT_E_COUNT] || left == 0, "the pieces have %u keys of the front's %u",
          begin, e[CLADE_FRONT_E_COUNT]);
    c->sum->in_front = left;
    c->sum->keys += left;
    for (uint32_t leaf = 1; leaf < c->f->count[CLADE_FRONT_POOL_LEAVES]; leaf++)
        if (c->remaining[leaf] > 0) {
            SOUND(leaf_of(c, leaf)[CLADE_FRONT_L_LEFT] == c->remaining[leaf],
                  "run %u counts %u keys left of %u", leaf, leaf_of(c, leaf)[CLADE_FRONT_L_LEFT],
                  c->remaining[leaf]);
            CLADE_TRY(see_leaf(c, leaf, 0, "front"));
            c->seen[CLADE_FRONT_POOL_LEAVES][leaf] = FRONT_RUN;
        }
fail:
    return status;
}

static clade_status check_stack(struct front_copy *c, uint32_t at)
{
    clade_status status = CLADE_OK;
    while (at != 0) {
        const uint32_t pool = at & 1u ? CLADE_FRONT_POOL_DIRS : CLADE_FRONT_POOL_LEAVES;
        CLADE_TRY(see(c, pool, at >> 1, "retired"));
        c->seen[pool][at >> 1] = FRONT_RETIRED;
        at = at & 1u ? c->dirs[(at >> 1) * CLADE_FRONT_D_WORDS + CLADE_FRONT_D_NEXT]
                     : leaf_of(c, at >> 1)[CLADE_FRONT_L_NEXT];
    }
fail:
    return status;
}

/* No unit has the number 0. A reference that was read too early is 0 as a rule, and words of zeros
 * are those of an empty leaf; so whoever went astray there left a trace. */
static clade_status check_unit_0(struct front_copy *c)
{
    clade_status status = CLADE_OK;
    for (uint32_t word = 0; word < CLADE_FRONT_LINE; word++)
        SOUND(leaf_of(c, 0)[word] == 0, "leaf 0, which is none, was written to: word %u is %#x",
              word, leaf_of(c, 0)[word]);
    for (uint32_t pool = 0; pool < 3; pool++)
        SOUND((*(const uint32_t *)(c->bytes + c->f->bits_at[pool]) & 1) == 0,
              "pool %u: unit 0, which is none, is free", pool);
fail:
    return status;
}

/* What is free is what nothing refers to, and as many as the tokens. */
static clade_status check_pools(struct front_copy *c)
{
    clade_status status = CLADE_OK;
    for (uint32_t pool = 0; pool < 3; pool++) {
        const uint32_t *bits = (const uint32_t *)(c->bytes + c->f->bits_at[pool]);
        const uint32_t *sums = (const uint32_t *)(c->bytes + c->f->sums_at[pool]);
        uint32_t available = 0;
        for (uint32_t unit = 1; unit < c->f->count[pool]; unit++) {
            const bool is_free = bits[unit / 32] >> unit % 32 & 1;
            SOUND(!is_free || (sums[unit / 1024] >> unit / 32 % 32 & 1),
                  "pool %u: the sums do not know of unit %u", pool, unit);
            SOUND(is_free != (c->seen[pool][unit] != 0), "pool %u: unit %u is %s", pool, unit,
                  is_free ? "free and in use" : "lost");
            available += is_free;
        }
        SOUND(c->head[CLADE_FRONT_W_FREE + pool * CLADE_FRONT_LINE] == available,
              "pool %u: %u tokens for %u free units", pool,
              c->head[CLADE_FRONT_W_FREE + pool * CLADE_FRONT_LINE], available);
        c->sum->used[pool] = c->f->count[pool] - 1 - available;
    }
fail:
    return status;
}

static clade_status check_all(struct front_copy *c)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(check_dir(c, 0, 0, 8 * c->f->key_bytes - CLADE_FRONT_BITS, 1));
    CLADE_TRY(check_front(c));
    for (uint32_t e = 0; e < 4; e++)
        CLADE_TRY(check_stack(c, c->head[CLADE_FRONT_W_RETIRED + e]));
    CLADE_TRY(check_stack(c, c->head[CLADE_FRONT_W_READY]));
    CLADE_TRY(check_pools(c));
    CLADE_TRY(check_unit_0(c));
    SOUND(c->head[CLADE_FRONT_W_TIDY] == 0 && c->head[CLADE_FRONT_W_RING_LOCK] == 0,
          "a lock is held");
    SOUND(c->head[CLADE_FRONT_W_SIZE] == c->sum->keys, "the heap counts %u keys of %" PRIu64,
          c->head[CLADE_FRONT_W_SIZE], c->sum->keys);
    SOUND(c->sum->keys <= c->f->capacity, "%" PRIu64 " keys are inside; the capacity is %" PRIu64,
          c->sum->keys, c->f->capacity);
fail:
    return status;
}

void cladei_front_copy_close(struct front_copy *c)
{
    for (int pool = 0; pool < 3; pool++)
        free(c->seen[pool]);
    free(c->remaining);
    free(c->live);
}

/* `bytes`: all of the heap; the caller's. */
static clade_status copy_open(struct front_copy *c, const struct cladei_front *front, char *bytes,
                              struct cladei_front_sum *sum, bool marks)
{
    clade_status status = CLADE_OK;
    *c = (struct front_copy) { .f = front, .bytes = bytes, .sum = sum };
    c->remaining = calloc(front->count[CLADE_FRONT_POOL_LEAVES], 4);
    CLADE_NO_MEMORY(c->remaining);
    for (int pool = 0; pool < 3; pool++) {
        c->seen[pool] = calloc(front->count[pool], 1);
        CLADE_NO_MEMORY(c->seen[pool]);
    }
    if (marks) {
        const size_t slots =
            front->count[CLADE_FRONT_POOL_BLOCKS] * (size_t)(front->leaf / CLADE_FRONT_BLOCKS);
        c->live = calloc(slots / 8 + 1, 1);
        CLADE_NO_MEMORY(c->live);
    }
    c->head = (uint32_t *)c->bytes;
    c->entries = (uint32_t *)(c->bytes + front->at[FRONT_ENTRIES]);
    c->dirs = (uint32_t *)(c->bytes + front->at[FRONT_DIRS]);
    c->leaves = (uint32_t *)(c->bytes + front->at[FRONT_LEAVES]);
fail:
    return status;
}

clade_status cladei_front_copy_open(struct front_copy *c, const struct cladei_front *front,
                                    char *bytes, struct cladei_front_sum *sum, bool marks)
{
    clade_status status = CLADE_OK;
    *sum = (struct cladei_front_sum) { 0 };
    CLADE_TRY(copy_open(c, front, bytes, sum, marks));
    CLADE_TRY(check_all(c));
fail:
    return status;
}

clade_status cladei_front_read(const struct cladei_front *front, const struct cladei_object *object,
                               char **bytes)
{
    clade_status status = CLADE_OK;
    *bytes = malloc((size_t)front->bytes);
    CLADE_NO_MEMORY(*bytes);
    CLADE_TRY(cladei_object_read(object, 0, *bytes, (size_t)front->bytes));
fail:
    return status;
}

clade_status cladei_front_verify(const struct cladei_front *front, char *bytes,
                                 struct cladei_front_sum *sum)
{
    struct front_copy c;
    const clade_status status = cladei_front_copy_open(&c, front, bytes, sum, false);
    cladei_front_copy_close(&c);
    return status;
}

clade_status cladei_front_check(const struct cladei_front *front,
                                const struct cladei_object *object, struct cladei_front_sum *sum)
{
    clade_status status = CLADE_OK;
    char *bytes;
    CLADE_TRY(cladei_front_read(front, object, &bytes));
    CLADE_TRY(cladei_front_verify(front, bytes, sum));
fail:
    free(bytes);
    return status;
}
