/* SPDX-License-Identifier: Apache-2.0 */
/* The K loops, and in them each segment's loads and multiplies. */
#include "lower/headers.h"
#include "lower/masks.h"

/* Offset of the buffer that step i uses of an operand; NULL: it has one. */
static const xk_expr *slot_offset(struct xk_lowering *l, const xk_expr *i,
                                  const struct xk_plan_operand *o)
{
    int64_t step;
    if (o->slots == 1)
        return NULL;
    if (xk_is_const(i, &step))
        return step % o->slots ? xk_s32(l->c, step % o->slots * o->tile_b)
                               : NULL;
    return xk_bin_imm(l->c, XK_OP_MUL, xk_bin_imm(l->c, XK_OP_MOD, i, o->slots),
                      o->tile_b);
}

/* First innermost K element of a message in step i. */
static const xk_expr *k_element(struct xk_lowering *l,
                                const struct xk_plan_segment *s,
                                const struct xk_plan_msg *m, const xk_expr *i)
{
    const xk_expr *const k = xk_bin_imm(l->c, XK_OP_MUL, i, s->k_len);
    return xk_bin_imm(l->c, XK_OP_ADD, k, s->k_first + m->k);
}

/* A reorder or a fill of an operand's list; loads are written by load_a and
 * load_b. */
static void arrange(struct xk_lowering *l, struct xk_block_writer *w,
                    const struct xk_plan_item *it, const xk_expr *buf,
                    const xk_expr *staging, const xk_expr *slot_b)
{
    const struct xk_func f = {.kind = XK_FUNC_REORDER, .u.reorder = it->copy};
    if (it->kind == XK_ITEM_ZERO) {
        xk_lower_zero_slot(l, w, it->staged ? staging : buf,
                           it->staged ? NULL : slot_b, it->to_b, it->size_b);
        return;
    }
    const xk_expr *const args[2] = {xk_lower_slot_reg(l, buf, slot_b, it->to_b),
                                    xk_lower_reg(l, staging, it->from_b)};
    xk_block_call(w, &f, args, 2);
}

/* Where an outer place of a block of rows is in A's surface; beside the tensor
 * XK_OFF_NULL. */
static const xk_expr *place_of(struct xk_lowering *l, struct xk_block_writer *w,
                               unsigned block, const xk_expr *const *at)
{
    const struct xk_view *const v = &l->p->con->a.view;
    const xk_expr *const off =
        xk_cast(l->c, XK_DT_U32, xk_lower_offset(l, v, at));
    const xk_expr *const mask = xk_lower_mask(l, v, at);
    const xk_expr *const from = xk_lower_surface_at(l, l->arg_a);
    const xk_expr *const sum =
        xk_lower_widen(l, xk_add(l->c, off, from), l->p->t.lanes);
    const xk_expr *in =
        l->p->a.row_masked
            ? xk_and(l->c, xk_lower_below_m(l, l->row_m[block]), mask)
            : mask;
    int64_t always;
    in = xk_simplify(l->c, in, l->facts);
    if (in && xk_is_const(in, &always) && always)
        return xk_block_let(w, "at", sum);
    const xk_expr *const beside = xk_lower_u32(l, l->p->beside);
    return xk_block_let(w, "at", xk_select(l->c, in, sum, beside));
}

/* Packed places lie in memory, or beside the tensor, each for itself: a place
 * for those of a block of rows, and a header for each message, which take
 * turns. */
static void load_places(struct xk_lowering *l, struct xk_block_writer *w,
                        const struct xk_plan_segment *s, const xk_expr *i)
{
    const struct xk_plan *const p = l->p;
    const xk_expr *const slot = slot_offset(l, i, &p->a);
    const unsigned place_e = p->con->place_e, elem_b = xk_dtype_b(p->a.tile.dt);
    const xk_expr *place = NULL;
    unsigned turn = 0;
    for (unsigned n = 0; n < s->a.n; n++) {
        const struct xk_plan_item *const it = &s->a.item[n];
        const struct xk_plan_msg *const m = &it->msg;
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        if (it->kind != XK_ITEM_LOAD) {
            arrange(l, w, it, l->a, l->stage_a, slot);
            continue;
        }
        xk_lower_a_index(l, m->row / p->t.lanes, at);
        at[xk_lower_k_inner(l)] = xk_s32(l->c, m->k / place_e * place_e);
        if (m->k % place_e == 0)
            place = place_of(l, w, m->row / p->t.lanes, at);
        const xk_expr *const head = xk_lower_reg(
            l, l->heads, turn++ % XK_LOWER_PLACE_HEADERS * XK_HEADER_B);
        const xk_expr *const by = xk_lower_widen(
            l, xk_lower_u32(l, m->k % place_e * elem_b), p->t.lanes);
        xk_block_add(w, xk_store(l->c, head, xk_add(l->c, place, by)));
        const struct xk_send send =
            xk_lower_through_surface(l, &m->send, l->arg_a);
        xk_lower_sendh(l, w, &send, head,
                       m->staged ? xk_lower_reg(l, l->stage_a, m->reg_b)
                                 : xk_lower_slot_reg(l, l->a, slot, m->reg_b));
    }
}

