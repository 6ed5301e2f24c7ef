/* SPDX-License-Identifier: Apache-2.0 */
/* What floats do beside rounding: comparisons with NaN, minimum and maximum,
 * saturation, flags of results, rounding to whole numbers, accumulators. */
#include "tests/sim/exec_tests.h"

#include <math.h>
#include <string.h>

#include "tests/sim/exact.h"
#include "tests/sim/lab.h"

static const double values[] = {
    0,        -0.0,     1,         -1,    0.5,     -0.5,     1.5,
    2.5,      -2.5,     3.25,      -3.75, 0x1p-20, -0x1p-20, 1000.75,
    -1000.25, INFINITY, -INFINITY, NAN,   65504,   0x1p-24,  7,
};
enum { N = XK_COUNTOF(values) };

struct kind {
    const char *name;
    unsigned size_b;
    uint32_t on; /* bit k: platform k */
};

static const struct kind kinds[] = {{"f", 4, 7}, {"hf", 2, 7}, {"df", 8, 4}};

static void put(uint8_t *p, double v, const struct kind *k)
{
    const float f = (float)v;
    const uint16_t h = isnan(v) ? 0x7e00 : (uint16_t)exact_bits(v, exact_hf, 0);
    memcpy(p,
           k->size_b == 8   ? (const void *)&v
           : k->size_b == 4 ? (const void *)&f
                            : &h,
           k->size_b);
}

