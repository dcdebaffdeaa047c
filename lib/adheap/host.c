/* SPDX-License-Identifier: Apache-2.0 */
/* Ad-heap: the host as the latency unit. A kernel walks, writes what moves to a log in memory that
 * both share, and calls; a host thread writes it back while the kernel goes on with what does not
 * depend on it. And the other way: the host calls a kernel that stays, which walks and calls back.
 */
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "adheap/adheap.h"
#include "adheap/serve.h"
#include "base/borrow.h"
#include "base/error.h"
#include "base/text.h"
#include "context/context.h"
#include "device/context.h"
#include "device/queue.h"

enum { ANSWER_SECONDS = 10 };

/* --- the memory ----------------------------------------------------------------------------- */

clade_status cladei_adheap_host_make(clade_adheap *a, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_int code;
    clade_context *context = a->object.context;
    clade_object_head head;
    CLADE_REQUIRE(context->caps.svm_atomics && context->caps.subgroup_size == 0 &&
                      (context->caps.is_cpu || context->caps.atomics == CLADE_ATOMICS_C11),
                  CLADE_E_UNSUPPORTED,
                  "a HOST bridge needs fine-grained shared memory with atomics, which %s lacks",
                  context->info.name);
    CLADE_REQUIRE(bytes <= context->caps.alloc_bytes_max, CLADE_E_ARG,
                  "the ad-heap needs %" PRIu64 " bytes in one buffer; the limit of %s is %" PRIu64,
                  bytes, context->info.name, context->caps.alloc_bytes_max);
    a->shared = clSVMAlloc(context->cl,
                           CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                           (size_t)bytes, CLADE_ADHEAP_WIDTH * 4);
    CLADE_REQUIRE(a->shared, CLADE_E_DEVICE, "%" PRIu64 " bytes of shared memory are not to be had",
                  bytes);
    memset(a->shared, 0, (size_t)bytes);
    a->object.bytes = bytes;
    a->object.kind = CLADE_ADHEAP_KIND;
    head = cladei_object_head(&a->object);
    memcpy(a->shared, &head, sizeof head);
    a->object.mem = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                   (size_t)bytes, a->shared, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    cladei_hold(&context->borrowers);
fail:
    return status;
}

void cladei_adheap_host_destroy(clade_adheap *a)
{
    if (a->stays)
        (void)!clade_adheap_resident_stop(a);
    if (a->resident_end) {
        cladei_queue_settle(a->object.context,
                            a->object.context->queue); /* it ends by its patience */
        clReleaseEvent(a->resident_end);
    }
    if (a->resident)
        clReleaseKernel(a->resident);
    if (!a->shared)
        return;
    clade_context *context = a->object.context;
    cl_mem mem = a->object.mem;
    cladei_queue_settle(context, context->queue);
    if (mem)
        clReleaseMemObject(mem);
    a->object.mem = NULL;
    clSVMFree(context->cl, a->shared);
    a->shared = NULL;
    if (mem)
        cladei_context_let_go(context);
}

static clade_u32 *slot_of(const clade_adheap *a, uint32_t group)
{
    return a->shared + (size_t)a->head.calls * CLADE_ADHEAP_WIDTH +
           (size_t)group * CLADE_ADHEAP_SLOT_WORDS;
}

static struct cladei_adheap_log log_of(const clade_adheap *a, uint32_t heap)
{
    return (struct cladei_adheap_log) {
        .head = cladei_adheap_heap(a, a->shared, heap),
        .values = a->head.values ? cladei_adheap_values(a, a->shared, heap) : NULL,
        .capacity = a->head.capacity,
        .wide = cladei_adheap_is_wide(a),
    };
}

/* --- serving -------------------------------------------------------------------------------- */

/* Answer one slot's call. `*stopped` becomes true when a test wants the host to stop in its middle:
 * after one entry, and without a word. */
static bool serve_slot(clade_adheap *a, uint32_t group, bool *stopped)
{
    clade_u32 *slot = slot_of(a, group);
    if (!cladei_adheap_take(slot))
        return false;
    const clade_u32 heap = slot[CLADE_ADHEAP_SLOT_HEAP];
    a->calls++;
    if (heap >= a->head.heaps || a->calls == a->dies_at) {
        const struct cladei_adheap_log h = log_of(a, heap < a->head.heaps ? heap : 0);
        if (a->calls == a->dies_at)
            cladei_adheap_replay(&h, 1);
        *stopped = true;
        return true;
    }
    const struct cladei_adheap_log h = log_of(a, heap);
    cladei_adheap_replay(&h, UINT32_MAX);
    cladei_adheap_give(slot);
    return true;
}