static void load_a(struct xk_lowering *l, struct xk_block_writer *w,
                   const struct xk_plan_segment *s, const xk_expr *i)
{
    const struct xk_plan *const p = l->p;
    const xk_expr *const slot = slot_offset(l, i, &p->a);
    for (unsigned n = 0; n < s->a.n; n++) {
        const struct xk_plan_item *const it = &s->a.item[n];
        const struct xk_plan_msg *const m = &it->msg;
        const unsigned block = m->row / p->t.lanes;
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        if (it->kind != XK_ITEM_LOAD) {
            arrange(l, w, it, l->a, l->stage_a, slot);
            continue;
        }
        xk_lower_a_index(l, block, at);
        at[xk_lower_k_inner(l)] = k_element(l, s, m, i);
        struct xk_send send = m->send;
        send.zero = xk_lower_loads_zero(l, &p->con->a);
        const struct xk_lower_args x = {
            .mem = l->arg_a,
            .off = xk_lower_offset(l, &p->con->a.view, at),
            .reg = m->staged ? xk_lower_reg(l, l->stage_a, m->reg_b)
                             : xk_lower_slot_reg(l, l->a, slot, m->reg_b),
            .mask = l->mask_a[block]};
        xk_lower_send(l, w, &send, &x);
    }
}

/* The row of N that a message of part `part` reads: lanes of the family, or one
 * row; rows that may lie beyond memory are moved back to the last. */
static const xk_expr *b_row(struct xk_lowering *l, const struct xk_plan_msg *m,
                            unsigned part)
{
    const struct xk_plan *const p = l->p;
    if (p->b.row_lanes)
        return l->cols[m->row / p->t.lanes];
    const int64_t row = m->row + (int64_t)part * p->t.n_part;
    const xk_expr *const n = xk_bin_imm(l->c, XK_OP_ADD, l->n0_b, row);
    if (!p->b.clamp_rows || p->b.access == XK_ACCESS_BLOCK)
        return n;
    return xk_bin_imm(l->c, XK_OP_MIN, n, p->n_extent - 1);
}

/* Lanes along K that lie behind a short step are switched off. */
static const xk_expr *b_mask(struct xk_lowering *l,
                             const struct xk_plan_segment *s,
                             const struct xk_plan_msg *m)
{
    const unsigned lanes = m->send.lanes;
    if (!m->lanes_k)
        return m->send.block ? xk_lower_true(l, 1)
                             : l->mask_b[m->row / l->p->t.lanes];
    if (m->k + lanes <= s->k_len)
        return xk_lower_true(l, lanes);
    const xk_expr *const k =
        xk_ramp(l->c, xk_s32(l->c, m->k), xk_s32(l->c, 1), lanes);
    return xk_bin_imm(l->c, XK_OP_LT, k, s->k_len);
}

/* Where B leaves its intervals, a message's part of staging is filled first,
 * but not behind K. The mask: *in and B's own. */
static const xk_expr *mask_row(struct xk_lowering *l, struct xk_block_writer *w,
                               const struct xk_plan_msg *m,
                               const xk_expr *const *at, const xk_expr *in)
{
    const struct xk_operand_view *const b = &l->p->con->b;
    const unsigned lanes = m->send.lanes;
    const xk_expr *const mask =
        xk_block_let(w, "mask_b", xk_lower_mask(l, &b->view, at));
    const xk_expr *v = xk_bcast(l->c, xk_lower_outside(l, b), lanes);
    if (b->fill)
        v = xk_select(l->c, in, v,
                      xk_bcast(l->c, xk_imm(l->c, XK_DT_U32, 0), lanes));
    xk_block_add(w, xk_store(l->c, xk_lower_reg(l, l->stage_b, m->reg_b), v));
    return xk_and(l->c, xk_lower_widen(l, mask, lanes), in);
}

