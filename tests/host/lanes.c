/* SPDX-License-Identifier: Apache-2.0 */
/* lanes/lanes.h: a launch as coroutines, and who may go on. */
#if defined(__SANITIZE_THREAD__)
#define _GNU_SOURCE
#include <link.h>
#endif
#include "host/device.h"

void threads_barrier(void);
void threads_launch(void (*kernel)(void *argument, void *local), void *argument, size_t groups,
                    size_t group_size, size_t local_bytes);
#define shim_barrier threads_barrier
#define shim_launch  threads_launch
#include "host/device.c"
#undef shim_barrier
#undef shim_launch

#include <string.h>
#include <unistd.h>

#include "host/lanes/lanes.h"
#include "host/lanes/stacks.h"

/* What this file does is no work-item's: ThreadSanitizer must not take it for theirs, nor a loop of
 * it for a call that is. */
#if defined(__SANITIZE_THREAD__)
#define OWN __attribute__((no_sanitize("thread")))
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#else
#define OWN
#endif
enum { STACK = 1 << 18, AT_ONCE = 256, TURNS = 4 /* groups, where launches order nothing */ };

enum state { READY, TELLS, ASKS, AT_BARRIER, DONE };

struct item {
    struct place place;
    struct shim_item self;
    enum state state;
    size_t first[2], lane[2]; /* its sub-groups' first item, its lane; [1]: of peers */
    int peers;                /* which of them it tells */
    uint32_t set, site;
    uint64_t value, told[32];
    void *local;
    uint barriers, sg_barriers; /* passed, of its group and of its sub-group */
    char words[2], sg_words[2]; /* what those order: of the group's or sub-group's first item */
    char peers_word;            /* likewise, for sets that meet */
#if defined(__SANITIZE_THREAD__)
    const volatile void *reads[SHIM_READS];
#endif
};

static struct item *items;
static char *stacks[AT_ONCE];          /* kept from launch to launch */
static char begins, ends;              /* of a launch */
static int order_nothing;              /* neither orders a thing */
static int before_nothing;             /* likewise, of the launch before */
static size_t first_item;              /* of those that have a stack, in this launch */
static _Thread_local struct item *now; /* NULL outside of a launch, where the caller is alone */
static size_t item_count;
static struct place scheduler = { .has_begun = true };
static uint64_t chance = 1;
static void (*kernel_now)(void *argument, void *local);
static void *argument_now;

/* To ThreadSanitizer an item is a thread of its own. Going on with another one orders nothing: a
 * barrier that is missing is a race, whoever happened to go first. */
#if defined(__SANITIZE_THREAD__)
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *word, size_t bytes,
                             const char *why);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

static void *fibers[AT_ONCE], *main_fiber;

OWN static void become(void *fiber)
{
    __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);
}

OWN static void become_item(const struct item *item)
{
    become(fibers[first_item + (size_t)(item - items)]);
}

OWN static void become_main(void)
{
    become(main_fiber);
}

OWN static void releases(void *word)
{
    __tsan_release(word);
}

OWN static void acquires(void *word)
{
    __tsan_acquire(word);
}

/* All items share the thread's own variables; those of device.h are kept by park(). */
OWN static int forgive_own(struct dl_phdr_info *program, size_t bytes, void *data)
{
    (void)bytes;
    (void)data;
    for (int i = 0; i < program->dlpi_phnum && program->dlpi_tls_data; i++)
        if (program->dlpi_phdr[i].p_type == PT_TLS)
            AnnotateBenignRaceSized(__FILE__, __LINE__, program->dlpi_tls_data,
                                    program->dlpi_phdr[i].p_memsz, "an item's own");
    return 1; /* the first is this program */
}

OWN static void make_fibers(void)
{
    if (!main_fiber)
        (void)dl_iterate_phdr(forgive_own, NULL);
    main_fiber = __tsan_get_current_fiber();
    for (size_t i = first_item; i < first_item + item_count; i++)
        if (!fibers[i])
            fibers[i] = __tsan_create_fiber(0);
}

OWN static void see_main(void)
{
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
}

OWN void lanes_order_nothing(int nothing)
{
    static int is_unseen;
    order_nothing = nothing;
    if (is_unseen)
        return;
    is_unseen = 1;
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    (void)atexit(see_main); /* a thread may not end so */
}
#else
void lanes_order_nothing(int nothing)
{
    (void)nothing;
}