void cladei_adheap_expect(clade_adheap *a)
{
    for (uint32_t group = 0; group < a->groups; group++)
        slot_of(a, group)[CLADE_ADHEAP_SLOT_ALONE] = 0;
}

/* Whether a kernel has ended, well or not, in *out; a status when it failed. */
static clade_status ended(cl_event event, bool *out)
{
    clade_status status = CLADE_OK;
    cl_int state = CL_QUEUED;
    CLADE_CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    *out = state <= CL_COMPLETE;
    CLADE_REQUIRE(state >= 0, CLADE_E_DEVICE, "a kernel of the ad-heap failed with %s",
                  cladei_cl_name(state));
fail:
    return status;
}

clade_status cladei_adheap_serve(clade_adheap *a, cl_event end)
{
    clade_status status = CLADE_OK;
    bool done = false, stopped = false;
    /* The kernel's own waits are bounded, so it ends whatever happens here. */
    for (uint32_t idle = 0; !done && !stopped; idle++) {
        for (uint32_t group = 0; group < a->groups && !stopped; group++)
            if (serve_slot(a, group, &stopped))
                idle = 0;
        if (idle % 64 == 63) {
            CLADE_TRY(ended(end, &done));
            sched_yield();
        }
    }
    CLADE_CL(clWaitForEvents(1, &end));
fail:
    return status;
}

clade_status cladei_adheap_take_cut(clade_adheap *a, struct cladei_run *run, bool *cut)
{
    clade_status status = CLADE_OK, first = CLADE_OK;
    clade_u32 heap;
    CLADE_TRY(cladei_object_take_error(&a->object, run, &first, &heap));
    *cut = first != CLADE_OK;
fail:
    return status;
}

clade_status clade_adheap_repair(clade_adheap *a, uint32_t *replayed)
{
    clade_status status = CLADE_OK;
    uint32_t found = 0;
    CLADE_REQUIRE(a, CLADE_E_ARG, "the ad-heap is NULL");
    CLADE_TRY(cladei_adheap_is_ours(a));
    CLADE_TRY(cladei_queue_finish(a->object.context, a->object.context->queue));
    for (uint32_t heap = 0; a->shared && heap < a->head.heaps; heap++) {
        const struct cladei_adheap_log h = log_of(a, heap);
        CLADE_REQUIRE(cladei_adheap_replay(&h, UINT32_MAX), CLADE_E_CORRUPT,
                      "the log of heap %u makes no sense", heap);
        found += h.head[CLADE_ADHEAP_CUT];
        h.head[CLADE_ADHEAP_CUT] = 0;
    }
    for (uint32_t group = 0; a->shared && group < a->groups; group++)
        cladei_adheap_give(slot_of(a, group));
    if (replayed)
        *replayed = found;
fail:
    return status;
}

/* --- a kernel that stays --------------------------------------------------------------------- */

static clade_u32 door_load(const clade_adheap *a)
{
    return __atomic_load_n(&slot_of(a, 0)[CLADE_ADHEAP_SLOT_DOOR], __ATOMIC_ACQUIRE);
}

