// SPDX-License-Identifier: Apache-2.0
#include "relacy/memory.h"

#include <cstdio>
#include <cstdlib>

namespace {

using rl::timestamp_t;

struct times {
    timestamp_t of[WEAK_THREADS_MAX];
};

struct word {
    rl::atomic_data *data; // NULL: not touched in this execution
    unsigned history[rl::atomic_history_size], last;
    bool dirty;   // may have changed since the last execution
    bool pending; // the last plain store's value is in its place, and not yet in the history
    times plain_load, plain_store, load, store;
};

struct region {
    char *base;
    size_t bytes;
    const char *name;
    word *words;
};

enum { REGIONS = 16, WORDS = 1 << 18, SEEN = 16, PATIENCE = 3 };

region regions[REGIONS];
unsigned region_count;
word *touched[WORDS];
unsigned touched_count;
struct written {
    word *w;
    unsigned *place, value;
} written[WORDS];
unsigned written_count;
bool traced;
void (*forget)(rl::atomic_data *);

// What a thread has read since it last changed something: who reads the same again and again waits.
struct seen {
    const volatile unsigned *place;
    unsigned value, times;
};
struct reader {
    seen reads[SEEN];
    unsigned next;
} readers[WEAK_THREADS_MAX];

// At random, with one step each, threads would stay abreast: a step late in one operation would never
// meet an early one of another. So in half of the executions each thread has a pace of its own.
enum { PACES = 7 };
unsigned steps[WEAK_THREADS_MAX]; // at a time, on the average

region *find_region(const volatile void *address)
{
    for (unsigned i = 0; i < region_count; i++)
        if ((size_t)((const char *)address - regions[i].base) < regions[i].bytes)
            return &regions[i];
    return NULL;
}

void check(bool condition, const char *what)
{
    if (condition)
        return;
    std::fprintf(stderr, "explorer: %s\n", what);
    std::abort();
}

word &touch_word(unsigned *place)
{
    region *const in = find_region(place);
    check(in != NULL, "an atomic access to memory that is not shared");
    word &w = in->words[((const char *)place - in->base) / 4];
    if (w.data)
        return w;
    const bool dirty = w.dirty;
    w = word();
    w.dirty = dirty;
    check(touched_count < WORDS, "too many words");
    touched[touched_count++] = &w;
    rl::context &c = rl::ctx();
    w.data = c.atomic_ctor(&w);
    w.last = c.threadx_->atomic_init(w.data);
    forget(w.data);
    w.history[w.last] = *place;
    return w;
}

void will_change(word &w, unsigned *place)
{
    if (w.dirty)
        return;
    check(written_count < WORDS, "too many words");
    w.dirty = true;
    const struct written entry = { &w, place, *place };
    written[written_count++] = entry;
}

void settle(word &w, const unsigned *place)
{
    if (w.pending)
        w.history[w.last] = *place;
    w.pending = false;
}

bool after(const times &t)
{
    const rl::thread_info_base &me = *rl::ctx().threadx_;
    for (rl::thread_id_t i = 0; i < rl::ctx().get_thread_count(); i++)
        if (me.acq_rel_order_[i] < t.of[i])
            return false;
    return true;
}

void say(const volatile void *place, const char *what, unsigned value, const weak_order &how)
{
    static const char *const orders[] = { "relaxed", "consume", "acquire",
                                          "release", "acq_rel", "seq_cst" };
    if (!traced)
        return;
    const region *const in = find_region(place);
    std::printf("  %u  %-8s %s[%lu] = %#x  %s", (unsigned)rl::ctx().threadx_->index_, what,
                in ? in->name : "", in ? (unsigned long)((const char *)place - in->base) / 4 : 0,
                value, orders[how.order]);
    if (how.site)
        std::printf("  %s:%d %s", how.site->file, how.site->line, how.site->function);
    std::printf("\n");
}

void race(const volatile void *place, const char *what)
{
    char text[200];
    const region *const in = find_region(place);
    std::snprintf(text, sizeof text, "%s at %s[%lu]", what, in->name,
                  (unsigned long)((const char *)place - in->base) / 4);
    weak_end(text, rl::test_result_data_race);
}

// A reader that sees the same value again gives way: else a wait would be a livelock.
void give_way(const volatile unsigned *place, unsigned value)
{
    reader &r = readers[rl::ctx().threadx_->index_];
    for (unsigned i = 0; i < SEEN; i++)
        if (r.reads[i].place == place && r.reads[i].value == value) {
            if (++r.reads[i].times >= PATIENCE)
                rl::ctx().yield(1, $);
            return;
        }
    seen &fresh = r.reads[r.next++ % SEEN];
    fresh.place = place;
    fresh.value = value;
    fresh.times = 1;
}

void changed()
{
    readers[rl::ctx().threadx_->index_] = reader();
}

void step()
{
    rl::context &c = rl::ctx();
    const unsigned pace = steps[c.threadx_->index_];
    if (pace == 1 || c.rand(pace, rl::sched_type_user) == 0)
        c.sched();
}

word &open_word(unsigned *place)
{
    step();
    word &w = touch_word(place);
    settle(w, place);
    if (!after(w.plain_store))
        race(place, "an atomic access races with a plain store");
    return w;
}

void stored(word &w, unsigned *place, unsigned index, unsigned value)
{
    rl::thread_info_base &me = *rl::ctx().threadx_;
    if (!after(w.plain_load))
        race(place, "an atomic store races with a plain load");
    will_change(w, place);
    w.last = index;
    w.history[index] = value;
    *place = value;
    w.store.of[me.index_] = me.own_acq_rel_order_;
}

unsigned read_modify_write(rl::atomic_data *data, int order)
{
    rl::thread_info_base &me = *rl::ctx().threadx_;
    bool aba;
    switch (order) {
    case rl::mo_relaxed: return me.atomic_rmw_relaxed(data, aba);
    case rl::mo_consume:
    case rl::mo_acquire: return me.atomic_rmw_acquire(data, aba);
    case rl::mo_release: return me.atomic_rmw_release(data, aba);
    case rl::mo_acq_rel: return me.atomic_rmw_acq_rel(data, aba);
    default: return me.atomic_rmw_seq_cst(data, aba);
    }
}

} // namespace

