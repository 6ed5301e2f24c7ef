/* SPDX-License-Identifier: Apache-2.0 */
/* Statement builders and the rebuilding of any node from new kids. */
#include "ir/stmt.h"

#include <string.h>

#include "ir/func_table.h"
#include "ir/tiles.h"

static unsigned call_traits(const struct xk_func *f)
{
    switch ((enum xk_func_kind)f->kind) {
    case XK_FUNC_SEND:
        return XK_HAS_SEND | XK_HAS_ACCESS;
    case XK_FUNC_SENDH:
        return XK_HAS_ACCESS;
    case XK_FUNC_BARRIER_SIGNAL:
    case XK_FUNC_BARRIER_WAIT:
    case XK_FUNC_FENCE:
        return XK_HAS_SYNC;
    case XK_FUNC_TILE:
        return XK_HAS_TILES;
    default:
        return 0;
    }
}

/* A statement's own traits, those of its kids apart. */
static unsigned own_traits(enum xk_op op, const void *payload)
{
    switch (op) {
    case XK_OP_LET:
        return XK_HAS_LET;
    case XK_OP_FOR:
    case XK_OP_PIPE:
        return XK_HAS_LOOP;
    case XK_OP_IF:
        return XK_HAS_IF;
    case XK_OP_TILING:
        return XK_HAS_TILES;
    case XK_OP_CALL:
        return call_traits(payload);
    default:
        return 0;
    }
}

static const xk_stmt *make_stmt(xk_ctx *c, enum xk_op op,
                                const xk_expr *const *kids, unsigned n,
                                const void *payload, size_t payload_b)
{
    const struct xk_node_desc d = {.op = (uint8_t)op,
                                   .traits = own_traits(op, payload),
                                   .n_kids = n,
                                   .kids = kids,
                                   .payload = payload,
                                   .payload_b = (uint16_t)payload_b};
    return xk_pool_make(c, &d);
}

static const xk_stmt *bad_stmt(xk_ctx *c, enum xk_op op, const char *what)
{
    xk_fail(c, XK_EINVAL, "ir: %s: %s", xk_op_text(op), what);
    return NULL;
}

static bool is_value_var(const xk_expr *e)
{
    return xk_op(e) == XK_OP_VAR && !xk_type_of(e).space;
}

static bool is_index(const xk_expr *e)
{
    return xk_is_expr(e) &&
           xk_type_eq(xk_type_of(e), xk_type_vec(XK_DT_S32, 1));
}

static bool is_grf_ptr(const xk_expr *e)
{
    return xk_op(e) == XK_OP_PTR && xk_type_of(e).space == XK_SPACE_GRF;
}

static unsigned count_flat(const xk_stmt *const *s, unsigned n)
{
    unsigned total = 0;
    for (unsigned i = 0; i < n; i++)
        total += xk_op(s[i]) == XK_OP_SEQ ? xk_n_kids(s[i]) : 1;
    return total;
}

/* A SEQ's kids are never SEQs, because every SEQ is made here. */
static const xk_stmt *make_seq(xk_ctx *c, const xk_stmt *const *s, unsigned n)
{
    const xk_stmt *small[64];
    const unsigned total = count_flat(s, n);
    const xk_stmt **const flat = total <= XK_COUNTOF(small)
                                     ? small
                                     : xk_malloc(c, total * sizeof(*flat));
    if (!flat)
        return NULL;
    unsigned k = 0;
    for (unsigned i = 0; i < n; i++) {
        if (xk_op(s[i]) != XK_OP_SEQ) {
            flat[k++] = s[i];
            continue;
        }
        for (unsigned j = 0; j < xk_n_kids(s[i]); j++)
            flat[k++] = xk_kid(s[i], j);
    }
    const xk_stmt *const r =
        k == 1 ? flat[0] : make_stmt(c, XK_OP_SEQ, flat, k, NULL, 0);
    if (flat != small)
        xk_free(c, flat);
    return r;
}

const xk_stmt *xk_seq(xk_ctx *c, const xk_stmt *const *s, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!s[i])
            return NULL;
        if (xk_is_expr(s[i]))
            return bad_stmt(c, XK_OP_SEQ, "an expression is not a statement");
    }
    if (n == 1)
        return s[0];
    return make_seq(c, s, n);
}

const xk_stmt *xk_let(xk_ctx *c, const xk_expr *var, const xk_expr *value,
                      const xk_stmt *body)
{
    if (!var || !value || !body)
        return NULL;
    if (!is_value_var(var))
        return bad_stmt(c, XK_OP_LET, "needs a value variable");
    if (!xk_is_expr(value) || value->type != var->type) {
        xk_fail(c, XK_EINVAL, "ir: let %s: value has another type",
                xk_var_name(var));
        return NULL;
    }
    if (xk_is_expr(body))
        return bad_stmt(c, XK_OP_LET, "body must be a statement");
    const xk_expr *const kids[] = {var, value, body};
    return make_stmt(c, XK_OP_LET, kids, 3, NULL, 0);
}

