/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of the heap's front engine (cl/clade/heap/front/round/plan.clh and round.clh): slots, the
 * round's word and the count of members at it. Every wait may give up at any time.
 *
 * Ghosts: live[] says which batches' runs exist, in[] whose keys were published, answer[] what each
 * insert told. A run may go once, and not while a member is at work.
 *
 * BUG_NO_COMMIT: an owner's round counts without the compare-and-swap. BUG_EARLY: it does not wait for its
 * members. BUG_OUT_FREES: a member of a broken round frees its own runs. BUG_NO_LEAVE: an owner of a broken round
 * frees them without looking for who is still at it. BUG_LATE: a member does not look whether its round is open. */

#if CONFIG == 0
#define GROUPS 2
#define OPS    2
#else
#define GROUPS 3
#define OPS    1
#endif
#define RUNS (GROUPS * OPS)
#define RUN  (id * OPS + op)

#define FREE    0
#define TAKEN   1
#define READY   2
#define CLAIMED 3
#define JOINED  4
#define IN      5
#define OUT     6
#define GONE    7

#define OPEN      1
#define COMMITTED 2
#define BROKEN    3

#define TOLD_OUT 1
#define TOLD_IN  2

bit owned;
byte state[GROUPS], offered[GROUPS];
byte number, phase, left;
byte members, plan_run[GROUPS], plan_slot[GROUPS];
bit live[RUNS], in[RUNS];
byte answer[RUNS], ended;

/* All of the plan's runs exist: before and after a member's work. */
inline plan_lives()
{
    atomic {
        i = 0;
        do
        :: i < members -> assert(live[plan_run[i]]); i++
        :: else -> break
        od;
        i = 0
    }
}

inline free_run(r)
{
    d_step { assert(live[r]); live[r] = 0 }
}

inline free_plan()
{
    atomic {
        i = 0;
        do
        :: i < members -> assert(live[plan_run[i]]); live[plan_run[i]] = 0; i++
        :: else -> break
        od;
        i = 0
    }
}

inline leave()
{
    atomic { left--; last = left == 1 };
    if
    :: last -> free_plan(); left = 0
    :: else
    fi
}

inline publish_alone()
{
    atomic { in[RUN] = 1; owned = 0 };
    free_run(RUN);
    answer[RUN] = TOLD_IN;
    state[id] = FREE
}

/* Claim who is ready, some of them or all. */
inline claim()
{
    m = 1;
    d_step { mine_run[0] = RUN; mine_slot[0] = id };
    j = 0;
    do
    :: j == GROUPS -> break
    :: j < GROUPS && j == id -> j++
    :: j < GROUPS && j != id ->
        atomic {
            if
            :: state[j] == READY -> state[j] = CLAIMED; mine_run[m] = offered[j]; mine_slot[m] = j; m++
            :: else
            fi
        };
        j++
    :: j < GROUPS -> j++ /* it was not ready then */
    od;
    j = 0
}

inline unclaim()
{
    j = 1;
    do
    :: j == m -> break
    :: else ->
        atomic {
            gone = state[mine_slot[j]] == GONE;
            if
            :: !gone -> state[mine_slot[j]] = READY
            :: else
            fi
        };
        if
        :: gone -> free_run(mine_run[j]); state[mine_slot[j]] = FREE
        :: else
        fi;
        j++
    od;
    j = 0
}

inline open()
{
    atomic {
        assert(left == 0);
        number++;
        phase = OPEN;
        left = m + 1;
        members = m;
        i = 0;
        do
        :: i < m -> plan_run[i] = mine_run[i]; plan_slot[i] = mine_slot[i]; i++
        :: else -> break
        od;
        i = 0
    };
    j = 1;
    do
    :: j == m -> break
    :: else ->
        atomic { /* [J1] */
            if
            :: state[mine_slot[j]] == CLAIMED -> state[mine_slot[j]] = JOINED
            :: else ->
                assert(state[mine_slot[j]] == GONE);
                if
                :: phase == OPEN -> phase = BROKEN
                :: else
                fi;
                left--
            fi
        };
        j++
    od;
    j = 0
}

inline finish(told)
{
    j = 1;
    do
    :: j == m -> break
    :: else ->
        atomic { /* [J3] */
            if
            :: state[mine_slot[j]] == JOINED -> state[mine_slot[j]] = told
            :: else -> assert(state[mine_slot[j]] == GONE); state[mine_slot[j]] = FREE
            fi
        };
        j++
    od;
    j = 0
}

