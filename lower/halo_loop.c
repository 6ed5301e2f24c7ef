/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over K with A's footprint in shared local memory (plan.h, struct
 * xk_plan_footprint): the group's pixels are loaded once and read by all filter
 * taps. A time step is one dpas depth. In one, t:
 *
 *   wait      for the pixels of step t - 1
 *   for each tap of step t - 1:
 *     store     a unit of step t; gather the next one
 *     load      B of the next tap, where it has two buffers
 *     fetch     A of the tap from SLM: a lane a row, 32 bytes each
 *     multiply
 *     load      B of the next tap, over the registers that were just read
 *   fence; signal
 *
 * What is stored at t was read last at t - 1, in front of the signal that the wait
 * at t is for. Two places take turns: headers move on by their distance, forth
 * and back. */
#include "lower/slm.h"
#include "lower/taps.h"

enum { LANES = XK_SLM_LANES, GRF_B = XK_HEADER_B, PIXEL_B = 32,
       UNIT_B = LANES * PIXEL_B };
enum { STORES, READS }; /* what `turn` holds */

struct halo {
    struct xk_slm_loop g;
    const struct xk_plan_footprint *foot;
    const xk_expr *pixel0; /* s32: number of the group's first pixel */
    struct xk_block_writer w; /* the part of the body that is being written */
};

static int64_t tap_b(const struct halo *h, unsigned tap)
{
    const int64_t pixel = xk_halo_tap(&h->g.l->p->con->walked, &h->foot->f, tap);
    return xk_plan_footprint_place(h->foot, pixel) * PIXEL_B;
}

static unsigned last_tap(const struct halo *h)
{
    return h->g.s->taps - 1u;
}

/* Number of the first tap's pixel at the M coordinates at[]. */
static const xk_expr *pixel_at(const struct halo *h, const xk_expr *const *at)
{
    struct xk_lowering *const l = h->g.l;
    const xk_expr *sum = xk_s32(l->c, 0);
    int64_t size = 1;
    for (unsigned d = h->foot->f.n; d-- > 0;) {
        const struct xk_halo_dim *const x = &h->foot->f.dim[d];
        const xk_expr *const part =
            xk_bin_imm(l->c, XK_OP_MUL, at[x->m], x->m_step * size);
        sum = xk_add(l->c, sum, part);
        size *= x->pitch;
    }
    return sum;
}

/* The tensor's coordinates of pixels: an M index and its K index move the same
 * one, so either stands for both. Returns which pixels there are: the outermost may
 * lie beyond, and a line have more numbers than pixels. */
static const xk_expr *coordinates(struct halo *h, const xk_expr *pixel,
                                  const xk_expr **at)
{
    struct xk_lowering *const l = h->g.l;
    const xk_expr *rest = pixel, *there = NULL;
    xk_lower_tap(l, 0, at);
    for (unsigned d = h->foot->f.n; d-- > 0;) {
        const struct xk_halo_dim *const x = &h->foot->f.dim[d];
        const xk_expr *q = rest;
        if (d) {
            q = xk_bin_imm(l->c, XK_OP_MOD, rest, x->pitch);
            rest = xk_block_let(&l->w, "rest",
                                xk_bin_imm(l->c, XK_OP_DIV, rest, x->pitch));
        }
        q = xk_block_let(&l->w, "q", q);
        const bool by_k = x->k >= 0 && x->m_step > 1;
        at[x->m] = by_k ? xk_s32(l->c, 0) : q;
        if (by_k)
            at[x->k] = q;
        if (d && x->pitch == x->extent)
            continue;
        const xk_expr *const inside =
            xk_bin_imm(l->c, XK_OP_LT, q, x->extent);
        there = there ? xk_and(l->c, inside, there) : inside;
    }
    return there;
}

/* s32: unit u's first pixel, from the group's first. */
static const xk_expr *unit_pixel(const struct halo *h, unsigned u)
{
    struct xk_lowering *const l = h->g.l;
    const xk_expr *const first =
        xk_bin_imm(l->c, XK_OP_MUL, l->tid, h->g.s->per_thread * LANES);
    return xk_bin_imm(l->c, XK_OP_ADD, first, u * LANES);
}

