/* SPDX-License-Identifier: Apache-2.0 */
/* The exported makers of arrays, met as another language meets them: by their names, in the shared
 * library. They give what the header's inline functions give. */
#include <dlfcn.h>
#include <string.h>

#include "harness/fixture.h"

static void *library;

static void assert_same(clade_array got, clade_array wanted)
{
    assert_ptr_equal(got.host, wanted.host);
    assert_ptr_equal(got.mem, wanted.mem);
    assert_int_equal(got.offset, wanted.offset);
}

#define FIND(name, ...)                                     \
    clade_array (*name)(__VA_ARGS__);                       \
    *(void **)&name = dlsym(library, "clade_array_" #name); \
    assert_non_null(name)

static void they_are_the_inline_ones(void **state)
{
    int word;
    const cl_mem mem = (cl_mem)&word; /* only carried along */
    (void)state;
    FIND(of_host, const void *);
    FIND(of_mem, cl_mem, size_t);
    FIND(of_nothing, void);
    assert_same(of_host(&word), clade_host(&word));
    assert_same(of_mem(mem, 4096), clade_device(mem, 4096));
    assert_same(of_nothing(), clade_no_array());
}

int main(void)
{
    library = dlopen(LIBCLADE, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(they_are_the_inline_ones) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
