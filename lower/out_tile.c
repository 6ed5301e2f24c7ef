/* SPDX-License-Identifier: Apache-2.0 */
/* C on its way out: the epilogue's tiling has C's view, and the tile that is
 * stored: the sums themselves, or a part of them as memory has it. Which
 * messages store it, where and under which mask, pass expand decides. */
#include <string.h>

#include "lower/epilogue.h"
#include "lower/nest_tiling.h"

static const char view_of_c[] = "C";
static const char sums_tile[] = "s", part_tile[] = "c", wide_tile[] = "w";

static void add_out_block(struct xk_layout *l, uint8_t dim, int64_t size,
                          int64_t stride)
{
    l->block[l->n_blocks++] = (struct xk_block){dim, size, stride};
}

/* Rows and columns of a part. */
static unsigned rows_of_part(const struct xk_plan *p)
{
    return p->t.lanes_m ? p->platform->dpas_exec : 1;
}

static unsigned columns_of_part(const struct xk_plan *p)
{
    return p->t.lanes_m ? xk_plan_part_columns(p) : p->epi.n;
}

/* A part as messages take it: elements of a row side by side, in a dword of its
 * lane with M in the lanes; or each element in a dword of its own. */
static struct xk_layout part_layout(const struct xk_plan *p)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    const int64_t m = rows_of_part(p), n = columns_of_part(p);
    const int64_t per = 4 / xk_dtype_b(e->dst);
    const int64_t side_by_side = xk_plan_stores_dense(e) ? per : 1;
    struct xk_layout l = {
        .dt = e->dst, .n_dims = 2, .dim = {m, n}, .padded = {m, n}};
    if (p->t.lanes_m) {
        add_out_block(&l, 1, n / side_by_side, m * per);
        add_out_block(&l, 0, m, per);
        add_out_block(&l, 1, side_by_side, 1);
        return l;
    }
    const int64_t message_e = e->part_b / xk_dtype_b(e->dst) * e->cols / n;
    add_out_block(&l, 0, m, e->part_b / xk_dtype_b(e->dst));
    add_out_block(&l, 1, n / e->cols, message_e);
    add_out_block(&l, 1, e->cols, side_by_side == per ? 1 : per);
    return l;
}

/* C with the padding of its columns, which is written too. */
static void complete_c(const struct xk_lowering *l, struct xk_tiling *t)
{
    const int n = xk_lower_last_of(t, XK_ROLE_N);
    const int64_t columns = l->p->epi.n_extent;
    struct xk_coord *const x = xk_lower_coordinate(&t->view[0].access, n);
    if (x && columns > l->p->n_extent) {
        x->hi = columns;
        t->index[n].extent = columns;
    }
}

/* Eight columns in front of their conversion: those that get the same place in
 * each dword lie side by side, so that a move takes two registers. */
static struct xk_layout wide_layout(const struct xk_plan *p)
{
    const int64_t m = p->platform->dpas_exec, n = p->platform->dpas_rows;
    const int64_t per =
        p->epi.store == XK_STORE_PACKED ? 4 / xk_dtype_b(p->epi.dst) : 1;
    struct xk_layout l = {
        .dt = XK_DT_F32, .n_dims = 2, .dim = {m, n}, .padded = {m, n}};
    add_out_block(&l, 1, n / per, m);
    add_out_block(&l, 1, per, n / per * m);
    add_out_block(&l, 0, m, 1);
    return l;
}

static void add_out_tile(const struct xk_lowering *l, struct xk_tiling *t,
                         const char *name, const struct xk_layout *layout)
{
    xk_lower_tile(&t->tile[t->n_tiles++], name, layout, XK_ROLE_M, XK_ROLE_N,
                  xk_lower_has_batch(l));
}

void xk_lower_out_tiling(const struct xk_lowering *l, struct xk_tiling *t)
{
    const struct xk_plan *const p = l->p;
    const struct xk_layout part = part_layout(p), wide = wide_layout(p);
    struct xk_layout sums = p->part;
    if (p->epi.in_f32)
        sums.dt = XK_DT_F32;
    xk_lower_tiling_begin(l, t);
    t->n_views = 1;
    strcpy(t->view[0].name, view_of_c);
    t->view[0].access = p->con->walked.c;
    complete_c(l, t);
    add_out_tile(l, t, sums_tile, &sums);
    if (p->epi.convert)
        add_out_tile(l, t, part_tile, &part);
    if (p->epi.wide || p->epi.wide_in_side)
        add_out_tile(l, t, wide_tile, &wide);
}

