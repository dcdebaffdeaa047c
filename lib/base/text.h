/* SPDX-License-Identifier: Apache-2.0 */
/* A string that grows. Running out of memory is remembered and asked for once, at the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cladei_text {
    char *data; /* NUL-terminated; NULL while empty */
    size_t length;
    size_t capacity;
    bool failed;
};

void cladei_text_add(struct cladei_text *text, const char *bytes, size_t length);
void cladei_text_puts(struct cladei_text *text, const char *string);
void cladei_text_printf(struct cladei_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cladei_text_free(struct cladei_text *text);

/* A copy, to be freed; NULL when memory is out. */
char *cladei_strdup(const char *text);
