/* SPDX-License-Identifier: Apache-2.0 */
/* Keys as words: for every type and order, special values compared as C compares them, and back. */
#include "host/device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clade/base/order.clh"

static int wrong;

static void expect(int holds, const char *what, uint64_t a, uint64_t b)
{
    if (!holds && wrong++ < 8)
        printf("%s: %#llx %#llx\n", what, (unsigned long long)a, (unsigned long long)b);
}

static double number_of(uint64_t raw, uint type)
{
    float narrow;
    double wide;
    const uint32_t low = (uint32_t)raw;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &raw, sizeof wide);
    return type == CLADE_F32 ? (double)narrow : wide;
}

/* Whether a comes before b; -0 before +0, NaN last. */
static int before(uint64_t a, uint64_t b, uint type, uint order)
{
    int less, more;
    if (type == CLADE_F32 || type == CLADE_F64) {
        const double x = number_of(a, type), y = number_of(b, type);
        if (isnan(x) || isnan(y))
            return !isnan(x) && isnan(y);
        less = x < y || (x == y && signbit(x) && !signbit(y));
        more = x > y || (x == y && !signbit(x) && signbit(y));
    } else if (type == CLADE_I32) {
        less = (int32_t)a < (int32_t)b;
        more = (int32_t)a > (int32_t)b;
    } else if (type == CLADE_I64) {
        less = (int64_t)a < (int64_t)b;
        more = (int64_t)a > (int64_t)b;
    } else {
        less = a < b;
        more = a > b;
    }
    return order == CLADE_MAX ? more : less;
}

static void check(const uint64_t *values, uint n, uint type, uint order)
{
    const int wide = type >= CLADE_I64;
    for (uint i = 0; i < n; i++) {
        const uint64_t a = wide ? values[i] : (uint32_t)values[i];
        const uint64_t word =
            wide ? clade_order_encode64(a, type, order) : clade_order_encode((uint)a, type, order);
        const uint64_t back = wide ? clade_order_decode64(word, type, order)
                                   : clade_order_decode((uint)word, type, order);
        const int is_nan = (type == CLADE_F32 || type == CLADE_F64) && isnan(number_of(a, type));
        expect(is_nan ? isnan(number_of(back, type)) : back == a, "back", a, back);
        expect(!is_nan || word == (wide ? ~(uint64_t)0 : 0xffffffffu), "NaN", a, word);
        for (uint j = 0; j < n; j++) {
            const uint64_t b = wide ? values[j] : (uint32_t)values[j];
            const uint64_t other = wide ? clade_order_encode64(b, type, order)
                                        : clade_order_encode((uint)b, type, order);
            expect((word < other) == before(a, b, type, order), "order", a, b);
        }
    }
}

/* The value of a half, by its fields. */
static double half_of(uint raw, uint type)
{
    const uint bits = type == CLADE_F16 ? 10 : 7, bias = type == CLADE_F16 ? 15 : 127;
    const uint fraction = raw & ((1u << bits) - 1), exponent = (raw & 0x7fff) >> bits;
    const double sign = raw & 0x8000 ? -1 : 1;
    if (exponent == 0x7fffu >> bits)
        return fraction ? NAN : sign * INFINITY;
    return sign * ldexp(fraction + (exponent ? 1u << bits : 0),
                        (int)(exponent ? exponent : 1) - (int)(bias + bits));
}

/* Every half beside every 509th one. */
static void check_halves(uint type, uint order)
{
    for (uint a = 0; a < 1u << 16; a++) {
        const double x = half_of(a, type);
        const uint word = clade_order_encode16(a, type, order);
        const uint back = clade_order_decode16(word & 0xffff0000u, order);
        expect(isnan(x) ? isnan(half_of(back, type)) : back == a, "half back", a, back);
        expect(!isnan(x) || word == 0xffffffffu, "half NaN", a, word);
        for (uint b = a % 509; b < 1u << 16; b += 509) {
            const double y = half_of(b, type), p = order == CLADE_MAX ? y : x;
            const double q = order == CLADE_MAX ? x : y;
            const int less = isnan(x) || isnan(y) ? !isnan(x) && isnan(y)
                                                  : p < q || (p == q && signbit(p) && !signbit(q));
            expect((word < clade_order_encode16(b, type, order)) == less, "halves", a, b);
        }
    }
}

int main(void)
{
    static const uint64_t words[] = {
        0,
        1,
        2,
        0x7f7fffff,
        0x7f800000,
        0x7f800001,
        0x7fffffff,
        0x80000000,
        0x80000001,
        0xff7fffff,
        0xff800000,
        0xff800001,
        0xfffffffe,
        0xffffffff,
        0x3f800000,
        0xbf800000,
        0x00800000,
        0x807fffff,
        0x7fefffffffffffff,
        0x7ff0000000000000,
        0x7ff0000000000001,
        0x7ff8000000000000,
        0x7fffffffffffffff,
        0x8000000000000000,
        0x8000000000000001,
        0xfff0000000000000,
        0xfff0000000000001,
        0xffffffffffffffff,
        0xfffffffffffffffe,
        0x3ff0000000000000,
        0xbff0000000000000,
        0x0010000000000000,
        0x100000000,
        0x7ff0000100000000,
    };
    static const uint types[] = {
        CLADE_I32, CLADE_U32, CLADE_F32, CLADE_I64, CLADE_U64, CLADE_F64
    };
    for (uint t = 0; t < sizeof types / sizeof *types; t++) {
        check(words, sizeof words / sizeof *words, types[t], CLADE_MIN);
        check(words, sizeof words / sizeof *words, types[t], CLADE_MAX);
    }
    for (uint order = CLADE_MIN; order <= CLADE_MAX; order++) {
        check_halves(CLADE_F16, order);
        check_halves(CLADE_BF16, order);
    }
    printf("order: %d wrong\n", wrong);
    return wrong != 0;
}