#define become_item(item) ((void)(item))
#define become_main()     ((void)0)
#define releases(word)    ((void)(word))
#define acquires(word)    ((void)(word))
#define make_fibers()     ((void)0)
#endif

OWN static uint32_t random_below(uint32_t bound)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((chance >> 33) % bound);
}

#if defined(__SANITIZE_THREAD__)
/* What a fence to come acquires is the item's own. Of a list that each fence empties only a part is
 * in use: up to `count`, and NULL behind. */
OWN static uint reads_in_use(uint count)
{
#ifdef SHIM_RELEASE_FENCES
    return count < SHIM_READS ? count : SHIM_READS;
#else
    (void)count;
    return SHIM_READS;
#endif
}

OWN static void keep_reads(struct item *item, uint count)
{
    for (uint i = 0; i < reads_in_use(count); i++)
        item->reads[i] = shim_read[i];
}

OWN static void restore_reads(const struct item *item, uint count)
{
    uint i = 0;
    for (; i < reads_in_use(count); i++)
        shim_read[i] = item->reads[i];
    for (; i < SHIM_READS && shim_read[i]; i++)
        shim_read[i] = NULL;
}
#else
#define keep_reads(item, count)    ((void)(item), (void)(count))
#define restore_reads(item, count) ((void)(item), (void)(count))
#endif

OWN static void park(enum state state)
{
    struct item *self = now;
    const struct shim_item as = shim_self; /* a test may pretend to be another item */
    const uint count = shim_read_count, released = shim_released;
    keep_reads(self, count);
    self->state = state;
    become_main();
    stacks_go(&self->place, &scheduler);
    restore_reads(self, count);
    shim_read_count = count;
    shim_released = released;
    shim_self = as;
}

int lanes_yield(void);
OWN int lanes_yield(void)
{
    if (now)
        park(READY);
    return 0;
}

OWN void shim_barrier(void)
{
    struct item *group = now - now->self.local_id;
    char *word = &group->words[now->barriers++ % 2];
    releases(word);
    park(AT_BARRIER);
    acquires(word);
}

OWN void lanes_barrier(void)
{
    if (!now)
        return;
    char *word = &items[now->first[0]].sg_words[now->sg_barriers++ % 2];
    releases(word);
    (void)lanes_tell(0, lanes_all(0), 0);
    acquires(word);
}

OWN uint64_t lanes_told(const uint64_t *told, uint32_t lane)
{
    return told[lane];
}

OWN uint32_t lanes_lane(int peers)
{
    return now ? (uint32_t)now->lane[peers] : 0;
}

OWN uint32_t lanes_all(int peers)
{
    uint32_t all = now ? 0 : 1;
    for (size_t i = now ? now->first[peers] : 0;
         i < item_count && items[i].first[peers] == now->first[peers]; i++)
        all |= 1u << items[i].lane[peers];
    return all;
}

/* A program in which no two items ever told each other anything has not compiled lanes/clade: it
 * would prove nothing. */
static size_t tells;
static bool is_judged; /* at the program's end */

OWN static inline void judge(void)
{
    if (tells > 0)
        return;
    fprintf(stderr, "no item told another one anything: sub-groups were not tested\n");
    fflush(stdout);
    _exit(1);
}

OWN const uint64_t *lanes_tell(int peers, uint32_t set, uint64_t value)
{
    static uint64_t alone[32];
    alone[0] = value;
    if (!now)
        return alone;
    tells += (set & (set - 1u)) != 0u;
    now->peers = peers;
    now->set = set;
    now->value = value;
    park(TELLS);
    return now->told;
}

/* One word for all sets of a sub-group: a meeting acquires what another set met for, too. */
OWN void lanes_meet(uint32_t set)
{
    if (!now)
        return;
    char *word = &items[now->first[1]].peers_word;
    releases(word);
    (void)lanes_tell(1, set, 0);
    acquires(word);
}

OWN uint32_t lanes_active(uint32_t site)
{
    if (!now)
        return 1;
    now->site = site;
    park(ASKS);
    return now->set;
}

OWN static void run_coroutine(void)
{
    shim_self = now->self;
    if (!order_nothing || !before_nothing) {
        acquires(&begins);
        acquires(&ends);
    }
    kernel_now(argument_now, now->local);
    releases(&ends);
    park(DONE);
}

