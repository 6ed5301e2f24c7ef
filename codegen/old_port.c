/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the old data ports, for a device that forbids LSC's
 * (isa/workaround.def, ugm_backup): those to memory and to SLM, as the vendor's
 * compiler has them there. A message of LSC becomes one of them or several,
 * with the same registers: the dwords of lanes lie alike, a vector of eight
 * dwords is two vectors of four, and a block is dwords of lanes that follow
 * each other. */
#include "codegen/cg.h"
#include "isa/message.h"

#define MOST_DWORDS 4 /* of a lane */
#define MOST_LANES 16
#define ROUTE_TO_LSC 2 /* bit 18 of a fence's descriptor */

/* A part of a message: dwords of some lanes. */
struct part {
    unsigned lanes, dwords;
    uint32_t from_b; /* behind the address of each lane */
    uint32_t to_b;   /* in the registers */
};

uint8_t xk_cg_fence_route(const struct xk_cg *g)
{
    return g->old_ports ? ROUTE_TO_LSC : 0;
}

void xk_cg_old_lanes(struct xk_cg *g)
{
    const uint32_t grf_b = g->p->grf_b;
    const struct xk_cg_val numbers =
        xk_cg_reg(XK_DT_U16, xk_cg_tile_new(g, grf_b, grf_b), 0, 1);
    g->lane_bytes = xk_cg_tile_new(g, 4 * MOST_LANES, grf_b);
    const struct xk_cg_val lo = xk_cg_reg(XK_DT_U32, g->lane_bytes, 0, 1);
    const struct xk_cg_val hi = xk_cg_reg(XK_DT_U32, g->lane_bytes, 32, 1);
    const struct xk_cg_val two = xk_cg_imm(XK_DT_U32, 2);
    const struct xk_cg_val half = xk_cg_imm(XK_DT_U32, 32);
    xk_cg_eight_lanes(g, &numbers);
    xk_cg_op2(g, XK_OPC_SHL, &lo, &numbers, &two, 8);
    xk_cg_op2(g, XK_OPC_ADD, &hi, &lo, &half, 8);
}

/* The sum of two vectors of addresses, in registers of its own. */
static struct xk_cg_val sum_addresses(struct xk_cg *g,
                                      const struct xk_cg_val *a,
                                      const struct xk_cg_val *b, unsigned lanes)
{
    const uint32_t grf_b = g->p->grf_b;
    const uint32_t n_b = xk_dtype_b((enum xk_dtype)a->dt) * lanes;
    const struct xk_cg_val to = xk_cg_reg(
        (enum xk_dtype)a->dt,
        xk_cg_tile_new(g, (n_b + grf_b - 1) / grf_b * grf_b, grf_b), 0, 1);
    if (a->dt == XK_DT_U64)
        return xk_cg_add_u64(g, lanes, *a, *b, &to);
    xk_cg_op2(g, XK_OPC_ADD, &to, a, b, lanes);
    return to;
}

/* The addresses of a part: a block has one, for its first dword. */
static struct xk_cg_val part_addresses(struct xk_cg *g, const struct xk_send *s,
                                       const struct part *q,
                                       const struct xk_cg_val *head)
{
    struct xk_cg_val at = *head;
    at.dt = s->addr == XK_SEND_A64 ? XK_DT_U64 : XK_DT_U32;
    at.stride = s->block ? 0 : 1;
    if (s->block) {
        struct xk_cg_val bytes =
            xk_cg_reg((enum xk_dtype)at.dt, g->lane_bytes, 0, 1);
        bytes.zext = at.dt == XK_DT_U64;
        at = sum_addresses(g, &at, &bytes, q->lanes);
    }
    if (q->from_b) {
        const struct xk_cg_val from =
            xk_cg_imm((enum xk_dtype)at.dt, q->from_b);
        at = sum_addresses(g, &at, &from, q->lanes);
    }
    return at;
}

