/* SPDX-License-Identifier: Apache-2.0 */
/* Loops. A FOR keeps its variable in a register unless it runs once. A PIPE is
 * expanded here and nowhere else: at time t, stage s works on iteration t - s.
 *
 *   t = 0 .. stages-2            prologue: stages whose iteration exists
 *   t = stages-1 .. trip-1       steady: all stages; a loop of `slots` copies,
 *                                entered in the middle if then it ends with
 *                                them, else what does not divide evenly after
 * it t = trip .. trip+stages-2    drain
 *
 * In the loop the register runs up to 0, so that its increment is also the
 * test; a copy's iteration is the register plus a constant, and known modulo
 * slots. */
#include "codegen/cg.h"

static struct xk_cg_var *bind_index(struct xk_cg *g, const xk_expr *var,
                                    struct xk_cg_val val, int64_t lo,
                                    int64_t hi)
{
    struct xk_cg_var *const v = xk_cg_bind(g, var);
    if (v) {
        v->bind = XK_CG_VALUE;
        v->val = val;
        v->range = (struct xk_cg_range){lo, hi};
    }
    return v;
}

/* i += step; if (i < hi) goto top */
static void back_edge(struct xk_cg *g, const struct xk_cg_val *i,
                      const struct xk_cg_val *hi, int64_t step, uint32_t top)
{
    const struct xk_cg_val k = xk_cg_imm(XK_DT_S32, step);
    const int flag = xk_cg_flag_alloc(g);
    const struct xk_cg_val f = {
        .kind = XK_CG_FLAG, .flag = (uint8_t)flag, .temp = true};
    const bool to_zero = hi->kind == XK_CG_IMM && hi->imm == 0;
    xk_cg_op2(g, XK_OPC_ADD, i, i, &k, 1);
    if (!xk_cg_ok(g))
        return;
    struct xk_inst *x = &g->inst[g->n_inst - 1];
    if (!to_zero) {
        x = xk_cg_emit(g, XK_OPC_CMP, 1);
        x->dst = xk_cg_null(XK_RT_D);
        x->src[0] = xk_cg_src(i, 0, 1);
        x->src[1] = xk_cg_src(hi, 0, 1);
    }
    x->cond = XK_COND_LT;
    x->flag_reg = f.flag / 2;
    x->flag_sub = f.flag % 2;
    xk_cg_jump(g, top, &f, true);
    xk_cg_flag_free(g, &f);
}

/* Jumps to `end` if the loop has no iteration at all. */
static void guard(struct xk_cg *g, const struct xk_cg_val *lo,
                  const struct xk_cg_val *hi, uint32_t end)
{
    const int flag = xk_cg_flag_alloc(g);
    const struct xk_cg_val f = {
        .kind = XK_CG_FLAG, .flag = (uint8_t)flag, .temp = true};
    struct xk_inst *const x = xk_cg_emit(g, XK_OPC_CMP, 1);
    x->cond = XK_COND_GE;
    x->flag_reg = f.flag / 2;
    x->flag_sub = f.flag % 2;
    x->dst = xk_cg_null(XK_RT_D);
    x->src[0] = xk_cg_src(lo, 0, 1);
    x->src[1] = xk_cg_src(hi, 0, 1);
    xk_cg_jump(g, end, &f, true);
    xk_cg_flag_free(g, &f);
}

static enum xk_status for_loop(struct xk_cg *g, const xk_stmt *s, bool enters)
{
    const struct xk_cg_range l = xk_cg_range_of(g, xk_kid(s, 1));
    const struct xk_cg_range h = xk_cg_range_of(g, xk_kid(s, 2));
    struct xk_cg_val hi = xk_cg_eval_settled(g, xk_kid(s, 2), NULL);
    const struct xk_cg_val i = xk_cg_temp(g, XK_DT_S32, 1);
    xk_cg_eval_into(g, xk_kid(s, 1), &i);
    const uint32_t top = xk_cg_label_new(g), end = xk_cg_label_new(g);
    if (!enters)
        guard(g, &i, &hi, end);
    XK_TRY(xk_ctx_status(g->c));
    xk_cg_loop_begin(g);
    xk_cg_label_here(g, top);
    bind_index(g, xk_kid(s, 0), i, l.lo, h.hi - 1);
    XK_TRY(xk_cg_stmt(g, xk_kid(s, 3)));
    back_edge(g, &i, &hi, xk_for_step(s), top);
    xk_cg_loop_end(g);
    xk_cg_label_here(g, end);
    return xk_ctx_status(g->c);
}

