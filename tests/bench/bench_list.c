/* SPDX-License-Identifier: Apache-2.0 */
/* Whole host calls on lists, arrays in device memory: host clock from the call to the end of its
 * work, then the same with clade_list_settle() behind it. Median and best of 5 on lists filled
 * anew, every outcome checked. Beside each: a sequential program on the host, same run.
 *   bench_list [--device D] [--walk] [--small] */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <clade/clade.h>

enum { REPEATS = 5 };

#define OK(call)                                                                \
    do {                                                                        \
        if ((call) != CLADE_OK) {                                               \
            fprintf(stderr, "%s: %s\n%s\n", #call, clade_error_last()->message, \
                    clade_error_last()->log);                                   \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static uint64_t random_state = 42;

static uint32_t random_below(uint32_t bound)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ (z >> 31)) >> 32) * bound >> 32);
}

static void *make(size_t count)
{
    void *words = calloc(count ? count : 1, sizeof(uint32_t));
    if (!words)
        exit(1);
    return words;
}

/* One workload. */
struct load {
    bool ordered;
    uint32_t nodes, count;
    uint32_t *initial, *ops, *keys, *targets;
    int32_t *statuses;
};

/* Ordered: half of twice as many keys are there; `contains` of 100 operations look, the others
 * insert and remove half and half. Unordered: as the files of the seed, targets and victims among
 * the initial values. */
static struct load make_load(bool ordered, uint32_t nodes, uint32_t count, uint32_t contains)
{
    struct load l = { ordered,     nodes,       count,       make(nodes),
                      make(count), make(count), make(count), make(count) };
    for (uint32_t i = 0; i < nodes; i++)
        l.initial[i] = ordered ? 2 * i : i + 1;
    for (uint32_t i = nodes; i-- > 1;) {
        uint32_t pick = random_below(i + 1), swap = l.initial[i];
        l.initial[i] = l.initial[pick];
        l.initial[pick] = swap;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool looks = random_below(100) < contains, inserts = random_below(2);
        l.ops[i] = looks      ? CLADE_LIST_CONTAINS
                   : !inserts ? CLADE_LIST_REMOVE
                   : ordered  ? CLADE_LIST_INSERT
                              : CLADE_LIST_INSERT_AFTER;
        l.targets[i] = random_below(nodes) + 1;
        l.keys[i] = ordered ? random_below(2 * nodes) : inserts ? nodes + i + 1 : l.targets[i];
    }
    return l;
}

static void free_load(struct load *l)
{
    free(l->initial);
    free(l->ops);
    free(l->keys);
    free(l->targets);
    free(l->statuses);
}

/* Every outcome of a key or value adds up with what is there at the end. */
static bool is_right(clade_list *list, const struct load *l)
{
    const size_t bound = 2 * (size_t)l->nodes + l->count + 2;
    int32_t *balance = make(bound);
    uint32_t *live = make(bound);
    uint64_t n;
    bool right = true;
    OK(clade_list_check(list));
    OK(clade_list_contents(list, live, NULL, NULL, bound, &n));
    for (uint32_t i = 0; i < l->nodes; i++)
        balance[l->initial[i]]++;
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->statuses[i] == CLADE_OK && l->ops[i] != CLADE_LIST_CONTAINS)
            balance[l->keys[i]] += l->ops[i] == CLADE_LIST_REMOVE ? -1 : 1;
        right &= l->statuses[i] == CLADE_OK || l->statuses[i] == CLADE_E_NOT_FOUND ||
                 l->statuses[i] == CLADE_LIST_EXISTS;
    }
    for (uint64_t i = 0; i < n; i++)
        right &= --balance[live[i]] == 0;
    for (size_t i = 0; i < bound; i++)
        right &= balance[i] == 0;
    free(live);
    free(balance);
    return right;
}

/* --- sequential programs -----------------------------------------------------------------------
 */

