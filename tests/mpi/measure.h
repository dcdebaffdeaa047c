/* SPDX-License-Identifier: Apache-2.0 */
/* What the benches over ranks share: medians of the slowest rank's time, and where it goes. */
#pragma once

#include <clade/mpi/mpi.h>
#include <stdbool.h>

struct bench {
    clade_mpi *mpi;
    clade_context *context;
    bool weak;
    uint64_t share; /* elements of this rank */
    uint64_t total;
    uint64_t seed;
};

/* Begin MPI, and open the rank's device. PROFILE=1 takes times of kernels. */
void bench_open(struct bench *b, int *count, char ***words);
void bench_close(struct bench *b);
/* End the job if the call failed. */
void must(clade_status status, const char *what);
double now(void); /* milliseconds */
/* A line: seven times, and one before, which compiles kernels. `operations` are for the rate. */
void measure(struct bench *b, const char *name, uint64_t operations, void *data,
             void (*prepare)(void *data), void (*run)(void *data));
uint64_t next(struct bench *b); /* a random number */
cl_mem buffer(struct bench *b, size_t bytes, const void *content);
