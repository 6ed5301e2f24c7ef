/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a whole kernel that no single builder can make: scopes, stages,
 * function arguments, and that s32 indices cannot overflow. */
#include "ir/stmt.h"

#include "ir/func_table.h"
#include "ir/memo.h"
#include "ir/tiles.h"

struct verifier {
    xk_ctx *c;
    xk_range_fn range;
    void *user;
    /* Variables in scope: to the statement that binds them, or to the
     * variable itself for parameters; NULL: out of scope again. */
    struct xk_memo scope;
    struct xk_memo seen;            /* nodes of one expression */
    const struct xk_tiling *tiling; /* the innermost; NULL: none */
};

static enum xk_status verify_stmt(struct verifier *v, const xk_stmt *s);

static enum xk_status fail_node(struct verifier *v, const char *what,
                                const xk_expr *e)
{
    struct xk_str text;
    xk_str_init(&text, &v->c->alloc);
    if (e)
        xk_print(e, &text);
    const char *const at = xk_str_get(&text);
    const enum xk_status st =
        xk_fail(v->c, XK_EINVAL, "ir verify: %s%s%.300s", what, e ? ": " : "",
                at[0] == '\n' ? at + 1 : at);
    xk_str_fini(&text);
    return st;
}

static const void *binder_of(const struct verifier *v, const xk_expr *var)
{
    const void *s = NULL;
    return xk_memo_get(&v->scope, xk_serial(var), &s) ? s : NULL;
}

static enum xk_status open_scope(struct verifier *v, const xk_expr *var,
                                 const xk_expr *binder)
{
    if (binder_of(v, var))
        return fail_node(v, "variable is bound again in its own scope", var);
    return xk_memo_set(&v->scope, xk_serial(var), binder) ? XK_OK : XK_ENOMEM;
}

static void close_scope(struct verifier *v, const xk_expr *var)
{
    xk_memo_set(&v->scope, xk_serial(var), NULL);
}

static bool fits_s32(struct verifier *v, const xk_expr *e)
{
    int64_t lo, hi;
    if (!v->range || xk_type_of(e).dt != XK_DT_S32)
        return true;
    return v->range(v->user, e, &lo, &hi) && lo >= INT32_MIN && hi <= INT32_MAX;
}

static enum xk_status verify_expr(struct verifier *v, const xk_expr *e)
{
    const void *known;
    if (xk_memo_get(&v->seen, xk_serial(e), &known))
        return XK_OK;
    if (!xk_memo_set(&v->seen, xk_serial(e), e))
        return XK_ENOMEM;
    if (!xk_is_expr(e))
        return fail_node(v, "statement inside an expression", e);
    if (xk_op(e) == XK_OP_VAR && !binder_of(v, e))
        return fail_node(v, "variable is not in scope", e);
    if (xk_op(e) == XK_OP_PTR && !fits_s32(v, xk_kid(e, 1)))
        return fail_node(v, "s32 offset is not proven to fit", e);
    for (unsigned i = 0; i < xk_n_kids(e); i++)
        XK_TRY(verify_expr(v, xk_kid(e, i)));
    return XK_OK;
}

static enum xk_status check_expr(struct verifier *v, const xk_expr *e)
{
    xk_memo_clear(&v->seen);
    return verify_expr(v, e);
}

/* Whether an access of n_b bytes at ptr certainly leaves the buffer. */
static bool is_outside(struct verifier *v, const xk_expr *ptr, unsigned n_b)
{
    int64_t lo, hi;
    const xk_stmt *const alloc = binder_of(v, xk_kid(ptr, 0));
    if (!v->range || !alloc || xk_op(alloc) != XK_OP_ALLOC ||
        !v->range(v->user, xk_kid(ptr, 1), &lo, &hi))
        return false;
    const int64_t size_b = xk_alloc_info_of(alloc).size_b;
    return hi < 0 || lo > size_b - (int64_t)n_b;
}

