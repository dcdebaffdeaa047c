/* SPDX-License-Identifier: Apache-2.0 */
/* The unordered list's insertion behind a node (cl/clade/list/unordered.clh): a node is entered in
 * the index, PENDING, then linked, then its mark is cleared; whoever changes the link to it clears
 * the mark first.
 *
 * Cell v holds value v; the index is "cell v, if it is entered". Ghosts as in list.pml: there[v] is
 * changed when the mark is first cleared, at which the target must be there, and by erasures.
 *
 * BUG_IGNORED: the mark is not looked at. BUG_NO_HELP: nobody but the inserter clears it.
 * BUG_REVIVE: the new node is linked by a store, not by compare-and-swap. */

#define CELLS 6 /* 0 is none; 1 the first node */
#define PROCS 3
#define LIVE(c) (entered[c] && !erased[c] && !pending[c])

/* The three parts of a link word; they change together in one step. */
byte next[CELLS];
bool erased[CELLS], pending[CELLS];
bool entered[CELLS];
bool there[CELLS], absent[PROCS];
byte wanted[PROCS], target_of[CELLS];
byte ended;

inline became_absent(v)
{
    absent[0] = absent[0] || wanted[0] == v;
    absent[1] = absent[1] || wanted[1] == v;
    absent[2] = absent[2] || wanted[2] == v
}

/* [A1], [A2]: the first clearing is the insertion. */
inline clear_pending(c)
{
    atomic {
        if
        :: c != 0 && pending[c] && !erased[c] ->
            pending[c] = false;
            assert(there[target_of[c]]);
            there[c] = true
        :: else -> skip
        fi
    }
}

/* What a search for value v gives: whether it is live, and its link's ref. */
inline locate(v)
{
    atomic {
#ifdef BUG_IGNORED
        is_live = entered[v] && !erased[v];
#else
        is_live = LIVE(v);
#endif
        link = next[v];
        assert(!is_live || there[v])
    }
}

proctype insert_after(byte me; byte target; byte cell)
{
    byte link;
    bool is_live, done, made;
    done = false; made = false;
    d_step { wanted[me] = target; absent[me] = !there[target] };
    do
    :: done -> break
    :: else ->
        locate(target);
        if
        :: !is_live ->
            assert(absent[me]);
            if
            :: made -> erased[cell] = true
            :: else -> skip
            fi;
            done = true
        :: else ->
            if
            :: !made -> atomic { pending[cell] = true; target_of[cell] = target };
                entered[cell] = true; made = true
            :: else -> skip
            fi;
#ifndef BUG_NO_HELP
            clear_pending(link);
#endif
            next[cell] = link;
            atomic {
#ifdef BUG_REVIVE
                if
                :: next[target] == link -> erased[target] = false; next[target] = cell; done = true
#else
                if
                :: next[target] == link && !erased[target] && !pending[target] ->
                    next[target] = cell; done = true
#endif
                :: else -> skip
                fi
            };
            if
            :: done -> clear_pending(cell)
            :: else -> skip
            fi
        fi
    od;
    ended++
}

proctype erase(byte me; byte v)
{
    byte link;
    bool is_live, done;
    done = false;
    d_step { wanted[me] = v; absent[me] = !there[v] };
    do
    :: done -> break
    :: else ->
        locate(v);
        if
        :: !is_live -> assert(absent[me]); done = true
        :: else ->
#ifndef BUG_NO_HELP
            clear_pending(link);
#endif
            atomic {
                if
                :: next[v] == link && !erased[v] ->
                    erased[v] = true;
                    assert(there[v]);
                    there[v] = false;
                    became_absent(v);
                    done = true
                :: else -> skip
                fi
            }
        fi
    od;
    ended++
}

init
{
    byte at, v;
    bool met[CELLS];
    atomic {
        entered[1] = true; there[1] = true;
#if CONFIG == 1
        run insert_after(0, 1, 2); run erase(1, 1); run erase(2, 2)
#elif CONFIG == 2
        run insert_after(0, 1, 2); run insert_after(1, 1, 3); run erase(2, 1)
#elif CONFIG == 3
        run insert_after(0, 1, 2); run insert_after(1, 2, 3); run erase(2, 2)
#elif CONFIG == 4
        run insert_after(0, 1, 2); run insert_after(1, 2, 3); run erase(2, 1)
#endif
    };
    ended == PROCS;
    d_step {
        at = 1;
        do
        :: at == 0 -> break
        :: else -> assert(!met[at] && !pending[at]); met[at] = true; at = next[at]
        od;
        v = 1;
        do
        :: v == CELLS -> break
        :: else -> assert(there[v] == (met[v] && !erased[v])); v++
        od
    }
}
