/* SPDX-License-Identifier: Apache-2.0 */
/* bool values live in flag subregisters, a bit a lane. A scalar fills all
 * sixteen bits, so broadcasting it is free. Variables may hold two of the four
 * subregisters. Further bool variables are kept in GRF words. */
#include "codegen/cg.h"

#define XK_CG_FLAG_LANES 16
#define XK_CG_FLAGS_KEPT_FREE 2

/* They are taken in turn, so that values which follow each other need not wait
 * for a register. */
int xk_cg_flag_alloc(struct xk_cg *g)
{
    for (int k = 0; k < XK_CG_N_FLAGS; k++) {
        const int f = (g->flag_next + k) % XK_CG_N_FLAGS;
        if (g->flag_used[f])
            continue;
        g->flag_used[f] = true;
        g->flag_next = (uint8_t)((f + 1) % XK_CG_N_FLAGS);
        return f;
    }
    xk_fail(g->c, XK_ENOFIT, "codegen: more than %d flags live at once",
            XK_CG_N_FLAGS);
    return 0;
}

void xk_cg_flag_free(struct xk_cg *g, const struct xk_cg_val *v)
{
    if (v->kind == XK_CG_FLAG && v->temp)
        g->flag_used[v->flag] = false;
}

void xk_cg_predicate(struct xk_inst *i, const struct xk_cg_val *flag)
{
    i->pred = XK_PRED_NORMAL;
    i->pred_inv = flag->inv;
    i->flag_reg = flag->flag / 2;
    i->flag_sub = flag->flag % 2;
}

static struct xk_cg_val new_flag(struct xk_cg *g)
{
    return (struct xk_cg_val){.kind = XK_CG_FLAG,
                              .dt = XK_DT_BOOL,
                              .temp = true,
                              .flag = (uint8_t)xk_cg_flag_alloc(g)};
}

/* d = a op b on whole subregisters; op MOV ignores b. */
static void flag_op(struct xk_cg *g, enum xk_opcode op,
                    const struct xk_cg_val *d, const struct xk_cg_val *a,
                    const struct xk_cg_val *b)
{
    struct xk_inst *const i = xk_cg_emit(g, op, 1);
    i->dst = xk_cg_flag_opnd(d->flag, false);
    i->src[0] = xk_cg_flag_opnd(a->flag, true);
    if (b) {
        i->src[0].neg = a->inv;
        i->src[1] = xk_cg_flag_opnd(b->flag, true);
        i->src[1].neg = b->inv;
    }
}

/* The same value, in a flag of its own, not inverted. */
static struct xk_cg_val owned(struct xk_cg *g, struct xk_cg_val v)
{
    if (v.temp && !v.inv)
        return v;
    const struct xk_cg_val d = v.temp ? v : new_flag(g);
    flag_op(g, v.inv ? XK_OPC_NOT : XK_OPC_MOV, &d, &v, NULL);
    v = d;
    v.inv = false;
    return v;
}

static enum xk_cond cond_of(enum xk_op op, bool swapped)
{
    switch (op) {
    case XK_OP_EQ:
        return XK_COND_EQ;
    case XK_OP_NE:
        return XK_COND_NE;
    case XK_OP_LT:
        return swapped ? XK_COND_GT : XK_COND_LT;
    case XK_OP_LE:
        return swapped ? XK_COND_GE : XK_COND_LE;
    case XK_OP_GT:
        return swapped ? XK_COND_LT : XK_COND_GT;
    default:
        return swapped ? XK_COND_LE : XK_COND_GE;
    }
}

static const xk_expr *below_bcast(const xk_expr *e)
{
    while (xk_op(e) == XK_OP_BCAST)
        e = xk_kid(e, 0);
    return e;
}

/* If `and`, the result goes to *f and is computed under mask *f itself (lanes
 * that are off stay off). Else *f becomes a new flag, which is taken when the
 * operands are there: these may be chains of comparisons. */
