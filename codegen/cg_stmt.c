/* SPDX-License-Identifier: Apache-2.0 */
/* Statements to instructions, in order. Scopes of IR variables only matter for
 * flags; registers live from first to last touch (regalloc.c). */
#include "base/budget.h"
#include "codegen/cg.h"

struct xk_cg_val xk_cg_place_of(struct xk_cg *g, const xk_expr *ptr,
                                enum xk_dtype dt, unsigned lanes)
{
    const struct xk_cg_val nowhere = {.kind = XK_CG_NONE};
    int64_t off = 0;
    const bool at = xk_op(ptr) == XK_OP_PTR;
    const xk_expr *const buf = at ? xk_kid(ptr, 0) : ptr;
    if (xk_op(buf) != XK_OP_VAR || xk_type_of(buf).space != XK_SPACE_GRF) {
        xk_fail(g->c, XK_EINTERNAL, "codegen: a register buffer is wanted");
        return nowhere;
    }
    const struct xk_cg_var *const v = xk_cg_lookup(g, buf);
    if (!v || v->bind != XK_CG_BUFFER)
        return nowhere;
    if (at && !xk_cg_const(g, xk_kid(ptr, 1), &off)) {
        xk_fail(g->c, XK_EUNSUPPORTED,
                "codegen: an offset into %s is not a "
                "constant in this loop",
                xk_var_name(buf));
        return nowhere;
    }
    const int64_t end = off + (int64_t)(lanes ? lanes * xk_dtype_b(dt) : 0);
    if (off < 0 || end > v->size_b) {
        xk_fail(g->c, XK_EINVAL,
                "codegen: bytes %lld..%lld of buffer %s of %u "
                "bytes",
                (long long)off, (long long)end, xk_var_name(buf), v->size_b);
        return nowhere;
    }
    return xk_cg_reg(dt, v->val.tile, (uint32_t)off, lanes > 1);
}

/* Copies the value, unless the place is the variable's own: the content of a
 * buffer may be overwritten while the variable lives. */
static struct xk_cg_val own_place(struct xk_cg *g, struct xk_cg_val v,
                                  unsigned lanes)
{
    if (v.kind != XK_CG_REG || !g->tile[v.tile].pinned)
        return v;
    const unsigned n = v.stride ? lanes : 1;
    const struct xk_cg_val d = xk_cg_temp(g, (enum xk_dtype)v.dt, n);
    xk_cg_mov(g, &d, &v, n);
    return d;
}

/* Index of the variable, plus 1; 0 on failure. */
static uint32_t bind_value(struct xk_cg *g, const xk_expr *var,
                           const xk_expr *value)
{
    const struct xk_cg_range r = xk_cg_range_of(g, value);
    struct xk_cg_val val = xk_cg_eval_settled(g, value, NULL);
    if (!xk_cg_ok(g))
        return 0;
    val = own_place(g, val, xk_type_of(var).lanes);
    struct xk_cg_var *const v = xk_cg_bind(g, var);
    if (!v)
        return 0;
    v->bind = XK_CG_VALUE;
    v->val = val;
    v->range = r;
    return (uint32_t)(v - g->var) + 1;
}

static enum xk_status add_scope(struct xk_cg *g, struct xk_cg_scope of)
{
    if (!xk_grow(g->c, &g->scope, g->n_scopes, &g->cap_scopes, sizeof(of)))
        return XK_ENOMEM;
    g->scope[g->n_scopes++] = of;
    return XK_OK;
}

/* While the variable is in scope, expressions equal to its value are it. */
static enum xk_status enter_let(struct xk_cg *g, const xk_stmt *s)
{
    const xk_expr *const value = xk_kid(s, 1);
    const uint32_t at = bind_value(g, xk_kid(s, 0), value);
    XK_TRY(xk_ctx_status(g->c));
    if (xk_n_kids(value) == 0)
        return XK_OK;
    if (!xk_cg_map_put(g->c, &g->let_at, xk_serial(value), at))
        return XK_ENOMEM;
    return add_scope(g, (struct xk_cg_scope){value, -1});
}

