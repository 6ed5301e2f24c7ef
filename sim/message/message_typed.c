/* SPDX-License-Identifier: Apache-2.0 */
/* Typed messages: coordinates of texels in a surface whose state says format,
 * extent and pitch (sim/message/image.h): 1D, 2D, 3D, arrays, and buffers of
 * texels. A texel outside reads as zero and is not written. */
#include "sim/message/image.h"

static unsigned bits_set(unsigned v)
{
    return (unsigned)__builtin_popcount(v);
}

void xk_sim_typed_planes(const struct xk_sim_kernel *k,
                         const struct xk_sim_inst *e, const struct xk_msg *m,
                         struct xk_sim_planes *out)
{
    const enum xk_msg_class c = xk_msg_op_class(m->op);
    const unsigned grfs = (e->exec * 4u + k->grf_b - 1) / k->grf_b;
    const unsigned in0 = m->src0_grf / grfs, in1 = m->src1_grf / grfs;
    const bool returns = e->dst.kind == XK_SO_REG && m->dst_grf;
    *out = (struct xk_sim_planes){.plane_b = grfs * k->grf_b, .n_src0 = in0};
    if (c == XK_MCLASS_ATOMIC) {
        out->n_data = xk_msg_atomic_n_srcs(m->op);
        out->n_back = returns ? 1 : 0;
    } else if (c == XK_MCLASS_STORE) {
        out->n_data = bits_set(m->cmask);
    } else {
        out->n_back = returns ? bits_set(m->cmask) : 0;
    }
    if (in0 + in1 > out->n_data)
        out->n_coords = in0 + in1 - out->n_data;
}

uint32_t xk_sim_typed_plane_at(const struct xk_sim_inst *e,
                               const struct xk_sim_planes *p, unsigned k)
{
    return k < p->n_src0 ? e->src[0].off_b + k * p->plane_b
                         : e->src[1].off_b + (k - p->n_src0) * p->plane_b;
}

bool xk_sim_is_typed(const struct xk_msg *m)
{
    switch ((enum xk_msg_kind)m->kind) {
    case XK_MSG_DC1_TYPED_LOAD:
    case XK_MSG_DC1_TYPED_STORE:
    case XK_MSG_DC1_TYPED_LOAD_STATUS:
    case XK_MSG_DC1_TYPED_ATOMIC_INT:
    case XK_MSG_DC1_TYPED_ATOMIC_INT16:
    case XK_MSG_DC1_TYPED_COUNTER:
    case XK_MSG_DC1_TYPED_COUNTER16:
    case XK_MSG_DCRO_TYPED_STORE:
        return true;
    default:
        return m->sfid == XK_SFID_TGM && m->op != XK_MOP_FENCE &&
               m->op != XK_MOP_READ_STATE && m->op != XK_MOP_CCS;
    }
}

/* Channels that the state exchanges are a matter of the sampler. */
static bool read_image(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       struct xk_sim_image *g)
{
    uint64_t va;
    if (!xk_sim_surface_va(t, e, &va) || !xk_sim_image_read(t, e, va, g))
        return false;
    for (unsigned k = 0; g->format && k < 4; k++)
        if (xk_sim_texel_has(g->format, k) && g->select[k] != XK_SELECT_RED + k)
            return xk_sim_lacks(
                t, e,
                "typed message: a surface with exchanged channels, number", k);
    return true;
}

/* The texel of a lane; NULL where there is none, or after a finding. */
static uint8_t *texel_of(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_sim_image *g,
                         const struct xk_sim_planes *p, unsigned lane)
{
    uint32_t at[4] = {0};
    for (unsigned k = 0; k < p->n_coords; k++)
        at[k] = xk_rf_u32(t, xk_sim_typed_plane_at(e, p, k) + 4 * lane);
    for (unsigned k = 0; k < 4; k++)
        if (at[k] >= g->extent[k])
            return NULL;
    return xk_sim_reach(
        t, e, &xk_sim_flat,
        (struct xk_sim_bytes){xk_sim_image_at(g, at[0], at[1], at[2]),
                              g->texel_b, g->format->size_b, lane});
}

static void load_texel(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct xk_sim_image *g,
                       const struct xk_sim_planes *p, unsigned lane,
                       const uint8_t *texel)
{
    uint32_t at = e->dst.off_b + 4 * lane;
    for (unsigned c = 0; c < 4; c++) {
        if (!(e->msg.cmask >> c & 1))
            continue;
        xk_rf_set_u32(t, at, texel ? xk_sim_texel_get(g->format, texel, c) : 0);
        at += p->plane_b;
    }
}

static void store_texel(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        const struct xk_sim_image *g,
                        const struct xk_sim_planes *p, unsigned lane,
                        uint8_t *texel)
{
    unsigned k = p->n_coords;
    for (unsigned c = 0; c < 4 && texel; c++)
        if (e->msg.cmask >> c & 1)
            xk_sim_texel_set(
                g->format, texel, c,
                xk_rf_u32(t, xk_sim_typed_plane_at(e, p, k++) + 4 * lane));
}

