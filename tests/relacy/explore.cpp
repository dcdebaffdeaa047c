// SPDX-License-Identifier: Apache-2.0
// The explorer: runs a program's worlds (weak.h) under Relacy.
//
//   PROGRAM [--only=WORLD] [--times=FACTOR] [--seed=N] [--trace]
//       every world: executions at random, and all with few preemptions where the world says so.
//       --trace prints what failed, if it was at random. Without --only it also fails where an
//       order that the program says is needed was not met: the list then names what is no more.
//   PROGRAM --orders          the places that name an order, as the executions meet them
//   PROGRAM --weaken[=PLACE]  each such place (or those whose line in the list contains PLACE) is
//       made relaxed in turn; says which world notices, and after how many executions. Fails where
//       none notices an order that the program says is needed. What else is not noticed is either
//       stronger than it must be, or these worlds are too small to tell.
//   PROGRAM --plants          the same for those alone that the program says are needed
//   PROGRAM --halves          each acq_rel is made acquire, then release: for information
#include <cstdio>
#include <cstdlib>
#include <csignal>
#include <cstring>
#include <sstream>

#include "relacy/memory.h"

namespace {

enum { SITES = 2000 };

weak_site *sites[SITES]; // the first of its file, line and operation
unsigned site_count;
unsigned weakened;   // number of the site; 0: none
int weakened_to;     // the order it gets
weak_site *current;  // where the thread that runs stands
bool running, judging, traced;
const weak_world *world;

bool is_same(const weak_site *a, const weak_site *b)
{
    return a->line == b->line && !std::strcmp(a->operation, b->operation) &&
           !std::strcmp(a->file, b->file);
}

int number_of(weak_site *site)
{
    for (unsigned i = 0; i < site_count; i++)
        if (is_same(sites[i], site))
            return (int)i + 1;
    if (site_count == SITES)
        std::abort();
    sites[site_count++] = site;
    return (int)site_count;
}

// A weakened order may lead anywhere: an access to no memory is a failed execution like another.
void stray(int signal_number)
{
    if (running || judging)
        weak_end("an access to no memory", rl::test_result_user_assert_failed);
    std::signal(signal_number, SIG_DFL); // not the device code's: once more, and end by it
}

void catch_strays()
{
    static char stack[64 * 1024]; // for the fiber's own may be at its end
    stack_t alternative = stack_t();
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    sigaltstack(&alternative, NULL);
    struct sigaction action;
    std::memset(&action, 0, sizeof action);
    action.sa_handler = stray;
    action.sa_flags = SA_NODEFER | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

template<unsigned N>
struct suite : rl::test_suite<suite<N>, N> {
    static void unseen(rl::atomic_data *data)
    {
        rl::atomic_data_impl<N> &d = *static_cast<rl::atomic_data_impl<N> *>(data);
        rl::foreach<N>(d.history_[d.current_index_ % rl::atomic_history_size].first_seen_order_,
                       rl::assign<(rl::timestamp_t)-1>);
    }
    void before()
    {
        weak_memory_restore();
        if (world->begin)
            world->begin();
        weak_memory_begin(&unseen);
        running = true;
    }
    void thread(unsigned index)
    {
        world->thread(index);
    }
    void after()
    {
        running = false;
        weak_memory_end();
        judging = true; // of links that lead nowhere, too
        const char *const why = world->end ? world->end() : NULL;
        judging = false;
        if (why)
            weak_end(why, rl::test_result_user_assert_failed);
    }
};

// Relacy's own words go nowhere. (No string stream: one that grows would ask Relacy for memory.)
struct no_buffer : std::streambuf {
    virtual int overflow(int c)
    {
        return c == EOF ? 0 : c;
    }
} no_buffer;
std::ostream nowhere(&no_buffer);

template<unsigned N>
bool run_suite(rl::test_params &params)
{
    running = false;
    current = NULL;
    return rl::simulate<suite<N> >(params);
}

bool run(rl::test_params &params)
{
    params.output_stream = params.progress_stream = &nowhere;
    params.execution_depth_limit = 50000;
    params.collect_history = true; // else Relacy would repeat what failed
    const bool held = world->threads == 2   ? run_suite<2>(params)
                      : world->threads == 3 ? run_suite<3>(params)
                                            : run_suite<4>(params);
    running = judging = false;
    return held;
}

struct outcome {
    bool held;
    const char *how;
    unsigned long executions;
    std::string why;
};

// What Relacy says of the result, and the text that came with it.
std::string reason(const rl::test_params &params)
{
    std::string why = rl::test_result_str(params.test_result);
    if (params.test_result == rl::test_result_data_race ||
        params.test_result == rl::test_result_user_assert_failed)
        why = weak_failure;
    return why;
}

// So many executions at random; `seed` is the first one's number.
bool run_random(rl::test_params &params, unsigned long seed, unsigned long executions)
{
    std::ostringstream first;
    first << seed;
    params.initial_state = first.str().c_str();
    params.iteration_count = seed + executions - 1;
    return run(params);
}

outcome explore(double times, unsigned long seed)
{
    outcome answer = { true, "at random", 0, "" };
    rl::test_params params;
    answer.held = run_random(params, seed, (unsigned long)(world->executions * times) + 1);
    answer.executions = params.stop_iteration - seed + 1;
    answer.why = reason(params);
    if (!answer.held && traced) {
        rl::test_params again;
        weak_memory_trace(true);
        run_random(again, params.stop_iteration, 1);
        weak_memory_trace(false);
    }
    if (!answer.held || world->switches == 0)
        return answer;
    rl::test_params bound;
    bound.search_type = rl::sched_bound;
    bound.context_bound = world->switches;
    const unsigned long random = answer.executions;
    answer.held = run(bound);
    answer.how = answer.held ? "at random and in order" : "in order";
    answer.executions = random + bound.stop_iteration;
    answer.why = reason(bound);
    return answer;
}

bool is_chosen(const char *only)
{
    return !only || std::strstr(world->name, only) != NULL;
}

int run_all(const char *only, double times, unsigned long seed)
{
    int failed = 0, ran = 0;
    for (world = weak_worlds; world->name; world++) {
        if (!is_chosen(only))
            continue;
        const unsigned begun = get_tick_count();
        const outcome o = explore(times, seed);
        ran++;
        failed += !o.held;
        std::printf("%-44s %u threads, %lu executions %s from %lu, %.1f s: %s\n", world->name,
                    world->threads, o.executions, o.how, seed,
                    (get_tick_count() - begun) / 1000.0, o.held ? "holds" : o.why.c_str());
        std::fflush(stdout);
    }
    if (ran == 0)
        std::printf("no world of that name\n");
    return failed != 0 || ran == 0;
}

// What an operation's name says of its order: 0 where it orders nothing.
int order_of(const weak_site *site)
{
    const char *const name = site->operation;
    if (!std::strcmp(name, "fence") || std::strstr(name, "_acq_rel"))
        return rl::mo_acq_rel;
    if (std::strstr(name, "_seq_cst"))
        return rl::mo_seq_cst;
    if (std::strstr(name, "_acquire") || std::strstr(name, "_consume"))
        return rl::mo_acquire;
    return std::strstr(name, "_release") ? rl::mo_release : rl::mo_relaxed;
}

std::string line_of(const weak_site *site)
{
    std::ostringstream line;
    const char *const slash = std::strrchr(site->file, '/');
    line << (slash ? slash + 1 : site->file) << ":" << site->line << " " << site->function << " "
         << site->operation;
    return line.str();
}

// The entry of the program's list that this place belongs to; -1: none.
int needed_by(const weak_site *site)
{
    for (int i = 0; weak_needed_orders[i].function; i++)
        if (!std::strcmp(weak_needed_orders[i].function, site->function) &&
            !std::strcmp(weak_needed_orders[i].operation, site->operation))
            return i;
    return -1;
}

// How many orders that the program says are needed no execution has met.
int count_unmet()
{
    int unmet = 0;
    for (int i = 0; weak_needed_orders[i].function; i++) {
        bool met = false;
        for (unsigned s = 0; s < site_count && !met; s++)
            met = needed_by(sites[s]) == i;
        if (!met)
            std::printf("NOWHERE: %s %s\n", weak_needed_orders[i].function,
                        weak_needed_orders[i].operation);
        unmet += !met;
    }
    return unmet;
}

// Which world notices that the site has this order only; NULL: none.
const weak_world *who_notices(unsigned site, int order, const char *only, double times,
                              unsigned long seed, outcome &o)
{
    const weak_world *found = NULL;
    weakened = site;
    weakened_to = order;
    for (world = weak_worlds; world->name && !found; world++)
        if (is_chosen(only)) {
            o = explore(times, seed);
            found = o.held ? NULL : world;
        }
    weakened = 0;
    return found;
}

struct weakening {
    const char *place, *only;
    double times;
    unsigned long seed;
    bool halves, plants;
};

bool notices(unsigned site, int to, const weakening &w)
{
    static const char *const names[] = { "relaxed", "consume", "acquire", "release" };
    outcome o;
    const weak_world *const by = who_notices(site + 1, to, w.only, w.times, w.seed, o);
    std::printf("%-80s %s: ", line_of(sites[site]).c_str(), names[to]);
    if (by)
        std::printf("%s, %lu executions: %s\n", by->name, o.executions, o.why.c_str());
    else
        std::printf("not noticed\n");
    std::fflush(stdout);
    return by != NULL;
}

int weaken_all(const weakening &w)
{
    static bool found[SITES];
    int noticed = 0, missed = 0, lacking = 0;
    const unsigned count = site_count;
    for (unsigned i = 0; i < count; i++) {
        const int order = order_of(sites[i]), needed = needed_by(sites[i]);
        const bool both = order == rl::mo_acq_rel || order == rl::mo_seq_cst;
        if (order == rl::mo_relaxed || std::strstr(sites[i]->file, "weak_") || (w.halves && !both) ||
            (w.plants && needed < 0) || (w.place && !std::strstr(line_of(sites[i]).c_str(), w.place)))
            continue;
        bool all = true;
        if (w.halves)
            all = notices(i, rl::mo_acquire, w) & notices(i, rl::mo_release, w);
        else
            all = notices(i, rl::mo_relaxed, w);
        noticed += all;
        missed += !all;
        if (all && needed >= 0)
            found[needed] = true;
    }
    for (int i = 0; !w.halves && !w.place && !w.only && weak_needed_orders[i].function; i++)
        if (!found[i]) {
            std::printf("NOT NOTICED, or nowhere: %s %s\n", weak_needed_orders[i].function,
                        weak_needed_orders[i].operation);
            lacking++;
        }
    std::printf("%d orders noticed, %d not, of them %d needed\n", noticed, missed, lacking);
    return lacking != 0 || noticed + missed == 0;
}

const char *value_of(const char *argument, const char *name)
{
    const size_t length = std::strlen(name);
    return !std::strncmp(argument, name, length) && argument[length] == '=' ? argument + length + 1
                                                                            : NULL;
}

} // namespace

// The order of the operation that begins now.
weak_order weak_order_here(int order)
{
    weak_site *const site = current;
    current = NULL;
    if (site && weakened != 0 && (unsigned)site->number == weakened)
        order = weakened_to;
    const weak_order answer = { order, site };
    return answer;
}

bool weak_is_running()
{
    return running;
}

extern "C" {

unsigned weak_pose;

void weak_at(weak_site *site)
{
    current = running ? site : NULL;
    if (running && site->number == 0)
        site->number = number_of(site);
}

void weak_fail(const char *what)
{
    if (running)
        weak_end(what, rl::test_result_user_assert_failed);
    std::fprintf(stderr, "outside of a thread: %s\n", what);
    std::abort();
}

unsigned weak_thread(void)
{
    return running ? (unsigned)rl::ctx().threadx_->index_ : weak_pose;
}

} // extern "C"

int main(int argc, char **argv)
{
    const char *text = std::getenv("CLADE_TEST_SEED"), *value;
    weakening w = { NULL, NULL, 1, text && *text ? std::strtoul(text, NULL, 0) : 1, false, false };
    bool weaken = false, orders = false;
    for (int i = 1; i < argc; i++) {
        if ((value = value_of(argv[i], "--only")) != NULL)
            w.only = value;
        else if ((value = value_of(argv[i], "--times")) != NULL)
            w.times = std::atof(value);
        else if ((value = value_of(argv[i], "--seed")) != NULL)
            w.seed = std::strtoul(value, NULL, 0);
        else if ((value = value_of(argv[i], "--weaken")) != NULL)
            weaken = true, w.place = value;
        else if (!std::strcmp(argv[i], "--weaken"))
            weaken = true;
        else if (!std::strcmp(argv[i], "--plants"))
            weaken = w.plants = true;
        else if (!std::strcmp(argv[i], "--halves"))
            weaken = w.halves = true;
        else if (!std::strcmp(argv[i], "--orders"))
            orders = true;
        else if (!std::strcmp(argv[i], "--trace"))
            traced = true;
        else
            return std::fprintf(stderr, "what is %s? See explore.cpp\n", argv[i]), 2;
    }
    weak_setup();
    catch_strays();
    int failed = run_all(w.only, w.times, w.seed);
    failed += w.only ? 0 : count_unmet();
    for (unsigned i = 0; orders && i < site_count; i++)
        if (order_of(sites[i]) != rl::mo_relaxed)
            std::printf("%s\n", line_of(sites[i]).c_str());
    return failed || !weaken ? failed : weaken_all(w);
}
