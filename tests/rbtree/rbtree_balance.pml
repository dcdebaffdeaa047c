/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree's clean-up (cl/clade/rbtree/balance.clh) beside splits and removals: ranks, links, locks,
 * one step a shared access; routers come back at once. Leaves have no content here.
 *
 * At the end: every key's walk leads to its leaf, ranks never grow downwards, no red router is below a red one,
 * and no router is lost. At each promotion: the parent's rank is not passed.
 *
 * Planted: NO_UNCLE: a rotation does not lock the uncle. STORE: a promotion is a store. NO_HAND: the walk does
 * not look again at the router that it came from. LINK: a double rotation forgets the link to its top.
 * NO_REWALK: who has promoted is done. */

c_decl { \#include <stdlib.h> }

byte config, bug;

#define NO_UNCLE  1
#define STORE     2
#define NO_HAND   3
#define LINK      4
#define NO_REWALK 5

#define KEYS    16
#define ROUTERS 14 /* 0 is the sentinel */
#define LEAVES  12
#define PROCS   2
#define NONE    31
#define TOP     7

/* A router's word: lock, dead, rank, version. */
#define LOCK    1
#define DEAD    2
#define RANK_1  4
#define STEP    32
#define OPEN(m) ((m) % 4 == 0)
#define RANK(m) ((m) / 4 % 8)
#define IS_LEAF(link) ((link) % 2 == 1)
#define RANK_OF(link) (IS_LEAF(link) -> 0 : RANK(meta[(link) / 2]))

short meta[ROUTERS];
byte key[ROUTERS], left[ROUTERS], right[ROUTERS];
bool is_free[ROUTERS];
byte leaf_meta[LEAVES]; /* lock, dead, version */
bool leaf_free[LEAVES];
byte leaf_of[KEYS]; /* ghost */
byte ended;

inline claim(x)
{
    d_step {
        x = 1;
        do
        :: x < ROUTERS && !is_free[x] -> x++
        :: else -> break
        od;
        assert(x < ROUTERS);
        is_free[x] = false;
        meta[x] = meta[x] / STEP * STEP + STEP | LOCK
    }
}

inline claim_leaf(x)
{
    d_step {
        x = 0;
        do
        :: x < LEAVES && !leaf_free[x] -> x++
        :: else -> break
        od;
        assert(x < LEAVES);
        leaf_free[x] = false
    }
}

inline lock(seen, at)
{
    d_step {
        won = OPEN(seen) && meta[at] == seen;
        if
        :: won -> meta[at] = seen | LOCK
        :: else -> skip
        fi
    }
}

inline relink(at, old, new)
{
    d_step {
        if
        :: left[at] == old -> left[at] = new
        :: else -> right[at] = new
        fi
    }
}

/* A whole walk for k in one step: what it finds is verified under locks. */
inline walk(k)
{
    d_step {
        p = 0; g = 0; link = left[0];
        do
        :: !IS_LEAF(link) -> g = p; p = link / 2; link = (k < key[p] -> left[p] : right[p])
        :: else -> break
        od;
        leaf = link / 2; m_leaf = leaf_meta[leaf]
    }
}

/* Under the locks of a, b, c, x and u. */
inline rotate_locked()
{
    top = (outer -> c : x);
    /* The copies: nobody but stale walks reads them. */
    d_step {
        top_left = left[top]; top_right = right[top];
        key[copy_b] = key[b];
        left[copy_b] = (c_is_left -> top_right : left[b]);
        right[copy_b] = (c_is_left -> right[b] : top_left);
        if
        :: !outer ->
            key[copy_c] = key[c];
            left[copy_c] = (c_is_left -> left[c] : top_right);
            right[copy_c] = (c_is_left -> top_left : right[c])
        :: else -> skip
        fi
    };
    if
    :: !outer && c_is_left -> left[x] = copy_c * 2
    :: !outer && !c_is_left -> right[x] = copy_c * 2
    :: else -> skip
    fi;
    if
    :: c_is_left -> right[top] = copy_b * 2
    :: else -> left[top] = copy_b * 2
    fi;
    if
    :: outer || bug != LINK -> relink(a, b * 2, top * 2)
    :: else -> skip
    fi;
    meta[copy_b] = meta[copy_b] / STEP * STEP | RANK(m_b) * RANK_1;
    if
    :: !outer ->
        meta[copy_c] = meta[copy_c] / STEP * STEP | RANK(m_b) * RANK_1;
        meta[x] = m_x + STEP;
        meta[c] = (m_c + STEP) | DEAD
    :: else -> meta[c] = m_c + STEP
    fi;
    meta[b] = (m_b + STEP) | DEAD;
    meta[a] = m_a + STEP
}

inline unlock_if(lost, at, seen)
{
    if
    :: lost -> meta[at] = seen
    :: else -> skip
    fi
}

/* CLADE_RB(rotate): done says whether. */
inline rotate()
{
    done = false;
    m_u = (IS_LEAF(uncle) -> 0 : meta[uncle / 2]);
    if
    :: !IS_LEAF(uncle) && RANK(m_u) >= RANK(m_b) -> skip
    :: else ->
        lock(m_a, a);
        if
        :: won ->
            lock(m_b, b);
            if
            :: won ->
                lock(m_c, c);
                if
                :: won ->
                    if
                    :: outer -> won = true
                    :: else -> lock(m_x, x)
                    fi;
                    if
                    :: won ->
                        if
                        :: IS_LEAF(uncle) || bug == NO_UNCLE -> won = true
                        :: else -> lock(m_u, uncle / 2)
                        fi;
                        if
                        :: won ->
                            rotate_locked();
                            if
                            :: IS_LEAF(uncle) || bug == NO_UNCLE -> skip
                            :: else -> meta[uncle / 2] = m_u + STEP
                            fi;
                            done = true
                        :: else -> skip
                        fi;
                        unlock_if(!done && !outer, x, m_x)
                    :: else -> skip
                    fi;
                    unlock_if(!done, c, m_c)
                :: else -> skip
                fi;
                unlock_if(!done, b, m_b)
            :: else -> skip
            fi;
            unlock_if(!done, a, m_a)
        :: else -> skip
        fi
    fi
}

/* Ghost: b's parent, now. A router that is claimed and not linked yet has no rank. */
inline check_promotion()
{
    top = 0;
    do
    :: top < ROUTERS ->
        assert(is_free[top] || RANK(meta[top]) == 0 || meta[top] / 2 % 2 == 1 || (left[top] != b * 2 && right[top] != b * 2) ||
               RANK(meta[top]) > RANK(m_b));
        top++
    :: else -> top = 0; break
    od
}

/* CLADE_RB(mend) */
inline mend()
{
    /* Between two readings of b's and c's words, which the locks compare. */
    d_step {
        c_is_left = left[b] == c * 2;
        uncle = (c_is_left -> right[b] : left[b]);
        outer = (c_is_left -> left[c] : right[c]) == x * 2
    };
    if
    :: RANK_OF(uncle) == RANK(m_b) ->
        d_step {
            if
            :: bug == STORE -> meta[b] = m_b + STEP + RANK_1; done = true
            :: bug != STORE && OPEN(m_b) && meta[b] == m_b ->
                check_promotion();
                meta[b] = m_b + STEP + RANK_1; done = true
            :: else -> done = false
            fi
        };
        clean = clean || (done && bug == NO_REWALK)
    :: else ->
        claim(copy_b);
        if
        :: !outer -> claim(copy_c)
        :: else -> skip
        fi;
        rotate();
        d_step {
            if
            :: done ->
                is_free[b] = true;
                is_free[c] = !outer
            :: else ->
                is_free[copy_b] = true; meta[copy_b] = meta[copy_b] / STEP * STEP | DEAD;
                if
                :: !outer -> is_free[copy_c] = true; meta[copy_c] = meta[copy_c] / STEP * STEP | DEAD
                :: else -> skip
                fi
            fi;
            copy_b = 0; copy_c = 0; top = 0; top_left = 0; top_right = 0; m_u = 0
        }
    fi
}

/* CLADE_RB(mend_path) for k: clean says whether it found nothing. */
inline mend_path(k)
{
    clean = false; more = true;
    a = 0; b = 0; c = 0; m_a = 0; m_b = 0; depth = 0;
    m_c = meta[0];
    link = left[0];
    do
    :: more && !IS_LEAF(link) ->
        x = link / 2;
        m_x = meta[x];
        if
        :: OPEN(m_c) && OPEN(m_x) ->
            link = (k < key[x] -> left[x] : right[x]);
            d_step {
                more = bug == NO_HAND || meta[c] == m_c;
                done = more && depth >= 2 && RANK(m_x) == RANK(m_c) && RANK(m_c) == RANK(m_b)
            };
            if
            :: done -> mend(); more = false
            :: else ->
                d_step {
                    a = b; m_a = m_b; b = c; m_b = m_c; c = x; m_c = m_x;
                    depth = (depth < 2 -> depth + 1 : 2)
                }
            fi
        :: else -> more = false
        fi
    :: more && IS_LEAF(link) -> clean = meta[c] == m_c; break
    :: else -> break
    od;
    skip; /* no jump into what follows */
    d_step {
        a = 0; b = 0; c = 0; x = 0; m_a = 0; m_b = 0; m_c = 0; m_x = 0; link = 0; uncle = 0;
        outer = false; c_is_left = false; done = false; depth = 0
    }
}

/* A key k comes alone into a leaf: split until it is done, then clean up. */
inline split(k)
{
    done = false;
    do
    :: !done ->
        walk(k);
        m_p = meta[p];
        atomic {
            won = OPEN(m_leaf) && leaf_meta[leaf] == m_leaf;
            if
            :: won -> leaf_meta[leaf] = m_leaf | LOCK
            :: else -> skip
            fi
        };
        if
        :: won ->
            lock(m_p, p);
            if
            :: won && (left[p] == leaf * 2 + 1 || right[p] == leaf * 2 + 1) ->
                claim(copy_b);
                claim_leaf(x);
                d_step {
                    key[copy_b] = k; left[copy_b] = leaf * 2 + 1; right[copy_b] = x * 2 + 1;
                    leaf_meta[x] = leaf_meta[x] / 4 * 4 + 4
                };
                relink(p, leaf * 2 + 1, copy_b * 2);
                /* is_black() */
                is_due = RANK(m_p) == 1;
                if
                :: is_due ->
                    m_b = meta[g];
                    link = left[g];
                    uncle = right[g];
                    is_due = !(OPEN(m_b) && meta[g] == m_b && (link == p * 2 || uncle == p * 2) &&
                               RANK(m_b) > RANK(m_p))
                :: else -> skip
                fi;
                meta[copy_b] = meta[copy_b] / STEP * STEP | RANK_1;
                meta[p] = m_p + STEP;
                d_step {
                    depth = k;
                    do
                    :: depth < KEYS && leaf_of[depth] == leaf -> leaf_of[depth] = x; depth++
                    :: else -> break
                    od;
                    leaf_meta[leaf] = m_leaf + 4;
                    depth = 0; done = true; copy_b = 0; x = 0; m_b = 0; link = 0; uncle = 0
                }
            :: else ->
                unlock_if(won, p, m_p);
                leaf_meta[leaf] = m_leaf
            fi
        :: else -> skip
        fi
    :: else -> break
    od;
    skip; /* no jump into what follows */
    d_step { done = false; p = 0; g = 0; leaf = 0; m_p = 0; m_leaf = 0 };
    clean = !is_due; tries = 0;
    do
    :: !clean ->
        mend_path(k);
        if
        :: ended == PROCS - 1 -> tries++; assert(tries < 12) /* who is alone comes to an end */
        :: else -> skip
        fi
    :: else -> tries = 0; break
    od
}

/* The leaf of k goes, if it can be had: p's other child takes p's place. One try. */
inline remove(k)
{
    walk(k);
    d_step {
        c_is_left = left[p] == leaf * 2 + 1;
        link = (c_is_left -> right[p] : left[p]);
        m_p = meta[p]; m_b = meta[g]
    };
    lock(m_p, p);
    if
    :: won && p != 0 && (c_is_left -> left[p] == leaf * 2 + 1 && right[p] == link
                                   : right[p] == leaf * 2 + 1 && left[p] == link) ->
        lock(m_b, g);
        if
        :: won && (left[g] == p * 2 || right[g] == p * 2) ->
            atomic {
                won = OPEN(m_leaf) && leaf_meta[leaf] == m_leaf;
                if
                :: won -> leaf_meta[leaf] = m_leaf | LOCK
                :: else -> skip
                fi
            };
            if
            :: won ->
                d_step { /* the neighbour: without content it need not be locked */
                    x = link;
                    do
                    :: !IS_LEAF(x) -> x = (c_is_left -> left[x / 2] : right[x / 2])
                    :: else -> break
                    od;
                    depth = 0;
                    do
                    :: depth < KEYS ->
                        if
                        :: leaf_of[depth] == leaf -> leaf_of[depth] = x / 2
                        :: else -> skip
                        fi;
                        depth++
                    :: else -> depth = 0; x = 0; break
                    od
                };
                relink(g, p * 2, link);
                meta[g] = m_b + STEP;
                meta[p] = (m_p + STEP) | DEAD;
                d_step {
                    leaf_meta[leaf] = m_leaf + 4 | DEAD;
                    is_free[p] = true; leaf_free[leaf] = true
                }
            :: else -> meta[g] = m_b; meta[p] = m_p
            fi
        :: else -> unlock_if(won, g, m_b); meta[p] = m_p
        fi
    :: else -> unlock_if(won, p, m_p)
    fi;
    d_step { p = 0; g = 0; leaf = 0; m_p = 0; m_leaf = 0; m_b = 0; link = 0; c_is_left = false }
}

/* Splits at `from`, `then` and `last` (0: none), with a removal of `gone` after the first. */
proctype worker(byte from; byte gone; byte then; byte last)
{
    byte a, b, c, x, p, g, leaf, link, uncle, copy_b, copy_c, top, top_left, top_right, depth, m_leaf, tries;
    short m_a, m_b, m_c, m_x, m_u, m_p;
    bool won, done, outer, c_is_left, is_due, clean, more;
    do
    :: from != 0 -> split(from); from = then; then = last; last = 0; is_due = false; clean = false;
        if
        :: gone != 0 -> remove(gone); gone = 0
        :: else -> skip
        fi
    :: else -> break
    od;
    ended++
}

/* Router i of key k and rank r, and its links; leaf i of the keys from .. to - 1. */
inline set(i, k, r, l_link, r_link)
{
    key[i] = k; meta[i] = r * RANK_1; left[i] = l_link; right[i] = r_link; is_free[i] = false
}
inline set_leaf(i, from, to)
{
    leaf_free[i] = false; leaf_meta[i] = 0;
    k = from;
    do
    :: k < to -> leaf_of[k] = i; k++
    :: else -> break
    od
}

init
{
    byte k, i, link, at, above;
    int seen;
    d_step {
        c_code {
            const char *text = getenv("MODEL_CONFIG");
            now.config = text ? atoi(text) : 1;
            text = getenv("MODEL_BUG");
            now.bug = text ? atoi(text) : 0;
        };
        i = 0;
        do
        :: i < ROUTERS -> is_free[i] = true; meta[i] = DEAD; i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < LEAVES -> leaf_free[i] = true; leaf_meta[i] = DEAD; i++
        :: else -> break
        od;
        is_free[0] = false; meta[0] = TOP * RANK_1; left[0] = 2; right[0] = NONE;
        if
        :: config <= 3 || config >= 6 ->
            /* b = 1, rank 1, over red c = 2 and a leaf: a split under c is a violation, one of b's other leaf
             * makes it a promotion. */
            set(1, 8, 1, 4, 5); set(2, 4, 1, 1, 3);
            set_leaf(0, 0, 4); set_leaf(1, 4, 8); set_leaf(2, 8, 16)
        :: else ->
            /* Root 1, rank 2, over red 2 and black 6. 2 over black 3, whose children 4 and 5 are red, and a leaf; 6
             * over red 7 and 8. A split under 4 promotes 3, which is then red below red 2: a rotation at 1 with 6
             * as uncle. A split under 7 promotes 6. */
            set(1, 8, 2, 4, 12);
            set(2, 6, 2, 6, 9); set(3, 3, 1, 8, 10); set(4, 2, 1, 1, 3); set(5, 5, 1, 5, 7);
            set(6, 12, 1, 14, 16); set(7, 10, 1, 11, 13); set(8, 14, 1, 15, 17);
            set_leaf(0, 0, 2); set_leaf(1, 2, 3); set_leaf(2, 3, 5); set_leaf(3, 5, 6); set_leaf(4, 6, 8);
            set_leaf(5, 8, 10); set_leaf(6, 10, 12); set_leaf(7, 12, 14); set_leaf(8, 14, 16)
        fi
    };
    atomic {
        if
        :: config == 1 -> run worker(2, 0, 0, 0); run worker(6, 0, 0, 0)  /* rotations of the same b */
        :: config == 2 -> run worker(2, 0, 0, 0); run worker(12, 0, 0, 0) /* rotation, or promotion */
        :: config == 3 -> run worker(6, 12, 14, 0); run worker(2, 5, 0, 0) /* beside removals */
        :: config == 4 -> run worker(1, 0, 0, 0); run worker(9, 0, 0, 0)  /* the uncle's promotion */
        :: config == 5 -> run worker(4, 15, 0, 0); run worker(11, 2, 0, 0)
        :: config == 6 -> run worker(6, 0, 0, 0); run worker(2, 0, 12, 9) /* routers come back */
        :: config == 7 -> run worker(6, 0, 0, 0); run worker(0, 0, 0, 0)
        fi
    };
    ended == PROCS;
    d_step {
        k = 0; seen = 1;
        assert(OPEN(meta[0]));
        do
        :: k < KEYS ->
            link = left[0]; above = 0; i = 0;
            do
            :: !IS_LEAF(link) ->
                at = link / 2; seen = seen | 1 << at;
                assert(OPEN(meta[at]) && !is_free[at] && i < ROUTERS);
                assert(RANK(meta[at]) >= 1 && RANK(meta[at]) <= RANK(meta[above]));
                /* No red below red: as a leaf has rank 0, routers alone are looked at. */
                link = (k < key[at] -> left[at] : right[at]);
                assert(IS_LEAF(link) || above == 0 || RANK(meta[at]) != RANK(meta[above]) ||
                       RANK(meta[link / 2]) != RANK(meta[at]));
                above = at; i++
            :: else -> break
            od;
            assert(link / 2 == leaf_of[k] && !leaf_free[link / 2] && OPEN(leaf_meta[link / 2]));
            k++
        :: else -> break
        od;
        i = 0;
        do
        :: i < ROUTERS -> assert((seen >> i & 1) == (is_free[i] -> 0 : 1)); i++
        :: else -> break
        od
    }
}
