/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list (cl/clade/dlist.clh), one step a shared access.
 *
 * Ghosts: order[] is the list as docs/inside/dlist.md has it, changed at the step that is said to be the
 * linearization point: nodes that were erased keep their place. Every outcome is asserted against
 * it, and at the end the next links and the hints.
 *
 * A word is node * 2 + mark; node 0 is the end. CONFIG chooses who does what. BUG_REVIVE: an insert
 * behind does not look at the mark and stores. BUG_ONE_STEP: an erasure unlinks and does not mark.
 * BUG_UNCOMPARED: unlinking is a store. BUG_HINT: a hint is taken for the node right before.
 * BUG_REUSE: an erased cell is handed out at once. */

#define CELLS 7
#define PROCS 3
#define MARKED(word) ((word) % 2 == 1)
#define REF(word)    ((word) / 2)

byte next[CELLS], prev[CELLS];
byte order[CELLS], count; /* all nodes, in order */
bool gone[CELLS];         /* erased */
bool was_there[PROCS];    /* at some moment of the operation, its target was in the list */
bool was_gone[PROCS];
byte target_of[PROCS], spare, ended;

#define AFTER  0
#define BEFORE 1
#define ERASE 2
#define NEXT   3
#define PREV   4

/* Put `node` right behind or in front of `at` (0: the end). */
inline put(node, at, is_behind)
{
    i = 0;
    do
    :: at == 0 || i == count || order[i] == at -> break
    :: else -> i++
    od;
    if
    :: at == 0 && is_behind -> i = 0
    :: at == 0 && !is_behind -> i = count
    :: at != 0 && is_behind -> i++
    :: else -> skip
    fi;
    j = count;
    do
    :: j == i -> break
    :: else -> order[j] = order[j - 1]; j--
    od;
    order[i] = node;
    gone[node] = false;
    count++
}

/* found = the live neighbour of `at`. */
inline neighbour(at, is_behind)
{
    found = 0; i = 0; j = 0;
    do
    :: i == count -> break
    :: else ->
        if
        :: order[i] == at -> j = 1
        :: order[i] != at && !gone[order[i]] && is_behind && (j == 1 || at == 0) && found == 0 ->
            found = order[i]
        :: order[i] != at && !gone[order[i]] && !is_behind && j == 0 -> found = order[i]
        :: else -> skip
        fi;
        i++
    od
}

inline now_gone(at)
{
    gone[at] = true;
    was_gone[0] = was_gone[0] || target_of[0] == at;
    was_gone[1] = was_gone[1] || target_of[1] == at;
    was_gone[2] = was_gone[2] || target_of[2] == at
}

/* left = the node right before `node`, or missing: `node` is erased. One walk of _find_left_wi;
 * gives up after `steps`, as an erasure's help does. */
inline find_left(node, steps)
{
    left = prev[node];
    n = 0; missing = false;
    do
    :: n == steps -> missing = true; break
    :: else ->
        n++;
        if
        :: node != 0 && MARKED(next[node]) -> missing = true; break
        :: else -> skip
        fi;
#ifdef BUG_HINT
        break;
#endif
        atomic { word = next[left]; neighbour(node, false) };
        if
        :: MARKED(word) -> left = prev[left]
        :: !MARKED(word) && REF(word) == node -> right_then = (found == left); prev[node] = left; break
        :: !MARKED(word) && REF(word) != node ->
            at = REF(word);
            do
            :: at == 0 || at == node -> break
            :: else ->
                beyond = next[at];
                if
                :: MARKED(beyond) -> at = REF(beyond)
                :: else -> break
                fi
            od;
            if
            :: at != REF(word) ->
#ifdef BUG_UNCOMPARED
                next[left] = at * 2
#else
                atomic {
                    if
                    :: next[left] == word -> next[left] = at * 2
                    :: else -> at = left
                    fi
                }
#endif
            :: else -> skip
            fi;
            if
            :: at == node || at == 0 -> skip
            :: else -> left = at
            fi
        fi
    od
}

