/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's device functions by several groups at once (-DGROUPS= of -DGROUP= items), on
 * lanes: in each launch each group makes one call, and afterwards all is at rest. Then the
 * library's own check looks at the heap, and a model says what may have come out: nothing above a
 * key that was inside all the time, each key once, with its value, and ranks without gaps. Fronts
 * are long and groups wait for each other, so that most inserts are rounds. Of long batches
 * (-DBATCHES=) two fill the room that a member has for others' keys. */
#ifndef BATCHES /* keys of one */
#define BATCHES 16
#endif
#define CLADE_HEAP_BATCH        BATCHES
#define CLADE_HEAP_LEAF         256
#define CLADE_FRONT_PUSH_LEAST  2u
#define CLADE_FRONT_DENSE_TOTAL 700u
#define CLADE_FRONT_LEAST       3u
#define CLADE_FRONT_LINGER      40u
#define CLADE_HEAP_KEY_TYPE     CLADE_U32
#define CLADE_HEAP_VALUE_TYPE   CLADE_U32
#define CLADE_LOCAL_BYTES       65536
#ifndef CLADE_SPIN_LIMIT
#define CLADE_SPIN_LIMIT 400000u
#endif
#include "harness/end_after.h"
#include "heap/front/edge_front.h"

enum { BATCH = BATCHES, LEAF = 256, CAPACITY = 6000, MOST = 30000, STEPS = 90 };
enum what { NOTHING, INSERT, POP };

static void *heap;
static uint step_at, world_at;

/* --- the model -------------------------------------------------------------------------------- */

static uint key_of[MOST];         /* by value */
static unsigned char is_in[MOST]; /* 1: inside; 2: since before this launch */
static uint next_id, size, inserts, refused, pops;
static ulong popped;

/* --- calls, one a group ----------------------------------------------------------------------- */

static struct call {
    enum what what;
    uint n, first_id, keys[BATCH];
    clade_i32 status;
    uint taken, left, out[BATCH], ids[BATCH];
    ulong rank;
} calls[GROUPS];

LANES_UNSEEN static void note(struct call *call, clade_i32 status, uint taken, uint left,
                              ulong rank)
{
    call->status = status;
    call->taken = taken;
    call->left = left;
    call->rank = rank;
}

LANES_UNSEEN static void note_key(struct call *call, uint i, uint key_, uint id)
{
    call->out[i] = key_;
    call->ids[i] = id;
}

static void perform(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    struct call *call = calls + get_group_id(0);
    const uint me = (uint)get_local_id(0);
    uint got = 0, left = 0;
    (void)argument;
    if (call->what == INSERT) {
        for (uint i = me; i < call->n; i += (uint)get_local_size(0))
            clade_heap_set_bits_wi(s, i, call->keys[i], call->first_id + i);
        const clade_i32 status = clade_heap_insert_wg(heap, s, call->n);
        left = call->n - clade_heap_taken_wi(s);
        if (me == 0)
            note(call, status, call->n - left, left, 0);
    } else if (call->what == POP) {
        const clade_i32 status = clade_heap_pop_wg(heap, s, call->n, &got);
        left = got;
        if (me == 0)
            note(call, status, got, left, clade_heap_rank_wi(s));
    }
    barrier(0);
    for (uint i = 0; me == 0 && i < left && i < BATCH; i++)
        note_key(call, i, clade_heap_key_bits_wi(s, i), (uint)clade_heap_value_bits_wi(s, i));
}

/* --- judged ----------------------------------------------------------------------------------- */

/* What the call says is out, or stayed out, is one of those inside, and is so no more. */
static void leave(const struct call *call, bool is_pop)
{
    for (uint i = 0; i < call->left && i < BATCH; i++) {
        const uint id = call->ids[i];
        const bool own = id >= call->first_id && id < call->first_id + call->n;
        expect(id < next_id && is_in[id % MOST] && key_of[id % MOST] == call->out[i] &&
                   (is_pop || own),
               is_pop ? "a key that was popped" : "a key that stays out", id, call->out[i]);
        expect(i == 0 || call->out[i] >= call->out[i - 1], "a batch descends", i, call->out[i]);
        is_in[id % MOST] = 0;
    }
}

/* Of pops: the greatest key that came out, and whether one found the heap empty. */
static void judge_pops(void)
{
    uint most = 0, least = 0xffffffffu, out = 0;
    bool empty = false, any = false;
    for (uint g = 0; g < GROUPS; g++) {
        const struct call *call = calls + g;
        if (call->what != POP)
            continue;
        pops++;
        expect(call->status == CLADE_OK && call->taken <= call->n, "a pop's status",
               (uint)-call->status, call->taken);
        leave(call, true);
        out += call->taken;
        empty = empty || call->taken < call->n;
        if (call->taken > 0) {
            any = true;
            most = call->out[call->taken - 1] > most ? call->out[call->taken - 1] : most;
        }
        for (uint other = 0; other < g; other++)
            expect(calls[other].what != POP || call->taken == 0 || calls[other].taken == 0 ||
                       call->rank >= calls[other].rank + calls[other].taken ||
                       calls[other].rank >= call->rank + call->taken,
                   "two keys have one rank", g, other);
    }
    for (uint g = 0; g < GROUPS; g++)
        expect(calls[g].what != POP || calls[g].taken == 0 ||
                   (calls[g].rank >= popped && calls[g].rank + calls[g].taken <= popped + out),
               "a rank", (uint)calls[g].rank, (uint)popped);
    for (uint id = 0; id < next_id; id++)
        if (is_in[id] == 2)
            least = key_of[id] < least ? key_of[id] : least;
    expect(!any || most <= least, "a key came out before a lesser one", most, least);
    expect(!empty || least == 0xffffffffu, "a heap with keys was said to be empty", least, 0);
    popped += out;
    size -= out;
}