static uint8_t old_kind(const struct xk_send *s)
{
    static const uint8_t kinds[2][2][2] = {
        {{XK_MSG_DC0_BYTE_LOAD, XK_MSG_DC1_A64_BYTE_LOAD},
         {XK_MSG_DC0_BYTE_STORE, XK_MSG_DC1_A64_BYTE_STORE}},
        {{XK_MSG_DC1_UNTYPED_LOAD, XK_MSG_DC1_A64_UNTYPED_LOAD},
         {XK_MSG_DC1_UNTYPED_STORE, XK_MSG_DC1_A64_UNTYPED_STORE}}};
    return kinds[s->data_b == 4][s->op == XK_SEND_STORE]
                [s->addr == XK_SEND_A64];
}

static struct xk_msg old_message(const struct xk_send *s, const struct part *q)
{
    struct xk_msg m = {.kind = old_kind(s), .vec = (uint8_t)q->dwords};
    m.bti = s->space == XK_SPACE_SLM ? XK_BTI_SLM
            : s->addr == XK_SEND_A64 ? XK_BTI_STATELESS
                                     : s->surface;
    if (s->data_b == 4)
        m.cmask = (uint8_t)((1u << q->dwords) - 1);
    else
        m.data_b = s->data_b;
    return m;
}

static void send_part(struct xk_cg *g, const struct xk_cg_old_send *o,
                      const struct part *q)
{
    const struct xk_cg_val at = part_addresses(g, o->s, q, &o->head);
    const struct xk_cg_val data =
        xk_cg_reg(XK_DT_U32, o->data.tile, o->data.sub_b + q->to_b, 1);
    struct xk_msg m = old_message(o->s, q);
    struct xk_error err = {0};
    struct xk_inst *const i = xk_cg_send(g, &m, q->lanes);
    i->src[0] = xk_cg_dst(&at, 0);
    *(o->s->op == XK_SEND_STORE ? &i->src[1] : &i->dst) = xk_cg_dst(&data, 0);
    if (o->flag.kind == XK_CG_FLAG)
        xk_cg_predicate(i, &o->flag);
    if (xk_msg_build(g->p, &m, i, &err) < 0)
        xk_fail(g->c, err.status, "codegen: old data port: %s", err.message);
}

/* What stands above a byte or word is undefined (IGC, documentation/visa,
 * GATHER_SCALED.md). */
static void clear_above(struct xk_cg *g, const struct xk_cg_old_send *o)
{
    const struct xk_cg_val data =
        xk_cg_reg(XK_DT_U32, o->data.tile, o->data.sub_b, 1);
    const struct xk_cg_val mask =
        xk_cg_imm(XK_DT_U32, o->s->data_b == 1 ? 0xff : 0xffff);
    const uint32_t first = g->n_inst;
    xk_cg_op2(g, XK_OPC_AND, &data, &data, &mask, o->s->lanes);
    for (uint32_t i = first; i < g->n_inst; i++)
        if (o->flag.kind == XK_CG_FLAG)
            xk_cg_predicate(&g->inst[i], &o->flag);
}

/* Lanes of the next part of a block: most, of a power of two. */
static unsigned lanes_of_part(unsigned left)
{
    unsigned n = MOST_LANES;
    while (n > left)
        n /= 2;
    return n;
}

static void send_old_block(struct xk_cg *g, const struct xk_cg_old_send *o)
{
    for (unsigned at = 0, n; at < o->s->vec; at += n) {
        n = lanes_of_part(o->s->vec - at);
        send_part(g, o, &(struct part){n, 1, 4 * at, 4 * at});
    }
}

static void send_old_lanes(struct xk_cg *g, const struct xk_cg_old_send *o)
{
    const unsigned lane_b = 4u * o->s->lanes, grf_b = g->p->grf_b;
    const unsigned dword_b = lane_b < grf_b ? grf_b : lane_b;
    for (unsigned at = 0, n; at < o->s->vec; at += n) {
        n = o->s->vec - at < MOST_DWORDS ? o->s->vec - at : MOST_DWORDS;
        send_part(g, o, &(struct part){o->s->lanes, n, 4 * at, dword_b * at});
    }
}