static enum xk_status check_access(struct verifier *v, const xk_expr *ptr,
                                   struct xk_type t)
{
    const unsigned n_b = xk_dtype_b((enum xk_dtype)t.dt) * t.lanes;
    XK_TRY(check_expr(v, ptr));
    if (is_outside(v, ptr, n_b))
        return fail_node(v, "access outside its buffer", ptr);
    return XK_OK;
}

static bool is_ptr_to(const xk_expr *e, enum xk_space space)
{
    return xk_op(e) == XK_OP_PTR && xk_type_of(e).space == space;
}

static bool is_one_of(unsigned v, const uint8_t *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (list[i] == v)
            return true;
    }
    return false;
}

static bool lanes_match(const xk_expr *e, unsigned lanes)
{
    return xk_type_of(e).lanes == 1 || xk_type_of(e).lanes == lanes;
}

static const char *bad_send(const struct xk_send *s)
{
    static const uint8_t sizes[] = {1, 2, 4, 8}, lanes[] = {1, 8, 16, 32};
    if (s->op > XK_SEND_ATOMIC_ADD)
        return "send: unknown operation";
    if (s->space != XK_SPACE_GLOBAL && s->space != XK_SPACE_SLM)
        return "send: space must be global or slm";
    if (s->addr > XK_SEND_SURFACE)
        return "send: unknown address form";
    if (!is_one_of(s->data_b, sizes, 4) || !s->vec)
        return "send: elements must be 1, 2, 4 or 8 bytes, at least one";
    if (!is_one_of(s->lanes, lanes, 4) || (s->block && s->lanes != 1))
        return "send: lanes must be 8, 16, 32, or 1 (block: 1)";
    if (s->zero &&
        (s->op != XK_SEND_LOAD || s->block || s->addr != XK_SEND_SURFACE))
        return "send: z needs a scattered load through a surface";
    return NULL;
}

static const char *bad_send_args(const struct xk_send *s, const xk_stmt *call)
{
    const xk_expr *const off = xk_kid(call, 1), *const mask = xk_kid(call, 3);
    const struct xk_type t = xk_type_of(off);
    if (!is_ptr_to(xk_kid(call, 0), (enum xk_space)s->space))
        return "send: argument 0 must be an address in its space";
    if (t.space ||
        (t.dt != XK_DT_S32 && t.dt != XK_DT_S64 && t.dt != XK_DT_U32) ||
        !lanes_match(off, s->lanes))
        return "send: argument 1 must be s32, s64 or u32 offsets";
    if (!is_ptr_to(xk_kid(call, 2), XK_SPACE_GRF))
        return "send: argument 2 must be an address of registers";
    if (xk_type_of(mask).dt != XK_DT_BOOL || !lanes_match(mask, s->lanes))
        return "send: argument 3 must be a bool mask";
    return NULL;
}

static const char *bad_sendh_args(const struct xk_send *s, const xk_stmt *call)
{
    const xk_expr *const mask = xk_kid(call, 2);
    if (!is_ptr_to(xk_kid(call, 0), XK_SPACE_GRF) ||
        !is_ptr_to(xk_kid(call, 1), XK_SPACE_GRF))
        return "sendh: arguments 0 and 1 must be addresses of registers";
    if (xk_type_of(mask).dt != XK_DT_BOOL || !lanes_match(mask, s->lanes))
        return "sendh: argument 2 must be a bool mask";
    return NULL;
}

static bool all_grf(const xk_stmt *call)
{
    for (unsigned i = 0; i < xk_n_kids(call); i++) {
        if (!is_ptr_to(xk_kid(call, i), XK_SPACE_GRF))
            return false;
    }
    return true;
}

static bool is_value_type(unsigned dt)
{
    return dt > XK_DT_BOOL && dt < XK_N_DTYPES;
}

