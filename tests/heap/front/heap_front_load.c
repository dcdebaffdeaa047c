/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/front/heap_front_load.h"
#include "object/launch.h"
#include "object/object.h"

struct keys keys_new(size_t count)
{
    struct keys k = { calloc(count + 1, 8), calloc(count + 1, 8), count };
    assert_non_null(k.key);
    assert_non_null(k.value);
    return k;
}

void keys_free(struct keys *k)
{
    free(k->key);
    free(k->value);
}

static void front_build(struct front *t)
{
    char options[600];
    clade_program_params params = { .file = "heap/front/heap_front.cl" };
    snprintf(options, sizeof options,
             "-DTEST_KEY_BITS=%u -DTEST_VALUE_BITS=%u -DTEST_BATCH=%u -DTEST_LEAF=%u "
             "%s",
             t->shape.key_bits, t->shape.value_bits, t->shape.batch, t->shape.leaf,
             t->shape.options ? t->shape.options : "");
    params.options = options;
    params.include_path = fixture_kernels(TEST_KERNELS);
    assert_ok(clade_program_build(&t->program, t->f->context, &params));
    assert_ok(clade_program_kernel(&t->work, t->program, "test_work"));
}

void front_open(struct front *t, struct fixture *f, struct shape shape, uint64_t capacity)
{
    struct cladei_run run;
    *t = (struct front) { .f = f, .shape = shape };
    assert_ok(cladei_front_plan(&t->plan, capacity, shape.leaf, shape.key_bits / 8,
                                shape.value_bits / 8));
    t->plan.shape = CLADE_HEAP_SHAPE(shape.key_bits == 64 ? CLADE_U64 : CLADE_U32,
                                     shape.value_bits == 64   ? CLADE_U64
                                     : shape.value_bits == 32 ? CLADE_U32
                                                              : CLADE_NONE,
                                     CLADE_MIN, CLADE_HEAP_FRONT, shape.batch, shape.leaf);
    assert_ok(cladei_object_create(&t->object, f->context, CLADE_KIND('f', 'r', 'o', 'n'),
                                   t->plan.shape, t->plan.bytes, "the test's heap"));
    assert_ok(cladei_run_begin(&run, f->context, NULL));
    assert_ok(cladei_front_format(&t->plan, &t->object, &run));
    front_build(t);
}

void front_close(struct front *t)
{
    clReleaseKernel(t->work);
    clade_program_destroy(&t->program);
    cladei_object_destroy(&t->object);
}

/* --- arrays on the device ------------------------------------------------------------------ */

static cl_mem put(struct front *t, const uint64_t *from, size_t count, uint32_t bits)
{
    char *bytes = calloc(count + 1, 8);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
        if (bits == 64)
            ((uint64_t *)bytes)[i] = from[i];
        else
            ((uint32_t *)bytes)[i] = (uint32_t)from[i];
    cl_mem mem = fixture_buffer(t->f, (count + 1) * 8, bytes);
    free(bytes);
    return mem;
}

static void get(struct front *t, cl_mem mem, uint64_t *to, size_t count, uint32_t bits)
{
    char *bytes = calloc(count + 1, 8);
    assert_non_null(bytes);
    fixture_read(t->f, mem, 0, bytes, count * bits / 8);
    for (size_t i = 0; i < count && bits; i++)
        to[i] = bits == 64 ? ((uint64_t *)bytes)[i] : ((uint32_t *)bytes)[i];
    free(bytes);
}

void work_open(struct work *w, struct front *t, const struct keys *in, size_t count, uint32_t step)
{
    static const struct keys none = { 0 };
    in = in ? in : &none;
    w->batches = (count + step - 1) / step;
    w->keys = put(t, in->key, in->count, t->shape.key_bits);
    w->values = put(t, in->value, in->count, t->shape.value_bits ? t->shape.value_bits : 32);
    w->got = fixture_buffer(t->f, (count + 1) * 8, NULL);
    w->got_values = fixture_buffer(t->f, (count + 1) * 8, NULL);
    w->noted = fixture_buffer(t->f, 2 * w->batches * sizeof(struct record), NULL);
}

void work_close(struct work *w)
{
    clReleaseMemObject(w->keys);
    clReleaseMemObject(w->values);
    clReleaseMemObject(w->got);
    clReleaseMemObject(w->got_values);
    clReleaseMemObject(w->noted);
}

