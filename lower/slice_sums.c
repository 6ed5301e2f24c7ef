/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the slices of K (plan.h, struct xk_plan_slices) by halving: slices s
 * and s ^ b exchange, through SLM, the half of their tile that the other one
 * keeps, until each has its part of the sum. Nothing branches.
 *
 * What is given are the registers behind what is kept, and what comes back is
 * loaded over them.
 *
 * A place in SLM is written by one thread and read by one, and who has read it
 * writes it the next time: its own loads are all that it waits for. */
#include "lower/epilogue.h"
#include "lower/headers.h"

enum { BLOCK_B = 256 }; /* a message, at most */

struct halving {
    struct xk_lowering *l;
    const xk_expr *to, *from; /* headers: where this thread stores, and loads */
    uint32_t half_b;
    uint32_t pitch_b; /* of messages in SLM */
    /* Columns of dpasw's halves do not lie side by side any more. */
    bool parted;
};

/* An instruction takes two registers. */
static unsigned add_b(const struct halving *h)
{
    return 2u * h->l->p->platform->grf_b;
}

/* Half of a dpas's columns. */
static uint32_t half_run_b(const struct halving *h)
{
    return xk_plan_square_b(h->l->p) / 2;
}

static const xk_expr *load(struct halving *h, const xk_expr *buf, uint32_t at_b)
{
    const struct xk_plan *const p = h->l->p;
    return xk_block_load(&h->l->w, "x", xk_type_vec(p->acc.dt, add_b(h) / 4),
                         xk_lower_reg(h->l, buf, at_b));
}

static void store_part(struct halving *h, const xk_expr *buf, uint32_t at_b,
                       const xk_expr *x)
{
    if (x)
        xk_block_add(&h->l->w,
                     xk_store(h->l->c, xk_lower_reg(h->l, buf, at_b), x));
}

/* Where byte q of the lower half lies, and how far the upper half is. */
static uint32_t lower_b(const struct halving *h, uint32_t q_b)
{
    return h->parted
               ? q_b
               : q_b / half_run_b(h) * 2 * half_run_b(h) + q_b % half_run_b(h);
}

static uint32_t distance_b(const struct halving *h)
{
    return h->parted ? h->half_b : half_run_b(h);
}

/* Byte q of what is given, and then of what the other one gave. */
static const xk_expr *given(struct halving *h, uint32_t q_b)
{
    return xk_lower_reg(h->l, h->l->acc, lower_b(h, q_b) + distance_b(h));
}

/* Bytes of the message at byte q of what is given: a power of two of them lie
 * together. */
static uint32_t half_message_b(const struct halving *h, uint32_t q_b)
{
    uint32_t n_b = h->parted ? BLOCK_B : half_run_b(h);
    while (n_b > h->half_b - q_b)
        n_b /= 2;
    return n_b;
}

/* Blocks of rows that the squares of a dpas are ordered by within columns. */
static uint32_t row_blocks(const struct halving *h)
{
    const struct xk_plan *const p = h->l->p;
    return p->slices.by_rows ? 1 : p->t.m / p->platform->dpas_exec;
}

/* Whether byte q of what is given is of this block of rows. */
static bool is_of(const struct halving *h, uint32_t q_b, uint32_t block)
{
    const uint32_t square_b = half_run_b(h) * (h->parted ? 2 : 1);
    return q_b / square_b % row_blocks(h) == block;
}

static void add_given(struct halving *h, uint32_t block)
{
    const struct xk_plan *const p = h->l->p;
    for (uint32_t at_b = 0; at_b < h->half_b; at_b += add_b(h)) {
        const uint32_t own_b = lower_b(h, at_b);
        if (!is_of(h, at_b, block))
            continue;
        const xk_expr *const own = load(h, h->l->acc, own_b);
        const xk_expr *const other =
            xk_block_load(&h->l->w, "x", xk_type_vec(p->acc.dt, add_b(h) / 4),
                          given(h, at_b));
        store_part(h, h->l->acc, own_b, xk_add(h->l->c, own, other));
    }
}

