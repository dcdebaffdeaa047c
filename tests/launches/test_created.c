/* SPDX-License-Identifier: Apache-2.0 */
/* A call that takes no launch gives no event, so whoever goes on in a queue of its own could not
 * wait for what a creation enqueued: nothing of it is under way any more when the object is there.
 */
#include "launches/launches.h"

#include <clade/clade.h>

enum { EVENTS = 256, SMALL = 20000, NORMAL = 1000000 };

struct launched {
    cl_event events[EVENTS];
    size_t count;
};

static void keep(void *data, cl_kernel kernel, cl_event event)
{
    struct launched *launched = data;
    (void)kernel;
    assert_true(launched->count < EVENTS);
    assert_int_equal(clRetainEvent(event), CL_SUCCESS);
    launched->events[launched->count++] = event;
}

/* How many of the kernels have not ended, and how many there were since the last time. */
static size_t under_way(struct launched *launched, size_t *count)
{
    size_t open = 0;
    *count = launched->count;
    for (size_t i = 0; i < launched->count; i++) {
        cl_int state = CL_QUEUED;
        assert_int_equal(clGetEventInfo(launched->events[i], CL_EVENT_COMMAND_EXECUTION_STATUS,
                                        sizeof state, &state, NULL),
                         CL_SUCCESS);
        open += state > CL_COMPLETE;
        clReleaseEvent(launched->events[i]);
    }
    launched->count = 0;
    return open;
}

/* One object of a kind, made and destroyed. */
#define MADE(type, ...)                                                                       \
    do {                                                                                      \
        clade_##type *made;                                                                   \
        assert_ok(                                                                            \
            clade_##type##_create(&made, context, &(clade_##type##_params) { __VA_ARGS__ })); \
        const size_t open = under_way(&launched, &count);                                     \
        print_message("%s: %zu kernels, %zu under way\n", #type, count, open);                \
        bad += open;                                                                          \
        all += count;                                                                         \
        clade_##type##_destroy(&made);                                                        \
        under_way(&launched, &count);                                                         \
    } while (0)

static void nothing_is_under_way_when_an_object_is_there(void **state)
{
    struct launched launched = { .count = 0 };
    const clade_context_params params = { .device = fixture_device(),
                                          .on_launch = keep,
                                          .on_launch_data = &launched };
    const uint64_t size = fixture_scaled(SMALL, NORMAL, NORMAL);
    struct fixture f = *(struct fixture *)*state;
    clade_context *context;
    size_t count, bad = 0, all = 0;
    assert_ok(clade_context_create(&context, &params));
    under_way(&launched, &count); /* probes */
    f.context = context;
    f.caps = clade_context_caps(context);
    for (size_t i = 0; i < row_count; i++) {
        struct world w;
        if (!row_begins_kind(i, f.caps))
            continue;
        world_open(&w, rows[i].kind, &f);
        if (under_way(&launched, &count) > 0)
            fail_msg("%s: some of %zu kernels are under way", rows[i].kind->name, count);
        world_close(&w);
        under_way(&launched, &count);
    }
    /* So large that kernels take a while. */
    MADE(heap, .capacity = size, .batch = 4, .key = CLADE_U32, .engine = CLADE_HEAP_TOP_DOWN);
    MADE(heap, .capacity = size, .batch = 64, .key = CLADE_U32, .engine = CLADE_HEAP_FRONT);
    MADE(heap, .capacity = 64, .batch = 4, .key = CLADE_U32, .engine = CLADE_HEAP_TOP_DOWN,
         .heaps = (uint32_t)(size / 100));
    MADE(adheap, .heaps = (uint32_t)(size / 100), .capacity = 100);
    MADE(kma, .bytes = size * 64);
    MADE(list, .capacity = size, .value = CLADE_U32);
    MADE(dlist, .capacity = size);
    MADE(queue, .capacity = size);
    MADE(rbtree, .capacity = size, .key = CLADE_U32);
    clade_context_destroy(&context);
    assert_in_range(all, 5, EVENTS); /* one heap and the allocator are made without a kernel */
    assert_int_equal(bad, 0);
}

int main(void)
{
    rows_collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_under_way_when_an_object_is_there),
    };
    return fixture_run("created", tests);
}
