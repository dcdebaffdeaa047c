/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as nobody should make them: counts whose bytes wrap, arrays that are too short or begin
 * where none can, no object, no array. Each is refused with a sentence, and the object is what it
 * was. Every call that takes a launch is tried (tests/W/launches.c). */
#include "launches/launches.h"

#include "clade/heap.h"
#include "clade/kma.h"
#include "clade/rbtree.h"
#include "clade/shared/kma.h"
#include "harness/end_after.h"

static bool is_tried(const struct row *row)
{
    return !row->kind->is_shared;
}

static void refuse(struct world *w, const struct row *row, const char *what)
{
    const clade_status status = row->call(w, NULL);
    if (status == CLADE_OK)
        fail_msg("%s of %llu elements was done: %s", row->function, (unsigned long long)w->count,
                 what);
    assert_true(clade_error_last()->message[0] != '\0');
}

/* The content, after which the object is empty or filled. */
static uint64_t digest_of(struct world *w)
{
    w->digest = 0;
    w->count = COUNT;
    w->on_host = false;
    memset(w->begin, 0, sizeof w->begin);
    assert_ok(clade_finish(w->f->context));
    w->kind->drain(w);
    return w->digest;
}

/* Whether it has arrays to read; of results there may come fewer than there is room for. */
static bool reads_arrays(const struct row *row)
{
    return row_takes(row, NEW) || row_takes(row, INSIDE) || row_takes(row, VALUES) ||
           row_takes(row, OPS) || row_takes(row, NODES) || row_takes(row, INDEX);
}

static void refuse_counts(struct world *w, const struct row *row)
{
    static const uint64_t counts[] = {
        UINT64_MAX,        UINT64_MAX / 4 + 1,      UINT64_MAX / 8 + 1,      (uint64_t)1 << 62,
        (uint64_t)1 << 60, ((uint64_t)1 << 62) + 8, ((uint64_t)1 << 62) + 1, (uint64_t)1 << 63,
        (uint64_t)1 << 32, ((uint64_t)1 << 32) + 1, ((uint64_t)1 << 33) + 8,
    };
    static const uint64_t each[] = { ((uint64_t)1 << 31) + 1, UINT32_MAX };
    const bool is_each = row_counts(row) == COUNTED_EACH;
    for (size_t i = 0; i < (is_each ? sizeof each : sizeof counts) / sizeof *counts; i++) {
        w->count = is_each ? each[i] : counts[i];
        w->on_host = false;
        refuse(w, row, "of a buffer that is too short");
        w->on_host = true;
        /* Within what an array of the host could be, its bytes are read: that is the caller's. */
        if (!is_each && counts[i] > (uint64_t)1 << 40 && reads_arrays(row))
            refuse(w, row, "in host memory");
    }
}

static void refuse_places(struct world *w, const struct row *row)
{
    static const size_t places[] = { sizeof w->host[0], SIZE_MAX - 3, 2 };
    w->count = COUNT;
    w->on_host = false;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        for (int slot = 0; slot < SLOTS; slot++)
            w->begin[slot] = places[i];
        refuse(w, row, "of an array at a wrong place");
    }
}

static bool takes_arrays(const struct row *row)
{
    for (int slot = 0; slot < SLOTS; slot++)
        if (row_takes(row, slot))
            return true;
    return false;
}

static void bad_counts_and_places_are_refused(void **state)
{
    struct fixture *f = *state;
    size_t counted = 0;
    for (size_t i = 0; i < row_count; i++) {
        struct world w;
        if (!is_tried(&rows[i]) || !takes_arrays(&rows[i]))
            continue;
        world_open(&w, rows[i].kind, f);
        world_reset(&w);
        const uint64_t wanted = digest_of(&w);
        world_reset(&w);
        if (row_counts(&rows[i])) {
            refuse_counts(&w, &rows[i]);
            counted++;
        }
        refuse_places(&w, &rows[i]);
        if (digest_of(&w) != wanted)
            fail_msg("%s was refused and left another content", rows[i].function);
        world_close(&w);
    }
    assert_true(counted > 40);
}

static void nothing_is_no_object(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < row_count; i++) {
        struct world w = { .kind = rows[i].kind, .f = f, .on_host = true, .count = 1 };
        if (is_tried(&rows[i]))
            refuse(&w, &rows[i], "of no object");
    }
}

