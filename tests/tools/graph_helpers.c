/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/graph_helpers.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lzma.h>
#include <zlib.h>

/* --- allocations ---------------------------------------------------------------------------- */

unsigned allocation_to_fail;
long live_allocations;

/* The linker's names for the functions that it wraps. */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void __real_free(void *pointer);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *pointer);

static int fails_now(void)
{
    return allocation_to_fail > 0 && --allocation_to_fail == 0;
}

static void *counted(void *pointer)
{
    live_allocations += pointer != NULL;
    return pointer;
}

void *__wrap_malloc(size_t bytes)
{
    return fails_now() ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails_now() ? NULL : counted(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *old, size_t bytes)
{
    void *grown = fails_now() ? NULL : __real_realloc(old, bytes);

    live_allocations += grown && !old;
    return grown;
}

void __wrap_free(void *pointer)
{
    live_allocations -= pointer != NULL;
    __real_free(pointer);
}

/* --- graphs --------------------------------------------------------------------------------- */

void append(struct text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    assert_true(length >= 0);
    if (text->length + (size_t)length >= text->room) {
        text->room = 2 * text->room + (size_t)length + 1;
        text->text = realloc(text->text, text->room);
        assert_non_null(text->text);
    }
    va_start(arguments, format);
    vsnprintf(text->text + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

char *graph_text(const struct graph *graph)
{
    struct text text = { 0 };

    append(&text, "%" PRIu64 ":", graph->nodes);
    for (uint64_t u = 0; u < graph->nodes; u++)
        for (uint64_t i = graph->first[u]; i < graph->first[u + 1]; i++)
            append(&text, " %" PRIu64 ">%" PRIu64 ":%" PRIu32, u + graph->first_id,
                   (uint64_t)graph->target[i] + graph->first_id, graph->weight[i]);
    return text.text;
}

void assert_same_graph(const struct graph *a, const struct graph *b)
{
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->arcs, b->arcs);
    assert_int_equal(a->first_id, b->first_id);
    assert_memory_equal(a->first, b->first, (a->nodes + 1) * sizeof *a->first);
    if (a->arcs > 0) {
        assert_memory_equal(a->target, b->target, a->arcs * sizeof *a->target);
        assert_memory_equal(a->weight, b->weight, a->arcs * sizeof *a->weight);
    }
}

void assert_reads(const char *name, const char *text, const char *expected)
{
    struct graph graph;
    struct file_error error = { "" };

    if (!graph_read_memory(&graph, name, text, strlen(text), &error))
        fail_msg("refused: %s", error.text);
    assert_true(graph_valid(&graph));
    char *shown = graph_text(&graph);
    assert_string_equal(shown, expected);
    free(shown);
    graph_free(&graph);
    assert_null(graph.first);
}

void assert_refused(const char *name, const void *data, size_t bytes, const char *expected)
{
    struct graph graph, before;
    struct file_error error = { "" };
    long live = live_allocations;

    memset(&before, 0x5a, sizeof before);
    graph = before;
    if (graph_read_memory(&graph, name, data, bytes, &error))
        fail_msg("accepted, but must be refused with: %s", expected);
    if (strncmp(error.text, expected, strlen(expected)) != 0)
        fail_msg("the message is\n  %s\nand must start with\n  %s", error.text, expected);
    assert_memory_equal(&graph, &before, sizeof graph);
    assert_int_equal(live_allocations, live);
}

/* --- files ---------------------------------------------------------------------------------- */

static char folder[64];

int folder_setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/clade-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int folder_teardown(void **state)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;

    (void)state;
    if (!entries)
        return -1;
    while ((entry = readdir(entries)))
        if (entry->d_name[0] != '.')
            remove(in_folder(entry->d_name));
    closedir(entries);
    return rmdir(folder);
}

const char *in_folder(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];

    assert_in_range(snprintf(path, sizeof paths[0], "%s/%s", folder, name), 1, sizeof paths[0] - 1);
    return path;
}

void write_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

unsigned char *pack_gzip(const void *data, size_t bytes, size_t *packed)
{
    z_stream z = { 0 };

    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, (uLong)bytes);
    unsigned char *out = malloc(room);
    assert_non_null(out);
    z.next_in = (unsigned char *)(uintptr_t)data;
    z.avail_in = (uInt)bytes;
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    *packed = room - z.avail_out;
    deflateEnd(&z);
    return out;
}

unsigned char *pack_xz(const void *data, size_t bytes, size_t *packed)
{
    size_t room = lzma_stream_buffer_bound(bytes);
    unsigned char *out = malloc(room);

    assert_non_null(out);
    *packed = 0;
    assert_int_equal(
        lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, data, bytes, out, packed, room),
        LZMA_OK);
    return out;
}
