/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map's object: create, clear, grow. */
#include "hashmap/hashmap.h"
#include "device/queue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "device/context.h"

static const char *const kernel_names[HM_KERNELS] = {
    [HM_INSERT] = "clade_hashmap_insert", [HM_PUT] = "clade_hashmap_put",
    [HM_UPDATE] = "clade_hashmap_update", [HM_ERASE] = "clade_hashmap_erase",
    [HM_FIND] = "clade_hashmap_find",     [HM_READ] = "clade_hashmap_read",
    [HM_MOVE] = "clade_hashmap_move",
};

static clade_status refused(const struct cladei_object *object, clade_status error, clade_u32 item)
{
    (void)object;
    return error == CLADE_E_FULL
               ? cladei_fail(error, "the map is full: key %u of the array found no room", item)
               : cladei_fail(error, "key %u of the array met too much contention", item);
}

const struct cladei_kind cladei_hashmap_kind = {
    CLADE_HASHMAP_KIND, "the map", { "kernels/hashmap.cl", kernel_names, HM_KERNELS }, refused
};
static const size_t part_ends[] = { HM_PUT, HM_UPDATE, HM_ERASE, HM_FIND, HM_MOVE, HM_KERNELS };

/* --- parameters and layout -------------------------------------------------------------------- */

static clade_status fill_params(clade_hashmap *map, const clade_context *context,
                                const clade_hashmap_params *given)
{
    clade_status status = CLADE_OK;
    clade_hashmap_params *p = &map->params;
    const uint32_t limit = context->caps.group_size_max < 256 ? context->caps.group_size_max : 256;
    const uint32_t usual = context->caps.is_cpu ? 1 : limit; /* of which each has a run of keys */
    *p = *given;
    if (p->key == 0)
        p->key = CLADE_U32;
    CLADE_REQUIRE(p->key == CLADE_U32 || p->key == CLADE_I32 || p->key == CLADE_U64 ||
                      p->key == CLADE_I64,
                  CLADE_E_ARG, "the key type %u is not CLADE_U32, _I32, _U64 or _I64", p->key);
    CLADE_REQUIRE(p->value <= CLADE_F64, CLADE_E_ARG, "there is no value type %u", p->value);
    CLADE_REQUIRE(p->form <= CLADE_HASHMAP_TAGGED, CLADE_E_ARG, "there is no form %u", p->form);
    CLADE_REQUIRE(p->no_erase <= 1, CLADE_E_ARG, "no_erase is %u, not 0 or 1", p->no_erase);
    if (p->group_size == 0)
        p->group_size = usual;
    CLADE_REQUIRE(p->group_size <= limit, CLADE_E_ARG,
                  "the group size %u is over %u, the limit of %s", p->group_size, limit,
                  context->info.name);
    CLADE_REQUIRE(p->capacity > 0, CLADE_E_ARG, "the capacity is 0");
fail:
    return status;
}

/* Whether key and value fit into a word that the device changes at once. */
static clade_status choose_form(clade_hashmap *map, const clade_context *context)
{
    clade_status status = CLADE_OK;
    const uint32_t bytes = map->key_bytes + map->value_bytes;
    const bool fits = bytes == 4 || (bytes == 8 && context->caps.int64_atomics);
    clade_hashmap_params *p = &map->params;
    CLADE_REQUIRE(p->form != CLADE_HASHMAP_PACKED || bytes <= 8, CLADE_E_ARG,
                  "a packed slot has 8 bytes; key and value have %u", bytes);
    CLADE_REQUIRE(p->form != CLADE_HASHMAP_PACKED || fits, CLADE_E_UNSUPPORTED,
                  "%s has no 64-bit atomics, which packed slots of 8 bytes need",
                  context->info.name);
    if (p->form == CLADE_HASHMAP_AUTO)
        p->form = fits ? CLADE_HASHMAP_PACKED : CLADE_HASHMAP_TAGGED;
    map->copies = map->value_bytes == 8 && !context->caps.int64_atomics ? 2 : 1;
    if (p->form == CLADE_HASHMAP_PACKED) {
        map->bucket_bytes = CLADE_HASHMAP_PACKED_BYTES;
        map->bucket_slots = CLADE_HASHMAP_PACKED_BYTES / bytes;
    } else {
        map->bucket_bytes =
            CLADE_HASHMAP_TAGGED_BYTES(map->key_bytes, map->value_bytes, map->copies);
        map->bucket_slots = CLADE_HASHMAP_TAGGED_SIZE;
    }
fail:
    return status;
}

