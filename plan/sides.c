/* SPDX-License-Identifier: Apache-2.0 */
/* What the epilogue reads besides C: inputs that are the same for all rows are
 * loaded once, the others part by part, as what C held is. */
#include "plan/operand.h"
#include "views/access.h"

#include <string.h>

enum {
    MOST_EARLY =
        2, /* inputs that are loaded once; more would take the registers */
};

static bool moves(const struct xk_plan *p, const struct xk_access *a,
                  enum xk_role role)
{
    const uint32_t uses = xk_access_uses(a);
    for (unsigned i = 0; i < p->con->walked.n_index; i++)
        if (uses >> i & 1 && p->con->walked.index[i].role == role)
            return true;
    return false;
}

/* How each input is read. */
static void set_inputs(struct xk_plan *p)
{
    struct xk_plan_epilogue *const e = &p->epi;
    unsigned early = 0;
    for (unsigned i = 0; i < p->con->n_inputs; i++) {
        const struct xk_access *const a = &p->con->walked.input[i];
        const bool n = moves(p, a, XK_ROLE_N);
        /* a group's place of a batch is fixed */
        if (moves(p, a, XK_ROLE_M) || p->con->input[i].leaves)
            e->input[i] = XK_INPUT_PARTS;
        else if (!n)
            e->input[i] = XK_INPUT_ONE;
        else
            e->input[i] =
                early++ < MOST_EARLY ? XK_INPUT_COLUMNS : XK_INPUT_PARTS;
    }
}

struct xk_plan_side xk_plan_side_of_c(const struct xk_plan *p)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    return (struct xk_plan_side){.input = XK_SIDE_C,
                                 .dt = (uint8_t)e->dst,
                                 .store = e->store,
                                 .like_c = true,
                                 .masked =
                                     e->m_masked || e->n_masked || e->masked,
                                 .cols = e->cols,
                                 .part_b = e->part_b,
                                 .n_extent = e->n_extent};
}

/* Whether a coordinate is C's, but for indices of one place. */
static bool is_coord_of_c(const struct xk_contraction *con,
                          const struct xk_access *x, unsigned d)
{
    bool same = x->at[d].base == con->c.at[d].base;
    for (unsigned i = 0; i < con->n_index; i++)
        same = same && (con->index[i].extent == 1 ||
                        x->at[d].coef[i] == con->c.at[d].coef[i]);
    return same;
}

/* Elements lie where C's do, but for their size. */
static bool lies_like_c(const struct xk_plan *p, const struct xk_access *x)
{
    const struct xk_layout *const a = &x->layout, *const b =
                                                      &p->con->c.view.layout;
    bool same = a->n_dims == b->n_dims && a->n_blocks == b->n_blocks;
    for (unsigned i = 0; same && i < a->n_dims; i++)
        same = a->dim[i] == b->dim[i] && is_coord_of_c(&p->con->walked, x, i);
    for (unsigned i = 0; same && i < a->n_blocks; i++)
        same = a->block[i].dim == b->block[i].dim &&
               a->block[i].size == b->block[i].size &&
               a->block[i].stride == b->block[i].stride;
    return same;
}

/* M in the lanes: as many columns side by side as a message loads, or one. */
static void side_columns(const struct xk_plan *p,
                         const struct xk_tile_strides *t,
                         struct xk_plan_side *s)
{
    const unsigned all = xk_plan_part_columns(p);
    const unsigned b = xk_dtype_b((enum xk_dtype)s->dt);
    const unsigned lanes = p->platform->dpas_exec;
    s->store = XK_STORE_COLUMNS;
    s->cols = 1;
    s->part_b = (uint16_t)((s->one ? 1 : all) * 4 * lanes);
    if (s->one || s->leaves || t->row_b != b || !t->dwords)
        return;
    for (unsigned n = xk_plan_row_b(p) / b; n >= p->platform->dpas_rows;
         n /= 2) {
        if (n > all || all % n || t->row_run % n || s->n_extent % n)
            continue;
        s->store = XK_STORE_PACKED;
        s->cols = (uint16_t)n;
        s->part_b = (uint16_t)(all * lanes * b);
        return;
    }
}

