/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map's tagged form (cl/clade/hashmap/tagged.clh, change.clh, find.clh), one step a shared
 * access; tests/hashmap/hashmap.pml has the packed form. Two buckets of one slot. Keys 2, 4 and 7
 * have home 1, others home 0. All tags are alike.
 *
 * A state is its kind, which copy of the value counts, and a version. TORN (configs from 5 on): keys
 * and values have two halves, which are read and written one after another; a value is changed in
 * two copies. Else each is one word, and a value is changed in place.
 *
 * Ghosts: value_of[key] is what the map has by docs/inside/hashmap.md, 0: nothing. was[proc]: a bit
 * for each of the values that the operation's key had since the operation began. Each outcome is
 * compared with them; at the end the invariants H1, H2, H3 and H6.
 *
 * BUG_STATE_ONCE: a find does not look at the state again. BUG_NO_CLAIM: key and value are written
 * before the slot is claimed. BUG_SAME_VERSION: a new key does not change the version. BUG_ONE_COPY:
 * a value is written into the copy that counts. BUG_READ_ONCE: under the lock, too, a state is not
 * looked at again where keys are read in two halves. BUG_NO_LOCK: a lock that another has counts as
 * taken. BUG_LATE: the home word is raised after the slot is full. BUG_UNLOCK_FIRST: the lock is
 * given back before the slot is full. */

#define PLACES 2
#define KEYS   8
#define PROCS  3
#define TRIES  2
#define NONE   15
#if CONFIG >= 5
#define TORN 1
#else
#define TORN 0
#endif

#define EMPTY   0
#define FULL    1
#define FREED   2
#define CLAIMED 3
#define IS(s)   ((s) & 3)
#define COPY    4
#define VERSION 8
#define COPY_OF(s) ((s) / COPY % 2)

#define LOCK       128
#define ONE        16
#define SPILLED(w) ((w) >> 4 & 7)
#define HOME(k)    ((k) == 2 || (k) == 4 || (k) == 7 -> 1 : 0)
#define LOW(k)     ((k) % 2)
#define HIGH(k)    ((k) / 2)
#define KEY_AT(place) (key_low[place] + 2 * key_high[place])
#define AT(k, step) ((HOME(k) + (step)) % 2)

#define FIND   0
#define INSERT 1
#define PUT    2
#define ERASE  3

byte state[PLACES], key_low[PLACES], key_high[PLACES], low[2 * PLACES], high[2 * PLACES];
byte home[2];
byte value_of[KEYS];
byte key_of[PROCS], was[PROCS];
byte ended;

inline now_has(k, v)
{
    value_of[k] = v;
    was[0] = was[0] | (key_of[0] == k -> 1 << v : 0);
    was[1] = was[1] | (key_of[1] == k -> 1 << v : 0);
    was[2] = was[2] | (key_of[2] == k -> 1 << v : 0)
}

/* Reads a slot; seen = place if it has the key. */
inline look_at(place, is_locked)
{
    n = 0;
    do
    :: true ->
        word = state[place];
        if
        :: IS(word) != FULL -> break
        :: else -> skip
        fi;
        if
        :: TORN -> other = key_low[place]; other = other + 2 * key_high[place]
        :: else -> other = KEY_AT(place)
        fi;
        if
        :: other != key -> break
        :: else -> skip
        fi;
        lo = low[2 * (place) + COPY_OF(word)];
        if
        :: TORN -> hi = high[2 * (place) + COPY_OF(word)]
        :: else -> hi = lo
        fi;
        if
#ifdef BUG_STATE_ONCE
        :: true -> seen = place; break
#else
#ifdef BUG_READ_ONCE
        :: is_locked || state[place] == word -> seen = place; break
#else
        :: (is_locked && !TORN) || state[place] == word -> seen = place; break
#endif
        :: else -> n++
#endif
        fi;
        if
        :: n == TRIES -> unsure = true; break
        :: else -> skip
        fi
    od
}

/* The bucket's states first, then its slot. */
inline look(place, is_locked)
{
    d_step { seen = NONE; open = false; dead = false; first = state[place] };
    if
    :: IS(first) == EMPTY -> open = true
    :: IS(first) == FREED -> dead = true
    :: IS(first) == FULL -> look_at(place, is_locked)
    :: else -> skip
    fi
}