/* Where the pixels of unit u are in memory, a step before the first. */
static const xk_expr *unit_offset(struct halo *h, unsigned u)
{
    struct xk_lowering *const l = h->g.l;
    const struct xk_view *const v = &l->p->con->a.view;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    const xk_expr *const first = xk_add(l->c, h->pixel0, unit_pixel(h, u));
    const xk_expr *const pixel =
        xk_block_let(&l->w, "pixel", xk_lower_lanes(l, first));
    const xk_expr *const there = coordinates(h, pixel, at);
    const xk_expr *const mask = xk_and(
        l->c, there, xk_lower_widen(l, xk_lower_mask(l, v, at), LANES));
    const xk_expr *const start =
        xk_lower_start_a(l, h->g.s->step_b, h->g.s->step_b);
    const xk_expr *const off =
        xk_cast(l->c, XK_DT_U32, xk_lower_offset(l, v, at));
    const xk_expr *const from = xk_add(l->c, xk_lower_widen(l, start, LANES),
                                       xk_lower_widen(l, off, LANES));
    return xk_lower_select_beside(l, mask, from,
                                  h->g.s->beside - h->g.s->step_b);
}

/* u32 x LANES: a pixel's place, b bytes behind the first of the thread's slice. */
static const xk_expr *in_slm(const struct halo *h, const xk_expr *pixel,
                             int64_t b)
{
    struct xk_lowering *const l = h->g.l;
    const xk_expr *const byte = xk_cast(
        l->c, XK_DT_U32, xk_bin_imm(l->c, XK_OP_MUL, pixel, PIXEL_B));
    const xk_expr *const place =
        xk_lower_of_slice(l, xk_lower_u32(l, b), h->g.s->all_b);
    return xk_add(l->c, byte, xk_lower_widen(l, place, LANES));
}

/* Where unit u is stored if its pixels are not side by side. Numbers that no row reads are
 * behind all others, as they are. */
static const xk_expr *store_byte_apart(struct halo *h, unsigned u)
{
    struct xk_lowering *const l = h->g.l;
    const int64_t columns = h->foot->f.columns;
    const int64_t apart = h->foot->apart;
    const xk_expr *const pixel =
        xk_block_let(&l->w, "pixel", xk_lower_lanes(l, unit_pixel(h, u)));
    const xk_expr *const first = xk_bin_imm(l->c, XK_OP_DIV, pixel, columns);
    const xk_expr *const column = xk_bin_imm(
        l->c, XK_OP_MUL, xk_bin_imm(l->c, XK_OP_MOD, pixel, columns), apart);
    const xk_expr *at = xk_add(l->c, column, first);
    if (apart * columns < h->g.s->blocks * (int64_t)LANES)
        at = xk_select(l->c, xk_bin_imm(l->c, XK_OP_LT, pixel, apart * columns), at,
                       pixel);
    return in_slm(h, at, h->g.s->slot_b);
}

/* Where unit u is stored, in the place after the first. */
static const xk_expr *store_byte(struct halo *h, unsigned u)
{
    struct xk_lowering *const l = h->g.l;
    if (h->foot->f.columns > 1)
        return store_byte_apart(h, u);
    const xk_expr *const first = xk_bin_imm(
        l->c, XK_OP_MUL, l->tid, h->g.s->per_thread * (int64_t)UNIT_B);
    const xk_expr *byte =
        xk_add(l->c, xk_cast(l->c, XK_DT_U32, first),
               xk_lower_u32(l, u * UNIT_B + h->g.s->slot_b));
    byte = xk_lower_of_slice(l, byte, h->g.s->all_b);
    return xk_ramp(l->c, byte, xk_lower_u32(l, PIXEL_B), LANES);
}

/* Where rows 8 k .. 8 k + 7 of this thread begin: at the last tap of the place
 * after the first. */
static const xk_expr *fetch_byte(struct halo *h, unsigned k)
{
    struct xk_lowering *const l = h->g.l;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    const xk_expr *const row = xk_bin_imm(l->c, XK_OP_ADD, l->m0, k * LANES);
    const xk_expr *const m =
        xk_block_let(&l->w, "m", xk_lower_lanes(l, row));
    xk_lower_unpack_m(l, m, at);
    const xk_expr *slot = xk_sub(
        l->c, pixel_at(h, at), xk_lower_widen(l, h->pixel0, LANES));
    const int64_t columns = h->foot->f.columns;
    if (columns > 1) /* all rows are in the first one */
        slot = xk_bin_imm(l->c, XK_OP_DIV, slot, columns);
    return in_slm(h, slot, tap_b(h, last_tap(h)) + h->g.s->slot_b);
}

