/* SPDX-License-Identifier: Apache-2.0 */
/* Function calls: messages, multiplies, barriers, register reorders. */
#include "codegen/cg.h"
#include "isa/message.h"

struct xk_inst *xk_cg_send(struct xk_cg *g, struct xk_msg *m, unsigned exec)
{
    struct xk_inst *const i = xk_cg_emit(g, XK_OPC_SEND, exec);
    i->dst = i->src[0] = i->src[1] = xk_cg_null(XK_RT_UD);
    g->n_sends++;
    m->exec = (uint8_t)exec;
    return i;
}

static struct xk_operand whole_tile(const struct xk_cg_val *v)
{
    struct xk_operand o = {.file = XK_FILE_TILE,
                           .type = XK_RT_UD,
                           .reg = (uint16_t)v->tile,
                           .sub_b = (uint16_t)v->sub_b};
    o.rgn.hs = 1;
    return o;
}

static void build_message(struct xk_cg *g, struct xk_msg *m, struct xk_inst *i)
{
    struct xk_error err = {0};
    if (xk_msg_build(g->p, m, i, &err) < 0)
        xk_fail(g->c, err.status, "codegen: %s", err.message);
}

/* A narrow element has a dword of its own in a lane's registers. */
static unsigned lane_register_bytes(const struct xk_send *s)
{
    return s->data_b < 4 ? 4 : s->data_b;
}

/* Stores to memory go through L1, as IGC's stores do for the steppings that
 * were sold. They need no fence before the end (isa/workaround.def, W03), and
 * do not depend on any surface's state. */
static uint8_t cache_of(const struct xk_cg *g, const struct xk_send *s)
{
    const int through_l1 =
        xk_msg_cache_code(g->p, XK_MOP_STORE, XK_CACHE_WB, XK_CACHE_WB);
    const bool chosen = s->cache || s->op != XK_SEND_STORE ||
                        s->space == XK_SPACE_SLM || through_l1 < 0;
    return chosen ? s->cache : (uint8_t)through_l1;
}

/* What the operation and the element size say about the message. */
static enum xk_status describe_message(struct xk_cg *g, const struct xk_send *s,
                                       struct xk_msg *m)
{
    const bool slm = s->space == XK_SPACE_SLM;
    const bool adds = s->op == XK_SEND_ATOMIC_ADD;
    if (adds && (slm || s->block || s->data_b != 4 || s->vec != 1))
        return xk_fail(g->c, XK_EUNSUPPORTED,
                       "codegen: send: atomic_add is of one f32 a lane, in "
                       "global memory");
    if (s->data_b < 4 && s->block)
        return xk_fail(g->c, XK_EUNSUPPORTED,
                       "codegen: send: block of "
                       "elements of %u bytes",
                       s->data_b);
    *m = (struct xk_msg){.kind = adds                     ? XK_MSG_LSC_ATOMIC
                                 : s->op == XK_SEND_STORE ? XK_MSG_LSC_STORE
                                                          : XK_MSG_LSC_LOAD,
                         .op = adds ? XK_MOP_ATOMIC_FADD : 0,
                         .sfid = slm ? XK_SFID_SLM : XK_SFID_UGM,
                         .addr_type = s->addr == XK_SEND_SURFACE ? XK_LSC_BTI
                                                                 : XK_LSC_FLAT,
                         .bti = s->surface,
                         .addr_b = s->addr == XK_SEND_A64 ? 8 : 4,
                         .data_b = s->data_b,
                         .reg_b = (uint8_t)lane_register_bytes(s),
                         .vec = s->vec,
                         .transpose = s->block,
                         .cache = cache_of(g, s)};
    return XK_OK;
}

static unsigned data_bytes(const struct xk_send *s)
{
    return s->vec * lane_register_bytes(s) * (s->block ? 1u : s->lanes);
}

/* Messages address whole GRFs. */
static struct xk_cg_val message_place(struct xk_cg *g, const xk_expr *ptr,
                                      unsigned n_b)
{
    struct xk_cg_val v = xk_cg_place_of(g, ptr, XK_DT_U32, (n_b + 3) / 4);
    if (v.kind == XK_CG_REG && v.sub_b % g->p->grf_b)
        xk_fail(g->c, XK_EINVAL,
                "codegen: send: byte %u of a buffer is not "
                "the start of a register",
                v.sub_b);
    return v;
}

/* A message and its operands. */
struct message {
    const struct xk_send *s;
    struct xk_msg m;
    unsigned exec;
    struct xk_cg_val head, data, flag; /* NONE: none of these */
};

static void emit_message(struct xk_cg *g, struct message *x)
{
    struct xk_inst *const i = xk_cg_send(g, &x->m, x->exec);
    i->src[0] = whole_tile(&x->head);
    if (x->data.kind != XK_CG_NONE)
        *(x->s->op == XK_SEND_LOAD ? &i->dst : &i->src[1]) =
            whole_tile(&x->data);
    if (x->flag.kind == XK_CG_FLAG)
        xk_cg_predicate(i, &x->flag);
    build_message(g, &x->m, i);
}

