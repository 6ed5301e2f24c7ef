/* SPDX-License-Identifier: Apache-2.0 */
/* A row's text as a list of operators. */
#include "views/epi_op.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The first form that holds; its number of vectors in *temps. */
static const char *form_of(const struct xk_epi_op *op, unsigned *temps)
{
    const float alpha = op->alpha, beta = op->beta, zero = op->zero;
    (void)alpha, (void)beta, (void)zero;
#define XK_POST_OP(...)
#define XK_POST_FORM(id, when, n, text)                                        \
    if (op->kind == XK_EPI_##id && (when)) {                                   \
        *temps = n;                                                            \
        return text;                                                           \
    }
#include "views/post_op.def"
#undef XK_POST_OP
#undef XK_POST_FORM
    *temps = 1;
    return xk_post_op_row(op->kind) ? xk_post_op_row(op->kind)->meaning : "";
}

const char *xk_epi_text(const struct xk_epi_op *op)
{
    unsigned temps;
    return form_of(op, &temps);
}

unsigned xk_epi_temps(const struct xk_epi_op *op)
{
    unsigned temps;
    form_of(op, &temps);
    return temps;
}

/* By its text: a product and a sum are one mad, a function's name stands in
 * front of a parenthesis. Sums of columns go where K's loops end, and cost
 * nothing here. */
static unsigned cost_of(const struct xk_epi_op *op)
{
    const char *const text = xk_epi_text(op);
    unsigned products = 0, sums = 0, others = 0;
    if (op->times_b)
        return 0;
    for (const char *c = text; *c; c++) {
        products += *c == '*';
        sums += *c == '+' || *c == '-';
        others += *c == '<' || *c == '>';
        others += *c == '(' && c > text && isalnum((unsigned char)c[-1]);
    }
    return (products > sums ? products : sums) + others;
}

static bool is_function(const struct xk_epi_op *op)
{
    return !op->in_acc && !xk_epi_reads_old(op) && !xk_epi_reads_rhs(op);
}

bool xk_epi_next_run(const struct xk_epi_op *op, unsigned n,
                     struct xk_epi_run *r)
{
    if (r->end >= n)
        return false;
    const bool functions = is_function(&op[r->end]);
    *r = (struct xk_epi_run){.first = r->end, .end = r->end};
    while (r->end < n && is_function(&op[r->end]) == functions)
        r->cost += cost_of(&op[r->end++]);
    r->loops = functions && r->cost >= XK_EPI_LONG_RUN;
    return true;
}

/* Names of a text: its variables, and the steps in front of the value. */
enum { MAX_NAMES = 24, MAX_TEXT = 1024 };
struct names {
    unsigned n;
    const char *name[MAX_NAMES];
    const xk_expr *value[MAX_NAMES];
};

static void add_name(struct names *s, const char *name, const xk_expr *value)
{
    s->name[s->n] = name;
    s->value[s->n++] = value;
}

static const xk_expr *number(xk_ctx *c, float v)
{
    return xk_fimm(c, XK_DT_F32, (double)v);
}

static void make_post_op_names(xk_ctx *c, const struct xk_epi_op *op,
                               struct xk_epi_code *code, struct names *s)
{
    const struct xk_type f32 = xk_type_vec(XK_DT_F32, 1);
    code->x = xk_var(c, f32, "x");
    code->operand = xk_var(c, f32, "y");
    s->n = 0;
    add_name(s, "x", code->x);
    add_name(s, "rhs", code->operand);
    add_name(s, "old", code->operand);
    add_name(s, "alpha", number(c, op->alpha));
    add_name(s, "beta", number(c, op->beta));
    add_name(s, "zero", number(c, op->zero));
    add_name(s, "reciprocal", number(c, 1 / op->alpha));
}

/* "t = value; u = value; value"; text is cut into pieces. */
static const xk_expr *parse_steps(xk_ctx *c, char *text, struct names *s)
{
    for (char *end; (end = strchr(text, ';')); text = end + 1) {
        char *const is = strchr(text, '=');
        if (!is || is > end || s->n == MAX_NAMES)
            return NULL;
        *end = 0;
        const size_t lead = strspn(text, " ");
        text[strcspn(text + lead, " =") + lead] = 0;
        const xk_expr *const v =
            xk_parse_expr(c, is + 1, s->n, s->name, s->value);
        if (!v)
            return NULL;
        add_name(s, text + lead, v);
    }
    return xk_parse_expr(c, text, s->n, s->name, s->value);
}

