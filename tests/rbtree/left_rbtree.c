/* SPDX-License-Identifier: Apache-2.0 */
/* The tree where a driver leaves loops (left/left.h): who is refused did nothing, and lost no node;
 * whoever is not, has what the model says; all invariants hold after each operation. */
#include "left/left.h"

#define main edge_main
#include "rbtree/edge_rbtree.c"
#undef main

enum { INSERT, PUT, ERASE, FIND, SUCCESSOR, KINDS };

static uint refused;

static void expect_sound(struct job *job, uint kind)
{
    uint64_t size = 0, wanted = 0;
    const char *why = rbtree_memory_check(job->tree, LEAVES, LEAF_CAPACITY, &size);
    for (uint i = 0; i < KEYS; i++)
        wanted += job->there[i];
    expect(job, !why, why ? why : "", 0, kind);
    expect(job, size == wanted, "its size", (key_type)size, kind);
    expect(job, ((const clade_rbtree_head *)job->tree)->leaked == 0, "a node is lost", 0, kind);
    for (uint i = 0; i < KEYS; i++) {
        uint value = 0;
        const int status = clade_rbtree_find_wi(job->tree, key_of(i), &value);
        expect(job,
               status == (job->there[i] ? CLADE_OK : CLADE_E_NOT_FOUND) &&
                   (!job->there[i] || value == job->value[i]),
               "what it holds", key_of(i), kind);
    }
}

static int run_left(struct job *job, uint kind, key_type *key, uint *value)
{
    switch (kind) {
    case INSERT:
        return clade_rbtree_insert_wi(job->tree, *key, *value);
    case PUT:
        return clade_rbtree_put_wi(job->tree, *key, *value);
    case ERASE:
        return clade_rbtree_erase_wi(job->tree, *key, value);
    case FIND:
        return clade_rbtree_find_wi(job->tree, *key, value);
    default:
        return clade_rbtree_successor_wi(job->tree, key, value);
    }
}

static void do_one(struct job *job)
{
    const uint kind = draw(KINDS), i = draw(KEYS), new_value = 1 + draw(1000);
    const uint next = nearest(job, key_of(i), 1, 1);
    const bool is_insert = kind <= PUT, was = job->there[i];
    const bool is_found = kind == SUCCESSOR ? next < KEYS : was;
    const int wanted = is_insert  ? (was ? CLADE_RBTREE_PRESENT : CLADE_OK)
                       : is_found ? CLADE_OK
                                  : CLADE_E_NOT_FOUND;
    key_type key = key_of(i);
    uint value = new_value;
    leave_after(draw(3) ? draw(30) : draw(300));
    const int status = run_left(job, kind, &key, &value);
    const bool is_left = end_of_turns();
    if (status != wanted) {
        refused++;
        expect(job, is_left && status == CLADE_E_BUSY, "a status", key, kind << 16 | (uint)-status);
    } else {
        const uint at = kind == SUCCESSOR ? next : i;
        expect(job, is_insert || !is_found || (key == key_of(at) && value == job->value[at]),
               "what was found", key, kind);
        if (kind == PUT || (kind == INSERT && !was))
            job->value[i] = new_value;
        job->there[i] = is_insert ? 1 : kind == ERASE ? 0 : job->there[i];
    }
    expect_sound(job, kind);
}

int main(void)
{
    struct job job = { .wrong = 0 };
    random_state = shim_seed();
    for (uint round = 0; round < 100; round++) {
        empty(&job);
        for (uint op = 0; op < 200; op++)
            do_one(&job);
    }
    expect(&job, refused > 500, "loops that were left", 0, refused);
    free(job.tree);
    printf("the tree, loops left: %u refused, %u wrong\n", refused, job.wrong);
    return job.wrong != 0;
}
