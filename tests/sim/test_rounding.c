/* SPDX-License-Identifier: Apache-2.0 */
/* Float arithmetic against MPFR: add, mul, mad and the conversion of their
 * results in hf, f and df, every rounding mode, denormals kept and flushed; the
 * math functions within the error that Intel's manuals allow. */
#include <stdio.h>

#if !HAVE_MPFR
int main(void)
{
    printf("MPFR (libmpfr-dev) is missing: rounding is not tested\n");
    return 77;
}
#else
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "tests/sim/lab.h"
#include "tests/tap.h"

struct kind {
    const char *name;
    unsigned size_b, bits;
    int least; /* exponent of the smallest denormal, as MPFR counts */
    int most;
    uint32_t keep; /* cr0's bit for its denormals */
};

static const struct kind hf = {"hf", 2, 11, -23, 16, 0x400},
                         f = {"f", 4, 24, -148, 128, 0x80},
                         df = {"df", 8, 53, -1073, 1024, 0x40};

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static unsigned fraction_bits(const struct kind *k)
{
    return k->bits - 1;
}

static uint64_t random_bits(const struct kind *k)
{
    const unsigned frac = fraction_bits(k), top = 8 * k->size_b - 1;
    const uint64_t low = (UINT64_C(1) << frac) - 1, all = low << 1 | 1;
    const uint64_t ones = (UINT64_C(1) << (top - frac)) - 1;
    const uint64_t v = rnd() & (all | UINT64_C(1) << top | ones << frac);
    switch (rnd() % 12) {
    case 0: /* denormal, or zero */
        return v & (low | UINT64_C(1) << top) & (rnd() & 1 ? ~0ull : ~low);
    case 1: /* infinity or NaN */
        return v | ones << frac;
    case 2:
        return (v & ~(low)) | (rnd() & 1 ? low : 1);
    case 3:
    case 4:
    case 5: /* in reach of each other */
        return (v & (low | UINT64_C(1) << top)) | ((ones >> 1) + rnd() % 5 - 2)
                                                      << frac;
    default:
        return v;
    }
}

static uint64_t flushed(uint64_t v, const struct kind *k, uint32_t cr0)
{
    const unsigned frac = fraction_bits(k), top = 8 * k->size_b - 1;
    const uint64_t exponent = v >> frac & ((UINT64_C(1) << (top - frac)) - 1);
    return exponent || cr0 & k->keep ? v : v & UINT64_C(1) << top;
}

static double to_double(uint64_t v, const struct kind *k)
{
    if (k->size_b == 8) {
        double d;
        memcpy(&d, &v, 8);
        return d;
    }
    if (k->size_b == 4) {
        const uint32_t w = (uint32_t)v;
        float s;
        memcpy(&s, &w, 4);
        return (double)s;
    }
    const int e = (int)(v >> 10 & 31), frac = (int)(v & 1023);
    const double m = e == 31 ? (frac ? (double)NAN : (double)INFINITY)
                     : e     ? ldexp(frac + 1024, e - 25)
                             : ldexp(frac, -24);
    return v >> 15 & 1 ? -m : m;
}

static mpfr_rnd_t rounding(unsigned mode)
{
    static const mpfr_rnd_t modes[4] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD,
                                        MPFR_RNDZ};
    return modes[mode];
}

enum what { ADD, MUL, MAD };

