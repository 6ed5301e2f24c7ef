/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over K with A in shared local memory (plan.h, struct xk_plan_slm); B is
 * loaded straight to registers.
 * A time step has one barrier and `depth` dpas depths. In one, t, with three
 * buffers:
 *
 *   wait      for the tiles of step t - 2, written in the time step before
 *   store     the tiles of step t - 1 from registers to SLM; fence; signal
 *   gather    the tiles of step t from memory to registers
 *   for each depth of step t - 2:
 *     load      B of the next depth, where it has two buffers
 *     fetch     A from SLM
 *     multiply
 *     load      B of the next depth, over the registers that were just read
 *
 * Three buffers make one barrier a step enough: what is written at t was read
 * last at t - 2, before the signal of t - 1 that the writer has waited for. The
 * multiplies stand between a signal and its wait.
 *
 * With two buffers a step is stored where it was gathered:
 *
 *   gather    step t
 *   wait      for step t - 1
 *   for each depth of step t - 1: load B, fetch, multiply
 *   store     step t; fence; signal
 *
 * What is written at t was read last at t - 1 - 1, in front of the signal of t
 * - 1. Nothing is under way longer than a step, so the loop holds all steps but
 * one; the wait follows its signal at once, and the other threads of the EU
 * work then. With one buffer all threads must have fetched before any stores: a
 * barrier of its own stands behind the last fetch.
 *
 * A lane beside the tensor has the offset XK_OFF_NULL, which reads as zero, and
 * moves on from there with the others: its whole way is beyond any surface. */
#include "lower/slm.h"

/* Of n headers for each filter tap, where those of step i begin; NULL: they
 * serve all. */
static const xk_expr *tap_b(struct xk_slm_loop *g, const xk_expr *buf,
                            unsigned n)
{
    if (buf != g->from)
        return NULL;
    return xk_bin_imm(g->l->c, XK_OP_MUL,
                      xk_bin_imm(g->l->c, XK_OP_MOD, g->i, g->s->taps),
                      (int64_t)n * XK_HEADER_B);
}

/* Header k of a buffer, of step i's n. */
static const xk_expr *header(struct xk_slm_loop *g, const xk_expr *buf,
                             unsigned n, unsigned k)
{
    return xk_lower_slot_reg(g->l, buf, tap_b(g, buf, n), k * XK_HEADER_B);
}

void xk_slm_move(struct xk_slm_loop *g, struct xk_block_writer *w,
                 const xk_expr *buf, unsigned n, enum xk_op op,
                 const xk_expr *by)
{
    const struct xk_header_run r = {buf, tap_b(g, buf, n), 0,
                                    n * XK_HEADER_B};
    int64_t none;
    if (by && !(xk_is_const(by, &none) && !none))
        xk_lower_move_headers(g->l, w, &r, op, by);
}

/* What leads from a place in SLM to that of the next step, 0: stores, 1: reads;
 * flip: where that never changes. */
static const xk_expr *turn(struct xk_slm_loop *g, struct xk_block_writer *w,
                           unsigned which, uint32_t flip)
{
    struct xk_lowering *const l = g->l;
    if (!g->turn)
        return xk_lower_u32(l, flip);
    const xk_expr *const at = xk_lower_reg(l, g->turn, 4 * which);
    const xk_expr *const now =
        xk_block_load(w, "turn", xk_type_vec(XK_DT_U32, 1), at);
    const xk_expr *const next = xk_block_let(
        w, "turn", xk_bin_imm(l->c, XK_OP_XOR, now, 3 * (int64_t)g->s->slot_b));
    xk_block_add(w, xk_store(l->c, at, next));
    return next;
}

/* n depths: a block, or a lane a row and depth. */
static void slm_message(struct xk_slm_loop *g, struct xk_block_writer *w,
                        enum xk_send_op op, unsigned n, const xk_expr *head,
                        const xk_expr *reg)
{
    const bool block = g->s->depth == 1;
    const struct xk_send s =
        block ? xk_lower_slm_send(op, g->s->tile_b / 4, 1)
              : xk_lower_slm_send(op, 8, n * XK_SLM_LANES);
    xk_lower_sendh(g->l, w, &s, head, reg);
}

/* Moves the headers of the step's place in the outer K indices on by a step, then loads
 * units to what is staged. */
static void gather(struct xk_slm_loop *g, struct xk_block_writer *w)
{
    struct xk_lowering *const l = g->l;
    const unsigned wide = xk_plan_slm_unit(g->s), per = xk_slm_gather_headers(g);
    const unsigned n = g->s->per_thread * per;
    const struct xk_send s = xk_lower_gather_send(
        l, 4, g->s->tile_b / 4 / g->s->lanes, wide * g->s->lanes);
    xk_slm_move(g, w, g->from, n, XK_OP_ADD, xk_lower_u32(l, g->s->step_b));
    for (unsigned b = 0; b < g->s->per_thread; b++)
        if (g->s->raw_b)
            xk_slm_gather_elements(g, w, b, header(g, g->from, n, b * per));
        else
            xk_lower_sendh(l, w, &s, header(g, g->from, n, b * per),
                       xk_lower_reg(l, g->staged, b * wide * g->s->tile_b));
}

static void wait(struct xk_slm_loop *g, struct xk_block_writer *w)
{
    (void)g;
    xk_lower_sync(w, XK_FUNC_BARRIER_WAIT);
}