inline seek()
{
    unsure = false;
    step = 0;
    look(HOME(key), false);
    if
    :: seen == NONE && !open ->
        hw = home[HOME(key)];
        if
        :: SPILLED(hw) != 0 -> step = 1; look(AT(key, 1), false)
        :: else -> skip
        fi
    :: else -> skip
    fi
}

inline found()
{
    d_step { assert(lo == hi && (was[me] & (1 << lo)) != 0) }; /* of one moment, and not before */
    done = true
}

inline spill(change_by)
{
    atomic { home[HOME(key)] = home[HOME(key)] + change_by }
}

inline store_key()
{
    key_low[place] = LOW(key);
    key_high[place] = HIGH(key)
}

inline store_value(copy)
{
    low[2 * place + copy] = value;
    if
    :: TORN -> high[2 * place + copy] = value
    :: else -> skip
    fi
}

/* A new key, into the free slot whose state was `old`. */
inline fill()
{
#ifdef BUG_SAME_VERSION
    version = old / VERSION * VERSION;
#else
    version = old / VERSION * VERSION + VERSION;
#endif
#ifdef BUG_NO_CLAIM
    store_key();
    store_value(0);
#endif
    atomic { /* [C1] */
        is_set = (state[place] == old);
        if
        :: is_set -> state[place] = version + CLAIMED
        :: else -> skip
        fi
    };
    if
    :: is_set ->
#ifndef BUG_NO_CLAIM
        store_key();
        store_value(0);
#endif
#ifdef BUG_UNLOCK_FIRST
        atomic { home[HOME(key)] = home[HOME(key)] & 127 };
#endif
        atomic { /* [F2] */
            assert(value_of[key] == 0);
            state[place] = version + FULL;
            now_has(key, value)
        };
        done = true
    :: else -> skip
    fi
}

inline set_value()
{
    place = seen;
    if
    :: TORN ->
        store_value(COPY_OF(word ^ COPY));
#ifdef BUG_ONE_COPY
        store_value(COPY_OF(word));
#endif
        atomic { /* [V2] */
            assert(value_of[key] != 0);
            state[place] = (word ^ COPY) + VERSION;
            now_has(key, value)
        }
    :: else ->
        atomic { assert(value_of[key] != 0); low[2 * place + COPY_OF(word)] = value; now_has(key, value) }
    fi;
    done = true
}

inline free_slot()
{
    atomic { /* [E2] */
        assert(value_of[key] != 0);
        state[seen] = word / VERSION * VERSION + FREED;
        now_has(key, 0)
    };
    if
    :: step != 0 -> spill(- ONE) /* [H3] */
    :: else -> skip
    fi;
    done = true
}

inline change_locked()
{
    atomic { hw = home[HOME(key)]; home[HOME(key)] = hw | LOCK };
    if
#ifdef BUG_NO_LOCK
    :: false -> skip
#else
    :: hw >= LOCK -> skip
#endif
    :: else ->
        step = 0;
        place = NONE;
        unsure = false;
        do
        :: true ->
            look(AT(key, step), true);
            if
            :: seen == NONE && place == NONE && (open || dead) ->
                place = AT(key, step); old = first; far = step
            :: else -> skip
            fi;
            if
            :: seen != NONE || open || step == 1 || (place != NONE && SPILLED(hw) == 0) -> break
            :: else -> step++
            fi
        od;
        if
        :: seen != NONE ->
            if
            :: what == ERASE -> free_slot()
            :: what == PUT -> set_value()
            :: else -> found()
            fi
        :: seen == NONE && unsure -> skip /* busy */
        :: seen == NONE && !unsure && what == ERASE -> assert(value_of[key] == 0); done = true
        :: seen == NONE && !unsure && what != ERASE && place == NONE -> done = true /* full */
        :: else ->
#ifndef BUG_LATE
            if
            :: far != 0 -> spill(ONE) /* [H2] */
            :: else -> skip
            fi;
#endif
            fill();
            if
#ifdef BUG_LATE
            :: far != 0 && done -> spill(ONE)
#else
            :: far != 0 && !done -> spill(- ONE)
#endif
            :: else -> skip
            fi
        fi;
        atomic { home[HOME(key)] = home[HOME(key)] & 127 }
    fi
}

