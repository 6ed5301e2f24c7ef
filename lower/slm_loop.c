/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over K with A in shared local memory (plan.h, struct xk_plan_slm).
 * In one time step, t, with three buffers:
 *
 *   wait      for the tiles of step t - 2, written in the time step before
 *   store     the tiles of step t - 1 from registers to SLM; fence; signal
 *   gather    the tiles of step t from memory to registers
 *   load      B of step t - 1, where it has two buffers
 *   fetch     A of step t - 2 from SLM
 *   multiply  step t - 2
 *   load      B of step t - 1, over the registers that were just read
 *
 * Three buffers make one barrier a step enough: what is written at t was read
 * last at t - 2, before the signal of t - 1 that the writer has waited for. The
 * multiplies stand between a signal and its wait.
 *
 * With two buffers, what is written at t was read at t - 1: the fetch comes
 * before the store, and a fence is not issued before reads have come back
 * (codegen's scoreboard, SLM reads drain). With one, all threads must have
 * fetched before any stores: a barrier of its own stands between.
 *
 * A lane beside the tensor has the offset XK_OFF_NULL, which reads as zero, and
 * moves on from there with the others: its whole way is beyond any surface. */
#include "lower/state.h"

enum {
    LANES = 8,
    GRF_B = 32,   /* a header: 8 lanes of u32 */
    BLOCK_B = 256 /* a tile of 8 rows, a dpas depth */
};

struct slm_loop {
    struct xk_lowering *l;
    const struct xk_plan_slm *s;
    const xk_expr *i;                  /* step */
    const xk_expr *staged;             /* tiles on their way to SLM */
    const xk_expr *from, *to, *out_of; /* headers: memory, SLM, SLM */
};

static const xk_expr *u32(struct xk_lowering *l, int64_t v)
{
    return xk_imm(l->c, XK_DT_U32, (int64_t)(uint32_t)v);
}

static const xk_expr *lanes(struct xk_lowering *l, const xk_expr *v)
{
    return v && xk_type_of(v).lanes == 1 ? xk_bcast(l->c, v, LANES) : v;
}

/* Fills one header before the loop. */
static void set_header(struct slm_loop *g, const xk_expr *buf, unsigned n,
                       const xk_expr *value)
{
    struct xk_lowering *const l = g->l;
    xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, buf, n * GRF_B),
                                 lanes(l, value)));
}

/* The K coordinates of a filter tap into at[]. */
static void set_tap(const struct xk_lowering *l, unsigned tap,
                    const xk_expr **at)
{
    const struct xk_contraction *const con = l->p->con;
    for (int x = (int)con->n_index - 1; x >= 0; x--) {
        const struct xk_index *const d = &con->index[x];
        if (d->role != XK_ROLE_K)
            continue;
        at[x] = xk_s32(l->c, 0);
        if (d == xk_plan_k_inner(l->p))
            continue;
        at[x] = xk_s32(l->c, tap % d->extent);
        tap /= (unsigned)d->extent;
    }
}

/* Where the lanes of one tile read for one tap, a step before the first. */
static const xk_expr *first_offset(struct slm_loop *g, const xk_expr *m,
                                   const xk_expr *const *at)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan *const p = l->p;
    const xk_expr *off = xk_lower_offset(l, &p->con->a.view, at);
    const xk_expr *mask = xk_lower_mask(l, &p->con->a.view, at);
    int64_t always;
    const xk_expr *const start =
        xk_add(l->c, xk_lower_surface_at(l, l->arg_a), u32(l, -g->s->step_b));
    off =
        xk_add(l->c, lanes(l, start), lanes(l, xk_cast(l->c, XK_DT_U32, off)));
    if (p->a.row_masked)
        mask = xk_and(l->c, xk_bin_imm(l->c, XK_OP_LT, m, p->m_extent),
                      lanes(l, mask));
    mask = xk_simplify(l->c, mask, l->facts);
    if (mask && xk_is_const(mask, &always) && always)
        return off;
    return xk_select(l->c, lanes(l, mask), off,
                     lanes(l, u32(l, g->s->beside - g->s->step_b)));
}

/* The rows of tile b of this thread's share. */
static void gather_headers(struct slm_loop *g, unsigned b)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan *const p = l->p;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    const int64_t rows = (int64_t)p->s.tg_m * p->s.m_thr;
    const xk_expr *const tile =
        xk_bin_imm(l->c, XK_OP_ADD,
                   xk_bin_imm(l->c, XK_OP_MUL, l->tid, g->s->per_thread), b);
    const xk_expr *const row =
        xk_add(l->c, xk_bin_imm(l->c, XK_OP_MUL, l->group_m, rows),
               xk_bin_imm(l->c, XK_OP_MUL, tile, LANES));
    const xk_expr *const m = xk_block_let(&l->w, "m", xk_lower_lanes(l, row));
    xk_lower_unpack_m(l, m, at);
    for (unsigned tap = 0; tap < g->s->taps; tap++) {
        set_tap(l, tap, at);
        set_header(g, g->from, tap * g->s->per_thread + b,
                   first_offset(g, m, at));
    }
}

