/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive descent for expressions. Infix chains are loops, brackets recurse
 * to a fixed depth. A number without a type takes the type of the other
 * operand, s32 or f32 if there is none. */
#include "ir/parse.h"

#include <string.h>

/* An expression, whether it is a number without a type, and its height. */
struct value {
    const xk_expr *e;
    bool bare;
    uint32_t height;
};

static const struct value no_value = {NULL, false, 0};
enum { MAX_HEIGHT = 2000, MAX_ARGS = 8 };

static struct value parse_infix(struct xk_parse *p, int min_prec);

void xk_parse_init(struct xk_parse *p, xk_ctx *c, const char *text)
{
    memset(p, 0, sizeof(*p));
    p->c = c;
    xk_lexer_init(&p->lexer, text);
    xk_parse_advance(p);
}

void xk_parse_fini(struct xk_parse *p)
{
    xk_free(p->c, p->symbol);
}

void xk_parse_advance(struct xk_parse *p)
{
    p->tok = xk_lexer_next(&p->lexer);
}

bool xk_parse_accept(struct xk_parse *p, const char *text)
{
    if (!xk_token_is(&p->tok, text))
        return false;
    xk_parse_advance(p);
    return true;
}

bool xk_parse_fail(struct xk_parse *p, const char *what)
{
    const struct xk_token *const t = &p->tok;
    if (t->kind == XK_TOKEN_BAD)
        what = t->u.why;
    const int n = t->n < 40 ? (int)t->n : 40;
    xk_fail(p->c, XK_EPARSE, "ir text: line %u, column %u: %s at '%.*s'",
            t->line, t->column, what, n, t->kind == XK_TOKEN_END ? "" : t->s);
    return false;
}

bool xk_parse_expect(struct xk_parse *p, const char *text)
{
    char what[40];
    if (xk_parse_accept(p, text))
        return true;
    const size_t n = strlen(text);
    memcpy(what, "expected '", 10);
    memcpy(what + 10, text, n);
    memcpy(what + 10 + n, "'", 2);
    return xk_parse_fail(p, what);
}

bool xk_parse_wrap(struct xk_parse *p, struct xk_token at)
{
    struct xk_error *const e = &p->c->error;
    if (e->status != XK_EINVAL)
        return false;
    char what[400];
    const size_t n = strlen(e->message);
    const size_t keep = n < sizeof(what) ? n : sizeof(what) - 1;
    memcpy(what, e->message, keep);
    what[keep] = 0;
    xk_ctx_clear(p->c);
    xk_fail(p->c, XK_EPARSE, "ir text: line %u, column %u: %s", at.line,
            at.column, what);
    return false;
}

bool xk_parse_uint(struct xk_parse *p, uint64_t max, uint64_t *v)
{
    if (p->tok.kind != XK_TOKEN_INT)
        return xk_parse_fail(p, "expected a number");
    if (p->tok.u.integer > max)
        return xk_parse_fail(p, "number too large");
    *v = p->tok.u.integer;
    xk_parse_advance(p);
    return true;
}

static bool parse_lanes(const char *s, uint32_t n, uint16_t *lanes)
{
    uint32_t v = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        v = v * 10 + (uint32_t)(s[i] - '0');
        if (v > UINT16_MAX)
            return false;
    }
    *lanes = (uint16_t)v;
    return n && v;
}

/* "f32", "s32x16", "ptr.grf". */
static bool type_of_word(const char *s, uint32_t n, struct xk_type *t)
{
    static const char *const spaces[] = {"", "ptr.global", "ptr.slm",
                                         "ptr.grf"};
    for (unsigned i = 1; i < XK_COUNTOF(spaces); i++) {
        if (n == strlen(spaces[i]) && !memcmp(s, spaces[i], n)) {
            *t = xk_type_ptr((enum xk_space)i);
            return true;
        }
    }
    const char *const x = memchr(s, 'x', n);
    const uint32_t n_dt = x ? (uint32_t)(x - s) : n;
    *t = xk_type_vec(xk_dtype_find(s, n_dt), 1);
    if (!t->dt)
        return false;
    return !x || parse_lanes(x + 1, n - n_dt - 1, &t->lanes);
}

