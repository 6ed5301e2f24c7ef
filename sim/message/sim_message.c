/* SPDX-License-Identifier: Apache-2.0 */
/* Sends: the choice of the executor, descriptors from address registers, and
 * what happens to an access that cannot be made. */
#include "sim/core/known.h"
#include "sim/message/message_sample.h"
#include "sim/message/message_typed.h"

#include <inttypes.h>
#include <stdio.h>

/* An access beyond the end of a surface, which is defined: a checker may want
 * to know of it. */
static void surface_oob(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        uint64_t addr, uint32_t n_b)
{
    if (addr < XK_OFF_NULL)
        xk_sim_tell_event(t, e, XK_SIM_EV_BEYOND, addr, n_b);
}

static void explain(const struct xk_sim_thread *t, const struct xk_sim_view *v,
                    uint64_t addr, uint32_t n_b, char *out, size_t out_b)
{
    const struct xk_sim_group *g = t->group;
    if (v->host)
        snprintf(out, out_b,
                 "%u bytes at 0x%" PRIx64 " of shared local "
                 "memory, which has %u bytes",
                 n_b, addr, g->slm_b);
    else
        xk_sim_space_explain(&g->run->space, v->base + (addr & v->mask), n_b,
                             out, out_b);
}

uint8_t *xk_sim_miss(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                     const struct xk_sim_view *v, struct xk_sim_bytes a)
{
    const uint64_t at = a.addr & v->mask;
    char why[200];
    if (at & (a.align_b - 1)) {
        xk_sim_fault(t, e,
                     "lane %u: address 0x%" PRIx64 " is not a multiple "
                     "of %u bytes",
                     a.lane, a.addr, a.align_b);
    } else if (v->surface && (at >= v->size_b || v->size_b - at < a.n_b)) {
        surface_oob(t, e, at, a.n_b);
    } else {
        explain(t, v, a.addr, a.n_b, why, sizeof(why));
        xk_sim_fault(t, e, "lane %u: %s", a.lane, why);
    }
    return NULL;
}

bool xk_sim_payload(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    const struct xk_sim_opnd *o, uint32_t n_b, uint32_t n_grf,
                    const char *what)
{
    const uint32_t end_b = t->kernel->grf_count * t->kernel->grf_b;
    if (o->kind != XK_SO_REG) {
        xk_sim_fault(t, e, "%s is no register", what);
        return false;
    }
    if (n_b > n_grf * t->kernel->grf_b) {
        xk_sim_fault(t, e,
                     "%s needs %u bytes, but the message has %u "
                     "registers for it",
                     what, n_b, n_grf);
        return false;
    }
    if (o->off_b + n_grf * t->kernel->grf_b > end_b) {
        xk_sim_fault(t, e, "%s of %u registers ends beyond r%u", what, n_grf,
                     t->kernel->grf_count - 1);
        return false;
    }
    return true;
}

/* Everything is executed in order, so a fence has nothing to do. Nobody may
 * rely on what it returns. */
static void exec_fence(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (e->dst.kind == XK_SO_REG && e->msg.dst_grf &&
        xk_sim_payload(t, e, &e->dst, 0, e->msg.dst_grf, "the destination"))
        memset(t->rf + e->dst.off_b, 0xa5,
               (size_t)e->msg.dst_grf * t->kernel->grf_b);
}

/* The 64 bytes of the surface state that the message names. */
static void exec_read_state(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e)
{
    uint64_t va;
    if (!xk_sim_surface_va(t, e, &va) ||
        !xk_sim_payload(t, e, &e->dst, 64, e->msg.dst_grf, "the destination"))
        return;
    const uint8_t *const p =
        xk_sim_reach(t, e, &xk_sim_flat, (struct xk_sim_bytes){va, 64, 64, 0});
    if (p)
        memcpy(t->rf + e->dst.off_b, p, 64);
}

