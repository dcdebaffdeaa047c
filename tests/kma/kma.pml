/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator's protocol of words (cl/clade/kma/cell_group.clh): cells, groups, one superblock that
 * ends and begins again as another class, the slot and the tree that show it.
 *
 * One place for a superblock, four units long. Class 1: two groups of two cells of a unit each.
 * Class 2: one group of one cell of four units. So a word of one class means something else in the
 * other: W = 01 is all of class 2 and half of class 1; a group's word 10 is "all free" in class 2
 * and "the second cell is taken" in class 1.
 *
 * Every step is one atomic operation on one word, or one load. Ghost: owned[u], the units that
 * somebody holds. A process that comes to hold a cell must find its units unowned; a superblock may
 * end only when nothing of it is held; and when all is freed, what is free is shown to somebody.
 *
 * BUG_INFO: the class is not looked at after a claim. BUG_RETIRE: nor when a superblock ends, after
 * its groups were won. BUG_LENGTH: nor when a group goes to W. BUG_REREAD: who empties the slot does
 * not look at what it showed. BUG_SETTLE: who frees does not look whether the group is shown.
 * BUG_SHARED: who takes the last cell of a group beside others does not look at it again.
 * BUG_PAGE: a superblock ends by a store, not by winning all its groups. */

#define PROCS    3
#define ALL(c)   ((c) == 1 -> 3 : 1)            /* groups */
#define CELLS(c) ((c) == 1 -> 3 : ((c) == 2 -> 1 : 0)) /* cells of a group */
#define GROUPS   2

byte page_free = 1, info, W, partial;
byte cells[GROUPS] = 3;
bool slot[3], tree[3]; /* by class */
bool owned[4];
byte ended;

/* The units of cell `c` of group `g`. */
inline take_units(k, g, c)
{
    if
    :: k == 1 ->
        assert(!owned[g * 2 + c]);
        owned[g * 2 + c] = true
    :: else ->
        assert(!owned[0] && !owned[1] && !owned[2] && !owned[3]);
        owned[0] = true; owned[1] = true; owned[2] = true; owned[3] = true
    fi
}

inline drop_units(k, g, c)
{
    if
    :: k == 1 -> owned[g * 2 + c] = false
    :: else -> owned[0] = false; owned[1] = false; owned[2] = false; owned[3] = false
    fi
}

/* cladei_kma_settle() */
inline settle()
{
    i = info;
    if
    :: i == 0 -> skip
    :: else ->
        if
        :: slot[i] -> skip
        :: else ->
            w = W;
            won = false;
            if
            :: w == ALL(i) ->
#ifdef BUG_PAGE
                W = 0; won = true
#else
                atomic { if :: W == w -> W = 0; won = true :: else -> skip fi }
#endif
            :: else -> skip
            fi;
            if
            :: won ->
#ifndef BUG_RETIRE
                i = info;
#endif
                if
                :: ALL(i) == w ->
                    atomic {
                        assert(!owned[0] && !owned[1] && !owned[2] && !owned[3]);
                        assert(cells[0] == 3 && cells[1] == 3);
                        info = 0
                    };
                    tree[i] = false;
                    assert(!page_free);
                    page_free = 1
                :: else ->
                    atomic { assert((W & w) == 0); W = W | w };
                    tree[i] = true
                fi
            :: else ->
                w = W | partial; /* two loads: either order is fine, both only grow what is free */
                if
                :: w != 0 -> tree[i] = true
                :: else -> skip
                fi
            fi
        fi
    fi
}

