/* SPDX-License-Identifier: Apache-2.0 */
#include "lin/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clade/shared/status.h"
#include "lin/gen.h"
#include "lin/util.h"

size_t history_ops(const struct history_shape *shape)
{
    return shape->prefill + (size_t)shape->groups * shape->each + shape->drain;
}

bool history_alloc(struct history *all, const struct history_shape *shape, size_t worlds)
{
    *all = (struct history) { .shape = *shape, .n = history_ops(shape) * worlds };
    all->ops = calloc(all->n, sizeof *all->ops);
    all->keys = calloc(all->n * shape->batch, sizeof *all->keys);
    all->ids = calloc(all->n * shape->batch, sizeof *all->ids);
    if (all->ops && all->keys && all->ids)
        return true;
    history_free(all);
    return false;
}

void history_free(struct history *all)
{
    free(all->ids);
    free(all->keys);
    free(all->ops);
    *all = (struct history) { 0 };
}

struct history history_world(const struct history *all, size_t index)
{
    struct history world = *all;
    size_t at;
    world.n = history_ops(&all->shape);
    at = index * world.n;
    world.ops += at;
    world.keys += at * all->shape.batch;
    world.ids += at * all->shape.batch;
    return world;
}

/* Half of the batches are whole: those take the shortest way in, and the only one that may start
 * at the bottom. */
static uint32_t some(uint32_t batch, uint64_t *seed)
{
    return gen_below(seed, 2) ? batch : 1 + gen_below(seed, batch);
}

void history_plan(const struct history *world, uint32_t first_id, uint64_t *seed)
{
    const struct history_shape *s = &world->shape;
    const size_t concurrent = s->prefill + (size_t)s->groups * s->each;
    uint64_t left = s->capacity ? s->capacity : UINT64_MAX;
    for (size_t i = 0; i < world->n; i++) {
        history_op *op = &world->ops[i];
        uint32_t n = i < concurrent ? some(s->batch, seed) : s->batch;
        bool insert = i < s->prefill || (i < concurrent && gen_below(seed, 100) < s->inserts);
        if (insert && n > left)
            n = (uint32_t)left;
        *op = (history_op) { .kind = insert && n ? HISTORY_INSERT : HISTORY_DELETE,
                             .asked = n ? n : s->batch };
        if (op->kind != HISTORY_INSERT)
            continue;
        left -= n;
        for (uint32_t j = 0; j < n; j++) {
            world->keys[i * s->batch + j] = gen_below(seed, s->keys);
            world->ids[i * s->batch + j] = first_id++;
        }
    }
}

/* The operations that took effect, as the checkers take them. */
static lin_op *as_lin(const struct history *world, lin_value *values, size_t *n, size_t *refused)
{
    const size_t room = world->shape.batch;
    lin_op *ops = calloc(world->n, sizeof *ops);
    *n = *refused = 0;
    for (size_t i = 0; ops && i < world->n; i++) {
        const history_op *op = &world->ops[i];
        if (op->status != 0) {
            (*refused)++;
            continue;
        }
        lin_value *v = values + i * room;
        for (uint32_t j = 0; j < op->count; j++)
            v[j] = (lin_value) { world->keys[i * room + j], world->ids[i * room + j] };
        ops[(*n)++] = (lin_op) { .inv = op->inv,
                                 .res = op->res,
                                 .thread = op->group,
                                 .kind = op->kind == HISTORY_INSERT ? LIN_INSERT : LIN_DELETE,
                                 .asked = op->asked,
                                 .count = op->count,
                                 .ok = true,
                                 .values = v };
    }
    return ops;
}

/* By search; a batch as single inserts when `singles`. */
static lin_verdict search(const lin_op *ops, size_t n, bool singles)
{
    lin_op split[LIN_EXACT_OPS];
    const gen_history batches = { (lin_op *)ops, n, NULL };
    if (!singles)
        return lin_exact(ops, n, &lin_spec_pq);
    if (!gen_split(&batches, split, &n, LIN_EXACT_OPS))
        return LIN_INPUT;
    return lin_exact(split, n, &lin_spec_pq);
}

