/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the slices of K (plan.h, struct xk_plan_slices) by halving: slices s
 * and s ^ b exchange, through SLM, the half of their tile that the other one
 * keeps, until each has its part of the sum. Which half that is differs from
 * thread to thread, so both are picked by selects; nothing branches.
 *
 * dpasw keeps columns c and c + n / 2 side by side, in runs of four; the first
 * halving parts them, and what is kept lies as for dpas, in runs of four. */
#include "lower/headers.h"

enum {
    LANES = 16,    /* of a select or an add: two registers */
    CHUNK_B = 64,
    RUN_B = 128,   /* four columns by eight rows */
    BLOCK_B = 256 /* a message */
};

/* Byte of the header for the message at at_b. */
static uint32_t header_b(uint32_t at_b)
{
    return at_b / BLOCK_B * XK_HEADER_B;
}

struct halving {
    struct xk_lowering *l;
    const xk_expr *give;  /* what the other slice keeps; then what it gave */
    const xk_expr *to, *from; /* headers: own place in SLM, the other's */
    const xk_expr *upper; /* bool x LANES: keeps the upper half */
    uint32_t half_b;
    bool parted; /* columns of dpasw's halves do not lie side by side any more */
};

static const xk_expr *load(struct halving *h, const xk_expr *buf, uint32_t at_b)
{
    const struct xk_plan *const p = h->l->p;
    return xk_block_load(&h->l->w, "x", xk_type_vec(p->acc.dt, LANES),
                         xk_lower_reg(h->l, buf, at_b));
}

static void store(struct halving *h, const xk_expr *buf, uint32_t at_b,
                  const xk_expr *x)
{
    if (x)
        xk_block_add(&h->l->w, xk_store(h->l->c, xk_lower_reg(h->l, buf, at_b), x));
}

/* Where chunk q of the lower half lies, and how far the upper half is. */
static uint32_t lower_b(const struct halving *h, uint32_t q_b)
{
    return h->parted ? q_b : q_b / RUN_B * 2 * RUN_B + q_b % RUN_B;
}

static uint32_t distance_b(const struct halving *h)
{
    return h->parted ? h->half_b : RUN_B;
}

/* In place: no chunk is written before what lay there was read. */
static void split(struct halving *h)
{
    xk_ctx *const c = h->l->c;
    for (uint32_t at_b = 0; at_b < h->half_b; at_b += CHUNK_B) {
        const uint32_t from_b = lower_b(h, at_b);
        const xk_expr *const lo = load(h, h->l->acc, from_b);
        const xk_expr *const hi = load(h, h->l->acc, from_b + distance_b(h));
        store(h, h->give, at_b, xk_select(c, h->upper, lo, hi));
        store(h, h->l->acc, at_b, xk_select(c, h->upper, hi, lo));
    }
}

static void add_given(struct halving *h)
{
    for (uint32_t at_b = 0; at_b < h->half_b; at_b += CHUNK_B) {
        const xk_expr *const own = load(h, h->l->acc, at_b);
        const xk_expr *const given = load(h, h->give, at_b);
        store(h, h->l->acc, at_b, xk_add(h->l->c, own, given));
    }
}

/* All messages of one half, each with a header of its own. */
static void messages(struct halving *h, enum xk_send_op op, const xk_expr *head)
{
    struct xk_lowering *const l = h->l;
    const struct xk_send s = xk_lower_slm_send(op, BLOCK_B / 4, 1);
    for (uint32_t at_b = 0; at_b < h->half_b; at_b += BLOCK_B) {
        const xk_expr *const at = xk_lower_reg(l, head, header_b(at_b));
        xk_lower_sendh(l, &l->w, &s, at, xk_lower_reg(l, h->give, at_b));
    }
}

/* Headers of the place in SLM of slice `slice` of this thread's tile. */
static void set_headers(struct halving *h, const xk_expr *head,
                        const xk_expr *slice)
{
    struct xk_lowering *const l = h->l;
    const uint32_t place_b = l->p->slices.place_b;
    const xk_expr *const place =
        xk_add(l->c, xk_bin_imm(l->c, XK_OP_MUL, l->tid, l->p->slices.n), slice);
    const xk_expr *const first = xk_block_let(
        &l->w, "place_b",
        xk_cast(l->c, XK_DT_U32, xk_bin_imm(l->c, XK_OP_MUL, place, place_b)));
    for (uint32_t at_b = 0; at_b < h->half_b; at_b += BLOCK_B)
        xk_lower_set_header(l, head, header_b(at_b),
                            xk_bin_imm(l->c, XK_OP_ADD, first, at_b));
}

/* Slices whose numbers differ by `bit` exchange. */
static void halve(struct halving *h, unsigned bit)
{
    struct xk_lowering *const l = h->l;
    const xk_expr *const mine = xk_bin_imm(l->c, XK_OP_AND, l->slice, bit);
    set_headers(h, h->from, xk_bin_imm(l->c, XK_OP_XOR, l->slice, bit));
    h->upper = xk_block_let(
        &l->w, "upper",
        xk_bcast(l->c, xk_bin_imm(l->c, XK_OP_NE, mine, 0), LANES));
    split(h);
    messages(h, XK_SEND_STORE, h->to);
    xk_lower_meet(&l->w);
    messages(h, XK_SEND_LOAD, h->from);
    add_given(h);
    /* Nobody stores again before all have loaded; the sums have waited for that. */
    if (bit > 1)
        xk_lower_barrier(&l->w);
}

void xk_lower_slices(struct xk_lowering *l)
{
    const struct xk_plan *const p = l->p;
    struct halving h = {.l = l,
                        .half_b = p->acc_b / 2,
                        .parted = !xk_plan_is_wide(p)};
    if (p->slices.n == 1)
        return;
    const uint32_t headers_b = header_b(h.half_b);
    if (p->slm.buffers) /* others may still read what lay there */
        xk_lower_barrier(&l->w);
    h.give = xk_block_alloc(&l->w, "give", h.half_b, 1);
    h.to = xk_block_alloc(&l->w, "to", headers_b, 0);
    h.from = xk_block_alloc(&l->w, "from", headers_b, 0);
    set_headers(&h, h.to, l->slice);
    for (unsigned bit = p->slices.n / 2; bit; bit /= 2, h.half_b /= 2) {
        halve(&h, bit);
        h.parted = true;
    }
    const xk_expr **const first = p->slices.by_rows ? &l->out_m0 : &l->out_n0;
    const unsigned part = p->slices.by_rows ? p->epi.m : p->epi.n;
    *first = xk_block_let(
        &l->w, "part",
        xk_add(l->c, *first, xk_bin_imm(l->c, XK_OP_MUL, l->slice, part)));
}
