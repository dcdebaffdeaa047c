/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree's free lists (CLADE_RB(pop), _release): one stack, each step a shared access.
 *
 * Each process takes and gives nodes in any order. Ghost: who has a node. A node is popped when nobody has it,
 * pushed by who has it; at the end each is on the stack once or somebody's, but for those given up.
 *
 * Planted: ABA: a pop does not lock the head, it puts the next node there by compare-and-swap. STORE: a push
 * stores. IGNORE: a push takes no heed of a locked head. EARLY: a pop gives the head back before it has read the next. */

c_decl { \#include <stdlib.h> }

byte config, bug;

#define ABA    1
#define STORE  2
#define IGNORE 3
#define EARLY  4

#define NODES 4
#define PROCS 3
#define FREE  7 /* nobody's */

byte head;        /* (node + 1) * 2, lowest bit: a pop is under way */
byte next[NODES]; /* as head */
byte owner[NODES];
byte lost, ended;

inline swap(seen, new)
{
    atomic {
        won = head == seen;
        if
        :: won -> head = new
        :: else -> skip
        fi
    }
}

inline pop()
{
    node = FREE;
    seen = head;
    if
    :: seen == 0 || seen % 2 == 1 -> skip
    :: else ->
        if
        :: bug == ABA -> after = next[seen / 2 - 1]; swap(seen, after)
        :: else -> swap(seen, seen + 1)
        fi;
        if
        :: won ->
            node = seen / 2 - 1;
            if
            :: bug == ABA -> skip
            :: bug == EARLY -> head = seen; after = next[node]; head = after
            :: else -> after = next[node]; head = after
            fi;
            d_step { assert(owner[node] == FREE); owner[node] = me; mine = mine | 1 << node }
        :: else -> skip
        fi
    fi;
    d_step { seen = 0; after = 0; won = false; node = 0 }
}

inline push()
{
    if /* any of its nodes */
    :: (mine & 1) != 0 -> node = 0
    :: (mine & 2) != 0 -> node = 1
    :: (mine & 4) != 0 -> node = 2
    :: (mine & 8) != 0 -> node = 3
    fi;
    d_step { owner[node] = FREE; mine = mine & ~(1 << node) };
    tries = 0; won = false;
    do
    :: !won && tries < 2 ->
        seen = head;
        if
        :: seen % 2 == 1 && bug != IGNORE -> skip
        :: else ->
            next[node] = seen;
            if
            :: bug == STORE -> head = (node + 1) * 2; won = true
            :: else -> swap(seen, (node + 1) * 2)
            fi
        fi;
        tries++
    :: else -> break
    od;
    skip;
    d_step {
        if
        :: !won -> lost = lost | 1 << node /* counted as leaked */
        :: else -> skip
        fi;
        seen = 0; won = false; tries = 0; node = 0
    }
}

proctype worker(byte me; byte mine; byte steps)
{
    byte node, seen, after, tries;
    bool won;
    do
    :: steps > 0 ->
        steps--;
        if
        :: pop()
        :: mine != 0 -> push()
        fi
    :: else -> break
    od;
    skip;
    d_step { mine = 0; ended++ }
}

init
{
    byte at, on;
    d_step {
        c_code {
            const char *text = getenv("MODEL_CONFIG");
            now.config = text ? atoi(text) : 1;
            text = getenv("MODEL_BUG");
            now.bug = text ? atoi(text) : 0;
        };
        /* 0 over 1; 2 and 3 are somebody's. */
        head = 2; next[0] = 4; next[1] = 0;
        owner[0] = FREE; owner[1] = FREE; owner[2] = 1; owner[3] = 2
    };
    atomic {
        if
        :: config == 1 -> run worker(0, 0, 2); run worker(1, 4, 2); run worker(2, 8, 2)
        :: config == 3 -> run worker(0, 0, 1); run worker(1, 4, 2); run worker(2, 8, 1)
        :: config == 2 -> run worker(0, 0, 1); run worker(1, 4, 4); run worker(2, 0, 0)
        fi
    };
    ended == PROCS;
    d_step {
        assert(head % 2 == 0);
        at = head;
        do
        :: at != 0 ->
            at = at / 2 - 1;
            assert((on >> at & 1) == 0 && owner[at] == FREE && (lost >> at & 1) == 0);
            on = on | 1 << at;
            at = next[at]
        :: else -> break
        od;
        at = 0;
        do
        :: at < NODES -> assert((on >> at & 1) != 0 || owner[at] != FREE || (lost >> at & 1) != 0); at++
        :: else -> break
        od
    }
}