static void first_pixel(struct halo *h)
{
    struct xk_lowering *const l = h->g.l;
    const xk_expr *at[XK_VIEW_MAX_DIMS] = {0};
    const int64_t rows = (int64_t)l->p->s.tg_m * l->p->s.m_thr;
    xk_lower_unpack_m(l, xk_bin_imm(l->c, XK_OP_MUL, l->group_m, rows), at);
    h->pixel0 = xk_block_let(&l->w, "pixel0", pixel_at(h, at));
}

/* Bytes from the last tap of a place to the first one, both in the other place
 * and in this; what stores have the same of. Kept in `turn`: the sum of a move
 * and the next one is constant. */
static int64_t both_ways(const struct halo *h, unsigned which)
{
    return which == READS ? -2 * tap_b(h, last_tap(h)) : 0;
}

static void prepare_turn(struct halo *h)
{
    struct xk_lowering *const l = h->g.l;
    h->g.turn = xk_block_alloc(&l->w, "turn", GRF_B, 0);
    for (unsigned k = STORES; k <= READS; k++) {
        const xk_expr *const forth =
            xk_lower_u32(l, both_ways(h, k) / 2 + h->g.s->slot_b);
        xk_block_add(&l->w,
                     xk_store(l->c, xk_lower_reg(l, h->g.turn, 4 * k), forth));
    }
}

/* What moves headers to the other place. */
static const xk_expr *turn(struct halo *h, unsigned which)
{
    struct xk_lowering *const l = h->g.l;
    const xk_expr *const at = xk_lower_reg(l, h->g.turn, 4 * which);
    const xk_expr *const last =
        xk_block_load(&h->w, "turn", xk_type_vec(XK_DT_U32, 1), at);
    const xk_expr *const sum = xk_lower_u32(l, both_ways(h, which));
    const xk_expr *const next =
        xk_block_let(&h->w, "turn", xk_sub(l->c, sum, last));
    xk_block_add(&h->w, xk_store(l->c, at, next));
    return next;
}

static void prepare(struct halo *h)
{
    struct xk_slm_loop *const g = &h->g;
    struct xk_lowering *const l = g->l;
    const unsigned units = g->s->per_thread, tiles = xk_slm_tiles(g);
    g->staged = xk_block_alloc(&l->w, "staged", h->foot->staged * UNIT_B, 0);
    g->from = xk_block_alloc(&l->w, "from", units * GRF_B, 0);
    g->to = xk_block_alloc(&l->w, "to", units * GRF_B, 0);
    g->out_of = xk_block_alloc(&l->w, "out_of", tiles * GRF_B, 0);
    first_pixel(h);
    for (unsigned u = 0; u < units; u++) {
        xk_lower_set_header(l, g->from, u * GRF_B, unit_offset(h, u));
        xk_lower_set_header(l, g->to, u * GRF_B, store_byte(h, u));
    }
    for (unsigned k = 0; k < tiles; k++)
        xk_lower_set_header(l, g->out_of, k * GRF_B, fetch_byte(h, k));
    xk_slm_prepare_b(g);
    prepare_turn(h);
}

static void move(struct halo *h, const xk_expr *buf, unsigned n,
                 const xk_expr *by)
{
    const struct xk_header_run run = {buf, NULL, 0, n * GRF_B};
    xk_lower_move_headers(h->g.l, &h->w, &run, XK_OP_ADD, by);
}

static const xk_expr *staged(const struct halo *h, unsigned u)
{
    return xk_lower_reg(h->g.l, h->g.staged, u % h->foot->staged * UNIT_B);
}

static void gather(struct halo *h, unsigned u)
{
    struct xk_lowering *const l = h->g.l;
    const struct xk_send s = xk_lower_gather_send(l, 4, PIXEL_B / 4, LANES);
    if (u < h->g.s->per_thread)
        xk_lower_sendh(l, &h->w, &s, xk_lower_reg(l, h->g.from, u * GRF_B),
                       staged(h, u));
}

