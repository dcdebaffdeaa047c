/* SPDX-License-Identifier: Apache-2.0 */
/* The ordered list's two-step erasure (cl/clade/list/ordered.clh), one step a shared access.
 *
 * Ghosts: there[k] is whether key k is in the set, changed at the step that is said to be the
 * linearization point; absent[p] is whether process p's key was absent at some moment of its
 * operation. Every outcome is asserted against them, and at the end the links against there[].
 *
 * A word is ref * 2 + mark; cell 0 is the head, ref 0 the end. CONFIG chooses who does what.
 * BUG_MARK: marks are not looked at. BUG_ONE_STEP: an erasure unlinks and does not mark.
 * BUG_UNCOMPARED: unlinking is a store. BUG_REUSE: an erased cell is handed out at once;
 * BUG_ABA: as soon as it is unlinked. */

#define KEYS  4 /* 1 .. 3 */
#define CELLS 7
#define PROCS 3
#define MARKED(word) ((word) % 2 == 1)
#define REF(word)    ((word) / 2)

byte next[CELLS], key_of[CELLS];
bool there[KEYS], absent[PROCS];
byte key_wanted[PROCS];
byte spare; /* a cell that BUG_REUSE and BUG_ABA hand out */
byte ended;

#define INSERT 0
#define ERASE 1
#define LOOK   2

inline became_absent(k)
{
    absent[0] = absent[0] || key_wanted[0] == k;
    absent[1] = absent[1] || key_wanted[1] == k;
    absent[2] = absent[2] || key_wanted[2] == k
}

proctype operation(byte me; byte what; byte key)
{
    byte left, left_link, at, link, cell;
    bool match, seen, done;
    cell = 0;
    done = false;
    d_step { key_wanted[me] = key; absent[me] = !there[key] };
    do
    :: done -> break
    :: else ->
        left = 0; match = false; seen = false;
        left_link = next[0];
        at = REF(left_link);
        do
        :: at == 0 -> break
        :: else ->
            atomic { link = next[at]; seen = there[key] };
#ifdef BUG_MARK
            link = REF(link) * 2;
#endif
            if
            :: !MARKED(link) && key_of[at] >= key -> match = (key_of[at] == key); break
            :: !MARKED(link) && key_of[at] < key -> left = at; left_link = link
            :: else -> skip
            fi;
            at = REF(link)
        od;
        if
        :: what == LOOK ->
            assert(!match || seen);
            assert(match || absent[me]);
            done = true
        :: else ->
            if
            :: left_link != at * 2 ->
#ifdef BUG_UNCOMPARED
                next[left] = at * 2; left_link = at * 2
#else
                atomic {
                    if
                    :: next[left] == left_link -> next[left] = at * 2; left_link = at * 2
                    :: else -> skip
                    fi
                }
#endif
            :: else -> skip
            fi;
            if
            :: left_link != at * 2 -> skip /* again */
            :: else ->
                if
                :: what == INSERT && match -> assert(seen); done = true
                :: what == INSERT && !match ->
                    if
                    :: cell == 0 -> atomic {
                            if
                            :: spare != 0 -> cell = spare; spare = 0
                            :: else -> cell = 4 + me
                            fi;
                            key_of[cell] = key
                        }
                    :: else -> skip
                    fi;
                    next[cell] = at * 2;
                    atomic {
                        if
                        :: next[left] == at * 2 ->
                            next[left] = cell * 2;
                            assert(!there[key]);
                            there[key] = true;
                            done = true
                        :: else -> skip
                        fi
                    }
                :: what == ERASE && !match -> assert(absent[me]); done = true
                :: what == ERASE && match ->
#ifdef BUG_ONE_STEP
                    atomic {
                        if
                        :: next[left] == at * 2 ->
                            next[left] = link;
                            assert(there[key]);
                            there[key] = false;
                            became_absent(key);
                            done = true
                        :: else -> skip
                        fi
                    }
#else
                    atomic {
                        if
                        :: next[at] == link ->
                            next[at] = link + 1;
                            assert(there[key]);
                            there[key] = false;
                            became_absent(key);
                            done = true
#ifdef BUG_REUSE
                            ; spare = at
#endif
                        :: else -> skip
                        fi
                    };
                    if
                    :: done -> atomic {
                            if
                            :: next[left] == at * 2 -> next[left] = link
#ifdef BUG_ABA
                                ; spare = at
#endif
                            :: else -> skip
                            fi
                        }
                    :: else -> skip
                    fi
#endif
                fi
            fi
        fi
    od;
    ended++
}

init
{
    byte at, before, k;
    bool found[KEYS];
    atomic {
        /* Keys 1, 2 and 3 in cells 1 to 3, or what CONFIG wants. */
        key_of[1] = 1; key_of[2] = 2; key_of[3] = 3;
#if CONFIG == 1
        next[0] = 2; next[1] = 4; there[1] = true; there[2] = true;
        run operation(0, ERASE, 1); run operation(1, ERASE, 2); run operation(2, INSERT, 3)
#elif CONFIG == 2
        next[0] = 2; there[1] = true;
        run operation(0, ERASE, 1); run operation(1, INSERT, 1); run operation(2, INSERT, 2)
#elif CONFIG == 3
        next[0] = 2; next[1] = 4; next[2] = 6;
        there[1] = true; there[2] = true; there[3] = true;
        run operation(0, ERASE, 2); run operation(1, ERASE, 2); run operation(2, LOOK, 3)
#elif CONFIG == 4
        run operation(0, INSERT, 1); run operation(1, INSERT, 1); run operation(2, ERASE, 1)
#elif CONFIG == 5
        next[0] = 2; next[1] = 4; next[2] = 6;
        there[1] = true; there[2] = true; there[3] = true;
        run operation(0, ERASE, 1); run operation(1, ERASE, 2); run operation(2, ERASE, 3)
#elif CONFIG == 6
        next[0] = 4; next[2] = 6; there[2] = true; there[3] = true;
        run operation(0, ERASE, 2); run operation(1, INSERT, 1); run operation(2, LOOK, 2)
#endif
    };
    ended == PROCS;
    d_step {
        at = REF(next[0]);
        before = 0;
        do
        :: at == 0 -> break
        :: else ->
            if
            :: !MARKED(next[at]) ->
                assert(key_of[at] > before);
                before = key_of[at];
                found[before] = true
            :: else -> skip
            fi;
            at = REF(next[at])
        od;
        k = 1;
        do
        :: k == KEYS -> break
        :: else -> assert(found[k] == there[k]); k++
        od
    }
}
