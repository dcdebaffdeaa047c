/* SPDX-License-Identifier: Apache-2.0 */
/* What a program of this folder tells the explorer (explore.cpp): its worlds, and the memory that
 * their threads share. Read by C and by C++98.
 *
 * A world is two to four threads (each a work-item, alone in its group) that do a few operations on
 * an object. The explorer runs it many times; each time Relacy chooses which thread goes on at each
 * atomic access, and which of the last stores a load sees: any that C11 allows. Plain accesses to
 * shared memory are checked for data races. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weak_world {
    const char *name;
    unsigned threads;
    void (*begin)(void);           /* before the threads, each time; may be NULL */
    void (*thread)(unsigned index);
    const char *(*end)(void);      /* after them: NULL, or what is wrong; may be NULL */
    unsigned executions;           /* at random; how many */
    unsigned switches;             /* not 0: every execution with at most so many preemptions, too */
} weak_world;

/* An order without which a world goes wrong, as the list of --weaken names it. Where a function has
 * several such operations, for one of them at least. */
typedef struct weak_needed {
    const char *function, *operation;
} weak_needed;

/* The program's; the last of each is empty. */
extern const weak_world weak_worlds[];
extern const weak_needed weak_needed_orders[];
/* Makes the objects and calls weak_share() for each; once, before all. */
void weak_setup(void);

/* All that is in these bytes is shared. It is put back before each execution, to what it was when
 * weak_setup() returned. */
void weak_share(void *memory, size_t bytes, const char *name);

/* In a thread: the execution has failed. */
void weak_fail(const char *what);
#define WEAK_CHECK(condition) ((condition) ? (void)0 : weak_fail(#condition))

/* Which thread this is; where none runs, weak_pose, which weak_setup() and the others may set. */
unsigned weak_thread(void);
extern unsigned weak_pose;

/* A place in the device code with an atomic operation or a fence. */
typedef struct weak_site {
    const char *file, *operation, *function;
    int line, number; /* of the explorer's list; 0 until first run */
} weak_site;

void weak_at(weak_site *site);

#ifdef __cplusplus
}
#endif
