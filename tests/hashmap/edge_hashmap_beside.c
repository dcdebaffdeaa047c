/* SPDX-License-Identifier: Apache-2.0 */
/* Between any two steps of an operation of the hash map another item does one, from its begin to
 * its end: all kinds of both, on the same key and on others of one home, and one that brings in a
 * key of the home beside it, in maps that are empty, full at home, and with keys far from home and
 * erased ones. Both results and all values are those
 * of one order or of the other. What was in another one's way did nothing. No lock stays, and each
 * home counts its keys that lie elsewhere. */
#define CLADE_HASHMAP_TRIES 8u
#include "host/device.h"

#include "edges/steps.h"

#define CLADE_HASHMAP            map
#define CLADE_HASHMAP_KEY_TYPE   KEY
#define CLADE_HASHMAP_VALUE_TYPE VALUE
#include "clade/hashmap.clh"
#undef min
#undef max

enum { KEYS = 15, BESIDE = KEYS - 1 };
/* What a map holds: 0 is no value. */
struct content {
    uint of[KEYS];
};
#include "edges/beside.h"

#define COPIES (CLADE_TYPE_BYTES(VALUE) == 8 && !CLADE_INT64_ATOMICS ? 2u : 1u)
#define IS_PACKED \
    (CLADE_TYPE_BYTES(KEY) == 4 && CLADE_TYPE_BYTES(VALUE) == 4 && CLADE_INT64_ATOMICS)
#define BUCKET_BYTES \
    (IS_PACKED       \
         ? 32u       \
         : CLADE_HASHMAP_TAGGED_BYTES(CLADE_TYPE_BYTES(KEY), CLADE_TYPE_BYTES(VALUE), COPIES))

#if CLADE_TYPE_BYTES(KEY) == 8
typedef ulong user_key;
#else
typedef uint user_key;
#endif
#if CLADE_TYPE_BYTES(VALUE) == 8
typedef ulong user_value;
#else
typedef uint user_value;
#endif

enum { BUCKETS = 4, ALL = BUCKETS + CLADE_HASHMAP_EXTRA };
enum { INSERT, PUT, PLUS, SWAP, ERASE, FIND, KINDS };

static _Alignas(64) struct {
    clade_hashmap_head head;
    char buckets[ALL * BUCKET_BYTES];
    uint homes[ALL];
} m;
static user_key keys[KEYS]; /* of the home 0, but for the last one, which is of the home 1 */

static struct result do_op(struct op op)
{
    user_value before = 0;
    struct result got = { 0, 0 };
    const user_key key = keys[op.key];
    if (op.kind == INSERT)
        got.status = map_insert_wi(&m.head, key, op.value);
    else if (op.kind == PUT)
        got.status = map_put_wi(&m.head, key, op.value);
    else if (op.kind == PLUS)
        got.status = map_update_wi(&m.head, key, op.value, CLADE_HASHMAP_PLUS, &before);
    else if (op.kind == SWAP)
        got.status = map_cas_wi(&m.head, key, op.expected, op.value, &before);
    else if (op.kind == ERASE)
        got.status = map_erase_wi(&m.head, key, &before);
    else
        got.status = map_find_wi(&m.head, key, &before);
    got.value = (uint)before;
    expect(got.status != CLADE_E_BUSY || before == 0, "a value of who was busy", op.kind, op.key);
    /* One that came and went is no reason, and a lock is none to who needs none. */
    expect(got.status != CLADE_E_BUSY || (layer > 0 && op.kind != FIND &&
                                          (!IS_PACKED || (op.kind != ERASE && op.kind != SWAP))),
           "busy for no reason", op.kind, op.key);
    return got;
}

static bool on_model(struct content *content, struct op op, uint which, struct result *want)
{
    uint *const it = &content->of[op.key], was = *it;
    *want = (struct result) { CLADE_OK, was };
    if (op.kind == INSERT || op.kind == PUT || op.kind == PLUS) {
        want->status = was ? CLADE_HASHMAP_PRESENT : CLADE_OK;
        want->value = op.kind == PLUS ? was : 0;
        *it = was && op.kind == INSERT ? was : op.kind == PLUS ? was + op.value : op.value;
    } else if (was == 0) {
        want->status = CLADE_E_NOT_FOUND;
    } else if (op.kind == SWAP) {
        want->status = was == op.expected ? CLADE_OK : CLADE_HASHMAP_DIFFERS;
        *it = was == op.expected ? op.value : was;
    } else if (op.kind == ERASE) {
        *it = 0;
    }
    return which == 0;
}