static const char *bad_mad(const struct xk_mad *m)
{
    if (!is_value_type(m->dst) || !is_value_type(m->src0) ||
        !is_value_type(m->src1) || !is_value_type(m->src2))
        return "mad: needs number types";
    if (!m->lanes || m->lanes > 32)
        return "mad: lanes must be 1..32";
    if (m->stride0 > 1 || m->stride1 > 1 || m->stride2 > 2)
        return "mad: strides must be 0 or 1, or 2 of src2";
    return NULL;
}

static const char *bad_dp4a(const struct xk_mad *m)
{
    if (!xk_dtype_is_dword(m->dst) || !xk_dtype_is_dword(m->src0) ||
        !xk_dtype_is_dword(m->src1) || !xk_dtype_is_dword(m->src2))
        return "dp4a: types must be s32 or u32";
    if (!m->lanes || m->lanes > 32)
        return "dp4a: lanes must be 1..32";
    if (m->stride0 > 1 || m->stride1 > 1 || m->stride2 > 1)
        return "dp4a: strides must be 0 or 1";
    return NULL;
}

static const char *bad_dpas(const struct xk_dpas *d)
{
    if (!is_value_type(d->dst) || !is_value_type(d->src0) ||
        !is_value_type(d->src1) || !is_value_type(d->src2))
        return "dpas: needs number types";
    if (d->exec != 8 && d->exec != 16)
        return "dpas: exec size must be 8 or 16";
    if (d->sdepth != 8 || !d->rcount || d->rcount > 8)
        return "dpas: depth must be 8, repeat count 1..8";
    return NULL;
}

static const char *bad_reorder(const struct xk_reorder *r)
{
    if (!is_value_type(r->dst) || !is_value_type(r->src))
        return "reorder: needs number types";
    if (r->n_dims > XK_REORDER_MAX_DIMS)
        return "reorder: too many dimensions";
    for (unsigned i = 0; i < r->n_dims; i++) {
        if (!r->extent[i])
            return "reorder: a dimension is empty";
    }
    return NULL;
}

static const char *bad_call(const xk_stmt *s)
{
    const struct xk_func *const f = xk_func_of(s);
    const char *e = NULL;
    switch ((enum xk_func_kind)f->kind) {
    case XK_FUNC_SEND:
        e = bad_send(&f->u.send);
        return e ? e : bad_send_args(&f->u.send, s);
    case XK_FUNC_SENDH:
        e = bad_send(&f->u.send);
        return e ? e : bad_sendh_args(&f->u.send, s);
    case XK_FUNC_MAD:
        e = bad_mad(&f->u.mad);
        break;
    case XK_FUNC_DP4A:
        e = bad_dp4a(&f->u.mad);
        break;
    case XK_FUNC_DPAS:
        e = bad_dpas(&f->u.dpas);
        break;
    case XK_FUNC_REORDER:
        e = bad_reorder(&f->u.reorder);
        break;
    case XK_FUNC_FENCE:
        return f->u.space == XK_SPACE_GLOBAL || f->u.space == XK_SPACE_SLM
                   ? NULL
                   : "fence: space must be global or slm";
    case XK_FUNC_BARRIER_SIGNAL:
    case XK_FUNC_BARRIER_WAIT:
    case XK_FUNC_TILE: /* bad_tile_args */
        return NULL;
    case XK_N_FUNCS:
        return "unknown function";
    }
    if (e)
        return e;
    return all_grf(s) ? NULL : "arguments must be addresses of registers";
}

/* Whether a tile function may have that as its position number `at`: one of all
 * of the role, or of each that it moves. */
static bool is_position(const struct xk_tiling *tiling,
                        const struct xk_tile_call *f, unsigned at,
                        struct xk_type t)
{
    struct xk_tile_part p;
    return t.dt == XK_DT_S32 && t.space == XK_SPACE_NONE &&
           (t.lanes == 1 ||
            (xk_tile_part_of(tiling, f, 0, &p) && at < p.tile->layout.n_dims &&
             p.tile->role[at] != XK_ROLE_K && t.lanes == p.n[at]));
}

