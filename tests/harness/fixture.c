/* SPDX-License-Identifier: Apache-2.0 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <fnmatch.h>

#include "harness/fixture.h"

const char *fixture_device(void)
{
    const char *device = getenv("CLADE_DEVICE");
    return device && *device ? device : "Portable Computing";
}

uint64_t fixture_seed(void)
{
    const char *text = getenv("CLADE_TEST_SEED");
    return text && *text ? strtoull(text, NULL, 0) : 0x636c616465u;
}

size_t fixture_scaled(size_t small, size_t normal, size_t large)
{
    const char *size = getenv("CLADE_TEST_SIZE");
    if (size && strcmp(size, "small") == 0)
        return small;
    return size && strcmp(size, "large") == 0 ? large : normal;
}

bool fixture_is_small(void)
{
    return fixture_scaled(1, 0, 0) == 1;
}

static bool platform_holds(const struct fixture *f, const char *text)
{
    cl_platform_id platform;
    char name[256] = "";
    clGetDeviceInfo(clade_context_cl_device(f->context), CL_DEVICE_PLATFORM, sizeof platform,
                    &platform, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    return strstr(name, text) != NULL;
}

bool fixture_is_pocl(const struct fixture *f)
{
    return platform_holds(f, "Portable Computing Language");
}

bool fixture_is_interpreted(const struct fixture *f)
{
    return fixture_is_small() && (platform_holds(f, "Oclgrind") || platform_holds(f, "emulated"));
}

uint32_t fixture_fewer(const struct fixture *f, uint32_t count)
{
    return fixture_is_interpreted(f) ? (count + 5) / 6 : count;
}

bool fixture_launches_slowly(const struct fixture *f)
{
    return fixture_is_small() && f->caps->loop_limit != 0;
}

void fixture_by_night(const char *others)
{
    if (!fixture_is_small())
        return;
    print_message("skipped: by day %s; CLADE_TEST_SIZE=normal has it\n", others);
    skip();
}

void fixture_compiles_long(const struct fixture *f)
{
    if (!fixture_launches_slowly(f))
        return;
    print_message("skipped: this driver compiles it for long; CLADE_TEST_SIZE=normal has it\n");
    skip();
}

const char *fixture_kernels(const char *built)
{
    const char *moved = getenv("CLADE_TEST_CL");
    return moved && *moved ? moved : built;
}

static struct fixture the_fixture;

bool fixture_has_no_device(void)
{
    const clade_error *error = clade_error_last();
    return error->status == CLADE_E_NOT_FOUND && strstr(error->message, "OpenCL device");
}

/* A device that is not there is a skip; one that is there and does not open is a failure. It is
 * opened once: a GPU's driver takes a tenth of a second or more for a context. */
static bool device_is_missing(void)
{
    const clade_context_params params = { .device = fixture_device() };
    the_fixture = (struct fixture) { .seed = fixture_seed() };
    if (clade_context_create(&the_fixture.context, &params) == CLADE_OK)
        return false;
    const bool missing = fixture_has_no_device();
    printf("%s: %s\n", missing ? "skipped" : "no device", clade_error_last()->message);
    return missing;
}

static int take_device(void **state)
{
    if (!the_fixture.context)
        return -1;
    the_fixture.caps = clade_context_caps(the_fixture.context);
    *state = &the_fixture;
    return 0;
}

static int close_device(void **state)
{
    struct fixture *fixture = *state;
    clade_context_destroy(&fixture->context);
    return 0;
}

static bool filter_fits(const char *filter, const struct CMUnitTest *tests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!filter || fnmatch(filter, tests[i].name, 0) == 0)
            return true;
    printf("no test's name fits CLADE_TEST_FILTER=%s\n", filter);
    return false;
}

int fixture_run_group(const char *name, const struct CMUnitTest *tests, size_t count)
{
    const char *filter = getenv("CLADE_TEST_FILTER"); /* NULL: all */
    if (!filter_fits(filter, tests, count))
        return TEST_NOT_RUN;
    if (device_is_missing())
        return TEST_SKIPPED;
    printf("seed %#llx\n", (unsigned long long)fixture_seed());
    cmocka_set_test_filter(filter);
    return _cmocka_run_group_tests(name, tests, count, take_device, close_device);
}

struct random random_from(uint64_t seed)
{
    return (struct random) { seed };
}

uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    return random_next(random) % bound;
}

cl_mem fixture_buffer(struct fixture *f, size_t bytes, const void *content_or_null)
{
    cl_int code;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (content_or_null ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem mem = clCreateBuffer(clade_context_cl_context(f->context), flags, bytes ? bytes : 1,
                                (void *)(size_t)content_or_null, &code);
    assert_int_equal(code, CL_SUCCESS);
    return mem;
}

void fixture_read(struct fixture *f, cl_mem mem, size_t offset, void *to, size_t bytes)
{
    assert_int_equal(clEnqueueReadBuffer(clade_context_cl_queue(f->context), mem, CL_TRUE, offset,
                                         bytes, to, 0, NULL, NULL),
                     CL_SUCCESS);
}

void fixture_write(struct fixture *f, cl_mem mem, size_t offset, const void *from, size_t bytes)
{
    assert_int_equal(clEnqueueWriteBuffer(clade_context_cl_queue(f->context), mem, CL_TRUE, offset,
                                          bytes, from, 0, NULL, NULL),
                     CL_SUCCESS);
}

void fixture_launch(struct fixture *f, cl_kernel kernel, size_t items, size_t group)
{
    assert_int_equal(clEnqueueNDRangeKernel(clade_context_cl_queue(f->context), kernel, 1, NULL,
                                            &items, group ? &group : NULL, 0, NULL, NULL),
                     CL_SUCCESS);
}

void assert_status(clade_status got, clade_status wanted, const char *call, const char *file,
                   int line)
{
    if (got == wanted)
        return;
    print_error("%s returned %s, not %s\n", call, clade_status_name(got),
                clade_status_name(wanted));
    if (got != CLADE_OK)
        print_error("%s\n%s\n", clade_error_last()->message, clade_error_last()->log);
    _fail(file, line);
}