bool xk_parse_type(struct xk_parse *p, struct xk_type *t)
{
    if (p->tok.kind != XK_TOKEN_WORD || !type_of_word(p->tok.s, p->tok.n, t))
        return xk_parse_fail(p, "expected a type");
    xk_parse_advance(p);
    return true;
}

bool xk_parse_push(struct xk_parse *p, struct xk_token word, const xk_expr *var)
{
    if (p->n_symbols >= XK_PARSE_MAX_SYMBOLS)
        return xk_parse_fail(p, "too many variables in scope");
    if (!xk_grow(p->c, &p->symbol, p->n_symbols, &p->symbols_cap,
                 sizeof(*p->symbol)))
        return false;
    const struct xk_parse_symbol s = {word.s, word.n, var};
    p->symbol[p->n_symbols++] = s;
    return true;
}

const xk_expr *xk_parse_bind(struct xk_parse *p, struct xk_token word,
                             struct xk_type t)
{
    char name[64];
    const char *const dot = memchr(word.s, '.', word.n);
    size_t n = dot ? (size_t)(dot - word.s) : word.n;
    if (n >= sizeof(name))
        n = sizeof(name) - 1;
    memcpy(name, word.s, n);
    name[n] = 0;
    const xk_expr *const var = xk_var(p->c, t, name);
    if (!var) {
        xk_parse_wrap(p, word);
        return NULL;
    }
    return xk_parse_push(p, word, var) ? var : NULL;
}

static const xk_expr *find_symbol(const struct xk_parse *p,
                                  const struct xk_token *word)
{
    for (uint32_t i = p->n_symbols; i-- > 0;) {
        const struct xk_parse_symbol *const s = &p->symbol[i];
        if (s->n == word->n && !memcmp(s->s, word->s, s->n))
            return s->var;
    }
    return NULL;
}

const xk_expr *xk_parse_symbol(struct xk_parse *p)
{
    const struct xk_token at = p->tok;
    const xk_expr *const var =
        at.kind == XK_TOKEN_WORD ? find_symbol(p, &at) : NULL;
    if (!var)
        xk_parse_fail(p, "no such variable in scope");
    else
        xk_parse_advance(p);
    return var;
}

/* A bare number becomes the type of what it meets. */
static void adapt(xk_ctx *c, struct value *v, const struct xk_type t)
{
    if (!v->e || !v->bare || t.space || !t.dt || xk_type_of(v->e).dt == t.dt)
        return;
    const enum xk_dtype dt = (enum xk_dtype)t.dt;
    if (xk_op(v->e) == XK_OP_IMM) {
        if (dt != XK_DT_BOOL)
            v->e = xk_imm(c, dt, xk_imm_value(v->e));
    } else if (xk_dtype_is_float(dt)) {
        v->e = xk_fimm(c, dt, xk_fimm_value(v->e));
    }
}

static void adapt_pair(xk_ctx *c, struct value *a, struct value *b)
{
    if (!a->e || !b->e)
        return;
    if (b->bare && !a->bare)
        adapt(c, b, xk_type_of(a->e));
    else if (a->bare && !b->bare)
        adapt(c, a, xk_type_of(b->e));
    else if (a->bare && b->bare && xk_op(a->e) != xk_op(b->e))
        adapt(c, xk_op(a->e) == XK_OP_IMM ? a : b, xk_type_vec(XK_DT_F32, 1));
}

static struct value finish_value(struct xk_parse *p, struct xk_token at,
                                 const xk_expr *e, uint32_t height)
{
    const struct value v = {e, false, height};
    if (!e) {
        xk_parse_wrap(p, at);
        return no_value;
    }
    if (height > MAX_HEIGHT) {
        xk_parse_fail(p, "expression too deep");
        return no_value;
    }
    return v;
}

/* ":u16" after a number; dt stays if there is none. */
static bool parse_type_suffix(struct xk_parse *p, enum xk_dtype *dt)
{
    struct xk_type t;
    if (!xk_parse_accept(p, ":"))
        return false;
    if (!xk_parse_type(p, &t) || t.lanes != 1 || t.space) {
        xk_parse_fail(p, "expected an element type");
        *dt = XK_DT_UNDEF;
        return true;
    }
    *dt = (enum xk_dtype)t.dt;
    return true;
}

