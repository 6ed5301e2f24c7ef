/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates, masks, the K loops, and in them each segment's loads and
 * multiplies. A masked operand's buffers are zeroed where its mask is made:
 * nothing else writes the masked lanes, so one fill serves the whole inner
 * loop. */
#include "lower/headers.h"
#include "lower/taps.h"

enum { TURNS = 8 /* of headers of packed taps */ };

static unsigned row_blocks(const struct xk_lowering *l)
{
    return l->p->s.m_thr / l->p->s.simd;
}

static unsigned col_blocks(const struct xk_lowering *l)
{
    return l->p->s.n_thr / l->p->s.simd;
}

static bool is_true(const xk_expr *mask)
{
    int64_t v;
    return mask && xk_is_const(mask, &v) && v == 1;
}

static const xk_expr *below(struct xk_lowering *l, const xk_expr *v,
                            int64_t extent)
{
    return xk_bin_imm(l->c, XK_OP_LT, v, extent);
}

static const xk_expr *let_mask(struct xk_lowering *l, const char *name,
                               const xk_expr *mask)
{
    return xk_block_let(&l->w, name, xk_lower_widen(l, mask, l->p->s.simd));
}

void xk_lower_columns(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    bool masked = false;
    for (unsigned j = 0; j < col_blocks(l); j++) {
        l->mask_b[j] = xk_lower_true(l, p->s.simd);
        if (!p->b.row_lanes)
            continue;
        const xk_expr *const first =
            xk_bin_imm(l->c, XK_OP_ADD, l->n0_b, j * p->s.simd);
        l->cols[j] = xk_block_let(&l->w, "n", xk_lower_lanes(l, first));
        if (p->b.row_masked)
            l->mask_b[j] =
                let_mask(l, "mask_b", below(l, l->cols[j], p->n_extent));
        masked |= !is_true(l->mask_b[j]);
    }
    if (masked && p->b.staging_b)
        xk_lower_zero(l, &l->w, l->stage_b, 0, p->b.staging_b);
    else if (masked)
        xk_lower_zero(l, &l->w, l->b, 0, xk_plan_slots_b(&p->b));
}

/* K loop variables exist before their loops, so that masks can be looked at
 * to see which loops they depend on. Extent 1: the constant 0. */
static void make_k_vars(struct xk_lowering *l)
{
    const struct xk_nest *const con = l->p->con;
    for (unsigned i = 0; i < con->n_index; i++) {
        const struct xk_index *const x = &con->index[i];
        if (x->role != XK_ROLE_K)
            continue;
        l->k[i] = xk_s32(l->c, 0);
        if (x->extent == 1 || x == xk_plan_k_inner(l->p))
            continue;
        l->k[i] = xk_lower_counter(l, x->name, x->extent);
    }
}

/* A's coordinates of lane block i, with K at the loop variables. */
static void a_index(struct xk_lowering *l, unsigned i, const xk_expr **at)
{
    for (unsigned x = 0; x < l->p->con->n_index; x++)
        at[x] = l->k[x] ? l->k[x] : l->lane[i][x];
}

void xk_lower_rows(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    make_k_vars(l);
    for (unsigned i = 0; i < row_blocks(l); i++) {
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        const xk_expr *const first =
            xk_bin_imm(l->c, XK_OP_ADD, l->m0, i * p->s.simd);
        const xk_expr *const m =
            xk_block_let(&l->w, "m", xk_lower_lanes(l, first));
        l->row_m[i] = m;
        xk_lower_unpack_m(l, m, l->lane[i]);
        a_index(l, i, at);
        l->mask_a[i] = xk_lower_mask(l, &p->con->a.view, at);
        if (p->con->tap_e) /* each tap has its own */
            l->mask_a[i] = xk_lower_true(l, p->s.simd);
        else if (p->a.row_masked && l->mask_a[i])
            l->mask_a[i] = xk_lower_inside_m(l, m, l->mask_a[i]);
    }
    if (p->con->tap_e)
        l->heads = xk_block_alloc(&l->w, "heads", TURNS * XK_HEADER_B, 0);
}

static bool depends_on_k(const struct xk_lowering *l, const xk_expr *mask)
{
    for (unsigned x = 0; x < l->p->con->n_index; x++)
        if (l->k[x] && xk_op(l->k[x]) == XK_OP_VAR &&
            xk_depends_on(mask, l->k[x]))
            return true;
    return false;
}