char weak_failure[200];

void weak_end(const char *why, rl::test_result_e result)
{
    std::snprintf(weak_failure, sizeof weak_failure, "%s", why);
    if (traced)
        std::printf("  %s\n", why);
    rl::ctx().fail_test(why, result, $);
}

extern "C" void weak_share(void *memory, size_t bytes, const char *name)
{
    check(region_count < REGIONS && ((size_t)memory & 3) == 0, "a region too many, or misplaced");
    region &r = regions[region_count++];
    r.base = (char *)memory;
    r.bytes = bytes;
    r.name = name;
    r.words = (word *)std::calloc(bytes / 4 + 1, sizeof(word));
    check(r.words != NULL, "no memory");
}

bool weak_memory_has(const volatile void *address)
{
    return find_region(address) != NULL;
}

void weak_memory_trace(bool on)
{
    traced = on;
}

void weak_memory_restore()
{
    for (unsigned i = 0; i < written_count; i++) {
        *written[i].place = written[i].value;
        written[i].w->dirty = false;
    }
    written_count = 0;
    for (unsigned i = 0; i < touched_count; i++)
        touched[i]->data = NULL;
    touched_count = 0;
}

void weak_memory_begin(void (*unseen)(rl::atomic_data *))
{
    forget = unseen;
    rl::context &c = rl::ctx();
    const bool paced = c.is_random_sched() && c.rand(2, rl::sched_type_user) == 0;
    for (unsigned i = 0; i < WEAK_THREADS_MAX; i++) {
        readers[i] = reader();
        steps[i] = paced ? 1u << c.rand(PACES, rl::sched_type_user) : 1u;
    }
}

void weak_memory_end()
{
    for (unsigned i = 0; i < touched_count; i++) {
        rl::ctx().atomic_dtor(touched[i]->data);
        touched[i]->data = NULL;
    }
    touched_count = 0;
}

void weak_memory_write(const void *address, size_t bytes)
{
    region *const in = find_region(address);
    if (!in)
        return;
    const size_t from = (size_t)address & ~(size_t)3, to = (size_t)address + bytes;
    for (size_t at = from; at < to; at += 4)
        will_change(in->words[((char *)at - in->base) / 4], (unsigned *)at);
}