static int node_index(const struct xk_epi_code *code, const xk_expr *e)
{
    for (unsigned i = 0; i < code->n; i++)
        if (code->node[i].e == e)
            return (int)i;
    return -1;
}

/* e's kids, then e; each once. */
static bool list(struct xk_epi_code *code, const xk_expr *e)
{
    struct xk_epi_node n = {.e = e};
    if (node_index(code, e) >= 0)
        return true;
    for (unsigned i = 0; i < xk_n_kids(e); i++) {
        if (i == XK_COUNTOF(n.kid) || !list(code, xk_kid(e, i)))
            return false;
        n.kid[i] = (uint8_t)node_index(code, xk_kid(e, i));
    }
    if (code->n == XK_EPI_MAX_NODES)
        return false;
    code->node[code->n++] = n;
    return true;
}

enum xk_status xk_epi_compile(xk_ctx *c, const struct xk_epi_op *op,
                              struct xk_epi_code *code)
{
    char text[MAX_TEXT];
    struct names s;
    const char *const form = xk_epi_text(op);
    code->n = 0;
    if (!*form || strlen(form) >= sizeof(text))
        return xk_fail(c, XK_EINTERNAL, "post-op %u has no text", op->kind);
    strcpy(text, form);
    make_post_op_names(c, op, code, &s);
    const xk_expr *const e = parse_steps(c, text, &s);
    if (e && list(code, e))
        return XK_OK;
    XK_TRY(xk_ctx_status(c));
    return xk_fail(c, XK_EINTERNAL, "post-op %u: no steps of IR: %s", op->kind,
                   form);
}

/* Commuting operands in the simplifier's order, which leaves them so: it would
 * make the rest of the epilogue anew with each of them. */
static const xk_expr *build_pair(xk_ctx *c, enum xk_op op, const xk_expr *a,
                                 const xk_expr *b)
{
    const bool turned = xk_op_flags(op) & XK_EF_C && xk_expr_cmp(a, b) > 0;
    return xk_bin(c, op, turned ? b : a, turned ? a : b);
}

/* The operator of e over vectors; a number stays a scalar. */
static const xk_expr *build(xk_ctx *c, const xk_expr *e,
                            const xk_expr *const *k, unsigned lanes)
{
    const enum xk_dtype dt = (enum xk_dtype)xk_type_of(e).dt;
    switch (xk_n_kids(e)) {
    case 0:
        return xk_bcast(c, e, lanes);
    case 1:
        return xk_op(e) == XK_OP_CAST   ? xk_cast(c, dt, k[0])
               : xk_op(e) == XK_OP_BITS ? xk_bits(c, dt, k[0])
                                        : xk_un(c, xk_op(e), k[0]);
    case 2:
        return build_pair(c, xk_op(e), k[0], k[1]);
    default:
        return xk_ternary(c, xk_op(e), k[0], k[1], k[2]);
    }
}

const xk_expr *xk_epi_apply(xk_ctx *c, const struct xk_epi_code *code,
                            const xk_expr *x, const xk_expr *operand)
{
    const xk_expr *value[XK_EPI_MAX_NODES];
    if (!x || !code->n)
        return NULL;
    for (unsigned i = 0; i < code->n; i++) {
        const struct xk_epi_node *const n = &code->node[i];
        const xk_expr *k[XK_COUNTOF(n->kid)] = {NULL};
        for (unsigned j = 0; j < xk_n_kids(n->e); j++)
            k[j] = value[n->kid[j]];
        value[i] = n->e == code->x         ? x
                   : n->e == code->operand ? operand
                   : n->held ? xk_bcast(c, n->held, xk_type_of(x).lanes)
                             : build(c, n->e, k, xk_type_of(x).lanes);
        if (!value[i])
            return NULL;
    }
    return value[code->n - 1];
}

void xk_epi_print(const struct xk_epi_op *op, const char *rhs,
                  struct xk_str *out)
{
    const struct xk_post_op_row *const r = xk_post_op_row(op->kind);
    xk_str_printf(out, "%s", r ? r->name : "?");
    if (xk_epi_reads_rhs(op))
        xk_str_printf(out, " %s", rhs);
    else if (r && r->n_numbers)
        xk_str_printf(out, " %g", (double)op->alpha);
    if (r && r->n_numbers > 1)
        xk_str_printf(out, " %g", (double)op->beta);
    if (op->zero != 0)
        xk_str_printf(out, " less %g", (double)op->zero);
    if (op->in_acc)
        xk_str_printf(out, " in s32");
}
