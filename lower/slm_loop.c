/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over K with A in shared local memory (plan.h, struct xk_plan_slm).
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

enum { LANES = XK_SLM_LANES, GRF_B = XK_SLM_GRF_B, TILE_B = XK_SLM_TILE_B };

/* Header k of a buffer; of n for each filter tap, those of step i's. */
static const xk_expr *header(struct xk_slm_loop *g, const xk_expr *buf,
                             unsigned n, unsigned k)
{
    struct xk_lowering *const l = g->l;
    if (buf != g->from)
        return xk_lower_reg(l, buf, k * GRF_B);
    const xk_expr *const tap =
        xk_bin_imm(l->c, XK_OP_MUL, xk_bin_imm(l->c, XK_OP_MOD, g->i, g->s->taps),
                   (int64_t)n * GRF_B);
    return xk_lower_slot_reg(l, buf, tap, k * GRF_B);
}

/* Changes n headers, two an instruction. */
static void move(struct xk_slm_loop *g, struct xk_block_writer *w,
                 const xk_expr *buf, unsigned n, enum xk_op op,
                 const xk_expr *by)
{
    struct xk_lowering *const l = g->l;
    int64_t none;
    if (!by || (xk_is_const(by, &none) && !none))
        return;
    for (unsigned k = 0; k < n; k += 2) {
        const unsigned lanes = k + 1 < n ? 2 * LANES : LANES;
        const xk_expr *const at = header(g, buf, n, k);
        const xk_expr *const now =
            xk_block_load(w, "at", xk_type_vec(XK_DT_U32, lanes), at);
        xk_block_add(w, xk_store(l->c, at, xk_bin(l->c, op, now,
                                                  xk_bcast(l->c, by, lanes))));
    }
}

/* What leads from a place in SLM to that of the next step, 0: stores, 1: reads;
 * flip: where that never changes. */
static const xk_expr *turn(struct xk_slm_loop *g, struct xk_block_writer *w,
                           unsigned which, uint32_t flip)
{
    struct xk_lowering *const l = g->l;
    if (!g->turn)
        return xk_slm_u32(l, flip);
    const xk_expr *const at = xk_lower_reg(l, g->turn, 4 * which);
    const xk_expr *const now =
        xk_block_load(w, "turn", xk_type_vec(XK_DT_U32, 1), at);
    const xk_expr *const next = xk_block_let(
        w, "turn", xk_bin_imm(l->c, XK_OP_XOR, now, 3 * (int64_t)g->s->slot_b));
    xk_block_add(w, xk_store(l->c, at, next));
    return next;
}

static void call(struct xk_slm_loop *g, struct xk_block_writer *w,
                 const struct xk_send *send, const xk_expr *head,
                 const xk_expr *reg)
{
    struct xk_lowering *const l = g->l;
    const struct xk_func f = {.kind = XK_FUNC_SENDH, .u.send = *send};
    const xk_expr *const args[] = {head, reg, xk_lower_true(l, send->lanes)};
    xk_block_call(w, &f, args, 3);
}

/* n depths: a block, or a lane a row and depth. */
static void slm_message(struct xk_slm_loop *g, struct xk_block_writer *w,
                        enum xk_send_op op, unsigned n, const xk_expr *head,
                        const xk_expr *reg)
{
    const bool block = g->s->depth == 1;
    const struct xk_send s = {.op = (uint8_t)op,
                              .space = XK_SPACE_SLM,
                              .addr = XK_SEND_A32,
                              .data_b = 4,
                              .vec = block ? TILE_B / 4 : 8,
                              .lanes = (uint8_t)(block ? 1 : n * LANES),
                              .block = block};
    call(g, w, &s, head, reg);
}

/* Moves the tap's headers on by a step, then loads. */
static void gather(struct xk_slm_loop *g, struct xk_block_writer *w)
{
    struct xk_lowering *const l = g->l;
    const unsigned wide = xk_plan_slm_unit(g->s);
    const unsigned n = g->s->per_thread * wide;
    const struct xk_send s = {.op = XK_SEND_LOAD,
                              .space = XK_SPACE_GLOBAL,
                              .addr = XK_SEND_SURFACE,
                              .surface = xk_lower_pointer_number(l, l->arg_a),
                              .data_b = 4,
                              .vec = 8,
                              .lanes = (uint8_t)(wide * LANES)};
    move(g, w, g->from, n, XK_OP_ADD, xk_slm_u32(l, g->s->step_b));
    for (unsigned b = 0; b < n; b += wide)
        call(g, w, &s, header(g, g->from, n, b),
             xk_lower_reg(l, g->staged, b * TILE_B));
}

static void simple(struct xk_block_writer *w, enum xk_func_kind kind)
{
    const struct xk_func f = {.kind = (uint8_t)kind, .u.space = XK_SPACE_SLM};
    xk_block_call(w, &f, NULL, 0);
}

static void wait(struct xk_slm_loop *g, struct xk_block_writer *w)
{
    (void)g;
    simple(w, XK_FUNC_BARRIER_WAIT);
}

static void publish(struct xk_slm_loop *g, struct xk_block_writer *w)
{
    const unsigned wide = xk_plan_slm_unit(g->s);
    const unsigned n = g->s->per_thread * wide;
    move(g, w, g->to, n, XK_OP_XOR, turn(g, w, 0, xk_slm_store_flip(g)));
    for (unsigned b = 0; b < n; b += wide)
        slm_message(g, w, XK_SEND_STORE, wide, header(g, g->to, n, b),
                    xk_lower_reg(g->l, g->staged, b * TILE_B));
    simple(w, XK_FUNC_FENCE);
    simple(w, XK_FUNC_BARRIER_SIGNAL);
}