static void load_b(struct xk_lowering *l, struct xk_block_writer *w,
                   const struct xk_plan_segment *s, const xk_expr *i,
                   unsigned part)
{
    const struct xk_plan *const p = l->p;
    const xk_expr *const slot = slot_offset(l, i, &p->b);
    for (unsigned n = 0; n < s->b.n; n++) {
        const struct xk_plan_item *const it = &s->b.item[n];
        const struct xk_plan_msg *const m = &it->msg;
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        if (it->kind != XK_ITEM_LOAD) {
            arrange(l, w, it, l->b, l->stage_b, slot);
            continue;
        }
        const xk_expr *const k = k_element(l, s, m, i);
        const xk_expr *mask = b_mask(l, s, m);
        xk_lower_b_index(l, b_row(l, m, part), at);
        if (!p->b.row_lanes && p->con->b.leaves)
            mask = mask_row(l, w, m, at, mask);
        at[xk_lower_k_inner(l)] =
            m->lanes_k ? xk_ramp(l->c, k, xk_s32(l->c, 1), m->send.lanes) : k;
        struct xk_send send = m->send;
        send.zero = xk_lower_loads_zero(l, &p->con->b);
        const struct xk_lower_args x = {
            .mem = l->arg_b,
            .off = xk_lower_offset(l, &p->con->b.view, at),
            .reg = m->staged ? xk_lower_reg(l, l->stage_b, m->reg_b)
                             : xk_lower_slot_reg(l, l->b, slot, m->reg_b),
            .mask = mask};
        xk_lower_send(l, w, &send, &x);
    }
}

/* &buf[slot + element (row, k) of the tile]. */
static const xk_expr *element(struct xk_lowering *l, const xk_expr *buf,
                              const struct xk_layout *tile, unsigned row,
                              unsigned k, const xk_expr *slot)
{
    const int64_t at[2] = {row, k};
    return xk_lower_slot_reg(l, buf, slot,
                             xk_dtype_b(tile->dt) *
                                 (uint32_t)xk_layout_offset_e(tile, at));
}

/* mad of single elements, or dp4a of four in a dword. */
static struct xk_func lane_multiply(const struct xk_plan *p)
{
    const bool dots = p->t.family == XK_FAMILY_DP4A;
    const uint8_t acc = (uint8_t)p->acc.dt;
    const uint8_t a = p->a.tile.dt == XK_DT_S8 ? XK_DT_S32 : XK_DT_U32;
    const uint8_t b = p->b.tile.dt == XK_DT_S8 ? XK_DT_S32 : XK_DT_U32;
    return (struct xk_func){.kind = dots ? XK_FUNC_DP4A : XK_FUNC_MAD,
                            .u.mad = {acc, acc, dots ? b : acc, dots ? a : acc,
                                      (uint8_t)p->t.lanes, 1, 1, 0}};
}

static void multiply_lanes(struct xk_lowering *l, struct xk_block_writer *w,
                           const xk_expr *i, unsigned k_len)
{
    const struct xk_plan *const p = l->p;
    const struct xk_func mad = lane_multiply(p);
    const unsigned deep = mad.kind == XK_FUNC_DP4A ? 4 : 1;
    const xk_expr *const slot_a = slot_offset(l, i, &p->a);
    const xk_expr *const slot_bb = slot_offset(l, i, &p->b);
    for (unsigned k = 0; k < k_len; k += deep)
        for (unsigned m = 0; m < p->t.m; m++)
            for (unsigned n = 0; n < p->t.n; n += p->t.lanes) {
                const xk_expr *const acc =
                    element(l, l->acc, &p->acc, m, n, NULL);
                const xk_expr *const args[4] = {
                    acc, acc, element(l, l->b, &p->b.tile, n, k, slot_bb),
                    element(l, l->a, &p->a.tile, m, k, slot_a)};
                xk_block_call(w, &mad, args, 4);
            }
}

/* Eight rows of N (src2) by eight lanes of M (src1), exchanged. What shares its
 * src1 comes together: the systolic array keeps it. */
