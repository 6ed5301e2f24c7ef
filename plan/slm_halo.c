/* SPDX-License-Identifier: Apache-2.0 */
/* The footprint in SLM: A's pixels with their halo are loaded once for all filter
 * taps. Units of 8 pixels travel to SLM between the multiplies of the taps, as
 * many at a time as registers are left for. */
#include "plan/operand.h"

enum {
    PIXELS = 8,    /* of a unit */
    PIXEL_B = 32,
    UNIT_GRF = 8,  /* registers of a unit */
    OTHER_GRF = 14 /* coordinates, scalars, what is fixed */
};

/* Units on their way at once: what registers leave, one at least. */
static uint16_t staged(const struct xk_plan *p)
{
    unsigned none; /* on their way yet */
    const unsigned tiles = xk_schedule_buffer_grf(p->platform, &p->s);
    const unsigned headers = xk_plan_slm_grf(p, &none);
    const unsigned used = tiles + headers + OTHER_GRF;
    const unsigned all = xk_platform_grf(p->platform, p->s.grf_count);
    const unsigned room = all > used ? (all - used) / UNIT_GRF : 0;
    if (room < 2)
        return 1;
    return (uint16_t)(room < p->slm.per_thread ? room : p->slm.per_thread);
}

/* Banks are 32 bytes in 8 (docs/timing.md): the pixels of a unit, which are stored
 * at once, go to all of them if those of a number more begin where the others of the
 * unit end. */
static uint32_t apart(const struct xk_plan *p)
{
    const int64_t columns = p->slm.foot.f.columns;
    const int64_t of_unit = xk_ceil_div(PIXELS, columns);
    const int64_t all = xk_ceil_div(p->slm.foot.pixels, columns);
    return (uint32_t)(xk_ceil_div(all - of_unit, PIXELS) * PIXELS + of_unit);
}

uint32_t xk_plan_footprint_b(const struct xk_plan_slm *s)
{
    const int64_t pixels = s->foot.apart * s->foot.f.columns;
    const uint32_t pixels_b = (uint32_t)pixels * PIXEL_B;
    const uint32_t units_b = (uint32_t)s->blocks * s->tile_b;
    return pixels_b > units_b ? pixels_b : units_b;
}

/* Divides the pixels of a group; whether there is room for all places. */
static bool divide(struct xk_plan *p, int64_t *group_pixels)
{
    struct xk_plan_slm *const s = &p->slm;
    const unsigned threads = p->s.tg_m * p->s.tg_n;
    const int64_t rows = (int64_t)p->s.tg_m * p->s.m_thr;
    const int64_t pixels = xk_halo_pixels(&p->con->walked, &s->foot.f, rows);
    *group_pixels = pixels;
    if (pixels * PIXEL_B > p->platform->slm_max_b)
        return false;
    s->foot.pixels = (uint32_t)pixels;
    s->per_thread = (uint16_t)xk_ceil_div(pixels, (int64_t)threads * PIXELS);
    s->blocks = (uint16_t)(s->per_thread * threads);
    s->foot.apart = apart(p);
    return xk_plan_slm_fits(p, xk_plan_footprint_b(s));
}

enum xk_status xk_plan_footprint(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_footprint *const f = &p->slm.foot;
    if (!xk_halo_of(&p->con->walked, &f->f))
        return xk_fail(c, XK_ENOFIT,
                       "plan: footprint=1: filter taps are no constant number "
                       "of pixels apart");
    int64_t pixels;
    if (!divide(p, &pixels) && f->f.columns > 1) {
        xk_halo_in_order(&f->f); /* which takes less room */
        divide(p, &pixels);
    }
    if (pixels * PIXEL_B > p->platform->slm_max_b)
        return xk_fail(c, XK_ENOFIT,
                       "plan: footprint=1: %lld pixels are larger than SLM",
                       (long long)pixels);
    f->staged = staged(p);
    return XK_OK;
}