/* Stores unit u, and gathers the one that comes into its registers. */
static void store(struct halo *h, unsigned u)
{
    struct xk_lowering *const l = h->g.l;
    const struct xk_send s =
        xk_lower_slm_send(XK_SEND_STORE, PIXEL_B / 4, LANES);
    xk_lower_sendh(l, &h->w, &s, xk_lower_reg(l, h->g.to, u * GRF_B),
                   staged(h, u));
    gather(h, u + h->foot->staged);
}

static void fetch(struct halo *h, unsigned tap)
{
    struct xk_slm_loop *const g = &h->g;
    struct xk_lowering *const l = g->l;
    const unsigned n = xk_slm_tiles(g);
    const struct xk_send s =
        xk_lower_slm_send(XK_SEND_LOAD, PIXEL_B / 4, LANES);
    move(h, g->out_of, n,
         tap ? xk_lower_u32(l, tap_b(h, tap) - tap_b(h, tap - 1))
             : turn(h, READS));
    for (unsigned k = 0; k < n; k++)
        xk_lower_sendh(l, &h->w, &s, xk_lower_reg(l, g->out_of, k * GRF_B),
                       xk_lower_reg(l, l->a, k * UNIT_B));
}

/* The tap's number among all of them: what slots of B are counted by. */
static const xk_expr *count(const struct halo *h, unsigned tap)
{
    const struct xk_lowering *const l = h->g.l;
    const xk_expr *const first =
        xk_bin_imm(l->c, XK_OP_MUL, h->g.i, h->g.s->taps);
    return xk_bin_imm(l->c, XK_OP_ADD, first, tap);
}

static void begin(struct halo *h)
{
    xk_block_init(&h->w, h->g.l->c, h->g.l->facts);
}

static void end(struct halo *h, unsigned stage)
{
    xk_stages_add(&h->g.loop, stage, &h->w);
}

/* The units' part between two taps. */
static void units(struct halo *h, unsigned tap)
{
    const unsigned n = h->g.s->per_thread;
    begin(h);
    if (!tap) {
        move(h, h->g.from, n, xk_lower_u32(h->g.l, h->g.s->step_b));
        for (unsigned u = 0; u < h->foot->staged; u++)
            gather(h, u);
        move(h, h->g.to, n, turn(h, STORES));
    } else if (tap - 1 < n) {
        store(h, tap - 1);
    }
    end(h, 0);
}

static void load_b(struct halo *h, unsigned tap)
{
    const bool next = tap > last_tap(h);
    const unsigned of = next ? 0 : tap;
    const struct xk_plan_slm *const s = h->g.s;
    const int64_t by = of ? s->b_tap_b : xk_slm_b_next_step(s);
    begin(h);
    xk_slm_load_b(&h->g, &h->w, xk_lower_u32(h->g.l, by), count(h, of));
    end(h, next ? 0 : 1);
}

static void one_tap(struct halo *h, unsigned tap)
{
    const bool ahead = h->g.l->p->b.slots > 1;
    units(h, tap);
    if (ahead)
        load_b(h, tap + 1);
    begin(h);
    fetch(h, tap);
    xk_lower_dpas(h->g.l, &h->w, count(h, tap), 0);
    end(h, 1);
    if (!ahead)
        load_b(h, tap + 1);
}

static void body(struct halo *h)
{
    begin(h);
    xk_lower_sync(&h->w, XK_FUNC_BARRIER_WAIT);
    end(h, 1);
    for (unsigned tap = 0; tap <= last_tap(h); tap++)
        one_tap(h, tap);
    begin(h);
    for (unsigned u = last_tap(h); u < h->g.s->per_thread; u++)
        store(h, u);
    xk_lower_sync(&h->w, XK_FUNC_FENCE);
    xk_lower_sync(&h->w, XK_FUNC_BARRIER_SIGNAL);
    end(h, 0);
}

void xk_lower_halo_loop(struct xk_lowering *l)
{
    struct halo h = {.g = {.l = l, .s = &l->p->slm}, .foot = &l->p->slm.foot};
    const struct xk_pipe_info info = {(uint8_t)h.g.s->copies, 2};
    xk_stages_init(&h.g.loop, l, h.g.s->trip);
    h.g.i = h.g.loop.i;
    if (!h.g.i)
        return;
    prepare(&h);
    body(&h);
    xk_stages_end(&h.g.loop, info);
}
