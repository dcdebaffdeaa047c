/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map's packed form (cl/clade/hashmap/change.clh, find.clh, packed.clh), one step a shared
 * access. tests/hashmap/hashmap_tagged.pml has the tagged form.
 *
 * A slot is 0 (never used), DEAD, or key * 2 + value. A home word has marks, reach, spilled and the
 * lock in bits. Keys 1 to 3, 5 and 6 have home 0, key 4 has home 1; 3 and 6 have another mark.
 *
 * Ghosts: present[key] is the word that the map has by docs/inside/hashmap.md; the steps that are
 * said to be linearization points change it. was_absent[proc]: at some moment of the operation its
 * key was absent. Each outcome is compared with them; at the end the invariants H1 to H6.
 *
 * BUG_NO_LOCK: a lock that another has counts as taken. BUG_ANY_OPEN: a new key goes into any slot
 * that was never used. BUG_AS_NEW: an erased slot is as one that was never used. BUG_LATE: the home
 * word is raised after the slot's change. BUG_HOME_UNSEEN: under the lock the home is not looked at
 * again. BUG_BLIND: who was too late in a slot does not look at what came. BUG_NO_MARKS: the short
 * way does not care for marks. BUG_EARLY: an erase lowers the home word first. BUG_NO_UNDO: what
 * found its slot taken leaves the home word raised. BUG_REACH: a farther key does not raise the
 * reach. BUG_KEEP_OPEN: an insert passes over a bucket that has a slot which was never used. */

#if CONFIG >= 7
#define SLOTS   1
#define BUCKETS 3
#else
#define SLOTS   2
#define BUCKETS 2
#endif
#define PLACES (SLOTS * BUCKETS)
#define KEYS   7
#define PROCS  3
#define TRIES  2
#define NONE   15

#define DEAD        1
#define KEY(w)      ((w) / 2)
#define WORD(k, v)  ((k) * 2 + (v))

#define LOCK        128
#define SPILLED_MAX 7
#define MARKS(w)    ((w) & 3)
#define REACH(w)    ((w) >> 2 & 3)
#define SPILLED(w)  ((w) >> 4 & 7)
#define ONE         16

#define HOME(k) ((k) == 4 -> 1 : 0)
#define MARK(k) ((k) == 3 || (k) == 6 -> 2 : 1)
#define AT(k, step) \
    ((step) == 2 -> 2 : (HOME(k) + (step)) % 2)

#define FIND   0
#define INSERT 1
#define PUT    2
#define ERASE  3

byte slot[PLACES], home[BUCKETS];
byte present[KEYS];
byte key_of[PROCS];
bool was_absent[PROCS];
byte ended;

inline now_absent(k)
{
    present[k] = 0;
    was_absent[0] = was_absent[0] || key_of[0] == k;
    was_absent[1] = was_absent[1] || key_of[1] == k;
    was_absent[2] = was_absent[2] || key_of[2] == k
}

/* done = the slot was `old`, and is `new` now; else now = what it is. */
inline change(place, old, new)
{
    atomic {
        now = slot[place];
        done = (now == old);
        if
        :: done ->
            slot[place] = new;
            if
            :: KEY(old) == 0 -> assert(present[key] == 0); present[key] = new
            :: KEY(old) != 0 && KEY(new) != 0 -> assert(present[key] == old); present[key] = new
            :: else -> assert(present[key] == old); now_absent(key)
            fi
        :: else -> skip
        fi
    }
}

/* One bucket, word by word. */
inline look(bucket)
{
    d_step { seen = NONE; word = 0; open = NONE; dead = NONE; n = 0 };
    do
    :: n == SLOTS -> break
    :: else ->
        d_step {
            now = slot[(bucket) * SLOTS + n];
            if
            :: KEY(now) == key && seen == NONE ->
                seen = (bucket) * SLOTS + n;
                word = now;
                assert(present[key] == now)
            :: now == 0 && open == NONE -> open = (bucket) * SLOTS + n
            :: now == DEAD && dead == NONE -> dead = (bucket) * SLOTS + n
            :: else -> skip
            fi;
            n++
        }
    od
}