/* Lanes that are off go beside the surface and bring 0. A predicate would leave
 * them alone, and want a dummy in front of each chain of dpas that follows
 * (isa/workaround.def, rs_dpas). */
static void send_beside(struct xk_cg *g, struct message *x)
{
    const struct xk_cg_val beside = xk_cg_imm(XK_DT_U32, XK_OFF_NULL);
    const struct xk_cg_val at = x->head;
    const uint32_t first = g->n_inst;
    x->head = xk_cg_temp(g, XK_DT_U32, x->exec);
    if (x->flag.kind != XK_CG_FLAG) { /* none is on */
        xk_cg_op1(g, XK_OPC_MOV, &x->head, &beside, x->exec);
        return;
    }
    xk_cg_op2(g, XK_OPC_SEL, &x->head, &at, &beside, x->exec);
    for (uint32_t i = first; i < g->n_inst; i++)
        if (g->inst[i].op == XK_OPC_SEL)
            xk_cg_predicate(&g->inst[i], &x->flag);
    xk_cg_flag_free(g, &x->flag);
    x->flag.kind = XK_CG_NONE;
}

static enum xk_status sendh(struct xk_cg *g, const struct xk_send *s,
                            const xk_stmt *call)
{
    struct message x = {.s = s, .exec = s->block ? 1 : s->lanes};
    int64_t k = 1;
    if (g->old_ports && s->op == XK_SEND_PREFETCH)
        return XK_OK; /* they have none */
    XK_TRY(describe_message(g, s, &x.m));
    x.head = message_place(g, xk_kid(call, 0), x.exec * x.m.addr_b);
    if (s->op != XK_SEND_PREFETCH)
        x.data = message_place(g, xk_kid(call, 1), data_bytes(s));
    if (!xk_cg_const(g, xk_kid(call, 2), &k))
        x.flag = xk_cg_eval_bool(g, xk_kid(call, 2));
    else if (!k && !s->zero)
        return xk_ctx_status(g->c); /* no lane at all */
    XK_TRY(xk_ctx_status(g->c));
    if (s->zero && (x.flag.kind == XK_CG_FLAG || !k))
        send_beside(g, &x);
    if (g->old_ports)
        xk_cg_old_message(g,
                          &(struct xk_cg_old_send){s, x.head, x.data, x.flag});
    else
        emit_message(g, &x);
    xk_cg_flag_free(g, &x.flag);
    return xk_ctx_status(g->c);
}

/* mad and dp4a, whose operands are alike. */
static enum xk_status gen_mad(struct xk_cg *g, enum xk_opcode op,
                              const struct xk_mad *f, const xk_stmt *call)
{
    const uint8_t dt[4] = {f->dst, f->src0, f->src1, f->src2};
    const uint8_t stride[4] = {1, f->stride0, f->stride1, f->stride2};
    struct xk_cg_val v[4];
    for (unsigned k = 0; k < 4; k++) {
        v[k] = xk_cg_place_of(g, xk_kid(call, k), (enum xk_dtype)dt[k],
                              stride[k] ? f->lanes : 1);
        v[k].stride = stride[k];
    }
    XK_TRY(xk_ctx_status(g->c));
    const struct xk_cg_val *const s[] = {&v[1], &v[2], &v[3]};
    const uint32_t mark = g->n_inst;
    xk_cg_op3(g, op, &v[0], s, f->lanes);
    g->n_fma += g->n_inst - mark;
    return xk_ctx_status(g->c);
}

static enum xk_status dpas(struct xk_cg *g, const struct xk_dpas *f,
                           const xk_stmt *call)
{
    const uint8_t dt[4] = {f->dst, f->src0, f->src1, f->src2};
    struct xk_operand o[4];
    if (g->p->dpas_exec == 0 || f->exec != g->p->dpas_exec)
        return xk_fail(g->c, XK_EUNSUPPORTED, "codegen: dpas of %u lanes on %s",
                       f->exec, g->p->name);
    for (unsigned k = 0; k < 4; k++) {
        const struct xk_cg_val v =
            xk_cg_place_of(g, xk_kid(call, k), (enum xk_dtype)dt[k], 0);
        o[k] = whole_tile(&v);
        o[k].type = (uint8_t)xk_cg_rt((enum xk_dtype)dt[k]);
        if (k)
            o[k].rgn = (struct xk_region){1, 1, 0};
    }
    XK_TRY(xk_ctx_status(g->c));
    struct xk_inst *const i =
        xk_cg_emit(g, f->wide ? XK_OPC_DPASW : XK_OPC_DPAS, f->exec);
    i->sdepth = f->sdepth;
    i->rcount = f->rcount;
    i->dst = o[0];
    for (unsigned k = 0; k < 3; k++)
        i->src[k] = o[k + 1];
    g->n_fma++;
    return xk_ctx_status(g->c);
}

