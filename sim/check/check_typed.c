/* SPDX-License-Identifier: Apache-2.0 */
/* Typed and sampler messages and media blocks, and what nobody wrote. Lanes
 * that take part need defined coordinates and stored channels. What comes back
 * is defined. */
#include "sim/check/check_state.h"
#include "sim/message/message_sample.h"
#include "sim/message/message_typed.h"

static void need_planes(struct xk_sim_check_thread *c,
                        const struct xk_sim_inst *e,
                        const struct xk_sim_planes *p, uint32_t lanes)
{
    for (unsigned k = 0; k < p->n_coords + p->n_data; k++) {
        const uint32_t at_b = xk_sim_typed_plane_at(e, p, k);
        for (uint32_t m = lanes; m; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctz(m);
            xk_check_need_defined(
                c, e, at_b + 4 * l, 4,
                k < p->n_coords ? "the coordinate" : "what is stored", l);
        }
    }
}

static bool is_media(const struct xk_msg *m)
{
    return m->kind == XK_MSG_DC1_MEDIA_LOAD ||
           m->kind == XK_MSG_DC1_MEDIA_STORE;
}

/* A note is a row; rows lie a power of two apart, at least 4 bytes. */
static void media_rows(struct xk_sim_check_thread *c,
                       const struct xk_sim_inst *e, bool store)
{
    const struct xk_sim_check_work *const w = c->work;
    unsigned r = 0;
    for (unsigned i = 0; i < w->n_notes; i++) {
        const uint32_t n_b = w->note[i].n_b;
        uint32_t row_b = 4;
        if (w->note[i].space == XK_CS_STATE)
            continue;
        while (row_b < n_b)
            row_b *= 2;
        if (store)
            xk_check_need_defined(c, e, e->src[1].off_b + r * row_b, n_b,
                                  "what is stored", 0);
        else
            xk_check_put(c, e->dst.off_b + r * row_b, n_b, true);
        r++;
    }
}

bool xk_check_typed_before(struct xk_sim_check_thread *c,
                           const struct xk_sim_inst *e, const struct xk_msg *m,
                           uint32_t lanes)
{
    struct xk_sim_planes p;
    if (is_media(m) && e->src[0].kind == XK_SO_REG)
        xk_check_need_defined(c, e, e->src[0].off_b, 12, "the header", 0);
    if (!xk_sim_is_typed(m))
        return is_media(m);
    xk_sim_typed_planes(c->thread->kernel, e, m, &p);
    if (e->src[0].kind == XK_SO_REG && p.n_coords <= 4)
        need_planes(c, e, &p, lanes);
    return true;
}

bool xk_check_typed_after(struct xk_sim_check_thread *c,
                          const struct xk_sim_inst *e, const struct xk_msg *m,
                          uint32_t lanes)
{
    struct xk_sim_planes p;
    if (is_media(m))
        media_rows(c, e, m->op == XK_MOP_STORE);
    if (!xk_sim_is_typed(m))
        return is_media(m);
    xk_sim_typed_planes(c->thread->kernel, e, m, &p);
    for (unsigned k = 0; k < p.n_back; k++)
        for (uint32_t l = lanes; l; l &= l - 1)
            xk_check_put(c,
                         e->dst.off_b + k * p.plane_b +
                             4 * (uint32_t)__builtin_ctz(l),
                         4, true);
    return true;
}

void xk_check_sample_before(struct xk_sim_check_thread *c,
                            const struct xk_sim_inst *e, uint32_t lanes)
{
    const struct xk_sim_kernel *const k = c->thread->kernel;
    struct xk_sim_sample s;
    if (e->src[0].kind != XK_SO_REG || !xk_sim_sample_of(k, e, &s))
        return;
    if (s.m.header)
        xk_check_need_defined(c, e, e->src[0].off_b + 8, 8, "the header", 0);
    if (s.m.src1_grf && e->src[1].kind != XK_SO_REG)
        return;
    for (unsigned p = 0; p < s.n_coords; p++)
        for (uint32_t l = lanes; l; l &= l - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(l);
            if (lane < s.m.simd)
                xk_check_need_defined(
                    c, e, xk_sim_sample_plane_at(k, e, &s, p) + 4 * lane, 4,
                    "the coordinate", lane);
        }
}

bool xk_check_sample_after(struct xk_sim_check_thread *c,
                           const struct xk_sim_inst *e, uint32_t lanes)
{
    struct xk_sim_sample s;
    if (e->dst.kind == XK_SO_REG && xk_sim_is_sampler_flush(e)) {
        xk_check_put(c, e->dst.off_b, c->thread->kernel->grf_b, false);
        return true;
    }
    if (e->dst.kind != XK_SO_REG || !xk_sim_sample_of(c->thread->kernel, e, &s))
        return false;
    for (unsigned k = 0; k < s.n_back; k++)
        for (uint32_t l = lanes; l; l &= l - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(l);
            if (lane < s.m.simd)
                xk_check_put(c, e->dst.off_b + k * s.back_b + s.value_b * lane,
                             s.value_b, true);
        }
    return true;
}