/* What the home word is with one more key at `far` steps; locked. */
inline raised(w)
{
    d_step {
        if
        :: SPILLED(w) == 0 -> next = MARK(key) + far * 4
        :: SPILLED(w) != 0 && REACH(w) < far ->
#ifdef BUG_REACH
            next = (MARKS(w) | MARK(key)) + REACH(w) * 4
#else
            next = (MARKS(w) | MARK(key)) + far * 4
#endif
        :: else -> next = (MARKS(w) | MARK(key)) + REACH(w) * 4
        fi;
        next = LOCK + next + (SPILLED(w) == SPILLED_MAX -> SPILLED_MAX : SPILLED(w) + 1) * ONE
    }
}

/* [H2], by who has the lock. */
inline spill()
{
    hw = home[HOME(key)];
    is_set = false;
    do
    :: is_set -> break
    :: else ->
        raised(hw);
        atomic {
            if
            :: home[HOME(key)] == hw -> home[HOME(key)] = next; is_set = true
            :: else -> hw = home[HOME(key)]
            fi
        }
    od
}

/* [H3] */
inline unspill()
{
    hw = home[HOME(key)];
    is_set = false;
    do
    :: is_set || SPILLED(hw) == SPILLED_MAX -> break
    :: else ->
        atomic {
            if
            :: home[HOME(key)] == hw ->
                assert(SPILLED(hw) > 0);
                home[HOME(key)] = hw - ONE;
                is_set = true
            :: else -> hw = home[HOME(key)]
            fi
        }
    od
}

inline unlock()
{
    atomic { home[HOME(key)] = home[HOME(key)] & 127 }
}

/* A free slot on the way, noted: what it was, and how far. */
inline note_free()
{
    d_step {
        if
        :: free == NONE && dead != NONE -> free = dead; old = DEAD; far = step
        :: free == NONE && dead == NONE && open != NONE -> free = open; old = 0; far = step
        :: else -> skip
        fi
    }
}

/* done = the key came into the noted slot, or into one after it that was never used. */
inline fill_found()
{
    do
    :: true ->
        change(free, old, WORD(key, value));
        free++;
        if
        :: done || old == DEAD || free % SLOTS == 0 -> break
        :: else -> skip
        fi
    od
}

/* A key that was seen, `step` steps away. done = the operation is. */
inline change_seen()
{
    if
    :: what == INSERT || what == FIND -> done = true
    :: what == PUT -> change(seen, word, WORD(key, value))
    :: what == ERASE ->
#ifdef BUG_EARLY
        if
        :: step != 0 -> unspill()
        :: else -> skip
        fi;
#endif
#ifdef BUG_AS_NEW
        change(seen, word, 0);
#else
        change(seen, word, DEAD);
#endif
#ifndef BUG_EARLY
        if
        :: done && step != 0 -> unspill()
        :: else -> skip
        fi
#endif
    fi
}

/* seen = the key beyond its home, `step` steps away. */
inline seek_far()
{
    hw = home[HOME(key)];
    step = 1;
    seen = NONE;
    do
    :: step > REACH(hw) || step == BUCKETS || SPILLED(hw) == 0 || (MARKS(hw) & MARK(key)) == 0 ->
        break
    :: else ->
        look(AT(key, step));
        if
        :: seen != NONE || open != NONE -> break
        :: else -> step++
        fi
    od
}

/* The short way: the slot is chosen first, then one step takes the lock and counts the key. */
inline bring_near()
{
    seen_home = home[HOME(key)];
    step = 1;
    free = NONE;
    do
    :: step == BUCKETS || free != NONE -> break
    :: else -> look(AT(key, step)); note_free(); step++
    od;
    if
    :: free == NONE || seen_home >= LOCK || SPILLED(seen_home) >= SPILLED_MAX - 1 ||
#ifdef BUG_NO_MARKS
       false ->
#else
       (SPILLED(seen_home) != 0 && (MARKS(seen_home) & MARK(key)) != 0) ->
#endif
        is_near = false
    :: else ->
        raised(seen_home);
#ifdef BUG_LATE
        next = seen_home + LOCK;
#endif
        atomic {
            is_set = (home[HOME(key)] == seen_home);
            if
            :: is_set -> home[HOME(key)] = next
            :: else -> skip
            fi
        };
        if
        :: is_set ->
#ifdef BUG_HOME_UNSEEN
            seen = NONE;
#else
            look(HOME(key));
#endif
            if
            :: seen == NONE -> fill_found()
            :: else -> skip
            fi;
#ifdef BUG_LATE
            if
            :: done -> spill()
            :: else -> skip
            fi;
#else
#ifndef BUG_NO_UNDO
            if
            :: !done -> unspill()
            :: else -> skip
            fi;
#endif
#endif
            unlock()
        :: else -> skip
        fi
    fi
}