struct record *work_run(struct work *w, struct front *t, size_t count, uint32_t step, cl_uint mode,
                        size_t groups)
{
    size_t local = t->shape.items, global = groups * local;
    cl_command_queue queue = clade_context_cl_queue(t->f->context);
    cl_uint n = (cl_uint)count, s = step;
    assert_ok(CLADEI_SET_ARGS(t->work, CLADEI_ARG(t->object.mem), CLADEI_ARG(w->keys),
                              CLADEI_ARG(w->values), CLADEI_ARG(w->got), CLADEI_ARG(w->got_values),
                              CLADEI_ARG(n), CLADEI_ARG(s), CLADEI_ARG(mode),
                              CLADEI_ARG(w->noted)));
    assert_int_equal(
        clEnqueueNDRangeKernel(queue, t->work, 1, NULL, &global, &local, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
    struct record *records = calloc(2 * w->batches + 1, sizeof *records);
    assert_non_null(records);
    fixture_read(t->f, w->noted, 0, records, 2 * w->batches * sizeof *records);
    return records;
}

size_t front_insert(struct front *t, const struct keys *in, uint32_t step, size_t groups,
                    int wanted)
{
    struct work w;
    size_t taken = 0;
    work_open(&w, t, in, in->count, step);
    struct record *records = work_run(&w, t, in->count, step, INSERT, groups);
    for (size_t b = 0; b < w.batches; b++) {
        if (wanted != 1)
            assert_int_equal(records[2 * b].status, wanted);
        taken += records[2 * b].taken;
    }
    free(records);
    work_close(&w);
    return taken;
}

void work_collect(struct work *w, struct front *t, const struct record *records, struct keys *out,
                  size_t count)
{
    uint64_t *k = calloc(count + 1, 8), *v = calloc(count + 1, 8);
    size_t n = out->count;
    get(t, w->got, k, count, t->shape.key_bits);
    get(t, w->got_values, v, count, t->shape.value_bits);
    for (size_t b = 0; b < w->batches; b++) {
        const struct record *r = records + 2 * b + 1;
        assert_int_equal(r->status, CLADE_OK);
        for (size_t i = 0; i < r->taken; i++, n++) {
            out->key[n] = k[r->at + i];
            out->value[n] = v[r->at + i];
            if (i > 0) /* each slice ascends */
                assert_true(k[r->at + i] >= k[r->at + i - 1]);
        }
    }
    out->count = n;
    free(k);
    free(v);
}

void front_pop(struct front *t, struct keys *out, size_t count, uint32_t step, size_t groups)
{
    struct work w;
    out->count = 0;
    work_open(&w, t, NULL, count, step);
    struct record *records = work_run(&w, t, count, step, POP, groups);
    work_collect(&w, t, records, out, count);
    free(records);
    work_close(&w);
}

/* --- comparing ----------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

struct pair *keys_sorted(const struct keys *k, bool values)
{
    struct pair *pairs = calloc(k->count + 1, sizeof *pairs);
    assert_non_null(pairs);
    for (size_t i = 0; i < k->count; i++)
        pairs[i] = (struct pair) { k->key[i], values ? k->value[i] : 0 };
    qsort(pairs, k->count, sizeof *pairs, by_key);
    return pairs;
}

void assert_same_keys(const struct keys *a, const struct keys *b, bool values)
{
    assert_int_equal(a->count, b->count);
    struct pair *x = keys_sorted(a, values), *y = keys_sorted(b, values);
    for (size_t i = 0; i < a->count; i++) {
        if (x[i].key != y[i].key || x[i].value != y[i].value)
            print_error("place %zu of %zu: %llx,%llx and %llx,%llx\n", i, a->count,
                        (unsigned long long)x[i].key, (unsigned long long)x[i].value,
                        (unsigned long long)y[i].key, (unsigned long long)y[i].value);
        assert_true(x[i].key == y[i].key && x[i].value == y[i].value);
    }
    free(x);
    free(y);
}

void front_assert(struct front *t, size_t keys)
{
    struct cladei_front_sum sum;
    assert_ok(cladei_front_check(&t->plan, &t->object, &sum));
    assert_int_equal(sum.keys, keys);
}

/* --- keys ---------------------------------------------------------------------------------- */

static uint64_t mask_of(struct shape shape)
{
    return shape.key_bits == 64 ? UINT64_MAX : UINT32_MAX;
}

struct keys keys_of(struct shape shape, size_t count, int pattern, struct random *random)
{
    struct keys k = keys_new(count);
    for (size_t i = 0; i < count; i++) {
        uint64_t r = random_next(random);
        k.key[i] = pattern == RANDOM       ? r
                   : pattern == ASCENDING  ? 1000 + i * 3
                   : pattern == DESCENDING ? 5000000 - i * 3
                   : pattern == EQUAL      ? 0x1234567
                   : pattern == FEW        ? (r % 13) << 20
                   : pattern == NARROW     ? 0x40000000 + r % 5000
                                           : (r & 1 ? UINT64_MAX - r % 3000 : r % 3000);
        k.key[i] &= mask_of(shape);
        k.value[i] = i;
    }
    return k;
}
