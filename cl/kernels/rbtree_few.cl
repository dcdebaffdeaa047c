/* SPDX-License-Identifier: Apache-2.0 */
/* The look at a batch of few different keys, launched by lib/rbtree/few.c on CPUs. Nothing else of
 * the tree is needed here, so the program is small.
 *
 * What the library can ask for (`cladec --check`): every width of keys.
 * Check: CLADE_RBTREE_KEY_TYPE=1,2,4,5
 */

#include "clade/rbtree/types.clh"
#include "clade/shared/rbtree.h"

/* Places of a hash table, many more than it gets keys: a search always ends soon. */
#define PLACE_BITS 10
#define PLACES     (1u << PLACE_BITS)

/* Where a search for a key begins: the upper bits of a product differ also where keys do not in
 * their lower ones. */
static inline uint home(cladei_rbtree_key key)
{
#if CLADE_RBTREE_IS_WIDE
    const uint word = (uint)((ulong)key >> 32) * 0x85ebca6bu ^ (uint)key;
#else
    const uint word = (uint)key;
#endif
    return word * 0x9e3779b1u >> (32 - PLACE_BITS);
}

/* Keys that are looked at together. */
#define STEP 16u

typedef char assert_places[PLACES * 2u >= 3u * (CLADE_RBTREE_FEW + STEP) ? 1 : -1];

/* A place that has nothing holds a key that has its home elsewhere. */
static inline void forget_all(cladei_rbtree_key *seen, ushort *numbers)
{
    for (uint place = 0; place < PLACES; place++) {
        seen[place] = 0;
        numbers[place] = 0;
    }
    seen[home(0)] = 1;
}

/* Whether each of these keys was seen, and lies where it has its home. No branch, so that a core
 * looks at several at once. No vectors: their loads from many places take half as long again. */
static inline bool all_at_home(__global const cladei_rbtree_key *keys,
                               const cladei_rbtree_key *seen)
{
    cladei_rbtree_key differ = 0;
    _Pragma("clang loop vectorize(disable) unroll(full)") for (uint i = 0; i < STEP; i++) differ |=
        keys[i] ^ seen[home(keys[i])];
    return differ == 0;
}

/* The different keys of each stretch of a batch: row[0] is their number, or CLADE_RBTREE_FEW + 1
 * when they are more than CLADE_RBTREE_FEW; then come the items that have them, in the order in
 * which the keys first occur. Of equal keys the first item is taken, or with `last` the last one.
 * An item looks through a stretch alone, and only as far as keys are few. */
__kernel void clade_rbtree_few(__global const cladei_rbtree_key *keys, ulong first, uint count,
                               uint stretch, uint last, __global uint *rows)
{
    const uint me = (uint)get_global_id(0);
    const uint begin = me * stretch, end = min(count, begin + stretch);
    __global uint *row = rows + (size_t)me * (CLADE_RBTREE_FEW + 1u);
    cladei_rbtree_key seen[PLACES];
    ushort numbers[PLACES]; /* 0: nothing is there */
    uint different = 0;
    forget_all(seen, numbers);
    for (uint step = begin; step < end && different <= CLADE_RBTREE_FEW; step += STEP) {
        const uint here = min(STEP, end - step);
        if (!last && here == STEP && all_at_home(keys + first + step, seen))
            continue;
        for (uint i = 0; i < here; i++) {
            const cladei_rbtree_key key = keys[first + step + i];
            uint place = home(key);
            while (numbers[place] != 0 && seen[place] != key)
                place = (place + 1u) % PLACES;
            uint number = numbers[place];
            const bool is_new = number == 0;
            if (is_new) {
                number = ++different;
                numbers[place] = (ushort)number;
                seen[place] = key;
            }
            if ((is_new || last) && number <= CLADE_RBTREE_FEW)
                row[number] = step + i;
        }
    }
    row[0] = min(different, CLADE_RBTREE_FEW + 1u);
}