static double get(const uint8_t *p, const struct kind *k)
{
    double d;
    float f;
    uint16_t h;
    memcpy(&h, p, 2);
    memcpy(&f, p, 4);
    memcpy(&d, p, 8);
    return k->size_b == 8   ? d
           : k->size_b == 4 ? (double)f
                            : exact_value(h, exact_hf);
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

/* Lane l of source k takes values[index(l)]. */
static struct lab *run(unsigned p, const char *text, const struct kind *k,
                       unsigned first, unsigned second)
{
    struct lab *x = lab_open(lab_platforms[p], text);
    lab_start(x, 1, 0x4c0);
    for (unsigned l = 0; l < 8; l++) {
        put(lab_reg(x, 30) + l * k->size_b, values[(first + l) % N], k);
        put(lab_reg(x, 34) + l * k->size_b, values[second % N], k);
    }
    lab_run_ok(x);
    return x;
}

static const char *const conds[] = {"eq", "ne", "gt", "ge", "lt", "le", "un"};

static bool holds(unsigned c, double a, double b)
{
    switch (c) {
    case 0:
        return a == b;
    case 1:
        return !(a == b);
    case 2:
        return isgreater(a, b);
    case 3:
        return isgreaterequal(a, b);
    case 4:
        return isless(a, b);
    case 5:
        return islessequal(a, b);
    default:
        return isunordered(a, b);
    }
}

typedef void check_fn(struct lab *x, const struct kind *k, unsigned l, double a,
                      double b, unsigned c);

/* Every pair of values, every type, every platform. */
static void all_pairs(const char *form, unsigned n_conds, check_fn *check)
{
    for (unsigned q = 0; q < XK_COUNTOF(kinds); q++)
        for (unsigned p = 0; lab_platforms[p]; p++)
            for (unsigned c = 0; kinds[q].on >> p & 1 && c < n_conds; c++)
                for (unsigned n = 0; n < 3u * N; n++) {
                    const struct kind *const k = &kinds[q];
                    const char *const s = k->name;
                    char text[300];
                    snprintf(text, sizeof(text), form, conds[c], s, s, s, s);
                    struct lab *x = run(p, text, k, 8 * (n / N), n);
                    for (unsigned l = 0; l < 8; l++)
                        check(x, k, l, get(lab_reg(x, 30) + l * k->size_b, k),
                              get(lab_reg(x, 34) + l * k->size_b, k), c);
                    lab_close(x);
                }
}

static bool flag(const struct lab *x, unsigned l)
{
    return xk_rf_u32(&x->t[0], XK_RF_FLAG) >> l & 1;
}

static void check_cmp(struct lab *x, const struct kind *k, unsigned l, double a,
                      double b, unsigned c)
{
    (void)k;
    ck_assert_msg(flag(x, l) == holds(c, a, b), "%g %s %g", a, conds[c], b);
}

START_TEST(comparisons_know_nan)
{
    all_pairs("cmp (8|M0) (%s)f0.0 null<1>:%s r30.0<1;1,0>:%s "
              "r34.0<1;1,0>:%s\n",
              7, check_cmp);
}
END_TEST

static void check_cmpn(struct lab *x, const struct kind *k, unsigned l,
                       double a, double b, unsigned c)
{
    (void)k;
    ck_assert(flag(x, l) == (isnan(b) || holds(c, a, b)));
}

START_TEST(cmpn_is_true_of_a_nan_in_src1)
{
    all_pairs("cmpn (8|M0) (%s)f0.0 null<1>:%s r30.0<1;1,0>:%s "
              "r34.0<1;1,0>:%s\n",
              6, check_cmpn);
}
END_TEST

/* ge is the maximum, lt the minimum; a number wins over a NaN. */
static void check_sel(struct lab *x, const struct kind *k, unsigned l, double a,
                      double b, unsigned c)
{
    if (c < 3)
        return;
    const double want = isnan(a) ? b : isnan(b) ? a : holds(c, a, b) ? a : b;
    const double got = get(lab_reg(x, 20) + l * k->size_b, k);
    ck_assert_msg(same(got, want), "sel.%s %g %g is %g", conds[c], a, b, got);
}

START_TEST(minimum_and_maximum_prefer_numbers)
{
    all_pairs("sel (8|M0) (%s)f0.0 r20.0<1>:%s r30.0<1;1,0>:%s "
              "r34.0<1;1,0>:%s\n",
              5, check_sel);
}
END_TEST

/* Flags see the sum before it saturates; a NaN saturates to 0. */
static void check_sat(struct lab *x, const struct kind *k, unsigned l, double a,
                      double b, unsigned c)
{
    const double sum = a + b; /* signs and order survive rounding */
    const double got = get(lab_reg(x, 20) + l * k->size_b, k);
    if (isnan(sum) || sum <= 0)
        ck_assert_double_eq(got, 0);
    else if (sum >= 1)
        ck_assert_double_eq(got, 1);
    else
        ck_assert(fabs(got - sum) <= 0x1p-11 * sum);
    if (c < 6)
        ck_assert_msg(flag(x, l) == holds(c, sum, 0), "%g + %g %s 0", a, b,
                      conds[c]);
}

START_TEST(saturation_is_to_0_and_1_and_flags_come_before_it)
{
    all_pairs("add (8|M0) (%s)f0.0 (sat)r20.0<1>:%s r30.0<1;1,0>:%s "
              "r34.0<1;1,0>:%s\n",
              6, check_sat);
}
END_TEST

static double whole(unsigned op, double v)
{
    static const unsigned modes[] = {1, 2, 0, 3};
    if (op == 4) {
        const double rest = v - floor(v);
        return !(rest >= 1) ? rest : 0x1.fffffep-1;
    }
    return isnan(v) || isinf(v) ? v : copysign(exact_whole(v, modes[op]), v);
}

START_TEST(whole_numbers_and_fractions)
{
    static const char *const ops[] = {"rndu", "rndd", "rnde", "rndz", "frc"};
    for (unsigned p = 0; lab_platforms[p]; p++)
        for (unsigned op = 0; op < 5; op++)
            for (unsigned n = 0; n < 3; n++) {
                char text[100];
                snprintf(text, sizeof(text),
                         "%s (8|M0) r20.0<1>:f r30.0<1;1,0>:f\n", ops[op]);
                struct lab *x = run(p, text, &kinds[0], 8 * n, 0);
                for (unsigned l = 0; l < 8; l++) {
                    const double v = values[(8 * n + l) % N];
                    const double got = get(lab_reg(x, 20) + 4 * l, &kinds[0]);
                    const double want = whole(op, (double)(float)v);
                    ck_assert_msg(same(got, (double)(float)want) ||
                                      (op == 4 && got == want),
                                  "%s %g is %g", ops[op], v, got);
                }
                lab_close(x);
            }
}
END_TEST

/* acc = a * b; r = acc + a * b, in the type of the destination. */
START_TEST(float_accumulators_have_the_type)
{
    static const char form[] =
        "mul (8|M0) acc0.0<1>:%s r30.0<1;1,0>:%s r34.0<1;1,0>:%s\n"
        "mac (8|M0) r20.0<1>:%s r30.0<1;1,0>:%s r34.0<1;1,0>:%s\n"
        "mov (8|M0) r22.0<1>:%s acc0.0<1;1,0>:%s\n";
    for (unsigned q = 0; q < XK_COUNTOF(kinds); q++)
        for (unsigned p = 0; lab_platforms[p]; p++) {
            const struct kind *const k = &kinds[q];
            const char *const s = k->name;
            char text[400];
            if (!(k->on >> p & 1))
                continue;
            snprintf(text, sizeof(text), form, s, s, s, s, s, s, s, s);
            struct lab *x = run(p, text, k, 2, 9);
            for (unsigned l = 0; l < 8; l++) {
                const double v = values[2 + l] * values[9];
                ck_assert_double_eq(get(lab_reg(x, 22) + l * k->size_b, k), v);
                ck_assert_double_eq(get(lab_reg(x, 20) + l * k->size_b, k),
                                    2 * v);
            }
            lab_close(x);
        }
}
END_TEST

START_TEST(csel_chooses_by_its_third_source)
{
    for (unsigned p = 0; lab_platforms[p]; p++)
        for (unsigned c = 0; c < 6; c++) {
            char text[200];
            snprintf(text, sizeof(text),
                     "mov (8|M0) r32.0<1>:f 5.0:f\n"
                     "csel (8|M0) (%s)f0.0 r20.0<1>:f r32.0<1;0>:f "
                     "r34.0<1;0>:f r30.0<1>:f\n",
                     conds[c]);
            for (unsigned n = 0; n < 3; n++) {
                struct lab *x = run(p, text, &kinds[0], 8 * n, 6);
                for (unsigned l = 0; l < 8; l++)
                    ck_assert_double_eq(
                        get(lab_reg(x, 20) + 4 * l, &kinds[0]),
                        holds(c, values[(8 * n + l) % N], 0) ? 5 : 1.5);
                lab_close(x);
            }
        }
}
END_TEST

void exec_float_tests(Suite *s)
{
    TCase *t = tcase_create("floats");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, comparisons_know_nan);
    tcase_add_test(t, cmpn_is_true_of_a_nan_in_src1);
    tcase_add_test(t, minimum_and_maximum_prefer_numbers);
    tcase_add_test(t, saturation_is_to_0_and_1_and_flags_come_before_it);
    tcase_add_test(t, whole_numbers_and_fractions);
    tcase_add_test(t, float_accumulators_have_the_type);
    tcase_add_test(t, csel_chooses_by_its_third_source);
    suite_add_tcase(s, t);
}
