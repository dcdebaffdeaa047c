/* SPDX-License-Identifier: Apache-2.0 */
/* Going from one stack to another, for tests/host/lanes.c.
 *
 * swapcontext() asks the kernel for the signal mask whenever it goes, and AddressSanitizer then
 * forgets the bounds of variables on all of the other stack. So a context is only where a stack
 * begins; from then on the compiler's own jumps lead from one to the other, and bounds stay. */

#ifndef TESTS_HOST_LANES_STACKS_H
#define TESTS_HOST_LANES_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

/* Where somebody goes on: the first time by the context, then by the jump. */
struct place {
    bool has_begun;
    void *jump[5];
    ucontext_t first;
};

/* Leave `from`, to which somebody has to come back, for `to`. To the compiler it is any function:
 * no register but those that each keeps is as it was. */
__attribute__((noipa, no_sanitize("address", "thread"))) static void stacks_go(struct place *from,
                                                                               struct place *to)
{
    if (__builtin_setjmp(from->jump))
        return;
    if (to->has_begun)
        __builtin_longjmp(to->jump, 1);
    to->has_begun = true;
    setcontext(&to->first);
}

/* Let `place` begin with `run`, which never returns, on a stack of `bytes`. */
static inline void stacks_begin(struct place *place, char *stack, size_t bytes, void (*run)(void))
{
    getcontext(&place->first);
    place->has_begun = false;
    place->first.uc_stack.ss_sp = stack;
    place->first.uc_stack.ss_size = bytes;
    place->first.uc_link = NULL;
    makecontext(&place->first, run, 0);
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(stack, bytes); /* what the last one left there */
#endif
}

#endif
