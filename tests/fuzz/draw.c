/* SPDX-License-Identifier: Apache-2.0 */
/* Give a fuzz target inputs that are drawn: `draw COUNT`, from CLADE_TEST_SEED or a fixed seed. Of
 * fuzz_use.c: of each kind some must be refused and some used, or the inputs show nothing. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern unsigned fuzz_use_kinds;
extern unsigned long fuzz_use_counts[][2]; /* refused, used */

static char where[80];

static void tell(int number)
{
    const ssize_t written = write(2, where, strlen(where));
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

static uint64_t draw(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Values that are near the ends of something more often than others are. */
static uint32_t draw_value(uint64_t *state)
{
    const uint64_t x = draw(state);
    switch (x % 5) {
    case 0:
        return (uint32_t)(x >> 8) % 100;
    case 1:
        return (uint32_t)1 << (x >> 8) % 32;
    case 2:
        return ~(uint32_t)0 - (uint32_t)(x >> 8) % 4;
    default:
        return (uint32_t)(x >> 8);
    }
}

int main(int argc, char **argv)
{
    const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    const char *given = getenv("CLADE_TEST_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
    uint8_t data[6 + 7 * 8];
    signal(SIGSEGV, tell);
    signal(SIGBUS, tell);
    signal(SIGABRT, tell);
    for (unsigned long i = 0; i < count; i++) {
        uint64_t state = seed + i * 1000003u;
        const size_t patches = draw(&state) % 9;
        snprintf(where, sizeof where, "at input %lu: CLADE_TEST_SEED=%llu\n", i,
                 (unsigned long long)(seed + i * 1000003u));
        for (size_t k = 0; k < sizeof data; k++)
            data[k] = (uint8_t)draw(&state);
        for (size_t k = 0; k < patches; k++) {
            const uint32_t value = draw_value(&state);
            memcpy(data + 6 + 7 * k + 3, &value, sizeof value);
            if (draw(&state) % 2) /* heads are where most is led from, and stripes behind them */
                data[6 + 7 * k + 1] %= draw(&state) % 2 ? 1 : 5;
        }
        LLVMFuzzerTestOneInput(data, 6 + 7 * patches);
    }
    int failed = 0;
    for (unsigned kind = 0; kind < fuzz_use_kinds; kind++) {
        const unsigned long *counts = fuzz_use_counts[kind];
        printf("seed %llu, kind %u: %lu refused, %lu used\n", (unsigned long long)seed, kind,
               counts[0], counts[1]);
        failed |= counts[0] == 0 || counts[1] == 0;
    }
    return failed;
}