const xk_stmt *xk_load(xk_ctx *c, const xk_expr *var, const xk_expr *ptr,
                       const xk_stmt *body)
{
    if (!var || !ptr || !body)
        return NULL;
    if (!is_value_var(var))
        return bad_stmt(c, XK_OP_LOAD, "needs a value variable");
    if (!is_grf_ptr(ptr))
        return bad_stmt(c, XK_OP_LOAD, "needs the address of registers");
    if (xk_is_expr(body))
        return bad_stmt(c, XK_OP_LOAD, "body must be a statement");
    const xk_expr *const kids[] = {var, ptr, body};
    return make_stmt(c, XK_OP_LOAD, kids, 3, NULL, 0);
}

const xk_stmt *xk_store(xk_ctx *c, const xk_expr *ptr, const xk_expr *value)
{
    if (!ptr || !value)
        return NULL;
    if (!is_grf_ptr(ptr))
        return bad_stmt(c, XK_OP_STORE, "needs the address of registers");
    if (!xk_is_expr(value) || xk_type_of(value).space)
        return bad_stmt(c, XK_OP_STORE, "needs a value");
    const xk_expr *const kids[] = {ptr, value};
    return make_stmt(c, XK_OP_STORE, kids, 2, NULL, 0);
}

const xk_stmt *xk_alloc_stmt(xk_ctx *c, const xk_expr *buf,
                             struct xk_alloc_info info, const xk_stmt *body)
{
    if (!buf || !body)
        return NULL;
    const unsigned space = xk_type_of(buf).space;
    if (xk_op(buf) != XK_OP_VAR ||
        (space != XK_SPACE_GRF && space != XK_SPACE_SLM))
        return bad_stmt(c, XK_OP_ALLOC, "needs a GRF or SLM buffer variable");
    if (!info.size_b || (info.align_b & (info.align_b - 1))) {
        xk_fail(c, XK_EINVAL, "ir: alloc %s: size %u, align %u",
                xk_var_name(buf), info.size_b, info.align_b);
        return NULL;
    }
    if (xk_is_expr(body))
        return bad_stmt(c, XK_OP_ALLOC, "body must be a statement");
    const xk_expr *const kids[] = {buf, body};
    return make_stmt(c, XK_OP_ALLOC, kids, 2, &info, sizeof(info));
}

const xk_stmt *xk_for(xk_ctx *c, const xk_expr *var, const xk_expr *lo,
                      const xk_expr *hi, int32_t step, const xk_stmt *body)
{
    if (!var || !lo || !hi || !body)
        return NULL;
    if (xk_op(var) != XK_OP_VAR || !is_index(var) || !is_index(lo) ||
        !is_index(hi))
        return bad_stmt(c, XK_OP_FOR,
                        "variable and bounds must be s32 scalars");
    if (step <= 0) {
        xk_fail(c, XK_EINVAL, "ir: for %s: step %d, must be positive",
                xk_var_name(var), step);
        return NULL;
    }
    if (xk_is_expr(body))
        return bad_stmt(c, XK_OP_FOR, "body must be a statement");
    const xk_expr *const kids[] = {var, lo, hi, body};
    return make_stmt(c, XK_OP_FOR, kids, 4, &step, sizeof(step));
}

const xk_stmt *xk_pipe(xk_ctx *c, const xk_expr *var, const xk_expr *trip,
                       struct xk_pipe_info info, const xk_stmt *body)
{
    if (!var || !trip || !body)
        return NULL;
    if (xk_op(var) != XK_OP_VAR || !is_index(var) || !is_index(trip) ||
        xk_op(trip) != XK_OP_IMM)
        return bad_stmt(c, XK_OP_PIPE,
                        "needs an s32 variable, a constant trip");
    if (!info.slots || !info.stages)
        return bad_stmt(c, XK_OP_PIPE, "slots and stages must be at least 1");
    if (xk_op(body) == XK_OP_STAGE)
        body = make_stmt(c, XK_OP_SEQ, &body, 1, NULL, 0);
    if (!body)
        return NULL;
    bool ok = xk_op(body) == XK_OP_SEQ;
    for (unsigned i = 0; ok && i < xk_n_kids(body); i++)
        ok = xk_op(xk_kid(body, i)) == XK_OP_STAGE &&
             xk_stage_of(xk_kid(body, i)) < info.stages;
    if (!ok)
        return bad_stmt(c, XK_OP_PIPE, "body must be stages below `stages`");
    const xk_expr *const kids[] = {var, trip, body};
    return make_stmt(c, XK_OP_PIPE, kids, 3, &info, sizeof(info));
}

