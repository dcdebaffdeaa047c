/* SPDX-License-Identifier: Apache-2.0 */
/* rbtree.clh: leaves of two keys, beside readers who lock nothing. A key's value tells the key. Who
 * puts a key in writes its payload plainly before, who finds or erases it reads the payload
 * plainly.
 *
 * A try that fails changes nothing but locks that it gives back. So an item that tried TRIES times
 * in vain is not followed further.
 *
 * @world insert_beside_find: an insert into a leaf beside two finds
 * @world erase_beside_find FULL=1: an erasure beside two finds, of what goes and of what moves
 * @world put_beside_find FULL=1: two puts beside two finds
 * @world two_insert END=end_two_insert: an insert each into one leaf, which may split
 * @world insert_beside_erase FULL=1 END=end_insert_beside_erase: an insert beside an erasure,
 *     of one full leaf
 * @world insert_beside_find@split FULL=1: a split beside two finds
 * @needs clade_rbtree_look_at load_acquire insert_beside_find
 * @needs clade_rbtree_put_in store_release insert_beside_find
 * @needs clade_rbtree_still fence_acquire erase_beside_find
 * @needs cladei_rbtree_lock fence erase_beside_find
 * @needs clade_rbtree_take_from store_release erase_beside_find
 * @needs clade_rbtree_split_locked fence_release insert_beside_find@split */
#include "genmc/device.h"

#ifndef TRIES
#define TRIES 1u
#endif
static inline uint genmc_more(uint tries)
{
    __VERIFIER_assume(tries < TRIES);
    return TRIES;
}
static const uint tries = 0; /* for ranges, which count otherwise */
#define CLADE_RBTREE_TRIES         genmc_more(tries)
#define CLADE_RBTREE_BALANCE_TRIES genmc_more(tries)
#define CLADE_RBTREE_MERGE_TRIES   genmc_more(tries)

#include "rbtree/words.h"

#define CLADE_RBTREE_LEAF_CAPACITY 2
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#include "clade/rbtree.clh"

#include <assert.h>

enum { LEAVES = 8, ROUTERS = 8, KEYS = 64, ALL = 0xffffffff };

typedef struct leaf {
    uint meta, link, low, high, keys[2], values[2];
} leaf;

typedef struct router {
    uint key, left, right, meta;
} router;

#define VALUE(key) ((key)*100u)
#define DEAD       CLADE_RBTREE_DEAD

/* FULL 0: a leaf with one key; 1: with two; 2: a root over two leaves, both full. */
#ifndef FULL
#define FULL 0
#endif
enum { USED = FULL == 2 ? 2 : 1 };

static struct {
    clade_rbtree_head head;
    leaf leaves[LEAVES];
    router routers[ROUTERS];
} tree = {
    .head = { .object = { .shape = CLADE_RBTREE_SHAPE(CLADE_U32, 4, 2) },
              .router_total = ROUTERS,
              .leaf_total = LEAVES,
              .leaves_at = sizeof(clade_rbtree_head) / 16u,
              .routers_at = (sizeof(clade_rbtree_head) + LEAVES * sizeof(leaf)) / 16u,
              .routers_used = USED,
              .leaves_used = USED },
    .leaves = {
#if FULL == 2
        { 0, CLADE_RBTREE_PACK(2, 2), 0, 29, { 10, 20 }, { VALUE(10), VALUE(20) } },
        { 0, CLADE_RBTREE_PACK(0, 2), 30, ALL, { 30, 40 }, { VALUE(30), VALUE(40) } },
#else
        { 0, CLADE_RBTREE_PACK(0, 1 + FULL), 0, ALL, { 10, 20 }, { VALUE(10), VALUE(20) } },
        { DEAD, 0, 0, 0, { 0, 0 }, { 0, 0 } },
#endif
        { DEAD, 0, 0, 0, { 0, 0 }, { 0, 0 } },
        { DEAD, 0, 0, 0, { 0, 0 }, { 0, 0 } },
        { DEAD, 0, 0, 0, { 0, 0 }, { 0, 0 } },
        { DEAD, 0, 0, 0, { 0, 0 }, { 0, 0 } },
    },
    .routers = {
        { 0, FULL == 2 ? 1 << 1 : CLADE_RBTREE_LEAF_LINK(0), CLADE_RBTREE_NO_LINK,
          CLADE_RBTREE_RANK_TOP * CLADE_RBTREE_RANK_ONE },
#if FULL == 2
        { 30, CLADE_RBTREE_LEAF_LINK(0), CLADE_RBTREE_LEAF_LINK(1), CLADE_RBTREE_RANK_ONE },
#else
        { 0, 0, 0, DEAD },
#endif
        { 0, 0, 0, DEAD },
        { 0, 0, 0, DEAD },
        { 0, 0, 0, DEAD },
    },
};

static uint payload[KEYS] = { [10] = 11, [20] = 21, [30] = 31, [40] = 41 };

static inline void insert(uint key)
{
    payload[key] = key + 1;
    assert(clade_rbtree_insert_wi(&tree.head, key, VALUE(key)) == CLADE_OK);
}

static inline void erase(uint key)
{
    uint value = 0;
    assert(clade_rbtree_erase_wi(&tree.head, key, &value) == CLADE_OK);
    assert(value == VALUE(key));
    assert(payload[key] == key + 1);
}

static inline int find(uint key)
{
    uint value = 0;
    const int status = clade_rbtree_find_wi(&tree.head, key, &value);
    assert(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status == CLADE_OK) {
        assert(value == VALUE(key));
        assert(payload[key] == key + 1);
    }
    return status;
}

/* A key that is there before and after. */
static inline void find_for_sure(uint key)
{
    assert(find(key) == CLADE_OK);
}

static inline void find_nowhere(uint key)
{
    assert(find(key) == CLADE_E_NOT_FOUND);
}

static inline void begin(void)
{
}

/* --- worlds ----------------------------------------------------------------------------------- */

static inline void insert_beside_find(uint me)
{
    if (me == 0) {
        insert(15);
    } else {
        find(15);
        find_for_sure(10);
    }
}

/* What stays in a leaf moves in it. */
static inline void erase_beside_find(uint me)
{
    if (me == 0) {
        erase(10);
    } else {
        find(10);
        find_for_sure(20);
    }
}

static inline void put_beside_find(uint me)
{
    uint later = 0, earlier = 0;
    if (me == 0) {
        assert(clade_rbtree_put_wi(&tree.head, 10, 5) == CLADE_RBTREE_PRESENT);
        assert(clade_rbtree_put_wi(&tree.head, 20, 6) == CLADE_RBTREE_PRESENT);
    } else {
        assert(clade_rbtree_find_wi(&tree.head, 20, &later) == CLADE_OK);
        assert(clade_rbtree_find_wi(&tree.head, 10, &earlier) == CLADE_OK);
        assert(later == VALUE(20) || later == 6);
        assert(earlier == VALUE(10) || earlier == 5);
        assert(later != 6 || earlier == 5);
    }
}

static inline void two_insert(uint me)
{
    insert(12 + me);
}

static inline void end_two_insert(void)
{
    find_for_sure(10);
    find_for_sure(12);
    find_for_sure(13);
}

static inline void insert_beside_erase(uint me)
{
    if (me == 0)
        insert(12);
    else
        erase(10);
}

static inline void end_insert_beside_erase(void)
{
    find_nowhere(10);
    find_for_sure(12);
}

static inline void end(void)
{
}

#include "genmc/world.h"
