/* SPDX-License-Identifier: Apache-2.0 */
/* Between any two steps of an operation others come, each from its begin to its end; between any
 * two steps of the last of these again others, in up to three layers. So items stand still anywhere
 * in an operation while others work and end. All results, and what is there at last, have to be
 * those of one order of all that were called, in which no call comes before one that had ended when
 * it began. Who was busy did nothing.
 *
 * Include device.h first, then steps.h, then `clade/W.clh`; say what `struct content` is, the model
 * of what there is; then include this. The program has do_op(), on_model() and holds(). With
 * BESIDE_WATCH it has begin_watch(), watch() and end_watch(), too, which look at memory while an
 * operation in the second layer goes on. */
#pragma once

#include "edges/edge.h"

enum { LAYERS = 3, SEQUENCE = 6, CALLS = 8 };

struct op {
    uint kind, key, value, expected;
};
struct result {
    int status;
    uint value;
};
struct call {
    struct op op;
    struct result got;
    uint began, ended;
};
/* What happens before a step of the operation of a layer. */
struct visit {
    int at; /* -1: nothing */
    uint count;
    struct op ops[SEQUENCE];
};

static struct result do_op(struct op op);
/* False: there are no more answers than `which`, of those that are right. */
static bool on_model(struct content *it, struct op op, uint which, struct result *want);
static bool holds(const struct content *it);
#ifdef BESIDE_WATCH
static void begin_watch(struct op op);
static void watch(void);
static void end_watch(struct op op, struct result got);
#else
#define begin_watch(op)    ((void)0)
#define watch()            ((void)0)
#define end_watch(op, got) ((void)0)
#endif

static struct call calls[CALLS];
static struct visit plan[LAYERS][2];
static int steps[LAYERS];
static uint call_count, now, layer = LAYERS; /* LAYERS: nobody comes */
#ifndef STEPS_ARE_ACCESSES
static uint lost;
#endif

/* In the order that is tried: calls before this one, as bits, that had not ended when it began. */
static uint standing;

/* Whether one of these is an operation of this kind. */
static inline bool stands(uint kind, uint key)
{
    for (uint c = 0; c < call_count; c++)
        if (standing >> c & 1u && calls[c].op.kind == kind && calls[c].op.key == key)
            return true;
    return false;
}

static void call(struct op op, uint its_layer)
{
    struct call *it = &calls[call_count++];
    const uint kept = layer, lost_before = lost;
    it->op = op;
    it->began = now++;
    layer = its_layer;
    if (layer < LAYERS)
        steps[layer] = 0;
    if (its_layer == 1)
        begin_watch(op);
    lost = 0;
    it->got = do_op(op);
    lost = lost_before;
    layer = kept;
    if (its_layer == 1)
        end_watch(op, it->got);
    it->ended = now++;
}

static void come_by(void)
{
    watch();
    if (layer == LAYERS)
        return;
    const int step = steps[layer]++;
    for (uint v = 0; v < 2; v++)
        for (uint i = 0; plan[layer][v].at == step && i < plan[layer][v].count; i++)
            call(plan[layer][v].ops[i],
                 v == 0 && i + 1 == plan[layer][v].count ? layer + 1 : (uint)LAYERS);
}

static bool is_in_order(const struct content *content, uint done);

/* Whether one that is not done yet may be next, and then all others have an order. */
static bool is_next(const struct content *content, uint done, uint c)
{
    uint beside = 0;
    for (uint other = 0; other < call_count; other++)
        beside |= (uint)(calls[other].ended > calls[c].began) << other & done;
    if (calls[c].got.status == CLADE_E_BUSY)
        return is_in_order(content, done | 1u << c);
    for (uint which = 0;; which++) {
        struct content after = *content;
        struct result want;
        standing = beside;
        if (!on_model(&after, calls[c].op, which, &want))
            return false;
        if (want.status == calls[c].got.status && want.value == calls[c].got.value &&
            is_in_order(&after, done | 1u << c))
            return true;
    }
}

