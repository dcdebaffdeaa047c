/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: compiles the kernels of the structures' calls before a program needs them, and puts
 * them where contexts find them. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "command/clade.h"

/* A first use of each structure, with the types that it has when nothing is said. The drivers that
 * compile a kernel for a launch see the launches of small calls. */
enum { KEYS = 3 };

static clade_status warm_heap(clade_context *context)
{
    const int keys[KEYS] = { 3, 1, 2 };
    int first[KEYS];
    uint64_t got;
    clade_heap *heap = NULL;
    clade_status status =
        clade_heap_create(&heap, context, &(clade_heap_params) { .capacity = 1000000 });
    if (status == CLADE_OK)
        status = clade_heap_insert(heap, clade_host(keys), clade_no_array(), KEYS, NULL);
    if (status == CLADE_OK)
        status =
            clade_heap_pop(heap, clade_host(first), clade_no_array(), KEYS, clade_host(&got), NULL);
    clade_heap_destroy(&heap);
    return status;
}

static clade_status warm_kma(clade_context *context)
{
    uint32_t refs[KEYS];
    clade_kma *kma = NULL;
    clade_status status = clade_kma_create(&kma, context, &(clade_kma_params) { .bytes = 1 << 20 });
    if (status == CLADE_OK)
        status = clade_kma_malloc(kma, clade_no_array(), 64, clade_host(refs), KEYS, NULL);
    if (status == CLADE_OK)
        status = clade_kma_free(kma, clade_host(refs), KEYS, NULL);
    clade_kma_destroy(&kma);
    return status;
}

