/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree's content (cl/clade/rbtree/find.clh, _update, _erase, _seek), one step a shared
 * access: find, insert, erase, split, removal of a leaf, lower bound; nodes come back at once.
 *
 * Walks are not modelled: where the code walks from the root, the model takes any node of the pool,
 * live, dead, free or another's. What holds here holds wherever a walk may be led astray, by torn
 * loads, rotations or reused routers. Each operation is one try; E_BUSY ends it.
 *
 * Ghosts: present[], the set, changed at the linearization points of docs/inside/rbtree.md; for each
 * operation under way what its key has been since it began, and what its lower bound has been. Every
 * outcome is asserted against them; at the end the tree is walked for every key.
 *
 * `config` and `bug` come from the environment, so that one program does all runs. Planted: NO_VERSION: a
 * reader does not read the meta word again. REUSE: a claimed leaf begins with the version that it was made with.
 * BORN: it begins unlocked. NO_DEAD: a removed leaf is not marked. SIBLING: a removal takes any leaf for the
 * neighbour. PARENT: a split, ABOVE: a removal does not look under the lock whether the link is there. RANGE: a
 * split gives the old leaf back before its range is cut. CHAIN: leaves that a lower bound passed are not looked
 * at again. */

c_decl { \#include <stdlib.h> }

byte config, bug, cap = 1; /* cap: keys a leaf */

#define NO_VERSION 1
#define REUSE      2
#define BORN       3
#define NO_DEAD    4
#define SIBLING    5
#define PARENT     6
#define ABOVE      7
#define RANGE      8
#define CHAIN      9

#define CAP     2 /* the most */
#define KEYS    4
#define LEAVES  4
#define ROUTERS 4 /* 0 is the sentinel */
#define PROCS   3
#define NONE    15

#define LOCK 1
#define DEAD 2
#define STEP 4
#define OPEN(meta) ((meta) % 4 == 0)
#define LEAF(i)    ((i) * 2 + 1)
#define ROUTER(i)  ((i) * 2)

byte leaf_meta[LEAVES], low[LEAVES], high[LEAVES], count[LEAVES], keys[LEAVES * CAP];
byte router_meta[ROUTERS], key[ROUTERS], left[ROUTERS], right[ROUTERS];
bool leaf_free[LEAVES], router_free[ROUTERS];

bool present[KEYS];
byte target[PROCS], answers[PROCS]; /* answers: bit k: k was the lower bound; bit KEYS: none was */
bool was_there[PROCS], was_gone[PROCS];
byte ended;

#define IDLE   0
#define FIND   1
#define INSERT 2
#define ERASE  3
#define LOWER  4

/* For each process the set's state is added to what its operation may answer. */
inline note(i)
{
    was_there[i] = was_there[i] || present[target[i]];
    was_gone[i] = was_gone[i] || !present[target[i]];
    g = target[i];
    do
    :: g < KEYS && !present[g] -> g++
    :: else -> break
    od;
    answers[i] = answers[i] | 1 << g;
    g = 0
}

/* Ghosts of an operation on k that begins. */
inline begin(k)
{
    target[me] = k; answers[me] = 0;
    was_there[me] = false; was_gone[me] = false;
    note(me)
}

inline change(k, to)
{
    assert(present[k] != to);
    present[k] = to;
    note(0); note(1); note(2)
}

/* x = any node. */
inline any(x)
{
    if
    :: x = 0
    :: x = 1
    :: x = 2
    :: x = 3
    fi
}

/* What CLADE_RB(look_for) reads of leaf l for key k after its meta word m: the smallest key >= k and its slot.
 * A leaf that is not open is not read: nothing would come of it. */
inline look(l, k)
{
    slot = NONE; best = NONE;
    if
    :: OPEN(m) ->
        d_step { c = count[l]; lo = low[l]; hi = high[l] };
        d_step {
            i = 0;
            do
            :: i < c && i < cap ->
                if
                :: keys[l * CAP + i] >= k && keys[l * CAP + i] < best -> best = keys[l * CAP + i]; slot = i
                :: else -> skip
                fi;
                i++
            :: else -> i = 0; break
            od
        }
    :: else -> c = 0; lo = KEYS; hi = 0
    fi
}

#define STILL(l, m) (OPEN(m) && (bug == NO_VERSION || leaf_meta[l] == m))

/* won = the lock of `word` was taken from `seen`. */
inline lock(word, seen)
{
    atomic {
        won = OPEN(seen) && word == seen;
        if
        :: won -> word = seen | LOCK
        :: else -> skip
        fi
    }
}

/* x = a free node, born locked with a greater version; NONE when there is none. */
#define take_free(x, is_free)                                                 \
    atomic {                                                                   \
        if                                                                     \
        :: is_free[0] -> x = 0                                                 \
        :: is_free[1] -> x = 1                                                 \
        :: is_free[2] -> x = 2                                                 \
        :: is_free[3] -> x = 3                                                 \
        :: !is_free[0] && !is_free[1] && !is_free[2] && !is_free[3] -> x = NONE \
        fi;                                                                    \
        if                                                                     \
        :: x != NONE -> is_free[x] = false                                     \
        :: else -> skip                                                        \
        fi                                                                     \
    }

#define BORN_META(meta) (bug == REUSE -> LOCK : ((meta) / STEP * STEP + STEP) | (bug == BORN -> 0 : LOCK))

inline claim_leaf()
{
    take_free(x, leaf_free);
    if
    :: x != NONE -> leaf_meta[x] = BORN_META(leaf_meta[x])
    :: else -> skip
    fi
}

inline claim_router()
{
    take_free(r, router_free);
    if
    :: r != NONE -> router_meta[r] = BORN_META(router_meta[r])
    :: else -> skip
    fi
}

/* Under the lock of router a. */
inline relink(a, old, new)
{
    if
    :: left[a] == old -> left[a] = new
    :: else -> right[a] = new
    fi
}

/* The keys of full leaf l and k to l and the new leaf x, router r above them, below p; all locked. The key that
 * is inserted becomes visible where the lock of its leaf is given back. */
inline split_locked()
{
    d_step { /* sorted[], in one step: only the lock's holder reads here */
        sorted[0] = keys[l * CAP]; sorted[1] = k; sorted[2] = keys[l * CAP + 1];
        if
        :: sorted[0] > sorted[1] -> i = sorted[0]; sorted[0] = sorted[1]; sorted[1] = i
        :: else -> skip
        fi;
        if
        :: cap == 2 && sorted[1] > sorted[2] -> i = sorted[1]; sorted[1] = sorted[2]; sorted[2] = i
        :: else -> skip
        fi;
        if
        :: sorted[0] > sorted[1] -> i = sorted[0]; sorted[0] = sorted[1]; sorted[1] = i
        :: else -> skip
        fi;
        i = 0
    };
    /* One of cap + 1 stays where cap is 1 or 2. Of the new leaf and the new router stale readers see all or
     * nothing: what they read after their first meta word is judged by their second. */
    keys[l * CAP] = sorted[0];
    d_step {
        keys[x * CAP] = sorted[1];
        if
        :: cap == 2 -> keys[x * CAP + 1] = sorted[2]
        :: else -> skip
        fi;
        low[x] = sorted[1]; high[x] = hi; count[x] = cap;
        key[r] = sorted[1]; left[r] = LEAF(l); right[r] = LEAF(x)
    };
    if
    :: bug == RANGE -> leaf_meta[l] = m + STEP
    :: else -> skip
    fi;
    d_step { high[l] = sorted[1] - 1; count[l] = 1 };
    relink(p, LEAF(l), ROUTER(r));
    router_meta[r] = router_meta[r] / STEP * STEP;
    d_step {
        leaf_meta[x] = leaf_meta[x] / STEP * STEP;
        if
        :: k >= sorted[1] -> change(k, true)
        :: else -> skip
        fi
    };
    router_meta[p] = mp + STEP;
    d_step {
        leaf_meta[l] = m + STEP;
        if
        :: k < sorted[1] -> change(k, true)
        :: else -> skip
        fi
    }
}

inline split()
{
    atomic { any(p); mp = router_meta[p] };
    lock(leaf_meta[l], m);
    if
    :: won ->
        lock(router_meta[p], mp);
        if
        :: won ->
            won = bug == PARENT || left[p] == LEAF(l) || right[p] == LEAF(l);
            x = NONE; r = NONE;
            if
            :: won -> claim_leaf()
            :: else -> skip
            fi;
            if
            :: x != NONE -> claim_router()
            :: else -> skip
            fi;
            if
            :: r != NONE -> split_locked()
            :: else ->
                if
                :: x != NONE ->
                    leaf_meta[x] = leaf_meta[x] / STEP * STEP + DEAD;
                    leaf_free[x] = true
                :: else -> skip
                fi;
                router_meta[p] = mp;
                leaf_meta[l] = m
            fi
        :: else -> leaf_meta[l] = m
        fi
    :: else -> skip
    fi
}

/* Leaf l, covering k, with what it has left, into its neighbour x; router p above it goes, s = p's other link
 * takes p's place below r. Here leaves are removed whenever there is room. */
inline remove()
{
    atomic { any(l); m = leaf_meta[l] };
    look(l, k);
    if
    :: STILL(l, m) && lo <= k && k <= hi ->
        /* p's links, all words, the neighbour: not under a lock yet */
        atomic { any(p); is_left = left[p] == LEAF(l); s = (is_left -> right[p] : left[p]) };
        atomic { mp = router_meta[p]; any(x); mx = leaf_meta[x] };
        d_step { cx = count[x]; lox = low[x]; hix = high[x] };
        won = p != 0 && OPEN(mx) && c + cx <= cap &&
              (bug == SIBLING || (is_left -> lox == hi + 1 : hix + 1 == lo));
        if
        :: won -> lock(router_meta[p], mp)
        :: else -> skip
        fi;
        if
        :: won ->
            won = (is_left -> left[p] == LEAF(l) && right[p] == s : right[p] == LEAF(l) && left[p] == s);
            if
            :: won ->
                /* The code has read g's word before: a lock taken from an older word says no more. */
                atomic { any(r); mr = router_meta[r] };
                lock(router_meta[r], mr)
            :: else -> skip
            fi;
            if
            :: won ->
                won = bug == ABOVE || left[r] == ROUTER(p) || right[r] == ROUTER(p);
                if
                :: won -> lock(leaf_meta[l], m)
                :: else -> skip
                fi;
                if
                :: won ->
                    lock(leaf_meta[x], mx);
                    if
                    :: won -> remove_locked()
                    :: else -> leaf_meta[l] = m
                    fi
                :: else -> skip
                fi;
                if
                :: !won -> router_meta[r] = mr
                :: else -> skip
                fi
            :: else -> skip
            fi;
            if
            :: !won -> router_meta[p] = mp
            :: else -> router_free[p] = true; leaf_free[l] = true
            fi
        :: else -> skip
        fi
    :: else -> skip
    fi
}

inline remove_locked()
{
    i = 0;
    do
    :: i < c -> keys[x * CAP + cx + i] = keys[l * CAP + i]; i++
    :: else -> i = 0; break
    od;
    if
    :: is_left -> low[x] = lo
    :: else -> high[x] = hi
    fi;
    count[x] = c + cx;
    relink(r, ROUTER(p), s);
    leaf_meta[x] = mx + STEP;
    router_meta[r] = mr + STEP;
    router_meta[p] = (mp + STEP) | DEAD;
    leaf_meta[l] = (m + STEP) | (bug == NO_DEAD -> 0 : DEAD)
}

inline put()
{
    if
    :: best == k ->
        if
        :: STILL(l, m) -> assert(was_there[me])
        :: else -> skip
        fi
    :: best != k && c == cap -> split()
    :: else ->
        lock(leaf_meta[l], m);
        if
        :: won ->
            keys[l * CAP + c] = k;
            count[l] = c + 1;
            d_step { leaf_meta[l] = m + STEP; change(k, true) }
        :: else -> skip
        fi
    fi
}

inline take()
{
    if
    :: best != k ->
        if
        :: STILL(l, m) -> assert(was_gone[me])
        :: else -> skip
        fi
    :: else ->
        lock(leaf_meta[l], m);
        if
        :: won ->
            if
            :: slot != c - 1 -> keys[l * CAP + slot] = keys[l * CAP + c - 1]
            :: else -> skip
            fi;
            count[l] = c - 1;
            d_step { leaf_meta[l] = m + STEP; change(k, false) };
            remove()
        :: else -> skip
        fi
    fi
}

/* The smallest key >= k, over two leaves at most. */
inline lower()
{
    if
    :: best != NONE || hi == KEYS - 1 ->
        if
        :: STILL(l, m) -> assert((answers[me] >> (best == NONE -> KEYS : best) & 1) != 0)
        :: else -> skip
        fi
    :: best == NONE && hi != KEYS - 1 && STILL(l, m) -> /* nothing here: the leaf is passed */
        x = l; mx = m; at = hi + 1;
        atomic { any(l); m = leaf_meta[l] };
        look(l, at);
        if
        :: STILL(l, m) && lo == at && (best != NONE || hi == KEYS - 1) ->
            won = bug == CHAIN || leaf_meta[x] == mx;
            if
            :: won -> assert((answers[me] >> (best == NONE -> KEYS : best) & 1) != 0)
            :: else -> skip
            fi
        :: else -> skip
        fi
    :: else -> skip
    fi
}

proctype worker(byte me; byte op; byte k; byte op2; byte k2)
{
    byte l, p, r, x, s, m, mp, mr, mx, c, lo, hi, cx, lox, hix, slot, best, i, g, at;
    byte sorted[CAP + 1];
    bool won, is_left;
    do
    :: op == IDLE -> break
    :: else ->
        atomic { begin(k); any(l); m = leaf_meta[l] };
        look(l, k);
        if
        :: OPEN(m) && lo <= k && k <= hi ->
            if
            :: op == FIND ->
                if
                :: STILL(l, m) -> assert(best == k -> was_there[me] : was_gone[me])
                :: else -> skip
                fi
            :: op == INSERT -> put()
            :: op == ERASE -> take()
            :: op == LOWER -> lower()
            fi
        :: else -> skip
        fi;
        d_step {
            op = op2; k = k2; op2 = IDLE; k2 = 0;
            l = 0; p = 0; r = 0; x = 0; s = 0; m = 0; mp = 0; mr = 0; mx = 0; c = 0; lo = 0; hi = 0; cx = 0;
            lox = 0; hix = 0; slot = 0; best = 0; at = 0; won = false; is_left = false;
            sorted[0] = 0; sorted[1] = 0; sorted[2] = 0
        }
    od;
    ended++
}

inline set_leaf(i, from, to, n, first, second)
{
    leaf_free[i] = false; leaf_meta[i] = 0;
    low[i] = from; high[i] = to; count[i] = n;
    keys[i * CAP] = first;
    keys[i * CAP + 1] = second;
    if
    :: n > 0 -> present[first] = true
    :: else -> skip
    fi;
    if
    :: n > 1 -> present[second] = true
    :: else -> skip
    fi
}

init
{
    byte g, i, k, at, l, routers, leaves;
    byte low_then, high_then;
    d_step {
        c_code {
            const char *text = getenv("MODEL_CONFIG");
            now.config = text ? atoi(text) : 1;
            text = getenv("MODEL_BUG");
            now.bug = text ? atoi(text) : 0;
        };
        i = 0;
        do
        :: i < LEAVES -> leaf_free[i] = true; leaf_meta[i] = DEAD; router_free[i] = i > 0; i++
        :: else -> break
        od;
        /* Leaves 0 and 1 below router 1; those that were never used are dead. */
        left[0] = ROUTER(1); router_free[1] = false;
        key[1] = 2; left[1] = LEAF(0); right[1] = LEAF(1);
        if
        :: config == 5 -> cap = 2; set_leaf(0, 0, 1, 1, 0, 0); set_leaf(1, 2, 3, 2, 3, 2)
        :: config == 6 -> set_leaf(0, 0, 1, 0, 0, 0); set_leaf(1, 2, 3, 1, 2, 0)
        :: config == 4 -> /* the neighbour of leaf 0 is below another router */
            router_free[2] = false;
            right[1] = ROUTER(2);
            key[2] = 3; left[2] = LEAF(1); right[2] = LEAF(2);
            set_leaf(0, 0, 1, 1, 0, 0); set_leaf(1, 2, 2, 1, 2, 0); set_leaf(2, 3, 3, 1, 3, 0)
        :: else -> set_leaf(0, 0, 1, 1, 0, 0); set_leaf(1, 2, 3, 1, 2, 0)
        fi
    };
    atomic {
        if
        :: config == 1 -> /* a removal, a split that takes its nodes at once, readers of what was there */
            run worker(0, ERASE, 2, INSERT, 1); run worker(1, FIND, 2, IDLE, 0); run worker(2, FIND, 1, IDLE, 0)
        :: config == 2 -> /* two removals side by side */
            run worker(0, ERASE, 0, IDLE, 0); run worker(1, ERASE, 2, IDLE, 0); run worker(2, FIND, 0, IDLE, 0)
        :: config == 3 -> /* a lower bound over two leaves beside a removal and a split */
            run worker(0, ERASE, 0, INSERT, 1); run worker(1, LOWER, 0, IDLE, 0); run worker(2, IDLE, 0, IDLE, 0)
        :: config == 4 -> /* removals of neighbours under different routers */
            run worker(0, ERASE, 0, IDLE, 0); run worker(1, ERASE, 2, INSERT, 2); run worker(2, IDLE, 0, IDLE, 0)
        :: config == 5 -> /* leaves of two keys: a removal moves a key, a split deals them */
            run worker(0, ERASE, 3, INSERT, 1); run worker(1, FIND, 2, IDLE, 0); run worker(2, INSERT, 3, IDLE, 0)
        :: config == 6 -> /* a lower bound that passes an empty leaf, where a key comes */
            run worker(0, INSERT, 1, ERASE, 2); run worker(1, LOWER, 0, IDLE, 0); run worker(2, IDLE, 0, IDLE, 0)
        :: config == 7 -> /* two splits, and who removes what they split */
            run worker(0, INSERT, 1, IDLE, 0); run worker(1, INSERT, 3, IDLE, 0); run worker(2, ERASE, 0, IDLE, 0)
        fi
    };
    ended == PROCS;
    d_step {
        k = 0;
        do
        :: k < KEYS ->
            at = left[0]; low_then = 0; high_then = KEYS - 1; i = 0;
            do
            :: at % 2 == 0 && i < ROUTERS ->
                at = at / 2;
                assert(OPEN(router_meta[at]) && !router_free[at]);
                assert(low_then < key[at] && key[at] <= high_then);
                routers = routers | 1 << at;
                if
                :: k < key[at] -> high_then = key[at] - 1; at = left[at]
                :: else -> low_then = key[at]; at = right[at]
                fi;
                i++
            :: else -> break
            od;
            assert(at % 2 == 1);
            l = at / 2;
            assert(OPEN(leaf_meta[l]) && !leaf_free[l]);
            assert(low[l] == low_then && high[l] == high_then);
            leaves = leaves | 1 << l;
            i = 0; g = 0;
            do
            :: i < count[l] ->
                if
                :: keys[l * CAP + i] == k -> g++
                :: else -> skip
                fi;
                i++
            :: else -> break
            od;
            assert(g == (present[k] -> 1 : 0));
            k++
        :: else -> break
        od;
        /* No node is lost. */
        i = 0;
        do
        :: i < LEAVES ->
            assert((leaves >> i & 1) == (leaf_free[i] -> 0 : 1));
            assert(i == 0 || (routers >> i & 1) == (router_free[i] -> 0 : 1));
            i++
        :: else -> break
        od
    }
}
