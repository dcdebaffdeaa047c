/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/vectors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A file that is being read, and where failures go. */
struct reader {
    gzFile file;
    const char *path;
    char *message;
    size_t message_size;
};

static bool refuse(const struct reader *r, const char *why)
{
    snprintf(r->message, r->message_size, "%s: %s", r->path, why);
    return false;
}

/* Exactly `size` bytes; false at the end or after an error. gzread takes at most an int at once. */
static bool take(struct reader *r, void *to, size_t size)
{
    char *at = to;
    while (size > 0) {
        const unsigned now = size > 1u << 20 ? 1u << 20 : (unsigned)size;
        const int got = gzread(r->file, at, now);
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t little_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

/* `size` bytes to a new *out. Memory grows with what is there: what a head claims need not be. */
static bool take_new(struct reader *r, void **out, size_t size)
{
    size_t room = 0;
    while (room < size) {
        const size_t more = room == 0 ? (size_t)1 << 20 : room;
        const size_t next = more < size - room ? room + more : size;
        void *grown = realloc(*out, next);
        if (!grown)
            return refuse(r, "memory for its vectors is not to be had");
        *out = grown;
        if (!take(r, (char *)grown + room, next - room))
            return refuse(r, "it ends before its last vector");
        room = next;
    }
    return true;
}

/* Nothing may follow. */
static bool is_at_end(struct reader *r)
{
    char more;
    return gzread(r->file, &more, 1) == 0;
}

/* 00 00 08 and the number of dimensions, of which the first counts vectors; then bytes. */
static bool read_idx(struct reader *r, const uint8_t *magic, struct vectors *out)
{
    uint8_t words[4 * 8];
    uint64_t dimensions = 1;
    const unsigned sizes = magic[3];
    if (magic[2] != 8)
        return refuse(r, "its elements are no bytes");
    if (sizes < 2 || sizes > 8)
        return refuse(r, "it holds no vectors, but arrays of another number of dimensions");
    if (!take(r, words, 4 * sizes))
        return refuse(r, "it ends in its head");
    out->count = big_endian(words);
    for (unsigned i = 1; i < sizes && dimensions <= VECTORS_DIMENSIONS_MAX; i++)
        dimensions *= big_endian(words + 4 * i);
    if (dimensions < 1 || dimensions > VECTORS_DIMENSIONS_MAX)
        return refuse(r, "its vectors have no dimension, or more than 65535");
    if (out->count < 1 || out->count > INT32_MAX)
        return refuse(r, "it holds no vectors, or too many");
    out->dimensions = (uint32_t)dimensions;
    out->bytes = true;
    return take_new(r, &out->elements, out->count * (size_t)dimensions) &&
           (is_at_end(r) || refuse(r, "something follows its last vector"));
}

/* Room for one more vector: doubled when it is used up. */
static bool grow(struct vectors *v, uint64_t *room)
{
    if (v->count < *room)
        return true;
    const uint64_t more = *room ? 2 * *room : 1024;
    void *elements = more > SIZE_MAX / 4 / v->dimensions
                         ? NULL
                         : realloc(v->elements, (size_t)more * v->dimensions * 4);
    if (!elements)
        return false;
    v->elements = elements;
    *room = more;
    return true;
}

/* A vector's floats as the host has them. None is infinite or no number: distances would be no
 * numbers then, which have no order. */
static bool turn_floats(uint8_t *at, uint32_t dimensions)
{
    bool fine = true;
    for (uint32_t i = 0; i < dimensions; i++) {
        const uint32_t word = little_endian(at + 4 * i);
        fine = fine && (word & 0x7f800000) != 0x7f800000;
        memcpy(at + 4 * i, &word, 4);
    }
    return fine;
}

/* For each vector its number of dimensions, then floats; all little-endian. */
static bool read_fvecs(struct reader *r, const uint8_t *first, struct vectors *out)
{
    uint8_t head[4];
    uint64_t room = 0;
    memcpy(head, first, 4);
    out->dimensions = little_endian(head);
    if (out->dimensions < 1 || out->dimensions > VECTORS_DIMENSIONS_MAX)
        return refuse(r, "it is neither fvecs nor IDX");
    do {
        if (little_endian(head) != out->dimensions)
            return refuse(r, "its vectors differ in their number of dimensions");
        if (out->count == INT32_MAX || !grow(out, &room))
            return refuse(r, "memory for its vectors is not to be had");
        uint8_t *at = (uint8_t *)out->elements + (size_t)out->count * out->dimensions * 4;
        if (!take(r, at, (size_t)out->dimensions * 4))
            return refuse(r, "it ends in the middle of a vector");
        if (!turn_floats(at, out->dimensions))
            return refuse(r, "an element is infinite or no number");
        out->count++;
        const int got = gzread(r->file, head, 4);
        if (got == 0)
            return true;
        if (got != 4)
            return refuse(r, "it ends in the middle of a vector");
    } while (true);
}

bool vectors_read(struct vectors *out, const char *path, char *message, size_t message_size)
{
    struct reader r = { gzopen(path, "rb"), path, message, message_size };
    uint8_t magic[4];
    int code = Z_OK;
    *out = (struct vectors) { 0 };
    if (!r.file)
        return refuse(&r, errno ? strerror(errno) : "memory is out");
    bool fine = take(&r, magic, 4) || refuse(&r, "it is too short for a set of vectors");
    fine = fine &&
           (magic[0] == 0 && magic[1] == 0 ? read_idx(&r, magic, out) : read_fvecs(&r, magic, out));
    gzerror(r.file, &code);
    if (!fine && code < 0)
        refuse(&r, code == Z_ERRNO ? strerror(errno) : "it is cut off or damaged");
    /* A gzipped file that is cut off shows only at its end. */
    if (gzclose(r.file) != Z_OK && fine)
        fine = refuse(&r, "it is cut off");
    if (!fine)
        vectors_free(out);
    return fine;
}

void vectors_free(struct vectors *vectors)
{
    free(vectors->elements);
    *vectors = (struct vectors) { 0 };
}

static uint32_t byte_distance(const uint8_t *a, const uint8_t *b, uint32_t dimensions)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < dimensions; i++) {
        const int32_t difference = (int32_t)a[i] - (int32_t)b[i];
        sum += (uint32_t)(difference * difference);
    }
    return sum;
}

static uint32_t float_distance(const float *a, const float *b, uint32_t dimensions)
{
    float sum = 0;
    uint32_t bits;
    for (uint32_t i = 0; i < dimensions; i++) {
        const float difference = a[i] - b[i];
        const float square = difference * difference;
        sum = sum + square;
    }
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

uint32_t vectors_distance(const struct vectors *a, uint32_t i, const struct vectors *b, uint32_t j)
{
    const size_t d = a->dimensions;
    return a->bytes ? byte_distance((const uint8_t *)a->elements + i * d,
                                    (const uint8_t *)b->elements + j * d, a->dimensions)
                    : float_distance((const float *)a->elements + i * d,
                                     (const float *)b->elements + j * d, a->dimensions);
}