static bool literal_fits(enum xk_dtype dt, uint64_t magnitude, bool negative)
{
    const int64_t v = (int64_t)(negative ? 0 - magnitude : magnitude);
    if (dt == XK_DT_U64)
        return !negative || !magnitude;
    if (negative ? magnitude > (uint64_t)1 << 63 : magnitude >> 63)
        return false;
    return xk_imm_wrap(dt, v) == v;
}

static struct value parse_number(struct xk_parse *p, bool negative)
{
    const struct xk_token at = p->tok;
    const bool real = at.kind == XK_TOKEN_FLOAT;
    enum xk_dtype dt = real ? XK_DT_F32 : XK_DT_S32;
    xk_parse_advance(p);
    const bool typed = parse_type_suffix(p, &dt);
    const xk_expr *e = NULL;
    if (dt == XK_DT_UNDEF)
        return no_value;
    if (real) {
        e = xk_fimm(p->c, dt, negative ? -at.u.real : at.u.real);
    } else if (!typed && !literal_fits(dt, at.u.integer, negative) &&
               literal_fits(XK_DT_S64, at.u.integer, negative)) {
        e = xk_imm(p->c, XK_DT_S64,
                   (int64_t)(negative ? 0 - at.u.integer : at.u.integer));
    } else if (xk_dtype_is_float(dt)) {
        e = xk_fimm(p->c, dt,
                    negative ? -(double)at.u.integer : (double)at.u.integer);
    } else if (literal_fits(dt, at.u.integer, negative)) {
        e = xk_imm(p->c, dt,
                   (int64_t)(negative ? 0 - at.u.integer : at.u.integer));
    } else {
        p->tok = at;
        xk_parse_fail(p, "number does not fit its type");
        return no_value;
    }
    struct value v = finish_value(p, at, e, 1);
    v.bare = !typed;
    return v;
}

/* fbits(0x7ff0000000000000):f32, the bits of a double. */
static struct value parse_fbits(struct xk_parse *p, struct xk_token at)
{
    uint64_t bits;
    double v;
    enum xk_dtype dt = XK_DT_F32;
    if (!xk_parse_expect(p, "(") || !xk_parse_uint(p, UINT64_MAX, &bits) ||
        !xk_parse_expect(p, ")"))
        return no_value;
    parse_type_suffix(p, &dt);
    memcpy(&v, &bits, sizeof(v));
    return finish_value(p, at, xk_fimm(p->c, dt, v), 1);
}

static bool parse_args(struct xk_parse *p, struct value *args, unsigned n)
{
    if (!xk_parse_expect(p, "("))
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (i && !xk_parse_expect(p, ","))
            return false;
        args[i] = parse_infix(p, 1);
        if (!args[i].e)
            return false;
    }
    return xk_parse_expect(p, ")");
}

static uint32_t max_height(const struct value *v, unsigned n)
{
    uint32_t h = 0;
    for (unsigned i = 0; i < n; i++)
        h = v[i].height > h ? v[i].height : h;
    return h + 1;
}

/* shuffle[0, 2, 4](x) */
static struct value parse_shuffle(struct xk_parse *p, struct xk_token at)
{
    uint16_t index[1024];
    unsigned n = 0;
    struct value a;
    if (!xk_parse_expect(p, "["))
        return no_value;
    do {
        uint64_t v;
        if (n == XK_COUNTOF(index)) {
            xk_parse_fail(p, "too many lanes");
            return no_value;
        }
        if (!xk_parse_uint(p, UINT16_MAX, &v))
            return no_value;
        index[n++] = (uint16_t)v;
    } while (xk_parse_accept(p, ","));
    if (!xk_parse_expect(p, "]") || !parse_args(p, &a, 1))
        return no_value;
    return finish_value(p, at, xk_shuffle(p->c, a.e, index, n), a.height + 1);
}

/* cast.f32(x), bits.f32(x), ramp.16(b, s), bcast.16(x): the word has the
 * parameter. */
