/* SPDX-License-Identifier: Apache-2.0 */
/* When the epilogue asks for what it reads besides C. C is finished part by
 * part (store.c). With one side, a sum's or another's, that of the next parts
 * is under way while one is computed. If the registers do not suffice for two,
 * each part is loaded where it is used.
 *
 * More under way than memory can deliver gains nothing, and more lines compete
 * for the caches: with all parts at once, f32 layers took up to 5 % longer. */
#include "plan/operand.h"

enum {
    AHEAD_B = 256 /* of memory that a thread has asked for, or two parts */
};

static unsigned parts_ahead(const struct xk_plan *p,
                            const struct xk_plan_side *s, unsigned room)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    const unsigned elements = s->one ? p->s.simd : xk_plan_part_elements(e);
    unsigned n = AHEAD_B / (elements * xk_dtype_b((enum xk_dtype)s->dt));
    n = n < 2 ? 2 : n > XK_PLAN_MAX_AHEAD ? XK_PLAN_MAX_AHEAD : n;
    n = n < room ? n : room;
    n = n < e->parts ? n : e->parts;
    return n > 1 ? n : 1;
}

static void hold_ahead(struct xk_plan *p, unsigned grf)
{
    xk_buffer_set_grf(p->platform, &p->ending, XK_BUFFER_AHEAD, grf);
}

/* With N in the lanes, where no loop of functions comes between two sides. */
static bool may_together(const struct xk_plan *p)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    bool late = false;
    for (unsigned i = 0; i < e->n_sides; i++)
        late |= e->side[i].late;
    return e->n_sides > 1 && e->n_sides <= XK_PLAN_MAX_AHEAD && !late &&
           !e->loop_vectors && !xk_fma_family_of(p->s.fma)->lanes_m;
}

/* If registers of their own fit: `used` has those of the largest side. */
static void set_together(struct xk_plan *p, unsigned used)
{
    struct xk_plan_epilogue *const e = &p->epi;
    unsigned all = 0, most = 0;
    for (unsigned i = 0; i < e->n_sides; i++) {
        const unsigned n = xk_plan_raw_grf(p, &e->side[i]);
        all += n;
        most = n > most ? n : most;
    }
    e->together = used + all - most <= p->grf.limit;
    if (e->together)
        hold_ahead(p, all - most);
}

void xk_plan_preload(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_epilogue *const e = &p->epi;
    const struct xk_plan_grf *const g = &p->grf;
    xk_plan_sides(c, p); /* parts are what they are now */
    const unsigned used = xk_plan_count_epilogue(p) + xk_plan_cse_grf(p);
    const struct xk_plan_side *const s = &e->side[0];
    const bool all_of_c = e->n_sides == 1 && s->input == XK_SIDE_C;
    e->ahead = 0;
    e->together = false;
    if (may_together(p))
        set_together(p, used);
    if (!e->n_sides || xk_plan_is_serial(e))
        return;
    const unsigned part = xk_grfs(p, s->part_b);
    const unsigned room = used < g->limit ? (g->limit - used) / part : 0;
    e->ahead = (uint8_t)parts_ahead(p, s, room);
    if (e->ahead > 1 || !all_of_c)
        hold_ahead(p, e->ahead * part);
}