/* Eight bytes a lane, which follow each other in registers: two dwords each of
 * half of the lanes, one of which is at each of the message's addresses. */
static void send_old_qwords(struct xk_cg *g, const struct xk_cg_old_send *o)
{
    enum { HALF = MOST_LANES / 2, DWORD_B = 4 };
    const struct xk_cg_val more = xk_cg_imm(XK_DT_U32, DWORD_B);
    struct xk_send s = *o->s;
    s.data_b = DWORD_B;
    for (unsigned at = 0; at < o->s->lanes; at += HALF) {
        const struct xk_cg_val head =
            xk_cg_reg(XK_DT_U32, o->head.tile, o->head.sub_b + DWORD_B * at, 1);
        const struct xk_cg_val both = xk_cg_reg(
            XK_DT_U32, xk_cg_tile_new(g, DWORD_B * MOST_LANES, g->p->grf_b), 0,
            1);
        const struct xk_cg_val first = xk_cg_reg(XK_DT_U32, both.tile, 0, 2);
        const struct xk_cg_val second =
            xk_cg_reg(XK_DT_U32, both.tile, DWORD_B, 2);
        xk_cg_op1(g, XK_OPC_MOV, &first, &head, HALF);
        xk_cg_op2(g, XK_OPC_ADD, &second, &head, &more, HALF);
        send_part(g, &(struct xk_cg_old_send){&s, both, o->data, {0}},
                  &(struct part){MOST_LANES, 1, 0, 2 * DWORD_B * at});
    }
}

/* Eight bytes a lane: loads of all lanes, by 32 bits of address. */
static bool is_old_qwords(const struct xk_cg_old_send *o)
{
    return o->s->data_b == 8 && o->s->op == XK_SEND_LOAD && o->s->vec == 1 &&
           o->s->lanes == MOST_LANES && o->flag.kind != XK_CG_FLAG &&
           o->s->addr == XK_SEND_SURFACE;
}

enum xk_status xk_cg_old_message(struct xk_cg *g,
                                 const struct xk_cg_old_send *o)
{
    const struct xk_send *const s = o->s;
    const bool a32 = s->space != XK_SPACE_SLM && s->addr == XK_SEND_A32;
    if (s->op == XK_SEND_ATOMIC_ADD)
        return xk_fail(g->c, XK_EUNSUPPORTED,
                       "codegen: send: atomic_add is not generated for a "
                       "device without LSC");
    if (is_old_qwords(o)) {
        send_old_qwords(g, o);
        return xk_ctx_status(g->c);
    }
    if (a32 || s->data_b > 4 || (s->data_b < 4 && s->vec > 1) ||
        (s->block && s->vec % 8 && s->vec & (s->vec - 1)))
        return xk_fail(g->c, XK_EUNSUPPORTED,
                       "codegen: send: %s%u elements of %u bytes%s are not "
                       "generated for a device without LSC",
                       s->block ? "a block of " : "", s->vec, s->data_b,
                       a32 ? " by 32-bit addresses" : "");
    s->block ? send_old_block(g, o) : send_old_lanes(g, o);
    if (s->data_b < 4 && s->op == XK_SEND_LOAD)
        clear_above(g, o);
    return xk_ctx_status(g->c);
}

void xk_cg_old_arguments(struct xk_cg *g, const struct xk_cg_val *base,
                         uint32_t tile, uint32_t n_grf)
{
    struct xk_send s = {.op = XK_SEND_LOAD,
                        .space = XK_SPACE_GLOBAL,
                        .addr = XK_SEND_SURFACE,
                        .surface = XK_BTI_STATELESS,
                        .data_b = 4,
                        .lanes = 1,
                        .block = true};
    s.vec = (uint8_t)(n_grf * g->p->grf_b / 4);
    xk_cg_old_message(g, &(struct xk_cg_old_send){
                             &s, *base, xk_cg_reg(XK_DT_U32, tile, 0, 1), {0}});
}
