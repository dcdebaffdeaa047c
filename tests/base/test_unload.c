/* SPDX-License-Identifier: Apache-2.0 */
/* The library is loaded and unloaded while threads go on that met errors in it: what it keeps for a
 * thread goes with the thread or with the library, whichever ends first. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* As in clade/context.h, which names the library's functions: this program is not linked with it.
 */
typedef int create_context(void **out, const void *params);

/* Meets an error: a NULL argument. */
static void fail_once(void *library)
{
    create_context *create;
    *(void **)&create = dlsym(library, "clade_context_create");
    assert_non_null(create);
    assert_int_equal(create(NULL, NULL), -1);
}

static void *load_fail_unload(void *unused)
{
    void *library = dlopen(LIBCLADE, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    fail_once(library);
    assert_int_equal(dlclose(library), 0);
    return unused;
}

static void a_thread_outlives_the_library(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, load_fail_unload, NULL), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
}

struct other {
    void *library;
    sem_t failed, unloaded;
};

static void *fail_and_wait(void *data)
{
    struct other *other = data;
    fail_once(other->library);
    sem_post(&other->failed);
    sem_wait(&other->unloaded);
    return NULL;
}

static void another_thread_outlives_the_library(void **state)
{
    struct other other = { .library = dlopen(LIBCLADE, RTLD_NOW | RTLD_LOCAL) };
    pthread_t thread;
    (void)state;
    assert_non_null(other.library);
    sem_init(&other.failed, 0, 0);
    sem_init(&other.unloaded, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, fail_and_wait, &other), 0);
    sem_wait(&other.failed);
    assert_int_equal(dlclose(other.library), 0);
    sem_post(&other.unloaded);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_outlives_the_library),
        cmocka_unit_test(another_thread_outlives_the_library),
    };
    return cmocka_run_group_tests_name("unload", tests, NULL, NULL);
}