/* Slots for ten ninths of the capacity. */
static clade_status lay_out(clade_hashmap *map)
{
    clade_status status = CLADE_OK;
    const uint64_t capacity = map->params.capacity;
    const uint64_t most = (uint64_t)CLADE_HASHMAP_BUCKETS_MAX * map->bucket_slots / 10 * 9;
    CLADE_REQUIRE(capacity <= most, CLADE_E_ARG,
                  "the capacity %" PRIu64 " is over %" PRIu64 ", the most of such a map", capacity,
                  most);
    const uint64_t slots = capacity + (capacity + 8) / 9;
    uint64_t buckets = (slots + map->bucket_slots - 1) / map->bucket_slots;
    buckets += buckets & 1;
    const uint64_t all = buckets + CLADE_HASHMAP_EXTRA;
    const uint64_t homes_at = sizeof(clade_hashmap_head) + all * map->bucket_bytes;
    map->layout.buckets = (clade_u32)buckets;
    map->layout.seed = map->params.seed;
    map->layout.homes_at = (clade_u32)(homes_at / 32);
    map->layout.most = (clade_u32)(buckets * map->bucket_slots / 20 * 19);
    map->object.bytes = (homes_at + 4 * all + 15) / 16 * 16;
fail:
    return status;
}

clade_status cladei_hashmap_plan(clade_hashmap *map, const clade_context *context,
                                 const clade_hashmap_params *params)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(fill_params(map, context, params));
    map->key_bytes = CLADE_TYPE_BYTES(map->params.key);
    map->value_bytes = CLADE_TYPE_BYTES(map->params.value);
    CLADE_TRY(choose_form(map, context));
    CLADE_TRY(lay_out(map));
    map->object.kind = CLADE_HASHMAP_KIND;
    map->object.shape =
        CLADE_HASHMAP_SHAPE(map->params.key, map->value_bytes, map->params.form,
                            map->params.form == CLADE_HASHMAP_PACKED ? 1 : map->copies) |
        (map->params.no_erase ? CLADE_HASHMAP_SHAPE_NO_ERASE : 0);
fail:
    return status;
}

uint64_t cladei_hashmap_places(const clade_hashmap *map)
{
    return ((uint64_t)map->layout.buckets + CLADE_HASHMAP_EXTRA) * map->bucket_slots;
}

static clade_status choose_options(clade_hashmap *map)
{
    clade_status status = CLADE_OK;
    struct cladei_text options = { 0 };
    cladei_text_printf(&options,
                       "-DCLADE_HASHMAP_KEY_TYPE=%u -DCLADE_HASHMAP_VALUE_TYPE=%u "
                       "-DCLADE_HASHMAP_FORM=%u%s",
                       map->params.key, map->params.value, map->params.form,
                       map->params.no_erase ? " -DCLADE_HASHMAP_NO_ERASE=1" : "");
    CLADE_REQUIRE(!options.failed, CLADE_E_NOMEM, "host memory is out");
    map->options = options.data;
fail:
    return status;
}

clade_status cladei_hashmap_need(clade_hashmap *map, enum cladei_hashmap_kernel kernel)
{
    return cladei_kernels_need(map->kernels, &cladei_hashmap_kind.kernels, part_ends,
                               map->object.context, map->options, kernel);
}

