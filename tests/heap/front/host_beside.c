/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine, one item a group: before one access of an operation to memory that
 * others change, others come, each from its begin to its end; and before one access of the first of
 * these again others. So two groups stand still anywhere, while a third one works. What a pop got
 * is judged when the first operation has ended, since what others had taken by then is out. Then
 * the library's check looks at the heap, and some keys are popped.
 *
 * The operations and the place of the first interruption are tried anew from one and the same heap,
 * which chance has made: mostly with a leaf that is full, often the one after the bound. Preferred
 * are places around read-modify-writes. Sometimes nearly all units of a pool are hidden meanwhile.
 */
#define CLADE_SPIN_LIMIT      100u /* who comes between may wait for who was interrupted */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include "clade/atomic.clh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void come_by(bool changes);
#define clade_load_relaxed(at)        (come_by(false), clade_load_relaxed(at))
#define clade_load_acquire(at)        (come_by(false), clade_load_acquire(at))
#define clade_load_consume(at)        (come_by(false), clade_load_consume(at))
#define clade_store_relaxed(at, x)    (come_by(false), clade_store_relaxed((at), (x)))
#define clade_store_release(at, x)    (come_by(true), clade_store_release((at), (x)))
#define clade_cas_relaxed(at, old, x) (come_by(true), clade_cas_relaxed((at), (old), (x)))
#define clade_cas_acquire(at, old, x) (come_by(true), clade_cas_acquire((at), (old), (x)))
#define clade_cas_release(at, old, x) (come_by(true), clade_cas_release((at), (old), (x)))
#define clade_cas_acq_rel(at, old, x) (come_by(true), clade_cas_acq_rel((at), (old), (x)))
#define clade_add_relaxed(at, x)      (come_by(true), clade_add_relaxed((at), (x)))
#define clade_add_acq_rel(at, x)      (come_by(true), clade_add_acq_rel((at), (x)))
#define clade_sub_relaxed(at, x)      (come_by(true), clade_sub_relaxed((at), (x)))
#define clade_sub_acquire(at, x)      (come_by(true), clade_sub_acquire((at), (x)))
#define clade_and_acquire(at, x)      (come_by(true), clade_and_acquire((at), (x)))
#define clade_and_acq_rel(at, x)      (come_by(true), clade_and_acq_rel((at), (x)))
#define clade_or_relaxed(at, x)       (come_by(true), clade_or_relaxed((at), (x)))
#define clade_or_release(at, x)       (come_by(true), clade_or_release((at), (x)))
#define clade_or_acq_rel(at, x)       (come_by(true), clade_or_acq_rel((at), (x)))
#define clade_min_relaxed(at, x)      (come_by(true), clade_min_relaxed((at), (x)))
#define clade_exchange_relaxed(at, x) (come_by(true), clade_exchange_relaxed((at), (x)))
#define clade_exchange_release(at, x) (come_by(true), clade_exchange_release((at), (x)))
#define clade_exchange_acq_rel(at, x) (come_by(true), clade_exchange_acq_rel((at), (x)))

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"
#undef min
#undef max

#include "edges/edge.h"
#include "harness/run_for.h"
#include "heap/front/host_front.h"
#include "heap/front/host_units.h"

enum { MOST = 1 << 14, LAYERS = 3, OTHERS = 8, MARKS = 1 << 14, TRIES = 120, JUDGED = 32 };
enum what { INSERT, POP, HELP };

struct call {
    enum what what;
    uint n, keys[BATCH];
};

static void *heap, *kept;
static uint capacity, seed;
static clade_heap_scratch *scratch[LAYERS];

/* --- the model, and calls ----------------------------------------------------------------------
 */

static struct model {
    uint next_id, keys[MOST];   /* by value */
    unsigned char inside[MOST]; /* 1: since an insert that has ended; 2: on its way in or out */
} model, before;

/* Pops, until the first operation has ended: what was inside, up to which key they got. */
static struct judged {
    unsigned char inside[MOST];
    uint next_id, got, last;
    bool short_of;
} judged[JUDGED];
static uint to_judge;

static uint size(void)
{
    uint all = 0;
    for (uint id = 0; id < model.next_id; id++)
        all += model.inside[id] != 0;
    return all;
}

static void judge(void)
{
    for (uint j = 0; j < to_judge; j++)
        for (uint id = 0; id < judged[j].next_id; id++)
            if (judged[j].inside[id] == 1 && model.inside[id]) {
                expect(!judged[j].short_of, "a pop left keys, and got too few", seed, id);
                expect(judged[j].got == 0 || model.keys[id] >= judged[j].last,
                       "a key came before a lesser one", seed, id);
            }
    to_judge = 0;
}