/* Nobody goes on before all are here, and their stores to SLM are seen. */
static void meet(struct xk_block_writer *w)
{
    static const enum xk_func_kind all[] = {
        XK_FUNC_FENCE, XK_FUNC_BARRIER_SIGNAL, XK_FUNC_BARRIER_WAIT};
    for (unsigned i = 0; i < XK_COUNTOF(all); i++) {
        const struct xk_func f = {.kind = all[i], .u.space = XK_SPACE_SLM};
        xk_block_call(w, &f, NULL, 0);
    }
}

/* A message of so many bytes between registers and SLM. */
static struct xk_send slm_block(enum xk_send_op op, uint32_t n_b)
{
    return (struct xk_send){.op = (uint8_t)op,
                            .space = XK_SPACE_SLM,
                            .addr = XK_SEND_A32,
                            .data_b = 4,
                            .vec = (uint8_t)(n_b / 4),
                            .lanes = 1,
                            .block = true};
}

/* Messages of a block of rows, each with a header of its own. */
static void messages_of(struct halving *h, enum xk_send_op op,
                        const xk_expr *head, uint32_t block)
{
    struct xk_lowering *const l = h->l;
    uint32_t head_b = 0;
    for (uint32_t at_b = 0, n_b; at_b < h->half_b; at_b += n_b) {
        n_b = half_message_b(h, at_b);
        const struct xk_send s = slm_block(op, n_b);
        const xk_expr *const at = xk_lower_reg(l, head, head_b);
        if (is_of(h, at_b, block))
            xk_lower_sendh(l, &l->w, &s, at, given(h, at_b));
        head_b += xk_lower_header_b(h->l);
    }
}

/* In the order in which rows were multiplied and are finished. */
static void exchange_messages(struct halving *h, enum xk_send_op op,
                              const xk_expr *head)
{
    for (uint32_t block = 0; block < row_blocks(h); block++)
        messages_of(h, op, head, block);
}

/* Registers of a half's headers. */
static uint32_t half_headers_b(const struct halving *h)
{
    uint32_t sum_b = 0;
    for (uint32_t at_b = 0; at_b < h->half_b; at_b += half_message_b(h, at_b))
        sum_b += xk_lower_header_b(h->l);
    return sum_b;
}

/* n_b bytes of headers from `to` on: those from `from` on, and `by` (u32). */
static void add_headers(struct halving *h, const xk_expr *to,
                        const xk_expr *from, uint32_t n_b, const xk_expr *by)
{
    struct xk_lowering *const l = h->l;
    const xk_expr *const at =
        xk_block_load(&l->w, "at", xk_type_vec(XK_DT_U32, n_b / 4), from);
    const xk_expr *const sum = xk_add(l->c, at, xk_bcast(l->c, by, n_b / 4));
    xk_block_add(&l->w, xk_store(l->c, to, sum));
}

/* Two registers an instruction, where there are so many. */
static uint32_t two_b(const struct halving *h, uint32_t left_b)
{
    const uint32_t most_b = add_b(h);
    return left_b < most_b ? left_b : most_b;
}

/* Headers of this thread's place in SLM: the first one, and from there the
 * others. */
static void set_headers(struct halving *h)
{
    struct xk_lowering *const l = h->l;
    const struct xk_plan_slices *const s = &l->p->slices;
    const uint32_t all_b = half_headers_b(h), each_b = xk_lower_header_b(l);
    const xk_expr *const place =
        xk_add(l->c, xk_bin_imm(l->c, XK_OP_MUL, l->tid, s->n), l->slice);
    const xk_expr *const first_b =
        xk_bin_imm(l->c, XK_OP_MUL, place, s->place_b);
    const xk_expr *const first =
        xk_block_let(&l->w, "place_b", xk_cast(l->c, XK_DT_U32, first_b));
    h->to = xk_block_alloc(&l->w, "to", all_b, 0);
    xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, h->to, 0),
                                 xk_bcast(l->c, first, each_b / 4)));
    for (uint32_t at_b = each_b, n_b; at_b < all_b; at_b += n_b) {
        n_b = two_b(h, at_b < all_b - at_b ? at_b : all_b - at_b);
        add_headers(h, xk_lower_reg(l, h->to, at_b), xk_lower_reg(l, h->to, 0),
                    n_b, xk_lower_u32(l, at_b / each_b * h->pitch_b));
    }
}

