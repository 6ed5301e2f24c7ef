/* SPDX-License-Identifier: Apache-2.0 */
/* Behind the loop over all of K, what a group that comes later will read of A
 * is asked for (plan.h, struct xk_plan_ahead): in front of this group's stores,
 * which its loads would else wait behind. All groups along N and all slices
 * read the same rows, so each asks for a part of K. */
#include "lower/headers.h"

/* The later group's number along N, counted from this row of groups: its places
 * along M, behind this one, and along N. */
static const xk_expr *later(struct xk_lowering *l, enum xk_op op)
{
    const struct xk_plan *const p = l->p;
    const xk_expr *const number =
        xk_bin_imm(l->c, XK_OP_ADD, l->group_n, p->flat.ahead.groups);
    return xk_bin_imm(l->c, op, number, xk_plan_groups_n(p));
}

/* The first row of this thread in the later group; rows beyond M are its last.
 */
static const xk_expr *first_row(struct xk_lowering *l)
{
    xk_ctx *const c = l->c;
    const xk_expr *const further =
        xk_simplify(c, later(l, XK_OP_DIV), l->facts);
    const struct xk_plan_thread *const t = &l->p->t;
    const xk_expr *const group = xk_add(c, l->group_m, further);
    const xk_expr *const first =
        xk_bin_imm(c, XK_OP_MUL, group, (int64_t)t->m * t->group_m);
    const xk_expr *const before = xk_bin_imm(c, XK_OP_MUL, l->thread_m, t->m);
    return xk_block_let(&l->w, "ahead_m0", xk_add(c, first, before));
}

/* Coordinates of rows, a lane each, at the filter's middle. */
static void set_rows(struct xk_lowering *l, const xk_expr *first,
                     unsigned lanes, const xk_expr **at)
{
    xk_ctx *const c = l->c;
    const struct xk_nest *const con = l->p->con;
    const xk_expr *const rows = xk_ramp(c, first, xk_s32(c, 1), lanes);
    const xk_expr *const in =
        xk_bin_imm(c, XK_OP_MIN, rows, l->p->m_extent - 1);
    xk_lower_unpack_m(l, xk_block_let(&l->w, "ahead_m", in), NULL, at);
    for (unsigned x = 0; x < con->n_index; x++)
        if (con->index[x].role == XK_ROLE_K)
            at[x] = xk_s32(c, con->index[x].extent / 2);
}

/* Unit number n of the thread's: these take turns. */
static const xk_expr *unit(struct xk_lowering *l, const xk_expr *first,
                           unsigned n)
{
    const struct xk_plan_ahead *const a = &l->p->flat.ahead;
    const xk_expr *const number =
        xk_bin_imm(l->c, XK_OP_ADD, first, (int64_t)n * a->sharers);
    return xk_bin_imm(l->c, XK_OP_MOD, number, a->units);
}

static void ask(struct xk_lowering *l, const xk_expr *head,
                const xk_expr *const *at, unsigned lanes)
{
    xk_ctx *const c = l->c;
    const struct xk_send a = {.op = XK_SEND_PREFETCH,
                              .space = XK_SPACE_GLOBAL,
                              .data_b = 4,
                              .vec = 1,
                              .lanes = (uint8_t)lanes};
    const struct xk_send s = xk_lower_through_surface(l, &a, l->arg_a);
    const xk_expr *const off =
        xk_cast(c, XK_DT_U32, xk_lower_offset(l, &l->p->con->a.view, at));
    const xk_expr *const from = xk_lower_surface_at(l, l->arg_a);
    const xk_expr *const sum = xk_add(c, xk_lower_widen(l, from, lanes),
                                      xk_lower_widen(l, off, lanes));
    xk_block_add(&l->w, xk_store(c, head, sum));
    /* No answer: what stands for its place is not read. */
    xk_lower_sendh(l, &l->w, &s, head, head);
}

void xk_lower_prefetch(struct xk_lowering *l)
{
    const struct xk_plan_ahead *const a = &l->p->flat.ahead;
    xk_ctx *const c = l->c;
    const xk_expr *const buf = xk_block_alloc(&l->w, "ahead", 4u * a->lanes, 0);
    const xk_expr *const first = first_row(l);
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    const xk_expr *number = later(l, XK_OP_MOD);
    if (l->slice) {
        const xk_expr *const by =
            xk_bin_imm(c, XK_OP_MUL, number, l->p->slices.n);
        number = xk_add(c, by, l->slice);
    }
    number = xk_block_let(&l->w, "ahead_k", number);
    for (unsigned r = 0; r < l->p->t.m; r += a->lanes) {
        set_rows(l, xk_bin_imm(c, XK_OP_ADD, first, r), a->lanes, at);
        for (unsigned n = 0; n < a->each; n++) {
            at[xk_lower_k_inner(l)] =
                xk_bin_imm(c, XK_OP_MUL, unit(l, number, n), a->unit);
            ask(l, xk_lower_reg(l, buf, 0), at, a->lanes);
        }
    }
}