/* The result as MPFR rounds it into the format, once. */
static double expected(enum what what, const double v[3], const struct kind *k,
                       unsigned mode)
{
    mpfr_t x[3], r;
    int way;
    mpfr_set_emin(k->least);
    mpfr_set_emax(k->most);
    mpfr_init2(r, k->bits);
    for (unsigned n = 0; n < 3; n++) {
        mpfr_init2(x[n], 53);
        mpfr_set_d(x[n], v[n], MPFR_RNDN);
    }
    if (what == ADD)
        way = mpfr_add(r, x[0], x[1], rounding(mode));
    else if (what == MUL)
        way = mpfr_mul(r, x[0], x[1], rounding(mode));
    else
        way = mpfr_fma(r, x[1], x[2], x[0], rounding(mode));
    mpfr_subnormalize(r, way, rounding(mode));
    const double d = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clear(r);
    for (unsigned n = 0; n < 3; n++)
        mpfr_clear(x[n]);
    return d;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

static uint64_t at(struct lab *x, unsigned reg, unsigned l,
                   const struct kind *k)
{
    uint64_t v = 0;
    memcpy(&v, lab_reg(x, reg) + l * k->size_b, k->size_b);
    return v;
}

static void check_lane(struct lab *x, enum what what, const struct kind *k,
                       unsigned l, uint32_t cr0)
{
    double v[3];
    for (unsigned n = 0; n < 3; n++)
        v[n] = to_double(flushed(at(x, 30 + 4 * n, l, k), k, cr0), k);
    const uint64_t got = at(x, 20, l, k);
    const double want = expected(what, v, k, cr0 >> 4 & 3);
    /* a result below the smallest normal number is flushed like a source */
    const double least = ldexp(1, k->least + (int)k->bits - 2);
    const double flat =
        fabs(want) < least && !(cr0 & k->keep) ? copysign(0, want) : want;
    if (!same(to_double(got, k), flat))
        ck_abort_msg("%s %d, cr0 0x%x: %a %a %a give %a, not %a", k->name,
                     (int)what, cr0, v[0], v[1], v[2], to_double(got, k), flat);
}

static void check_op(const char *platform, enum what what, const struct kind *k)
{
    static const char *const forms[] = {
        "add (%u|M0) r20.0<1>:%s r30.0<1;1,0>:%s r34.0<1;1,0>:%s\n",
        "mul (%u|M0) r20.0<1>:%s r30.0<1;1,0>:%s r34.0<1;1,0>:%s\n",
        "mad (%u|M0) r20.0<1>:%s r30.0<1;0>:%s r34.0<1;0>:%s r38.0<1>:%s\n"};
    const unsigned lanes = k->size_b == 8 ? 8 : 16;
    char text[200];
    snprintf(text, sizeof(text), forms[what], lanes, k->name, k->name, k->name,
             k->name);
    struct lab *x = lab_open(platform, text);
    for (unsigned n = 0; n < 3000; n++) {
        const uint32_t cr0 = (n & 3) << 4 | (n & 4 ? 0x4c0u : 0);
        lab_start(x, 1, cr0);
        for (unsigned l = 0; l < 3 * lanes; l++) {
            const uint64_t v = random_bits(k);
            memcpy(lab_reg(x, 30 + 4 * (l / lanes)) + l % lanes * k->size_b, &v,
                   k->size_b);
        }
        lab_run_ok(x);
        for (unsigned l = 0; l < lanes; l++)
            check_lane(x, what, k, l, cr0);
    }
    lab_close(x);
}

START_TEST(arithmetic_rounds_once)
{
    for (enum what w = ADD; w <= MAD; w++) {
        for (unsigned p = 0; lab_platforms[p]; p++) {
            check_op(lab_platforms[p], w, &f);
            check_op(lab_platforms[p], w, &hf);
        }
        check_op("xehpc", w, &df);
    }
}
END_TEST

typedef int function(mpfr_t, const mpfr_t, mpfr_rnd_t);

static int inverse(mpfr_t r, const mpfr_t x, mpfr_rnd_t m)
{
    return mpfr_ui_div(r, 1, x, m);
}

/* Errors as Intel's manuals state them for single precision: units in the last
 * place, and absolute where the result comes near zero. */
static const struct {
    const char *name;
    function *fn;
    double lo, hi, ulp, absolute;
} functions[] = {
    {"inv", inverse, -1e30, 1e30, 1, 0},
    {"log", mpfr_log2, 0, 1e30, 3, 0x1p-21},
    {"exp", mpfr_exp2, -120, 120, 4, 0},
    {"sqt", mpfr_sqrt, 0, 1e30, 4, 0},
    {"rsqt", mpfr_rec_sqrt, 1e-30, 1e30, 2, 0},
    {"sin", mpfr_sin, -1e4, 1e4, 0, 0x1p-11},
    {"cos", mpfr_cos, -1e4, 1e4, 0, 0x1p-11},
};

static float pick(double lo, double hi)
{
    const double t = (double)(rnd() >> 11) * 0x1p-53;
    const double m = hi > 1e5 ? exp2((t - 0.5) * 190) : lo + t * (hi - lo);
    return (float)(lo < 0 && hi > 1e5 && rnd() & 1 ? -m : m);
}

static void check_function(struct lab *x, unsigned k, unsigned l)
{
    mpfr_t v, r;
    float in, got;
    memcpy(&in, lab_reg(x, 30) + 4 * l, 4);
    memcpy(&got, lab_reg(x, 20) + 4 * l, 4);
    mpfr_set_emin(-100000);
    mpfr_set_emax(100000);
    mpfr_init2(v, 53);
    mpfr_init2(r, 53);
    mpfr_set_d(v, (double)in, MPFR_RNDN);
    functions[k].fn(r, v, MPFR_RNDN);
    const double want = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clear(v);
    mpfr_clear(r);
    int e;
    (void)frexp(want, &e);
    const double ulp = functions[k].ulp * ldexp(1, e - 24);
    const double off = fabs((double)got - want);
    if (!(off <= ulp || off <= functions[k].absolute))
        ck_abort_msg("math.%s of %a is %a, not %a", functions[k].name,
                     (double)in, (double)got, want);
}

START_TEST(math_functions_are_within_their_error)
{
    for (unsigned p = 0; lab_platforms[p]; p++) {
        char text[100];
        snprintf(text, sizeof(text),
                 "math.%s (16|M0) r20.0<1>:f r30.0<1;1,0>:f\n",
                 functions[_i].name);
        struct lab *x = lab_open(lab_platforms[p], text);
        for (unsigned n = 0; n < 2000; n++) {
            lab_start(x, 1, 0x4c0);
            for (unsigned l = 0; l < 16; l++) {
                const float v = pick(functions[_i].lo, functions[_i].hi);
                memcpy(lab_reg(x, 30) + 4 * l, &v, 4);
            }
            lab_run_ok(x);
            for (unsigned l = 0; l < 16; l++)
                check_function(x, (unsigned)_i, l);
        }
        lab_close(x);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rounding");
    TCase *t = tcase_create("mpfr");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, arithmetic_rounds_once);
    tcase_add_loop_test(t, math_functions_are_within_their_error, 0,
                        XK_COUNTOF(functions));
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
#endif
