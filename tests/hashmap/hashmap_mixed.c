/* SPDX-License-Identifier: Apache-2.0 */
/* clade_hashmap: operations of many items on few keys, in one launch. */
#include "hashmap/test_hashmap.h"

static const char mix_source[] =
    "#include \"clade/hashmap.clh\"\n"
    "__kernel void mixed(__global clade_hashmap_head *map, __global uint *told, uint keys, uint "
    "rounds,\n"
    "                  uint seed)\n"
    "{\n"
    "    const uint item = (uint)get_global_id(0);\n"
    "    uint x = (item + 1u) * 2654435761u ^ seed, in = 0, out = 0, wrong = 0, value;\n"
    "    for (uint i = 0; i < rounds; i++) {\n"
    "        x = x * 1664525u + 1013904223u;\n"
    "        const uint key = (x >> 8) % keys - 2u, what = x >> 28;\n"
    "        int status;\n"
    "        if (what < 5u) {\n"
    "            status = clade_hashmap_insert_wi(map, key, key * 3u);\n"
    "            in += status == CLADE_OK ? 1u : 0u;\n"
    "            wrong |= status < 0 && status != CLADE_E_BUSY ? 1u : 0u;\n"
    "        } else if (what < 7u) {\n"
    "            status = clade_hashmap_put_wi(map, key, key * 3u);\n"
    "            in += status == CLADE_OK ? 1u : 0u;\n"
    "            wrong |= status < 0 && status != CLADE_E_BUSY ? 2u : 0u;\n"
    "        } else if (what < 12u) {\n"
    "            status = clade_hashmap_erase_wi(map, key, &value);\n"
    "            out += status == CLADE_OK ? 1u : 0u;\n"
    "            wrong |= status == CLADE_OK ? (value != key * 3u ? 4u : 0u)\n"
    "                                        : (status != CLADE_E_NOT_FOUND &&\n"
    "                                           status != CLADE_E_BUSY ? 8u : 0u);\n"
    "        } else {\n"
    "            status = clade_hashmap_find_wi(map, key, &value);\n"
    "            wrong |= status == CLADE_OK ? (value != key * 3u ? 16u : 0u)\n"
    "                                        : (status != CLADE_E_NOT_FOUND &&\n"
    "                                           status != CLADE_E_BUSY ? 32u : 0u);\n"
    "        }\n"
    "        wrong |= status == CLADE_E_BUSY ? 64u : 0u;\n"
    "    }\n"
    "    told[3u * item] = in;\n"
    "    told[3u * item + 1u] = out;\n"
    "    told[3u * item + 2u] = wrong;\n"
    "}\n"
    "__kernel void count(__global clade_hashmap_head *map, uint keys, uint rounds)\n"
    "{\n"
    "    uint x = ((uint)get_global_id(0) + 1u) * 2654435761u, before;\n"
    "    for (uint i = 0; i < rounds; i++) {\n"
    "        x = x * 1664525u + 1013904223u;\n"
    "        int status = CLADE_E_BUSY;\n"
    "        for (uint tries = 0; tries < 100u && status == CLADE_E_BUSY; tries++)\n"
    "            status = clade_hashmap_update_wi(map, (x >> 8) % keys, 1u, CLADE_HASHMAP_PLUS, "
    "&before);\n"
    "    }\n"
    "}\n"
    "__kernel void swap(__global clade_hashmap_head *map, uint key, uint rounds)\n"
    "{\n"
    "    uint before = 0;\n"
    "    for (uint i = 0; i < rounds; i++) {\n"
    "        int status = CLADE_HASHMAP_DIFFERS;\n"
    "        for (uint tries = 0; tries < 100000u &&\n"
    "                (status == CLADE_HASHMAP_DIFFERS || status == CLADE_E_BUSY); tries++) {\n"
    "            uint seen;\n"
    "            status = clade_hashmap_cas_wi(map, key, before, before + 1u, &seen);\n"
    "            before = seen;\n"
    "        }\n"
    "    }\n"
    "}\n";

struct mix {
    struct fixture *f;
    clade_hashmap *map;
    clade_program *program;
};

static void open_mix(struct mix *m, struct fixture *f, uint32_t capacity, uint32_t form)
{
    *m = (struct mix) { .f = f };
    m->map = open_map(
        f, (clade_hashmap_params) { .capacity = capacity, .value = CLADE_U32, .form = form });
    assert_ok(
        clade_program_build(&m->program, f->context,
                            &(clade_program_params) { .source = mix_source,
                                                      .options = clade_hashmap_options(m->map) }));
}

