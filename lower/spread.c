/* SPDX-License-Identifier: Apache-2.0 */
/* Rows spread over groups (plan.h, full_groups): the first groups
 * have m_thr rows a thread, the others 8 fewer, so that all of them together
 * fill the machine, and the last 8 rows of the tile are loaded, multiplied and
 * stored only where they are. Rows beyond M are left out here too, however groups
 * are made. */
#include "lower/state.h"

/* The first row beyond those of so many threads from `first` on. */
static const xk_expr *rows_end(struct xk_lowering *l, const xk_expr *first,
                               int64_t threads)
{
    xk_ctx *const c = l->c;
    const xk_expr *const rows = xk_bin_imm(c, XK_OP_MUL, l->rows, threads);
    return xk_block_let(
        &l->w, "m_end",
        xk_bin_imm(c, XK_OP_MIN, xk_add(c, first, rows), l->p->m_extent));
}

const xk_expr *xk_lower_rows_of_thread(const struct xk_lowering *l)
{
    return l->rows ? l->rows : xk_s32(l->c, l->p->s.m_thr);
}

const xk_expr *xk_lower_row(const struct xk_lowering *l, const xk_expr *first,
                            unsigned row)
{
    return xk_bin_imm(l->c, XK_OP_ADD, first, row);
}

const xk_expr *xk_lower_thread_m0(struct xk_lowering *l,
                                  const xk_expr *group_m0)
{
    xk_ctx *const c = l->c;
    const xk_expr *const rows = xk_lower_rows_of_thread(l);
    return xk_add(c, group_m0, xk_mul(c, l->thread_m, rows));
}

const xk_expr *xk_lower_group_m0(struct xk_lowering *l, const xk_expr *group)
{
    const struct xk_plan *const p = l->p;
    const int64_t threads = p->s.tg_m, full = p->full_groups;
    const int64_t rows = p->s.m_thr - (full ? 8 : 0);
    xk_ctx *const c = l->c;
    const xk_expr *const before =
        xk_bin_imm(c, XK_OP_MUL, group, rows * threads);
    if (!full)
        return before;
    const xk_expr *const more = xk_bin_imm(
        c, XK_OP_MUL, xk_bin_imm(c, XK_OP_MIN, group, full), 8 * threads);
    return xk_add(c, before, more);
}

/* Whether the group's threads have all rows. */
static const xk_expr *is_full(struct xk_lowering *l)
{
    return xk_bin_imm(l->c, XK_OP_LT, l->group_m, l->p->full_groups);
}

void xk_lower_spread_origin(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    const int64_t fewer = p->s.m_thr - 8;
    xk_ctx *const c = l->c;
    l->full = xk_block_let(&l->w, "full", is_full(l));
    const xk_expr *const most = xk_s32(c, p->s.m_thr);
    l->rows = xk_block_let(&l->w, "rows",
                           xk_select(c, l->full, most, xk_s32(c, fewer)));
    l->group_m0 = xk_block_let(&l->w, "group_m0",
                               xk_lower_group_m0(l, l->group_m));
    l->m0 = xk_block_let(&l->w, "m0", xk_lower_thread_m0(l, l->group_m0));
    l->m_end = rows_end(l, l->m0, 1);
}

/* end NULL: M's. */
static const xk_expr *below(struct xk_lowering *l, const xk_expr *m,
                            const xk_expr *end)
{
    if (!end)
        return xk_bin_imm(l->c, XK_OP_LT, m, l->p->m_extent);
    return xk_lt(l->c, m, xk_lower_widen(l, end, xk_type_of(m).lanes));
}

const xk_expr *xk_lower_below_m(struct xk_lowering *l, const xk_expr *m)
{
    return below(l, m, l->m_end);
}

const xk_expr *xk_lower_inside_m(struct xk_lowering *l, const xk_expr *m,
                                 const xk_expr *mask)
{
    return xk_and(l->c, below(l, m, l->m_end), mask);
}
