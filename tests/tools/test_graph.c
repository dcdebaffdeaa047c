/* SPDX-License-Identifier: Apache-2.0 */
/* Graph formats: what is written is read, and what is wrong is named with its line. */
#include "tools/graph_helpers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/coordinates.h"

struct accepted {
    const char *name; /* NULL: "graph" */
    const char *text;
    const char *graph;
};

struct refused {
    const char *name;
    const char *text;
    const char *message; /* how it starts */
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void accept_all(const struct accepted *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_reads(cases[i].name ? cases[i].name : "graph", cases[i].text, cases[i].graph);
}

static void refuse_all(const struct refused *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused(cases[i].name ? cases[i].name : "graph", cases[i].text,
                       strlen(cases[i].text), cases[i].message);
}

static void dimacs_is_read(void **state)
{
    static const struct accepted cases[] = {
        { NULL, "c road\np sp 3 3\na 1 2 5\na 3 1 0\na 2 3 4294967295\n",
          "3: 1>2:5 2>3:4294967295 3>1:0" },
        { NULL, "p sp 2 1\na 1 2 7", "2: 1>2:7" },               /* no newline at the end */
        { NULL, "p sp 2 1\r\na 1 2 7\r\n", "2: 1>2:7" },         /* other systems' newlines */
        { NULL, "\357\273\277p sp 2 1\na 1 2 7\n", "2: 1>2:7" }, /* a mark of UTF-8 */
        { NULL, "\n\n  c\n p\tsp 2  1 \n\n a  1\t2 7 \n\nc end\n", "2: 1>2:7" },
        { NULL, "p sp 1 0\n", "1:" }, /* a lone node */
        { NULL, "p sp 4 2\na 2 3 1\na 3 2 1\n", "4: 2>3:1 3>2:1" },
        { NULL, "p sp 2 3\na 1 2 9\na 1 1 3\na 1 2 4\n", "2: 1>2:9 1>1:3 1>2:4" }, /* kept */
        { "x.mtx", "p sp 2 1\na 1 2 007\n", "2: 1>2:7" }, /* the content decides */
        { NULL, "c----\ncomment\np sp 2 1\na 2 1 7\n", "2: 2>1:7" },
    };
    (void)state;
    accept_all(cases, COUNT(cases));
}

static void pace_is_read_with_both_directions(void **state)
{
    /* 1 + ((1 * 2654435761 + 2 * 40503) mod 2^32) mod 1000 = 768,
     * 1 + ((3 * 2654435761 + 1 * 40503) mod 2^32) mod 1000 = 491 */
    static const struct accepted cases[] = {
        { NULL, "c PACE\np tw 3 2\n1 2\n3 1\n", "3: 1>2:768 1>3:491 2>1:768 3>1:491" },
        { NULL, "p tw 2 0\n", "2:" },
        { "x.graph", "p tw 2 1\n2 2\n", "2: 2>2:233 2>2:233" },
    };
    (void)state;
    accept_all(cases, COUNT(cases));
}

static void metis_is_read_in_all_forms(void **state)
{
    static const struct accepted cases[] = {
        { NULL, "3 2\n2\n1 3\n2\n", "3: 1>2:1 2>1:1 2>3:1 3>2:1" },
        { NULL, "% c\n3 2 0\n2\n% c\n1 3\n2\n% c\n\n", "3: 1>2:1 2>1:1 2>3:1 3>2:1" },
        { NULL, "3 2 1\n2 5\n1 5 3 6\n2 6\n", "3: 1>2:5 2>1:5 2>3:6 3>2:6" },
        { NULL, "3 2 001\n2 5\n1 5 3 6\n2 6\n", "3: 1>2:5 2>1:5 2>3:6 3>2:6" },
        { NULL, "3 2 10\n9 2\n9 1 3\n9 2\n", "3: 1>2:1 2>1:1 2>3:1 3>2:1" },
        { NULL, "3 2 010 2\n9 8 2\n9 8 1 3\n9 8 2\n", "3: 1>2:1 2>1:1 2>3:1 3>2:1" },
        { NULL, "3 2 11\n9 2 5\n9 1 5 3 6\n9 2 6\n", "3: 1>2:5 2>1:5 2>3:6 3>2:6" },
        { NULL, "3 2 11 3\n9 8 7 2 5\n9 8 7 1 5 3 6\n9 8 7 2 6\n", "3: 1>2:5 2>1:5 2>3:6 3>2:6" },
        { NULL, "3 2 100\n4 2\n4 1 3\n4 2\n", "3: 1>2:1 2>1:1 2>3:1 3>2:1" },
        { NULL, "3 2 101\n4 2 5\n4 1 5 3 6\n4 2 6\n", "3: 1>2:5 2>1:5 2>3:6 3>2:6" },
        { NULL, "3 2 110\n4 9 2\n4 9 1 3\n4 9 2\n", "3: 1>2:1 2>1:1 2>3:1 3>2:1" },
        { NULL, "3 2 111 1\n4 9 2 5\n4 9 1 5 3 6\n4 9 2 6\n", "3: 1>2:5 2>1:5 2>3:6 3>2:6" },
        { NULL, "4 1\n\n3\n2\n\n", "4: 2>3:1 3>2:1" }, /* isolated nodes */
        { NULL, "4 1\n\n3\n2\n", "4: 2>3:1 3>2:1" },   /* the last line, no newline */
        { NULL, "3 0 0\n\n\n\n\n\n", "3:" },
        { NULL, "2 1 0 0\r\n2\r\n1\r\n", "2: 1>2:1 2>1:1" },
        { NULL, "\357\273\2772 1\n2\n1\n", "2: 1>2:1 2>1:1" },
        { NULL, "1 0", "1:" },
    };
    (void)state;
    accept_all(cases, COUNT(cases));
}

static void matrix_market_is_read(void **state)
{
    static const struct accepted cases[] = {
        { NULL, "%%MatrixMarket matrix coordinate pattern general\n% c\n\n3 3 2\n1 2\n3 1\n",
          "3: 1>2:1 3>1:1" },
        { NULL, "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 6\n2 1 0\n",
          "2: 1>2:6 2>1:0" },
        { NULL, "%%matrixmarket MATRIX Coordinate REAL Symmetric\n3 3 3\n2 1 6.0\n3 3 1e3\n3 1 7\n",
          "3: 1>2:6 1>3:7 2>1:6 3>3:1000 3>1:7" },
        { NULL, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 4.294967295E+9\n",
          "2: 1>2:4294967295" },
        { NULL, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -0.0\n", "2: 1>2:0" },
        { "x.gr", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
          "2: 1>2:1 2>1:1" },
    };
    (void)state;
    accept_all(cases, COUNT(cases));
}

static void bad_dimacs_is_refused_with_its_line(void **state)
{
    static const struct refused cases[] = {
        { "ny.gr", "p sp 3 2\na 1 2 5\na 3 9 1\n",
          "ny.gr:3: a node is out of range: 9; it must be 1 to 3" },
        { NULL, "p sp 3 2\na 0 2 5\n", "graph:2: a node is out of range: 0" },
        { NULL, "p sp 3 2\na -1 2 5\n", "graph:2: a node is negative: -1" },
        { NULL, "c\nc\np sp 3 2\na 1 2 -5\n", "graph:4: the weight is negative: -5" },
        { NULL, "p sp 3 2\na 1 2 4294967296\n",
          "graph:2: the weight is out of range: 4294967296; it must be 0 to 4294967295" },
        { NULL, "p sp 3 2\na 1 2 99999999999999999999999\n",
          "graph:2: the weight is out of range: 99999999999999999999999" },
        { NULL, "p sp 3 2\na 1 2 5.5\n", "graph:2: '5.5' is not a number: the weight" },
        { NULL, "p sp 3 2\na 1 2\n", "graph:2: the line ends where the weight should be" },
        { NULL, "p sp 3 2\na 1 2",
          "graph:2: the file ends where the weight should be: it is truncated" },
        { NULL, "p sp 3 2\na 1 2 3 4\n", "graph:2: '4' is one field too many" },
        { NULL, "p sp 3 2\na 1 2 5\n",
          "graph:3: the file ends after 1 of the 2 arcs that line 1 promises: it is truncated" },
        { NULL, "c\np sp 3 1\na 1 2 5\na 2 3 5\n",
          "graph:4: more than the 1 arcs that line 2 promises" },
        { NULL, "a 1 2 5\n", "graph:1: an arc or edge comes before the line" },
        { NULL, "c only\nc comments\n", "graph:3: there is no line 'p sp NODES ARCS'" },
        { NULL, "p sp 3 1\np sp 3 1\n", "graph:2: a second problem line; the first is line 1" },
        { NULL, "p max 3 1\n", "graph:1: the problem is 'max'; only 'sp'" },
        { NULL, "p sp 3\n", "graph:1: the line ends where the number of arcs should be" },
        { NULL, "p sp 3 2 1\n", "graph:1: '1' is one field too many" },
        { NULL, "p sp 0 0\n", "graph:1: the number of nodes is out of range: 0" },
        { NULL, "p sp 4294967295 0\n",
          "graph:1: the number of nodes is out of range: 4294967295; it must be 1 to 4294967294" },
        { NULL, "p sp 3 9999999999999999\n", "graph:1: the number of arcs is out of range" },
        { NULL, "p sp x 2\n", "graph:1: 'x' is not a number: the number of nodes" },
        { NULL, "p sp 3 1\nb 1 2 3\n", "graph:2: the line starts with 'b'" },
        { NULL, "p sp 3 1\n1 2\n",
          "graph:2: a line of numbers is out of place in the problem of line 1" },
        { NULL, "p tw 3 1\na 1 2 3\n",
          "graph:2: an arc 'a ...' is out of place in the problem of line 1" },
        { NULL, "p tw 3 1\n1 2 3\n", "graph:2: '3' is one field too many" },
        { NULL, "p tw 3 1\n1 4\n", "graph:2: a node is out of range: 4" },
        { NULL, "p tw 3 2\n1 2\n", "graph:3: the file ends after 1 of the 2 edges" },
        { NULL, "p tw 3 1\n1 2\n2 3\n", "graph:3: more than the 1 edges that line 1 promises" },
        { NULL, "p sp 2 1\na 1 2 \x01\n", "graph:2: '?' is not a number" },
    };
    (void)state;
    refuse_all(cases, COUNT(cases));
}

static void bad_metis_is_refused_with_its_line(void **state)
{
    static const struct refused cases[] = {
        { "a.graph", "3 2\n2\n1 4\n2\n",
          "a.graph:3: a node is out of range: 4; it must be 1 to 3" },
        { NULL, "3 2\n0\n", "graph:2: a node is out of range: 0" },
        { NULL, "3 2 1\n2 -1\n", "graph:2: the weight is negative: -1" },
        { NULL, "3 2 1\n2 4294967296\n", "graph:2: the weight is out of range: 4294967296" },
        { NULL, "3 2 1\n2\n", "graph:2: the line ends where the weight should be" },
        { NULL, "3 2 10\n\n", "graph:2: the line ends where the vertex weight should be" },
        { NULL, "3 2 100\n\n", "graph:2: the line ends where the vertex size should be" },
        { NULL, "3 2 10 2\n5\n", "graph:2: the line ends where the vertex weight should be" },
        { NULL, "2 1 10\n5 2\n",
          "graph:3: the file ends where the vertex weight should be: it is truncated" },
        { NULL, "3 2\n2\n",
          "graph:3: the file ends after the lines of 1 of the 3 nodes that line 1 promises: it is "
          "truncated" },
        { NULL, "% c\n3 2\n2\n1 3\n2\n\n3\n",
          "graph:7: text follows the lines of the 3 nodes that line 2 promises" },
        { NULL, "3 2\n2\n1\n\n",
          "graph:5: 2 neighbours are listed, not twice the 2 edges that line 1 promises" },
        { NULL, "3 1\n2\n1 3\n2\n",
          "graph:3: more neighbours than twice the 1 edges that line 1 promises" },
        { NULL, "3 2 12\n", "graph:1: the format code is '12'" },
        { NULL, "3 2 1111\n", "graph:1: the format code is '1111'" },
        { NULL, "3 2 1 2\n", "graph:1: 2 weights a vertex are named" },
        { NULL, "3 2 10 9999\n", "graph:1: the number of vertex weights is out of range" },
        { NULL, "3 2 10 1 1\n", "graph:1: '1' is one field too many" },
        { NULL, "0 0\n", "graph:1: the number of nodes is out of range: 0" },
        { NULL, "3\n", "graph:1: the line ends where the number of edges should be" },
        { NULL, "% c\n", "graph:2: there is no line 'NODES EDGES'" },
        { NULL, "3 x\n", "graph:1: 'x' is not a number: the number of edges" },
    };
    (void)state;
    refuse_all(cases, COUNT(cases));
}

#define MTX(rest) "%%MatrixMarket matrix coordinate " rest

static void bad_matrix_market_is_refused_with_its_line(void **state)
{
    static const struct refused cases[] = {
        { "a.mtx", "% c\n3 3 1\n1 2\n",
          "a.mtx:1: the first line is not a '%%MatrixMarket' banner" },
        { "a.mtx.gz", "3 3 1\n1 2\n",
          "a.mtx.gz:1: the first line is not a '%%MatrixMarket' banner" },
        { NULL, "%%MatrixMarket vector coordinate\n", "graph:1: the file holds a 'vector'" },
        { NULL, "%%MatrixMarket matrix array real general\n2 2\n",
          "graph:1: a dense matrix (array) is not a graph" },
        { NULL, "%%MatrixMarket matrix heap real general\n", "graph:1: the form is 'heap'" },
        { NULL, "%%MatrixMarket matrix coordinate", "graph:1: the entries are ''" },
        { NULL, MTX("complex general\n"), "graph:1: the entries are 'complex'" },
        { NULL, MTX("real skew-symmetric\n"), "graph:1: the symmetry is 'skew-symmetric'" },
        { NULL, MTX("real general x\n"), "graph:1: 'x' is one field too many" },
        { NULL, MTX("real general\n% c\n"), "graph:3: there is no line 'ROWS COLUMNS ENTRIES'" },
        { NULL, MTX("real general\n2 3 1\n"),
          "graph:2: a graph's matrix is square; this one has 2 rows and 3 columns" },
        { NULL, MTX("real general\n2 2 1\n1 2 0.5\n"),
          "graph:3: the weight is 0.5; weights must be whole numbers" },
        { NULL, MTX("real general\n2 2 1\n1 2 -1.0\n"), "graph:3: the weight is negative: -1.0" },
        { NULL, MTX("real general\n2 2 1\n1 2 5e9\n"), "graph:3: the weight is out of range: 5e9" },
        { NULL, MTX("real general\n2 2 1\n1 2 1e999\n"),
          "graph:3: the weight is out of range: 1e999" },
        { NULL, MTX("real general\n2 2 1\n1 2 nan\n"), "graph:3: 'nan' is not a number" },
        { NULL, MTX("real general\n2 2 1\n1 2 0x10\n"), "graph:3: '0x10' is not a number" },
        { NULL, MTX("real general\n2 2 1\n1 2 1e\n"), "graph:3: '1e' is not a number" },
        { NULL, MTX("real general\n2 2 1\n1 2\n"),
          "graph:3: the line ends where the weight should be" },
        { NULL, MTX("real general\n2 2 1\n1 2"),
          "graph:3: the file ends where the weight should be: it is truncated" },
        { NULL, MTX("integer general\n2 2 1\n1 2 1.0\n"), "graph:3: '1.0' is not a number" },
        { NULL, MTX("integer general\n2 2 1\n1 2 -1\n"), "graph:3: the weight is negative: -1" },
        { NULL, MTX("pattern general\n2 2 1\n1 2 1\n"), "graph:3: '1' is one field too many" },
        { NULL, MTX("pattern general\n2 2 1\n1 3\n"), "graph:3: a node is out of range: 3" },
        { NULL, MTX("pattern general\n2 2 2\n1 2\n"),
          "graph:4: the file ends after 1 of the 2 entries that line 2 promises" },
        { NULL, MTX("pattern general\n2 2 1\n1 2\n2 1\n"),
          "graph:4: more than the 1 entries that line 2 promises" },
    };
    (void)state;
    refuse_all(cases, COUNT(cases));
}

static void what_is_no_graph_is_refused(void **state)
{
    static const struct refused cases[] = {
        { "e.gr", "", "e.gr:1: the file is empty" },
        { NULL, "\n \n\t\n", "graph:4: the file is empty" },
        { NULL, "<html>\n",
          "graph:1: this is not a graph in DIMACS, PACE, METIS or MatrixMarket form: it starts "
          "with '<html>'" },
        { NULL, "BZh91AY", "graph: the file is packed with bzip2; plain, gzip and xz can be read" },
        { NULL, "PK\x03\x04", "graph: the file is packed with zip" },
        { NULL, "(\xb5/\xfd", "graph: the file is packed with zstd" },
        { NULL, "1 2\n1 3\n2 3\n", "graph:2: a node is out of range: 3; it must be 1 to 1" },
    };
    static unsigned char tar[1024] = "graph.gr";

    (void)state;
    refuse_all(cases, COUNT(cases));
    memcpy(tar + 257, "ustar", 5);
    assert_refused("g.tar", tar, sizeof tar, "g.tar: this is a tar archive");
    assert_refused("nul", "\0\0\0", 3, "nul:1: this is not a graph");
}

/* A header of thirty bytes must not be able to ask for gigabytes. */
static void claims_alone_take_no_memory(void **state)
{
    static const struct refused cases[] = {
        { NULL, "p sp 4000000000 4000000000\n",
          "graph:2: the file ends after 0 of the 4000000000 arcs" },
        { NULL, "p sp 4000000000 0\n",
          "graph: 4000000000 nodes with only 0 arcs between them are not plausible" },
        { NULL, "p sp 4000000000 1\na 1 4000000000 1\n",
          "graph: 4000000000 nodes with only 1 arcs" },
        { NULL, "4000000000 4000000000\n",
          "graph:2: the file ends after the lines of 0 of the 4000000000 nodes" },
        { NULL, "%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 0\n",
          "graph: 4000000000 nodes with only 0 arcs" },
    };
    (void)state;
    refuse_all(cases, COUNT(cases));
}

static void every_cut_of_a_file_is_noticed(void **state)
{
    static const char *const whole[] = {
        "c x\np sp 3 3\na 1 2 5\na 3 1 10\na 2 3 7",
        "p tw 3 2\n1 2\n3 1",
        "3 2 1\n2 5\n1 5 3 6\n2 6",
        MTX("integer symmetric\n3 3 2\n2 1 5\n3 1 7"),
        MTX("real general\n3 3 2\n2 1 5.0\n3 1 7"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(whole); i++) {
        struct graph graph;
        struct file_error error;
        size_t bytes = strlen(whole[i]);
        assert_true(graph_read_memory(&graph, "graph", whole[i], bytes, &error));
        graph_free(&graph);
        for (size_t cut = 0; cut < bytes; cut++)
            assert_refused("graph", whole[i], cut, "graph:");
    }
}

/* Tokens and blanks that cross the edge of the reader's window, and a line longer than it. */
static void long_lines_are_read(void **state)
{
    enum { NEIGHBOURS = 100000 };
    struct text text = { 0 };
    struct graph graph;
    struct file_error error;

    (void)state;
    for (int shift = 0; shift < 9; shift++) {
        text.length = 0;
        append(&text, "%d %d%*s\n%*s", NEIGHBOURS + 1, NEIGHBOURS, 3000, "", shift, "");
        for (int i = 0; i < NEIGHBOURS; i++)
            append(&text, "%d ", i + 2);
        for (int i = 0; i < NEIGHBOURS; i++)
            append(&text, "\n1");
        if (!graph_read_memory(&graph, "graph", text.text, text.length, &error))
            fail_msg("%s", error.text);
        assert_true(graph_valid(&graph));
        assert_int_equal(graph.first[1], NEIGHBOURS);
        for (uint32_t i = 0; i < NEIGHBOURS; i++)
            assert_int_equal(graph.target[i], i + 1);
        graph_free(&graph);
    }
    free(text.text);
}

/* A number after many blanks, cut by the window's edge at each of its digits. */
static void numbers_across_the_windows_edge_are_whole(void **state)
{
    enum { LINES = 1100, LINE = 265 };
    struct text text = { 0 };
    struct graph graph;
    struct file_error error;

    (void)state;
    for (int shift = 0; shift < LINE; shift++) {
        text.length = 0;
        append(&text, "c%*s\np sp 2 %d\n", shift, "", LINES);
        for (int i = 0; i < LINES; i++)
            append(&text, "a 1 2%*s%d\n", LINE - 15, "", 123456789);
        if (!graph_read_memory(&graph, "graph", text.text, text.length, &error))
            fail_msg("%s", error.text);
        for (int i = 0; i < LINES; i++)
            if (graph.weight[i] != 123456789)
                fail_msg("shift %d, arc %d: %u", shift, i, (unsigned)graph.weight[i]);
        graph_free(&graph);
    }
    free(text.text);
}

static void a_token_without_end_is_refused(void **state)
{
    enum { BYTES = 1 << 20 };
    char *text = malloc(BYTES);

    (void)state;
    assert_non_null(text);
    memset(text, '7', BYTES);
    assert_refused("graph", text, BYTES, "graph:1: the number of nodes is out of range: 7777");
    memset(text, 'x', BYTES);
    assert_refused("graph", text, BYTES, "graph:1: this is not a graph");
    memset(text, ' ', BYTES);
    assert_refused("graph", text, BYTES, "graph:1: the file is empty");
    memset(text, 'c', BYTES);
    assert_refused("graph", text, BYTES, "graph:1: there is no line");
    free(text);
}

/* Each allocation fails in turn: a sentence, nothing left over, the result untouched. */
static void memory_running_out_is_an_error(void **state)
{
    static const char *const texts[] = {
        "p sp 3 2\na 1 2 5\na 3 1 10\n",
        "p tw 3 1\n1 2\n",
        "3 1\n2\n1\n\n",
        MTX("integer symmetric\n3 3 1\n2 1 5\n"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        bool ok = false;
        unsigned nth = 0, refusals = 0;
        while (!ok && nth++ < 100) {
            struct graph graph, before;
            struct file_error error = { "" };
            long live = live_allocations;
            memset(&before, 0x5a, sizeof before);
            graph = before;
            allocation_to_fail = nth;
            ok = graph_read_memory(&graph, "graph", texts[i], strlen(texts[i]), &error);
            bool reached = allocation_to_fail == 0;
            allocation_to_fail = 0;
            if (ok) {
                /* Giving back surplus room may fail without harm. */
                assert_true(graph_valid(&graph));
                graph_free(&graph);
                ok = !reached;
            } else {
                refusals++;
                assert_non_null(strstr(error.text, "memory is out"));
                assert_memory_equal(&graph, &before, sizeof graph);
            }
            assert_int_equal(live_allocations, live);
        }
        assert_true(ok);
        assert_in_range(refusals, 4, 99);
    }
}

/* A word with a NUL in it is none that ends there. */
static void a_nul_ends_no_word(void **state)
{
    (void)state;
    static const char arc[] = "p sp 2 1\na\0b 1 2 3\n", kind[] = "p sp\0x 2 1\na 1 2 3\n";
    static const char banner[] = "%%MatrixMarket matrix\0x coordinate pattern general\n2 2 0\n";
    static const char place[] = "p aux sp co 1\nv 1 5\0x 6\n",
                      line[] = "p aux sp co 1\nv\0 1 5 6\n";
    struct coordinates where = { 0 };
    struct file_error error = { "" };
    assert_refused("x.gr", arc, sizeof arc - 1, "x.gr:2: the line starts with 'a?b'");
    assert_refused("x.gr", kind, sizeof kind - 1, "x.gr:1: the problem is 'sp?x'");
    assert_refused("x.mtx", banner, sizeof banner - 1, "x.mtx:1: the file holds a 'matrix?x'");
    assert_false(coordinates_read_memory(&where, "x.co", place, sizeof place - 1, 1, &error));
    assert_non_null(strstr(error.text, "a coordinate is '5?x'"));
    assert_false(coordinates_read_memory(&where, "x.co", line, sizeof line - 1, 1, &error));
    assert_non_null(strstr(error.text, "starts with 'v?'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nul_ends_no_word),
        cmocka_unit_test(dimacs_is_read),
        cmocka_unit_test(pace_is_read_with_both_directions),
        cmocka_unit_test(metis_is_read_in_all_forms),
        cmocka_unit_test(matrix_market_is_read),
        cmocka_unit_test(bad_dimacs_is_refused_with_its_line),
        cmocka_unit_test(bad_metis_is_refused_with_its_line),
        cmocka_unit_test(bad_matrix_market_is_refused_with_its_line),
        cmocka_unit_test(what_is_no_graph_is_refused),
        cmocka_unit_test(claims_alone_take_no_memory),
        cmocka_unit_test(every_cut_of_a_file_is_noticed),
        cmocka_unit_test(long_lines_are_read),
        cmocka_unit_test(numbers_across_the_windows_edge_are_whole),
        cmocka_unit_test(a_token_without_end_is_refused),
        cmocka_unit_test(memory_running_out_is_an_error),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
