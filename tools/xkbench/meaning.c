/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a post-op by its definition (post_op.def, through xk_post_op_at). A
 * text such as "select(x > 0.0, x, x * alpha)" becomes a list of operators on
 * intervals, in double. If an operation's result is no f32 value, the kernel's
 * may be a rounding away, so the interval is widened by that. A function of
 * math.h widens it by the error that such functions may have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/xkbench/bench.h"

enum code_op {
    NUMBER,
    X,
    OLD,
    RHS,
    ALPHA,
    BETA,
    ZERO, /* pushed */
    ADD,
    SUB,
    MUL,
    DIV,
    LT,
    LE,
    GT,
    GE,
    EQ,
    NE,
    MIN,
    MAX,
    POW, /* of two */
    NEG,
    FUNCTION, /* of one */
    SELECT,   /* of three */
};

static const struct {
    const char *name;
    uint8_t op, n_args;
    double (*f)(double);
} words[] = {
    {"x", X, 0, NULL},
    {"old", OLD, 0, NULL},
    {"rhs", RHS, 0, NULL},
    {"alpha", ALPHA, 0, NULL},
    {"beta", BETA, 0, NULL},
    {"zero", ZERO, 0, NULL},
    {"min", MIN, 2, NULL},
    {"max", MAX, 2, NULL},
    {"pow", POW, 2, NULL},
    {"neg", NEG, 1, NULL},
    {"select", SELECT, 3, NULL},
    {"exp", FUNCTION, 1, exp},
    {"expm1", FUNCTION, 1, expm1},
    {"log", FUNCTION, 1, log},
    {"log1p", FUNCTION, 1, log1p},
    {"tanh", FUNCTION, 1, tanh},
    {"erf", FUNCTION, 1, erf},
    {"sqrt", FUNCTION, 1, sqrt},
    {"rint", FUNCTION, 1, rint},
};

/* The text while it is read. */
struct reader {
    const char *at;
    struct xk_bench_code *code;
    bool bad;
};

static void put(struct reader *r, uint8_t op, double number,
                double (*f)(double))
{
    struct xk_bench_code *const c = r->code;
    if (c->n == XK_COUNTOF(c->at))
        r->bad = true;
    else
        c->at[c->n++] = (struct xk_bench_instruction){op, number, f};
    c->has_function |= op == FUNCTION || op == POW || op == DIV;
}

