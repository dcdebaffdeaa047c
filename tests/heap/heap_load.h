/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values that a heap under test was given, and what is expected of it. */
#pragma once

#include "harness/fixture.h"
#include "heap/model.h"

#include <clade/heap.h>

/* Each key has an id, which is its value too where the heap has values: so every pair that comes
 * out is known, and can be ticked off once. */
struct load {
    clade_heap *heap;
    clade_heap_params params;
    struct model_heap model;
    char *keys;     /* bits of the key of each id */
    uint8_t *state; /* of each id: 0 unused, 1 inside, 2 came out */
    size_t ids, room;
    struct random random;
    uint64_t distinct; /* keys are drawn from so many; 0: all bit patterns */
};

/* Parameters to test with: every key type, value size, order and engine, and the batch sizes 4, 7,
 * 64, 1024, each at least once; not all products of them: a kernel is compiled for each. */
enum { HEAP_SHAPES = 8 };
extern const clade_heap_params heap_shapes[HEAP_SHAPES];

/* The i-th element's bits, of an array of elements of a type; and the other way. */
uint64_t bits_at(const void *array, uint32_t type, size_t i);
void put_bits(void *array, uint32_t type, size_t i, uint64_t bits);
/* An array of n elements, NULL for CLADE_NONE; and the same as an argument. */
void *room_for(uint32_t type, size_t n);
clade_array maybe(const void *array);

/* A heap and room for so many ids. */
void load_open(struct load *load, struct fixture *f, clade_heap_params params, size_t room);
void load_close(struct load *load);
/* New keys, with ids as values; returns the first id. */
size_t load_draw(struct load *load, void *keys, void *values, size_t n);
/* These ids are inside from now on. */
void load_accept(struct load *load, size_t first, size_t n);
/* Host calls, each compared with the model. */
void load_insert(struct load *load, size_t n);
/* Keys with bits of a test's own: of key i of n, by a pattern that it knows. */
typedef uint64_t load_bits(struct load *load, int pattern, size_t i, size_t n);
void load_insert_pattern(struct load *load, load_bits *bits, int pattern, size_t n);
void load_pop(struct load *load, size_t n);
/* The heap's own check; its size and its first key against the model's. */
void load_expect_sound(struct load *load);