static clade_i32 insert(const struct call *call, __local clade_heap_scratch *s)
{
    const uint first = model.next_id;
    bool stays_out[BATCH] = { false };
    for (uint i = 0; i < call->n; i++, model.next_id++) {
        model.keys[model.next_id] = call->keys[i];
        model.inside[model.next_id] = 2;
        clade_heap_set_bits_wi(s, i, call->keys[i], model.next_id);
    }
    const clade_i32 status = clade_heap_insert_wg(heap, s, call->n);
    const uint taken = clade_heap_taken_wi(s);
    expect(status != CLADE_OK || taken == call->n, "keys that were taken", taken, seed);
    for (uint i = taken; i < call->n; i++) {
        const uint at = clade_heap_value_bits_wi(s, i - taken) - first;
        expect(at < call->n && !stays_out[at % BATCH], "a key that stays out", at, seed);
        stays_out[at % BATCH] = true;
    }
    for (uint i = 0; i < call->n; i++) {
        expect(!stays_out[i] || model.inside[first + i], "a key that stays out came out", i, seed);
        model.inside[first + i] = !stays_out[i] && model.inside[first + i];
    }
    return status;
}

static clade_i32 pop(const struct call *call, __local clade_heap_scratch *s)
{
    struct judged *mine = &judged[to_judge++ % JUDGED];
    memcpy(mine->inside, model.inside, model.next_id);
    mine->next_id = model.next_id;
    mine->last = mine->got = 0;
    mine->short_of = false;
    uint got = 0, last = 0;
    const clade_i32 status = clade_heap_pop_wg(heap, s, call->n, &got);
    for (uint i = 0; i < got; i++) {
        const uint key = clade_heap_key_bits_wi(s, i), id = clade_heap_value_bits_wi(s, i);
        expect(id < model.next_id && model.inside[id % MOST] && model.keys[id % MOST] == key,
               "a key that was not inside", id, seed);
        expect(key >= last, "a batch descends", key, seed);
        model.inside[id % MOST] = 0;
        last = key;
    }
    mine->got = got;
    mine->last = last;
    mine->short_of = status == CLADE_OK && got < call->n;
    return status;
}

static clade_i32 help(const struct call *call, __local clade_heap_scratch *s)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint epoch = clade_front_enter_wi(h.head);
    for (uint t = 0; t < call->n && clade_heap_front_help_wg(h, s, t); t++)
        continue;
    clade_front_leave_wi(h.head, epoch);
    return CLADE_OK;
}

static clade_i32 perform(const struct call *call, uint layer)
{
    __local clade_heap_scratch *s = scratch[layer];
    return call->what == INSERT ? insert(call, s)
           : call->what == POP  ? pop(call, s)
                                : help(call, s);
}

/* --- who comes between -------------------------------------------------------------------------
 */

static struct visit {
    long at; /* before which access; -1: nobody comes */
    uint count;
    struct call calls[OTHERS];
} visits[LAYERS - 1];
static struct call own;
static uint layer;
static long accesses[LAYERS], marks[MARKS];
static uint marked;
static bool marks_changes;

static void come_by(bool changes)
{
    if (marks_changes && changes && marked < MARKS)
        marks[marked++] = accesses[0];
    if (layer == LAYERS - 1 || accesses[layer]++ != visits[layer].at)
        return;
    const struct visit *visit = &visits[layer];
    layer++;
    accesses[layer] = 0;
    for (uint i = 0; i < visit->count; i++)
        (void)perform(&visit->calls[i], layer);
    layer--;
}

/* --- worlds ------------------------------------------------------------------------------------
 */

static uint some_key(uint law)
{
    static const uint laws[] = { 0x12345u, 77u, 77u, 0u };
    const uint wide = draw(1u << 16) << 16 | draw(1u << 16);
    if (law < 4)
        return laws[law] + (law == 0 ? draw(2000) : law == 1 ? draw(3) : law == 3 ? draw(40) : 0);
    return law == 4 ? wide >> draw(8) * 4u : wide;
}

static void choose(struct call *call, enum what what, uint law)
{
    const bool equal = draw(8) == 0;
    call->what = what;
    call->n = what == HELP ? 1 + draw(15) : draw(2) ? BATCH : 1 + draw(BATCH);
    for (uint i = 0; i < BATCH; i++)
        call->keys[i] = equal && i > 0 ? call->keys[0] : some_key(law);
}

/* Keys of one leaf until it is full, mostly the one after the bound; calls want it, too. */
static void fill_leaf(uint law)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    uint key = clade_load_relaxed(h.head + CLADE_FRONT_W_BOUNDED)
                   ? clade_load_relaxed(h.head + CLADE_FRONT_W_BOUND) + 1u
                   : 0u;
    if (draw(4) == 0)
        key = some_key(law);
    const uint ref = clade_heap_front_walk_wi(h, key).ref;
    if (ref == CLADE_FRONT_DRAINED)
        return;
    clade_front_words l = clade_heap_front_leaf(h, ref >> 1);
    const uint low = clade_heap_front_load_key(l + CLADE_FRONT_L_LOW);
    const uint mask = (1u << clade_load_relaxed(l + CLADE_FRONT_L_SHIFT)) - 1u;
    const uint high = draw(2) ? mask ^ mask >> draw(3) : 0; /* they crowd at the range's end */
    uint count = clade_load_relaxed(l + CLADE_FRONT_L_COUNT);
    while (count < LEAF && size() + 2 * BATCH < capacity) {
        choose(&own, INSERT, 5);
        own.n = LEAF - count < BATCH ? LEAF - count : BATCH;
        for (uint i = 0; i < own.n; i++)
            own.keys[i] = low + ((own.keys[i] & mask) | high);
        (void)perform(&own, 0);
        count += own.n;
    }
    choose(&own, INSERT, 5);
    for (uint i = 0; i < BATCH; i++)
        own.keys[i] = low + ((own.keys[i] & mask) | (draw(2) ? high : 0));
    for (uint v = 0; v < LAYERS - 1; v++)
        for (uint i = 0; i < visits[v].count && draw(4); i++)
            for (uint k = 0; k < BATCH; k++) /* of inserts */
                visits[v].calls[i].keys[k] = low + (visits[v].calls[i].keys[k] & mask >> draw(6));
}

