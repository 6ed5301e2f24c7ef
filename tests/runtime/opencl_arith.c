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
    xk_buffer *bx = opencl_buffer(x, sizeof(x)),
              *by = opencl_buffer(y, sizeof(y));
    LAUNCH(ARITH, "saxpy", N, 50, BUF(by), BUF(bx), VAL(a), VAL(n));
    opencl_fetch(by, got, sizeof(got));
    SAME("saxpy", got, want);
    xk_buffer_unref(bx);
    xk_buffer_unref(by);
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
    int32_t a[N], b[N], want[4][N], got[N];
    two_inputs(a, b, true);
    for (int i = 0; i < N; i++) {
        want[0][i] = a[i] / b[i];
        want[1][i] = a[i] % b[i];
        want[2][i] = (int32_t)((uint32_t)a[i] / (uint32_t)b[i]);
        want[3][i] = (int32_t)((uint32_t)a[i] % (uint32_t)b[i]);
    }
    xk_buffer *o[6] = {
        opencl_buffer(NULL, sizeof(a)), opencl_buffer(NULL, sizeof(a)),
        opencl_buffer(NULL, sizeof(a)), opencl_buffer(NULL, sizeof(a)),
        opencl_buffer(a, sizeof(a)),    opencl_buffer(b, sizeof(b))};
    LAUNCH(ARITH, "divmod", N, 100, BUF(o[0]), BUF(o[1]), BUF(o[2]), BUF(o[3]),
           BUF(o[4]), BUF(o[5]));
    for (int k = 0; k < 4; k++) {
        opencl_fetch(o[k], got, sizeof(got));
        SAME("divmod", got, want[k]);
    }
    for (int k = 0; k < 6; k++)
        xk_buffer_unref(o[k]);
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
    xk_buffer *o = opencl_buffer(NULL, sizeof(got)),
              *x = opencl_buffer(a, sizeof(a));
    xk_buffer *y = opencl_buffer(b, sizeof(b));
    if (two)
        LAUNCH(ARITH, name, N, 40, BUF(o), BUF(x), BUF(y));
    else
        LAUNCH(ARITH, name, N, 40, BUF(o), BUF(x));
    opencl_fetch(o, got, sizeof(got));
    SAME(name, got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
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
    xk_buffer *o = opencl_buffer(NULL, sizeof(got)),
              *x = opencl_buffer(a, sizeof(a));
    xk_buffer *y = opencl_buffer(b, sizeof(b));
    LAUNCH(ARITH, "wide", N, 8, BUF(o), BUF(x), BUF(y));
    opencl_fetch(o, got, sizeof(got));
    SAME("wide", got, want);
    xk_buffer_unref(o);
    xk_buffer_unref(x);
    xk_buffer_unref(y);
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
