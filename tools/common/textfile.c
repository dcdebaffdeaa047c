/* SPDX-License-Identifier: Apache-2.0 */
/* Reading text files: source, decoder, window of text, tokens. */
#include "common/textfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>
#include <zlib.h>

enum {
    INPUT_BYTES = 64 * 1024,
    TEXT_BYTES = 256 * 1024,
    TOKEN_BYTES = 256, /* a token up to this length lies in the window as a whole */
    NAME_BYTES = 200   /* of a longer path, messages show the end */
};

/* An xz header asks for its dictionary before it has shown any data. `xz -9` needs 65 MiB. */
#define XZ_MEMORY_MAX ((uint64_t)256 * 1024 * 1024)

enum coding { CODING_PLAIN, CODING_GZIP, CODING_XZ };

struct textfile {
    const unsigned char *at;  /* the next byte of text */
    const unsigned char *end; /* *end is a '\n' that belongs to no line: scans stop there */
    uint64_t line;
    bool ended;          /* nothing follows `end` */
    const char *failure; /* why the stream ended before its end, or NULL */
    char failure_text[160];

    const char *name;
    FILE *file;                  /* the source, or NULL: */
    const unsigned char *memory; /* bytes in memory */
    size_t memory_left;

    enum coding coding;
    z_stream gzip;
    lzma_stream xz;
    bool gzip_member_open;
    const unsigned char *input_at;
    size_t input_left;
    unsigned char input[INPUT_BYTES];
    unsigned char text[TEXT_BYTES + 1];
};

/* --- messages ------------------------------------------------------------------------------- */

/* What a file holds may be anything; a message is one line of readable text. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

static void format_error(struct file_error *error, const char *name, uint64_t line,
                         const char *format, va_list arguments)
{
    char place[NAME_BYTES + 32];
    char sentence[sizeof error->text - sizeof place - 2];
    size_t length = strlen(name);
    bool cut = length > NAME_BYTES;

    if (cut)
        name += length - NAME_BYTES;
    if (line > 0)
        snprintf(place, sizeof place, "%s%s:%" PRIu64, cut ? "..." : "", name, line);
    else
        snprintf(place, sizeof place, "%s%s", cut ? "..." : "", name);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    snprintf(error->text, sizeof error->text, "%s: %s", place, sentence);
    make_printable(error->text);
}

bool file_error_set(struct file_error *error, const char *name, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    format_error(error, name, 0, format, arguments);
    va_end(arguments);
    return false;
}

static TEXTFILE_PRINTF(4, 5) void error_at(struct file_error *error, const char *name,
                                           uint64_t line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    format_error(error, name, line, format, arguments);
    va_end(arguments);
}

bool textfile_fail(const struct textfile *file, struct file_error *error, const char *format, ...)
{
    /* Only on the last line: before it the text is what the file says, and the parser is right. */
    if (file->failure && !memchr(file->at, '\n', (size_t)(file->end - file->at))) {
        error_at(error, file->name, file->line, "%s", file->failure);
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    format_error(error, file->name, file->line, format, arguments);
    va_end(arguments);
    return false;
}

bool textfile_intact(const struct textfile *file)
{
    return !file->failure;
}

/* --- source and decoders -------------------------------------------------------------------- */

static void stream_fails(struct textfile *file, const char *what, const char *detail)
{
    if (file->failure)
        return;
    snprintf(file->failure_text, sizeof file->failure_text, "%s%s%s", what, *detail ? ": " : "",
             detail);
    file->failure = file->failure_text;
}

/* Fetch undecoded bytes when none are left. false: there are no more. */
static bool have_input(struct textfile *file)
{
    if (file->input_left > 0)
        return true;
    if (file->file) {
        errno = 0;
        file->input_left = fread(file->input, 1, sizeof file->input, file->file);
        if (ferror(file->file))
            stream_fails(file, "the file cannot be read", strerror(errno));
    } else {
        file->input_left =
            file->memory_left < sizeof file->input ? file->memory_left : sizeof file->input;
        if (file->input_left > 0) {
            memcpy(file->input, file->memory, file->input_left);
            file->memory += file->input_left;
            file->memory_left -= file->input_left;
        }
    }
    file->input_at = file->input;
    return file->input_left > 0;
}

static void take_input(struct textfile *file, size_t bytes)
{
    file->input_at += bytes;
    file->input_left -= bytes;
}

/* Each decoder produces up to `room` bytes and returns how many; 0 is the end, with `failure` set
 * when it came too early. */

static size_t decode_plain(struct textfile *file, unsigned char *out, size_t room)
{
    if (!have_input(file))
        return 0;
    size_t bytes = room < file->input_left ? room : file->input_left;
    memcpy(out, file->input_at, bytes);
    take_input(file, bytes);
    return bytes;
}

/* One step of inflate. false: the stream is damaged. A file may be several streams in a row, and
 * zero bytes may pad its end. */