static bool has_addresses(const struct xk_msg *m)
{
    return m->space != XK_MSPACE_NONE && m->addr_b && m->data_b;
}

static xk_sim_fn *select_memory(const struct xk_sim_inst *e)
{
    const struct xk_msg *const m = &e->msg;
    if (xk_sim_is_typed(m))
        return xk_sim_select_typed(e);
    if (m->kind == XK_MSG_DC1_MEDIA_LOAD || m->kind == XK_MSG_DC1_MEDIA_STORE)
        return xk_sim_exec_media;
    if (!has_addresses(m))
        return NULL;
    if (m->op == XK_MOP_LOAD_BLOCK2D || m->op == XK_MOP_STORE_BLOCK2D)
        return xk_sim_exec_block2d;
    return m->transpose ? xk_sim_select_block(e) : xk_sim_select_gather(e);
}

static xk_sim_fn *handler(const struct xk_sim_inst *e)
{
    switch (xk_msg_op_class(e->msg.op)) {
    case XK_MCLASS_LOAD:
    case XK_MCLASS_STORE:
        return select_memory(e);
    case XK_MCLASS_ATOMIC:
        return xk_sim_is_typed(&e->msg) ? xk_sim_select_typed(e)
                                        : xk_sim_exec_atomic;
    case XK_MCLASS_FENCE:
        return exec_fence;
    case XK_MCLASS_BARRIER:
    case XK_MCLASS_EOT:
        return xk_sim_select_gateway(e);
    case XK_MCLASS_OTHER:
        break;
    }
    if (e->msg.kind == XK_MSG_OTHER)
        return xk_sim_select_sample(e);
    return e->msg.op == XK_MOP_READ_STATE ? exec_read_state : NULL;
}

void xk_sim_exec_refused(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sampler_msg m;
    if (xk_sampler_decode(&e->in, &m))
        xk_sim_fault(t, e,
                     "the sampler message %s (operation 0x%x, SIMD%u) with "
                     "descriptor 0x%x is not simulated",
                     xk_sampler_op_name(m.op), m.op, m.simd, e->in.send.desc);
    else if (e->msg.kind == XK_MSG_UNKNOWN || e->msg.kind == XK_MSG_OTHER)
        xk_sim_fault(t, e,
                     "unknown or unsupported message, descriptor 0x%x, "
                     "extended 0x%x",
                     e->in.send.desc, e->in.send.exdesc);
    else
        xk_sim_fault(
            t, e, "the message %s with descriptor 0x%x is not simulated",
            xk_msg_kind_name((enum xk_msg_kind)e->msg.kind), e->in.send.desc);
}

/* Reads what only the address registers say: the descriptor, and the length of
 * src1. The surface is looked up where it is needed. */
static void exec_dynamic(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_inst fixed = *e;
    struct xk_send_info *s = &fixed.in.send;
    char why[256];
    if (s->desc_reg) {
        s->desc = xk_rf_u32(t, XK_RF_A0);
        s->desc_reg = false;
        xk_msg_decode(t->kernel->platform, &fixed.in, &fixed.msg);
        if (xk_sim_message_not_known(t->kernel->platform, &fixed.in, why,
                                     sizeof(why))) {
            xk_sim_fault(t, e, "not modelled: %s", why);
            return;
        }
    }
    if (fixed.msg.unknown_src1) {
        const uint32_t ex = xk_rf_u32(t, XK_RF_A0 + 4u * (s->exdesc_sub & 7));
        fixed.msg.src1_grf = ex >> 6 & 31;
    }
    xk_sim_fn *fn = handler(&fixed);
    (fn ? fn : xk_sim_exec_refused)(t, &fixed);
}

xk_sim_fn *xk_sim_select_send(const struct xk_sim_inst *e)
{
    if (e->in.send.desc_reg || e->msg.unknown_src1)
        return exec_dynamic;
    xk_sim_fn *fn = handler(e);
    return fn ? fn : xk_sim_exec_refused;
}