const xk_stmt *xk_stage(xk_ctx *c, unsigned stage, const xk_stmt *body)
{
    const uint32_t number = stage;
    if (!body)
        return NULL;
    if (xk_is_expr(body))
        return bad_stmt(c, XK_OP_STAGE, "body must be a statement");
    if (stage > 254)
        return bad_stmt(c, XK_OP_STAGE, "stage number above 254");
    return make_stmt(c, XK_OP_STAGE, &body, 1, &number, sizeof(number));
}

const xk_stmt *xk_if(xk_ctx *c, const xk_expr *cond, const xk_stmt *then_s,
                     const xk_stmt *else_s)
{
    if (!else_s)
        else_s = xk_seq(c, NULL, 0);
    if (!cond || !then_s || !else_s)
        return NULL;
    if (!xk_is_expr(cond) || xk_type_of(cond).dt != XK_DT_BOOL)
        return bad_stmt(c, XK_OP_IF, "condition must be bool");
    if (xk_is_expr(then_s) || xk_is_expr(else_s))
        return bad_stmt(c, XK_OP_IF, "branches must be statements");
    const xk_expr *const kids[] = {cond, then_s, else_s};
    return make_stmt(c, XK_OP_IF, kids, 3, NULL, 0);
}

const xk_stmt *xk_call(xk_ctx *c, const struct xk_func *f,
                       const xk_expr *const *args, unsigned n)
{
    if (f->kind >= XK_N_FUNCS)
        return bad_stmt(c, XK_OP_CALL, "unknown function");
    const int needed = xk_func_n_args((enum xk_func_kind)f->kind);
    if (needed >= 0 && n != (unsigned)needed) {
        xk_fail(c, XK_EINVAL, "ir: %s: %u arguments, needs %d",
                xk_func_text((enum xk_func_kind)f->kind), n, needed);
        return NULL;
    }
    for (unsigned i = 0; i < n; i++) {
        if (!args[i])
            return NULL;
        if (!xk_is_expr(args[i]))
            return bad_stmt(c, XK_OP_CALL, "an argument is a statement");
    }
    return make_stmt(c, XK_OP_CALL, args, n, f, sizeof(*f));
}

const xk_stmt *xk_tiling_stmt(xk_ctx *c, const struct xk_tiling *t,
                              const xk_expr *const *mem, const xk_stmt *body)
{
    const xk_expr *kids[XK_MAX_VIEWS + 1];
    if (!body || xk_tiling_check(c, t) != XK_OK)
        return NULL;
    if (xk_is_expr(body))
        return bad_stmt(c, XK_OP_TILING, "body must be a statement");
    for (unsigned i = 0; i < t->n_views; i++) {
        if (!mem[i])
            return NULL;
        if (xk_op(mem[i]) != XK_OP_VAR || !xk_type_of(mem[i]).space ||
            xk_type_of(mem[i]).space == XK_SPACE_GRF)
            return bad_stmt(c, XK_OP_TILING,
                            "a view needs a pointer to memory");
        kids[i] = mem[i];
    }
    kids[t->n_views] = body;
    return make_stmt(c, XK_OP_TILING, kids, t->n_views + 1u, t, sizeof(*t));
}

const struct xk_tiling *xk_tiling_of(const xk_stmt *s)
{
    XK_ASSERT(xk_op(s) == XK_OP_TILING);
    return xk_pool_payload(s);
}

const xk_expr *xk_tiling_mem(const xk_stmt *s, unsigned view)
{
    return xk_kid(s, view);
}

const xk_stmt *xk_tiling_body(const xk_stmt *s)
{
    return xk_kid(s, xk_tiling_of(s)->n_views);
}

struct xk_alloc_info xk_alloc_info_of(const xk_stmt *s)
{
    XK_ASSERT(xk_op(s) == XK_OP_ALLOC);
    return *(const struct xk_alloc_info *)xk_pool_payload(s);
}

int32_t xk_for_step(const xk_stmt *s)
{
    XK_ASSERT(xk_op(s) == XK_OP_FOR);
    return *(const int32_t *)xk_pool_payload(s);
}

struct xk_pipe_info xk_pipe_info_of(const xk_stmt *s)
{
    XK_ASSERT(xk_op(s) == XK_OP_PIPE);
    return *(const struct xk_pipe_info *)xk_pool_payload(s);
}

unsigned xk_stage_of(const xk_stmt *s)
{
    XK_ASSERT(xk_op(s) == XK_OP_STAGE);
    return *(const uint32_t *)xk_pool_payload(s);
}

const struct xk_func *xk_func_of(const xk_stmt *s)
{
    XK_ASSERT(xk_op(s) == XK_OP_CALL);
    return xk_pool_payload(s);
}

