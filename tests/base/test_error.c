/* SPDX-License-Identifier: Apache-2.0 */
/* clade_error: one sentence per thread, never NULL; and the growing string below it. */
#include <pthread.h>

#include "base/error.h"
#include "base/text.h"
#include "harness/fixture.h"

static void before_any_failure_the_error_is_empty(void **state)
{
    (void)state;
    assert_int_equal(clade_error_last()->status, CLADE_OK);
    assert_string_equal(clade_error_last()->message, "");
    assert_string_equal(clade_error_last()->log, "");
}

static void a_failure_leaves_its_sentence(void **state)
{
    (void)state;
    assert_int_equal(cladei_fail(CLADE_E_FULL, "no room for %d", 7), CLADE_E_FULL);
    assert_int_equal(clade_error_last()->status, CLADE_E_FULL);
    assert_string_equal(clade_error_last()->message, "no room for 7");
}

static void an_opencl_failure_names_the_call_and_the_code(void **state)
{
    (void)state;
    assert_int_equal(cladei_fail_cl(CL_INVALID_VALUE, "clCreateBuffer(a, b)"), CLADE_E_DEVICE);
    assert_string_equal(clade_error_last()->message,
                        "clCreateBuffer failed: CL_INVALID_VALUE (-30)");
    assert_int_equal(clade_error_last()->cl_code, CL_INVALID_VALUE);
    assert_int_equal(cladei_fail_cl(CL_OUT_OF_HOST_MEMORY, "clX()"), CLADE_E_NOMEM);
}

static void a_build_failure_keeps_the_log(void **state)
{
    (void)state;
    assert_int_equal(cladei_fail_build(-11, "line 3: no", "%s is wrong", "it"), CLADE_E_BUILD);
    assert_string_equal(clade_error_last()->log, "line 3: no");
    cladei_fail(CLADE_E_ARG, "later");
    assert_string_equal(clade_error_last()->log, "");
}

static void long_sentences_are_cut_not_overrun(void **state)
{
    (void)state;
    char word[3000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    cladei_fail(CLADE_E_ARG, "%s", word);
    assert_in_range(strlen(clade_error_last()->message), 1000, 1023);
}

/* Also one that is made of the last sentence. */
static void others_may_set_it(void **state)
{
    (void)state;
    assert_int_equal(clade_error_set(CLADE_E_DEVICE, CL_INVALID_BINARY, "50% of it"),
                     CLADE_E_DEVICE);
    assert_int_equal(clade_error_last()->cl_code, CL_INVALID_BINARY);
    assert_string_equal(clade_error_last()->message, "50% of it");
    clade_error_set(CLADE_E_IO, 0, clade_error_last()->message + 4);
    assert_int_equal(clade_error_last()->status, CLADE_E_IO);
    assert_string_equal(clade_error_last()->message, "of it");
    clade_error_set(CLADE_E_IO, 0, NULL);
    assert_string_equal(clade_error_last()->message, "");
}

static void *fail_in_a_thread(void *result)
{
    *(int *)result = clade_error_last()->status;
    cladei_fail(CLADE_E_IO, "in the thread");
    return NULL;
}

static void threads_have_their_own_error(void **state)
{
    (void)state;
    pthread_t thread;
    int seen = 1;
    cladei_fail(CLADE_E_BUSY, "in main");
    assert_int_equal(pthread_create(&thread, NULL, fail_in_a_thread, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(seen, CLADE_OK);
    assert_string_equal(clade_error_last()->message, "in main");
}

/* What ends with a thread may call the library when the thread's error is gone already. */
static pthread_key_t late;
static struct {
    const clade_error *in_time, *first;
    clade_status failed;
} ends;

static void end_late(void *value)
{
    (void)value;
    ends.first = clade_error_last();
    cladei_fail(CLADE_E_BUSY, "late");
    ends.failed = clade_error_last()->status;
}

static void *end_in_order(void *nothing)
{
    cladei_fail(CLADE_E_IO, "in time");
    ends.in_time = clade_error_last();
    pthread_setspecific(late, "");
    return nothing;
}

static void errors_outlive_their_thread_by_nothing(void **state)
{
    (void)state;
    pthread_t thread;
    cladei_fail(CLADE_E_BUSY, "so that the library's key comes first");
    assert_int_equal(pthread_key_create(&late, end_late), 0);
    assert_int_equal(pthread_create(&thread, NULL, end_in_order, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_key_delete(late), 0);
    assert_non_null(ends.first);
    assert_ptr_not_equal(ends.first, ends.in_time);
    assert_int_equal(ends.failed, CLADE_E_BUSY);
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < CLADE_STATUS_COUNT; i++)
        assert_memory_equal(clade_status_name(-i), "CLADE_", 6);
    assert_string_equal(clade_status_name(CLADE_E_IO), "CLADE_E_IO");
    assert_string_equal(clade_status_name(1), "unknown status");
    assert_string_equal(clade_status_name(-CLADE_STATUS_COUNT), "unknown status");
}

static void text_grows_and_formats(void **state)
{
    (void)state;
    struct cladei_text text = { 0 };
    for (int i = 0; i < 1000; i++)
        cladei_text_printf(&text, "%d,", i);
    cladei_text_puts(&text, "end");
    assert_false(text.failed);
    assert_int_equal(strlen(text.data), text.length);
    assert_string_equal(text.data + text.length - 7, "999,end");
    cladei_text_free(&text);
    assert_null(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_any_failure_the_error_is_empty),
        cmocka_unit_test(a_failure_leaves_its_sentence),
        cmocka_unit_test(an_opencl_failure_names_the_call_and_the_code),
        cmocka_unit_test(a_build_failure_keeps_the_log),
        cmocka_unit_test(long_sentences_are_cut_not_overrun),
        cmocka_unit_test(others_may_set_it),
        cmocka_unit_test(threads_have_their_own_error),
        cmocka_unit_test(errors_outlive_their_thread_by_nothing),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(text_grows_and_formats),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
