/* SPDX-License-Identifier: Apache-2.0 */
/* A string that grows: text.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool reserve(struct cladei_text *text, size_t more)
{
    if (text->failed)
        return false;
    if (text->length + more < text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity <= text->length + more)
        capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void cladei_text_add(struct cladei_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length > 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void cladei_text_puts(struct cladei_text *text, const char *string)
{
    cladei_text_add(text, string, strlen(string));
}

static void add_formatted(struct cladei_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) {
        text->failed = true;
        return;
    }
    if (!reserve(text, (size_t)length))
        return;
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void cladei_text_printf(struct cladei_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_formatted(text, format, arguments);
    va_end(arguments);
}

void cladei_text_free(struct cladei_text *text)
{
    free(text->data);
    *text = (struct cladei_text) { 0 };
}

char *cladei_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
