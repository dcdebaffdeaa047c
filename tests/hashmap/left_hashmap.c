/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map where a driver leaves loops (left/left.h): who is refused did nothing; whoever is
 * not, has what the model says. All keys but one are of one home, in maps of few buckets, so that
 * most lie far from it. */
#include "left/left.h"

#define main edge_main
#include "hashmap/edge_hashmap_beside.c"
#undef main

static uint refused;

static void choose_keys(void)
{
    uint n = 0, key = 1;
    for (; n < BESIDE; key++)
        if (clade_hashmap_home_in_row(0, key, 0, BUCKETS) == 0)
            keys[n++] = (user_key)key;
    while (clade_hashmap_home_in_row(0, key, 0, BUCKETS) != 1)
        key++;
    keys[BESIDE] = key;
}

static int run_left(struct op op, user_value *before)
{
    const user_key key = keys[op.key];
    switch (op.kind) {
    case INSERT:
        return map_insert_wi(&m.head, key, op.value);
    case PUT:
        return map_put_wi(&m.head, key, op.value);
    case PLUS:
        return map_update_wi(&m.head, key, op.value, CLADE_HASHMAP_PLUS, before);
    case SWAP:
        return map_cas_wi(&m.head, key, op.expected, op.value, before);
    case ERASE:
        return map_erase_wi(&m.head, key, before);
    default:
        return map_find_wi(&m.head, key, before);
    }
}

static void do_one(struct content *it)
{
    struct op op = { draw(KINDS), draw(KEYS), 1 + draw(1000), 0 };
    struct content after = *it;
    struct result want;
    user_value before = 0;
    op.expected = draw(2) ? it->of[op.key] : 101;
    (void)on_model(&after, op, 0, &want);
    leave_after(draw(3) ? draw(8) : draw(100));
    const int status = run_left(op, &before);
    const bool is_left = end_of_turns();
    if (status != want.status) {
        refused++;
        expect(is_left && (status == CLADE_E_BUSY || status == CLADE_E_FULL), "a status",
               op.kind << 16 | (uint)want.status, (uint)status);
    } else {
        expect((uint)before == want.value, "a value", op.kind, (uint)before);
        *it = after;
    }
    expect(holds(it), "what the map holds", op.kind, op.key);
}

int main(void)
{
    random_state = shim_seed();
    choose_keys();
    for (uint round = 0; round < 3000; round++) {
        fill(draw(KEYS), draw(1u << BESIDE));
        struct content content = begin.content;
        for (uint i = 0; i < 40; i++)
            do_one(&content);
    }
    expect(refused > 1000, "loops that were left", refused, 0);
    printf("hash map, loops left: %u refused, %u wrong\n", refused, wrong);
    return wrong != 0;
}