static struct value parse_dotted(struct xk_parse *p, struct xk_token at,
                                 enum xk_op op)
{
    const uint32_t skip = (uint32_t)strlen(xk_op_text(op)) + 1;
    struct value a[2];
    uint16_t lanes;
    if (op == XK_OP_CAST || op == XK_OP_BITS) {
        const enum xk_dtype dt = xk_dtype_find(at.s + skip, at.n - skip);
        if (!parse_args(p, a, 1))
            return no_value;
        return finish_value(p, at,
                            op == XK_OP_CAST ? xk_cast(p->c, dt, a[0].e)
                                             : xk_bits(p->c, dt, a[0].e),
                            a[0].height + 1);
    }
    if (!parse_lanes(at.s + skip, at.n - skip, &lanes)) {
        xk_parse_fail(p, "expected a number of lanes");
        return no_value;
    }
    const unsigned n = op == XK_OP_RAMP ? 2 : 1;
    if (!parse_args(p, a, n))
        return no_value;
    if (op == XK_OP_BCAST)
        return finish_value(p, at, xk_bcast(p->c, a[0].e, lanes),
                            a[0].height + 1);
    adapt_pair(p->c, &a[0], &a[1]);
    return finish_value(p, at, xk_ramp(p->c, a[0].e, a[1].e, lanes),
                        max_height(a, 2));
}

static struct value parse_call(struct xk_parse *p, struct xk_token at,
                               enum xk_op op)
{
    const unsigned n = (unsigned)xk_op_n_kids(op);
    struct value a[MAX_ARGS];
    if (!parse_args(p, a, n))
        return no_value;
    const uint32_t h = max_height(a, n);
    const unsigned first = op == XK_OP_SELECT; /* the condition has its own */
    for (unsigned i = first; i + 1 < n; i++) {
        for (unsigned j = i + 1; j < n; j++)
            adapt_pair(p->c, &a[i], &a[j]);
    }
    if (n == 1)
        return finish_value(p, at, xk_un(p->c, op, a[0].e), h);
    if (n == 2)
        return finish_value(p, at, xk_bin(p->c, op, a[0].e, a[1].e), h);
    return finish_value(p, at, xk_ternary(p->c, op, a[0].e, a[1].e, a[2].e), h);
}

static bool is_dotted(enum xk_op op)
{
    return op == XK_OP_CAST || op == XK_OP_BITS || op == XK_OP_RAMP ||
           op == XK_OP_BCAST;
}

/* The op whose text starts the word: "min", "cast.f32". */
static enum xk_op op_of_word(const struct xk_token *t)
{
    for (unsigned op = 0; op < XK_OP_SEQ; op++) {
        const char *const text = xk_op_text((enum xk_op)op);
        if (text[0] != t->s[0])
            continue;
        const size_t n = strlen(text);
        const bool dotted = is_dotted((enum xk_op)op);
        if (xk_op_n_kids((enum xk_op)op) == 0 || op == XK_OP_PTR || t->n < n ||
            memcmp(t->s, text, n))
            continue;
        if (dotted ? t->n > n && t->s[n] == '.' : t->n == n)
            return (enum xk_op)op;
    }
    return XK_N_OPS;
}

static struct value parse_word(struct xk_parse *p)
{
    const struct xk_token at = p->tok;
    const xk_expr *const var = find_symbol(p, &at);
    xk_parse_advance(p);
    if (xk_token_is(&at, "true") || xk_token_is(&at, "false"))
        return finish_value(p, at, xk_imm(p->c, XK_DT_BOOL, at.n == 4), 1);
    const bool call = xk_token_is(&p->tok, "(") || xk_token_is(&p->tok, "[");
    if (var && !xk_token_is(&p->tok, "("))
        return finish_value(p, at, var, 1);
    if (call && xk_token_is(&at, "fbits"))
        return parse_fbits(p, at);
    const enum xk_op op = call ? op_of_word(&at) : XK_N_OPS;
    if (op == XK_OP_SHUFFLE)
        return parse_shuffle(p, at);
    if (is_dotted(op))
        return parse_dotted(p, at, op);
    if (op != XK_N_OPS)
        return parse_call(p, at, op);
    p->tok = at;
    xk_parse_fail(p, call ? "unknown function" : "unknown name");
    return no_value;
}

