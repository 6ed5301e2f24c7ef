/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of SAMPLER_STATE as Intel's driver publishes them. */
#include <math.h>

#include "sim/message/sampler.h"

#define STATE_B 16
#define FRACTION_BITS 8

/* Two texels beside each other, and the weight of the second one, of 2^8. */
struct pair {
    int64_t at[2];
    uint32_t part;
};

/* Fields that act by themselves, and that no OpenCL driver sets. The others
 * have no effect: LODs, the filter between levels and anisotropy with one level
 * and the filters below, shadow functions and the modes of gather4 and cubes in
 * the messages that are simulated (message_sample.c). */
static bool has_plain_fields(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e, const uint8_t *p)
{
    static const struct xk_state_field fields[] = {
        {0, 29, 1, "a sampler with DX9's border colour mode, bit"},
        {0, 31, 1, "a disabled sampler, bit"},
        {1, 7, 1, "a sampler with chroma key"},
        {2, 1, 1, "a sampler that skips sRGB decoding, bit"},
        {2, 2, 3, "a sampler that returns filter weights, bits"},
        {2, 4, 3, "a sampler with bits 5:4 of dword 2"},
        {3, 9, 1, "a sampler with reduction type, bit"},
        {3, 25, 1, "a sampler with bit 25 of dword 3"},
        {3, 26, 1, "a sampler with low quality filter"},
        {3, 27, 0x1f, "a sampler with bits 31:27 of dword 3"},
    };
    return xk_sim_has_none(t, e, p, fields, XK_COUNTOF(fields));
}

/* A level of detail would say which of a coordinate's two modes counts. */
static bool take_rounding(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                          uint32_t dw3, struct xk_sim_sampler *s)
{
    for (unsigned k = 0; k < 3; k++) {
        const bool mag = dw3 >> (18 - 2 * k) & 1, min = dw3 >> (17 - 2 * k) & 1;
        s->rounded[k] = mag;
        if (mag != min)
            return xk_sim_lacks(t, e,
                                "a sampler that rounds otherwise where it "
                                "reduces, coordinate",
                                k);
        if (mag && !s->linear)
            return xk_sim_lacks(t, e,
                                "a sampler of nearest texels that rounds, "
                                "coordinate",
                                k);
    }
    return true;
}

static bool take_wraps(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       uint32_t dw3, struct xk_sim_sampler *s)
{
    for (unsigned k = 0; k < 3; k++) {
        const unsigned wrap = dw3 >> (6 - 3 * k) & 7;
        s->wrap[k] = (uint8_t)wrap;
        if (wrap > XK_WRAP_EDGE && wrap != XK_WRAP_BORDER)
            return xk_sim_lacks(t, e, "a sampler with address mode", wrap);
        if (wrap < XK_WRAP_EDGE && !s->normalized)
            return xk_sim_lacks(
                t, e, "a sampler with whole coordinates and address mode",
                wrap);
    }
    return true;
}

bool xk_sim_sampler_read(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         uint64_t state_va, uint64_t dynamic_va,
                         struct xk_sim_sampler *s)
{
    const uint8_t *const p = xk_sim_state_at(t, e, state_va, STATE_B);
    if (!p)
        return false;
    const unsigned min = xk_sim_dw(p, 0) >> 14 & 7,
                   mag = xk_sim_dw(p, 0) >> 17 & 7;
    const uint32_t border_b = xk_sim_dw(p, 2) & ~0x3fu;
    *s = (struct xk_sim_sampler){.linear = mag,
                                 .normalized = !(xk_sim_dw(p, 3) >> 10 & 1)};
    if (min != mag || mag > 1)
        return xk_sim_lacks(
            t, e,
            "a sampler with filters (of reduction * 8 + of magnification)",
            min * 8 + mag);
    if (!has_plain_fields(t, e, p) ||
        !take_rounding(t, e, xk_sim_dw(p, 3), s) ||
        !take_wraps(t, e, xk_sim_dw(p, 3), s))
        return false;
    if (s->wrap[0] != XK_WRAP_BORDER && s->wrap[1] != XK_WRAP_BORDER &&
        s->wrap[2] != XK_WRAP_BORDER)
        return true;
    const uint8_t *const c = xk_sim_state_at(t, e, dynamic_va + border_b, 16);
    if (!c)
        return false;
    memcpy(s->border, c, sizeof s->border);
    return true;
}

/* Channel k of a texel of the format, or of the border. */
static uint32_t channel_of(const struct xk_sim_image *g, const uint8_t *texel,
                           const uint32_t *border, unsigned k)
{
    if (texel)
        return xk_sim_texel_get(g->format, texel, k);
    return xk_sim_texel_has(g->format, k) ? border[k]
                                          : xk_sim_texel_absent(g->format, k);
}

static uint32_t one_of_format(const struct xk_sim_image *g)
{
    return xk_sim_texel_absent(g->format, 3);
}

static void select_channels(const struct xk_sim_image *g, const uint32_t in[4],
                            uint32_t out[4])
{
    for (unsigned k = 0; k < 4; k++)
        out[k] = g->select[k] >= XK_SELECT_RED
                     ? in[g->select[k] - XK_SELECT_RED]
                 : g->select[k] == XK_SELECT_ONE ? one_of_format(g)
                                                 : 0;
}