/* Whether the calls that are not done yet have an order. */
static bool is_in_order(const struct content *content, uint done)
{
    const uint left = ((1u << call_count) - 1u) & ~done;
    uint first_end = 0xffffffffu;
    if (left == 0)
        return holds(content);
    for (uint c = 0; c < call_count; c++)
        if (left >> c & 1u)
            first_end = calls[c].ended < first_end ? calls[c].ended : first_end;
    for (uint c = 0; c < call_count; c++)
        if (left >> c & 1u && calls[c].began <= first_end && is_next(content, done, c))
            return true;
    return false;
}

static uint runs, undisturbed; /* in which nobody was busy */

/* What each run begins with: this memory, and this content of it. */
static struct {
    void *memory;
    size_t bytes;
    struct content content;
    char kept[1 << 14];
} begin;

static void begin_with(void *memory, size_t bytes, const struct content *content)
{
    expect(bytes <= sizeof begin.kept, "memory beyond what is kept", (uint)bytes, 0);
    begin.memory = memory;
    begin.bytes = bytes;
    begin.content = *content;
    memcpy(begin.kept, memory, bytes);
}

/* `label`: of what is there, for the message. False: not all that were to come came. */
static bool run(struct op op, uint wanted, uint label)
{
    bool is_busy = false;
    memcpy(begin.memory, begin.kept, begin.bytes);
    call_count = now = 0;
    call(op, 0);
    if (call_count < wanted)
        return false;
    runs++;
    for (uint i = 0; i < call_count; i++)
        is_busy |= calls[i].got.status == CLADE_E_BUSY;
    undisturbed += !is_busy;
    expect(is_in_order(&begin.content, 0), "operations in no order", op.kind << 16 | label,
           call_count << 8 | (uint)plan[0][0].at);
    return true;
}

static inline void plan_none(void)
{
    for (uint i = 0; i < LAYERS; i++)
        plan[i][0].at = plan[i][1].at = -1;
}

/* All that are planned for the first visit, at each step of this one, in turn. */
static inline void meet(struct op op, uint label)
{
    struct visit *visit = &plan[0][0];
    for (visit->at = 0; run(op, 1 + visit->count, label); visit->at++)
        ;
    visit->at = -1;
}

/* All rows of `count` of the first `kinds` operations: others[all * i] and on from it for place i.
 */
static inline void meet_rows(struct op op, const struct op *others, uint all, uint kinds,
                             uint count, uint label)
{
    uint rows = 1;
    for (uint i = 0; i < count; i++)
        rows *= kinds;
    plan[0][0].count = count;
    for (uint row = 0; row < rows; row++) {
        for (uint i = 0, rest = row; i < count; i++, rest /= kinds)
            plan[0][0].ops[i] = others[all * i + rest % kinds];
        meet(op, label);
    }
}

/* Who the four are: one stands still in the first, while `second` come. Within the last of these
 * comes the third one, and stands still while a fourth one comes. Later in the second one's work
 * there are two more. */
struct layers {
    struct op first, second[2], third, fourth, later[2];
};

/* Every place of all four. */
static inline void meet_layers(const struct layers *of, uint label)
{
    struct visit *const second = &plan[0][0], *const third = &plan[1][0], *const fourth = plan[2],
                        *const later = &plan[1][1];
    bool any = true;
    *second = (struct visit) { 0, 2, { of->second[0], of->second[1] } };
    *third = (struct visit) { 0, 1, { of->third } };
    *fourth = (struct visit) { 0, 1, { of->fourth } };
    *later = (struct visit) { 0, 2, { of->later[0], of->later[1] } };
    for (; any; second->at++) {
        any = false;
        for (third->at = 0;; third->at++) {
            bool is_third = false;
            for (fourth->at = 0;; fourth->at++) {
                for (later->at = third->at; run(of->first, 7, label); later->at++)
                    ;
                if (later->at == third->at)
                    break;
                is_third = any = true;
            }
            if (!is_third)
                break;
        }
    }
    plan_none();
}
