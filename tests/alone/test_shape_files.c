/* SPDX-License-Identifier: Apache-2.0 */
/* A saved object carries its shape: a file whose parameters say another one, with a checksum that
 * fits, is refused. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <unistd.h>

#include <clade/clade.h>
#include <clade/shared/kma.h>

#include "harness/fixture.h"

/* A file: 40 bytes of head, of which bytes 16 .. 19 say how long the parameters are and 32 .. 39
 * are the checksum; the parameters; then the object. */
enum { HEAD = 40, PARAMS_BYTES_AT = 16, CHECKSUM_AT = 32 };

static char path[64];

/* The shape in the file becomes another one. Gives the one that it was. */
static uint32_t spoil(uint32_t by)
{
    uint32_t params_bytes, shape, was;
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t size = (size_t)ftell(file);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, size, file), size);
    memcpy(&params_bytes, bytes + PARAMS_BYTES_AT, sizeof params_bytes);
    char *object = bytes + HEAD + params_bytes;
    memcpy(&was, object + offsetof(clade_object_head, shape), sizeof was);
    shape = was ^ by;
    memcpy(object + offsetof(clade_object_head, shape), &shape, sizeof shape);
    const uint64_t checksum = XXH3_64bits_withSeed(object, size - HEAD - params_bytes,
                                                   XXH3_64bits(bytes + HEAD, params_bytes));
    memcpy(bytes + CHECKSUM_AT, &checksum, sizeof checksum);
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    return was;
}

/* Saved, spoiled, refused; mended again, loaded. */
#define REFUSES(kind, params, wanted)                                                        \
    static void kind##_of_another_shape_is_refused(void **state)                             \
    {                                                                                        \
        struct fixture *f = *state;                                                          \
        clade_##kind *made, *loaded;                                                         \
        assert_ok(clade_##kind##_create(&made, f->context, &(clade_##kind##_params)params)); \
        assert_ok(clade_##kind##_save(made, path));                                          \
        assert_int_equal(spoil(1), (wanted));                                                \
        assert_fails(clade_##kind##_load(&loaded, f->context, path), CLADE_E_CORRUPT);       \
        assert_null(loaded);                                                                 \
        spoil(1);                                                                            \
        assert_ok(clade_##kind##_load(&loaded, f->context, path));                           \
        clade_##kind##_destroy(&loaded);                                                     \
        clade_##kind##_destroy(&made);                                                       \
    }
#define PARAMS(...) \
    {               \
        __VA_ARGS__ \
    }
REFUSES(kma, PARAMS(.bytes = 1 << 20), CLADE_KMA_OBJECT_SHAPE(0))
REFUSES(queue, PARAMS(.capacity = 16), CLADE_QUEUE_SHAPE)
REFUSES(dlist, PARAMS(.capacity = 16), CLADE_DLIST_SHAPE)
REFUSES(list, PARAMS(.capacity = 16, .key = CLADE_U64), CLADE_LIST_SHAPE(0, 2, 0, 0))
REFUSES(rbtree, PARAMS(.capacity = 16, .leaf_capacity = 5), CLADE_RBTREE_SHAPE(CLADE_U32, 0, 5))
REFUSES(adheap, PARAMS(.heaps = 1, .capacity = 16, .arity = 16),
        CLADE_ADHEAP_SHAPE(16, CLADE_I32, CLADE_MIN, 0, 0, 0))
REFUSES(heap, PARAMS(.capacity = 16, .batch = 4, .engine = CLADE_HEAP_TOP_DOWN),
        CLADE_HEAP_SHAPE(CLADE_I32, CLADE_NONE, CLADE_MIN, CLADE_HEAP_TOP_DOWN, 4, 0))

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kma_of_another_shape_is_refused),
        cmocka_unit_test(queue_of_another_shape_is_refused),
        cmocka_unit_test(dlist_of_another_shape_is_refused),
        cmocka_unit_test(list_of_another_shape_is_refused),
        cmocka_unit_test(rbtree_of_another_shape_is_refused),
        cmocka_unit_test(adheap_of_another_shape_is_refused),
        cmocka_unit_test(heap_of_another_shape_is_refused),
    };
    snprintf(path, sizeof path, "/tmp/clade-shape-XXXXXX");
    const int fd = mkstemp(path);
    if (fd < 0 || close(fd) != 0)
        return 1;
    const int status = fixture_run("shape-files", tests);
    unlink(path);
    return status;
}