inline own()
{
    claim();
    if
    :: m == 1 -> publish_alone()
    :: m > 1 -> unclaim(); publish_alone() /* no memory for the plan */
    :: m > 1 ->
        open();
        plan_lives();
        plan_lives();
#ifdef BUG_EARLY
        whole = true;
#else
        if
        :: left == 2 -> whole = true
        :: whole = false
        fi;
#endif
        atomic { /* [J4] */
#ifdef BUG_NO_COMMIT
            committed = whole;
            if
            :: whole -> phase = COMMITTED
            :: else -> phase = BROKEN
            fi
#else
            committed = whole && phase == OPEN;
            if
            :: phase == OPEN && whole -> phase = COMMITTED
            :: phase == OPEN && !whole -> phase = BROKEN
            :: else
            fi
#endif
        };
        if
        :: committed ->
            left = 0;
            atomic { /* [F1] */
                i = 0;
                do
                :: i < m -> in[mine_run[i]] = 1; i++
                :: else -> break
                od;
                i = 0;
                owned = 0
            };
            finish(IN);
            free_run(RUN);
            answer[RUN] = TOLD_IN
        :: else ->
            owned = 0;
            answer[RUN] = TOLD_OUT;
            finish(OUT);
#ifdef BUG_NO_LEAVE
            free_plan();
            left = 0
#else
            leave()
#endif
        fi;
        state[id] = FREE
    fi
}

inline join()
{
    my_number = number;
    if
    :: phase == OPEN -> plan_lives(); plan_lives() /* may break in between: its runs stay */
    :: else
    fi;
    leave(); /* [J2] */
    broken = false;
    told = JOINED;
    if
    :: state[id] == IN || state[id] == OUT -> told = state[id]
    :: atomic { /* gives up */
           if
           :: number == my_number && phase == OPEN -> phase = BROKEN; broken = true
           :: number == my_number && phase == BROKEN -> broken = true
           :: else
           fi
       };
       if
       :: !broken && (state[id] == IN || state[id] == OUT) -> told = state[id]
       :: atomic {
              told = state[id];
              if
              :: told == JOINED -> state[id] = GONE
              :: else
              fi
          }
       fi
    fi;
    kept = told != JOINED; /* the slot */
    if
    :: told == JOINED && broken -> told = OUT
    :: told == JOINED && !broken -> told = IN
    :: else
    fi;
    if
    :: told == IN ->
        assert(in[RUN] || !kept); /* told at once only by who waits no more */
        free_run(RUN);
        answer[RUN] = TOLD_IN
    :: told == OUT ->
        assert(!in[RUN]);
#ifdef BUG_OUT_FREES
        free_run(RUN);
#endif
        answer[RUN] = TOLD_OUT
    fi;
    if
    :: kept -> state[id] = FREE
    :: else
    fi
}

proctype group(byte id)
{
    byte op, i, j, m, told, my_number, mine_run[GROUPS], mine_slot[GROUPS];
    bit last, gone, whole, committed, broken, kept, over;
    do
    :: op == OPS -> break
    :: op < OPS ->
        atomic { state[id] == FREE -> state[id] = TAKEN };
        d_step { live[RUN] = 1; offered[id] = RUN; over = false };
        state[id] = READY; /* [J0] */
        do
        :: over -> break
        :: !over && state[id] >= JOINED -> join(); over = true
        :: atomic { !over && !owned -> owned = 1 }; /* [D2] */
           if
           :: state[id] != READY -> owned = 0; join()
           :: else -> state[id] = TAKEN; own()
           fi;
           over = true
        :: !over -> /* gives up */
           atomic {
               told = state[id];
               if
               :: told == READY -> state[id] = TAKEN
               :: told == CLAIMED -> state[id] = GONE
               :: else
               fi
           };
           if
           :: told == READY -> free_run(RUN); answer[RUN] = TOLD_OUT; state[id] = FREE
           :: told == CLAIMED -> answer[RUN] = TOLD_OUT /* the owner frees both */
           :: else -> join()
           fi;
           over = true
        od;
        atomic { op++; told = 0; my_number = 0; m = 0 }
    od;
    ended++
}

init
{
    byte i;
    atomic {
        i = 0;
        do
        :: i < GROUPS -> run group(i); i++
        :: else -> break
        od;
        i = 0
    };
    ended == GROUPS;
    atomic {
        assert(!owned && left == 0);
        i = 0;
        do
        :: i < GROUPS -> assert(state[i] == FREE); i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < RUNS ->
            assert(!live[i]);
            assert((answer[i] == TOLD_IN) == in[i]);
            i++
        :: else -> break
        od
    }
}