static void compare_to_flag(struct xk_cg *g, const xk_expr *e, unsigned lanes,
                            struct xk_cg_val *f, bool and)
{
    struct xk_cg_val a = xk_cg_eval_settled(g, xk_kid(e, 0), NULL);
    struct xk_cg_val b = xk_cg_eval_settled(g, xk_kid(e, 1), NULL);
    const bool swap = a.kind == XK_CG_IMM && b.kind != XK_CG_IMM;
    if (a.dt == XK_DT_U64 || b.dt == XK_DT_U64)
        xk_fail(g->c, XK_EUNSUPPORTED, "codegen: compare of u64");
    if (swap) {
        const struct xk_cg_val t = a;
        a = b;
        b = t;
    }
    const struct xk_cg_val aligned = {.stride = 1};
    a = xk_cg_align(g, xk_cg_in_reg(g, a), &aligned, lanes);
    b = xk_cg_align(g, b, &aligned, lanes);
    if (!and)
        *f = new_flag(g);
    const struct xk_cg_val *const v[] = {&a, &b};
    for (unsigned at = 0, n; at < lanes; at += n) {
        n = xk_cg_piece(g, v, 2, at, lanes - at);
        struct xk_inst *const i = xk_cg_emit(g, XK_OPC_CMP, n);
        i->chan_off = (uint8_t)at;
        if (and)
            xk_cg_predicate(i, f);
        i->cond = cond_of(xk_op(e), swap);
        i->flag_reg = f->flag / 2;
        i->flag_sub = f->flag % 2;
        i->dst = xk_cg_null(xk_cg_rt(a.dt));
        i->src[0] = xk_cg_src(&a, at, n);
        i->src[1] = xk_cg_src(&b, at, n);
    }
}

static struct xk_cg_val eval_flag(struct xk_cg *g, const xk_expr *e,
                                  unsigned lanes);

/* The condition of the two that decides, where the other one is constant; NULL:
 * both decide. */
static const xk_expr *one_side(struct xk_cg *g, const xk_expr *e)
{
    int64_t k;
    for (unsigned i = 0; i < 2 && xk_op(e) != XK_OP_XOR; i++)
        if (xk_cg_const(g, xk_kid(e, i), &k) &&
            (k != 0) == (xk_op(e) == XK_OP_AND))
            return below_bcast(xk_kid(e, 1 - i));
    return NULL;
}

/* Flags that a condition takes while it is computed, its own included; 0: that
 * of a variable. */
static unsigned flags_wanted(struct xk_cg *g, const xk_expr *e)
{
    e = below_bcast(e);
    if (xk_op(e) == XK_OP_NOT)
        return flags_wanted(g, xk_kid(e, 0));
    if (xk_op(e) == XK_OP_VAR) {
        const struct xk_cg_var *const v = xk_cg_lookup(g, e);
        return !v || v->bind == XK_CG_BOOL_WORD || v->val.kind != XK_CG_FLAG;
    }
    if (xk_op(e) != XK_OP_AND && xk_op(e) != XK_OP_OR && xk_op(e) != XK_OP_XOR)
        return 1;
    const xk_expr *const x = below_bcast(xk_kid(e, 0)), *const y = below_bcast(
                                                            xk_kid(e, 1));
    const unsigned a = flags_wanted(g, x), b = flags_wanted(g, y);
    const bool under_mask =
        xk_op(e) == XK_OP_AND &&
        (xk_op_is_compare(xk_op(x)) || xk_op_is_compare(xk_op(y)));
    if (under_mask)
        return a > b ? a : b;
    return a > b + (a > 0) ? a : b + (a > 0);
}

/* Whether the second of two conditions has to be computed first, since there
 * are too few flags for it beside the first one's. */
static bool comes_second(struct xk_cg *g, const xk_expr *a, const xk_expr *b)
{
    const unsigned more = flags_wanted(g, b), less = flags_wanted(g, a);
    unsigned n_free = 0;
    for (unsigned i = 0; i < XK_CG_N_FLAGS; i++)
        n_free += !g->flag_used[i];
    return more > less && more + (less > 0) > n_free;
}

static void swap_conditions(const xk_expr **a, const xk_expr **b)
{
    const xk_expr *const t = *a;
    *a = *b;
    *b = t;
}

static struct xk_cg_val eval_logic_flag(struct xk_cg *g, const xk_expr *e,
                                        unsigned lanes)
{
    const xk_expr *const side = one_side(g, e);
    if (side)
        return eval_flag(g, side, lanes);
    const xk_expr *a = below_bcast(xk_kid(e, 0));
    const xk_expr *b = below_bcast(xk_kid(e, 1));
    if (!xk_op_is_compare(xk_op(b)) && xk_op_is_compare(xk_op(a)))
        swap_conditions(&a, &b);
    if (xk_op(e) == XK_OP_AND && xk_op_is_compare(xk_op(b))) {
        struct xk_cg_val f = eval_flag(g, a, lanes);
        if (f.temp) {
            f = owned(g, f);
            compare_to_flag(g, b, lanes, &f, true);
            return f;
        }
        const struct xk_cg_val d = eval_flag(g, b, lanes);
        flag_op(g, XK_OPC_AND, &d, &d, &f);
        return d;
    }
    if (comes_second(g, a, b))
        swap_conditions(&a, &b);
    const struct xk_cg_val x = eval_flag(g, a, lanes),
                           y = eval_flag(g, b, lanes);
    struct xk_cg_val d = x.temp ? x : y.temp ? y : new_flag(g);
    d.inv = false;
    flag_op(g,
            xk_op(e) == XK_OP_AND  ? XK_OPC_AND
            : xk_op(e) == XK_OP_OR ? XK_OPC_OR
                                   : XK_OPC_XOR,
            &d, &x, &y);
    if (x.temp && y.temp)
        xk_cg_flag_free(g, &y);
    return d;
}

