/* SPDX-License-Identifier: Apache-2.0 */
/* Text files read token by token: plain, gzip or xz, told apart by their first bytes.
 *
 * A parser walks a file line by line: textfile_peek(), textfile_number() and textfile_word() stay
 * on the current line, textfile_next_line() leaves it. Memory use does not depend on the length of
 * a line. A damaged or truncated stream looks like the end of the file; textfile_fail() then
 * reports the damage instead of what the parser made of it, and a parser that is content asks
 * textfile_intact() before it says so. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define TEXTFILE_PRINTF(string, first) __attribute__((__format__(__printf__, string, first)))
#else
#define TEXTFILE_PRINTF(string, first)
#endif

/* Why a file could not be read or written: "FILE:LINE: sentence", or "FILE: sentence" where no
 * line is at fault. */
struct file_error {
    char text[640];
};

struct textfile;

#define TEXTFILE_END (-1)

/* What textfile_number() found. */
enum textfile_token {
    TEXTFILE_NUMBER,   /* digits alone; taken */
    TEXTFILE_NEGATIVE, /* a minus sign and digits; not taken */
    TEXTFILE_HUGE,     /* digits, but 2^64 or more; not taken */
    TEXTFILE_OTHER,    /* something else; not taken */
    TEXTFILE_NOTHING   /* the end of the line or of the file */
};

/* Open a file. NULL on failure, with `error` set. The caller closes it. */
struct textfile *textfile_open(const char *path, struct file_error *error);

/* The same over bytes in memory, compressed or not. `name` is for messages; `data` must outlive
 * the textfile. */
struct textfile *textfile_open_memory(const char *name, const void *data, size_t bytes,
                                      struct file_error *error);

/* Close. NULL is fine. */
void textfile_close(struct textfile *file);

/* The path or name it was opened with; borrowed from the caller of open. */
const char *textfile_name(const struct textfile *file);

/* The current line, from 1. */
uint64_t textfile_line(const struct textfile *file);

/* The unread text that is decoded already. Right after opening: at least the first 512 bytes, or
 * all of a shorter file. */
size_t textfile_lookahead(const struct textfile *file, const unsigned char **bytes);

/* Pass blanks, then: the next byte of this line, '\n' at its end, TEXTFILE_END at the end of the
 * file. */
int textfile_peek(struct textfile *file);

/* Pass what is left of this line. false: there is no further line. */
bool textfile_next_line(struct textfile *file);

/* Take an unsigned decimal number that ends at a blank or at the end of the line. */
enum textfile_token textfile_number(struct textfile *file, uint64_t *value);

/* Take the text up to the next blank; `word` receives it, cut to `room` - 1 characters. Returns
 * its length before the cut, at most 255; 0 at the end of the line. */
size_t textfile_word(struct textfile *file, char *word, size_t room);

/* false: the stream was damaged, truncated or unreadable before its end. */
bool textfile_intact(const struct textfile *file);

/* Set `error` to the name, the line and the sentence; returns false, so that a parser can
 * `return textfile_fail(...)`. On the last line of a stream that failed, the stream's sentence
 * takes precedence. */
bool textfile_fail(const struct textfile *file, struct file_error *error, const char *format, ...)
    TEXTFILE_PRINTF(3, 4);

/* The same without a line, for what concerns the file as a whole; `name` is the file's. */
bool file_error_set(struct file_error *error, const char *name, const char *format, ...)
    TEXTFILE_PRINTF(3, 4);