static bool same_types(const xk_expr *e, const xk_expr *const *kids, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (kids[i]->type != e->kid[i]->type)
            return false;
    }
    return true;
}

/* Same op, type and payload; kids of the same types as before. */
static const xk_expr *remake(xk_ctx *c, const xk_expr *e,
                             const xk_expr *const *kids, unsigned n)
{
    const struct xk_node_desc d = {.op = e->op,
                                   .intern = true,
                                   .traits =
                                       xk_own_traits(xk_op(e), xk_type_of(e)),
                                   .type = e->type,
                                   .n_kids = n,
                                   .kids = kids,
                                   .payload = xk_pool_payload(e),
                                   .payload_b = e->payload_b};
    return xk_pool_make(c, &d);
}

static const xk_expr *rebuild_node(xk_ctx *c, const xk_expr *e,
                                   const xk_expr *const *kid, unsigned n)
{
    const enum xk_op op = xk_op(e);
    const struct xk_type t = xk_type_of(e);
    switch (op) {
    case XK_OP_PTR:
        return xk_ptr(c, kid[0], kid[1]);
    case XK_OP_CAST:
        return xk_cast(c, (enum xk_dtype)t.dt, kid[0]);
    case XK_OP_BITS:
        return xk_bits(c, (enum xk_dtype)t.dt, kid[0]);
    case XK_OP_RAMP:
        return xk_ramp(c, kid[0], kid[1], t.lanes);
    case XK_OP_BCAST:
        return xk_bcast(c, kid[0], t.lanes);
    case XK_OP_SHUFFLE:
        return xk_shuffle(c, kid[0], xk_pool_payload(e), t.lanes);
    default:
        break;
    }
    if (n == 1)
        return xk_un(c, op, kid[0]);
    return n == 2 ? xk_bin(c, op, kid[0], kid[1])
                  : xk_ternary(c, op, kid[0], kid[1], kid[2]);
}

static const xk_stmt *rebuild_stmt(xk_ctx *c, const xk_stmt *s,
                                   const xk_expr *const *kid, unsigned n)
{
    switch (xk_op(s)) {
    case XK_OP_SEQ:
        return xk_seq(c, kid, n);
    case XK_OP_LET:
        return xk_let(c, kid[0], kid[1], kid[2]);
    case XK_OP_LOAD:
        return xk_load(c, kid[0], kid[1], kid[2]);
    case XK_OP_STORE:
        return xk_store(c, kid[0], kid[1]);
    case XK_OP_ALLOC:
        return xk_alloc_stmt(c, kid[0], xk_alloc_info_of(s), kid[1]);
    case XK_OP_FOR:
        return xk_for(c, kid[0], kid[1], kid[2], xk_for_step(s), kid[3]);
    case XK_OP_PIPE:
        return xk_pipe(c, kid[0], kid[1], xk_pipe_info_of(s), kid[2]);
    case XK_OP_STAGE:
        return xk_stage(c, xk_stage_of(s), kid[0]);
    case XK_OP_IF:
        return xk_if(c, kid[0], kid[1], kid[2]);
    case XK_OP_CALL:
        return xk_call(c, xk_func_of(s), kid, n);
    case XK_OP_TILING:
        return xk_tiling_stmt(c, xk_tiling_of(s), kid, kid[n - 1]);
    default:
        return bad_stmt(c, xk_op(s), "is not a statement");
    }
}

const xk_expr *xk_with_kids(xk_ctx *c, const xk_expr *e,
                            const xk_expr *const *kids, unsigned n)
{
    bool same = true;
    XK_ASSERT(n == xk_n_kids(e));
    for (unsigned i = 0; i < n; i++) {
        if (!kids[i])
            return NULL;
        same = same && kids[i] == xk_kid(e, i);
    }
    if (same)
        return e;
    if (!xk_is_expr(e))
        return rebuild_stmt(c, e, kids, n);
    if (xk_op(e) != XK_OP_PTR && same_types(e, kids, n))
        return remake(c, e, kids, n);
    return rebuild_node(c, e, kids, n);
}

const xk_expr *xk_kernel_add_param(struct xk_kernel *k, const xk_expr *var,
                                   enum xk_param_kind kind, int64_t extent)
{
    k->params[k->n_params].kind = (uint8_t)kind;
    k->params[k->n_params].var = var;
    k->extent[k->n_params] = extent;
    k->n_params++;
    return var;
}

uint8_t xk_kernel_pointer(const struct xk_kernel *k, const xk_expr *var)
{
    uint8_t n = 0;
    for (unsigned i = 0; i < k->n_params && k->params[i].var != var; i++)
        n += k->params[i].kind == XK_PARAM_GLOBAL;
    return n;
}