static bool door_move(const clade_adheap *a, clade_u32 from, clade_u32 to)
{
    return __atomic_compare_exchange_n(&slot_of(a, 0)[CLADE_ADHEAP_SLOT_DOOR], &from, to, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Wait until the last launch has ended, and forget it, though it may have failed. */
static clade_status see_out(clade_adheap *a)
{
    clade_status status = CLADE_OK;
    bool done = false;
    cl_int code;
    if (!a->resident_end)
        return CLADE_OK;
    code = clWaitForEvents(1, &a->resident_end);
    CLADE_TRY(ended(a->resident_end, &done));
    if (!done) /* then it is the wait that failed */
        CLADE_CL_CODE(code, "clWaitForEvents");
fail:
    if (done) {
        clReleaseEvent(a->resident_end);
        a->resident_end = NULL;
    }
    return status;
}

/* What the launch left that failed: no kernel, or one that ends as soon as it looks at the door. It
 * is waited for; where that fails, too, before the next call. The thread's error stays. */
static void take_back(clade_adheap *a)
{
    if (!a->resident_end) {
        door_move(a, CLADE_ADHEAP_READY, CLADE_ADHEAP_GONE);
        return;
    }
    door_move(a, CLADE_ADHEAP_READY, CLADE_ADHEAP_STOP);
    if (clWaitForEvents(1, &a->resident_end) != CL_SUCCESS)
        return;
    clReleaseEvent(a->resident_end);
    a->resident_end = NULL;
}

/* Launch it; the door is GONE, and no kernel runs. */
static clade_status launch_resident(clade_adheap *a)
{
    clade_status status = CLADE_OK;
    const clade_context *context = a->object.context;
    const size_t one = 1;
    CLADE_TRY(see_out(a));
    CLADE_TRY(CLADEI_SET_ARGS(a->resident, CLADEI_ARG(a->object.mem)));
    door_move(a, CLADE_ADHEAP_GONE, CLADE_ADHEAP_READY);
    CLADE_CL(clEnqueueNDRangeKernel(context->queue, a->resident, 1, NULL, &one, &one, 0, NULL,
                                    &a->resident_end));
    if (context->on_launch)
        context->on_launch(context->on_launch_data, a->resident, a->resident_end);
    CLADE_CL(clFlush(context->queue));
fail:
    if (status != CLADE_OK)
        take_back(a);
    return status;
}

clade_status cladei_adheap_is_ours(clade_adheap *a)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(!a->stays, CLADE_E_ARG, "a kernel of the ad-heap is resident");
    CLADE_TRY(see_out(a)); /* that of a start which failed */
fail:
    return status;
}

clade_status clade_adheap_resident_start(clade_adheap *a)
{
    static const char *const name = "clade_adheap_resident";
    static const struct cladei_kernels kernels = { "kernels/adheap_resident.cl", &name, 1 };
    clade_status status = CLADE_OK;
    struct cladei_text options = { 0 };
    CLADE_REQUIRE(a, CLADE_E_ARG, "the ad-heap is NULL");
    CLADE_REQUIRE(a->shared, CLADE_E_ARG, "the ad-heap has no HOST bridge");
    CLADE_TRY(cladei_adheap_is_ours(a));
    cladei_adheap_options(&options, a);
    CLADE_TRY(cladei_kernels_build_with(&a->resident, &kernels, a->object.context, &options));
    __atomic_store_n(&slot_of(a, 0)[CLADE_ADHEAP_SLOT_DOOR], CLADE_ADHEAP_GONE, __ATOMIC_RELEASE);
    CLADE_TRY(launch_resident(a));
    a->stays = true;
fail:
    return status;
}

static bool call_now(clade_adheap *a, const clade_adheap_call *call)
{
    clade_u32 *slot = slot_of(a, 0);
    if (door_load(a) != CLADE_ADHEAP_READY)
        return false;
    /* Nobody reads these words before the door says CALLED. */
    slot[CLADE_ADHEAP_SLOT_WHAT] = call->what;
    slot[CLADE_ADHEAP_SLOT_WHERE] = call->heap;
    slot[CLADE_ADHEAP_SLOT_NODE] = call->node;
    slot[CLADE_ADHEAP_SLOT_KEY] = (clade_u32)call->key;
    slot[CLADE_ADHEAP_SLOT_KEY + 1] = (clade_u32)(call->key >> 32);
    slot[CLADE_ADHEAP_SLOT_VALUE] = call->value;
    slot[CLADE_ADHEAP_SLOT_ALONE] = 0;
    return door_move(a, CLADE_ADHEAP_READY, CLADE_ADHEAP_CALLED);
}

/* Call as soon as the door is open: an answer that nobody waited for is dropped, and a kernel that
 * left is started again. */
static clade_status knock(clade_adheap *a, const clade_adheap_call *call, double until)
{
    clade_status status = CLADE_OK;
    bool called = call_now(a, call);
    while (!called && now_seconds() < until) {
        bool stopped = false;
        serve_slot(a, 0, &stopped);
        door_move(a, CLADE_ADHEAP_ANSWERED, CLADE_ADHEAP_READY);
        door_move(a, CLADE_ADHEAP_LEFT, CLADE_ADHEAP_GONE);
        if (door_load(a) == CLADE_ADHEAP_GONE)
            CLADE_TRY(launch_resident(a));
        called = call_now(a, call);
    }
    CLADE_REQUIRE(called, CLADE_E_BUSY, "the resident kernel took no call");
fail:
    return status;
}

/* Wait for the answer, and write back meanwhile. */
static clade_status await(clade_adheap *a, double until)
{
    clade_status status = CLADE_OK;
    bool stopped = false;
    clade_u32 door = door_load(a);
    for (uint32_t polls = 1; door != CLADE_ADHEAP_ANSWERED && door != CLADE_ADHEAP_LEFT; polls++) {
        serve_slot(a, 0, &stopped);
        CLADE_REQUIRE(!stopped, CLADE_E_BUSY,
                      "the host stopped in the middle of a call: "
                      "clade_adheap_repair() replays its log");
        if (polls % 4096 == 0) {
            sched_yield();
            CLADE_REQUIRE(now_seconds() < until, CLADE_E_BUSY,
                          door_move(a, CLADE_ADHEAP_CALLED, CLADE_ADHEAP_READY)
                              ? "the resident kernel did not take the call"
                              : "the resident kernel did not answer");
        }
        door = door_load(a);
    }
fail:
    return status;
}

/* Read the answer, then let the kernel wait for the next call. */
static clade_status collect(clade_adheap *a, clade_adheap_call *call)
{
    const clade_u32 *slot = slot_of(a, 0);
    const clade_status status = (clade_status)slot[CLADE_ADHEAP_SLOT_STATUS];
    if (status == CLADE_OK) {
        call->key = slot[CLADE_ADHEAP_SLOT_KEY] | (uint64_t)slot[CLADE_ADHEAP_SLOT_KEY + 1] << 32;
        call->value = slot[CLADE_ADHEAP_SLOT_VALUE];
    }
    if (!door_move(a, CLADE_ADHEAP_ANSWERED, CLADE_ADHEAP_READY))
        door_move(a, CLADE_ADHEAP_LEFT, CLADE_ADHEAP_GONE);
    return status == CLADE_E_BUSY
               ? cladei_fail(status, "heap %u has a log that waits for clade_adheap_repair()",
                             call->heap)
           : status == CLADE_E_FULL ? cladei_fail(status, "heap %u is full", call->heap)
           : status == CLADE_E_NOT_FOUND
               ? cladei_fail(status, "heap %u has no such node", call->heap)
               : status;
}

clade_status clade_adheap_resident_call(clade_adheap *a, clade_adheap_call *call)
{
    clade_status status = CLADE_OK;
    const double until = now_seconds() + ANSWER_SECONDS;
    CLADE_REQUIRE(a && call, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(CLADEI_RESERVED_CHECK(call, "clade_adheap_call"));
    CLADE_REQUIRE(a->stays, CLADE_E_ARG, "no kernel of the ad-heap is resident");
    CLADE_REQUIRE(call->what <= CLADE_ADHEAP_CALL_UPDATE, CLADE_E_ARG, "the call %u is unknown",
                  call->what);
    CLADE_REQUIRE(call->heap < a->head.heaps, CLADE_E_ARG, "there is no heap %u, but %u in all",
                  call->heap, a->head.heaps);
    CLADE_TRY(knock(a, call, until));
    CLADE_TRY(await(a, until));
    CLADE_TRY(collect(a, call));
fail:
    return status;
}

clade_status clade_adheap_resident_stop(clade_adheap *a)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(a, CLADE_E_ARG, "the ad-heap is NULL");
    CLADE_REQUIRE(a->stays, CLADE_E_ARG, "no kernel of the ad-heap is resident");
    bool done = !a->resident_end, stopped = false;
    CLADE_CL(clFlush(a->object.context->queue)); /* a start that failed may have left it there */
    while (!done && status == CLADE_OK) {        /* at the latest, its patience ends it */
        if (!stopped)
            serve_slot(a, 0, &stopped);
        door_move(a, CLADE_ADHEAP_ANSWERED, CLADE_ADHEAP_READY);
        door_move(a, CLADE_ADHEAP_READY, CLADE_ADHEAP_STOP);
        status = ended(a->resident_end, &done);
        sched_yield();
    }
    if (a->resident_end && done)
        clReleaseEvent(a->resident_end);
    if (done)
        a->resident_end = NULL;
    a->stays = !done;
fail:
    return status;
}
