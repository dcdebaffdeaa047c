/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's owner by a group of several items (-DGROUP=), on lanes. It has keys enough,
 * and takes over leaves of the ring as well: the first of them begins to move elsewhere between the
 * look and the freeze, and those behind it are frozen. So none is taken, some are frozen ahead of
 * the bound, and it is one item that notes so. All items must know then, or some would go on and
 * others would look for the leaf that moves. */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#define CLADE_SPIN_LIMIT      100u
#include "host/device.h"

static void meet(const char *where);
#define CLADE_SCHEDULE_HOOK(where, word, salt) meet(where)

#include "harness/end_after.h"
#include "heap/front/edge_front.h"

enum { BATCH = 16, LEAF = 256, CAPACITY = 4096, KEYS = 8 * BATCH, TURNS = 60 };

static void *heap;
static bool armed; /* the leaf of the root's second entry begins to move */
static uint turn, met;

static clade_front_words count_of_second(void)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    return clade_heap_front_leaf(h, clade_load_relaxed(h.entries + 1) >> 1) + CLADE_FRONT_L_COUNT;
}

static void meet(const char *where)
{
    if (!armed || strcmp(where, "clade_heap_front_freeze_window_wg") != 0)
        return;
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    if (clade_load_relaxed(h.entries) != CLADE_FRONT_DRAINED)
        return; /* it has not keys enough yet */
    armed = false;
    met++;
    clade_or_acq_rel(count_of_second(), CLADE_FRONT_SPLIT);
}

/* --- calls ------------------------------------------------------------------------------------ */

static struct call {
    uint keys[BATCH], n, got;
    clade_i32 status;
    bool inserts, helps;
} call;

static void perform(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    const uint me = (uint)get_local_id(0);
    uint got = 0;
    clade_i32 status = CLADE_OK;
    (void)argument;
    if (call.helps) {
        clade_heap_front_heap h = clade_heap_front_open_wi(heap);
        const uint epoch = me == 0 ? clade_front_enter_wi(h.head) : 0;
        for (uint t = 0; t < 100 && clade_heap_front_help_wg(h, s, t); t++)
            continue;
        barrier(0);
        if (me == 0)
            clade_front_leave_wi(h.head, epoch);
    } else if (call.inserts) {
        for (uint i = me; i < call.n; i += (uint)get_local_size(0))
            clade_heap_set_bits_wi(s, i, call.keys[i], call.keys[i]);
        status = clade_heap_insert_wg(heap, s, call.n);
    } else {
        status = clade_heap_pop_wg(heap, s, call.n, &got);
    }
    barrier(0);
    if (me != 0)
        return;
    call.status = status;
    call.got = got;
    for (uint i = 0; i < got; i++) {
        call.keys[i] = clade_heap_key_bits_wi(s, i);
        expect(clade_heap_value_bits_wi(s, i) == call.keys[i], "another key's value", i, turn);
    }
}

static void make(bool inserts, bool helps, uint n)
{
    call.inserts = inserts;
    call.helps = helps;
    call.n = n;
    shim_launch(perform, NULL, 1, GROUP, sizeof(clade_heap_scratch));
}

static void insert(uint first, uint step)
{
    for (uint i = 0; i < BATCH; i++)
        call.keys[i] = first + i * step;
    make(true, false, BATCH);
    expect(call.status == CLADE_OK, "an insert is refused", first, turn);
}

/* The root's leaves are in order but for the first one, which has keys enough for a pop. */
static void scene(void)
{
    uint last = 0;
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    for (uint b = 0; b < KEYS / BATCH - 1; b++) /* one in each leaf */
        insert(b, 0x10000000u);
    make(false, true, 0);
    insert(1000u, 1u);
    armed = true;
    make(false, false, BATCH);
    expect(!armed, "no leaf was moved: this test sees nothing", turn, 0);
    expect(call.status == CLADE_E_BUSY && call.got == 0, "a pop that waits for a leaf in vain",
           (uint)-call.status, call.got);
    expect(clade_load_relaxed((clade_front_words)heap + CLADE_FRONT_W_IS_AHEAD) != 0,
           "nothing is frozen ahead", turn, 0);
    clade_and_acq_rel(count_of_second(), ~CLADE_FRONT_SPLIT);
    const char *said = host_front_check(heap, CAPACITY, LEAF, KEYS);
    expect(!said, said ? said : "", turn, 0);
    for (uint i = 0; i < KEYS && wrong == 0; i += BATCH) {
        make(false, false, BATCH);
        expect(call.status == CLADE_OK && call.got == BATCH, "a pop", (uint)-call.status, call.got);
        for (uint k = 0; k < call.got; k++) {
            expect(call.keys[k] >= last, "keys are out of order", call.keys[k], last);
            last = call.keys[k];
        }
    }
    said = host_front_check(heap, CAPACITY, LEAF, 0);
    expect(!said, said ? said : "", turn, 0);
    free(heap);
}

int main(void)
{
    end_after(100);
    for (turn = 0; turn < TURNS && wrong == 0; turn++)
        scene();
    printf("%u scenes, %u leaves moved; %u wrong\n", turn, met, wrong);
    return wrong != 0;
}
