/* SPDX-License-Identifier: Apache-2.0 */
/* `clade count`: reading files, and what a word or a sequence is. */
#include "apps/count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct reader {
    struct count_text *text;
    char *message;
    size_t room;
};

static bool refuse(const struct reader *r, const char *why)
{
    snprintf(r->message, r->room, "%s: %s", r->text->path, why);
    return false;
}

/* All bytes of an open file. Places have 32 bits, and some numbers above them are spared. */
static bool take_all(struct reader *r, gzFile file)
{
    const size_t most = UINT32_MAX - 65536, part = 1u << 24;
    struct count_text *t = r->text;
    size_t room = 0;
    for (int got = 1; got > 0; t->raw_bytes += (size_t)(got > 0 ? got : 0)) {
        if (t->raw_bytes > most)
            return refuse(r, "more than 4 GB are not counted");
        if (room - t->raw_bytes < part) {
            room = room * 2 > part ? room * 2 : part;
            char *grown = realloc(t->raw, room);
            if (!grown)
                return refuse(r, "memory for the text is not to be had");
            t->raw = grown;
        }
        got = gzread(file, t->raw + t->raw_bytes, (unsigned)part);
        if (got < 0)
            return refuse(r, "it cannot be read, or is damaged");
    }
    return true;
}

static bool read_file(struct reader *r)
{
    errno = 0;
    gzFile file = gzopen(r->text->path, "rb");
    if (!file)
        return refuse(r, errno ? strerror(errno) : "memory is out");
    const bool fine = take_all(r, file);
    const int code = gzclose(file); /* Z_BUF_ERROR: within compressed data */
    return fine && (code == Z_OK || refuse(r, "it ends in the middle"));
}

/* --- words ------------------------------------------------------------------------------------ */

/* Letters and digits, the letters small; bytes beyond ASCII as they are. 0: no part of a word. */
static uint8_t letter_of(uint8_t byte)
{
    if (byte >= 'A' && byte <= 'Z')
        return (uint8_t)(byte + 32);
    const bool is_word = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte > 127;
    return is_word ? byte : 0;
}

static bool prepare_words(struct reader *r)
{
    struct count_text *t = r->text;
    size_t length = 0, longest = 0;
    uint8_t letters[256];
    for (unsigned i = 0; i < 256; i++)
        letters[i] = letter_of((uint8_t)i);
    for (size_t i = 0; i < t->raw_bytes; i++) {
        t->bytes[i] = letters[(uint8_t)t->raw[i]];
        length = t->bytes[i] ? length + 1 : 0;
        longest = length > longest ? length : longest;
    }
    t->size = (uint32_t)t->raw_bytes;
    return longest <= COUNT_WORD_MOST ||
           refuse(r, "a word is longer than 4096 bytes: this is no text");
}

/* --- sequences -------------------------------------------------------------------------------- */

static uint8_t base_of(char letter)
{
    switch (letter) {
    case 'A':
    case 'a':
        return 0;
    case 'C':
    case 'c':
        return 1;
    case 'G':
    case 'g':
        return 2;
    case 'T':
    case 't':
        return 3;
    default:
        return 4;
    }
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

static void put_bases(struct count_text *t, const char *at, const char *end)
{
    if (at < end && end[-1] == '\r')
        end--;
    for (; at < end; at++)
        t->bytes[t->size++] = base_of(*at);
}

/* How many of the first bytes say nothing: a mark of UTF-8; and before sequences, whose first
 * character tells the format, lines that are blank or a comment. */
static size_t nothing_before(const struct count_text *t)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char *at = t->raw, *const end = t->raw + t->raw_bytes;
    if (t->raw_bytes >= 3 && memcmp(at, mark, 3) == 0)
        at += 3;
    while (t->k > 0 && at < end) {
        const char *letter = at, *const stop = line_end(at, end);
        while (letter < stop && strchr(" \t\r", *letter) && *letter)
            letter++;
        if (letter < stop && *letter != ';')
            break;
        at = stop < end ? stop + 1 : end;
    }
    return (size_t)(at - t->raw);
}