/* Unordered: walk to the value. Gives up beyond what one would wait for. */
static double sequential_walk_ms(const struct load *l)
{
    if ((double)l->nodes * l->count > 2e8)
        return -1;
    uint32_t *next = make(l->nodes + l->count + 1), *value = make(l->nodes + l->count + 1);
    uint32_t used = 0;
    for (uint32_t i = l->nodes; i-- > 0;) {
        value[++used] = l->initial[i];
        next[used] = next[0];
        next[0] = used;
    }
    const double start = now_ms();
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t before = 0, at = next[0];
        while (at && value[at] != l->targets[i]) {
            before = at;
            at = next[at];
        }
        if (at && l->ops[i] == CLADE_LIST_REMOVE) {
            next[before] = next[at];
        } else if (at) {
            value[++used] = l->keys[i];
            next[used] = next[at];
            next[at] = used;
        }
    }
    const double ms = now_ms() - start;
    free(value);
    free(next);
    return ms;
}

enum { LEVELS = 18 };

/* Ordered: a skip list, one in four nodes a level higher. */
struct skip {
    uint32_t key;
    uint32_t next[LEVELS];
};

static bool skip_apply(struct skip *s, uint32_t *used, uint32_t op, uint32_t key)
{
    uint32_t before[LEVELS], at = 0, height = 1;
    for (int level = LEVELS - 1; level >= 0; level--) {
        while (s[at].next[level] && s[s[at].next[level]].key < key)
            at = s[at].next[level];
        before[level] = at;
    }
    at = s[at].next[0];
    const bool was = at && s[at].key == key;
    if (op == CLADE_LIST_REMOVE && was)
        for (int level = 0; level < LEVELS && s[before[level]].next[level] == at; level++)
            s[before[level]].next[level] = s[at].next[level];
    if (op == CLADE_LIST_INSERT && !was) {
        at = ++*used;
        s[at].key = key;
        while (height < LEVELS && random_below(4) == 0)
            height++;
        for (uint32_t level = 0; level < height; level++) {
            s[at].next[level] = s[before[level]].next[level];
            s[before[level]].next[level] = at;
        }
    }
    return was;
}

static double sequential_skip_ms(const struct load *l)
{
    struct skip *s = calloc(l->nodes + l->count + 1, sizeof *s);
    uint32_t used = 0;
    uint64_t found = 0;
    if (!s)
        exit(1);
    for (uint32_t i = 0; i < l->nodes; i++)
        skip_apply(s, &used, CLADE_LIST_INSERT, l->initial[i]);
    const double start = now_ms();
    for (uint32_t i = 0; i < l->count; i++)
        found += skip_apply(s, &used, l->ops[i], l->keys[i]);
    const double ms = now_ms() - start;
    free(s);
    return found ? ms : ms + 0.0;
}

/* --- rows --------------------------------------------------------------------------------------
 */

static cl_mem device_copy(clade_context *context, const uint32_t *words, size_t count)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       count * 4, (void *)(size_t)words, &code);
    if (code != CL_SUCCESS)
        exit(1);
    return mem;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const struct load *l, uint32_t find, double *call, double *settled,
                      double *fill, uint64_t collisions, bool right)
{
    const double host = l->ordered ? sequential_skip_ms(l) : sequential_walk_ms(l);
    qsort(call, REPEATS, sizeof call[0], by_value);
    qsort(settled, REPEATS, sizeof settled[0], by_value);
    qsort(fill, REPEATS, sizeof fill[0], by_value);
    printf("%-9s %-7s %8u %8u | %9.3f %9.3f | %9.3f %9.3f | %9.3f | ",
           l->ordered ? "ordered" : "unordered", find ? "walk" : "indexed", l->nodes, l->count,
           call[REPEATS / 2], call[0], settled[REPEATS / 2], settled[0], fill[REPEATS / 2]);
    if (host < 0)
        printf("%9s", "-");
    else
        printf("%9.3f", host);
    printf(" | %8" PRIu64 " | %s\n", collisions, right ? "exact" : "WRONG");
    fflush(stdout);
}