/* N in the lanes. */
static void side_rows(const struct xk_plan *p, const struct xk_tile_strides *t,
                      struct xk_plan_side *s)
{
    const unsigned b = xk_dtype_b((enum xk_dtype)s->dt);
    const unsigned simd = p->s.simd;
    const bool block = !s->one && !s->leaves && t->row_b == b && t->dwords &&
                       t->row_run >= s->n_extent && s->n_extent % simd == 0;
    s->store = block ? XK_STORE_BLOCK : XK_STORE_SCATTERED;
    s->cols = (uint16_t)simd;
    const unsigned cols = xk_plan_block_columns(p->epi.n, b);
    if (block && s->n_extent % cols == 0)
        s->cols = (uint16_t)cols;
    const unsigned messages = s->one ? 1 : p->epi.n / s->cols;
    s->part_b = (uint16_t)(messages * p->platform->grf_b *
                           xk_grfs(p, s->cols * (block ? b : 4u)));
}

static void make_side(xk_ctx *c, const struct xk_plan *p, unsigned input,
                      struct xk_plan_side *s)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    const struct xk_access *const a = &p->con->walked.input[input];
    const struct xk_view *const v = &p->con->input[input].view;
    const struct xk_tile_strides t =
        xk_tile_strides_of(c, p, v, xk_plan_n_index(p)->name);
    *s = (struct xk_plan_side){.input = (uint8_t)input, .dt = v->layout.dt};
    s->leaves = p->con->input[input].leaves;
    s->one = !s->leaves && !moves(p, a, XK_ROLE_N);
    s->late = !s->leaves && !moves(p, a, XK_ROLE_M);
    s->like_c = lies_like_c(p, a);
    s->n_extent = s->like_c ? e->n_extent : p->n_extent;
    s->masked =
        e->m_masked || e->n_masked || s->n_extent < e->n_extent || s->leaves;
    if (s->late)
        s->part_b = (uint16_t)(4 * e->n);
    else if (xk_fma_family_of(p->s.fma)->lanes_m)
        side_columns(p, &t, s);
    else
        side_rows(p, &t, s);
}

void xk_plan_sides(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_epilogue *const e = &p->epi;
    e->n_sides = 0;
    for (unsigned i = 0; i < p->con->n_epi; i++) {
        const struct xk_epi_op *const op = &p->con->epi[i];
        const bool rhs =
            xk_epi_reads_rhs(op) && e->input[op->input] == XK_INPUT_PARTS;
        e->side_of[i] = 0;
        if (!rhs && !xk_epi_reads_old(op))
            continue;
        struct xk_plan_side *const s = &e->side[e->n_sides++];
        if (rhs)
            make_side(c, p, op->input, s);
        else
            *s = xk_plan_side_of_c(p);
        s->in_acc = op->in_acc;
        if (!rhs && op->old_dt)
            s->dt = op->old_dt;
        e->side_of[i] = e->n_sides;
    }
}

enum xk_epi_operand xk_plan_operand(const struct xk_plan *p, unsigned op)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    const struct xk_epi_op *const o = &p->con->epi[op];
    if (e->side_of[op])
        return e->side[e->side_of[op] - 1].input == XK_SIDE_C &&
                       !xk_plan_is_serial(e)
                   ? XK_EPI_OLD
                   : XK_EPI_COLUMN;
    return xk_epi_reads_rhs(o) && !o->times_b &&
                   e->input[o->input] != XK_INPUT_ONE
               ? XK_EPI_COLUMN
               : XK_EPI_NONE;
}

/* Whether a side's f32 has all elements of a part. */
static bool has_whole_f32(const struct xk_plan_side *s)
{
    return xk_plan_side_converts(s) && !s->one && !s->late;
}

/* Elements that share a dword of the registers of a side's messages: those of a
 * part become f32 in the order that follows from it. */
static unsigned elements_of_dword(const struct xk_plan_side *s)
{
    return s->store == XK_STORE_PACKED ? 4 / xk_dtype_b((enum xk_dtype)s->dt)
                                       : 1;
}

/* What a step writes it reads in the same place, if it is the one that puts
 * columns in order and also the last one that reads the side. */
