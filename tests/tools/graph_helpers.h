/* SPDX-License-Identifier: Apache-2.0 */
/* What the graph tests share: graphs as text, a folder for files, failing allocations. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "graph/graph.h"

/* Text that grows as it is written; zeroed is empty. The caller frees `text`. */
struct text {
    char *text;
    size_t length;
    size_t room;
};

/* Append to the text, as printf() does. */
void append(struct text *text, const char *format, ...) TEXTFILE_PRINTF(2, 3);

/* A graph as "NODES: FROM>TO:WEIGHT ...", in row order, with the ids of the file. The caller frees
 * it with free(). */
char *graph_text(const struct graph *graph);

/* Fail the test unless both graphs are the same in every array. */
void assert_same_graph(const struct graph *a, const struct graph *b);

/* Read `text` under `name`; it must be the graph that `expected` shows. */
void assert_reads(const char *name, const char *text, const char *expected);

/* Read `text` under `name`; it must be refused with a message that starts with `expected`, and
 * leave the result as it was. */
void assert_refused(const char *name, const void *data, size_t bytes, const char *expected);

/* A fresh folder for a group of tests, removed with the files in it. */
int folder_setup(void **state);
int folder_teardown(void **state);

/* The path of a file in that folder; valid until the next call but three. */
const char *in_folder(const char *name);

void write_file(const char *path, const void *data, size_t bytes);

/* `data` packed; the caller frees the result with free(). */
unsigned char *pack_gzip(const void *data, size_t bytes, size_t *packed);
unsigned char *pack_xz(const void *data, size_t bytes, size_t *packed);

/* Allocations by the code under test, through --wrap of the linker: the `n`-th from now fails once
 * (0: none), and those not yet freed are counted. */
extern unsigned allocation_to_fail;
extern long live_allocations;
