/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of B's columns over K that are stored: a row of ones is multiplied by B
 * as it lies in registers for the products, which brings the sums into a row of
 * their own. All threads of the same columns have the same sums; those of the
 * first rows of C store them. */
#include <string.h>

#include "lower/epilogue.h"

enum { ONE = 0x3F800000 }; /* as f32 */

static const char sums[] = "u", ones[] = "o";

static void add_row_tile(struct xk_tiling *t, const char *name,
                         enum xk_role role, int64_t n)
{
    struct xk_tile_decl *const d = &t->tile[t->n_tiles++];
    memset(d, 0, sizeof(*d));
    strcpy(d->name, name);
    d->layout.dt = XK_DT_F32;
    d->layout.n_dims = 2;
    d->role[0] = XK_ROLE_M;
    d->role[1] = (uint8_t)role;
    d->layout.dim[0] = d->layout.padded[0] = 1;
    d->layout.dim[1] = d->layout.padded[1] = n;
    d->layout.n_blocks = 2;
    d->layout.block[0] = (struct xk_block){0, 1, n};
    d->layout.block[1] = (struct xk_block){1, n, 1};
}

void xk_lower_totals_tiles(const struct xk_lowering *l, struct xk_tiling *t)
{
    if (!l->p->totals.any)
        return;
    add_row_tile(t, sums, XK_ROLE_N, l->p->t.n_part);
    add_row_tile(t, ones, XK_ROLE_K, l->p->t.k);
}

void xk_lower_totals_begin(struct xk_lowering *l, struct xk_lower_totals *s)
{
    const struct xk_plan_totals *const p = &l->p->totals;
    *s = (struct xk_lower_totals){NULL};
    if (!p->any)
        return;
    const uint32_t ones_b = 4u * l->p->t.k;
    s->ones = xk_block_alloc(&l->w, "ones", ones_b, 0);
    for (uint32_t b = 0; b < ones_b; b += 4)
        xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, s->ones, b),
                                     xk_imm(l->c, XK_DT_U32, ONE)));
    s->sum = xk_block_alloc(&l->w, "totals", p->size_b, 0);
    xk_lower_zero(l, s->sum, p->size_b);
}

void xk_lower_totals_add(struct xk_lowering *l, const struct xk_lower_totals *s,
                         struct xk_block_writer *w, unsigned part,
                         struct xk_lower_b b)
{
    struct xk_func f = {
        .kind = XK_FUNC_TILE,
        .u.tile = {.op = XK_TILE_MUL, .family = l->p->t.family}};
    if (!s->sum)
        return;
    if (b.k_len) {
        f.u.tile.n_parts = 1;
        f.u.tile.part[0].role = XK_ROLE_K;
        f.u.tile.part[0].n = (uint16_t)b.k_len;
    }
    strcpy(f.u.tile.tile[0], sums);
    strcpy(f.u.tile.tile[1], ones);
    strcpy(f.u.tile.tile[2], b.tile);
    const xk_expr *const args[] = {
        xk_lower_reg(l, s->sum, part * l->p->totals.part_b),
        xk_lower_reg(l, s->ones, 0), xk_lower_reg(l, b.reg, 0)};
    xk_block_call(w, &f, args, XK_COUNTOF(args));
}

void xk_lower_totals_end(struct xk_lowering *l, const struct xk_lower_totals *s)
{
    const struct xk_plan *const p = l->p;
    const unsigned lanes = p->t.lanes, input = p->totals.input;
    const struct xk_send send = {.op = XK_SEND_STORE,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = 4,
                                 .vec = 1,
                                 .lanes = (uint8_t)lanes};
    if (!s->sum)
        return;
    const xk_expr *const first =
        xk_block_let(&l->w, "first", xk_bin_imm(l->c, XK_OP_LT, l->m0, 1));
    for (unsigned i = 0; i < p->t.n; i += lanes) {
        const xk_expr *const n = xk_block_let(
            &l->w, "n",
            xk_lower_lanes(l, xk_bin_imm(l->c, XK_OP_ADD, l->n0, i)));
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        xk_lower_n_only(l, n, at);
        const xk_expr *const in =
            xk_bin(l->c, XK_OP_AND, xk_bcast(l->c, first, lanes),
                   xk_bin_imm(l->c, XK_OP_LT, n, p->n_extent));
        const struct xk_lower_args x = {
            .mem = l->arg_in[input],
            .off = xk_lower_offset(l, &p->con->input[input].view, at),
            .reg = xk_lower_reg(l, s->sum, 4 * i),
            .mask = xk_block_let(&l->w, "in", in)};
        xk_lower_send(l, &l->w, &send, &x);
    }
}
