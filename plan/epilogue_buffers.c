/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread has in registers in its epilogue: rows of the same table as the
 * loops' (schedule/buffer.def). */
#include "plan/operand.h"

static void hold_row(struct xk_plan *p, enum xk_buffer_id id, unsigned grf)
{
    xk_buffer_set_grf(p->platform, &p->ending, id, grf);
}

/* C and what goes with it stays from the loops. */
static void keep_sums(struct xk_plan *p)
{
    static const uint8_t kept[] = {XK_BUFFER_C, XK_BUFFER_SUMS,
                                   XK_BUFFER_TOTALS, XK_BUFFER_FIXED};
    p->ending = (struct xk_buffer_table){0};
    for (unsigned i = 0; i < XK_COUNTOF(kept); i++)
        p->ending.row[kept[i]] = p->held.row[kept[i]];
}

/* Values and headers of the part that is computed: with M in the lanes of a few
 * vectors, else of two rows. */
static unsigned part_values_grf(const struct xk_plan *p)
{
    enum { VECTORS_GRF = 12, HEADERS_GRF = 4 };
    return xk_fma_family_of(p->s.fma)->lanes_m
               ? VECTORS_GRF
               : HEADERS_GRF + 2 * xk_grfs(p, 4u * p->s.n_thr);
}

/* What steps have at once beside C, above what every one has, and their
 * numbers. */
static unsigned more_values_grf(const struct xk_plan *p)
{
    unsigned most = 0, numbers = 0;
    for (unsigned i = 0; i < p->con->n_epi; i++) {
        const unsigned n = xk_epi_temps(&p->con->epi[i]);
        most = n > most ? n : most;
        if (xk_plan_holds_numbers(&p->con->epi[i]))
            numbers = xk_grfs(p, 4 * XK_PLAN_HELD_NUMBERS);
    }
    return numbers + (most > 3 ? 2 * (most - 3) : 0);
}

unsigned xk_plan_count_epilogue(struct xk_plan *p)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    const bool lanes_m = xk_fma_family_of(p->s.fma)->lanes_m;
    keep_sums(p);
    /* Headers: the epilogue begins in front of a slice's exchange. */
    if (p->slices.n > 1)
        hold_row(p, XK_BUFFER_EXCHANGE, xk_plan_sums_grf(p) * 3u / 16);
    hold_row(p, XK_BUFFER_COORDINATES,
             lanes_m ? 2u * e->m / p->platform->dpas_exec : 2);
    hold_row(p, XK_BUFFER_INPUTS, xk_plan_sides_grf(p));
    hold_row(p, XK_BUFFER_PARTS,
             e->turns * xk_grfs(p, e->part_b) + xk_grfs(p, xk_plan_loop_b(e)));
    hold_row(p, XK_BUFFER_EARLY, e->wide * xk_grfs(p, xk_plan_square_b(p)));
    hold_row(p, XK_BUFFER_STEPS, part_values_grf(p) + more_values_grf(p));
    return xk_buffers_grf(p->platform, &p->ending);
}

unsigned xk_plan_needed_grf(const struct xk_plan *p)
{
    return xk_buffers_grf(p->platform, &p->ending) -
           xk_buffer_grf(p->platform, &p->ending, XK_BUFFER_EARLY);
}

unsigned xk_plan_cse_grf(const struct xk_plan *p)
{
    const struct xk_plan_grf *const g = &p->grf;
    return g->limit > g->loop ? (g->limit - g->loop) / 4u : 0;
}