/* Addresses of tiles, and positions behind them. */
static const char *bad_tile_args(const struct verifier *v, const xk_stmt *s)
{
    const struct xk_tile_call *const f = &xk_func_of(s)->u.tile;
    if (!v->tiling)
        return "tile: there is no tiling around it";
    const unsigned n = xk_n_kids(s);
    const unsigned buffers = xk_tile_call_tiles(f) + (f->op == XK_TILE_DOT);
    for (unsigned i = 0; i < n; i++) {
        const struct xk_type t = xk_type_of(xk_kid(s, i));
        if (i < buffers &&
            (xk_op(xk_kid(s, i)) != XK_OP_PTR || t.space == XK_SPACE_GLOBAL))
            return "tile: needs addresses of registers or SLM";
        if (i >= buffers && !is_position(v->tiling, f, i - buffers, t))
            return "tile: positions are s32 scalars, or a vector of those that "
                   "are moved, but for k";
    }
    return xk_tile_call_bad(v->tiling, f, n);
}

static enum xk_status verify_call(struct verifier *v, const xk_stmt *s)
{
    const char *const what =
        xk_func_of(s)->kind == XK_FUNC_TILE ? bad_tile_args(v, s) : bad_call(s);
    if (what)
        return fail_node(v, what, s);
    for (unsigned i = 0; i < xk_n_kids(s); i++)
        XK_TRY(check_expr(v, xk_kid(s, i)));
    if (xk_func_of(s)->kind == XK_FUNC_SEND && !fits_s32(v, xk_kid(s, 1)))
        return fail_node(v, "s32 offset is not proven to fit", s);
    return XK_OK;
}

static enum xk_status verify_body(struct verifier *v, const xk_stmt *s,
                                  const xk_stmt *body)
{
    const xk_expr *const var = xk_kid(s, 0);
    XK_TRY(open_scope(v, var, s));
    XK_TRY(verify_stmt(v, body));
    close_scope(v, var);
    return XK_OK;
}

/* The body is stages in a SEQ, by the builder. */
static enum xk_status verify_pipe(struct verifier *v, const xk_stmt *s)
{
    const xk_stmt *const body = xk_kid(s, 2);
    unsigned last = 0;
    XK_TRY(open_scope(v, xk_kid(s, 0), s));
    for (unsigned i = 0; i < xk_n_kids(body); i++) {
        const xk_stmt *const stage = xk_kid(body, i);
        last = xk_stage_of(stage) > last ? xk_stage_of(stage) : last;
        XK_TRY(verify_stmt(v, xk_kid(stage, 0)));
    }
    close_scope(v, xk_kid(s, 0));
    if (xk_n_kids(body) && last + 1 != xk_pipe_info_of(s).stages)
        return fail_node(v, "pipe: stages must be one more than the last stage",
                         s);
    return XK_OK;
}

static enum xk_status verify_tiling(struct verifier *v, const xk_stmt *s)
{
    const struct xk_tiling *const outer = v->tiling;
    v->tiling = xk_tiling_of(s);
    for (unsigned i = 0; i < v->tiling->n_views; i++)
        XK_TRY(check_expr(v, xk_tiling_mem(s, i)));
    XK_TRY(verify_stmt(v, xk_tiling_body(s)));
    v->tiling = outer;
    return XK_OK;
}

