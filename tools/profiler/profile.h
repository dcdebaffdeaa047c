/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `clade profile`: loads (W.c) are run by profile.c, which asks the driver for each
 * kernel's times; page.c draws what it found. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <clade/clade.h>

#include "structures.h"

enum { PROFILE_STEPS = 8, PROFILE_KERNELS = 24, PROFILE_COUNTS = 4 };

/* --- what is run ------------------------------------------------------------------------------ */

/* The same arrays for every structure, on the device. */
struct profile_data {
    clade_context *context;
    uint32_t n;        /* elements of each array */
    cl_mem keys, more; /* 2 n different numbers below 2^30, in no order */
    cl_mem ops;        /* all ones, or a load's own: profile_fill_ops() */
    cl_mem out, nodes, statuses;
    void *object, *second; /* what the load makes */
};

/* Behind a step: how many operations the structure says that it did, how many tries beyond the
 * first of each they took, and what else it counts. All are since the object was made. */
struct profile_counts {
    uint64_t operations; /* 0: as many as the step's elements */
    uint64_t retries;
    uint64_t others[PROFILE_COUNTS];
};

/* One structure's load. What returns clade_status has set the error when it failed. */
struct profile_load {
    const char *name;
    clade_status (*make)(struct profile_data *data);
    void (*destroy)(struct profile_data *data);
    clade_status (*check)(struct profile_data *data);
    clade_status (*count)(struct profile_data *data, struct profile_counts *counts); /* or NULL */
    const char *retries;                /* what a retry is; NULL: it counts none */
    const char *others[PROFILE_COUNTS]; /* names of what else it counts */
    struct profile_action {
        const char *name;
        clade_status (*work)(struct profile_data *data);
        uint32_t share; /* 1 / share of the n elements are operations of it */
    } actions[PROFILE_STEPS];
};

/* tools/profiler/W.c has W_loads[], and one without a name at their end. */
#define DECLARE_LOADS(structure) extern const struct profile_load structure##_loads[];
CLADE_PROFILER(DECLARE_LOADS)

static inline clade_array profile_array(cl_mem mem)
{
    return clade_device(mem, 0);
}

/* Of `length` elements each. */
static inline uint32_t profile_rows(const struct profile_data *data, uint32_t length)
{
    return data->n > length ? data->n / length : 1;
}

/* Make the arrays, of data->n elements; false after saying why. Free what there is of them. */
bool profile_data_make(struct profile_data *data);
void profile_data_free(struct profile_data *data);
/* ops[i] = kinds[i % 4]. */
clade_status profile_fill_ops(struct profile_data *data, const uint32_t kinds[4]);

/* --- what was found --------------------------------------------------------------------------- */

struct profile_kernel {
    char name[64];
    unsigned launches;
    double ms, least_ms, most_ms; /* on the device: all launches; one */
};

/* One call of the host, over all passes. */
struct profile_step {
    const char *name;
    uint64_t elements; /* operations asked for, all passes */
    double ms;         /* the host's clock, to the end of the work */
    double device_ms;  /* of it, in kernels */
    struct profile_kernel kernels[PROFILE_KERNELS];
    size_t kernel_count;
    struct profile_counts counts; /* of this step, all passes */
};

struct profile_result {
    const struct profile_load *load;
    char device[256], driver[256];
    uint32_t n, passes;
    struct profile_step steps[PROFILE_STEPS];
    size_t step_count;
};

/* A sentence on what the next function returns. */
extern const char profile_share_meaning[];
/* Retries of all tries, in percent. */
double profile_retry_share(const struct profile_step *step);
/* The page, to an open file. */
void profile_write_page(FILE *out, const struct profile_result *result);
