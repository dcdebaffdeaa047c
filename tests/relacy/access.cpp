// SPDX-License-Identifier: Apache-2.0
// Each access to memory of the code that was compiled with -fsanitize=thread, in place of
// ThreadSanitizer's library: to shared memory by a thread of a world, it goes to Relacy.
#include "relacy/memory.h"

extern "C" {

// What the compiler calls in place of each access (-fsanitize=thread).
void __tsan_init(void) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}

static void plain(const void *address, size_t bytes, bool write, const void *caller)
{
    if (weak_is_running())
        weak_plain(address, bytes, write, caller);
    else if (write)
        weak_memory_write(address, bytes);
}

#define PLAIN(suffix, bytes)                                           \
    void __tsan_read##suffix(void *p)                                  \
    {                                                                  \
        plain(p, bytes, false, __builtin_return_address(0));           \
    }                                                                  \
    void __tsan_write##suffix(void *p)                                 \
    {                                                                  \
        plain(p, bytes, true, __builtin_return_address(0));            \
    }                                                                  \
    void __tsan_unaligned_read##suffix(void *p)                        \
    {                                                                  \
        plain(p, bytes, false, __builtin_return_address(0));           \
    }                                                                  \
    void __tsan_unaligned_write##suffix(void *p)                       \
    {                                                                  \
        plain(p, bytes, true, __builtin_return_address(0));            \
    }
PLAIN(1, 1)
PLAIN(2, 2)
PLAIN(4, 4)
PLAIN(8, 8)
PLAIN(16, 16)

void __tsan_read_range(void *p, size_t bytes)
{
    plain(p, bytes, false, __builtin_return_address(0));
}

void __tsan_write_range(void *p, size_t bytes)
{
    plain(p, bytes, true, __builtin_return_address(0));
}

// Words outside of what is shared are the thread's own.
static bool is_shared(const volatile void *word)
{
    return weak_is_running() && weak_memory_has(word);
}

unsigned __tsan_atomic32_load(const volatile unsigned *word, int order)
{
    return is_shared(word) ? weak_load(word, weak_order_here(order)) : *word;
}

void __tsan_atomic32_store(volatile unsigned *word, unsigned value, int order)
{
    if (is_shared(word))
        return weak_store(word, value, weak_order_here(order));
    weak_memory_write((void *)word, 4);
    *word = value;
}

static unsigned change(volatile unsigned *word, unsigned operand,
                       unsigned (*with)(unsigned, unsigned), int order, const char *name)
{
    if (is_shared(word))
        return weak_change(word, operand, with, weak_order_here(order), name);
    weak_memory_write((void *)word, 4);
    const unsigned old = *word;
    *word = with(old, operand);
    return old;
}

#define CHANGE(name, result)                                                               \
    static unsigned make_##name(unsigned old, unsigned operand)                            \
    {                                                                                      \
        (void)old;                                                                         \
        return result;                                                                     \
    }                                                                                      \
    unsigned __tsan_atomic32_##name(volatile unsigned *word, unsigned operand, int order)  \
    {                                                                                      \
        return change(word, operand, make_##name, order, #name);                           \
    }
CHANGE(exchange, operand)
CHANGE(fetch_add, old + operand)
CHANGE(fetch_sub, old - operand)
CHANGE(fetch_and, old &operand)
CHANGE(fetch_or, old | operand)
CHANGE(fetch_xor, old ^ operand)
CHANGE(min, old < operand ? old : operand)
CHANGE(max, old > operand ? old : operand)

unsigned weak_min(volatile void *word, unsigned value, int order)
{
    return __tsan_atomic32_min((volatile unsigned *)word, value, order);
}

unsigned weak_max(volatile void *word, unsigned value, int order)
{
    return __tsan_atomic32_max((volatile unsigned *)word, value, order);
}

int __tsan_atomic32_compare_exchange_strong(volatile unsigned *word, unsigned *expected,
                                            unsigned desired, int order, int failure)
{
    const unsigned wanted = *expected;
    unsigned old = *word;
    if (is_shared(word)) {
        old = weak_compare_and_swap(word, wanted, desired, weak_order_here(order), failure);
    } else if (old == wanted) {
        weak_memory_write((void *)word, 4);
        *word = desired;
    }
    *expected = old;
    return old == wanted;
}

unsigned __tsan_atomic32_compare_exchange_val(volatile unsigned *word, unsigned expected,
                                              unsigned desired, int order, int failure)
{
    __tsan_atomic32_compare_exchange_strong(word, &expected, desired, order, failure);
    return expected;
}

// Two words, which may be of different times: no program here needs more.
unsigned long __tsan_atomic64_load(const volatile unsigned long *word, int order)
{
    const volatile unsigned *const half = (const volatile unsigned *)word;
    const unsigned low = __tsan_atomic32_load(half, order);
    return low | (unsigned long)__tsan_atomic32_load(half + 1, order) << 32;
}

void __tsan_atomic64_store(volatile unsigned long *word, unsigned long value, int order)
{
    volatile unsigned *const half = (volatile unsigned *)word;
    __tsan_atomic32_store(half, (unsigned)value, order);
    __tsan_atomic32_store(half + 1, (unsigned)(value >> 32), order);
}

void __tsan_atomic_thread_fence(int order)
{
    if (weak_is_running())
        weak_fence_at(weak_order_here(order));
}

} // extern "C"