static enum xk_status verify_stmt(struct verifier *v, const xk_stmt *s)
{
    switch (xk_op(s)) {
    case XK_OP_SEQ:
        for (unsigned i = 0; i < xk_n_kids(s); i++)
            XK_TRY(verify_stmt(v, xk_kid(s, i)));
        return XK_OK;
    case XK_OP_LET:
        XK_TRY(check_expr(v, xk_kid(s, 1)));
        return verify_body(v, s, xk_kid(s, 2));
    case XK_OP_LOAD:
        XK_TRY(check_access(v, xk_kid(s, 1), xk_type_of(xk_kid(s, 0))));
        return verify_body(v, s, xk_kid(s, 2));
    case XK_OP_STORE:
        XK_TRY(check_access(v, xk_kid(s, 0), xk_type_of(xk_kid(s, 1))));
        return check_expr(v, xk_kid(s, 1));
    case XK_OP_ALLOC:
        return verify_body(v, s, xk_kid(s, 1));
    case XK_OP_FOR:
        XK_TRY(check_expr(v, xk_kid(s, 1)));
        XK_TRY(check_expr(v, xk_kid(s, 2)));
        return verify_body(v, s, xk_kid(s, 3));
    case XK_OP_PIPE:
        return verify_pipe(v, s);
    case XK_OP_STAGE:
        return fail_node(v, "stage outside a pipe", s);
    case XK_OP_IF:
        XK_TRY(check_expr(v, xk_kid(s, 0)));
        XK_TRY(verify_stmt(v, xk_kid(s, 1)));
        return verify_stmt(v, xk_kid(s, 2));
    case XK_OP_CALL:
        return verify_call(v, s);
    case XK_OP_TILING:
        return verify_tiling(v, s);
    default:
        return fail_node(v, "expression in place of a statement", s);
    }
}

static const char *bad_param(const struct xk_param *p)
{
    const struct xk_type t = xk_type_of(p->var);
    if (xk_op(p->var) != XK_OP_VAR)
        return "parameter is no variable";
    switch ((enum xk_param_kind)p->kind) {
    case XK_PARAM_GLOBAL:
        return t.space == XK_SPACE_GLOBAL ? NULL
                                          : "parameter must be ptr.global";
    case XK_PARAM_VALUE:
        return !t.space && t.lanes == 1 ? NULL : "parameter must be a scalar";
    case XK_PARAM_GROUP_X:
    case XK_PARAM_GROUP_Y:
    case XK_PARAM_GROUP_Z:
    case XK_PARAM_THREAD:
        return xk_type_eq(t, xk_type_vec(XK_DT_S32, 1))
                   ? NULL
                   : "id parameter must be s32";
    case XK_PARAM_SURFACE:
        return xk_type_eq(t, xk_type_vec(XK_DT_U32, 1))
                   ? NULL
                   : "surface parameter must be u32";
    }
    return "unknown kind of parameter";
}

static enum xk_status verify_kernel(struct verifier *v,
                                    const struct xk_kernel *k)
{
    if (k->simd != 8 && k->simd != 16 && k->simd != 32)
        return xk_fail(v->c, XK_EINVAL, "ir verify: simd %u, needs 8, 16, 32",
                       k->simd);
    if (k->n_params > XK_KERNEL_MAX_PARAMS)
        return fail_node(v, "too many parameters", NULL);
    for (unsigned i = 0; i < k->n_params; i++) {
        const struct xk_param *const p = &k->params[i];
        if (!p->var)
            return fail_node(v, "parameter without a variable", NULL);
        const char *const what = bad_param(p);
        if (what)
            return fail_node(v, what, p->var);
        if (p->kind == XK_PARAM_SURFACE &&
            (!i || k->params[i - 1].kind != XK_PARAM_GLOBAL))
            return fail_node(v, "surface parameter without a pointer before it",
                             p->var);
        if (k->extent[i] < 0)
            return fail_node(v, "negative extent", p->var);
        XK_TRY(open_scope(v, p->var, p->var));
    }
    if (!k->body)
        return fail_node(v, "kernel without a body", NULL);
    return verify_stmt(v, k->body);
}

enum xk_status xk_kernel_verify(xk_ctx *c, const struct xk_kernel *k,
                                xk_range_fn range, void *user)
{
    struct verifier v = {.c = c, .range = range, .user = user};
    xk_memo_init(&v.scope, c);
    xk_memo_init(&v.seen, c);
    const enum xk_status st = verify_kernel(&v, k);
    xk_memo_fini(&v.scope);
    xk_memo_fini(&v.seen);
    return st;
}
