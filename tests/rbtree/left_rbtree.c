/* SPDX-License-Identifier: Apache-2.0 */
/* The tree where a driver leaves loops (left/left.h): who is refused did nothing, and lost no node;
 * whoever is not, has what the model says; all invariants hold after each operation, the counts of
 * a ranked tree among them. */
#include "left/left.h"

#define main edge_main
#include "rbtree/edge_rbtree.c"
#undef main

enum { INSERT, PUT, ERASE, FIND, SUCCESSOR, RANK, SELECT };
#ifdef RANKED
enum { KINDS = SELECT + 1 };
#else
enum { KINDS = RANK };
#define clade_rbtree_rank_wi(tree, key, rank)          CLADE_E_ARG
#define clade_rbtree_select_wi(tree, rank, key, value) CLADE_E_ARG
#endif

/* It is rare that an erase which is left moves several keys of a sparse leaf. */
enum { ROUNDS = LEAF_CAPACITY < 8 ? 100 : 500 };

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
    case SUCCESSOR:
        return clade_rbtree_successor_wi(job->tree, key, value);
    case RANK:
        return clade_rbtree_rank_wi(job->tree, *key, value);
    default:
        return clade_rbtree_select_wi(job->tree, (uint)*value, key, value);
    }
}

/* How many keys are less than that of `i`. */
static uint rank_of(const struct job *job, uint i)
{
    uint rank = 0;
    for (uint k = 0; k < i; k++)
        rank += job->there[k];
    return rank;
}

/* Where the key of a call is that finds one; KEYS: it finds none. */
static uint found_by(const struct job *job, uint kind, uint i, uint rank)
{
    if (kind == SUCCESSOR)
        return nearest(job, key_of(i), 1, 1);
    if (kind != SELECT)
        return job->there[i] ? i : KEYS;
    for (uint k = 0; k < KEYS; k++)
        if (job->there[k] && rank_of(job, k) == rank)
            return k;
    return KEYS;
}

static void do_one(struct job *job)
{
    const uint kind = draw(KINDS), i = draw(KEYS),
               new_value = kind == SELECT ? draw(KEYS) : 1 + draw(1000);
    const uint at = found_by(job, kind, i, new_value);
    const bool is_insert = kind <= PUT, was = job->there[i];
    const int wanted = is_insert      ? (was ? CLADE_RBTREE_PRESENT : CLADE_OK)
                       : kind == RANK ? CLADE_OK
                       : at < KEYS    ? CLADE_OK
                                      : CLADE_E_NOT_FOUND;
    key_type key = key_of(i);
    uint value = new_value;
    leave_after(draw(3) ? draw(30) : draw(300));
    const int status = run_left(job, kind, &key, &value);
    const bool is_left = end_of_turns();
    if (status != wanted) {
        refused++;
        expect(job, is_left && status == CLADE_E_BUSY, "a status", key, kind << 16 | (uint)-status);
    } else if (kind == RANK) {
        expect(job, value == rank_of(job, i), "a rank", key, value);
    } else if (!is_insert) {
        expect(job, at == KEYS || (key == key_of(at) && value == job->value[at]), "what was found",
               key, kind);
        job->there[i] = kind == ERASE ? 0 : job->there[i];
    } else {
        job->value[i] = kind == PUT || !was ? new_value : job->value[i];
        job->there[i] = 1;
    }
    expect_sound(job, kind);
}

/* Both ranges, and those of a tree that nobody changes: all entries, or a refusal; then the first
 * `count` are right. */