/* "On failure the results are untouched": clade/error.h. */
static void failed_calls_leave_results_alone(void **state)
{
    struct fixture *f = *state;
    enum { MANY = 1000 };
    uint32_t keys[MANY];
    uint64_t size = 77;
    clade_kma_stats stats, before;
    clade_kma *kma;
    clade_rbtree *tree;
    assert_ok(
        clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 1u << 20, .bare = 1 }));
    assert_ok(clade_rbtree_create(&tree, f->context, &(clade_rbtree_params) { .capacity = 64 }));
    for (uint32_t i = 0; i < MANY; i++)
        keys[i] = i;
    cl_mem in = fixture_buffer(f, sizeof keys, keys);
    assert_ok(clade_rbtree_insert(tree, clade_device(in, 0), clade_no_array(), MANY,
                                  clade_no_array(), NULL));
    assert_fails(clade_rbtree_size(tree, &size), CLADE_E_FULL);
    assert_int_equal(size, 77);

    clade_kma_head head;
    const uint32_t wrong = 0x7fffffff;
    memset(&before, 0x77, sizeof before);
    stats = before;
    fixture_read(f, clade_kma_mem(kma), 0, &head, sizeof head);
    const size_t info = 4 * ((size_t)head.info_at + head.first_page);
    fixture_write(f, clade_kma_mem(kma), info, &wrong, sizeof wrong);
    assert_fails(clade_kma_stats_read(kma, &stats), CLADE_E_CORRUPT);
    assert_memory_equal(&stats, &before, sizeof stats);
    clade_rbtree_destroy(&tree);
    clade_kma_destroy(&kma);
    clReleaseMemObject(in);
}

/* As many groups as the number holds are no more than there is work for. Where they were all
 * launched the heap took minutes to make, and the program ends. */
static void groups_without_work_are_not_launched(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap = NULL;
    const float keys[] = { 3, 1, 2 };
    float key = 0;
    end_after(100);
    assert_ok(clade_heap_create(&heap, f->context,
                                &(clade_heap_params) { .capacity = 100,
                                                       .batch = 16,
                                                       .key = CLADE_F32,
                                                       .engine = CLADE_HEAP_TOP_DOWN,
                                                       .groups = UINT32_MAX }));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), 3, NULL));
    assert_ok(clade_heap_peek(heap, &key, NULL));
    assert_true(key == 1);
    assert_ok(clade_heap_clear(heap, NULL));
    assert_ok(clade_heap_check(heap));
    end_after(0);
    clade_heap_destroy(&heap);
}

static clade_status build_twice(struct fixture *f, const char *define, const char *header,
                                const char *other)
{
    char source[512];
    const clade_program_params params = { .source = source };
    clade_program *program = NULL;
    snprintf(source, sizeof source,
             "#define %s mine\n#include \"%s\"\n#define %s %s\n#include \"%s\"\n"
             "__kernel void nothing(void)\n{\n}\n",
             define, header, define, other, header);
    const clade_status status = clade_program_build(&program, f->context, &params);
    clade_program_destroy(&program);
    return status;
}

/* A header that is included twice with one prefix says so, where the compiler is made of clang
 * (cl/clade/base/misuse.clh); any compiler fails. */
static void a_prefix_is_taken_once(void **state)
{
    static const char *const headers[][2] = { { "CLADE_HASHMAP", "clade/hashmap.clh" },
                                              { "CLADE_HEAP", "clade/heap.clh" },
                                              { "CLADE_LIST", "clade/list.clh" },
                                              { "CLADE_RBTREE", "clade/rbtree.clh" } };
    struct fixture *f = *state;
    assert_ok(build_twice(f, headers[0][0], headers[0][1], "another"));
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char sentence[128];
        assert_fails(build_twice(f, headers[i][0], headers[i][1], "mine"), CLADE_E_BUILD);
        snprintf(sentence, sizeof sentence, "the prefix mine is taken by an include of %s",
                 headers[i][1]);
        if (fixture_is_pocl(f) && !strstr(clade_error_last()->log, sentence))
            fail_msg("%s is included twice: %s", headers[i][1], clade_error_last()->log);
    }
}

int main(void)
{
    rows_collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_counts_and_places_are_refused),
        cmocka_unit_test(nothing_is_no_object),
        cmocka_unit_test(failed_calls_leave_results_alone),
        cmocka_unit_test(groups_without_work_are_not_launched),
        cmocka_unit_test(a_prefix_is_taken_once),
    };
    return fixture_run("misuse", tests);
}