static bool inflate_step(struct textfile *file)
{
    z_stream *z = &file->gzip;

    if (!file->gzip_member_open) {
        if (*file->input_at == 0) {
            take_input(file, 1);
            return true;
        }
        inflateReset(z);
        file->gzip_member_open = true;
    }
    z->next_in = (unsigned char *)(uintptr_t)file->input_at;
    z->avail_in = (uInt)file->input_left;
    int result = inflate(z, Z_NO_FLUSH);
    take_input(file, file->input_left - z->avail_in);
    if (result == Z_STREAM_END) {
        file->gzip_member_open = false;
    } else if (result == Z_MEM_ERROR) {
        stream_fails(file, "memory is out while the gzip stream is unpacked", "");
        return false;
    } else if (result != Z_OK) {
        stream_fails(file, "the gzip stream is damaged", z->msg ? z->msg : "no data follows");
        return false;
    }
    return true;
}

static size_t decode_gzip(struct textfile *file, unsigned char *out, size_t room)
{
    file->gzip.next_out = out;
    file->gzip.avail_out = (uInt)room;
    while (file->gzip.avail_out > 0) {
        if (!have_input(file)) {
            if (file->gzip_member_open)
                stream_fails(file, "the gzip stream ends early: the file is truncated", "");
            break;
        }
        if (!inflate_step(file))
            break;
    }
    return room - file->gzip.avail_out;
}

static void xz_fails(struct textfile *file, lzma_ret result)
{
    switch (result) {
    case LZMA_BUF_ERROR:
        stream_fails(file, "the xz stream ends early: the file is truncated", "");
        break;
    case LZMA_MEM_ERROR:
        stream_fails(file, "memory is out while the xz stream is unpacked", "");
        break;
    case LZMA_MEMLIMIT_ERROR:
        stream_fails(file, "the xz stream needs more than the 256 MiB that it may use", "");
        break;
    case LZMA_OPTIONS_ERROR:
        stream_fails(file, "the xz stream uses options that liblzma does not know", "");
        break;
    default:
        stream_fails(file, "the xz stream is damaged", "");
    }
}

static size_t decode_xz(struct textfile *file, unsigned char *out, size_t room)
{
    lzma_stream *xz = &file->xz;
    lzma_ret result = LZMA_OK;

    xz->next_out = out;
    xz->avail_out = room;
    while (xz->avail_out > 0 && result == LZMA_OK) {
        lzma_action action = have_input(file) ? LZMA_RUN : LZMA_FINISH;
        xz->next_in = file->input_at;
        xz->avail_in = file->input_left;
        result = lzma_code(xz, action);
        take_input(file, file->input_left - xz->avail_in);
    }
    if (result != LZMA_OK && result != LZMA_STREAM_END)
        xz_fails(file, result);
    return room - xz->avail_out;
}

static size_t decode(struct textfile *file, unsigned char *out, size_t room)
{
    switch (file->coding) {
    case CODING_GZIP:
        return decode_gzip(file, out, room);
    case CODING_XZ:
        return decode_xz(file, out, room);
    default:
        return decode_plain(file, out, room);
    }
}

/* --- opening and closing -------------------------------------------------------------------- */

static bool starts_with(const struct textfile *file, const char *magic, size_t bytes)
{
    return file->input_left >= bytes && memcmp(file->input_at, magic, bytes) == 0;
}

/* Choose the decoder by the first bytes. */
static bool open_decoder(struct textfile *file, struct file_error *error)
{
    const char *foreign = NULL;

    have_input(file);
    if (starts_with(file, "BZh", 3))
        foreign = "bzip2";
    else if (starts_with(file, "\x28\xb5\x2f\xfd", 4))
        foreign = "zstd";
    else if (starts_with(file, "PK\x03\x04", 4))
        foreign = "zip";
    if (foreign)
        return file_error_set(error, file->name,
                              "the file is packed with %s; plain, gzip and xz can be read",
                              foreign);

    if (starts_with(file, "\x1f\x8b", 2)) {
        /* 15 window bits, + 16: a gzip header and its checksum. */
        if (inflateInit2(&file->gzip, 15 + 16) != Z_OK)
            return file_error_set(error, file->name, "memory is out");
        file->coding = CODING_GZIP;
        file->gzip_member_open = true;
    } else if (starts_with(file, "\xfd\x37zXZ\0", 6)) {
        if (lzma_stream_decoder(&file->xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK)
            return file_error_set(error, file->name, "memory is out");
        file->coding = CODING_XZ;
    }
    return true;
}

/* Move the unread text to the front of the window and fill up the rest. */
static void refill(struct textfile *file)
{
    size_t kept = (size_t)(file->end - file->at);

    memmove(file->text, file->at, kept);
    while (kept < TEXT_BYTES && !file->ended) {
        size_t bytes = decode(file, file->text + kept, TEXT_BYTES - kept);
        kept += bytes;
        file->ended = bytes == 0 || file->failure;
    }
    file->text[kept] = '\n';
    file->at = file->text;
    file->end = file->text + kept;
}

/* A mark of UTF-8, which some editors put first, is no text. Nobody sees it in a message. */
static void pass_mark(struct textfile *file)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (file->end - file->at >= 3 && memcmp(file->at, mark, 3) == 0)
        file->at += 3;
}

