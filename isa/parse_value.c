/* SPDX-License-Identifier: Apache-2.0 */
/* Constant expressions and the immediates they become. Integers are 64 bits
 * and wrap, floats are doubles; | ^ & << >> + - * / % bind as in C. */
#include "isa/parse_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/half.h"

#define MAX_DEPTH 32 /* of parentheses and signs */

struct expr {
    struct xk_parser *ps;
    unsigned depth;
    bool spaced; /* see xk_isa_parse_spaced_value */
};

static bool parse_level(struct expr *e, unsigned level, struct xk_value *v);

bool xk_isa_parse_at_value(const struct xk_parser *ps)
{
    const struct xk_token *const t = &ps->tok;

    return t->kind == XK_TOK_INT || t->kind == XK_TOK_FLOAT || t->kind == '-' ||
           t->kind == '~' || t->kind == '(' || xk_isa_token_is(t, "inf") ||
           xk_isa_token_is(t, "qnan") || xk_isa_token_is(t, "snan");
}

/* strtod reads a comma in some locales. */
static bool read_double(const struct xk_token *t, double *out)
{
    char text[128], *end, *dot;

    if (t->n_b >= sizeof(text))
        return false;
    memcpy(text, t->s, t->n_b);
    text[t->n_b] = 0;
    *out = strtod(text, &end);
    dot = strchr(text, '.');
    if (*end && dot) {
        *dot = ',';
        *out = strtod(text, &end);
    }
    return *end == 0;
}

/* qnan(0x1), snan(0x1): the payload is what lies below the quiet bit. */
static bool parse_nan(struct expr *e, struct xk_value *v)
{
    struct xk_value payload = {0};
    const struct xk_token at = e->ps->tok;

    v->kind = XK_VAL_NAN;
    v->quiet = at.s[0] == 'q';
    xk_isa_parse_skip(e->ps);
    if (!xk_isa_parse_want(e->ps, '(', "'(' and the payload of a NaN") ||
        !parse_level(e, 0, &payload) || !xk_isa_parse_want(e->ps, ')', "')'"))
        return false;
    if (payload.kind != XK_VAL_INT || payload.v >> 51 ||
        (!payload.v && !v->quiet))
        return xk_isa_parse_fail(e->ps, &at,
                                 "payload of %s: need an integer, %d..2^51-1",
                                 v->quiet ? "qnan" : "snan", !v->quiet);
    v->v = payload.v;
    return true;
}

static bool parse_value_primary(struct expr *e, struct xk_value *v)
{
    struct xk_parser *const ps = e->ps;
    const struct xk_token t = ps->tok;

    if (xk_isa_token_is(&t, "qnan") || xk_isa_token_is(&t, "snan"))
        return parse_nan(e, v);
    if (t.kind == XK_TOK_INT) {
        v->v = t.value;
        v->decimal = t.decimal;
    } else if (t.kind == XK_TOK_FLOAT) {
        v->kind = XK_VAL_FLOAT;
        if (!read_double(&t, &v->f))
            return xk_isa_parse_fail(ps, &t, "a number of %zu characters",
                                     t.n_b);
    } else if (xk_isa_token_is(&t, "inf")) {
        v->kind = XK_VAL_FLOAT;
        v->f = INFINITY;
    } else if (t.kind == '(') {
        xk_isa_parse_skip(ps);
        return parse_level(e, 0, v) && xk_isa_parse_want(ps, ')', "')'");
    } else {
        return xk_isa_parse_expected(ps, "a constant");
    }
    xk_isa_parse_skip(ps);
    return true;
}

static bool apply_unary(struct expr *e, const struct xk_token *op,
                        struct xk_value *v)
{
    if (op->kind == '~' && v->kind != XK_VAL_INT)
        return xk_isa_parse_fail(e->ps, op,
                                 "'~' before a number that is no "
                                 "integer");
    if (v->kind == XK_VAL_NAN)
        v->negative = !v->negative;
    else if (v->kind == XK_VAL_FLOAT)
        v->f = -v->f;
    else
        v->v = op->kind == '~' ? ~v->v : 0 - v->v;
    return true;
}

static bool parse_unary(struct expr *e, struct xk_value *v)
{
    const struct xk_token op = e->ps->tok;

    if (++e->depth > MAX_DEPTH)
        return xk_isa_parse_fail(
            e->ps, &op, "an expression nested deeper than %d", MAX_DEPTH);
    if (op.kind == '-' || op.kind == '~') {
        xk_isa_parse_skip(e->ps);
        if (!parse_unary(e, v) || !apply_unary(e, &op, v))
            return false;
    } else if (!parse_value_primary(e, v)) {
        return false;
    }
    e->depth--;
    return true;
}

