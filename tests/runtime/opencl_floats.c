/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point, and conversions to and from it. */
#include "opencl_lab.h"

#include <math.h>
#include <string.h>

#include "tests/sim/halves.h"

static void two_floats(float *a, float *b)
{
    for (unsigned i = 0; i < N; i++) {
        a[i] = opencl_any_float(i);
        b[i] = opencl_any_float(i + 1 + i % 2);
    }
}

START_TEST(float_arithmetic)
{
    float a[N], b[N], want[10 * N], got[10 * N];
    two_floats(a, b);
    for (int i = 0; i < N; i++) {
        float *w = &want[10 * i];
        w[0] = a[i] + b[i];
        w[1] = a[i] * b[i];
        w[2] = fmaf(a[i], b[i], -a[i]);
        w[3] = fminf(a[i], b[i]);
        w[4] = fmaxf(a[i], b[i]);
        w[5] = floorf(a[i]);
        w[6] = ceilf(a[i]);
        w[7] = rintf(a[i]);
        w[8] = truncf(a[i]);
        w[9] = fabsf(a[i]) - b[i];
    }
    RUN(FLOATS, "basics", N, 20, OUT(got), IN(a), IN(b));
    SAME_FLOAT("basics", got, want);
}
END_TEST

START_TEST(float_comparisons)
{
    float a[N], b[N];
    int32_t want[N], got[N];
    two_floats(a, b);
    for (int i = 0; i < N; i++) {
        if (i % 5 == 0)
            b[i] = a[i];
        want[i] = (a[i] < b[i]) | (a[i] <= b[i]) << 1 | (a[i] > b[i]) << 2 |
                  (a[i] >= b[i]) << 3 | (a[i] == b[i]) << 4 |
                  (a[i] != b[i]) << 5 | (isnan(a[i]) != 0) << 6 |
                  (isinf(a[i]) != 0) << 7 | isunordered(a[i], b[i]) << 8;
    }
    RUN(FLOATS, "compares", N, 100, OUT(got), IN(a), IN(b));
    SAME("compares", got, want);
}
END_TEST

static double clamp(double v, double lo, double hi)
{
    return isnan(v) ? 0 : v < lo ? lo : v > hi ? hi : v;
}

static void ref_converts(int32_t *o, float *f, float a, int32_t b)
{
    o[0] = (int32_t)clamp(trunc((double)a), INT32_MIN, INT32_MAX);
    o[1] = (int32_t)(uint32_t)clamp(trunc((double)a), 0, UINT32_MAX);
    o[2] = (int32_t)clamp(trunc((double)a), -128, 127);
    o[3] = (int32_t)clamp(b, 0, 65535);
    o[4] = (int32_t)rint(clamp((double)a, -1e6, 1e6));
    o[5] = (int32_t)clamp(b, 0, 255);
    f[0] = (float)b;
    f[1] = (float)(uint32_t)b;
    f[2] = (float)(int8_t)b;
    f[3] = (float)b;
    if (fabs((double)f[3]) > fabs((double)b))
        f[3] = nextafterf(f[3], 0.0f);
}

START_TEST(conversions)
{
    float a[N], fwant[4 * N], fgot[4 * N];
    int32_t b[N], want[6 * N], got[6 * N];
    for (unsigned i = 0; i < N; i++) {
        a[i] = opencl_any_float(i);
        if (isnan(a[i]))
            a[i] = 2.5f; /* NaN is not defined for all of these */
        b[i] = opencl_any_int(i);
        ref_converts(&want[6 * i], &fwant[4 * i], a[i], b[i]);
    }
    RUN(FLOATS, "converts", N, 25, OUT(got), OUT(fgot), IN(a), IN(b));
    SAME("converts", got, want);
    SAME_FLOAT("converts", fgot, fwant);
}
END_TEST

/* Rounded once from double, where sums and products of halves are exact and the
 * multiply-add of these sizes too. */
static void ref_halves(uint16_t *o, float a, uint16_t hb, uint16_t gb)
{
    const double h = half_value(hb), g = half_value(gb);
    o[0] = half_bits((double)a);
    o[1] = half_bits(h + g);
    o[2] = half_bits(h * g);
    o[3] = half_bits(h * g + h);
    o[4] = h > g ? hb : gb;
}

START_TEST(half_arithmetic)
{
    float a[N], fwant[N], fgot[N];
    uint16_t h[N], g[N], want[5 * N], got[5 * N];
    for (unsigned i = 0; i < N; i++) {
        a[i] = opencl_any_float(i);
        if (isnan(a[i]))
            a[i] = 1e5f;
        h[i] = half_bits(((int)(opencl_rnd() % 4001) - 2000) / 64.0);
        g[i] = half_bits(((int)(opencl_rnd() % 4001) - 2000) /
                         (i % 2 ? 4096.0 : 16.0));
        ref_halves(&want[5 * i], a[i], h[i], g[i]);
        fwant[i] = (float)half_value(h[i]) * 3.0f;
    }
    RUN(FLOATS, "halves", N, 20, OUT(got), OUT(fgot), IN(a), IN(h), IN(g));
    SAME("halves", got, want);
    SAME("halves", fgot, fwant);
}
END_TEST

static bool close_to(float got, double want, double rel)
{
    return fabs((double)got - want) <= rel * fabs(want);
}

START_TEST(extended_math)
{
    float a[N], b[N], got[4 * N];
    for (unsigned i = 0; i < N; i++) {
        a[i] = (float)((int)(opencl_rnd() % 20001) - 10000) / 16.0f;
        b[i] = (float)(1 + opencl_rnd() % 1000) / 8.0f * (i % 2 ? 1.0f : -1.0f);
    }
    RUN(FLOATS, "roots", N, 20, OUT(got), IN(a), IN(b));
    for (int i = 0; i < N; i++) {
        const float *g = &got[4 * i];
        ck_assert(close_to(g[0], sqrt(fabs((double)a[i])), 1e-6));
        ck_assert(close_to(g[1], 1.0 / (double)b[i], 1e-6));
        ck_assert(close_to(g[2], exp2((double)(a[i] * 0.001f)), 1e-6));
        ck_assert(close_to(g[3], (double)a[i] / (double)b[i], 3e-7));
    }
}
END_TEST

void opencl_float_tests(TCase *t)
{
    ALL(float_arithmetic);
    ALL(float_comparisons);
    ALL(conversions);
    ALL(half_arithmetic);
    ALL(extended_math);
}