/* All channels of the texel at x, y, z, or of the border. */
static bool tap(const struct xk_sim_lookup *l, const uint32_t *border,
                const int64_t at[3], uint32_t out[4])
{
    const struct xk_sim_image *const g = l->g;
    const uint8_t *texel = NULL;
    bool inside = true;
    for (unsigned k = 0; k < 3; k++)
        inside &= at[k] >= 0 && (uint64_t)at[k] < g->extent[k];
    if (inside) {
        texel =
            xk_sim_reach(l->t, l->e, &xk_sim_flat,
                         (struct xk_sim_bytes){
                             xk_sim_image_at(g, (uint64_t)at[0],
                                             (uint64_t)at[1], (uint64_t)at[2]),
                             g->texel_b, g->format->size_b, l->lane});
        if (!texel)
            return false;
    }
    for (unsigned k = 0; k < 4; k++)
        out[k] = channel_of(g, texel, border, k);
    return true;
}

bool xk_sim_image_fetch(const struct xk_sim_lookup *l, const int64_t at[3],
                        uint32_t out[4])
{
    static const uint32_t black[4];
    uint32_t v[4];
    if (!tap(l, black, at, v))
        return false;
    select_channels(l->g, v, out);
    return true;
}

/* The coordinate as a number of texels from the image's edge: OpenCL 8.2. */
static float unfold(const struct xk_sim_sampler *s, unsigned k, float c,
                    float extent)
{
    if (!(c == c))
        c = 0.0f;
    if (!s->normalized)
        return c;
    if (s->wrap[k] == XK_WRAP_REPEAT)
        return (c - floorf(c)) * extent;
    if (s->wrap[k] == XK_WRAP_MIRROR)
        return fabsf(c - 2.0f * rintf(0.5f * c)) * extent;
    return c * extent;
}

/* Limits a number of texels to what further arithmetic can hold. */
static double clamp_texels(double u)
{
    const double most = 1 << 30;
    return u < -most ? -most : u > most ? most : u;
}

static int64_t wrapped(const struct xk_sim_sampler *s, unsigned k, int64_t i,
                       int64_t n)
{
    switch ((enum xk_sim_wrap)s->wrap[k]) {
    case XK_WRAP_REPEAT:
        return i < 0 ? i + n : i >= n ? i - n : i;
    case XK_WRAP_BORDER:
        return i < 0 ? -1 : i >= n ? n : i;
    case XK_WRAP_MIRROR:
    case XK_WRAP_EDGE:
        break;
    }
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static struct pair texel_pair(const struct xk_sim_sampler *s, unsigned k,
                              float c, uint64_t extent, bool linear)
{
    const int64_t n = (int64_t)extent;
    const double u = clamp_texels((double)unfold(s, k, c, (float)extent));
    struct pair p = {.part = 0};
    if (!linear) {
        p.at[0] = p.at[1] = wrapped(s, k, (int64_t)floor(u), n);
        return p;
    }
    const int64_t fixed = (int64_t)floor((u - 0.5) * (1 << FRACTION_BITS) +
                                         (s->rounded[k] ? 0.5 : 0.0));
    p.part = (uint32_t)fixed & ((1u << FRACTION_BITS) - 1);
    p.at[0] = wrapped(s, k, (fixed - (int64_t)p.part) >> FRACTION_BITS, n);
    p.at[1] =
        wrapped(s, k, ((fixed - (int64_t)p.part) >> FRACTION_BITS) + 1, n);
    return p;
}

static int64_t element_of(float c, uint64_t n)
{
    const double r = floor((double)c + 0.5);
    const double even = r - (double)c == 0.5 && fmod(r, 2.0) != 0.0 ? r - 1 : r;
    return !(even > 0.0)             ? 0
           : even >= (double)(n - 1) ? (int64_t)n - 1
                                     : (int64_t)even;
}

/* The sum of a cell's corners, each with its weight. Corners without weight are
 * not read. */
static bool blend(const struct xk_sim_lookup *l, const struct xk_sim_sampler *s,
                  const struct pair p[3], uint32_t out[4])
{
    double sum[4] = {0};
    for (unsigned corner = 0; corner < 8; corner++) {
        int64_t at[3];
        uint32_t v[4], weight = 1;
        for (unsigned k = 0; k < 3; k++) {
            const bool second = corner >> k & 1;
            at[k] = p[k].at[second];
            weight *= second ? p[k].part : (1u << FRACTION_BITS) - p[k].part;
        }
        if (!weight)
            continue;
        if (!tap(l, s->border, at, v))
            return false;
        for (unsigned k = 0; k < 4; k++) {
            float f;
            memcpy(&f, &v[k], 4);
            sum[k] += (double)f * weight;
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        const float f = (float)(sum[k] / (1 << 3 * FRACTION_BITS));
        memcpy(&out[k], &f, 4);
    }
    return true;
}

bool xk_sim_sample(const struct xk_sim_lookup *l,
                   const struct xk_sim_sampler *s, const float at[4],
                   uint32_t out[4])
{
    const struct xk_sim_image *const g = l->g;
    const bool linear = s->linear && !xk_sim_texel_is_integer(g->format->kind);
    struct pair p[3] = {{.part = 0}};
    uint32_t v[4];
    for (unsigned k = 0; k < g->n_dims; k++)
        p[k] = texel_pair(s, k, at[k], g->extent[k], linear);
    if (g->array)
        p[g->n_dims].at[0] = element_of(at[g->n_dims], g->extent[g->n_dims]);
    const int64_t first[3] = {p[0].at[0], p[1].at[0], p[2].at[0]};
    if (!(linear ? blend(l, s, p, v) : tap(l, s->border, first, v)))
        return false;
    select_channels(g, v, out);
    return true;
}