/* A search of the whole way, under the lock. */
inline change_locked()
{
    atomic { locked = home[HOME(key)]; home[HOME(key)] = locked | LOCK };
    if
#ifdef BUG_NO_LOCK
    :: false -> skip
#else
    :: locked >= LOCK -> skip
#endif
    :: else ->
        step = 0;
        free = NONE;
        do
        :: true ->
            look(AT(key, step));
            if
            :: seen != NONE -> break
            :: else -> skip
            fi;
            note_free();
            if
#ifdef BUG_KEEP_OPEN
            :: step + 1 == BUCKETS -> break
#else
            :: open != NONE || step + 1 == BUCKETS -> break
#endif
            :: else -> skip
            fi;
            if
            :: free != NONE && (SPILLED(locked) == 0 || (MARKS(locked) & MARK(key)) == 0 ||
                                step >= REACH(locked)) ->
                break
            :: else -> step++
            fi
        od;
        if
        :: seen != NONE -> change_seen()
        :: seen == NONE && free == NONE -> done = true /* full */
        :: else ->
#ifdef BUG_KEEP_OPEN
            far = step; free = PLACES - 1; old = slot[free];
#endif
#ifndef BUG_LATE
            if
            :: far != 0 -> spill()
            :: else -> skip
            fi;
#endif
            fill_found();
#ifdef BUG_LATE
            if
            :: done && far != 0 -> spill()
            :: else -> skip
            fi;
#else
#ifndef BUG_NO_UNDO
            if
            :: !done && far != 0 -> unspill()
            :: else -> skip
            fi;
#endif
#endif
            skip
        fi;
        unlock()
    fi
}

/* The first slot that was never used, and what is there if another item was faster. */
inline fill_open()
{
    do
    :: true ->
#ifdef BUG_ANY_OPEN
        change((open ^ value), 0, WORD(key, value));
#else
        change(open, 0, WORD(key, value));
#endif
        if
        :: done -> break
#ifndef BUG_BLIND
        :: !done && KEY(now) == key -> d_step { seen = open; word = now; step = 0 }; change_seen(); break
        :: !done && KEY(now) != key -> open++
#else
        :: !done -> open++
#endif
        fi;
        if
        :: open % SLOTS == 0 -> break
        :: else -> skip
        fi
    od
}

inline not_found()
{
    assert(was_absent[me]);
    done = true
}

inline try()
{
    step = 0;
    look(HOME(key));
    if
    :: seen != NONE -> change_seen()
    :: seen == NONE && open != NONE && (what == FIND || what == ERASE) -> not_found()
    :: seen == NONE && open != NONE && (what == INSERT || what == PUT) -> fill_open()
    :: else ->
        is_near = (what == INSERT || what == PUT) && dead == NONE;
        if
        :: is_near -> bring_near()
        :: else -> skip
        fi;
        if
        :: is_near -> skip
        :: else ->
            seek_far();
            if
            :: seen != NONE -> change_seen()
            :: seen == NONE && (what == FIND || what == ERASE) -> not_found()
            :: else -> change_locked()
            fi
        fi
    fi
}

/* Two operations in turn; one that gave up did nothing. */
proctype item(byte me; byte what; byte key; byte what2; byte key2)
{
    byte seen, word, open, dead, n, now, step, far, free, old, hw, next, seen_home, locked, tries;
    byte value;
    bool done, is_set, is_near, is_second;
    value = me % 2;
    do
    :: true ->
        d_step { key_of[me] = key; was_absent[me] = (present[key] == 0); done = false; tries = 0 };
        do
        :: done || tries == TRIES -> break
        :: else -> try(); tries++
        od;
        if
        :: is_second || key2 == 0 -> break
        :: else -> d_step { is_second = true; what = what2; key = key2 }
        fi
    od;
    ended++
}