/* Binds A's masks here if they belong here: inside the K loops (inner) or
 * before them; and zeroes what they mask. */
static void bind_masks(struct xk_lowering *l, bool inner)
{
    const struct xk_plan *const p = l->p;
    const bool staged = p->a.staging_b != 0;
    const xk_expr *const buf = staged ? l->stage_a : l->a;
    const uint32_t slot = staged ? p->a.staging_b : p->a.tile_b;
    const uint32_t block_b = slot / row_blocks(l);
    for (unsigned i = 0; i < row_blocks(l); i++) {
        const xk_expr *const m = l->mask_a[i];
        if (!m || xk_op(m) == XK_OP_VAR || depends_on_k(l, m) != inner)
            continue;
        l->mask_a[i] = let_mask(l, "mask_a", m);
        if (is_true(l->mask_a[i]))
            continue;
        for (unsigned s = 0; s < (staged ? 1u : p->a.slots); s++)
            xk_lower_zero(l, &l->w, buf, s * slot + i * block_b, block_b);
    }
}

/* The same of slots that hold several steps. */
static const xk_expr *step_of_slot(struct xk_lowering *l, const xk_expr *i,
                                   const struct xk_plan_operand *o)
{
    xk_ctx *const c = l->c;
    const xk_expr *const in = xk_bin_imm(c, XK_OP_MOD, i, o->steps);
    const xk_expr *const by = xk_bin_imm(c, XK_OP_MUL, in, XK_PLAN_EIGHT_B);
    if (o->slots == 1)
        return by;
    const xk_expr *const slot = xk_lower_turn(l, i, o->slots);
    return xk_add(c, xk_bin_imm(c, XK_OP_MUL, slot, o->slot_b), by);
}

const xk_expr *xk_lower_slot_b(struct xk_lowering *l, const xk_expr *i,
                               const struct xk_plan_operand *o)
{
    int64_t step;
    if (o->steps > 1)
        return step_of_slot(l, i, o);
    if (o->slots == 1)
        return NULL;
    if (xk_is_const(i, &step))
        return step % o->slots ? xk_s32(l->c, step % o->slots * o->slot_b)
                               : NULL;
    return xk_bin_imm(l->c, XK_OP_MUL,
                      xk_bin_imm(l->c, XK_OP_MOD, i, o->slots), o->slot_b);
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
    const xk_expr *const args[2] = {
        xk_lower_slot_reg(l, buf, slot_b, it->to_b),
        xk_lower_reg(l, staging, it->from_b)};
    xk_block_call(w, &f, args, 2);
}

/* Where a tap of a block of rows is in A's surface; beside the tensor XK_OFF_NULL. */
static const xk_expr *tap_place(struct xk_lowering *l, struct xk_block_writer *w,
                                unsigned block, const xk_expr *const *at)
{
    const struct xk_view *const v = &l->p->con->a.view;
    const xk_expr *const off = xk_cast(l->c, XK_DT_U32, xk_lower_offset(l, v, at));
    const xk_expr *const mask = xk_lower_mask(l, v, at);
    const xk_expr *const from = xk_lower_surface_at(l, l->arg_a);
    const xk_expr *const sum =
        xk_lower_widen(l, xk_add(l->c, off, from), l->p->s.simd);
    return xk_block_let(
        w, "tap",
        xk_lower_or_beside(l, l->row_m[block], mask, sum, l->p->flat.beside));
}

/* Packed taps lie in memory, or beside the tensor, each for itself: a place for those
 * of a block of rows, and a header for each message, which take turns. */
