/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: recognising a format, what parsers share, and sorting arcs into rows. */
#include "graph/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/parse.h"

/* Nodes that no arc names cost memory without having cost the file anything. So many are allowed,
 * and so many more for each arc. */
#define UNNAMED_NODES         ((uint64_t)1 << 22)
#define UNNAMED_NODES_PER_ARC 16

/* --- memory --------------------------------------------------------------------------------- */

bool graph_grow(void *array, uint64_t *room, uint64_t count, size_t width)
{
    void *old, *grown;
    uint64_t wanted = *room + *room / 2;

    if (count <= *room)
        return true;
    if (wanted < count)
        wanted = count;
    if (wanted < 1024)
        wanted = 1024;
    if (wanted > SIZE_MAX / width)
        return false;
    /* `array` is the address of a pointer to any type: copied, since void ** is not all of them. */
    memcpy(&old, array, sizeof old);
    grown = realloc(old, (size_t)wanted * width);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return true;
}

bool arc_list_add(struct arc_list *list, uint32_t from, uint32_t to, uint32_t weight)
{
    if (list->count == list->room) {
        /* The three arrays have one room: it is raised when all of them have grown. */
        uint64_t room[3] = { list->room, list->room, list->room };
        if (!graph_grow(&list->from, &room[0], list->count + 1, sizeof *list->from) ||
            !graph_grow(&list->to, &room[1], list->count + 1, sizeof *list->to) ||
            !graph_grow(&list->weight, &room[2], list->count + 1, sizeof *list->weight))
            return false;
        list->room = room[0];
    }
    list->from[list->count] = from;
    list->to[list->count] = to;
    list->weight[list->count] = weight;
    list->count++;
    return true;
}

void arc_list_free(struct arc_list *list)
{
    free(list->from);
    free(list->to);
    free(list->weight);
    memset(list, 0, sizeof *list);
}

void graph_free(struct graph *graph)
{
    if (!graph)
        return;
    free(graph->first);
    free(graph->target);
    free(graph->weight);
    memset(graph, 0, sizeof *graph);
}

/* An array of at least one element, so that NULL means failure. */
static void *allocate(uint64_t count, size_t width)
{
    if (count > SIZE_MAX / width)
        return NULL;
    return calloc(count > 0 ? (size_t)count : 1, width);
}

/* A counting sort by source. Filling each row from its end, with the arcs taken backwards, keeps
 * the order of the file and needs no second array of offsets. */
static void sort_arcs(struct graph *graph, const struct arc_list *arcs)
{
    uint64_t *first = graph->first;

    for (uint64_t i = 0; i < arcs->count; i++)
        first[arcs->from[i]]++;
    for (uint64_t u = 1; u <= graph->nodes; u++)
        first[u] += first[u - 1]; /* for now the end of row u */
    for (uint64_t i = arcs->count; i-- > 0;) {
        uint64_t place = --first[arcs->from[i]];
        graph->target[place] = arcs->to[i];
        graph->weight[place] = arcs->weight[i];
    }
}

bool graph_from_arcs(struct graph *out, uint64_t nodes, const struct arc_list *arcs,
                     const char *name, struct file_error *error)
{
    struct graph graph = { .nodes = nodes, .arcs = arcs->count, .first_id = 1 };

    if (nodes > UNNAMED_NODES + UNNAMED_NODES_PER_ARC * arcs->count)
        return file_error_set(error, name,
                              "%" PRIu64 " nodes with only %" PRIu64
                              " arcs between them are not plausible",
                              nodes, arcs->count);
    graph.first = allocate(nodes + 1, sizeof *graph.first);
    graph.target = allocate(arcs->count, sizeof *graph.target);
    graph.weight = allocate(arcs->count, sizeof *graph.weight);
    if (!graph.first || !graph.target || !graph.weight) {
        graph_free(&graph);
        return file_error_set(error, name,
                              "memory is out for %" PRIu64 " nodes and %" PRIu64 " arcs", nodes,
                              arcs->count);
    }
    sort_arcs(&graph, arcs);
    *out = graph;
    return true;
}

bool graph_valid(const struct graph *graph)
{
    if (graph->nodes < 1 || graph->nodes > GRAPH_NODES_MAX || !graph->first || !graph->target ||
        !graph->weight || graph->first[0] != 0 || graph->first[graph->nodes] != graph->arcs)
        return false;
    for (uint64_t u = 0; u < graph->nodes; u++)
        if (graph->first[u] > graph->first[u + 1])
            return false;
    for (uint64_t i = 0; i < graph->arcs; i++)
        if (graph->target[i] >= graph->nodes)
            return false;
    return true;
}

/* --- fields --------------------------------------------------------------------------------- */

static bool field_fails(struct textfile *file, const char *what, uint64_t low, uint64_t high,
                        enum textfile_token token, struct file_error *error)
{
    char word[48];