static bool run_row(clade_context *context, struct load l, uint32_t find)
{
    clade_list *list;
    double call[REPEATS], settled[REPEATS], fill[REPEATS];
    bool right = true;
    cl_mem initial = device_copy(context, l.initial, l.nodes);
    cl_mem ops = device_copy(context, l.ops, l.count), keys = device_copy(context, l.keys, l.count);
    cl_mem targets = device_copy(context, l.targets, l.count);
    cl_mem statuses = device_copy(context, l.targets, l.count);
    OK(clade_list_create(&list, context,
                         &(clade_list_params) { .capacity = (uint64_t)l.nodes + l.count,
                                                .mode = !l.ordered,
                                                .find = find }));
    for (int r = 0; r < REPEATS; r++) {
        OK(clade_list_clear(list));
        OK(clade_finish(context));
        double start = now_ms();
        if (l.ordered)
            OK(clade_list_insert(list, clade_device(initial, 0), clade_no_array(), clade_no_array(),
                                 l.nodes, NULL));
        else
            OK(clade_list_push(list, clade_device(initial, 0), clade_no_array(), l.nodes, NULL));
        OK(clade_list_settle(list, NULL));
        OK(clade_finish(context));
        fill[r] = now_ms() - start;
        start = now_ms();
        OK(clade_list_apply(list, clade_device(ops, 0), clade_device(keys, 0),
                            l.ordered ? clade_no_array() : clade_device(targets, 0),
                            clade_device(statuses, 0), l.count, NULL));
        OK(clade_finish(context));
        call[r] = now_ms() - start;
        if (clEnqueueReadBuffer(clade_context_cl_queue(context), statuses, CL_TRUE, 0,
                                (size_t)l.count * 4, l.statuses, 0, NULL, NULL) != CL_SUCCESS)
            exit(1);
        right &= is_right(list, &l);
        start = now_ms();
        OK(clade_list_settle(list, NULL));
        OK(clade_finish(context));
        settled[r] = call[r] + now_ms() - start;
    }
    clade_list_stats stats;
    OK(clade_list_stats_read(list, &stats));
    print_row(&l, find, call, settled, fill, stats.insert_collisions + stats.remove_collisions,
              right);
    clade_list_destroy(&list);
    clReleaseMemObject(initial);
    clReleaseMemObject(ops);
    clReleaseMemObject(keys);
    clReleaseMemObject(targets);
    clReleaseMemObject(statuses);
    free_load(&l);
    return right;
}

int main(int argc, char **argv)
{
    static const uint32_t sizes[][2] = { { 10000, 1000 },     { 10000, 10000 },
                                         { 10000, 100000 },   { 50000, 100000 },
                                         { 100000, 1000000 }, { 1000000, 1000000 } };
    clade_context_params params = { 0 };
    clade_context *context;
    bool walk = false, small = false, right = true;
    for (int i = 1; i < argc; i++) {
        walk |= strcmp(argv[i], "--walk") == 0;
        small |= strcmp(argv[i], "--small") == 0;
        if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
            params.device = argv[++i];
    }
    OK(clade_context_create(&context, &params));
    printf("%-9s %-7s %8s %8s | %9s %9s | %9s %9s | %9s | %9s | %8s |\n", "list", "find", "nodes",
           "ops", "call ms", "best", "+settle", "best", "fill ms", "1 core", "failed");
    for (int ordered = 0; ordered < 2; ordered++)
        for (size_t i = 0; i < (small ? 4 : 6); i++)
            right &= run_row(
                context, make_load(ordered, sizes[i][0], sizes[i][1], ordered && i == 4 ? 50 : 0),
                CLADE_LIST_INDEXED);
    for (int ordered = 0; walk && ordered < 2; ordered++)
        for (size_t i = 0; i < (small ? 2 : 4); i++)
            right &=
                run_row(context, make_load(ordered, sizes[i][0], sizes[i][1], 0), CLADE_LIST_WALK);
    clade_context_destroy(&context);
    return right ? 0 : 1;
}