static struct textfile *open_source(const char *name, FILE *source, const void *data, size_t bytes,
                                    struct file_error *error)
{
    struct textfile *file = malloc(sizeof *file);

    if (!file) {
        if (source)
            fclose(source);
        file_error_set(error, name, "memory is out");
        return NULL;
    }
    /* Not the buffers: they are large, and written before they are read. */
    memset(file, 0, offsetof(struct textfile, input));
    file->name = name;
    file->file = source;
    file->memory = data;
    file->memory_left = bytes;
    file->line = 1;
    file->at = file->end = file->text;
    if (!open_decoder(file, error)) {
        textfile_close(file);
        return NULL;
    }
    refill(file);
    pass_mark(file);
    if (file->failure && file->at == file->end) {
        file_error_set(error, name, "%s", file->failure);
        textfile_close(file);
        return NULL;
    }
    return file;
}

struct textfile *textfile_open(const char *path, struct file_error *error)
{
    FILE *source = fopen(path, "rb");

    if (!source) {
        file_error_set(error, path, "the file cannot be opened: %s", strerror(errno));
        return NULL;
    }
    return open_source(path, source, NULL, 0, error);
}

struct textfile *textfile_open_memory(const char *name, const void *data, size_t bytes,
                                      struct file_error *error)
{
    return open_source(name, NULL, data, bytes, error);
}

void textfile_close(struct textfile *file)
{
    if (!file)
        return;
    if (file->coding == CODING_GZIP)
        inflateEnd(&file->gzip);
    if (file->coding == CODING_XZ)
        lzma_end(&file->xz);
    if (file->file)
        fclose(file->file);
    free(file);
}

/* --- tokens --------------------------------------------------------------------------------- */

const char *textfile_name(const struct textfile *file)
{
    return file->name;
}

uint64_t textfile_line(const struct textfile *file)
{
    return file->line;
}

size_t textfile_lookahead(const struct textfile *file, const unsigned char **bytes)
{
    *bytes = file->at;
    return (size_t)(file->end - file->at);
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Pass blanks. Afterwards a token of up to TOKEN_BYTES lies in the window as a whole. */
static void to_token(struct textfile *file)
{
    do {
        if (file->end - file->at < TOKEN_BYTES && !file->ended)
            refill(file);
        while (is_blank(*file->at))
            file->at++;
    } while (file->end - file->at < TOKEN_BYTES && !file->ended);
}

int textfile_peek(struct textfile *file)
{
    to_token(file);
    return file->at == file->end ? TEXTFILE_END : *file->at;
}

bool textfile_next_line(struct textfile *file)
{
    const unsigned char *newline;

    while (!(newline = memchr(file->at, '\n', (size_t)(file->end - file->at)))) {
        file->at = file->end;
        if (file->ended)
            return false;
        refill(file);
    }
    file->at = newline + 1;
    if (file->at == file->end && !file->ended)
        refill(file);
    file->line++;
    return file->at != file->end;
}

enum textfile_token textfile_number(struct textfile *file, uint64_t *value)
{
    to_token(file);
    const unsigned char *at = file->at;
    if (*at == '\n') /* at the end of the file too */
        return TEXTFILE_NOTHING;

    bool negative = *at == '-', huge = false;
    const unsigned char *digits = at += negative;
    uint64_t sum = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        unsigned digit = *at - (unsigned)'0';
        if (sum > (UINT64_MAX - digit) / 10)
            huge = true;
        else
            sum = sum * 10 + digit;
    }
    if (at == file->end && !file->ended)
        huge = true; /* longer than any number; what follows is not in the window */
    if (at == digits || (*at != '\n' && !is_blank(*at)))
        return TEXTFILE_OTHER;
    if (negative)
        return TEXTFILE_NEGATIVE;
    if (huge)
        return TEXTFILE_HUGE;
    file->at = at;
    *value = sum;
    return TEXTFILE_NUMBER;
}

size_t textfile_word(struct textfile *file, char *word, size_t room)
{
    to_token(file);
    size_t length = 0, kept;
    while (length < TOKEN_BYTES - 1 && file->at[length] != '\n' && !is_blank(file->at[length]))
        length++;
    kept = length < room ? length : room - 1;
    memcpy(word, file->at, kept);
    for (size_t i = 0; i < kept; i++)
        if (word[i] == '\0') /* a NUL would end the word before what follows it */
            word[i] = '\x01';
    word[kept] = '\0';
    file->at += length;
    return length;
}