/* With one buffer nobody may store before all have fetched. */
static void meet(struct xk_block_writer *w)
{
    simple(w, XK_FUNC_FENCE);
    simple(w, XK_FUNC_BARRIER_SIGNAL);
    simple(w, XK_FUNC_BARRIER_WAIT);
}

static void fetch(struct xk_slm_loop *g, struct xk_block_writer *w,
                  unsigned depth)
{
    const unsigned n = xk_slm_tiles(g);
    const uint32_t flip = xk_slm_read_flip(g, depth);
    move(g, w, g->out_of, n, XK_OP_XOR,
         depth ? xk_slm_u32(g->l, flip) : turn(g, w, 1, flip));
    for (unsigned k = 0; k < n; k++)
        slm_message(g, w, XK_SEND_LOAD, 1, header(g, g->out_of, n, k),
                    xk_lower_reg(g->l, g->l->a, k * TILE_B));
    if (g->s->buffers == 1 && depth + 1u == g->s->depth)
        meet(w);
}

/* What the slots of B are counted by: depths, an even number of them a step. */
static const xk_expr *b_count(struct xk_slm_loop *g, unsigned depth)
{
    return g->s->depth > 1 ? xk_s32(g->l->c, depth) : g->i;
}

/* Moves B's headers on to a depth of step i, then loads. */
static void load_b(struct xk_slm_loop *g, struct xk_block_writer *w,
                   unsigned depth)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_list *const list = &l->p->seg[0].b;
    const unsigned slots = l->p->b.slots;
    const xk_expr *const slot =
        slots > 1
            ? xk_bin_imm(l->c, XK_OP_MUL,
                         xk_bin_imm(l->c, XK_OP_MOD, b_count(g, depth), slots),
                         l->p->b.tile_b)
            : NULL;
    move(g, w, g->from_b, list->n, XK_OP_ADD, xk_slm_b_move(g, depth));
    for (unsigned n = 0; n < list->n; n++) {
        const struct xk_plan_msg *const m = &list->item[n].msg;
        struct xk_send s = m->send;
        s.addr = XK_SEND_SURFACE;
        s.surface = xk_lower_pointer_number(l, l->arg_b);
        call(g, w, &s, header(g, g->from_b, list->n, n),
             xk_lower_slot_reg(l, l->b, slot, m->reg_b));
    }
}

/* The loop's body while it is put together. */
struct body {
    struct xk_slm_loop *g;
    const xk_stmt *st[24];
    unsigned n;
    bool good;
};

static void add(struct body *b, unsigned number, struct xk_block_writer *w)
{
    const xk_stmt *const body = xk_block_end(w);
    xk_block_fini(w);
    b->good = b->good && body && b->n < XK_COUNTOF(b->st);
    if (b->good)
        b->st[b->n++] = xk_stage(b->g->l->c, number, body);
}

static void stage(struct body *b, unsigned number,
                  void (*write)(struct xk_slm_loop *, struct xk_block_writer *))
{
    struct xk_block_writer w;
    xk_block_init(&w, b->g->l->c, b->g->l->facts);
    write(b->g, &w);
    add(b, number, &w);
}

static void stage_load_b(struct body *b, unsigned last, unsigned depth)
{
    struct xk_block_writer w;
    const bool next = depth == b->g->s->depth;
    xk_block_init(&w, b->g->l->c, b->g->l->facts);
    load_b(b->g, &w, next ? 0 : depth);
    add(b, next ? last - 1 : last, &w);
}

static void stage_multiply(struct body *b, unsigned last, unsigned depth)
{
    struct xk_block_writer w;
    xk_block_init(&w, b->g->l->c, b->g->l->facts);
    fetch(b->g, &w, depth);
    xk_lower_dpas(b->g->l, &w, b_count(b->g, depth), 0);
    add(b, last, &w);
}

/* Fetches and multiplies of a time step, each with the next load of B. */
static void depths(struct body *b, unsigned last)
{
    const bool ahead = b->g->l->p->b.slots > 1;
    for (unsigned d = 0; d < b->g->s->depth; d++) {
        if (ahead)
            stage_load_b(b, last, d + 1);
        stage_multiply(b, last, d);
        if (!ahead)
            stage_load_b(b, last, d + 1);
    }
}

void xk_lower_slm_loop(struct xk_lowering *l)
{
    struct xk_slm_loop g = {.l = l, .s = &l->p->slm};
    struct body b = {.g = &g, .good = true};
    const unsigned last = g.s->buffers > 2 ? 2 : 1;
    const struct xk_pipe_info info = {(uint8_t)g.s->copies,
                                      (uint8_t)(last + 1)};
    g.i = xk_var(l->c, xk_type_vec(XK_DT_S32, 1), "i");
    if (!g.i)
        return;
    xk_facts_set(l->facts, g.i, 0, g.s->trip - 1, 1, 0);
    xk_slm_prepare(&g);
    if (last == 2) {
        stage(&b, 2, wait);
        stage(&b, 1, publish);
        stage(&b, 0, gather);
        depths(&b, last);
    } else {
        stage(&b, 0, gather);
        stage(&b, 1, wait);
        depths(&b, last);
        stage(&b, 0, publish);
    }
    if (b.good)
        xk_block_add(&l->w, xk_pipe(l->c, g.i, xk_s32(l->c, g.s->trip), info,
                                    xk_seq(l->c, b.st, b.n)));
}