/* Whether all of the item's set tell the same kind of thing by now; then all know. */
OWN static int tell(struct item *item)
{
    struct item *lane0 = &items[item->first[item->peers]];
    for (uint32_t lane = 0; lane < 32; lane++)
        if (item->set >> lane & 1u && (lane0[lane].state != TELLS || lane0[lane].set != item->set ||
                                       lane0[lane].peers != item->peers))
            return 0;
    for (uint32_t to = 0; to < 32; to++)
        if (item->set >> to & 1u) {
            for (uint32_t from = 0; from < 32; from++)
                lane0[to].told[from] = item->set >> from & 1u
                                           ? lane0[from].value
                                           : 0xeeeeeeeeeeeeeeee; /* not in the set */
        }
    for (uint32_t lane = 0; lane < 32; lane++)
        if (item->set >> lane & 1u)
            lane0[lane].state = READY;
    return 1;
}

/* Those of a sub-group that ask at one place go on together, now and then only some of them. */
OWN static int answer(struct item *item)
{
    struct item *lane0 = &items[item->first[1]];
    const int some = random_below(4) == 0;
    uint32_t set = 1u << item->lane[1];
    for (size_t lane = 0; lane < 32 && lane0 + lane < items + item_count; lane++)
        if (lane0[lane].first[1] == item->first[1] && lane0[lane].state == ASKS &&
            lane0[lane].site == item->site && !(some && random_below(2)))
            set |= 1u << lane;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (set >> lane & 1u) {
            lane0[lane].set = set;
            lane0[lane].state = READY;
        }
    return 1;
}

/* When nobody is ready: whom does that let go on? */
OWN static int release(void)
{
    size_t waiting = 0, done = 0, first = random_below((uint32_t)item_count);
    for (size_t i = 0; i < item_count; i++)
        if (items[i].state == TELLS && tell(&items[i]))
            return 1;
    for (size_t i = 0; i < item_count; i++)
        if (items[(first + i) % item_count].state == ASKS)
            return answer(&items[(first + i) % item_count]);
    for (size_t i = 0; i < item_count; i++) {
        waiting += items[i].state == AT_BARRIER;
        done += items[i].state == DONE;
    }
    for (size_t i = 0; i < item_count; i++) /* group by group */
        if (items[i].state == AT_BARRIER) {
            const size_t group = items[i].self.group_id;
            for (size_t j = 0; j < item_count; j++)
                if (items[j].self.group_id == group && items[j].state != AT_BARRIER) {
                    fprintf(stderr, "item %zu is not at the barrier where item %zu is\n", j, i);
                    abort();
                }
        }
    for (size_t i = 0; i < item_count; i++)
        if (items[i].state == AT_BARRIER)
            items[i].state = READY;
    if (!waiting && done < item_count) {
        fprintf(stderr, "items wait for lanes that never come\n");
        abort();
    }
    return waiting > 0;
}

/* A whole group is at a barrier: it goes on, though another one may wait for it in a loop. Answers
 * how many items are ready by that. */
OWN static size_t pass_barrier(const struct item *item)
{
    struct item *first = items + (item - items - (ptrdiff_t)item->self.local_id);
    for (size_t i = 0; i < item->self.local_size; i++)
        if (first[i].state != AT_BARRIER)
            return 0;
    for (size_t i = 0; i < item->self.local_size; i++)
        first[i].state = READY;
    return item->self.local_size;
}

/* Those of a set who have all told need not wait until nobody else is ready: a GPU's sub-group does
 * not. Half of the time it is the set of the item that ran, which goes on at once where that was
 * the last one; else any item's, so that no set stands still while others look for its lock in
 * vain. Answers how many items are ready by that. */
OWN static size_t hurry(void)
{
    struct item *item = random_below(2) ? now : &items[random_below((uint32_t)item_count)];
    return item->state == TELLS && tell(item) ? (size_t)__builtin_popcount(item->set) : 0;
}

OWN static void run_items(void)
{
    do {
        size_t ready = 0;
        for (size_t i = 0; i < item_count; i++)
            ready += items[i].state == READY;
        while (ready > 0) {
            size_t at = random_below((uint32_t)item_count);
            while (items[at].state != READY)
                at = (at + 1) % item_count;
            now = &items[at];
            become_item(now);
            stacks_go(&scheduler, &now->place);
            ready -= now->state != READY;
            if (now->state == AT_BARRIER)
                ready += pass_barrier(now);
            ready += hurry();
            now = NULL;
        }
    } while (release());
}

