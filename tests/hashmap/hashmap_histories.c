/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded histories of sets and maps on a device, each with an order that explains it. */
#include "hashmap/test_hashmap.h"

#include <clade/program.h>
#include <string.h>

#include "lin/lin.h"

/* `kind` 0: insert, erase, contains; 1: put, find. Keys begin at ~0 and 0, which look like marks.
 */
static const char source[] =
    "#include \"lin/cl/history.clh\"\n"
    "#include \"clade/hashmap.clh\"\n"
    "#if MAP\n"
    "#define VALUE_OF(id) (id)\n"
    "#else\n"
    "#define VALUE_OF(id) 0u\n"
    "#endif\n"
    "__kernel void record(__global clade_hashmap_head *map, __global clade_atomic_u32 *clock,\n"
    "                     __global uint *out, uint keys, uint ops, uint seed)\n"
    "{\n"
    "    const uint item = (uint)get_global_id(0);\n"
    "    uint x = (item + 1u) * 2654435761u ^ seed;\n"
    "    for (uint i = 0; i < ops; i++) {\n"
    "        __global uint *r = &out[6u * (item * ops + i)];\n"
    "        x = x * 1664525u + 1013904223u;\n"
    "        const uint key = (x >> 8) % keys, what = (x >> 24) % 3u;\n"
    "        uint value = 0;\n"
    "        int status;\n"
    "        r[0] = history_ticket_wi(clock);\n"
    "        if (MAP ? what == 0u : what == 0u)\n"
    "            status = MAP ? clade_hashmap_put_wi(map, key - 1u, VALUE_OF(item * ops + i))\n"
    "                         : clade_hashmap_insert_wi(map, key - 1u, 0u);\n"
    "        else if (!MAP && what == 1u)\n"
    "            status = clade_hashmap_erase_wi(map, key - 1u, &value);\n"
    "        else\n"
    "            status = clade_hashmap_find_wi(map, key - 1u, &value);\n"
    "        r[1] = history_ticket_wi(clock);\n"
    "        r[2] = what;\n"
    "        r[3] = key;\n"
    "        r[4] = (uint)status;\n"
    "        r[5] = value;\n"
    "    }\n"
    "}\n";

struct record {
    uint32_t inv, res, what, key;
    int32_t status;
    uint32_t value;
};

struct recorder {
    struct fixture *f;
    bool is_map;
    clade_hashmap *map;
    clade_program *program;
    cl_kernel kernel;
    size_t items, count;
    uint32_t keys, ops;
    struct record *records;
    lin_op *history;
    lin_value *values;
};

static void open_recorder(struct recorder *r, uint32_t form)
{
    char options[256];
    r->count = r->items * r->ops;
    r->map = open_map(r->f, (clade_hashmap_params) { .capacity = r->keys,
                                                     .value = r->is_map ? CLADE_U32 : CLADE_NONE,
                                                     .form = form });
    snprintf(options, sizeof options, "%s -DMAP=%d", clade_hashmap_options(r->map), r->is_map);
    assert_ok(clade_program_build(
        &r->program, r->f->context,
        &(clade_program_params) {
            .source = source, .options = options, .include_path = fixture_kernels(TEST_KERNELS) }));
    assert_ok(clade_program_kernel(&r->kernel, r->program, "record"));
    r->records = test_calloc(r->count, sizeof *r->records);
    r->history = test_calloc(r->count, sizeof *r->history);
    r->values = test_calloc(r->count, sizeof *r->values);
}

static void close_recorder(struct recorder *r)
{
    test_free(r->values);
    test_free(r->history);
    test_free(r->records);
    clReleaseKernel(r->kernel);
    clade_program_destroy(&r->program);
    clade_hashmap_destroy(&r->map);
}

/* What gave up did nothing, and is left out. */
static size_t make_history(struct recorder *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct record *from = &r->records[i];
        if (from->status == CLADE_E_BUSY)
            continue;
        assert_true(from->status >= 0 || from->status == CLADE_E_NOT_FOUND);
        const bool is_put = r->is_map && from->what == 0;
        const bool is_get = r->is_map && !is_put;
        r->values[n] = (lin_value) { .key = from->key,
                                     .id = is_put                               ? i
                                           : is_get && from->status == CLADE_OK ? from->value
                                                                                : 0 };
        r->history[n] = (lin_op) { .inv = from->inv,
                                   .res = from->res,
                                   .thread = (uint32_t)(i / r->ops),
                                   .kind = is_put            ? LIN_PUT
                                           : is_get          ? LIN_GET
                                           : from->what == 0 ? LIN_INSERT
                                           : from->what == 1 ? LIN_DELETE
                                                             : LIN_CONTAINS,
                                   .count = 1,
                                   .ok = is_put || from->status == CLADE_OK,
                                   .values = &r->values[n] };
        n++;
    }
    return n;
}

static void record_once(struct recorder *r, cl_uint seed)
{
    struct fixture *f = r->f;
    /* PoCL does a group's items one after the other; elsewhere they go in lock-step. */
    const bool is_serial = f->caps->is_cpu && f->caps->loop_limit == 0;
    const cl_uint zero = 0, keys = r->keys, ops = r->ops;
    lin_report report = { "", SIZE_MAX, SIZE_MAX };
    cl_mem mem = clade_hashmap_mem(r->map), clock = fixture_buffer(f, sizeof zero, &zero);
    cl_mem out = fixture_buffer(f, r->count * sizeof *r->records, NULL);
    assert_ok(clade_hashmap_clear(r->map, NULL));
    fixture_arg(r->kernel, 0, mem);
    fixture_arg(r->kernel, 1, clock);
    fixture_arg(r->kernel, 2, out);
    fixture_arg(r->kernel, 3, keys);
    fixture_arg(r->kernel, 4, ops);
    fixture_arg(r->kernel, 5, seed);
    fixture_launch(f, r->kernel, r->items, is_serial ? 1 : 8);
    fixture_read(f, out, 0, r->records, r->count * sizeof *r->records);
    const size_t n = make_history(r);
    const lin_verdict verdict =
        r->is_map ? lin_map(r->history, n, &report) : lin_set(r->history, n, &report);
    if (verdict != LIN_OK)
        print_error("verdict %d: %s (operations %zu, %zu)\n", verdict, report.why, report.op,
                    report.other);
    assert_int_equal(verdict, LIN_OK);
    assert_ok(clade_hashmap_check(r->map));
    clReleaseMemObject(clock);
    clReleaseMemObject(out);
}

void histories_are_linearizable(void **state)
{
    struct fixture *f = *state;
    const size_t items = fixture_scaled(16, 256, 2048);
    const int rounds = (int)fixture_scaled(1, 6, 50);
    for (int kind = 0; kind < 8; kind++) {
        struct recorder r = { .f = f,
                              .is_map = kind % 2 == 1,
                              .items = items,
                              .keys = kind / 2 % 2 ? 6 : 60,
                              .ops = 40 };
        open_recorder(&r, kind < 4 ? CLADE_HASHMAP_AUTO : CLADE_HASHMAP_TAGGED);
        for (int round = 0; round < rounds; round++)
            record_once(&r, (cl_uint)f->seed + (cl_uint)round * 77u);
        close_recorder(&r);
    }
}