bool xk_plan_side_takes_columns(const struct xk_plan *p)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    const struct xk_plan_side c = xk_plan_side_of_c(p), *last = NULL;
    enum xk_epi_operand most = XK_EPI_NONE;
    unsigned placing = 0, reading = 0;
    bool any = false;
    for (unsigned i = 0; i < p->con->n_epi; i++) {
        const enum xk_epi_operand o = xk_plan_operand(p, i);
        placing = o >= most ? i : placing;
        most = o > most ? o : most;
        if (!e->side_of[i])
            continue;
        last = &e->side[e->side_of[i] - 1];
        reading = i;
        any |= has_whole_f32(last);
    }
    if (e->n_extent > p->n_extent) /* zeros of padding come last */
        placing = p->con->n_epi;
    if (!any || reading != placing)
        return any && reading < placing;
    return !xk_plan_side_converts(last) ||
           (has_whole_f32(last) &&
            elements_of_dword(last) == elements_of_dword(&c));
}

/* Whether an input's columns are consecutive, and a tile's fill whole dwords.
 */
static bool is_dense(xk_ctx *c, const struct xk_plan *p, unsigned input)
{
    const struct xk_view *const v = &p->con->input[input].view;
    const unsigned size_b = xk_dtype_b((enum xk_dtype)v->layout.dt);
    const struct xk_tile_strides s =
        xk_tile_strides_of(c, p, v, xk_plan_n_index(p)->name);
    return s.row_b == size_b && s.row_run >= p->n_extent &&
           (size_b == 4 || (s.dwords && p->epi.n * size_b % 4 == 0));
}

void xk_plan_inputs(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_epilogue *const e = &p->epi;
    e->input_masked =
        (int64_t)xk_plan_groups_n(p) * p->s.tg_n * p->s.n_thr > p->n_extent;
    set_inputs(p);
    if (p->sums.any)
        e->input[p->sums.input] = XK_INPUT_SUMS;
    if (p->totals.any)
        e->input[p->totals.input] = XK_INPUT_SUMS;
    for (unsigned i = 0; i < p->con->n_inputs; i++)
        e->input_block[i] = e->input[i] == XK_INPUT_COLUMNS &&
                            !e->input_masked && is_dense(c, p, i);
    xk_plan_sides(c, p);
}

/* A part as messages bring it takes so many at most: parts may still become
 * smaller. */
unsigned xk_plan_raw_grf(const struct xk_plan *p, const struct xk_plan_side *s)
{
    if (s->input == XK_SIDE_C)
        return xk_grfs(p, p->epi.part_b);
    if (s->one || s->late)
        return xk_grfs(p, s->part_b);
    return xk_grfs(p, 4 * xk_plan_part_elements(&p->epi));
}

/* Registers of an input that is loaded once. */
static unsigned input_grf(const struct xk_plan *p, unsigned i)
{
    if (p->epi.input[i] == XK_INPUT_COLUMNS)
        return xk_grfs(p, 4u * p->epi.n);
    return p->epi.input[i] == XK_INPUT_ONE ? xk_grfs(p, 4u * p->s.simd) : 0;
}

unsigned xk_plan_sides_grf(const struct xk_plan *p)
{
    const struct xk_plan_epilogue *const e = &p->epi;
    unsigned inputs = 0, raw = 0, wide = 0, temps = 0;
    for (unsigned i = 0; i < p->con->n_inputs; i++)
        inputs += input_grf(p, i);
    for (unsigned i = 0; i < e->n_sides; i++) {
        const struct xk_plan_side *const s = &e->side[i];
        const unsigned elements = s->one    ? p->s.simd
                                  : s->late ? e->n
                                            : xk_plan_part_elements(e);
        const unsigned r = xk_plan_is_serial(e) ? xk_plan_raw_grf(p, s) : 0;
        const unsigned w =
            xk_plan_side_converts(s) ? xk_grfs(p, 4 * elements) : 0;
        raw = r > raw ? r : raw;
        wide = w > wide ? w : wide;
        if (s->input != XK_SIDE_C) /* its rows' offsets while they are made */
            temps = 6;
    }
    return inputs + raw + wide + temps;
}
