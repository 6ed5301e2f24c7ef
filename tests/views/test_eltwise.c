/* SPDX-License-Identifier: Apache-2.0 */
/* What is generated for the post-ops of one operand, against MPFR: all f16 and
 * bf16 values, special ones of f32, and a sample of it (XK_ELTWISE_SAMPLE of
 * each kind). The error is at most 8 units in the last place of f32, or 1e-6,
 * also where the math unit is off either way by what is assumed of it: 2 units
 * of inv and sqrt, 4 of exp2 and log2. pow is off by what follows from
 * exp2(beta * log2(x)) with these errors. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "tests/tap.h"
#include "tests/views/epi_eval.h"

enum { PREC = 64, SAMPLE = 5000 };

static xk_ctx *ctx;

static void setup(void)
{
    ctx = xk_ctx_create(NULL);
}

static void teardown(void)
{
    ck_assert_msg(xk_ctx_status(ctx) == XK_OK, "%s", ctx->error.message);
    ck_assert_uint_eq(xk_ctx_destroy(ctx), 0);
}

/* Definitions, in MPFR: r = f(x), with numbers a and b; t is free for use. */
#define R MPFR_RNDN
#define DEFINE(name)                                                           \
    static void name(mpfr_ptr r, mpfr_srcptr x, mpfr_ptr t, double a, double b)
#define UNUSED (void)t, (void)a, (void)b

/* 1 / (1 + e^-x) */
static void sigmoid(mpfr_ptr r, mpfr_srcptr x)
{
    mpfr_neg(r, x, R);
    mpfr_exp(r, r, R);
    mpfr_add_ui(r, r, 1, R);
    mpfr_ui_div(r, 1, r, R);
}

DEFINE(relu)
{
    (void)t, (void)b;
    if (a == 0 && mpfr_sgn(x) < 0) /* of minus infinity, too */
        mpfr_set_ui(r, 0, R);
    else
        mpfr_mul_d(r, x, mpfr_sgn(x) > 0 ? 1 : a, R);
}
DEFINE(linear)
{
    (void)t;
    mpfr_mul_d(r, x, a, R);
    mpfr_add_d(r, r, b, R);
}
DEFINE(absolute)
{
    UNUSED;
    mpfr_abs(r, x, R);
}
DEFINE(clip)
{
    (void)t;
    mpfr_set(r, x, R);
    if (mpfr_cmp_d(r, a) < 0)
        mpfr_set_d(r, a, R);
    if (mpfr_cmp_d(r, b) > 0)
        mpfr_set_d(r, b, R);
}
DEFINE(hardsigmoid)
{
    linear(r, x, t, a, b);
    clip(t, r, r, 0, 1);
    mpfr_set(r, t, R);
}
DEFINE(hardswish)
{
    hardsigmoid(r, x, t, a, b);
    mpfr_mul(r, r, x, R);
}
DEFINE(square)
{
    UNUSED;
    mpfr_sqr(r, x, R);
}
DEFINE(nearest)
{
    UNUSED;
    mpfr_rint(r, x, R);
}
DEFINE(root)
{
    UNUSED;
    mpfr_sqrt(r, x, R);
}
DEFINE(logarithm)
{
    UNUSED;
    mpfr_log(r, x, R);
}
DEFINE(exponential)
{
    UNUSED;
    mpfr_exp(r, x, R);
}
DEFINE(logistic)
{
    UNUSED;
    sigmoid(r, x);
}
DEFINE(tangent)
{
    UNUSED;
    mpfr_tanh(r, x, R);
}
DEFINE(elu)
{
    (void)t, (void)b;
    mpfr_set(r, x, R);
    if (mpfr_sgn(x) > 0)
        return;
    mpfr_expm1(r, x, R);
    mpfr_mul_d(r, r, a, R);
}
DEFINE(soft_relu)
{
    (void)t, (void)b;
    mpfr_mul_d(r, x, a, R);
    mpfr_exp(r, r, R);
    mpfr_log1p(r, r, R);
    mpfr_div_d(r, r, a, R);
}
DEFINE(swish)
{
    (void)b;
    mpfr_mul_d(t, x, a, R);
    sigmoid(r, t);
    mpfr_mul(r, r, x, R);
}
DEFINE(mish)
{
    UNUSED;
    mpfr_exp(r, x, R);
    mpfr_log1p(r, r, R);
    mpfr_tanh(r, r, R);
    mpfr_mul(r, r, x, R);
}
DEFINE(gelu_tanh)
{
    (void)a, (void)b;
    mpfr_sqr(r, x, R);
    mpfr_mul_d(r, r, 0.044715, R);
    mpfr_add_ui(r, r, 1, R);
    mpfr_mul(r, r, x, R);
    mpfr_const_pi(t, R); /* sqrt(2 / pi) */
    mpfr_ui_div(t, 2, t, R);
    mpfr_sqrt(t, t, R);
    mpfr_mul(t, t, r, R);
    mpfr_tanh(t, t, R);
    mpfr_add_ui(t, t, 1, R);
    mpfr_mul(r, t, x, R);
    mpfr_div_2ui(r, r, 1, R);
}
DEFINE(gelu_erf) /* 1 + erf(z) = erfc(-z) */
{
    (void)a, (void)b;
    mpfr_set_ui(t, 2, R);
    mpfr_sqrt(t, t, R);
    mpfr_div(r, x, t, R);
    mpfr_neg(r, r, R);
    mpfr_erfc(r, r, R);
    mpfr_mul(r, r, x, R);
    mpfr_div_2ui(r, r, 1, R);
}
DEFINE(power)
{
    mpfr_set_d(t, b, R);
    mpfr_pow(r, x, t, R);
    mpfr_mul_d(r, r, a, R);
}

