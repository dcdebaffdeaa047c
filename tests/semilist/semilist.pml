/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list's end (cl/clade/semilist.clh): nodes are appended behind the last one, erased or
 * not, by swapping its nil link; searches unlink erased nodes that have a successor.
 *
 * Cell v holds key v; cell 0 is the head. Ghosts: there[v] is changed with the swap that appends v or
 * marks it; absent[p] says whether the key that process p wants was absent since it began.
 *
 * BUG_APPEND_LIVE: an append takes the mark of the node before it away. BUG_UNLINK_LAST: the last node is
 * unlinked like any other. BUG_UNCOMPARED: unlinked by a store. BUG_STORE_LINK: linked by a store. */

#define CELLS 6
#define PROCS 4

/* A link word: both parts change in one step. */
byte next[CELLS];
bool erased[CELLS];
byte hint; /* any node that was the last one, or the head */
bool there[CELLS], absent[PROCS];
byte wanted[PROCS];
byte ended;

inline became_absent(v)
{
    absent[0] = absent[0] || wanted[0] == v;
    absent[1] = absent[1] || wanted[1] == v;
    absent[2] = absent[2] || wanted[2] == v;
    absent[3] = absent[3] || wanted[3] == v
}

proctype append(byte cell)
{
    byte at, link;
    bool mark, done;
    done = false;
    at = hint;
    do
    :: done -> break
    :: else ->
        d_step { link = next[at]; mark = erased[at] };
        if
        :: link != 0 -> at = link
        :: else ->
            atomic {
#ifdef BUG_STORE_LINK
                next[at] = cell; there[cell] = true; done = true
#else
                if
                :: next[at] == 0 && erased[at] == mark ->
                    next[at] = cell;
#ifdef BUG_APPEND_LIVE
                    erased[at] = false;
#endif
                    there[cell] = true;
                    done = true
                :: else -> skip
                fi
#endif
            }
        fi
    od;
    hint = cell;
    ended++
}

/* By ref: the node is known to have been appended when it is. */
proctype del(byte v)
{
    byte link;
    bool done;
    done = false;
    there[v] || erased[v];
    do
    :: done -> break
    :: else ->
        d_step { link = next[v]; done = erased[v] };
        atomic {
            if
            :: !done && next[v] == link && !erased[v] ->
                erased[v] = true;
                assert(there[v]);
                there[v] = false;
                became_absent(v);
                done = true
            :: else -> skip
            fi
        }
    od;
    ended++
}

proctype find(byte me; byte v)
{
    byte left, left_link, node, succ;
    bool mark, dead, done;
    d_step { wanted[me] = v; absent[me] = !there[v] };
    left = 0; dead = false; done = false;
    left_link = next[0];
    node = left_link;
    if
    :: node == 0 -> assert(absent[me]); done = true
    :: else -> skip
    fi;
    do
    :: done -> break
    :: else ->
        atomic {
            succ = next[node]; mark = erased[node];
            if
            :: !mark && node == v -> assert(there[v])
            :: succ == 0 && (mark || node != v) -> assert(absent[me])
            :: else -> skip
            fi
        };
        if
#ifdef BUG_UNLINK_LAST
        :: mark && succ == 0 ->
            atomic {
                if
                :: next[left] == left_link && !erased[left] -> next[left] = 0
                :: else -> skip
                fi
            };
            done = true
#endif
        :: mark && succ != 0 -> dead = true; node = succ
        :: else ->
            if
            :: dead ->
                atomic {
#ifdef BUG_UNCOMPARED
                    next[left] = node; erased[left] = false
#else
                    if
                    :: next[left] == left_link && !erased[left] -> next[left] = node
                    :: else -> skip
                    fi
#endif
                };
                dead = false
            :: else -> skip
            fi;
            if
            :: mark || node == v || succ == 0 -> done = true
            :: else -> left = node; left_link = succ; node = succ
            fi
        fi
    od;
    ended++
}

init
{
    byte at, v;
    bool met[CELLS];
    atomic {
        next[0] = 1; there[1] = true; hint = 1; ended = 0;
#if CONFIG == 1
        run append(2); run append(3); run del(1); run find(3, 2)
#elif CONFIG == 2
        next[1] = 2; there[2] = true;
        run append(3); run del(2); run find(2, 2); run find(3, 3)
#elif CONFIG == 3
        next[1] = 2; there[2] = true;
        run append(3); run del(1); run del(2); run find(3, 3)
#elif CONFIG == 4
        next[1] = 2; there[2] = true;
        run append(3); run del(2); run del(3); run find(3, 4)
#endif
    };
    ended == PROCS;
    d_step {
        at = 0;
        do
        :: next[at] == 0 -> break
        :: else -> at = next[at]; assert(!met[at]); met[at] = true
        od;
        v = 1;
        do
        :: v == CELLS -> break
        :: else -> assert(there[v] == (met[v] && !erased[v])); v++
        od
    }
}
