/* SPDX-License-Identifier: Apache-2.0 */
/* Whether some order of the operations explains what a concurrent run gave.
 *
 * The outcomes and the raw list force an order upon what touches a value v: v is inserted, then
 * what was inserted behind v, the nearest in the list last; then v is erased; then those that did
 * not find v. Nothing else is forced, so with distinct values the order is a forest and a sequence
 * is found by taking whatever is ready. That sequence is then done on a linked list, and every
 * outcome, every link and what is left are compared: the proof rests on that alone. */
#include "apps/listfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clade/shared/list.h>
#include <clade/shared/status.h>

#define NONE 0xffffffffu /* no entity, no operation */

/* Values as numbers: entities are the initial nodes, then the inserts, then NONE for strangers. */
struct proof {
    const struct listfile *file;
    const int32_t *statuses;
    size_t entities;
    uint32_t *slots; /* hash of values: entity + 1 */
    size_t mask;
    uint32_t *place;                /* of an entity in the raw list, or NONE */
    uint32_t *eraser;               /* the erasure that got it, or NONE */
    uint32_t *first, *sibling;      /* inserts behind it, in the order of their doing */
    uint32_t *missed, *next_missed; /* operations that did not find it */
    uint32_t *order;                /* the sequence */
    size_t ordered;
    char *why;
    size_t room;
};

static uint32_t value_of(const struct proof *p, uint32_t entity)
{
    return entity < p->file->node_count ? p->file->nodes[entity]
                                        : p->file->values[entity - p->file->node_count];
}

static bool is_entity(const struct proof *p, uint32_t entity)
{
    return entity < p->file->node_count ||
           p->file->ops[entity - p->file->node_count] == CLADE_LIST_INSERT_AFTER;
}

/* The entity with this value, or the slot where it belongs. */
static uint32_t *find_slot(const struct proof *p, uint32_t value)
{
    size_t at = clade_list_hash(value, 0) & p->mask;
    while (p->slots[at] && value_of(p, p->slots[at] - 1) != value)
        at = (at + 1) & p->mask;
    return &p->slots[at];
}

static bool fail(struct proof *p, const char *what, uint32_t value)
{
    snprintf(p->why, p->room, "value %u: %s", value, what);
    return false;
}

static bool make_arrays(struct proof *p)
{
    const size_t n = p->entities + 1;
    p->mask = 1;
    while (p->mask < 2 * n)
        p->mask *= 2;
    p->slots = calloc(p->mask--, sizeof *p->slots);
    uint32_t **const arrays[] = { &p->place,  &p->eraser,      &p->first, &p->sibling,
                                  &p->missed, &p->next_missed, &p->order };
    bool done = p->slots != NULL;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = malloc(n * sizeof **arrays[i]);
        if (*arrays[i])
            memset(*arrays[i], 0xff, n * sizeof **arrays[i]);
        done &= *arrays[i] != NULL;
    }
    if (!done)
        snprintf(p->why, p->room, "memory is out");
    return done;
}

static bool enter_values(struct proof *p)
{
    for (uint32_t e = 0; e < p->entities; e++) {
        if (!is_entity(p, e))
            continue;
        uint32_t *slot = find_slot(p, value_of(p, e));
        if (*slot)
            return fail(p, "it is given twice; the proof needs distinct values", value_of(p, e));
        *slot = e + 1;
    }
    return true;
}

static bool was_inserted(const struct proof *p, uint32_t entity)
{
    return entity < p->file->node_count || p->statuses[entity - p->file->node_count] == CLADE_OK;
}

/* Where each entity is in the raw list; who was inserted is there, and nobody else. */
static bool enter_places(struct proof *p, const uint32_t *raw, size_t raw_count)
{
    for (size_t i = 0; i < raw_count; i++) {
        const uint32_t slot = *find_slot(p, raw[i]);
        if (!slot || !was_inserted(p, slot - 1))
            return fail(p, "it is in the list, but was not inserted", raw[i]);
        if (p->place[slot - 1] != NONE)
            return fail(p, "it is in the list twice", raw[i]);
        p->place[slot - 1] = (uint32_t)i;
    }
    for (uint32_t e = 0; e < p->entities; e++)
        if (is_entity(p, e) && was_inserted(p, e) && p->place[e] == NONE)
            return fail(p, "it was inserted, but is not in the list", value_of(p, e));
    return true;
}

/* Who erased, who missed. */
static bool enter_outcomes(struct proof *p)
{
    for (uint32_t i = 0; i < p->file->op_count; i++) {
        const uint32_t value = p->file->targets[i], slot = *find_slot(p, value);
        if (p->statuses[i] == CLADE_E_NOT_FOUND) {
            if (slot) {
                p->next_missed[i] = p->missed[slot - 1];
                p->missed[slot - 1] = i;
            } else {
                p->order[p->ordered++] = i; /* nobody knows the value: at any time */
            }
            continue;
        }
        if (p->statuses[i] != CLADE_OK)
            return fail(p, "an operation was refused, which no order explains", value);
        if (!slot || !was_inserted(p, slot - 1))
            return fail(p, "an operation found it, but it was never there", value);
        if (p->file->ops[i] == CLADE_LIST_ERASE) {
            if (p->eraser[slot - 1] != NONE)
                return fail(p, "it was erased twice", value);
            p->eraser[slot - 1] = i;
        }
    }
    return true;
}

/* Inserts behind one value stand behind it in the reverse order of their doing: going through the
 * raw list from its front, each is put before those met already. */