static const struct {
    unsigned kind;
    void (*f)(mpfr_ptr r, mpfr_srcptr x, mpfr_ptr t, double a, double b);
    float alpha, beta;
} rows[] = {
    {XK_EPI_RELU, relu, 0, 0},
    {XK_EPI_RELU, relu, 0.3f, 0},
    {XK_EPI_RELU_DST, relu, 0.3f, 0},
    {XK_EPI_LINEAR, linear, 2, 0},
    {XK_EPI_ABS, absolute, 0, 0},
    {XK_EPI_CLIP, clip, -2, 3},
    {XK_EPI_CLIP_V2, clip, 0.1f, 6},
    {XK_EPI_CLIP_V2_DST, clip, 0, 6},
    {XK_EPI_HARDSIGMOID, hardsigmoid, 0.25f, 0.5f},
    {XK_EPI_HARDSWISH, hardswish, 0.25f, 0.5f},
    {XK_EPI_SQUARE, square, 0, 0},
    {XK_EPI_ROUND, nearest, 0, 0},
    {XK_EPI_SQRT, root, 0, 0},
    {XK_EPI_SQRT_DST, root, 0, 0},
    {XK_EPI_LOG, logarithm, 0, 0},
    {XK_EPI_EXP, exponential, 0, 0},
    {XK_EPI_EXP_DST, exponential, 0, 0},
    {XK_EPI_LOGISTIC, logistic, 0, 0},
    {XK_EPI_LOGISTIC_DST, logistic, 0, 0},
    {XK_EPI_TANH, tangent, 0, 0},
    {XK_EPI_TANH_DST, tangent, 0, 0},
    {XK_EPI_ELU, elu, 1, 0},
    {XK_EPI_ELU, elu, 100, 0},
    {XK_EPI_ELU_DST, elu, 0.3f, 0},
    {XK_EPI_SOFT_RELU, soft_relu, 1, 0},
    {XK_EPI_SOFT_RELU, soft_relu, 0.3f, 0},
    {XK_EPI_SOFT_RELU, soft_relu, -2, 0},
    {XK_EPI_SWISH, swish, 1, 0},
    {XK_EPI_SWISH, swish, 1.702f, 0},
    {XK_EPI_SWISH, swish, -0.5f, 0},
    {XK_EPI_MISH, mish, 0, 0},
    {XK_EPI_GELU_TANH, gelu_tanh, 0, 0},
    {XK_EPI_GELU_ERF, gelu_erf, 0, 0},
    {XK_EPI_POW, power, 3, 0},
    {XK_EPI_POW, power, 3, 1},
    {XK_EPI_POW, power, 3, 2},
    {XK_EPI_POW, power, 3, 3},
    {XK_EPI_POW, power, 3, -1},
    {XK_EPI_POW, power, 3, 0.5f},
    {XK_EPI_POW, power, 3, 4},
    {XK_EPI_POW, power, 3, 5},
    {XK_EPI_POW, power, 0.1f, -3},
    {XK_EPI_POW, power, 0.1f, -1.5f},
    {XK_EPI_POW, power, -1, 0.3f},
};