static enum xk_status begin_bool(struct xk_cg *g, const xk_stmt *s)
{
    const xk_expr *const var = xk_kid(s, 0);
    xk_cg_bind_bool(g, var, xk_kid(s, 1));
    XK_TRY(xk_ctx_status(g->c));
    const struct xk_cg_var *const v = xk_cg_lookup(g, var);
    XK_TRY(xk_ctx_status(g->c));
    return v->val.kind == XK_CG_FLAG
               ? add_scope(g, (struct xk_cg_scope){NULL, v->val.flag})
               : XK_OK;
}

/* The variable that was bound last of those open is out of scope. */
static enum xk_status end_scope(struct xk_cg *g)
{
    const struct xk_cg_scope of = g->scope[--g->n_scopes];
    if (of.flag >= 0)
        g->flag_used[of.flag] = false;
    return !of.value || xk_cg_map_put(g->c, &g->let_at, xk_serial(of.value), 0)
               ? XK_OK
               : XK_ENOMEM;
}

static enum xk_status begin_load(struct xk_cg *g, const xk_stmt *s)
{
    const xk_expr *const var = xk_kid(s, 0), *const ptr = xk_kid(s, 1);
    const struct xk_type t = xk_type_of(var);
    struct xk_cg_val val = xk_cg_place_of(g, ptr, (enum xk_dtype)t.dt, t.lanes);
    XK_TRY(xk_ctx_status(g->c));
    if (!xk_cg_may_alias(g, s)) {
        const struct xk_cg_val copy =
            xk_cg_temp(g, (enum xk_dtype)t.dt, t.lanes);
        xk_cg_mov(g, &copy, &val, t.lanes);
        val = copy;
    }
    struct xk_cg_var *const v = xk_cg_bind(g, var);
    if (!v)
        return xk_ctx_status(g->c);
    v->bind = XK_CG_VALUE;
    v->val = val;
    return XK_OK;
}

static enum xk_status gen_store(struct xk_cg *g, const xk_stmt *s)
{
    const struct xk_type t = xk_type_of(xk_kid(s, 1));
    const struct xk_cg_val d = xk_cg_place_of(
        g, xk_kid(s, 0), t.space ? XK_DT_U64 : (enum xk_dtype)t.dt, t.lanes);
    XK_TRY(xk_ctx_status(g->c));
    xk_cg_eval_into(g, xk_kid(s, 1), &d);
    return xk_ctx_status(g->c);
}

static enum xk_status begin_alloc(struct xk_cg *g, const xk_stmt *s)
{
    const struct xk_alloc_info info = xk_alloc_info_of(s);
    const uint32_t grf_b = g->p->grf_b;
    const uint32_t size_b = (info.size_b + grf_b - 1) / grf_b * grf_b;
    const uint32_t align_b = info.align_b > grf_b ? info.align_b : grf_b;
    if (xk_type_of(xk_kid(s, 0)).space != XK_SPACE_GRF)
        return xk_fail(g->c, XK_EUNSUPPORTED,
                       "codegen: buffer %s is not in "
                       "registers",
                       xk_var_name(xk_kid(s, 0)));
    if (size_b == 0 || align_b % grf_b || (align_b & (align_b - 1)))
        return xk_fail(g->c, XK_EINVAL,
                       "codegen: buffer %s of %u bytes, "
                       "aligned to %u",
                       xk_var_name(xk_kid(s, 0)), info.size_b, info.align_b);
    if (size_b > grf_b * g->abi->grf_count)
        return xk_fail(g->c, XK_ENOFIT,
                       "codegen: buffer %s of %u bytes does "
                       "not fit into %u registers",
                       xk_var_name(xk_kid(s, 0)), info.size_b,
                       g->abi->grf_count);
    const uint32_t tile = xk_cg_tile_new(g, size_b, align_b);
    struct xk_cg_var *const v = xk_cg_bind(g, xk_kid(s, 0));
    if (!v || !xk_cg_ok(g))
        return xk_ctx_status(g->c);
    g->tile[tile].pinned = true;
    v->bind = XK_CG_BUFFER;
    v->val = xk_cg_reg(XK_DT_U32, tile, 0, 1);
    v->size_b = size_b;
    return XK_OK;
}