static bool enter_siblings(struct proof *p, const uint32_t *raw, size_t raw_count)
{
    for (size_t i = 0; i < raw_count; i++) {
        const uint32_t e = *find_slot(p, raw[i]) - 1;
        if (e < p->file->node_count)
            continue;
        const uint32_t target = p->file->targets[e - p->file->node_count];
        const uint32_t parent = *find_slot(p, target) - 1;
        p->sibling[e] = p->first[parent];
        p->first[parent] = e;
    }
    return true;
}

/* Everything that concerns an entity that is in the list: the inserts behind it, its erasure,
 * those that missed it. The inserted entities are dealt with when their turn comes. */
static bool order_entity(struct proof *p, uint32_t entity)
{
    const size_t nodes = p->file->node_count;
    for (uint32_t e = p->first[entity]; e != NONE; e = p->sibling[e])
        p->order[p->ordered++] = (uint32_t)(e - nodes);
    if (p->eraser[entity] != NONE)
        p->order[p->ordered++] = p->eraser[entity];
    if (p->missed[entity] != NONE && p->eraser[entity] == NONE && entity < nodes)
        return fail(p, "an operation missed it, but it was there all the time",
                    value_of(p, entity));
    if (p->eraser[entity] != NONE || !was_inserted(p, entity))
        for (uint32_t i = p->missed[entity]; i != NONE; i = p->next_missed[i])
            p->order[p->ordered++] = i;
    return true;
}

static bool find_order(struct proof *p)
{
    /* Who missed what was inserted and never erased came before the insert. */
    for (uint32_t e = (uint32_t)p->file->node_count; e < p->entities; e++)
        if (is_entity(p, e) && was_inserted(p, e) && p->eraser[e] == NONE)
            for (uint32_t i = p->missed[e]; i != NONE; i = p->next_missed[i])
                p->order[p->ordered++] = i;
    for (uint32_t e = 0; e < p->file->node_count; e++)
        if (!order_entity(p, e))
            return false;
    for (uint32_t e = (uint32_t)p->file->node_count; e < p->entities; e++)
        if (is_entity(p, e) && !was_inserted(p, e) && !order_entity(p, e))
            return false;
    /* What was inserted is dealt with in the order of the inserts; the sequence grows meanwhile. */
    for (size_t k = 0; k < p->ordered; k++) {
        const uint32_t i = p->order[k];
        if (p->file->ops[i] == CLADE_LIST_INSERT_AFTER && p->statuses[i] == CLADE_OK &&
            !order_entity(p, (uint32_t)(p->file->node_count + i)))
            return false;
    }
    if (p->ordered == p->file->op_count)
        return true;
    snprintf(p->why, p->room, "%zu operations fit into no order", p->file->op_count - p->ordered);
    return false;
}

/* Do the sequence. A node's entity is its number here; an index by value makes it fast, and a
 * erased node stays linked, as in the raw list. */
static bool replay(struct proof *p, const uint32_t *raw, const uint8_t *erased, size_t raw_count)
{
    const size_t nodes = p->file->node_count;
    uint32_t *next = malloc((p->entities + 1) * sizeof *next);
    uint8_t *state = calloc(p->entities + 1, 1); /* 0 not there, 1 live, 2 erased */
    bool done = next && state;
    size_t count = 0;
    if (!done)
        snprintf(p->why, p->room, "memory is out");
    for (size_t e = 0; done && e < nodes; e++) {
        next[e] = e + 1 < nodes ? (uint32_t)e + 1 : NONE;
        state[e] = 1;
    }
    for (size_t k = 0; done && k < p->ordered; k++) {
        const uint32_t i = p->order[k], slot = *find_slot(p, p->file->targets[i]);
        const bool is_there = slot && state[slot - 1] == 1;
        if (is_there != (p->statuses[i] == CLADE_OK)) {
            done = fail(p, "an operation on it has an outcome that the order does not give",
                        p->file->targets[i]);
        } else if (is_there && p->file->ops[i] == CLADE_LIST_ERASE) {
            state[slot - 1] = 2;
        } else if (is_there) {
            next[nodes + i] = next[slot - 1];
            next[slot - 1] = (uint32_t)(nodes + i);
            state[nodes + i] = 1;
        }
    }
    for (uint32_t e = nodes ? 0 : NONE; done && e != NONE; e = next[e], count++)
        if (count >= raw_count || raw[count] != value_of(p, e) ||
            (erased[count] != 0) != (state[e] == 2))
            done = fail(p, "its place or its mark is not what the order gives", value_of(p, e));
    if (done && count != raw_count) {
        snprintf(p->why, p->room, "the list has %zu nodes, the order gives %zu", raw_count, count);
        done = false;
    }
    free(state);
    free(next);
    return done;
}

bool listfile_prove(const struct listfile *file, const int32_t *statuses, const uint32_t *raw,
                    const uint8_t *erased, size_t raw_count, char *why, size_t room)
{
    struct proof p = { .file = file,
                       .statuses = statuses,
                       .entities = file->node_count + file->op_count,
                       .why = why,
                       .room = room };
    const bool done = make_arrays(&p) && enter_values(&p) && enter_places(&p, raw, raw_count) &&
                      enter_outcomes(&p) && enter_siblings(&p, raw, raw_count) && find_order(&p) &&
                      replay(&p, raw, erased, raw_count);
    free(p.slots);
    free(p.place);
    free(p.eraser);
    free(p.first);
    free(p.sibling);
    free(p.missed);
    free(p.next_missed);
    free(p.order);
    return done;
}
