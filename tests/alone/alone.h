/* SPDX-License-Identifier: Apache-2.0 */
/* Each device function alone in a program: what the parts of the suite share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clade/clade.h>
#include <clade/shared/kma.h>

/* How an operation says that the object is not of the shape that its program was compiled for. */
enum refusal {
    BY_STATUS, /* CLADE_E_ARG, and never to an object of the right shape */
    BY_ZERO,   /* nil, nothing, none */
    NEVER,     /* it is handed no object */
};

/* A public function, as its header names it, and a kernel's body that calls it alone. The body
 * finds O      the object kma    an allocator, where the structure has one room   words of 64 bits;
 * the first 1024 are refs or such, as the kind has written them item   get_global_id(0); there is
 * one group and gives `said`, and more in `got` if there is any. */
struct call {
    const char *function;
    const char *body;
    enum refusal refusal;
};

enum { ROOM = 4096, ITEMS_MOST = 64, WRONG_MOST = 12 };

struct world {
    clade_context *context;
    const clade_caps *caps;
    cl_mem object, kma; /* kma: NULL where there is none */
    uint64_t room[ROOM];
    size_t items; /* of the one group */
    char options[512];
    uint32_t wrong[WRONG_MOST]; /* shapes that the object is not of */
    uint32_t shape;             /* and the one that it is of */
    /* whichever was made: */
    clade_kma *own_kma;
    clade_heap *heap;
    clade_adheap *adheap;
    clade_rbtree *tree;
    clade_list *list;
    clade_dlist *dlist;
    clade_semilist *semilist;
    clade_arraylist *arraylist;
    clade_queue *queue;
};

/* A structure with its types. */
struct kind {
    const char *name;
    const char *head; /* source before the kernel */
    const struct call *calls;
    const size_t *count;
    clade_status (*open)(struct world *world, const struct kind *kind);
    uint32_t key, value, other; /* what open() makes of them: its own affair */
};

extern const struct kind kinds[];
extern const size_t kind_count;

#define DECLARE_CALLS(name)                  \
    extern const struct call name##_calls[]; \
    extern const size_t name##_call_count
DECLARE_CALLS(heap);
DECLARE_CALLS(front);
DECLARE_CALLS(rbtree);
DECLARE_CALLS(ordered);
DECLARE_CALLS(unordered);
DECLARE_CALLS(kma);
DECLARE_CALLS(queue);
DECLARE_CALLS(dlist);
DECLARE_CALLS(semilist);
DECLARE_CALLS(arraylist);
DECLARE_CALLS(adheap);
DECLARE_CALLS(kselect);