/* FASTA: lines of a sequence belong together, a line with `>` is between two. FASTQ: of four lines
 * the second one. Anything else: each line is a sequence. */
static bool prepare_bases(struct reader *r)
{
    struct count_text *t = r->text;
    const char *at = t->raw, *const end = t->raw + t->raw_bytes;
    const char kind = t->raw_bytes > 0 ? *at : 0;
    for (uint64_t line = 0; at < end; line++) {
        const char *const stop = line_end(at, end);
        const bool is_between = kind == '>' ? *at == '>' || *at == ';' : line % 4 != 1;
        if (kind == '@' || kind == '>' ? !is_between : true)
            put_bases(t, at, stop);
        if (kind == '>' ? is_between : true)
            t->bytes[t->size++] = 4;
        at = stop + 1;
    }
    return true;
}

bool count_text_read(struct count_text *text, char *message, size_t room)
{
    struct reader r = { text, message, room };
    if (!read_file(&r))
        return false;
    const size_t nothing = nothing_before(text);
    text->raw_bytes -= nothing;
    if (nothing > 0)
        memmove(text->raw, text->raw + nothing, text->raw_bytes);
    text->bytes = malloc(text->raw_bytes + 1); /* a line without its end is a sequence, too */
    if (!text->bytes)
        return refuse(&r, "memory for the text is not to be had");
    return text->k > 0 ? prepare_bases(&r) : prepare_words(&r);
}

void count_text_free(struct count_text *text)
{
    free(text->raw);
    free(text->bytes);
    text->raw = NULL;
    text->bytes = NULL;
}

/* A k-mer whose reverse complement comes before it is shown as that one. */
static bool is_turned(const struct count_text *text, const uint8_t *bases)
{
    const uint32_t k = text->k;
    for (uint32_t i = 0; text->is_canonical && i < k; i++) {
        const uint8_t other = (uint8_t)(3 - bases[k - 1 - i]);
        if (bases[i] != other)
            return other < bases[i];
    }
    return false;
}

static uint8_t base_at(const struct count_text *text, const uint8_t *bases, bool turned, uint32_t i)
{
    return turned ? (uint8_t)(3 - bases[text->k - 1 - i]) : bases[i];
}

static size_t kmer_at(const struct count_text *text, uint32_t place, char *token)
{
    const uint8_t *bases = text->bytes + place;
    const bool turned = is_turned(text, bases);
    for (uint32_t i = 0; i < text->k; i++)
        token[i] = "ACGT"[base_at(text, bases, turned, i)];
    token[text->k] = 0;
    return text->k;
}

static int compare_kmers(const struct count_text *text, const uint8_t *a, const uint8_t *b)
{
    const bool a_turned = is_turned(text, a), b_turned = is_turned(text, b);
    for (uint32_t i = 0; i < text->k; i++) {
        const int more = base_at(text, a, a_turned, i) - base_at(text, b, b_turned, i);
        if (more != 0)
            return more;
    }
    return 0;
}

int count_text_compare(const struct count_text *text, uint32_t a, uint32_t b)
{
    const uint8_t *x = text->bytes + a, *y = text->bytes + b;
    const uint8_t *const end = text->bytes + text->size;
    if (text->k > 0)
        return compare_kmers(text, x, y);
    while (x < end && y < end && *x && *x == *y) {
        x++;
        y++;
    }
    return (x < end ? *x : 0) - (y < end ? *y : 0);
}

size_t count_text_token(const struct count_text *text, uint32_t place, char *token)
{
    size_t length = 0;
    if (text->k > 0)
        return kmer_at(text, place, token);
    while (place + length < text->size && text->bytes[place + length] && length < COUNT_WORD_MOST) {
        token[length] = (char)text->bytes[place + length];
        length++;
    }
    token[length] = 0;
    return length;
}