/* The i-th of those that run, of a launch whose items before them have run. */
OWN static void make_item(struct item *item, size_t i, size_t before, size_t groups,
                          size_t group_size, void *local)
{
    const size_t own = i % group_size / LANES * LANES + i / group_size * group_size;
    item->self = (struct shim_item) { before + i, i % group_size, (before + i) / group_size,
                                      group_size, groups,         NULL };
    item->state = READY;
    item->first[0] = own;
    item->lane[0] = i - own;
    item->first[1] = group_size == 1 ? i / LANES * LANES : own;
    item->lane[1] = i - item->first[1];
    item->local = local;
    if (!stacks[first_item + i])
        stacks[first_item + i] = checked(malloc(STACK));
    stacks_begin(&item->place, stacks[first_item + i], STACK, run_coroutine);
}

/* A launch's items, with nothing in them, and a sub-group of others behind. ThreadSanitizer forgets
 * what their words ordered when they are freed; without it they are kept, since AddressSanitizer
 * gives other pages each time. */
#if defined(__SANITIZE_THREAD__)
OWN static void take_items(size_t count)
{
    items = checked(calloc(count, sizeof *items));
}

OWN static void leave_items(void)
{
    free(items);
    items = NULL;
}
#else
static void take_items(size_t count)
{
    static struct item kept[AT_ONCE + 32];
    items = kept;
    memset(items, 0, count * sizeof *items);
}

static void leave_items(void)
{
    items = NULL;
}
#endif

/* A group's local memory, which holds anything when the group begins. */
OWN static void *local_memory(size_t bytes)
{
    char *memory = checked(malloc(bytes ? bytes : 1));
    uint64_t noise = random_below(0xffffffffu) * 2u + 1u;
    for (size_t i = 0; i < bytes; i += sizeof noise) {
        noise *= 0x9e3779b97f4a7c15u;
        memcpy(memory + i, &noise, bytes - i < sizeof noise ? bytes - i : sizeof noise);
    }
    return memory;
}

/* `count` groups of a launch at once, from `group` on. */
OWN static void run_groups(size_t group, size_t count, size_t groups, size_t group_size,
                           size_t local_bytes)
{
    void **locals = checked(calloc(count, sizeof *locals));
    item_count = count * group_size;
    if (order_nothing)
        first_item = first_item + item_count < TURNS * item_count ? first_item + item_count : 0;
    if (first_item + item_count > AT_ONCE)
        abort();
    take_items(item_count + 32);
    for (size_t i = 0; i < item_count; i++) {
        if (i % group_size == 0)
            locals[i / group_size] = local_memory(local_bytes);
        make_item(&items[i], i, group * group_size, groups, group_size, locals[i / group_size]);
    }
    for (size_t i = item_count; i < item_count + 32; i++)
        items[i].state = DONE;
    make_fibers();
    releases(&begins);
    run_items();
    if (!order_nothing)
        acquires(&ends);
    before_nothing = order_nothing;
    for (size_t g = 0; g < count; g++)
        free(locals[g]);
    free(locals);
    leave_items();
    item_count = 0;
}

/* Local memory that kernels declare (device.h) holds anything when a group begins. */
#ifdef SHIM_LOCAL
enum { AT_A_TIME = 1 };
extern char __start_shim_local[] __attribute__((weak)), __stop_shim_local[] __attribute__((weak));

OWN __attribute__((no_sanitize("address"))) static void spoil_local(void)
{
    for (volatile char *at = __start_shim_local; at < __stop_shim_local; at++)
        *at = (char)(0xa5u ^ random_below(256));
}
#else
enum { AT_A_TIME = AT_ONCE };
#define spoil_local() ((void)0)
#endif

OWN void shim_launch(void (*kernel)(void *argument, void *local), void *argument, size_t groups,
                     size_t group_size, size_t local_bytes)
{
#ifdef LANES_JUDGE
    if (!is_judged)
        (void)atexit(judge);
#endif
    is_judged = true;
    chance += shim_seed();
    kernel_now = kernel;
    argument_now = argument;
    for (size_t group = 0; group < groups; group += AT_A_TIME) {
        spoil_local();
        run_groups(group, groups - group < AT_A_TIME ? groups - group : AT_A_TIME, groups,
                   group_size, local_bytes);
    }
}