/* Waits for what the fence returns by reading it. */
static enum xk_status fence(struct xk_cg *g, enum xk_space space)
{
    const bool slm = space == XK_SPACE_SLM;
    struct xk_msg m = {.kind = XK_MSG_LSC_FENCE,
                       .sfid = slm ? XK_SFID_SLM : XK_SFID_UGM,
                       .cache = slm ? 0 : xk_cg_fence_route(g)};
    const struct xk_cg_val d =
        xk_cg_reg(XK_DT_U32, xk_cg_tile_new(g, g->p->grf_b, g->p->grf_b), 0, 1);
    const struct xk_cg_val r0 = xk_cg_reg(XK_DT_U32, g->r0, 0, 1);
    struct xk_inst *i = xk_cg_send(g, &m, 1);
    i->dst = whole_tile(&d);
    i->src[0] = whole_tile(&r0);
    build_message(g, &m, i);
    i = xk_cg_emit(g, XK_OPC_MOV, 8);
    i->dst = xk_cg_null(XK_RT_UD);
    i->src[0] = xk_cg_src(&d, 0, 8);
    return xk_ctx_status(g->c);
}

/* All threads of the group produce and consume: both counts are r0.2[31:24]. */
void xk_cg_barrier_message(struct xk_cg *g)
{
    const uint32_t tile = xk_cg_tile_new(g, g->p->grf_b, g->p->grf_b);
    const struct xk_cg_val head = xk_cg_reg(XK_DT_U32, tile, 0, 1);
    const struct xk_cg_val counts = xk_cg_reg(XK_DT_U8, tile, 10, 1);
    const struct xk_cg_val n = xk_cg_reg(XK_DT_U8, g->r0, 11, 0);
    const struct xk_cg_val zero = xk_cg_imm(XK_DT_U32, 0);
    xk_cg_op1(g, XK_OPC_MOV, &head, &zero, 8);
    xk_cg_op1(g, XK_OPC_MOV, &counts, &n, 2);
    g->barrier = tile;
}

static enum xk_status barrier_signal(struct xk_cg *g)
{
    struct xk_msg m = {.kind = XK_MSG_BARRIER, .sfid = XK_SFID_GTWY};
    const struct xk_cg_val head = xk_cg_reg(XK_DT_U32, g->barrier, 0, 1);
    struct xk_inst *const i = xk_cg_send(g, &m, 1);
    i->src[0] = whole_tile(&head);
    build_message(g, &m, i);
    return xk_ctx_status(g->c);
}

static enum xk_status barrier_wait(struct xk_cg *g)
{
    struct xk_inst *const i = xk_cg_emit(g, XK_OPC_SYNC, 1);
    i->sync_fn = XK_SYNC_BAR;
    i->src[0] = xk_cg_null(XK_RT_UD);
    return xk_ctx_status(g->c);
}

static enum xk_status gen_reorder(struct xk_cg *g, const struct xk_reorder *r,
                                  const xk_stmt *call)
{
    const struct xk_cg_val d =
        xk_cg_place_of(g, xk_kid(call, 0), (enum xk_dtype)r->dst, 0);
    const struct xk_cg_val s =
        xk_cg_place_of(g, xk_kid(call, 1), (enum xk_dtype)r->src, 0);
    XK_TRY(xk_ctx_status(g->c));
    return xk_cg_reorder(g, r, &d, &s);
}

enum xk_status xk_cg_call(struct xk_cg *g, const xk_stmt *s)
{
    const struct xk_func *const f = xk_func_of(s);
    switch ((enum xk_func_kind)f->kind) {
    case XK_FUNC_SENDH:
        return sendh(g, &f->u.send, s);
    case XK_FUNC_MAD:
        return gen_mad(g, XK_OPC_MAD, &f->u.mad, s);
    case XK_FUNC_DP4A:
        return gen_mad(g, XK_OPC_DP4A, &f->u.mad, s);
    case XK_FUNC_DPAS:
        return dpas(g, &f->u.dpas, s);
    case XK_FUNC_REORDER:
        return gen_reorder(g, &f->u.reorder, s);
    case XK_FUNC_BARRIER_SIGNAL:
        return barrier_signal(g);
    case XK_FUNC_BARRIER_WAIT:
        return barrier_wait(g);
    case XK_FUNC_FENCE:
        return fence(g, (enum xk_space)f->u.space);
    case XK_FUNC_SEND:
        return xk_fail(g->c, XK_EINTERNAL,
                       "codegen: a send without header: "
                       "the header pass has not run");
    case XK_FUNC_TILE: /* the passes have replaced it */
    case XK_N_FUNCS:
        break;
    }
    return xk_fail(g->c, XK_EINTERNAL, "codegen: function %u", f->kind);
}
