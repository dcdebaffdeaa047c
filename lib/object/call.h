/* SPDX-License-Identifier: Apache-2.0 */
/* Calls over arrays. A structure fills in one row for each array; the rows are checked, opened,
 * read back and closed together. */
#pragma once

#include "object/kind.h"
#include "object/launch.h"

struct cladei_row {
    const char *name; /* the parameter's, for messages; NULL: there is no such row */
    clade_array array;
    size_t bytes; /* of an element */
    enum cladei_direction direction;
    cl_uint bit;      /* in the call's `given` */
    const char *need; /* "of keys": a call of any items must have it; NULL: it need not */
    uint64_t count;   /* elements; 0: one an item of the call */
    bool tells;       /* a caller that gave this array learns from it what was refused, so the call
                       * need not say it */
    struct cladei_view view;
};

enum { CLADEI_ROWS = 5 };

struct cladei_call {
    uint64_t count; /* items */
    uint64_t most;  /* items that a call may have; 0: any number */
    bool tells;     /* when it blocks it tells its own errors, and those of earlier calls before */
    bool has_nulls; /* kernels know an array that is not given by its NULL. Without this flag they
                     * get the object's buffer in its place, and do not touch it */
    struct cladei_row rows[CLADEI_ROWS];
    /* From opening on. */
    const struct cladei_kind *kind;
    const struct cladei_object *object;
    struct cladei_run run;
    cl_uint given;
};

/* Check the table, begin the run, and open the rows in their order. Nothing is enqueued; but a call
 * that blocks tells what earlier calls left. */
clade_status cladei_call_open(struct cladei_call *call, const struct cladei_kind *kind,
                              const struct cladei_object *object, const clade_launch *launch);
/* Read the rows back, and tell what the call itself left. */
clade_status cladei_call_read(struct cladei_call *call);
/* The same, and the run ends. */
clade_status cladei_call_finish(struct cladei_call *call);
/* On every path, whether the call was opened or not. */
void cladei_call_close(struct cladei_call *call);

/* A row as the two arguments that a kernel takes: the buffer, and its first element there. */
#define CLADEI_ROW(call, row) \
    CLADEI_ARG((call)->rows[row].view.mem), CLADEI_ARG((call)->rows[row].view.first)