static bool is_empty(const xk_stmt *s)
{
    return xk_op(s) == XK_OP_SEQ && xk_n_kids(s) == 0;
}

/* Conditions are uniform over the thread, so jmpi will do. */
static enum xk_status if_stmt(struct xk_cg *g, const xk_stmt *s)
{
    const xk_stmt *const yes = xk_kid(s, 1), *const no = xk_kid(s, 2);
    int64_t k;
    if (xk_cg_const(g, xk_kid(s, 0), &k))
        return xk_cg_stmt(g, k ? yes : no);
    const struct xk_cg_val f = xk_cg_eval_bool(g, xk_kid(s, 0));
    const uint32_t other = xk_cg_label_new(g), end = xk_cg_label_new(g);
    xk_cg_jump(g, other, &f, false);
    xk_cg_flag_free(g, &f);
    XK_TRY(xk_cg_stmt(g, yes));
    if (!is_empty(no))
        xk_cg_jump(g, end, NULL, true);
    xk_cg_label_here(g, other);
    XK_TRY(xk_cg_stmt(g, no));
    xk_cg_label_here(g, end);
    return xk_ctx_status(g->c);
}

/* All kids but the last. */
static enum xk_status begin_seq(struct xk_cg *g, const xk_stmt *s)
{
    for (unsigned i = 0; i + 1 < xk_n_kids(s); i++)
        XK_TRY(xk_cg_stmt(g, xk_kid(s, i)));
    return XK_OK;
}

/* A statement; *rest: what of it follows, NULL: nothing. */
static enum xk_status begin_stmt(struct xk_cg *g, const xk_stmt *s,
                                 const xk_stmt **rest)
{
    const unsigned n = xk_n_kids(s);
    *rest = n ? xk_kid(s, n - 1) : NULL;
    switch (xk_op(s)) {
    case XK_OP_SEQ:
        return begin_seq(g, s);
    case XK_OP_LET:
        return xk_type_of(xk_kid(s, 0)).dt == XK_DT_BOOL ? begin_bool(g, s)
                                                         : enter_let(g, s);
    case XK_OP_LOAD:
        return begin_load(g, s);
    case XK_OP_ALLOC:
        return begin_alloc(g, s);
    case XK_OP_STAGE:
        return XK_OK;
    default:
        break;
    }
    *rest = NULL;
    switch (xk_op(s)) {
    case XK_OP_STORE:
        return gen_store(g, s);
    case XK_OP_FOR:
        return xk_cg_for(g, s);
    case XK_OP_PIPE:
        return xk_cg_pipe(g, s);
    case XK_OP_IF:
        return if_stmt(g, s);
    case XK_OP_CALL:
        return xk_cg_call(g, s);
    default:
        return xk_fail(g->c, XK_EINTERNAL, "codegen: %s is no statement",
                       xk_op_text(xk_op(s)));
    }
}

/* Code is as deep as it is long: what follows is no recursion. */
enum xk_status xk_cg_stmt(struct xk_cg *g, const xk_stmt *s)
{
    const uint32_t outer = g->n_scopes;
    while (s) {
        xk_cg_memo_clear(g);
        XK_TRY(xk_ctx_status(g->c));
        XK_TRY(xk_budget_check(g->c, g->n_inst));
        XK_TRY(begin_stmt(g, s, &s));
    }
    while (g->n_scopes > outer)
        XK_TRY(end_scope(g));
    return XK_OK;
}
