/* SPDX-License-Identifier: Apache-2.0 */
/* 2D blocks: a rectangle of a surface in memory, which the payload describes.
 * Elements outside the surface read as zero and are not written.
 * reference/isa.md 6.4. */
#include "sim/message/sim_message.h"

#define MAX_ROW_B 256 /* a block's row: 64 elements of at most 4 bytes */

struct tile {
    struct xk_block2d h;
    uint32_t data_b;
    uint32_t row_e;   /* elements from row to row in registers */
    uint32_t block_b; /* from block to block in registers */
    bool store;
};

static uint32_t pow2(uint32_t v)
{
    uint32_t n = 1;
    while (n < v)
        n *= 2;
    return n;
}

/* Bytes [first_b, first_b + n_b) of a block's row. */
struct row_part {
    uint32_t first_b, n_b;
};

/* Which bytes of row y are inside, of n_b from element x on. */
static struct row_part inside(const struct tile *k, int64_t x, int64_t y,
                              uint32_t n_b)
{
    const int64_t from = x * (int64_t)k->data_b, width_b = k->h.width_b;
    int64_t lo = from < 0 ? 0 : from, hi = from + (int64_t)n_b;
    hi = hi > width_b ? width_b : hi;
    if (y < 0 || y >= (int64_t)k->h.height || hi <= lo)
        return (struct row_part){0, 0};
    return (struct row_part){(uint32_t)(lo - from), (uint32_t)(hi - lo)};
}

/* Memory of those bytes; NULL after a finding. */
static uint8_t *row_at(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct tile *k, int64_t x, int64_t y,
                       struct row_part part)
{
    const struct xk_sim_bytes at = {
        .addr = k->h.base + (uint64_t)y * k->h.pitch_b +
                (uint64_t)(x * (int64_t)k->data_b + part.first_b),
        .n_b = part.n_b,
        .align_b = 1};
    return xk_sim_reach(t, e, &xk_sim_flat, at);
}

/* Where element (x, y) of a block goes, in bytes from the block's first. */
static uint32_t element_place_b(const struct xk_msg *m, const struct tile *k,
                                uint32_t x, uint32_t y)
{
    const uint32_t per = m->vnni ? 4 / k->data_b : 1;
    if (m->transpose)
        return (x * k->row_e + y) * k->data_b;
    return ((y / per * k->row_e + x) * per + y % per) * k->data_b;
}

static bool move_row(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                     const struct tile *k, unsigned block, uint32_t y,
                     uint8_t *regs)
{
    const int64_t x = (int64_t)k->h.x + (int64_t)block * k->h.block_w;
    const int64_t row = (int64_t)k->h.y + y;
    const struct row_part in = inside(k, x, row, k->h.block_w * k->data_b);
    uint8_t line[MAX_ROW_B] = {0};
    uint8_t *const mem = in.n_b ? row_at(t, e, k, x, row, in) : NULL;
    if (in.n_b && !mem)
        return false;
    if (mem && !k->store)
        memcpy(line + in.first_b, mem, in.n_b);
    for (uint32_t c = 0; c < k->h.block_w; c++) {
        uint8_t *const reg = regs + element_place_b(&e->msg, k, c, y);
        if (k->store)
            memcpy(line + c * k->data_b, reg, k->data_b);
        else
            memcpy(reg, line + c * k->data_b, k->data_b);
    }
    if (mem && k->store)
        memcpy(mem, line + in.first_b, in.n_b);
    return true;
}

static bool read_tile_header(struct xk_sim_thread *t,
                             const struct xk_sim_inst *e, struct tile *k,
                             uint32_t *grfs)
{
    struct xk_error err = {.message = ""};
    uint32_t dw[8];
    if (!xk_sim_payload(t, e, &e->src[0], sizeof dw, e->msg.src0_grf,
                        "the header"))
        return false;
    memcpy(dw, t->rf + e->src[0].off_b, sizeof dw);
    if (xk_block2d_unpack(dw, &k->h, &err) < 0) {
        xk_sim_fault(t, e, "%s", err.message);
        return false;
    }
    *grfs = xk_block2d_grfs(t->kernel->platform, &e->msg, &k->h);
    if (!*grfs)
        xk_sim_fault(t, e,
                     "2d block: %u blocks of %ux%u elements of %u bytes are "
                     "not allowed here",
                     k->h.n_blocks, k->h.block_w, k->h.block_h, e->msg.data_b);
    else if (k->h.base & 63 || k->h.pitch_b < k->h.width_b)
        xk_sim_fault(t, e,
                     "2d block: base 0x%llx must be a multiple of 64, and the "
                     "pitch %u at least the width %u",
                     (unsigned long long)k->h.base, k->h.pitch_b, k->h.width_b);
    return t->state != XK_SIM_FAULT;
}

/* A length of 31 registers stands for 31 or 32. */
static bool tile_fits(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      const struct tile *k, uint32_t grfs)
{
    const struct xk_sim_opnd *const data = k->store ? &e->src[1] : &e->dst;
    const uint32_t told = k->store ? e->msg.src1_grf : e->msg.dst_grf;
    const uint32_t n = told == 31 && grfs == 32 ? 32 : told;
    if (n > grfs) {
        xk_sim_fault(t, e,
                     "not modelled: 2d block: a message of %u registers of "
                     "data, whose blocks have %u",
                     n, grfs);
        return false;
    }
    return xk_sim_payload(t, e, data, grfs * t->kernel->grf_b, n,
                          k->store ? "the data payload" : "the destination");
}

void xk_sim_exec_block2d(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    struct tile k = {.data_b = e->msg.data_b,
                     .store = e->msg.op == XK_MOP_STORE_BLOCK2D};
    uint32_t grfs;
    if ((!k.store && e->dst.kind == XK_SO_NONE) || !(xk_sim_mask(t, e) & 1))
        return;
    if (!read_tile_header(t, e, &k, &grfs) || !tile_fits(t, e, &k, grfs))
        return;
    k.row_e = pow2(e->msg.transpose ? k.h.block_h : k.h.block_w);
    k.block_b = grfs / k.h.n_blocks * t->kernel->grf_b;
    uint8_t *const regs = t->rf + (k.store ? e->src[1] : e->dst).off_b;
    if (!k.store)
        memset(regs, 0, (size_t)grfs * t->kernel->grf_b);
    for (unsigned b = 0; b < k.h.n_blocks; b++)
        for (uint32_t y = 0; y < k.h.block_h; y++)
            if (!move_row(t, e, &k, b, y, regs + b * k.block_b))
                return;
}