/* Byte in SLM of a tile of the group, in each buffer. */
static void slm_headers(struct slm_loop *g, const xk_expr *buf,
                        const xk_expr *tile, unsigned n)
{
    struct xk_lowering *const l = g->l;
    const xk_expr *const first = xk_block_let(
        &l->w, "tile_b", xk_bin_imm(l->c, XK_OP_MUL, tile, BLOCK_B));
    for (unsigned slot = 0; slot < g->s->buffers; slot++)
        for (unsigned k = 0; k < n; k++) {
            const int64_t at_b = (int64_t)slot * g->s->slot_b + k * BLOCK_B;
            set_header(
                g, buf, slot * n + k,
                xk_add(l->c, xk_cast(l->c, XK_DT_U32, first), u32(l, at_b)));
        }
}

static unsigned tiles_read(const struct slm_loop *g)
{
    return g->l->p->s.m_thr / LANES;
}

static void prepare(struct slm_loop *g)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_slm *const s = g->s;
    g->staged = xk_block_alloc(&l->w, "staged", s->per_thread * BLOCK_B, 0);
    g->from = xk_block_alloc(&l->w, "from", s->taps * s->per_thread * GRF_B, 0);
    g->to = xk_block_alloc(&l->w, "to", s->buffers * s->per_thread * GRF_B, 0);
    g->out_of =
        xk_block_alloc(&l->w, "out_of", s->buffers * tiles_read(g) * GRF_B, 0);
    for (unsigned b = 0; b < s->per_thread; b++)
        gather_headers(g, b);
    slm_headers(g, g->to, xk_bin_imm(l->c, XK_OP_MUL, l->tid, s->per_thread),
                s->per_thread);
    slm_headers(g, g->out_of,
                xk_bin_imm(l->c, XK_OP_MUL, l->thread_m, tiles_read(g)),
                tiles_read(g));
}

/* ((i % n) * per + k) headers into buf. */
static const xk_expr *header(struct slm_loop *g, const xk_expr *buf, unsigned n,
                             unsigned per, unsigned k)
{
    struct xk_lowering *const l = g->l;
    const xk_expr *const slot =
        xk_bin_imm(l->c, XK_OP_MUL, xk_bin_imm(l->c, XK_OP_MOD, g->i, n),
                   (int64_t)per * GRF_B);
    return xk_lower_slot_reg(l, buf, slot, k * GRF_B);
}

static void call(struct slm_loop *g, struct xk_block_writer *w,
                 const struct xk_send *send, const xk_expr *head,
                 const xk_expr *reg)
{
    struct xk_lowering *const l = g->l;
    const struct xk_func f = {.kind = XK_FUNC_SENDH, .u.send = *send};
    const xk_expr *const args[] = {head, reg, xk_lower_true(l, send->lanes)};
    xk_block_call(w, &f, args, 3);
}

static void slm_message(struct slm_loop *g, struct xk_block_writer *w,
                        enum xk_send_op op, const xk_expr *head,
                        const xk_expr *reg)
{
    const struct xk_send s = {.op = (uint8_t)op,
                              .space = XK_SPACE_SLM,
                              .addr = XK_SEND_A32,
                              .data_b = 4,
                              .vec = BLOCK_B / 4,
                              .lanes = 1,
                              .block = true};
    call(g, w, &s, head, reg);
}

/* Moves the tap's headers on by a step, then loads. */
static void gather(struct slm_loop *g, struct xk_block_writer *w)
{
    struct xk_lowering *const l = g->l;
    const unsigned per = g->s->per_thread;
    const struct xk_send s = {.op = XK_SEND_LOAD,
                              .space = XK_SPACE_GLOBAL,
                              .addr = XK_SEND_SURFACE,
                              .surface = xk_lower_pointer_number(l, l->arg_a),
                              .data_b = 4,
                              .vec = 8,
                              .lanes = LANES};
    for (unsigned b = 0; b < per; b += 2) {
        const unsigned n = b + 1 < per ? 2 * LANES : LANES;
        const xk_expr *const at = header(g, g->from, g->s->taps, per, b);
        const xk_expr *const now =
            xk_block_load(w, "at", xk_type_vec(XK_DT_U32, n), at);
        const xk_expr *const step = xk_bcast(l->c, u32(l, g->s->step_b), n);
        xk_block_add(w, xk_store(l->c, at, xk_add(l->c, now, step)));
    }
    for (unsigned b = 0; b < per; b++)
        call(g, w, &s, header(g, g->from, g->s->taps, per, b),
             xk_lower_reg(l, g->staged, b * BLOCK_B));
}

static void simple(struct xk_block_writer *w, enum xk_func_kind kind)
{
    const struct xk_func f = {.kind = (uint8_t)kind, .u.space = XK_SPACE_SLM};
    xk_block_call(w, &f, NULL, 0);
}

static void wait(struct slm_loop *g, struct xk_block_writer *w)
{
    (void)g;
    simple(w, XK_FUNC_BARRIER_WAIT);
}