    if (token == TEXTFILE_NOTHING && textfile_peek(file) == TEXTFILE_END)
        return textfile_fail(file, error, "the file ends where %s should be: it is truncated",
                             what);
    if (token == TEXTFILE_NOTHING)
        return textfile_fail(file, error, "the line ends where %s should be", what);
    textfile_word(file, word, sizeof word);
    if (token == TEXTFILE_NEGATIVE)
        return textfile_fail(file, error, "%s is negative: %s", what, word);
    if (token == TEXTFILE_OTHER)
        return textfile_fail(file, error, "'%s' is not a number: %s should be there", word, what);
    return textfile_fail(file, error, "%s is out of range: %s; it must be %" PRIu64 " to %" PRIu64,
                         what, word, low, high);
}

bool graph_field(struct textfile *file, const char *what, uint64_t low, uint64_t high,
                 uint64_t *value, struct file_error *error)
{
    enum textfile_token token = textfile_number(file, value);

    if (token != TEXTFILE_NUMBER)
        return field_fails(file, what, low, high, token, error);
    if (*value < low || *value > high)
        return textfile_fail(file, error,
                             "%s is out of range: %" PRIu64 "; it must be %" PRIu64 " to %" PRIu64,
                             what, *value, low, high);
    return true;
}

bool graph_node(struct textfile *file, uint64_t nodes, uint32_t *index, struct file_error *error)
{
    uint64_t id;

    if (!graph_field(file, "a node", 1, nodes, &id, error))
        return false;
    *index = (uint32_t)(id - 1);
    return true;
}

bool graph_weight(struct textfile *file, uint32_t *weight, struct file_error *error)
{
    uint64_t value;

    if (!graph_field(file, "the weight", 0, GRAPH_WEIGHT_MAX, &value, error))
        return false;
    *weight = (uint32_t)value;
    return true;
}

bool graph_line_end(struct textfile *file, struct file_error *error)
{
    char word[48];
    int next = textfile_peek(file);

    if (next == '\n' || next == TEXTFILE_END)
        return true;
    textfile_word(file, word, sizeof word);
    return textfile_fail(file, error, "'%s' is one field too many on this line", word);
}

int graph_skip_comments(struct textfile *file, char comment)
{
    int next = textfile_peek(file);

    while (next == '\n' || next == comment) {
        textfile_next_line(file);
        next = textfile_peek(file);
    }
    return next;
}

/* --- reading -------------------------------------------------------------------------------- */

typedef bool (*graph_parser)(struct graph *, struct textfile *, struct file_error *);

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_text(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

/* Whether a name ends in `ending`, a compression's own ending left aside. */
static bool name_ends(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);

    if (length > 3 &&
        (same_text(name + length - 3, ".gz", 3) || same_text(name + length - 3, ".xz", 3)))
        length -= 3;
    return length >= tail && same_text(name + length - tail, ending, tail);
}

/* The parser for what the file starts with, or NULL with `error` set. Numbers and '%' may start a
 * METIS file or a MatrixMarket file without its banner: there the name decides. */
static graph_parser recognise(struct textfile *file, struct file_error *error)
{
    static const char banner[] = "%%MatrixMarket";
    const unsigned char *text;
    size_t bytes = textfile_lookahead(file, &text);

    if (bytes >= 262 && memcmp(text + 257, "ustar", 5) == 0) {
        file_error_set(error, textfile_name(file),
                       "this is a tar archive: unpack it and give the graph that it holds");
        return NULL;
    }
    if (bytes >= sizeof banner - 1 && same_text((const char *)text, banner, sizeof banner - 1))
        return graph_parse_mtx;

    int start = graph_skip_comments(file, '\n');
    if (start == TEXTFILE_END) {
        textfile_fail(file, error, "the file is empty");
        return NULL;
    }
    if (start == 'c' || start == 'p' || start == 'a')
        return graph_parse_dimacs;
    if (start == '%' || (start >= '0' && start <= '9'))
        return name_ends(textfile_name(file), ".mtx") ? graph_parse_mtx : graph_parse_metis;

    char word[48];
    textfile_word(file, word, sizeof word);
    textfile_fail(file, error,
                  "this is not a graph in DIMACS, PACE, METIS or MatrixMarket form: it starts "
                  "with '%s'",
                  word);
    return NULL;
}

/* Takes `file`. */
static bool read_and_close(struct graph *out, struct textfile *file, struct file_error *error)
{
    struct graph graph = { 0 };
    graph_parser parse = recognise(file, error);
    bool ok = parse && parse(&graph, file, error);

    if (ok && !textfile_intact(file)) {
        ok = textfile_fail(file, error, "the file is damaged");
        graph_free(&graph);
    }
    textfile_close(file);
    if (ok)
        *out = graph;
    return ok;
}

bool graph_read(struct graph *out, const char *path, struct file_error *error)
{
    struct textfile *file = textfile_open(path, error);

    return file && read_and_close(out, file, error);
}

bool graph_read_memory(struct graph *out, const char *name, const void *data, size_t bytes,
                       struct file_error *error)
{
    struct textfile *file = textfile_open_memory(name, data, bytes, error);

    return file && read_and_close(out, file, error);
}