static void judge_inserts(void)
{
    for (uint g = 0; g < GROUPS; g++)
        if (calls[g].what == INSERT) {
            expect(calls[g].status == CLADE_OK && calls[g].taken == calls[g].n,
                   "an insert is refused", (uint)-calls[g].status, calls[g].taken);
            inserts += calls[g].status == CLADE_OK;
            refused += calls[g].status != CLADE_OK;
            leave(calls + g, false);
            size += calls[g].taken;
        }
}

static uint word(uint at)
{
    return clade_load_relaxed((clade_front_words)heap + at);
}

static void check(void)
{
    const char *said = host_front_check(heap, CAPACITY, LEAF, size);
    if (said)
        fprintf(stderr, "%s\n", said);
    expect(!said, "an invariant, after step", step_at, world_at);
    expect(host_front_is_left(heap), "an operation began and did not end, step", step_at, world_at);
    expect(word(CLADE_FRONT_S_INSERTS) == inserts, "inserts", word(CLADE_FRONT_S_INSERTS), inserts);
    expect(word(CLADE_FRONT_S_POPS) == pops, "pops", word(CLADE_FRONT_S_POPS), pops);
    expect(word(CLADE_FRONT_S_REFUSED) == refused, "refused", word(CLADE_FRONT_S_REFUSED), refused);
    expect(clade_heap_popped_wi(heap) == popped, "popped", (uint)clade_heap_popped_wi(heap),
           (uint)popped);
}

static void launch(void)
{
    for (uint id = 0; id < next_id; id++)
        is_in[id] *= 2u - (is_in[id] == 2);
    for (uint g = 0; g < GROUPS; g++)
        if (calls[g].what == INSERT) {
            calls[g].first_id = next_id;
            for (uint i = 0; i < calls[g].n; i++) {
                key_of[next_id] = calls[g].keys[i];
                is_in[next_id++] = 1;
            }
        }
    shim_launch(perform, NULL, GROUPS, GROUP, sizeof(clade_heap_scratch));
    judge_inserts();
    judge_pops();
    check();
}

/* --- worlds ----------------------------------------------------------------------------------- */

enum law { WIDE, FRONT, LOW, NEAR, LEAVES, ONE, FIRST_ONE, LAWS };

static uint some_key(enum law law)
{
    const uint bound = word(CLADE_FRONT_W_BOUNDED) ? word(CLADE_FRONT_W_BOUND) : 0x7fffffffu;
    const uint wide = (draw(1u << 16) << 16 | draw(1u << 16)) % 0xfffffffeu;
    switch (law) {
    case FRONT:
        return bound / 2u + draw(300);
    case LOW:
    case NEAR:
        return wide % (bound / 4u + 1u);
    case LEAVES: /* few of them, which are soon full */
        return 0xb0000000u + draw(400);
    case ONE:
        return 0xa0000000u;
    case FIRST_ONE:
        return 77u;
    default:
        return wide;
    }
}

/* Mostly keys that are the front's; sometimes all groups come to the same leaves. */
static void choose(uint wanted)
{
    const bool together = draw(3) == 0;
    const enum law common = (enum law)draw(LAWS);
    for (uint g = 0; g < GROUPS; g++) {
        const enum law law = together  ? common
                             : draw(4) ? (enum law)(FRONT + draw(3))
                                       : (enum law)draw(LAWS);
        calls[g].what = draw(12) == 0 ? NOTHING : draw(4) < wanted ? POP : INSERT;
        if (calls[g].what == INSERT &&
            (size + GROUPS * BATCH > CAPACITY || next_id + GROUPS * BATCH > MOST))
            calls[g].what = POP;
        calls[g].n = draw(3) ? BATCH : 1 + draw(BATCH);
        for (uint i = 0; i < calls[g].n; i++)
            calls[g].keys[i] = some_key(law);
    }
}

static uint merges, joined, refills, splits;

static void world(uint seed)
{
    world_at = seed;
    random_state = seed;
    next_id = size = inserts = refused = pops = 0;
    popped = 0;
    memset(is_in, 0, sizeof is_in);
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    for (step_at = 0; step_at < STEPS && wrong == 0; step_at++) {
        choose(step_at % 30 < 20 ? 1 : 3);
        launch();
    }
    while (size > 0 && wrong == 0) {
        choose(4);
        launch();
    }
    merges += word(CLADE_FRONT_S_MERGES);
    joined += word(CLADE_FRONT_S_JOINED);
    refills += word(CLADE_FRONT_S_REFILLS);
    splits += word(CLADE_FRONT_S_SPLITS);
    free(heap);
}

int main(void)
{
    end_after(100);
    lanes_order_nothing(1);
    for (uint seed = 1; seed <= WORLDS && wrong == 0; seed++)
        world(seed);
    expect(wrong > 0 || (merges > 0 && joined > 0 && refills > 0 && splits > 0),
           "a part of the engine was not met", merges, joined);
    printf("%u merges, %u batches that joined one, %u refills, %u splits; %u wrong\n", merges,
           joined, refills, splits, wrong);
    return wrong != 0;
}
