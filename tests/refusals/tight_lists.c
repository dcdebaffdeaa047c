/* SPDX-License-Identifier: Apache-2.0 */
/* Lists whose cells, places or blocks run out within a launch: of what all threads want 0 to 3 are
 * too many, and exactly so many are refused. Each node that was taken is in the list, once. */
#include "host/device.h"

#include "refusals/tight.h"

static uint take_node(void *kma);
static void give_node(void *kma, uint ref);
#define CLADE_SEMILIST_MALLOC(kma)    take_node(kma)
#define CLADE_SEMILIST_FREE(kma, ref) give_node((kma), (ref))

#include "clade/dlist.clh"
#include "clade/semilist.clh"

#define CLADE_LIST tight
#include "clade/list.clh"
#undef min
#undef max

enum { THREADS = 5, EACH = 9, ALL = THREADS * EACH, SLOTS = 128 };
enum kind { ORDERED, UNORDERED, DOUBLY, SEMI, KINDS };

struct list_memory {
    clade_list_head head;
    uint cells[ALL * 2], free[ALL], index[SLOTS];
};

struct dlist_memory {
    clade_dlist_head head;
    uint cells[ALL * CLADE_DLIST_CELL], free[ALL];
};

/* Refs count 16 bytes from the allocator's head on. */
struct semi_memory {
    union {
        clade_kma_head head;
        char room[(sizeof(clade_kma_head) + 15) / 16 * 16];
    } kma;
    clade_semilist_node nodes[ALL];
    clade_atomic_u32 is_taken[ALL];
    uint blocks; /* that there are */
    clade_semilist_head list;
    clade_atomic_u32 places[ALL];
};

struct job {
    struct list_memory list;
    struct dlist_memory dlist;
    struct semi_memory semi;
    clade_atomic_u32 met[ALL], refused, others;
    uint kind, seed;
};

static uint take_node(void *kma)
{
    struct semi_memory *m = kma;
    for (uint i = 0; i < m->blocks; i++)
        if (clade_exchange_acq_rel(&m->is_taken[i], 1u) == 0u) {
            tight_pause();
            return (uint)(offsetof(struct semi_memory, nodes) / 16) + i + 1u;
        }
    return CLADE_NIL;
}

static void give_node(void *kma, uint ref)
{
    struct semi_memory *m = kma;
    if (ref != CLADE_NIL)
        clade_exchange_acq_rel(
            &m->is_taken[ref - 1u - (uint)(offsetof(struct semi_memory, nodes) / 16)], 0u);
}

static void make_lists(struct job *job, uint capacity)
{
    struct list_memory *l = &job->list;
    struct dlist_memory *d = &job->dlist;
    struct semi_memory *s = &job->semi;
    l->head.object.shape = CLADE_LIST_SHAPE(job->kind == UNORDERED, 1, 0, 0);
    d->head.object.shape = CLADE_DLIST_SHAPE;
    s->list.object.shape = CLADE_SEMILIST_SHAPE;
    s->kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
    l->head.nodes_at = offsetof(struct list_memory, cells) / 4;
    l->head.free_at = offsetof(struct list_memory, free) / 4;
    l->head.index_at = l->head.hints_at = offsetof(struct list_memory, index) / 4;
    l->head.index_size = job->kind == UNORDERED ? SLOTS : 0;
    d->head.nodes_at = offsetof(struct dlist_memory, cells) / 4;
    d->head.free_at = offsetof(struct dlist_memory, free) / 4;
    s->list.places_at =
        (offsetof(struct semi_memory, places) - offsetof(struct semi_memory, list)) / 4;
    l->head.capacity = d->head.capacity = s->list.capacity = capacity;
    l->head.free_count = d->head.free_count = capacity;
    for (uint i = 0; i < capacity; i++) {
        l->cells[i * 2] = CLADE_LIST_CELL_FREE;
        d->cells[i * CLADE_DLIST_CELL] = CLADE_DLIST_CELL_FREE;
        l->free[i] = d->free[i] = i + 1;
    }
}

static clade_i32 add(struct job *job, uint key)
{
    clade_ref node;
    switch (job->kind) {
    case ORDERED:
        return tight_insert_wi(&job->list.head, key, 0);
    case UNORDERED:
        return tight_insert_front_wi(&job->list.head, key);
    case DOUBLY:
        return key % 2u ? clade_dlist_insert_after_wi(&job->dlist.head, CLADE_NIL, key, &node)
                        : clade_dlist_insert_before_wi(&job->dlist.head, CLADE_NIL, key, &node);
    default:
        return clade_semilist_append_wi(&job->semi.list, &job->semi.kma.head, key, key, &node);
    }
}

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    tight_begin(job->seed);
    for (uint i = 0; i < EACH; i++) {
        const clade_i32 status = add(job, (uint)get_global_id(0) * EACH + i);
        if (status != CLADE_OK)
            clade_add_relaxed(status == CLADE_E_FULL ? &job->refused : &job->others, 1u);
    }
}

/* Along the links, or 0 when they do not end. */
static uint walk(struct job *job)
{
    uint count = 0;
    clade_ref node = CLADE_NIL;
    for (uint hops = 0; hops <= ALL; hops++, count++) {
        ulong key = 0;
        if (job->kind == DOUBLY) {
            clade_dlist_next_wi(&job->dlist.head, node, &node);
            if (node != CLADE_NIL)
                clade_dlist_get_wi(&job->dlist.head, node, &key);
        } else if (job->kind == SEMI) {
            node = clade_semilist_next_wi(&job->semi.list, &job->semi.kma.head, node);
            if (node != CLADE_NIL)
                key = clade_semilist_key_wi(&job->semi.kma.head, node);
        } else {
            node = *tight_link(&job->list.head, node) >> CLADE_LIST_REF_SHIFT;
            if (node != CLADE_NIL)
                key = tight_key(&job->list.head, node);
        }
        if (node == CLADE_NIL)
            return count;
        job->met[key % ALL]++;
    }
    return 0;
}

static const char *round_of_kind(uint kind, uint seed, uint short_of)
{
    static struct job job;
    uint blocks = ALL, capacity = ALL - short_of;
    job = (struct job) { .kind = kind, .seed = seed };
    if (kind == SEMI && seed % 2u) /* blocks run out before places */
        blocks = capacity, capacity = ALL;
    job.semi.blocks = blocks;
    make_lists(&job, capacity);
    shim_launch(run_item, &job, THREADS, 1, 0);
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    if (job.others != 0)
        return "a status that there is no reason for";
    if (job.refused != short_of)
        return "another number was refused than did not fit";
    if (walk(&job) != ALL - short_of)
        return "a node was lost";
    for (uint i = 0; i < ALL; i++)
        if (job.met[i] > 1)
            return "a node is there twice";
    if (short_of > 0 && add(&job, ALL) != CLADE_E_FULL)
        return "one node too many fits";
    return NULL;
}

static const char *round_of(uint seed, uint beyond)
{
    const char *wrong = NULL;
    for (uint kind = 0; kind < KINDS && !wrong; kind++) {
        wrong = round_of_kind(kind, seed, beyond);
        if (wrong)
            printf("kind %u\n", kind);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    return tight_main(argc, argv, 100, "lists", round_of);
}