struct history_verdict history_judge(const struct history *world, bool exact)
{
    struct history_verdict verdict = { .fast = LIN_NOMEM, .exact = LIN_INPUT };
    lin_value *values = calloc(world->n * world->shape.batch, sizeof *values);
    size_t n;
    lin_op *ops = values ? as_lin(world, values, &n, &verdict.refused) : NULL;
    if (ops) {
        const bool singles = world->shape.singles;
        verdict.fast = lin_pq(ops, n, singles ? 0 : LIN_ATOMIC_INSERT, &verdict.report);
        if (exact)
            verdict.exact = search(ops, n, singles);
    }
    free(ops);
    free(values);
    return verdict;
}

/* What went in and came out (mark: 1), by id. */
static const char *gather(const struct history *world, lin_item *items, size_t *n)
{
    const size_t room = world->shape.batch;
    *n = 0;
    for (size_t i = 0; i < world->n; i++) {
        const history_op *op = &world->ops[i];
        if (op->status != 0)
            continue;
        if (op->count > op->asked)
            return "a pop returned more than it was asked for";
        for (size_t j = i * room; j < i * room + op->count; j++) {
            bool insert = op->kind == HISTORY_INSERT;
            if (!insert && j > i * room && world->keys[j - 1] > world->keys[j])
                return "a pop's keys do not ascend";
            items[(*n)++] = (lin_item) { world->ids[j], 0, world->keys[j], !insert };
        }
    }
    return NULL;
}

const char *history_conserved(const struct history *world)
{
    size_t n;
    lin_item *items = calloc(world->n * world->shape.batch, sizeof *items);
    const char *wrong = items ? gather(world, items, &n) : "host memory is out";
    if (!wrong && !cladei_lin_sort(&items, n))
        wrong = "host memory is out";
    for (size_t i = 0; !wrong && i < n; i += 2)
        if (i + 1 == n || items[i].key != items[i + 1].key)
            wrong = !items[i].mark ? "a value never came out"
                                   : "a value came out that never went in, or came twice";
        else if (items[i].op != items[i + 1].op || items[i].mark + items[i + 1].mark != 1)
            wrong = "a value came out twice, or with another's key";
    free(items);
    return wrong;
}

/* How many values are inside between two tickets: certainly, or at most. */
static int64_t inside(const struct history *world, bool certainly, uint32_t from, uint32_t to)
{
    int64_t n = 0;
    for (size_t i = 0; i < world->n; i++) {
        const history_op *op = &world->ops[i];
        bool insert = op->kind == HISTORY_INSERT;
        if (op->status != 0)
            continue;
        if (insert && (certainly ? op->res <= from : op->inv < to))
            n += op->count;
        if (!insert && (certainly ? op->inv < to : op->res < from))
            n -= op->count;
    }
    return n;
}

const char *history_capacity(const struct history *world, uint64_t capacity)
{
    for (size_t i = 0; i < world->n; i++) {
        const history_op *op = &world->ops[i];
        if (op->status == 0 && op->kind == HISTORY_INSERT &&
            inside(world, true, op->res, op->res) > (int64_t)capacity)
            return "more values are inside than there is room for";
        if (op->status != 0 && (int32_t)op->status != CLADE_E_FULL)
            return "an operation was refused for another reason than want of room";
        if (op->status != 0 &&
            inside(world, false, op->inv, op->res) + op->asked <= (int64_t)capacity)
            return "an insert was refused although there was room";
    }
    return NULL;
}

void history_print(const struct history *world)
{
    for (size_t i = 0; i < world->n; i++) {
        const history_op *op = &world->ops[i];
        fprintf(stderr, "%3zu group %u [%u,%u] %s asked %u status %d:", i, op->group, op->inv,
                op->res, op->kind == HISTORY_INSERT ? "insert" : "pop", op->asked, (int)op->status);
        for (size_t j = 0; j < op->count; j++)
            fprintf(stderr, " %u.%u", world->keys[i * world->shape.batch + j],
                    world->ids[i * world->shape.batch + j]);
        fprintf(stderr, "\n");
    }
}