static void multiply_dpas(struct xk_lowering *l, struct xk_block_writer *w,
                          const xk_expr *i, unsigned part)
{
    const struct xk_plan *const p = l->p;
    const struct xk_func f = {.kind = XK_FUNC_DPAS,
                              .u.dpas = {.dst = (uint8_t)p->acc.dt,
                                         .src0 = (uint8_t)p->acc.dt,
                                         .src1 = (uint8_t)p->a.tile.dt,
                                         .src2 = (uint8_t)p->b.tile.dt,
                                         .exec = 8,
                                         .sdepth = 8,
                                         .rcount = 8,
                                         .wide = xk_plan_is_wide(p)}};
    /* Rows of B in this thread's registers, of eight that dpasw takes. */
    const unsigned own = xk_plan_is_wide(p) ? 4 : 8;
    const xk_expr *const slot_a = slot_offset(l, i, &p->a);
    const xk_expr *const slot_bb = slot_offset(l, i, &p->b);
    for (unsigned m = 0; m < p->t.m; m += 8)
        for (unsigned n = 0; n < p->t.n_part; n += 8) {
            const xk_expr *const acc = element(
                l, l->acc, &p->acc, m, part * p->t.n_part + n / 8 * own, NULL);
            const xk_expr *const args[4] = {
                acc, acc, element(l, l->a, &p->a.tile, m, 0, slot_a),
                element(l, l->b, &p->b.tile, n / 8 * own, 0, slot_bb)};
            xk_block_call(w, &f, args, 4);
        }
}

/* The stage of the multiplies: operands of two buffers are loaded in one of
 * their own. */
static unsigned last_stage(const struct xk_plan *p)
{
    return p->a.slots > 1 || p->b.slots > 1;
}

/* The statements of one pipeline stage. */
static void stage(struct xk_lowering *l, struct xk_block_writer *w,
                  const struct xk_plan_segment *s, const xk_expr *i,
                  unsigned number)
{
    const struct xk_plan *const p = l->p;
    const unsigned parts = p->t.n / p->t.n_part;
    const unsigned last = last_stage(p);
    if (p->a.stage == number)
        (p->con->place_e ? load_places : load_a)(l, w, s, i);
    for (unsigned part = 0; part < parts; part++) {
        if (p->b.stage == number)
            load_b(l, w, s, i, part);
        if (number == last && p->t.dpas)
            multiply_dpas(l, w, i, part);
        else if (number == last)
            multiply_lanes(l, w, i, s->k_len);
    }
}

/* A segment of one step is straight code on slot 0. */
static void single_step(struct xk_lowering *l, const struct xk_plan_segment *s)
{
    for (unsigned n = 0; n <= last_stage(l->p); n++)
        stage(l, &l->w, s, xk_s32(l->c, 0), n);
}

static void pipelined(struct xk_lowering *l, const struct xk_plan_segment *s)
{
    const struct xk_plan *const p = l->p;
    const unsigned n_stages = last_stage(p) + 1;
    const uint8_t copies = p->t.copies;
    const xk_expr *const i = xk_lower_counter(l, "i", s->trip);
    const xk_stmt *part[2];
    for (unsigned n = 0; n < n_stages; n++) {
        struct xk_block_writer w;
        xk_block_init(&w, l->c, l->facts);
        stage(l, &w, s, i, n);
        part[n] = xk_stage(l->c, n, xk_block_end(&w));
    }
    xk_block_add(&l->w,
                 xk_pipe(l->c, i, xk_s32(l->c, s->trip),
                         (struct xk_pipe_info){copies, (uint8_t)n_stages},
                         xk_seq(l->c, part, n_stages)));
}

static void segments(struct xk_lowering *l)
{
    for (unsigned i = 0; i < l->p->n_segments; i++) {
        const struct xk_plan_segment *const s = &l->p->seg[i];
        if (s->trip > 1)
            pipelined(l, s);
        else
            single_step(l, s);
    }
}

void xk_lower_k_loops(struct xk_lowering *l)
{
    const struct xk_nest *const con = l->p->con;
    unsigned depth = 0;
    xk_lower_bind_masks(l, false);
    for (unsigned x = 0; x < con->n_index; x++)
        if (l->k[x] && xk_op(l->k[x]) == XK_OP_VAR) {
            xk_block_for(&l->w, l->k[x], con->index[x].extent);
            depth++;
        }
    xk_lower_bind_masks(l, true);
    segments(l);
    while (depth--)
        xk_block_end_for(&l->w);
}
