/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/shaped.h"

#include <stdlib.h>

/* Keys of a table. On CPUs more than the 10^5 from which on nothing should be slower than one core
 * of the C++ library. */
static uint32_t usual_keys(const struct bench *bench)
{
    const bool is_cpu = clade_context_caps(bench_context(bench))->is_cpu;
    return (uint32_t)bench_keys(bench, bench_is_quick(bench) ? 1u << 12
                                       : is_cpu              ? 1u << 17
                                                             : 1u << 22);
}

/* By a hash table of twice as many places; a place holds a key and one more, or 0. */
static bool count_different(struct bench_shaped *row)
{
    uint64_t places = 2;
    while (places < 2ull * row->count)
        places *= 2;
    uint64_t *table = bench_alloc(places, sizeof *table);
    row->different = 0;
    for (uint32_t i = 0; table && i < row->count; i++) {
        const uint64_t wanted = row->keys[i] + 1ull;
        uint64_t at = wanted * 0x9e3779b97f4a7c15u >> 20 & (places - 1);
        while (table[at] != 0 && table[at] != wanted)
            at = (at + 1) & (places - 1);
        row->different += table[at] == 0;
        table[at] = wanted;
    }
    free(table);
    return table != NULL;
}

static bool add_row(struct bench *bench, uint32_t count, enum bench_shape shape,
                    bench_shaped_cells *cells, void *data)
{
    struct bench_shaped row = { .bench = bench, .count = count };
    uint64_t state = 1;
    row.keys = bench_alloc(count, sizeof *row.keys);
    if (row.keys)
        bench_shape_fill(row.keys, count, shape, &state);
    bench_text(bench, "keys", bench_shape_names[shape]);
    bench_count(bench, "count", count);
    const bool fine = row.keys && count_different(&row) && cells(&row, data);
    free(row.keys);
    if (fine)
        bench_row_end(bench);
    return fine;
}

bool bench_distributions(struct bench *bench, uint32_t most, bench_shaped_cells *cells, void *data)
{
    const uint32_t usual = usual_keys(bench), count = most && most < usual ? most : usual;
    bool fine = true;
    if (!bench_wants(bench, "distributions"))
        return true;
    bench_table(bench, "distributions", "the same work on keys of many distributions");
    for (int shape = 0; fine && shape < BENCH_SHAPES && !bench_is_over(bench); shape++)
        fine = add_row(bench, count, (enum bench_shape)shape, cells, data);
    return fine;
}

static bool is_prime(uint32_t n)
{
    for (uint32_t d = 2; d <= n / d; d++)
        if (n % d == 0)
            return false;
    return n > 1;
}

static uint32_t prime_below(uint32_t n)
{
    do
        n--;
    while (!is_prime(n));
    return n;
}

/* Two powers of two, what lies next to the larger one, a prime, and round numbers. */
bool bench_sizes(struct bench *bench, uint32_t most, bench_shaped_cells *cells, void *data)
{
    const uint32_t usual = usual_keys(bench), power = most && most < usual ? most : usual;
    const uint32_t counts[] = { power / 2,
                                power - 1,
                                power,
                                power + 1,
                                prime_below(power - 2),
                                prime_below(power / 4 * 3),
                                power / 1000 * 1000 };
    bool fine = true;
    if (!bench_wants(bench, "sizes"))
        return true;
    bench_table(bench, "sizes", "the same work on random keys: powers of two, primes, others");
    for (size_t i = 0; fine && i < sizeof counts / sizeof counts[0] && !bench_is_over(bench); i++)
        fine = add_row(bench, counts[i], BENCH_SHAPE_RANDOM, cells, data);
    return fine;
}