static void close_mix(struct mix *m)
{
    clade_program_destroy(&m->program);
    clade_hashmap_destroy(&m->map);
}

static cl_kernel kernel_of(struct mix *m, const char *name)
{
    cl_kernel kernel = NULL;
    cl_mem mem = clade_hashmap_mem(m->map);
    assert_ok(clade_program_kernel(&kernel, m->program, name));
    fixture_arg(kernel, 0, mem);
    return kernel;
}

enum { ITEMS = 512 };

/* Inserts and erases of few keys by many items: what came in and did not go out is there, once. */
static void mix_once(struct mix *m, cl_uint keys, cl_uint rounds, cl_uint seed)
{
    static uint32_t told[3 * ITEMS];
    cl_kernel kernel = kernel_of(m, "mixed");
    cl_mem mem = fixture_buffer(m->f, sizeof told, NULL);
    const uint64_t size = size_of_map(m->map);
    int64_t change = 0;
    fixture_arg(kernel, 1, mem);
    fixture_arg(kernel, 2, keys);
    fixture_arg(kernel, 3, rounds);
    fixture_arg(kernel, 4, seed);
    fixture_launch(m->f, kernel, ITEMS, 64);
    fixture_read(m->f, mem, 0, told, sizeof told);
    for (uint32_t i = 0; i < ITEMS; i++) {
        change += (int64_t)told[3 * i] - (int64_t)told[3 * i + 1];
        /* Where loops are cut short, operations give up early: then nothing was done. */
        assert_int_equal(told[3 * i + 2] & (m->f->caps->loop_limit ? 63u : 127u), 0);
    }
    assert_int_equal(size_of_map(m->map), (int64_t)size + change);
    assert_ok(clade_hashmap_check(m->map));
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
}

void all_operations_at_once(void **state)
{
    struct fixture *f = *state;
    const cl_uint rounds = (cl_uint)fixture_scaled(4, 200, 2000);
    for (uint32_t form = CLADE_HASHMAP_AUTO; form <= CLADE_HASHMAP_TAGGED; form += 2) {
        struct mix m;
        open_mix(&m, f, 40, form);
        for (cl_uint i = 0; i < (fixture_is_interpreted(f) ? 1 : 4); i++) {
            mix_once(&m, 3, rounds, i);
            mix_once(&m, 40, rounds, i);
        }
        close_mix(&m);
        open_mix(&m, f, 2000, form);
        mix_once(&m, 2000, rounds, 1);
        mix_once(&m, 2000, rounds, 2);
        close_mix(&m);
    }
}

void updates_lose_nothing(void **state)
{
    struct fixture *f = *state;
    const cl_uint rounds = (cl_uint)fixture_scaled(4, 100, 1000), keys = 37, key = 1000;
    for (uint32_t form = CLADE_HASHMAP_AUTO; form <= CLADE_HASHMAP_TAGGED; form += 2) {
        struct mix m;
        uint32_t names[64], counts[64], value = 0;
        uint64_t got = 0, sum = 0;
        open_mix(&m, f, 64, form);
        cl_kernel kernel = kernel_of(&m, "count");
        fixture_arg(kernel, 1, keys);
        fixture_arg(kernel, 2, rounds);
        fixture_launch(f, kernel, ITEMS, 64);
        assert_ok(clade_hashmap_read(m.map, clade_host(names), clade_host(counts), 64, &got, NULL));
        assert_int_equal(got, keys);
        for (uint32_t i = 0; i < got; i++)
            sum += counts[i];
        assert_int_equal(sum, (uint64_t)ITEMS * rounds);
        clReleaseKernel(kernel);
        assert_ok(clade_hashmap_insert(m.map, clade_host(&key), clade_host(&value), 1, NONE, NULL));
        kernel = kernel_of(&m, "swap");
        const cl_uint few = rounds / 4 ? rounds / 4 : 1;
        fixture_arg(kernel, 1, key);
        fixture_arg(kernel, 2, few);
        fixture_launch(f, kernel, 64, 16);
        assert_ok(clade_hashmap_find(m.map, clade_host(&key), clade_host(&value), 1, NONE, NULL));
        assert_int_equal(value, 64 * few);
        clReleaseKernel(kernel);
        close_mix(&m);
    }
}