/* The same, of the slice that differs by `bit`. */
static void set_other(struct halving *h, unsigned bit)
{
    struct xk_lowering *const l = h->l;
    xk_ctx *const c = l->c;
    const int64_t place_b = l->p->slices.place_b;
    const uint32_t all_b = half_headers_b(h);
    const xk_expr *const mine = xk_bin_imm(c, XK_OP_AND, l->slice, bit);
    const xk_expr *const back_b = xk_bin_imm(c, XK_OP_MUL, mine, -2 * place_b);
    const xk_expr *const by = xk_block_let(
        &l->w, "other_b",
        xk_cast(c, XK_DT_U32, xk_bin_imm(c, XK_OP_ADD, back_b, bit * place_b)));
    h->from = xk_block_alloc(&l->w, "from", all_b, 0);
    for (uint32_t at_b = 0, n_b; at_b < all_b; at_b += n_b) {
        n_b = two_b(h, all_b - at_b);
        add_headers(h, xk_lower_reg(l, h->from, at_b),
                    xk_lower_reg(l, h->to, at_b), n_b, by);
    }
}

/* Slices whose numbers differ by `bit` exchange. */
static void halve(struct halving *h, unsigned bit)
{
    struct xk_lowering *const l = h->l;
    set_other(h, bit);
    exchange_messages(h, XK_SEND_STORE, h->to);
    meet(&l->w);
    exchange_messages(h, XK_SEND_LOAD, h->from);
    for (uint32_t block = 0; block < row_blocks(h); block++)
        add_given(h, block);
    h->to = h->from;
}

/* Both halves change places in slices that keep the second one. */
static void swap_halves(struct halving *h)
{
    struct xk_lowering *const l = h->l;
    xk_ctx *const c = l->c;
    const unsigned lanes = add_b(h) / 4;
    const xk_expr *const lower = xk_block_let(
        &l->w, "lower", xk_bin_imm(c, XK_OP_LT, l->slice, l->p->slices.n / 2));
    for (uint32_t at_b = 0; at_b < h->half_b; at_b += add_b(h)) {
        const xk_expr *const in = xk_bcast(c, lower, lanes);
        const xk_expr *const x = load(h, l->acc, lower_b(h, at_b));
        const xk_expr *const y =
            load(h, l->acc, lower_b(h, at_b) + distance_b(h));
        if (!in || !x || !y)
            return;
        store_part(h, l->acc, lower_b(h, at_b), xk_select(c, in, x, y));
        store_part(h, l->acc, lower_b(h, at_b) + distance_b(h),
                   xk_select(c, in, y, x));
    }
}

/* Whether the halves of a dpasw pair's columns are parted when it comes to
 * `bit`. */
static bool is_parted(const struct xk_plan *p, unsigned bit)
{
    return !xk_plan_is_wide(p) || !p->slices.by_halves || bit > 1;
}

/* The part of C that this thread ends with. */
static void set_part(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    const xk_expr **const first = p->slices.by_rows ? &l->out_m0 : &l->out_n0;
    *first =
        xk_block_let(&l->w, "part", xk_add(l->c, *first, xk_lower_part(l)));
}

/* ---- with a batch in the lanes ---- */

/* A message between registers and the group's SLM, behind a place of so many
 * bytes (s32). */
static void move_slm(struct xk_lowering *l, enum xk_send_op op,
                     const xk_expr *place_b, uint32_t n_b, const xk_expr *reg)
{
    xk_ctx *const c = l->c;
    const uint32_t head_b = xk_lower_header_b(l);
    const struct xk_send s = slm_block(op, n_b);
    const xk_expr *const head = xk_block_alloc(&l->w, "head", head_b, 0);
    const xk_expr *const at =
        xk_block_let(&l->w, "at_b", xk_cast(c, XK_DT_U32, place_b));
    const xk_expr *const to = xk_lower_reg(l, head, 0);
    xk_block_add(&l->w, xk_store(c, to, xk_bcast(c, at, head_b / 4)));
    xk_lower_sendh(l, &l->w, &s, to, reg);
}