/* A heap, and what is called. */
static void begin(void)
{
    const uint law = draw(6), turns = draw(3) ? 20 + draw(150) : draw(20);
    capacity = draw(4) ? 600 + draw(1000) : 3000;
    heap = host_front_new(capacity, BATCH, LEAF);
    kept = malloc(host_front_bytes(capacity, LEAF));
    memset(&model, 0, sizeof model);
    for (uint v = 0; v < LAYERS - 1; v++)
        visits[v].at = -1;
    for (uint t = 0; t < turns; t++) {
        const uint what = draw(10);
        if (what >= 7 || size() + BATCH < capacity / 5 * 4) {
            choose(&own, what < 7 ? INSERT : what < 9 ? POP : HELP, draw(4) ? law : draw(6));
            (void)perform(&own, 0);
        }
    }
    for (uint v = 0; v < LAYERS - 1; v++) {
        const uint kind = draw(4); /* inserts alone, pops alone, or any */
        visits[v].count = 1 + draw(draw(3) ? 3 : OTHERS);
        for (uint i = 0; i < visits[v].count; i++)
            choose(&visits[v].calls[i], kind < 2 ? (enum what)kind : (enum what)draw(3), law);
    }
    choose(&own, (enum what)draw(3), law);
    for (uint again = draw(4); again > 0; again--) {
        fill_leaf(law);
        if (again > 1)
            (void)perform(&own, 0);
    }
    to_judge = 0;
}

static void expect_whole(void)
{
    const char *said = host_front_check(heap, capacity, LEAF, size());
    if (said && wrong < 8)
        printf("%s\n", said);
    expect(!said, "an invariant, seed and access", seed, (uint)visits[0].at);
}

/* All is at rest: the heap is whole, and its first keys come in order. */
static void end(void)
{
    struct call some = { .what = POP, .n = BATCH };
    judge();
    visits[0].at = -1;
    expect_whole();
    for (uint t = 0; t < 12 && size() > 0; t++) {
        expect(perform(&some, 0) == CLADE_OK, "a pop gave up", seed, t);
        judge();
    }
    expect_whole();
}

static uint tries;

static void world(void)
{
    begin();
    const uint pool = draw(3), keep = draw(2) ? ~0u : draw(30);
    const host_units hidden = host_units_hide(heap, pool, keep);
    memcpy(kept, heap, host_front_bytes(capacity, LEAF));
    before = model;
    accesses[0] = 0;
    marked = 0;
    marks_changes = true;
    (void)perform(&own, 0);
    marks_changes = false;
    const long all = accesses[0];
    for (uint t = 0; t < TRIES && all > 0 && wrong == 0; t++, tries++) {
        memcpy(heap, kept, host_front_bytes(capacity, LEAF));
        model = before;
        to_judge = 0;
        visits[0].at = marked > 0 && draw(4) ? marks[draw(marked)] + draw(2) : draw((uint)all);
        visits[1].at = draw(draw(2) ? 1500 : 300);
        accesses[0] = 0;
        (void)perform(&own, 0);
        for (uint i = 0; i < hidden.count; i++)
            clade_front_free_wi(heap, pool, hidden.list[i]);
        end();
    }
    free(hidden.list);
    free(heap);
    free(kept);
}

static void worlds(void *argument, void *local)
{
    (void)local;
    do {
        random_state = ++seed * 7919u;
        world();
    } while (wrong == 0 && run_for_used() < *(const double *)argument);
}

int main(int count, char **arguments)
{
    double seconds = run_for_seconds(count, arguments, 4);
    alarm(300);
    for (uint i = 0; i < LAYERS; i++)
        scratch[i] = calloc(1, sizeof *scratch[i]);
    seed = shim_seed();
    printf("from seed %u\n", seed);
    host_front_value_type = CLADE_U32;
    shim_launch(worlds, &seconds, 1, 1, sizeof(clade_heap_scratch));
    for (uint i = 0; i < LAYERS; i++)
        free(scratch[i]);
    printf("%u tries, %u wrong\n", tries, wrong);
    return wrong != 0;
}