#define ITEM(me, what, key)                run item(me, what, key, 0, 0)
#define TWO(me, what, key, what2, key2)    run item(me, what, key, what2, key2)
#define PUT_AT(place, k)                   slot[place] = WORD(k, 0); present[k] = WORD(k, 0)

init
{
    byte k, place, count, step, i, b;
    atomic {
#if CONFIG == 0 /* all places at home were never used */
        ITEM(0, INSERT, 1); ITEM(1, INSERT, 1); ITEM(2, PUT, 1);
#elif CONFIG == 1 /* one place at home was never used */
        PUT_AT(0, 5);
        ITEM(0, INSERT, 1); TWO(1, INSERT, 1, ERASE, 1); ITEM(2, INSERT, 2);
#elif CONFIG == 2 /* none is left */
        PUT_AT(0, 5); PUT_AT(1, 6);
        ITEM(0, INSERT, 1); ITEM(1, PUT, 1); ITEM(2, FIND, 1);
#elif CONFIG == 3 /* one comes free at home */
        PUT_AT(0, 5); PUT_AT(1, 6);
        ITEM(0, ERASE, 5); ITEM(1, INSERT, 1); ITEM(2, INSERT, 1);
#elif CONFIG == 4 /* a key away from home goes, and comes again */
        PUT_AT(0, 5); PUT_AT(1, 6); PUT_AT(2, 1);
        home[0] = MARK(1) + 4 + ONE;
        ITEM(0, ERASE, 1); ITEM(1, PUT, 1); ITEM(2, FIND, 1);
#elif CONFIG == 5 /* two keys of one mark, one of another home */
        PUT_AT(0, 5); PUT_AT(1, 6);
        ITEM(0, INSERT, 1); ITEM(1, INSERT, 4); TWO(2, INSERT, 3, ERASE, 3);
#elif CONFIG == 6 /* the home word becomes empty, while another key comes */
        PUT_AT(0, 5); PUT_AT(1, 6); PUT_AT(2, 2);
        home[0] = MARK(2) + 4 + ONE;
        TWO(0, ERASE, 2, INSERT, 1); ITEM(1, INSERT, 3); ITEM(2, FIND, 3);
#elif CONFIG == 7 /* three buckets */
        PUT_AT(0, 5);
        ITEM(0, INSERT, 1); ITEM(1, INSERT, 4); TWO(2, INSERT, 3, FIND, 3);
#elif CONFIG == 8
        PUT_AT(0, 5); PUT_AT(1, 4); PUT_AT(2, 1);
        home[0] = MARK(1) + 8 + ONE;
        TWO(0, ERASE, 4, INSERT, 3); ITEM(1, ERASE, 1); ITEM(2, FIND, 1);
#elif CONFIG == 9
        PUT_AT(0, 5); PUT_AT(1, 2);
        home[0] = MARK(2) + 4 + ONE;
        ITEM(0, ERASE, 2); TWO(1, INSERT, 3, FIND, 3); ITEM(2, PUT, 2);
#endif
    };
    ended == PROCS;
    d_step {
        for (k : 1 .. KEYS - 1) {
            count = 0;
            for (place : 0 .. PLACES - 1) {
                if
                :: KEY(slot[place]) == k -> count++; i = place; assert(slot[place] == present[k])
                :: else -> skip
                fi
            };
            assert(count == (present[k] != 0 -> 1 : 0)); /* H1 */
            if
            :: count == 1 ->
                step = 0;
                do
                :: AT(k, step) == i / SLOTS -> break
                :: else -> /* H3 */
                    b = AT(k, step);
                    assert(slot[b * SLOTS] != 0 && slot[b * SLOTS + SLOTS - 1] != 0);
                    step++
                od;
                assert(step <= REACH(home[HOME(k)]) || step == 0); /* H2 */
                assert(step == 0 || (MARKS(home[HOME(k)]) & MARK(k)) != 0)
            :: else -> skip
            fi
        };
        for (b : 0 .. 1) {
            count = 0;
            for (place : 0 .. PLACES - 1) {
                if
                :: KEY(slot[place]) != 0 && HOME(KEY(slot[place])) == b && place / SLOTS != b -> count++
                :: else -> skip
                fi
            };
            assert(home[b] < LOCK); /* H6 */
            assert(SPILLED(home[b]) == count)
        }
    }
}
