/* SPDX-License-Identifier: Apache-2.0 */
/* The sampler's messages that OpenCL needs: sample_l, sample_lz and ld_lz on
 * surfaces of one level. Payloads are as Intel's compiler sends them: sample_l
 * has the level before the coordinates, and the last coordinate of an array is
 * the element. */
#include <fenv.h>

#include "sim/message/message_sample.h"
#include "sim/message/sampler.h"

#define MOST_PLANES 5
#define SAMPLER_STATE_B 16

static bool is_simulated(const struct xk_sampler_msg *m)
{
    return m->simd && !m->other &&
           (m->op == XK_SMP_SAMPLE_L || m->op == XK_SMP_SAMPLE_LZ ||
            m->op == XK_SMP_LD_LZ);
}

bool xk_sim_sample_of(const struct xk_sim_kernel *k,
                      const struct xk_sim_inst *e, struct xk_sim_sample *s)
{
    const uint32_t grf_b = k->grf_b;
    *s = (struct xk_sim_sample){.value_b = 4};
    if (!xk_sampler_decode(&e->in, &s->m) || !is_simulated(&s->m))
        return false;
    s->value_b = s->m.half ? 2 : 4;
    s->plane_b = (s->m.simd * 4u + grf_b - 1) / grf_b * grf_b;
    s->back_b = (s->m.simd * (uint32_t)s->value_b + grf_b - 1) / grf_b * grf_b;
    s->n_coords = ((unsigned)s->m.src0_grf - s->m.header + s->m.src1_grf) *
                  grf_b / s->plane_b;
    s->n_back = s->m.dst_grf * grf_b / s->back_b;
    if (s->n_back > 4)
        s->n_back = 4;
    return true;
}

uint32_t xk_sim_sample_plane_at(const struct xk_sim_kernel *k,
                                const struct xk_sim_inst *e,
                                const struct xk_sim_sample *s, unsigned i)
{
    const uint32_t at_b = s->m.header * k->grf_b + i * s->plane_b,
                   in0_b = s->m.src0_grf * k->grf_b;
    return at_b < in0_b ? e->src[0].off_b + at_b
                        : e->src[1].off_b + at_b - in0_b;
}

/* Whether the message names the registers that it needs. */
static bool sample_fits(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        const struct xk_sim_sample *s)
{
    const struct xk_sampler_msg *const m = &s->m;
    if (m->src0_grf < m->header || !s->n_coords || s->n_coords > MOST_PLANES) {
        xk_sim_fault(t, e,
                     "sampler message: %u + %u registers sent do not give 1 to "
                     "%u values of %u bytes",
                     m->src0_grf, m->src1_grf, MOST_PLANES, s->plane_b);
        return false;
    }
    if ((unsigned)m->src0_grf - m->header + m->src1_grf !=
        s->n_coords * (s->plane_b / t->kernel->grf_b)) {
        xk_sim_fault(t, e,
                     "not modelled: sampler message: %u + %u registers sent "
                     "are not a whole number of values of %u bytes",
                     m->src0_grf, m->src1_grf, s->plane_b);
        return false;
    }
    if (m->dst_grf * t->kernel->grf_b != s->n_back * s->back_b) {
        xk_sim_fault(t, e,
                     "not modelled: sampler message: response of %u registers, "
                     "not 0 to 4 values of %u bytes",
                     m->dst_grf, s->back_b);
        return false;
    }
    return xk_sim_payload(t, e, &e->src[0], 0, m->src0_grf, "the payload") &&
           (!m->src1_grf || xk_sim_payload(t, e, &e->src[1], 0, m->src1_grf,
                                           "the payload's second part")) &&
           (!s->n_back || xk_sim_payload(t, e, &e->dst, s->n_back * s->back_b,
                                         m->dst_grf, "the destination"));
}

/* Dword 2 of a header has the channels that are not wanted, texel offsets below
 * them, and above them what other operations ask for. */
static bool header_known(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_sim_sample *s)
{
    const uint32_t v =
        s->m.header ? xk_rf_u32(t, e->src[0].off_b + 8) & ~0xf000u : 0;
    if (v & 0xfff)
        return xk_sim_lacks(t, e, "a sampler message with texel offsets",
                            v & 0xfff);
    return !v || xk_sim_lacks(t, e,
                              "a sampler message whose header has in dword 2 "
                              "the bits",
                              v);
}

/* The pointer is the dispatch's, or that of the header, a copy of r0. */
static bool read_sampler(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct xk_sim_sample *s,
                         struct xk_sim_sampler *out)
{
    const struct xk_sim_dispatch *const d = t->group->run->d;
    uint32_t at_b = d->sampler_b;
    if (s->m.header)
        at_b = xk_rf_u32(t, e->src[0].off_b + 12) & ~0x1eu;
    if (at_b & 1) {
        xk_sim_fault(t, e, "a bindless sampler is not simulated");
        return false;
    }
    if (!d->dynamic_va) {
        xk_sim_fault(t, e, "sampler %u, but the launch has none", s->m.sampler);
        return false;
    }
    return xk_sim_sampler_read(
        t, e, d->dynamic_va + at_b + (uint64_t)SAMPLER_STATE_B * s->m.sampler,
        d->dynamic_va, out);
}

