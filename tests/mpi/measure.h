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
    cl_program program; /* of fill(), once it was needed */
};

/* Begin MPI, and open the rank's device. PROFILE=1 takes times of kernels; MOVED=1 counts bytes. */
void bench_open(struct bench *b, int *count, char ***words);
void bench_close(struct bench *b);
/* End the job if the call failed. */
void must(clade_status status, const char *what);
double now(void); /* milliseconds */
/* What is measured. With one rank `plain` (or NULL) does the same by clade alone. */
struct subject {
    const char *name;
    uint64_t operations; /* for the rate */
    void *data;
    void (*prepare)(void *data); /* not counted; or NULL */
    void (*run)(void *data);
    void (*plain)(void *data);
};
/* A line: seven times, and one before, which compiles kernels. With one rank a line for `plain`
 * follows. The two take turns, so that both meet the same machine. */
void measure(struct bench *b, const struct subject *subject);
cl_mem buffer(struct bench *b, uint64_t bytes);
/* 32-bit words of random bits, or, `as_float`, random numbers from 0 to 2^24. */
void fill(struct bench *b, cl_mem mem, uint64_t words, bool as_float);
