/* SPDX-License-Identifier: Apache-2.0 */
/* The queue (cl/clade/queue.clh): a ring of SLOTS words, filled by compare-and-swap, emptied by who
 * moved head past them; tail is moved by whoever sees a filled slot there. Pops may take two values by
 * one step, as items of a sub-group do.
 *
 * Ghosts: inside[] between first and last is the queue as its operations say it is: [P1] puts, [G1]
 * takes. Each operation's answer is compared with it when the answer was right, by the header's words.
 * unemptied counts pops between [G1] and their last [G2].
 *
 * BUG_STORE_HEAD: head is moved by a store. BUG_STORE_TAIL: tail is. BUG_SAME_ROUND: a slot is emptied
 * for the round that has passed. BUG_NO_TAIL: a pop does not move tail first. BUG_EMPTY_AT_ONCE: empty is
 * told without another look at head. BUG_FULL_AT_ONCE: full is, without another look at tail. BUG_NO_ROUND:
 * an empty slot does not say for which round. */

#define SLOTS 2
#define MOST  8 /* positions */
#define TRIES 3
#define EMPTY 128
#define ODD   64
#define VALUE 63

byte slot[SLOTS];
byte head, tail, unemptied, ended, procs;
byte inside[MOST], first, last;

#define AT(p)    ((p) % SLOTS)
#define ROUND(p) ((p) / SLOTS)
#ifdef BUG_NO_ROUND
#define EMPTY_FOR(p) EMPTY
#else
#define EMPTY_FOR(p) (EMPTY + ROUND(p))
#endif
#define FULL_OF(p, v)   ((v) + (ROUND(p) % 2) * ODD)
#define IS_FILLED(p, w) ((w) < EMPTY && ((w) & ODD) == (ROUND(p) % 2) * ODD)

inline positions_are_right()
{
    assert(head <= tail && tail <= last && tail - head <= SLOTS)
}

inline append(v)
{
    d_step { p = tail; tries = 0; done = false };
    do
    :: done || tries == TRIES -> break
    :: else ->
        d_step {
            word = slot[AT(p)];
            tries++;
            was_full = last - first == SLOTS || unemptied > 0;
            filled = false
        };
        if
        :: word == EMPTY_FOR(p) ->
            atomic { /* [P1] */
                if
                :: slot[AT(p)] == EMPTY_FOR(p) ->
                    slot[AT(p)] = FULL_OF(p, v);
                    assert(p == last && last - first < SLOTS);
                    inside[last] = v;
                    last++;
                    filled = true;
                    done = true
                :: else ->
                    word = slot[AT(p)];
                    was_full = last - first == SLOTS || unemptied > 0
                fi
            }
        :: else -> skip
        fi;
#ifdef BUG_FULL_AT_ONCE
        now = p;
#else
        now = tail;
#endif
        if
        :: filled || (now == p && IS_FILLED(p, word)) ->
            atomic { /* [T1] */
                if
#ifdef BUG_STORE_TAIL
                :: true -> tail = p + 1
#else
                :: tail == p -> tail = p + 1; positions_are_right()
                :: else -> skip
#endif
                fi
            };
            now = tail
        :: else ->
            if
            :: now == p && word != EMPTY_FOR(p) ->
                assert(was_full); /* refused */
                done = true
            :: else -> skip
            fi
        fi;
        p = now
    od
}

/* The values of `wanted` items (1 or 2), as many as are there. */
inline pop(wanted)
{
    d_step { tries = 0; done = false };
    do
    :: done || tries == TRIES -> break
    :: else ->
        p = head;
        d_step { word = slot[AT(p)]; was_empty = first == last; tries++ };
        count = 0;
        if
        :: IS_FILLED(p, word) ->
            count = 1;
            if
            :: wanted == 2 ->
                other = slot[AT(p + 1)];
                if
                :: IS_FILLED(p + 1, other) -> count = 2
                :: else -> skip
                fi
            :: else -> skip
            fi
        :: else -> skip
        fi;
        if
        :: count == 0 ->
            atomic {
#ifdef BUG_EMPTY_AT_ONCE
                assert(was_empty); done = true
#else
                if
                :: head == p -> assert(was_empty); done = true
                :: else -> skip
                fi
#endif
            }
        :: else ->
#ifndef BUG_NO_TAIL
            now = tail;
            do
            :: now >= p + count -> break
            :: else ->
                atomic { /* [T2] */
                    if
                    :: tail == now -> tail = p + count; now = p + count; positions_are_right()
                    :: else -> now = tail
                    fi
                }
            od;
#endif
            atomic { /* [G1] */
#ifdef BUG_STORE_HEAD
                head = p + count; done = true;
#else
                if
                :: head == p -> head = p + count; done = true
                :: else -> skip
                fi;
#endif
                if
                :: done ->
                    assert(first == p && last - first >= count);
                    assert(inside[first] == (word & VALUE));
                    assert(count == 1 || inside[first + 1] == (other & VALUE));
                    first = first + count;
                    unemptied++;
                    positions_are_right()
                :: else -> skip
                fi
            };
            if
            :: done ->
                do
                :: count == 0 -> break
                :: else -> /* [G2] */
#ifdef BUG_SAME_ROUND
                    d_step { slot[AT(p)] = EMPTY_FOR(p); p++; count-- }
#else
                    d_step { slot[AT(p)] = EMPTY_FOR(p + SLOTS); p++; count-- }
#endif
                od;
                unemptied--
            :: else -> skip
            fi
        fi
    od
}

proctype appender(byte v; byte times)
{
    byte p, word, now, tries;
    bool filled, was_full, done;
    do
    :: times == 0 -> break
    :: else -> append(v); v++; times--
    od;
    ended++
}

proctype popper(byte wanted; byte times)
{
    byte p, word, other, now, count, tries;
    bool was_empty, done;
    do
    :: times == 0 -> break
    :: else -> pop(wanted); times--
    od;
    ended++
}

/* `n` values inside, from position `at` on. */
inline begin(at, n)
{
    head = at; first = at; tail = at + n; last = at + n;
    i = at;
    do
    :: i == at + SLOTS -> break
    :: i < at + n -> inside[i] = 10 + i; slot[AT(i)] = FULL_OF(i, 10 + i); i++
    :: else -> slot[AT(i)] = EMPTY_FOR(i); i++
    od
}

init
{
    byte i;
    atomic {
#if CONFIG == 1
        begin(0, 0); procs = 4;
        run appender(1, 1); run appender(2, 1); run popper(1, 1); run popper(1, 1)
#elif CONFIG == 2
        begin(1, 2); procs = 3;
        run appender(1, 2); run popper(1, 2); run appender(3, 1)
#elif CONFIG == 3
        begin(0, 1); procs = 3;
        run popper(2, 1); run appender(1, 2); run popper(1, 1)
#elif CONFIG == 4
        begin(1, 2); procs = 4;
        run popper(2, 1); run popper(1, 1); run appender(1, 1); run appender(2, 1)
#elif CONFIG == 5 /* gone round while one item stands still */
        begin(0, 0); procs = 3;
        run appender(1, 1); run appender(2, 3); run popper(2, 2)
#endif
    };
    ended == procs;
    d_step {
        assert(head == first && tail == last && unemptied == 0);
        i = head;
        do
        :: i == head + SLOTS -> break
        :: i < tail -> assert(slot[AT(i)] == FULL_OF(i, inside[i])); i++
        :: else -> assert(slot[AT(i)] == EMPTY_FOR(i)); i++
        od
    }
}