static bool take_sign(struct reader *r, const char *text)
{
    r->at += strspn(r->at, " ");
    const size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static void read_compare(struct reader *r);

static void read_call_arguments(struct reader *r, unsigned n)
{
    r->bad |= !take_sign(r, "(");
    for (unsigned i = 0; i < n && !r->bad; i++) {
        if (i)
            r->bad |= !take_sign(r, ",");
        read_compare(r);
    }
    r->bad |= !take_sign(r, ")");
}

static void read_word(struct reader *r)
{
    const size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyz0123456789_");
    for (size_t i = 0; n && i < XK_COUNTOF(words); i++)
        if (strlen(words[i].name) == n && !memcmp(words[i].name, r->at, n)) {
            r->at += n;
            if (words[i].n_args)
                read_call_arguments(r, words[i].n_args);
            put(r, words[i].op, 0, words[i].f);
            return;
        }
    r->bad = true;
}

static void read_unary(struct reader *r)
{
    char *end;
    if (r->bad)
        return;
    if (take_sign(r, "-")) {
        read_unary(r);
        put(r, NEG, 0, NULL);
    } else if (take_sign(r, "(")) {
        read_compare(r);
        r->bad |= !take_sign(r, ")");
    } else if (*r->at >= '0' && *r->at <= '9') {
        put(r, NUMBER, strtod(r->at, &end), NULL);
        r->at = end;
    } else {
        read_word(r);
    }
}

struct infix {
    const char *text;
    uint8_t op;
};

/* Operands by `next`, any number joined by one of n operators. */
static void read_infix(struct reader *r, void (*next)(struct reader *),
                       const struct infix *of, size_t n)
{
    next(r);
    for (size_t i = 0; i < n && !r->bad;)
        if (take_sign(r, of[i].text)) {
            next(r);
            put(r, of[i].op, 0, NULL);
            i = 0;
        } else {
            i++;
        }
}

static void read_product(struct reader *r)
{
    static const struct infix of[] = {{"*", MUL}, {"/", DIV}};
    read_infix(r, read_unary, of, XK_COUNTOF(of));
}

static void read_sums(struct reader *r)
{
    static const struct infix of[] = {{"+", ADD}, {"-", SUB}};
    read_infix(r, read_product, of, XK_COUNTOF(of));
}

static void read_compare(struct reader *r)
{
    static const struct infix of[] = {{"<=", LE}, {">=", GE}, {"==", EQ},
                                      {"!=", NE}, {"<", LT},  {">", GT}};
    read_infix(r, read_sums, of, XK_COUNTOF(of));
}

bool xk_bench_code_read(const char *text, struct xk_bench_code *code)
{
    struct reader r = {text, code, false};
    *code = (struct xk_bench_code){0};
    read_compare(&r);
    return !r.bad && !r.at[strspn(r.at, " ")];
}

static struct xk_bench_span ends(double lo, double hi)
{
    return (struct xk_bench_span){.lo = lo, .hi = hi};
}

static struct xk_bench_span span(double a, double b)
{
    return ends(fmin(a, b), fmax(a, b));
}

static struct xk_bench_span hull(struct xk_bench_span a, struct xk_bench_span b)
{
    return (struct xk_bench_span){fmin(a.lo, b.lo), fmax(a.hi, b.hi),
                                  a.nan || b.nan};
}

static struct xk_bench_span negated_span(struct xk_bench_span s)
{
    return (struct xk_bench_span){-s.hi, -s.lo, s.nan};
}

/* What f32 cannot hold is infinite from here on, from half a step above its
 * largest number surely. */
static struct xk_bench_span held(struct xk_bench_span s)
{
    const double most = 0x1.fffffep127, above = 0x1.ffffffp127;
    s.lo = s.lo < -most ? -INFINITY : s.lo >= above ? INFINITY : s.lo;
    s.hi = s.hi > most ? INFINITY : s.hi <= -above ? -INFINITY : s.hi;
    return s;
}

/* What is no f32 value may lie a rounding away. */
static struct xk_bench_span rounded(struct xk_bench_span s)
{
    if (s.lo == s.hi && (double)(float)s.lo == s.lo)
        return s;
    s.lo -= fabs(s.lo) * 0x1p-24;
    s.hi += fabs(s.hi) * 0x1p-24;
    return held(s);
}

/* So many units in the last place of f32, or 1e-6. */
static struct xk_bench_span off_by(double ulps, struct xk_bench_span s)
{
    if (isfinite(s.lo))
        s.lo -= fmax(fabs(s.lo) * ulps * 0x1p-23, 1e-6);
    if (isfinite(s.hi))
        s.hi += fmax(fabs(s.hi) * ulps * 0x1p-23, 1e-6);
    return held(s);
}

static struct xk_bench_span loosened(struct xk_bench_span s)
{
    return off_by(8, s);
}

/* The least and the largest of f at the corners of both intervals. */
static struct xk_bench_span corners(double (*f)(double, double),
                                    struct xk_bench_span a,
                                    struct xk_bench_span b)
{
    const struct xk_bench_span s = span(f(a.lo, b.lo), f(a.lo, b.hi));
    return hull(s, span(f(a.hi, b.lo), f(a.hi, b.hi)));
}

/* What exp2(b * log2(a)) may be off by, if log2 and exp2 are by 4 units in the
 * last place. */
static struct xk_bench_span power(struct xk_bench_span a,
                                  struct xk_bench_span b)
{
    struct xk_bench_span s = corners(pow, a, b);
    if (a.lo < 0 && a.hi > 0) /* an even power has its least value there */
        s = hull(s, corners(pow, span(0, 0), b));
    const double most = fmax(fabs(a.lo), fabs(a.hi));
    const double least = fmin(fabs(a.lo), fabs(a.hi));
    const double l = fmax(fabs(log2(most)), fabs(log2(least)));
    if (!isfinite(l))
        return loosened(s);
    return off_by(8 + M_LN2 * fabs(b.hi) * 5 * fmax(l, 1), s);
}

static double times(double a, double b)
{
    return a * b;
}

static double over(double a, double b)
{
    return a / b;
}

/* 0 or 1, or both. */
static struct xk_bench_span compared(uint8_t op, struct xk_bench_span a,
                                     struct xk_bench_span b)
{
    const bool point = a.lo == a.hi && b.lo == b.hi;
    const bool apart = a.hi < b.lo || b.hi < a.lo;
    switch (op) {
    case LT:
        return ends(a.hi < b.lo, a.lo < b.hi);
    case LE:
        return ends(a.hi <= b.lo, a.lo <= b.hi);
    case EQ:
        return ends(point && a.lo == b.lo, !apart);
    default:
        return ends(apart, !(point && a.lo == b.lo));
    }
}

static bool spans_zero(struct xk_bench_span s)
{
    return s.lo <= 0 && s.hi >= 0;
}

static bool spans_infinity(struct xk_bench_span s)
{
    return isinf(s.lo) || isinf(s.hi);
}

/* Infinities of both signs add up to a NaN, and so do others; a negative number
 * has no broken power. */
static bool may_be_nan(uint8_t op, struct xk_bench_span a,
                       struct xk_bench_span b)
{
    switch (op) {
    case ADD:
        return isnan(a.lo + b.hi) || isnan(a.hi + b.lo);
    case SUB:
        return isnan(a.lo - b.lo) || isnan(a.hi - b.hi);
    case MUL:
        return (spans_zero(a) && spans_infinity(b)) ||
               (spans_infinity(a) && spans_zero(b));
    case DIV:
        return (spans_zero(a) && spans_zero(b)) ||
               (spans_infinity(a) && spans_infinity(b));
    case POW:
        return a.lo < 0 && (b.lo != b.hi || b.lo != rint(b.lo));
    default:
        return false;
    }
}

/* With operands that may be NaNs: min and max are the other one then, and
 * nothing compares with a NaN. */
static struct xk_bench_span with_nan(uint8_t op, struct xk_bench_span s,
                                     struct xk_bench_span a,
                                     struct xk_bench_span b)
{
    if (op >= LT && op <= NE)
        return a.nan || b.nan ? hull(s, span(op == NE, op == NE)) : s;
    s.nan = a.nan || b.nan || may_be_nan(op, a, b);
    if (op == MIN || op == MAX) {
        s = a.nan ? hull(s, b) : s;
        s = b.nan ? hull(s, a) : s;
        s.nan = a.nan && b.nan;
    }
    return s;
}

static struct xk_bench_span of_two(uint8_t op, struct xk_bench_span a,
                                   struct xk_bench_span b)
{
    switch (op) {
    case ADD:
        return rounded(ends(a.lo + b.lo, a.hi + b.hi));
    case SUB:
        return rounded(ends(a.lo - b.hi, a.hi - b.lo));
    case MUL:
        return rounded(corners(times, a, b));
    case DIV:
        return loosened(corners(over, a, b));
    case POW:
        return power(a, b);
    case MIN:
        return ends(fmin(a.lo, b.lo), fmin(a.hi, b.hi));
    case MAX:
        return ends(fmax(a.lo, b.lo), fmax(a.hi, b.hi));
    case GT:
        return compared(LT, b, a);
    case GE:
        return compared(LE, b, a);
    default:
        return compared(op, a, b);
    }
}

static struct xk_bench_span function(double (*f)(double),
                                     struct xk_bench_span a)
{
    if (a.lo < 0 && isnan(f(a.lo)) && !isnan(f(a.hi))) {
        a.lo = 0; /* the logarithm or root of what may be 0, or below */
        a.nan = true;
    }
    struct xk_bench_span s = span(f(a.lo), f(a.hi));
    if (f != rint)
        s = loosened(s);
    s.nan = a.nan;
    return s;
}

struct xk_bench_span xk_bench_code_run(const struct xk_bench_code *c,
                                       const struct xk_bench_values *v)
{
    const double number[] = {[OLD] = v->old,
                             [RHS] = v->rhs,
                             [ALPHA] = v->alpha,
                             [BETA] = v->beta,
                             [ZERO] = v->zero};
    struct xk_bench_span s[XK_COUNTOF(c->at) + 1];
    unsigned n = 0;
    for (unsigned i = 0; i < c->n; i++) {
        const struct xk_bench_instruction *const k = &c->at[i];
        if (k->op == NUMBER)
            s[n++] = span((double)(float)k->number, (double)(float)k->number);
        else if (k->op == X)
            s[n++] = v->x;
        else if (k->op <= ZERO)
            s[n++] = span(number[k->op], number[k->op]);
        else if (k->op <= POW)
            n--, s[n - 1] = with_nan(k->op, of_two(k->op, s[n - 1], s[n]),
                                     s[n - 1], s[n]);
        else if (k->op == NEG)
            s[n - 1] = negated_span(s[n - 1]);
        else if (k->op == FUNCTION)
            s[n - 1] = function(k->f, s[n - 1]);
        else {
            n -= 2;
            const struct xk_bench_span if_not = s[n + 1], is = s[n - 1];
            s[n - 1] = is.lo == is.hi ? (is.lo != 0 ? s[n] : if_not)
                                      : hull(s[n], if_not);
        }
    }
    return s[0];
}
