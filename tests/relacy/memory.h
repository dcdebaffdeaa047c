// SPDX-License-Identifier: Apache-2.0
// Shared memory as Relacy sees it. C++98, as Relacy is.
//
// Each 32-bit word that a thread touches gets a history of its last stores (Relacy's atomic_data, which
// says which of them a load may see) and the times of the last plain and atomic accesses by each
// thread (which say whether two accesses race). A word's newest value is also in its place, where
// plain reads find it: without a race nothing else may be read there.
#ifndef WEAK_MEMORY_H
#define WEAK_MEMORY_H

#include <relacy/relacy.hpp>
#undef calloc // Relacy means its own

#include "relacy/weak.h"

enum { WEAK_THREADS_MAX = 4 };

struct weak_order {
    int order;        // as C names them: relaxed, consume, acquire, release, acq_rel, seq_cst
    weak_site *site;  // NULL: a plain access, or one that names no place
};

// One execution: restore the memory, let the caller change it (weak_memory_write() first), begin, run
// the threads, end, judge. `unseen` marks a word's first value as read by nobody, which Relacy
// forgets. An execution that failed is not ended.
void weak_memory_restore();
void weak_memory_begin(void (*unseen)(rl::atomic_data *));
void weak_memory_end();
void weak_memory_write(const void *address, size_t bytes);
void weak_memory_trace(bool on);
bool weak_memory_has(const volatile void *address);

// explore.cpp's: whether a thread of a world runs, and the order of its operation that begins now, which
// may be weakened.
bool weak_is_running();
weak_order weak_order_here(int order);

// The execution has failed, and why. Does not return.
void weak_end(const char *why, rl::test_result_e result);
extern char weak_failure[200];

unsigned weak_load(const volatile unsigned *word, weak_order order);
void weak_store(volatile unsigned *word, unsigned value, weak_order order);
// What the word was; it becomes change(old, operand).
unsigned weak_change(volatile unsigned *word, unsigned operand, unsigned (*change)(unsigned, unsigned),
                     weak_order order, const char *name);
unsigned weak_compare_and_swap(volatile unsigned *word, unsigned expected, unsigned desired,
                               weak_order order, int failure);
void weak_fence_at(weak_order order);
void weak_plain(const void *address, size_t bytes, bool write, const void *caller);

#endif