/* &buf[off] */
static struct value parse_ptr(struct xk_parse *p)
{
    const struct xk_token at = p->tok;
    const xk_expr *const buf =
        at.kind == XK_TOKEN_WORD ? find_symbol(p, &at) : NULL;
    if (!buf) {
        xk_parse_fail(p, "unknown buffer");
        return no_value;
    }
    xk_parse_advance(p);
    if (!xk_parse_expect(p, "["))
        return no_value;
    const struct value off = parse_infix(p, 1);
    if (!off.e || !xk_parse_expect(p, "]"))
        return no_value;
    return finish_value(p, at, xk_ptr(p->c, buf, off.e), off.height + 1);
}

static struct value parse_primary(struct xk_parse *p)
{
    struct value v;
    const struct xk_token at = p->tok;
    if (at.kind == XK_TOKEN_INT || at.kind == XK_TOKEN_FLOAT)
        return parse_number(p, false);
    if (at.kind == XK_TOKEN_WORD)
        return parse_word(p);
    if (xk_parse_accept(p, "(")) {
        v = parse_infix(p, 1);
        return v.e && xk_parse_expect(p, ")") ? v : no_value;
    }
    if (xk_parse_accept(p, "&"))
        return parse_ptr(p);
    const bool minus = xk_token_is(&at, "-");
    if (!minus && !xk_token_is(&at, "!")) {
        xk_parse_fail(p, "expected an expression");
        return no_value;
    }
    xk_parse_advance(p);
    if (minus && (p->tok.kind == XK_TOKEN_INT || p->tok.kind == XK_TOKEN_FLOAT))
        return parse_number(p, true);
    v = parse_infix(p, 9); /* tighter than any infix operator */
    if (!v.e)
        return v;
    return finish_value(p, at, xk_un(p->c, minus ? XK_OP_NEG : XK_OP_NOT, v.e),
                        v.height + 1);
}

static struct value parse_infix(struct xk_parse *p, int min_prec)
{
    if (p->depth >= XK_PARSE_MAX_DEPTH) {
        xk_parse_fail(p, "nested too deeply");
        return no_value;
    }
    p->depth++;
    struct value a = parse_primary(p);
    while (a.e) {
        const struct xk_token at = p->tok;
        const enum xk_op op = xk_syntax_infix(&at);
        const int prec = xk_syntax_precedence(op);
        if (op == XK_N_OPS || prec < min_prec)
            break;
        xk_parse_advance(p);
        struct value b = parse_infix(p, prec + 1);
        if (!b.e) {
            a = no_value;
            break;
        }
        adapt_pair(p->c, &a, &b);
        const uint32_t h = (a.height > b.height ? a.height : b.height) + 1;
        a = finish_value(p, at, xk_bin(p->c, op, a.e, b.e), h);
    }
    p->depth--;
    return a;
}

const xk_expr *xk_parse_value(struct xk_parse *p)
{
    return parse_infix(p, 1).e;
}

const xk_expr *xk_parse_value_as(struct xk_parse *p, struct xk_type t)
{
    struct value v = parse_infix(p, 1);
    adapt(p->c, &v, t);
    return v.e;
}

const xk_expr *xk_parse_expr(xk_ctx *c, const char *text, unsigned n,
                             const char *const *names,
                             const xk_expr *const *vars)
{
    struct xk_parse p;
    const xk_expr *e = NULL;
    if (xk_ctx_status(c) != XK_OK)
        return NULL;
    xk_parse_init(&p, c, text);
    bool ok = true;
    for (unsigned i = 0; ok && i < n; i++) {
        const struct xk_token word = {.kind = XK_TOKEN_WORD,
                                      .s = names[i],
                                      .n = (uint32_t)strlen(names[i])};
        ok = xk_parse_push(&p, word, vars[i]);
    }
    if (ok)
        e = xk_parse_value(&p);
    if (e && p.tok.kind != XK_TOKEN_END) {
        xk_parse_fail(&p, "text after the expression");
        e = NULL;
    }
    xk_parse_fini(&p);
    return e;
}