proctype operation(byte me; byte what; byte target)
{
    byte left, at, word, beyond, cell, i, j, n, found;
    bool missing, done, right_then;
    done = false;
    right_then = false;
    d_step {
        target_of[me] = target;
        was_there[me] = (target == 0 || !gone[target]);
        was_gone[me] = (target != 0 && gone[target]);
        cell = 4 + me
    };
    if
    :: what <= BEFORE -> atomic { if :: spare != 0 -> cell = spare; spare = 0 :: else -> skip fi }
    :: else -> skip
    fi;
    do
    :: done -> break
    :: else ->
        if
        :: what == AFTER ->
            word = next[target];
#ifdef BUG_REVIVE
            word = REF(word) * 2;
#endif
            if
            :: MARKED(word) -> assert(was_gone[me]); done = true
            :: else ->
                prev[cell] = target; next[cell] = word;
                atomic {
#ifdef BUG_REVIVE
                    if
                    :: true ->
#else
                    if
                    :: next[target] == word ->
#endif
                        next[target] = cell * 2;
                        assert(target == 0 || !gone[target]);
                        put(cell, target, true);
                        done = true
#ifndef BUG_REVIVE
                    :: else -> skip
#endif
                    fi
                };
                if
                :: done -> prev[REF(word)] = cell
                :: else -> skip
                fi
            fi
        :: what == BEFORE ->
            find_left(target, 20);
            assert(n < 20);
            if
            :: missing -> assert(was_gone[me]); done = true
            :: else ->
                prev[cell] = left; next[cell] = target * 2;
                atomic {
#ifdef BUG_HINT
                    if
                    :: true ->
#else
                    if
                    :: next[left] == target * 2 ->
#endif
                        next[left] = cell * 2;
                        assert(was_there[me]);
                        put(cell, target, false);
                        done = true
#ifndef BUG_HINT
                    :: else -> skip
#endif
                    fi
                };
                if
                :: done -> prev[target] = cell
                :: else -> skip
                fi
            fi
        :: what == ERASE ->
            word = next[target];
            if
            :: MARKED(word) -> assert(was_gone[me]); done = true
            :: else ->
#ifdef BUG_ONE_STEP
                find_left(target, 20);
                word = next[target];
                atomic {
                    if
                    :: !missing && next[left] == target * 2 ->
                        next[left] = word;
                        assert(!gone[target]);
                        now_gone(target)
                    :: else -> skip
                    fi
                };
                done = true
#else
                atomic {
                    if
                    :: next[target] == word ->
                        next[target] = word + 1;
                        assert(!gone[target]);
                        now_gone(target);
                        done = true
#ifdef BUG_REUSE
                        ; spare = target
#endif
                    :: else -> skip
                    fi
                };
                if
                :: done -> cell = REF(word); find_left(cell, 3)
                :: else -> skip
                fi
#endif
            fi
        :: what == NEXT ->
            atomic { word = next[target]; neighbour(target, true) };
            at = REF(word);
            if
            :: MARKED(word) -> assert(was_gone[me]); done = true
            :: !MARKED(word) && (at == 0 || !MARKED(next[at])) -> assert(found == at); done = true
            :: else ->
                beyond = next[at];
                atomic {
                    if
                    :: MARKED(beyond) && next[target] == word -> next[target] = REF(beyond) * 2
                    :: else -> skip
                    fi
                }
            fi
        :: what == PREV ->
            find_left(target, 20);
            assert(n < 20);
            if
            :: missing -> assert(was_gone[me]); done = true
            :: else ->
                if
                :: target != 0 && MARKED(next[target]) -> assert(was_gone[me])
                :: else -> assert(right_then)
                fi;
                done = true
            fi
        fi
    od;
    ended++
}

init
{
    byte at, i, last;
    atomic {
        /* Nodes 1, 2 and 3, with exact hints. */
        next[0] = 2; next[1] = 4; next[2] = 6; next[3] = 0;
        prev[1] = 0; prev[2] = 1; prev[3] = 2; prev[0] = 3;
        order[0] = 1; order[1] = 2; order[2] = 3; count = 3;
#if CONFIG == 1
        run operation(0, ERASE, 2); run operation(1, AFTER, 2); run operation(2, BEFORE, 2)
#elif CONFIG == 2
        run operation(0, ERASE, 1); run operation(1, ERASE, 2); run operation(2, BEFORE, 3)
#elif CONFIG == 3
        run operation(0, ERASE, 2); run operation(1, AFTER, 1); run operation(2, PREV, 3)
#elif CONFIG == 4
        run operation(0, BEFORE, 0); run operation(1, BEFORE, 0); run operation(2, ERASE, 3)
#elif CONFIG == 5
        run operation(0, ERASE, 2); run operation(1, ERASE, 2); run operation(2, NEXT, 1)
#elif CONFIG == 6
        run operation(0, AFTER, 0); run operation(1, BEFORE, 1); run operation(2, PREV, 1)
#elif CONFIG == 7
        run operation(0, ERASE, 1); run operation(1, AFTER, 0); run operation(2, AFTER, 1)
#endif
    };
    ended == PROCS;
    d_step {
        /* The links lead through the live nodes in order; hints lead to nodes before. */
        at = REF(next[0]);
        i = 0;
        do
        :: i == count -> break
        :: else ->
            if
            :: gone[order[i]] -> skip
            :: else ->
                do
                :: at != 0 && MARKED(next[at]) -> at = REF(next[at])
                :: else -> break
                od;
                assert(at == order[i]);
                at = REF(next[at])
            fi;
            i++
        od;
        do
        :: at != 0 && MARKED(next[at]) -> at = REF(next[at])
        :: else -> break
        od;
        assert(at == 0)
    }
}
