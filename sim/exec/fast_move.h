/* SPDX-License-Identifier: Apache-2.0 */
/* Direct paths of mov between floats and narrower types, and of bits of narrow
 * types; part of sim/exec/fast_body.h, which includes it. */

ALWAYS void load_narrow(const struct xk_sim_thread *t,
                        const struct xk_sim_inst *e, unsigned n,
                        unsigned size_b, uint16_t *restrict v)
{
    const uint8_t *p = t->rf + e->src[0].off_b;
    const unsigned step_b = e->src[0].vs_b;
    for (unsigned l = 0; l < n; l++) {
        v[l] = 0;
        memcpy(&v[l], p + l * step_b, size_b);
    }
}

ALWAYS void store_narrow(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         uint32_t mask, unsigned n, unsigned size_b,
                         const uint16_t *restrict v)
{
    uint8_t *p = t->rf + e->dst.off_b;
    const unsigned step_b = e->dst.vs_b;
    if (mask == e->lanes)
        for (unsigned l = 0; l < n; l++)
            memcpy(p + l * step_b, &v[l], size_b);
    else
        for (unsigned l = 0; l < n; l++)
            if (mask >> l & 1)
                memcpy(p + l * step_b, &v[l], size_b);
}

ALWAYS void halves_of(unsigned n, unsigned round, const uint32_t *a,
                      uint16_t *restrict h)
{
    unsigned l = 0;
#if WIDE /* the host's rounding mode is the thread's */
    for (; l + 8 <= n; l += 8)
        _mm_storeu_si128(
            (__m128i *)(void *)(h + l),
            _mm256_cvtps_ph(
                _mm256_loadu_ps((const float *)(const void *)(a + l)),
                _MM_FROUND_CUR_DIRECTION));
#endif
    for (; l < n; l++)
        h[l] = xk_sim_half_from_float(as_float(a[l]), round);
}

ALWAYS void m_f_to_hf(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      unsigned n)
{
    uint32_t a[XK_SIM_LANES];
    uint16_t h[XK_SIM_LANES];
    const uint32_t mask = active_lanes(t, e);
    load(t, e, 0, n, a);
    if (t->ftz)
        flush_lanes(n, a);
    halves_of(n, t->round, a, h);
    if (t->ftz_half)
        LANES h[l] = h[l] & 0x7c00 ? h[l] : h[l] & 0x8000;
    store_narrow(t, e, mask, n, 2, h);
}

ALWAYS void m_hf_to_f(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      unsigned n)
{
    uint16_t h[XK_SIM_LANES];
    uint32_t r[XK_SIM_LANES];
    const uint32_t mask = active_lanes(t, e);
    load_narrow(t, e, n, 2, h);
    if (t->ftz_half)
        LANES h[l] = h[l] & 0x7c00 ? h[l] : h[l] & 0x8000;
    LANES r[l] = as_bits(xk_sim_half_to_float(h[l]));
    store(t, e, mask, n, r);
}

/* Clamps; a NaN is 0. The host's rounding mode is the thread's. */
ALWAYS void f_to_narrow(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        unsigned n, unsigned size_b, float least, float most)
{
    uint32_t a[XK_SIM_LANES];
    uint16_t v[XK_SIM_LANES];
    const uint32_t mask = active_lanes(t, e);
    const bool round = t->round_int;
    load(t, e, 0, n, a);
    if (round && t->ftz)
        flush_lanes(n, a);
    for (unsigned l = 0; l < n; l++) {
        const float x = as_float(a[l]);
        const float y = x == x ? x : 0.0f;
        const float z = y > least ? y : least;
        const float w = z < most ? z : most;
        v[l] = (uint16_t)(int32_t)(round ? rintf(w) : w);
    }
    store_narrow(t, e, mask, n, size_b, v);
}

/* Bits, without a look at them. */
ALWAYS void copy_narrow(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        unsigned n, unsigned size_b)
{
    uint16_t v[XK_SIM_LANES];
    const uint32_t mask = active_lanes(t, e);
    load_narrow(t, e, n, size_b, v);
    store_narrow(t, e, mask, n, size_b, v);
}

#define MOVE(name, call)                                                       \
    ALWAYS void name(struct xk_sim_thread *t, const struct xk_sim_inst *e,     \
                     unsigned n)                                               \
    {                                                                          \
        call;                                                                  \
    }                                                                          \
    VARIANTS(name)

VARIANTS(m_f_to_hf)
VARIANTS(m_hf_to_f)
MOVE(m_f_to_ub, f_to_narrow(t, e, n, 1, 0.0f, 255.0f))
MOVE(m_f_to_b, f_to_narrow(t, e, n, 1, -128.0f, 127.0f))
MOVE(m_f_to_uw, f_to_narrow(t, e, n, 2, 0.0f, 65535.0f))
MOVE(m_f_to_w, f_to_narrow(t, e, n, 2, -32768.0f, 32767.0f))
MOVE(m_bytes, copy_narrow(t, e, n, 1))
MOVE(m_words, copy_narrow(t, e, n, 2))

/* clang-format off */
static xk_sim_fn *select_move(const struct xk_sim_inst *e)
{
    if (e->dst.type == XK_RT_F)
        return PICK(m_hf_to_f);
    if (e->src[0].type != XK_RT_F)
        return e->dst.size_b == 1 ? PICK(m_bytes) : PICK(m_words);
    switch (e->dst.type) {
    case XK_RT_HF: return PICK(m_f_to_hf);
    case XK_RT_UB: return PICK(m_f_to_ub);
    case XK_RT_B: return PICK(m_f_to_b);
    case XK_RT_UW: return PICK(m_f_to_uw);
    case XK_RT_W: return PICK(m_f_to_w);
    default: return NULL;
    }
}
/* clang-format on */