unsigned weak_load(const volatile unsigned *where, weak_order how)
{
    unsigned *const place = (unsigned *)where;
    word &w = open_word(place);
    rl::thread_info_base &me = *rl::ctx().threadx_;
    const unsigned index = how.order == rl::mo_relaxed ? me.atomic_load_relaxed(w.data)
                           : how.order == rl::mo_seq_cst ? me.atomic_load_seq_cst(w.data)
                                                         : me.atomic_load_acquire(w.data);
    const unsigned value = w.history[index];
    w.load.of[me.index_] = me.own_acq_rel_order_;
    say(place, value == *place ? "load" : "old load", value, how);
    give_way(place, value);
    return value;
}

void weak_store(volatile unsigned *where, unsigned value, weak_order how)
{
    unsigned *const place = (unsigned *)where;
    word &w = open_word(place);
    rl::thread_info_base &me = *rl::ctx().threadx_;
    const unsigned index = how.order == rl::mo_relaxed   ? me.atomic_store_relaxed(w.data)
                           : how.order == rl::mo_seq_cst ? me.atomic_store_seq_cst(w.data)
                                                         : me.atomic_store_release(w.data);
    stored(w, place, index, value);
    say(place, "store", value, how);
    changed();
}

unsigned weak_change(volatile unsigned *where, unsigned operand,
                     unsigned (*change)(unsigned, unsigned), weak_order how, const char *name)
{
    unsigned *const place = (unsigned *)where;
    word &w = open_word(place);
    const unsigned index = read_modify_write(w.data, how.order), old = *place;
    const unsigned fresh = change(old, operand);
    stored(w, place, index, fresh);
    say(place, name, fresh, how);
    if (fresh != old)
        changed();
    else
        give_way(place, old);
    return old;
}

// A failed one reads the newest value, as devices do at their cache: C11 lets it read an older one.
unsigned weak_compare_and_swap(volatile unsigned *where, unsigned expected, unsigned desired,
                               weak_order how, int failure)
{
    unsigned *const place = (unsigned *)where;
    word &w = open_word(place);
    const unsigned old = *place;
    if (old == expected) {
        stored(w, place, read_modify_write(w.data, how.order), desired);
        say(place, "cas", desired, how);
        changed();
        return old;
    }
    rl::thread_info_base &me = *rl::ctx().threadx_;
    if (failure == rl::mo_relaxed || how.order == rl::mo_relaxed || how.order == rl::mo_release)
        me.atomic_load_relaxed_rmw(w.data);
    else
        me.atomic_load_acquire_rmw(w.data);
    w.load.of[me.index_] = me.own_acq_rel_order_;
    say(place, "no cas", old, how);
    give_way(place, old);
    return old;
}

void weak_fence_at(weak_order how)
{
    switch (how.order) {
    case rl::mo_relaxed: return;
    case rl::mo_consume:
    case rl::mo_acquire: return rl::ctx().atomic_thread_fence_acquire();
    case rl::mo_release: return rl::ctx().atomic_thread_fence_release();
    case rl::mo_acq_rel: return rl::ctx().atomic_thread_fence_acq_rel();
    default: return rl::ctx().atomic_thread_fence_seq_cst();
    }
}

// The write itself comes after this call, so its value is taken from its place later.
static void plain_word(unsigned *place, bool write, const void *caller)
{
    word &w = touch_word(place);
    rl::thread_info_base &me = *rl::ctx().threadx_;
    const weak_order none = { rl::mo_relaxed, NULL };
    settle(w, place);
    if (traced)
        std::printf("  %u  plain %s at %p:", (unsigned)me.index_, write ? "store" : "load", caller);
    say(place, "plain", *place, none);
    if (!after(w.plain_store) || !after(w.store))
        race(place, write ? "a plain store races with a store" : "a plain load races with a store");
    if (write && (!after(w.plain_load) || !after(w.load)))
        race(place, "a plain store races with a load");
    me.own_acq_rel_order_ += 1;
    (write ? w.plain_store : w.plain_load).of[me.index_] = me.own_acq_rel_order_;
    if (!write)
        return;
    will_change(w, place);
    w.last = me.atomic_store_relaxed(w.data);
    w.pending = true;
    changed();
}

void weak_plain(const void *address, size_t bytes, bool write, const void *caller)
{
    if (!find_region(address))
        return;
    const size_t from = (size_t)address & ~(size_t)3, to = (size_t)address + bytes;
    for (size_t at = from; at < to; at += 4)
        plain_word((unsigned *)at, write, caller);
}
