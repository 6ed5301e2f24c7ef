/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: consecutive bytes from one address to consecutive registers. In the
 * old ports the address is in a header, in bytes or in owords, by the kind of
 * message. Some kinds obey the channel mask, with a channel for each dword or
 * oword. */
#include "sim/message/sim_message.h"

struct block {
    struct xk_sim_view view;
    uint64_t addr;
    uint32_t n_b, align_b;
    uint32_t unit_b;    /* that a channel masks; 0: all or nothing */
    uint32_t reg_off_b; /* high oword of a register */
    bool store;
};

/* Piece by piece, where some are masked or beyond the end of a surface. */
static void move_pieces(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        const struct block *b, uint32_t rf_b, uint32_t mask)
{
    const uint32_t piece_b = b->unit_b ? b->unit_b : 4;
    for (uint32_t at = 0; at < b->n_b; at += piece_b) {
        if (b->unit_b && !xk_sim_block_moves(e, mask, b->unit_b, at))
            continue;
        const uint32_t align_b = b->align_b < piece_b ? b->align_b : piece_b;
        uint8_t *mem =
            xk_sim_reach(t, e, &b->view,
                         (struct xk_sim_bytes){b->addr + at, piece_b, align_b,
                                               at / piece_b});
        uint8_t *const reg = t->rf + rf_b + at;
        if (t->state == XK_SIM_FAULT)
            return;
        if (mem && b->store)
            memcpy(mem, reg, piece_b);
        else if (mem)
            memcpy(reg, mem, piece_b);
        else if (!b->store)
            memset(reg, 0, piece_b);
    }
}

/* Compilers widen loads of constants: IGC fetches three floats as four. Returns
 * how many bytes of a load that begins inside its buffer lie between the
 * buffer's end and the end of that cache line; 0: the load is inside, or ends
 * elsewhere. Memory is allocated in whole cache lines at least, so no card
 * faults there. */
static uint32_t widened_b(const struct xk_sim_thread *t, const struct block *b)
{
    const uint64_t at = b->addr & b->view.mask, line_b = 64;
    uint64_t end = b->view.size_b;
    if (b->store || b->view.host || at >= end)
        return 0;
    if (!b->view.surface) {
        const struct xk_sim_region *const r =
            xk_sim_space_find(&t->group->run->space, b->view.base + at, 1);
        end = r ? r->va + r->size_b - b->view.base : 0;
    }
    return at < end && at + b->n_b > end &&
                   at + b->n_b <= (end + line_b - 1) / line_b * line_b
               ? (uint32_t)(at + b->n_b - end)
               : 0;
}

/* Loads what is there. Behind it come zeros from a surface, and junk from
 * memory. */
static void load_widened(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct block *b, uint32_t rf_b,
                         uint32_t beyond_b)
{
    const uint32_t inside_b = b->n_b - beyond_b;
    const uint8_t *const mem =
        xk_sim_reach(t, e, &b->view,
                     (struct xk_sim_bytes){b->addr, inside_b, b->align_b, 0});
    if (!mem)
        return;
    memcpy(t->rf + rf_b, mem, inside_b);
    memset(t->rf + rf_b + inside_b, b->view.surface ? 0 : 0xa5, beyond_b);
    xk_sim_tell_event(t, e, XK_SIM_EV_WIDENED, b->addr + inside_b, beyond_b);
}

static void move_block(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct block *b)
{
    const struct xk_sim_opnd *data = b->store ? &e->src[1] : &e->dst;
    const uint32_t n_grf = b->store ? e->msg.src1_grf : e->msg.dst_grf;
    const uint32_t mask = xk_sim_mask(t, e);
    if (!xk_sim_payload(t, e, data, b->reg_off_b + b->n_b, n_grf,
                        b->store ? "the data payload" : "the destination"))
        return;
    const uint32_t rf_b = data->off_b + b->reg_off_b;
    if (!mask)
        return;
    if (b->unit_b && e->exec > 1 && mask != e->lanes) {
        move_pieces(t, e, b, rf_b, mask);
        return;
    }
    const uint32_t beyond_b = widened_b(t, b);
    if (beyond_b) {
        load_widened(t, e, b, rf_b, beyond_b);
        return;
    }
    uint8_t *mem = xk_sim_reach(
        t, e, &b->view, (struct xk_sim_bytes){b->addr, b->n_b, b->align_b, 0});
    struct block whole = *b;
    whole.unit_b = 0;
    if (!mem && t->state != XK_SIM_FAULT)
        move_pieces(t, e, &whole, rf_b, 1);
    else if (mem && b->store)
        memcpy(mem, t->rf + rf_b, b->n_b);
    else if (mem)
        memcpy(t->rf + rf_b, mem, b->n_b);
}

static bool is_prefetch(const struct xk_sim_inst *e)
{
    return xk_msg_op_class(e->msg.op) == XK_MCLASS_LOAD &&
           e->dst.kind == XK_SO_NONE;
}

