/* SPDX-License-Identifier: Apache-2.0 */
/* Integers. */
#include "opencl_lab.h"

#include <string.h>

START_TEST(saxpy_leaves_the_tail_alone)
{
    float x[N], y[N], want[N], got[N];
    const float a = 1.25f;
    const int n = N - 13;
    for (int i = 0; i < N; i++) {
        x[i] = (float)(int)(opencl_rnd() % 2001) - 1000.0f;
        y[i] = want[i] = (float)(opencl_rnd() % 77) / 3.0f;
        if (i < n)
            want[i] = fmaf(a, x[i], y[i]);
    }
    RUN(ARITH, "saxpy", N, 50, FROM_TO(y, got), IN(x), VAL(a), VAL(n));
    SAME("saxpy", got, want);
}
END_TEST

static void two_inputs(int32_t *a, int32_t *b, bool no_zero)
{
    for (unsigned i = 0; i < N; i++) {
        a[i] = opencl_any_int(i);
        b[i] = opencl_any_int(i + 1);
        if (no_zero && b[i] == 0)
            b[i] = 3;
        if (no_zero && a[i] == INT32_MIN && b[i] == -1)
            a[i] = 12;
    }
}

START_TEST(division_by_variables)
{
    int32_t a[N], b[N], want[4][N], got[4][N];
    two_inputs(a, b, true);
    for (int i = 0; i < N; i++) {
        want[0][i] = a[i] / b[i];
        want[1][i] = a[i] % b[i];
        want[2][i] = (int32_t)((uint32_t)a[i] / (uint32_t)b[i]);
        want[3][i] = (int32_t)((uint32_t)a[i] % (uint32_t)b[i]);
    }
    RUN(ARITH, "divmod", N, 100, OUT(got[0]), OUT(got[1]), OUT(got[2]),
        OUT(got[3]), IN(a), IN(b));
    for (int k = 0; k < 4; k++)
        SAME("divmod", got[k], want[k]);
}
END_TEST

typedef void int_reference(int32_t *out, int32_t a, int32_t b);

static void ref_divconst(int32_t *o, int32_t a, int32_t b)
{
    (void)b;
    o[0] = a / 7;
    o[1] = a % 10;
    o[2] = (int32_t)((uint32_t)a / 641u);
    o[3] = a / -3;
    o[4] = a / 16;
    o[5] = (int32_t)((uint32_t)a % 1000003u);
}

static void ref_products(int32_t *o, int32_t a, int32_t b)
{
    o[0] = (int32_t)((uint32_t)a * (uint32_t)b);
    o[1] = (int32_t)(((int64_t)a * b) >> 32);
    o[2] = (int32_t)(((uint64_t)(uint32_t)a * (uint32_t)b) >> 32);
    o[3] = (int32_t)((uint32_t)((a >> 9) * (int64_t)(b >> 9)) + (uint32_t)a);
    o[4] = (int16_t)a * (int16_t)b;
    o[5] = (int32_t)((uint32_t)a * 1000003u + (uint32_t)b);
}

static void ref_shifts(int32_t *o, int32_t a, int32_t b)
{
    const unsigned k = (unsigned)b & 31;
    o[0] = (int32_t)((uint32_t)a << k);
    o[1] = a >> k;
    o[2] = (int32_t)((uint32_t)a >> k);
    o[3] = k ? (int32_t)((uint32_t)a << k | (uint32_t)a >> (32 - k)) : a;
    o[4] = (a & b) ^ (~a | 0x0f0f);
    o[5] = (int16_t)((uint32_t)a << 3) >> 5;
}

static void ref_bits(int32_t *o, int32_t s, int32_t b)
{
    const uint32_t a = (uint32_t)s;
    const int64_t sum = (int64_t)s + 0x40000000;
    (void)b;
    o[0] = __builtin_popcount(a);
    o[1] = a ? __builtin_clz(a) : 32;
    o[2] = a ? __builtin_ctz(a) : 32;
    o[3] = (int32_t)((a >> 5) & 0x7ff);
    o[4] = s < 0 ? (int32_t)(0 - a) : s;
    o[5] = sum > INT32_MAX ? INT32_MAX : (int32_t)sum;
}

static void int_test(int dev_i, const char *name, int_reference *ref, bool two)
{
    const int _i = dev_i;
    int32_t a[N], b[N], want[6 * N], got[6 * N];
    two_inputs(a, b, false);
    for (int i = 0; i < N; i++)
        ref(&want[6 * i], a[i], b[i]);
    if (two)
        RUN(ARITH, name, N, 40, OUT(got), IN(a), IN(b));
    else
        RUN(ARITH, name, N, 40, OUT(got), IN(a));
    SAME(name, got, want);
}

START_TEST(division_by_constants)
{
    int_test(_i, "divconst", ref_divconst, false);
}
END_TEST

START_TEST(products_low_and_high)
{
    int_test(_i, "products", ref_products, true);
}
END_TEST

START_TEST(shifts_and_logic)
{
    int_test(_i, "shifts", ref_shifts, true);
}
END_TEST

START_TEST(bit_counting)
{
    int_test(_i, "bits", ref_bits, false);
}
END_TEST

START_TEST(sixty_four_bit_arithmetic_on_32_bit_units)
{
    uint64_t a[N], b[N], want[8 * N], got[8 * N];
    for (unsigned i = 0; i < N; i++) {
        a[i] = ((uint64_t)opencl_rnd() << 32 | opencl_rnd()) >>
               (opencl_rnd() & 63);
        b[i] = i % 4 ? (uint64_t)opencl_rnd() << 32 | opencl_rnd()
                     : (uint64_t)(int64_t)-1;
        uint64_t *w = &want[8 * i];
        const unsigned k = b[i] & 63;
        w[0] = a[i] + b[i];
        w[1] = a[i] - b[i];
        w[2] = a[i] * b[i];
        w[3] = a[i] << k;
        w[4] = a[i] >> k;
        w[5] = (uint64_t)((int64_t)a[i] >> k);
        w[6] = a[i] < b[i] ? a[i] : b[i];
        w[7] = (int64_t)a[i] > (int64_t)b[i];
    }
    RUN(ARITH, "wide", N, 8, OUT(got), IN(a), IN(b));
    SAME("wide", got, want);
}
END_TEST

void opencl_arith_tests(TCase *t)
{
    ALL(saxpy_leaves_the_tail_alone);
    ALL(division_by_variables);
    ALL(division_by_constants);
    ALL(products_low_and_high);
    ALL(shifts_and_logic);
    ALL(bit_counting);
    ALL(sixty_four_bit_arithmetic_on_32_bit_units);
}
