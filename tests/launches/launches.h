/* SPDX-License-Identifier: Apache-2.0 */
/* Every public call that takes a launch, each one row of a table, over objects of every kind. */
#pragma once

#include "harness/fixture.h"
#include "harness/structures.h"

/* The arrays that calls take; every one is SLOT_WORDS words in host and in device memory. */
enum {
    NEW,      /* COUNT keys that are not inside, ascending */
    INSIDE,   /* COUNT keys that are, ascending; a stretch of them is ascending, too */
    VALUES,   /* COUNT values of 30 bits */
    OUT,      /* room for keys, values ... */
    ALSO,     /* likewise */
    STATUSES, /* room for statuses */
    OPS,      /* COUNT operations that look at the object */
    NODES,    /* refs of COUNT nodes or blocks that are inside */
    INDEX,    /* small numbers */
    GOT,      /* room for one uint64_t */
    SLOTS
};
enum { COUNT = 32, FILLED = 64, SLOT_WORDS = 256, MEMS = 2, PART = 8 /* INDEX is below */ };

/* When a call waits for its own work; as its docstring says. */
enum blocks {
    HOST_ARRAYS, /* with arrays in host memory */
    ALWAYS,
    NEVER,     /* it takes no arrays */
    SOMETIMES, /* with host arrays, and when it must know how much room is left */
};

struct kind;

/* An object with arrays beside it. */
struct world {
    const struct kind *kind;
    struct fixture *f;
    void *object;
    bool on_host;   /* calls take host memory, */
    uint32_t apart; /* but of these slots, as bits, device memory */
    uint64_t count; /* elements that calls take: COUNT, or fewer, or far too many */
    uint32_t host[SLOTS][SLOT_WORDS];
    cl_mem mem[SLOTS];
    size_t begin[SLOTS]; /* of the array in its buffer, in bytes */
    uint64_t got;        /* what rbtree's read counts */
    uint64_t digest;
};

struct kind {
    const char *name;
    clade_status (*create)(struct world *w);
    void (*destroy)(struct world *w);
    void (*clear)(struct world *w);             /* may be NULL */
    void (*fill)(struct world *w);              /* FILLED keys, from an empty object; sets NODES */
    void (*mems)(struct world *w, cl_mem *out); /* the buffers that nobody may touch too early */
    void (*drain)(struct world *w); /* the content into the digest; may empty the object */
    /* Memory shared with the host, with atomics, which not every device has; the calls are those of
     * another kind, too. */
    bool is_shared;
};

struct row {
    const char *function; /* as the header has it */
    const struct kind *kind;
    clade_status (*call)(struct world *w, const clade_launch *launch);
    enum blocks blocks;
    /* Slots, as bits, whose content depends on who came first: refs, for one. */
    uint32_t loose;
    const char *arguments; /* their text */
};

/* Whether the call takes the slot's array. */
bool row_takes(const struct row *row, int slot);
/* What the call's count is made of. */
enum counted { UNCOUNTED, COUNTED, COUNTED_EACH /* 32 bits for each of several */ };
enum counted row_counts(const struct row *row);

/* All rows, one structure after the other, each's kinds together, once rows_collect() was called.
 */
enum { ROWS_MOST = 256 };
extern struct row rows[ROWS_MOST];
extern size_t row_count;
void rows_collect(void);
/* Whether the device can make such objects. If not, it is said. */
bool kind_is_possible(const struct kind *kind, const clade_caps *caps);
/* Row i is the first of its kind, which is possible. */
bool row_begins_kind(size_t i, const clade_caps *caps);
/* tests/W/launches.c has W_rows[], and one without a function at their end. */
#define DECLARE_ROWS(structure) extern const struct row structure##_rows[];
CLADE_LAUNCHES(DECLARE_ROWS)

void world_open(struct world *w, const struct kind *kind, struct fixture *f);
void world_close(struct world *w);
/* Its first content again: the object filled, and `host` with what calls take. */
void world_reset(struct world *w);
void world_mix(struct world *w, const void *words, size_t count);