/* --- lifecycle -------------------------------------------------------------------------------- */

/* All but the constants is 0 in an empty map. */
static clade_status make_empty(clade_hashmap *map, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const cl_uint zero = 0;
    const size_t from = offsetof(clade_hashmap_head, stripes);
    CLADE_TRY(cladei_run_start(run));
    CLADE_TRY(cladei_queue_fill(run->queue, map->object.mem, &zero, sizeof zero, from,
                                (size_t)map->object.bytes - from));
fail:
    return status;
}

static clade_status make(clade_hashmap *map, clade_context *context)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_TRY(cladei_object_create(&map->object, context, CLADE_HASHMAP_KIND, map->object.shape,
                                   map->object.bytes, "the hash map"));
    CLADE_TRY(
        cladei_object_write_own(&map->object, &map->layout, offsetof(clade_hashmap_head, stripes)));
    CLADE_TRY(cladei_run_begin(&run, context, NULL));
    CLADE_TRY(make_empty(map, &run));
    CLADE_TRY(choose_options(map));
    CLADE_TRY(clade_finish(context)); /* its first call may be in any queue */
fail:
    return status;
}

clade_status clade_hashmap_create(clade_hashmap **out, clade_context *context,
                                  const clade_hashmap_params *params)
{
    clade_status status = CLADE_OK;
    clade_hashmap *map = NULL;
    CLADEI_CREATION(out, context, params, clade_hashmap_params, "the map");
    map = calloc(1, sizeof *map);
    CLADE_NO_MEMORY(map);
    CLADE_TRY(cladei_hashmap_plan(map, context, params));
    CLADE_TRY(make(map, context));
    *out = map;
    return CLADE_OK;

fail:
    clade_hashmap_destroy(&map);
    return status;
}

void clade_hashmap_destroy(clade_hashmap **map)
{
    if (!map || !*map)
        return;
    clade_hashmap *it = *map;
    cladei_object_close(&it->object, NULL, it->kernels, HM_KERNELS);
    cladei_scratch_drop(&it->scratch);
    free(it->options);
    free(it);
    *map = NULL;
}

cl_mem clade_hashmap_mem(const clade_hashmap *map)
{
    return map ? map->object.mem : NULL;
}

const char *clade_hashmap_options(const clade_hashmap *map)
{
    return map ? map->options : NULL;
}

/* What earlier calls have not told is forgotten, too. */
clade_status clade_hashmap_clear(clade_hashmap *map, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    const cl_uint zero = 0;
    CLADE_REQUIRE(map, CLADE_E_ARG, "the map is NULL");
    CLADE_TRY(cladei_run_begin(&run, map->object.context, launch));
    CLADE_TRY(make_empty(map, &run));
    CLADE_TRY(cladei_queue_fill(run.queue, map->object.mem, &zero, sizeof zero,
                                offsetof(clade_object_head, first_error), 2 * sizeof zero));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

clade_status cladei_hashmap_count(clade_hashmap *map, struct cladei_run *run, uint64_t *size)
{
    clade_status status = CLADE_OK;
    clade_hashmap_stripe stripes[CLADE_HASHMAP_STRIPES];
    const uint64_t at = offsetof(clade_hashmap_head, stripes);
    clade_u32 sum = 0;
    if (run)
        CLADE_TRY(cladei_run_read(run, &map->object, at, stripes, sizeof stripes));
    else
        CLADE_TRY(cladei_object_read(&map->object, at, stripes, sizeof stripes));
    for (uint32_t i = 0; i < CLADE_HASHMAP_STRIPES; i++)
        sum += stripes[i].size;
    *size = sum;
fail:
    return status;
}

clade_status clade_hashmap_size(clade_hashmap *map, uint64_t *size)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(map && size, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_kind_told(&cladei_hashmap_kind, &map->object, NULL));
    CLADE_TRY(cladei_hashmap_count(map, NULL, size));
fail:
    return status;
}

