/* SPDX-License-Identifier: Apache-2.0 */
/* A leaf of one key of the heap's front engine that another takes the place of before it is full
 * (go_behind_wi in cl/clade/heap/front/append.clh), beside an owner that takes leaves over
 * (cl/clade/heap/front/refill.clh): chains, freezing, commits. A leaf has SLOTS slots; who reserves the
 * one that is the MARK hands over. Every wait may give up at any time.
 *
 * An inserter walks to what the entry says, reserves a slot there, perhaps hands over, stores and commits.
 * The owner takes members off the chain of the entry's leaf, each once its slots have ended and its commits
 * are there; a leaf without a chain it closes, freezes and drains.
 *
 * Ghosts: slot[] says what each slot of a leaf is, taken[] which leaves went to the front. A leaf goes once,
 * whole, and no slot is given after that; at the end all keys are in a leaf that the entry leads to, or
 * in the front, once.
 *
 * BUG_OVER: it does not look whether the leaf is frozen. BUG_MEMBER: the owner does not wait for commits.
 * BUG_OPEN: nor does it end the member's slots. BUG_AGAIN: it freezes a leaf that is behind another. */

#define LEAVES 3
#define SLOTS  3
#define MARK   2

#if CONFIG == 0
#define INSERTS 3
#define EACH    1
#else
#define INSERTS 2
#define EACH    2
#endif

#define DRAINED 255

byte entry = 0;
bit frozen[LEAVES], split[LEAVES], behind[LEAVES], lock[LEAVES], closed[LEAVES];
byte count[LEAVES], done[LEAVES], limit[LEAVES];
byte chain[LEAVES]; /* 1 + the leaf on it, or 0 */
byte fresh = 1;     /* the next one of the pool */
bit taken[LEAVES];
byte keys_in, keys_front, working;

inline go_behind(l)
{
    atomic { mine = !lock[l]; lock[l] = 1 }
    if
    :: mine && fresh < LEAVES ->
        atomic { was_frozen = frozen[l]; was_split = split[l]; behind[l] = 1 }
        if
#ifdef BUG_OVER
        :: true ->
#else
        :: !was_frozen && !was_split ->
#endif
            closed[l] = 1;
            atomic { new = fresh; fresh++ }
            chain[new] = 1 + l;
            entry = new
#ifndef BUG_OVER
        :: else -> behind[l] = 0
#endif
        fi;
        lock[l] = 0
    :: mine && fresh == LEAVES -> lock[l] = 0
    :: else
    fi
}

proctype inserter()
{
    byte at, l, new, left = EACH;
    bit mine, was_frozen, was_split, given;
    do
    :: left > 0 ->
        l = entry;
        if
        :: l == DRAINED -> left-- /* it belongs to the front: elsewhere */
        :: else ->
            given = 0;
            if
            :: !frozen[l] && !split[l] && count[l] < limit[l] ->
                atomic {
                    at = count[l];
                    given = !frozen[l] && !split[l] && at < limit[l];
                    count[l]++;
                    if
                    :: frozen[l] -> count[l]-- /* its own step in the code, which others wait for */
                    :: else
                    fi;
                    if
                    :: given -> keys_in++
                    :: else
                    fi
                }
            :: else
            fi;
            if
            :: given ->
                assert(!taken[l]);
                left--;
                if
                :: at < MARK && at + 1 >= MARK -> go_behind(l)
                :: else
                fi;
                atomic { assert(!taken[l]); done[l]++ }
            :: !given -> left = (left > 0 -> left - 1 : 0) /* it gives up, or comes again */
            :: !given
            fi
        fi
    :: else -> break
    od;
    working--
}

/* Leaf l, whose chain this is under its lock, gives up its first member, or the owner does. */
inline unchain(l)
{
    m = chain[l] - 1;
    if
    :: !split[m] ->
#ifdef BUG_OPEN
        n = count[m];
#else
        atomic { n = count[m]; split[m] = 1 }
#endif
        atomic { limit[m] = (n < limit[m] -> n : limit[m]) }
    :: else
    fi;
    if
#ifdef BUG_MEMBER
    :: true ->
#else
    :: done[m] == limit[m] ->
#endif
        atomic {
            assert(!taken[m] && done[m] == limit[m]);
            taken[m] = 1;
            keys_front = keys_front + limit[m];
            chain[l] = chain[m]
        }
    :: true /* it gives up */
    fi
}

proctype owner()
{
    byte l, m, n;
    bit mine;
    do
    :: entry != DRAINED ->
        l = entry;
        if
#ifdef BUG_AGAIN
        :: split[l] -> skip
#else
        :: split[l] || behind[l] -> skip /* moving: it comes again */
#endif
        :: else ->
            atomic {
                mine = chain[l] == 0;
                closed[l] = closed[l] || mine
            }
            if
            :: !mine ->
                atomic { !lock[l] -> lock[l] = 1 }
                if
                :: !split[l] && !behind[l] && chain[l] != 0 -> unchain(l)
                :: else
                fi;
                lock[l] = 0
            :: mine ->
                atomic {
                    mine = !split[l];
#ifndef BUG_AGAIN
                    mine = mine && !behind[l];
#endif
                    frozen[l] = frozen[l] || mine
                }
                if
                :: mine ->
                    atomic { !lock[l] -> lock[l] = 1 }
                    n = (count[l] < limit[l] -> count[l] : limit[l]);
                    (done[l] == n);
                    lock[l] = 0;
                    atomic {
                        assert(!taken[l]);
                        taken[l] = 1;
                        keys_front = keys_front + n;
                        assert(entry == l);
                        entry = DRAINED
                    }
                :: else
                fi
            fi
        fi
    :: true -> break
    od;
    working--
}

/* Keys of the leaf that the entry has and of its chain. */
init
{
    byte i, stored, at;
    atomic {
        i = 0;
        do
        :: i < LEAVES -> limit[i] = SLOTS; i++
        :: else -> break
        od;
        working = INSERTS + 1;
        i = 0;
        do
        :: i < INSERTS -> run inserter(); i++
        :: else -> break
        od;
        run owner()
    }
    working == 0;
    atomic {
        stored = keys_front;
        at = entry;
        do
        :: at != DRAINED ->
            assert(!taken[at]);
            assert(done[at] == (count[at] < limit[at] -> count[at] : limit[at]));
            stored = stored + done[at];
            if
            :: chain[at] != 0 -> at = chain[at] - 1
            :: else -> at = DRAINED
            fi
        :: else -> break
        od;
        assert(stored == keys_in)
    }
}