/* cladei_kma_settle_group() */
inline settle_group(g)
{
    seen = cells[g];
    i = info;
    mask = CELLS(i);
    go = false;
    if
    :: seen == 3 -> skip
    :: else ->
        won = false;
        if
        :: mask != 0 && seen == (3 & ~mask) ->
            atomic { if :: cells[g] == seen -> cells[g] = 3; won = true :: else -> skip fi }
        :: else -> skip
        fi;
        if
        :: won ->
#ifndef BUG_LENGTH
            i = info;
#endif
            if
            :: CELLS(i) == mask ->
                atomic {
                    assert((W >> g & 1) == 0);
                    go = W == 0 || (W | 1 << g) == ALL(i);
                    W = W | 1 << g
                };
                won = true
            :: else ->
                atomic { cells[g] = cells[g] & ~mask };
                won = false
            fi
        :: else -> skip
        fi;
        if
        :: !won -> atomic { go = partial == 0; partial = partial | 1 << g }
        :: else -> skip
        fi;
        if
        :: go -> settle()
        :: else -> skip
        fi
    fi
}

/* Of a group whose cells are all ours, keep the first; the others become free. */
inline keep(k, g)
{
    take_units(k, g, 0);
    my_group = g; my_cell = 0; have = true;
    if
    :: k == 1 -> cells[g] = 1; settle_group(g)
    :: else -> skip
    fi
}

/* A claim through the slot or the tree: the superblock that it shows may be another by now. */
inline claim(k)
{
    if
    :: g = 0
    :: g = 1
    fi;
    if
    :: /* a wholly free group */
        atomic { won = (W >> g & 1) != 0; W = W & ~(1 << g) };
        if
        :: won ->
            i = info;
#ifdef BUG_INFO
            i = k;
#endif
            if
            :: i == k -> keep(k, g)
            :: else ->
                atomic { W = W | 1 << g };
                settle()
            fi
        :: else -> skip
        fi
    :: /* a cell of a partly used one, beside others: its bit stays while something is left */
        won = (partial >> g & 1) != 0 && (W >> g & 1) == 0;
        if
        :: won ->
            seen = cells[g];
            won = false;
            if
            :: seen != 3 ->
                c = (seen & 1 -> 1 : 0);
                atomic {
                    won = (cells[g] >> c & 1) == 0;
                    cells[g] = cells[g] | 1 << c;
                    filled = cells[g] == 3
                }
            :: else -> filled = true
            fi;
            if
            :: filled -> atomic { partial = partial & ~(1 << g) }
            :: else -> skip
            fi;
            if
            :: won ->
                i = info;
                if
                :: i == k ->
                    take_units(k, g, c);
                    my_group = g; my_cell = c; have = true
                :: else ->
                    atomic { cells[g] = cells[g] & ~(1 << c) };
                    filled = true /* to be looked after */
                fi
            :: else -> skip
            fi;
#ifndef BUG_SHARED
            if
            :: filled -> settle_group(g)
            :: else -> skip
            fi
#endif
        :: else -> skip
        fi
    :: /* the same, and nobody else sees the group meanwhile */
        atomic { won = (partial >> g & 1) != 0; partial = partial & ~(1 << g) };
        if
        :: won ->
            seen = cells[g];
            if
            :: seen != 3 ->
                c = (seen & 1 -> 1 : 0);
                atomic { won = (cells[g] >> c & 1) == 0; cells[g] = cells[g] | 1 << c };
                if
                :: won ->
                    i = info;
#ifdef BUG_INFO
                    i = k;
#endif
                    if
                    :: i == k ->
                        take_units(k, g, c);
                        my_group = g; my_cell = c; have = true
                    :: else -> atomic { cells[g] = cells[g] & ~(1 << c) }
                    fi
                :: else -> skip
                fi
            :: else -> skip
            fi;
            settle_group(g)
        :: else -> skip
        fi
    fi
}

inline create(k, shows)
{
    atomic { won = page_free == 1; page_free = 0 };
    if
    :: won ->
        info = k;
        partial = 0;
        W = ALL(k) & ~1;
        keep(k, 0);
        if
        :: shows -> slot[k] = true
        :: else -> settle()
        fi
    :: else -> skip
    fi
}