static bool eval_float(struct expr *e, const struct xk_token *op, double a,
                       double b, double *out)
{
    switch (op->kind) {
    case '+':
        *out = a + b;
        return true;
    case '-':
        *out = a - b;
        return true;
    case '*':
        *out = a * b;
        return true;
    case '/':
        *out = a / b;
        return true;
    default:
        return xk_isa_parse_fail(e->ps, op, "'%.*s' needs integers",
                                 (int)op->n_b, op->s);
    }
}

/* Divides signed values; INT64_MIN / -1 wraps like everything else. */
static uint64_t divide_consts(uint64_t a, uint64_t b, bool rest)
{
    if (b == UINT64_MAX)
        return rest ? 0 : 0 - a;
    return (uint64_t)(rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static bool eval_int(struct expr *e, const struct xk_token *op, uint64_t a,
                     uint64_t b, uint64_t *out)
{
    const bool shift = op->kind == XK_TOK_SHL || op->kind == XK_TOK_SHR;

    if ((op->kind == '/' || op->kind == '%') && !b)
        return xk_isa_parse_fail(e->ps, op, "division by zero");
    if (shift && b > 63)
        return xk_isa_parse_fail(e->ps, op, "shift by %lld: need 0..63",
                                 (long long)b);
    switch (op->kind) {
    case '|':
        *out = a | b;
        break;
    case '^':
        *out = a ^ b;
        break;
    case '&':
        *out = a & b;
        break;
    case XK_TOK_SHL:
        *out = a << b;
        break;
    case XK_TOK_SHR:
        *out = (uint64_t)((int64_t)a >> b);
        break;
    case '+':
        *out = a + b;
        break;
    case '-':
        *out = a - b;
        break;
    case '*':
        *out = a * b;
        break;
    default:
        *out = divide_consts(a, b, op->kind == '%');
        break;
    }
    return true;
}

static bool eval_consts(struct expr *e, const struct xk_token *op,
                        struct xk_value *a, const struct xk_value *b)
{
    a->decimal = false;
    if (a->kind == XK_VAL_INT && b->kind == XK_VAL_INT)
        return eval_int(e, op, a->v, b->v, &a->v);
    if (a->kind == XK_VAL_FLOAT && b->kind == XK_VAL_FLOAT)
        return eval_float(e, op, a->f, b->f, &a->f);
    return xk_isa_parse_fail(e->ps, op, "'%.*s' between an integer and a float",
                             (int)op->n_b, op->s);
}

/* Whether the next token is an operator that binds as tightly as level. */
static bool at_operator(const struct expr *e, unsigned level)
{
    static const uint16_t ops[][3] = {
        {'|'},      {'^'},           {'&'}, {XK_TOK_SHL, XK_TOK_SHR},
        {'+', '-'}, {'*', '/', '%'},
    };
    const struct xk_token *const t = &e->ps->tok;

    if (e->spaced && e->depth == 0 && t->kind == '-' && t->spaced &&
        !xk_isa_parse_peek(e->ps, 1).spaced)
        return false;
    for (unsigned k = 0; k < 3; k++) {
        if (ops[level][k] && ops[level][k] == t->kind)
            return true;
    }
    return false;
}

static bool parse_level(struct expr *e, unsigned level, struct xk_value *v)
{
    struct xk_token op;
    struct xk_value right;

    if (level == 6)
        return parse_unary(e, v);
    if (!parse_level(e, level + 1, v))
        return false;
    while (at_operator(e, level)) {
        op = e->ps->tok;
        memset(&right, 0, sizeof(right));
        xk_isa_parse_skip(e->ps);
        if (!parse_level(e, level + 1, &right) ||
            !eval_consts(e, &op, v, &right))
            return false;
    }
    return true;
}

static bool parse_typed_value(struct xk_parser *ps, struct xk_value *v,
                              bool spaced)
{
    struct expr e = {.ps = ps, .spaced = spaced};

    memset(v, 0, sizeof(*v));
    v->at = ps->tok;
    return parse_level(&e, 0, v);
}

bool xk_isa_parse_value(struct xk_parser *ps, struct xk_value *v)
{
    return parse_typed_value(ps, v, false);
}

bool xk_isa_parse_spaced_value(struct xk_parser *ps, struct xk_value *v)
{
    return parse_typed_value(ps, v, true);
}

bool xk_value_int(struct xk_parser *ps, const struct xk_value *v,
                  const char *what, int64_t lo, int64_t hi, int64_t *out)
{
    if (v->kind != XK_VAL_INT)
        return xk_isa_parse_fail(ps, &v->at, "%s: need an integer", what);
    *out = (int64_t)v->v;
    if (*out < lo || *out > hi)
        return xk_isa_parse_fail(ps, &v->at, "%s %lld: need %lld..%lld", what,
                                 (long long)*out, (long long)lo, (long long)hi);
    return true;
}

static bool int_imm(struct xk_parser *ps, const struct xk_value *v,
                    enum xk_reg_type type, uint64_t *bits)
{
    const unsigned n_bits = 8 * xk_reg_type_b(type);
    const int64_t s = (int64_t)v->v;

    if (v->kind != XK_VAL_INT)
        return xk_isa_parse_fail(ps, &v->at,
                                 "immediate of type %s: need an "
                                 "integer",
                                 xk_reg_type_name(type));
    *bits = v->v;
    if (n_bits == 64)
        return true;
    if (s < -(INT64_C(1) << (n_bits - 1)) || s >= INT64_C(1) << n_bits)
        return xk_isa_parse_fail(ps, &v->at,
                                 "immediate %lld of type %s: need %lld..%lld",
                                 (long long)s, xk_reg_type_name(type),
                                 -(1LL << (n_bits - 1)), (1LL << n_bits) - 1);
    *bits &= (UINT64_C(1) << n_bits) - 1;
    return true;
}

static bool nan_imm(struct xk_parser *ps, const struct xk_value *v,
                    enum xk_reg_type type, uint64_t *bits)
{
    const unsigned frac = type == XK_RT_HF ? 10 : type == XK_RT_F ? 23 : 52;
    const unsigned exp = 8 * xk_reg_type_b(type) - 1 - frac;

    if (v->v >> (frac - 1))
        return xk_isa_parse_fail(ps, &v->at,
                                 "NaN payload of type %s: need at "
                                 "most %u bits",
                                 xk_reg_type_name(type), frac - 1);
    *bits = v->v | (uint64_t)v->quiet << (frac - 1) |
            ((UINT64_C(1) << exp) - 1) << frac |
            (uint64_t)v->negative << (frac + exp);
    return true;
}

static uint64_t literal_bits(double f, enum xk_reg_type type)
{
    const float single = (float)f;
    uint32_t w;
    uint64_t q;

    if (type == XK_RT_DF) {
        memcpy(&q, &f, sizeof(q));
        return q;
    }
    if (type == XK_RT_HF)
        return xk_half_from_float(single);
    memcpy(&w, &single, sizeof(w));
    return w;
}

static bool is_infinite(uint64_t bits, enum xk_reg_type type)
{
    return bits == literal_bits((double)INFINITY, type) ||
           bits == literal_bits(-(double)INFINITY, type);
}

static bool float_imm(struct xk_parser *ps, const struct xk_value *v,
                      enum xk_reg_type type, uint64_t *bits)
{
    if (v->kind == XK_VAL_NAN)
        return nan_imm(ps, v, type, bits);
    if (v->kind == XK_VAL_FLOAT) {
        *bits = literal_bits(v->f, type);
        if (isfinite(v->f) && is_infinite(*bits, type))
            return xk_isa_parse_fail(ps, &v->at, "%g is too large for type %s",
                                     v->f, xk_reg_type_name(type));
        return true;
    }
    if (v->decimal && v->v)
        return xk_isa_parse_fail(
            ps, &v->at,
            "immediate of type %s: write %lld.0, or the bits "
            "in hexadecimal",
            xk_reg_type_name(type), (long long)v->v);
    return int_imm(ps, v, type, bits);
}

bool xk_value_imm(struct xk_parser *ps, const struct xk_value *v,
                  enum xk_reg_type type, uint64_t *bits)
{
    if (xk_reg_type_b(type) == 0)
        return xk_isa_parse_fail(ps, &v->at,
                                 "immediate of type %s: there are none",
                                 xk_reg_type_name(type));
    if (type == XK_RT_HF || type == XK_RT_F || type == XK_RT_DF)
        return float_imm(ps, v, type, bits);
    return int_imm(ps, v, type, bits);
}