static void load_taps(struct xk_lowering *l, struct xk_block_writer *w,
                      const struct xk_plan_segment *s, const xk_expr *i)
{
    const struct xk_plan *const p = l->p;
    const xk_expr *const slot = xk_lower_slot_b(l, i, &p->a);
    const unsigned tap_e = p->con->tap_e, elem_b = xk_dtype_b(p->a.tile.dt);
    const xk_expr *tap = NULL;
    unsigned turn = 0;
    for (unsigned n = 0; n < s->a.n; n++) {
        const struct xk_plan_item *const it = &s->a.item[n];
        const struct xk_plan_msg *const m = &it->msg;
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        if (it->kind != XK_ITEM_LOAD) {
            arrange(l, w, it, l->a, l->stage_a, slot);
            continue;
        }
        a_index(l, m->row / p->s.simd, at);
        at[xk_lower_k_inner(l)] = xk_s32(l->c, m->k / tap_e * tap_e);
        if (m->k % tap_e == 0)
            tap = tap_place(l, w, m->row / p->s.simd, at);
        const xk_expr *const head =
            xk_lower_reg(l, l->heads, turn++ % TURNS * XK_HEADER_B);
        const xk_expr *const by =
            xk_lower_widen(l, xk_lower_u32(l, m->k % tap_e * elem_b), p->s.simd);
        xk_block_add(w, xk_store(l->c, head, xk_add(l->c, tap, by)));
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
    const xk_expr *const slot = xk_lower_slot_b(l, i, &p->a);
    for (unsigned n = 0; n < s->a.n; n++) {
        const struct xk_plan_item *const it = &s->a.item[n];
        const struct xk_plan_msg *const m = &it->msg;
        const unsigned block = m->row / p->s.simd;
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        if (it->kind != XK_ITEM_LOAD) {
            arrange(l, w, it, l->a, l->stage_a, slot);
            continue;
        }
        a_index(l, block, at);
        at[xk_lower_k_inner(l)] = k_element(l, s, m, i);
        xk_lower_send(l, w, &m->send, l->arg_a,
                      xk_lower_offset(l, &p->con->a.view, at),
                      m->staged ? l->stage_a : l->a, m->reg_b,
                      m->staged ? NULL : slot,
                      l->mask_a[block]);
    }
}

/* The row of N that a message of part `part` reads: lanes of the family, or one
 * row; rows that may lie beyond memory are moved back to the last. */
static const xk_expr *b_row(struct xk_lowering *l, const struct xk_plan_msg *m,
                            unsigned part)
{
    const struct xk_plan *const p = l->p;
    if (p->b.row_lanes)
        return l->cols[m->row / p->s.simd];
    const int64_t row = m->row + (int64_t)part * p->s.n_sub;
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
                             : l->mask_b[m->row / l->p->s.simd];
    if (m->k + lanes <= s->k_len)
        return xk_lower_true(l, lanes);
    const xk_expr *const k =
        xk_ramp(l->c, xk_s32(l->c, m->k), xk_s32(l->c, 1), lanes);
    return below(l, k, s->k_len);
}

static void load_b(struct xk_lowering *l, struct xk_block_writer *w,
                   const struct xk_plan_segment *s, const xk_expr *i,
                   unsigned part)
{
    const struct xk_plan *const p = l->p;
    const xk_expr *const slot = xk_lower_slot_b(l, i, &p->b);
    for (unsigned n = 0; n < s->b.n; n++) {
        const struct xk_plan_item *const it = &s->b.item[n];
        const struct xk_plan_msg *const m = &it->msg;
        const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
        if (it->kind != XK_ITEM_LOAD) {
            arrange(l, w, it, l->b, l->stage_b, slot);
            continue;
        }
        const xk_expr *const row = b_row(l, m, part);
        const xk_expr *const k = k_element(l, s, m, i);
        for (unsigned x = 0; x < p->con->n_index; x++)
            at[x] = l->k[x];
        xk_lower_set_n(l, row, at);
        at[xk_lower_k_inner(l)] =
            m->lanes_k ? xk_ramp(l->c, k, xk_s32(l->c, 1), m->send.lanes) : k;
        xk_lower_send(l, w, &m->send, l->arg_b,
                      xk_lower_offset(l, &p->con->b.view, at),
                      m->staged ? l->stage_b : l->b, m->reg_b,
                      m->staged ? NULL : slot,
                      b_mask(l, s, m));
    }
}

/* &buf[slot + element (row, k) of the tile]. */
static const xk_expr *element(struct xk_lowering *l, const xk_expr *buf,
                              const struct xk_layout *tile, unsigned row,
                              unsigned k, const xk_expr *slot)
{
    const int64_t at[2] = {row, k};
    return xk_lower_slot_reg(
        l, buf, slot,
        xk_dtype_b(tile->dt) * (uint32_t)xk_layout_offset_e(tile, at));
}

/* mad of single elements, or dp4a of four in a dword. */
static struct xk_func lane_multiply(const struct xk_plan *p)
{
    const bool dots = p->s.fma == XK_FMA_DP4A;
    const uint8_t acc = (uint8_t)p->acc.dt;
    const uint8_t a = p->a.tile.dt == XK_DT_S8 ? XK_DT_S32 : XK_DT_U32;
    const uint8_t b = p->b.tile.dt == XK_DT_S8 ? XK_DT_S32 : XK_DT_U32;
    return (struct xk_func){.kind = dots ? XK_FUNC_DP4A : XK_FUNC_MAD,
                            .u.mad = {acc, acc, dots ? b : acc, dots ? a : acc,
                                      (uint8_t)p->s.simd, 1, 1, 0}};
}

static void multiply_lanes(struct xk_lowering *l, struct xk_block_writer *w,
                           const xk_expr *i, unsigned k_len, unsigned first_row,
                           unsigned rows)
{
    const struct xk_plan *const p = l->p;
    const struct xk_func mad = lane_multiply(p);
    const unsigned deep = mad.kind == XK_FUNC_DP4A ? 4 : 1;
    const xk_expr *const slot_a = xk_lower_slot_b(l, i, &p->a);
    const xk_expr *const slot_bb = xk_lower_slot_b(l, i, &p->b);
    for (unsigned k = 0; k < k_len; k += deep)
        for (unsigned m = first_row; m < first_row + rows; m++)
            for (unsigned n = 0; n < p->s.n_thr; n += p->s.simd) {
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
                          const xk_expr *i, unsigned part, unsigned first_row,
                          unsigned rows)
{
    const struct xk_plan *const p = l->p;
    const struct xk_func f = {
        .kind = XK_FUNC_DPAS,
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
    const xk_expr *const slot_a = xk_lower_slot_b(l, i, &p->a);
    const xk_expr *const slot_bb = xk_lower_slot_b(l, i, &p->b);
    for (unsigned m = first_row; m < first_row + rows; m += 8)
        for (unsigned n = 0; n < p->s.n_sub; n += 8) {
            const xk_expr *const acc =
                element(l, l->acc, &p->acc, m,
                        part * p->s.n_sub + n / 8 * own, NULL);
            const xk_expr *const args[4] = {
                acc, acc, element(l, l->a, &p->a.tile, m, 0, slot_a),
                element(l, l->b, &p->b.tile, n / 8 * own, 0, slot_bb)};
            xk_block_call(w, &f, args, 4);
        }
}

void xk_lower_dpas(struct xk_lowering *l, struct xk_block_writer *w,
                   const xk_expr *i, unsigned part)
{
    multiply_dpas(l, w, i, part, 0, l->p->s.m_thr);
}

void xk_lower_multiply(struct xk_lowering *l, struct xk_block_writer *w,
                       const xk_expr *i, unsigned first_row, unsigned rows)
{
    if (!xk_fma_is_systolic(l->p->s.fma))
        multiply_lanes(l, w, i, l->p->s.k_step, first_row, rows);
    else
        multiply_dpas(l, w, i, 0, first_row, rows);
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
    const unsigned parts = p->s.n_thr / p->s.n_sub;
    const unsigned last = last_stage(p);
    if (p->a.stage == number)
        (p->con->tap_e ? load_taps : load_a)(l, w, s, i);
    for (unsigned part = 0; part < parts; part++) {
        if (p->b.stage == number)
            load_b(l, w, s, i, part);
        if (number == last && xk_fma_is_systolic(p->s.fma))
            xk_lower_dpas(l, w, i, part);
        else if (number == last)
            multiply_lanes(l, w, i, s->k_len, 0, p->s.m_thr);
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
    const uint8_t copies = (uint8_t)xk_schedule_copies(&p->s, 1);
    struct xk_stages loop;
    xk_stages_init(&loop, l, s->trip);
    if (!loop.i)
        return;
    for (unsigned n = 0; n < n_stages; n++) {
        struct xk_block_writer w;
        xk_block_init(&w, l->c, l->facts);
        stage(l, &w, s, loop.i, n);
        xk_stages_add(&loop, n, &w);
    }
    xk_stages_end(&loop, (struct xk_pipe_info){copies, (uint8_t)n_stages});
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
    bind_masks(l, false);
    for (unsigned x = 0; x < con->n_index; x++)
        if (l->k[x] && xk_op(l->k[x]) == XK_OP_VAR) {
            xk_block_for(&l->w, l->k[x], con->index[x].extent);
            depth++;
        }
    bind_masks(l, true);
    segments(l);
    while (depth--)
        xk_block_end_for(&l->w);
}