static void publish(struct slm_loop *g, struct xk_block_writer *w)
{
    const unsigned per = g->s->per_thread;
    for (unsigned b = 0; b < per; b++)
        slm_message(g, w, XK_SEND_STORE,
                    header(g, g->to, g->s->buffers, per, b),
                    xk_lower_reg(g->l, g->staged, b * BLOCK_B));
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

static void fetch(struct slm_loop *g, struct xk_block_writer *w)
{
    for (unsigned k = 0; k < tiles_read(g); k++)
        slm_message(g, w, XK_SEND_LOAD,
                    header(g, g->out_of, g->s->buffers, tiles_read(g), k),
                    xk_lower_reg(g->l, g->l->a, k * BLOCK_B));
    if (g->s->buffers == 1)
        meet(w);
}

static void multiply(struct slm_loop *g, struct xk_block_writer *w)
{
    xk_lower_dpas(g->l, w, g->i, 0);
}

/* B's coordinates in step i: i / taps steps into the inner K, tap i % taps; or
 * the first ones, with what lies between steps of memory added. */
static const xk_expr *b_offset(struct slm_loop *g, const xk_expr *row)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan *const p = l->p;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    const xk_expr *tap = xk_bin_imm(l->c, XK_OP_MOD, g->i, g->s->taps);
    set_tap(l, 0, at);
    for (int x = (int)p->con->n_index - 1; x >= 0; x--) {
        const struct xk_index *const d = &p->con->index[x];
        if (d->role == XK_ROLE_N)
            at[x] = row;
        if (g->s->b_in_order || d->role != XK_ROLE_K)
            continue;
        if (d == xk_plan_k_inner(p)) {
            at[x] = xk_bin_imm(l->c, XK_OP_MUL,
                               xk_bin_imm(l->c, XK_OP_DIV, g->i, g->s->taps),
                               p->s.k_step);
            continue;
        }
        at[x] = xk_bin_imm(l->c, XK_OP_MOD, tap, d->extent);
        tap = xk_bin_imm(l->c, XK_OP_DIV, tap, d->extent);
    }
    const xk_expr *const off = xk_lower_offset(l, &p->con->b.view, at);
    return g->s->b_in_order ? xk_add(l->c, off,
                                     xk_bin_imm(l->c, XK_OP_MUL, g->i,
                                                (int64_t)p->s.n_thr * GRF_B))
                            : off;
}

static void load_b(struct slm_loop *g, struct xk_block_writer *w)
{
    struct xk_lowering *const l = g->l;
    const struct xk_plan_list *const list = &l->p->seg[0].b;
    const unsigned slots = l->p->b.slots;
    const xk_expr *const slot =
        slots > 1 ? xk_bin_imm(l->c, XK_OP_MUL,
                               xk_bin_imm(l->c, XK_OP_MOD, g->i, slots),
                               l->p->b.tile_b)
                  : NULL;
    for (unsigned n = 0; n < list->n; n++) {
        const struct xk_plan_msg *const m = &list->item[n].msg;
        const xk_expr *const row = xk_bin_imm(l->c, XK_OP_ADD, l->n0_b, m->row);
        xk_lower_send(l, w, &m->send, l->arg_b, b_offset(g, row), l->b,
                      m->reg_b, slot, xk_lower_true(l, 1));
    }
}

static const xk_stmt *stage(struct slm_loop *g, unsigned number,
                            void (*write)(struct slm_loop *,
                                          struct xk_block_writer *))
{
    struct xk_block_writer w;
    xk_block_init(&w, g->l->c, g->l->facts);
    write(g, &w);
    const xk_stmt *const body = xk_block_end(&w);
    xk_block_fini(&w);
    return body ? xk_stage(g->l->c, number, body) : NULL;
}

void xk_lower_slm_loop(struct xk_lowering *l)
{
    struct slm_loop g = {.l = l, .s = &l->p->slm};
    const struct xk_pipe_info info = {(uint8_t)g.s->copies, 3};
    g.i = xk_var(l->c, xk_type_vec(XK_DT_S32, 1), "i");
    if (!g.i)
        return;
    xk_facts_set(l->facts, g.i, 0, g.s->trip - 1, 1, 0);
    prepare(&g);
    const bool early = g.s->buffers<3, ahead = l->p->b.slots> 1;
    const struct {
        unsigned number;
        void (*write)(struct slm_loop *, struct xk_block_writer *);
        bool here;
    } order[] = {{2, wait, true},     {2, fetch, early},  {1, publish, true},
                 {0, gather, true},   {1, load_b, ahead}, {2, fetch, !early},
                 {2, multiply, true}, {1, load_b, !ahead}};
    const xk_stmt *st[XK_COUNTOF(order)];
    unsigned n = 0;
    for (unsigned k = 0; k < XK_COUNTOF(order); k++)
        if (order[k].here)
            st[n++] = stage(&g, order[k].number, order[k].write);
    for (unsigned k = 0; k < n; k++)
        if (!st[k])
            return;
    xk_block_add(&l->w, xk_pipe(l->c, g.i, xk_s32(l->c, g.s->trip), info,
                                xk_seq(l->c, st, n)));
}
