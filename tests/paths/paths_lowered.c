/* SPDX-License-Identifier: Apache-2.0 */
/* clade_paths: lengths that a kernel of the user lowers between two parts of a search. */
#include "paths/test_paths.h"

static const char source[] =
    "#include \"clade/paths.clh\"\n"
    "__kernel void k(__global clade_paths_head *paths, uint node, ulong length, __global uint "
    "*fell)\n"
    "{\n"
    "    *fell = clade_paths_lower_wi(paths, 0u, node, (cladei_length)length) ? 1u : 0u;\n"
    "}\n";

enum { NODES = 6, WEIGHT = 5, MIDDLE = 2 };

struct lowered {
    uint64_t length; /* of node MIDDLE, as a word */
    bool falls;
};

static const struct lowered narrow[] = { { 100, true },
                                         { UINT32_MAX, false },
                                         { UINT32_MAX - 1 - 3 * WEIGHT, true } },
                            wide[] = { { 100, true },
                                       { (uint64_t)1 << 40, true },
                                       { ((uint64_t)1 << 63) - 1, true },
                                       { (uint64_t)1 << 63, false }, /* sums would wrap */
                                       { UINT64_MAX - 1, false },
                                       { UINT64_MAX, false } },
                            real[] = { { 0x3f800000u, true },  { 0, true },
                                       { 0x7f800000u, false }, /* infinity */
                                       { 0x7fc00000u, false }, /* NaN */
                                       { 0x80000000u, false }, /* -0 */
                                       { 0xbf800000u, false }, /* -1 */
                                       { UINT32_MAX, false } };

/* The length of a node of the row behind the one that was lowered. */
static uint64_t wanted_at(uint32_t type, const struct lowered *lowered, uint32_t node)
{
    const uint32_t arcs = node - MIDDLE;
    uint32_t word = (uint32_t)lowered->length;
    float real_length;
    if (node < MIDDLE || !lowered->falls)
        return UINT64_MAX;
    if (type != CLADE_PATHS_F32)
        return lowered->length + (uint64_t)arcs * WEIGHT;
    memcpy(&real_length, &word, sizeof word);
    for (uint32_t i = 0; i < arcs; i++)
        real_length += (float)WEIGHT;
    memcpy(&word, &real_length, sizeof word);
    return word;
}

static void lower(struct fixture *f, const struct opened *o, cl_kernel kernel, cl_uint node,
                  cl_ulong length, bool falls)
{
    uint32_t fell = 2;
    cl_mem mem = clade_paths_mem(o->paths), answer = fixture_buffer(f, sizeof fell, &fell);
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, node);
    fixture_arg(kernel, 2, length);
    fixture_arg(kernel, 3, answer);
    fixture_launch(f, kernel, 1, 1);
    fixture_read(f, answer, 0, &fell, sizeof fell);
    assert_int_equal(fell, falls);
    clReleaseMemObject(answer);
}

static void lower_and_go_on(struct fixture *f, struct opened *o, uint32_t type, cl_kernel kernel,
                            const struct lowered *lowered)
{
    clade_paths_query query = { .part = CLADE_PATHS_FIRST };
    assert_ok(clade_paths_run(o->paths, &query, NULL));
    lower(f, o, kernel, MIDDLE, lowered->length, lowered->falls);
    query.part = CLADE_PATHS_NEXT;
    assert_ok(clade_paths_run(o->paths, &query, NULL));
    assert_ok(clade_paths_read(o->paths, clade_host(o->predecessors), clade_no_array(), NULL));
    widen(o->got, o->predecessors, NODES, o->wide);
    for (uint32_t i = 0; i < NODES; i++)
        assert_int_equal(o->got[i], wanted_at(type, lowered, i));
}

static clade_program *build_lower(struct fixture *f, const struct opened *o, cl_kernel *kernel)
{
    clade_program *program;
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .source = source, .options = clade_paths_options(o->paths) }));
    assert_ok(clade_program_kernel(kernel, program, "k"));
    return program;
}

static void lower_all(struct fixture *f, uint32_t type, const struct lowered *all, size_t count)
{
    struct drawn row = row_of(NODES, WEIGHT);
    clade_program *program;
    cl_kernel kernel;
    if (type == CLADE_PATHS_F32) {
        const float weight = WEIGHT;
        row.type = CLADE_PATHS_F32;
        for (uint64_t i = 0; i < row.arcs; i++)
            memcpy(&row.weights[i], &weight, sizeof weight);
    }
    struct opened o = open_drawn(f, row, type == CLADE_PATHS_U64, 1);
    test_free(o.predecessors); /* lengths are read there, as wide as they are */
    o.predecessors = test_calloc(NODES, sizeof(uint64_t));
    program = build_lower(f, &o, &kernel);
    for (size_t i = 0; i < count; i++)
        lower_and_go_on(f, &o, type, kernel, &all[i]);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    close_drawn(&o);
}

/* What is no length is not taken for one: sums with it would wrap, or be less than it. */
void lengths_are_lowered_between_parts(void **state)
{
    struct fixture *f = *state;
    lower_all(f, CLADE_PATHS_U32, narrow, sizeof narrow / sizeof narrow[0]);
    lower_all(f, CLADE_PATHS_F32, real, sizeof real / sizeof real[0]);
    if (f->caps->int64_atomics)
        lower_all(f, CLADE_PATHS_U64, wide, sizeof wide / sizeof wide[0]);
}

/* A node that was lowered has no predecessor, so those cannot be read. The search is over all the
 * same: what tells which nodes wait was their room. Lengths stay. */
void predecessors_that_cannot_be_read_end_a_search(void **state)
{
    struct fixture *f = *state;
    enum { ROW = 40, LOWERED = 30, LENGTH = 1 };
    struct opened o = open_drawn(f, row_of(ROW, WEIGHT), false, 1);
    const uint32_t first = 0, target = 1;
    uint32_t got[ROW];
    cl_kernel kernel;
    clade_program *program = build_lower(f, &o, &kernel);
    clade_paths_query query = from(&first, 1);
    query.targets = clade_host(&target);
    query.target_count = 1;
    query.part = CLADE_PATHS_FIRST;
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    lower(f, &o, kernel, LOWERED, LENGTH, true);
    assert_fails(clade_paths_read(o.paths, clade_no_array(), clade_host(o.predecessors), NULL),
                 CLADE_E_CORRUPT);
    assert_ok(clade_paths_read(o.paths, clade_host(got), clade_no_array(), NULL));
    assert_true(got[target] == WEIGHT && got[LOWERED] == LENGTH);
    query = (clade_paths_query) { .part = CLADE_PATHS_NEXT };
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_ARG);
    assert_message("predecessors");
    assert_ok(clade_paths_read(o.paths, clade_host(got), clade_no_array(), NULL));
    assert_true(got[target] == WEIGHT && got[LOWERED] == LENGTH);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    close_drawn(&o);
}