/* A lane's coordinates, without a level: there is only one. */
static void take_coords(const struct xk_sim_thread *t,
                        const struct xk_sim_inst *e,
                        const struct xk_sim_sample *s, unsigned lane,
                        uint32_t at[4])
{
    const unsigned first = s->m.op == XK_SMP_SAMPLE_L;
    memset(at, 0, 4 * sizeof *at);
    for (unsigned k = first; k < s->n_coords && k - first < 4; k++)
        at[k - first] =
            xk_rf_u32(t, xk_sim_sample_plane_at(t->kernel, e, s, k) + 4 * lane);
}

static bool sample_lane(const struct xk_sim_lookup *l,
                        const struct xk_sim_sample *s,
                        const struct xk_sim_sampler *sampler, uint32_t out[4])
{
    const struct xk_sim_image *const g = l->g;
    const unsigned n = g->n_dims + g->array;
    uint32_t bits[4];
    float at[4];
    int64_t whole[3] = {0};
    memset(out, 0, 4 * sizeof *out);
    if (!g->format)
        return true;
    take_coords(l->t, l->e, s, l->lane, bits);
    memcpy(at, bits, sizeof at);
    for (unsigned k = 0; k < n && k < 3; k++)
        whole[k] = (int32_t)bits[k];
    return s->m.op == XK_SMP_LD_LZ ? xk_sim_image_fetch(l, whole, out)
                                   : xk_sim_sample(l, sampler, at, out);
}

/* The channels that are wanted, one behind the other. */
static void put_sample(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct xk_sim_sample *s, unsigned unwanted,
                       unsigned lane, const uint32_t v[4])
{
    unsigned n = 0;
    for (unsigned c = 0; c < 4 && n < s->n_back; c++) {
        const uint32_t at_b = e->dst.off_b + n * s->back_b + lane * s->value_b;
        if (unwanted >> c & 1)
            continue;
        if (s->value_b == 4) {
            xk_rf_set_u32(t, at_b, v[c]);
        } else {
            float f;
            memcpy(&f, &v[c], 4);
            const uint16_t h = xk_sim_half_from_float(f, 0);
            memcpy(t->rf + at_b, &h, 2);
        }
        n++;
    }
}

static void run_lanes(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      const struct xk_sim_sample *s,
                      const struct xk_sim_image *g,
                      const struct xk_sim_sampler *sampler)
{
    const uint32_t mask =
        xk_sim_mask(t, e) & (uint32_t)((UINT64_C(1) << s->m.simd) - 1);
    const unsigned unwanted =
        s->m.header ? xk_rf_u32(t, e->src[0].off_b + 8) >> 12 & 15 : 0;
    uint32_t v[XK_SIM_LANES][4]; /* the destination may overlap the payload */
    for (uint32_t k = mask; k; k &= k - 1) {
        const unsigned l = (unsigned)__builtin_ctz(k);
        const struct xk_sim_lookup look = {t, e, g, l};
        if (!sample_lane(&look, s, sampler, v[l]))
            return;
    }
    for (uint32_t k = mask; k && s->n_back; k &= k - 1) {
        const unsigned l = (unsigned)__builtin_ctz(k);
        put_sample(t, e, s, unwanted, l, v[l]);
    }
}

/* The sampler rounds to nearest whatever the thread's own mode is. */
static void exec_sample(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct xk_sim_sample s;
    struct xk_sim_image g;
    struct xk_sim_sampler sampler = {.linear = false};
    uint64_t va;
    if (!xk_sim_sample_of(t->kernel, e, &s)) {
        xk_sim_exec_refused(t, e);
        return;
    }
    if (!t->kernel->platform->has_sampler) {
        xk_sim_fault(t, e, "%s has no sampler", t->kernel->platform->name);
        return;
    }
    if (!sample_fits(t, e, &s) || !header_known(t, e, &s) ||
        !xk_sim_bti_va(t, e, s.m.bti, &va) ||
        !xk_sim_image_read(t, e, va, &g) ||
        (s.m.op != XK_SMP_LD_LZ && !read_sampler(t, e, &s, &sampler)))
        return;
    if (s.m.half && g.format && xk_sim_texel_is_integer(g.format->kind)) {
        xk_sim_fault(t, e,
                     "sampler message: 16 bits of an integer format are "
                     "not simulated");
        return;
    }
    const int was = fegetround();
    fesetround(FE_TONEAREST);
    run_lanes(t, e, &s, &g, &sampler);
    fesetround(was);
}

static void exec_flush(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    if (!t->kernel->platform->has_sampler)
        xk_sim_fault(t, e, "%s has no sampler", t->kernel->platform->name);
    else if (e->dst.kind == XK_SO_REG &&
             xk_sim_payload(t, e, &e->dst, 0, 1, "the answer"))
        memset(t->rf + e->dst.off_b, 0xa5, t->kernel->grf_b);
}

xk_sim_fn *xk_sim_select_sample(const struct xk_sim_inst *e)
{
    struct xk_sampler_msg m;
    if (xk_sim_is_sampler_flush(e))
        return exec_flush;
    return xk_sampler_decode(&e->in, &m) && is_simulated(&m) ? exec_sample
                                                             : NULL;
}