static void out_part(struct xk_tile_call *f, enum xk_role role, unsigned first,
                     unsigned n)
{
    f->part[f->n_parts].role = (uint8_t)role;
    f->part[f->n_parts].first = (uint16_t)first;
    f->part[f->n_parts++].n = (uint16_t)n;
}

/* Stores the tile, or the part of it that f names, which begins at (m, n). */
static void store_tile(struct xk_lowering *l, struct xk_func *f,
                       const xk_expr *buf, const xk_expr *m, const xk_expr *n)
{
    const xk_expr *args[4] = {xk_lower_reg(l, buf, 0)};
    unsigned count = 1;
    f->kind = XK_FUNC_TILE;
    f->u.tile.op = l->p->con->adds ? XK_TILE_ADD : XK_TILE_STORE;
    strcpy(f->u.tile.view, view_of_c);
    strcpy(f->u.tile.tile[0], buf == l->acc ? sums_tile : part_tile);
    if (xk_lower_has_batch(l))
        args[count++] = l->group_z;
    args[count++] = m;
    args[count++] = n;
    xk_block_call(&l->w, f, args, count);
}

static const xk_expr *place_of_part(struct xk_lowering *l, const xk_expr *first,
                                    unsigned by)
{
    return xk_simplify(l->c, xk_bin_imm(l->c, XK_OP_ADD, first, by), l->facts);
}

/* So many of the sums' own columns as a message stores. Scattered ones are a
 * column a lane, as a position each says. */
static void store_own_sums(struct xk_lowering *l, const struct xk_epi_part *at,
                           unsigned first, unsigned cols)
{
    struct xk_func f = {0};
    const unsigned rows = rows_of_part(l->p), n = at->n + first;
    out_part(&f.u.tile, XK_ROLE_M, at->m, rows);
    out_part(&f.u.tile, XK_ROLE_N, n, cols);
    store_tile(l, &f, l->acc, l->out_m0,
               l->p->epi.store == XK_STORE_SCATTERED
                   ? xk_lower_out_columns(l, n)
                   : l->out_n0);
}

static void copy_tile_to_part(struct xk_lowering *l, struct xk_func *f,
                              const char *from_tile, const xk_expr *from,
                              const xk_expr *out)
{
    const xk_expr *const args[] = {xk_lower_reg(l, out, 0), from};
    f->kind = XK_FUNC_TILE;
    f->u.tile.op = XK_TILE_COPY;
    strcpy(f->u.tile.tile[0], part_tile);
    strcpy(f->u.tile.tile[1], from_tile);
    xk_block_call(&l->w, f, args, 2);
}

void xk_epi_convert(struct xk_epilogue *e, const struct xk_epi_part *at,
                    const xk_expr *out)
{
    struct xk_func f = {0};
    out_part(&f.u.tile, XK_ROLE_M, at->m, rows_of_part(e->l->p));
    out_part(&f.u.tile, XK_ROLE_N, at->n, columns_of_part(e->l->p));
    copy_tile_to_part(e->l, &f, sums_tile, xk_lower_reg(e->l, e->l->acc, 0),
                      out);
}

void xk_epi_convert_wide(struct xk_epilogue *e, unsigned number,
                         const xk_expr *wide, const xk_expr *out)
{
    const unsigned n = e->l->p->platform->dpas_rows;
    struct xk_func f = {0};
    out_part(&f.u.tile, XK_ROLE_N, number * n, n);
    copy_tile_to_part(e->l, &f, wide_tile, wide, out);
}

void xk_epi_store(struct xk_epilogue *e, const struct xk_epi_part *at,
                  const xk_expr *out)
{
    struct xk_lowering *const l = e->l;
    const unsigned cols = l->p->epi.cols;
    struct xk_func f = {0};
    for (unsigned i = 0; !out && i < columns_of_part(l->p); i += cols)
        store_own_sums(l, at, i, cols);
    if (out)
        store_tile(l, &f, out, place_of_part(l, l->out_m0, at->m),
                   place_of_part(l, l->out_n0, at->n));
}