/* Where the error may be larger than 8 units, the relative one that is allowed.
 */
static double relative_bound(unsigned row, float x)
{
    const double beta = (double)rows[row].beta, ulp = 0x1p-23;
    if (rows[row].kind != XK_EPI_POW || x == 0 || !isfinite(x))
        return 8 * ulp;
    const double l = fabs(log2(fabs((double)x)));
    /* 4 units of exp2, and roundings; in the exponent 4 units of log2, absolute
     * near 1, half of one where it is rounded, and half of one of the product:
     * each unit is at most ulp * l. */
    return (8 + M_LN2 * fabs(beta) * 5 * fmax(l, 1)) * ulp;
}

static bool is_fine(unsigned row, float x, mpfr_srcptr want, float got)
{
    const double w = mpfr_get_d(want, R), g = (double)got;
    if (isnan(w) || isnan(g))
        return isnan(w) && isnan(g);
    const double bound = fmax(fabs(w) * relative_bound(row, x), 1e-6);
    if (isinf(g)) {
        const bool pow = rows[row].kind == XK_EPI_POW; /* or it without alpha */
        const double most =
            fmax(fabs(w), pow ? fabs(w / (double)rows[row].alpha) : 0);
        return most * (1 + relative_bound(row, x)) > (double)FLT_MAX &&
               signbit(w) == signbit(g);
    }
    return fabs(w - g) <= bound;
}

static const struct epi_error errors[] = {
    {0, 0, 0, 0}, {4, 4, 2, 2}, {-4, -4, -2, -2}, {4, -4, 2, -2}};

/* Those of errors that change something. */
static unsigned n_errors(const struct xk_epi_op *op)
{
    const char *const text = xk_epi_text(op);
    const bool log = strstr(text, "log2(") != NULL;
    const bool unit = log || strstr(text, "inv(") || strstr(text, "sqrt(");
    return log ? 4 : unit ? 3 : 1;
}

struct trial {
    unsigned row, n_errors;
    struct xk_epi_code code;
    mpfr_t x, want, t;
};

static void check_value(struct trial *r, float x)
{
    const struct xk_post_op_row *const p = xk_post_op_row(rows[r->row].kind);
    mpfr_set_flt(r->x, x, R);
    if (isnan(x) && rows[r->row].kind != XK_EPI_POW)
        mpfr_set_nan(r->want);
    else
        rows[r->row].f(r->want, r->x, r->t, (double)rows[r->row].alpha,
                       (double)rows[r->row].beta);
    for (unsigned i = 0; i < r->n_errors; i++) {
        const float got = epi_eval(&r->code, &errors[i], x, 0);
        ck_assert_msg(is_fine(r->row, x, r->want, got),
                      "%s:%g:%g of %a is %.9g, not %.9g; errors %u", p->name,
                      (double)rows[r->row].alpha, (double)rows[r->row].beta,
                      (double)x, (double)got, mpfr_get_d(r->want, R), i);
    }
}