static clade_status warm_list(clade_context *context)
{
    const uint32_t keys[KEYS] = { 3, 1, 2 };
    clade_list *list = NULL;
    clade_status status =
        clade_list_create(&list, context, &(clade_list_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_list_insert(list, clade_host(keys), clade_no_array(), KEYS, clade_no_array(),
                                   NULL);
    clade_list_destroy(&list);
    return status;
}

static clade_status warm_dlist(clade_context *context)
{
    const uint32_t values[KEYS] = { 3, 1, 2 };
    clade_dlist *list = NULL;
    clade_status status =
        clade_dlist_create(&list, context, &(clade_dlist_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_dlist_append(list, clade_host(values), clade_no_array(), KEYS,
                                    clade_no_array(), NULL);
    clade_dlist_destroy(&list);
    return status;
}

static clade_status warm_semilist(clade_context *context)
{
    const uint32_t keys[KEYS] = { 3, 1, 2 };
    clade_semilist *list = NULL;
    clade_status status =
        clade_semilist_create(&list, context, &(clade_semilist_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_semilist_append(list, clade_host(keys), clade_no_array(), clade_no_array(),
                                       KEYS, NULL);
    if (status == CLADE_OK)
        status = clade_semilist_check(list);
    clade_semilist_destroy(&list);
    return status;
}

static clade_status warm_queue(clade_context *context)
{
    uint32_t values[KEYS] = { 3, 1, 2 };
    uint64_t got;
    clade_queue *queue = NULL;
    clade_status status =
        clade_queue_create(&queue, context, &(clade_queue_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_queue_append(queue, clade_host(values), KEYS, clade_no_array(), NULL);
    if (status == CLADE_OK)
        status = clade_queue_pop(queue, clade_host(values), KEYS, clade_host(&got), NULL);
    clade_queue_destroy(&queue);
    return status;
}

static clade_status warm_arraylist(clade_context *context)
{
    uint32_t values[KEYS] = { 3, 1, 2 };
    const clade_arraylist_params params = { .capacity = 1000, .element_bytes = 4 };
    clade_arraylist *list = NULL;
    clade_status status = clade_arraylist_create(&list, context, &params);
    if (status == CLADE_OK)
        status = clade_arraylist_append(list, clade_host(values), KEYS, NULL);
    if (status == CLADE_OK)
        status = clade_arraylist_read(list, 0, clade_host(values), KEYS, NULL);
    clade_arraylist_destroy(&list);
    return status;
}

static clade_status use_hashmap(clade_context *context, uint32_t value)
{
    const uint32_t keys[KEYS] = { 3, 1, 2 };
    uint32_t values[KEYS] = { 1, 1, 1 };
    uint64_t got;
    const clade_array has_values = value != CLADE_NONE ? clade_host(values) : clade_no_array();
    clade_hashmap *map = NULL;
    clade_status status = clade_hashmap_create(
        &map, context, &(clade_hashmap_params) { .capacity = 1000, .value = value });
    if (status == CLADE_OK)
        status =
            clade_hashmap_insert(map, clade_host(keys), has_values, KEYS, clade_no_array(), NULL);
    if (status == CLADE_OK && value != CLADE_NONE)
        status = clade_hashmap_update(map, clade_host(keys), clade_host(values), CLADE_HASHMAP_PLUS,
                                      KEYS, clade_no_array(), NULL);
    if (status == CLADE_OK)
        status =
            clade_hashmap_find(map, clade_host(keys), has_values, KEYS, clade_no_array(), NULL);
    if (status == CLADE_OK)
        status = clade_hashmap_read(map, clade_no_array(), has_values, KEYS, &got, NULL);
    if (status == CLADE_OK)
        status = clade_hashmap_erase(map, clade_host(keys), clade_no_array(), KEYS,
                                     clade_no_array(), NULL);
    clade_hashmap_destroy(&map);
    return status;
}

/* A set, which it is when nothing is said; and what counts. */
static clade_status warm_hashmap(clade_context *context)
{
    const clade_status status = use_hashmap(context, CLADE_NONE);
    return status == CLADE_OK ? use_hashmap(context, CLADE_U32) : status;
}

static clade_status warm_rbtree(clade_context *context)
{
    const int keys[KEYS] = { 3, 1, 2 }, lows[1] = { 1 }, highs[1] = { 3 };
    int found[KEYS];
    uint32_t counts[1];
    clade_rbtree *tree = NULL;
    clade_status status =
        clade_rbtree_create(&tree, context, &(clade_rbtree_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), KEYS,
                                     clade_no_array(), NULL);
    if (status == CLADE_OK)
        status = clade_rbtree_find(tree, clade_host(keys), clade_no_array(), KEYS, clade_no_array(),
                                   NULL);
    if (status == CLADE_OK)
        status =
            clade_rbtree_range(tree, clade_host(lows), clade_host(highs), KEYS, clade_host(found),
                               clade_no_array(), clade_host(counts), 1, NULL);
    if (status == CLADE_OK)
        status = clade_rbtree_erase(tree, clade_host(keys), clade_no_array(), KEYS,
                                    clade_no_array(), NULL);
    clade_rbtree_destroy(&tree);
    return status;
}

static clade_status warm_adheap(clade_context *context)
{
    const int keys[KEYS] = { 3, 1, 2 };
    const clade_adheap_params params = { .heaps = 1, .capacity = 1000 };
    clade_adheap *heaps = NULL;
    clade_status status = clade_adheap_create(&heaps, context, &params);
    if (status == CLADE_OK)
        status = clade_adheap_insert(heaps, clade_host(keys), clade_no_array(), KEYS,
                                     clade_no_array(), NULL);
    clade_adheap_destroy(&heaps);
    return status;
}

static clade_status warm_kselect(clade_context *context)
{
    const int keys[KEYS] = { 3, 1, 2 };
    int least[KEYS];
    clade_kselect *select = NULL;
    clade_status status =
        clade_kselect_create(&select, context, &(clade_kselect_params) { .length = KEYS, .k = 2 });
    if (status == CLADE_OK)
        status = clade_kselect_run(select, clade_host(keys), clade_host(least), clade_no_array(), 1,
                                   NULL);
    clade_kselect_destroy(&select);
    return status;
}

static clade_status warm_paths(clade_context *context)
{
    const uint32_t offsets[KEYS + 1] = { 0, 1, 2, 2 }, targets[KEYS] = { 1, 2, 0 }, source = 0;
    uint32_t lengths[KEYS];
    clade_graph *graph = NULL;
    clade_paths *paths = NULL;
    clade_status status =
        clade_graph_create(&graph, context,
                           &(clade_graph_params) { .nodes = KEYS,
                                                   .arcs = KEYS - 1,
                                                   .offsets = clade_host(offsets),
                                                   .targets = clade_host(targets) });
    if (status == CLADE_OK)
        status = clade_paths_create(&paths, graph, &(clade_paths_params) { 0 });
    if (status == CLADE_OK)
        status = clade_paths_run(
            paths, &(clade_paths_query) { .sources = clade_host(&source), .source_count = 1 },
            NULL);
    if (status == CLADE_OK)
        status = clade_paths_read(paths, clade_host(lengths), clade_no_array(), NULL);
    clade_paths_destroy(&paths);
    clade_graph_destroy(&graph);
    return status;
}

static const struct part {
    const char *name;
    clade_status (*warm)(clade_context *context);
} parts[] = {
    { "heap", warm_heap },           { "kma", warm_kma },       { "list", warm_list },
    { "dlist", warm_dlist },         { "queue", warm_queue },   { "semilist", warm_semilist },
    { "arraylist", warm_arraylist }, { "rbtree", warm_rbtree }, { "adheap", warm_adheap },
    { "kselect", warm_kselect },     { "paths", warm_paths },   { "hashmap", warm_hashmap },
};
enum { PARTS = sizeof parts / sizeof parts[0] };

struct request {
    const char *device;   /* NULL: all there are */
    const char *out;      /* NULL: the cache's folder */
    bool is_named[PARTS]; /* none: all of them */
    bool names_some;
};

/* Without cache and archive: nothing is to come from an earlier warming. */
static clade_status open_context(clade_context **context, const char *device)
{
    return clade_context_create(
        context, &(clade_context_params) { .device = device, .cache_dir = "", .archive = "" });
}

/* What a structure needs that a device lacks is no failure of the others. */
static int warm_device(clade_archive *archive, const struct request *request, const char *device)
{
    clade_context *context = NULL;
    char name[128] = "";
    if (open_context(&context, device) != CLADE_OK) {
        printf("%s: %s\n", device, clade_error_last()->message);
        return 0;
    }
    clGetDeviceInfo(clade_context_cl_device(context), CL_DEVICE_NAME, sizeof name, name, NULL);
    printf("%s: %s\n", device, name);
    for (size_t i = 0; i < PARTS; i++) {
        if (request->names_some && !request->is_named[i])
            continue;
        const clade_status status = parts[i].warm(context);
        printf("  %-10s %s\n", parts[i].name,
               status == CLADE_OK ? "compiled" : clade_error_last()->message);
        fflush(stdout);
    }
    const bool fine = succeeded(clade_archive_add_context(archive, context));
    clade_context_destroy(&context);
    return fine;
}

/* How many devices were warmed. */
static int warm_all(clade_archive *archive, const struct request *request)
{
    clade_device_list list = { 0 };
    int warmed = 0;
    if (request->device)
        return warm_device(archive, request, request->device);
    if (!succeeded(clade_device_list_create(&list)))
        return 0;
    for (size_t i = 0; i < list.device_count; i++) {
        char pair[32];
        snprintf(pair, sizeof pair, "%u:%u", list.devices[i].platform_index,
                 list.devices[i].device_index);
        warmed += warm_device(archive, request, pair);
    }
    clade_device_list_free(&list);
    return warmed;
}

static int warm(const struct request *request)
{
    clade_archive *archive = NULL;
    if (!succeeded(clade_archive_create(&archive)))
        return EXIT_FAILED;
    const int warmed = warm_all(archive, request);
    if (warmed == 0)
        fprintf(stderr, "clade: no device was warmed, and nothing is written\n");
    const bool fine =
        warmed > 0 && succeeded(request->out ? clade_archive_write(archive, request->out)
                                             : clade_archive_keep(archive, NULL));
    clade_archive_destroy(&archive);
    return fine ? EXIT_DONE : EXIT_FAILED;
}

static bool name_part(struct request *request, const char *name)
{
    for (size_t i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, name) == 0)
            return request->names_some = request->is_named[i] = true;
    return false;
}

int command_warm(int argc, char **argv)
{
    static const struct option options[] = { { "device", required_argument, NULL, 'd' },
                                             { "out", required_argument, NULL, 'o' },
                                             { NULL, 0, NULL, 0 } };
    struct request request = { 0 };
    for (int c; (c = getopt_long(argc, argv, "d:o:", options, NULL)) != -1;) {
        if (c != 'd' && c != 'o')
            return report_usage("warm", "the arguments are not understood");
        *(c == 'd' ? &request.device : &request.out) = optarg;
    }
    for (; optind < argc; optind++)
        if (!name_part(&request, argv[optind]))
            return report_usage("warm", "there is no structure \"%s\"", argv[optind]);
    return warm(&request);
}
