/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the tools that claim more than they hold, or hold what nobody sees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/fixture.h"
#include "graph/graph.h"
#include "graph/gridmap.h"
#include "harness/scratch.h"
#include "apps/vectors.h"

/* From now on no more than so many bytes are to be had. */
static struct rlimit limit_memory(rlim_t bytes)
{
    struct rlimit before, less;
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%llu", &pages), 1);
    fclose(file);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    less = before;
#if !defined(__SANITIZE_ADDRESS__) /* which maps terabytes for itself */
    less.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
#endif
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    return before;
}

/* 2^31 - 1 vectors of 4 bytes in a file of 12 bytes: 8 GiB are not to be asked for. */
static void a_head_claims_no_memory(void **state)
{
    static const unsigned char head[] = { 0, 0, 8, 2, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 4 };
    char *folder = scratch_make(), *path = scratch_file(folder, "claim", head, sizeof head);
    char message[200] = "";
    struct vectors vectors;
    (void)state;
    const struct rlimit before = limit_memory((rlim_t)2 << 30);
    assert_false(vectors_read(&vectors, path, message, sizeof message));
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_non_null(strstr(message, "it ends before its last vector"));
    free(path);
    scratch_remove(folder);
}

/* The most that each reader lets a head claim, with next to nothing behind it. */
static void a_line_claims_no_memory(void **state)
{
    static const struct {
        const char *name, *text, *said;
    } files[] = {
        { "a.gr", "p sp 4294967294 1\na 1 2 3\n", "not plausible" },
        { "b.gr", "p tw 4294967294 549755813888\n1 2\n", "it is truncated" },
        { "c.graph", "4294967294 549755813888 111 1024\n\n", "the line ends where" },
        { "d.graph", "4294967294 549755813888\n2\n1\n", "it is truncated" },
        { "e.mtx",
          "%%MatrixMarket matrix coordinate pattern general\n4294967294 4294967294 1\n1 2\n",
          "not plausible" },
    };
    (void)state;
    const struct rlimit before = limit_memory((rlim_t)128 << 20);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct graph graph;
        struct file_error error = { "" };
        const char *text = files[i].text;
        assert_false(graph_read_memory(&graph, files[i].name, text, strlen(text), &error));
        if (!strstr(error.text, files[i].said))
            fail_msg("%s", error.text);
    }
    struct gridmap map;
    struct file_error error;
    char text[100];
    const int bytes = snprintf(text, sizeof text, "type octile\nheight 1\nwidth %llu\nmap\n...\n",
                               (unsigned long long)GRIDMAP_CELLS_MAX);
    assert_false(gridmap_read_memory(&map, "map", text, (size_t)bytes, &error));
    assert_non_null(strstr(error.text, "the row has not"));
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

static void a_nul_is_no_cell(void **state)
{
    static const char text[] = "type octile\nheight 2\nwidth 3\nmap\n.\0.\n...\n";
    struct gridmap map;
    struct file_error error;
    (void)state;
    assert_false(gridmap_read_memory(&map, "map", text, sizeof text - 1, &error));
    assert_non_null(strstr(error.text, "map:5: a cell is"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_claims_no_memory),
        cmocka_unit_test(a_line_claims_no_memory),
        cmocka_unit_test(a_nul_is_no_cell),
    };
    return cmocka_run_group_tests_name("tool_files", tests, NULL, NULL);
}