static float from_bits(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* min and max lose a NaN: docs/post-ops.md. */
static bool loses_nan(unsigned kind)
{
    return kind == XK_EPI_CLIP || kind == XK_EPI_CLIP_V2 ||
           kind == XK_EPI_CLIP_V2_DST || kind == XK_EPI_HARDSIGMOID ||
           (kind == XK_EPI_RELU);
}

static void check_unless_lost(struct trial *r, float x)
{
    if (!isnan(x) || !loses_nan(rows[r->row].kind))
        check_value(r, x);
}

/* Values around which something changes, and their neighbours. */
static void check_special(struct trial *r)
{
    static const float at[] = {
        0,     FLT_MIN, FLT_TRUE_MIN, FLT_MAX, INFINITY, NAN,   0.5f, 1,
        1.5f,  2,       2.5f,         3,       6,        9,     10,   16,
        17.4f, 20,      40,           80,      87,       87.4f, 88,   88.3f,
        88.4f, 88.7f,   88.8f,        89,      104,      128,   1e4f, 0x1p31f};
    for (unsigned i = 0; i < XK_COUNTOF(at); i++) {
        float x = at[i], below = at[i];
        for (unsigned k = 0; k < 20; k++) {
            check_unless_lost(r, x);
            check_unless_lost(r, -x);
            check_unless_lost(r, below);
            check_unless_lost(r, -below);
            x = nextafterf(x, INFINITY);
            below = nextafterf(below, 0);
        }
    }
}

/* Half of them any bits, half between -30 and 30. */
static void check_sample(struct trial *r)
{
    const char *const wish = getenv("XK_ELTWISE_SAMPLE");
    const unsigned n = wish ? (unsigned)strtoul(wish, NULL, 10) : SAMPLE;
    unsigned seed = 1 + r->row;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t bits =
            (uint32_t)rand_r(&seed) << 16 ^ (uint32_t)rand_r(&seed);
        check_unless_lost(r, i % 2 ? from_bits(bits)
                                   : (float)(int32_t)bits * 0x1.ep-27f);
    }
}

START_TEST(what_is_generated_is_near_the_exact_value)
{
    struct trial r = {.row = (unsigned)_i};
    const struct xk_epi_op op = {.kind = (uint8_t)rows[_i].kind,
                                 .alpha = rows[_i].alpha,
                                 .beta = rows[_i].beta};
    const xk_scope s = xk_scope_begin(ctx);
    ck_assert_int_eq(xk_epi_compile(ctx, &op, &r.code), XK_OK);
    r.n_errors = n_errors(&op);
    mpfr_inits2(PREC, r.x, r.want, r.t, (mpfr_ptr)NULL);
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        check_unless_lost(&r, xk_half_to_float((uint16_t)bits));
        check_unless_lost(&r, from_bits(bits << 16));
    }
    check_special(&r);
    check_sample(&r);
    mpfr_clears(r.x, r.want, r.t, (mpfr_ptr)NULL);
    xk_scope_end(ctx, s, NULL);
}
END_TEST

START_TEST(every_kind_without_an_operand_is_there)
{
    for (unsigned kind = 1; kind < XK_N_EPI_KINDS; kind++) {
        bool found = xk_post_op_row(kind)->syntax != XK_SYNTAX_ELTWISE;
        for (unsigned i = 0; i < XK_COUNTOF(rows); i++)
            found |= rows[i].kind == kind;
        ck_assert_msg(found, "%s", xk_post_op_row(kind)->name);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("eltwise");
    TCase *const t = tcase_create("mpfr");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, every_kind_without_an_operand_is_there);
    tcase_add_loop_test(t, what_is_generated_is_near_the_exact_value, 0,
                        XK_COUNTOF(rows));
    suite_add_tcase(s, t);
    const int failed = xk_tap_run(s);
    mpfr_free_cache();
    return failed;
}
