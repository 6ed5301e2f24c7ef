/* SPDX-License-Identifier: Apache-2.0 */
/* Exit of a kernel, with what the rows of isa/workaround.def demand there. */
#include "codegen/cg.h"
#include "isa/message.h"
#include "isa/workaround.h"

#define FENCE_SCOPE_LOCAL 1
#define FENCE_SCOPE_TILE 2
#define FENCE_FLUSH_TYPE6 6 /* reserved, flushes nothing (14012437816) */

static bool applies(const struct xk_cg *g, enum xk_wa id)
{
    return xk_wa_applies(id, &g->device);
}

static bool has_late_stores(const struct xk_cg *g)
{
    for (uint32_t i = 0; i < g->n_inst; i++)
        if (xk_wa_is_late_store(g->p, &g->inst[i]))
            return true;
    return false;
}

/* Old data ports' stores, of SLM as well. */
static bool has_stores(const struct xk_cg *g)
{
    struct xk_msg m;
    for (uint32_t i = 0; i < g->n_inst; i++) {
        if (g->inst[i].op != XK_OPC_SEND)
            continue;
        xk_msg_decode(g->p, &g->inst[i], &m);
        if (xk_msg_op_class(m.op) == XK_MCLASS_STORE)
            return true;
    }
    return false;
}

/* eot_ugm_fence, and eot_hdc_fence where LSC is not used for memory: what it
 * returns is read, so that it has arrived. */
static void fence_stores(struct xk_cg *g)
{
    const struct xk_cg_val d =
        xk_cg_reg(XK_DT_U32, xk_cg_tile_new(g, g->p->grf_b, g->p->grf_b), 0, 1);
    const struct xk_cg_val r0 = xk_cg_reg(XK_DT_U32, g->r0, 0, 1);
    struct xk_msg m = {.kind = XK_MSG_LSC_FENCE,
                       .sfid = XK_SFID_UGM,
                       .fence_scope = FENCE_SCOPE_TILE,
                       .fence_flush = FENCE_FLUSH_TYPE6};
    struct xk_error err = {0};
    if (g->old_ports) {
        m.fence_scope = FENCE_SCOPE_LOCAL;
        m.fence_flush = 0;
        m.cache = xk_cg_fence_route(g);
    }
    struct xk_inst *i = xk_cg_send(g, &m, 1);
    i->dst = xk_cg_dst(&d, 0);
    i->src[0] = xk_cg_dst(&r0, 0);
    if (xk_msg_build(g->p, &m, i, &err) < 0)
        xk_fail(g->c, err.status, "codegen: fence at the end: %s", err.message);
    i = xk_cg_emit(g, XK_OPC_MOV, 8);
    i->dst = xk_cg_null(XK_RT_UD);
    i->src[0] = xk_cg_src(&d, 0, 8);
}

static void csel(struct xk_cg *g, const struct xk_cg_val *v)
{
    struct xk_inst *const i = xk_cg_emit(g, XK_OPC_CSEL, 4);
    i->cond = XK_COND_EQ;
    i->dst = xk_cg_dst(v, 0);
    for (unsigned k = 0; k < 3; k++)
        i->src[k] = xk_cg_src3(v, 0, 4, k);
}

/* eot_csel: one in each in-order pipe, on a register of no meaning. */
static void clear_sources(struct xk_cg *g)
{
    const uint32_t tile = xk_cg_tile_new(g, g->p->grf_b, g->p->grf_b);
    const struct xk_cg_val all = xk_cg_reg(XK_DT_U32, tile, 0, 1);
    const struct xk_cg_val words = xk_cg_reg(XK_DT_S16, tile, 0, 1);
    const struct xk_cg_val floats = xk_cg_reg(XK_DT_F32, tile, 16, 1);
    const struct xk_cg_val zero = xk_cg_imm(XK_DT_U32, 0);
    xk_cg_op1(g, XK_OPC_MOV, &all, &zero, 8);
    csel(g, &words);
    csel(g, &floats);
}

/* The end-of-thread message wants r0 in the last sixteen registers. */
void xk_cg_epilogue(struct xk_cg *g)
{
    struct xk_msg m = {.kind = XK_MSG_EOT, .sfid = XK_SFID_GTWY};
    struct xk_error err = {0};
    if (!xk_cg_ok(g))
        return;
    if (g->old_ports ? has_stores(g)
                     : applies(g, XK_WA_eot_ugm_fence) && has_late_stores(g))
        fence_stores(g);
    const uint32_t tile = xk_cg_tile_new(g, g->p->grf_b, g->p->grf_b);
    const struct xk_cg_val r0 = xk_cg_reg(XK_DT_U32, g->r0, 0, 1);
    const struct xk_cg_val copy = xk_cg_reg(XK_DT_U32, tile, 0, 1);
    if (!xk_cg_ok(g))
        return;
    g->tile[tile].eot = true;
    xk_cg_op1(g, XK_OPC_MOV, &copy, &r0, g->p->grf_b / 4);
    if (applies(g, XK_WA_eot_csel) && g->abi->grf_count == 256)
        clear_sources(g);
    struct xk_inst *const i = xk_cg_send(g, &m, 8);
    i->src[0] = xk_cg_dst(&copy, 0);
    i->send.eot = true;
    if (xk_msg_build(g->p, &m, i, &err) < 0)
        xk_fail(g->c, err.status, "codegen: end of thread: %s", err.message);
}
