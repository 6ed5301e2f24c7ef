/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets as sums of terms, for the header pass. */
#include "passes/header.h"

const xk_expr *xk_hd_let_value(const struct xk_hd_pass *p, const xk_expr *var)
{
    const void *v;
    return xk_memo_get(&p->lets, xk_serial(var), &v) ? v : NULL;
}

/* Splitting an offset. */

static void add_header_term(struct xk_hd_pass *p, struct xk_hd_sum *s,
                            const xk_expr *e, int64_t coef, bool scalar)
{
    for (unsigned i = 0; i < s->n; i++) {
        if (s->term[i].e == e && s->term[i].scalar == scalar) {
            s->term[i].coef += coef;
            return;
        }
    }
    if (s->n == XK_HD_MAX_TERMS) {
        s->overflow = true;
        return;
    }
    s->term[s->n++] = (struct xk_hd_term){
        e, coef, scalar, xk_levels_of(&p->levels, e) == p->loop->level};
}

void xk_hd_split(struct xk_hd_pass *p, struct xk_hd_sum *s, const xk_expr *e,
                 int64_t coef, bool scalar);

static void split_mul(struct xk_hd_pass *p, struct xk_hd_sum *s,
                      const xk_expr *e, int64_t coef, bool scalar)
{
    int64_t v;
    if (xk_is_const(xk_kid(e, 1), &v))
        xk_hd_split(p, s, xk_kid(e, 0), coef * v, scalar);
    else if (xk_is_const(xk_kid(e, 0), &v))
        xk_hd_split(p, s, xk_kid(e, 1), coef * v, scalar);
    else
        add_header_term(p, s, e, coef, scalar);
}

/* ramp(b, d) = b + ramp(0, d). */
static void split_ramp(struct xk_hd_pass *p, struct xk_hd_sum *s,
                       const xk_expr *e, int64_t coef)
{
    const xk_expr *const zero =
        xk_imm(p->c, (enum xk_dtype)xk_type_of(e).dt, 0);
    const xk_expr *const r =
        xk_ramp(p->c, zero, xk_kid(e, 1), xk_type_of(e).lanes);
    xk_hd_split(p, s, xk_kid(e, 0), coef, true);
    if (r)
        add_header_term(p, s, r, coef, false);
}

/* A let inside the loop is looked through: outside it does not exist. */
static void split_var(struct xk_hd_pass *p, struct xk_hd_sum *s,
                      const xk_expr *e, int64_t coef, bool scalar)
{
    const xk_expr *const v = xk_levels_of(&p->levels, e) == p->loop->level
                                 ? xk_hd_let_value(p, e)
                                 : NULL;
    if (v)
        xk_hd_split(p, s, v, coef, scalar);
    else
        add_header_term(p, s, e, coef, scalar);
}

/* s += coef * e. */
void xk_hd_split(struct xk_hd_pass *p, struct xk_hd_sum *s, const xk_expr *e,
                 int64_t coef, bool scalar)
{
    int64_t v;
    if (coef > INT32_MAX || coef < INT32_MIN)
        s->overflow = true;
    if (s->overflow)
        return;
    if (xk_is_const(e, &v)) {
        s->constant += coef * v;
        return;
    }
    switch (xk_op(e)) {
    case XK_OP_ADD:
    case XK_OP_SUB:
        xk_hd_split(p, s, xk_kid(e, 0), coef, scalar);
        xk_hd_split(p, s, xk_kid(e, 1), xk_op(e) == XK_OP_SUB ? -coef : coef,
                    scalar);
        return;
    case XK_OP_NEG:
        xk_hd_split(p, s, xk_kid(e, 0), -coef, scalar);
        return;
    case XK_OP_MUL:
        split_mul(p, s, e, coef, scalar);
        return;
    case XK_OP_BCAST:
        xk_hd_split(p, s, xk_kid(e, 0), coef, true);
        return;
    case XK_OP_RAMP:
        split_ramp(p, s, e, coef);
        return;
    case XK_OP_VAR:
        split_var(p, s, e, coef, scalar);
        return;
    default:
        add_header_term(p, s, e, coef, scalar);
        return;
    }
}

/* acc + coef * e; acc may be NULL. */
static const xk_expr *plus_scaled(xk_ctx *c, const xk_expr *acc,
                                  const xk_expr *e, int64_t coef)
{
    const bool minus = acc && coef < 0;
    const int64_t k = minus ? -coef : coef;
    if (k != 1)
        e = xk_bin_imm(c, XK_OP_MUL, e, k);
    if (!acc)
        return e;
    return minus ? xk_sub(c, acc, e) : xk_add(c, acc, e);
}

/* The terms of s that vary, or those that do not. */
struct xk_hd_part xk_hd_part_of(xk_ctx *c, const struct xk_hd_sum *s,
                                bool varies)
{
    struct xk_hd_part r = {NULL, NULL};
    for (unsigned i = 0; i < s->n; i++) {
        const struct xk_hd_term *const t = &s->term[i];
        const xk_expr **const to = t->scalar ? &r.scalar : &r.vec;
        if (t->varies == varies && t->coef)
            *to = plus_scaled(c, *to, t->e, t->coef);
    }
    return r;
}

void xk_hd_add_constant(xk_ctx *c, struct xk_hd_part *part, int64_t v)
{
    const xk_expr *const like = part->scalar ? part->scalar : part->vec;
    const enum xk_dtype dt =
        like ? (enum xk_dtype)xk_type_of(like).dt : XK_DT_S32;
    if (!part->scalar && (v || !part->vec))
        part->scalar = xk_imm(c, dt, dt == XK_DT_U32 ? (uint32_t)v : v);
    else if (v)
        part->scalar = plus_scaled(
            c, part->scalar, xk_imm(c, dt, v < 0 ? -v : v), v < 0 ? -1 : 1);
}
