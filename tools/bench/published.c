/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench`: published figures beside what this run measured. Those of other programs were
 * measured on an H200 (driver 580.159, CUDA 13.0), device work only, median of 3 or more, but for
 * those that name another machine. docs/figures/performance.md has what else is to be said of them.
 */
#include <string.h>

#include "bench/internal.h"

/* A figure, and the cells that measure the same: the row of `table` whose text is `text` (NULL:
 * any) and whose column `by` is `value`; two columns are added up. */
struct figure {
    const char *suite, *structure, *what, *whose;
    double published;
    const char *unit; /* "ms", less is better; "M/s", more is */
    const char *table, *text, *by;
    uint64_t value;
    const char *columns[2];
    uint64_t keys; /* and whose column "keys" is this; 0: any */
};

#define M64 (1u << 26)
#define HEAP(what, whose, ms, text, column) \
    FIGURE("heap", what, whose, ms, "ms", "sizes", text, "keys", M64, column, NULL, 0)
#define HEAP_GROUPS(groups, ms)                                                                 \
    FIGURE("heap", "8M random, insert and pop, " #groups " groups", "BGPQ, top-down", ms, "ms", \
           "groups", NULL, "groups", groups, "front", NULL, 1u << 23)
#define HEAP_PAIRS(what, before)                                                                  \
    FIGURE("heap", what, "BGPQ, top-down", 51, "M/s", "kernels", "each does both", "keys before", \
           before, "front, M/s", NULL, 0)
#define KMA(load, size, blocks, ms)                                                             \
    FIGURE("kma", load " blocks of " blocks ", allocated and freed", "best of five allocators", \
           ms, "ms", "blocks", load " blocks", "bytes", size, "alloc", "free", 0)
#define LIST(operations, written, ms)                                                            \
    FIGURE("list", written " operations on 10,000 nodes", "xDarkLemon (some results wrong)", ms, \
           "ms", "operations", NULL, "operations", operations, "clade", NULL, 0)
#define TREE(operation, rate)                                                               \
    FIGURE("rbtree", operation ", 2^24 keys", "MVGpuBTree, 16M", rate, "M/s", "operations", \
           operation, "keys", 1u << 24, "M/s", NULL, 0)
#define TOPK(length, written, any, sorted)                                                       \
    FIGURE_OF("adheap", "kselect", "2^28 keys, the first tenth of each row of " written,         \
              "torch.topk, unsorted", any, "ms", "ways", NULL, "l", length, "select", NULL,      \
              1u << 28),                                                                         \
        FIGURE_OF("adheap", "kselect",                                                           \
                  "2^28 keys, the first tenth of each row of " written ", sorted",               \
                  "torch.topk, sorted", sorted, "ms", "ways", NULL, "l", length, "sorted", NULL, \
                  1u << 28)
#define MULDER(what, whose, ms, column) \
    FIGURE("semilist", what, whose, ms, "ms", "nodes", NULL, "nodes", 2304, column, NULL, 0)
#define NEW_YORK(whose, ms)                                                                       \
    FIGURE("paths", "USA-road-d.NY from node 1", whose, ms, "ms", "files", "USA-road-d.NY.gr.gz", \
           "nodes", 264346, "paths search", NULL, 0)
#define FLORIDA(whose, ms)                                                                       \
    FIGURE("paths", "FLA.pace from node 1", whose, ms, "ms", "files", "FLA.pace.gr.xz", "nodes", \
           1070376, "paths search", NULL, 0)
#define FIGURE(suite, what, whose, value, unit, table, text, by, at, one, other, keys) \
    FIGURE_OF(suite, suite, what, whose, value, unit, table, text, by, at, one, other, keys)
#define FIGURE_OF(suite, structure, what, whose, value, unit, table, text, by, at, one, other, \
                  keys)                                                                        \
    {                                                                                          \
        suite, structure, what, whose, value, unit, table, text, by, at, { one, other }, keys  \
    }

static const struct figure figures[] = {
    HEAP("64M random, insert", "BGPQ, top-down", 377, "random", "front insert"),
    HEAP("64M random, insert", "cub radix sort", 1.37, "random", "front insert"),
    HEAP("64M random, pop", "BGPQ, top-down", 748, "random", "front pop"),
    HEAP("64M ascending, insert", "BGPQ, top-down", 222, "ascending", "front insert"),
    HEAP("64M ascending, pop", "BGPQ, top-down", 672, "ascending", "front pop"),
    HEAP("64M descending, insert", "BGPQ, top-down", 250, "descending", "front insert"),
    HEAP("64M descending, pop", "BGPQ, top-down", 677, "descending", "front pop"),
    FIGURE("heap", "512M random, insert and pop", "BGPQ, top-down", 9006, "ms", "sizes", "random",
           "keys", 1u << 29, "front insert", "front pop", 0),
    FIGURE("heap", "512M random, insert and pop", "cub radix sort", 10.3, "ms", "sizes", "random",
           "keys", 1u << 29, "front insert", "front pop", 0),
    FIGURE("heap", "64M random with values, insert and pop", "cub radix sort of pairs", 2.08, "ms",
           "types", "32 bits, values of 32", "keys", M64, "front insert", "front pop", 0),
    HEAP_GROUPS(4, 284),
    HEAP_GROUPS(16, 142),
    HEAP_GROUPS(32, 146),
    HEAP_GROUPS(128, 139),
    HEAP_PAIRS("pairs, empty start", 0),
    HEAP_PAIRS("pairs on a heap of 64M (BGPQ: 8M)", M64),
    HEAP("64M random, insert, top-down", "BGPQ", 377, "random", "top-down insert"),
    HEAP("64M random, pop, top-down", "BGPQ", 748, "random", "top-down pop"),
    HEAP("64M random, insert, bottom-up", "BGPQ", 376, "random", "bottom-up insert"),
    HEAP("64M random, pop, bottom-up", "BGPQ", 767, "random", "bottom-up pop"),
    KMA("100,000", 16, "16 B", 0.020),
    KMA("100,000", 64, "64 B", 0.059),
    KMA("100,000", 256, "256 B", 0.103),
    KMA("100,000", 1024, "1 KiB", 0.104),
    KMA("100,000", 8192, "8 KiB", 0.101),
    KMA("100,000", 0, "4 to 1,024 B", 0.120),
    KMA("1,000,000", 16, "16 B", 0.139),
    KMA("1,000,000", 64, "64 B", 0.263),
    KMA("1,000,000", 256, "256 B", 0.892),
    KMA("1,000,000", 1024, "1 KiB", 1.00),
    KMA("1,000,000", 8192, "8 KiB", 1.01),
    KMA("1,000,000", 0, "4 to 1,024 B", 1.06),
    LIST(1000, "1,000", 11.3),
    LIST(10000, "10,000", 20.5),
    LIST(100000, "100,000", 73.4),
    TREE("insert, from empty", 578),
    TREE("find", 1974),
    TREE("range of 8", 1712),
    TREE("range of 32", 1335),
    TREE("half insert, half find", 1248),
    TREE("half erase, half find", 1248),
    TREE("erase half", 1266),
    TOPK(2048, "2,048", 5.26, 7.95),
    TOPK(8192, "8,192", 3.40, 4.23),
    TOPK(32768, "32,768", 3.12, 3.93),
    TOPK(131072, "131,072", 3.09, 5.47),
    TOPK(524288, "524,288", 3.08, 5.48),
    TOPK(2097152, "2,097,152", 3.09, 6.31),
    MULDER("2,304 nodes appended", "Mulder 2015, his GPU", 2060, "append, host call"),
    NEW_YORK("ADDS (CUDA)", 9.41),
    NEW_YORK("GAPBS, 16 cores", 4.45),
    NEW_YORK("MLMQ, its authors' A100", 6.5),
    NEW_YORK("LonestarGPU near-far, V100", 18.5),
    FLORIDA("ADDS (CUDA)", 14.4),
    FLORIDA("GAPBS, 16 cores", 12.2),
    MULDER("2,304 nodes appended, in C", "Mulder 2015, his CPU", 21, "append, C"),
};

static const json_t *find_table(const json_t *tables, const char *name)
{
    size_t i;
    json_t *table;
    json_array_foreach(tables, i,
                       table) if (strcmp(json_string_value(json_object_get(table, "name")), name) ==
                                  0) return json_object_get(table, "rows");
    return NULL;
}

static bool is_row(json_t *row, const struct figure *figure)
{
    json_t *cell;
    const char *column;
    bool has_text = !figure->text;
    json_object_foreach(row, column, cell)
    {
        const char *text = json_string_value(cell);
        has_text = has_text || (text && strcmp(text, figure->text) == 0);
    }
    return has_text &&
           (uint64_t)json_integer_value(json_object_get(row, figure->by)) == figure->value &&
           (figure->keys == 0 ||
            (uint64_t)json_integer_value(json_object_get(row, "keys")) == figure->keys) &&
           json_is_integer(json_object_get(row, figure->by));
}

/* What this run has for a figure; 0: nothing. */
static double measured(const json_t *tables, const struct figure *figure)
{
    size_t i;
    json_t *row;
    const json_t *rows = find_table(tables, figure->table);
    json_array_foreach(rows, i, row)
    {
        double sum = 0;
        if (!is_row(row, figure))
            continue;
        for (size_t c = 0; c < 2 && figure->columns[c]; c++) {
            const json_t *cell = json_object_get(row, figure->columns[c]);
            const json_t *median = json_object_get(cell, "median_ms");
            const double value = json_number_value(median ? median : cell);
            if (value <= 0)
                return 0;
            sum += value;
        }
        return sum;
    }
    return 0;
}

static bool has_column(const json_t *rows, const char *column)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (json_object_get(row, column))
            return true;
    }
    return false;
}

const char *bench_published_lacks(const json_t *tables, const char *suite)
{
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const struct figure *it = &figures[i];
        const json_t *rows = strcmp(it->suite, suite) == 0 ? find_table(tables, it->table) : NULL;
        for (size_t c = 0; c < 2 && it->columns[c] && json_array_size(rows) > 0; c++)
            if (!has_column(rows, it->columns[c]))
                return it->columns[c];
    }
    return NULL;
}

void bench_published(struct bench *bench, const char *suite)
{
    bool has_table = false;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const struct figure *it = &figures[i];
        const double here = strcmp(it->suite, suite) == 0 ? measured(bench->tables, it) : 0;
        if (here <= 0)
            continue;
        if (!has_table)
            bench_table(bench, "published",
                        "published figures, on an H200 where no other machine is named, and here");
        has_table = true;
        bench_text(bench, "structure", it->structure);
        bench_text(bench, "workload", it->what);
        bench_text(bench, "whose", it->whose);
        bench_text(bench, "unit", it->unit);
        bench_value(bench, "published", it->published);
        bench_value(bench, "here", here);
        bench_value(bench, "times faster here",
                    *it->unit == 'm' ? it->published / here : here / it->published);
        bench->row_has_times = true;
        bench_row_end(bench);
    }
}
