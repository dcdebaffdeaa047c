/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `clade count` share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNT_WORD_MOST = 4096, COUNT_K_MOST = 32 };

/* A file, and what of it is counted: words in small letters with 0 between them, or (k > 0) bases 0
 * to 3 with 4 between sequences. */
struct count_text {
    const char *path;
    uint32_t k; /* 0: words */
    bool is_canonical;
    char *raw; /* as it was read */
    size_t raw_bytes;
    uint8_t *bytes;
    uint32_t size;
};

/* Read a file, plain or .gz, and prepare it. False: `message` says why. */
bool count_text_read(struct count_text *text, char *message, size_t room);
void count_text_free(struct count_text *text);
/* The token at a place, as people read it: `room` bytes are COUNT_WORD_MOST + 1. Its length. */
size_t count_text_token(const struct count_text *text, uint32_t place, char *token);

/* The order of two tokens in the alphabet: below 0, 0, above 0. */
int count_text_compare(const struct count_text *text, uint32_t a, uint32_t b);

/* A token: where somebody met it first, and how often it comes. */
struct count_entry {
    uint32_t place, count;
};

struct count_result {
    struct count_entry *entries; /* in no order */
    uint64_t distinct, tokens;
    double ms; /* from the prepared text in host memory to the entries there */
    char device[128];
};

/* Count on a device. False: told on the standard error. */
bool count_on_device(const struct count_text *text, const char *device,
                     struct count_result *result);

/* The first `most` entries by count, the most frequent first; by text where counts are equal. They
 * come to the front of the array. Returns how many there are. */
uint64_t count_sort(const struct count_text *text, struct count_result *result, uint64_t most);