static void do_both(struct op op, struct content *content)
{
    struct result want;
    (void)do_op(op);
    (void)on_model(content, op, 0, &want);
}

/* `there` keys came, and those of `gone` went again. */
static void fill(uint there, uint gone)
{
    struct content content = { 0 };
    memset(&m, 0, sizeof m);
    m.head.object.shape = CLADE_HASHMAP_SHAPE(
        KEY, CLADE_TYPE_BYTES(VALUE), IS_PACKED ? CLADE_HASHMAP_PACKED : CLADE_HASHMAP_TAGGED,
        IS_PACKED ? 1u : COPIES);
    m.head.buckets = BUCKETS;
    m.head.homes_at = (uint)((char *)m.homes - (char *)&m) / 32u;
    m.head.most = 0xffffffffu;
    for (uint i = 0; i < there; i++)
        do_both((struct op) { INSERT, i, 100u + i, 0 }, &content);
    for (uint i = 0; i < there; i++)
        if (gone >> i & 1u)
            do_both((struct op) { ERASE, i, 0, 0 }, &content);
    begin_with(&m, sizeof m, &content);
}

/* Whether the map holds just this, and is sound. */
static bool holds(const struct content *content)
{
    uint there = 0, far = 0;
    for (uint i = 0; i < KEYS; i++) {
        const struct result seen = do_op((struct op) { FIND, i, 0, 0 });
        there += content->of[i] != 0;
        if (seen.value != content->of[i] || (seen.status == CLADE_OK) != (content->of[i] != 0))
            return false;
    }
    for (uint place = map_places_wi(&m.head) / ALL; place < map_places_wi(&m.head); place++) {
        user_key key;
        user_value value;
        far += map_entry_wi(&m.head, place, &key, &value) == CLADE_OK && key != keys[BESIDE];
    }
    return cladei_hashmap_size(&m.head) == there &&
           ((m.homes[0] | m.homes[1]) & CLADE_HASHMAP_LOCK) == 0 &&
           CLADE_HASHMAP_SPILLED(m.homes[0]) == far;
}

int main(void)
{
    static const uint counts[] = { 0, 1, 3, 4, 5, 7, 8, 12 };
    uint n = 0;
    for (user_key key = 1; n < KEYS; key++)
        if (clade_hashmap_home_in_row(0, (uint)key, 0, BUCKETS) == (n == BESIDE))
            keys[n++] = key;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    plan_none();
    for (uint c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (uint g = 0; g < 4 + (counts[c] == 12); g++) {
            /* None went; one at home; one far from it; most; all far ones but the farthest. */
            static const uint gone_of[] = { 0, 2, 32, 0xfee, 0x7f0 };
            const uint there = counts[c], gone = gone_of[g];
            struct visit *const other = &plan[0][0];
            const uint own[] = { 0, 1, 4, 5, there ? there - 1 : 0, there, there + 1 };
            fill(there, gone);
            for (uint i = 0; i < 2 * KINDS * 7; i++) {
                const uint key = own[i / 2 / KINDS];
                const struct op op = { i / 2 % KINDS, key, 1000 + i, 100 + key + i % 2 };
                if (i % 2 && op.kind != SWAP)
                    continue;
                for (uint k = 0; k <= KINDS * 3 + 1; k++) {
                    const uint near = k == KINDS * 3       ? BESIDE
                                      : k / KINDS % 3 == 0 ? key
                                                           : own[(i + k) % 7];
                    other->count = 1;
                    other->ops[0] = (struct op) { k % KINDS, near, 5000 + k, 100 + near };
                    if (k > KINDS * 3) { /* another key comes to the slot of one that went */
                        other->count = 2;
                        other->ops[0].kind = ERASE;
                        other->ops[1] = (struct op) { INSERT, there, 6000, 0 };
                    }
                    meet(op, op.key << 8 | there);
                }
            }
        }
    expect(undisturbed < runs && undisturbed > runs / 4, "how often both went on", undisturbed,
           runs);
    printf("hash map beside another item: %u runs, in %u both went on, %u wrong\n", runs,
           undisturbed, wrong);
    return wrong != 0;
}