enum xk_status xk_cg_for(struct xk_cg *g, const xk_stmt *s)
{
    const int64_t step = xk_for_step(s);
    int64_t lo, hi;
    const bool known =
        xk_cg_const(g, xk_kid(s, 1), &lo) && xk_cg_const(g, xk_kid(s, 2), &hi);
    if (step <= 0)
        return xk_fail(g->c, XK_EUNSUPPORTED, "codegen: loop step %lld",
                       (long long)step);
    if (!known || lo + step < hi)
        return for_loop(g, s, known);
    if (lo >= hi)
        return XK_OK;
    bind_index(g, xk_kid(s, 0), xk_cg_imm(XK_DT_S32, lo),
               xk_cg_range_of(g, xk_kid(s, 1)).lo,
               xk_cg_range_of(g, xk_kid(s, 2)).hi - 1);
    return xk_cg_stmt(g, xk_kid(s, 3));
}

struct pipe {
    const xk_expr *var;
    const xk_stmt *body; /* one STAGE, or a SEQ of them */
    int64_t trip, slots, stages;
};

static const xk_stmt *stage_at(const struct pipe *p, unsigned i)
{
    return xk_op(p->body) == XK_OP_STAGE ? p->body : xk_kid(p->body, i);
}

static unsigned n_stages_in(const struct pipe *p)
{
    return xk_op(p->body) == XK_OP_STAGE ? 1 : xk_n_kids(p->body);
}

/* All stages of time t = *reg + t. reg NULL: time t itself; stages whose
 * iteration does not exist are left out. */
static enum xk_status step_stages(struct xk_cg *g, const struct pipe *p,
                                  const struct xk_cg_val *reg, int64_t t,
                                  int64_t residue)
{
    for (unsigned n = 0; n < n_stages_in(p); n++) {
        const xk_stmt *const st = stage_at(p, n);
        if (xk_op(st) != XK_OP_STAGE)
            return xk_fail(g->c, XK_EINVAL,
                           "codegen: a %s directly in a "
                           "pipe",
                           xk_op_text(xk_op(st)));
        const int64_t s = xk_stage_of(st);
        if (!reg && (t - s < 0 || t - s >= p->trip))
            continue;
        struct xk_cg_val i = reg ? *reg : xk_cg_imm(XK_DT_S32, t - s);
        if (reg)
            i.imm = t - s;
        struct xk_cg_var *const v = bind_index(g, p->var, i, 0, p->trip - 1);
        if (!v)
            return xk_ctx_status(g->c);
        v->mod = reg ? p->slots : 1;
        v->res = residue - s;
        XK_TRY(xk_cg_stmt(g, xk_kid(st, 0)));
    }
    return XK_OK;
}

/* n rounds of `slots` steps from time `first` on, as a loop. The first round
 * lacks its first `skip` steps. */
static enum xk_status rounds(struct xk_cg *g, const struct pipe *p,
                             int64_t first, int64_t n, int64_t skip)
{
    const int64_t end = first + n * p->slots;
    const struct xk_cg_val reg = xk_cg_temp(g, XK_DT_S32, 1);
    const struct xk_cg_val from = xk_cg_imm(XK_DT_S32, first - end);
    const struct xk_cg_val zero = xk_cg_imm(XK_DT_S32, 0);
    const uint32_t top = xk_cg_label_new(g), entry = xk_cg_label_new(g);
    xk_cg_mov(g, &reg, &from, 1);
    XK_TRY(xk_ctx_status(g->c));
    if (skip)
        xk_cg_jump(g, entry, NULL, true);
    xk_cg_loop_begin(g);
    xk_cg_label_here(g, top);
    for (int64_t u = 0; u < p->slots; u++) {
        if (u == skip)
            xk_cg_label_here(g, entry);
        XK_TRY(step_stages(g, p, &reg, end + u, first + u));
    }
    back_edge(g, &reg, &zero, p->slots, top);
    xk_cg_loop_end(g);
    return xk_ctx_status(g->c);
}

enum xk_status xk_cg_pipe(struct xk_cg *g, const xk_stmt *s)
{
    const struct xk_pipe_info info = xk_pipe_info_of(s);
    struct pipe p = {.var = xk_kid(s, 0),
                     .body = xk_kid(s, 2),
                     .slots = info.slots,
                     .stages = info.stages};
    if (!xk_cg_const(g, xk_kid(s, 1), &p.trip) || p.slots < 1 || p.stages < 1)
        return xk_fail(g->c, XK_EUNSUPPORTED,
                       "codegen: a pipe of %u slots and "
                       "%u stages whose trip count is not constant",
                       info.slots, info.stages);
    const int64_t steady = p.trip - p.stages + 1;
    /* Steps of a round that came before: the prologue's. */
    const int64_t skip =
        p.slots > 2 && p.trip % p.slots == 0 ? (p.stages - 1) % p.slots : 0;
    const int64_t n = steady > 0 ? (steady + skip) / p.slots : 0;
    const int64_t end = p.trip > 0 ? p.trip + p.stages - 1 : 0;
    int64_t t = 0;
    for (; t < end; t++) {
        if (t == p.stages - 1 && n > 1) {
            XK_TRY(rounds(g, &p, t - skip, n, skip));
            t += n * p.slots - skip;
        }
        XK_TRY(step_stages(g, &p, NULL, t, 0));
    }
    return XK_OK;
}
