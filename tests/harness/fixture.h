/* SPDX-License-Identifier: Apache-2.0 */
/* What every test program shares: cmocka, the device, the seed, small helpers.
 *
 *   CLADE_DEVICE      which device; default: PoCL, so that a test run means the same everywhere
 *   CLADE_TEST_SEED   seed of all random data; default: fixed. Printed by every run.
 *   CLADE_TEST_FILTER only the tests of this name (* and ? as in cmocka); one at least
 *   CLADE_TEST_SIZE   small (simulators), normal, large (soak): scales loads */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <clade/array.h>
#include <clade/context.h>
#include <clade/error.h>
#include <clade/program.h>

/* meson's words for "skipped" and for "could not be tried". */
enum { TEST_SKIPPED = 77, TEST_NOT_RUN = 99 };

struct fixture {
    clade_context *context;
    const clade_caps *caps;
    uint64_t seed;
};

/* Whether the call that failed last found no device: other things are not found, too, such as the
 * library's own kernels. */
bool fixture_has_no_device(void);

/* Runs a group with a fixture in *state. Without a usable device prints why and returns
 * TEST_SKIPPED; where no test is left to run, TEST_NOT_RUN. */
#define fixture_run(name, tests) \
    fixture_run_group((name), (tests), sizeof(tests) / sizeof((tests)[0]))
int fixture_run_group(const char *name, const struct CMUnitTest *tests, size_t count);

/* CLADE_DEVICE, or PoCL. */
const char *fixture_device(void);
uint64_t fixture_seed(void);
/* Loads: `normal` as it is, less under CLADE_TEST_SIZE=small, more under =large. */
size_t fixture_scaled(size_t small, size_t normal, size_t large);
bool fixture_is_small(void);
bool fixture_is_pocl(const struct fixture *f);
/* In a short run on oclgrind, which interprets: 1,000 keys are half a minute. It looks for accesses
 * that are bad, whatever the number. */
bool fixture_is_interpreted(const struct fixture *f);
/* So a sixth of `count` there, and all of it elsewhere. */
uint32_t fixture_fewer(const struct fixture *f, uint32_t count);
/* In a short run on llvmpipe, which loads a kernel anew for each launch: 20 ms, whatever it does.
 */
bool fixture_launches_slowly(const struct fixture *f);
/* For programs that llvmpipe compiles for ten seconds: skips the test there in a short run, and
 * says so. */
void fixture_compiles_long(const struct fixture *f);
/* For tests that take a minute while others show nearly the same: in a short run skips the test,
 * and says which `others`. */
void fixture_by_night(const char *others);
/* Where the tests' kernels are: `built`, or CLADE_TEST_CL where the tree was moved. */
const char *fixture_kernels(const char *built);

/* A generator of its own for each test: splitmix64. */
struct random {
    uint64_t state;
};
struct random random_from(uint64_t seed);
uint64_t random_next(struct random *random);
/* Uniform in 0 .. bound - 1. */
uint64_t random_below(struct random *random, uint64_t bound);

/* Buffers that fail the test instead of failing. */
cl_mem fixture_buffer(struct fixture *f, size_t bytes, const void *content_or_null);
void fixture_read(struct fixture *f, cl_mem mem, size_t offset, void *to, size_t bytes);
void fixture_write(struct fixture *f, cl_mem mem, size_t offset, const void *from, size_t bytes);

/* Set an argument, start so many items in groups of so many (0: as the driver likes), or fail the
 * test. What follows reads a buffer or waits. */
#define fixture_arg(kernel, index, value) \
    assert_int_equal(clSetKernelArg((kernel), (index), sizeof(value), &(value)), CL_SUCCESS)
void fixture_launch(struct fixture *f, cl_kernel kernel, size_t items, size_t group);

/* A failing call's sentence is in the test's output. */
void assert_status(clade_status got, clade_status wanted, const char *call, const char *file,
                   int line);
#define assert_ok(call)            assert_status((call), CLADE_OK, #call, __FILE__, __LINE__)
#define assert_fails(call, wanted) assert_status((call), (wanted), #call, __FILE__, __LINE__)
/* The last error's sentence holds `part`. */
#define assert_message(part) assert_non_null(strstr(clade_error_last()->message, (part)))