/* LSC: one address, which exec size 1 goes with. */
static void exec_transposed(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e)
{
    const struct xk_msg *const m = &e->msg;
    struct block b = {.n_b = (uint32_t)m->vec * m->data_b,
                      .align_b = m->data_b,
                      .store = xk_msg_op_class(m->op) == XK_MCLASS_STORE};
    if (is_prefetch(e))
        return;
    if (e->exec != 1) {
        xk_sim_fault(t, e, "a transposed message needs exec size 1, not %u",
                     e->exec);
        return;
    }
    if (!xk_sim_view_of(t, e, &b.view) ||
        !xk_sim_payload(t, e, &e->src[0], m->addr_b, m->src0_grf,
                        "the address payload"))
        return;
    memcpy(&b.addr, t->rf + e->src[0].off_b, m->addr_b);
    move_block(t, e, &b);
}

/* The old ports. unit_b: of the offset in dword 2 of the header, 0: the header
 * begins with an address. mask_b: bytes a channel masks. */
struct header_kind {
    uint8_t unit_b, align_b, mask_b;
};

/* clang-format off */
static const struct header_kind *header_kind(unsigned kind)
{
    static const struct header_kind
        owords = {16, 16, 4}, bytes = {1, 4, 0}, hwords = {1, 32, 0},
        address = {0, 4, 0}, masked = {0, 4, 4},
        write16 = {0, 16, 4}, write4 = {0, 4, 4};
    switch ((enum xk_msg_kind)kind) {
    case XK_MSG_DC0_OWORD_LOAD: case XK_MSG_DC0_OWORD_STORE:
    case XK_MSG_DCRO_OWORD_LOAD:
        return &owords;
    case XK_MSG_DC0_OWORD_LOAD_BYTES: case XK_MSG_DCRO_OWORD_LOAD_BYTES:
    case XK_MSG_DC0_HWORD_LOAD:
        return &bytes;
    case XK_MSG_DC0_OWORD_STORE_ALIGNED: return &hwords;
    /* "aligned" is a name only: compilers read at any dword with it, and no
     * channel masks it */
    case XK_MSG_DC1_A64_OWORD_LOAD: return &address;
    case XK_MSG_DC1_A64_OWORD_LOAD_BYTES: case XK_MSG_DC1_A64_HWORD_LOAD:
        return &masked;
    case XK_MSG_DC1_A64_OWORD_STORE: case XK_MSG_DC1_A64_HWORD_STORE:
        return &write16;
    case XK_MSG_DC1_A64_OWORD_STORE_BYTES: return &write4;
    default: return NULL;
    }
}
/* clang-format on */

uint32_t xk_sim_block_unit_b(const struct xk_msg *m)
{
    const struct header_kind *const k = header_kind(m->kind);
    if (m->space == XK_MSPACE_SCRATCH)
        return m->channel_dw ? 4 : 16;
    return k ? k->mask_b : 0;
}

static void exec_header(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const struct xk_msg *const m = &e->msg;
    const struct header_kind *const k = header_kind(m->kind);
    struct block b = {.n_b = (uint32_t)m->vec * m->data_b,
                      .align_b = k->align_b,
                      .unit_b = xk_sim_block_unit_b(m),
                      .reg_off_b = m->data_high ? 16 : 0,
                      .store = xk_msg_op_class(m->op) == XK_MCLASS_STORE};
    if (is_prefetch(e) || !xk_sim_view_of(t, e, &b.view) ||
        !xk_sim_payload(t, e, &e->src[0], 32, m->src0_grf, "the header"))
        return;
    b.addr = k->unit_b ? (uint64_t)xk_rf_u32(t, e->src[0].off_b + 8) * k->unit_b
                       : xk_rf_u64(t, e->src[0].off_b);
    move_block(t, e, &b);
}

static void exec_scratch(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const struct xk_msg *const m = &e->msg;
    struct block b = {.addr = m->scratch_b,
                      .n_b = (uint32_t)m->vec * m->data_b,
                      .align_b = 32,
                      .unit_b = xk_sim_block_unit_b(m),
                      .store = xk_msg_op_class(m->op) == XK_MCLASS_STORE};
    if (!is_prefetch(e) && xk_sim_view_of(t, e, &b.view))
        move_block(t, e, &b);
}

xk_sim_fn *xk_sim_select_block(const struct xk_sim_inst *e)
{
    if (e->msg.space == XK_MSPACE_SCRATCH)
        return exec_scratch;
    if (e->msg.kind == XK_MSG_LSC_LOAD || e->msg.kind == XK_MSG_LSC_STORE ||
        e->msg.kind == XK_MSG_LSC_STORE_UNCOMPRESSED)
        return exec_transposed;
    return header_kind(e->msg.kind) ? exec_header : NULL;
}