/* Where the sums of a slice are (s32). */
static const xk_expr *lane_sums_at(struct xk_lowering *l, const xk_expr *slice)
{
    const struct xk_plan_slices *const s = &l->p->slices;
    const xk_expr *const place =
        xk_add(l->c, xk_bin_imm(l->c, XK_OP_MUL, l->tid, s->n), slice);
    return xk_bin_imm(l->c, XK_OP_MUL, place, s->place_b);
}

static void give_sums(struct xk_lowering *l)
{
    const uint32_t all_b = l->p->acc_b;
    const xk_expr *const to = lane_sums_at(l, l->slice);
    for (uint32_t at_b = 0, n_b; at_b < all_b; at_b += n_b) {
        n_b = BLOCK_B;
        while (n_b > all_b - at_b)
            n_b /= 2;
        move_slm(l, XK_SEND_STORE, xk_bin_imm(l->c, XK_OP_ADD, to, at_b), n_b,
                 xk_lower_reg(l, l->acc, at_b));
    }
}

/* Row `number` of what this thread keeps: the sums of all slices in their
 * order. A row beyond the tile repeats its last one, and is not stored. */
static void take_lane_sums(struct xk_lowering *l, unsigned number,
                           const xk_expr *in)
{
    xk_ctx *const c = l->c;
    const struct xk_plan *const p = l->p;
    const unsigned lanes = p->t.lanes;
    const uint32_t row_b = 4u * lanes;
    const struct xk_type type = xk_type_vec(p->acc.dt, lanes);
    const xk_expr *const row = xk_bin_imm(
        c, XK_OP_MIN,
        xk_bin_imm(c, XK_OP_ADD, xk_bin_imm(c, XK_OP_MUL, l->slice, p->epi.m),
                   number),
        p->t.m - 1);
    const xk_expr *const row_at =
        xk_block_let(&l->w, "row_b", xk_bin_imm(c, XK_OP_MUL, row, row_b));
    const xk_expr *sum = NULL;
    for (unsigned s = 0; s < p->slices.n; s++)
        move_slm(l, XK_SEND_LOAD,
                 xk_add(c, lane_sums_at(l, xk_s32(c, s)), row_at), row_b,
                 xk_lower_reg(l, in, s * row_b));
    for (unsigned s = 0; s < p->slices.n; s++) {
        const xk_expr *const x =
            xk_block_load(&l->w, "x", type, xk_lower_reg(l, in, s * row_b));
        sum = sum ? xk_add(c, sum, x) : x;
    }
    if (sum)
        xk_block_add(&l->w,
                     xk_store(c, xk_lower_reg(l, l->acc, number * row_b), sum));
}

/* Each slice leaves its whole tile, and adds up the rows that it keeps. */
static void add_tiles(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    const xk_expr *const in =
        xk_block_alloc(&l->w, "given", p->slices.n * 4u * p->t.lanes, 0);
    give_sums(l);
    meet(&l->w);
    for (unsigned i = 0; i < p->epi.m; i++)
        take_lane_sums(l, i, in);
}

/* The epilogue's loads and coordinates come first: what they take passes while
 * the last multiplies end. */
void xk_lower_slices(struct xk_lowering *l, struct xk_epilogue *e)
{
    const struct xk_plan *const p = l->p;
    const unsigned first_bit = p->slices.n / 2u;
    struct halving h = {.l = l, .half_b = p->acc_b / 2};
    h.parted = is_parted(p, first_bit);
    h.pitch_b = half_message_b(&h, 0);
    set_part(l);
    xk_lower_epilogue_begin(l, e);
    if (p->t.batch) {
        add_tiles(l);
        return;
    }
    set_headers(&h);
    if (p->slices.swaps)
        swap_halves(&h);
    for (unsigned bit = first_bit; bit; bit /= 2, h.half_b /= 2) {
        h.parted = is_parted(p, bit);
        if (bit == 1)
            xk_lower_totals_give(l);
        halve(&h, bit);
    }
    xk_lower_totals_take(l);
}