/* An atomic operation on one 32-bit channel, whatever its kind: operations have
 * types of their own. */
static void change_texel(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_sim_planes *p, unsigned lane,
                         uint8_t *texel)
{
    uint32_t v[2] = {0}, old = 0;
    for (unsigned k = 0; k < p->n_data && k < 2; k++)
        v[k] = xk_rf_u32(t, xk_sim_typed_plane_at(e, p, p->n_coords + k) +
                                4 * lane);
    if (texel)
        old = (uint32_t)xk_sim_atomic_apply(texel, e->msg.op, v[0], v[1], 4);
    if (e->msg.op == XK_MOP_ATOMIC_IPDEC)
        old--;
    if (p->n_back)
        xk_rf_set_u32(t, e->dst.off_b + 4 * lane, texel ? old : 0);
}

/* The registers that the message has for what it needs. */
static bool planes_fit(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct xk_sim_planes *p)
{
    const struct xk_msg *const m = &e->msg;
    if (!p->n_coords || p->n_coords > 4) {
        xk_sim_fault(t, e,
                     "typed message: %u + %u registers sent do not give 1 to 4 "
                     "coordinates and %u data of %u bytes each",
                     m->src0_grf, m->src1_grf, p->n_data, p->plane_b);
        return false;
    }
    const unsigned grfs = p->plane_b / t->kernel->grf_b;
    if (m->src0_grf % grfs || m->src1_grf % grfs ||
        m->dst_grf != p->n_back * grfs) {
        xk_sim_fault(t, e,
                     "not modelled: typed message: %u + %u registers sent and "
                     "%u back, not %u values and %u of %u registers each",
                     m->src0_grf, m->src1_grf, m->dst_grf,
                     p->n_coords + p->n_data, p->n_back, grfs);
        return false;
    }
    return (!m->src0_grf || xk_sim_payload(t, e, &e->src[0], 0, m->src0_grf,
                                           "the address payload")) &&
           (!m->src1_grf || xk_sim_payload(t, e, &e->src[1], 0, m->src1_grf,
                                           "the data payload")) &&
           (!p->n_back || xk_sim_payload(t, e, &e->dst, p->n_back * p->plane_b,
                                         m->dst_grf, "the destination"));
}

/* Coordinates are taken before the destination, which may overlap them. */
static void exec_typed(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const enum xk_msg_class c = xk_msg_op_class(e->msg.op);
    struct xk_sim_planes p;
    struct xk_sim_image g;
    uint8_t *texel[XK_SIM_LANES];
    const uint32_t mask = xk_sim_msg_mask(t, e);
    xk_sim_typed_planes(t->kernel, e, &e->msg, &p);
    if (c == XK_MCLASS_LOAD && !p.n_back)
        return; /* prefetch */
    if (!planes_fit(t, e, &p) || !read_image(t, e, &g))
        return;
    if (c == XK_MCLASS_ATOMIC && g.format && g.texel_b != 4) {
        xk_sim_lacks(t, e, "typed message: an atomic on texels of bytes",
                     g.texel_b);
        return;
    }
    for (uint32_t k = mask; k; k &= k - 1) {
        const unsigned l = (unsigned)__builtin_ctz(k);
        texel[l] = g.format ? texel_of(t, e, &g, &p, l) : NULL;
        if (t->state == XK_SIM_FAULT)
            return;
    }
    for (uint32_t k = mask; k; k &= k - 1) {
        const unsigned l = (unsigned)__builtin_ctz(k);
        if (c == XK_MCLASS_ATOMIC)
            change_texel(t, e, &p, l, texel[l]);
        else if (c == XK_MCLASS_STORE)
            store_texel(t, e, &g, &p, l, texel[l]);
        else
            load_texel(t, e, &g, &p, l, texel[l]);
    }
}

/* docs/run.md has the list of what is refused. */
xk_sim_fn *xk_sim_select_typed(const struct xk_sim_inst *e)
{
    const struct xk_msg *const m = &e->msg;
    switch ((enum xk_msg_kind)m->kind) {
    case XK_MSG_DC1_TYPED_LOAD:
    case XK_MSG_DC1_TYPED_STORE:
    case XK_MSG_DC1_TYPED_ATOMIC_INT:
    case XK_MSG_DCRO_TYPED_STORE:
        return m->header || m->slot_high ? NULL : exec_typed;
    case XK_MSG_LSC_LOAD_CMASK:
    case XK_MSG_LSC_STORE_CMASK:
    case XK_MSG_LSC_STORE_UNCOMPRESSED_CMASK:
    case XK_MSG_LSC_ATOMIC:
        return m->addr_b == 4 && m->data_b == 4 && m->reg_b == 4 ? exec_typed
                                                                 : NULL;
    default:
        return NULL;
    }
}