inline try()
{
    seek();
    if
    :: seen != NONE && (what == FIND || what == INSERT) -> found()
    :: seen == NONE && !unsure && (what == FIND || what == ERASE) ->
        assert((was[me] & 1) != 0); /* absent at some moment */
        done = true
    :: seen == NONE && unsure && what == FIND -> skip
    :: else -> change_locked()
    fi
}

proctype item(byte me; byte what; byte key; byte what2; byte key2)
{
    byte seen, word, other, first, n, lo, hi, step, place, old, far, hw, version, tries, value;
    bool open, dead, unsure, done, is_set, is_second;
    value = me + 1;
    do
    :: true ->
        d_step { key_of[me] = key; was[me] = 1 << value_of[key]; done = false; tries = 0 };
        do
        :: done || tries == TRIES -> break
        :: else -> try(); tries++
        od;
        if
        :: is_second || key2 == 0 -> break
        :: else -> d_step { is_second = true; what = what2; key = key2; value = value + 3 }
        fi
    od;
    ended++
}

#define ITEM(me, what, key)             run item(me, what, key, 0, 0)
#define TWO(me, what, key, what2, key2) run item(me, what, key, what2, key2)
#define PUT_AT(place, k) \
    state[place] = FULL; key_low[place] = LOW(k); key_high[place] = HIGH(k); low[2 * place] = 7; high[2 * place] = 7; value_of[k] = 7

init
{
    byte k, place, count, i;
    atomic {
#if CONFIG == 1 || CONFIG == 5 /* empty */
        ITEM(0, PUT, 1); TWO(1, PUT, 1, ERASE, 1); ITEM(2, FIND, 1);
#elif CONFIG == 2 || CONFIG == 6 /* a slot changes its key */
        PUT_AT(0, 1);
        PUT_AT(1, 3);
        home[0] = ONE;
        TWO(0, ERASE, 1, PUT, 1); TWO(1, PUT, 2, PUT, 2); ITEM(2, FIND, 1);
#elif CONFIG == 3 || CONFIG == 7 /* two homes want one slot */
        PUT_AT(0, 3);
        ITEM(0, PUT, 1); TWO(1, INSERT, 2, ERASE, 2); TWO(2, FIND, 1, FIND, 2);
#elif CONFIG == 4 || CONFIG == 8 /* a key away from home */
        PUT_AT(0, 3);
        PUT_AT(1, 1);
        home[0] = ONE;
        ITEM(0, PUT, 1); TWO(1, ERASE, 1, PUT, 2); TWO(2, FIND, 1, FIND, 2);
#elif CONFIG == 9 /* halves of two keys that look like a third one */
        PUT_AT(0, 7);
        PUT_AT(1, 2);
        home[1] = ONE;
        ITEM(0, PUT, 5); TWO(1, ERASE, 7, INSERT, 4); ITEM(2, FIND, 5);
#endif
    };
    ended == PROCS;
    d_step {
        for (k : 1 .. KEYS - 1) {
            count = 0;
            for (place : 0 .. PLACES - 1) {
                if
                :: IS(state[place]) == FULL && KEY_AT(place) == k ->
                    count++;
                    i = place;
                    assert(low[2 * place + COPY_OF(state[place])] == value_of[k])
                :: else -> skip
                fi
            };
            assert(count == (value_of[k] != 0 -> 1 : 0)); /* H1 */
            assert(count == 0 || i == HOME(k) || IS(state[HOME(k)]) != EMPTY) /* H3 */
        };
        for (i : 0 .. 1) {
            count = 0;
            for (place : 0 .. PLACES - 1) {
                assert(IS(state[place]) != CLAIMED); /* H6 */
                if
                :: IS(state[place]) == FULL && HOME(KEY_AT(place)) == i && place != i -> count++
                :: else -> skip
                fi
            };
            assert(home[i] == count * ONE) /* H2, H6 */
        }
    }
}
