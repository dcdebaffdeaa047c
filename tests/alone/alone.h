/* SPDX-License-Identifier: Apache-2.0 */
/* Each device function alone in a program: what the parts of the suite share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clade/clade.h>
#include <clade/shared/kma.h>

#include "harness/structures.h"

/* How an operation says that the object is not of the shape that its program was compiled for. */
enum refusal {
    BY_STATUS, /* CLADE_E_ARG, and never to an object of the right shape */
    BY_ZERO,   /* nil, nothing, none */
    NEVER,     /* it is handed no object */
};

/* A public function, as its header names it, and a kernel's body that calls it alone. The body
 * finds O      the object kma    an allocator, where the structure has one, or another object that it works on  room   words of 64 bits;
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
    clade_kma *own_kma;         /* alone_make_kma() */
};

/* A structure with its types. */
struct kind {
    const char *name;
    const char *head; /* source before the kernel */
    const struct call *calls;
    size_t count;
    clade_status (*open)(struct world *world, const struct kind *kind);
    uint32_t key, value, other; /* what open() makes of them: its own affair */
};

/* The kinds of each structure, and one without a name. */
#define DECLARE_ALONE(structure) extern const struct kind structure##_alone[];
CLADE_ALONE(DECLARE_ALONE)
/* All of these arrays. */
extern const struct kind *const kinds[];
extern const size_t kind_count;

/* --- for tests/W/alone.c -----------------------------------------------------------------------
 */

#define TRY(call)                         \
    do {                                  \
        clade_status try_status = (call); \
        if (try_status != CLADE_OK)       \
            return try_status;            \
    } while (0)

/* A line of W_alone[]: `calls`_calls is an array of the file. */
#define KIND(name, head, calls, open, key, value, other)                                       \
    {                                                                                          \
        (name), (head), calls##_calls, sizeof calls##_calls / sizeof calls##_calls[0], (open), \
            (key), (value), (other)                                                            \
    }
/* Source before the kernel, where one header is all of it. */
#define PLAIN(name) "#define OBJECT clade_" name "_head\n#include \"clade/" name ".clh\"\n"

enum { FILLED = 64, CAPACITY = 1000 };

/* FILLED numbers from 1 on, of 32 bits or of 64: keys, values. */
clade_array alone_numbers(uint32_t type);
/* A shape that the object is not of; the one that it is of is passed over. */
void alone_wrong(struct world *w, uint32_t shape);
void alone_options(struct world *w, const char *options);
clade_status alone_make_kma(struct world *w, int debug);
/* The first FILLED words of the room. */
void alone_refs(struct world *w, const uint32_t *refs);