static void publish(struct xk_slm_loop *g, struct xk_block_writer *w)
{
    const unsigned wide = xk_plan_slm_unit(g->s);
    const unsigned n = g->s->per_thread * wide;
    const xk_expr *const flip = turn(g, w, 0, xk_slm_store_flip(g));
    xk_slm_move(g, w, g->to, n, XK_OP_XOR, flip);
    for (unsigned b = 0; b < n; b += wide) {
        const xk_expr *unit =
            xk_lower_reg(g->l, g->staged, b * g->s->tile_b);
        if (g->s->raw_b) {
            xk_slm_pack(g, w, b);
            unit = xk_lower_reg(g->l, g->packed, 0);
        }
        slm_message(g, w, XK_SEND_STORE, wide, header(g, g->to, n, b), unit);
    }
    xk_lower_sync(w, XK_FUNC_FENCE);
    xk_lower_sync(w, XK_FUNC_BARRIER_SIGNAL);
}

/* Tile k of n; the last one only where the thread has it. */
static void fetch_tile(struct xk_slm_loop *g, struct xk_block_writer *w,
                       unsigned n, unsigned k)
{
    const bool maybe = g->l->full && k + 1 == n;
    struct xk_block_writer in;
    xk_block_init(&in, g->l->c, g->l->facts);
    slm_message(g, maybe ? &in : w, XK_SEND_LOAD, 1, header(g, g->out_of, n, k),
                xk_lower_reg(g->l, g->l->a, k * g->s->tile_b));
    if (maybe)
        xk_block_add_if(w, g->l->full, &in);
}

static void fetch(struct xk_slm_loop *g, struct xk_block_writer *w,
                  unsigned depth)
{
    const unsigned n = xk_slm_tiles(g);
    const uint32_t bits = xk_slm_read_flip(g, depth);
    const xk_expr *const flip =
        depth ? xk_lower_u32(g->l, bits) : turn(g, w, 1, bits);
    xk_slm_move(g, w, g->out_of, n, XK_OP_XOR, flip);
    for (unsigned k = 0; k < n; k++)
        fetch_tile(g, w, n, k);
    if (g->s->buffers == 1 && depth + 1u == g->s->depth)
        xk_lower_meet(w); /* nobody may store before all have fetched */
}

/* What the slots of B are counted by: depths, an even number of them a step. */
static const xk_expr *b_count(struct xk_slm_loop *g, unsigned depth)
{
    return g->s->depth > 1 ? xk_s32(g->l->c, depth) : g->i;
}

void xk_slm_load_b(struct xk_slm_loop *g, struct xk_block_writer *w,
                   const xk_expr *by, const xk_expr *count)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_list *const list = &l->p->seg[0].b;
    const xk_expr *const slot = xk_lower_slot_b(l, count, &l->p->b);
    xk_slm_move(g, w, g->from_b, list->n, XK_OP_ADD, by);
    for (unsigned n = 0; n < list->n; n++) {
        const struct xk_plan_msg *const m = &list->item[n].msg;
        const struct xk_send s =
            xk_lower_through_surface(l, &m->send, l->arg_b);
        xk_lower_sendh(g->l, w, &s, header(g, g->from_b, list->n, n),
             xk_lower_slot_reg(l, l->b, slot, m->reg_b));
    }
}

static void stage(struct xk_slm_loop *g, unsigned number,
                  void (*write)(struct xk_slm_loop *, struct xk_block_writer *))
{
    struct xk_block_writer w;
    xk_block_init(&w, g->l->c, g->l->facts);
    write(g, &w);
    xk_stages_add(&g->loop, number, &w);
}

static void stage_load_b(struct xk_slm_loop *g, unsigned last, unsigned depth)
{
    struct xk_block_writer w;
    const bool next = depth == g->s->depth;
    xk_block_init(&w, g->l->c, g->l->facts);
    if (next)
        depth = 0;
    const xk_expr *const by = xk_slm_b_move(g, depth);
    xk_slm_load_b(g, &w, by, b_count(g, depth));
    xk_stages_add(&g->loop, next ? last - 1 : last, &w);
}

static void stage_multiply(struct xk_slm_loop *g, unsigned last, unsigned depth)
{
    struct xk_block_writer w;
    xk_block_init(&w, g->l->c, g->l->facts);
    fetch(g, &w, depth);
    xk_lower_multiply_all(g->l, &w, b_count(g, depth), 0,
                          g->l->p->s.m_thr);
    xk_stages_add(&g->loop, last, &w);
}

/* Fetches and multiplies of a time step, each with the next load of B. */
static void depths(struct xk_slm_loop *g, unsigned last)
{
    const bool ahead = g->l->p->b.slots > 1;
    for (unsigned d = 0; d < g->s->depth; d++) {
        if (ahead)
            stage_load_b(g, last, d + 1);
        stage_multiply(g, last, d);
        if (!ahead)
            stage_load_b(g, last, d + 1);
    }
}

void xk_lower_slm_loop(struct xk_lowering *l)
{
    struct xk_slm_loop g = {.l = l, .s = &l->p->slm};
    const unsigned last = g.s->buffers > 2 ? 2 : 1;
    xk_stages_init(&g.loop, l, g.s->trip);
    g.i = g.loop.i;
    if (!g.i)
        return;
    xk_slm_prepare(&g);
    if (last == 2) {
        stage(&g, 2, wait);
        stage(&g, 1, publish);
        stage(&g, 0, gather);
        depths(&g, last);
    } else {
        stage(&g, 0, gather);
        stage(&g, 1, wait);
        depths(&g, last);
        stage(&g, 0, publish);
    }
    xk_stages_end(&g.loop, (struct xk_pipe_info){(uint8_t)g.s->copies,
                                                 (uint8_t)(last + 1)});
}