static void look_range(struct job *job, uint way)
{
    const uint i = draw(KEYS), k = i + draw(KEYS - i), limit = 1 + draw(KEYS);
    const bool is_down = way & 1u;
    key_type keys[KEYS];
    uint values[KEYS], count = 0, n = 0;
    leave_after(draw(3) ? draw(30) : draw(300));
    const int status =
        way == 0
            ? clade_rbtree_range_wi(job->tree, key_of(i), key_of(k), limit, keys, values, &count)
        : way == 1 ? clade_rbtree_range_down_wi(job->tree, key_of(i), key_of(k), limit, keys,
                                                values, &count)
        : way == 2 ? clade_rbtree_range_still_wi(job->tree, key_of(i), key_of(k), limit, keys,
                                                 values, &count)
                   : clade_rbtree_range_down_still_wi(job->tree, key_of(i), key_of(k), limit, keys,
                                                      values, &count);
    const bool is_refused = end_of_turns() && status == CLADE_E_BUSY;
    refused += is_refused;
    expect(job, is_refused || status == CLADE_OK, "a range", key_of(i), (uint)-status);
    for (uint step = 0; step <= k - i && n < (is_refused ? count : limit); step++) {
        const uint at = is_down ? k - step : i + step;
        if (job->there[at]) {
            expect(job, n < count && keys[n] == key_of(at) && values[n] == job->value[at],
                   "a range's entry", key_of(at), way);
            n++;
        }
    }
    expect(job, n == count, "a range's count", key_of(i), way << 16 | count);
}

/* --- a successor, while others insert and erase ------------------------------------------------
 */

static struct {
    struct job *job;
    uint added, erased;
} beside;

static void add_and_erase(void)
{
    uint value = 7;
    int status = clade_rbtree_insert_wi(beside.job->tree, key_of(beside.added), value);
    expect(beside.job, status == CLADE_OK, "an insert beside", key_of(beside.added), 0);
    status = clade_rbtree_erase_wi(beside.job->tree, key_of(beside.erased), &value);
    expect(beside.job, status == CLADE_OK, "an erase beside", key_of(beside.erased), 0);
}

/* The keys after the first one are gone, and of their leaves some are there: an erase that was left
 * did not remove its own. The first of those is nearer than the next key. So who is not refused has
 * either that one, or the next key, which is erased after that one came. */
static void look_successor(struct job *job)
{
    const uint first = draw(KEYS - 8), many = 2 + draw(4);
    empty(job);
    for (uint i = 0; i < KEYS; i++)
        expect(job, clade_rbtree_insert_wi(job->tree, key_of(i), 7) == CLADE_OK, "", key_of(i), 0);
    for (uint i = first + 1; i <= first + many; i++) {
        uint value;
        leave_after(draw(12));
        if (clade_rbtree_erase_wi(job->tree, key_of(i), &value) != CLADE_OK) {
            end_of_turns();
            clade_rbtree_erase_wi(job->tree, key_of(i), &value);
        }
        end_of_turns();
    }
    beside.job = job;
    beside.added = first + 1 + draw(many);
    beside.erased = first + many + 1;
    meanwhile = add_and_erase;
    const uint turns = draw(24);
    meanwhile_at = draw(turns + 1);
    key_type key = key_of(first);
    uint value;
    leave_after(turns);
    const int status = clade_rbtree_successor_wi(job->tree, &key, &value);
    end_of_turns();
    meanwhile = 0;
    expect(job,
           status == CLADE_E_BUSY || (status == CLADE_OK && (key == key_of(beside.added) ||
                                                             key == key_of(beside.erased))),
           "a successor beside others", key, (uint)-status);
}

int main(void)
{
    struct job job = { .wrong = 0 };
    random_state = shim_seed();
    for (uint round = 0; round < ROUNDS; round++) {
        empty(&job);
        for (uint op = 0; op < 200; op++)
            op % 4 ? do_one(&job) : look_range(&job, draw(4));
    }
    /* A large leaf is not emptied by so few keys. */
    for (uint round = 0; LEAF_CAPACITY < 8 && round < 5000; round++)
        look_successor(&job);
    expect(&job, refused > 200, "loops that were left", 0, refused);
    free(job.tree);
    printf("the tree, loops left: %u refused, %u wrong\n", refused, job.wrong);
    return job.wrong != 0;
}
