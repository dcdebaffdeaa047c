/* SPDX-License-Identifier: Apache-2.0 */
/* The communicator: what fails on one rank fails on all, in the same call and with its sentence. */
#include "fault/fault.h"
#include "mpi/ranks.h"

static void ranks_have_numbers(void **state)
{
    (void)state;
    assert_int_equal(clade_mpi_rank(ranks_all), ranks_me);
    assert_int_equal(clade_mpi_ranks(ranks_all), ranks_count);
    assert_int_equal(clade_mpi_host_rank(ranks_all), ranks_me); /* the tests are on one host */
    assert_int_equal(clade_mpi_host_ranks(ranks_all), ranks_count);
    assert_int_equal(clade_mpi_rank(NULL), -1);
    assert_int_equal(clade_mpi_ranks(NULL), 0);
}

/* Each rank in turn fails; then all do, and the lowest is told of. */
static void a_failure_is_everyones(void **state)
{
    (void)state;
    char wanted[64];
    for (int bad = 0; bad < ranks_count; bad++) {
        clade_status own = CLADE_OK;
        if (ranks_me >= bad)
            own = clade_error_set(CLADE_E_FULL - (ranks_me - bad), 0, "it is cold here");
        const clade_status all = clade_mpi_agree(ranks_all, own);
        assert_int_equal(all, CLADE_E_FULL);
        snprintf(wanted, sizeof wanted, "rank %d: it is cold here", bad);
        assert_string_equal(clade_error_last()->message, wanted);
        assert_int_equal(clade_error_last()->status, all);
        assert_ok(clade_mpi_agree(ranks_all, CLADE_OK));
    }
}

static void code_of_opencl_is_told(void **state)
{
    (void)state;
    const int bad = ranks_count - 1;
    clade_status own = CLADE_OK;
    if (ranks_me == bad)
        own = clade_error_set(CLADE_E_DEVICE, CL_INVALID_BINARY, "the device is cold");
    assert_int_equal(clade_mpi_agree(ranks_all, own), CLADE_E_DEVICE);
    assert_int_equal(clade_error_last()->cl_code, CL_INVALID_BINARY);
}

static void a_missing_place_on_one_rank(void **state)
{
    (void)state;
    const int bad = ranks_count - 1;
    clade_mpi *mpi = NULL;
    assert_fails(clade_mpi_create(ranks_me == bad ? NULL : &mpi, MPI_COMM_WORLD), CLADE_E_ARG);
    assert_null(mpi);
    assert_message("the place for the communicator is NULL");
    clade_context *context = NULL;
    assert_fails(clade_mpi_context_create(ranks_me == bad ? NULL : &context, ranks_all, NULL),
                 CLADE_E_ARG);
    assert_null(context);
    assert_fails(clade_mpi_create(&mpi, MPI_COMM_NULL), CLADE_E_ARG);
    assert_fails(clade_mpi_agree(NULL, CLADE_OK), CLADE_E_ARG);
    clade_mpi_destroy(&mpi);
    clade_mpi_destroy(NULL);
}

static void every_rank_gets_a_device(void **state)
{
    (void)state;
    const clade_context_params params = { .device = fixture_device() };
    clade_context *context = NULL;
    assert_ok(clade_mpi_context_create(&context, ranks_all, &params));
    assert_non_null(clade_context_caps(context));
    clade_context_destroy(&context);
}

/* A device that one rank does not have. */
static void a_rank_without_a_device(void **state)
{
    (void)state;
    const clade_context_params params = { .device = ranks_me == ranks_count - 1
                                                        ? "no such device"
                                                        : fixture_device() };
    clade_context *context = NULL;
    assert_fails(clade_mpi_context_create(&context, ranks_all, &params), CLADE_E_NOT_FOUND);
    assert_null(context);
    assert_message("no such device");
    assert_message("rank ");
}

static clade_status create(void *data)
{
    clade_mpi **mpi = data;
    return clade_mpi_create(mpi, MPI_COMM_WORLD);
}

static void destroy(void *data)
{
    clade_mpi **mpi = data;
    const bool is_made = *mpi != NULL;
    assert_true(ranks_alike(is_made));
    clade_mpi_destroy(mpi);
}

static clade_status open_device(void *data)
{
    const clade_context_params params = { .device = fixture_device() };
    return clade_mpi_context_create(data, ranks_all, &params);
}

static void close_device(void *data)
{
    clade_context **context = data;
    const bool is_open = *context != NULL;
    assert_true(ranks_alike(is_open));
    clade_context_destroy(context);
}

static void no_memory_on_one_rank(void **state)
{
    (void)state;
    clade_mpi *mpi = NULL;
    clade_context *context = NULL;
    for (int bad = 0; bad < ranks_count; bad++)
        assert_true(ranks_fault_every(bad, create, destroy, &mpi) >= 1);
    assert_true(ranks_fault_every(ranks_count - 1, open_device, close_device, &context) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_have_numbers),       cmocka_unit_test(a_failure_is_everyones),
        cmocka_unit_test(code_of_opencl_is_told),   cmocka_unit_test(a_missing_place_on_one_rank),
        cmocka_unit_test(every_rank_gets_a_device), cmocka_unit_test(a_rank_without_a_device),
        cmocka_unit_test(no_memory_on_one_rank),
    };
    return ranks_run("mpi_comm", tests);
}