inline give_back(k, at_group, at_cell)
{
    drop_units(k, at_group, at_cell);
    atomic {
        seen = cells[at_group];
        assert((seen >> at_cell & 1) != 0);
        cells[at_group] = seen & ~(1 << at_cell)
    };
#ifndef BUG_SETTLE
    if
    :: seen == 3 || (seen & CELLS(k)) == 1 << at_cell -> settle_group(at_group)
    :: else -> skip
    fi
#endif
}

/* malloc and free of one cell of class k, `times` times. */
proctype user(byte k; byte times; bool shows)
{
    byte i, w, seen, mask, g, c, my_group, my_cell;
    bool won, go, have, filled;
    do
    :: times == 0 -> break
    :: else ->
        times--;
        have = false;
        if
        :: slot[k] || tree[k] -> claim(k)
        :: else -> skip
        fi;
        if
        :: !have -> create(k, shows)
        :: else -> skip
        fi;
        if
        :: have -> give_back(k, my_group, my_cell)
        :: else -> skip
        fi
    od;
    ended++
}

/* Holds two cells of class k, gives the first back, then the second. */
proctype holder(byte k)
{
    byte i, w, seen, mask, g, c, my_group, my_cell, first_group, first_cell;
    bool won, go, have, had, filled;
    create(k, false);
    had = have; first_group = my_group; first_cell = my_cell;
    have = false;
    if
    :: had && tree[k] -> claim(k)
    :: else -> skip
    fi;
    if
    :: had -> give_back(k, first_group, first_cell)
    :: else -> skip
    fi;
    if
    :: have -> give_back(k, my_group, my_cell)
    :: else -> skip
    fi;
    ended++
}

/* Gives back the cell of class 2 that is taken at the start. */
proctype freer()
{
    byte i, w, seen, mask;
    bool won, go;
    give_back(2, 0, 0);
    ended++
}

/* Who replaces what a slot shows, or sweeps it. */
proctype replacer(byte k)
{
    byte i, w;
    bool won, was;
    atomic { was = slot[k]; slot[k] = false };
#ifndef BUG_REREAD
    if
    :: was -> settle()
    :: else -> skip
    fi;
#endif
    ended++
}

init
{
    byte g, i, freed;
    atomic {
#if CONFIG == 1
        run user(1, 2, false); run user(2, 1, false); run user(2, 1, false)
#elif CONFIG == 2
        run user(1, 2, true); run user(2, 1, false); run replacer(1)
#elif CONFIG == 3
        run user(2, 2, true); run user(1, 2, false); run replacer(2)
#elif CONFIG == 4
        run user(1, 1, false); run user(1, 1, false); run user(2, 2, false)
#elif CONFIG == 5
        run user(1, 2, true); run user(1, 1, false); run replacer(1)
#elif CONFIG == 6
        /* class 2, wholly free, shown by its slot */
        page_free = 0; info = 2; W = 1; slot[2] = true;
        run user(2, 1, false); run holder(1); run replacer(2)
#elif CONFIG == 7
        /* class 2, its cell taken, and a hint that is stale */
        page_free = 0; info = 2; partial = 1; tree[2] = true;
        owned[0] = true; owned[1] = true; owned[2] = true; owned[3] = true;
        run freer(); run user(2, 1, false); run holder(1)
#endif
    };
    ended == PROCS;
    d_step {
        /* Everything was freed: the page is free, or what is in it is shown. */
        if
        :: page_free -> assert(info == 0 && W == 0 && cells[0] == 3 && cells[1] == 3)
        :: else ->
            i = info;
            assert(i != 0);
            g = 0;
            do
            :: g < GROUPS && (ALL(i) >> g & 1) != 0 ->
                freed = (W >> g & 1 -> 3 : 3 & ~cells[g]);
                assert((freed & CELLS(i)) == CELLS(i)); /* no cell is lost */
                assert((W >> g & 1) == 0 || cells[g] == 3);
                assert((W >> g & 1) != 0 || (partial >> g & 1) != 0);
                g++
            :: else -> break
            od;
            assert(slot[i] || tree[i])
        fi
    }
}