/* --- grow --------------------------------------------------------------------------------------
 */

enum { MOVES_MOST = 16 };

/* Bring all keys into another buffer. Where some were in each other's way, again. */
static clade_status move_all(clade_hashmap *map, clade_hashmap *to, struct cladei_run *run)
{
    clade_status status = CLADE_OK, met = CLADE_E_BUSY;
    CLADE_TRY(cladei_hashmap_need(map, HM_MOVE));
    CLADE_TRY(CLADEI_SET_ARGS(map->kernels[HM_MOVE], CLADEI_ARG(map->object.mem),
                              CLADEI_ARG(to->object.mem)));
    for (int i = 0; i < MOVES_MOST && met == CLADE_E_BUSY; i++) {
        CLADE_TRY(cladei_hashmap_run(map, run, HM_MOVE, cladei_hashmap_places(map)));
        CLADE_TRY(cladei_object_take_error(&to->object, run, &met, NULL));
    }
    CLADE_REQUIRE(met == CLADE_OK, met, "the keys could not be moved: %s", clade_status_name(met));
fail:
    return status;
}

/* A buffer for a planned map, empty, made in the call's own queue. It is the caller's. */
static clade_status make_buffer(clade_hashmap *to, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    clade_context *context = run->context;
    clade_hashmap_head head = to->layout;
    cl_int code;
    to->object.context = context;
    head.object = cladei_object_head(&to->object);
    CLADE_REQUIRE(to->object.bytes <= context->caps.alloc_bytes_max, CLADE_E_ARG,
                  "the hash map needs %" PRIu64 " bytes in one buffer; the limit of %s is %" PRIu64,
                  to->object.bytes, context->info.name, context->caps.alloc_bytes_max);
    to->object.mem =
        clCreateBuffer(context->cl, CL_MEM_READ_WRITE, (size_t)to->object.bytes, NULL, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    CLADE_TRY(cladei_run_write(run, &to->object, 0, &head, offsetof(clade_hashmap_head, stripes)));
    CLADE_TRY(make_empty(to, run));
fail:
    return status;
}

/* The new buffer takes the old one's place; what earlier calls have not told stays to be told. */
static clade_status take_over(clade_hashmap *map, clade_hashmap *to, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const cl_mem old = map->object.mem;
    const size_t error = offsetof(clade_object_head, first_error);
    CLADE_CL(clEnqueueCopyBuffer(run->queue, old, to->object.mem, error, error, 2 * sizeof(cl_uint),
                                 0, NULL, NULL));
    run->blocking = true;
    CLADE_TRY(cladei_run_end(run));
    map->object.mem = to->object.mem;
    map->object.bytes = to->object.bytes;
    map->layout = to->layout;
    map->params = to->params;
    to->object.mem = old;
fail:
    return status;
}

clade_status clade_hashmap_grow(clade_hashmap *map, uint64_t capacity, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    clade_hashmap to = { 0 };
    clade_hashmap_params params;
    struct cladei_run run;
    uint64_t size;
    CLADE_REQUIRE(map, CLADE_E_ARG, "the map is NULL");
    params = map->params;
    params.capacity = capacity;
    CLADE_TRY(cladei_run_begin(&run, map->object.context, launch));
    CLADE_TRY(cladei_hashmap_plan(&to, map->object.context, &params));
    CLADE_TRY(cladei_hashmap_count(map, &run, &size));
    CLADE_REQUIRE(size <= capacity, CLADE_E_FULL,
                  "the capacity %" PRIu64 " is too small for %" PRIu64 " keys", capacity, size);
    CLADE_TRY(make_buffer(&to, &run));
    CLADE_TRY(move_all(map, &to, &run));
    CLADE_TRY(take_over(map, &to, &run));
fail:
    if (to.object.mem)
        clReleaseMemObject(to.object.mem);
    return status;
}