static struct xk_cg_val load_word(struct xk_cg *g, const struct xk_cg_val *w)
{
    const struct xk_cg_val f = new_flag(g);
    struct xk_inst *const i = xk_cg_emit(g, XK_OPC_MOV, 1);
    i->dst = xk_cg_flag_opnd(f.flag, false);
    i->src[0] = xk_cg_src(w, 0, 1);
    return f;
}

static struct xk_cg_val eval_flag(struct xk_cg *g, const xk_expr *e,
                                  unsigned lanes)
{
    int64_t k;
    struct xk_cg_val f = {.kind = XK_CG_FLAG};
    if (!xk_cg_ok(g))
        return f;
    e = below_bcast(e);
    if (xk_op_is_compare(xk_op(e))) {
        compare_to_flag(g, e, lanes, &f, false);
        return f;
    }
    switch (xk_op(e)) {
    case XK_OP_VAR: {
        const struct xk_cg_var *const v = xk_cg_lookup(g, e);
        if (v && v->bind == XK_CG_BOOL_WORD)
            return load_word(g, &v->val);
        if (v && v->val.kind == XK_CG_FLAG)
            return v->val;
    }
    /* fall through */
    case XK_OP_IMM:
        if (xk_cg_const(g, e, &k)) {
            const struct xk_cg_val w = xk_cg_imm(XK_DT_U16, k ? UINT16_MAX : 0);
            return load_word(g, &w);
        }
        break;
    case XK_OP_NOT:
        f = eval_flag(g, xk_kid(e, 0), lanes);
        f.inv = !f.inv;
        return f;
    case XK_OP_AND:
    case XK_OP_OR:
    case XK_OP_XOR:
        return eval_logic_flag(g, e, lanes);
    default:
        break;
    }
    xk_fail(g->c, XK_EUNSUPPORTED, "codegen: bool %s is not implemented",
            xk_op_text(xk_op(e)));
    return f;
}

/* A value of kind FLAG; to be given back with xk_cg_flag_free. */
struct xk_cg_val xk_cg_eval_bool(struct xk_cg *g, const xk_expr *e)
{
    const struct xk_type t = xk_type_of(e);
    if (t.dt != XK_DT_BOOL || t.lanes > XK_CG_FLAG_LANES) {
        xk_fail(g->c, XK_EUNSUPPORTED,
                "codegen: condition of %s x%u, at most "
                "%d lanes",
                xk_dtype_name(t.dt), t.lanes, XK_CG_FLAG_LANES);
        return (struct xk_cg_val){.kind = XK_CG_FLAG};
    }
    return eval_flag(g, e, t.lanes == 1 ? XK_CG_FLAG_LANES : t.lanes);
}

void xk_cg_bind_bool(struct xk_cg *g, const xk_expr *var, const xk_expr *value)
{
    int64_t k;
    const bool known = xk_cg_const(g, value, &k);
    struct xk_cg_val f;
    if (known)
        f = xk_cg_imm(XK_DT_BOOL, k);
    else
        f = owned(g, xk_cg_eval_bool(g, value));
    struct xk_cg_var *const v = xk_cg_bind(g, var);
    if (!v || !xk_cg_ok(g))
        return;
    unsigned n_free = 0;
    for (unsigned i = 0; i < XK_CG_N_FLAGS; i++)
        n_free += !g->flag_used[i];
    v->bind = XK_CG_VALUE;
    v->val = f;
    v->val.temp = false;
    if (known || n_free >= XK_CG_FLAGS_KEPT_FREE)
        return;
    v->bind = XK_CG_BOOL_WORD;
    v->val = xk_cg_temp(g, XK_DT_U16, 1);
    struct xk_inst *const i = xk_cg_emit(g, XK_OPC_MOV, 1);
    i->dst = xk_cg_dst(&v->val, 0);
    i->src[0] = xk_cg_flag_opnd(f.flag, true);
    xk_cg_flag_free(g, &f);
}
